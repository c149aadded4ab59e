// The hierarchy behind one access: L1 of its SM, then (through a queue that is drained in order) L2 and device memory.
//
// SM-local state (L1, constant cache) is touched at once by the SM's own thread; what must go on to L2 is appended to the
// SM's queue and drained between epochs in (time, SM) order, so results do not depend on the number of host threads.
//
//     struct memsys *ms = memsys_new(&device, l1_bytes);
//     memsys_access(ms, sm, &access, now, &outcome);       // within an epoch
//     memsys_drain(ms, until, per_insn_counters...);       // between epochs, single thread
#ifndef MEM_MEMSYS_H
#define MEM_MEMSYS_H
#include "device/device.h"
#include "mem/access.h"

// What an access did at once, on the SM's side.
struct outcome {
    uint32_t sectors, ideal_sectors, tags, bytes, atomic_sectors; // global and local: coalesce.h
    uint32_t l1_hit_sectors, l1_miss_sectors;      // loads and stores (a store's hit: the sector was present)
    uint32_t l2_read_sectors, l2_write_sectors, l2_atomic_sectors; // sent on
    uint32_t wavefronts, ideal_wavefronts;         // shared: banks.h
    uint32_t constant_requests, constant_misses;
};

// What the drain found for one instruction: added up by the caller per instruction.
struct l2_counts {
    uint64_t read_requests, read_sectors, read_hits;     // sectors unless it says requests
    uint64_t write_requests, write_sectors, write_hits;
    uint64_t atomic_requests, atomic_sectors, atomic_hits;
    uint64_t fabric_sectors;                             // crossed to the other partition
    uint64_t dram_read_sectors, dram_write_sectors;
};

struct memsys;
struct memsys *memsys_new(const struct device *device, uint64_t l1_bytes_per_sm);
void memsys_delete(struct memsys *ms);
void memsys_flush(struct memsys *ms);       // every cache empty and clean: before each launch (--cache-control all)
void memsys_new_launch(struct memsys *ms);  // L1 and constant caches invalidated only (--cache-control none)

void memsys_access(struct memsys *ms, uint32_t sm, const struct access *access, uint64_t now_cycles, struct outcome *out);

// Everything queued with time < until, in (time, SM) order, ties rotating. counts[insn] is added to.
void memsys_drain(struct memsys *ms, uint64_t until_cycles, struct l2_counts *counts);

// Totals that belong to no instruction: dirty sectors written back by eviction so far.
uint64_t memsys_dram_write_sectors(const struct memsys *ms);
#endif
