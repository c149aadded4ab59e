// Products of small matrices as tensor cores compute them: plain functions on rows. Both instruction sets use them.
//
//     uint32_t out[MATRIX_MAX_ROWS * ROW_LANES];
//     matrix_mma(&shape, round, d_rows_of_a, rows_of_b, rows_of_c, out);   // out: the rows of D, one behind the other
//
// How the sums are rounded, and how that was found: doc/tensor.md.
#ifndef SIMT_MATRIX_H
#define SIMT_MATRIX_H
#include "isa/isa.h"
#include "isa/matrix.h"

// Where an element of a fragment lies in the matrix.
struct matrix_place {
    uint16_t row, column;
};

// Element `element` (counted from the low bits) of register `reg` of lane `lane`. Registers of 64-bit elements count once.
struct matrix_place matrix_place_a(const struct matrix_shape *shape, uint32_t lane, uint32_t reg, uint32_t element);
struct matrix_place matrix_place_b(const struct matrix_shape *shape, uint32_t lane, uint32_t reg, uint32_t element);
// C and D: `type` is that of the accumulator.
struct matrix_place matrix_place_c(const struct matrix_shape *shape, enum matrix_type type, uint32_t lane, uint32_t reg,
                                   uint32_t element);

// The bits of the elements, row by row: element (i, j) of a matrix with `columns` columns is bits[i * columns + j].
void matrix_read_a(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits);
void matrix_read_b(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits);
void matrix_read_c(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits);
void matrix_write_d(const struct matrix_shape *shape, const uint64_t *bits, uint32_t *out);

// D = A * B + C on the bits of elements; d may be c. Which of several small products of quadpairs it is does not matter here.
// MATRIX_ASYNC: wgmma, which alone has 8-bit floats on sm_90 (mma composes them of 16-bit ones).
enum matrix_unit { MATRIX_SYNC, MATRIX_ASYNC };
void matrix_multiply(const struct matrix_shape *shape, enum matrix_unit unit, enum round round, const uint64_t *a,
                     const uint64_t *b, const uint64_t *c, uint64_t *d);

// One warp's mma on rows of registers. `out`: rows of D.
void matrix_mma(const struct matrix_shape *shape, enum round round, const uint32_t *const *a, const uint32_t *const *b,
                const uint32_t *const *c, uint32_t *out);

// matrix_float.c, matrix_composed.c, matrix_integer.c: the parts of matrix_multiply
uint32_t matrix_f16_of(double value); // to nearest even
void matrix_multiply_float(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d);
void matrix_multiply_quadpair(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                              uint64_t *d);
void matrix_multiply_mixed(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d);
void matrix_multiply_bytes(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                           uint64_t *d);
void matrix_multiply_double(const struct matrix_shape *shape, enum round round, const uint64_t *a, const uint64_t *b,
                            const uint64_t *c, uint64_t *d);
void matrix_multiply_integer(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                             uint64_t *d);
#endif
