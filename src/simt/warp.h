// A warp and what surrounds it while it runs: splits, frames, block, SM. Plain data; step.h moves it.
//
// Divergence. A warp is a set of *splits*: lanes at one pc. One split runs at a time; the others wait. Lanes
// come together again only at convergence barriers (BSYNC), never by accident of equal pc. Splits are
// scheduled fairly: a split that spins (executes strong memory operations or jumps backwards many times)
// yields to its siblings, and lanes that wait at a convergence barrier are let go when those they wait for
// keep spinning, so lanes spinning on a lock held by a sibling lane make progress, as on sm_70 and later.
//
// Handlers read and write through `rows[]`; see isa/isa.h for what a row is.
#ifndef SIMT_WARP_H
#define SIMT_WARP_H
#include "isa/kernel.h"
#include "mem/access.h"
#include "mem/memory.h"
#include <stdbool.h>
#include <stdint.h>

// No GPU has clusters of more blocks (cluster.max of the device files).
enum { MAX_SPLITS = 32, N_BLOCK_BARRIERS = 16, MAX_CLUSTER_BLOCKS = 32 };

enum split_state {
    SPLIT_READY,
    SPLIT_REPLAY, // ready, but only lanes `replay` of it still have to execute the instruction (generic
                  // addresses of several spaces)
    SPLIT_CONVERGING,    // waits at BSYNC for the lanes of convergence barrier `waits_for`
    SPLIT_WARP_SYNC,     // waits at bar.warp.sync, shfl.sync … for the lanes `waits_for`
    SPLIT_BLOCK_BARRIER, // waits at bar.sync number `waits_for`
    SPLIT_CLUSTER_BARRIER, // waits at barrier.cluster.wait
    SPLIT_EXCHANGE,      // waits for the result of a queued memory operation
    SPLIT_MBARRIER, // mbarrier.try_wait: waits until a phase of a barrier in the block's shared memory ends
    SPLIT_FENCE, // waits until all queued operations of the warp have taken effect
    SPLIT_ASLEEP // nanosleep: waits for the time `wakes`
};

struct split {
    lanemask mask;  // lanes; disjoint between splits, 0 = the slot is free
    uint32_t pc;    // index into kernel.insns; of the next instruction, or of the one that waits
    uint32_t frame; // row number of the frame's first row
    uint8_t state;  // enum split_state
    uint32_t waits_for;
    bool has_timed_out; // SPLIT_MBARRIER: nothing else could run
    lanemask replay; // lanes that still have to execute the instruction at pc; the others have. 0: all
    uint32_t spin;  // strong operations since it was made or merged, while it had siblings
    uint32_t jumps; // backward jumps, likewise
    uint64_t wakes; // SPLIT_ASLEEP: the cycle of its SM from which on it can run
};

// A convergence barrier in use: lanes that will come together at the BSYNC of that number in that frame.
struct convergence {
    uint32_t number, frame;
    lanemask mask;
    uint32_t slot;    // machine code (simt/op_machine.c): the B register,
    lanemask viewers; // and the lanes that see this barrier in it
};

enum fault_kind {
    FAULT_NONE,
    FAULT_OUT_OF_BOUNDS,
    FAULT_MISALIGNED,
    FAULT_FREED,
    FAULT_SHARED_BOUNDS,
    FAULT_LOCAL_BOUNDS,
    FAULT_CONST_BOUNDS,
    FAULT_DIVERGENT_BARRIER,
    FAULT_TRAP,
    FAULT_STACK,
    FAULT_ILLEGAL_CALL,
    FAULT_DEADLOCK,
    FAULT_ASSERT,
    FAULT_BAD_MAP,  // tensor copy by something that is not a tensor map of its rank
    FAULT_NO_BLOCK, // shared memory of a block of the cluster that has ended
    FAULT_TIMEOUT,  // took longer than run_options allow
    FAULT_BAD_FREE, // free() of an address that malloc() did not give, or has been freed
    N_FAULTS
};

struct fault { // a guest fault is a value, printed by the caller in compute-sanitizer's form
    enum fault_kind kind;
    enum space space;
    enum access_kind access;
    uint32_t size_bytes;
    uint64_t address;
    uint32_t insn; // in the kernel
    uint32_t lane;
    uint32_t thread[3], block[3];
    char note[1024]; // what a barrier or deadlock waits for, several lines; "" otherwise
};

struct block;
struct race_watch;
struct texture;

struct warp {
    uint32_t
        *rows[N_ROW_SPACES]; // [ROW_REG]: current frame of the running split; the pools are shared, read only
    uint32_t *preds;         // predicate words of the current frame; preds[0] is ~0 in the lanes of the split
    const struct kernel *kernel;
    struct block *block;

    struct split splits[MAX_SPLITS]; // slots stay where they are while they wait
    uint32_t used, ready;            // bit s: slot s holds a split; it can run (SPLIT_READY, SPLIT_REPLAY)
    uint32_t current;                // slot that runs
    lanemask live;                   // lanes not exited
    lanemask carry;                  // CC.CF of each lane
    lanemask cluster_arrived;        // lanes that have arrived at the cluster's barrier in its present phase
    uint32_t warp_in_block;
    uint32_t n_orders; // events that order memory accesses among the warp's lanes: __syncwarp, .sync operations
    uint32_t pending_exchanges;         // queued operations that have not yet taken effect
    uint64_t pending_low, pending_high; // lowest and highest byte they touch; meaningless when there are none
    bool is_done;

    struct convergence *convergences;
    uint32_t n_convergences, max_convergences;
    uint32_t next_convergence; // machine code: the number of the next barrier made

    uint32_t *stack;      // frames, 32 words a row; rows[ROW_REG] points into it
    uint32_t *pred_stack; // one predicate word a row: word r of it belongs to the frame that holds row r
    uint32_t stack_rows;  // capacity of both; grown by calls
    bool has_own_stack;   // grown: on the heap, no longer in the block's memory
    uint8_t *local;       // local memory of 32 lanes, word-interleaved: (offset / 4) * 128 + lane * 4
    uint32_t local_bytes; // per lane, a multiple of 4
    uint64_t local_base;  // where it lies in the local address space (for the cache model)
};

// The warp has a split that can execute something: the caller's only question before warp_step.
static inline bool warp_can_run(const struct warp *warp)
{
    return warp->ready != 0;
}

struct block {
    uint32_t index[3], linear; // in the grid
    uint32_t cluster_rank;     // in its cluster; 0 without one
    uint32_t shared_rank;      // the same as it stands in shared addresses: 0 in kernels that know of no clusters
    uint32_t n_peers;          // blocks of the cluster, 1 without one
    uint64_t cluster_number;   // of the grid, so that a block that took an ended one's place is not mistaken for it
    struct block *peers[MAX_CLUSTER_BLOCKS]; // by rank, itself among them
    uint8_t *shared;           // static + dynamic
    uint32_t shared_bytes;
    struct warp *warps;
    uint32_t n_warps, n_warps_done;
    uint32_t n_live;                     // threads not exited
    uint32_t arrived[N_BLOCK_BARRIERS];  // threads that have arrived at each named barrier
    uint32_t expected[N_BLOCK_BARRIERS]; // threads a barrier with a count waits for; 0 = all live ones
    uint32_t reduced[N_BLOCK_BARRIERS];  // bar.red: threads that brought a true predicate
    uint32_t n_orders; // events that order memory accesses among its threads: barriers that opened, fences,
                       // mbarriers, acquire and release
    struct race_watch *watch; // of whoever looks for races (cycle/races.h); NULL: nobody does
    uint32_t sm, slot;
    bool is_running;
    void *owned; // the block's memory if block_allocate got it, NULL if it was given to block_place
};

// The launch as every warp sees it. Frozen while it runs.
struct launch {
    const struct kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint32_t cluster;          // blocks of a cluster; 0: none
    uint32_t cluster_shape[3]; // if there are clusters; see launch_set_cluster
    bool has_carveout;         // the program asked for a share of L1's memory:
    uint32_t carveout_percent; // cudaFuncAttributePreferredSharedMemoryCarveout
    const uint8_t *params;    // parameter block, kernel->param_bytes
    const uint8_t *constants; // bank 3 of the module
    uint32_t constant_bytes;
    uint64_t constant_address; // guest address of the same, for machine code that takes the address of a constant
    uint32_t (*launch_rows)[ROW_LANES]; // kernel->launch_rows, filled by launch_fill_rows
    const uint8_t *bank0;               // of machine code: driver words and parameters, made by launch_fill_rows
    struct memory *memory;
    const struct texture *textures; // what texture and surface objects stand for, by number - 1 (simt/texture.h)
    uint32_t n_textures;
    uint32_t n_sms;
    uint64_t launch_id;

    // Belong to the context; changed between epochs only.
    struct console *console; // printf and assert (simt/console.h); NULL: their text is lost
    struct heap *heap;       // malloc and free (mem/heap.h); NULL: malloc returns NULL

    // Cooperative launch: guest address of GRID_WORKSPACE_BYTES zero bytes, which %envreg1 and %envreg2 tell
    // cooperative_groups; all blocks must be resident at once. 0: an ordinary launch.
    uint64_t grid_workspace;
    uint32_t stack_bytes;  // local memory of a thread for recursion (cudaLimitStackSize); 0: DEFAULT_STACK_BYTES
    uint32_t sm_clock_mhz; // what relates %clock, %globaltimer and nanosleep; 0: a cycle is a nanosecond
    uint64_t begin_ns;     // modelled time at which the launch begins: where %globaltimer and %clock64 start
};

// What cooperative_groups finds through the environment registers: 32 bits of size, then the 32-bit barrier
// (cooperative_groups/details/driver_abi.h of CUDA 13). Aligned to 8.
enum { GRID_WORKSPACE_BYTES = 8 };
// cudaLimitStackSize when the program does not set it (CUDA C++ programming guide).
enum { DEFAULT_STACK_BYTES = 1024 };

// Shared memory that the system keeps for itself in each block (compute capability 8.0 and later), of which
// cooperative_groups uses 288 bytes (cooperative_groups/details/memory.h). Here it lies behind the block's own
// and exists for kernels that ask where it is.
enum { RESERVED_SHARED_BYTES = 1024 };
static inline uint32_t reserved_shared_offset(const struct launch *launch)
{
    return (launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes + 127) / 128 * 128;
}

// Local memory of a thread.
static inline uint32_t launch_local_bytes(const struct launch *launch)
{
    const uint32_t stack_bytes = launch->stack_bytes ? launch->stack_bytes : DEFAULT_STACK_BYTES;
    return (launch->kernel->local_bytes +
            (launch->kernel->has_recursion || launch->kernel->has_alloca ? stack_bytes : 0) + 3) / 4 * 4;
}

static inline uint64_t cycles_to_ns(const struct launch *launch, uint64_t cycles)
{
    return launch->sm_clock_mhz ? cycles * 1000 / launch->sm_clock_mhz : cycles;
}

static inline uint64_t ns_to_cycles(const struct launch *launch, uint64_t ns)
{
    return launch->sm_clock_mhz ? ns * launch->sm_clock_mhz / 1000 : ns;
}

uint32_t threads_per_block(const struct launch *launch);
void launch_set_cluster(struct launch *launch, const uint32_t shape[3]); // shape[0] = 0: no clusters
// Block `rank` of cluster `number` of the grid, both counted x first: its linear index.
uint32_t cluster_block(const struct launch *launch, uint32_t number, uint32_t rank);
void thread_of_lane(const struct warp *warp, const struct launch *launch, uint32_t lane, uint32_t out[3]);
#endif
