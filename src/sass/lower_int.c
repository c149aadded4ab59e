// Whole numbers: sums, products, shift-and-add, comparisons, minima. The frequent cases become rows without signs and
// carries; the general row of each family takes what is left.
#include "sass/lowering.h"

// ---- sums ------------------------------------------------------------------------------------------------------

// Moves the sources that are not zero to the front; -0 is zero unless a carry looks at it.
static unsigned drop_zeros(const struct sass_lowering *l, struct insn *out, bool keeps_signed)
{
    unsigned n = 0;
    for (unsigned k = 0; k < 3; k++) {
        if (sass_is_zero(l, out->src[k]) && !(keeps_signed && sass_is_signed(out, k)))
            continue;
        if (n != k)
            sass_swap(out, n, k);
        n++;
    }
    for (unsigned k = n; k < 3; k++)
        out->src_negated &= (uint8_t)~(1u << k);
    return n;
}

static bool lower_sum(struct sass_lowering *l, struct insn *out)
{
    const unsigned n = drop_zeros(l, out, false), negated = out->src_negated & 7;
    if (n <= 1 && !negated) {
        sass_copy(out, out->src[0]);
        return true;
    }
    if (n <= 2 && negated == 1) { // -a + b
        sass_swap(out, 0, 1);
    }
    out->form = FORM_IADD3_b32;
    if (n <= 2 && !negated)
        out->form = FORM_ADD_u32;
    else if (n <= 2 && negated != 3)
        out->form = FORM_SUB_u32;
    else if (!negated)
        out->form = FORM_SUM3_b32;
    if (out->form == FORM_SUB_u32)
        out->src_negated = 0;
    return true;
}

static bool lower_carry_sum(struct sass_lowering *l, struct insn *out, bool has_carry_in)
{
    const unsigned n = drop_zeros(l, out, true), negated = out->src_negated & 7;
    const bool has_second_out = out->pdst[1] != PRED_TRUE, has_out = out->pdst[0] != PRED_TRUE;
    const bool has_second_in = has_carry_in && out->psrc[1] != PRED_FALSE;
    out->form = FORM_IADD3_CARRY_b32;
    out->extra = has_carry_in ? 0 : (uint32_t)__builtin_popcount(negated);
    if (n > 2 || has_second_in || has_second_out)
        return true;
    if (has_carry_in && !has_out && !negated) {
        out->form = FORM_ADD_IN_b32;
    } else if (!has_carry_in && !negated) {
        out->form = FORM_ADD_OUT_b32;
    } else if (!has_carry_in && negated != 3) {
        if (negated == 1)
            sass_swap(out, 0, 1);
        out->form = FORM_SUB_OUT_b32;
        out->src_negated = 0;
    }
    return true;
}

// IADD3, VIADD and their uniform twins.
bool lower_iadd3(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const bool has_carry_in = sass_field(in, SF_X);
    const bool has_carry_out = out->pdst[0] != PRED_TRUE || out->pdst[1] != PRED_TRUE;
    if (!has_carry_in)
        out->psrc[0] = out->psrc[1] = PRED_FALSE;
    return has_carry_in || has_carry_out ? lower_carry_sum(l, out, has_carry_in) : lower_sum(l, out);
}

bool lower_viadd(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (!sass_field(in, SF_TYPE))
        return lower_iadd3(l, in, out);
    sass_fill(l, in, out);
    out->form = FORM_ADD_u16x2;
    return !out->src_negated || sass_refuse(l, in, "negated pairs");
}

bool lower_iabs(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, FORM_ABS_s32, PREPARE_NEGATE, NULL);
}

// ---- products --------------------------------------------------------------------------------------------------

// The sign of the product goes to source 0.
static void sign_product(struct insn *out)
{
    const unsigned negated = (out->src_negated ^ out->src_negated >> 1) & 1;
    out->src_negated = (uint8_t)((out->src_negated & 4) | negated);
}

// a + c and its signs: the product is by one.
static bool lower_product_by_one(struct sass_lowering *l, struct insn *out)
{
    sass_swap(out, 1, 2);
    out->src[2] = sass_pool(l, 0);
    return lower_sum(l, out);
}

bool lower_imad(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    sign_product(out);
    const bool has_carry_in = sass_field(in, SF_X);
    uint32_t factor;
    if (out->pdst[0] != PRED_TRUE)
        return sass_refuse(l, in, "a carry out of the lower word");
    if (has_carry_in) {
        out->form = FORM_IMAD_IN_b32;
        return true;
    }
    out->psrc[0] = PRED_FALSE;
    if (sass_is_zero(l, out->src[0]) || sass_is_zero(l, out->src[1])) {
        sass_swap(out, 0, 2);
        out->src[1] = out->src[2] = sass_pool(l, 0);
        out->src_negated &= 1;
        return lower_sum(l, out);
    }
    if (sass_constant(l, out->src[1], &factor) && factor == 1)
        return lower_product_by_one(l, out);
    out->extra = out->src_negated >> 2 & 1;
    out->form = FORM_IMAD_b32;
    if (!out->src_negated)
        out->form = sass_is_zero(l, out->src[2]) ? FORM_MUL_LO_u32 : FORM_MAD_LO_u32;
    return true;
}

static bool is_wide_source(const struct sass_insn *in, const struct sass_parts *p, unsigned k)
{
    return p->n_src <= k || in->operands[p->src[k]].kind != SO_IMM;
}

// 64-bit results: low and high word, or the high one alone.
static bool lower_wide(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool is_high)
{
    const struct sass_parts p = sass_fill(l, in, out);
    const bool is_signed = sass_field(in, SF_SIGNED), has_carry_in = sass_field(in, SF_X);
    if (!is_wide_source(in, &p, 2))
        return sass_refuse(l, in, "an immediate as a 64-bit addend");
    if (p.n_src > 2 && in->operands[p.src[2]].kind == SO_CONST && in->operands[p.src[2]].words < 2)
        return sass_refuse(l, in, "a constant as a 64-bit addend");
    sign_product(out);
    if (!has_carry_in)
        out->psrc[0] = PRED_FALSE;
    const bool is_plain = !out->src_negated && !has_carry_in && out->pdst[0] == PRED_TRUE;
    if (is_plain && is_high)
        out->form = is_signed ? FORM_IMAD_HI_s32 : FORM_IMAD_HI_u32;
    else if (is_plain && sass_is_zero(l, out->src[2]))
        out->form = is_signed ? FORM_MUL_WIDE_s32 : FORM_MUL_WIDE_u32;
    else if (is_plain)
        out->form = is_signed ? FORM_MAD_WIDE_s32 : FORM_MAD_WIDE_u32;
    else
        out->form = is_signed ? FORM_IMAD_WIDE_s32 : FORM_IMAD_WIDE_u32;
    out->extra = !has_carry_in && (out->src_negated >> 2 & 1);
    out->mod = is_plain ? 0 : MOD_FIELD(is_high, MOD_MODE);
    return true;
}
bool lower_imad_wide(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_wide(l, in, out, false);
}
bool lower_imad_hi(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_wide(l, in, out, true);
}

// Sum of products of bytes or half-words.
bool lower_idp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[3][2][2] = {
        {{FORM_DP4A_UU_u32, FORM_DP4A_US_s32}, {FORM_DP4A_SU_u32, FORM_DP4A_SS_s32}},
        {{FORM_DP2A_UU_u32, FORM_DP2A_US_s32}, {FORM_DP2A_SU_u32, FORM_DP2A_SS_s32}},
        {{FORM_DP2A_HI_UU_u32, FORM_DP2A_HI_US_s32}, {FORM_DP2A_HI_SU_u32, FORM_DP2A_HI_SS_s32}}};
    const unsigned how = sass_field(in, SF_IDP);
    sass_fill(l, in, out);
    const unsigned form = forms[how == 0 ? 0 : how == 1 ? 1 : 2][sass_field(in, SF_SIGNED) & 1][sass_field(in, SF_SIGNED_B) & 1];
    return sass_prepare(l, out, form, PREPARE_NEGATE, NULL);
}

// ---- shift and add ---------------------------------------------------------------------------------------------

enum { LEA_HIGH_BIT = 32, LEA_SX32_BIT = 64, LEA_ONE_BIT = 128 }; // as enum lea_flag of simt/machine_shapes.h

// The last source, when the shift is printed as an ordinary immediate.
static uint32_t take_shift(const struct sass_insn *in, const struct sass_parts *p, unsigned *n_src)
{
    if (p->n_bits)
        return p->bits[0];
    return (uint32_t)in->operands[p->src[--*n_src]].value;
}

bool lower_lea(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    const bool is_high = sass_field(in, SF_HI), is_extended = sass_field(in, SF_SX32), has_carry_in = sass_field(in, SF_X);
    unsigned n_src = p.n_src;
    const uint32_t shift = take_shift(in, &p, &n_src) & 31;
    if (!is_high || is_extended || n_src < 3)
        out->src[2] = sass_pool(l, 0);
    out->src_negated &= 3;
    if (!has_carry_in)
        out->psrc[0] = PRED_FALSE;
    const bool has_out = out->pdst[0] != PRED_TRUE;
    out->extra = shift;
    if (!out->src_negated && !has_out && (is_high || !has_carry_in)) {
        out->form = !is_high ? FORM_LEA_b32 : is_extended ? FORM_LEA_HI_SX32_b32 : FORM_LEA_HI_b32;
        return true;
    }
    if (!out->src_negated && !is_high && !has_carry_in) {
        out->form = FORM_LEA_OUT_b32;
        return true;
    }
    if (!has_carry_in && out->src_negated == 3)
        return sass_refuse(l, in, "two negated sources");
    out->form = FORM_LEA_CARRY_b32;
    out->extra |= (is_high ? LEA_HIGH_BIT : 0u) | (is_extended ? LEA_SX32_BIT : 0u) |
                  (!has_carry_in && out->src_negated ? LEA_ONE_BIT : 0u);
    return true;
}

// ---- comparisons, minima ---------------------------------------------------------------------------------------

// By SF_CMP of whole numbers.
static const uint8_t compares[] = {N_COMPARES, CMP_LT, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE, N_COMPARES};

static uint32_t bool_mod(const struct sass_insn *in)
{
    return MOD_FIELD(BOOL_AND + sass_field(in, SF_BOOL), MOD_BOOL);
}

// A comparison that is always false or always true: p and q are functions of the predicate alone.
void sass_constant_compare(const struct sass_insn *in, struct insn *out, bool is_true)
{
    static const uint8_t tables[3][2] = {{0x00, 0xf0}, {0xf0, 0xff}, {0xf0, 0x0f}}; // AND, OR, XOR with false, true
    const uint8_t *table = tables[sass_field(in, SF_BOOL) % 3];
    out->form = FORM_PLOP3_none;
    out->extra = (uint32_t)(table[is_true] | table[!is_true] << 8);
    out->src_negated = out->src_absolute = 0;
}

bool lower_isetp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const unsigned cmp = sass_field(in, SF_CMP) & 7;
    const bool is_signed = sass_field(in, SF_SIGNED);
    if (compares[cmp] == N_COMPARES) {
        sass_constant_compare(in, out, cmp == SASS_ICMP_T);
        return true;
    }
    out->mod = MOD_FIELD(compares[cmp], MOD_CMP) | bool_mod(in);
    if (sass_field(in, SF_EX))
        out->form = is_signed ? FORM_ISETP_EX_s32 : FORM_ISETP_EX_u32;
    else
        out->form = is_signed ? FORM_SETP_s32 : FORM_SETP_u32;
    return true;
}

// IMNMX and VIMNMX: the predicate says whether it is the minimum.
bool lower_imnmx(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t pairs[2][2] = {{FORM_MAX_u16x2, FORM_MIN_u16x2}, {FORM_MAX_s16x2, FORM_MIN_s16x2}};
    static const uint16_t words[2][2] = {{FORM_MAX_u32, FORM_MIN_u32}, {FORM_MAX_s32, FORM_MIN_s32}};
    sass_fill(l, in, out);
    const bool is_constant = (out->psrc[0] & ~PRED_NOT) == PRED_TRUE, is_min = out->psrc[0] == PRED_TRUE;
    const bool is_pair = sass_field(in, SF_TYPE) & 2;
    const bool is_signed = in->op == SASS_IMNMX ? sass_field(in, SF_SIGNED) : sass_field(in, SF_TYPE) & 1;
    if (out->pdst[0] != PRED_TRUE || out->pdst[1] != PRED_TRUE)
        return sass_refuse(l, in, "predicates of a minimum");
    if (is_pair && sass_field(in, SF_RELU) && !is_signed)
        return sass_refuse(l, in, ".RELU of pairs without a sign");
    if (is_pair && sass_field(in, SF_RELU))
        return sass_either(l, out, FORM_MIN_RELU_s16x2, FORM_MAX_RELU_s16x2, PREPARE_HALVES, NULL);
    if (is_pair)
        return sass_either(l, out, pairs[is_signed][1], pairs[is_signed][0], PREPARE_HALVES, NULL);
    if (sass_field(in, SF_RELU)) { // of a + 0
        out->src[2] = out->src[1];
        out->src[1] = sass_pool(l, 0);
        out->src_negated = 0;
        out->mod = MOD_FIELD(1, MOD_RELU);
        out->form = is_signed ? FORM_ADD_MINMAX_s32 : FORM_ADD_MINMAX_u32;
        return true;
    }
    if (is_constant)
        return sass_prepare(l, out, words[is_signed][is_min], PREPARE_NEGATE, NULL);
    return sass_prepare(l, out, is_signed ? FORM_MINMAX_s32 : FORM_MINMAX_u32, PREPARE_NEGATE, NULL);
}

// The least or greatest of three, as the predicate says.
bool lower_vimnmx3(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_MINMAX3_u32, FORM_MINMAX3_s32, FORM_MINMAX3_u16x2, FORM_MINMAX3_s16x2};
    const unsigned type = sass_field(in, SF_TYPE);
    sass_fill(l, in, out);
    if (out->src_negated)
        return sass_refuse(l, in, "negated sources");
    out->mod = MOD_FIELD(sass_field(in, SF_RELU), MOD_RELU);
    out->form = forms[type];
    return true;
}

bool lower_viaddmnmx(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    if (sass_field(in, SF_TYPE) & 2)
        return sass_refuse(l, in, "pairs");
    if (out->pdst[0] != PRED_TRUE || sass_is_signed(out, 2))
        return sass_refuse(l, in, "a predicate, or a signed limit");
    out->mod = MOD_FIELD(sass_field(in, SF_RELU), MOD_RELU);
    out->form = sass_field(in, SF_TYPE) & 1 ? FORM_ADD_MINMAX_s32 : FORM_ADD_MINMAX_u32;
    return true;
}

// |a - b| + c, and its carry; of four bytes without a sum, so that there is never a carry.
bool lower_vabsdiff(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const bool is_signed = sass_field(in, SF_SIGNED);
    if (out->pdst[0] != PRED_TRUE)
        return sass_prepare(l, out, is_signed ? FORM_ABSDIFF_SUM_s32 : FORM_ABSDIFF_SUM_u32, PREPARE_NEGATE, NULL);
    return sass_prepare(l, out, is_signed ? FORM_SAD_s32 : FORM_SAD_u32, PREPARE_NEGATE, NULL);
}
bool lower_vabsdiff4(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->extra = sass_field(in, SF_SIGNED_B);
    return sass_prepare(l, out, FORM_ABSDIFF4_b32, PREPARE_NEGATE, NULL);
}
