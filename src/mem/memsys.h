// The hierarchy behind one access: L1 of its SM, then (through a queue that is drained in order) L2 and
// device memory.
//
// SM-local state (L1, constant cache) is touched at once by the SM's own thread; what must go on to L2 is
// appended to the SM's queue and drained between epochs in (time, SM) order, so results do not depend on the
// number of host threads.
//
// L1, the rules
//   Loads (default, .ca, .nc, .cs, .lu; local) look every sector up; a sector that is absent is read from L2
//   and stays. .cg, .cv and strong loads go to L2 and leave L1 as it is. A global store is written through.
//   Its sectors are no longer readable in L1 (a load after it misses), but the line's tag stays or is taken:
//   ncu's "hit" of a store is the presence of the tag. A local store is written through too; the sectors it
//   fills stay readable. Atomics and reductions go to L2; their sectors are no longer readable in L1. Size:
//   what the carve-out leaves of the pool. LRU. Empty at the start of every launch.
// Sources: measured on an H200 (reference rules.csv: ldg_twice, ldg_cg_then_ca, st_then_ld, ld_then_st_ld,
// ldl32).
//
//     struct memsys *ms = memsys_new(&device, l1_bytes);
//     memsys_access(ms, sm, &access, local_base, now, &outcome); // within an epoch, one thread per SM
//     memsys_drain(ms, until, counts);                           // between epochs, single thread
#ifndef MEM_MEMSYS_H
#define MEM_MEMSYS_H
#include "device/device.h"
#include "mem/access.h"
#include "mem/memory.h"
#include "mem/texture_path.h"

// What an access did at once, on the SM's side.
struct outcome {
    uint32_t sectors, ideal_sectors, tags, bytes,
        atomic_sectors;                       // global and local: coalesce.h; bytes of shared too
    uint32_t l1_hit_sectors, l1_miss_sectors; // loads and stores (a store's hit: the line's tag was present)
    uint32_t l2_read_sectors, l2_write_sectors, l2_atomic_sectors; // sent on
    uint32_t wavefronts, ideal_wavefronts;                         // shared: banks.h
    uint32_t constant_requests, constant_misses;
    uint64_t ready_ticks; // constants: when all of them are there; 0: they are
};

// What the drain found for one instruction: added up by the caller per instruction.
struct l2_counts {
    uint64_t read_requests, read_sectors, read_hits; // sectors unless it says requests
    uint64_t merged_sectors; // reads that another SM of the GPC was waiting for: they go no further (lrc.h)
    uint64_t write_requests, write_sectors, write_hits;
    uint64_t atomic_requests, atomic_sectors, atomic_hits;
    uint64_t fabric_sectors;                        // crossed to the other partition
    uint64_t host_read_sectors, host_read_misses; // of pinned host memory: part of read_sectors; not in L2
    uint64_t host_write_sectors, host_atomic_sectors;
    uint64_t dram_again_sectors;                    // read from lines that L2 had held and lost in this launch
    uint64_t dram_read_sectors, dram_write_sectors; // writes: see memsys_dram_write_sectors; here always 0
};

enum { MAX_SLICES = 512 };

struct memsys;
struct memsys *memsys_new(const struct device *device, uint64_t l1_bytes_per_sm);
void memsys_delete(struct memsys *ms);
void memsys_flush(struct memsys *ms); // L2 empty and clean: before each launch (--cache-control all)
// Every launch begins with empty L1s, of the size its carve-out leaves, and empty constant caches.
void memsys_new_launch(struct memsys *ms, uint64_t l1_bytes_per_sm);
// Where to ask whether an address lies in pinned host memory; NULL: nothing does. Good until the next one is set.
void memsys_set_memory(struct memsys *ms, const struct memory *memory);

// `local_base`: where the warp's local memory begins; 0 for other spaces. `now_ticks` must not fall from one
// access of an SM to its next; its unit is the caller's.
void memsys_access(struct memsys *ms, uint32_t sm, const struct access *access, uint64_t local_base,
                   uint64_t now_ticks, struct outcome *out);

// A bulk copy reads, writes or reduces into consecutive bytes: L1 is passed by, every line is one request to L2
// (measured: ac_bulk and tma2d of the reference programs, 4 sectors a request).
void memsys_transfer(struct memsys *ms, uint32_t sm, uint32_t insn, uint64_t address, uint64_t n_bytes,
                     enum access_kind kind, uint64_t now_ticks);

// A texture or surface instruction. Sectors are looked up in L1 as loads are; a surface store is written through, and the two
// halves of a sector that two stores write go to L2 as one (measured: surf_copy of the reference programs).
void memsys_texture(struct memsys *ms, uint32_t sm, uint32_t insn, const struct texture_traffic *traffic, uint64_t now_ticks,
                    struct outcome *out);

// May the SM make another access before the next drain? Its queue has a bound.
bool memsys_has_room(const struct memsys *ms, uint32_t sm);

// Everything queued with time < until, in (time, SM) order, ties rotating: SMs take turns within
// MEMSYS_SLOT_TICKS. counts[insn] is added to.
enum { MEMSYS_SLOT_TICKS = 32 };
void memsys_drain(struct memsys *ms, uint64_t until_ticks, struct l2_counts *counts);

// Totals that belong to no instruction: dirty sectors written back by eviction since memsys_new.
uint64_t memsys_dram_write_sectors(const struct memsys *ms);
// Sectors moved to and from device memory since memsys_new, and the least cycles that so many take.
uint64_t memsys_dram_sectors(const struct memsys *ms);
uint64_t memsys_dram_cycles(const struct memsys *ms, uint64_t sectors);

// Sectors between the partitions that belong to no access: when a kernel ends, every SM sends a memory barrier to each
// slice of L2 that it has used (measured: lts__t_sectors_srcunit_ltcfabric_op_membar of tests/hardware/l2_fabric.cu, 94 an
// SM on a card of 94 slices as soon as it has read 512 KiB).
uint64_t memsys_barrier_sectors(const struct memsys *ms); // since the launch began

// Order of the SMs for handing out blocks: cluster (GPC) by cluster. Owned by the memsys; n_sms entries.
const uint32_t *memsys_sm_order(const struct memsys *ms);
#endif
