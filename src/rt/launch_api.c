// Launching kernels: what <<< >>> compiles to, and the calls that programs write themselves.
#include "rt/api.h"
#include "rt/launch.h"
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

static void take_shape(uint32_t out[3], dim3 shape)
{
    out[0] = shape.x;
    out[1] = shape.y;
    out[2] = shape.z;
}

// The parameter block, in the arena of the launch. NULL: the call gives none, or too little.
static const uint8_t *take_params(struct rt *rt, const struct launch_call *call, const struct kernel *kernel)
{
    uint32_t end = 0;
    if (call->arguments || kernel->n_params == 0)
        return kernel_pack(&rt->launch_arena, kernel, call->arguments);
    for (uint32_t i = 0; i < kernel->n_params; i++)
        if (kernel->params[i].offset + kernel->params[i].size_bytes > end)
            end = kernel->params[i].offset + kernel->params[i].size_bytes;
    if (!call->buffer || call->buffer_bytes < end) // padding at its end may be missing
        return NULL;
    uint8_t *params = arena_alloc(&rt->launch_arena, kernel->param_bytes, 16);
    memcpy(params, call->buffer, end);
    return params;
}

// What the launch asks for, else what the function was set to, else what its code says.
static void take_cluster(uint32_t out[3], const struct launch_call *call, const struct rt_function *function)
{
    take_shape(out, call->cluster);
    for (int i = 0; i < 3 && !call->cluster.x; i++)
        out[i] = function->required_cluster[0] ? (uint32_t)function->required_cluster[i] : function->kernel->required_cluster[i];
    for (int i = 1; i < 3 && out[0]; i++)
        out[i] = out[i] ? out[i] : 1;
}

cudaError_t launch_op(struct rt *rt, const struct launch_call *call, struct rt_op *op)
{
    struct rt_function *function = function_of(rt, call->function);
    if (!function)
        return cudaErrorInvalidResourceHandle; // what is no stub is taken for a handle
    cudaError_t error = function_load(rt, function);
    if (error)
        return error;
    const uint8_t *params = take_params(rt, call, function->kernel);
    if (!params)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_KERNEL};
    op->kernel = (struct op_kernel){.function = function,
                                    .is_cooperative = call->is_cooperative,
                                    .carveout_percent = call->carveout_percent,
                                    .shared_bytes = call->shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)call->shared_bytes,
                                    .params = params,
                                    .param_bytes = function->kernel->param_bytes};
    take_shape(op->kernel.grid, call->grid);
    take_shape(op->kernel.block, call->block);
    take_cluster(op->kernel.cluster, call, function);
    if (call->carveout_percent < 0)
        op->kernel.carveout_percent = function->carveout_percent;
    return kernel_check(rt, &op->kernel);
}

cudaError_t kernel_launch(struct rt *rt, const struct launch_call *call)
{
    struct rt_op op;
    struct rt_stream *stream = stream_of(rt, call->stream);
    cudaError_t error = launch_op(rt, call, &op);
    if (!error && !stream)
        return cudaErrorInvalidResourceHandle;
    return error ? error : rt_submit(rt, stream, &op);
}

static cudaError_t launch_plain(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                cudaStream_t stream, bool is_cooperative)
{
    const struct launch_call call = {.function = function,
                                     .grid = grid,
                                     .block = block,
                                     .arguments = arguments,
                                     .shared_bytes = shared_bytes,
                                     .stream = stream,
                                     .is_cooperative = is_cooperative,
                                     .carveout_percent = -1};
    return RT_CALL(rt, kernel_launch(rt, &call));
}

cudaError_t wg_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                cudaStream_t stream)
{
    return launch_plain(function, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t wg___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  cudaStream_t stream)
{
    return launch_plain(kernel, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t wg_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes, cudaStream_t stream)
{
    return launch_plain(function, grid, block, arguments, shared_bytes, stream, true);
}

void launch_attribute(struct launch_call *call, const cudaLaunchAttribute *attribute)
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
        launch_attribute(&call, &config->attrs[i]);
    return RT_CALL(rt, kernel_launch(rt, &call));
}
