// Global, local and constant memory: lines and sectors of one access, and the counts ncu derives from them.
// Pure functions.
//
// The rules
//     sectors   different 32-byte sectors that the active lanes touch
//     ideal     the bytes asked for in whole sectors, ceil(lanes * width / 32), never more than `sectors`
//     tags      different 128-byte lines
//     atomics   L1 and L2 serialise lanes on one word: per sector the largest number of lanes on one word,
//               summed over the sectors
//     local     the same 4-byte word of 32 lanes makes one line: sectors are pairs of (word, lane / 8)
//     constant  one request per different 4-byte word
// Sources: Nsight Compute profiling guide; measured on an H200 (tests/data/rules.csv, every row is replayed
// by tests/model/rules.c). Open: atomics of a warp that touch more than 16 sectors now and then count one
// more (random bytes in a histogram: 1.7 % more; tests/model/atomics.c).
//
//     struct line_set lines;
//     struct global_cost c = coalesce(&access, &lines);
#ifndef MEM_COALESCE_H
#define MEM_COALESCE_H
#include "mem/access.h"

struct global_cost {
    uint32_t sectors;        // l1tex__t_sectors of loads and stores; memory_l2_theoretical_sectors of all
    uint32_t ideal;          // memory_l2_theoretical_sectors_global_ideal
    uint32_t tags;           // memory_l1_tag_requests_global
    uint32_t bytes;          // asked for by the lanes: lanes * width
    uint32_t atomic_sectors; // l1tex/lts sectors of ATOM, RED and CAS; of other kinds = sectors
};

// access->space is SPACE_GLOBAL (local memory: the next function). `lines` is filled in ascending address
// order; `full` is set for stores only.
struct global_cost coalesce(const struct access *access, struct line_set *lines);

// Local memory. The per-thread offset of lane t lies at base + (offset / 4) * 128 + t * 4 + offset % 4, where
// `base` (multiple of 128) is where the warp's local memory begins; an 8- or 16-byte access touches 2 or 4
// such rows.
struct global_cost coalesce_local(const struct access *access, uint64_t base, struct line_set *lines);

// Constant memory: idc__requests of one LDC, 0 without an active lane. Open: accesses wider than 4 bytes
// count by different addresses.
uint32_t constant_requests(const struct access *access);
#endif
