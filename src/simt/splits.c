// Splits of a warp: divergence, convergence barriers, waiting and fair turns.
#include "simt/splits.h"
#include "base/err.h"
#include <stdlib.h>

// ---- choosing -----------------------------------------------------------------------------------------------------

void warp_select(struct warp *warp, uint32_t slot)
{
    uint32_t frame = warp->splits[slot].frame;
    warp->current = slot;
    warp->rows[ROW_REG] = warp->stack + (size_t)frame * ROW_LANES;
    warp->preds = warp->pred_stack + frame;
}

bool warp_switch(struct warp *warp)
{
    if (warp->ready == 0)
        return false;
    uint32_t behind = warp->ready & ~(ALL_LANES >> (31 - warp->current));
    warp_select(warp, (uint32_t)__builtin_ctz(behind ? behind : warp->ready));
    return true;
}

void split_set_state(struct warp *warp, uint32_t slot, enum split_state state)
{
    bool is_ready = state == SPLIT_READY || state == SPLIT_REPLAY;
    warp->splits[slot].state = state;
    warp->ready = (warp->ready & ~lane_bit[slot]) | (is_ready ? lane_bit[slot] : 0);
}

// ---- making and removing --------------------------------------------------------------------------------------------

struct split *split_fork(struct warp *warp, lanemask lanes)
{
    struct split *from = split_current(warp);
    if (warp->used == ALL_LANES)
        BUG("more splits than lanes");
    uint32_t slot = (uint32_t)__builtin_ctz(~warp->used);
    struct split *split = &warp->splits[slot];
    *split = *from;
    split->mask = lanes;
    split->spin = split->jumps = 0;
    from->mask &= ~lanes;
    warp->used |= lane_bit[slot];
    split_set_state(warp, slot, SPLIT_READY);
    return split;
}

lanemask split_by_members(struct warp *warp, const uint32_t *members, lanemask on)
{
    const uint32_t first = members[__builtin_ctz(on)];
    uint32_t differ = 0;
    lanemask others = 0;
    for (int i = 0; i < ROW_LANES; i++)
        differ |= members[i] ^ first;
    if (__builtin_expect(differ == 0, 1))
        return on;
    for (lanemask rest = on; rest; rest &= rest - 1)
        if (members[__builtin_ctz(rest)] != first)
            others |= rest & -rest;
    if (others)
        split_fork(warp, others)->pc--;
    return on & ~others;
}

void split_keep(struct warp *warp, lanemask on)
{
    lanemask others = split_current(warp)->mask & ~on;
    if (others)
        split_fork(warp, others);
}

void split_remove(struct warp *warp, uint32_t slot)
{
    warp->splits[slot].mask = 0;
    warp->used &= ~lane_bit[slot];
    warp->ready &= ~lane_bit[slot];
}

// ---- convergence barriers -------------------------------------------------------------------------------------------

static bool convergence_is(const struct convergence *c, const struct split *split, uint32_t number)
{
    return c->number == number && c->frame == split->frame;
}

static struct convergence *convergence_find(struct warp *warp, const struct split *split, uint32_t number)
{
    for (uint32_t i = warp->n_convergences; i-- > 0;)
        if (convergence_is(&warp->convergences[i], split, number))
            return &warp->convergences[i];
    return NULL;
}

static void convergence_reserve(struct warp *warp)
{
    if (warp->n_convergences < warp->max_convergences)
        return;
    warp->max_convergences = warp->max_convergences ? 2 * warp->max_convergences : 8;
    size_t bytes = warp->max_convergences * sizeof *warp->convergences;
    warp->convergences = realloc(warp->convergences, bytes);
    if (!warp->convergences)
        err_memory("convergence barriers", bytes);
}

void converge_join(struct warp *warp, uint32_t number, lanemask lanes)
{
    const struct split *split = split_current(warp);
    if (number == NO_BARRIER)
        return;
    struct convergence *c = convergence_find(warp, split, number);
    if (!c) {
        convergence_reserve(warp);
        c = &warp->convergences[warp->n_convergences++];
        *c = (struct convergence){.number = number, .frame = split->frame};
    }
    c->mask |= lanes;
}

static bool waits_at(const struct warp *warp, uint32_t slot, const struct convergence *c)
{
    const struct split *split = &warp->splits[slot];
    return (warp->used & lane_bit[slot]) && split->state == SPLIT_CONVERGING && convergence_is(c, split, split->waits_for);
}

// Opens the barrier if all its live lanes have come: one split goes on with all of them. True if it opened.
static bool convergence_check(struct warp *warp, struct convergence *c)
{
    lanemask arrived = 0;
    uint32_t first = MAX_SPLITS;
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++) {
        if (!waits_at(warp, slot, c))
            continue;
        arrived |= warp->splits[slot].mask;
        first = first == MAX_SPLITS ? slot : first;
    }
    if (c->mask & warp->live & ~arrived)
        return false;
    for (uint32_t slot = first + 1; slot < MAX_SPLITS; slot++)
        if (waits_at(warp, slot, c))
            split_remove(warp, slot);
    if (first < MAX_SPLITS) {
        struct split *split = &warp->splits[first];
        split->mask = arrived;
        split->spin = split->jumps = 0;
        split_set_state(warp, first, SPLIT_READY);
    }
    *c = warp->convergences[--warp->n_convergences];
    return true;
}

enum step_kind converge_arrive(struct warp *warp, uint32_t number)
{
    struct split *split = split_current(warp);
    struct convergence *c = convergence_find(warp, split, number);
    if (!c || !(c->mask & split->mask))
        return STEP_PLAIN;
    c->mask |= split->mask; // lanes that came with a member wait with it: they are together already
    split->waits_for = number;
    split_set_state(warp, warp->current, SPLIT_CONVERGING);
    if (convergence_check(warp, c))
        warp_switch(warp);
    else
        split_wait(warp, SPLIT_CONVERGING, number, false);
    return STEP_SWITCH;
}

// The split that waits at a convergence barrier goes on without the others.
static void converge_release(struct warp *warp, uint32_t slot)
{
    struct split *split = &warp->splits[slot];
    struct convergence *c = convergence_find(warp, split, split->waits_for);
    split_set_state(warp, slot, SPLIT_READY);
    if (!c)
        return;
    c->mask &= ~split->mask;
    if (c->mask == 0)
        *c = warp->convergences[--warp->n_convergences];
}

void converge_remove(struct warp *warp, uint32_t number, lanemask lanes)
{
    struct convergence *c = convergence_find(warp, split_current(warp), number);
    if (!c)
        return;
    c->mask &= ~lanes;
    convergence_check(warp, c);
}

void converge_break(struct warp *warp, uint32_t first, uint32_t n)
{
    const struct split split = *split_current(warp);
    for (uint32_t i = warp->n_convergences; i-- > 0;) {
        struct convergence *c = &warp->convergences[i];
        if (c->number - first >= n || !(c->mask & split.mask) || !convergence_is(c, &split, c->number))
            continue;
        c->mask &= ~split.mask;
        convergence_check(warp, c);
    }
}

void converge_leave(struct warp *warp, lanemask lanes)
{
    const uint32_t frame = split_current(warp)->frame;
    for (uint32_t i = warp->n_convergences; i-- > 0;) {
        struct convergence *c = &warp->convergences[i];
        if (c->frame != frame)
            continue;
        c->mask &= ~lanes;
        convergence_check(warp, c);
    }
}

// ---- waiting ----------------------------------------------------------------------------------------------------------

// Nothing is ready and nothing from outside will come: lanes that wait for lanes which themselves wait go on.
static void unstick(struct warp *warp)
{
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++)
        if ((warp->used & lane_bit[slot]) && warp->splits[slot].state >= SPLIT_BLOCK_BARRIER)
            return;
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++)
        if ((warp->used & lane_bit[slot]) && warp->splits[slot].state == SPLIT_CONVERGING)
            converge_release(warp, slot);
}

void split_wait(struct warp *warp, enum split_state state, uint32_t waits_for, bool again)
{
    struct split *split = split_current(warp);
    split->waits_for = waits_for;
    split->pc -= again;
    split_set_state(warp, warp->current, state);
    if (warp->ready == 0)
        unstick(warp);
}

uint64_t warp_wake(struct warp *warp, uint64_t now_cycles)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t rest = warp->used; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(rest);
        const struct split *split = &warp->splits[slot];
        if (split->state != SPLIT_ASLEEP)
            continue;
        if (split->wakes <= now_cycles)
            split_set_state(warp, slot, SPLIT_READY);
        else
            next = split->wakes < next ? split->wakes : next;
    }
    return next;
}

void warp_lanes_left(struct warp *warp)
{
    for (uint32_t i = warp->n_convergences; i-- > 0;)
        convergence_check(warp, &warp->convergences[i]);
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++) // these look again
        if ((warp->used & lane_bit[slot]) && warp->splits[slot].state == SPLIT_WARP_SYNC)
            split_set_state(warp, slot, SPLIT_READY);
    if (warp->used && warp->ready == 0)
        unstick(warp);
}

bool warp_sync_arrive(struct warp *warp, lanemask members)
{
    struct split *split = split_current(warp);
    members &= warp->live;
    lanemask missing = members & ~split->mask;
    if (__builtin_expect(missing == 0, 1))
        return true;
    uint32_t same = 0;
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++) {
        const struct split *other = &warp->splits[slot];
        bool waits = (warp->used & lane_bit[slot]) && other->state == SPLIT_WARP_SYNC && other->pc + 1 == split->pc &&
                     other->frame == split->frame;
        if (waits && (other->mask & missing)) {
            same |= lane_bit[slot];
            missing &= ~other->mask;
        }
    }
    if (missing) {
        split_wait(warp, SPLIT_WARP_SYNC, members, true);
        return false;
    }
    for (; same; same &= same - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(same);
        split->mask |= warp->splits[slot].mask;
        split_remove(warp, slot);
    }
    return true;
}

// ---- fair turns ---------------------------------------------------------------------------------------------------------

// Lanes that wait for the running split at a convergence barrier go on without it.
static void release_waiting(struct warp *warp)
{
    lanemask spinning = split_current(warp)->mask;
    for (uint32_t slot = 0; slot < MAX_SPLITS; slot++) {
        const struct split *split = &warp->splits[slot];
        if (!(warp->used & lane_bit[slot]) || split->state != SPLIT_CONVERGING)
            continue;
        struct convergence *c = convergence_find(warp, split, split->waits_for);
        if (c && (c->mask & spinning))
            converge_release(warp, slot);
    }
}

void split_count_strong(struct warp *warp)
{
    struct split *split = split_current(warp);
    if ((warp->used & (warp->used - 1)) == 0)
        return; // alone
    split->spin++;
    if (split->spin % SPLIT_RELEASE_STRONG == 0)
        release_waiting(warp);
    if (split->spin % SPLIT_YIELD_STRONG == 0 && split->state == SPLIT_READY)
        warp_switch(warp);
}

void split_count_jump(struct warp *warp)
{
    struct split *split = split_current(warp);
    if (++split->jumps % SPLIT_YIELD_JUMPS == 0)
        warp_switch(warp);
}

static void fault_set(struct sim *sim, const struct warp *warp, enum fault_kind kind, uint32_t insn, uint32_t lane)
{
    sim->fault = (struct fault){.kind = kind, .insn = insn, .lane = lane};
    thread_of_lane(warp, sim->launch, lane, sim->fault.thread);
    memcpy(sim->fault.block, warp->block->index, sizeof sim->fault.block);
}

enum step_kind fault_raise(struct sim *sim, const struct warp *warp, enum fault_kind kind, uint32_t lane)
{
    fault_set(sim, warp, kind, warp->splits[warp->current].pc - 1, lane);
    return STEP_FAULT;
}

void fault_call(struct sim *sim, const struct exchange *exchange, enum fault_kind kind, uint32_t lane)
{
    const struct warp *warp = exchange->warp;
    fault_set(sim, warp, kind, (uint32_t)(exchange->insn - warp->kernel->insns), lane);
    sim->fault.space = SPACE_GLOBAL;
    sim->fault.access = ACCESS_LOAD;
    sim->fault.size_bytes = 1;
}
