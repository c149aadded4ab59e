// Control flow of machine code: branches, calls, convergence, barriers, what waits and what does nothing.
#include "sass/lower.h"

// The number of the first operand of that kind; SASS_MAX_OPERANDS: there is none.
static unsigned operand_of(const struct sass_insn *in, enum sass_operand_kind kind)
{
    for (unsigned k = 0; k < in->n_operands; k++)
        if (in->operands[k].kind == kind)
            return k;
    return SASS_MAX_OPERANDS;
}

// Control instructions may have a predicate beside their guard: both must hold.
static bool take_predicate(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_PRED);
    const predref pred = k < SASS_MAX_OPERANDS ? sass_pred(in, k) : PRED_TRUE;
    if (pred == PRED_TRUE)
        return true;
    if (out->guard != PRED_TRUE)
        return sass_refuse(l, in, "a predicate beside a guard");
    out->guard = pred;
    return true;
}

// Index of the instruction at a byte offset of the section.
static bool target_index(struct sass_lowering *l, const struct sass_insn *in, int64_t offset, struct insn *out)
{
    if (offset < 0 || offset % SASS_BYTES || offset / SASS_BYTES >= l->n_insns)
        return sass_refuse(l, in, "its target lies outside the function");
    out->offset = (int32_t)(l->first_insn + (uint32_t)(offset / SASS_BYTES));
    out->extra = NO_BARRIER;
    return true;
}

// ---- branches ---------------------------------------------------------------------------------------------------------

static bool lower_jump(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, enum form form)
{
    const unsigned target = operand_of(in, SO_TARGET);
    const unsigned pred = operand_of(in, SO_PRED);
    out->form = form;
    if (form == FORM_BRA_none && pred < SASS_MAX_OPERANDS && out->guard != PRED_TRUE && sass_pred(in, pred) != PRED_TRUE) {
        out->form = FORM_JUMP_IF_none;
        out->psrc[0] = sass_pred(in, pred);
    } else if (!take_predicate(l, in, out)) {
        return false;
    }
    return target < SASS_MAX_OPERANDS && target_index(l, in, in->operands[target].value, out);
}

// BRA.U: the warp goes as one (no lane may want otherwise). BRA.DIV: taken when lanes of the mask are not here.
bool lower_bra(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned mask = operand_of(in, SO_UREG);
    if (sass_field(in, SF_BRA_MODE) == SASS_BRA_MODE_CONV)
        return sass_refuse(l, in, "BRA.CONV");
    if (sass_field(in, SF_BRA_MODE) == SASS_BRA_MODE_DIV) {
        if (mask == SASS_MAX_OPERANDS)
            return sass_refuse(l, in, "no mask");
        out->src[0] = sass_source(l, in, mask);
        return lower_jump(l, in, out, FORM_JUMP_DIVERGED_none);
    }
    return lower_jump(l, in, out, sass_field(in, SF_BRA_COND) == SASS_BRA_COND_ANY ? FORM_JUMP_ANY_none : FORM_BRA_none);
}

// To a register and a place in the section; also RET.REL.
bool lower_jump_register(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned target = operand_of(in, SO_TARGET), reg = operand_of(in, SO_REG);
    if (reg == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no register");
    out->form = FORM_JUMP_OFFSET_none;
    out->src[0] = sass_source(l, in, reg);
    out->offset = target < SASS_MAX_OPERANDS ? (int32_t)in->operands[target].value : 0;
    out->extra = l->first_insn;
    return take_predicate(l, in, out);
}

static bool jump_address(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, rowref address)
{
    out->form = FORM_JUMP_ADDRESS_none;
    out->src[0] = address;
    out->offset = 0;
    return take_predicate(l, in, out);
}

bool lower_jump_address(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned reg = operand_of(in, SO_REG);
    return reg < SASS_MAX_OPERANDS ? jump_address(l, in, out, sass_source(l, in, reg)) : sass_refuse(l, in, "no register");
}

// CALL.ABS to a function that a relocation names (lower_kernel.c puts its address there).
bool lower_call_address(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned target = operand_of(in, SO_TARGET);
    target = target == SASS_MAX_OPERANDS ? operand_of(in, SO_IMM) : target;
    if (target == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no target");
    return jump_address(l, in, out, sass_pool64(l, (uint64_t)in->operands[target].value));
}

bool lower_call_relative(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_jump(l, in, out, FORM_BRA_none);
}

bool lower_ret(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return sass_field(in, SF_ABS) == SASS_ABS_ABS ? lower_jump_address(l, in, out) : lower_jump_register(l, in, out);
}

// The address of a place in the section.
bool lower_lepc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned target = operand_of(in, SO_TARGET);
    const int64_t offset = target < SASS_MAX_OPERANDS ? in->operands[target].value : (int64_t)in->offset + SASS_BYTES;
    out->form = FORM_MOV_b64;
    out->dst = sass_dst(l, in, 0);
    out->src[0] = sass_pool64(l, l->code_address + (uint64_t)offset);
    return true;
}

// ---- convergence --------------------------------------------------------------------------------------------------------

static bool with_barrier(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, enum form form)
{
    const unsigned k = operand_of(in, SO_BARRIER);
    if (k == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no convergence barrier");
    out->form = form;
    out->extra = in->operands[k].number;
    return true;
}

bool lower_bssy(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return with_barrier(l, in, out, FORM_CONV_OPEN_none) && take_predicate(l, in, out);
}

bool lower_bsync(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return with_barrier(l, in, out, FORM_CONV_SYNC_none) && take_predicate(l, in, out);
}

bool lower_break(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return with_barrier(l, in, out, FORM_CONV_BREAK_none) && take_predicate(l, in, out);
}

bool lower_bmov_get(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->dst = sass_dst(l, in, 0);
    out->mod = MOD_FIELD(sass_field(in, SF_BMOV_CLEAR), MOD_MODE);
    return with_barrier(l, in, out, FORM_CONV_GET_none);
}

bool lower_bmov_set(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_REG);
    if (k == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "its source is no register");
    out->src[0] = sass_source(l, in, k);
    return with_barrier(l, in, out, FORM_CONV_PUT_none);
}

bool lower_warpsync(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned k = operand_of(in, SO_REG);
    k = k == SASS_MAX_OPERANDS ? operand_of(in, SO_IMM) : k;
    out->form = FORM_BAR_WARP_SYNC_none;
    out->src[0] = k == SASS_MAX_OPERANDS ? sass_pool(l, 0xffffffffu) : sass_source(l, in, k);
    return take_predicate(l, in, out);
}

// ---- barriers of the block ------------------------------------------------------------------------------------------------

// Results of BAR.RED wait in a row and two predicates that no instruction names, until B2R.RESULT takes them.
rowref sass_barrier_row(const struct sass_lowering *l)
{
    return ROW(ROW_REG, l->n_registers + l->n_uregs + SASS_TRASH_ROWS);
}

static bool bar_form(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->dst = sass_barrier_row(l);
    switch (sass_field(in, SF_BAR_MODE)) {
    case SASS_BAR_SYNC:
        out->form = FORM_BAR_SYNC_none;
        return true;
    case SASS_BAR_ARV:
        out->form = FORM_BAR_ARRIVE_none;
        return true;
    case SASS_BAR_RED: {
        const unsigned mode = sass_field(in, SF_BOOL), k = operand_of(in, SO_PRED);
        out->form = mode == SASS_BAR_RED_POPC  ? FORM_BAR_RED_POPC_u32
                    : mode == SASS_BAR_RED_AND ? FORM_BAR_RED_AND_pred
                                               : FORM_BAR_RED_OR_pred;
        out->pdst[0] = SASS_BARRIER_PRED;
        out->psrc[0] = k < SASS_MAX_OPERANDS ? sass_pred(in, k) : PRED_TRUE;
        return true;
    }
    default:
        return sass_refuse(l, in, "this kind of barrier");
    }
}

// BAR.SYNC number[, threads]
bool lower_bar(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned n_bits = 0;
    if (!bar_form(l, in, out))
        return false;
    for (unsigned k = 0; k < in->n_operands; k++) {
        const struct sass_operand *o = &in->operands[k];
        if (o->kind != SO_BITS && o->kind != SO_IMM)
            continue;
        if (n_bits++ == 0)
            out->extra = (uint32_t)o->value;
        else if (o->value)
            out->src[0] = sass_pool(l, (uint32_t)o->value);
    }
    return n_bits > 0 || sass_refuse(l, in, "no barrier number");
}

// BAR.SYNC R, R: number in bits 3 … 0 of the register, threads in bits 27 … 16; no threads: all (doc/sass.md).
bool lower_bar_register(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_REG);
    if (!bar_form(l, in, out) || k == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no register");
    out->extra = 0xffffffffu;
    out->src[0] = sass_source(l, in, k);
    out->mod = MOD_FIELD(1, MOD_MODE);
    return true;
}

// BAR.SYNC R, threads
bool lower_bar_numbered(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_REG), count = operand_of(in, SO_BITS);
    if (!bar_form(l, in, out) || k == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no register");
    out->extra = 0xffffffffu;
    out->src[0] = sass_source(l, in, k);
    if (count < SASS_MAX_OPERANDS && in->operands[count].value)
        out->src[1] = sass_pool(l, (uint32_t)in->operands[count].value);
    return true;
}

// BAR.SYNC number, R: threads in the register
bool lower_bar_counted(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_REG), number = operand_of(in, SO_BITS);
    if (!bar_form(l, in, out) || k == SASS_MAX_OPERANDS || number == SASS_MAX_OPERANDS)
        return sass_refuse(l, in, "no register");
    out->extra = (uint32_t)in->operands[number].value;
    out->src[0] = sass_source(l, in, k);
    return true;
}

// B2R.RESULT R or RZ, P
bool lower_b2r(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned k = operand_of(in, SO_PRED), reg = operand_of(in, SO_REG);
    if (k < SASS_MAX_OPERANDS && in->operands[k].number != SASS_PT) {
        out->form = FORM_MOV_pred;
        out->pdst[0] = sass_pred(in, k);
        out->psrc[0] = SASS_BARRIER_PRED;
        return true;
    }
    out->form = FORM_MOV_b32;
    out->dst = reg < SASS_MAX_OPERANDS ? sass_dst(l, in, reg) : ROW_NONE;
    out->src[0] = sass_barrier_row(l);
    return reg < SASS_MAX_OPERANDS || sass_refuse(l, in, "no register");
}

bool lower_cluster_arrive(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)l;
    (void)in;
    out->form = FORM_BARRIER_CLUSTER_ARRIVE_none;
    return true;
}

bool lower_cluster_wait(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)l;
    (void)in;
    out->form = FORM_BARRIER_CLUSTER_WAIT_none;
    return true;
}

// ---- the rest -------------------------------------------------------------------------------------------------------------

bool lower_exit(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->form = FORM_EXIT_none;
    const unsigned k = operand_of(in, SO_PRED);
    if (out->guard == PRED_TRUE || k == SASS_MAX_OPERANDS)
        return take_predicate(l, in, out);
    out->psrc[0] = sass_pred(in, k);
    return true;
}

// Does nothing here: order and scoreboards are kept by the engine as it is.
bool lower_nothing(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)l;
    (void)in;
    out->form = FORM_NOP_none;
    return true;
}

bool lower_trap(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)l;
    (void)in;
    out->form = FORM_TRAP_none;
    return true;
}

bool lower_nanosleep(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned last = in->n_operands - 1u;
    if (in->n_operands == 0)
        return sass_refuse(l, in, "no time");
    out->form = FORM_NANOSLEEP_u32;
    out->src[0] = sass_source(l, in, last);
    return take_predicate(l, in, out);
}
