// Bulk copies and their reductions, tensor copies, asynchronous stores, changes of tensor maps: against plain C.
// (Random cases against a GPU: tests/rt/async.sh.)
#include "mem/tensor_map.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

// The buffer: input, output, a tensor map, then what the map speaks of.
enum { IN = 0, OUT = 4096, MAP = 12288, TENSOR = 12544, BYTES = 32768, N = 256 };

static struct tensor_map map;

static void fill(void *buffer)
{
    uint8_t *bytes = buffer;
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 256 * 11 + 5);
    memset(bytes + MAP, 0, TENSOR_MAP_BYTES);
    memcpy(bytes + MAP, &map, sizeof map);
}

// One warp. Thread 0 makes `bar` for one arrival; `$B` runs in thread 0 alone, `$A` in all afterwards. %r10 = s (1024
// aligned, 4 KiB of 0xee), %r11 = bar, %rd10 = map (its address set), %rd3 = output, %rd4 = tensor.
static void run(struct kernel_run *r, const char *body, const char *after)
{
    static char text[16384];
    kernel_text(text, sizeof text,
                ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b8 bar[8];\n.shared .align 128 .b8 own[128];\nmov.u32 %r10, s;\n"
                "mov.u32 %r11, bar;\nmov.u32 %r5, 0xeeeeeeee;\nmad.lo.u32 %r6, %r1, 128, %r10;\nmov.u32 %r7, 0;\n"
                "F: st.shared.u32 [%r6], %r5;\nadd.u32 %r6, %r6, 4;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 32;\n@%p2 bra F;\n"
                "add.s64 %rd3, %rd1, 4096;\nadd.s64 %rd10, %rd1, 12288;\nadd.s64 %rd4, %rd1, 12544;\nsetp.eq.u32 %p1, %r1, 0;\n"
                "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n@!%p1 bra END;\n"
                "tensormap.replace.tile.global_address.global.b1024.b64 [%rd10], %rd4;\n$B\nEND:\nbar.sync 0;\n$A\n",
                'B', body, 'A', after, 0);
    *r = (struct kernel_run){.text = text, .threads = {32, 1, 1}, .bytes = BYTES, .fill = fill};
    kernel_run(r);
}

static void run_well(struct kernel_run *r, const char *body, const char *after)
{
    run(r, body, after);
    if (r->fault.kind)
        fail_msg("%s: fault %d: %s", body, r->fault.kind, r->fault.note);
}

#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r11], 0;\n@!%p3 bra W;\n"
// The same in formats of printf
#define WAIT_FORMAT "W: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r11], 0;\n@!%%p3 bra W;\n"
#define EXPECT_FORMAT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r11], " bytes ";\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], " bytes ";\n"
// All of s to the output
#define DUMP "mul.wide.u32 %rd20, %r1, 128;\nadd.s64 %rd20, %rd3, %rd20;\nmad.lo.u32 %r6, %r1, 128, %r10;\nmov.u32 %r7, 0;\n" \
             "D: ld.shared.u32 %r8, [%r6];\nst.global.u32 [%rd20], %r8;\nadd.u32 %r6, %r6, 4;\nadd.s64 %rd20, %rd20, 4;\n"  \
             "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 32;\n@%p2 bra D;\n"

static void expect_bytes(const struct kernel_run *r, int at, const void *want, size_t n, const char *what)
{
    const uint8_t *have = (const uint8_t *)r->buffer + at, *w = want;
    for (size_t i = 0; i < n; i++)
        if (have[i] != w[i])
            fail_msg("%s: byte %zu is 0x%02x instead of 0x%02x", what, i, have[i], w[i]);
}

static void there_and_back(void **state)
{
    (void)state;
    struct kernel_run r;
    uint8_t in[BYTES];
    map = (struct tensor_map){0};
    fill(in);
    static const char *const loads[] = {
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 256, [%r11];\n",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 256, [bar];\n",
        "createpolicy.fractional.L2::evict_last.b64 %rd6, 1.0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r10], [%rd1], 256, [%r11], %rd6;\n",
        "mov.u16 %h1, 1;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r10], [%rd1], 256, [%r11], %h1;\n",
        "cp.async.bulk.prefetch.L2.global [%rd1], 256;\nadd.s64 %rd7, %rd1, -16;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10+0], [%rd7+16], 256, [%r11+0];\n"};
    for (size_t i = 0; i < N_ELEMENTS(loads); i++) {
        char body[2048];
        snprintf(body, sizeof body,
                 EXPECT_FORMAT("256") "%s" WAIT_FORMAT "cp.async.bulk.global.shared::cta.bulk_group [%%rd3], [%%r10], 256;\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;\n",
                 loads[i]);
        run_well(&r, body, "");
        expect_bytes(&r, OUT, in, 256, loads[i]);
        expect_bytes(&r, OUT + 256, in + OUT + 256, 256, loads[i]);
        kernel_run_end(&r);
    }
}

// ---- reductions --------------------------------------------------------------------------------------

static uint64_t reduce_bits(const char *op, const char *type, uint64_t a, uint64_t b)
{
    const bool is_signed = type[0] == 's', is_64 = strstr(type, "64") != NULL;
    const int64_t x = is_64 ? (int64_t)a : (int32_t)a, y = is_64 ? (int64_t)b : (int32_t)b;
    const bool is_less = is_signed ? y < x : b < a;
    if (strcmp(op, "add") == 0)
        return a + b;
    if (strcmp(op, "min") == 0)
        return is_less ? b : a;
    if (strcmp(op, "max") == 0)
        return is_less ? a : b;
    if (strcmp(op, "inc") == 0)
        return a >= b ? 0 : a + 1;
    if (strcmp(op, "dec") == 0)
        return a == 0 || a > b ? b : a - 1;
    return strcmp(op, "and") == 0 ? a & b : strcmp(op, "or") == 0 ? a | b : a ^ b;
}

static void reductions(void **state)
{
    (void)state;
    static const struct {
        const char *type, *ops[6];
    } cases[] = {{"u32", {"add", "min", "max", "inc", "dec"}}, {"s32", {"add", "min", "max"}},
                 {"u64", {"add", "min", "max"}},               {"s64", {"min", "max"}},
                 {"b32", {"and", "or", "xor"}},                {"b64", {"and", "or", "xor"}}};
    uint8_t in[BYTES];
    map = (struct tensor_map){0};
    fill(in);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        for (int k = 0; k < 6 && cases[i].ops[k]; k++) {
            struct kernel_run r;
            char body[1024];
            const size_t size = strstr(cases[i].type, "64") ? 8 : 4;
            uint8_t want[N];
            snprintf(body, sizeof body,
                     EXPECT_FORMAT("256") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r10], [%%rd1], 256, [%%r11];\n" WAIT_FORMAT
                     "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%rd3], [%%r10], 256;\n"
                     "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                     cases[i].ops[k], cases[i].type);
            for (size_t at = 0; at < N; at += size) {
                uint64_t a = 0, b = 0;
                memcpy(&a, in + OUT + at, size);
                memcpy(&b, in + IN + at, size);
                a = reduce_bits(cases[i].ops[k], cases[i].type, a, b);
                memcpy(want + at, &a, size);
            }
            run_well(&r, body, "");
            expect_bytes(&r, OUT, want, N, body);
            kernel_run_end(&r);
        }
}

// 1.5 + 2.25 in every type of floats: the values are stored by ordinary instructions.
static void float_reductions(void **state)
{
    (void)state;
    static const struct {
        const char *type, *words;
        uint64_t a, b, sum;
        int size;
    } cases[] = {{"f16", "add.noftz", 0x3e00, 0x4080, 0x4380, 2},
                 {"bf16", "add.noftz", 0x3fc0, 0x4010, 0x4070, 2},
                 {"f32", "add", 0x3fc00000, 0x40100000, 0x40700000, 4},
                 {"f64", "add", 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000, 8}};
    map = (struct tensor_map){0};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct kernel_run r;
        char body[1024];
        uint64_t have = 0;
        snprintf(body, sizeof body,
                 "mov.b64 %%rd20, %llu;\nmov.b64 %%rd21, %llu;\nst.shared.b64 [%%r10], %%rd20;\nst.global.b64 [%%rd3], %%rd21;\n"
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%rd3], [%%r10], 16;\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                 (unsigned long long)cases[i].a, (unsigned long long)cases[i].b, cases[i].words, cases[i].type);
        run_well(&r, body, "");
        memcpy(&have, (const uint8_t *)r.buffer + OUT, (size_t)cases[i].size);
        if (have != cases[i].sum)
            fail_msg("%s: 0x%llx", cases[i].type, (unsigned long long)have);
        kernel_run_end(&r);
    }
}

// ---- tensors -----------------------------------------------------------------------------------------

struct shape {
    uint32_t rank, swizzle;
    uint64_t sizes[5], strides[4];
    uint32_t box[5], steps[5];
    int at[5];
};

static const struct shape shapes[] = {
    {1, 0, {40}, {0}, {16}, {1}, {28}},
    {2, 0, {20, 6}, {96}, {8, 4}, {1, 1}, {-4, 3}},
    {2, 1, {20, 9}, {96}, {8, 8}, {1, 1}, {4, 2}},
    {2, 2, {20, 9}, {96}, {16, 8}, {1, 1}, {0, -1}},
    {2, 3, {40, 9}, {176}, {32, 8}, {1, 1}, {8, 0}},
    {3, 3, {32, 5, 3}, {128, 656}, {32, 4, 2}, {1, 2, 1}, {0, 1, 1}},
    {4, 0, {8, 3, 3, 3}, {32, 96, 304}, {4, 2, 2, 2}, {1, 1, 1, 1}, {4, 1, 2, -1}},
    {5, 2, {16, 2, 2, 3, 2}, {64, 144, 288, 880}, {16, 2, 1, 2, 2}, {1, 1, 1, 2, 1}, {0, 0, 1, 0, 0}},
};

static void encode(const struct shape *s)
{
    const struct tensor_shape shape = {.sizes = s->sizes, .strides = s->strides, .box = s->box, .steps = s->steps,
                                       .rank = s->rank, .type = TENSOR_U32, .swizzle = s->swizzle};
    assert_true(tensor_map_encode(&shape, 65536, &map));
}

// Calls for each element of the box: where it lies in shared memory and in the tensor (-1: outside).
static uint32_t place(const struct shape *s, uint32_t k, int *shared, int *global)
{
    uint32_t n = 1, rest = k;
    bool is_inside = true;
    *global = 0;
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint32_t step = i ? s->steps[i] : 1, count = (s->box[i] + step - 1) / step;
        const int at = s->at[i] + (int)(rest % count * step);
        is_inside &= at >= 0 && at < (int)s->sizes[i];
        *global += at * (i ? (int)s->strides[i - 1] : 4);
        rest /= count;
        n *= count;
    }
    const uint32_t address = 4 * k, bits = (1u << s->swizzle) - 1;
    *shared = (int)(address ^ (address >> 7 & bits) << 4);
    *global = is_inside ? *global : -1;
    return n;
}

static const char *coordinates(const struct shape *s)
{
    static char text[128];
    int n = snprintf(text, sizeof text, "{");
    for (uint32_t i = 0; i < s->rank; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%d", i ? ", " : "", s->at[i]);
    snprintf(text + n, sizeof text - (size_t)n, "}");
    return text;
}

static void tensor_loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
        const struct shape *s = &shapes[i];
        struct kernel_run r;
        char body[1024];
        uint8_t in[BYTES], want[4096];
        int shared, global;
        encode(s);
        fill(in);
        memset(want, 0xee, sizeof want);
        const uint32_t n = place(s, 0, &shared, &global);
        for (uint32_t k = 0; k < n; k++) {
            place(s, k, &shared, &global);
            if (global < 0)
                memset(want + shared, 0, 4);
            else
                memcpy(want + shared, in + TENSOR + global, 4);
        }
        snprintf(body, sizeof body,
                 "cp.async.bulk.prefetch.tensor.%ud.L2.global [%%rd10, %s];\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r11], %u;\n"
                 "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes [%%r10], [%%rd10, %s], [%%r11];\n" WAIT_FORMAT,
                 s->rank, coordinates(s), 4 * n, s->rank, i % 2 ? ".tile" : "", coordinates(s));
        run_well(&r, body, DUMP);
        expect_bytes(&r, OUT, want, sizeof want, body);
        kernel_run_end(&r);
    }
}

static void tensor_stores_and_reductions(void **state)
{
    (void)state;
    static const char *const words[] = {"cp.async", "cp.reduce.async"};
    for (size_t i = 0; i < 2 * N_ELEMENTS(shapes); i++) {
        struct shape inside = shapes[i / 2], *const s = &inside; // a store may not begin before the tensor
        for (uint32_t k = 0; k < s->rank; k++)
            s->at[k] = s->at[k] < 0 ? 0 : s->at[k];
        const bool reduces = i % 2;
        struct kernel_run r;
        char body[1024];
        uint8_t want[BYTES];
        int shared, global;
        encode(s);
        fill(want);
        const uint32_t n = place(s, 0, &shared, &global);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t word, old;
            place(s, k, &shared, &global);
            if (global < 0)
                continue;
            memcpy(&word, want + shared, 4); // s holds the first bytes of the input
            memcpy(&old, want + TENSOR + global, 4);
            word += reduces ? old : 0;
            memcpy(want + TENSOR + global, &word, 4);
        }
        snprintf(body, sizeof body,
                 EXPECT_FORMAT("4096") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r10], [%%rd1], 4096, [%%r11];\n" WAIT_FORMAT
                 "%s.bulk.tensor.%ud.global.shared::cta%s.bulk_group [%%rd10, %s], [%%r10];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                 words[reduces], s->rank, reduces ? ".add.tile" : "", coordinates(s));
        run_well(&r, body, "");
        expect_bytes(&r, TENSOR, want + TENSOR, BYTES - TENSOR, body);
        kernel_run_end(&r);
    }
}

// Each field changed from another shape to the second one, then a load: the same bytes as with that shape.
static void changed_maps(void **state)
{
    (void)state;
    static const struct {
        const char *change;
        struct shape first;
    } cases[] = {
        {"rank.global.b1024.b32 [%rd10], 1;", {1, 0, {20}, {0}, {8}, {1}, {0}}},
        {"box_dim.global.b1024.b32 [%rd10], 1, 4;", {2, 0, {20, 6}, {96}, {8, 2}, {1, 1}, {0}}},
        {"global_dim.global.b1024.b32 [%rd10], 1, 6;", {2, 0, {20, 2}, {96}, {8, 4}, {1, 1}, {0}}},
        {"global_stride.global.b1024.b64 [%rd10], 0, 96;", {2, 0, {20, 6}, {128}, {8, 4}, {1, 1}, {0}}},
        {"element_stride.global.b1024.b32 [%rd10], 1, 1;", {2, 0, {20, 6}, {96}, {8, 4}, {1, 3}, {0}}},
        {"swizzle_mode.global.b1024.b32 [%rd10], 0;", {2, 1, {20, 6}, {96}, {8, 4}, {1, 1}, {0}}},
        {"elemtype.global.b1024.b32 [%rd10], 3;", {2, 0, {20, 6}, {96}, {8, 4}, {1, 1}, {0}}},
        {"fill_mode.global.b1024.b32 [%rd10], 0;", {2, 0, {20, 6}, {96}, {8, 4}, {1, 1}, {0}}},
        {"interleave_layout.global.b1024.b32 [%rd10], 0;", {2, 0, {20, 6}, {96}, {8, 4}, {1, 1}, {0}}},
    };
    const struct shape *s = &shapes[1];
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct kernel_run r;
        char body[2048];
        uint8_t in[BYTES], want[128];
        int shared, global;
        struct shape first = cases[i].first;
        encode(&first);
        if (first.rank == 1) { // the rest is there already
            map.box[1] = 4;
            map.last[1] = 5;
            map.stride[1] = 96;
        }
        fill(in);
        for (uint32_t k = 0; k < 32; k++) {
            place(s, k, &shared, &global);
            if (global < 0)
                memset(want + shared, 0, 4);
            else
                memcpy(want + shared, in + TENSOR + global, 4);
        }
        // by way of shared memory
        snprintf(body, sizeof body,
                 "tensormap.replace.tile.%s\nmov.u32 %%r20, own;\n" EXPECT_FORMAT("128")
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r20], [%%rd10], 128, [%%r11];\n" WAIT_FORMAT
                 "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%rd10], [%%r20], 128;\n"
                 "fence.proxy.tensormap::generic.acquire.gpu [%%rd10], 128;\n" EXPECT_FORMAT("128")
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r10], [%%rd10, {-4, 3}], [%%r11];\n"
                 "W1: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r11], 1;\n@!%%p3 bra W1;\n",
                 cases[i].change);
        run_well(&r, body, DUMP);
        expect_bytes(&r, OUT, want, sizeof want, body);
        kernel_run_end(&r);
    }
}

static void what_is_wrong_faults(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum fault_kind kind;
    } cases[] = {
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10+4], [%rd1], 256, [%r11];", FAULT_MISALIGNED},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 20, [%r11];", FAULT_MISALIGNED},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 65536, [%r11];", FAULT_OUT_OF_BOUNDS},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1+65536], 256, [%r11];", FAULT_OUT_OF_BOUNDS},
        {"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd10, {0, 0, 0}], [%r11];", FAULT_BAD_MAP},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1, {0, 0}], [%r11];", FAULT_BAD_MAP},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd10, {1, 0}], [%r11];", FAULT_BAD_MAP},
        {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd10, {0, -1}], [%r10];", FAULT_BAD_MAP},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd10, {-4, 0}], [%r10];", FAULT_BAD_MAP},
    };
    encode(&shapes[1]);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct kernel_run r;
        run(&r, cases[i].body, "");
        if (r.fault.kind != cases[i].kind)
            fail_msg("%s: fault %d instead of %d", cases[i].body, r.fault.kind, cases[i].kind);
        kernel_run_end(&r);
    }
}

// ---- stores into another block -----------------------------------------------------------------------

static void asynchronous_stores(void **state)
{
    (void)state;
    static const struct {
        const char *store, *bytes;
        uint32_t want[4]; // of what was 5 in each word
    } cases[] = {
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r12], 7, [%r13];", "4", {7, 5, 5, 5}},
        {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r12], 7, [%r13];", "8", {7, 0, 5, 5}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r12], {1, 2, 3, 4}, [%r13];", "16", {1, 2, 3, 4}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%r12+8], {1, 2}, [%r13];", "8", {5, 5, 1, 2}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s64 [%r12], {1, 2}, [%r13];", "16", {1, 0, 2, 0}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%r12], 0f3f800000, [%r13];", "4", {0x3f800000, 5, 5, 5}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 [%r12], 0d3ff0000000000000, [%r13];", "8", {0, 0x3ff00000, 5, 5}},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r12], 9, [%r13];", "8", {9, 0, 5, 5}},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 7, [%r13];", "4", {12, 5, 5, 5}},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r12], -7, [%r13];", "4", {0xfffffff9, 5, 5, 5}},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r12], 5, [%r13];", "4", {0, 5, 5, 5}},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r12], 3, [%r13];", "4", {6, 5, 5, 5}},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r12], 7, [%r13];", "8", {12, 5, 5, 5}},
        {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [%r10+16], 16, [%r13];", "16", {8, 8, 8, 8}},
        {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%r12], [%r10+16], 16, [%r13];", "16", {8, 8, 8, 8}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        static char text[8192];
        kernel_text(text, sizeof text,
                    ".shared .align 128 .b8 s[64];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\nmov.u32 %r11, bar;\n"
                    "st.shared.v4.u32 [%r10], {5, 5, 5, 5};\nst.shared.v4.u32 [%r10+16], {8, 8, 8, 8};\nmov.u32 %r9, %cluster_ctarank;\n"
                    "mbarrier.init.shared.b64 [%r11], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r11], $N;\n"
                    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nsetp.eq.u32 %p1, %r9, 1;\n"
                    "mapa.shared::cluster.u32 %r12, %r10, 1;\nmapa.shared::cluster.u32 %r13, %r11, 1;\n@%p1 bra READ;\n$S\nbra END;\nREAD:\n"
                    "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r11], 0;\n@!%p3 bra W;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n"
                    "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\nEND:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n",
                    'S', cases[i].store, 'N', cases[i].bytes, 0);
        struct kernel_run r = {.text = text, .blocks = 2, .cluster = 2, .bytes = 64};
        kernel_run(&r);
        if (r.fault.kind)
            fail_msg("%s: fault %d", cases[i].store, r.fault.kind);
        expect_bytes(&r, 0, cases[i].want, sizeof cases[i].want, cases[i].store);
        kernel_run_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),      cmocka_unit_test(reductions),
        cmocka_unit_test(float_reductions),    cmocka_unit_test(tensor_loads),
        cmocka_unit_test(tensor_stores_and_reductions), cmocka_unit_test(changed_maps),
        cmocka_unit_test(what_is_wrong_faults), cmocka_unit_test(asynchronous_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
