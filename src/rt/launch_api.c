// Launching kernels: what <<< >>> compiles to, and the calls that programs write themselves.
#include "rt/api.h"
#include <string.h>

// ---- <<< >>> --------------------------------------------------------------------------------------------

unsigned wg___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
    struct rt_thread *thread = rt_thread();
    uint32_t most = sizeof thread->calls / sizeof thread->calls[0];
    if (thread->n_calls == most)
        return 1; // the program does not launch then
    thread->calls[thread->n_calls++] = (struct rt_pending_launch){grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t wg___cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    struct rt_thread *thread = rt_thread();
    if (thread->n_calls == 0)
        return cudaErrorMissingConfiguration;
    const struct rt_pending_launch *call = &thread->calls[--thread->n_calls];
    *grid = call->grid;
    *block = call->block;
    *shared_bytes = call->shared_bytes;
    *(void **)stream = call->stream;
    return cudaSuccess;
}

// ---- all launches end here ------------------------------------------------------------------------------

struct launch_call {
    const void *function; // stub or handle
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes;
    cudaStream_t stream;
    bool is_cooperative;
    dim3 cluster;
    int carveout_percent;
};

static void take_shape(uint32_t out[3], dim3 shape)
{
    out[0] = shape.x;
    out[1] = shape.y;
    out[2] = shape.z;
}

static cudaError_t launch(struct rt *rt, const struct launch_call *call)
{
    struct rt_function *function = function_of(rt, call->function);
    struct rt_stream *stream = stream_of(rt, call->stream);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = function_load(rt, function);
    if (error)
        return error;
    struct rt_op op = {.kind = OP_KERNEL};
    op.kernel = (struct op_kernel){.function = function,
                                   .is_cooperative = call->is_cooperative,
                                   .carveout_percent = call->carveout_percent,
                                   .shared_bytes = call->shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)call->shared_bytes,
                                   .params = kernel_pack(&rt->launch_arena, function->kernel, call->arguments),
                                   .param_bytes = function->kernel->param_bytes};
    take_shape(op.kernel.grid, call->grid);
    take_shape(op.kernel.block, call->block);
    take_shape(op.kernel.cluster, call->cluster);
    error = kernel_check(rt, &op.kernel);
    return error ? error : rt_submit(rt, stream, &op);
}

cudaError_t wg_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                cudaStream_t stream)
{
    const struct launch_call call = {function, grid, block, arguments, shared_bytes, stream, false, {0, 0, 0}, -1};
    return RT_CALL(rt, launch(rt, &call));
}

cudaError_t wg___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  cudaStream_t stream)
{
    return wg_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t wg_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes, cudaStream_t stream)
{
    const struct launch_call call = {function, grid, block, arguments, shared_bytes, stream, true, {0, 0, 0}, -1};
    return RT_CALL(rt, launch(rt, &call));
}

// Attributes that change results or counters; the others order launches or place them, which one order makes moot.
static void take_attribute(struct launch_call *call, const cudaLaunchAttribute *attribute)
{
    switch (attribute->id) {
    case cudaLaunchAttributeCooperative:
        call->is_cooperative = attribute->val.cooperative;
        break;
    case cudaLaunchAttributeClusterDimension:
        call->cluster = (dim3){attribute->val.cluster.x, attribute->val.cluster.y, attribute->val.cluster.z};
        break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        call->carveout_percent = (int)attribute->val.preferred_shared_carveout;
        break;
    default:
        break;
    }
}

cudaError_t wg_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    struct launch_call call = {.function = function, .arguments = arguments, .carveout_percent = -1};
    if (!config)
        return RT_CALL(rt, cudaErrorInvalidValue);
    call.grid = config->gridDim;
    call.block = config->blockDim;
    call.shared_bytes = config->dynamicSmemBytes;
    call.stream = config->stream;
    for (unsigned i = 0; i < config->numAttrs; i++)
        take_attribute(&call, &config->attrs[i]);
    return RT_CALL(rt, launch(rt, &call));
}
