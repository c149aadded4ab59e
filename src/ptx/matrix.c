// Suffixes of matrix instructions; see matrix.h. What is legal: PTX ISA 9.0, "Warp-level matrix instructions".
#include "ptx/matrix.h"
#include "base/space.h"
#include "isa/isa.h"
#include <stdio.h>
#include <string.h>

// ---- words -------------------------------------------------------------------------------------------

static const char *const type_words[N_MATRIX_TYPES] = {
    [MATRIX_F16] = "f16", [MATRIX_BF16] = "bf16", [MATRIX_TF32] = "tf32", [MATRIX_F64] = "f64", [MATRIX_E4M3] = "e4m3",
    [MATRIX_E5M2] = "e5m2", [MATRIX_S8] = "s8",   [MATRIX_U8] = "u8",     [MATRIX_S4] = "s4",   [MATRIX_U4] = "u4",
    [MATRIX_B1] = "b1",     [MATRIX_F32] = "f32", [MATRIX_S32] = "s32"};

struct reading {
    struct matrix_op *out;
    uint8_t types[4], n_types;
    uint8_t n_layouts;
    bool has_shape, has_operation, has_popc, has_round;
};

static bool read_shape(const char *word, struct reading *r)
{
    unsigned m, n, k;
    int length = 0;
    if (sscanf(word, "m%3un%3uk%3u%n", &m, &n, &k, &length) != 3 || word[length] != '\0')
        return false;
    r->out->shape.m = (uint16_t)m;
    r->out->shape.n = (uint16_t)n;
    r->out->shape.k = (uint16_t)k;
    r->has_shape = true;
    return true;
}

static bool read_type(const char *word, struct reading *r)
{
    for (uint8_t t = 0; t < N_MATRIX_TYPES; t++)
        if (strcmp(word, type_words[t]) == 0) {
            if (r->n_types == 4)
                return false;
            r->types[r->n_types++] = t;
            return true;
        }
    return false;
}

static bool read_layout(const char *word, struct reading *r)
{
    const bool is_row = strcmp(word, "row") == 0;
    if ((!is_row && strcmp(word, "col") != 0) || r->n_layouts == 2)
        return false;
    if (r->n_layouts++ == 0)
        r->out->shape.a_is_col = !is_row;
    else
        r->out->shape.b_is_row = is_row;
    return true;
}

static bool read_round(const char *word, struct reading *r)
{
    static const char *const words[] = {[ROUND_RN] = "rn", [ROUND_RZ] = "rz", [ROUND_RM] = "rm", [ROUND_RP] = "rp"};
    for (uint8_t i = ROUND_RN; i <= ROUND_RP && !r->has_round; i++)
        if (strcmp(word, words[i]) == 0) {
            r->out->round = i;
            return r->has_round = true;
        }
    return false;
}

static bool read_flag(const char *word, struct reading *r)
{
    if (strcmp(word, "sync") == 0 || strcmp(word, "aligned") == 0)
        return true;
    if (strcmp(word, "satfinite") == 0 && !r->out->shape.saturates)
        return r->out->shape.saturates = true;
    if (strcmp(word, "popc") == 0 && !r->has_popc)
        return r->has_popc = true;
    if ((strcmp(word, "xor") == 0 || strcmp(word, "and") == 0) && !r->has_operation) {
        r->out->shape.is_xor = *word == 'x';
        return r->has_operation = true;
    }
    return false;
}

static bool read_word(const char *word, struct reading *r)
{
    return read_flag(word, r) || read_layout(word, r) || read_type(word, r) || read_shape(word, r) || read_round(word, r);
}

// ---- what is legal -----------------------------------------------------------------------------------

#define TYPE(name) (1u << MATRIX_##name)
enum {
    HALVES = TYPE(F16) | TYPE(BF16),
    FP8 = TYPE(E4M3) | TYPE(E5M2),
    BYTES = TYPE(S8) | TYPE(U8),
    NIBBLES = TYPE(S4) | TYPE(U4)
};

static const struct {
    uint16_t m, n, k;
    uint32_t types; // of A and B
} mma_shapes[] = {
    {8, 8, 4, TYPE(F16) | TYPE(F64)},
    {16, 8, 4, TYPE(TF32) | TYPE(F64)},
    {16, 8, 8, HALVES | TYPE(TF32) | TYPE(F64)},
    {16, 8, 16, HALVES | TYPE(F64) | BYTES | FP8},
    {16, 8, 32, BYTES | NIBBLES | FP8},
    {16, 8, 64, NIBBLES},
    {8, 8, 16, BYTES},
    {8, 8, 32, NIBBLES},
    {8, 8, 128, TYPE(B1)},
    {16, 8, 128, TYPE(B1)},
    {16, 8, 256, TYPE(B1)},
};

static uint32_t types_of_shape(const struct matrix_shape *s)
{
    for (size_t i = 0; i < sizeof mma_shapes / sizeof mma_shapes[0]; i++)
        if (mma_shapes[i].m == s->m && mma_shapes[i].n == s->n && mma_shapes[i].k == s->k)
            return mma_shapes[i].types;
    return 0;
}

// A and B may differ in sign, and in the format of 8-bit floats.
static bool operands_agree(const struct matrix_shape *s)
{
    const uint32_t both = 1u << s->a | 1u << s->b;
    return s->a == s->b || both == BYTES || both == NIBBLES || both == FP8;
}

static bool accumulators_are_legal(const struct matrix_shape *s)
{
    const uint32_t a = 1u << s->a;
    const bool is_quadpair = matrix_is_quadpair(s);
    if (a == TYPE(F64))
        return s->c == MATRIX_F64 && s->d == MATRIX_F64;
    if (a & (BYTES | NIBBLES | TYPE(B1)))
        return s->c == MATRIX_S32 && s->d == MATRIX_S32;
    if (a & (TYPE(BF16) | TYPE(TF32)))
        return s->c == MATRIX_F32 && s->d == MATRIX_F32;
    if (s->c == s->d)
        return s->c == MATRIX_F16 || s->c == MATRIX_F32;
    return is_quadpair && s->c == MATRIX_F16 && s->d == MATRIX_F32;
}

static const char *check(const struct reading *r)
{
    const struct matrix_shape *s = &r->out->shape;
    const bool is_integer = s->c == MATRIX_S32, is_bits = s->a == MATRIX_B1;
    if (!(types_of_shape(s) >> s->a & 1) || !operands_agree(s))
        return "this shape does not exist with these types";
    if (!accumulators_are_legal(s))
        return "C and D may not have these types";
    if (r->n_layouts != 2 || (!matrix_is_quadpair(s) && (s->a_is_col || s->b_is_row)))
        return "the layouts must be .row.col";
    if (r->has_operation != is_bits || r->has_popc != is_bits)
        return is_bits ? ".xor.popc or .and.popc is missing" : ".xor, .and and .popc need .b1";
    if (s->saturates && (!is_integer || is_bits))
        return ".satfinite needs integers";
    if (r->has_round && s->a != MATRIX_F64)
        return "a direction of rounding needs .f64";
    return NULL;
}

// ---- wmma ----------------------------------------------------------------------------------------------

static const struct {
    uint16_t m, n, k;
    uint32_t types; // of A and B
} wmma_shapes[] = {
    {16, 16, 16, HALVES | BYTES}, {32, 8, 16, HALVES | BYTES}, {8, 32, 16, HALVES | BYTES}, {16, 16, 8, TYPE(TF32)},
    {8, 8, 4, TYPE(F64)},         {8, 8, 32, NIBBLES},         {8, 8, 128, TYPE(B1)},
};

static uint32_t types_of_wmma(const struct matrix_shape *s)
{
    for (size_t i = 0; i < sizeof wmma_shapes / sizeof wmma_shapes[0]; i++)
        if (wmma_shapes[i].m == s->m && wmma_shapes[i].n == s->n && wmma_shapes[i].k == s->k)
            return wmma_shapes[i].types;
    return 0;
}

// Types that C and D may have beside A and B of `types`.
static uint32_t types_of_accumulators(uint32_t types)
{
    return (types & TYPE(F16) ? TYPE(F16) : 0) | (types & (HALVES | TYPE(TF32)) ? TYPE(F32) : 0) |
           (types & TYPE(F64) ? TYPE(F64) : 0) | (types & (BYTES | NIBBLES | TYPE(B1)) ? TYPE(S32) : 0);
}

static bool is_sub_byte(enum matrix_type type)
{
    return type == MATRIX_S4 || type == MATRIX_U4 || type == MATRIX_B1;
}

static const char *check_wmma(const struct reading *r)
{
    const struct matrix_shape *s = &r->out->shape;
    const bool is_bits = s->a == MATRIX_B1;
    const uint32_t accumulators = types_of_accumulators(1u << s->a);
    if (!(types_of_wmma(s) >> s->a & 1) || s->a != s->b)
        return "this shape does not exist with these types";
    if (!(accumulators >> s->c & 1) || !(accumulators >> s->d & 1))
        return "C and D may not have these types";
    if (r->n_layouts != 2 || (is_sub_byte((enum matrix_type)s->a) && (s->a_is_col || s->b_is_row)))
        return "the layouts must be given, and be .row.col for elements below a byte";
    if (r->has_operation != is_bits || r->has_popc != is_bits)
        return is_bits ? ".xor.popc or .and.popc is missing" : ".xor, .and and .popc need .b1";
    if (s->saturates && (s->c != MATRIX_S32 || is_bits))
        return ".satfinite needs integers";
    return r->has_round && s->a != MATRIX_F64 ? "a direction of rounding needs .f64" : NULL;
}

static const char *check_wmma_memory(const struct reading *r)
{
    struct matrix_op *op = r->out;
    const bool is_accumulator = op->operand == WMMA_C;
    const uint32_t types = types_of_wmma(&op->shape);
    const enum matrix_type type = (enum matrix_type)r->types[0];
    if (!((is_accumulator ? types_of_accumulators(types) : types) >> type & 1))
        return "this shape does not exist with this type";
    if (r->n_layouts != 1 || r->has_operation || r->has_popc || r->has_round || op->shape.saturates)
        return "one layout is needed, and no other suffix";
    op->is_col = op->shape.a_is_col;
    op->shape.a_is_col = false;
    if (!is_accumulator && is_sub_byte(type) && op->is_col != (op->operand == WMMA_B))
        return "elements below a byte must be .row in A and .col in B";
    op->shape.a = op->shape.b = op->shape.c = op->shape.d = (uint8_t)type;
    return NULL;
}

static bool read_memory_word(const char *word, struct reading *r)
{
    struct matrix_op *op = r->out;
    if (strlen(word) == 1 && strchr("abcd", *word)) {
        op->operand = *word == 'a' ? WMMA_A : *word == 'b' ? WMMA_B : WMMA_C;
        return true;
    }
    if (strcmp(word, "global") == 0)
        op->space = SPACE_GLOBAL;
    else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
        op->space = SPACE_SHARED;
    else
        return false;
    return true;
}

// ---- wgmma -------------------------------------------------------------------------------------------------

static bool wgmma_shape_is_legal(const struct matrix_shape *s)
{
    const bool is_integer = 1u << s->a & (BYTES | TYPE(B1));
    const uint32_t k_bits = s->k * matrix_bits((enum matrix_type)s->a);
    const uint32_t types = HALVES | TYPE(TF32) | FP8 | BYTES | TYPE(B1);
    const bool n_is_legal = s->n >= 8 && s->n <= 256 && s->n % (is_integer && s->n > 32 ? 16 : 8) == 0;
    return s->m == 64 && k_bits == 256 && (types >> s->a & 1) && operands_agree(s) && n_is_legal;
}

static const char *check_wgmma(struct reading *r)
{
    struct matrix_shape *s = &r->out->shape;
    s->c = s->d = r->types[0];
    s->a = r->types[1];
    s->b = r->types[2];
    const uint32_t a = 1u << s->a;
    const bool is_bits = s->a == MATRIX_B1;
    if (!wgmma_shape_is_legal(s))
        return "this shape does not exist with these types";
    if (!((a & (BYTES | TYPE(B1)) ? TYPE(S32) : a & (TYPE(F16) | FP8) ? TYPE(F16) | TYPE(F32) : TYPE(F32)) >> s->d & 1))
        return "D may not have this type";
    if (r->n_layouts || r->has_round || r->has_operation != is_bits || r->has_popc != is_bits || s->is_xor)
        return is_bits ? ".and.popc is missing" : "a suffix of another instruction";
    return s->saturates && !(a & BYTES) ? ".satfinite needs integers" : NULL;
}

// ---- all of them ---------------------------------------------------------------------------------------

static void set_types(struct reading *r)
{
    struct matrix_shape *s = &r->out->shape;
    s->d = r->types[0];
    s->a = r->n_types == 4 ? r->types[1] : MATRIX_F16;
    s->b = r->n_types == 4 ? r->types[2] : MATRIX_F16;
    s->c = r->types[r->n_types - 1];
}

static const char *check_types(struct reading *r)
{
    const enum matrix_kind kind = r->out->kind;
    if (!r->has_shape)
        return "the shape is missing";
    if (kind == MATRIX_WMMA_LOAD || kind == MATRIX_WMMA_STORE)
        return r->n_types == 1 ? check_wmma_memory(r) : "one type is needed";
    if (kind == MATRIX_WGMMA)
        return r->n_types == 3 ? check_wgmma(r) : "three types are needed";
    if (r->n_types != 4 && (kind == MATRIX_MMA || r->n_types != 2))
        return kind == MATRIX_MMA ? "four types are needed" : "two or four types are needed";
    set_types(r);
    return kind == MATRIX_MMA ? check(r) : check_wmma(r);
}

static enum matrix_kind kind_of(const struct ptx_insn *insn)
{
    if (strcmp(insn->op, "wgmma") == 0)
        return MATRIX_WGMMA;
    const char *first = insn->n_suffixes ? insn->suffixes[0] : "";
    if (strcmp(insn->op, "wmma") != 0)
        return MATRIX_MMA;
    return strcmp(first, "load") == 0 ? MATRIX_WMMA_LOAD : strcmp(first, "store") == 0 ? MATRIX_WMMA_STORE : MATRIX_WMMA;
}

const char *matrix_op_read(const struct ptx_insn *insn, struct matrix_op *out, int *suffix)
{
    struct reading r = {.out = out};
    *out = (struct matrix_op){.kind = kind_of(insn)};
    out->shape.is_wmma = out->kind != MATRIX_MMA && out->kind != MATRIX_WGMMA;
    const bool is_memory = out->kind == MATRIX_WMMA_LOAD || out->kind == MATRIX_WMMA_STORE;
    for (uint32_t i = out->kind != MATRIX_MMA; i < insn->n_suffixes; i++)
        if (!(is_memory && read_memory_word(insn->suffixes[i], &r)) && !read_word(insn->suffixes[i], &r)) {
            *suffix = (int)i;
            return "unknown or illegal suffix";
        }
    *suffix = -1;
    return check_types(&r);
}

static uint32_t registers(const struct matrix_shape *s, enum matrix_type type, uint32_t elements, bool is_accumulator)
{
    return matrix_listed_rows(s, type, elements, is_accumulator) / (matrix_bits(type) == 64 ? 2 : 1);
}

uint32_t matrix_registers_a(const struct matrix_shape *s)
{
    return registers(s, s->a, (uint32_t)s->m * s->k, false);
}

uint32_t matrix_registers_b(const struct matrix_shape *s)
{
    return registers(s, s->b, (uint32_t)s->k * s->n, false);
}

uint32_t matrix_registers_c(const struct matrix_shape *s, enum matrix_type type)
{
    return registers(s, type, (uint32_t)s->m * s->n, true);
}
