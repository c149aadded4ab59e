// Tensor copies against an H200: random loads, stores and reductions of tests/support/tensor_cases.h with
// every swizzle, type and number of dimensions, and all interleaved layouts (which
// tests/data/programs/async.cu ran on the card).
//
//     tensor_copy                    compares with tests/data/tensor_copy_h200.txt.zst
//
// Stored text: lines SECTION NUMBER RESULT. RESULT is a hash of all bytes that may have changed (load: 16 KiB
// of shared memory; store, reduce: the tensor and 64 bytes behind it), or the fault: address, instruction. Of
// interleaved loads it is the number of words up to the last that changed and a hash of the first 256 of
// them.
#include "mem/tensor_map.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include "support/packed.h"
#include "support/tensor_cases.h"
#include <inttypes.h>
#include <stdlib.h>

static const char stored_path[] = "tests/data/tensor_copy_h200.txt.zst";

// The buffer: the tensor, its map, then what goes into shared memory or comes from there.
enum {
    TENSOR_BYTES = 3 << 18,
    MAP_AT = TENSOR_BYTES,
    SHARED_AT = MAP_AT + 1024,
    BYTES = SHARED_AT + TENSOR_CASE_SHARED_BYTES
};

static uint8_t initial[BYTES]; // of the buffer

static void fill(void *buffer)
{
    memcpy(buffer, initial, sizeof initial);
}

static bool encode(const struct tensor_case *k, struct tensor_map *map)
{
    const struct tensor_shape shape = {.sizes = k->dim,
                                       .strides = k->stride,
                                       .box = k->box,
                                       .steps = k->step,
                                       .rank = (uint32_t)k->rank,
                                       .type = (uint32_t)k->type,
                                       .interleave = (uint32_t)k->interleave,
                                       .swizzle = (uint32_t)k->swizzle,
                                       .promotion = (uint32_t)k->promotion,
                                       .fill = (uint32_t)k->fill};
    return tensor_map_encode(&shape, TENSOR_CASE_SHARED_BYTES * 16, map);
}

static const char *coordinates(const struct tensor_case *k)
{
    static char text[96];
    int n = 0;
    for (int i = 0; i < k->rank; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%d", i ? ", " : "", k->at[i]);
    return text;
}

// Interleaved cases do not say how many bytes come; their copies are complete at once here.
#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r11], 0;\n@!%p3 bra W;\n"

// One warp: shared memory is filled from the buffer, thread 0 copies, shared memory goes back to the buffer.
static void run(struct kernel_run *r, const struct tensor_case *k, int mode)
{
    static const char *const ops[8] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static char text[8192], copy[1024];
    char name[80];
    snprintf(name, sizeof name, "cp.%sasync.bulk.tensor.%dd", mode == TENSOR_CASE_REDUCE ? "reduce." : "",
             k->rank);
    if (mode == TENSOR_CASE_LOAD)
        snprintf(
            copy, sizeof copy,
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r11], %u;\n"
            "%s.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r10], [%%rd10, {%s}], [%%r11];\n"
            "%s",
            k->bytes, name, coordinates(k), k->interleave ? "" : WAIT);
    else
        snprintf(copy, sizeof copy,
                 "%s.global.shared::cta%s%s.tile.bulk_group [%%rd10, {%s}], [%%r10];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                 name, k->op < 0 ? "" : ".", k->op < 0 ? "" : ops[k->op], coordinates(k));
    kernel_text(
        text, sizeof text,
        ".shared .align 1024 .b8 s[16384];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\nmov.u32 %r11, "
        "bar;\n"
        "mul.wide.u32 %rd20, %r1, 16;\nadd.s64 %rd20, %rd20, %rd1;\nadd.s64 %rd20, %rd20, $S;\nmov.u64 "
        "%rd21, %rd20;\n"
        "add.s64 %rd10, %rd1, $M;\nmad.lo.u32 %r6, %r1, 16, %r10;\nmov.u32 %r12, %r6;\nadd.u32 %r13, %r10, "
        "16384;\n"
        "F: ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd20];\nst.shared.v4.u32 [%r6], {%r20, %r21, %r22, "
        "%r23};\n"
        "add.s64 %rd20, %rd20, 512;\nadd.u32 %r6, %r6, 512;\nsetp.lt.u32 %p2, %r6, %r13;\n@%p2 bra F;\n"
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], "
        "1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "@!%p1 bra END;\ntensormap.replace.tile.global_address.global.b1024.b64 [%rd10], "
        "%rd1;\n$C\nEND:\nbar.sync 0;\n"
        "D: ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];\nst.global.v4.u32 [%rd21], {%r20, %r21, %r22, "
        "%r23};\n"
        "add.s64 %rd21, %rd21, 512;\nadd.u32 %r12, %r12, 512;\nsetp.lt.u32 %p2, %r12, %r13;\n@%p2 bra D;\n",
        'S', "787456", 'M', "786432", 'C', copy, 0);
    *r = (struct kernel_run){.text = text, .threads = {32, 1, 1}, .bytes = BYTES, .fill = fill};
    kernel_run(r);
}
_Static_assert(MAP_AT == 786432 && SHARED_AT == 787456, "as the kernel has them");

static void random_input(const struct tensor_case *k, int mode)
{
    tensor_case_fill(initial, k->extent + 64, k->type);
    if (mode == TENSOR_CASE_LOAD)
        memset(initial + SHARED_AT, 0xa5, TENSOR_CASE_SHARED_BYTES);
    else
        tensor_case_fill(initial + SHARED_AT, TENSOR_CASE_SHARED_BYTES, k->type);
}

static void indexed_input(void)
{
    for (uint32_t i = 0; i < TENSOR_BYTES / 4; i++)
        memcpy(initial + 4 * i, &i, 4);
    memset(initial + SHARED_AT, 0xa5, TENSOR_CASE_SHARED_BYTES);
}

static void print_words(const uint32_t *words, char *out, size_t size)
{
    uint32_t n = TENSOR_CASE_SHARED_BYTES / 4;
    while (n && words[n - 1] == 0xa5a5a5a5)
        n--;
    snprintf(out, size, "%u:%016" PRIx64, n, tensor_case_hash(words, 4 * (n < 256 ? n : 256)));
}

// The result of a case as it stands in the stored text.
static void answer(const struct tensor_case *k, int mode, char *out, size_t size)
{
    struct kernel_run r;
    struct tensor_map map;
    assert_true(encode(k, &map));
    memset(initial + MAP_AT, 0, TENSOR_MAP_BYTES);
    memcpy(initial + MAP_AT, &map, sizeof map);
    run(&r, k, mode);
    const uint8_t *bytes = (const uint8_t *)r.buffer + (mode == TENSOR_CASE_LOAD ? SHARED_AT : 0);
    const size_t n_bytes = mode == TENSOR_CASE_LOAD ? TENSOR_CASE_SHARED_BYTES : k->extent + 64;
    if (r.fault.kind == FAULT_NONE && k->interleave)
        print_words((const uint32_t *)bytes, out, size);
    else if (r.fault.kind)
        snprintf(out, size, "%s",
                 r.fault.kind == FAULT_BAD_MAP         ? "instruction"
                 : r.fault.kind == FAULT_OUT_OF_BOUNDS ? "address"
                                                       : "other");
    else
        snprintf(out, size, "%016" PRIx64, tensor_case_hash(bytes, n_bytes));
    kernel_run_end(&r);
}

static const char *const sections[4] = {"load", "store", "reduce", "interleave"};

static bool compare_line(const char *line, uint32_t counts[4])
{
    char section[16], want[24], have[24];
    int number;
    if (sscanf(line, "%15s %d %23s", section, &number, want) != 3)
        fail_msg("not a line of results: %.60s", line);
    int mode = 0;
    while (mode < 3 && strcmp(section, sections[mode]) != 0)
        mode++;
    const struct tensor_case k = mode == 3 ? tensor_case_interleaved(number) : tensor_case_make(mode, number);
    if (mode == 3)
        indexed_input();
    else
        random_input(&k, mode);
    answer(&k, mode == 3 ? TENSOR_CASE_LOAD : mode, have, sizeof have);
    counts[mode]++;
    if (strcmp(have, want) == 0)
        return true;
    print_message("%s %d, %s, %d dimensions, swizzle %d: %s instead of %s\n", section, number,
                  tensor_case_types[k.type], k.rank, k.swizzle, have, want);
    return false;
}

static void as_on_the_card(void **state)
{
    (void)state;
    struct buf text = {0};
    packed_read(stored_path, &text);
    uint32_t n_bad = 0, counts[4] = {0};
    for (char *line = strtok(text.at, "\n"); line; line = strtok(NULL, "\n"))
        n_bad += !compare_line(line, counts);
    print_message("%u loads, %u stores, %u reductions, %u interleaved loads; %u differ\n", counts[0],
                  counts[1], counts[2], counts[3], n_bad);
    assert_int_equal(n_bad, 0);
    assert_true(counts[0] >= 1145 && counts[1] >= 444 && counts[2] >= 452 && counts[3] == 432);
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_the_card)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
