// How many blocks of a kernel the device holds, as the occupancy calls of both APIs answer: with the largest shared memory an
// SM can be set to, unless the program asked for a share (cuda_occupancy.h, CUDA 13.0).
#include "rt/function.h"
#include <stdlib.h>

static struct kernel_needs needs_of(const struct rt_function *function, uint32_t threads, size_t shared_bytes)
{
    uint32_t shared = shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)shared_bytes;
    struct kernel_needs needs = function_needs(function, threads, shared);
    needs.carveout = function->carveout_percent >= 0 ? CARVEOUT_PERCENT : CARVEOUT_MAX;
    needs.carveout_value = function->carveout_percent >= 0 ? (uint64_t)function->carveout_percent : 0;
    return needs;
}

cudaError_t function_blocks(struct rt *rt, struct rt_function *function, int threads, size_t shared_bytes, int *blocks)
{
    if (!blocks || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = function_load(rt, function);
    if (error)
        return error;
    int most;
    error = function_attribute_get(rt, function, FUNCTION_MAX_THREADS, &most);
    struct kernel_needs needs = needs_of(function, (uint32_t)threads, shared_bytes);
    *blocks = threads > most ? 0 : (int)occupancy_of(&rt->device, &needs).blocks_per_sm;
    return error;
}

cudaError_t function_best_block(struct rt *rt, struct rt_function *function, size_t (*shared_of)(int threads),
                                size_t shared_bytes, int limit, int *grid_size, int *block_size)
{
    int most, blocks, best_blocks = 0, best = 0;
    if (!grid_size || !block_size || limit < 0)
        return cudaErrorInvalidValue;
    cudaError_t error = function_attribute_get(rt, function, FUNCTION_MAX_THREADS, &most);
    most = limit && limit < most ? limit : most;
    for (int aligned = (most + 31) / 32 * 32; !error && aligned > 0; aligned -= 32) {
        int threads = aligned < most ? aligned : most;
        error = function_blocks(rt, function, threads, shared_of ? shared_of(threads) : shared_bytes, &blocks);
        if (!error && blocks * threads > best_blocks * best) {
            best = threads;
            best_blocks = blocks;
        }
    }
    if (error)
        return error;
    *block_size = best;
    *grid_size = best_blocks * (int)rt->device.n_sms;
    return cudaSuccess;
}

cudaError_t function_free_shared(struct rt *rt, struct rt_function *function, int blocks, int threads, size_t *bytes)
{
    const struct device *device = &rt->device;
    int most, fit;
    if (!bytes || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = function_blocks(rt, function, threads, 0, &fit);
    if (!error)
        error = function_attribute_get(rt, function, FUNCTION_MAX_DYNAMIC_SHARED_BYTES, &most);
    if (error)
        return error;
    if (blocks > fit)
        return cudaErrorInvalidValue;
    uint64_t unit = device->shared_alloc_unit_bytes, share = device->shared_per_sm_bytes / (uint64_t)blocks / unit * unit;
    uint64_t used = function->kernel->static_shared_bytes + device->shared_reserved_bytes;
    uint64_t left = share > used ? share - used : 0;
    *bytes = left < (uint64_t)most ? left : (uint64_t)most;
    return cudaSuccess;
}

cudaError_t function_clusters(struct rt *rt, struct rt_function *function, uint32_t threads, size_t shared_bytes,
                              uint32_t cluster, int *clusters)
{
    if (!clusters || threads == 0 || cluster == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = function_load(rt, function);
    if (error)
        return error;
    uint64_t most = function->non_portable_cluster ? rt->device.max_cluster : rt->device.max_cluster_portable;
    struct kernel_needs needs = needs_of(function, threads, shared_bytes);
    needs.cluster = cluster;
    if (cluster > most)
        return cudaErrorInvalidClusterSize;
    struct occupancy occupancy = occupancy_of(&rt->device, &needs);
    // a cluster of one block is no cluster to the calculation
    *clusters = (int)(cluster == 1 ? occupancy.blocks_per_sm * rt->device.n_sms : occupancy.max_clusters);
    return cudaSuccess;
}

cudaError_t function_max_cluster(struct rt *rt, struct rt_function *function, uint32_t threads, size_t shared_bytes,
                                 int *blocks)
{
    cudaError_t error = cudaErrorInvalidValue;
    int clusters = 0;
    uint64_t size = function->non_portable_cluster ? rt->device.max_cluster : rt->device.max_cluster_portable;
    for (; blocks && size > 0; size /= 2) {
        error = function_clusters(rt, function, threads, shared_bytes, (uint32_t)size, &clusters);
        if (error || clusters > 0)
            break;
    }
    if (!error)
        *blocks = clusters > 0 ? (int)size : 0;
    return error;
}
