// cuFunc…, cuOccupancy…: what programs ask of kernels.
#include "rt/driver.h"
#include "rt/function.h"
#include "rt/launch.h"
#include <stdlib.h>

// Evaluates `result` for the function behind a handle.
#define WITH_FUNCTION(rt, handle, function, result)                      \
    __extension__({                                                      \
        struct rt_function *function = function_of(rt, handle);          \
        function ? (result) : cudaErrorInvalidResourceHandle;            \
    })

// ---- attributes ----------------------------------------------------------------------------------------------------

CUresult wg_cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_attribute_get(rt, f, attribute, value)));
}

CUresult wg_cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_attribute_set(rt, f, attribute, value)));
}

// Preferences that newer hardware does not have; they choose no carve-out.
static cudaError_t set_preference(int *out, int value, int most)
{
    if (value < 0 || value > most)
        return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

CUresult wg_cuFuncSetCacheConfig(CUfunction function, int config)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, set_preference(&f->cache_config, config, 3)));
}

CUresult wg_cuFuncSetSharedMemConfig(CUfunction function, int config)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, set_preference(&f->shared_config, config, 2)));
}

static cudaError_t get_name(const struct rt_function *function, const char **name)
{
    if (!name)
        return cudaErrorInvalidValue;
    *name = function->name;
    return cudaSuccess;
}

CUresult wg_cuFuncGetName(const char **name, CUfunction function)
{
    return DRIVER_INIT_CALL(rt, WITH_FUNCTION(rt, function, f, get_name(f, name)));
}

static cudaError_t get_module(const struct rt_function *function, CUmodule *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = function->module;
    return cudaSuccess;
}

CUresult wg_cuFuncGetModule(CUmodule *out, CUfunction function)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, get_module(f, out)));
}

CUresult wg_cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size_bytes)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_param(rt, f, index, offset, size_bytes)));
}

static cudaError_t is_loaded(const struct rt_function *function, int *state)
{
    if (!state)
        return cudaErrorInvalidValue;
    *state = function->kernel != NULL;
    return cudaSuccess;
}

CUresult wg_cuFuncIsLoaded(int *state, CUfunction function)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, is_loaded(f, state)));
}

CUresult wg_cuFuncLoad(CUfunction function)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_load(rt, f)));
}

// ---- occupancy -----------------------------------------------------------------------------------------------------

CUresult wg_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_size,
                                                                 size_t shared_bytes, unsigned flags)
{
    enum { KNOWN_FLAGS = 1 }; // CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE: the caching of global loads costs nothing here
    if (flags & ~(unsigned)KNOWN_FLAGS)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_blocks(rt, f, block_size, shared_bytes, blocks)));
}

CUresult wg_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
                                                        size_t shared_bytes)
{
    return wg_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes, 0);
}

CUresult wg_cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size, CUfunction function,
                                                      CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit,
                                                      unsigned flags)
{
    (void)flags;
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f,
                                         function_best_block(rt, f, shared_of, shared_bytes, limit, grid_size,
                                                             block_size)));
}

CUresult wg_cuOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, CUfunction function,
                                             CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit)
{
    return wg_cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_of, shared_bytes,
                                                        limit, 0);
}

CUresult wg_cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int block_size)
{
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f, function_free_shared(rt, f, blocks, block_size, bytes)));
}

// Threads of a block and blocks of a cluster, as a launch configuration has them.
static uint32_t threads_of(const struct CUlaunchConfig *config)
{
    return config->blockDimX * config->blockDimY * config->blockDimZ;
}

static uint32_t cluster_of(const struct CUlaunchConfig *config)
{
    struct launch_call call = {.cluster = {1, 1, 1}};
    for (unsigned i = 0; i < config->numAttrs; i++)
        launch_attribute(&call, &config->attrs[i]);
    return call.cluster.x * call.cluster.y * call.cluster.z;
}

CUresult wg_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const struct CUlaunchConfig *config)
{
    if (!config)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f,
                                         function_clusters(rt, f, threads_of(config), config->sharedMemBytes,
                                                           cluster_of(config), clusters)));
}

CUresult wg_cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const struct CUlaunchConfig *config)
{
    if (!config)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    return DRIVER_CALL(rt, WITH_FUNCTION(rt, function, f,
                                         function_max_cluster(rt, f, threads_of(config), config->sharedMemBytes,
                                                              size)));
}
