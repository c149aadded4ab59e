// Operations between the lanes of a warp: shfl, vote, match, redux, elect, activemask. Each names its
// members; when some of them are elsewhere, the split waits for them (warp_sync_arrive), as the hardware's
// WARPSYNC does.
#include "isa/form.h"
#include "simt/ops.h"

// Lanes that take part: merged with those that had come before, guard applied. 0: the split waits.
static lanemask members_arrive(struct warp *warp, const struct insn *insn, rowref members_row, lanemask on)
{
    if (members_row == ROW_NONE) // an instruction without .sync
        return on;
    warp->n_orders++;
    const uint32_t *row = row_read(warp, members_row);
    on = split_by_members(warp, row, on);
    lanemask members = row[__builtin_ctz(on)];
    if (!warp_sync_arrive(warp, members))
        return 0;
    return split_current(warp)->mask & pred_read(warp, insn->guard);
}

// ---- shuffle ---------------------------------------------------------------------------------------

// Lane that each lane reads (PTX ISA, shfl.sync): c holds the segment mask in bits 12..8 and the clamp in
// bits 4..0. Returns the lanes whose source is in range; the others read themselves.
#define SOURCE_LANES(wanted, reached)                                                                        \
    for (int i = 0; i < ROW_LANES; i++) {                                                                    \
        const int segment = (int)(c[i] >> 8 & 0x1f), clamp = (int)(c[i] & 0x1f), delta = (int)(b[i] & 0x1f); \
        const int low = i & segment, limit = low | (clamp & ~segment), j = (wanted);                         \
        const bool in_range = (reached);                                                                     \
        (void)low, (void)delta, (void)segment;                                                               \
        source[i] = in_range ? j & 31 : i;                                                                   \
        valid |= in_range ? lane_bit[i] : 0;                                                                 \
    }

static lanemask source_lanes(enum form form, const uint32_t *b, const uint32_t *c, int *source)
{
    lanemask valid = 0;
    switch (form) {
    case FORM_SHFL_UP_b32:
    case FORM_OLD_SHFL_UP_b32:
        SOURCE_LANES(i - delta, j >= limit)
        break;
    case FORM_SHFL_DOWN_b32:
    case FORM_OLD_SHFL_DOWN_b32:
        SOURCE_LANES(i + delta, j <= limit)
        break;
    case FORM_SHFL_BFLY_b32:
    case FORM_OLD_SHFL_BFLY_b32:
        SOURCE_LANES(i ^ delta, j <= limit)
        break;
    default:
        SOURCE_LANES(low | (delta & ~segment), j <= limit)
        break;
    }
    return valid;
}

enum step_kind op_shuffle(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if ((on = members_arrive(warp, insn, insn->src[3], on)) == 0)
        return STEP_SWITCH;
    const uint32_t *a = row_read(warp, insn->src[0]), *b = row_read(warp, insn->src[1]),
                   *c = row_read(warp, insn->src[2]);
    uint32_t out[ROW_LANES];
    int source[ROW_LANES];
    lanemask valid = source_lanes(insn->form, b, c, source);
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = a[source[i]];
    if (insn->dst != ROW_NONE)
        put_rows(warp, insn->dst, out, 1, on);
    pred_write(warp, insn->pdst[0], valid, on);
    return STEP_PLAIN;
}

// ---- votes -----------------------------------------------------------------------------------------

static void put_uniform(struct warp *warp, rowref dst, uint32_t value, lanemask on)
{
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = value;
    if (dst != ROW_NONE)
        put_rows(warp, dst, out, 1, on);
}

enum step_kind op_vote(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if ((on = members_arrive(warp, insn, insn->src[0], on)) == 0)
        return STEP_SWITCH;
    lanemask members = insn->src[0] == ROW_NONE ? on : row_read(warp, insn->src[0])[__builtin_ctz(on)];
    lanemask voters = on & members, yes = pred_read(warp, insn->psrc[0]) & voters;
    switch (insn->form) {
    case FORM_VOTE_ALL_pred:
    case FORM_OLD_VOTE_ALL_pred:
        pred_write(warp, insn->pdst[0], yes == voters ? ALL_LANES : 0, on);
        break;
    case FORM_VOTE_ANY_pred:
    case FORM_OLD_VOTE_ANY_pred:
        pred_write(warp, insn->pdst[0], yes ? ALL_LANES : 0, on);
        break;
    case FORM_VOTE_UNI_pred:
    case FORM_OLD_VOTE_UNI_pred:
        pred_write(warp, insn->pdst[0], yes == voters || yes == 0 ? ALL_LANES : 0, on);
        break;
    default:
        put_uniform(warp, insn->dst, yes, on);
        break;
    }
    return STEP_PLAIN;
}

enum step_kind op_activemask(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    put_uniform(warp, insn->dst, on, on);
    return STEP_PLAIN;
}

// The lowest member is elected.
enum step_kind op_elect(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if ((on = members_arrive(warp, insn, insn->src[0], on)) == 0)
        return STEP_SWITCH;
    lanemask members = row_read(warp, insn->src[0])[__builtin_ctz(on)] & on;
    uint32_t leader = members ? (uint32_t)__builtin_ctz(members) : 0;
    put_uniform(warp, insn->dst, leader, on);
    pred_write(warp, insn->pdst[0], lane_bit[leader], on);
    return STEP_PLAIN;
}

// ---- match -----------------------------------------------------------------------------------------

static lanemask lanes_with(const uint32_t *row, bool is_pair, uint64_t value, lanemask among)
{
    lanemask same = 0;
    for (int i = 0; i < ROW_LANES; i++)
        same |= (is_pair ? get_u64(row, i) : row[i]) == value ? lane_bit[i] : 0;
    return same & among;
}

enum step_kind op_match(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if ((on = members_arrive(warp, insn, insn->src[1], on)) == 0)
        return STEP_SWITCH;
    bool is_pair = insn->form == FORM_MATCH_ANY_b64 || insn->form == FORM_MATCH_ALL_b64;
    bool is_all = insn->form == FORM_MATCH_ALL_b32 || insn->form == FORM_MATCH_ALL_b64;
    const uint32_t *row = row_read(warp, insn->src[0]);
    lanemask members = row_read(warp, insn->src[1])[__builtin_ctz(on)] & on, agreed = 0;
    uint32_t out[ROW_LANES] = {0};
    for (lanemask rest = members; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        out[i] = lanes_with(row, is_pair, is_pair ? get_u64(row, i) : row[i], members);
        if (is_all)
            out[i] = out[i] == members ? members : 0;
        agreed |= out[i] ? lane_bit[i] : 0;
    }
    if (insn->dst != ROW_NONE)
        put_rows(warp, insn->dst, out, 1, on);
    pred_write(warp, insn->pdst[0], agreed, on);
    return STEP_PLAIN;
}

// ---- redux -----------------------------------------------------------------------------------------

static uint32_t reduce(enum form form, uint32_t x, uint32_t y)
{
    switch (form) {
    case FORM_REDUX_MIN_u32:
        return x < y ? x : y;
    case FORM_REDUX_MAX_u32:
        return x > y ? x : y;
    case FORM_REDUX_MIN_s32:
        return (int32_t)x < (int32_t)y ? x : y;
    case FORM_REDUX_MAX_s32:
        return (int32_t)x > (int32_t)y ? x : y;
    case FORM_REDUX_AND_b32:
        return x & y;
    case FORM_REDUX_OR_b32:
        return x | y;
    case FORM_REDUX_XOR_b32:
        return x ^ y;
    default:
        return x + y;
    }
}

enum step_kind op_redux(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if ((on = members_arrive(warp, insn, insn->src[1], on)) == 0)
        return STEP_SWITCH;
    const uint32_t *row = row_read(warp, insn->src[0]);
    lanemask members = row_read(warp, insn->src[1])[__builtin_ctz(on)] & on;
    if (members == 0)
        return STEP_PLAIN;
    uint32_t result = row[__builtin_ctz(members)];
    for (lanemask rest = members & (members - 1); rest; rest &= rest - 1)
        result = reduce(insn->form, result, row[__builtin_ctz(rest)]);
    put_uniform(warp, insn->dst, result, on);
    return STEP_PLAIN;
}
