// Control flow of machine code: jumps to computed places and the program's own convergence barriers.
//
// Convergence barriers B0 … B15 belong to threads: BSSY makes one for the active lanes, BMOV saves and restores it around
// calls, so lanes of one warp may see different barriers under one number. Each barrier made gets a number of its own here
// (struct convergence); `slot` is the B register and `viewers` are the lanes that see this barrier in it.
#include "simt/ops.h"

// ---- jumps ------------------------------------------------------------------------------------------------------------

// `group` goes to `target`; the rest of `on` executes the instruction once more, the others go on behind it.
static enum step_kind jump_group(struct sim *sim, struct warp *warp, lanemask on, lanemask group, uint32_t target)
{
    if (target >= warp->kernel->n_insns)
        return fault_raise(sim, warp, FAULT_ILLEGAL_CALL, (uint32_t)__builtin_ctz(group));
    split_keep(warp, on);
    if (on & ~group)
        split_fork(warp, on & ~group)->pc--;
    split_current(warp)->pc = target;
    return STEP_PLAIN;
}

// src[0]: code address, a pair (isa/kernel.h).
enum step_kind op_jump_address(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct kernel *kernel = warp->kernel;
    const uint32_t *row = row_read(warp, insn->src[0]);
    const lanemask group = lanes_like_first(row + ROW_LANES, lanes_like_first(row, on));
    const uint64_t at = get_u64(row, __builtin_ctz(group)) + (uint64_t)(int64_t)insn->offset - KERNEL_CODE_WINDOW;
    const bool is_code = at % 16 == 0 && at / 16 < kernel->n_code_targets;
    return jump_group(sim, warp, on, group, is_code ? kernel->code_targets[at / 16] : NO_TARGET);
}

// src[0] + offset: bytes from the beginning of the code section, whose first instruction is `extra`.
enum step_kind op_jump_offset(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t *row = row_read(warp, insn->src[0]);
    const lanemask group = lanes_like_first(row, on);
    const uint32_t at = row[__builtin_ctz(group)] + (uint32_t)insn->offset;
    return jump_group(sim, warp, on, group, at % 16 ? NO_TARGET : insn->extra + at / 16);
}

// A branch under a guard and a second predicate.
enum step_kind op_jump_if(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    on &= pred_read(warp, insn->psrc[0]);
    if (on == 0)
        return STEP_PLAIN;
    if (on != split_current(warp)->mask)
        return op_branch_diverge(sim, warp, insn, on);
    split_current(warp)->pc = (uint32_t)insn->offset;
    return STEP_PLAIN;
}

// A uniform branch: all lanes go if one of them wants to.
enum step_kind op_jump_any(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)on;
    split_current(warp)->pc = (uint32_t)insn->offset;
    return STEP_PLAIN;
}

// src[0]: lanes that should be here; taken when one of them, still alive, is elsewhere.
enum step_kind op_jump_diverged(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if (row_read(warp, insn->src[0])[__builtin_ctz(on)] & warp->live & ~on)
        split_current(warp)->pc = (uint32_t)insn->offset;
    return STEP_PLAIN;
}

// ---- convergence barriers ---------------------------------------------------------------------------------------------

static struct convergence *barrier_of(struct warp *warp, uint32_t slot, lanemask lanes)
{
    for (uint32_t i = 0; i < warp->n_convergences; i++)
        if (warp->convergences[i].slot == slot && (warp->convergences[i].viewers & lanes))
            return &warp->convergences[i];
    return NULL;
}

static bool is_awaited(const struct warp *warp, const struct convergence *c)
{
    for (uint32_t rest = warp->used; rest; rest &= rest - 1) {
        const struct split *split = &warp->splits[__builtin_ctz(rest)];
        if (split->state == SPLIT_CONVERGING && split->waits_for == c->number)
            return true;
    }
    return false;
}

// The lanes do not see a barrier in `slot` any longer; barriers that nobody sees or awaits are gone.
static void barrier_forget(struct warp *warp, uint32_t slot, lanemask lanes)
{
    for (uint32_t i = warp->n_convergences; i-- > 0;) {
        struct convergence *c = &warp->convergences[i];
        if (c->slot != slot)
            continue;
        c->viewers &= ~lanes;
        if (!c->viewers && !is_awaited(warp, c))
            *c = warp->convergences[--warp->n_convergences];
    }
}

static void barrier_make(struct warp *warp, uint32_t slot, lanemask mask, lanemask viewers)
{
    converge_join(warp, warp->next_convergence, mask);
    warp->next_convergence++;
    struct convergence *c = &warp->convergences[warp->n_convergences - 1];
    c->slot = slot;
    c->viewers = viewers;
}

enum step_kind op_conv_open(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    if (warp->n_convergences)
        barrier_forget(warp, insn->extra, on);
    barrier_make(warp, insn->extra, on, on);
    return STEP_PLAIN;
}

enum step_kind op_conv_sync(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const struct convergence *c = barrier_of(warp, insn->extra, on);
    if (!c)
        return STEP_PLAIN;
    if (on == split_current(warp)->mask && (c->mask & warp->live & ~on) == 0) { // all are here: it opens
        const uint32_t i = (uint32_t)(c - warp->convergences);
        warp->convergences[i] = warp->convergences[--warp->n_convergences];
        return STEP_PLAIN;
    }
    split_keep(warp, on);
    return converge_arrive(warp, c->number);
}

// The lanes leave: those that stay do not wait for them.
enum step_kind op_conv_break(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const struct convergence *c = barrier_of(warp, insn->extra, on);
    if (c)
        converge_remove(warp, c->number, on);
    return STEP_PLAIN;
}

// BMOV R, B; MOD_MODE 1: the register is cleared.
enum step_kind op_conv_get(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const struct convergence *c = barrier_of(warp, insn->extra, on);
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = c && (c->viewers & lane_bit[i]) ? c->mask : 0;
    put_rows(warp, insn->dst, out, 1, on);
    if (MOD_GET(insn->mod, MOD_MODE, 4))
        barrier_forget(warp, insn->extra, on);
    return STEP_PLAIN;
}

// BMOV B, R: a barrier with those lanes, which may be there already as others see it.
enum step_kind op_conv_put(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const lanemask mask = row_read(warp, insn->src[0])[__builtin_ctz(on)];
    barrier_forget(warp, insn->extra, on);
    if (!mask)
        return STEP_PLAIN;
    for (uint32_t i = 0; i < warp->n_convergences; i++) {
        struct convergence *c = &warp->convergences[i];
        if (c->slot == insn->extra && c->viewers && c->mask == mask) {
            c->viewers |= on;
            return STEP_PLAIN;
        }
    }
    barrier_make(warp, insn->extra, mask, on);
    return STEP_PLAIN;
}
