// Stream-ordered allocation: cudaMallocAsync, memory pools.
#include "rt/api.h"
#include "rt/memory.h"

// ---- allocating -----------------------------------------------------------------------------------------

cudaError_t wg_cudaMallocAsync(void **out, size_t size_bytes, cudaStream_t stream)
{
    return RT_CALL(rt, pool_malloc(rt, out, size_bytes, pool_current(rt), stream_of(rt, stream)));
}

cudaError_t wg_cudaMallocAsync_ptsz(void **out, size_t size_bytes, cudaStream_t stream)
{
    return wg_cudaMallocAsync(out, size_bytes, stream ? stream : STREAM_PER_THREAD);
}

cudaError_t wg_cudaMallocFromPoolAsync(void **out, size_t size_bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return RT_CALL(rt, pool_malloc(rt, out, size_bytes, pool, stream_of(rt, stream)));
}

cudaError_t wg_cudaMallocFromPoolAsync_ptsz(void **out, size_t size_bytes, cudaMemPool_t pool,
                                            cudaStream_t stream)
{
    return wg_cudaMallocFromPoolAsync(out, size_bytes, pool, stream ? stream : STREAM_PER_THREAD);
}

cudaError_t wg_cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return RT_CALL(rt, pool_free(rt, pointer, stream_of(rt, stream)));
}

cudaError_t wg_cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream)
{
    return wg_cudaFreeAsync(pointer, stream ? stream : STREAM_PER_THREAD);
}

// ---- pools of the device --------------------------------------------------------------------------------

static cudaError_t give(struct rt_pool **out, struct rt_pool *pool, int device)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *out = pool;
    return cudaSuccess;
}

cudaError_t wg_cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return RT_CALL(rt, give(out, pool_default(rt), device));
}

cudaError_t wg_cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return RT_CALL(rt, give(out, pool_current(rt), device));
}

cudaError_t wg_cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    return RT_CALL(rt, device != 0 ? cudaErrorInvalidDevice : pool_set_current(rt, pool));
}

// Only the device's own memory has pools.
static cudaError_t check_location(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    if (!location || (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged))
        return cudaErrorInvalidValue;
    if (location->type != cudaMemLocationTypeDevice || type == cudaMemAllocationTypeManaged)
        return cudaErrorNotSupported;
    return location->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t give_at(struct rt *rt, struct rt_pool **out, const struct cudaMemLocation *location,
                           enum cudaMemAllocationType type, bool is_default)
{
    cudaError_t error = out ? check_location(location, type) : cudaErrorInvalidValue;
    if (!error)
        *out = is_default ? pool_default(rt) : pool_current(rt);
    return error;
}

cudaError_t wg_cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                                        enum cudaMemAllocationType type)
{
    return RT_CALL(rt, give_at(rt, out, location, type, true));
}

cudaError_t wg_cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                                 enum cudaMemAllocationType type)
{
    return RT_CALL(rt, give_at(rt, out, location, type, false));
}

static cudaError_t set_at(struct rt *rt, const struct cudaMemLocation *location,
                          enum cudaMemAllocationType type, struct rt_pool *pool)
{
    cudaError_t error = check_location(location, type);
    return error ? error : pool_set_current(rt, pool);
}

cudaError_t wg_cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                 cudaMemPool_t pool)
{
    return RT_CALL(rt, set_at(rt, location, type, pool));
}

// ---- one pool -------------------------------------------------------------------------------------------

cudaError_t wg_cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    return RT_CALL(rt, pool_new(rt, out, props));
}

cudaError_t wg_cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return RT_CALL(rt, pool_delete(rt, pool));
}

cudaError_t wg_cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return RT_CALL(rt, pool_get(rt, pool, attribute, value));
}

cudaError_t wg_cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return RT_CALL(rt, pool_set(rt, pool, attribute, value));
}

cudaError_t wg_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes)
{
    return RT_CALL(rt, pool_trim(rt, pool, keep_bytes));
}

// The device can always use its own pool, and nobody else can.
static cudaError_t get_access(struct rt *rt, enum cudaMemAccessFlags *flags, struct rt_pool *pool,
                              const struct cudaMemLocation *location)
{
    if (!flags || !location || !pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    bool is_device = location->type == cudaMemLocationTypeDevice;
    if (location->type == cudaMemLocationTypeInvalid || (is_device && location->id != 0))
        return cudaErrorInvalidValue;
    *flags = is_device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t wg_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                    struct cudaMemLocation *location)
{
    return RT_CALL(rt, get_access(rt, flags, pool, location));
}

static cudaError_t set_access(struct rt *rt, struct rt_pool *pool, const struct cudaMemAccessDesc *list,
                              size_t n)
{
    if (!pool_is_known(rt, pool) || (n && !list))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0 ||
            list[i].flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

cudaError_t wg_cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
    return RT_CALL(rt, set_access(rt, pool, list, n));
}
