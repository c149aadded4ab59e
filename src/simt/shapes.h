// The shapes of ptx.def: each HANDLER_<shape>(id, type, lane, expression) makes the handler h_<id>_<type> of
// one row and type. Included by handlers.c (often executed, compiled per x86-64 level) and cold.c (compiled
// once), which say by HANDLER_LINKAGE how the functions are linked.
#ifndef SIMT_SHAPES_H
#define SIMT_SHAPES_H
#include "simt/approx.h"
#include "simt/convert.h"
#include "simt/lanes.h"
#include "simt/narrow.h"
#include "simt/ops.h"
#include "simt/semantics.h"
#include "simt/video.h"

#define HANDLER_SIGNATURE(id, type) \
    enum step_kind h_##id##_##type(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
#define HANDLER_FUNCTION(id, type)               \
    HANDLER_LINKAGE HANDLER_SIGNATURE(id, type); \
    HANDLER_LINKAGE HANDLER_SIGNATURE(id, type)

#define UNUSED_OK __attribute__((unused))
#define SOURCE(k) row_read(warp, insn->src[k])
#define EACH_LANE(i) for (int i = 0; i < ROW_LANES; i++)

// ---- shapes of one expression ----------------------------------------------------------------------

// The common part: `declare` names the lanes read, the expression is the value of lane i of type `result`.
#define HANDLER_EXPRESSION(id, type, result, rows, declare, ...) \
    HANDLER_FUNCTION(id, type)                                   \
    {                                                            \
        (void)sim;                                               \
        rows uint32_t out[WORDS_##result * ROW_LANES];           \
        EACH_LANE(i)                                             \
        {                                                        \
            declare set_##result(out, i, (__VA_ARGS__));         \
        }                                                        \
        put_rows(warp, insn->dst, out, WORDS_##result, on);      \
        return STEP_PLAIN;                                       \
    }
#define ROWS_1 const uint32_t *pa = SOURCE(0);
#define ROWS_2 ROWS_1 const uint32_t *pb = SOURCE(1);
#define ROWS_3 ROWS_2 const uint32_t *pc = SOURCE(2);
#define ROWS_4 ROWS_3 const uint32_t *pe = SOURCE(3);
#define LANE_A(type) const lane_##type a = get_##type(pa, i);
#define LANE_B(type) const lane_##type b = get_##type(pb, i);
#define LANE_C(type) const lane_##type c = get_##type(pc, i);
#define LANE_E(type) const lane_##type e = get_##type(pe, i);

#define HANDLER_T_T(id, type, lane, ...) HANDLER_EXPRESSION(id, type, lane, ROWS_1, LANE_A(lane), __VA_ARGS__)
#define HANDLER_T_TT(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_2, LANE_A(lane) LANE_B(lane), __VA_ARGS__)
#define HANDLER_T_TTT(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(lane), __VA_ARGS__)
#define HANDLER_T_TTT_IMM HANDLER_T_TTT
#define HANDLER_U_T(id, type, lane, ...) HANDLER_EXPRESSION(id, type, u32, ROWS_1, LANE_A(lane), __VA_ARGS__)
#define HANDLER_T_TU(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_2, LANE_A(lane) LANE_B(u32), __VA_ARGS__)
#define HANDLER_T_TUU(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3, LANE_A(lane) LANE_B(u32) LANE_C(u32), __VA_ARGS__)
#define HANDLER_T_TTU(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(u32), __VA_ARGS__)
#define HANDLER_T_TTUU(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_4, LANE_A(lane) LANE_B(lane) LANE_C(u32) LANE_E(u32), __VA_ARGS__)
#define HANDLER_T_TTS(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(s32), __VA_ARGS__)
// Subnormal c is zero anyway and -0 >= 0 holds, so .ftz changes the answer only for a negative subnormal.
#define HANDLER_T_TTF(id, type, lane, ...)                                                     \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3 const bool ftz = MOD_GET(insn->mod, MOD_FTZ, 1); \
                       , LANE_A(lane) LANE_B(lane) const float c =                             \
                             ftz ? flush_f32(get_f32(pc, i)) : get_f32(pc, i);                 \
                       , __VA_ARGS__)
#define HANDLER_T_TTP(id, type, lane, ...)                                                          \
    HANDLER_EXPRESSION(id, type, lane, ROWS_2 const lanemask pred = pred_read(warp, insn->psrc[0]); \
                       , LANE_A(lane) LANE_B(lane) const bool q = pred & lane_bit[i];, __VA_ARGS__)
#define HANDLER_T_T_FTZ(id, type, lane, ...)                                                   \
    HANDLER_EXPRESSION(id, type, lane, ROWS_1 const bool ftz = MOD_GET(insn->mod, MOD_FTZ, 1); \
                       , const float a = ftz ? flush_f32(get_f32(pa, i)) : get_f32(pa, i);, __VA_ARGS__)

// 64-bit operands and result as halves.
#define HANDLER_HALVES(id, type, lane, ...)                                                         \
    HANDLER_FUNCTION(id, type)                                                                      \
    {                                                                                               \
        (void)sim;                                                                                  \
        ROWS_2 uint32_t out[2 * ROW_LANES];                                                         \
        EACH_LANE(i)                                                                                \
        {                                                                                           \
            const struct halves a = {pa[i], pa[ROW_LANES + i]}, b = {pb[i], pb[ROW_LANES + i]};     \
            const struct halves result = (__VA_ARGS__);                                             \
            out[i] = result.low;                                                                    \
            out[ROW_LANES + i] = result.high;                                                       \
        }                                                                                           \
        put_rows(warp, insn->dst, out, 2, on);                                                      \
        return STEP_PLAIN;                                                                          \
    }

// Products twice as wide as their operands.
#define WIDE_u16 u32
#define WIDE_s16 s32
#define WIDE_u32 u64
#define WIDE_s32 s64
#define HANDLER_W_TT(id, type, lane, ...) HANDLER_W_TT_(id, type, lane, WIDE_##lane, __VA_ARGS__)
#define HANDLER_W_TT_(id, type, lane, wide, ...) HANDLER_W_TT__(id, type, lane, wide, __VA_ARGS__)
#define HANDLER_W_TT__(id, type, lane, wide, ...) \
    HANDLER_EXPRESSION(id, type, wide, ROWS_2, LANE_A(lane) LANE_B(lane), __VA_ARGS__)
#define HANDLER_W_TTW(id, type, lane, ...) HANDLER_W_TTW_(id, type, lane, WIDE_##lane, __VA_ARGS__)
#define HANDLER_W_TTW_(id, type, lane, wide, ...) HANDLER_W_TTW__(id, type, lane, wide, __VA_ARGS__)
#define HANDLER_W_TTW__(id, type, lane, wide, ...) \
    HANDLER_EXPRESSION(id, type, wide, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(wide), __VA_ARGS__)

// ---- floating point with rounding, .ftz and .sat ---------------------------------------------------

// The lanes are computed by one loop over arrays. Without modifiers (and for f32 straight from the rows) that
// is all; with them, operands are copied, flushed and the direction of rounding is set around the loop.
enum { FLOAT_MODIFIERS = 1 << MOD_FTZ | 1 << MOD_SAT | 1 << MOD_NAN | 1 << MOD_ABS };

static inline bool has_float_modifiers(uint32_t mod)
{
    return (mod & FLOAT_MODIFIERS) || MOD_GET(mod, MOD_ROUND, 3) > ROUND_RN;
}

#define flush_f64(x) (x)
#define DEFINE_FLOAT_LANES(lane)                                                                    \
    static UNUSED_OK void lanes_read_##lane(lane_##lane *out, const uint32_t *row, uint32_t mod)    \
    {                                                                                               \
        EACH_LANE(i) out[i] = get_##lane(row, i);                                                   \
        if (MOD_GET(mod, MOD_FTZ, 1))                                                               \
            EACH_LANE(i) out[i] = flush_##lane(out[i]);                                             \
    }                                                                                               \
    static UNUSED_OK void lanes_finish_##lane(lane_##lane *out, uint32_t mod)                       \
    {                                                                                               \
        if (MOD_GET(mod, MOD_FTZ, 1))                                                               \
            EACH_LANE(i) out[i] = flush_##lane(out[i]);                                             \
        if (MOD_GET(mod, MOD_SAT, 1))                                                               \
            EACH_LANE(i) out[i] = saturate_##lane(out[i]);                                          \
    }                                                                                               \
    static UNUSED_OK void lanes_put_##lane(struct warp *warp, rowref dst, const lane_##lane *lanes, \
                                           lanemask on)                                             \
    {                                                                                               \
        uint32_t out[WORDS_##lane * ROW_LANES];                                                     \
        EACH_LANE(i) set_##lane(out, i, lanes[i]);                                                  \
        put_rows(warp, dst, out, WORDS_##lane, on);                                                 \
    }
DEFINE_FLOAT_LANES(f32)
DEFINE_FLOAT_LANES(f64)

// Of several NaN an instruction of f64 passes on the second source's, then the third's, then the first's; it becomes quiet
// and keeps its sign (measured on an H200: op/machine). NaN of f32 are all the same.
static UNUSED_OK __attribute__((noinline)) void choose_nan_f64(uint32_t *out, const struct warp *warp,
                                                               const struct insn *insn, int n)
{
    static const uint8_t order[] = {0, 2, 1}; // the last one wins
    for (int i = 0; i < ROW_LANES; i++)
        for (int j = 0; j < 3 && get_f64(out, i) != get_f64(out, i); j++) {
            const uint64_t bits = order[j] < n ? get_u64(SOURCE(order[j]), i) : 0;
            if ((bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
                set_u64(out, i, bits | 0x0008000000000000u);
        }
}
static inline void keep_nan_f64(uint32_t *out, const struct warp *warp, const struct insn *insn, int n)
{
    lanemask nan = 0;
    EACH_LANE(i) nan |= get_f64(out, i) != get_f64(out, i) ? lane_bit[i] : 0;
    if (__builtin_expect(nan != 0, 0) && n > 1)
        choose_nan_f64(out, warp, insn, n);
}
static inline void keep_nan_f32(const uint32_t *out, const struct warp *warp, const struct insn *insn, int n)
{
    (void)out, (void)warp, (void)insn, (void)n;
}
#define FLOAT_PUT(lane, n, result)                        \
    uint32_t out[WORDS_##lane * ROW_LANES];               \
    EACH_LANE(i) set_##lane(out, i, (result)[i]);         \
    keep_nan_##lane(out, warp, insn, n);                  \
    put_rows(warp, insn->dst, out, WORDS_##lane, on);

// `compute` is one loop from the arrays x, y, z into r.
#define FLOAT_WITH_MODIFIERS(id, type, lane, n, ...)                                                       \
    static __attribute__((noinline)) void h_##id##_##type##_modified(struct warp *warp,                    \
                                                                     const struct insn *insn, lanemask on) \
    {                                                                                                      \
        lane_##lane r[ROW_LANES], operands[3][ROW_LANES];                                                  \
        UNUSED_OK const uint32_t mod = insn->mod;                                                          \
        for (int k = 0; k < (n); k++)                                                                      \
            lanes_read_##lane(operands[k], SOURCE(k), insn->mod);                                          \
        int direction = rounding_of(insn->mod);                                                            \
        if (direction != FE_TONEAREST)                                                                     \
            fesetround(direction);                                                                         \
        work_stays_here(operands);                                                                         \
        EACH_LANE(i)                                                                                       \
        {                                                                                                  \
            UNUSED_OK const lane_##lane a = operands[0][i], b = operands[(n) > 1][i],                      \
                                        c = operands[(n) > 2 ? 2 : 0][i];                                  \
            r[i] = canonical_##lane(__VA_ARGS__);                                                          \
        }                                                                                                  \
        work_stays_here(r);                                                                                \
        if (direction != FE_TONEAREST)                                                                     \
            fesetround(FE_TONEAREST);                                                                      \
        lanes_finish_##lane(r, insn->mod);                                                                 \
        FLOAT_PUT(lane, n, r)                                                                              \
    }
#define HANDLER_FLOAT(id, type, lane, n, rows, declare, ...)                         \
    FLOAT_WITH_MODIFIERS(id, type, lane, n, __VA_ARGS__)                             \
    HANDLER_FUNCTION(id, type)                                                       \
    {                                                                                \
        (void)sim;                                                                   \
        if (__builtin_expect(has_float_modifiers(insn->mod), 0)) {                   \
            h_##id##_##type##_modified(warp, insn, on);                              \
            return STEP_PLAIN;                                                       \
        }                                                                            \
        UNUSED_OK const uint32_t mod = 0; /* of those that an expression asks for */ \
        rows uint32_t out[WORDS_##lane * ROW_LANES];                                 \
        EACH_LANE(i)                                                                 \
        {                                                                            \
            declare set_##lane(out, i, canonical_##lane(__VA_ARGS__));               \
        }                                                                            \
        keep_nan_##lane(out, warp, insn, n);                                         \
        put_rows(warp, insn->dst, out, WORDS_##lane, on);                            \
        return STEP_PLAIN;                                                           \
    }
#define HANDLER_F_F(id, type, lane, ...) HANDLER_FLOAT(id, type, lane, 1, ROWS_1, LANE_A(lane), __VA_ARGS__)
#define HANDLER_F_FF(id, type, lane, ...) \
    HANDLER_FLOAT(id, type, lane, 2, ROWS_2, LANE_A(lane) LANE_B(lane), __VA_ARGS__)
#define HANDLER_F_FFF(id, type, lane, ...) \
    HANDLER_FLOAT(id, type, lane, 3, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(lane), __VA_ARGS__)

// ---- predicates ------------------------------------------------------------------------------------

#define HANDLER_P_P(id, type, lane, ...)                    \
    HANDLER_FUNCTION(id, type)                              \
    {                                                       \
        (void)sim;                                          \
        const lanemask a = pred_read(warp, insn->psrc[0]);  \
        pred_write(warp, insn->pdst[0], (__VA_ARGS__), on); \
        return STEP_PLAIN;                                  \
    }
#define HANDLER_P_PP(id, type, lane, ...)                                                      \
    HANDLER_FUNCTION(id, type)                                                                 \
    {                                                                                          \
        (void)sim;                                                                             \
        const lanemask a = pred_read(warp, insn->psrc[0]), b = pred_read(warp, insn->psrc[1]); \
        pred_write(warp, insn->pdst[0], (__VA_ARGS__), on);                                    \
        return STEP_PLAIN;                                                                     \
    }
#define HANDLER_P_T(id, type, lane, ...)                          \
    HANDLER_FUNCTION(id, type)                                    \
    {                                                             \
        (void)sim;                                                \
        ROWS_1 lanemask mask = 0;                                 \
        EACH_LANE(i)                                              \
        {                                                         \
            LANE_A(lane) mask |= (__VA_ARGS__) ? lane_bit[i] : 0; \
        }                                                         \
        pred_write(warp, insn->pdst[0], mask, on);                \
        return STEP_PLAIN;                                        \
    }

// ---- comparisons: lane masks, one loop per relation ------------------------------------------------

#define COMPARE_LOOP(lane, relation)                                        \
    do {                                                                    \
        lanemask mask = 0;                                                  \
        EACH_LANE(i)                                                        \
        {                                                                   \
            LANE_A(lane) LANE_B(lane) mask |= (relation) ? lane_bit[i] : 0; \
        }                                                                   \
        return mask;                                                        \
    } while (0)
#define DEFINE_COMPARE_INT(lane)                                                                   \
    static UNUSED_OK lanemask compare_##lane(const uint32_t *pa, const uint32_t *pb, uint32_t mod) \
    {                                                                                              \
        switch (MOD_GET(mod, MOD_CMP, 5)) {                                                        \
        case CMP_EQ:                                                                               \
            COMPARE_LOOP(lane, a == b);                                                            \
        case CMP_NE:                                                                               \
            COMPARE_LOOP(lane, a != b);                                                            \
        case CMP_LT:                                                                               \
        case CMP_LO:                                                                               \
            COMPARE_LOOP(lane, a < b);                                                             \
        case CMP_LE:                                                                               \
        case CMP_LS:                                                                               \
            COMPARE_LOOP(lane, a <= b);                                                            \
        case CMP_GT:                                                                               \
        case CMP_HI:                                                                               \
            COMPARE_LOOP(lane, a > b);                                                             \
        default:                                                                                   \
            COMPARE_LOOP(lane, a >= b);                                                            \
        }                                                                                          \
    }
DEFINE_COMPARE_INT(u16)
DEFINE_COMPARE_INT(s16)
DEFINE_COMPARE_INT(u32)
DEFINE_COMPARE_INT(s32)
DEFINE_COMPARE_INT(u64)
DEFINE_COMPARE_INT(s64)

#define DEFINE_COMPARE_FLOAT(lane)                                                                          \
    static UNUSED_OK lanemask unordered_##lane(const uint32_t *pa, const uint32_t *pb)                      \
    {                                                                                                       \
        COMPARE_LOOP(lane, a != a || b != b);                                                               \
    }                                                                                                       \
    static UNUSED_OK lanemask ordered_##lane(const uint32_t *pa, const uint32_t *pb, enum compare relation) \
    {                                                                                                       \
        switch (relation) {                                                                                 \
        case CMP_EQ:                                                                                        \
            COMPARE_LOOP(lane, a == b);                                                                     \
        case CMP_NE: /* of numbers only: NaN compares false */                                              \
            COMPARE_LOOP(lane, a<b || a> b);                                                                \
        case CMP_LT:                                                                                        \
            COMPARE_LOOP(lane, a < b);                                                                      \
        case CMP_LE:                                                                                        \
            COMPARE_LOOP(lane, a <= b);                                                                     \
        case CMP_GT:                                                                                        \
            COMPARE_LOOP(lane, a > b);                                                                      \
        default:                                                                                            \
            COMPARE_LOOP(lane, a >= b);                                                                     \
        }                                                                                                   \
    }                                                                                                       \
    static UNUSED_OK lanemask compare_##lane(const uint32_t *pa, const uint32_t *pb, uint32_t mod)          \
    {                                                                                                       \
        enum compare relation = MOD_GET(mod, MOD_CMP, 5);                                                   \
        uint32_t flushed[2][WORDS_##lane * ROW_LANES];                                                      \
        if (MOD_GET(mod, MOD_FTZ, 1)) {                                                                     \
            EACH_LANE(i) set_##lane(flushed[0], i, flush_##lane(get_##lane(pa, i)));                        \
            EACH_LANE(i) set_##lane(flushed[1], i, flush_##lane(get_##lane(pb, i)));                        \
            pa = flushed[0];                                                                                \
            pb = flushed[1];                                                                                \
        }                                                                                                   \
        if (relation <= CMP_GE)                                                                             \
            return ordered_##lane(pa, pb, relation);                                                        \
        lanemask nan = unordered_##lane(pa, pb);                                                            \
        if (relation >= CMP_NUM)                                                                            \
            return relation == CMP_NAN ? nan : ~nan;                                                        \
        return nan | ordered_##lane(pa, pb, CMP_EQ + (relation - CMP_EQU));                                 \
    }
DEFINE_COMPARE_FLOAT(f32)
DEFINE_COMPARE_FLOAT(f64)

static inline lanemask combine_preds(lanemask mask, const struct warp *warp, const struct insn *insn)
{
    switch (MOD_GET(insn->mod, MOD_BOOL, 2)) {
    case BOOL_AND:
        return mask & pred_read(warp, insn->psrc[0]);
    case BOOL_OR:
        return mask | pred_read(warp, insn->psrc[0]);
    case BOOL_XOR:
        return mask ^ pred_read(warp, insn->psrc[0]);
    default:
        return mask;
    }
}

#define HANDLER_SETP(id, type, lane)                                                        \
    HANDLER_FUNCTION(id, type)                                                              \
    {                                                                                       \
        (void)sim;                                                                          \
        lanemask mask = compare_##lane(SOURCE(0), SOURCE(1), insn->mod);                    \
        lanemask p = combine_preds(mask, warp, insn), q = combine_preds(~mask, warp, insn); \
        pred_write(warp, insn->pdst[0], p, on);                                             \
        pred_write(warp, insn->pdst[1], q, on);                                             \
        return STEP_PLAIN;                                                                  \
    }
#define HANDLER_SETP_INT(id, type, lane, ...) HANDLER_SETP(id, type, lane)
#define HANDLER_SETP_FLOAT(id, type, lane, ...) HANDLER_SETP(id, type, lane)

#define HANDLER_SET_INT(id, type, lane, ...)                                                        \
    HANDLER_FUNCTION(id, type)                                                                      \
    {                                                                                               \
        (void)sim;                                                                                  \
        lanemask mask = combine_preds(compare_##lane(SOURCE(0), SOURCE(1), insn->mod), warp, insn); \
        uint32_t out[ROW_LANES];                                                                    \
        EACH_LANE(i) out[i] = mask & lane_bit[i] ? (__VA_ARGS__) : 0;                               \
        put_rows(warp, insn->dst, out, 1, on);                                                      \
        return STEP_PLAIN;                                                                          \
    }
#define HANDLER_SET_FLOAT HANDLER_SET_INT

// ---- conversions -----------------------------------------------------------------------------------

#define HANDLER_CVT_II(id, type, lane, to)                                                             \
    HANDLER_FUNCTION(id, type)                                                                         \
    {                                                                                                  \
        (void)sim;                                                                                     \
        ROWS_1 uint32_t out[WORDS_##to * ROW_LANES];                                                   \
        if (MOD_GET(insn->mod, MOD_SAT, 1) && IS_SIGNED_LANE((lane_##lane)0))                          \
            EACH_LANE(i) set_##to(out, i, saturate_##to##_from_signed((int64_t)get_##lane(pa, i)));    \
        else if (MOD_GET(insn->mod, MOD_SAT, 1))                                                       \
            EACH_LANE(i) set_##to(out, i, saturate_##to##_from_unsigned((uint64_t)get_##lane(pa, i))); \
        else                                                                                           \
            EACH_LANE(i) set_##to(out, i, (lane_##to)get_##lane(pa, i));                               \
        put_rows(warp, insn->dst, out, WORDS_##to, on);                                                \
        return STEP_PLAIN;                                                                             \
    }
#define HANDLER_CVT_IF(id, type, lane, to)                                      \
    HANDLER_FUNCTION(id, type)                                                  \
    {                                                                           \
        (void)sim;                                                              \
        const enum round direction = MOD_GET(insn->mod, MOD_MODE, 4);           \
        lane_##lane x[ROW_LANES];                                               \
        uint32_t out[WORDS_##to * ROW_LANES];                                   \
        lanes_read_##lane(x, SOURCE(0), insn->mod);                             \
        if (direction == ROUND_RZ)                                              \
            EACH_LANE(i)                                                        \
            set_##to(out, i,                                                    \
                     to##_from_##lane(round_integral_##lane(x[i], ROUND_RZ),    \
                                      NAN_AS_INTEGER(lane_##to, sizeof x[0]))); \
        else                                                                    \
            EACH_LANE(i)                                                        \
            set_##to(out, i,                                                    \
                     to##_from_##lane(round_integral_##lane(x[i], direction),   \
                                      NAN_AS_INTEGER(lane_##to, sizeof x[0]))); \
        put_rows(warp, insn->dst, out, WORDS_##to, on);                         \
        return STEP_PLAIN;                                                      \
    }
// To floating point: the host's conversion rounds, in the direction asked for.
#define HANDLER_CVT_ROUNDED(id, type, to, read, ...)     \
    HANDLER_FUNCTION(id, type)                           \
    {                                                    \
        (void)sim;                                       \
        lane_##to r[ROW_LANES];                          \
        read int direction = rounding_of(insn->mod);     \
        if (direction != FE_TONEAREST)                   \
            fesetround(direction);                       \
        work_stays_here(x);                              \
        EACH_LANE(i) r[i] = (__VA_ARGS__);               \
        work_stays_here(r);                              \
        if (direction != FE_TONEAREST)                   \
            fesetround(FE_TONEAREST);                    \
        lanes_finish_##to(r, insn->mod);                 \
        lanes_put_##to(warp, insn->dst, r, on);          \
        return STEP_PLAIN;                               \
    }
#define HANDLER_CVT_FI(id, type, lane, to)                             \
    HANDLER_CVT_ROUNDED(id, type, to, ROWS_1 lane_##lane x[ROW_LANES]; \
                        EACH_LANE(i) x[i] = get_##lane(pa, i);, (lane_##to)x[i])
// Between floating-point types. Without a modifier f32 to f32 is a move; with .ftz NaN becomes canonical before f32 is
// widened, and what is below the normal range of f32 is zero before f64 is rounded to it. NaN else keeps its upper bits.
static UNUSED_OK float cvt_f32_f32(float x, enum round integral, uint32_t mod)
{
    const bool is_move = !(mod & FLOAT_MODIFIERS) && !integral;
    return is_move ? x : canonical_f32(round_integral_f32(x, integral));
}
static UNUSED_OK float cvt_f32_f64(double x, enum round integral, uint32_t mod)
{
    (void)integral;
    return (float)(MOD_GET(mod, MOD_FTZ, 1) && fabs(x) < 0x1p-126 ? copysign(0, x) : x);
}
static UNUSED_OK double cvt_f64_f32(float x, enum round integral, uint32_t mod)
{
    (void)integral;
    return (double)(MOD_GET(mod, MOD_FTZ, 1) ? canonical_f32(x) : x);
}
static UNUSED_OK double cvt_f64_f64(double x, enum round integral, uint32_t mod)
{
    (void)mod;
    return round_integral_f64(x, integral);
}
#define HANDLER_CVT_FF(id, type, lane, to)                                                                  \
    HANDLER_CVT_ROUNDED(id, type, to, lane_##lane x[ROW_LANES]; lanes_read_##lane(x, SOURCE(0), insn->mod); \
                        const enum round integral = MOD_GET(insn->mod, MOD_MODE, 4);                        \
                        , cvt_##to##_##lane(x[i], integral, insn->mod))

#include "simt/half_shapes.inc"

// Narrow floats: `lane` is the source; the expression gives the bits of the result.
#define HANDLER_CVT_PAIR(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, u32, ROWS_2, LANE_A(lane) LANE_B(lane), __VA_ARGS__)
#define HANDLER_CVT_ONE(id, type, lane, ...) HANDLER_EXPRESSION(id, type, u32, ROWS_1, LANE_A(lane), __VA_ARGS__)

// The table unit: `f` of approx.h on the bits of f32.
#define HANDLER_MUFU_F(id, type, lane, f) \
    HANDLER_EXPRESSION(id, type, u32, ROWS_1, LANE_A(u32), f(a, MOD_GET(insn->mod, MOD_FTZ, 1)))
#define HANDLER_MUFU_FF(id, type, lane, f) \
    HANDLER_EXPRESSION(id, type, u32, ROWS_2, LANE_A(u32) LANE_B(u32), f(a, b, MOD_GET(insn->mod, MOD_FTZ, 1)))

// Video instructions: the signs are in the modifiers.
#define HANDLER_V_TT(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, u32, ROWS_2, LANE_A(u32) LANE_B(u32), __VA_ARGS__)
#define HANDLER_V_TTT(id, type, lane, ...) \
    HANDLER_EXPRESSION(id, type, u32, ROWS_3, LANE_A(u32) LANE_B(u32) LANE_C(u32), __VA_ARGS__)

// ---- carry chains ----------------------------------------------------------------------------------

#define HANDLER_CARRY(id, type, lane, rows, declare, ...)       \
    HANDLER_FUNCTION(id, type)                                  \
    {                                                           \
        (void)sim;                                              \
        rows uint32_t result[WORDS_##lane * ROW_LANES];         \
        lanemask carry = 0;                                     \
        EACH_LANE(i)                                            \
        {                                                       \
            UNUSED_OK const uint32_t in = warp->carry >> i & 1; \
            uint32_t new_carry = in;                            \
            UNUSED_OK uint32_t *out = &new_carry;               \
            declare set_##lane(result, i, (__VA_ARGS__));       \
            carry |= new_carry << i;                            \
        }                                                       \
        warp->carry = (warp->carry & ~on) | (carry & on);       \
        put_rows(warp, insn->dst, result, WORDS_##lane, on);    \
        return STEP_PLAIN;                                      \
    }
#define HANDLER_CARRY_TT(id, type, lane, ...) \
    HANDLER_CARRY(id, type, lane, ROWS_2, LANE_A(lane) LANE_B(lane), __VA_ARGS__)
#define HANDLER_CARRY_TTT(id, type, lane, ...) \
    HANDLER_CARRY(id, type, lane, ROWS_3, LANE_A(lane) LANE_B(lane) LANE_C(lane), __VA_ARGS__)

#endif
