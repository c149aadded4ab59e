// Device memory: cudaMalloc and its kin.
#include "rt/api.h"

enum { MALLOC_ALIGN = 256 }; // bytes, what cudaMalloc promises

static cudaError_t device_malloc(struct rt *rt, void **out, size_t size_bytes)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (size_bytes == 0)
        return cudaSuccess;
    *out = (void *)(uintptr_t)memory_alloc(rt->memory, size_bytes, MALLOC_ALIGN, "cudaMalloc");
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t device_free(struct rt *rt, void *pointer)
{
    cudaError_t error = rt_synchronize(rt);
    if (error || !pointer)
        return error;
    return memory_free(rt->memory, (uint64_t)(uintptr_t)pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaMalloc(void **out, size_t size_bytes)
{
    return RT_CALL(rt, device_malloc(rt, out, size_bytes));
}

cudaError_t wg_cudaFree(void *pointer)
{
    return RT_CALL(rt, device_free(rt, pointer));
}
