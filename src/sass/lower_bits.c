// Logic, shifts, permutations, selection, counting of bits, predicates as bits.
#include "sass/lowering.h"

// ---- logic -----------------------------------------------------------------------------------------------------

enum { LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa };

// The table when source k is inverted: its two halves change places.
static uint32_t lut_inverted(uint32_t lut, unsigned k)
{
    static const uint8_t masks[] = {LUT_A, LUT_B, LUT_C}, shifts[] = {4, 2, 1};
    return (lut & masks[k]) >> shifts[k] | (lut & ~(uint32_t)masks[k] & 0xff) << shifts[k];
}

// The table when source k is always zero: what holds for 0 holds for 1 too.
static uint32_t lut_without(uint32_t lut, unsigned k)
{
    static const uint8_t masks[] = {LUT_A, LUT_B, LUT_C}, shifts[] = {4, 2, 1};
    const uint32_t zero = lut & ~(uint32_t)masks[k] & 0xff;
    return zero | zero << shifts[k];
}

struct logic {
    uint8_t lut;
    uint16_t form;
    bool is_swapped; // of b and a
};

// Functions of a and b that have a row of their own.
static const struct logic logics[] = {
    {LUT_A & LUT_B, FORM_AND_b32, false},          {LUT_A | LUT_B, FORM_OR_b32, false},
    {LUT_A ^ LUT_B, FORM_XOR_b32, false},          {LUT_A & (0xff ^ LUT_B), FORM_AND_NOT_b32, false},
    {LUT_B & (0xff ^ LUT_A), FORM_AND_NOT_b32, true}, {0xff ^ LUT_A, FORM_NOT_b32, false},
    {0xff ^ LUT_B, FORM_NOT_b32, true},            {LUT_A, FORM_MOV_b32, false},
    {LUT_B, FORM_MOV_b32, true},
};

static uint32_t lut_swapped(uint32_t lut, unsigned i, unsigned k) // of sources i and k
{
    uint32_t out = 0;
    for (uint32_t at = 0; at < 8; at++) {
        const uint32_t bit_i = at >> (2 - i) & 1, bit_k = at >> (2 - k) & 1;
        const uint32_t from = (at & ~(1u << (2 - i)) & ~(1u << (2 - k))) | bit_k << (2 - i) | bit_i << (2 - k);
        out |= (lut >> from & 1) << at;
    }
    return out;
}

static void choose_logic(struct sass_lowering *l, struct insn *out, uint32_t lut)
{
    for (unsigned k = 0; k < 3; k++)
        lut = sass_is_zero(l, out->src[k]) ? lut_without(lut, k) : lut;
    // A source that changes nothing goes last.
    for (unsigned k = 0; k < 2; k++)
        if (lut == lut_inverted(lut, k) && lut != lut_inverted(lut, 2)) {
            sass_swap(out, k, 2);
            lut = lut_swapped(lut, k, 2);
        }
    out->form = FORM_LOP3_b32;
    out->extra = lut;
    for (size_t i = 0; i < sizeof logics / sizeof logics[0]; i++)
        if (lut == logics[i].lut) {
            out->form = logics[i].form;
            if (logics[i].is_swapped)
                sass_swap(out, 0, 1);
            return;
        }
    if (lut == 0 || lut == 0xff)
        sass_copy(out, sass_pool(l, lut ? UINT32_MAX : 0));
}

bool lower_lop3(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    uint32_t lut = p.n_bits ? p.bits[0] : 0;
    if (!p.n_bits)
        return sass_refuse(l, in, "no table");
    for (unsigned k = 0; k < 3; k++)
        lut = out->src_negated >> k & 1 ? lut_inverted(lut, k) : lut;
    out->src_negated = 0;
    if (out->pdst[0] == PRED_TRUE) {
        choose_logic(l, out, lut);
        return true;
    }
    out->form = FORM_LOP3_PRED_b32;
    out->mod = MOD_FIELD(sass_field(in, SF_PAND), MOD_MODE);
    out->extra = lut;
    return true;
}

bool lower_plop3(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    if (p.n_psrc != 3 || p.n_bits < 2)
        return sass_refuse(l, in, "operands");
    out->form = FORM_PLOP3_none;
    out->extra = (p.bits[0] & 0xff) | (p.bits[1] & 0xff) << 8;
    return true;
}

// The same of the signs of registers.
bool lower_plop3_sign(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    out->form = FORM_PLOP3_SIGN_none;
    out->extra = (p.bits[0] & 0xff) | (p.bits[1] & 0xff) << 8;
    return true;
}

// Registers are never short: what is tried succeeds.
bool lower_setmaxreg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    if (p.n_pdst == 0)
        return lower_nothing(l, in, out);
    out->form = FORM_PLOP3_none;
    out->extra = 0xff; // true whatever the sources are
    return true;
}

// ---- shifts ----------------------------------------------------------------------------------------------------

struct shift {
    bool is_right, wraps, is_64, is_signed, is_high;
};

static rowref constant_row(struct sass_lowering *l, uint32_t value)
{
    return sass_pool(l, value);
}

// Forms for a known distance; sources are low word, distance, high word.
static void choose_known_shift(struct sass_lowering *l, struct insn *out, struct shift s, uint32_t n)
{
    const uint32_t width = s.is_64 ? 64 : 32;
    const rowref low = out->src[0], high = out->src[2];
    n = s.wraps ? n & (width - 1) : n < width ? n : width;
    if (n > 31 && (!s.is_64 || n > 63 || (s.is_right && s.is_signed)))
        return; // the general form
    out->src[1] = high;
    out->src[2] = constant_row(l, n & 31);
    out->form = s.is_right ? FORM_SHF_R_WRAP_b32 : FORM_SHF_L_WRAP_b32;
    const bool is_far = n > 31; // whole words move first
    if (s.is_right && (s.is_high || is_far)) {
        if (s.is_high && is_far) {
            sass_copy(out, sass_pool(l, 0));
            return;
        }
        out->form = s.is_signed ? FORM_SHR_s32 : FORM_SHR_u32;
        out->src[0] = high;
        out->src[1] = constant_row(l, n & 31);
    } else if (!s.is_right && (!s.is_high || is_far)) {
        if (!s.is_high && is_far) {
            sass_copy(out, sass_pool(l, 0));
            return;
        }
        out->form = FORM_SHL_b32;
        out->src[0] = low;
        out->src[1] = constant_row(l, n & 31);
    }
}

// SHF, USHF.
bool lower_shf(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum { RIGHT = 1, WRAPS = 2, OF_64 = 4, SIGNED = 8, HIGH = 16 }; // as enum machine_shift of simt/machine_shapes.h
    sass_fill(l, in, out);
    const unsigned type = sass_field(in, SF_TYPE); // S64, U64, S32, U32
    const struct shift s = {.is_right = sass_field(in, SF_DIRECTION), .wraps = sass_field(in, SF_W), .is_64 = type < 2,
                            .is_signed = !(type & 1), .is_high = sass_field(in, SF_HI)};
    uint32_t distance;
    if (out->src_negated)
        return sass_refuse(l, in, "signed sources");
    if (sass_constant(l, out->src[1], &distance)) {
        choose_known_shift(l, out, s, distance);
        if (out->form)
            return true;
    }
    const rowref by = out->src[1];
    if (!s.wraps && ((s.is_right && s.is_high) || (!s.is_right && !s.is_high))) { // of one word
        out->form = !s.is_right ? FORM_SHL_b32 : s.is_signed ? FORM_SHR_s32 : FORM_SHR_u32;
        out->src[0] = s.is_right ? out->src[2] : out->src[0];
        return true;
    }
    out->src[1] = out->src[2];
    out->src[2] = by;
    out->form = FORM_SHF_b32;
    if (!s.is_64 && s.is_right && !s.is_high && !s.is_signed)
        out->form = s.wraps ? FORM_SHF_R_WRAP_b32 : FORM_SHF_R_CLAMP_b32;
    else if (!s.is_64 && !s.is_right && s.is_high)
        out->form = s.wraps ? FORM_SHF_L_WRAP_b32 : FORM_SHF_L_CLAMP_b32;
    out->extra = (s.is_right ? RIGHT : 0u) | (s.wraps ? WRAPS : 0u) | (s.is_64 ? OF_64 : 0u) |
                 (s.is_signed ? SIGNED : 0u) | (s.is_high ? HIGH : 0u);
    return true;
}

// ---- moves and choices -----------------------------------------------------------------------------------------

bool lower_move(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum { ALL_BYTES = 15 };
    const struct sass_parts p = sass_fill(l, in, out);
    if (p.n_bits && p.bits[0] != ALL_BYTES)
        return sass_refuse(l, in, "a mask of lanes");
    return sass_prepare(l, out, FORM_MOV_b32, PREPARE_NEGATE, NULL);
}

bool lower_sel(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, FORM_SELP_b32, PREPARE_NEGATE, NULL);
}

bool lower_fsel(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    if (!sass_field(in, SF_FTZ))
        return sass_prepare(l, out, FORM_SELP_b32, PREPARE_F32, NULL);
    out->mod = MOD_FIELD(1, MOD_FTZ);
    out->form = FORM_SELECT_FLUSHED_f32;
    return true;
}

// Printed as a, selector, b; the record has a, b, selector.
bool lower_prmt(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    sass_swap(out, 1, 2);
    out->mod = MOD_FIELD(PRMT_INDEX + sass_field(in, SF_MODE), MOD_MODE);
    return sass_prepare(l, out, FORM_PRMT_b32, PREPARE_NEGATE, NULL);
}

// ---- counting --------------------------------------------------------------------------------------------------

bool lower_popc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, FORM_POPC_b32, PREPARE_INVERT, NULL);
}

bool lower_flo(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[2][2] = {{FORM_BFIND_u32, FORM_BFIND_SHIFT_u32}, {FORM_BFIND_s32, FORM_BFIND_SHIFT_s32}};
    sass_fill(l, in, out);
    if (out->pdst[0] != PRED_TRUE) {
        enum { FIND_SIGNED = 1, FIND_SHIFT = 2 }; // as enum find of simt/machine_shapes.h
        out->extra = (sass_field(in, SF_SIGNED) ? FIND_SIGNED : 0u) | (sass_field(in, SF_MODE) ? FIND_SHIFT : 0u);
        return sass_prepare(l, out, FORM_FIND_BIT_b32, PREPARE_INVERT, NULL);
    }
    return sass_prepare(l, out, forms[sass_field(in, SF_SIGNED) & 1][sass_field(in, SF_MODE) & 1], PREPARE_INVERT, NULL);
}

bool lower_brev(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, FORM_BREV_b32, PREPARE_INVERT, NULL);
}

bool lower_bmsk(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    return sass_prepare(l, out, sass_field(in, SF_W) ? FORM_BMSK_WRAP_b32 : FORM_BMSK_CLAMP_b32, PREPARE_NEGATE, NULL);
}

bool lower_sgxt(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[2][2] = {{FORM_SZEXT_CLAMP_u32, FORM_SZEXT_WRAP_u32}, {FORM_SZEXT_CLAMP_s32, FORM_SZEXT_WRAP_s32}};
    sass_fill(l, in, out);
    return sass_prepare(l, out, forms[sass_field(in, SF_SIGNED) & 1][sass_field(in, SF_W) & 1], PREPARE_NEGATE, NULL);
}

// ---- predicates as bits ----------------------------------------------------------------------------------------

// P2R Rd, PR, Ra, mask and UP2UR; PR itself is no operand of the record.
bool lower_p2r(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    if (p.n_src < 2)
        return sass_refuse(l, in, "operands");
    out->src[0] = sass_source(l, in, p.src[p.n_src - 2]);
    out->src[1] = sass_source(l, in, p.src[p.n_src - 1]);
    out->extra = sass_field(in, SF_WIDTH);
    out->mod = MOD_FIELD(in->operands[p.dst[0]].kind == SO_UREG, MOD_MODE);
    out->form = FORM_PREDS_TO_REG_none;
    return true;
}

// R2P PR, Ra, mask and UR2UP.
bool lower_r2p(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = sass_fill(l, in, out);
    if (p.n_src < 2)
        return sass_refuse(l, in, "operands");
    out->src[0] = sass_source(l, in, p.src[p.n_src - 2]);
    out->src[1] = sass_source(l, in, p.src[p.n_src - 1]);
    out->extra = sass_field(in, SF_WIDTH);
    out->mod = MOD_FIELD(in->row->unit == UNIT_UNIFORM, MOD_MODE);
    out->form = FORM_REG_TO_PREDS_none;
    return true;
}
