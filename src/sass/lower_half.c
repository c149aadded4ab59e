// Pairs of 16-bit floats: f16 and bf16. What the rows of PTX know is done by them; chosen halves and signs come first.
#include "sass/lowering.h"

enum { SELECT_BOTH, SELECT_F32, SELECT_LOW, SELECT_HIGH }; // as encoded

static bool read_choices(struct sass_lowering *l, const struct sass_insn *in, const struct sass_parts *p,
                         enum half_choice choices[MAX_SRC])
{
    static const uint8_t of_select[] = {HALVES_BOTH, HALVES_BOTH, HALVES_LOW, HALVES_HIGH};
    for (unsigned k = 0; k < MAX_SRC; k++)
        choices[k] = HALVES_BOTH;
    for (unsigned k = 0; k < p->n_src && k < MAX_SRC; k++) {
        const uint8_t select = in->operands[p->src[k]].select & 3;
        if (select == SELECT_F32)
            return sass_refuse(l, in, "a source of 32 bits");
        choices[k] = of_select[select];
    }
    return true;
}

static bool half_mod(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (sass_field(in, SF_FTZ) > SASS_FTZ_FTZ || sass_field(in, SF_HALF_TYPE) == SASS_HALF_F32)
        return sass_refuse(l, in, ".FMZ or .F32");
    out->mod = MOD_FIELD(sass_field(in, SF_FTZ), MOD_FTZ) | MOD_FIELD(sass_field(in, SF_SAT), MOD_SAT) |
               MOD_FIELD(sass_field(in, SF_RELU), MOD_RELU);
    return true;
}

static bool is_bf16(const struct sass_insn *in)
{
    return sass_field(in, SF_HALF_TYPE) == SASS_HALF_BF16;
}

// 0 × 0 + c, how constants are moved: c itself, but -0 only if the product is -0 too.
static bool is_constant_move(struct sass_lowering *l, struct insn *out, uint32_t *value)
{
    uint32_t a, b, c;
    if (!sass_constant(l, out->src[0], &a) || !sass_constant(l, out->src[1], &b) || !sass_constant(l, out->src[2], &c))
        return false;
    *value = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const uint32_t ha = a >> shift & 0xffff, hb = b >> shift & 0xffff, hc = c >> shift & 0xffff;
        if ((ha | hb) & 0x7fff || (hc & 0x7fff) > 0x7c00)
            return false;
        *value |= (hc & 0x7fff ? hc : hc & (ha ^ hb)) << shift;
    }
    return true;
}

// HFMA2 and HFMA2.MMA.
bool lower_hfma2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum half_choice choices[MAX_SRC];
    uint32_t value;
    const struct sass_parts p = sass_fill(l, in, out);
    if (!read_choices(l, in, &p, choices) || !half_mod(l, in, out))
        return false;
    if (sass_field(in, SF_RELU) && out->psrc[0] != PRED_TRUE)
        return sass_refuse(l, in, ".RELU with a predicate");
    sass_prepare(l, out, is_bf16(in) ? FORM_FMA_bf16x2 : FORM_FMA_f16x2, PREPARE_HALVES, choices);
    if (!is_bf16(in) && out->mod == 0 && is_constant_move(l, out, &value))
        sass_copy(out, sass_pool(l, value));
    return true;
}

// ---- the others ------------------------------------------------------------------------------------------------

static bool lower_pair(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, unsigned f16, unsigned bf16)
{
    enum half_choice choices[MAX_SRC];
    const struct sass_parts p = sass_fill(l, in, out);
    return read_choices(l, in, &p, choices) && half_mod(l, in, out) &&
           sass_prepare(l, out, is_bf16(in) ? bf16 : f16, PREPARE_HALVES, choices);
}

// .F32: the sum of two halves in 32 bits.
static bool lower_wide_sum(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    for (unsigned k = 0; k < 2 && k < p.n_src; k++) {
        out->extra |= (in->operands[p.src[k]].select == SELECT_HIGH) << k;
        if (in->operands[p.src[k]].select == SELECT_F32)
            return sass_refuse(l, in, "a source of 32 bits");
    }
    out->mod = MOD_FIELD(sass_field(in, SF_FTZ) == SASS_FTZ_FTZ, MOD_FTZ) | MOD_FIELD(sass_field(in, SF_SAT), MOD_SAT);
    out->form = FORM_HADD2_F32_f16;
    return true;
}

bool lower_hadd2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (sass_field(in, SF_HALF_TYPE) == SASS_HALF_F32)
        return lower_wide_sum(l, in, out);
    return lower_pair(l, in, out, FORM_ADD_f16x2, FORM_ADD_bf16x2);
}

bool lower_hmul2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_pair(l, in, out, FORM_MUL_f16x2, FORM_MUL_bf16x2);
}

bool lower_hmnmx2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum half_choice choices[MAX_SRC];
    const struct sass_parts p = sass_fill(l, in, out);
    if (!read_choices(l, in, &p, choices) || !half_mod(l, in, out))
        return false;
    out->mod |= MOD_FIELD(sass_field(in, SF_NAN), MOD_NAN) | MOD_FIELD(sass_field(in, SF_XORSIGN), MOD_ABS);
    if (sass_field(in, SF_XORSIGN)) { // the row takes the magnitudes, and the sign of the product
        if (out->src_negated || out->src_absolute != 3)
            return sass_refuse(l, in, ".XORSIGN of other sources than magnitudes");
        out->src_absolute = 0;
    }
    if (is_bf16(in))
        return sass_either(l, out, FORM_MIN_bf16x2, FORM_MAX_bf16x2, PREPARE_HALVES, choices);
    return sass_either(l, out, FORM_MIN_f16x2, FORM_MAX_f16x2, PREPARE_HALVES, choices);
}

// p is of the lower half, q of the upper one.
static bool lower_pair_compare(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, unsigned f16,
                               unsigned bf16)
{
    static const uint8_t compares[] = {N_COMPARES, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,  CMP_GE,  CMP_NUM,
                                       CMP_NAN,    CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, N_COMPARES};
    const uint8_t compare = compares[sass_field(in, SF_CMP) & 15];
    if (compare == N_COMPARES)
        return sass_refuse(l, in, "a constant comparison");
    if (!lower_pair(l, in, out, f16, bf16))
        return false;
    out->mod |= MOD_FIELD(compare, MOD_CMP) | MOD_FIELD(BOOL_AND + sass_field(in, SF_BOOL), MOD_BOOL);
    return true;
}

bool lower_hsetp2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_pair_compare(l, in, out, FORM_SETP_f16x2, FORM_SETP_bf16x2);
}

// .BF gives 1.0, else all ones.
bool lower_hset2(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (sass_field(in, SF_MODE) == SASS_BF_YES)
        return lower_pair_compare(l, in, out, FORM_SET_F16X2_f16x2, FORM_SET_BF16X2_bf16x2);
    return lower_pair_compare(l, in, out, FORM_SET_U32_f16x2, FORM_SET_U32_bf16x2);
}
