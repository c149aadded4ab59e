// Products of matrices of integers and bits, and of doubles.
#include "simt/matrix.h"
#include "simt/semantics.h"
#include <fenv.h>
#include <math.h>

void matrix_multiply(const struct matrix_shape *shape, enum matrix_unit unit, enum round round, const uint64_t *a,
                     const uint64_t *b, const uint64_t *c, uint64_t *d)
{
    if (shape->a == MATRIX_F64)
        matrix_multiply_double(shape, round, a, b, c, d);
    else if (shape->a >= MATRIX_S8 && shape->a <= MATRIX_B1)
        matrix_multiply_integer(shape, a, b, c, d);
    else if (matrix_is_quadpair(shape))
        matrix_multiply_quadpair(shape, a, b, c, d);
    else if (unit == MATRIX_SYNC && (shape->a == MATRIX_E4M3 || shape->a == MATRIX_E5M2))
        matrix_multiply_bytes(shape, a, b, c, d);
    else if (shape->c != shape->d)
        matrix_multiply_mixed(shape, a, b, c, d);
    else
        matrix_multiply_float(shape, a, b, c, d);
}

// ---- integers --------------------------------------------------------------------------------------------

static int32_t integer_of(enum matrix_type type, uint64_t bits)
{
    switch (type) {
    case MATRIX_S8:
        return (int8_t)bits;
    case MATRIX_S4:
        return (int32_t)(bits ^ 8) - 8;
    default:
        return (int32_t)bits;
    }
}

static int32_t saturate(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void matrix_multiply_integer(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                             uint64_t *d)
{
    for (uint32_t i = 0; i < shape->m; i++)
        for (uint32_t j = 0; j < shape->n; j++) {
            int64_t sum = (int32_t)c[i * shape->n + j];
            for (uint32_t k = 0; k < shape->k; k++) {
                const uint64_t x = a[i * shape->k + k], y = b[k * shape->n + j];
                if (shape->a == MATRIX_B1)
                    sum += (int64_t)(shape->is_xor ? x ^ y : x & y);
                else
                    sum += integer_of(shape->a, x) * integer_of(shape->b, y);
            }
            d[i * shape->n + j] = (uint32_t)(shape->saturates ? saturate(sum) : (int32_t)(uint32_t)sum);
        }
}

// ---- doubles: one fused multiply-add after the other ------------------------------------------------------

// A NaN among the operands passes, quiet: that of b first, then of c, then of a. Other NaNs are the default one of fma.
static double fma_nan(double a, double b, double c)
{
    const uint64_t quiet = 0x0008000000000000ull;
    if (isnan(b))
        return f64_of_bits(bits_of_f64(b) | quiet);
    if (isnan(c) || isnan(a))
        return f64_of_bits(bits_of_f64(isnan(c) ? c : a) | quiet);
    return fma(a, b, c);
}

void matrix_multiply_double(const struct matrix_shape *shape, enum round round, const uint64_t *a, const uint64_t *b,
                            const uint64_t *c, uint64_t *d)
{
    static const int directions[] = {[ROUND_NONE] = FE_TONEAREST, [ROUND_RN] = FE_TONEAREST, [ROUND_RZ] = FE_TOWARDZERO,
                                     [ROUND_RM] = FE_DOWNWARD,    [ROUND_RP] = FE_UPWARD};
    fesetround(directions[round]);
    for (uint32_t i = 0; i < shape->m; i++)
        for (uint32_t j = 0; j < shape->n; j++) {
            double sum = f64_of_bits(c[i * shape->n + j]);
            for (uint32_t k = 0; k < shape->k; k++)
                sum = fma_nan(f64_of_bits(a[i * shape->k + k]), f64_of_bits(b[k * shape->n + j]), sum);
            d[i * shape->n + j] = bits_of_f64(sum);
        }
    fesetround(FE_TONEAREST);
}
