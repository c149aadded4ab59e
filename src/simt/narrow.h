// Conversions to and from floats narrower than f32: one rounding, in any direction, from exact values.
#ifndef SIMT_NARROW_H
#define SIMT_NARROW_H
#include "simt/half.h"

// What a kind of float looks like. `max_finite` is followed by infinity, or by NaN in kinds without
// infinities.
struct float_layout {
    int fraction_bits, bias;
    uint32_t max_finite, overflow, nan; // bits without sign; overflow: what rounding beyond max_finite gives
    bool nan_has_no_sign;
};

enum float_kind { KIND_F16, KIND_BF16, KIND_TF32, KIND_E4M3, KIND_E5M2 };
static const struct float_layout float_layouts[] = {
    [KIND_F16] = {10, 15, 0x7bff, 0x7c00, 0x7fff, true},
    [KIND_BF16] = {7, 127, 0x7f7f, 0x7f80, 0x7fff, true},
    [KIND_TF32] = {10, 127, 0x3fbff, 0x3fc00, 0x3ffff, true}, // the upper 19 bits of an f32
    [KIND_E4M3] = {3, 7, 0x7e, 0x7f, 0x7f, true},             // no infinities
    [KIND_E5M2] = {2, 15, 0x7b, 0x7c, 0x7f, true},
};
#define FLOAT_KIND_f16 KIND_F16
#define FLOAT_KIND_bf16 KIND_BF16

// A number: fraction × 2^exponent, or NaN or infinity.
struct exact {
    uint64_t fraction;
    int exponent;
    bool is_negative, is_nan, is_infinite;
    bool keeps_nan; // upper fraction bits of a NaN are kept, else it becomes the canonical one
};

static inline struct exact exact_of_f64(double x)
{
    const uint64_t bits = bits_of_f64(x), fraction = bits & 0xfffffffffffffu;
    const int field = (int)(bits >> 52 & 0x7ff);
    return (struct exact){.fraction = field ? fraction | 1ull << 52 : fraction,
                          .exponent = (field ? field : 1) - 1075,
                          .is_negative = bits >> 63,
                          .is_nan = field == 0x7ff && fraction,
                          .is_infinite = field == 0x7ff && !fraction};
}

// cvt from f64 keeps NaN.
static inline struct exact exact_of_f64_nan(double x)
{
    struct exact result = exact_of_f64(x);
    result.keeps_nan = true;
    return result;
}

static inline struct exact exact_of_unsigned(uint64_t x)
{
    return (struct exact){.fraction = x};
}

static inline struct exact exact_of_signed(int64_t x)
{
    return (struct exact){.fraction = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, .is_negative = x < 0};
}

static inline bool rounds_up(enum round round, bool is_negative, bool is_odd, uint64_t rest, uint64_t half)
{
    switch (round) {
    case ROUND_RZ:
        return false;
    case ROUND_RM:
        return is_negative && rest;
    case ROUND_RP:
        return !is_negative && rest;
    case ROUND_RNA:
        return rest >= half;
    default:
        return rest > half || (rest == half && is_odd);
    }
}

// The bits without sign of a number that is not zero, before overflow is looked at. Subnormal numbers and
// carries into the exponent come out by themselves.
static inline uint64_t round_magnitude(const struct float_layout *to, struct exact x, enum round round)
{
    const int shift = __builtin_clzll(x.fraction);
    const uint64_t top = x.fraction << shift;     // 1.… with the 1 in bit 63
    const int exponent = x.exponent + 63 - shift; // of bit 63
    const int least = 1 - to->bias;               // of normal numbers
    const int lost = 63 - to->fraction_bits + (exponent < least ? least - exponent : 0);
    if (lost > 64) // less than half of the smallest number
        return rounds_up(round, x.is_negative, false, 1, 2);
    const uint64_t kept = lost == 64 ? 0 : top >> lost, half = 1ull << (lost - 1),
                   rest = lost == 64 ? top : top & ((1ull << lost) - 1);
    const uint64_t rounded = kept + rounds_up(round, x.is_negative, kept & 1, rest, half);
    const uint64_t field = exponent < least ? 0 : (uint64_t)(exponent - least);
    return (field << to->fraction_bits) + rounded;
}

// `saturates`: what is too large becomes the largest finite number (.satfinite).
static inline uint32_t float_pack(enum float_kind kind, struct exact x, enum round round, bool saturates)
{
    const struct float_layout *to = &float_layouts[kind];
    const uint32_t sign_bit = to->nan + 1, sign = x.is_negative ? sign_bit : 0;
    if (x.is_nan && x.keeps_nan)
        return to->overflow | 1u << (to->fraction_bits - 1) | sign |
               ((uint32_t)(x.fraction >> (52 - to->fraction_bits)) & ((1u << to->fraction_bits) - 1));
    if (x.is_nan)
        return to->nan;
    uint64_t magnitude = x.is_infinite ? to->overflow : x.fraction ? round_magnitude(to, x, round) : 0;
    const bool is_away = round != ROUND_RZ && round != (x.is_negative ? ROUND_RP : ROUND_RM);
    if (magnitude > to->max_finite)
        magnitude = saturates || !(is_away || x.is_infinite) ? to->max_finite : to->overflow;
    return (uint32_t)magnitude | sign;
}

// Bytes of 8-bit floats to f32: exact.
static inline float byte_float_widen(enum float_kind kind, uint32_t bits)
{
    if (kind == KIND_E5M2)
        return half_widen(HALF_F16, bits << 8 & 0xff00); // the upper byte of an f16
    const uint32_t magnitude = bits & 0x7f, sign = (bits & 0x80) << 24;
    const float x = f32_of_bits(magnitude << 20) * 0x1p120f;
    return f32_of_bits((magnitude == 0x7f ? 0x7fffffffu : bits_of_f32(x)) | sign);
}

// ---- what cvt makes of one lane ----------------------------------------------------------------------

static inline enum round round_mode(uint32_t mod) // none written: .rn
{
    const enum round round = MOD_GET(mod, MOD_ROUND, 3);
    return round == ROUND_NONE ? ROUND_RN : round;
}

// .sat and .relu on the value: f64 holds every source but large integers, which are far beyond 1 anyway.
static inline struct exact exact_clamp(struct exact x, uint32_t mod)
{
    const bool sat = MOD_GET(mod, MOD_SAT, 1), relu = MOD_GET(mod, MOD_RELU, 1);
    if ((sat && (x.is_nan || x.is_negative)) || (relu && x.is_negative && !x.is_nan))
        return (struct exact){0};
    const bool is_large = x.is_infinite || (x.fraction && x.exponent + 63 - __builtin_clzll(x.fraction) >= 0);
    return sat && is_large ? (struct exact){.fraction = 1} : x;
}

static inline uint32_t narrow(enum float_kind kind, struct exact x, uint32_t mod)
{
    return float_pack(kind, exact_clamp(x, mod), round_mode(mod), MOD_GET(mod, MOD_SATFINITE, 1));
}
// .ftz has no effect here, on an H200: subnormal numbers of f32 are rounded, up or down too.
static inline uint32_t narrow_f32(enum float_kind kind, float x, uint32_t mod)
{
    return narrow(kind, exact_of_f64((double)x), mod);
}

// Two values side by side, the first one above: .f16x2 .bf16x2, and bytes.
static inline uint32_t narrow_pair(enum float_kind kind, float high, float low, uint32_t mod)
{
    const uint32_t bits = kind == KIND_E4M3 || kind == KIND_E5M2 ? 8 : 16;
    return narrow_f32(kind, high, mod) << bits | narrow_f32(kind, low, mod);
}
static inline uint32_t narrow_halves(enum float_kind kind, uint32_t halves, uint32_t mod)
{
    return narrow_pair(kind, half_widen(HALF_F16, halves >> 16), half_widen(HALF_F16, halves), mod);
}
static inline uint32_t widen_bytes(enum float_kind kind, uint32_t bytes, uint32_t mod)
{
    return half_finish(HALF_F16, byte_float_widen(kind, bytes >> 8), mod) << 16 |
           half_finish(HALF_F16, byte_float_widen(kind, bytes), mod);
}
// .rna is no instruction of an H200: its integers are rounded and cut. NaN keeps its upper bits, and .satfinite takes a step
// down from NaN as from infinity.
static inline uint32_t round_away_tf32(uint32_t bits, bool is_satfinite)
{
    const uint32_t infinity = 0x7f800000, magnitude = bits & 0x7fffffff, last = 0x2000;
    const uint32_t kept = (magnitude < infinity ? bits + last / 2 : bits) & ~(last - 1);
    return is_satfinite && (kept & 0x7fffffff) >= infinity ? kept - last : kept;
}
static inline uint32_t narrow_tf32(float x, uint32_t mod)
{
    if (MOD_GET(mod, MOD_ROUND, 3) == ROUND_RNA)
        return round_away_tf32(bits_of_f32(x), MOD_GET(mod, MOD_SATFINITE, 1));
    return narrow(KIND_TF32, exact_of_f64((double)x), mod) << 13;
}
#endif
