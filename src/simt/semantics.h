// What one lane computes, where it is more than a C operator: inline functions and macros that choose by lane
// type. Both instruction sets use them. UBSan-clean: signed results wrap through unsigned types, shifts are
// clamped first.
#ifndef SIMT_SEMANTICS_H
#define SIMT_SEMANTICS_H
#include "isa/isa.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

// One function for each integer lane type, chosen by the type of `a`.
#define BY_LANE(name, a)            \
    _Generic((a), uint16_t          \
             : name##_u16, int16_t  \
             : name##_s16, uint32_t \
             : name##_u32, int32_t  \
             : name##_s32, uint64_t \
             : name##_u64, int64_t  \
             : name##_s64)

#define WRAP_ADD(x, y) ((__typeof__(x))((uint64_t)(x) + (uint64_t)(y)))
#define WRAP_SUB(x, y) ((__typeof__(x))((uint64_t)(x) - (uint64_t)(y)))

// ---- 64 bits by halves, as they lie in two rows: vectors need no wider lanes ---------------------

struct halves {
    uint32_t low, high;
};

static inline struct halves add_halves(struct halves a, struct halves b)
{
    uint32_t low = a.low + b.low;
    return (struct halves){low, a.high + b.high + (low < a.low)};
}

static inline struct halves sub_halves(struct halves a, struct halves b)
{
    return (struct halves){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

#define EACH_HALF(a, operator, b) ((struct halves){a.low operator b.low, a.high operator b.high})

// ---- products --------------------------------------------------------------------------------------

#define DEFINE_MUL_HI(lane, type, wide, bits)         \
    static inline type mul_hi_##lane(type a, type b)  \
    {                                                 \
        return (type)(((wide)a * (wide)b) >> (bits)); \
    }
DEFINE_MUL_HI(u16, uint16_t, uint32_t, 16)
DEFINE_MUL_HI(s16, int16_t, int32_t, 16)
DEFINE_MUL_HI(u32, uint32_t, uint64_t, 32)
DEFINE_MUL_HI(s32, int32_t, int64_t, 32)
DEFINE_MUL_HI(u64, uint64_t, uint128, 64)
DEFINE_MUL_HI(s64, int64_t, int128, 64)
#define MUL_HI(a, b) BY_LANE(mul_hi, a)(a, b)

static inline uint16_t mul_lo_u16(uint16_t a, uint16_t b)
{
    return (uint16_t)((uint32_t)a * b);
}
static inline uint32_t mul_lo_u32(uint32_t a, uint32_t b)
{
    return a * b;
}
static inline uint64_t mul_lo_u64(uint64_t a, uint64_t b)
{
    return a * b;
}
#define MUL_LO(a, b) _Generic((a), uint16_t : mul_lo_u16, uint32_t : mul_lo_u32, uint64_t : mul_lo_u64)(a, b)

static inline uint32_t mul_wide_u16(uint16_t a, uint16_t b)
{
    return (uint32_t)a * b;
}
static inline int32_t mul_wide_s16(int16_t a, int16_t b)
{
    return (int32_t)a * b;
}
static inline uint64_t mul_wide_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}
static inline int64_t mul_wide_s32(int32_t a, int32_t b)
{
    return (int64_t)a * b;
}
#define MUL_WIDE(a, b)                \
    _Generic((a), uint16_t            \
             : mul_wide_u16, int16_t  \
             : mul_wide_s16, uint32_t \
             : mul_wide_u32, int32_t  \
             : mul_wide_s32)(a, b)

// 24-bit operands, 48-bit product: its bits 31..0 or 47..16.
static inline uint64_t product24_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static inline uint64_t product24_s32(int32_t a, int32_t b)
{
    int64_t x = (int32_t)((uint32_t)a << 8) >> 8, y = (int32_t)((uint32_t)b << 8) >> 8;
    return (uint64_t)(x * y);
}
#define PRODUCT24(a, b) _Generic((a), uint32_t : product24_u32, int32_t : product24_s32)(a, b)
#define MUL24_LO(a, b) ((__typeof__(a))(uint32_t)PRODUCT24(a, b))
#define MUL24_HI(a, b) ((__typeof__(a))(uint32_t)(PRODUCT24(a, b) >> 16))

static inline int32_t saturate_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

// Sum of four products of bytes.
static inline uint32_t dp4a(uint32_t a, uint32_t b, bool a_is_signed, bool b_is_signed)
{
    uint32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        uint8_t x = (uint8_t)(a >> shift), y = (uint8_t)(b >> shift);
        int32_t left = a_is_signed ? (int8_t)x : x, right = b_is_signed ? (int8_t)y : y;
        sum += (uint32_t)(left * right);
    }
    return sum;
}

// Sum of two products: halves of a with the lower bytes of b.
static inline uint32_t dp2a(uint32_t a, uint32_t b, bool a_is_signed, bool b_is_signed)
{
    uint32_t sum = 0;
    for (int k = 0; k < 2; k++) {
        const uint16_t x = (uint16_t)(a >> 16 * k);
        const uint8_t y = (uint8_t)(b >> 8 * k);
        const int32_t left = a_is_signed ? (int16_t)x : x, right = b_is_signed ? (int8_t)y : y;
        sum += (uint32_t)(left * right);
    }
    return sum;
}

// Both halves: the expression of x and y, wrapped to 16 bits.
#define EACH_16(type, a, b, ...) (ONE_16(type, a, b, 0, __VA_ARGS__) | ONE_16(type, a, b, 16, __VA_ARGS__) << 16)
#define ONE_16(type, a, b, shift, ...) \
    __extension__({                                                                    \
        const type x = (type)((a) >> (shift)), y = (type)((b) >> (shift));             \
        (uint32_t)(uint16_t)(__VA_ARGS__);                                             \
    })

// ---- division: by zero gives all ones, quotient and remainder alike, as on an H200 (where a compiler makes the
// remainder of the quotient, a - a / b * b, it is the dividend)

#define DEFINE_DIVISION(lane, type)                                                \
    static inline type divide_##lane(type a, type b)                               \
    {                                                                              \
        if (b == 0)                                                                \
            return (type)-1;                                                       \
        return (type)-1 < 0 && b == (type)-1 ? WRAP_SUB(0 * a, a) : (type)(a / b); \
    }                                                                              \
    static inline type remainder_##lane(type a, type b)                            \
    {                                                                              \
        if (b == 0)                                                                \
            return (type)-1;                                                       \
        return (type)-1 < 0 && b == (type)-1 ? 0 : (type)(a % b);                  \
    }
DEFINE_DIVISION(s16, int16_t)
DEFINE_DIVISION(s32, int32_t)
DEFINE_DIVISION(s64, int64_t)
#define DEFINE_UNSIGNED_DIVISION(lane, type)            \
    static inline type divide_##lane(type a, type b)    \
    {                                                   \
        return b == 0 ? (type)-1 : (type)(a / b);       \
    }                                                   \
    static inline type remainder_##lane(type a, type b) \
    {                                                   \
        return b == 0 ? (type)-1 : (type)(a % b);       \
    }
DEFINE_UNSIGNED_DIVISION(u16, uint16_t)
DEFINE_UNSIGNED_DIVISION(u32, uint32_t)
DEFINE_UNSIGNED_DIVISION(u64, uint64_t)
#define DIVIDE(a, b) BY_LANE(divide, a)(a, b)
#define REMAINDER(a, b) BY_LANE(remainder, a)(a, b)

// ---- bits ------------------------------------------------------------------------------------------

#define POPC(a) \
    (sizeof(a) == 8 ? (uint32_t)__builtin_popcountll(a) : (uint32_t)__builtin_popcount((uint32_t)(a)))
#define CLZ(a) (sizeof(a) == 8 ? clz64(a) : clz64(a) - 32)

static inline uint32_t clz64(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

// Position of the highest bit that differs from the sign; all ones if there is none.
static inline uint32_t bfind_u64(uint64_t a)
{
    return 63 - clz64(a);
}
static inline uint32_t bfind_u32(uint32_t a)
{
    return bfind_u64(a);
}
static inline uint32_t bfind_s64(int64_t a)
{
    return bfind_u64((uint64_t)(a < 0 ? ~a : a));
}
static inline uint32_t bfind_s32(int32_t a)
{
    return bfind_s64(a);
}
#define BY_WIDE_LANE(name, a) \
    _Generic((a), uint32_t : name##_u32, int32_t : name##_s32, uint64_t : name##_u64, int64_t : name##_s64)
#define BFIND(a) BY_WIDE_LANE(bfind, a)(a)
#define BFIND_SHIFT(a) shift_of_bit(BFIND(a), sizeof(a) * 8 - 1)

static inline uint32_t shift_of_bit(uint32_t bit, uint32_t msb)
{
    return bit == UINT32_MAX ? bit : msb - bit;
}

static inline uint32_t brev32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
static inline uint64_t brev64(uint64_t a)
{
    return (uint64_t)brev32((uint32_t)a) << 32 | brev32((uint32_t)(a >> 32));
}
#define BREV(a) (sizeof(a) == 8 ? brev64(a) : brev32((uint32_t)(a)))

// `length` low bits set, any length.
static inline uint64_t low_bits(uint32_t length)
{
    return length >= 64 ? UINT64_MAX : ((uint64_t)1 << length) - 1;
}

// Bit field of `length` bits from `start`, of a value of `width` bits given as 64 (sign- or zero-extended).
static inline uint64_t field_of(uint64_t value, bool is_signed, uint32_t width, uint32_t start,
                                uint32_t length)
{
    start &= width == 64 ? UINT32_MAX : 0xff; // of 64 bits, the GPU's program looks at the whole operands
    length &= width == 64 ? UINT32_MAX : 0xff;
    if (length == 0)
        return 0;
    uint32_t last = (uint64_t)start + length < width ? start + length - 1 : width - 1;
    uint64_t sign = is_signed ? value >> last & 1 : 0;
    uint32_t n = start < width ? width - start : 0; // bits that exist
    n = n < length ? n : length;
    uint64_t bits = start < width ? value >> start & low_bits(n) : 0;
    return sign ? bits | ~low_bits(n) : bits;
}
#define IS_SIGNED_LANE(a) ((__typeof__(a))-1 < 1)
#define BFE(a, start, length) \
    ((__typeof__(a))field_of((uint64_t)(a), IS_SIGNED_LANE(a), sizeof(a) * 8, start, length))

static inline uint64_t field_insert(uint64_t field, uint64_t into, uint32_t width, uint32_t start,
                                    uint32_t length)
{
    start &= width == 64 ? UINT32_MAX : 0xff;
    length &= width == 64 ? UINT32_MAX : 0xff;
    if (start >= width)
        return into;
    uint64_t mask = low_bits(length) << start;
    return (into & ~mask) | (field << start & mask);
}
#define BFI(a, b, start, length) ((__typeof__(a))field_insert(a, b, sizeof(a) * 8, start, length))

// The n-th set bit of the mask from bit `base` on, upwards, or downwards for n below 0, `base` being the first; n = 0: `base` itself.
// All ones if there is none. ptxas' program for it gives 0 for the lowest n.
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t n)
{
    if (n == INT32_MIN)
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    uint32_t left = n > 0 ? mask >> base << base : mask << (31 - base) >> (31 - base);
    for (int32_t count = n > 0 ? n : -n; left; count--) {
        const uint32_t at = bfind_u32(n > 0 ? left & -left : left);
        if (count == 1)
            return at;
        left &= ~(1u << at);
    }
    return UINT32_MAX;
}

static inline uint32_t bmsk(uint32_t start, uint32_t length) // both at most 32
{
    return (uint32_t)(low_bits(length) << start);
}

static inline uint32_t szext_u32(uint32_t a, uint32_t n) // n at most 32
{
    return a & (uint32_t)low_bits(n);
}
static inline int32_t szext_s32(int32_t a, uint32_t n)
{
    return n == 0 ? 0 : (int32_t)((uint32_t)a << (32 - n)) >> (32 - n);
}
#define SZEXT(a, n) _Generic((a), uint32_t : szext_u32, int32_t : szext_s32)(a, n)

// Shift counts beyond the width give 0, or the sign.
#define WIDTH(a) ((uint32_t)sizeof(a) * 8)
#define SHIFT_LEFT(a, n) \
    ((n) < WIDTH(a) ? (__typeof__(a))((uint64_t)(a) << ((n) & (WIDTH(a) - 1))) : (__typeof__(a))0)
#define SHIFT_RIGHT(a, n) ((__typeof__(a))((n) < WIDTH(a) ? (a) >> ((n) & (WIDTH(a) - 1)) : SIGN_OF(a)))
#define SIGN_OF(a) (IS_SIGNED_LANE(a) ? (a) >> (WIDTH(a) - 1) : 0) // 0 or -1

static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t n) // n at most 32
{
    return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}
static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

// Any function of three bits: bit k of `table` is the result for a, b, c = bits 2, 1, 0 of k. Chooses between the two
// answers for a, then by b and c; what depends on the table alone is the same for all lanes.
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t by_a[4], by_b[2];
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t without = 0u - (table >> k & 1), with = 0u - (table >> (k + 4) & 1);
        by_a[k] = without ^ ((without ^ with) & a);
    }
    for (uint32_t k = 0; k < 2; k++)
        by_b[k] = by_a[k] ^ ((by_a[k] ^ by_a[k + 2]) & b);
    return by_b[0] ^ ((by_b[0] ^ by_b[1]) & c);
}

// Byte numbers (4 bits each: byte 0..7 of b:a, and 8 = copies of its sign) of the modes of prmt, by selector
// 0..3.
static inline uint32_t prmt_selectors(uint32_t selector, enum prmt_mode mode)
{
    static const uint16_t table[][4] = {
        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    return mode == PRMT_INDEX ? selector : table[mode][selector & 3];
}

static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector, enum prmt_mode mode)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t selectors = prmt_selectors(selector, mode), result = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t pick = selectors >> (4 * k) & 0xf;
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * k);
    }
    return result;
}

// ---- carry chains ----------------------------------------------------------------------------------

static inline uint64_t add_carry(uint64_t a, uint64_t b, uint32_t in, uint32_t width, uint32_t *out)
{
    uint128 sum = (uint128)a + b + in;
    *out = (uint32_t)(sum >> width) & 1;
    return (uint64_t)sum;
}
// A difference carries when it does not borrow.
static inline uint64_t sub_borrow(uint64_t a, uint64_t b, uint32_t in, uint32_t width, uint32_t *out)
{
    uint128 difference = (uint128)a - b - !in;
    *out = !((uint32_t)(difference >> width) & 1);
    return (uint64_t)difference;
}
#define UNSIGNED64(a) (sizeof(a) == 8 ? (uint64_t)(a) : (uint64_t)(uint32_t)(a))
#define ADD_CARRY(a, b, in, out) add_carry(UNSIGNED64(a), UNSIGNED64(b), in, WIDTH(a), out)
#define SUB_BORROW(a, b, in, out) sub_borrow(UNSIGNED64(a), UNSIGNED64(b), in, WIDTH(a), out)

// ---- floating point --------------------------------------------------------------------------------

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define FMA(a, b, c) _Generic((a), float : fmaf, double : fma)(a, b, c)
#define SQRT(a) _Generic((a), float : sqrtf, double : sqrt)(a)
#define ABS_FLOAT(a) _Generic((a), float : fabsf, double : fabs)(a)
#define COPYSIGN(magnitude, sign) _Generic((sign), float : copysignf, double : copysign)(magnitude, sign)
#define IS_SUBNORMAL(a) (fpclassify(a) == FP_SUBNORMAL)

// Every f32 NaN that arithmetic makes is this one (PTX ISA, floating-point instructions); f64 payloads pass
// through.
#define CANONICAL_NAN_BITS 0x7fffffffu
static inline float canonical_f32(float x)
{
    return x == x ? x : f32_of_bits(CANONICAL_NAN_BITS);
}
static inline double canonical_f64(double x)
{
    return x;
}

// Signs by arithmetic: NaN comes out canonical (f32), or as it went in but quiet (f64).
static inline float signed_f32(float x, uint32_t sign_and, uint32_t sign_xor)
{
    return x != x ? f32_of_bits(CANONICAL_NAN_BITS) : f32_of_bits((bits_of_f32(x) & sign_and) ^ sign_xor);
}
static inline double negated_f64(double x)
{
    return x != x ? f64_of_bits(bits_of_f64(x) | 0x0008000000000000u) : -x;
}

// Subnormal numbers become zero of the same sign.
static inline float flush_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    return f32_of_bits((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// .sat: to 0..1, NaN to +0.
static inline float saturate_f32(float x)
{
    return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
static inline double saturate_f64(double x)
{
    return x > 0 ? (x < 1 ? x : 1.0) : 0.0;
}

// A NaN loses against a number, -0 is less than +0.
static inline double min_f64(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double max_f64(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

// .NaN: a NaN wins. .xorsign.abs: of the magnitudes, the sign is that of the product. Canonical NaN comes
// afterwards.
static inline float extreme_f32(float a, float b, uint32_t mod, bool want_max)
{
    uint32_t sign = (bits_of_f32(a) ^ bits_of_f32(b)) & 0x80000000u;
    if (MOD_GET(mod, MOD_ABS, 1)) {
        a = fabsf(a);
        b = fabsf(b);
    }
    bool a_wins = a != a || b != b
                      ? (a != a) == MOD_GET(mod, MOD_NAN, 1)
                      : (want_max ? a > b || (a == b && !signbit(a)) : a < b || (a == b && signbit(a)));
    float result = a_wins ? a : b;
    return MOD_GET(mod, MOD_ABS, 1) ? f32_of_bits(bits_of_f32(result) | sign) : result;
}
static inline float min_f32(float a, float b, uint32_t mod)
{
    return extreme_f32(a, b, mod, false);
}
static inline float max_f32(float a, float b, uint32_t mod)
{
    return extreme_f32(a, b, mod, true);
}
#endif
