// Barriers: of the block (bar.sync, bar.arrive, bar.red) and of the warp (bar.warp.sync).
//
// A block barrier counts threads, as GPUs from sm_70 on do: it opens when all live threads have arrived, or
// as many as its count says. Exited threads are not waited for.
#include "isa/form.h"
#include "simt/ops.h"
#include <stdio.h>

// ---- arriving --------------------------------------------------------------------------------------

struct arrival {
    uint32_t barrier, expected; // expected: threads, 0 = all live ones
};

// Barrier number and count: the number is insn.extra or, when that is ~0, the first source; the count the
// next source.
static struct arrival arrival_of(const struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(on);
    struct arrival arrival = {insn->extra, 0};
    uint32_t next = 0;
    if (MOD_GET(insn->mod, MOD_MODE, 4)) { // machine code: both in one register
        const uint32_t word = row_read(warp, insn->src[0])[lane];
        return (struct arrival){word & 15, word >> 16 & 0xfff};
    }
    if (insn->extra == UINT32_MAX)
        arrival.barrier = row_read(warp, insn->src[next++])[lane];
    if (insn->src[next] != ROW_NONE)
        arrival.expected = row_read(warp, insn->src[next])[lane];
    return arrival;
}

static void arrive(struct warp *warp, struct arrival arrival, lanemask on, lanemask preds)
{
    struct block *block = warp->block;
    uint32_t n = (uint32_t)__builtin_popcount(on);
    if (arrival.expected &&
        on == warp->live) // counts are in whole warps, also where lanes do not exist or have exited
        n = ROW_LANES;
    block->expected[arrival.barrier] = arrival.expected;
    block->arrived[arrival.barrier] += n;
    block->reduced[arrival.barrier] += (uint32_t)__builtin_popcount(preds & on);
}

static enum step_kind bar_arrive(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                 bool waits)
{
    struct arrival arrival = arrival_of(warp, insn, on);
    if (arrival.barrier >= N_BLOCK_BARRIERS) {
        fault_raise(sim, warp, FAULT_DIVERGENT_BARRIER, (uint32_t)__builtin_ctz(on));
        snprintf(sim->fault.note, sizeof sim->fault.note, "barrier %u does not exist, there are %d",
                 arrival.barrier, N_BLOCK_BARRIERS);
        return STEP_FAULT;
    }
    if (warp_must_drain(warp))
        return STEP_FENCE;
    arrive(warp, arrival, on, pred_read(warp, insn->psrc[0]));
    if (waits) {
        split_keep(warp, on);
        split_wait(warp, SPLIT_BLOCK_BARRIER, arrival.barrier, false);
    }
    block_barrier_open(warp->block, arrival.barrier);
    return waits ? STEP_BARRIER : STEP_PLAIN;
}

enum step_kind op_bar_sync(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    return bar_arrive(sim, warp, insn, on, true);
}

enum step_kind op_bar_red(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    return bar_arrive(sim, warp, insn, on, true);
}

enum step_kind op_bar_arrive(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    return bar_arrive(sim, warp, insn, on, false);
}

// ---- opening ---------------------------------------------------------------------------------------

// The result of bar.red, for one split that waits behind it.
static void put_reduction(struct warp *warp, const struct split *split, uint32_t n_true, uint32_t n_all)
{
    const struct insn *insn = &warp->kernel->insns[split->pc - 1];
    uint32_t *pred = &warp->pred_stack[split->frame + insn->pdst[0]];
    uint32_t *row = warp->stack + (size_t)(split->frame + ROW_NUMBER(insn->dst)) * ROW_LANES;
    switch (insn->form) {
    case FORM_BAR_RED_AND_pred:
    case FORM_BARRIER_RED_AND_pred:
        *pred = (*pred & ~split->mask) | (n_true == n_all ? split->mask : 0);
        break;
    case FORM_BAR_RED_OR_pred:
    case FORM_BARRIER_RED_OR_pred:
        *pred = (*pred & ~split->mask) | (n_true ? split->mask : 0);
        break;
    case FORM_BAR_RED_POPC_u32:
    case FORM_BARRIER_RED_POPC_u32:
        for (int i = 0; i < ROW_LANES; i++)
            row[i] = split->mask & lane_bit[i] ? n_true : row[i];
        break;
    default:
        break;
    }
}

static void wake_warp(struct warp *warp, uint32_t barrier, uint32_t n_true, uint32_t n_all)
{
    for (uint32_t used = warp->used; used; used &= used - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(used);
        const struct split *split = &warp->splits[slot];
        if (split->state != SPLIT_BLOCK_BARRIER || split->waits_for != barrier)
            continue;
        put_reduction(warp, split, n_true, n_all);
        split_set_state(warp, slot, SPLIT_READY);
    }
}

static uint32_t threads_waiting(const struct block *block, uint32_t barrier)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < block->n_warps; w++) {
        const struct warp *warp = &block->warps[w];
        for (uint32_t used = warp->used; used; used &= used - 1) {
            const struct split *split = &warp->splits[__builtin_ctz(used)];
            if (split->state == SPLIT_BLOCK_BARRIER && split->waits_for == barrier)
                n += (uint32_t)__builtin_popcount(split->mask);
        }
    }
    return n;
}

bool block_barrier_open(struct block *block, uint32_t barrier)
{
    uint32_t expected = block->expected[barrier] ? block->expected[barrier] : block->n_live;
    if (block->arrived[barrier] == 0 || block->arrived[barrier] < expected)
        return false;
    uint32_t n_true = block->reduced[barrier], n_all = threads_waiting(block, barrier);
    block->arrived[barrier] = block->expected[barrier] = block->reduced[barrier] = 0;
    block->n_orders++;
    for (uint32_t w = 0; w < block->n_warps; w++)
        wake_warp(&block->warps[w], barrier, n_true, n_all);
    return true;
}

// ---- the warp's own --------------------------------------------------------------------------------

// Lanes may come from different bar.warp.sync: those waiting at another one go on from there.
static void wake_other_places(struct warp *warp, lanemask members)
{
    lanemask here = split_current(warp)->mask, arrived = here;
    uint32_t others = 0;
    for (uint32_t used = warp->used; used; used &= used - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(used);
        const struct split *split = &warp->splits[slot];
        bool is_barrier = warp->kernel->insns[split->pc].form == FORM_BAR_WARP_SYNC_none;
        if (split->state != SPLIT_WARP_SYNC || !is_barrier || !(split->mask & members))
            continue;
        arrived |= split->mask;
        others |= lane_bit[slot];
    }
    if (members & warp->live & ~arrived)
        return;
    for (; others; others &= others - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(others);
        struct split *split = &warp->splits[slot];
        if (split->pc + 1 == split_current(warp)->pc && split->frame == split_current(warp)->frame)
            continue; // merged below
        split->pc++;
        split_set_state(warp, slot, SPLIT_READY);
    }
}

enum step_kind op_bar_warp_sync(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *row = row_read(warp, insn->src[0]);
    on = split_by_members(warp, row, on);
    lanemask members = row[__builtin_ctz(on)];
    warp->n_orders++;
    if ((members & warp->live & ~split_current(warp)->mask) == 0)
        return STEP_PLAIN;
    wake_other_places(warp, members);
    return warp_sync_arrive(warp, members) ? STEP_PLAIN : STEP_SWITCH;
}

// ---- nothing can run -------------------------------------------------------------------------------

static const char *const state_names[] = {[SPLIT_READY] = "ready",
                                          [SPLIT_REPLAY] = "ready",
                                          [SPLIT_CONVERGING] = "other lanes to converge",
                                          [SPLIT_WARP_SYNC] = "the lanes of a .sync instruction",
                                          [SPLIT_BLOCK_BARRIER] = "block barrier",
                                          [SPLIT_CLUSTER_BARRIER] = "the other blocks of the cluster",
                                          [SPLIT_EXCHANGE] = "memory",
                                          [SPLIT_MBARRIER] = "a phase of an mbarrier",
                                          [SPLIT_FENCE] = "memory"};

struct stall {
    const struct warp *warp;
    const struct split *split;     // one that waits at a block barrier, else any
    bool at_barrier, is_divergent; // a block barrier is waited for; by some lanes of a warp only
};

static void stall_note(struct stall *stall, const struct warp *warp)
{
    uint32_t at_barrier = 0, elsewhere = 0, barriers = 0; // barriers: bit b = some lanes wait at b
    const struct split *found = NULL;
    for (uint32_t used = warp->used; used; used &= used - 1) {
        const struct split *split = &warp->splits[__builtin_ctz(used)];
        bool is_barrier = split->state == SPLIT_BLOCK_BARRIER;
        at_barrier += is_barrier;
        elsewhere += !is_barrier;
        barriers |= is_barrier ? 1u << split->waits_for : 0;
        if (!found || is_barrier)
            found = split;
    }
    bool is_divergent = at_barrier && (elsewhere || (barriers & (barriers - 1)));
    if (!found || (stall->split && !is_divergent) || stall->is_divergent)
        return;
    *stall = (struct stall){warp, found, at_barrier > 0, is_divergent};
}

bool block_explain_stall(const struct launch *launch, const struct block *block, struct fault *out)
{
    struct stall stall = {0};
    for (uint32_t w = 0; w < block->n_warps; w++) {
        if (block->warps[w].ready || block->warps[w].pending_exchanges)
            return false;
        stall_note(&stall, &block->warps[w]);
    }
    if (!stall.split)
        return false;
    const struct split *split = stall.split;
    uint32_t lane = (uint32_t)__builtin_ctz(split->mask), barrier = split->waits_for;
    *out =
        (struct fault){.kind = stall.is_divergent ? FAULT_DIVERGENT_BARRIER : FAULT_DEADLOCK, .lane = lane};
    out->insn = split->pc - (stall.at_barrier && split->pc > 0);
    thread_of_lane(stall.warp, launch, lane, out->thread);
    memcpy(out->block, block->index, sizeof out->block);
    if (stall.at_barrier)
        snprintf(out->note, sizeof out->note,
                 "warp %u: lanes 0x%08x wait at barrier %u, where %u of %u threads have arrived%s",
                 stall.warp->warp_in_block, split->mask, barrier, block->arrived[barrier],
                 block->expected[barrier] ? block->expected[barrier] : block->n_live,
                 stall.is_divergent ? "; other lanes of the warp wait elsewhere" : "");
    else
        snprintf(out->note, sizeof out->note, "warp %u: lanes 0x%08x wait for %s", stall.warp->warp_in_block,
                 split->mask, state_names[split->state]);
    return true;
}
