// One atomic operation on one element, whoever asks for it: atomics of a warp (op_atom.c) and bulk reductions.
#ifndef SIMT_ATOM_H
#define SIMT_ATOM_H
#include "isa/isa.h"
#include <stdbool.h>
#include <stdint.h>

enum atom_type {
    ATOM_TYPE_u16,
    ATOM_TYPE_u32,
    ATOM_TYPE_s32,
    ATOM_TYPE_u64,
    ATOM_TYPE_s64,
    ATOM_TYPE_f32,
    ATOM_TYPE_f64,
    ATOM_TYPE_f16, // from here on: halves
    ATOM_TYPE_f16x2,
    ATOM_TYPE_bf16,
    ATOM_TYPE_bf16x2,
    ATOM_TYPE_b128
};

uint32_t atom_type_bytes(enum atom_type type);
// n_bytes of `from` go into `at`, element by element. is_global: f32 sums flush subnormal numbers.
void atom_reduce(enum atom_op op, enum atom_type type, uint8_t *at, const uint8_t *from, uint32_t n_bytes,
                 bool is_global);
#endif
