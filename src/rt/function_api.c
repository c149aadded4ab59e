// Asking for and setting attributes of kernels; kernels and modules loaded by hand (cudaLibrary…).
#include "rt/api.h"
#include "rt/function.h"

static cudaError_t get_attributes(struct rt *rt, struct cudaFuncAttributes *out, const void *stub)
{
    struct rt_function *function = function_of(rt, stub);
    static const struct {
        int attribute;
        size_t offset;
        bool is_size;
    } members[] = {
        {FUNCTION_SHARED_BYTES, offsetof(struct cudaFuncAttributes, sharedSizeBytes), true},
        {FUNCTION_CONST_BYTES, offsetof(struct cudaFuncAttributes, constSizeBytes), true},
        {FUNCTION_LOCAL_BYTES, offsetof(struct cudaFuncAttributes, localSizeBytes), true},
        {FUNCTION_MAX_THREADS, offsetof(struct cudaFuncAttributes, maxThreadsPerBlock), false},
        {FUNCTION_REGISTERS, offsetof(struct cudaFuncAttributes, numRegs), false},
        {FUNCTION_PTX_VERSION, offsetof(struct cudaFuncAttributes, ptxVersion), false},
        {FUNCTION_BINARY_VERSION, offsetof(struct cudaFuncAttributes, binaryVersion), false},
        {FUNCTION_CACHE_MODE_CA, offsetof(struct cudaFuncAttributes, cacheModeCA), false},
        {FUNCTION_MAX_DYNAMIC_SHARED_BYTES, offsetof(struct cudaFuncAttributes, maxDynamicSharedSizeBytes), false},
        {FUNCTION_CARVEOUT_PERCENT, offsetof(struct cudaFuncAttributes, preferredShmemCarveout), false},
        {FUNCTION_CLUSTER_MUST_BE_SET, offsetof(struct cudaFuncAttributes, clusterDimMustBeSet), false},
        {FUNCTION_CLUSTER_WIDTH, offsetof(struct cudaFuncAttributes, requiredClusterWidth), false},
        {FUNCTION_CLUSTER_HEIGHT, offsetof(struct cudaFuncAttributes, requiredClusterHeight), false},
        {FUNCTION_CLUSTER_DEPTH, offsetof(struct cudaFuncAttributes, requiredClusterDepth), false},
        {FUNCTION_CLUSTER_POLICY, offsetof(struct cudaFuncAttributes, clusterSchedulingPolicyPreference), false},
        {FUNCTION_NON_PORTABLE_CLUSTER, offsetof(struct cudaFuncAttributes, nonPortableClusterSizeAllowed), false}};
    if (!out)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    *out = (struct cudaFuncAttributes){0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        int value;
        cudaError_t error = function_attribute_get(rt, function, members[i].attribute, &value);
        if (error)
            return error;
        void *member = (char *)out + members[i].offset;
        if (members[i].is_size)
            *(size_t *)member = (size_t)value;
        else
            *(int *)member = value;
    }
    return cudaSuccess;
}

cudaError_t wg_cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function)
{
    return RT_CALL(rt, get_attributes(rt, out, function));
}

static cudaError_t set_attribute(struct rt *rt, const void *stub, int attribute, int value)
{
    struct rt_function *function = function_of(rt, stub);
    return function ? function_attribute_set(rt, function, attribute, value) : cudaErrorInvalidDeviceFunction;
}

cudaError_t wg_cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    return RT_CALL(rt, set_attribute(rt, function, attribute, value));
}

cudaError_t wg_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value, int device)
{
    return RT_CALL(rt, device ? cudaErrorInvalidDevice : set_attribute(rt, kernel, attribute, value));
}

static cudaError_t set_cache_config(struct rt *rt, const void *stub, int config)
{
    struct rt_function *function = function_of(rt, stub);
    return function ? (function->cache_config = config, cudaSuccess) : cudaErrorInvalidDeviceFunction;
}

cudaError_t wg_cudaFuncSetCacheConfig(const void *function, int config)
{
    return RT_CALL(rt, set_cache_config(rt, function, config));
}

static cudaError_t get_name(struct rt *rt, const char **name, const void *stub)
{
    struct rt_function *function = function_of(rt, stub);
    if (!name)
        return cudaErrorInvalidValue;
    return function ? (*name = function->name, cudaSuccess) : cudaErrorInvalidDeviceFunction;
}

cudaError_t wg_cudaFuncGetName(const char **name, const void *function)
{
    return RT_CALL(rt, get_name(rt, name, function));
}

static cudaError_t get_param(struct rt *rt, const void *stub, size_t index, size_t *offset, size_t *size_bytes)
{
    struct rt_function *function = function_of(rt, stub);
    if (!offset)
        return cudaErrorInvalidValue;
    return function ? function_param(rt, function, index, offset, size_bytes) : cudaErrorInvalidDeviceFunction;
}

cudaError_t wg_cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size_bytes)
{
    return RT_CALL(rt, get_param(rt, function, index, offset, size_bytes));
}

// A kernel handle of ours serves as the driver's function, too.
cudaError_t wg_cudaGetFuncBySymbol(cudaKernel_t *out, const void *stub)
{
    return wg___cudaGetKernel(out, stub);
}

cudaError_t wg_cudaGetKernel(cudaKernel_t *out, const void *stub)
{
    return wg___cudaGetKernel(out, stub);
}
