// The approximate instructions against an H200 (tests/data/approx_h200.bin.zst; tools/measure/approx.cu): bit
// by bit.
//
// The data: for each instruction its opcode (NUL), bytes of a word, words of a record (operands, then the
// result), number of records (32 bits each), the records.
#include "base/buf.h"
#include "ptx/load.h"
#include "simt/ops.h"
#include "support/check.h"
#include "support/op_harness.h"
#include "support/packed.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t word(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static void check_group(const char *opcode, const uint8_t *records, uint32_t bytes, uint32_t words,
                        uint32_t n)
{
    static struct op_samples s;
    s.operands = words == 3 ? "d, a, b" : "d, a";
    for (uint32_t first = 0; first < n; first += OP_SAMPLES) {
        for (uint32_t i = 0; i < OP_SAMPLES; i++) {
            const uint8_t *record = records + (size_t)(first + i < n ? first + i : 0) * words * bytes;
            for (uint32_t k = 0; k + 1 < words; k++)
                s.in[k][i] = word(record + k * bytes, bytes);
        }
        op_samples_run(opcode, &s);
        for (uint32_t i = 0; i < OP_SAMPLES && first + i < n; i++) {
            const uint8_t *record = records + (size_t)(first + i) * words * bytes;
            uint64_t mask = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
            uint64_t got = s.out[i] & mask, want = word(record + (words - 1) * bytes, bytes);
            if (got != want)
                fail_msg("%s: of %" PRIx64 " %" PRIx64 " got %" PRIx64 ", H200 %" PRIx64, opcode,
                         word(record, bytes), words == 3 ? word(record + bytes, bytes) : 0, got, want);
        }
    }
    print_message("%-22s %6u results\n", opcode, n);
}

static void results_are_the_gpus(void **state)
{
    (void)state;
    struct buf data = {0};
    packed_read("tests/data/approx_h200.bin.zst", &data);
    for (size_t at = 0; at < data.n;) {
        const char *opcode = data.at + at;
        at += strlen(opcode) + 1;
        uint32_t head[3]; // bytes, words, records
        memcpy(head, data.at + at, sizeof head);
        at += sizeof head;
        check_group(opcode, (const uint8_t *)data.at + at, head[0], head[1], head[2]);
        at += (size_t)head[0] * head[1] * head[2];
    }
    buf_release(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
