// What ncu counts of an asynchronous copy from global to shared memory (cp.async, LDGSTS). Each active lane writes `width`
// bytes; lanes may read fewer or none (enum copy_form) and write zeros instead.
//
// Wavefronts of a copy through L1 (.ca): of the lanes that are served together (128 bytes), one lane and all that meet it at
// its bank of shared memory or at the bank from which L1 reads its source; the largest such number. Nothing is shared, not even
// one word.
//
// A copy around L1 (.cg, 16 bytes a lane, "chunks"): what moves together in one wavefront comes from one line of 128 bytes and
// goes to one row of shared memory, keeps its place in the sector or changes it alike (bit 4 of source and place), keeps the
// sector's parity or changes it alike (bit 5), fills the same halves of its sectors, and takes nothing from one sector twice.
// Of lanes that write one chunk the first one counts alone. Sectors are counted once for each sector of shared memory that they go to.
// With .ZFILL it costs the wavefronts of both ways; where a predicate says who reads, those of all lanes that meet at their places.
//
// Source: these rules give every count of 16 patterns of places by 16 of sources, whole and partial warps, 3,072 launches on an
// H200 (tests/hardware/ldgsts_places.cu; ldgsts_fill.cu). A guard in P0 spoils the profiler's counts of .cg: see doc/counts.md.
#ifndef MEM_COPY_COST_H
#define MEM_COPY_COST_H
#include "mem/banks.h"

struct copy_cost {
    struct shared_cost shared;
    uint32_t sectors, ideal_sectors; // as memory_l2_theoretical_sectors_global(_ideal)
};
// `from`: the lanes that read, with an address for every lane of `to`; `to`: the lanes that write, offsets in shared memory.
// `sectors`, `ideal_sectors`: of `from` as a load.
struct copy_cost copy_cost(const struct access *from, const struct access *to, uint32_t sectors, uint32_t ideal_sectors);
#endif
