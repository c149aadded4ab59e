// What to change for more warps on an SM, and how occupancy runs over one parameter. Pure functions.
//
//     struct occupancy_step step = occupancy_next_step(&device, &needs);
//     if (step.exists) ... "step.registers fewer per thread -> step.result.blocks_per_sm blocks"
#ifndef DEVICE_OCCUPANCY_NEXT_H
#define DEVICE_OCCUPANCY_NEXT_H
#include "device/occupancy.h"

// How much less of each limiting resource brings at least one block more; 0 = that one need not change.
struct occupancy_step {
    bool exists; // false: no such reduction helps (full, or limited by warps or blocks)
    uint32_t registers, shared_bytes, barriers;
    struct kernel_needs needs; // after the step
    struct occupancy result;
};

// The least reduction at this block size. Where several resources limit together, all of them must shrink.
struct occupancy_step occupancy_next_step(const struct device *device, const struct kernel_needs *needs);

// The block size (a multiple of 32) nearest to the present one that keeps more warps resident; 0 = none.
uint32_t occupancy_next_block(const struct device *device, const struct kernel_needs *needs);

// The block size with the most resident warps; the largest of equals, as cuda_occupancy.h searches.
uint32_t occupancy_best_block(const struct device *device, const struct kernel_needs *needs);

// One parameter varied, everything else as given.
enum occupancy_axis { AXIS_BLOCK, AXIS_REGISTERS, AXIS_SHARED };
enum { MAX_CURVE = 64 };
struct occupancy_curve {
    uint32_t n;
    uint32_t x[MAX_CURVE]; // threads, registers per thread, or bytes of shared memory per block
    struct occupancy y[MAX_CURVE];
};
struct occupancy_curve occupancy_curve(const struct device *device, const struct kernel_needs *needs,
                                       enum occupancy_axis axis);
#endif
