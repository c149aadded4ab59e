// The suffixes of matrix instructions: shape, layouts, types. Their order is free here, as it is to ptxas in part.
#ifndef PTX_MATRIX_H
#define PTX_MATRIX_H
#include "isa/matrix.h"
#include "ptx/ast.h"

enum matrix_kind { MATRIX_MMA, MATRIX_WMMA, MATRIX_WMMA_LOAD, MATRIX_WMMA_STORE, MATRIX_WGMMA };

struct matrix_op {
    enum matrix_kind kind;
    struct matrix_shape shape;
    enum wmma_operand operand; // wmma.load, wmma.store: which matrix,
    uint8_t space;             // where it lies (enum space)
    bool is_col;               // and how
    uint8_t round; // enum round of the f64 forms
};

// Reads mma.sync, wmma and wgmma.mma_async. Returns NULL, or what is wrong and the suffix it is about (-1: the whole opcode).
const char *matrix_op_read(const struct ptx_insn *insn, struct matrix_op *out, int *suffix);

// Registers as PTX counts them (64-bit ones once).
uint32_t matrix_registers_a(const struct matrix_shape *shape);
uint32_t matrix_registers_b(const struct matrix_shape *shape);
uint32_t matrix_registers_c(const struct matrix_shape *shape, enum matrix_type type); // of C or D
#endif
