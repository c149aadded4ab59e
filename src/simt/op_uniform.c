// Machine code between lanes, predicates and uniform registers. A uniform register is a row with the same word in all lanes, so
// what is written there is written to all 32. Votes and the like are of the lanes that execute them; where they wait for
// others, a WARPSYNC stands before them.
#include "simt/lanes.h"
#include "simt/ops.h"

static void put_word(struct warp *warp, rowref dst, uint32_t value, lanemask lanes)
{
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = value;
    put_rows(warp, dst, out, 1, lanes);
}

// The word of the first lane that executes; pdst[0]: lanes that hold another one (MOD_MODE 1: or were in it). Loops that
// serve one set of operands after the other end by it.
enum step_kind op_row_to_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *row = row_read(warp, insn->src[0]), word = row[__builtin_ctz(on)];
    if (insn->pdst[0] != PRED_TRUE) {
        lanemask differs = MOD_GET(insn->mod, MOD_MODE, 4) ? pred_read(warp, insn->pdst[0]) : 0;
        for (int i = 0; i < N_LANES; i++)
            differs |= row[i] != word ? lane_bit[i] : 0;
        pred_write(warp, insn->pdst[0], differs, on);
    }
    put_word(warp, insn->dst, word, ALL_LANES);
    return STEP_PLAIN;
}

// A special register, as the first lane that executes sees it.
enum step_kind op_sreg_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const enum step_kind kind = op_sreg(sim, warp, insn, ALL_LANES);
    const bool is_pair = insn->extra == SREG_CLOCK64 || insn->extra == SREG_GLOBALTIMER;
    for (rowref row = insn->dst; row <= insn->dst + is_pair; row++)
        put_word(warp, row, row_read(warp, row)[__builtin_ctz(on)], ALL_LANES);
    return kind;
}

// ---- predicates and registers --------------------------------------------------------------------------

enum { FIRST_PRED = 1, N_PREDS = 7, FIRST_UPRED = 8 };

// dst = src[0] with the predicates of the bits of src[1] in byte `extra`; MOD_MODE 1: uniform predicates.
enum step_kind op_preds_to_row(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *from = row_read(warp, insn->src[0]), *mask = row_read(warp, insn->src[1]);
    const bool is_uniform = MOD_GET(insn->mod, MOD_MODE, 4);
    const uint32_t first = is_uniform ? FIRST_UPRED : FIRST_PRED, shift = 8 * insn->extra;
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++) {
        uint32_t bits = 0;
        for (uint32_t p = 0; p < N_PREDS; p++)
            bits |= (warp->preds[first + p] >> i & 1) << p;
        const uint32_t chosen = mask[i] & 0xff;
        out[i] = (from[i] & ~(chosen << shift)) | (bits & chosen) << shift;
    }
    put_rows(warp, insn->dst, out, 1, is_uniform ? ALL_LANES : on);
    return STEP_PLAIN;
}

// The predicates of the bits of src[1] = the bits of byte `extra` of src[0]; MOD_MODE 1: uniform predicates.
enum step_kind op_row_to_preds(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *from = row_read(warp, insn->src[0]), *mask = row_read(warp, insn->src[1]);
    const bool is_uniform = MOD_GET(insn->mod, MOD_MODE, 4);
    for (uint32_t p = 0; p < N_PREDS; p++) {
        lanemask bits = 0, lanes = 0;
        for (int i = 0; i < ROW_LANES; i++) {
            bits |= from[i] >> (8 * insn->extra + p) & 1 ? lane_bit[i] : 0;
            lanes |= mask[i] >> p & 1 ? lane_bit[i] : 0;
        }
        pred_write(warp, (predref)((is_uniform ? FIRST_UPRED : FIRST_PRED) + p), bits, is_uniform ? lanes : on & lanes);
    }
    return STEP_PLAIN;
}

// ---- votes ------------------------------------------------------------------------------------------------

// dst = lanes where psrc[0] holds, pdst[0] = MOD_MODE of it (enum vote). MOD_UNI: to uniform registers.
enum vote { VOTE_ANY, VOTE_ALL, VOTE_EQ };

enum step_kind op_vote_active(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const lanemask yes = pred_read(warp, insn->psrc[0]) & on;
    const lanemask written = MOD_GET(insn->mod, MOD_UNI, 1) ? ALL_LANES : on;
    const uint32_t how = MOD_GET(insn->mod, MOD_MODE, 4);
    const bool answer = how == VOTE_ANY ? yes != 0 : yes == on || (how == VOTE_EQ && yes == 0);
    put_word(warp, insn->dst, yes, written);
    pred_write(warp, insn->pdst[0], answer ? ALL_LANES : 0, written);
    return STEP_PLAIN;
}

// The lowest lane that executes is elected; psrc[0] takes lanes out.
enum step_kind op_elect_active(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const lanemask among = on & pred_read(warp, insn->psrc[0]);
    const uint32_t leader = among ? (uint32_t)__builtin_ctz(among) : 0;
    put_word(warp, insn->dst, among ? leader : UINT32_MAX, ALL_LANES);
    pred_write(warp, insn->pdst[0], among ? lane_bit[leader] : 0, on);
    return STEP_PLAIN;
}

static lanemask lanes_with(const uint32_t *row, bool is_pair, int of, lanemask among)
{
    lanemask same = 0;
    for (int i = 0; i < ROW_LANES; i++)
        same |= row[i] == row[of] && (!is_pair || row[ROW_LANES + i] == row[ROW_LANES + of]) ? lane_bit[i] : 0;
    return same & among;
}

// dst = lanes with the same value. MOD_MODE 1 (.ALL): all or none, and pdst[0] says which.
enum step_kind op_match_active(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *row = row_read(warp, insn->src[0]);
    const bool is_all = MOD_GET(insn->mod, MOD_MODE, 4), is_pair = insn->elem == ELEM_B64;
    uint32_t out[ROW_LANES] = {0};
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        out[i] = lanes_with(row, is_pair, i, on);
    }
    const lanemask agreed = is_all && out[__builtin_ctz(on)] != on ? 0 : on;
    for (int i = 0; i < ROW_LANES; i++)
        out[i] &= agreed;
    put_rows(warp, insn->dst, out, 1, on);
    pred_write(warp, insn->pdst[0], agreed, on);
    return STEP_PLAIN;
}

static uint32_t reduce(enum atom_op how, bool is_signed, uint32_t x, uint32_t y)
{
    const bool x_is_less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (how) {
    case ATOM_AND:
        return x & y;
    case ATOM_OR:
        return x | y;
    case ATOM_XOR:
        return x ^ y;
    case ATOM_MIN:
        return x_is_less ? x : y;
    case ATOM_MAX:
        return x_is_less ? y : x;
    default:
        return x + y;
    }
}

// MOD_MODE: enum atom_op; MOD_NAN: of signed numbers.
enum step_kind op_redux_active(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *row = row_read(warp, insn->src[0]);
    uint32_t result = row[__builtin_ctz(on)];
    for (lanemask rest = on & (on - 1); rest; rest &= rest - 1)
        result = reduce(MOD_GET(insn->mod, MOD_MODE, 4), MOD_GET(insn->mod, MOD_NAN, 1), result,
                        row[__builtin_ctz(rest)]);
    put_word(warp, insn->dst, result, ALL_LANES);
    return STEP_PLAIN;
}
