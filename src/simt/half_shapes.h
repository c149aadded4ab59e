// Shapes of ptx.def for floats of 16 bits: H stands for a value, or a pair of them in 32 bits. `a b c` of an expression are
// widened to f32; its value is rounded to 16 bits.
#ifndef SIMT_HALF_SHAPES_H
#define SIMT_HALF_SHAPES_H
#include "simt/narrow.h"

#define HALF_OPERAND(name, row, lane) \
    UNUSED_OK const float name = half_read(HALF_KIND_##lane, (row)[i] >> 16 * part, mod);
#define HANDLER_HALF(id, type, lane, rows, declare, ...)                                             \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        const uint32_t mod = insn->mod;                                                              \
        rows uint32_t out[ROW_LANES];                                                                \
        EACH_LANE(i) out[i] = 0;                                                                     \
        for (int part = 0; part < HALF_PARTS_##lane; part++)                                         \
            EACH_LANE(i)                                                                             \
            {                                                                                        \
                declare out[i] |= half_finish(HALF_KIND_##lane, (__VA_ARGS__), mod) << 16 * part;    \
            }                                                                                        \
        put_rows(warp, insn->dst, out, 1, on);                                                       \
        return STEP_PLAIN;                                                                           \
    }
#define HANDLER_H_H(id, type, lane, ...) \
    HANDLER_HALF(id, type, lane, ROWS_1, HALF_OPERAND(a, pa, lane), __VA_ARGS__)
#define HANDLER_H_HH(id, type, lane, ...) \
    HANDLER_HALF(id, type, lane, ROWS_2, HALF_OPERAND(a, pa, lane) HALF_OPERAND(b, pb, lane), __VA_ARGS__)
#define HANDLER_H_HHH(id, type, lane, ...)                                                             \
    HANDLER_HALF(id, type, lane, ROWS_3,                                                               \
                 HALF_OPERAND(a, pa, lane) HALF_OPERAND(b, pb, lane) HALF_OPERAND(c, pc, lane), __VA_ARGS__)

// Bits of each value: `h` is one of them.
#define HANDLER_H_BITS(id, type, lane, ...)                                                          \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        const enum half_kind kind = HALF_KIND_##lane;                                                \
        const bool ftz = MOD_GET(insn->mod, MOD_FTZ, 1);                                             \
        ROWS_1 uint32_t out[ROW_LANES];                                                              \
        EACH_LANE(i) out[i] = 0;                                                                     \
        for (int part = 0; part < HALF_PARTS_##lane; part++)                                         \
            EACH_LANE(i)                                                                             \
            {                                                                                        \
                const uint32_t bits = pa[i] >> 16 * part & 0xffff, h = ftz ? half_flush(kind, bits) : bits; \
                out[i] |= (uint32_t)(__VA_ARGS__) << 16 * part;                                      \
            }                                                                                        \
        put_rows(warp, insn->dst, out, 1, on);                                                       \
        return STEP_PLAIN;                                                                           \
    }

// ---- comparisons -----------------------------------------------------------------------------------

// Lanes whose part `part` (0: lower, 1: upper) compares true; .ftz is done by compare_f32, whose bound is that of bf16,
// and here for f16.
#define DEFINE_COMPARE_HALF(lane)                                                                    \
    static UNUSED_OK lanemask compare_##lane(const uint32_t *pa, const uint32_t *pb, uint32_t mod, int part) \
    {                                                                                                \
        uint32_t a[ROW_LANES], b[ROW_LANES];                                                         \
        EACH_LANE(i) a[i] = bits_of_f32(half_read(HALF_KIND_##lane, pa[i] >> 16 * part, mod));       \
        EACH_LANE(i) b[i] = bits_of_f32(half_read(HALF_KIND_##lane, pb[i] >> 16 * part, mod));       \
        return compare_f32(a, b, mod);                                                               \
    }
DEFINE_COMPARE_HALF(f16)
DEFINE_COMPARE_HALF(bf16)
#define compare_f16x2 compare_f16
#define compare_bf16x2 compare_bf16

// Of a pair, p is the answer for the lower and q for the upper value; else q is the opposite of p.
#define HANDLER_SETP_HALF(id, type, lane, ...)                                                       \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        const lanemask low = compare_##lane(SOURCE(0), SOURCE(1), insn->mod, 0);                     \
        const lanemask other =                                                                       \
            HALF_PARTS_##lane == 2 ? compare_##lane(SOURCE(0), SOURCE(1), insn->mod, 1) : ~low;      \
        const lanemask p = combine_preds(low, warp, insn), q = combine_preds(other, warp, insn);     \
        pred_write(warp, insn->pdst[0], p, on);                                                      \
        pred_write(warp, insn->pdst[1], q, on);                                                      \
        return STEP_PLAIN;                                                                           \
    }
// The expression is what true gives, for a single value and for each of a pair.
#define HANDLER_SET_HALF(id, type, lane, ...)                                                        \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        uint32_t out[ROW_LANES];                                                                     \
        EACH_LANE(i) out[i] = 0;                                                                     \
        for (int part = 0; part < HALF_PARTS_##lane; part++) {                                       \
            const lanemask mask =                                                                    \
                combine_preds(compare_##lane(SOURCE(0), SOURCE(1), insn->mod, part), warp, insn);    \
            EACH_LANE(i) out[i] |= mask & lane_bit[i] ? (uint32_t)(__VA_ARGS__) << 16 * part : 0;    \
        }                                                                                            \
        put_rows(warp, insn->dst, out, 1, on);                                                       \
        return STEP_PLAIN;                                                                           \
    }

// ---- conversions -----------------------------------------------------------------------------------

// From a half: to integers (rounded to an integral value first), to f32 and f64.
#define HANDLER_CVT_IH(id, type, lane, to)                                                           \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        const enum round direction = MOD_GET(insn->mod, MOD_MODE, 4);                                \
        ROWS_1 uint32_t out[WORDS_##to * ROW_LANES];                                                 \
        EACH_LANE(i)                                                                                 \
        {                                                                                            \
            const float x = half_read(HALF_KIND_##lane, pa[i], insn->mod);                           \
            set_##to(out, i, to##_from_f32(round_integral_f32(x, direction), NAN_AS_INTEGER(lane_##to, 2))); \
        }                                                                                            \
        put_rows(warp, insn->dst, out, WORDS_##to, on);                                              \
        return STEP_PLAIN;                                                                           \
    }
#define HANDLER_CVT_FH(id, type, lane, to)                                                           \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        ROWS_1 lane_##to r[ROW_LANES];                                                               \
        EACH_LANE(i) r[i] = canonical_##to((lane_##to)half_widen(HALF_KIND_##lane, pa[i]));          \
        lanes_finish_##to(r, insn->mod);                                                             \
        lanes_put_##to(warp, insn->dst, r, on);                                                      \
        return STEP_PLAIN;                                                                           \
    }
// To a half: from f32 to nearest quickly, anything else by way of an exact value.
enum { NARROW_MODIFIERS = FLOAT_MODIFIERS | 1 << MOD_RELU | 1 << MOD_SATFINITE };
#define HANDLER_CVT_HS(id, type, lane, to)                                                           \
    HANDLER_FUNCTION(id, type)                                                                       \
    {                                                                                                \
        (void)sim;                                                                                   \
        const uint32_t mod = insn->mod;                                                              \
        ROWS_1 uint32_t out[ROW_LANES];                                                              \
        if ((mod & NARROW_MODIFIERS) || MOD_GET(mod, MOD_ROUND, 3) > ROUND_RN)                       \
            EACH_LANE(i) out[i] = narrow_f32(FLOAT_KIND_##to, get_f32(pa, i), mod);                  \
        else                                                                                         \
            EACH_LANE(i) out[i] = half_narrow(HALF_KIND_##to, get_f32(pa, i));                       \
        put_rows(warp, insn->dst, out, 1, on);                                                       \
        return STEP_PLAIN;                                                                           \
    }
#define EXACT_OF_SIGNED(x) exact_of_signed(x)
#define EXACT_OF(x)                                                                                  \
    _Generic((x), double : exact_of_f64, uint64_t : exact_of_unsigned, default : exact_of_signed)(x)
#define HANDLER_CVT_HX(id, type, lane, to)                                                           \
    HANDLER_EXPRESSION(id, type, u16, ROWS_1, LANE_A(lane), narrow(FLOAT_KIND_##to, EXACT_OF(a), insn->mod))
#define HANDLER_CVT_HH(id, type, lane, to)                                                           \
    HANDLER_EXPRESSION(id, type, u16, ROWS_1 const enum round direction = MOD_GET(insn->mod, MOD_MODE, 4);, \
                       const double a = (double)round_integral_f32(half_read(HALF_KIND_##lane, pa[i], insn->mod), \
                                                                   direction);,                      \
                       narrow(FLOAT_KIND_##to, exact_of_f64(a), insn->mod))
#endif
