// Matrices in machine code: LDSM, STSM, MOVM, HMMA and its kin (simt/op_matrix.c does them, isa/matrix.h says how).
#include "isa/matrix.h"
#include "sass/lowering.h"

// ---- rows of matrices from and to shared memory ---------------------------------------------------------------------------

static bool take_matrices(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, rowref first)
{
    static const uint8_t counts[] = {[SASS_NUM_1] = 1, [SASS_NUM_2] = 2, [SASS_NUM_4] = 4};
    const unsigned num = sass_field(in, SF_NUM), shape = sass_field(in, SF_SHAPE);
    if (num >= sizeof counts || (shape != SASS_MATRIX_M88 && shape != SASS_MATRIX_MT88))
        return sass_refuse(l, in, "matrices of this shape");
    out->unit = UNIT_LSU;
    out->space = SPACE_SHARED;
    out->elem = ELEM_B32;
    out->n_data = counts[num];
    out->mod = MOD_FIELD(shape == SASS_MATRIX_MT88, MOD_MODE);
    for (unsigned i = 0; i < out->n_data; i++)
        out->data[i] = first + i;
    return sass_take_address(l, in, out);
}

bool lower_ldsm(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->form = FORM_LDMATRIX_b16;
    out->class = CLASS_LDSM;
    return take_matrices(l, in, out, sass_dst(l, in, 0));
}

bool lower_stsm(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->form = FORM_STMATRIX_b16;
    out->class = CLASS_SHARED_ST;
    return in->n_operands < 2 ? sass_refuse(l, in, "no data") : take_matrices(l, in, out, sass_source(l, in, 1));
}

bool lower_movm(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (sass_field(in, SF_SHAPE) != SASS_MOVM_MT88)
        return sass_refuse(l, in, "this shape");
    out->form = FORM_MOVMATRIX_b16;
    out->dst = sass_dst(l, in, 0);
    out->src[0] = sass_source(l, in, 1);
    return true;
}

// ---- products -------------------------------------------------------------------------------------------------------------

enum { OPERAND_D, OPERAND_A, OPERAND_B, OPERAND_C, N_MATRICES };

// The rows of D, A, B and C go into the kernel's list, each register a row.
static bool take_product(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, const struct matrix_shape *s)
{
    const uint32_t n[N_MATRICES] = {
        matrix_rows(s, (enum matrix_type)s->d, (uint32_t)s->m * s->n), matrix_rows(s, (enum matrix_type)s->a, (uint32_t)s->m * s->k),
        matrix_rows(s, (enum matrix_type)s->b, (uint32_t)s->k * s->n), matrix_rows(s, (enum matrix_type)s->c, (uint32_t)s->m * s->n)};
    if (in->n_operands < N_MATRICES)
        return sass_refuse(l, in, "too few operands");
    out->form = FORM_MMA_none;
    out->unit = UNIT_TENSOR;
    out->extra = matrix_pack(s);
    out->offset = (int32_t)l->lists.n;
    for (unsigned k = 0; k < N_MATRICES; k++) {
        const struct sass_operand *o = &in->operands[k];
        if (o->kind != SO_REG || o->is_negated || (o->number != SASS_RZ && o->number + n[k] > l->n_registers))
            return sass_refuse(l, in, "operands of this kind");
        const rowref first = k == OPERAND_D ? sass_dst(l, in, k) : sass_source(l, in, k);
        for (uint32_t i = 0; i < n[k]; i++)
            vec_push(&l->lists, o->number == SASS_RZ && k == OPERAND_D ? ROW_NONE : first + i);
    }
    return true;
}

bool lower_hmma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t depths[] = {[SASS_HMMA_SHAPE_1688] = 8, [SASS_HMMA_SHAPE_16816] = 16, [SASS_HMMA_SHAPE_1684] = 4};
    static const uint8_t types[] = {[SASS_HMMA_TYPE_F16] = MATRIX_F16, [SASS_HMMA_TYPE_BF16] = MATRIX_BF16,
                                    [SASS_HMMA_TYPE_TF32] = MATRIX_TF32};
    const unsigned shape = sass_field(in, SF_SHAPE), type = sass_field(in, SF_TYPE);
    if (shape >= sizeof depths || type >= sizeof types)
        return sass_refuse(l, in, "this shape or type");
    const uint8_t sum = sass_field(in, SF_TYPE_TO) == SASS_ACC_F32 ? MATRIX_F32 : MATRIX_F16;
    const struct matrix_shape s = {.m = 16, .n = 8, .k = depths[shape], .a = types[type], .b = types[type], .c = sum, .d = sum};
    return take_product(l, in, out, &s);
}

bool lower_imma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct matrix_shape s = {.n = 8, .c = MATRIX_S32, .d = MATRIX_S32, .saturates = sass_field(in, SF_SAT)};
    s.a = sass_field(in, SF_SIGNED_B) == SASS_IDP_B_S8 ? MATRIX_S8 : MATRIX_U8;
    s.b = sass_field(in, SF_SIGNED) == SASS_IMMA_B_S8 ? MATRIX_S8 : MATRIX_U8;
    switch (sass_field(in, SF_SHAPE)) {
    case SASS_IMMA_SHAPE_8816:
        s.m = 8, s.k = 16;
        break;
    case SASS_IMMA_SHAPE_16816:
        s.m = 16, s.k = 16;
        break;
    case SASS_IMMA_SHAPE_16832:
        s.m = 16, s.k = 32;
        break;
    default:
        return sass_refuse(l, in, "this shape");
    }
    return take_product(l, in, out, &s);
}

bool lower_dmma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t rows[] = {8, 16, 16, 16}, depths[] = {4, 4, 8, 16}; // SASS_DMMA_SHAPE_…
    static const uint8_t rounds[] = {ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ};
    const unsigned shape = sass_field(in, SF_SHAPE) & 3;
    const struct matrix_shape s = {.m = rows[shape], .n = 8, .k = depths[shape], .a = MATRIX_F64, .b = MATRIX_F64,
                                   .c = MATRIX_F64, .d = MATRIX_F64};
    out->mod = MOD_FIELD(rounds[sass_field(in, SF_ROUND) & 3], MOD_ROUND);
    return take_product(l, in, out, &s);
}

// ---- products of a warpgroup ----------------------------------------------------------------------------------------------

// HGMMA and its kin: D (which is C as well), then A in four registers or the pair of descriptors of A and B, then B's
// descriptor. A third matrix of RZ or a predicate that does not hold: D is not added to.
static bool take_group_product(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, struct matrix_shape s,
                               bool a_in_registers)
{
    enum { FIRST = 1, A_ROWS = 4, DESCRIPTOR_ROWS = 2 };
    const unsigned c_at = a_in_registers ? 3 : 2;
    if (in->n_operands <= c_at)
        return sass_refuse(l, in, "too few operands");
    const struct sass_operand *d = &in->operands[0], *a = &in->operands[FIRST], *c = &in->operands[c_at];
    const struct sass_operand *descriptors = &in->operands[a_in_registers ? 2 : FIRST];
    s.m = 16; // of each warp
    const uint32_t n_d = matrix_rows(&s, (enum matrix_type)s.d, (uint32_t)s.m * s.n);
    const uint32_t n_descriptors = a_in_registers ? DESCRIPTOR_ROWS : 2 * DESCRIPTOR_ROWS;
    s.m = 64;
    if (d->kind != SO_REG || d->number == SASS_RZ || d->number + n_d > l->n_registers ||
        (c->number != d->number && c->number != SASS_RZ))
        return sass_refuse(l, in, "sums in other registers than the result");
    if (descriptors->kind != SO_UREG || descriptors->number + n_descriptors > l->n_uregs ||
        (a_in_registers && (a->kind != SO_REG || a->number + (uint32_t)A_ROWS > l->n_registers)))
        return sass_refuse(l, in, "operands of this kind");
    out->form = FORM_WGMMA_none;
    out->unit = UNIT_TENSOR;
    out->extra = matrix_pack(&s);
    out->offset = (int32_t)l->lists.n;
    out->psrc[0] = c->number == SASS_RZ ? PRED_FALSE : c_at + 1 < in->n_operands ? sass_pred(in, c_at + 1) : PRED_TRUE;
    for (uint32_t i = 0; i < n_d; i++)
        vec_push(&l->lists, ROW(ROW_REG, d->number + i));
    for (uint32_t i = 0; a_in_registers && i < A_ROWS; i++)
        vec_push(&l->lists, a->number == SASS_RZ ? ROW(ROW_POOL, 0) : ROW(ROW_REG, a->number + i));
    for (uint32_t i = 0; i < n_descriptors; i++)
        vec_push(&l->lists, ROW(ROW_REG, l->n_registers + descriptors->number + i));
    return true;
}

// Negated and transposed operands, as the row has them (SF_SIGNED and SF_SIGNED_B; SF_DIRECTION and SF_W).
static uint32_t group_mod(const struct sass_insn *in, bool a_in_registers)
{
    const bool negates_a = a_in_registers ? in->operands[1].is_negated : sass_field(in, SF_SIGNED);
    return MOD_FIELD(a_in_registers, WGMMA_A_IN_REGISTERS) | MOD_FIELD(negates_a, WGMMA_NEGATE_A) |
           MOD_FIELD(sass_field(in, SF_SIGNED_B), WGMMA_NEGATE_B) |
           MOD_FIELD(!a_in_registers && sass_field(in, SF_DIRECTION), WGMMA_TURN_A) |
           MOD_FIELD(sass_field(in, SF_W), WGMMA_TURN_B);
}

static uint16_t group_columns(const struct sass_insn *in)
{
    return (uint16_t)(8 * (1 + sass_field(in, SF_SHAPE) % 32));
}

bool lower_hgmma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t types[] = {[SASS_HMMA_TYPE_F16] = MATRIX_F16, [SASS_HMMA_TYPE_BF16] = MATRIX_BF16,
                                    [SASS_HMMA_TYPE_TF32] = MATRIX_TF32};
    const unsigned type = sass_field(in, SF_TYPE), depth = sass_field(in, SF_SHAPE) < 32 ? 16 : 8;
    const uint8_t sum = sass_field(in, SF_TYPE_TO) == SASS_ACC_F32 ? MATRIX_F32 : MATRIX_F16;
    if (type >= sizeof types || sass_field(in, SF_SHAPE) >= 64 || (type == SASS_HMMA_TYPE_TF32) != (depth == 8))
        return sass_refuse(l, in, "this shape or type");
    const bool a_in_registers = in->op == SASS_HGMMA_R;
    out->mod = group_mod(in, a_in_registers);
    const struct matrix_shape s = {.n = group_columns(in), .k = (uint16_t)depth, .a = types[type], .b = types[type], .c = sum, .d = sum};
    return take_group_product(l, in, out, s, a_in_registers);
}

bool lower_qgmma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const bool a_in_registers = in->op == SASS_QGMMA_R;
    const uint8_t sum = sass_field(in, SF_TYPE_TO) == SASS_ACC_F32 ? MATRIX_F32 : MATRIX_F16;
    out->mod = group_mod(in, a_in_registers);
    const struct matrix_shape s = {.n = group_columns(in), .k = 32, .c = sum, .d = sum,
                                   .a = sass_field(in, SF_TYPE) ? MATRIX_E5M2 : MATRIX_E4M3,
                                   .b = sass_field(in, SF_TYPE_FROM) ? MATRIX_E5M2 : MATRIX_E4M3};
    return take_group_product(l, in, out, s, a_in_registers);
}

bool lower_igmma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const bool a_in_registers = in->op == SASS_IGMMA_R;
    out->mod = MOD_FIELD(a_in_registers, WGMMA_A_IN_REGISTERS);
    const struct matrix_shape s = {.n = group_columns(in), .k = 32, .c = MATRIX_S32, .d = MATRIX_S32,
                                   .saturates = sass_field(in, SF_SAT),
                                   .a = sass_field(in, SF_SIGNED_B) == SASS_IDP_B_S8 ? MATRIX_S8 : MATRIX_U8,
                                   .b = sass_field(in, SF_SIGNED) == SASS_IGMMA_B_S8 ? MATRIX_S8 : MATRIX_U8};
    return take_group_product(l, in, out, s, a_in_registers);
}
