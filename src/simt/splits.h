// The splits of a warp: making, merging, waiting, choosing the next. Rules in warp.h.
#ifndef SIMT_SPLITS_H
#define SIMT_SPLITS_H
#include "simt/lanes.h"
#include "simt/step.h"

// How patient the scheduler of splits is. None of these changes what a kernel without waiting loops does.
enum {
    // A split that executed this many strong operations lets its siblings run: a lock is held by one of them or will be
    // free after a few turns; small, as every turn in vain costs a trip to L2.
    SPLIT_YIELD_STRONG = 8,
    // … this many backward jumps: a plain loop rarely waits for a sibling, and each change of split costs a host cache miss.
    SPLIT_YIELD_JUMPS = 1024,
    // … this many strong operations while siblings wait for it at a convergence barrier: they are let go. Well above the
    // atomics that lanes of one warp execute in unequal number, so that these still converge as on a GPU.
    SPLIT_RELEASE_STRONG = 256
};

void warp_select(struct warp *warp, uint32_t slot); // the split runs: rows and predicates point to its frame
bool warp_switch(struct warp *warp);                // to the next ready split, in turn; false: none is ready

// A new ready split with these lanes, otherwise like the running one. Its lanes leave the running one, which keeps some.
struct split *split_fork(struct warp *warp, lanemask lanes);
// Lanes of `on` that name other members than its first lane run the current instruction again, apart from these. Returns
// the rest of `on`.
lanemask split_by_members(struct warp *warp, const uint32_t *members, lanemask on);
// The lanes of the running split that are not `on` go on behind the instruction that runs.
void split_keep(struct warp *warp, lanemask on);
void split_remove(struct warp *warp, uint32_t slot);
void split_set_state(struct warp *warp, uint32_t slot, enum split_state state);

// The running split waits. `again`: it executes the same instruction once more when it wakes.
void split_wait(struct warp *warp, enum split_state state, uint32_t waits_for, bool again);

// Fairness: called for each strong operation, and for each backward jump when there is more than one split.
void split_count_strong(struct warp *warp);
void split_count_jump(struct warp *warp);

// Convergence barriers.
void converge_join(struct warp *warp, uint32_t number, lanemask lanes); // the lanes will come to BSYNC `number`
enum step_kind converge_arrive(struct warp *warp, uint32_t number);     // the running split has come
void converge_remove(struct warp *warp, uint32_t number, lanemask lanes); // the lanes will not come
// The running split leaves a loop: nobody waits for it at the `n` barriers of the loop, numbered from `first` on.
void converge_break(struct warp *warp, uint32_t first, uint32_t n);
void converge_leave(struct warp *warp, lanemask lanes); // the lanes leave the running function: nobody there waits for them

// Lanes have left the warp: whoever waited for them only, waits no longer.
void warp_lanes_left(struct warp *warp);

// For .sync operations: true when all live lanes of `members` are in the running split (merged from those that had come
// before); else the split waits and the instruction is executed again.
bool warp_sync_arrive(struct warp *warp, lanemask members);

// Queued operations of the warp must take effect before this instruction: if there are any, the split waits.
static inline bool warp_must_drain(struct warp *warp)
{
    if (__builtin_expect(warp->pending_exchanges == 0, 1))
        return false;
    split_wait(warp, SPLIT_FENCE, 0, true);
    return true;
}

// Guest faults: of the running split; of a queued operation that takes effect.
enum step_kind fault_raise(struct sim *sim, const struct warp *warp, enum fault_kind kind, uint32_t lane);
void fault_call(struct sim *sim, const struct exchange *exchange, enum fault_kind kind, uint32_t lane);
#endif
