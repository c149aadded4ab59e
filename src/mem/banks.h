// Shared memory: wavefronts of one access. Pure functions of offsets, width and mask.
//
// Sources of the rules: Nsight Compute profiling guide; forums.developer.nvidia.com/t/77228; measured on an H200
// (test/data/rules.csv, every row is replayed by test/model/rules.c).
//
//     struct shared_cost c = banks_cost(&access);
//     c.wavefronts - c.ideal     // excessive
#ifndef MEM_BANKS_H
#define MEM_BANKS_H
#include "mem/access.h"

struct shared_cost {
    uint32_t wavefronts; // memory_l1_wavefronts_shared
    uint32_t ideal;      // memory_l1_wavefronts_shared_ideal
};

// access->space == SPACE_SHARED; n_banks banks of 4 bytes = 32 on every supported GPU.
struct shared_cost banks_cost(const struct access *access);

// The same when the row pitch of the data were changed, for what-if: see findings. (later)
#endif
