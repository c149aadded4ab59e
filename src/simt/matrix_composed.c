// Products that sm_90 has no tensor instruction for, as ptxas of CUDA 13 composes them; read off its machine code and
// measured. mma.m8n8k4 of 16-bit floats becomes shuffles and fused multiply-adds of f32. mma of 8-bit floats becomes two
// products of f16: of the lower, then of the upper halves of the registers, C added at the end. wmma's accumulators of two
// types are converted before or after.
#include "simt/matrix.h"
#include "simt/semantics.h"
#include <math.h>

// ---- values ----------------------------------------------------------------------------------------------

static float float_of(enum matrix_type type, uint64_t bits)
{
    if (type == MATRIX_F16) {
        const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                                          : ldexpf((float)(exponent ? fraction | 1024 : fraction),
                                                   (exponent ? exponent : 1) - 25);
        return bits & 0x8000 ? -size : size;
    }
    return f32_of_bits((uint32_t)bits);
}

static uint64_t bits_of_float(float value)
{
    return isnan(value) ? 0x7fffffff : bits_of_f32(value);
}

// ---- quadpairs -------------------------------------------------------------------------------------------

static float chain(const float *a, const float *b, float c)
{
    float sum = fmaf(a[0], b[0], 0);
    for (int k = 1; k < 4; k++)
        sum = fmaf(a[k], b[k], sum);
    return sum + c;
}

static float pairs(const float *a, const float *b, float c)
{
    const float low = fmaf(a[1], b[1], a[0] * b[0]), high = fmaf(a[3], b[3], a[2] * b[2]);
    return (c + low) + high;
}

void matrix_multiply_quadpair(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                              uint64_t *d)
{
    for (uint32_t i = 0; i < shape->m; i++)
        for (uint32_t j = 0; j < shape->n; j++) {
            float x[4], y[4];
            for (uint32_t k = 0; k < 4; k++) {
                x[k] = float_of(MATRIX_F16, a[i * 4 + k]);
                y[k] = float_of(MATRIX_F16, b[k * shape->n + j]);
            }
            const float z = float_of((enum matrix_type)shape->c, c[i * shape->n + j]);
            d[i * shape->n + j] = shape->d == MATRIX_F16 ? matrix_f16_of(pairs(x, y, z)) : bits_of_float(chain(x, y, z));
        }
}

// ---- accumulators of two types (wmma) -------------------------------------------------------------------------

enum { MIXED_SIZE = 256 };

void matrix_multiply_mixed(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d)
{
    struct matrix_shape wide = *shape;
    uint64_t sums[MIXED_SIZE] = {0};
    const uint32_t n = (uint32_t)shape->m * shape->n;
    wide.c = wide.d = MATRIX_F32;
    for (uint32_t i = 0; i < n; i++)
        sums[i] = bits_of_float(float_of((enum matrix_type)shape->c, c[i]));
    matrix_multiply_float(&wide, a, b, sums, sums);
    for (uint32_t i = 0; i < n; i++)
        d[i] = shape->d == MATRIX_F16 ? matrix_f16_of((double)float_of(MATRIX_F32, sums[i])) : sums[i];
}

// ---- 8-bit floats ----------------------------------------------------------------------------------------

enum { BYTES_M = 16, BYTES_N = 8, HALF_K = 16 };

static uint64_t half_of_byte(enum matrix_type type, uint64_t bits)
{
    if (type == MATRIX_E5M2)
        return bits << 8;
    const int exponent = (int)(bits >> 3 & 15), fraction = (int)(bits & 7);
    if (exponent == 15 && fraction == 7)
        return 0x7fff;
    const double size = ldexp(exponent ? fraction | 8 : fraction, (exponent ? exponent : 1) - 10);
    return matrix_f16_of(bits & 0x80 ? -size : size);
}

// Registers hold four bytes; `half` 0 takes the lower two of each, 1 the upper ones.
static uint32_t place_in_half(uint32_t k, uint32_t half)
{
    return k / 2 * 4 + half * 2 + k % 2;
}

static void multiply_half(const struct matrix_shape *shape, uint32_t half, const uint64_t *a, const uint64_t *b,
                          uint64_t *sums)
{
    struct matrix_shape part = *shape;
    uint64_t x[BYTES_M * HALF_K], y[HALF_K * BYTES_N];
    part.k = shape->k / 2;
    part.a = part.b = MATRIX_F16;
    part.c = part.d;
    for (uint32_t k = 0; k < part.k; k++) {
        for (uint32_t i = 0; i < shape->m; i++)
            x[i * part.k + k] = half_of_byte((enum matrix_type)shape->a, a[i * shape->k + place_in_half(k, half)]);
        for (uint32_t j = 0; j < shape->n; j++)
            y[k * shape->n + j] = half_of_byte((enum matrix_type)shape->b, b[place_in_half(k, half) * shape->n + j]);
    }
    matrix_multiply_float(&part, x, y, sums, sums);
}

void matrix_multiply_bytes(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d)
{
    uint64_t sums[BYTES_M * BYTES_N] = {0};
    multiply_half(shape, 0, a, b, sums);
    multiply_half(shape, 1, a, b, sums);
    for (uint32_t i = 0; i < (uint32_t)shape->m * shape->n; i++) {
        const enum matrix_type type = (enum matrix_type)shape->d;
        if (type == MATRIX_F16)
            d[i] = matrix_f16_of((double)float_of(type, c[i]) + (double)float_of(type, sums[i]));
        else
            d[i] = bits_of_float(float_of(type, c[i]) + float_of(type, sums[i]));
    }
}
