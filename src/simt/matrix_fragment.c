// Which element of a matrix lies in which register of which lane. Source: PTX ISA 9.0, "Matrix fragments for mma".
#include "simt/matrix.h"
#include <string.h>

// ---- quadpairs: m8n8k4 of 16-bit floats ------------------------------------------------------------------

// Lanes 4 q .. 4 q + 3 and 16 + 4 q .. do product q on their own. Rows and columns here are those of product q.
static struct matrix_place quadpair_a(const struct matrix_shape *shape, uint32_t lane, uint32_t index)
{
    const uint32_t upper = lane >= 16 ? 4 : 0;
    if (shape->a_is_col)
        return (struct matrix_place){(uint16_t)(index + upper), (uint16_t)(lane % 4)};
    return (struct matrix_place){(uint16_t)(lane % 4 + upper), (uint16_t)index};
}

static struct matrix_place quadpair_b(const struct matrix_shape *shape, uint32_t lane, uint32_t index)
{
    const uint32_t upper = lane >= 16 ? 4 : 0;
    if (shape->b_is_row)
        return (struct matrix_place){(uint16_t)(lane % 4), (uint16_t)(index + upper)};
    return (struct matrix_place){(uint16_t)index, (uint16_t)(lane % 4 + upper)};
}

static struct matrix_place quadpair_c(enum matrix_type type, uint32_t lane, uint32_t index)
{
    const uint32_t upper = lane >= 16 ? 4 : 0;
    if (type == MATRIX_F16)
        return (struct matrix_place){(uint16_t)(lane % 4 + upper), (uint16_t)index};
    return (struct matrix_place){(uint16_t)((lane & 1) + (index & 2) + upper),
                                 (uint16_t)((index & 4) + (lane & 2) + (index & 1))};
}

// ---- wmma: blocks of 8 lines of A (rows) or B (columns) by 4 registers of k ---------------------------------

// m8n32 is m32n8 with A and B in each other's place. The order of the blocks is that of m16n8k16's A in the longer
// operand, of its B in the other. Read off the machine code that ptxas makes for sm_90; measured.
static bool is_transposed(const struct matrix_shape *shape)
{
    return shape->is_wmma && shape->m == 8 && shape->n == 32;
}

struct block {
    uint32_t line, k;
};

static struct block wmma_block(const struct matrix_shape *shape, bool is_first, uint32_t per, uint32_t reg)
{
    const uint32_t n_k = shape->k / (4 * per), lines = (is_first ? shape->m : shape->n) / 8;
    const bool is_left = is_first != is_transposed(shape);
    if (n_k == 1)
        return (struct block){reg % lines, 0};
    reg %= lines * n_k;
    if (is_left)
        return (struct block){(reg & 1) + 2 * (reg >> 2), reg >> 1 & 1};
    return (struct block){reg >> 1, reg & 1};
}

static struct matrix_place wmma_place(const struct matrix_shape *shape, bool is_first, uint32_t per, uint32_t lane,
                                      uint32_t reg, uint32_t element)
{
    const struct block block = wmma_block(shape, is_first, per, reg);
    const uint16_t line = (uint16_t)(block.line * 8 + lane / 4);
    const uint16_t k = (uint16_t)((block.k * 4 + lane % 4) * per + element);
    return is_first ? (struct matrix_place){line, k} : (struct matrix_place){k, line};
}

static struct matrix_place wmma_place_c(const struct matrix_shape *shape, uint32_t lane, uint32_t index)
{
    const uint32_t lines = (is_transposed(shape) ? shape->n : shape->m) / 8;
    const uint16_t line = (uint16_t)(lane / 4 + 8 * (index / 2 % lines));
    const uint16_t column = (uint16_t)(index / 2 / lines * 8 + lane % 4 * 2 + index % 2);
    return is_transposed(shape) ? (struct matrix_place){column, line} : (struct matrix_place){line, column};
}

// ---- the other shapes ------------------------------------------------------------------------------------

static uint32_t per_register(enum matrix_type type)
{
    const uint32_t bits = matrix_bits(type);
    return bits < 32 ? 32 / bits : 1;
}

struct matrix_place matrix_place_a(const struct matrix_shape *shape, uint32_t lane, uint32_t reg, uint32_t element)
{
    const uint32_t per = per_register(shape->a), halves = shape->m == 8 ? 1 : 2;
    if (shape->is_wmma)
        return wmma_place(shape, true, per, lane, reg, element);
    if (matrix_is_quadpair(shape))
        return quadpair_a(shape, lane, reg * per + element);
    return (struct matrix_place){(uint16_t)(lane / 4 + 8 * (reg % halves)),
                                 (uint16_t)((reg / halves * 4 + lane % 4) * per + element)};
}

struct matrix_place matrix_place_b(const struct matrix_shape *shape, uint32_t lane, uint32_t reg, uint32_t element)
{
    const uint32_t per = per_register(shape->b);
    if (shape->is_wmma)
        return wmma_place(shape, false, per, lane, reg, element);
    if (matrix_is_quadpair(shape))
        return quadpair_b(shape, lane, reg * per + element);
    return (struct matrix_place){(uint16_t)((reg * 4 + lane % 4) * per + element), (uint16_t)(lane / 4)};
}

struct matrix_place matrix_place_c(const struct matrix_shape *shape, enum matrix_type type, uint32_t lane, uint32_t reg,
                                   uint32_t element)
{
    const uint32_t index = reg * per_register(type) + element, halves = shape->m == 8 ? 1 : 2;
    if (shape->is_wmma)
        return wmma_place_c(shape, lane, index);
    if (matrix_is_quadpair(shape))
        return quadpair_c(type, lane, index);
    return (struct matrix_place){(uint16_t)(lane / 4 + 8 * (index / 2 % halves)),
                                 (uint16_t)(index / 2 / halves * 8 + lane % 4 * 2 + index % 2)};
}

// ---- reading and writing ---------------------------------------------------------------------------------

enum operand { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_D };

struct fragment {
    enum operand operand;
    enum matrix_type type;
    uint32_t columns, size; // of the matrix
    uint32_t n_regs, per, bits;
    uint32_t words; // rows of a register
};

static struct fragment fragment_of(const struct matrix_shape *shape, enum operand operand)
{
    const uint8_t types[] = {shape->a, shape->b, shape->c, shape->d};
    struct fragment f = {.operand = operand, .type = types[operand]};
    f.columns = operand == OPERAND_A ? shape->k : shape->n;
    f.size = f.columns * (operand == OPERAND_B ? shape->k : shape->m);
    f.bits = matrix_bits(f.type);
    f.per = per_register(f.type);
    f.words = f.bits == 64 ? 2 : 1;
    f.n_regs = matrix_rows(shape, f.type, f.size) / f.words;
    return f;
}

// Index of an element in the matrix; the products of quadpairs lie one behind the other.
static uint32_t index_of(const struct matrix_shape *shape, const struct fragment *f, uint32_t lane, uint32_t reg,
                         uint32_t element)
{
    const struct matrix_place place = f->operand == OPERAND_A   ? matrix_place_a(shape, lane, reg, element)
                                      : f->operand == OPERAND_B ? matrix_place_b(shape, lane, reg, element)
                                                                : matrix_place_c(shape, f->type, lane, reg, element);
    const uint32_t product = matrix_is_quadpair(shape) ? lane / 4 % 4 : 0;
    return product * f->size + place.row * f->columns + place.column;
}

static void read_fragment(const struct matrix_shape *shape, enum operand operand, const uint32_t *const *rows,
                          uint64_t *bits)
{
    const struct fragment f = fragment_of(shape, operand);
    const uint64_t mask = f.bits == 64 ? UINT64_MAX : (1ull << f.bits) - 1;
    for (uint32_t reg = 0; reg < f.n_regs; reg++)
        for (uint32_t lane = 0; lane < ROW_LANES; lane++) {
            const uint64_t high = f.words == 2 ? rows[2 * reg + 1][lane] : 0;
            const uint64_t word = rows[reg * f.words][lane] | high << 32;
            for (uint32_t e = 0; e < f.per; e++)
                bits[index_of(shape, &f, lane, reg, e)] = word >> (e * f.bits) & mask;
        }
}

void matrix_read_a(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits)
{
    read_fragment(shape, OPERAND_A, rows, bits);
}

void matrix_read_b(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits)
{
    read_fragment(shape, OPERAND_B, rows, bits);
}

void matrix_read_c(const struct matrix_shape *shape, const uint32_t *const *rows, uint64_t *bits)
{
    read_fragment(shape, OPERAND_C, rows, bits);
}

void matrix_write_d(const struct matrix_shape *shape, const uint64_t *bits, uint32_t *out)
{
    const struct fragment f = fragment_of(shape, OPERAND_D);
    for (uint32_t reg = 0; reg < f.n_regs; reg++)
        for (uint32_t lane = 0; lane < ROW_LANES; lane++) {
            uint64_t word = 0;
            for (uint32_t e = 0; e < f.per; e++)
                word |= bits[index_of(shape, &f, lane, reg, e)] << (e * f.bits);
            out[reg * f.words * ROW_LANES + lane] = (uint32_t)word;
            if (f.words == 2)
                out[(reg * 2 + 1) * ROW_LANES + lane] = (uint32_t)(word >> 32);
        }
}

// ---- one warp's product ----------------------------------------------------------------------------------

enum { QUADPAIRS = 4, MAX_A = 16 * 256, MAX_B = 256 * 8, MAX_C = 256 };

void matrix_mma(const struct matrix_shape *shape, enum round round, const uint32_t *const *a, const uint32_t *const *b,
                const uint32_t *const *c, uint32_t *out)
{
    uint64_t a_bits[MAX_A], b_bits[MAX_B], c_bits[MAX_C];
    const uint32_t n_products = matrix_is_quadpair(shape) ? QUADPAIRS : 1;
    matrix_read_a(shape, a, a_bits);
    matrix_read_b(shape, b, b_bits);
    matrix_read_c(shape, c, c_bits);
    for (uint32_t i = 0; i < n_products; i++) {
        uint64_t *accumulators = c_bits + (size_t)i * shape->m * shape->n;
        matrix_multiply(shape, MATRIX_SYNC, round, a_bits + (size_t)i * shape->m * shape->k,
                        b_bits + (size_t)i * shape->k * shape->n, accumulators, accumulators);
    }
    matrix_write_d(shape, c_bits, out);
}
