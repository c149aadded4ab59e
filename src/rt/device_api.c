// The device: there is one, number 0. Choosing it, asking about it, limits, occupancy.
#include "rt/api.h"
#include "rt/device_query.h"
#include "rt/function.h"
#include "rt/limits.h"
#include "rt/stream.h"
#include <stdio.h>
#include <string.h>

enum { CUDA_VERSION = 13000 }; // what the driver says it can do; each runtime library answers its own

static cudaError_t check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

// ---- choosing -------------------------------------------------------------------------------------------

cudaError_t wg_cudaGetDeviceCount(int *count)
{
    struct rt *rt = rt_enter(); // answers even after a fault, as hardware does
    cudaError_t error = count ? cudaSuccess : cudaErrorInvalidValue;
    if (count)
        *count = 1;
    return rt_leave(rt, error);
}

cudaError_t wg_cudaGetDevice(int *device)
{
    if (device)
        *device = 0;
    return RT_CALL(rt, device ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t wg_cudaSetDevice(int device)
{
    return RT_CALL(rt, check_device(device));
}

cudaError_t wg_cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return RT_CALL(rt, check_device(device));
}

// Whatever is asked for, there is only one.
cudaError_t wg_cudaChooseDevice(int *device, const void *properties)
{
    if (device)
        *device = 0;
    return RT_CALL(rt, device && properties ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t wg_cudaSetValidDevices(int *devices, int n)
{
    for (int i = 0; i < n; i++)
        if (devices[i] != 0)
            return RT_CALL(rt, cudaErrorInvalidDevice);
    return RT_CALL(rt, cudaSuccess);
}

cudaError_t wg_cudaSetDeviceFlags(unsigned flags)
{
    return RT_CALL(rt, (rt->device_flags = flags, cudaSuccess));
}

cudaError_t wg_cudaGetDeviceFlags(unsigned *flags)
{
    return RT_CALL(rt, flags ? (*flags = rt->device_flags, cudaSuccess) : cudaErrorInvalidValue);
}

// ---- waiting, resetting ---------------------------------------------------------------------------------

cudaError_t wg_cudaDeviceSynchronize(void)
{
    return RT_CALL(rt, streams_synchronize(rt));
}

cudaError_t wg_cudaDeviceReset(void)
{
    struct rt *rt = rt_enter();
    rt_reset(rt);
    return rt_leave(rt, cudaSuccess);
}

// ---- asking ---------------------------------------------------------------------------------------------

static cudaError_t get_attribute(struct rt *rt, int *value, int attribute, int device)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    return device_attribute(&rt->device, attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    return RT_CALL(rt, get_attribute(rt, value, attribute, device));
}

#define PROPERTIES(major)                                                                                       \
    cudaError_t wg_cudaGetDeviceProperties_##major(struct device_properties_##major *out, int device)           \
    {                                                                                                           \
        return RT_CALL(rt, !out          ? cudaErrorInvalidValue                                                \
                           : device != 0 ? cudaErrorInvalidDevice                                               \
                                         : (device_properties_fill_##major(&rt->device, out), cudaSuccess));    \
    }
PROPERTIES(11)
PROPERTIES(12)
PROPERTIES(13)

cudaError_t wg_cudaDriverGetVersion(int *version)
{
    return RT_CALL(rt, version ? (*version = CUDA_VERSION, cudaSuccess) : cudaErrorInvalidValue);
}

// Each major's library reports the last of its line, 13 the one that was measured.
#define RUNTIME_VERSION(major, number)                                                                     \
    cudaError_t wg_cudaRuntimeGetVersion_##major(int *version)                                             \
    {                                                                                                      \
        return RT_CALL(rt, version ? (*version = (number), cudaSuccess) : cudaErrorInvalidValue);          \
    }
RUNTIME_VERSION(11, 11080)
RUNTIME_VERSION(12, 12090)
RUNTIME_VERSION(13, 13000)

static const char bus_id[] = "0000:00:00.0";

cudaError_t wg_cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    if (!text || length < (int)sizeof bus_id)
        return RT_CALL(rt, cudaErrorInvalidValue);
    return RT_CALL(rt, device != 0 ? cudaErrorInvalidDevice
                                   : (snprintf(text, (size_t)length, "%s", bus_id), cudaSuccess));
}

cudaError_t wg_cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!device || !text)
        return RT_CALL(rt, cudaErrorInvalidValue);
    return RT_CALL(rt, strcmp(text, bus_id) == 0 ? (*device = 0, cudaSuccess) : cudaErrorInvalidDevice);
}

// ---- peers: a device is none of itself ------------------------------------------------------------------

cudaError_t wg_cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return RT_CALL(rt, cudaErrorInvalidValue);
    return RT_CALL(rt, device != 0 || peer != 0 ? cudaErrorInvalidDevice : (*can = 0, cudaSuccess));
}

cudaError_t wg_cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return RT_CALL(rt, peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}

cudaError_t wg_cudaDeviceDisablePeerAccess(int peer)
{
    return RT_CALL(rt, peer != 0 ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

cudaError_t wg_cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    (void)value, (void)attribute, (void)from, (void)to;
    return RT_CALL(rt, cudaErrorInvalidDevice);
}

// ---- limits and preferences -----------------------------------------------------------------------------

cudaError_t wg_cudaDeviceGetLimit(size_t *value, int limit)
{
    return RT_CALL(rt, limit_get(rt, limit, value));
}

cudaError_t wg_cudaDeviceSetLimit(int limit, size_t value)
{
    return RT_CALL(rt, limit_set(rt, limit, value));
}

cudaError_t wg_cudaDeviceGetCacheConfig(int *config)
{
    return RT_CALL(rt, config ? (*config = rt->cache_config, cudaSuccess) : cudaErrorInvalidValue);
}

cudaError_t wg_cudaDeviceSetCacheConfig(int config)
{
    return RT_CALL(rt, (rt->cache_config = config, cudaSuccess));
}

// Banks are four bytes wide on every device of the model.
cudaError_t wg_cudaDeviceGetSharedMemConfig(int *config)
{
    enum { FOUR_BYTE_BANKS = 1 };
    return RT_CALL(rt, config ? (*config = FOUR_BYTE_BANKS, cudaSuccess) : cudaErrorInvalidValue);
}

// ---- occupancy ------------------------------------------------------------------------------------------

static cudaError_t blocks_of(struct rt *rt, int *blocks, const void *stub, int threads, size_t shared_bytes)
{
    struct rt_function *function = function_of(rt, stub);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    return blocks && threads > 0 ? function_blocks(rt, function, threads, shared_bytes, blocks) : cudaErrorInvalidValue;
}

cudaError_t wg_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                             size_t shared_bytes)
{
    return RT_CALL(rt, blocks_of(rt, blocks, function, threads, shared_bytes));
}

// The flag chooses what caching global memory in L1 costs on chips that had a choice; none of ours has.
cudaError_t wg_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                      size_t shared_bytes, unsigned flags)
{
    if (flags > 1)
        return RT_CALL(rt, cudaErrorInvalidValue);
    return RT_CALL(rt, blocks_of(rt, blocks, function, threads, shared_bytes));
}

cudaError_t wg_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int blocks, int threads)
{
    struct rt *rt = rt_enter();
    struct rt_function *function = function_of(rt, stub);
    return rt_leave(rt, rt->status  ? rt->status
                        : !function ? cudaErrorInvalidDeviceFunction
                                    : function_free_shared(rt, function, blocks, threads, bytes));
}

static uint32_t cluster_of(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return config->attrs[i].val.cluster.x * config->attrs[i].val.cluster.y * config->attrs[i].val.cluster.z;
    return 1;
}

static cudaError_t clusters_of(struct rt *rt, int *out, const void *stub, const cudaLaunchConfig_t *config, bool largest)
{
    struct rt_function *function = function_of(rt, stub);
    if (!out || !config)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    uint32_t threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    return largest ? function_max_cluster(rt, function, threads, config->dynamicSmemBytes, out)
                   : function_clusters(rt, function, threads, config->dynamicSmemBytes, cluster_of(config), out);
}

cudaError_t wg_cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config)
{
    return RT_CALL(rt, clusters_of(rt, clusters, function, config, false));
}

cudaError_t wg_cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function, const cudaLaunchConfig_t *config)
{
    return RT_CALL(rt, clusters_of(rt, blocks, function, config, true));
}
