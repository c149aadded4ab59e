// Conversions between numbers.
#include "sass/lowering.h"

// By SF_ROUND: .RN .RM .RP .RZ, and of integral results nearest, .FLOOR .CEIL .TRUNC.
static uint32_t rounding(const struct sass_insn *in, unsigned at)
{
    static const uint8_t rounds[] = {ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ};
    return MOD_FIELD(rounds[sass_field(in, SF_ROUND) & 3], at);
}

#define BY_INTEGER(form)                                                                             \
    {                                                                                                \
        form##_u8, form##_s8, form##_u16, form##_s16, form##_u32, form##_s32, form##_u64, form##_s64 \
    }
#define BY_FLOAT(type)                                                                              \
    {                                                                                               \
        FORM_CVT_##type##_f16, FORM_CVT_##type##_f32, FORM_CVT_##type##_f64, FORM_CVT_##type##_bf16 \
    }

// How a source of a type of floats carries its sign.
static enum prepare float_signs(unsigned type)
{
    return type == SASS_FROM_F_F64 ? PREPARE_F64 : type == SASS_FROM_F_F32 ? PREPARE_F32 : PREPARE_HALVES;
}

// .H1: a source of 16 bits is the upper half of its register. In an immediate the bit is one of the number.
static const enum half_choice upper_halves[MAX_SRC] = {HALVES_HIGH};
static bool has_immediate(const struct sass_insn *in)
{
    return in->operands[in->n_dst].kind == SO_IMM;
}
static const enum half_choice *half_of(const struct sass_insn *in)
{
    return sass_field(in, SF_MODE) && !has_immediate(in) ? upper_halves : NULL;
}

static bool is_half_float(unsigned type)
{
    return type == SASS_F2F_FROM_F16 || type == SASS_F2F_FROM_BF16;
}

// By source type (SF_TYPE_FROM less 1) and whole number. A NaN becomes 0 with .NTZ, else the number whose highest bit
// alone is set; what PTX makes of it is 0 unless one of both sides has 64 bits.
bool lower_f2i(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[8][4] = {BY_FLOAT(u8),  BY_FLOAT(s8),  BY_FLOAT(u16), BY_FLOAT(s16),
                                         BY_FLOAT(u32), BY_FLOAT(s32), BY_FLOAT(u64), BY_FLOAT(s64)};
    const unsigned to = sass_field(in, SF_TYPE_TO) & 7, from = sass_field(in, SF_TYPE_FROM);
    sass_fill(l, in, out);
    if (from < SASS_FROM_F_F16 || from > SASS_FROM_F_BF16)
        return sass_refuse(l, in, "an unknown type");
    unsigned form = forms[to][from - SASS_FROM_F_F16];
    if (sass_field(in, SF_NTZ) == (from == SASS_FROM_F_F64 || to >= SASS_TO_I_U64)) {
        out->extra = F2I_EXTRA(form, from - SASS_FROM_F_F16, 8u << to / 2, sass_field(in, SF_NTZ));
        form = FORM_F2I_none;
    }
    out->mod = rounding(in, MOD_MODE) | MOD_FIELD(sass_field(in, SF_FTZ), MOD_FTZ);
    return sass_prepare(l, out, form, float_signs(from), is_half_float(from) ? half_of(in) : NULL);
}

bool lower_i2f(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[4][8] = {BY_INTEGER(FORM_CVT_f16), BY_INTEGER(FORM_CVT_f32),
                                         BY_INTEGER(FORM_CVT_f64), BY_INTEGER(FORM_CVT_bf16)};
    const unsigned to = sass_field(in, SF_TYPE_TO), from = sass_field(in, SF_TYPE_FROM) & 7;
    sass_fill(l, in, out);
    if (to < SASS_TO_F_F16 || to > SASS_TO_F_BF16)
        return sass_refuse(l, in, "an unknown type");
    out->mod = rounding(in, MOD_ROUND);
    const unsigned form = forms[to - SASS_TO_F_F16][from];
    const enum half_choice byte[MAX_SRC] = {has_immediate(in) ? HALVES_BOTH : (enum half_choice)sass_field(in, SF_UNPACK)};
    if (from <= SASS_FROM_I_S8)
        return sass_prepare(l, out, form, PREPARE_BYTES, byte);
    return sass_prepare(l, out, form, PREPARE_HALVES, from <= SASS_FROM_I_S16 ? half_of(in) : NULL);
}

bool lower_i2fp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->mod = rounding(in, MOD_ROUND);
    out->form = sass_field(in, SF_TYPE_FROM) == SASS_I2FP_S32 ? FORM_CVT_f32_s32 : FORM_CVT_f32_u32;
    return true;
}

// Between floats. From bf16 to f16 and back the rounding is one, as in PTX.
bool lower_f2f(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[4][4] = {BY_FLOAT(f16), BY_FLOAT(f32), BY_FLOAT(f64), BY_FLOAT(bf16)};
    const unsigned to = sass_field(in, SF_TYPE_TO), from = sass_field(in, SF_TYPE_FROM);
    sass_fill(l, in, out);
    if (from < SASS_F2F_FROM_F16 || from > SASS_F2F_FROM_BF16 || to < SASS_F2F_TO_F16 ||
        to > SASS_F2F_TO_BF16)
        return sass_refuse(l, in, "an unknown type");
    out->mod = rounding(in, MOD_ROUND) | MOD_FIELD(sass_field(in, SF_FTZ), MOD_FTZ);
    static const uint8_t numbers[] = {PREPARE_F16_NUMBER, PREPARE_F32_NUMBER, PREPARE_F64, PREPARE_BF16_NUMBER};
    const enum prepare kind = to == SASS_F2F_TO_F64 ? (enum prepare)numbers[from - SASS_F2F_FROM_F16] : float_signs(from);
    return sass_prepare(l, out, forms[to - SASS_F2F_TO_F16][from - SASS_F2F_FROM_F16], kind,
                        is_half_float(from) ? half_of(in) : NULL);
}

// To integral values of the same type.
bool lower_frnd(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_CVT_f16_f16, FORM_CVT_f32_f32, FORM_CVT_f64_f64,
                                     FORM_CVT_bf16_bf16};
    const unsigned type = sass_field(in, SF_TYPE_FROM);
    sass_fill(l, in, out);
    if (type < SASS_FROM_F_F16 || type > SASS_FROM_F_BF16)
        return sass_refuse(l, in, "an unknown type");
    if ((in->op == SASS_FRND_64) != (type == SASS_FROM_F_F64))
        return sass_refuse(l, in, "a type that does not fit the registers");
    out->mod = rounding(in, MOD_MODE) | MOD_FIELD(sass_field(in, SF_FTZ), MOD_FTZ);
    return sass_prepare(l, out, forms[type - SASS_FROM_F_F16], float_signs(type),
                        is_half_float(type) ? half_of(in) : NULL);
}

// Saturated integers, one and two side by side below the third source; of 16 bits there is no room for it.
bool lower_i2i(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_CVT_u8_s32, FORM_CVT_s8_s32, FORM_CVT_u16_s32, FORM_CVT_s16_s32};
    sass_fill(l, in, out);
    out->mod = MOD_FIELD(1, MOD_SAT);
    out->form = forms[sass_field(in, SF_TYPE_TO) & 3];
    return true;
}

bool lower_i2ip(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_CVT_PACK_U8_b32,  FORM_CVT_PACK_S8_b32, FORM_CVT_PACK_U16_s32,
                                     FORM_CVT_PACK_S16_s32, FORM_CVT_PACK_U2_b32, FORM_CVT_PACK_S2_b32,
                                     FORM_CVT_PACK_U4_b32,  FORM_CVT_PACK_S4_b32};
    static const uint8_t places[] = {
        0, 0, 0, 0, SASS_I2IP_PLACE_28, SASS_I2IP_PLACE_28, SASS_I2IP_PLACE_24, SASS_I2IP_PLACE_24};
    const unsigned type = sass_field(in, SF_TYPE_TO) & 7;
    const bool has_third = type != SASS_I2IP_U16 && type != SASS_I2IP_S16;
    sass_fill(l, in, out);
    if (has_third && sass_field(in, SF_MODE) != places[type])
        return sass_refuse(l, in, "another place of the third source");
    out->form = forms[type];
    return true;
}

// F2FP: pairs of 16-bit floats from two f32, of 8-bit floats from them or from f16, and back. A third source that would be
// merged must be RZ.
static unsigned packed_form(const struct sass_insn *in)
{
    const unsigned to = sass_field(in, SF_TYPE_TO), from = sass_field(in, SF_TYPE_FROM);
    static const uint16_t wide[] = {FORM_CVT_f16x2_f32, FORM_CVT_bf16x2_f32, FORM_CVT_e5m2x2_f32, FORM_CVT_e4m3x2_f32};
    static const uint16_t one[] = {FORM_CVT_f16_f32, FORM_CVT_bf16_f32};
    switch (sass_field(in, SF_UNPACK)) {
    case SASS_F2FP_MODE_PACK_AB:
        return from == SASS_F2FP_FROM_F32 && to < SASS_F2FP_TO_E5M2 ? wide[to] : 0;
    case SASS_F2FP_MODE_PACK_AB_MERGE_C:
        return from == SASS_F2FP_FROM_F32 && to >= SASS_F2FP_TO_E5M2 && to <= SASS_F2FP_TO_E4M3 ? wide[to] : 0;
    case SASS_F2FP_MODE_MERGE_C:
        return from == SASS_F2FP_FROM_F32 && to < SASS_F2FP_TO_E5M2 ? one[to] : 0;
    case SASS_F2FP_MODE_UNPACK_B:
        if (to != SASS_F2FP_TO_F16 || sass_field(in, SF_MODE))
            return 0;
        return from == SASS_F2FP_FROM_E4M3 ? FORM_CVT_f16x2_e4m3x2 : from == SASS_F2FP_FROM_E5M2 ? FORM_CVT_f16x2_e5m2x2 : 0;
    case SASS_F2FP_MODE_UNPACK_B_MERGE_C:
        if (from != SASS_F2FP_FROM_F16)
            return 0;
        return to == SASS_F2FP_TO_E4M3 ? FORM_CVT_e4m3x2_f16x2 : to == SASS_F2FP_TO_E5M2 ? FORM_CVT_e5m2x2_f16x2 : 0;
    case SASS_F2FP_MODE_PACK_B:
        return from == SASS_F2FP_FROM_F32 && to == SASS_F2FP_TO_TF32 ? FORM_CVT_tf32_f32 : 0;
    default:
        return 0;
    }
}

bool lower_f2fp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const unsigned mode = sass_field(in, SF_UNPACK), round = sass_field(in, SF_ROUND);
    const bool is_pair = mode == SASS_F2FP_MODE_PACK_AB || mode == SASS_F2FP_MODE_PACK_AB_MERGE_C;
    const bool merges = mode == SASS_F2FP_MODE_MERGE_C || mode == SASS_F2FP_MODE_UNPACK_B_MERGE_C ||
                        mode == SASS_F2FP_MODE_PACK_AB_MERGE_C;
    unsigned form = packed_form(in);
    if (!form || (round != SASS_F2FP_ROUND_RN && round != SASS_F2FP_ROUND_RZ))
        return sass_refuse(l, in, "types, halves or rounding");
    if (merges && !sass_is_zero(l, out->src[2]))
        return sass_refuse(l, in, "a third source");
    if (!is_pair)
        sass_swap(out, 0, 1);
    out->src[2] = sass_pool(l, 0);
    out->src_negated &= is_pair ? 3 : 1;
    out->src_absolute &= is_pair ? 3 : 1;
    out->mod = MOD_FIELD(round == SASS_F2FP_ROUND_RZ ? ROUND_RZ : ROUND_NONE, MOD_ROUND) |
               MOD_FIELD(sass_field(in, SF_RELU), MOD_RELU) | MOD_FIELD(sass_field(in, SF_SAT), MOD_SATFINITE);
    if (!out->mod && form == FORM_CVT_f16x2_f32)
        form = FORM_PACK_F16_f32;
    if (!out->mod && form == FORM_CVT_bf16x2_f32)
        form = FORM_PACK_BF16_f32;
    return sass_prepare(l, out, form, PREPARE_F32, NULL);
}

// F2IP: two f32 as bytes side by side; executed for one alone.
bool lower_f2ip(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    if (!sass_is_zero(l, out->src[0]) || !sass_is_zero(l, out->src[2]) || !sass_field(in, SF_NTZ))
        return sass_refuse(l, in, "more than one source, or NaN that is not 0");
    sass_swap(out, 0, 1);
    out->mod = rounding(in, MOD_MODE);
    out->form = FORM_CVT_u8_f32;
    return (sass_field(in, SF_TYPE_TO) == SASS_F2IP_U8 && !sass_field(in, SF_RELU) && !sass_field(in, SF_MODE)) ||
           sass_refuse(l, in, "signed bytes, .RELU or a half");
}
