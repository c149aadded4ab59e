// Single machine instructions against an H200, bit by bit: what ptxas emits of every row that computes, on operands half of
// which are edge values (support/machine_cases.h).
//
//     machine                          compares with tests/data/machine_h200.bin.zst
//     machine --write OUT              writes the cases that a GPU runs (tools/measure/machine.sh)
//     machine --store RESULTS OUT      what the GPU answered, in the form of the stored file
//
// tests/data/machine_h200.bin.zst: for each instruction its two words (without the control word), one byte that says what
// follows (enum stored), and that for 32 samples. What is not stored was not changed. Where the operands of the
// measurement lay: see registers_fill. Instructions of the uniform datapath were run once for each sample.
#include "base/buf.h"
#include "isa/form.h"
#include "sass/sass.h"
#include "support/check.h"
#include "support/machine_cases.h"
#include "support/packed.h"
#include "support/run_machine.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char stored_path[] = "tests/data/machine_h200.bin.zst";

enum stored { STORED_LOW = 1, STORED_HIGH = 2, STORED_PREDS = 4, STORED_UNIFORM = 8 };
enum { N_PREDS = 7, CAPACITY = 1 << 16 };

// Sources in R8 … R15 and UR8 … UR15 (of the first lane), the old result in R4, R5, UR4, UR5; predicates are the bits of
// R14 and UR14.
static void registers_fill(struct machine_registers *r, uint32_t in[CASE_N_INPUTS][ROW_LANES], int sample)
{
    memset(r, 0, sizeof *r);
    for (int k = 0; k < CASE_N_INPUTS; k++) {
        const int row = k < CASE_N_SOURCES ? CASE_SOURCES + k : CASE_DST + k - CASE_N_SOURCES;
        for (int lane = 0; lane < ROW_LANES; lane++)
            r->r[row][lane] = in[k][sample < 0 ? lane : sample];
        r->ur[row] = r->r[row][0];
    }
    for (int p = 0; p < N_PREDS; p++) {
        for (int lane = 0; lane < ROW_LANES; lane++)
            r->p[p] |= (r->r[CASE_PREDS][lane] >> p & 1) << lane;
        r->up[p] = r->ur[CASE_PREDS] >> p & 1;
    }
}

// ---- the comparison ----------------------------------------------------------------------------------------------

struct answer { // of 32 samples
    uint32_t low[ROW_LANES], high[ROW_LANES], preds[ROW_LANES];
};

static bool rows_seen[N_SASS_OPS];

static void take_answer(const struct machine_registers *r, const struct sass_insn *in, int lane, struct answer *out,
                        int sample)
{
    const bool is_uniform = machine_writes_uniform(in, SO_UREG), has_upred = machine_writes_uniform(in, SO_UPRED);
    out->low[sample] = is_uniform ? r->ur[CASE_DST] : r->r[CASE_DST][lane];
    out->high[sample] = is_uniform ? r->ur[CASE_DST + 1] : r->r[CASE_DST + 1][lane];
    out->preds[sample] = 0;
    for (int p = 0; p < N_PREDS; p++) // UP5 and UP6 were read as P5 and P6
        out->preds[sample] |= (has_upred && p >= 5 ? r->up[p] : r->p[p] >> lane & 1) << p;
}

static const char *compute(const uint64_t words[2], bool is_uniform, struct answer *out, struct answer *before)
{
    uint32_t in[CASE_N_INPUTS][ROW_LANES];
    struct machine_registers r;
    struct sass_insn insn;
    const char *why = NULL;
    if (!sass_decode(90, words, 0, &insn))
        return "not decoded";
    machine_case_inputs(words, in);
    for (int sample = 0; sample < (is_uniform ? ROW_LANES : 1); sample++) {
        registers_fill(&r, in, is_uniform ? sample : -1);
        for (int lane = 0; lane < ROW_LANES; lane++)
            if (!is_uniform || lane == 0)
                take_answer(&r, &insn, lane, before, is_uniform ? sample : lane);
        why = machine_step(words, &r, UINT32_MAX);
        if (why)
            return why;
        for (int lane = 0; lane < ROW_LANES; lane++)
            if (!is_uniform || lane == 0)
                take_answer(&r, &insn, lane, out, is_uniform ? sample : lane);
    }
    rows_seen[insn.op] = true;
    return NULL;
}

static uint32_t count_differences(const char *text, const struct answer *got, const struct answer *want,
                                  const uint64_t words[2])
{
    uint32_t in[CASE_N_INPUTS][ROW_LANES], n = 0;
    machine_case_inputs(words, in);
    for (int i = 0; i < ROW_LANES; i++) {
        if (got->low[i] == want->low[i] && got->high[i] == want->high[i] && got->preds[i] == want->preds[i])
            continue;
        if (n++ == 0)
            print_error("%s\n    sample %d of a %08x:%08x b %08x:%08x c %08x:%08x preds %02x: %08x:%08x preds %02x, H200 "
                        "%08x:%08x preds %02x\n",
                        text, i, in[1][i], in[0][i], in[3][i], in[2][i], in[5][i], in[4][i], in[6][i] & 0x7f,
                        got->high[i], got->low[i], got->preds[i], want->high[i], want->low[i], want->preds[i]);
    }
    if (n)
        print_error("    %u of %d differ; %016" PRIx64 " %011" PRIx64 "\n", n, ROW_LANES, words[0], words[1]);
    return n;
}

static void take(const struct buf *stored, size_t *at, void *out, size_t n)
{
    assert_true(*at + n <= stored->n);
    memcpy(out, stored->at + *at, n);
    *at += n;
}

static void results_are_the_gpus(void **unused)
{
    (void)unused;
    struct buf stored = {0};
    uint32_t n_compared = 0, n_different = 0, n_refused = 0;
    if (access(stored_path, R_OK) != 0)
        skip(); // not measured yet
    packed_read(stored_path, &stored);
    for (size_t at = 0; at < stored.n;) {
        uint64_t words[2];
        uint8_t what, preds[ROW_LANES];
        struct answer got, want;
        struct buf text = {0};
        struct sass_insn insn;
        take(&stored, &at, words, sizeof words);
        take(&stored, &at, &what, 1);
        const char *why = compute(words, what & STORED_UNIFORM, &got, &want);
        if (what & STORED_LOW)
            take(&stored, &at, want.low, sizeof want.low);
        if (what & STORED_HIGH)
            take(&stored, &at, want.high, sizeof want.high);
        if (what & STORED_PREDS) {
            take(&stored, &at, preds, sizeof preds);
            for (int i = 0; i < ROW_LANES; i++)
                want.preds[i] = preds[i];
        }
        sass_decode(90, words, 0, &insn);
        sass_print(&insn, &text);
        n_refused += why != NULL;
        if (why && getenv("WG_SHOW_REFUSED"))
            print_message("%s: %s\n", text.at, why);
        n_compared += !why;
        n_different += !why && count_differences(text.at, &got, &want, words) > 0;
        buf_release(&text);
    }
    print_message("%u machine instructions compared with an H200, %u differ, %u are not executed\n", n_compared, n_different,
                  n_refused);
    buf_release(&stored);
    assert_int_equal(n_different, 0);
}

static void every_row_is_compared(void **unused)
{
    (void)unused;
    uint32_t n, n_open = 0;
    const struct sass_row *rows = sass_rows(&n);
    for (uint32_t i = 0; i < n; i++) {
        if (!machine_is_case(&rows[i]) || rows[i].last_cc < 90 || rows_seen[rows[i].op])
            continue;
        print_error("%s has no case\n", rows[i].name);
        n_open++;
    }
    assert_int_equal(n_open, 0);
}

// FCHK of all pairs of exponents: bit 256 eb + ea of the stored file.
static void hard_divisions_are_the_gpus(void **unused)
{
    (void)unused;
    static const uint64_t fchk[2] = {0x0000000a08007302, 0x000a0000}; // FCHK P5, R8, R10
    struct buf stored = {0};
    uint32_t n_different = 0;
    packed_read("tests/data/fchk_h200.bin.zst", &stored);
    assert_int_equal(stored.n, 256 * 256 / 8);
    for (uint32_t first = 0; first < 256 * 256; first += ROW_LANES) {
        struct machine_registers r = {0};
        for (uint32_t i = 0; i < ROW_LANES; i++) {
            r.r[8][i] = ((first + i) & 0xff) << 23;
            r.r[10][i] = (first + i) >> 8 << 23;
        }
        assert_null(machine_step(fchk, &r, UINT32_MAX));
        uint32_t want;
        memcpy(&want, stored.at + first / 8, sizeof want);
        n_different += r.p[5] != want;
    }
    buf_release(&stored);
    assert_int_equal(n_different, 0);
}

// ---- for the GPU -------------------------------------------------------------------------------------------------

struct record { // of a case, as tools/measure/machine.cu reads it; its code and its inputs follow
    uint64_t words[2];
    uint32_t blocks, n_code;
};

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

static int write_cases(const char *path)
{
    struct machine_case *cases = malloc(CAPACITY * sizeof *cases);
    uint32_t in[CASE_N_INPUTS][ROW_LANES];
    const uint32_t n = machine_cases(cases, CAPACITY);
    FILE *out = open_file(path, "wb");
    fwrite(&n, sizeof n, 1, out);
    for (uint32_t i = 0; i < n; i++) {
        struct buf code = {0};
        machine_case_code(&cases[i], &code);
        machine_case_inputs(cases[i].words, in);
        const struct record record = {
            {cases[i].words[0], cases[i].words[1]}, cases[i].is_uniform ? ROW_LANES : 1, (uint32_t)code.n};
        fwrite(&record, sizeof record, 1, out);
        fwrite(code.at, 1, code.n, out);
        fwrite(in, sizeof in, 1, out);
        buf_release(&code);
    }
    fclose(out);
    free(cases);
    return 0;
}

// What the registers held before, in the places that are read.
static void answer_before(const struct machine_case *c, struct answer *out)
{
    uint32_t in[CASE_N_INPUTS][ROW_LANES];
    struct machine_registers r;
    struct sass_insn insn;
    sass_decode(90, c->words, 0, &insn);
    machine_case_inputs(c->words, in);
    for (int sample = 0; sample < ROW_LANES; sample++) {
        registers_fill(&r, in, c->is_uniform ? sample : -1);
        take_answer(&r, &insn, c->is_uniform ? 0 : sample, out, sample);
    }
}

static void store(const struct machine_case *c, const struct answer *answer, FILE *out)
{
    struct answer before;
    uint8_t preds[ROW_LANES];
    answer_before(c, &before);
    for (int i = 0; i < ROW_LANES; i++)
        preds[i] = (uint8_t)answer->preds[i];
    const uint8_t what = (uint8_t)((memcmp(answer->low, before.low, sizeof before.low) ? STORED_LOW : 0) |
                                   (memcmp(answer->high, before.high, sizeof before.high) ? STORED_HIGH : 0) |
                                   (memcmp(answer->preds, before.preds, sizeof before.preds) ? STORED_PREDS : 0) |
                                   (c->is_uniform ? STORED_UNIFORM : 0));
    fwrite(c->words, sizeof c->words, 1, out);
    fwrite(&what, 1, 1, out);
    if (what & STORED_LOW)
        fwrite(answer->low, sizeof answer->low, 1, out);
    if (what & STORED_HIGH)
        fwrite(answer->high, sizeof answer->high, 1, out);
    if (what & STORED_PREDS)
        fwrite(preds, sizeof preds, 1, out);
}

// Results: for each case a word (1: it ran), then low, high and predicates of 32 samples.
static int store_results(const char *path, const char *out_path)
{
    enum { RAN = 1 };
    struct machine_case *cases = malloc(CAPACITY * sizeof *cases);
    const uint32_t n = machine_cases(cases, CAPACITY);
    FILE *in = open_file(path, "rb"), *out = open_file(out_path, "wb");
    uint32_t ran, n_ran = 0;
    struct answer answer;
    for (uint32_t i = 0; i < n; i++) {
        if (fread(&ran, sizeof ran, 1, in) != 1 || fread(&answer, sizeof answer, 1, in) != 1)
            fail_msg("%s is too short", path);
        n_ran += ran == RAN;
        if (ran == RAN)
            store(&cases[i], &answer, out);
    }
    printf("%u of %u cases ran\n", n_ran, n);
    fclose(in);
    fclose(out);
    free(cases);
    return 0;
}

// Registers are never short, so what is tried succeeds.
static void more_registers_are_given(void **unused)
{
    (void)unused;
    static const uint64_t try_alloc[2] = {0x000000f0000079c8, 0x000e240008000600}; // USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0
    static const uint64_t dealloc[2] = {0x00000018000079c8, 0x000e0000080e0500};   // USETMAXREG.DEALLOC.CTAPOOL 0x18
    struct machine_registers r = {.up = {0, 1}};
    assert_null(machine_step(try_alloc, &r, ~0u));
    assert_int_equal(r.up[0], 1);
    r.up[0] = 0;
    assert_null(machine_step(dealloc, &r, ~0u));
    assert_int_equal(r.up[0], 0);
    assert_int_equal(r.up[1], 1);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_cases(argv[2]);
    if (argc == 4 && strcmp(argv[1], "--store") == 0)
        return store_results(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_gpus),
                                       cmocka_unit_test(every_row_is_compared),
                                       cmocka_unit_test(hard_divisions_are_the_gpus),
                                       cmocka_unit_test(more_registers_are_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
