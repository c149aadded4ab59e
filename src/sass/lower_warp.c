// Between lanes, and to uniform registers: shuffles, votes, reductions, special registers.
#include "mem/memory.h"
#include "sass/lowering.h"

// SHFL p, d, a, b, c; b and c are registers or numbers.
bool lower_shfl(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum { FIRST_SOURCE = 2, N_SOURCES = 3 };
    static const uint16_t forms[] = {FORM_OLD_SHFL_IDX_b32, FORM_OLD_SHFL_UP_b32, FORM_OLD_SHFL_DOWN_b32, FORM_OLD_SHFL_BFLY_b32};
    sass_fill(l, in, out);
    for (unsigned k = 0; k < N_SOURCES; k++)
        out->src[k] = sass_source(l, in, FIRST_SOURCE + k);
    out->src[N_SOURCES] = ROW_NONE; // of the lanes that execute it
    out->form = forms[sass_field(in, SF_SHFL_MODE) & 3];
    return true;
}

// VOTE and VOTEU.
bool lower_vote(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t modes[] = {1, 0, 2, 0}; // .ALL .ANY .EQ to enum vote of simt/op_uniform.c
    sass_fill(l, in, out);
    out->form = FORM_VOTE_none;
    out->mod = MOD_FIELD(modes[sass_field(in, SF_MODE) & 3], MOD_MODE) | MOD_FIELD(in->row->unit == UNIT_UNIFORM, MOD_UNI);
    return true;
}

bool lower_match(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    const bool is_pair = sass_field(in, SF_WIDTH);
    out->form = is_pair ? FORM_MATCH_b64 : FORM_MATCH_b32;
    out->elem = is_pair ? ELEM_B64 : ELEM_B32;
    out->mod = MOD_FIELD(sass_field(in, SF_MODE) == SASS_MATCH_ALL, MOD_MODE);
    return true;
}

bool lower_redux(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t operations[] = {ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_ADD, ATOM_MIN, ATOM_MAX};
    const unsigned how = sass_field(in, SF_MODE);
    sass_fill(l, in, out);
    if (how >= sizeof operations)
        return sass_refuse(l, in, "an unknown operation");
    out->form = FORM_REDUX_none;
    out->mod = MOD_FIELD(operations[how], MOD_MODE) | MOD_FIELD(sass_field(in, SF_SIGNED), MOD_NAN);
    return true;
}

bool lower_elect(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->form = FORM_ELECT_ONE_none;
    return true;
}

bool lower_r2ur(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    sass_fill(l, in, out);
    out->form = FORM_R2UR_none;
    out->mod = MOD_FIELD(sass_field(in, SF_DIFFERS_OR), MOD_MODE);
    return true;
}

// ---- special registers -----------------------------------------------------------------------------------------

struct special {
    uint8_t number;   // as encoded
    uint8_t sreg;     // enum sreg, or N_SREGS: always `value`
    uint32_t value;
};

// Numbers as nvdisasm names them. 46 and 47 are the upper halves of the windows of local and shared memory, 48 and 52 the
// lower ones; 136 is SR_CgaCtaId.
static const struct special specials[] = {
    {0, SREG_LANEID, 0},       {33, SREG_TID_X, 0},        {34, SREG_TID_Y, 0},       {35, SREG_TID_Z, 0},
    {37, SREG_CTAID_X, 0},     {38, SREG_CTAID_Y, 0},      {39, SREG_CTAID_Z, 0},     {56, SREG_LANEMASK_EQ, 0},
    {57, SREG_LANEMASK_LT, 0}, {58, SREG_LANEMASK_LE, 0},  {59, SREG_LANEMASK_GT, 0}, {60, SREG_LANEMASK_GE, 0},
    {67, SREG_SMID, 0},        {80, SREG_CLOCK, 0},        {81, SREG_CLOCK_HI, 0},    {82, SREG_GLOBALTIMER_LO, 0},
    {83, SREG_GLOBALTIMER_HI, 0}, {136, SREG_CLUSTER_CTARANK, 0}, {255, N_SREGS, 0},
    {46, N_SREGS, MEMORY_LOCAL_WINDOW >> 32},        {47, N_SREGS, MEMORY_SHARED_WINDOW >> 32},
    {48, N_SREGS, 0},          {52, N_SREGS, 0},
};

static bool lower_special(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool is_wide)
{
    enum { SOURCE = 1 };
    const struct special *special = NULL;
    out->dst = sass_dst(l, in, 0);
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (specials[i].number == in->operands[SOURCE].number)
            special = &specials[i];
    if (!special)
        return sass_refuse(l, in, "a special register that is not modelled");
    if (special->sreg == N_SREGS) {
        out->form = is_wide ? FORM_MOV_b64 : FORM_MOV_b32;
        out->src[0] = sass_pool64(l, special->value);
        return true;
    }
    out->extra = special->sreg;
    if (is_wide)
        out->extra = special->sreg == SREG_CLOCK ? SREG_CLOCK64 : special->sreg == SREG_GLOBALTIMER_LO ? SREG_GLOBALTIMER : N_SREGS;
    if (out->extra == N_SREGS)
        return sass_refuse(l, in, "a pair of special registers");
    out->form = in->operands[0].kind == SO_UREG ? FORM_S2UR_none : FORM_SREG_none;
    return true;
}

bool lower_s2r(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_special(l, in, out, false);
}
bool lower_cs2r(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_special(l, in, out, sass_field(in, SF_WIDTH) == SASS_CS2R_B64);
}
