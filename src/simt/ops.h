// Functions of ptx.def rows that run seldom, and the handler tables. The frequent ones are in handlers.c and op_load.h.
#ifndef SIMT_OPS_H
#define SIMT_OPS_H
#include "simt/splits.h"
#include "simt/step.h"

#define DECLARE_OP(name)                                                                                                \
    enum step_kind name(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)

// op_ctrl.c
DECLARE_OP(op_branch_diverge);
DECLARE_OP(op_branch_indexed);
DECLARE_OP(op_break);
DECLARE_OP(op_call);
DECLARE_OP(op_call_indirect);
DECLARE_OP(op_return);
DECLARE_OP(op_exit);
DECLARE_OP(op_trap);
DECLARE_OP(op_nanosleep);
DECLARE_OP(op_nothing);
DECLARE_OP(op_fence);
DECLARE_OP(op_sreg);
DECLARE_OP(op_isspacep);
DECLARE_OP(op_pack16);
DECLARE_OP(op_extract);

// op_native.c
DECLARE_OP(op_native);                                                // printf, assert, malloc, free: queued
bool native_apply(struct sim *sim, const struct exchange *exchange); // … and done; false on a guest fault

// op_policy.c
DECLARE_OP(op_createpolicy);

// op_mbarrier.c
DECLARE_OP(op_mbarrier);
DECLARE_OP(op_mbarrier_test);
DECLARE_OP(op_mbarrier_pending);

// op_async.c
DECLARE_OP(op_async_copy);
DECLARE_OP(op_async_arrive);

// op_bar.c
DECLARE_OP(op_bar_sync);
DECLARE_OP(op_bar_arrive);
DECLARE_OP(op_bar_red);
DECLARE_OP(op_bar_warp_sync);

// op_warp.c
DECLARE_OP(op_shuffle);
DECLARE_OP(op_vote);
DECLARE_OP(op_activemask);
DECLARE_OP(op_elect);
DECLARE_OP(op_match);
DECLARE_OP(op_redux);

// op_mem.c
DECLARE_OP(op_move_scattered);                                   // global accesses that lie in several allocations
enum step_kind fault_access(struct sim *sim, struct warp *warp); // STEP_FAULT if an address of sim->access is bad
enum step_kind fault_access_always(struct sim *sim, struct warp *warp, enum fault_kind kind);
// Generic addresses: the lanes of one space, to which sim->access is cut; the others are left for a replay.
lanemask access_choose_space(struct sim *sim, struct warp *warp, lanemask on);

// op_atom.c
DECLARE_OP(op_atomic);
DECLARE_OP(op_strong_load);  // global volatile, relaxed, acquire: queued
DECLARE_OP(op_strong_store);

// One handler per form; which exist depends on the machine (choose.c).
extern const handler handlers_base[], handlers_v3[], handlers_v4[];
#endif
