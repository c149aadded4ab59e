// The table unit: an argument is cut into the number of a part and an offset in it, the part's quadratic is
// evaluated in fixed point, and the result is cut to 24 bits. Structure after S. Oberman, M. Siu, A
// High-Performance Area-Efficient Multifunction Interpolator (2005): 128 parts for rcp, 64 an octave for the
// others, and a squarer that drops the low columns of its partial products. Coefficients and biases were
// found by measuring (doc/instructions.md, tools/measure/approx.cu).
#include "simt/approx.h"
#include "simt/narrow.h"

struct approx_row {
    int32_t c0, c1, c2;
};
#include "simt/approx_tables.inc"

enum { F32_NAN = 0x7fffffff, F32_INFINITY = 0x7f800000, F32_ONE = 0x3f800000 };

// ---- the interpolator ------------------------------------------------------------------------------

enum {
    SQUARE_BITS = 15,
    SCALE = 17
}; // kept of a square; fraction bits of results below the last place of an f32 in 0.5..1

// The upper bits of x², summed from those columns of the partial products that are kept: row i holds the bits
// above i, and bit i itself in column 2 i.
static inline __attribute__((always_inline)) int32_t truncated_square(uint32_t x, int bits)
{
    const int dropped = 2 * bits - SQUARE_BITS;
    uint32_t sum = 0;
    for (int i = 1; i < bits; i++) {
        const int shift = 2 * i + 2 - dropped;
        const uint32_t above = x >> (i + 1), row = shift < 0 ? above >> -shift : above << shift;
        const uint32_t own = 2 * i < dropped ? 0 : 1u << (2 * i - dropped);
        sum += (row | own) & (0 - (x >> i & 1));
    }
    return (int32_t)sum;
}

// In units of 2^-SCALE. `low` has `bits` bits: 16 for rcp, 17 for all others.
static int64_t interpolate(const struct approx_row *row, uint32_t low, int bits, int64_t bias)
{
    const int32_t square = bits == 16 ? truncated_square(low, 16) : truncated_square(low, 17);
    return (int64_t)row->c0 * (1 << (SCALE - 2)) + (int64_t)row->c1 * low * (1 << (SCALE - bits)) +
           2 * (int64_t)row->c2 * square + bias;
}

// value × 2^exponent, cut to 24 bits; below the normal range zero.
static uint32_t pack(bool is_negative, uint64_t value, int exponent)
{
    const uint32_t sign = is_negative ? 0x80000000u : 0;
    if (value == 0)
        return sign;
    const int top = 63 - __builtin_clzll(value), field = top + exponent + 127;
    const uint64_t fraction = top > 23 ? value >> (top - 23) : value << (23 - top);
    if (field >= 255)
        return sign | F32_INFINITY;
    return field <= 0 ? sign : sign | (uint32_t)field << 23 | ((uint32_t)fraction & 0x7fffff);
}

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > F32_INFINITY;
}
static bool is_tiny(uint32_t x) // zero or subnormal
{
    return (x & 0x7f800000) == 0;
}
static float scaled(uint32_t x, float factor)
{
    return f32_of_bits(x) * factor;
}

// ---- the unit: subnormal numbers count as zero -------------------------------------------------------

static uint32_t unit_rcp(uint32_t x)
{
    const uint32_t sign = x & 0x80000000u, m = x & 0x7fffff;
    const int exponent = (int)(x >> 23 & 0xff) - 127;
    if (is_nan(x))
        return F32_NAN;
    if (is_tiny(x))
        return sign | F32_INFINITY;
    if (exponent == 128)
        return sign;
    const int64_t y = interpolate(&approx_table_rcp[m >> 16], m & 0xffff, 16, 8094);
    return pack(sign, (uint64_t)y >> SCALE, -24 - exponent);
}

// Argument in 1..4, by an exponent that is even.
static uint32_t unit_root(uint32_t x, const struct approx_row *rows, bool is_reciprocal)
{
    const int exponent = (int)(x >> 23 & 0xff) - 127, half = exponent >> 1;
    const uint32_t m = x & 0x7fffff;
    if (m == 0 && !(exponent & 1)) // a power of four: exact
        return pack(false, 1, is_reciprocal ? -half : half);
    const int64_t y = interpolate(&rows[(exponent & 1) << 6 | m >> 17], m & 0x1ffff, 17, 32767);
    return pack(false, (uint64_t)y >> SCALE, is_reciprocal ? -24 - half : half - 23);
}

static uint32_t unit_rsqrt(uint32_t x)
{
    if (is_nan(x))
        return F32_NAN;
    if (is_tiny(x))
        return (x & 0x80000000u) | F32_INFINITY;
    if (x >> 31)
        return F32_NAN;
    return x == F32_INFINITY ? 0 : unit_root(x, approx_table_rsqrt, true);
}

static uint32_t unit_sqrt(uint32_t x)
{
    if (is_nan(x))
        return F32_NAN;
    if (is_tiny(x))
        return x & 0x80000000u;
    if (x >> 31)
        return F32_NAN;
    return x == F32_INFINITY ? x : unit_root(x, approx_table_sqrt, false);
}

enum { LG2_UNIT = 1 << (SCALE - 13) }; // the last bit of lg2's fixed point

static uint32_t unit_lg2(uint32_t x)
{
    const uint32_t m = x & 0x7fffff;
    const int exponent = (int)(x >> 23 & 0xff) - 127;
    if (is_nan(x))
        return F32_NAN;
    if (is_tiny(x))
        return 0x80000000u | F32_INFINITY;
    if (x >> 31)
        return F32_NAN;
    if (x == F32_INFINITY || x == F32_ONE)
        return x == F32_ONE ? 0 : x;
    const int64_t fraction =
        interpolate(&approx_table_lg2[m >> 17], m & 0x1ffff, 17, 6696) & -(int64_t)LG2_UNIT;
    const int64_t y = (int64_t)exponent * ((int64_t)1 << (24 + SCALE)) + fraction;
    const uint64_t size = (uint64_t)(y < 0 ? -y - LG2_UNIT : y); // of what is negative the bits are inverted
    return pack(y < 0, size & ~(uint64_t)LG2_UNIT, -24 - SCALE); // and the last one is not given out
}

// 2^x = 2^i 2^f with f in 0..1 of 23 bits.
static uint32_t unit_ex2(uint32_t x)
{
    const int exponent = (int)(x >> 23 & 0xff) - 127;
    if (is_nan(x))
        return F32_NAN;
    if (exponent >= 8) // 256 or more, infinity
        return x >> 31 ? 0 : F32_INFINITY;
    const int64_t size = (int64_t)(fabs((double)f32_of_bits(is_tiny(x) ? 0 : x)) * 0x1p23);
    const bool is_whole = (size & 0x7fffff) == 0;
    const int64_t fixed = !(x >> 31) ? size : is_whole ? -size : ~size; // negative fractions: bits inverted
    const uint32_t f = (uint32_t)(fixed & 0x7fffff);
    const int64_t y = interpolate(&approx_table_ex2[f >> 17], f & 0x1ffff, 17, 24458);
    return pack(false, (uint64_t)y >> SCALE, (int)(fixed >> 23) - 23);
}

// Of turns: 2 bits of quadrant and 23 bits within it.
static uint32_t unit_sin(uint32_t turns, uint32_t first_quadrant)
{
    const int exponent = (int)(turns >> 23 & 0xff) - 127;
    if (exponent == 128)
        return F32_NAN;
    const double size = fabs((double)f32_of_bits(turns));
    const uint64_t t = exponent >= 30 ? 0 : (uint64_t)(size * 0x1p25);
    const uint32_t quadrant = (uint32_t)(t >> 23) + first_quadrant;
    const uint32_t at = (quadrant & 1 ? ~(uint32_t)t : (uint32_t)t) & 0x7fffff;
    const bool is_negative = (quadrant & 2) != 0;
    const int64_t y = interpolate(&approx_table_sin[at >> 17], at & 0x1ffff, 17, 0);
    return pack(is_negative != (turns >> 31 && !first_quadrant), (uint64_t)y, -24 - SCALE);
}

// The parts of an octave from 2^-8 to 2^2, and how many low bits of the argument are not looked at, differ:
// 17 bits of an argument always lie within a part. Smaller arguments are their own result, from 8 on it is 1.
// There is no bias.
static uint32_t unit_tanh(uint32_t x)
{
    static const struct {
        uint8_t ignored, first_row;
    } octaves[] = {{6, 0},  {6, 1},  {6, 2},  {5, 3},  {5, 5}, {4, 7},
                   {4, 11}, {4, 15}, {3, 19}, {2, 27}, {3, 43}};
    const uint32_t m = x & 0x7fffff;
    const int octave = (int)(x >> 23 & 0xff) - 127 + 8;
    if (is_nan(x))
        return F32_NAN;
    if (octave < 0)
        return x;
    if (octave >= (int)(sizeof octaves / sizeof octaves[0]))
        return (x & 0x80000000u) | F32_ONE;
    const uint32_t at = m >> octaves[octave].ignored;
    const struct approx_row *row = &approx_table_tanh[octaves[octave].first_row + (at >> 17)];
    return pack(x >> 31, (uint64_t)interpolate(row, at & 0x1ffff, 17, 0), -24 - SCALE);
}

// ---- the instructions ----------------------------------------------------------------------------------

uint32_t approx_rcp(uint32_t x, bool ftz)
{
    const uint32_t size = x & 0x7fffffff;
    if (!ftz && is_tiny(x) && size)
        return bits_of_f32(scaled(unit_rcp(bits_of_f32(scaled(x, 0x1p24f))), 0x1p24f));
    if (!ftz && size > 0x7e800000 && size < F32_INFINITY)
        return bits_of_f32(scaled(unit_rcp(bits_of_f32(scaled(x, 0x1p-24f))), 0x1p-24f));
    return unit_rcp(x);
}
uint32_t approx_rsqrt(uint32_t x, bool ftz)
{
    if (!ftz && is_tiny(x) && (x & 0x7fffffff))
        return bits_of_f32(scaled(unit_rsqrt(bits_of_f32(scaled(x, 0x1p24f))), 0x1p12f));
    return unit_rsqrt(x);
}
uint32_t approx_sqrt(uint32_t x, bool ftz)
{
    if (!ftz && is_tiny(x) && (x & 0x7fffffff))
        return bits_of_f32(scaled(unit_sqrt(bits_of_f32(scaled(x, 0x1p24f))), 0x1p-12f));
    return unit_sqrt(x);
}
uint32_t approx_lg2(uint32_t x, bool ftz)
{
    if (!ftz && is_tiny(x) && (x & 0x7fffffff)) {
        const float y = f32_of_bits(unit_lg2(bits_of_f32(scaled(x, 0x1p24f)))) - 24;
        return bits_of_f32(canonical_f32(y));
    }
    return unit_lg2(x);
}
uint32_t approx_ex2(uint32_t x, bool ftz)
{
    if (!ftz && f32_of_bits(x) < -126) {
        const float root = f32_of_bits(unit_ex2(bits_of_f32(scaled(x, 0.5f))));
        return bits_of_f32(root * root);
    }
    return unit_ex2(x);
}

// x / 2π toward zero, then the unit.
static uint32_t turns_of(uint32_t x, bool ftz)
{
    const double product =
        (double)f32_of_bits(ftz && is_tiny(x) ? x & 0x80000000u : x) * f32_of_bits(0x3e22f983u);
    uint64_t bits = bits_of_f64(product) & ~(uint64_t)0x1fffffff;
    return bits_of_f32((float)f64_of_bits(bits));
}
uint32_t approx_sin(uint32_t x, bool ftz)
{
    return unit_sin(turns_of(x, ftz), 0);
}
uint32_t approx_cos(uint32_t x, bool ftz)
{
    return unit_sin(turns_of(x, ftz), 1);
}

uint32_t mufu_sin(uint32_t turns, bool ftz)
{
    (void)ftz;
    return unit_sin(turns, 0);
}
uint32_t mufu_cos(uint32_t turns, bool ftz)
{
    (void)ftz;
    return unit_sin(turns, 1);
}

uint32_t approx_tanh(uint32_t x, bool ftz)
{
    (void)ftz;
    return unit_tanh(x);
}

// ---- quotients -----------------------------------------------------------------------------------------

static uint32_t product(uint32_t a, uint32_t b, bool ftz)
{
    const float x = f32_of_bits(a), y = f32_of_bits(b);
    const float z = ftz ? flush_f32(flush_f32(x) * flush_f32(y)) : x * y;
    return bits_of_f32(canonical_f32(z));
}

// A divisor that the unit would take for zero, or whose reciprocal it would, is scaled first, and the
// dividend with it.
static uint32_t scaled_quotient(uint32_t a, uint32_t b, bool ftz, bool scales_large)
{
    const uint32_t size = b & 0x7fffffff;
    uint32_t scale = F32_ONE;
    if (scales_large && size > 0x7e800000)
        scale = 0x3e800000; // 2^-2
    else if (!ftz && is_tiny(b))
        scale = 0x4b800000; // 2^24
    return product(product(a, scale, ftz), unit_rcp(product(b, scale, ftz)), ftz);
}

uint32_t approx_div(uint32_t a, uint32_t b, bool ftz)
{
    return ftz ? product(a, unit_rcp(b), true) : scaled_quotient(a, b, false, false);
}
uint32_t approx_full(uint32_t a, uint32_t b, bool ftz)
{
    return scaled_quotient(a, b, ftz, true);
}

// ---- other formats -------------------------------------------------------------------------------------

// The f32 result is cut to 16 bits.
static uint32_t cut(enum float_kind kind, uint32_t bits)
{
    if (kind == KIND_F16 && (bits & 0x7fffffff) >= 0x47800000) // 2^16 and more
        return is_nan(bits) ? HALF_NAN : 0x7c00;
    return float_pack(kind, exact_of_f64((double)f32_of_bits(bits)), ROUND_RZ, false);
}
uint32_t approx_ex2_f16(uint32_t x)
{
    return cut(KIND_F16, approx_ex2(bits_of_f32(half_widen(HALF_F16, x)), true));
}
uint32_t approx_ex2_bf16(uint32_t x)
{
    return half_flush(HALF_BF16, cut(KIND_BF16, approx_ex2(bits_of_f32(half_widen(HALF_BF16, x)), true)));
}

uint32_t approx_tanh_f16(uint32_t x)
{
    return cut(KIND_F16, unit_tanh(bits_of_f32(half_widen(HALF_F16, x))));
}
uint32_t approx_tanh_bf16(uint32_t x)
{
    return cut(KIND_BF16, unit_tanh(bits_of_f32(half_widen(HALF_BF16, x))));
}

// The upper word: sign, 11 bits of exponent, 20 of fraction. What is below it does not even make a NaN.
enum { F64_BIAS = 1023, F64_INFINITY = 0x7ff00000, F64_NAN = 0x7fffffff };

uint64_t approx_rcp_f64(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32), sign = high & 0x80000000u, m = high & 0xfffff;
    const int exponent = (int)(high >> 20 & 0x7ff) - F64_BIAS;
    if (exponent > F64_BIAS)
        return (uint64_t)(m ? F64_NAN : sign) << 32;
    if (exponent == -F64_BIAS)
        return (uint64_t)(sign | F64_INFINITY) << 32;
    const int64_t y = interpolate(&approx_table_rcp[m >> 13], (m & 0x1fff) << 3, 16, 8094) >> SCALE;
    const bool is_one = y >> 24;
    const int field = F64_BIAS - exponent - !is_one;
    const uint32_t fraction = is_one ? 0 : (uint32_t)(y & 0x7fffff) >> 3;
    return (uint64_t)(field <= 0 ? sign : sign | (uint32_t)field << 20 | fraction) << 32;
}

uint64_t approx_rsqrt_f64(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32), sign = high & 0x80000000u, m = high & 0xfffff;
    const int exponent = (int)(high >> 20 & 0x7ff) - F64_BIAS, half = exponent >> 1;
    if (exponent == -F64_BIAS)
        return (uint64_t)(sign | F64_INFINITY) << 32;
    if (sign || (exponent > F64_BIAS && m))
        return (uint64_t)F64_NAN << 32;
    if (exponent > F64_BIAS)
        return 0;
    if (m == 0 && !(exponent & 1))
        return (uint64_t)(F64_BIAS - half) << 52;
    const struct approx_row *row = &approx_table_rsqrt[(exponent & 1) << 6 | m >> 14];
    const int64_t y = interpolate(row, (m & 0x3fff) << 3, 17, 32767) >> SCALE;
    return (uint64_t)((uint32_t)(F64_BIAS - 1 - half) << 20 | (uint32_t)(y & 0x7fffff) >> 3) << 32;
}

// A step of third order on the unit's result: y (1 + e / 2 + 3 e² / 8) with e = 1 - x y².
static double refined_rsqrt(double x)
{
    const double y = f64_of_bits(approx_rsqrt_f64(bits_of_f64(x))), e = fma(-x, y * y, 1);
    return fma(fma(e, 0.375, 0.5), y * e, y);
}

double approx_rsqrt_double(double x)
{
    if (x != x)
        return f64_of_bits(bits_of_f64(x) | 0x0008000000000000u);
    if (x == 0)
        return 1 / x;
    if (x < 0)
        return f64_of_bits(0xfff8000000000000u);
    if (x > 0x1.fffffffffffffp1023)
        return 0;
    return x < 0x1p-1022 ? refined_rsqrt(x * 0x1p54) * 0x1p27 : refined_rsqrt(x);
}
