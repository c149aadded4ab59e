// cudaMalloc and its kin, for device, host and managed memory.
#include "rt/api.h"
#include "rt/memory.h"
#include "rt/stream.h"

// Allocating is not allowed while a stream is captured, hence capture_forbids before each.

// ---- device memory --------------------------------------------------------------------------------------

static cudaError_t malloc_call(struct rt *rt, void **out, size_t size_bytes)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : device_malloc(rt, out, size_bytes);
}

cudaError_t wg_cudaMalloc(void **out, size_t size_bytes)
{
    return RT_CALL(rt, malloc_call(rt, out, size_bytes));
}

cudaError_t wg_cudaFree(void *pointer)
{
    return RT_CALL(rt, device_free(rt, pointer));
}

static cudaError_t malloc_pitch_call(struct rt *rt, void **out, size_t *pitch, size_t width_bytes,
                                     size_t rows)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : device_malloc_pitch(rt, out, pitch, width_bytes, rows);
}

cudaError_t wg_cudaMallocPitch(void **out, size_t *pitch, size_t width_bytes, size_t height)
{
    return RT_CALL(rt, malloc_pitch_call(rt, out, pitch, width_bytes, height));
}

static cudaError_t malloc_3d(struct rt *rt, struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    size_t rows;
    if (!out)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorMemoryAllocation;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return malloc_pitch_call(rt, &out->ptr, &out->pitch, extent.width, rows);
}

cudaError_t wg_cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    return RT_CALL(rt, malloc_3d(rt, out, extent));
}

static cudaError_t info(struct rt *rt, size_t *free_bytes, size_t *total_bytes)
{
    size_t unused;
    memory_info(rt, free_bytes ? free_bytes : &unused, total_bytes ? total_bytes : &unused);
    return cudaSuccess;
}

cudaError_t wg_cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return RT_CALL(rt, info(rt, free_bytes, total_bytes));
}

// ---- host memory ----------------------------------------------------------------------------------------

static cudaError_t pinned_call(struct rt *rt, void **out, size_t size_bytes, unsigned flags)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : pinned_malloc(rt, out, size_bytes, flags);
}

cudaError_t wg_cudaMallocHost(void **out, size_t size_bytes)
{
    return RT_CALL(rt, pinned_call(rt, out, size_bytes, cudaHostAllocDefault));
}

cudaError_t wg_cudaHostAlloc(void **out, size_t size_bytes, unsigned flags)
{
    return RT_CALL(rt, pinned_call(rt, out, size_bytes, flags));
}

cudaError_t wg_cudaFreeHost(void *pointer)
{
    return RT_CALL(rt, pinned_free(rt, pointer));
}

cudaError_t wg_cudaHostRegister(void *pointer, size_t size_bytes, unsigned flags)
{
    return RT_CALL(rt, host_register(rt, pointer, size_bytes, flags));
}

cudaError_t wg_cudaHostUnregister(void *pointer)
{
    return RT_CALL(rt, host_unregister(rt, pointer));
}

static cudaError_t device_pointer(struct rt *rt, void **out, void *host, unsigned flags)
{
    if (out)
        *out = NULL;
    return flags ? cudaErrorInvalidValue : host_device_pointer(rt, out, host);
}

cudaError_t wg_cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    return RT_CALL(rt, device_pointer(rt, out, host, flags));
}

cudaError_t wg_cudaHostGetFlags(unsigned *flags, void *host)
{
    return RT_CALL(rt, host_flags(rt, flags, host));
}

// ---- managed memory -------------------------------------------------------------------------------------

static cudaError_t managed_call(struct rt *rt, void **out, size_t size_bytes, unsigned flags)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : managed_malloc(rt, out, size_bytes, flags);
}

cudaError_t wg_cudaMallocManaged(void **out, size_t size_bytes, unsigned flags)
{
    return RT_CALL(rt, managed_call(rt, out, size_bytes, flags));
}
