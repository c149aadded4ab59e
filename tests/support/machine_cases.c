// Cases of single machine instructions: see machine_cases.h.
#include "support/machine_cases.h"
#include "sass/spec.h"
#include "support/check.h"
#include "support/packed.h"
#include <stdlib.h>
#include <string.h>

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
static uint32_t next_word(uint64_t *state)
{
    const uint64_t v = next_random(state);
    return v & 1 ? edges[(uint32_t)(v >> 1 & 0x7fffffff) % N_ELEMENTS(edges)] : (uint32_t)(v >> 32);
}
static uint64_t seed_of(const uint64_t words[2])
{
    return words[0] * 0x9e3779b97f4a7c15u ^ words[1] * 0xc2b2ae3d27d4eb4fu;
}

void machine_case_inputs(const uint64_t words[2], uint32_t in[CASE_N_INPUTS][ROW_LANES])
{
    uint64_t state = seed_of(words);
    for (int lane = 0; lane < ROW_LANES; lane++)
        for (int k = 0; k < CASE_N_INPUTS; k++)
            in[k][lane] = next_word(&state);
}

// ---- instructions ------------------------------------------------------------------------------------------------

static void set_bits(uint64_t words[2], unsigned at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint64_t *word = &words[(at + i) / 64];
        const uint64_t bit = UINT64_C(1) << (at + i) % 64;
        *word = value >> i & 1 ? *word | bit : *word & ~bit;
    }
}

bool machine_is_case(const struct sass_row *row)
{
    static const char *const others[] = {"SHFL", "MATCH", "S2R", "CS2R", "S2UR", "ULDC", "B2R", "LDC", "USETMAXREG"};
    for (unsigned i = 0; i < N_ELEMENTS(others); i++)
        if (strcmp(row->name, others[i]) == 0)
            return i < 2;
    if (strcmp(row->lower, "lower_none") == 0 || strcmp(row->lower, "lower_nothing") == 0)
        return false;
    return row->unit == UNIT_ALU || row->unit == UNIT_FMA || row->unit == UNIT_FP16 || row->unit == UNIT_FP64 ||
           row->unit == UNIT_CONV || row->unit == UNIT_MUFU || row->unit == UNIT_UNIFORM;
}

static void place_register(uint64_t words[2], unsigned at, bool is_uniform, bool is_dst)
{
    static const uint8_t numbers[][2] = {{16, CASE_DST}, {24, 8}, {32, 10}, {64, 12}, {40, 12}};
    const unsigned width = is_uniform ? 6 : 8, zero = is_uniform ? SASS_URZ : SASS_RZ;
    if (!is_dst && sass_bits(words, at, width) == zero)
        return;
    for (unsigned i = 0; i < N_ELEMENTS(numbers); i++)
        if (numbers[i][0] == at)
            set_bits(words, at, width, numbers[i][1]);
}

// The operand in bits 32 … 63.
static void place_varying(uint64_t words[2], unsigned form, bool is_uniform, uint64_t *state)
{
    if (form == 2 || form == 4) {
        if (next_random(state) & 1)
            set_bits(words, 32, 32, next_word(state));
    } else {
        place_register(words, 32, is_uniform || form == 6 || form == 7, false);
    }
}

static void place_operand(const struct sass_item *item, uint64_t words[2], unsigned form, unsigned *n_preds, uint64_t *state)
{
    const bool is_third = form == 2 || form == 3 || form == 7, is_uniform = sass_item_argument(item, 'u') >= 0;
    const unsigned at = item->parts[0].at;
    if (item->letter == 'R' || item->letter == 'U') {
        place_register(words, at, item->letter == 'U', item->is_dst);
    } else if (item->letter == 'b' || ((item->letter == 'B' || item->letter == 'C') && (item->letter == 'B') != is_third)) {
        place_varying(words, form, is_uniform, state);
    } else if (item->letter == 'B' || item->letter == 'C') {
        place_register(words, 64, is_uniform, false);
    } else if (item->letter == 'P' || item->letter == 'Q') {
        const bool is_true = sass_bits(words, at, 3) == SASS_PT;
        if (item->is_dst && !is_true)
            set_bits(words, at, 3, 5 + (*n_preds)++ % 2);
        else if (!item->is_dst && !is_true)
            set_bits(words, at, 3, next_random(state) & 3);
    }
}

// Signs of floats are free: half of the copies take others than the program had.
static void turn_signs(const struct sass_item *item, uint64_t words[2], unsigned form, uint64_t *state)
{
    static const uint8_t bits[3][3] = {{24, 72, 73}, {32, 63, 62}, {64, 75, 74}};
    const bool is_third = form == 2 || form == 3 || form == 7;
    unsigned at = item->parts[0].at;
    if (item->letter == 'b' || item->letter == 'B' || item->letter == 'C')
        at = item->letter == 'b' || (item->letter == 'B') != is_third ? 32 : 64;
    if (item->is_dst || sass_item_argument(item, 'n') < 0 || sass_item_argument(item, 'a') < 0 ||
        (at == 32 && (form == 2 || form == 4)))
        return;
    const bool is_half = sass_item_argument(item, 'w') >= 0 && at == 64;
    for (unsigned i = 0; i < 3; i++)
        if (bits[i][0] == at) {
            set_bits(words, is_half ? 84 : bits[i][1], 1, next_random(state) & 1);
            set_bits(words, is_half ? 83 : bits[i][2], 1, next_random(state) & 1);
        }
}

// False: not a case. `copy` counts from 0: the first keeps the signs of the program.
static bool make_case(const uint64_t given[2], unsigned copy, struct machine_case *out)
{
    struct sass_insn insn;
    struct sass_item item;
    unsigned n_preds = 0;
    uint64_t state;
    if (!sass_decode(90, given, 0, &insn) || !machine_is_case(insn.row))
        return false;
    const unsigned form = insn.row->forms ? given[0] >> 9 & 7 : 0;
    if ((insn.row->forms && (form == 3 || form == 5)) || strstr(insn.row->spec, "{c"))
        return false; // constant banks
    uint64_t words[2] = {given[0], given[1] & ((UINT64_C(1) << 41) - 1)};
    set_bits(words, 12, 4, SASS_PT);
    // What does not depend on the registers of the program seeds what is chosen.
    uint64_t kept[2] = {words[0] & 0xffff, words[1] & ~UINT64_C(0xff)};
    state = seed_of(kept) + copy;
    for (const char *at = insn.row->spec; sass_item_next(&at, &item);)
        if (item.what == ITEM_OPERAND) {
            place_operand(&item, words, form, &n_preds, &state);
            if (copy % 2)
                turn_signs(&item, words, form, &state);
        }
    *out = (struct machine_case){{words[0], words[1]}, insn.row->unit == UNIT_UNIFORM && insn.row->name[0] == 'U'};
    return true;
}

static bool is_known(const struct machine_case *cases, uint32_t n, const struct machine_case *c)
{
    for (uint32_t i = 0; i < n; i++)
        if (cases[i].words[0] == c->words[0] && cases[i].words[1] == c->words[1])
            return true;
    return false;
}

uint32_t machine_cases(struct machine_case *out, uint32_t capacity)
{
    enum { COPIES = 4 };
    struct buf text = {0};
    uint32_t n = 0;
    packed_read("tests/data/sass_sm90.txt.zst", &text);
    for (const char *line = text.at; line < text.at + text.n; line = strchr(line, '\n') + 1) {
        char *end;
        const uint64_t low = strtoull(line, &end, 16), high = strtoull(end, NULL, 16);
        for (unsigned copy = 0; copy < COPIES && n < capacity; copy++)
            if (make_case((const uint64_t[]){low, high}, copy, &out[n]) && !is_known(out, n, &out[n]))
                n++;
    }
    buf_release(&text);
    return n;
}

// ---- the kernel --------------------------------------------------------------------------------------------------

enum { ALL_SCOREBOARDS = 63, NO_SCOREBOARD = 7, STALL = 15, ALWAYS = 7 << 12, IN = 0x210, OUT = 0x218, MEMORY = 0x208 };

// No instruction begins before the one before has its result: 15 cycles, and scoreboard 0 where that is not enough.
static void put(struct buf *out, uint64_t low, uint64_t high, bool sets_scoreboard, bool waits)
{
    const uint64_t control =
        STALL | (sets_scoreboard ? 0 : NO_SCOREBOARD) << 5 | NO_SCOREBOARD << 8 | (waits ? ALL_SCOREBOARDS : 0) << 11;
    const uint64_t words[2] = {low, high | control << 41};
    buf_add(out, words, sizeof words);
}
static void put_nops(struct buf *out, int n)
{
    for (int i = 0; i < n; i++)
        put(out, 0x7918, 0, false, i == 0);
}

static void put_index(struct buf *out, bool is_uniform) // R0 = number of the sample
{
    put(out, 0x7919, is_uniform ? 0x2500 : 0x2100, true, false); // S2R R0, SR_CTAID.X or SR_TID.X
    put(out, 0x0b82 | ALWAYS | 2 << 16 | UINT64_C(0xff) << 24 | (uint64_t)IN << 38, 0xa00, true, false); // LDC.64 R2
    put(out, 0x0b82 | ALWAYS | 16 << 16 | UINT64_C(0xff) << 24 | (uint64_t)OUT << 38, 0xa00, true, false); // LDC.64 R16
    put(out, 0x0ab9 | ALWAYS | 30 << 16 | (uint64_t)MEMORY << 38, 0xa00, false, false); // ULDC.64 UR30
    put_nops(out, 1);
    for (uint64_t r = 2; r <= 16; r += 14) // IMAD.WIDE Rr, R0, 4, Rr
        put(out, 0x0825 | ALWAYS | r << 16 | UINT64_C(4) << 32, 0x078e0000 | r, false, false);
    put_nops(out, 1);
}

static void put_inputs(struct buf *out)
{
    for (uint64_t k = 0; k < CASE_N_INPUTS; k++) { // LDG.E Rr, desc[UR30][R2.64 + 128 k]
        const uint64_t r = k < CASE_N_SOURCES ? CASE_SOURCES + k : CASE_DST + k - CASE_N_SOURCES;
        put(out, 0x0981 | ALWAYS | r << 16 | 2 << 24 | UINT64_C(30) << 32 | k * 4 * ROW_LANES << 40, 0x0c1e1900, true, false);
    }
    put_nops(out, 2);
    for (uint64_t k = 0; k < CASE_N_INPUTS; k++) { // R2UR
        const uint64_t r = k < CASE_N_SOURCES ? CASE_SOURCES + k : CASE_DST + k - CASE_N_SOURCES;
        put(out, 0x02ca | ALWAYS | r << 16 | r << 24, 0x000e0000, false, false);
    }
    put(out, 0x0804 | ALWAYS | (uint64_t)CASE_PREDS << 24 | UINT64_C(0x7f) << 32, 0, false, false); // R2P PR, R14, 0x7f
    put_nops(out, 4);
    for (uint64_t p = 0; p < 7; p++) // ULOP3.LUT UPp, URZ, UR14, 1 << p, URZ, 0xc0, !UPT
        put(out, 0x0892 | ALWAYS | UINT64_C(63) << 16 | (uint64_t)CASE_PREDS << 24 | UINT64_C(1) << (32 + p),
            0x0780c03f | 1 << 27 | p << 17, false, false);
    put_nops(out, 2);
}

static void put_outputs(struct buf *out, const struct sass_insn *in)
{
    if (machine_writes_uniform(in, SO_UPRED))
        for (uint64_t p = 5; p <= 6; p++) // PLOP3.LUT Pp, PT, PT, PT, UPp, 0x80, 0x0
            put(out, 0x081c | ALWAYS, 0x03f0f008 | p << 17 | p << 4, false, false);
    put(out, 0x0803 | ALWAYS | 6 << 16 | UINT64_C(0xff) << 24 | UINT64_C(0x7f) << 32, 0, false, false); // P2R R6
    if (machine_writes_uniform(in, SO_UREG))
        for (uint64_t r = CASE_DST; r < CASE_DST + 2; r++) // MOV Rr, URr
            put(out, 0x0c02 | ALWAYS | r << 16 | r << 32, 0x08000f00, false, false);
    put_nops(out, 2);
    for (uint64_t k = 0; k < 3; k++) // STG.E desc[UR30][R16.64 + 128 k], R4 …
        put(out, 0x0986 | ALWAYS | 16 << 24 | (CASE_DST + k) << 32 | k * 4 * ROW_LANES << 40, 0x0c101900 | 30, false, false);
    put(out, 0x794d, 0x03800000, false, false);
}

bool machine_writes_uniform(const struct sass_insn *in, enum sass_operand_kind kind)
{
    if (in->op == SASS_UR2UP) // named by a mask, not by operands
        return kind == SO_UPRED;
    for (unsigned k = 0; k < in->n_dst; k++)
        if (in->operands[k].kind == kind)
            return true;
    return false;
}

void machine_case_code(const struct machine_case *c, struct buf *out)
{
    struct sass_insn insn;
    sass_decode(90, c->words, 0, &insn);
    put_index(out, c->is_uniform);
    put_inputs(out);
    const bool is_slow = insn.row->unit == UNIT_LSU || strcmp(insn.row->name, "MATCH") == 0; // MATCH.ANY: by distinct values
    put(out, c->words[0], c->words[1], is_slow, false);
    put_nops(out, 12);
    put_outputs(out, &insn);
}
