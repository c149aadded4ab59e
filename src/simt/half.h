// Floats of 16 bits (f16, bf16), single and in pairs: to f32 and back, and what the instructions do between.
//
// A sum or product of two such numbers has few enough bits that rounding it to f32 first and to 16 bits then
// gives what one rounding would: 24 >= 2 p + 2 for p = 11 or 8 bits, products are exact in f32, and sums
// below the normal range are exact (S. Figueroa, When is double rounding innocuous?, 1995). A fused
// multiply-add goes through f64 and f32 rounded to odd, which no second rounding can fall for (Boldo,
// Melquiond, 2008).
#ifndef SIMT_HALF_H
#define SIMT_HALF_H
#include "simt/semantics.h"
#include <stdbool.h>

enum half_kind { HALF_F16, HALF_BF16 };
enum { HALF_NAN = 0x7fff }; // of both kinds: what arithmetic makes of any NaN

// Kind and number of values of a lane type.
#define HALF_KIND_f16 HALF_F16
#define HALF_KIND_f16x2 HALF_F16
#define HALF_KIND_bf16 HALF_BF16
#define HALF_KIND_bf16x2 HALF_BF16
#define HALF_PARTS_f16 1
#define HALF_PARTS_f16x2 2
#define HALF_PARTS_bf16 1
#define HALF_PARTS_bf16x2 2

// Bits above the lower 16 are ignored.
static inline float half_widen(enum half_kind kind, uint32_t bits)
{
    if (kind == HALF_BF16)
        return f32_of_bits(bits << 16);
    const uint32_t magnitude = bits & 0x7fff, sign = (bits & 0x8000) << 16;
    const uint32_t finite =
        bits_of_f32(f32_of_bits(magnitude << 13) * 0x1p112f); // exact, subnormal numbers too
    return f32_of_bits((magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000u : finite) | sign);
}

// To nearest even, the host rounding so too.
static inline uint32_t half_narrow(enum half_kind kind, float x)
{
    const uint32_t bits = bits_of_f32(x), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000;
    if (kind == HALF_BF16)
        return magnitude > 0x7f800000u ? HALF_NAN : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
    const uint32_t small = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - 0x3f000000u; // units of 2^-24
    const uint32_t finite = magnitude < 0x38800000u ? small : normal;
    const uint32_t result = (magnitude >= 0x477ff000u ? 0x7c00 : finite) | sign;
    return magnitude > 0x7f800000u ? HALF_NAN : result;
}

static inline bool half_is_nan(enum half_kind kind, uint32_t bits)
{
    return (bits & 0x7fff) > (kind == HALF_BF16 ? 0x7f80u : 0x7c00u);
}

// Subnormal numbers become zero of the same sign.
static inline uint32_t half_flush(enum half_kind kind, uint32_t bits)
{
    return (bits & (kind == HALF_BF16 ? 0x7f80 : 0x7c00)) == 0 ? bits & 0x8000 : bits;
}

static inline float half_read(enum half_kind kind, uint32_t bits, uint32_t mod)
{
    return half_widen(kind, MOD_GET(mod, MOD_FTZ, 1) ? half_flush(kind, bits & 0xffff) : bits);
}

// .sat: to 0..1, NaN to 0. .relu: what is negative becomes 0, NaN stays one.
static inline uint32_t half_finish(enum half_kind kind, float x, uint32_t mod)
{
    x = MOD_GET(mod, MOD_SAT, 1) ? saturate_f32(x) : x;
    x = MOD_GET(mod, MOD_RELU, 1) && x <= 0 ? 0.0f : x;
    const uint32_t bits = half_narrow(kind, x);
    return MOD_GET(mod, MOD_FTZ, 1) ? half_flush(kind, bits) : bits;
}

// ---- fused multiply-add ----------------------------------------------------------------------------

// x rounded to odd: when bits are lost, the one of its two neighbours whose last bit is 1.
static inline float f32_to_odd(double x)
{
    const float nearest = (float)x;
    const uint32_t bits = bits_of_f32(nearest), away = bits + 1, towards = bits - 1;
    const bool is_even = !(bits & 1), grows = (x > (double)nearest) == (x > 0);
    const bool is_exact = (double)nearest == x || x != x;
    return f32_of_bits(is_exact || !is_even ? bits : grows ? away : towards);
}

// a b + c of halves, to odd: the product is exact in f64.
static inline float half_fma(float a, float b, float c)
{
    const double product = (double)a * b, sum = product + c, rest = sum - product;
    const double lost = (product - (sum - rest)) + (c - rest); // exactly what the sum lost
    const uint64_t bits = bits_of_f64(sum), nudged = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
    const bool is_exact = !(lost < 0 || lost > 0); // infinities give NaN here
    return f32_to_odd(f64_of_bits(is_exact || (bits & 1) ? bits : nudged));
}
#endif
