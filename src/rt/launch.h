// One launch as programs ask for it: what <<< >>>, cudaLaunchKernel… and cuLaunchKernel… all come to.
#ifndef RT_LAUNCH_H
#define RT_LAUNCH_H
#include "rt/op.h"

struct launch_call {
    const void *function;    // host stub or handle
    dim3 grid, block;
    void **arguments;        // pointers to the arguments …
    const void *buffer;      // … or, where `arguments` is NULL, the parameter block itself
    size_t buffer_bytes;
    size_t shared_bytes;     // dynamic
    cudaStream_t stream;
    bool is_cooperative;
    dim3 cluster;            // x 0: none
    int carveout_percent;    // -1: not asked for
};

// Checks and submits. What is wrong with the call, not with the kernel's run.
cudaError_t kernel_launch(struct rt *rt, const struct launch_call *call);
// Checks only: the operation, with its parameters in the launch's arena.
cudaError_t launch_op(struct rt *rt, const struct launch_call *call, struct rt_op *op);
// Attributes that change results or counters; the others order launches or place them, which one order makes moot.
void launch_attribute(struct launch_call *call, const cudaLaunchAttribute *attribute);
#endif
