// Which registers hold the same number in all lanes of a warp that are there: what ptxas proves before it makes one lane's atomic
// of a warp's. Found by looking at what ptxas 13.0 makes for sm_90 of atomics whose addresses come from all kinds of sources:
//
//   - parameters of the kernel, special registers but %tid and %lane…, what is loaded from one address (not from local memory),
//     ballots, votes and reductions of a warp, shfl.idx from one lane of all 32, and all that is computed from these alone;
//   - a register that is written in several places is different when one of them lies where only some lanes get: between a
//     branch that parts them and the block where they meet.
#include "ptx/lowering.h"
#include <string.h>

struct uniformity {
    const struct body *body;
    bool *varies;           // by register
    uint32_t *n_defs;       // by register
    bool *is_parted, *seen; // by block
    uint32_t *stack;
};

// ---- what is read -----------------------------------------------------------------------------------

static bool operand_varies(const struct uniformity *u, const struct ptx_operand *operand)
{
    if (operand->pair && operand_varies(u, operand->pair))
        return true;
    if (operand->kind == PO_SREG)
        return strncmp(operand->name, "%tid", 4) == 0 || strncmp(operand->name, "%lane", 5) == 0;
    if (operand->kind == PO_REG)
        return u->varies[operand->variable->id];
    if (operand->kind == PO_ADDRESS && operand->base && operand_varies(u, operand->base))
        return true;
    for (uint32_t i = 0; i < operand->n_items; i++)
        if (operand_varies(u, &operand->items[i]))
            return true;
    return false;
}

static bool sources_vary(const struct uniformity *u, const struct ptx_insn *insn)
{
    for (uint32_t i = 1; i < insn->n_operands; i++)
        if (operand_varies(u, &insn->operands[i]))
            return true;
    return insn->guard && u->varies[insn->guard->id];
}

static bool is_all_32(const struct ptx_operand *clamp)
{
    return clamp->kind == PO_IMM && clamp->bits == 31;
}

// Are the lanes' results different?
static bool result_varies(const struct uniformity *u, const struct ptx_insn *insn)
{
    if (insn->guard && u->varies[insn->guard->id])
        return true;
    if (op_is(insn, "vote activemask redux"))
        return false;
    if (strcmp(insn->op, "match") == 0)
        return !insn_has_suffix(insn, "all");
    if (strcmp(insn->op, "shfl") == 0)
        return !insn_has_suffix(insn, "idx") || insn->n_operands < 4 || operand_varies(u, &insn->operands[2]) ||
               !is_all_32(&insn->operands[3]);
    if (op_is(insn, "atom call elect alloca tex tld4 suld mbarrier mma wmma wgmma ldmatrix movmatrix"))
        return true;
    if (op_is(insn, "ld ldu")) {
        const bool is_argument = insn_has_suffix(insn, "param") && !u->body->function->is_entry;
        return is_argument || insn_has_suffix(insn, "local") || sources_vary(u, insn);
    }
    return sources_vary(u, insn);
}

// ---- where lanes part ---------------------------------------------------------------------------------

// The blocks that lanes run through between the branch at the end of `block` and the place where they meet.
static void part_from(struct uniformity *u, uint32_t block)
{
    const struct cfg *cfg = &u->body->cfg;
    const uint32_t end = cfg->blocks[block].ipdom;
    uint32_t n = 0;
    memset(u->seen, 0, cfg->n_blocks);
    u->stack[n++] = block;
    while (n) {
        const struct cfg_block *at = &cfg->blocks[u->stack[--n]];
        for (uint32_t s = at->first_succ; s < at->first_succ + at->n_succ; s++) {
            const uint32_t next = cfg->succ[s];
            if (next == end || u->seen[next])
                continue;
            u->seen[next] = u->is_parted[next] = true;
            u->stack[n++] = next;
        }
    }
}

static bool branch_varies(const struct uniformity *u, const struct cfg_block *block)
{
    const struct ptx_insn *last = block->n ? &u->body->function->insns[block->first + block->n - 1] : NULL;
    if (!last || !block->may_diverge)
        return false;
    return (last->guard && u->varies[last->guard->id]) ||
           (strcmp(last->op, "brx") == 0 && operand_varies(u, &last->operands[0]));
}

static void find_parted(struct uniformity *u)
{
    for (uint32_t i = 0; i < u->body->cfg.n_blocks; i++)
        if (branch_varies(u, &u->body->cfg.blocks[i]))
            part_from(u, i);
}

// ---- what is written ----------------------------------------------------------------------------------

static bool mark(struct uniformity *u, const struct ptx_operand *operand, bool varies, bool is_parted)
{
    bool changed = false;
    if (operand->kind == PO_REG) {
        const uint32_t id = operand->variable->id;
        const bool now = varies || (is_parted && u->n_defs[id] > 1);
        changed = now && !u->varies[id];
        u->varies[id] |= now;
    }
    if (operand->pair)
        changed |= mark(u, operand->pair, varies, is_parted);
    for (uint32_t i = 0; (operand->kind == PO_VECTOR || operand->kind == PO_PAREN) && i < operand->n_items; i++)
        changed |= mark(u, &operand->items[i], varies, is_parted);
    return changed;
}

static void count_defs(struct uniformity *u, const struct ptx_operand *operand)
{
    if (operand->kind == PO_REG)
        u->n_defs[operand->variable->id]++;
    if (operand->pair)
        count_defs(u, operand->pair);
    for (uint32_t i = 0; (operand->kind == PO_VECTOR || operand->kind == PO_PAREN) && i < operand->n_items; i++)
        count_defs(u, &operand->items[i]);
}

static bool mark_insn(struct uniformity *u, uint32_t i)
{
    const struct ptx_insn *insn = &u->body->function->insns[i];
    if (!insn->n_operands || op_is(insn, "st red bra brx"))
        return false;
    return mark(u, &insn->operands[0], result_varies(u, insn), u->is_parted[u->body->cfg.block_of[i]]);
}

// From "all the same" until nothing changes.
bool *find_varying(struct body *b)
{
    const struct ptx_function *f = b->function;
    struct arena *work = &b->lowering->work;
    struct uniformity u = {.body = b,
                           .varies = arena_array(work, bool, f->n_registers + 1),
                           .n_defs = arena_array(work, uint32_t, f->n_registers + 1),
                           .is_parted = arena_array(work, bool, b->cfg.n_blocks),
                           .seen = arena_array(work, bool, b->cfg.n_blocks),
                           .stack = arena_array(work, uint32_t, b->cfg.n_blocks + 1)};
    for (uint32_t i = 0; i < f->n_params + f->n_returns; i++) {
        const struct ptx_variable *v = i < f->n_params ? f->params[i] : f->returns[i - f->n_params];
        if (v->space == PS_REG)
            u.varies[v->id] = true;
    }
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (f->insns[i].n_operands && !op_is(&f->insns[i], "st red bra brx"))
            count_defs(&u, &f->insns[i].operands[0]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->n_insns; i++)
            changed |= mark_insn(&u, i);
        if (!changed) {
            find_parted(&u);
            for (uint32_t i = 0; i < f->n_insns; i++)
                changed |= mark_insn(&u, i);
        }
    }
    return u.varies;
}

bool varies_in_warp(const bool *varies, const struct ptx_operand *operand)
{
    return operand_varies(&(struct uniformity){.varies = (bool *)varies}, operand);
}
