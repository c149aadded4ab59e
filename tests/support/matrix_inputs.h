// Operands for matrix instructions: a function of category, case, operand and place, the same here and in the program that
// ran on the GPU. Eight categories: alike, wide exponents, cancelling, random bits, small and subnormal, special values
// among others, sparse, powers of two.
#ifndef SUPPORT_MATRIX_INPUTS_H
#define SUPPORT_MATRIX_INPUTS_H
#include "isa/matrix.h"

enum { MATRIX_CATEGORIES = 8 };

// Word `word` (lane * words of a lane + word of the lane) of the fragment of operand 0 (A), 1 (B) or 2 (C).
uint32_t matrix_input(const struct matrix_shape *shape, int operand, int category, uint32_t number, uint32_t word);
#endif
