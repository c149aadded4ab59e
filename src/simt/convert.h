// Conversions between lane types: saturation, rounding to integers, and the host's rounding direction.
#ifndef SIMT_CONVERT_H
#define SIMT_CONVERT_H
#include "simt/semantics.h"
#include <fenv.h>

// ---- rounding direction ----------------------------------------------------------------------------

// Keeps the compiler from moving floating-point work over a change of direction: what `at` points to is
// rewritten here.
static inline void work_stays_here(void *at)
{
    __asm__ volatile("" : : "r"(at) : "memory");
}

static inline int rounding_of(uint32_t mod)
{
    switch (MOD_GET(mod, MOD_ROUND, 3)) {
    case ROUND_RZ:
        return FE_TOWARDZERO;
    case ROUND_RM:
        return FE_DOWNWARD;
    case ROUND_RP:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

// ---- to integers -----------------------------------------------------------------------------------

#define DEFINE_SATURATE(lane, type, low, high)                          \
    static inline type saturate_##lane##_from_signed(int64_t x)         \
    {                                                                   \
        return x < (int64_t)(low)                        ? (type)(low)  \
               : x > 0 && (uint64_t)x > (uint64_t)(high) ? (type)(high) \
                                                         : (type)x;     \
    }                                                                   \
    static inline type saturate_##lane##_from_unsigned(uint64_t x)      \
    {                                                                   \
        return x > (uint64_t)(high) ? (type)(high) : (type)x;           \
    }
DEFINE_SATURATE(u8, uint8_t, 0, UINT8_MAX)
DEFINE_SATURATE(s8, int8_t, INT8_MIN, INT8_MAX)
DEFINE_SATURATE(u16, uint16_t, 0, UINT16_MAX)
DEFINE_SATURATE(s16, int16_t, INT16_MIN, INT16_MAX)
DEFINE_SATURATE(u32, uint32_t, 0, UINT32_MAX)
DEFINE_SATURATE(s32, int32_t, INT32_MIN, INT32_MAX)
DEFINE_SATURATE(u64, uint64_t, 0, UINT64_MAX)
DEFINE_SATURATE(s64, int64_t, INT64_MIN, INT64_MAX)
#undef DEFINE_SATURATE

// Two signed words saturated to bytes or half-words, the second one below.
#define SATURATED_BITS(lane, x) ((uint32_t)saturate_##lane##_from_signed((int32_t)(x)))
#define PACK8(lane, a, b) ((SATURATED_BITS(lane, a) & 0xff) << 8 | (SATURATED_BITS(lane, b) & 0xff))
// The same to 4 or 2 bits; c is pushed up.
static inline uint32_t clamp_bits(uint32_t x, int32_t low, int32_t high, int bits)
{
    const int32_t value = (int32_t)x < low ? low : (int32_t)x > high ? high : (int32_t)x;
    return (uint32_t)value & ((1u << bits) - 1);
}
#define PACK_SMALL(a, b, c, low, high, bits) \
    (clamp_bits(b, low, high, bits) | clamp_bits(a, low, high, bits) << (bits) | (c) << 2 * (bits))
#define PACK16(lane, a, b) (SATURATED_BITS(lane, a) << 16 | (SATURATED_BITS(lane, b) & 0xffff))

// Rounded to an integral value by .rni .rzi .rmi .rpi (enum round); 0 = none given, as it is.
#define DEFINE_ROUND_INTEGRAL(lane, type, suffix)                          \
    static inline type round_integral_##lane(type x, enum round direction) \
    {                                                                      \
        switch (direction) {                                               \
        case ROUND_RZ:                                                     \
            return trunc##suffix(x);                                       \
        case ROUND_RM:                                                     \
            return floor##suffix(x);                                       \
        case ROUND_RP:                                                     \
            return ceil##suffix(x);                                        \
        case ROUND_RN:                                                     \
            return nearbyint##suffix(x);                                   \
        default:                                                           \
            return x;                                                      \
        }                                                                  \
    }
DEFINE_ROUND_INTEGRAL(f32, float, f)
DEFINE_ROUND_INTEGRAL(f64, double, )
#undef DEFINE_ROUND_INTEGRAL

// A rounded number to an integer, clamped to its range. NaN gives 0, or the lowest number of the width of the
// result when source or destination have 64 bits (PTX ISA, cvt): `nan` says what. The limits are powers of
// two, exact in f32.
#define DEFINE_FROM_FLOAT(lane, type, low, limit, high)                                                \
    static inline type lane##_from_f32(float x, type nan)                                              \
    {                                                                                                  \
        return x >= limit##f ? (type)(high) : x >= low##f ? (type)x : x < low##f ? (type)low##f : nan; \
    }                                                                                                  \
    static inline type lane##_from_f64(double x, type nan)                                             \
    {                                                                                                  \
        return x >= limit ? (type)(high) : x >= low ? (type)x : x < low ? (type)low : nan;             \
    }
DEFINE_FROM_FLOAT(u8, uint8_t, 0.0, 0x1p8, UINT8_MAX)
DEFINE_FROM_FLOAT(s8, int8_t, -0x1p7, 0x1p7, INT8_MAX)
DEFINE_FROM_FLOAT(u16, uint16_t, 0.0, 0x1p16, UINT16_MAX)
DEFINE_FROM_FLOAT(s16, int16_t, -0x1p15, 0x1p15, INT16_MAX)
DEFINE_FROM_FLOAT(u32, uint32_t, 0.0, 0x1p32, UINT32_MAX)
DEFINE_FROM_FLOAT(s32, int32_t, -0x1p31, 0x1p31, INT32_MAX)
DEFINE_FROM_FLOAT(u64, uint64_t, 0.0, 0x1p64, UINT64_MAX)
DEFINE_FROM_FLOAT(s64, int64_t, -0x1p63, 0x1p63, INT64_MAX)
#undef DEFINE_FROM_FLOAT

// What NaN becomes as an integer of `bytes` when the float has `float_bytes`: the top bit of the result, or
// 0.
#define NAN_AS_INTEGER(type, float_bytes) \
    ((type)((float_bytes) == 8 || sizeof(type) == 8 ? (uint64_t)1 << (sizeof(type) * 8 - 1) : 0))
#endif
