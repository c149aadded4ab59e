// Asynchronous copies to shared memory by the primitives of <cuda_pipeline.h>; the C++ pipeline is libcu++'s.
#ifndef WARPGLASS_CUDA_PIPELINE_H
#define WARPGLASS_CUDA_PIPELINE_H
#include "cuda_runtime.h"

static __device__ __forceinline__ void __pipeline_memcpy_async(void *__restrict__ target, const void *__restrict__ source,
                                                               size_t bytes, size_t zeros = 0)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(target), n = (unsigned)(bytes - zeros);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(n) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(n) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(n) : "memory");
}
static __device__ __forceinline__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// The count must be known when the program is compiled, as it stands in the instruction.
#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#endif
