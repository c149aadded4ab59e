// The shapes of machine.def, beside those of shapes.h: sources with signs, carries in predicates, and the like. How a
// handler is built: see shapes.h.
#ifndef SIMT_MACHINE_SHAPES_H
#define SIMT_MACHINE_SHAPES_H
#include "simt/shapes.h"

// Source k as a whole number with its sign: -x = ~x + 1 is (x ^ mask) - mask, so that no lane branches.
#define SIGN_MASK(k) (0u - (insn->src_negated >> (k) & 1u))
// A float's sign bits: (x & FLOAT_AND(k)) ^ FLOAT_XOR(k) is x, |x|, -x or -|x|.
#define FLOAT_AND(k) (insn->src_absolute >> (k) & 1 ? 0x7fffffffu : 0xffffffffu)
#define FLOAT_XOR(k) (insn->src_negated >> (k) & 1 ? 0x80000000u : 0)
#define LANE_OF(mask, i) ((mask) & lane_bit[i] ? 1u : 0)
#define MASK_A const uint32_t ma = SIGN_MASK(0);
#define MASK_B const uint32_t mb = SIGN_MASK(1);
#define MASK_C const uint32_t mc = SIGN_MASK(2);
#define CARRY_IN const lanemask carries = pred_read(warp, insn->psrc[0]);

// ---- sums ------------------------------------------------------------------------------------------

// The sum of three signed sources, without carries.
#define HANDLER_SUM_3(id, type, lane, ...)                                                                            \
    HANDLER_EXPRESSION(id, type, u32, ROWS_3 MASK_A MASK_B MASK_C, const uint32_t x = (pa[i] ^ ma) - ma;              \
                       const uint32_t y = (pb[i] ^ mb) - mb; const uint32_t z = (pc[i] ^ mc) - mc;, __VA_ARGS__)
#define HANDLER_SUM_IN(id, type, lane, ...)                                                                           \
    HANDLER_EXPRESSION(id, type, u32, ROWS_2 CARRY_IN, LANE_A(u32) LANE_B(u32) const uint32_t in = LANE_OF(carries, i); \
                       , __VA_ARGS__)
// `...` is the condition of the carry.
#define HANDLER_SUM_OUT(id, type, lane, expression, ...)                                                              \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_2 uint32_t out[ROW_LANES];                                                                               \
        lanemask carry = 0;                                                                                           \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            UNUSED_OK LANE_A(u32) LANE_B(u32) const uint32_t sum = (expression);                                      \
            out[i] = sum;                                                                                             \
            carry |= (__VA_ARGS__) ? lane_bit[i] : 0;                                                                 \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], carry, on);                                                                   \
        return STEP_PLAIN;                                                                                            \
    }

// Carries in from psrc[0] and psrc[1], out to pdst[0] (at least one) and pdst[1] (two). Negated sources are inverted;
// insn->extra ones are added, which makes them negative.
#define HANDLER_SUM_CARRY(id, type, lane, ...)                                                                        \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 MASK_A MASK_B MASK_C const uint32_t ones = insn->extra;                                                \
        const lanemask first = pred_read(warp, insn->psrc[0]), second = pred_read(warp, insn->psrc[1]);               \
        uint32_t out[ROW_LANES];                                                                                      \
        lanemask one = 0, two = 0;                                                                                    \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const uint64_t sum = (uint64_t)(pa[i] ^ ma) + (pb[i] ^ mb) + (pc[i] ^ mc) + ones + LANE_OF(first, i) +    \
                                 LANE_OF(second, i);                                                                  \
            out[i] = (uint32_t)sum;                                                                                   \
            one |= sum >> 32 ? lane_bit[i] : 0;                                                                       \
            two |= sum >> 33 ? lane_bit[i] : 0;                                                                       \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], one, on);                                                                     \
        pred_write(warp, insn->pdst[1], two, on);                                                                     \
        return STEP_PLAIN;                                                                                            \
    }

// ---- products --------------------------------------------------------------------------------------

// Sign 0 is the product's, sign 2 the addend's, which is inverted where there is a carry in: -c - 1 = ~c.
#define HANDLER_PRODUCT_SUM(id, type, lane, ...)                                                                      \
    HANDLER_EXPRESSION(id, type, u32, ROWS_3 CARRY_IN MASK_A MASK_C const uint32_t ones = insn->extra;                \
                       , const uint32_t product = pa[i] * pb[i]; UNUSED_OK const uint32_t in = LANE_OF(carries, i);   \
                       , ((product ^ ma) - ma) + (pc[i] ^ mc) + ones + (__VA_ARGS__))
#define HANDLER_PRODUCT_HIGH(id, type, lane, ...)                                                                     \
    HANDLER_EXPRESSION(id, type, u32, ROWS_3, LANE_A(lane) LANE_B(lane), ((uint64_t)(__VA_ARGS__) + get_u64(pc, i)) >> 32)
// 64 bits with signs and carries; MOD_MODE 1: only the upper word is written.
#define HANDLER_PRODUCT_CARRY(id, type, lane, ...)                                                                    \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 CARRY_IN const uint64_t mp = 0 - (uint64_t)(insn->src_negated & 1),                                    \
                                       mc = 0 - (uint64_t)(insn->src_negated >> 2 & 1);                               \
        uint32_t out[2 * ROW_LANES];                                                                                  \
        lanemask carry = 0;                                                                                           \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            LANE_A(lane) LANE_B(lane) const uint64_t product = ((uint64_t)(__VA_ARGS__) ^ mp) - mp;                   \
            const uint128 sum = (uint128)product + (get_u64(pc, i) ^ mc) + insn->extra + LANE_OF(carries, i);         \
            set_u64(out, i, (uint64_t)sum);                                                                           \
            carry |= sum >> 64 ? lane_bit[i] : 0;                                                                     \
        }                                                                                                             \
        const bool is_high = MOD_GET(insn->mod, MOD_MODE, 4);                                                         \
        put_rows(warp, insn->dst, out + (is_high ? ROW_LANES : 0), is_high ? 1 : 2, on);                              \
        pred_write(warp, insn->pdst[0], carry, on);                                                                   \
        return STEP_PLAIN;                                                                                            \
    }

// ---- shift and add -----------------------------------------------------------------------------------

// Upper word of c:a shifted, plus b and a carry. insn->extra is the shift.
#define HANDLER_LEA_HIGH(id, type, lane, ...)                                                                         \
    HANDLER_EXPRESSION(id, type, u32, ROWS_3 CARRY_IN, LANE_A(u32) UNUSED_OK LANE_C(u32), (__VA_ARGS__) + pb[i] +      \
                       LANE_OF(carries, i))
// All the rest. extra: shift in bits 0 to 4, then enum lea_flag; signs 0 and 1 invert the shifted value and b.
enum lea_flag { LEA_SHIFT = 31, LEA_IS_HIGH = 32, LEA_IS_SX32 = 64, LEA_ADDS_ONE = 128 };
static inline uint32_t lea_shifted(uint32_t a, uint32_t c, uint32_t extra)
{
    const uint32_t upper = extra & LEA_IS_SX32 ? 0 - (a >> 31) : c;
    return extra & LEA_IS_HIGH ? funnel_left(a, upper, extra & LEA_SHIFT) : a << (extra & LEA_SHIFT);
}
#define HANDLER_LEA_SIGNED(id, type, lane, ...)                                                                       \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 CARRY_IN MASK_A MASK_B const uint32_t one = insn->extra / LEA_ADDS_ONE;                                \
        uint32_t out[ROW_LANES];                                                                                      \
        lanemask carry = 0;                                                                                           \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const uint64_t sum = (uint64_t)(lea_shifted(pa[i], pc[i], insn->extra) ^ ma) + (pb[i] ^ mb) + one +       \
                                 LANE_OF(carries, i);                                                                 \
            out[i] = (uint32_t)sum;                                                                                   \
            carry |= sum >> 32 ? lane_bit[i] : 0;                                                                     \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], carry, on);                                                                   \
        return STEP_PLAIN;                                                                                            \
    }

// Bits of a 64-bit shift of b:a by c.
enum machine_shift { SHIFT_RIGHT_WAY = 1, SHIFT_WRAPS = 2, SHIFT_OF_64 = 4, SHIFT_SIGNED = 8, SHIFT_HIGH = 16 };
static inline uint32_t machine_shift(uint32_t low, uint32_t high, uint32_t n, uint32_t how)
{
    const uint32_t width = how & SHIFT_OF_64 ? 64 : 32;
    const uint64_t value = (uint64_t)high << 32 | low;
    n = how & SHIFT_WRAPS ? n & (width - 1) : n < width ? n : width;
    const uint64_t left = n < 64 ? value << n : 0;
    const uint64_t right = how & SHIFT_SIGNED ? (uint64_t)((int64_t)value >> (n < 64 ? n : 63)) : n < 64 ? value >> n : 0;
    const uint64_t result = how & SHIFT_RIGHT_WAY ? right : left;
    return (uint32_t)(how & SHIFT_HIGH ? result >> 32 : result);
}

// |x - y| of four bytes.
static inline uint32_t byte_differences(uint32_t a, uint32_t b, uint32_t is_signed)
{
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const uint8_t x = (uint8_t)(a >> shift), y = (uint8_t)(b >> shift);
        const int32_t difference = is_signed ? (int8_t)x - (int8_t)y : x - y;
        result |= (uint32_t)(difference < 0 ? -difference : difference) << shift;
    }
    return result;
}

// |a - b| + c, and its carry.
#define HANDLER_DIFFERENCE_SUM(id, type, lane, ...)                                                                   \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 uint32_t out[ROW_LANES];                                                                               \
        lanemask carry = 0;                                                                                           \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            LANE_A(lane) LANE_B(lane) const uint32_t difference = a < b ? pb[i] - pa[i] : pa[i] - pb[i];              \
            out[i] = difference + pc[i];                                                                              \
            carry |= out[i] < pc[i] ? lane_bit[i] : 0;                                                                \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], carry, on);                                                                   \
        return STEP_PLAIN;                                                                                            \
    }
// The predicate is a carry that there never is.
#define HANDLER_BYTE_DIFFERENCES(id, type, lane, ...)                                                                 \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_2 uint32_t out[ROW_LANES];                                                                               \
        EACH_LANE(i) out[i] = byte_differences(pa[i], pb[i], insn->extra);                                            \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], 0, on);                                                                       \
        return STEP_PLAIN;                                                                                            \
    }
// The highest bit that differs from the sign (-1: none), and whether there is one. extra: bits of enum find.
enum find { FIND_SIGNED = 1, FIND_SHIFT = 2 };
#define HANDLER_FIND_BIT(id, type, lane, ...)                                                                         \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const uint32_t *pa = SOURCE(0);                                                                               \
        uint32_t out[ROW_LANES];                                                                                      \
        lanemask found = 0;                                                                                           \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const uint32_t x = insn->extra & FIND_SIGNED && pa[i] >> 31 ? ~pa[i] : pa[i];                             \
            const uint32_t zeros = x ? (uint32_t)__builtin_clz(x) : 0;                                                \
            out[i] = !x ? UINT32_MAX : insn->extra & FIND_SHIFT ? zeros : 31 - zeros;                                 \
            found |= x ? lane_bit[i] : 0;                                                                             \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], found, on);                                                                   \
        return STEP_PLAIN;                                                                                            \
    }

// ---- comparisons, logic ------------------------------------------------------------------------------

// min or max of a + b and c, as psrc[0] says; MOD_RELU.
#define HANDLER_ADD_MINMAX(id, type, lane, ...)                                                                       \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3 MASK_A MASK_B const lanemask mins = pred_read(warp, insn->psrc[0]);     \
                       const bool relu = MOD_GET(insn->mod, MOD_RELU, 1);                                             \
                       , const lane_##lane a = (lane_##lane)((pa[i] ^ ma) - ma + (pb[i] ^ mb) - mb); LANE_C(lane)     \
                       const lane_##lane r = (LANE_OF(mins, i) != 0) == (a < c) ? a : c;                              \
                       , relu && (int32_t)r < 0 ? 0 : r)

// min or max of a, b and c, as psrc[0] says; MOD_RELU.
#define EXTREME_OF_3(type)                                                                                            \
    static inline type extreme_##type(type a, type b, type c, bool is_min, bool relu)                                 \
    {                                                                                                                 \
        const type ab = is_min == (a < b) ? a : b, r = is_min == (ab < c) ? ab : c;                                   \
        return relu && r >> (8 * sizeof r - 1) ? 0 : r;                                                               \
    }
EXTREME_OF_3(uint32_t)
EXTREME_OF_3(int32_t)
EXTREME_OF_3(uint16_t)
EXTREME_OF_3(int16_t)
#define EXTREME_OF_HALVES(type)                                                                                       \
    static inline uint32_t extreme_##type##x2(uint32_t a, uint32_t b, uint32_t c, bool is_min, bool relu)             \
    {                                                                                                                 \
        return (uint16_t)extreme_##type((type)a, (type)b, (type)c, is_min, relu) |                                    \
               (uint32_t)(uint16_t)extreme_##type((type)(a >> 16), (type)(b >> 16), (type)(c >> 16), is_min, relu) << 16; \
    }
EXTREME_OF_HALVES(uint16_t)
EXTREME_OF_HALVES(int16_t)
#define EXTREME_u32 extreme_uint32_t
#define EXTREME_s32 extreme_int32_t
#define EXTREME_u16x2 extreme_uint16_tx2
#define EXTREME_s16x2 extreme_int16_tx2
#define HANDLER_MINMAX_3(id, type, lane, ...)                                                                         \
    HANDLER_EXPRESSION(id, type, lane, ROWS_3 const lanemask mins = pred_read(warp, insn->psrc[0]);                   \
                       const bool relu = MOD_GET(insn->mod, MOD_RELU, 1);                                             \
                       , LANE_A(lane) LANE_B(lane) LANE_C(lane), EXTREME_##lane(a, b, c, LANE_OF(mins, i) != 0, relu))

// Of 64-bit values by words: these are the upper ones, psrc[1] is the answer of the lower ones.
#define HANDLER_SETP_EXTENDED(id, type, lane, ...)                                                                    \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const uint32_t relation = MOD_GET(insn->mod, MOD_CMP, 5);                                                     \
        const uint32_t strict = MOD_FIELD(relation == CMP_LE   ? CMP_LT                                               \
                                          : relation == CMP_GE ? CMP_GT                                               \
                                                               : relation, MOD_CMP);                                  \
        const lanemask equal = compare_u32(SOURCE(0), SOURCE(1), MOD_FIELD(CMP_EQ, MOD_CMP));                         \
        const lanemask low = pred_read(warp, insn->psrc[1]);                                                          \
        const lanemask mask = relation == CMP_EQ ? equal & low                                                        \
                                                 : compare_##lane(SOURCE(0), SOURCE(1), strict) | (equal & low);      \
        const lanemask p = combine_preds(mask, warp, insn), q = combine_preds(~mask, warp, insn);                     \
        pred_write(warp, insn->pdst[0], p, on);                                                                       \
        pred_write(warp, insn->pdst[1], q, on);                                                                       \
        return STEP_PLAIN;                                                                                            \
    }

// Any function of three words, and whether its result is not zero, or psrc[0] holds (MOD_MODE 1: and psrc[0] holds).
#define HANDLER_LOGIC_PRED(id, type, lane, ...)                                                                       \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 uint32_t out[ROW_LANES];                                                                               \
        const lanemask other = pred_read(warp, insn->psrc[0]);                                                        \
        lanemask some = 0;                                                                                            \
        EACH_LANE(i) out[i] = lop3(pa[i], pb[i], pc[i], insn->extra);                                                 \
        EACH_LANE(i) some |= out[i] ? lane_bit[i] : 0;                                                                \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        pred_write(warp, insn->pdst[0], MOD_GET(insn->mod, MOD_MODE, 4) ? some & other : some | other, on);           \
        return STEP_PLAIN;                                                                                            \
    }
// Two functions of three predicates; their tables are bits 0 to 7 and 8 to 15 of extra.
#define HANDLER_PREDS_LOGIC(id, type, lane, ...)                                                                      \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const lanemask a = pred_read(warp, insn->psrc[0]), b = pred_read(warp, insn->psrc[1]),                        \
                       c = pred_read(warp, insn->psrc[2]);                                                            \
        const lanemask p = lop3(a, b, c, insn->extra & 0xff), q = lop3(a, b, c, insn->extra >> 8);                    \
        pred_write(warp, insn->pdst[0], p, on);                                                                       \
        pred_write(warp, insn->pdst[1], q, on);                                                                       \
        return STEP_PLAIN;                                                                                            \
    }

// The same of the upper bits of three words.
static UNUSED_OK lanemask signs_of(const uint32_t *row)
{
    lanemask mask = 0;
    EACH_LANE(i) mask |= row[i] >> 31 ? lane_bit[i] : 0;
    return mask;
}
#define HANDLER_SIGNS_LOGIC(id, type, lane, ...)                                                                      \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const lanemask a = signs_of(SOURCE(0)), b = signs_of(SOURCE(1)), c = signs_of(SOURCE(2));                     \
        pred_write(warp, insn->pdst[0], lop3(a, b, c, insn->extra & 0xff), on);                                       \
        pred_write(warp, insn->pdst[1], lop3(a, b, c, insn->extra >> 8), on);                                         \
        return STEP_PLAIN;                                                                                            \
    }

// ---- floating point with signs -------------------------------------------------------------------------

static inline float signed_lane_f32(const uint32_t *row, int i, uint32_t sign_and, uint32_t sign_xor)
{
    return f32_of_bits((row[i] & sign_and) ^ sign_xor);
}
// NaN keeps the sign that it has.
static inline double signed_lane_f64(const uint32_t *row, int i, uint32_t sign_and, uint32_t sign_xor)
{
    const double as_it_is = f64_of_bits(row[i] | (uint64_t)row[ROW_LANES + i] << 32);
    const double with_sign = f64_of_bits(row[i] | (uint64_t)((row[ROW_LANES + i] & sign_and) ^ sign_xor) << 32);
    return as_it_is != as_it_is ? as_it_is : with_sign;
}
#define SIGNS_2                                                                                                       \
    const uint32_t and_a = FLOAT_AND(0), and_b = FLOAT_AND(1), xor_a = FLOAT_XOR(0), xor_b = FLOAT_XOR(1);
#define SIGNS_3 SIGNS_2 const uint32_t and_c = FLOAT_AND(2), xor_c = FLOAT_XOR(2);
#define SIGNED_A(lane) const lane_##lane a = signed_lane_##lane(pa, i, and_a, xor_a);
#define SIGNED_B(lane) const lane_##lane b = signed_lane_##lane(pb, i, and_b, xor_b);
#define SIGNED_C(lane) const lane_##lane c = signed_lane_##lane(pc, i, and_c, xor_c);

// The sources of the expression with their signs, as arrays to be flushed.
#define DEFINE_SIGNED_LANES(lane)                                                                                     \
    static UNUSED_OK void lanes_signed_##lane(lane_##lane *out, const struct warp *warp, const struct insn *insn, int k) \
    {                                                                                                                 \
        const uint32_t *row = SOURCE(k), sign_and = FLOAT_AND(k), sign_xor = FLOAT_XOR(k);                            \
        EACH_LANE(i) out[i] = signed_lane_##lane(row, i, sign_and, sign_xor);                                         \
        if (MOD_GET(insn->mod, MOD_FTZ, 1))                                                                           \
            EACH_LANE(i) out[i] = flush_##lane(out[i]);                                                               \
    }
DEFINE_SIGNED_LANES(f32)
DEFINE_SIGNED_LANES(f64)

// FMUL.D8 … .M8 are 1 … 7; 4 is no scale.
static inline double scale_factor(uint32_t scale)
{
    return (double)(1u << scale) / 16;
}

// With modifiers: rounding is set around the loop, as in shapes.h.
#define SIGNED_WITH_MODIFIERS(id, type, lane, n, ...)                                                                 \
    static __attribute__((noinline)) void h_##id##_##type##_modified(struct warp *warp, const struct insn *insn,      \
                                                                     lanemask on)                                     \
    {                                                                                                                 \
        lane_##lane r[ROW_LANES], operands[3][ROW_LANES];                                                             \
        for (int k = 0; k < (n); k++)                                                                                 \
            lanes_signed_##lane(operands[k], warp, insn, k);                                                          \
        const int direction = rounding_of(insn->mod);                                                                 \
        if (direction != FE_TONEAREST)                                                                                \
            fesetround(direction);                                                                                    \
        work_stays_here(operands);                                                                                    \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            UNUSED_OK const lane_##lane a = operands[0][i], b = operands[1][i], c = operands[(n) > 2 ? 2 : 0][i];     \
            r[i] = canonical_##lane(__VA_ARGS__);                                                                     \
        }                                                                                                             \
        work_stays_here(r);                                                                                           \
        if (direction != FE_TONEAREST)                                                                                \
            fesetround(FE_TONEAREST);                                                                                 \
        lanes_finish_##lane(r, insn->mod);                                                                            \
        FLOAT_PUT(lane, n, r)                                                                                         \
    }
#define HANDLER_SIGNED(id, type, lane, n, rows, declare, ...)                                                         \
    SIGNED_WITH_MODIFIERS(id, type, lane, n, __VA_ARGS__)                                                             \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        if (__builtin_expect(has_float_modifiers(insn->mod), 0)) {                                                    \
            h_##id##_##type##_modified(warp, insn, on);                                                               \
            return STEP_PLAIN;                                                                                        \
        }                                                                                                             \
        rows uint32_t out[WORDS_##lane * ROW_LANES];                                                                  \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            declare set_##lane(out, i, canonical_##lane(__VA_ARGS__));                                                \
        }                                                                                                             \
        keep_nan_##lane(out, warp, insn, n);                                                                          \
        put_rows(warp, insn->dst, out, WORDS_##lane, on);                                                             \
        return STEP_PLAIN;                                                                                            \
    }
#define HANDLER_SIGNED_FF(id, type, lane, ...) \
    HANDLER_SIGNED(id, type, lane, 2, ROWS_2 SIGNS_2, SIGNED_A(lane) SIGNED_B(lane), __VA_ARGS__)
#define HANDLER_SIGNED_FFF(id, type, lane, ...) \
    HANDLER_SIGNED(id, type, lane, 3, ROWS_3 SIGNS_3, SIGNED_A(lane) SIGNED_B(lane) SIGNED_C(lane), __VA_ARGS__)

// a where psrc[0] holds, else b.
#define HANDLER_SIGNED_FFP(id, type, lane, ...)                                                                       \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const lanemask firsts = pred_read(warp, insn->psrc[0]);                                                       \
        lane_##lane r[ROW_LANES], a[ROW_LANES], b[ROW_LANES];                                                         \
        lanes_signed_##lane(a, warp, insn, 0);                                                                        \
        lanes_signed_##lane(b, warp, insn, 1);                                                                        \
        EACH_LANE(i) r[i] = firsts & lane_bit[i] ? a[i] : b[i];                                                       \
        lanes_put_##lane(warp, insn->dst, r, on);                                                                     \
        return STEP_PLAIN;                                                                                            \
    }

// The magnitude of what was chosen, with the sign of the product of the sources as the registers have them.
static inline float with_sign_of_product(float chosen, const uint32_t *pa, const uint32_t *pb, int i)
{
    const uint32_t sign = (pa[i] ^ pb[i]) & 0x80000000u;
    return chosen != chosen ? chosen : f32_of_bits((bits_of_f32(chosen) & 0x7fffffffu) | sign);
}

// min where psrc[0] holds, else max. MOD_ABS: .XORSIGN
#define HANDLER_FLOAT_MINMAX(id, type, lane, ...)                                                                     \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const lanemask mins = pred_read(warp, insn->psrc[0]);                                                         \
        lane_##lane r[ROW_LANES], a[ROW_LANES], b[ROW_LANES];                                                         \
        lanes_signed_##lane(a, warp, insn, 0);                                                                        \
        lanes_signed_##lane(b, warp, insn, 1);                                                                        \
        const uint32_t choice = insn->mod & ~MOD_FIELD(1, MOD_ABS);                                                   \
        EACH_LANE(i) r[i] = canonical_##lane(extreme_##lane(a[i], b[i], choice, !(mins & lane_bit[i])));              \
        if (MOD_GET(insn->mod, MOD_ABS, 1))                                                                           \
            EACH_LANE(i) r[i] = with_sign_of_product(r[i], SOURCE(0), SOURCE(1), i);                                  \
        lanes_finish_##lane(r, insn->mod);                                                                            \
        lanes_put_##lane(warp, insn->dst, r, on);                                                                     \
        return STEP_PLAIN;                                                                                            \
    }

// Of min or max (MOD_MODE 1): p where a is chosen, q where both are NaN. What is chosen: see min_f64.
#define HANDLER_SETP_MINMAX(id, type, lane, ...)                                                                      \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        const bool want_max = MOD_GET(insn->mod, MOD_MODE, 4);                                                        \
        lane_##lane a[ROW_LANES], b[ROW_LANES];                                                                       \
        lanes_signed_##lane(a, warp, insn, 0);                                                                        \
        lanes_signed_##lane(b, warp, insn, 1);                                                                        \
        lanemask first = 0, neither = 0;                                                                              \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const bool is_first = a[i] == b[i]                    ? !signbit(a[i]) == want_max                        \
                                  : a[i] != a[i] || b[i] != b[i] ? a[i] == a[i]                                       \
                                                                 : (a[i] > b[i]) == want_max;                         \
            first |= is_first ? lane_bit[i] : 0;                                                                      \
            neither |= a[i] != a[i] && b[i] != b[i] ? lane_bit[i] : 0;                                                \
        }                                                                                                             \
        pred_write(warp, insn->pdst[0], first, on);                                                                   \
        pred_write(warp, insn->pdst[1], neither, on);                                                                 \
        return STEP_PLAIN;                                                                                            \
    }

// Whether a quotient needs more than the fast sequence: operands or result near the ends of the range. Measured on an H200
// over all pairs of exponents with four kinds of fractions, which do not matter (tests/data/fchk_h200.bin.zst).
static inline bool division_is_hard(uint32_t a, uint32_t b)
{
    const int ea = (int)(a >> 23 & 0xff), eb = (int)(b >> 23 & 0xff);
    return ea <= 24 || ea == 255 || eb <= 1 || eb >= 252 || ea - eb >= 127 || eb - ea >= 125;
}
#define HANDLER_DIVISION_CHECK(id, type, lane, ...)                                                                   \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_2 lanemask mask = 0;                                                                                     \
        EACH_LANE(i) mask |= division_is_hard(pa[i], pb[i]) ? lane_bit[i] : 0;                                        \
        pred_write(warp, insn->pdst[0], mask, on);                                                                    \
        return STEP_PLAIN;                                                                                            \
    }

// Sum of two halves in f32: bits 0 and 1 of extra choose the upper half of a and b.
#define HANDLER_HALF_SUM(id, type, lane, ...)                                                                         \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_2 SIGNS_2 const uint32_t shift_a = 16 * (insn->extra & 1), shift_b = 16 * (insn->extra >> 1 & 1);        \
        lane_f32 r[ROW_LANES];                                                                                        \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const float a = half_read(HALF_KIND_##lane, pa[i] >> shift_a, insn->mod),                                 \
                        b = half_read(HALF_KIND_##lane, pb[i] >> shift_b, insn->mod);                                 \
            r[i] = canonical_f32(f32_of_bits((bits_of_f32(a) & and_a) ^ xor_a) +                                      \
                                 f32_of_bits((bits_of_f32(b) & and_b) ^ xor_b));                                      \
        }                                                                                                             \
        lanes_finish_f32(r, insn->mod);                                                                               \
        lanes_put_f32(warp, insn->dst, r, on);                                                                        \
        return STEP_PLAIN;                                                                                            \
    }
#endif
