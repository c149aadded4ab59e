// Sums of products of small floats as tensor cores make them: all terms of a step are brought to the greatest exponent
// among them, cut off below a fixed place, added without error and rounded once. doc/tensor.md says how that was found.
#include "simt/matrix.h"
#include <math.h>
#include <string.h>

enum { WIDE = 8 /* columns at a time */, MAX_COLUMNS = 32 /* of one call */, NO_EXPONENT = -1000 /* of zero */ };

// Significands have SIGNIFICAND_BITS bits behind the point, so products have twice as many, whatever the format.
enum { SIGNIFICAND_BITS = 10, PRODUCT_BITS = 2 * SIGNIFICAND_BITS, C_BITS = 23 };

struct format {
    uint8_t exponent_bits, fraction_bits;
};

static struct format format_of(enum matrix_type type)
{
    switch (type) {
    case MATRIX_F16:
        return (struct format){5, 10};
    case MATRIX_BF16:
        return (struct format){8, 7};
    case MATRIX_TF32:
        return (struct format){8, 10};
    case MATRIX_E4M3:
        return (struct format){4, 3};
    case MATRIX_E5M2:
        return (struct format){5, 2};
    default:
        return (struct format){8, 23};
    }
}

struct number {
    int32_t significand, exponent;
    bool is_special; // infinity or NaN
};

// `fraction_bits` bits behind the point.
static struct number number_of(enum matrix_type type, uint64_t bits, int fraction_bits)
{
    const struct format f = format_of(type);
    if (type == MATRIX_TF32)
        bits >>= 13;
    const int top = (1 << f.exponent_bits) - 1, bias = top >> 1, exponent = (int)(bits >> f.fraction_bits) & top;
    const int32_t fraction = (int32_t)(bits & ((1u << f.fraction_bits) - 1));
    const bool is_negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    int32_t significand = exponent ? fraction | 1 << f.fraction_bits : fraction;
    significand <<= fraction_bits - f.fraction_bits;
    return (struct number){is_negative ? -significand : significand,
                           significand == 0 ? NO_EXPONENT : (exponent ? exponent : 1) - bias,
                           exponent == top && (type != MATRIX_E4M3 || fraction == 7)};
}

// ---- infinities and NaN: as in exact arithmetic ------------------------------------------------------------

static double value_of(enum matrix_type type, uint64_t bits)
{
    const struct number x = number_of(type, bits, SIGNIFICAND_BITS > C_BITS ? SIGNIFICAND_BITS : C_BITS);
    const bool is_nan = type == MATRIX_E4M3 || (x.significand & ((1 << C_BITS) - 1));
    if (x.is_special && is_nan)
        return NAN;
    if (x.is_special)
        return x.significand < 0 ? -INFINITY : INFINITY;
    return ldexp(x.significand, x.exponent - C_BITS);
}

// Sum of `n` products and c if one of them is no number; false if all are finite.
static bool special_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, uint32_t n, uint64_t *c)
{
    const bool is_half = shape->d == MATRIX_F16;
    double sum = value_of(shape->c == MATRIX_F16 ? MATRIX_F16 : MATRIX_F32, *c);
    for (uint32_t k = 0; k < n; k++)
        sum += value_of(shape->a, a[k]) * value_of(shape->b, b[k * shape->n]);
    if (isfinite(sum))
        return false;
    if (isnan(sum))
        *c = is_half ? 0x7fff : 0x7fffffff;
    else
        *c = (is_half ? 0x7c00 : 0x7f800000) | (uint64_t)(sum < 0) << (is_half ? 15 : 31);
    return true;
}

// ---- the operands ------------------------------------------------------------------------------------------

struct operands {
    int32_t a[MATRIX_MAX_K], a_exponent[MATRIX_MAX_K]; // one row of A
    int32_t b[32 * MAX_COLUMNS], b_exponent[32 * MAX_COLUMNS];
    bool a_is_special, b_is_special[MAX_COLUMNS];
};

static void read_b(const struct matrix_shape *shape, const uint64_t *b, struct operands *out)
{
    memset(out->b_is_special, 0, sizeof out->b_is_special);
    for (uint32_t i = 0; i < (uint32_t)shape->k * shape->n; i++) {
        const struct number x = number_of(shape->b, b[i], SIGNIFICAND_BITS);
        out->b[i] = x.significand;
        out->b_exponent[i] = x.exponent;
        out->b_is_special[i % shape->n] |= x.is_special;
    }
}

static void read_a_row(const struct matrix_shape *shape, const uint64_t *a, struct operands *out)
{
    out->a_is_special = false;
    for (uint32_t k = 0; k < shape->k; k++) {
        const struct number x = number_of(shape->a, a[k], SIGNIFICAND_BITS);
        out->a[k] = x.significand;
        out->a_exponent[k] = x.exponent;
        out->a_is_special |= x.is_special;
    }
}

// ---- one step ----------------------------------------------------------------------------------------------

// What a step keeps: bits behind the point of the greatest term.
struct rule {
    uint32_t step;  // products in one step
    int bits;       // 25 or 13
    int result_bits; // of a 32-bit result: 23 or 13
};

struct accumulators { // WIDE columns
    int32_t significand[WIDE], exponent[WIDE];
};

// `magnitude` bits moved down; far ones vanish.
static inline int32_t cut(int32_t value, int up, int32_t down)
{
    const int32_t sign = value >> 31, magnitude = (value ^ sign) - sign;
    const int32_t moved = (int32_t)((uint32_t)magnitude << up) >> (down < 31 ? down : 31);
    return (moved ^ sign) - sign;
}

// Sum of `n` products and the accumulator, in units of 2^(exponent - bits).
static void sum_step(const struct operands *o, uint32_t first, uint32_t n, uint32_t columns, uint32_t column,
                     const struct accumulators *c, int bits, int64_t *sum, int32_t *exponent)
{
    int32_t most[WIDE], products[WIDE] = {0};
    memcpy(most, c->exponent, sizeof most);
    for (uint32_t k = first; k < first + n; k++) {
        const int32_t *b = o->b_exponent + k * columns + column;
        for (int j = 0; j < WIDE; j++) {
            const int32_t e = o->a_exponent[k] + b[j];
            most[j] = e > most[j] ? e : most[j];
        }
    }
    const int up = bits > PRODUCT_BITS ? bits - PRODUCT_BITS : 0, down = PRODUCT_BITS - bits > 0 ? PRODUCT_BITS - bits : 0;
    for (uint32_t k = first; k < first + n; k++) {
        const int32_t *b = o->b + k * columns + column, *e = o->b_exponent + k * columns + column;
        for (int j = 0; j < WIDE; j++)
            products[j] += cut(o->a[k] * b[j], up, most[j] - o->a_exponent[k] - e[j] + down);
    }
    const int c_up = bits > C_BITS ? bits - C_BITS : 0, c_down = C_BITS - bits > 0 ? C_BITS - bits : 0;
    for (int j = 0; j < WIDE; j++) {
        sum[j] = (int64_t)products[j] + cut(c->significand[j], c_up, most[j] - c->exponent[j] + c_down);
        exponent[j] = most[j];
    }
}

// ---- the result --------------------------------------------------------------------------------------------

// |sum| 2^scale to f32, cut off; `bits` fraction bits are kept.
static uint32_t f32_of_sum(int64_t sum, int scale, int bits)
{
    const uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    if (size == 0)
        return 0;
    const int length = 64 - __builtin_clzll(size), exponent = length - 1 + scale;
    if (exponent > 127)
        return sign | 0x7f800000u;
    // The unit of the last place of the result is 2^unit.
    const int unit = (exponent < -126 ? -126 : exponent) - 23, shift = unit - scale;
    size = shift >= 64 ? 0 : shift >= 0 ? size >> shift : size << -shift;
    size &= ~((1ull << (23 - bits)) - 1);
    return exponent < -126 ? sign | (uint32_t)size : sign | ((uint32_t)(exponent + 127) << 23 | ((uint32_t)size & 0x7fffff));
}

uint32_t matrix_f16_of(double value)
{
    const double size = fabs(value);
    if (isnan(value))
        return 0x7fff;
    const uint32_t sign = signbit(value) ? 0x8000u : 0;
    if (isinf(value) || size == 0)
        return sign | (size > 0 ? 0x7c00 : 0);
    const int least = -14, exponent = ilogb(size) < least ? least : ilogb(size);
    const uint32_t units = (uint32_t)nearbyint(ldexp(size, 10 - exponent)); // a carry raises the exponent
    const uint32_t bits = ((uint32_t)(exponent - least) << 10) + units;
    return sign | (bits < 0x7c00 && exponent < 16 ? bits : 0x7c00);
}

// What rounds to zero is +0.
static uint32_t f16_of_sum(int64_t sum, int scale)
{
    const uint32_t bits = matrix_f16_of(ldexp((double)sum, scale)); // exact: sums have fewer than 53 bits
    return bits == 0x8000 ? 0 : bits;
}

static void accumulators_read(const struct matrix_shape *shape, const uint64_t *c, struct accumulators *out,
                              bool *is_special)
{
    for (int j = 0; j < WIDE; j++) {
        const struct number x = number_of(shape->c == MATRIX_F16 ? MATRIX_F16 : MATRIX_F32, c[j], C_BITS);
        out->significand[j] = x.significand;
        out->exponent[j] = x.exponent;
        is_special[j] = x.is_special;
    }
}

// ---- the product -------------------------------------------------------------------------------------------

static struct rule rule_of(const struct matrix_shape *shape)
{
    const bool is_8bit = shape->a == MATRIX_E4M3 || shape->a == MATRIX_E5M2;
    if (is_8bit)
        return (struct rule){32, 13, 13};
    if (shape->a == MATRIX_TF32)
        return (struct rule){shape->is_wmma ? 4 : 8, 25, 23}; // ptxas makes two steps of wmma's m16n16k8
    return (struct rule){16, 25, 23};
}

// One step for WIDE columns of a row: `n` products from a[0] and b[0] on are added to c, which becomes d.
static void step_columns(const struct matrix_shape *shape, const struct rule *rule, const struct operands *o, uint32_t k,
                         uint32_t column, const uint64_t *a, const uint64_t *b, uint64_t *d)
{
    struct accumulators c;
    bool is_special[WIDE];
    int64_t sum[WIDE];
    int32_t exponent[WIDE];
    const uint32_t n = shape->k - k < rule->step ? shape->k - k : rule->step;
    accumulators_read(shape, d, &c, is_special);
    sum_step(o, k, n, shape->n, column, &c, rule->bits, sum, exponent);
    for (int j = 0; j < WIDE; j++) {
        const bool may_be_special = is_special[j] || o->a_is_special || o->b_is_special[column + (uint32_t)j];
        if (may_be_special && special_sum(shape, a + k, b + (size_t)k * shape->n + column + j, n, &d[j]))
            continue;
        d[j] = shape->d == MATRIX_F16 ? f16_of_sum(sum[j], exponent[j] - rule->bits)
                                      : f32_of_sum(sum[j], exponent[j] - rule->bits, rule->result_bits);
    }
}

void matrix_multiply_float(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d)
{
    const struct rule rule = rule_of(shape);
    struct operands o;
    read_b(shape, b, &o);
    for (uint32_t i = 0; i < shape->m; i++, a += shape->k, c += shape->n, d += shape->n) {
        read_a_row(shape, a, &o);
        memmove(d, c, shape->n * sizeof *d);
        for (uint32_t column = 0; column < shape->n; column += WIDE)
            for (uint32_t k = 0; k < shape->k; k += rule.step)
                step_columns(shape, &rule, &o, k, column, a, b, d + column);
    }
}
