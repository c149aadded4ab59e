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
