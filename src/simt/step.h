// One instruction of one warp. Calls go down, values come up: the step says what happened and the caller
// (cycle/) counts it, sends the access through the hierarchy and decides who runs next.
//
//     enum step_kind kind = warp_step(&ctx, warp, &step);
#ifndef SIMT_STEP_H
#define SIMT_STEP_H
#include "base/arena.h"
#include "mem/texture_path.h"
#include "simt/warp.h"

enum step_kind {
    STEP_PLAIN,    // done; nothing but registers changed
    STEP_ACCESS,   // done; `access` describes the memory access (bytes are already moved)
    STEP_COPY,     // cp.async: `access` was read and `target`, of the block's shared memory, written
    STEP_TRANSFER, // a bulk copy: sim.transfers says which global memory it touches; warps of the block may be ready;
                   // `exchange`, unless NULL, is to be queued
    STEP_TEXTURE,  // done; sim.texture_traffic says what the texture path is to look up
    STEP_EXCHANGE, // `access` is a strong operation (atomic, reduction, volatile …): the caller queues it and
                   // later calls exchange_apply; the split waits if `waits`
    STEP_FENCE, // waits until the warp's queued operations have taken effect (step.executed: a fence itself;
                // else the instruction comes again afterwards)
    STEP_BARRIER, // arrived at a block barrier; the split waits, unless it was the last: then the barrier is
                  // open
    STEP_SLEEP,  // nanosleep: the split waits until warp_wake finds its time come
    STEP_SWITCH, // the split waits or has ended: nothing was executed unless step.executed, another split may
                 // be ready
    STEP_DONE,   // the last lanes of the warp have exited (block->n_warps_done counts it already)
    STEP_FAULT   // `fault` is filled; the launch ends
};

// What a queued strong operation needs when it takes effect. One per warp instruction.
struct exchange {
    struct warp *warp;
    const struct insn *insn;
    struct access access;
    uint32_t split; // index of the waiting split; meaningless unless `waits`
    bool waits;     // the warp's split waits for the result
    bool is_mbarrier; // of another block
    bool is_bulk;   // a struct bulk (simt/bulk.h) lies in `operand`
    bool is_call;   // of a function that the engine provides (op_native.c): of `access` only the mask counts
    // Atomics: first and second source (compare and swap: compare, new value). Strong stores: the 16 bytes of
    // the lane.
    uint64_t operand[N_LANES], operand2[N_LANES];
    uint32_t frame; // where the result goes
};

// Consecutive bytes of global memory that a bulk copy reads, writes or reduces into.
struct transfer {
    uint64_t address, n_bytes;
    enum access_kind kind;
};

struct step {
    const struct insn *insn;
    uint32_t pc;
    lanemask active;           // lanes of the split
    lanemask on;               // of those, guard true
    bool executed;             // counts as an executed warp instruction (false for BSYNC bookkeeping of PTX)
    struct access *access;     // points into the step context; valid until the next step
    struct access *target;     // STEP_COPY: likewise
    struct exchange *exchange; // STEP_EXCHANGE: likewise
    struct fault *fault;
};

// Everything a handler may touch besides the warp; one per SM, so SMs can run on any number of host threads.
struct sim {
    const struct launch *launch;
    struct memory_cursor cursor;
    struct access access, target; // target: STEP_COPY only
    struct transfer *transfers;   // STEP_TRANSFER: of the last step; grows, freed by the sim's owner
    uint32_t n_transfers, max_transfers;
    struct texture_traffic texture_traffic; // STEP_TEXTURE
    bool has_queued; // STEP_TRANSFER: exchange is to be queued
    struct exchange exchange;
    struct fault fault;
    uint64_t now_cycles; // what %clock reads; advanced by the caller
    uint32_t sm;
};

typedef enum step_kind (*handler)(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on);
const handler *handlers_choose(void); // the table for this host CPU (baseline, x86-64-v3, x86-64-v4)

// One instruction of a warp that can run (warp_can_run); with none ready it returns STEP_SWITCH.
// Who wakes whom: block barriers open and convergence barriers merge inside warp_step; queued operations and
// fences wake by exchange_apply. So the caller looks at warp_can_run only.
enum step_kind warp_step(struct sim *sim, const handler *handlers, struct warp *warp, struct step *out);

// A queued operation takes effect: memory is read and written, the result goes to the waiting lanes' rows,
// the split becomes ready. Returns false and fills sim->fault on a guest fault. Each exchange of
// STEP_EXCHANGE must be applied once.
bool exchange_apply(struct sim *sim, struct exchange *exchange);

// Splits whose time has come can run. Returns when the next one wakes, UINT64_MAX if none sleeps.
uint64_t warp_wake(struct warp *warp, uint64_t now_cycles);

// Warps suspended by mbarrier.try_wait give up and get false: for when nothing else can run. True if there were any.
bool block_time_out(struct block *block);

// Releases the splits at the barrier if all threads it waits for have arrived (returns true if it opened).
// warp_step calls it on each arrival and exit; the caller need not.
bool block_barrier_open(struct block *block, uint32_t barrier);
// Clusters. Blocks that were started meet: blocks[rank] for each rank. A block alone needs no call.
void cluster_form(struct block *const *blocks, uint32_t n, uint64_t number);
// The barrier of the cluster of `block` opens if every live thread of its blocks has arrived (true then, and their
// warps may be ready). For between epochs: blocks of a cluster run on several SMs.
bool cluster_barrier_open(struct block *block);
// Called when nothing in the block can run: FAULT_DIVERGENT_BARRIER or FAULT_DEADLOCK with words, or no
// fault.
bool block_explain_stall(const struct launch *launch, const struct block *block, struct fault *out);

// Memory for a block of this launch (registers, predicates, shared, local) and its start state.
void block_start(const struct launch *launch, struct block *block, uint32_t linear_index, uint32_t sm,
                 uint32_t slot);
void block_allocate(const struct launch *launch,
                    struct block *block); // once per resident slot; freed by block_release
// The same in memory that belongs to the caller: block_memory_bytes(launch) bytes, aligned to a row, contents
// of no matter. block_release gives back only what the block got for itself since.
size_t block_memory_bytes(const struct launch *launch);
void block_place(const struct launch *launch, struct block *block, void *memory);
void block_release(struct block *block);
void launch_fill_rows(struct launch *launch, struct arena *arena); // ROW_LAUNCH from params and constants
struct constant_bank launch_bank(const struct launch *launch, uint32_t bank); // after launch_fill_rows
#endif
