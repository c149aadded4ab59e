// cuLaunch…: kernels by handle, with parameters as an array of pointers or as bytes.
#include "rt/driver.h"
#include "rt/launch.h"
#include <stdlib.h>
#include <string.h>

// CU_LAUNCH_PARAM_…: `extra` is a list of these, each but the last with a value behind it.
#define EXTRA_END ((void *)0)
#define EXTRA_BUFFER ((void *)1)
#define EXTRA_SIZE ((void *)2)

// False: the list is no such list, or both forms of parameters are given.
static bool take_extra(struct launch_call *call, void **extra)
{
    if (!extra)
        return true;
    if (call->arguments)
        return false;
    for (; *extra != EXTRA_END; extra += 2)
        if (*extra == EXTRA_BUFFER)
            call->buffer = extra[1];
        else if (*extra == EXTRA_SIZE)
            call->buffer_bytes = *(size_t *)extra[1];
        else
            return false;
    return true;
}

static cudaError_t launch(struct rt *rt, struct launch_call *call, void **extra)
{
    return take_extra(call, extra) ? kernel_launch(rt, call) : cudaErrorInvalidValue;
}

CUresult wg_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared_bytes, cudaStream_t stream,
                           void **arguments, void **extra)
{
    struct launch_call call = {.function = function,
                               .grid = {grid_x, grid_y, grid_z},
                               .block = {block_x, block_y, block_z},
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .arguments = arguments,
                               .carveout_percent = -1};
    return DRIVER_CALL(rt, launch(rt, &call, extra));
}

CUresult wg_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                      cudaStream_t stream, void **arguments)
{
    struct launch_call call = {.function = function,
                               .grid = {grid_x, grid_y, grid_z},
                               .block = {block_x, block_y, block_z},
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .arguments = arguments,
                               .is_cooperative = true,
                               .carveout_percent = -1};
    return DRIVER_CALL(rt, launch(rt, &call, NULL));
}

static cudaError_t launch_config(struct rt *rt, const struct CUlaunchConfig *config, CUfunction function,
                                 void **arguments, void **extra)
{
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    struct launch_call call = {.function = function,
                               .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                               .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                               .shared_bytes = config->sharedMemBytes,
                               .stream = config->hStream,
                               .arguments = arguments,
                               .carveout_percent = -1};
    for (unsigned i = 0; i < config->numAttrs; i++)
        launch_attribute(&call, &config->attrs[i]);
    return launch(rt, &call, extra);
}

CUresult wg_cuLaunchKernelEx(const struct CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)
{
    return DRIVER_CALL(rt, launch_config(rt, config, function, arguments, extra));
}

// A twin whose stream lies in the configuration.
CUresult wg_cuLaunchKernelEx_ptsz(const struct CUlaunchConfig *config, CUfunction function, void **arguments,
                                  void **extra)
{
    if (!config || config->hStream)
        return wg_cuLaunchKernelEx(config, function, arguments, extra);
    struct CUlaunchConfig own = *config;
    own.hStream = STREAM_PER_THREAD;
    return wg_cuLaunchKernelEx(&own, function, arguments, extra);
}

// ---- launches in pieces: shape and parameters are set first (before CUDA 4.0) ------------------------------------------

struct legacy_launch {
    dim3 block;
    unsigned shared_bytes, n_params;
    uint8_t params[4096];
};

static struct legacy_launch *pieces(struct rt *rt, CUfunction handle)
{
    struct rt_function *function = function_of(rt, handle);
    if (function && !function->legacy)
        function->legacy = arena_new(&function->module->arena, struct legacy_launch);
    return function ? function->legacy : NULL;
}

static cudaError_t set_block(struct rt *rt, CUfunction function, int x, int y, int z)
{
    struct legacy_launch *p = pieces(rt, function);
    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (x < 1 || y < 1 || z < 1)
        return cudaErrorInvalidValue;
    p->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    return cudaSuccess;
}

CUresult wg_cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    return DRIVER_CALL(rt, set_block(rt, function, x, y, z));
}

static cudaError_t set_shared(struct rt *rt, CUfunction function, unsigned bytes)
{
    struct legacy_launch *p = pieces(rt, function);
    if (p)
        p->shared_bytes = bytes;
    return p ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CUresult wg_cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    return DRIVER_CALL(rt, set_shared(rt, function, bytes));
}

static cudaError_t set_size(struct rt *rt, CUfunction function, unsigned bytes)
{
    struct legacy_launch *p = pieces(rt, function);
    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (bytes > sizeof p->params)
        return cudaErrorInvalidValue;
    p->n_params = bytes;
    return cudaSuccess;
}

CUresult wg_cuParamSetSize(CUfunction function, unsigned bytes)
{
    return DRIVER_CALL(rt, set_size(rt, function, bytes));
}

static cudaError_t set_bytes(struct rt *rt, CUfunction function, int offset, const void *bytes, unsigned n)
{
    struct legacy_launch *p = pieces(rt, function);
    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (!bytes || offset < 0 || n > sizeof p->params || (size_t)offset > sizeof p->params - n)
        return cudaErrorInvalidValue;
    memcpy(p->params + offset, bytes, n);
    return cudaSuccess;
}

CUresult wg_cuParamSetv(CUfunction function, int offset, const void *bytes, unsigned n)
{
    return DRIVER_CALL(rt, set_bytes(rt, function, offset, bytes, n));
}

CUresult wg_cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return wg_cuParamSetv(function, offset, &value, sizeof value);
}

CUresult wg_cuParamSetf(CUfunction function, int offset, float value)
{
    return wg_cuParamSetv(function, offset, &value, sizeof value);
}

static cudaError_t launch_pieces(struct rt *rt, CUfunction function, int width, int height, cudaStream_t stream)
{
    const struct legacy_launch *p = pieces(rt, function);
    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (width < 1 || height < 1)
        return cudaErrorInvalidValue;
    struct launch_call call = {.function = function,
                               .grid = {(unsigned)width, (unsigned)height, 1},
                               .block = p->block,
                               .shared_bytes = p->shared_bytes,
                               .stream = stream,
                               .buffer = p->params,
                               .buffer_bytes = p->n_params,
                               .carveout_percent = -1};
    return launch(rt, &call, NULL);
}

CUresult wg_cuLaunchGridAsync(CUfunction function, int width, int height, cudaStream_t stream)
{
    return DRIVER_CALL(rt, launch_pieces(rt, function, width, height, stream));
}

CUresult wg_cuLaunchGrid(CUfunction function, int width, int height)
{
    return wg_cuLaunchGridAsync(function, width, height, NULL);
}

CUresult wg_cuLaunch(CUfunction function)
{
    return wg_cuLaunchGridAsync(function, 1, 1, NULL);
}
