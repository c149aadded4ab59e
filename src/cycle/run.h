// The run loop: blocks onto SMs, warps onto schedulers, accesses into the hierarchy, counters into the
// kernel's table. One loop for all modes; the only place where time advances.
//
// Epochs. Every SM runs alone for `epoch_cycles` of its own time; then memsys_drain and the queued strong
// operations take effect in (time, SM) order, blocks that ended are replaced, and the next epoch begins.
// Nothing depends on the number of host threads.
#ifndef CYCLE_RUN_H
#define CYCLE_RUN_H
#include "base/arena.h"
#include "device/device.h"
#include "device/occupancy.h"
#include "mem/memsys.h"
#include "prof/counters.h"
#include "prof/profile.h"
#include "simt/step.h"

struct run_progress;

enum model { MODEL_OFF, MODEL_COUNTERS };

struct run_options {
    enum model model;
    uint32_t n_threads;            // host threads; 0 or 1 = this one alone
    uint64_t epoch_cycles;         // 0 = the default
    bool keep_caches;              // --cache-control none
    double timeout_seconds;        // ends the launch with FAULT_TIMEOUT; 0: it may take for ever
    struct run_progress *progress; // may be NULL; written while the launch runs, read by whoever shows it
};

struct run_progress {
    _Atomic uint64_t blocks_done, n_blocks, warp_instructions;
};

struct run_result {
    uint64_t warp_instructions;
    uint64_t thread_instructions;
    uint64_t cycles; // coarse in MODEL_COUNTERS
    uint64_t dram_write_sectors;
    uint64_t barrier_sectors; // memsys_barrier_sectors
    double wall_seconds;
    struct occupancy occupancy;
    struct profile_race races[MAX_PROFILE_RACES]; // of the first blocks (cycle/races.h)
    struct fault fault; // FAULT_NONE when the launch ended well
};

// What stays between launches of one device: the caches.
struct engine;
struct engine *engine_new(const struct device *device);
void engine_delete(struct engine *engine);

// Runs the launch to its end. counters: kernel->n_insns entries, added to. False only for a user's mistake
// (err filled): the launch does not fit the device. A guest fault is in result->fault.
bool engine_run(struct engine *engine, struct launch *launch, const struct run_options *options,
                struct counters *counters, struct run_result *result, struct err *err);
#endif
