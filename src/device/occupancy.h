// How many blocks of a kernel an SM holds, what limits them, and whether the kernel launches at all.
// Pure functions. Rules: the published cuda_occupancy.h (CUDA 13.0), restated in doc/occupancy.md.
//
//     struct kernel_needs k = {.threads = 256, .registers = 40, .static_shared_bytes = 16384};
//     struct occupancy o = occupancy_of(&device, &k);
//     o.blocks_per_sm, o.warps_per_sm, o.limiters & LIMIT_SHARED
#ifndef DEVICE_OCCUPANCY_H
#define DEVICE_OCCUPANCY_H
#include "base/err.h"
#include "device/device.h"

// How the L1 / shared split is chosen.
enum carveout_mode {
    CARVEOUT_DRIVER,  // what the driver picks for this kernel (measured rule)
    CARVEOUT_MAX,     // the largest size: what cuda_occupancy.h assumes by default
    CARVEOUT_PERCENT, // preference in percent, rounded up to a size
    CARVEOUT_BYTES    // this size exactly (a member of shared.carveouts)
};

// A launch is given so many registers a thread even if ptxas reports fewer, as few as 6 (H200, 328 launches: ncu's
// launch__registers_per_thread and launch__occupancy_limit_registers). cuda_occupancy.h, and so occupancy_of, does not know.
enum { FEWEST_REGISTERS = 16 };

// What one launch asks of an SM.
struct kernel_needs {
    uint32_t threads;   // per block
    uint32_t registers; // per thread; 0 = not a limit
    uint32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t max_dynamic_shared_bytes; // cudaFuncAttributeMaxDynamicSharedMemorySize; 0 = not set
    uint32_t barriers;                 // named barriers used; 0 counts as 1 where barriers limit
    uint32_t cluster;                  // blocks per cluster; 0 or 1 = none
    uint32_t block[3], grid[3];        // all zero = shapes are not checked
    enum carveout_mode carveout;
    uint64_t carveout_value; // percent or bytes
};

enum occupancy_limit {
    LIMIT_WARPS = 1,
    LIMIT_REGISTERS = 2,
    LIMIT_SHARED = 4,
    LIMIT_BLOCKS = 8,
    LIMIT_BARRIERS = 16
};
enum { NO_LIMIT = 0x7fffffff };

struct occupancy {
    uint32_t blocks_per_sm, warps_per_sm; // 0 = does not launch
    double occupancy;                     // warps_per_sm / max_warps_per_sm, 0..1
    uint32_t limit_warps, limit_registers, limit_shared, limit_blocks, limit_barriers; // blocks; NO_LIMIT
    unsigned limiters; // every limit equal to the minimum; no stale bits
    uint32_t warps_per_block;
    uint32_t registers_per_block;    // as allocated
    uint32_t shared_per_block_bytes; // as allocated, reserved part included
    uint64_t shared_config_bytes;    // the carve-out in force
    uint64_t l1_bytes;               // what is left of the pool for L1
    uint32_t max_clusters;           // active clusters on the whole device; 0 without clusters
};

struct occupancy occupancy_of(const struct device *device, const struct kernel_needs *needs);

// The split the driver chooses when nothing is asked of it, read off an H200 (tests/data/carveout.csv,
// occupancy_h200_launches.csv): the smallest size that holds every block the other limits allow, with room
// for as many again where more than one block fits, blocks have at most 28 warps and half the pool suffices.
// A kernel without shared memory gets room for the reserved part of 32, 16 or 8 blocks (below 16, below 24,
// from 24 warps). On other devices the same rule is an assumption.
uint64_t occupancy_driver_carveout(const struct device *device, const struct kernel_needs *needs);

// The split the driver chooses for a preference in percent (cudaFuncAttributePreferredSharedMemoryCarveout).
// Measured as above; cuda_occupancy.h, which CARVEOUT_PERCENT follows, often names a smaller size.
uint64_t occupancy_driver_preference(const struct device *device, const struct kernel_needs *needs,
                                     uint64_t percent);

// The smallest size that holds `bytes`, the largest if none does.
uint64_t occupancy_carveout_for(const struct device *device, uint64_t bytes);

// Would it launch? False and a sentence in `err` that names the limit, what was asked and by how much it is
// exceeded.
bool launch_check(const struct device *device, const struct kernel_needs *needs, struct err *err);
#endif
