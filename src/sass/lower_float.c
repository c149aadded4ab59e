// Floating point of 32 and 64 bits: arithmetic, comparisons, minima, the function unit.
#include "sass/lowering.h"

// ---- modifiers -------------------------------------------------------------------------------------------------

// By SF_ROUND: .RN .RM .RP .RZ.
static uint32_t round_mod(const struct sass_insn *in)
{
    static const uint8_t rounds[] = {ROUND_NONE, ROUND_RM, ROUND_RP, ROUND_RZ};
    return MOD_FIELD(rounds[sass_field(in, SF_ROUND) & 3], MOD_ROUND);
}

static uint32_t float_mod(const struct sass_insn *in)
{
    return round_mod(in) | MOD_FIELD(sass_field(in, SF_FTZ) == SASS_FTZ_FTZ, MOD_FTZ) | MOD_FIELD(sass_field(in, SF_SAT), MOD_SAT);
}

static bool has_fmz(const struct sass_insn *in)
{
    return sass_field(in, SF_FTZ) > SASS_FTZ_FTZ;
}

static uint32_t bool_mod(const struct sass_insn *in)
{
    return MOD_FIELD(BOOL_AND + sass_field(in, SF_BOOL), MOD_BOOL);
}

static void fold_all(struct sass_lowering *l, struct insn *out, unsigned n, enum prepare kind)
{
    for (unsigned k = 0; k < n; k++)
        sass_fold(l, out, k, kind, HALVES_BOTH);
}

// The row without signs when it has none left, else the one with.
static bool choose_signed(struct sass_lowering *l, struct insn *out, unsigned n, enum prepare kind, unsigned plain,
                          unsigned with_signs)
{
    fold_all(l, out, n, kind);
    out->form = (uint16_t)(out->src_negated | out->src_absolute ? with_signs : plain);
    return true;
}

// ---- sums and products -----------------------------------------------------------------------------------------

static bool lower_add(struct sass_lowering *l, struct insn *out, enum prepare kind)
{
    const bool is_f32 = kind == PREPARE_F32;
    fold_all(l, out, 2, kind);
    if (out->src_absolute || (out->src_negated & 1))
        out->form = is_f32 ? FORM_FADD_f32 : FORM_FADD_f64;
    else if (out->src_negated)
        out->form = is_f32 ? FORM_SUB_f32 : FORM_SUB_f64;
    else
        out->form = is_f32 ? FORM_ADD_f32 : FORM_ADD_f64;
    if (out->form == FORM_SUB_f32 || out->form == FORM_SUB_f64)
        out->src_negated = 0;
    return true;
}

bool lower_fadd(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = float_mod(in);
    return lower_add(l, out, PREPARE_F32);
}
bool lower_dadd(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = round_mod(in);
    return lower_add(l, out, PREPARE_F64);
}

bool lower_fmul(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = float_mod(in);
    const unsigned scale = sass_field(in, SF_SCALE);
    if (has_fmz(in) || scale < SASS_SCALE_D8)
        return sass_refuse(l, in, ".FMZ, or an unknown scale");
    if (scale != SASS_SCALE_NO) {
        out->extra = scale;
        fold_all(l, out, 2, PREPARE_F32);
        out->form = FORM_FMUL_SCALED_f32;
        return true;
    }
    return choose_signed(l, out, 2, PREPARE_F32, FORM_MUL_f32, FORM_FMUL_f32);
}
bool lower_dmul(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = round_mod(in);
    return choose_signed(l, out, 2, PREPARE_F64, FORM_MUL_f64, FORM_FMUL_f64);
}

bool lower_ffma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = float_mod(in);
    if (has_fmz(in))
        return sass_refuse(l, in, ".FMZ");
    return choose_signed(l, out, 3, PREPARE_F32, FORM_FMA_f32, FORM_FFMA_f32);
}
bool lower_dfma(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = round_mod(in);
    return choose_signed(l, out, 3, PREPARE_F64, FORM_FMA_f64, FORM_FFMA_f64);
}

// ---- comparisons and minima ------------------------------------------------------------------------------------

// By SF_CMP of numbers; N_COMPARES: always false or always true.
static const uint8_t compares[] = {N_COMPARES, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,  CMP_GE,  CMP_NUM,
                                   CMP_NAN,    CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, N_COMPARES};

// False: the comparison is always false or always true.
static bool compare_mod(const struct sass_insn *in, struct insn *out)
{
    const uint8_t compare = compares[sass_field(in, SF_CMP) & 15];
    out->mod = MOD_FIELD(compare, MOD_CMP) | bool_mod(in) | MOD_FIELD(sass_field(in, SF_FTZ) == SASS_FTZ_FTZ, MOD_FTZ);
    return compare != N_COMPARES;
}
static bool is_always_true(const struct sass_insn *in)
{
    return sass_field(in, SF_CMP) == SASS_CMP_T;
}

bool lower_fsetp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    if (compare_mod(in, out))
        return sass_prepare(l, out, FORM_SETP_f32, PREPARE_F32, NULL);
    sass_constant_compare(in, out, is_always_true(in));
    return true;
}

// FSET.BF: 1.0 or 0.
bool lower_fset(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    if (compare_mod(in, out))
        return sass_prepare(l, out, FORM_SET_F32_f32, PREPARE_F32, NULL);
    const bool always = is_always_true(in);
    const unsigned how = sass_field(in, SF_BOOL);
    if (how == SASS_BOOL_XOR && always)
        out->psrc[0] ^= PRED_NOT;
    else if (always != (how == SASS_BOOL_AND) && how != SASS_BOOL_XOR)
        out->psrc[0] = always ? PRED_TRUE : PRED_FALSE;
    out->mod = out->src_negated = out->src_absolute = 0;
    out->src[0] = sass_pool(l, 0x3f800000);
    out->src[1] = sass_pool(l, 0);
    out->form = FORM_SELP_b32;
    return true;
}

// .MIN and .MAX stand where f32 has the constant comparisons: p where a is the extreme, q where both are NaN.
bool lower_dsetp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned cmp = sass_field(in, SF_CMP);
    sass_fill(l, in, out);
    if (cmp == SASS_DCMP_MIN || cmp == SASS_DCMP_MAX) {
        if (sass_field(in, SF_BOOL) != SASS_BOOL_AND || out->psrc[0] != PRED_TRUE)
            return sass_refuse(l, in, "an extreme with a predicate");
        fold_all(l, out, 2, PREPARE_F64);
        out->mod = MOD_FIELD(cmp == SASS_DCMP_MAX, MOD_MODE);
        out->form = FORM_SETP_MINMAX_f64;
        return true;
    }
    compare_mod(in, out);
    return sass_prepare(l, out, FORM_SETP_f64, PREPARE_F64, NULL);
}

bool lower_fmnmx(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const bool is_constant = (out->psrc[0] & ~PRED_NOT) == PRED_TRUE;
    out->mod = MOD_FIELD(sass_field(in, SF_FTZ) == SASS_FTZ_FTZ, MOD_FTZ) | MOD_FIELD(sass_field(in, SF_NAN), MOD_NAN) |
               MOD_FIELD(sass_field(in, SF_XORSIGN), MOD_ABS);
    out->form = FORM_FMINMAX_f32;
    if (sass_field(in, SF_XORSIGN)) // signs are those of the registers: nothing is folded
        return true;
    fold_all(l, out, 2, PREPARE_F32);
    if (is_constant && !out->src_negated && !out->src_absolute)
        out->form = out->psrc[0] == PRED_TRUE ? FORM_MIN_f32 : FORM_MAX_f32;
    return true;
}

bool lower_fchk(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, FORM_FCHK_f32, PREPARE_F32, NULL);
}

// ---- the function unit -----------------------------------------------------------------------------------------

// The unit takes subnormal numbers as zero.
bool lower_mufu(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_MUFU_COS_f32,        FORM_MUFU_SIN_f32,   FORM_EX2_f32,          FORM_LG2_f32,
                                     FORM_RCP_APPROX_f32,      FORM_RSQRT_APPROX_f32, FORM_MUFU_RCP64H_b32, FORM_MUFU_RSQ64H_b32,
                                     FORM_SQRT_APPROX_f32,     FORM_TANH_f32};
    const unsigned function = sass_field(in, SF_FUNC), type = sass_field(in, SF_TYPE);
    sass_fill(l, in, out);
    if (function >= sizeof forms / sizeof forms[0])
        return sass_refuse(l, in, "an unknown function");
    unsigned form = forms[function];
    if (sass_field(in, SF_HI) > SASS_H1_YES)
        return sass_refuse(l, in, "an unknown half");
    if (type == SASS_FUNC_TYPE_F32) {
        out->mod = MOD_FIELD(1, MOD_FTZ);
        return sass_prepare(l, out, form, PREPARE_F32, NULL);
    }
    const enum half_choice choice[MAX_SRC] = {sass_field(in, SF_MODE) ? HALVES_HIGH : HALVES_BOTH};
    const bool is_f16 = type == SASS_FUNC_TYPE_F16;
    if (function == SASS_FUNC_EX2)
        form = is_f16 ? FORM_EX2_f16 : FORM_EX2_bf16;
    else if (function == SASS_FUNC_TANH)
        form = is_f16 ? FORM_TANH_f16 : FORM_TANH_bf16;
    else
        return sass_refuse(l, in, "of 16 bits");
    return sass_prepare(l, out, form, PREPARE_HALVES, choice);
}
