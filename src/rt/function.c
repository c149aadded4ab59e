// Attributes and parameters of kernels.
#include "rt/function.h"
#include <stdlib.h>

static uint64_t volume(const uint32_t shape[3])
{
    return (uint64_t)shape[0] * shape[1] * shape[2];
}

// Threads of the largest block: by the device, the kernel's own bounds, and registers, which each scheduler gives out for
// itself in warps (cuda_occupancy.h, CUDA 13.0).
static int max_threads(const struct device *device, const struct kernel *kernel)
{
    uint64_t most = device->max_threads_per_block, bound = volume(kernel->max_threads);
    uint64_t unit = device->register_alloc_unit, per_warp = (uint64_t)kernel->registers * 32;
    if (kernel->required_threads[0])
        bound = kernel->required_threads[0] * (uint64_t)(kernel->required_threads[1] ? kernel->required_threads[1] : 1) *
                (kernel->required_threads[2] ? kernel->required_threads[2] : 1);
    per_warp = (per_warp + unit - 1) / unit * unit;
    if (per_warp) {
        uint64_t warps = device->registers_per_block / per_warp / device->n_subpartitions * device->n_subpartitions;
        most = warps * 32 < most ? warps * 32 : most;
    }
    return (int)(bound && bound < most ? bound : most);
}

static int ptx_version(struct rt *rt, const struct rt_function *function)
{
    const struct image *image = image_choose(&function->module->images, (unsigned)rt->device.cc, false);
    return image ? (int)image->cc : (int)rt->device.cc;
}

// Dynamic shared memory without the opt-in: what static memory leaves.
static int max_dynamic(struct rt *rt, const struct rt_function *function)
{
    if (function->max_dynamic_shared_bytes >= 0)
        return function->max_dynamic_shared_bytes;
    uint64_t most = rt->device.shared_per_block_bytes, used = function->kernel->static_shared_bytes;
    return used < most ? (int)(most - used) : 0;
}

static int cluster_side(const struct rt_function *function, int dimension)
{
    return function->required_cluster[dimension] ? function->required_cluster[dimension]
                                                 : (int)function->kernel->required_cluster[dimension];
}

// What the kernel is. False: the attribute is none of these.
static bool kernel_fact(struct rt *rt, const struct rt_function *function, int attribute, int *value)
{
    const struct kernel *kernel = function->kernel;
    switch (attribute) {
    case FUNCTION_MAX_THREADS:
        *value = max_threads(&rt->device, kernel);
        return true;
    case FUNCTION_SHARED_BYTES:
        *value = (int)kernel->static_shared_bytes;
        return true;
    case FUNCTION_CONST_BYTES:
        *value = (int)function->module->module.constant_bytes;
        return true;
    case FUNCTION_LOCAL_BYTES:
        *value = (int)function->local_bytes;
        return true;
    case FUNCTION_REGISTERS:
        *value = (int)kernel->registers;
        return true;
    case FUNCTION_PTX_VERSION:
        *value = ptx_version(rt, function);
        return true;
    case FUNCTION_BINARY_VERSION:
        *value = (int)rt->device.cc;
        return true;
    case FUNCTION_CACHE_MODE_CA:
        *value = 0;
        return true;
    }
    return false;
}

cudaError_t function_attribute_get(struct rt *rt, struct rt_function *function, int attribute, int *value)
{
    cudaError_t error = value ? function_load(rt, function) : cudaErrorInvalidValue;
    if (error || kernel_fact(rt, function, attribute, value))
        return error;
    switch (attribute) { // what programs set
    case FUNCTION_MAX_DYNAMIC_SHARED_BYTES:
        *value = max_dynamic(rt, function);
        return cudaSuccess;
    case FUNCTION_CARVEOUT_PERCENT:
        *value = function->carveout_percent;
        return cudaSuccess;
    case FUNCTION_CLUSTER_MUST_BE_SET:
        *value = function->kernel->required_cluster[0] != 0;
        return cudaSuccess;
    case FUNCTION_CLUSTER_WIDTH:
    case FUNCTION_CLUSTER_HEIGHT:
    case FUNCTION_CLUSTER_DEPTH:
        *value = cluster_side(function, attribute - FUNCTION_CLUSTER_WIDTH);
        return cudaSuccess;
    case FUNCTION_NON_PORTABLE_CLUSTER:
        *value = function->non_portable_cluster;
        return cudaSuccess;
    case FUNCTION_CLUSTER_POLICY:
        *value = function->cluster_policy;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

// With the opt-in a block may have all of an SM's shared memory but the reserved part.
static cudaError_t set_dynamic_shared(struct rt *rt, struct rt_function *function, int value)
{
    uint64_t most = rt->device.shared_per_block_optin_bytes, used = function->kernel->static_shared_bytes;
    if (value < 0 || (uint64_t)value + used > most)
        return cudaErrorInvalidValue;
    function->max_dynamic_shared_bytes = value;
    return cudaSuccess;
}

static cudaError_t set_between(int *out, int value, int least, int most)
{
    if (value < least || value > most)
        return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

cudaError_t function_attribute_set(struct rt *rt, struct rt_function *function, int attribute, int value)
{
    enum { CLUSTER_POLICIES = 2 };
    cudaError_t error = function_load(rt, function);
    int side = attribute - FUNCTION_CLUSTER_WIDTH;
    if (error)
        return error;
    switch (attribute) {
    case FUNCTION_MAX_DYNAMIC_SHARED_BYTES:
        return set_dynamic_shared(rt, function, value);
    case FUNCTION_CARVEOUT_PERCENT:
        return set_between(&function->carveout_percent, value, -1, 100);
    case FUNCTION_CLUSTER_WIDTH:
    case FUNCTION_CLUSTER_HEIGHT:
    case FUNCTION_CLUSTER_DEPTH:
        return function->kernel->required_cluster[0] // its own size stands
                   ? cudaErrorNotPermitted
                   : set_between(&function->required_cluster[side], value, 0, (int)rt->device.max_cluster);
    case FUNCTION_NON_PORTABLE_CLUSTER:
        return set_between(&function->non_portable_cluster, value, 0, 1);
    case FUNCTION_CLUSTER_POLICY:
        return set_between(&function->cluster_policy, value, 0, CLUSTER_POLICIES);
    }
    return cudaErrorInvalidValue;
}

cudaError_t function_param(struct rt *rt, struct rt_function *function, size_t index, size_t *offset,
                           size_t *size_bytes)
{
    cudaError_t error = offset ? function_load(rt, function) : cudaErrorInvalidValue;
    if (error)
        return error;
    if (index >= function->kernel->n_params)
        return cudaErrorInvalidValue;
    *offset = function->kernel->params[index].offset;
    if (size_bytes)
        *size_bytes = function->kernel->params[index].size_bytes;
    return cudaSuccess;
}
