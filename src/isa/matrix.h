// Matrix instructions: mma.sync, wmma and wgmma of PTX; HMMA, IMMA, BMMA, DMMA and HGMMA of SASS. D = A * B + C, where A
// has m rows and k columns, B k rows and n columns.
//
// insn.extra holds the shape (matrix_pack). The rows of the fragments are listed in kernel.lists from insn.offset on, in the
// order D, A, B, C, each register a row (a 64-bit register two); a SASS lowering lists the registers of a group one by
// one. Where elements lie in fragments is said in simt/matrix_fragment.h; it is the same in both instruction sets.
#ifndef ISA_MATRIX_H
#define ISA_MATRIX_H
#include <stdbool.h>
#include <stdint.h>

enum matrix_type {
    MATRIX_F16, MATRIX_BF16, MATRIX_TF32, MATRIX_F64, MATRIX_E4M3, MATRIX_E5M2, MATRIX_S8, MATRIX_U8, MATRIX_S4, MATRIX_U4,
    MATRIX_B1, MATRIX_F32, MATRIX_S32, N_MATRIX_TYPES
};

struct matrix_shape {
    uint16_t m, n, k;
    uint8_t a, b, c, d;   // enum matrix_type
    bool a_is_col, b_is_row; // layouts other than row-major A, column-major B (mma.m8n8k4, wmma)
    bool saturates;       // integer sums
    bool is_xor;          // B1: a ^ b instead of a & b
    bool is_wmma;         // fragments of wmma
};

enum { MATRIX_MAX_M = 64, MATRIX_MAX_N = 256, MATRIX_MAX_K = 256, MATRIX_MAX_ROWS = 16 /* registers of A, B, C or D of a warp but wgmma's */ };

static inline uint32_t matrix_bits(enum matrix_type type)
{
    static const uint8_t bits[N_MATRIX_TYPES] = {16, 16, 32, 64, 8, 8, 8, 8, 4, 4, 1, 32, 32};
    return bits[type];
}

// Bits: 3..0 A, 7..4 B, 11..8 C, 15..12 D, 18..16 log2(m / 8), 23..19 n / 8 - 1, 26..24 log2(k / 4), then flags.
static inline uint32_t matrix_pack(const struct matrix_shape *s)
{
    const uint32_t m = (uint32_t)__builtin_ctz(s->m / 8u), k = (uint32_t)__builtin_ctz(s->k / 4u);
    return (uint32_t)s->a | (uint32_t)s->b << 4 | (uint32_t)s->c << 8 | (uint32_t)s->d << 12 | m << 16 |
           (s->n / 8u - 1) << 19 | k << 24 | (uint32_t)s->a_is_col << 27 | (uint32_t)s->b_is_row << 28 |
           (uint32_t)s->saturates << 29 | (uint32_t)s->is_xor << 30 | (uint32_t)s->is_wmma << 31;
}

static inline struct matrix_shape matrix_unpack(uint32_t bits)
{
    return (struct matrix_shape){.m = (uint16_t)(8u << (bits >> 16 & 7)),
                                 .n = (uint16_t)(8 * ((bits >> 19 & 31) + 1)),
                                 .k = (uint16_t)(4u << (bits >> 24 & 7)),
                                 .a = bits & 15,
                                 .b = bits >> 4 & 15,
                                 .c = bits >> 8 & 15,
                                 .d = bits >> 12 & 15,
                                 .a_is_col = bits >> 27 & 1,
                                 .b_is_row = bits >> 28 & 1,
                                 .saturates = bits >> 29 & 1,
                                 .is_xor = bits >> 30 & 1,
                                 .is_wmma = bits >> 31 & 1};
}

// Four quadpairs of lanes do one small product each (the shape of sm_70).
static inline bool matrix_is_quadpair(const struct matrix_shape *s)
{
    return !s->is_wmma && s->m == 8 && s->n == 8 && s->k == 4 && s->a == MATRIX_F16;
}

// Rows of a fragment of `elements` elements spread over the warp, each once.
static inline uint32_t matrix_rows(const struct matrix_shape *s, enum matrix_type type, uint32_t elements)
{
    return elements * matrix_bits(type) * (matrix_is_quadpair(s) ? 4 : 1) / 1024;
}
// wmma's fragments of 16-bit A and B have eight registers on sm_70; later GPUs repeat the fewer they need.
static inline uint32_t matrix_listed_rows(const struct matrix_shape *s, enum matrix_type type, uint32_t elements,
                                          bool is_accumulator)
{
    const bool repeats = s->is_wmma && type == MATRIX_F16 && !is_accumulator;
    return repeats ? 8 : matrix_rows(s, type, elements);
}

// wgmma: modifiers in insn.mod; the list holds the rows of D (which is C as well), then A (four registers, or a descriptor's
// two rows), then B's descriptor; psrc[0] says whether D is added to.
enum { WGMMA_NEGATE_A = 5, WGMMA_NEGATE_B = 6, WGMMA_TURN_A = 7, WGMMA_TURN_B = 8, WGMMA_A_IN_REGISTERS = 9 }; // 1 bit each

// What one access of wmma.load or wmma.store moves (lowered to several of them), in insn.mod from bit WMMA_PART on.
enum { WMMA_PART = 5 };
enum wmma_operand { WMMA_A, WMMA_B, WMMA_C };
struct wmma_part {
    enum wmma_operand operand;
    bool is_col;     // column-major in memory
    bool is_lines;   // like ldmatrix: lane i gives line i % 8 of the block of register `reg` + i / 8
    bool is_swapped; // 16-bit elements lie transposed: the words of the block are those of the transposed block
    uint32_t reg, element; // first register; for bytes moved one by one, which of its elements
};

static inline uint32_t wmma_pack(const struct wmma_part *p)
{
    return ((uint32_t)p->operand | (uint32_t)p->is_col << 2 | (uint32_t)p->is_lines << 3 | (uint32_t)p->is_swapped << 4 |
            p->reg << 5 | p->element << 8)
           << WMMA_PART;
}

static inline struct wmma_part wmma_unpack(uint32_t mod)
{
    const uint32_t bits = mod >> WMMA_PART;
    return (struct wmma_part){(enum wmma_operand)(bits & 3), bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1, bits >> 5 & 7,
                              bits >> 8 & 3};
}
#endif
