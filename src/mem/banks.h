// Shared memory: wavefronts of one access. Pure functions of offsets, width and mask.
//
// The rule. Byte address a lies in bank a / 4 mod 32. The lanes are served in groups that together ask for
// 128 bytes: 32 lanes up to 4 bytes each, 16 lanes of 8 bytes, 8 lanes of 16 bytes. A group with an active
// lane costs
//     loads, stores      the most different 4-byte words that it wants of one bank (the same word is shared)
//     atomics            the most lanes that want one bank (nothing is shared, not even one word)
// and the access costs the sum over its groups; compare-and-swap costs twice that.
//
// Pairs: two adjacent groups of a load are served as one if every lane wants the same address as its
// neighbour lane ^ 1, or every lane the same as lane ^ 2, and the two together are free of conflicts. Stores
// never pair.
//
// Ideal: the bytes asked for in rows of 128, ceil(lanes * width / 128), and never more than the actual cost;
// twice that for compare-and-swap. No active lane: 0 and 0.
//
// Sources: Nsight Compute profiling guide; forums.developer.nvidia.com/t/77228 (pairs); measured on an H200
// (tests/data/rules.csv, every row is replayed by tests/model/rules.c). Open, as no measurement decides them:
// pairs under partial masks, 8-byte atomics.
//
//     struct shared_cost c = banks_cost(&access);
//     c.wavefronts - c.ideal     // excessive
#ifndef MEM_BANKS_H
#define MEM_BANKS_H
#include "mem/access.h"

enum { N_BANKS = 32, BANK_BYTES = 4, BANK_ROW_BYTES = N_BANKS * BANK_BYTES };

struct shared_cost {
    uint32_t wavefronts; // memory_l1_wavefronts_shared
    uint32_t ideal;      // memory_l1_wavefronts_shared_ideal
};

// access->space == SPACE_SHARED. Every kind; 32 banks of 4 bytes on every supported GPU.
struct shared_cost banks_cost(const struct access *access);

// The lanes that are served together: groups, pairs of groups merged, without the empty ones. Returns how
// many.
enum { MAX_BANK_GROUPS = 8 };
uint32_t banks_groups(const struct access *access, lanemask groups[MAX_BANK_GROUPS]);

// Instructions with a rule of their own; `access` holds one address per lane as above.

// ATOMS.POPC.INC, into which ptxas turns a shared `red.add` of the constant 1: equal words are counted first,
// so it costs what a store costs.
struct shared_cost banks_cost_popc_inc(const struct access *access);

// ATOMS.CAST.SPIN, the compare-and-swap in ptxas' loop for shared float adds: one execution serves one lane a
// bank, the others come again.
struct shared_cost banks_cost_cas_spin(const struct access *access);

// LDSM, STSM (ldmatrix, stmatrix) of 1, 2 or 4 matrices: lanes 0 to 8 n - 1 give the rows of 16 bytes. Never
// pairs.
struct shared_cost banks_cost_matrix(const struct access *access, uint32_t n_matrices);

// The most lanes of one group that meet in one bank when all 32 lanes take elements of `width` bytes,
// `stride` elements apart: gcd(stride, lanes of a group), and 1 for stride 0. The wavefronts are that times
// the groups.
uint32_t banks_stride_degree(uint64_t stride_elements, uint32_t width);
#endif
