// Global and local memory: lines and sectors of one access, and the counts ncu derives from them. Pure functions.
//
// Sources of the rules: Nsight Compute profiling guide; measured on an H200 (test/data/rules.csv).
//
//     struct line_set lines;
//     struct global_cost c = coalesce(&access, &lines);
#ifndef MEM_COALESCE_H
#define MEM_COALESCE_H
#include "mem/access.h"

struct global_cost {
    uint32_t sectors;       // distinct 32-byte sectors touched (l1tex__t_sectors of loads and stores)
    uint32_t ideal;         // memory_l2_theoretical_sectors_global_ideal: fewest sectors for that many lanes of that width
    uint32_t tags;          // memory_l1_tag_requests_global
    uint32_t bytes;         // bytes asked for by the lanes: n_lanes * width
    uint32_t atomic_sectors; // atomics and reductions: the l1tex/lts sector count of ncu; else = sectors
};

// access->space is SPACE_GLOBAL, or SPACE_LOCAL after local_interleave. `lines` is filled in ascending address order.
struct global_cost coalesce(const struct access *access, struct line_set *lines);

// Local memory: the same 4-byte word of 32 lanes lies in one 128-byte line. Rewrites the per-thread offsets of `access`
// to interleaved addresses: base + (offset / 4) * 128 + lane * 4 + offset % 4. `base`: where the warp's local memory
// begins in the local address space (multiple of 128). An 8- or 16-byte access touches 2 or 4 such rows:
// coalesce_local counts them.
struct global_cost coalesce_local(const struct access *access, uint64_t base, struct line_set *lines);

// Constant memory: idc__requests of one LDC = number of distinct 4-byte words asked for (at least 1).
uint32_t constant_requests(const struct access *access);
#endif
