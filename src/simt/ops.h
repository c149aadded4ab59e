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

// op_prepare.c
DECLARE_OP(op_bulk_uniform);
DECLARE_OP(op_either);
DECLARE_OP(op_float_to_integer);
DECLARE_OP(op_prepared);
DECLARE_OP(op_prepared_uniform);

// op_uniform.c
DECLARE_OP(op_row_to_uniform);
DECLARE_OP(op_sreg_uniform);
DECLARE_OP(op_preds_to_row);
DECLARE_OP(op_row_to_preds);
DECLARE_OP(op_vote_active);
DECLARE_OP(op_match_active);
DECLARE_OP(op_redux_active);
DECLARE_OP(op_elect_active);
// op_machine.c
DECLARE_OP(op_jump_address);
DECLARE_OP(op_jump_offset);
DECLARE_OP(op_jump_if);
DECLARE_OP(op_jump_any);
DECLARE_OP(op_jump_diverged);
DECLARE_OP(op_conv_open);
DECLARE_OP(op_conv_sync);
DECLARE_OP(op_conv_break);
DECLARE_OP(op_conv_get);
DECLARE_OP(op_conv_put);

// op_native.c
DECLARE_OP(op_native);                                                // printf, assert, malloc, free: queued
bool native_apply(struct sim *sim, const struct exchange *exchange); // … and done; false on a guest fault

// op_policy.c
DECLARE_OP(op_createpolicy);

// op_mbarrier.c
DECLARE_OP(op_mbarrier);
DECLARE_OP(op_mbarrier_test);
DECLARE_OP(op_mbarrier_pending);
DECLARE_OP(op_mbarrier_exchange);
// A queued one takes effect on the object at `at`, in the shared memory of `block`.
void mbarrier_apply(const struct insn *insn, struct block *block, uint8_t *at, uint64_t operand);
void mbarrier_complete(struct block *block, uint8_t *at, uint32_t n_bytes); // bytes have come

// op_async.c
DECLARE_OP(op_async_copy);
DECLARE_OP(op_async_arrive);

// op_bulk.c
DECLARE_OP(op_bulk);
DECLARE_OP(op_async_store);
DECLARE_OP(op_bulk_wait);
DECLARE_OP(op_tensor_map_replace);
DECLARE_OP(op_tensor_map_copy);

// op_cluster.c
DECLARE_OP(op_cluster_arrive);
DECLARE_OP(op_cluster_wait);
DECLARE_OP(op_mapa);
DECLARE_OP(op_getctarank);
uint64_t cluster_sreg(const struct launch *launch, const struct block *block, enum sreg sreg);
struct block *cluster_peer(const struct block *block, uint64_t address); // whose shared memory that is; NULL: nobody's
// Shared memory of another block, or NULL and a fault in sim.
uint8_t *cluster_host(struct sim *sim, const struct exchange *exchange, uint32_t lane);

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
// .shared::cluster addresses likewise: the block's own lanes first (SPACE_SHARED), then those of other blocks.
lanemask access_choose_space(struct sim *sim, struct warp *warp, lanemask on);
bool access_is_in_cluster(const struct access *access); // shared memory of any block, as far as addresses say

// op_texture.c
DECLARE_OP(op_tex);
DECLARE_OP(op_txq);
DECLARE_OP(op_surface);

// op_matrix.c
DECLARE_OP(op_ldmatrix);
DECLARE_OP(op_stmatrix);
DECLARE_OP(op_movmatrix);
DECLARE_OP(op_mma);
DECLARE_OP(op_wgmma);
// Addresses of one access of wmma.load, wmma.store, in sim->access.
void wmma_address_lanes(struct sim *sim, const struct warp *warp, const struct insn *insn);
enum step_kind op_wmma_lines(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on);

// op_atom.c
DECLARE_OP(op_atomic);
DECLARE_OP(op_atomic_count); // ATOMS.POPC.INC
DECLARE_OP(op_atomic_try);   // ATOMS.CAST.SPIN
DECLARE_OP(op_strong_load);  // global volatile, relaxed, acquire: queued
DECLARE_OP(op_strong_store);
// Hands the operation in sim->access and the operands in sim->exchange to the caller as a queued one.
enum step_kind exchange_issue(struct sim *sim, struct warp *warp, const struct insn *insn, bool waits);

// One handler per form; which exist depends on the machine (choose.c).
extern const handler handlers_base[], handlers_v3[], handlers_v4[];
#endif
