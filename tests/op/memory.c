// ld, ldu, st of every type in every space, vectors, guards, generic addresses; and every fault that an
// address can be.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>
#include <string.h>

static void expect_fault(struct kernel_run *r, enum fault_kind kind)
{
    if (r->fault.kind != kind)
        fail_msg("fault %d instead of %d: %s\n%s", r->fault.kind, kind, r->fault.note, r->text);
}

// ---- every type ------------------------------------------------------------------------------------

struct memory_type {
    const char *name, *reg; // register that holds it
    uint32_t bytes;
    bool is_signed;
};
static const struct memory_type types[] = {
    {"b8", "%r4", 1, false},  {"u8", "%r4", 1, false},  {"s8", "%r4", 1, true},    {"b16", "%h4", 2, false},
    {"u16", "%h4", 2, false}, {"s16", "%h4", 2, true},  {"b32", "%r4", 4, false},  {"u32", "%r4", 4, false},
    {"s32", "%r4", 4, true},  {"f32", "%f4", 4, false}, {"b64", "%rd4", 8, false}, {"u64", "%rd4", 8, false},
    {"s64", "%rd4", 8, true}, {"f64", "%d4", 8, false},
};

// The buffer: 32 elements in, at 1024 the same elements stored again, at 2048 the register widened to 64
// bits.
static void fill_pattern(void *buffer)
{
    uint8_t *bytes = buffer;
    for (uint32_t i = 0; i < 1024; i++)
        bytes[i] = (uint8_t)(i * 37 + (i >> 5) * 11 + 128);
}

static const char *widen(const struct memory_type *t)
{
    switch (t->bytes) {
    case 1:
        return t->is_signed ? "cvt.s64.s32 %rd5, %r4;" : "cvt.u64.u32 %rd5, %r4;";
    case 2:
        return t->is_signed ? "cvt.s64.s16 %rd5, %h4;" : "cvt.u64.u16 %rd5, %h4;";
    case 4:
        return t->name[0] == 'f' ? "mov.b32 %r4, %f4; cvt.u64.u32 %rd5, %r4;"
               : t->is_signed    ? "cvt.s64.s32 %rd5, %r4;"
                                 : "cvt.u64.u32 %rd5, %r4;";
    default:
        return t->name[0] == 'f' ? "mov.b64 %rd5, %d4;" : "mov.b64 %rd5, %rd4;";
    }
}

static uint64_t element(const struct kernel_run *r, uint32_t at, const struct memory_type *t)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)r->buffer + at, t->bytes);
    if (t->is_signed && t->bytes < 8 && (value >> (8 * t->bytes - 1) & 1))
        value |= UINT64_MAX << (8 * t->bytes);
    return value;
}

static void check_elements(const struct kernel_run *r, const struct memory_type *t, uint32_t stride)
{
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t wide;
        memcpy(&wide, (const uint8_t *)r->buffer + 2048 + 8 * i, 8);
        if (element(r, i * stride, t) != element(r, 1024 + i * stride, t) ||
            wide != element(r, i * stride, t))
            fail_msg("%s, stride %u, lane %u: %llx in, %llx stored, register %llx", t->name, stride, i,
                     (unsigned long long)element(r, i * stride, t),
                     (unsigned long long)element(r, 1024 + i * stride, t), (unsigned long long)wide);
    }
}

static const char *number(uint32_t n)
{
    static char texts[4][12];
    static int next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%u", n);
    return text;
}

// From global memory, through `space` if that is another one, and back.
static void round_trip(const struct memory_type *t, const char *op, const char *space, uint32_t stride)
{
    char text[4096];
    kernel_text(
        text, sizeof text,
        *space ? ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[16];\nmul.wide.u32 %rd6, %r2, $N;\n"
                 "add.s64 %rd7, %rd1, %rd6;\nmov.u64 %rd8, $V;\n$A\n$O.global.$T $R, [%rd7];\n"
                 "st$S.$T [%rd8], $R;\nmov.b64 %rd4, 0;\nmov.u32 %r4, 0;\nld$S.$T $R, [%rd8];\n$W\n"
                 "st.global.$T [%rd7+1024], $R;\nmul.wide.u32 %rd9, %r2, 8;\nadd.s64 %rd9, %rd1, %rd9;\n"
                 "st.global.u64 [%rd9+2048], %rd5;\n"
               : "mul.wide.u32 %rd6, %r2, $N;\nadd.s64 %rd7, %rd1, %rd6;\n$O.global.$T $R, [%rd7];\n$W\n"
                 "st.global.$T [%rd7+1024], $R;\nmul.wide.u32 %rd9, %r2, 8;\nadd.s64 %rd9, %rd1, %rd9;\n"
                 "st.global.u64 [%rd9+2048], %rd5;\n",
        'N', number(stride), 'V', strcmp(space, ".local") == 0 ? "l" : "s", 'A',
        strcmp(space, ".shared") == 0 ? "add.s64 %rd8, %rd8, %rd6;" : "", 'O', op, 'T', t->name, 'R', t->reg,
        'S', space, 'W', widen(t), 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096, .fill = fill_pattern};
    kernel_run(&r);
    expect_fault(&r, FAULT_NONE);
    check_elements(&r, t, stride);
    kernel_run_end(&r);
}

static void every_type_and_space(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(types); i++) {
        uint32_t bytes = types[i].bytes;
        round_trip(&types[i], "ld", "", bytes); // contiguous
        round_trip(&types[i], "ld", "", 16);    // scattered
        round_trip(&types[i], "ldu", "", bytes);
        round_trip(&types[i], "ld", ".shared", bytes);
        round_trip(&types[i], "ld", ".shared", 24);
        round_trip(&types[i], "ld", ".local", bytes);
    }
}

// ---- vectors ---------------------------------------------------------------------------------------

static void check_vector(const char *type, const char *regs, uint32_t n, uint32_t bytes)
{
    char text[4096];
    uint32_t width = n * bytes;
    kernel_text(text, sizeof text,
                "mul.wide.u32 %rd6, %r2, $W;\nadd.s64 %rd7, %rd1, %rd6;\nsetp.ne.u32 %p1, %r2, 3;\n"
                "ld.global.v$N.$T {$R}, [%rd7];\n@%p1 st.global.v$N.$T [%rd7+1024], {$R};\n",
                'W', number(width), 'N', number(n), 'T', type, 'R', regs, 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096, .fill = fill_pattern};
    kernel_run(&r);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++) {
        const uint8_t *in = (const uint8_t *)r.buffer + i * width, *out = in + 1024;
        uint8_t zero[32] = {0};
        assert_memory_equal(out, i == 3 ? zero : in, width); // lane 3 does not store
    }
    kernel_run_end(&r);
}

static void vectors(void **state)
{
    (void)state;
    check_vector("u8", "%r4, %r5", 2, 1);
    check_vector("u8", "%r4, %r5, %r6, %r7", 4, 1);
    check_vector("u16", "%h4, %h5, %h6, %h7", 4, 2);
    check_vector("f32", "%f4, %f5", 2, 4);
    check_vector("u32", "%r4, %r5, %r6, %r7", 4, 4);
    check_vector("b64", "%rd4, %rd5", 2, 8);
    check_vector("f64", "%d4, %d5", 2, 8);
    check_vector("b64", "%rd4, %rd5, %rd10, %rd11", 4, 8);
    check_vector("u32", "%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11", 8, 4);
}

static void strong_accesses_move_the_same_bytes(void **state)
{
    (void)state;
    struct kernel_run r = {
        .text = PTX_KERNEL
        "mul.wide.u32 %rd6, %r2, 16;\nadd.s64 %rd7, %rd1, %rd6;\n"
        "ld.volatile.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd7];\n"
        "st.volatile.global.v2.u32 [%rd7+1024], {%r4, %r5};\n"
        "st.release.gpu.global.v2.u16 [%rd7+1032], {%h1, %h2};\n"
        "st.relaxed.gpu.global.u64 [%rd7+1032], %rd8;\n"
        "ld.acquire.gpu.global.b64 %rd9, [%rd7+8];\nst.relaxed.sys.global.b64 [%rd7+1032], %rd9;\n"
        "ld.global.u8 %r8, [%rd7+1035];\nst.volatile.global.u8 [%rd7+2048], %r8;\nret;\n}\n",
        .threads = {32, 1, 1},
        .bytes = 4096,
        .fill = fill_pattern};
    kernel_run(&r);
    expect_fault(&r, FAULT_NONE);
    const uint8_t *bytes = r.buffer;
    assert_memory_equal(bytes, bytes + 1024, 512);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(bytes[2048 + 16 * i], bytes[16 * i + 11]);
    kernel_run_end(&r);
}

// ---- generic addresses -----------------------------------------------------------------------------

static void generic_addresses_of_three_spaces(void **state)
{
    (void)state;
    // lane % 3 picks global, shared or local; each lane stores its number there and loads it again. Atomics
    // on local memory do not exist: these lanes sit them out.
    char text[4096];
    kernel_text(
        text, sizeof text,
        ".shared .align 8 .b8 s[256];\n.local .align 8 .b8 l[16];\n"
        "mov.u64 %rd10, s;\ncvta.shared.u64 %rd10, %rd10;\nmul.wide.u32 %rd11, %r2, 4;\n"
        "add.s64 %rd10, %rd10, %rd11;\nmov.u64 %rd12, l;\ncvta.local.u64 %rd12, %rd12;\nadd.s64 %rd13, %rd2, "
        "512;\n"
        "rem.u32 %r3, %r2, 3;\nsetp.eq.u32 %p1, %r3, 0;\nsetp.eq.u32 %p2, %r3, 1;\n"
        "selp.b64 %rd14, %rd10, %rd12, %p2;\nselp.b64 %rd14, %rd13, %rd14, %p1;\n"
        "add.u32 %r4, %r2, 70;\nst.u32 [%rd14], %r4;\nld.u32 %r5, [%rd14];\nst.global.u32 [%rd2], %r5;\n"
        "isspacep.shared %p3, %rd14;\nisspacep.local %p4, %rd14;\nisspacep.global %p5, %rd14;\n"
        "selp.u32 %r6, 1, 0, %p3;\nselp.u32 %r7, 2, 0, %p4;\nselp.u32 %r8, 4, 0, %p5;\n"
        "or.b32 %r6, %r6, %r7;\nor.b32 %r6, %r6, %r8;\nst.global.u32 [%rd2+256], %r6;\nmov.u32 %r9, 0;\n"
        "@!%p4 atom.add.u32 %r9, [%rd14], 5;\n@!%p4 ld.u32 %r9, [%rd14];\nst.global.u32 [%rd2+128], %r9;\n",
        0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    expect_fault(&r, FAULT_NONE);
    const uint32_t *out = r.buffer;
    static const uint32_t kinds[] = {4, 1, 2};
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], i + 70);
        assert_int_equal(out[64 + i], kinds[i % 3]);
        assert_int_equal(out[32 + i], i % 3 == 2 ? 0 : i + 75);
    }
    kernel_run_end(&r);
}

static void local_memory_by_lane(void **state)
{
    (void)state;
    // Each lane writes all 16 words of its array at its own index order and sums them up again.
    struct kernel_run r = {
        .text = PTX_KERNEL
        ".local .align 4 .b8 l[64];\nmov.u64 %rd10, l;\nmov.u32 %r4, 0;\n"
        "FILL:\nadd.u32 %r5, %r4, %r2;\nand.b32 %r5, %r5, 15;\nmul.wide.u32 %rd11, %r5, 4;\nadd.s64 %rd11, "
        "%rd10, %rd11;\n"
        "mul.lo.u32 %r6, %r5, %r2;\nst.local.u32 [%rd11], %r6;\nadd.u32 %r4, %r4, 1;\n"
        "setp.lt.u32 %p1, %r4, 16;\n@%p1 bra FILL;\n"
        "ld.local.v4.u32 {%r7, %r8, %r9, %r10}, [%rd10+48];\nadd.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\n"
        "add.u32 %r7, %r7, %r10;\nld.local.u16 %h1, [%rd10+20];\ncvt.u32.u16 %r11, %h1;\nadd.u32 %r7, %r7, "
        "%r11;\n"
        "st.global.u32 [%rd2], %r7;\nret;\n}\n",
        .threads = {32, 1, 1},
        .bytes = 4096};
    kernel_run(&r);
    (void)state;
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], (12 + 13 + 14 + 15 + 5) * i);
    kernel_run_end(&r);
}

// ---- faults ----------------------------------------------------------------------------------------

static struct fault fault_of(const char *body)
{
    char text[2048];
    kernel_text(text, sizeof text, ".shared .align 8 .b8 s[64];\n.local .align 8 .b8 l[16];\n$B\n", 'B', body,
                0);
    struct kernel_run r = {.text = text, .threads = {64, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    struct fault fault = r.fault;
    fault.address -= fault.space == SPACE_GLOBAL ? r.address : 0;
    kernel_run_end(&r);
    return fault;
}

static void check_fault(const char *body, enum fault_kind kind, uint64_t address, uint32_t thread,
                        uint32_t size)
{
    struct fault f = fault_of(body);
    if (f.kind != kind || f.address != address || f.thread[0] != thread || f.size_bytes != size)
        fail_msg("%s: fault %d at 0x%llx, thread %u, %u bytes", body, f.kind, (unsigned long long)f.address,
                 f.thread[0], f.size_bytes);
}

static void faults(void **state)
{
    (void)state;
    check_fault("ld.global.u32 %r4, [%rd2+3968];", FAULT_OUT_OF_BOUNDS, 4096, 32, 4);
    check_fault("st.global.u32 [%rd1-4], %r1;", FAULT_OUT_OF_BOUNDS, (uint64_t)-4, 0, 4);
    check_fault("setp.eq.u32 %p1, %r1, 40;\n@%p1 st.global.u64 [%rd1+4092], %rd1;", FAULT_MISALIGNED, 4092,
                40, 8);
    check_fault("ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1+4088];", FAULT_MISALIGNED, 4088, 0, 16);
    check_fault("mov.u32 %r9, s;\nst.shared.u32 [%r9+64], %r1;", FAULT_SHARED_BOUNDS, 64, 0, 4);
    check_fault("mov.u32 %r9, s;\nld.shared.u32 %r4, [%r9+2];", FAULT_MISALIGNED, 2, 0, 4);
    check_fault("mov.u32 %r9, s;\nadd.u32 %r9, %r9, -4;\nld.shared.u32 %r4, [%r9];", FAULT_SHARED_BOUNDS,
                0xfffffffc, 0, 4);
    check_fault("atom.global.add.u32 %r4, [%rd1+4096], 1;", FAULT_OUT_OF_BOUNDS, 4096, 0, 4);
    check_fault("red.global.add.u32 [%rd1+2], 1;", FAULT_MISALIGNED, 2, 0, 4);
    check_fault("ld.volatile.global.u32 %r4, [%rd1+4096];", FAULT_OUT_OF_BOUNDS, 4096, 0, 4);
    check_fault("atom.shared.add.u32 %r4, [s+64], 1;", FAULT_SHARED_BOUNDS, 64, 0, 4);
    struct fault f =
        fault_of("mov.u64 %rd5, 0x7fffffffffffffff;\nadd.s64 %rd5, %rd5, 1;\nld.u32 %r4, [%rd5];");
    assert_int_equal(f.kind, FAULT_OUT_OF_BOUNDS);
    f = fault_of("mov.u64 %rd5, 0;\nld.global.u8 %r4, [%rd5];");
    assert_int_equal(f.kind, FAULT_OUT_OF_BOUNDS);
    f = fault_of("mov.u64 %rd5, l;\nst.local.u32 [%rd5+1000], %r1;");
    assert_int_equal(f.kind, FAULT_LOCAL_BOUNDS);
    f = fault_of("ld.global.u32 %r4, [%rd1-4352];"); // the allocation in front was freed
    assert_int_equal(f.kind, FAULT_FREED);
}

// ---- hostile addresses -----------------------------------------------------------------------------

static uint64_t hostile_address;

static void fill_hostile(void *buffer)
{
    memcpy(buffer, &hostile_address, 8);
}

// Any address with any width: a fault, or bytes of an allocation. (The sanitizers watch the host's side.)
static void no_address_reaches_the_host(void **state)
{
    (void)state;
    static const uint64_t edges[] = {0,
                                     1,
                                     0x1000,
                                     (uint64_t)-1,
                                     (uint64_t)-16,
                                     MEMORY_GLOBAL_BASE - 8,
                                     MEMORY_SHARED_WINDOW - 8,
                                     MEMORY_SHARED_WINDOW,
                                     MEMORY_SHARED_WINDOW + 1024,
                                     MEMORY_SHARED_WINDOW + MEMORY_WINDOW_BYTES - 8,
                                     MEMORY_LOCAL_WINDOW,
                                     MEMORY_LOCAL_WINDOW + 16,
                                     MEMORY_LOCAL_WINDOW + MEMORY_WINDOW_BYTES,
                                     KERNEL_PARAM_WINDOW,
                                     KERNEL_PARAM_WINDOW + 8,
                                     KERNEL_CODE_WINDOW,
                                     0x8000000000000000u};
    static const char *const bodies[] = {
        "ld.u32 %r4, [%rd5];",
        "st.v4.u32 [%rd5], {%r1, %r1, %r1, %r1};",
        "ld.global.v2.u64 {%rd6, %rd7}, [%rd5];",
        "st.global.u8 [%rd5], %r1;",
        "atom.add.u32 %r4, [%rd5], 1;",
        "red.global.add.u64 [%rd5], 1;",
        "ld.volatile.u64 %rd6, [%rd5];",
        "cvt.u32.u64 %r5, %rd5;\nld.shared.u64 %rd6, [%r5];",
        "st.local.u32 [%rd5], %r1;",
        "mul.wide.u32 %rd6, %r2, 8;\nadd.s64 %rd5, %rd5, %rd6;\nst.u64 [%rd5], %rd6;",
        "shl.b64 %rd6, %rd2, 20;\nadd.s64 %rd5, %rd5, %rd6;\nld.u16 %h1, [%rd5];"};
    for (size_t e = 0; e < N_ELEMENTS(edges); e++) {
        for (size_t k = 0; k < N_ELEMENTS(bodies); k++) {
            char text[2048];
            hostile_address = edges[e];
            kernel_text(
                text, sizeof text,
                ".shared .align 8 .b8 s[64];\n.local .align 8 .b8 l[16];\nld.global.u64 %rd5, [%rd1];\n$B\n",
                'B', bodies[k], 0);
            struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 64, .fill = fill_hostile};
            kernel_run(&r);
            bool is_window =
                edges[e] >= MEMORY_SHARED_WINDOW && edges[e] < MEMORY_LOCAL_WINDOW + MEMORY_WINDOW_BYTES;
            bool may_be_good = is_window || edges[e] == KERNEL_PARAM_WINDOW || k == 7 || k == 8;
            if (!r.fault.kind && !may_be_good)
                fail_msg("0x%llx, %s: no fault", (unsigned long long)edges[e], bodies[k]);
            kernel_run_end(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_space),
        cmocka_unit_test(vectors),
        cmocka_unit_test(strong_accesses_move_the_same_bytes),
        cmocka_unit_test(generic_addresses_of_three_spaces),
        cmocka_unit_test(local_memory_by_lane),
        cmocka_unit_test(faults),
        cmocka_unit_test(no_address_reaches_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
