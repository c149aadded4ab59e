// One SM while a launch runs: its resident blocks, which warps can run, its clock, its queue of strong
// operations. Touched by one host thread at a time: by the one that runs it within an epoch, by the main one
// between epochs.
//
// Time. The SM's clock counts ticks: issue slots, of which a cycle has as many as the SM has schedulers.
// Every warp instruction takes one slot, or more when there are fewer resident warps than schedulers, for a
// warp issues at most once a cycle. A global or local load takes the device's latency of L1 or L2, a constant that
// misses its cache that of the next level: the warp stalls where it waits for the load's scoreboard (machine code says
// where in its control words; PTX does not: there the next instruction waits). Other latencies are not modelled, nor
// that of device memory: this clock orders accesses and is coarse.
//
// Order. Warps take turns in a circle. A warp runs until it has made a global or local access, waits, or has
// executed QUANTUM_STEPS instructions.
#ifndef CYCLE_SM_H
#define CYCLE_SM_H
#include "cycle/races.h"
#include "cycle/tally.h"
#include "device/device.h"
#include "device/occupancy.h"
#include "mem/memsys.h"
#include "simt/step.h"

enum { QUANTUM_STEPS = 64, MAX_WARPS_PER_SM = 128, QUEUED_EXCHANGES = 256, N_SCOREBOARDS = 6 };

struct queued_exchange {
    uint64_t time_ticks;
    struct exchange exchange;
};

struct ended_block {
    uint64_t time_ticks;
    uint32_t sm, slot;
};

// When the results of a warp's loads are there.
struct scoreboards {
    uint64_t ready_ticks[N_SCOREBOARDS], latest_ticks;
};

struct sm {
    struct sim sim;
    struct memsys *memsys; // NULL: MODEL_OFF
    struct races *races;   // of the engine
    const handler *handlers;
    struct tally *tally; // of the host thread that runs it
    uint64_t now_ticks, until_ticks;
    uint32_t cycle_shift; // a cycle is 1 << cycle_shift ticks
    uint32_t step_ticks;
    uint32_t next_warp; // whose turn it is
    uint64_t
        ready[MAX_WARPS_PER_SM / 64];     // bit w: warp w can run; w = slot * warps_per_block + warp in block
    uint64_t asleep[MAX_WARPS_PER_SM / 64]; // likewise: a split of warp w may be asleep
    uint64_t wakes_ticks;                   // when the first of them wakes; UINT64_MAX: none is asleep
    uint64_t stalled[MAX_WARPS_PER_SM / 64]; // likewise: warp w waits for a scoreboard, until stall_ends_ticks[w]
    uint64_t stall_ends_ticks[MAX_WARPS_PER_SM], next_stall_end_ticks; // the first of them; UINT64_MAX: none
    struct scoreboards scoreboards[MAX_WARPS_PER_SM];
    uint64_t l1_ticks, l2_ticks; // latencies of a hit in L1 and of a miss
    uint64_t l2_spread_ticks;    // a miss takes up to so much more or less, by its line and SM
    uint64_t warp_start_ticks, next_start_ticks; // warps start one after the other: when the next one may
    struct warp *warps[MAX_WARPS_PER_SM]; // by the same number
    struct block *blocks;                 // n_slots, of which n_allocated have memory
    uint8_t *memory;                      // of the blocks, block_bytes each
    size_t block_bytes;
    uint32_t n_slots, n_allocated, n_running, warps_per_block;
    struct queued_exchange *exchanges; // made when first used, kept from launch to launch
    uint32_t n_exchanges, n_applied;
    struct ended_block *ended; // blocks that ended in this epoch
    uint32_t n_ended;
    uint64_t n_instructions;
    bool has_fault; // sim.fault
};

// Prepares an SM, zeroed or used before, for a launch; what lies in the arena is void when the launch ends.
void sm_init(struct sm *sm, struct arena *arena, const struct launch *launch, const struct device *device,
             struct memsys *memsys, struct races *races, const struct occupancy *occupancy, uint32_t index, uint8_t *memory);
void sm_end(struct sm *sm);     // of the launch
void sm_release(struct sm *sm); // of the SM

void sm_start_block(struct sm *sm, uint32_t slot, uint32_t linear_index);
void sm_run(struct sm *sm);        // until its time is up or no warp can run
bool sm_apply_next(struct sm *sm); // its next queued operation; false on a guest fault
void sm_settle(struct sm *sm);     // after the drain: the queue is empty
void sm_update_ready(struct sm *sm); // after somebody else made warps of it ready
bool sm_can_run(const struct sm *sm);           // now or when somebody wakes
uint64_t sm_next_ticks(const struct sm *sm);    // when it will execute something; it can run
#endif
