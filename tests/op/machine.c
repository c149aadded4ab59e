// Single machine instructions against an H200, bit by bit: random encodings of every row that computes, on operands half of
// which are edge values.
//
// tests/data/machine_h200.bin.zst: for each instruction its two words (without the control word), one byte that says what
// follows (enum stored), and that for 32 samples. What is not stored was not changed. Where the operands of the
// measurement lay: see registers_fill. Instructions of the uniform datapath were run once for each sample.
#include "base/buf.h"
#include "isa/form.h"
#include "sass/sass.h"
#include "support/check.h"
#include "support/run_machine.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static const char stored_path[] = "tests/data/machine_h200.bin.zst";

enum stored { STORED_LOW = 1, STORED_HIGH = 2, STORED_PREDS = 4, STORED_UNIFORM = 8 };
enum { DST = 4, FIRST_SOURCE = 8, N_SOURCES = 8, N_INPUTS = N_SOURCES + 2, PREDS_IN = 14, N_PREDS = 7 };

// ---- operands ----------------------------------------------------------------------------------------------------

static const uint32_t edges[] = {
    0, 1, 2, 3, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x0000ffff, 0x00010000, 0x7fff8000, 31, 32,
    33, 63, 64, 65, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff,
    0x80000001, 0x7f7fffff, 0x4b000000, 0xcb000001, 0x4f000000, 0x5f000000, 0x3ff00000, 0x7ff00000, 0xfff80000,
    0x00100000, 0x7fefffff, 0x41dfffff, 0x3c003c00, 0x7c007e01, 0xfc000001, 0x80007bff, 0x04000400, 0x3f803f80,
    0x7f807fc1, 0x00010080};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Always the same for an instruction.
static void fill_inputs(const uint64_t words[2], uint32_t in[N_INPUTS][ROW_LANES])
{
    uint64_t state = words[0] * 0x9e3779b97f4a7c15u ^ words[1] * 0xc2b2ae3d27d4eb4fu;
    for (int lane = 0; lane < ROW_LANES; lane++)
        for (int k = 0; k < N_INPUTS; k++) {
            const uint64_t v = next_random(&state);
            in[k][lane] = v & 1 ? edges[(uint32_t)(v >> 1 & 0x7fffffff) % N_ELEMENTS(edges)] : (uint32_t)(v >> 32);
        }
}

// Sources in R8 … R15 and UR8 … UR15 (of the first lane), the old result in R4, R5, UR4, UR5; predicates are the bits of
// R14 and UR14.
static void registers_fill(struct machine_registers *r, uint32_t in[N_INPUTS][ROW_LANES], int sample)
{
    memset(r, 0, sizeof *r);
    for (int k = 0; k < N_INPUTS; k++) {
        const int row = k < N_SOURCES ? FIRST_SOURCE + k : DST + k - N_SOURCES;
        for (int lane = 0; lane < ROW_LANES; lane++)
            r->r[row][lane] = in[k][sample < 0 ? lane : sample];
        r->ur[row] = r->r[row][0];
    }
    for (int p = 0; p < N_PREDS; p++) {
        for (int lane = 0; lane < ROW_LANES; lane++)
            r->p[p] |= (r->r[PREDS_IN][lane] >> p & 1) << lane;
        r->up[p] = r->ur[PREDS_IN] >> p & 1;
    }
}

// ---- the comparison ----------------------------------------------------------------------------------------------

struct answer { // of 32 samples
    uint32_t low[ROW_LANES], high[ROW_LANES], preds[ROW_LANES];
};

static bool forms_seen[N_FORMS];

static bool writes_uniform(const struct sass_insn *in, enum sass_operand_kind kind)
{
    for (unsigned k = 0; k < in->n_dst; k++)
        if (in->operands[k].kind == kind)
            return true;
    return false;
}

static void take_answer(const struct machine_registers *r, const struct sass_insn *in, int lane, struct answer *out,
                        int sample)
{
    const bool is_uniform = writes_uniform(in, SO_UREG), has_upred = writes_uniform(in, SO_UPRED);
    out->low[sample] = is_uniform ? r->ur[DST] : r->r[DST][lane];
    out->high[sample] = is_uniform ? r->ur[DST + 1] : r->r[DST + 1][lane];
    out->preds[sample] = 0;
    for (int p = 0; p < N_PREDS; p++) // UP5 and UP6 were read as P5 and P6
        out->preds[sample] |= (has_upred && p >= 5 ? r->up[p] : r->p[p] >> lane & 1) << p;
}

static const char *compute(const uint64_t words[2], bool is_uniform, struct answer *out, struct answer *before)
{
    uint32_t in[N_INPUTS][ROW_LANES];
    struct machine_registers r;
    struct sass_insn insn;
    const char *why = NULL;
    if (!sass_decode(90, words, 0, &insn))
        return "not decoded";
    fill_inputs(words, in);
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
    forms_seen[r.form] = true;
    return NULL;
}

static uint32_t count_differences(const char *text, const struct answer *got, const struct answer *want,
                                  const uint64_t words[2])
{
    uint32_t in[N_INPUTS][ROW_LANES], n = 0;
    fill_inputs(words, in);
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

static void read_stored(const char *path, struct buf *out)
{
    struct buf packed = {0};
    struct err err = {0};
    if (!buf_read_file(&packed, path, &err))
        fail_msg("%s", err.text);
    const size_t size = (size_t)ZSTD_getFrameContentSize(packed.at, packed.n);
    char *raw = malloc(size);
    assert_int_equal(ZSTD_decompress(raw, size, packed.at, packed.n), size);
    buf_add(out, raw, size);
    free(raw);
    buf_release(&packed);
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
    read_stored(stored_path, &stored);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
