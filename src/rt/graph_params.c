// Parameters of graph nodes: structures of the runtime API become operations, and operations become
// structures again.
#include "rt/graph_params.h"
#include "rt/launch.h"
#include "rt/memory.h"

// ---- kernels --------------------------------------------------------------------------------------------

// `extra` is a list of keys and values: the parameter block and its size.
static void take_extra(struct launch_call *call, void **extra)
{
    enum { END, BUFFER_POINTER, BUFFER_SIZE };
    for (; extra && (uintptr_t)*extra != END; extra += 2)
        if ((uintptr_t)*extra == BUFFER_POINTER)
            call->buffer = extra[1];
        else if ((uintptr_t)*extra == BUFFER_SIZE)
            call->buffer_bytes = *(const size_t *)extra[1];
        else
            return;
}

cudaError_t op_of_kernel(struct rt *rt, const struct cudaKernelNodeParams *params,
                         const struct rt_graph_node *like, struct rt_op *op)
{
    if (!params || (params->kernelParams && params->extra))
        return cudaErrorInvalidValue;
    struct launch_call call = {.function = params->func,
                               .grid = params->gridDim,
                               .block = params->blockDim,
                               .arguments = params->kernelParams,
                               .shared_bytes = params->sharedMemBytes,
                               .carveout_percent = -1};
    take_extra(&call, params->extra);
    if (like && like->op.kind == OP_KERNEL) {
        const struct op_kernel *kernel = &like->op.kernel;
        call.is_cooperative = kernel->is_cooperative;
        call.cluster = (dim3){kernel->cluster[0], kernel->cluster[1], kernel->cluster[2]};
        call.carveout_percent = kernel->carveout_percent;
    }
    return launch_op(rt, &call, op);
}

struct cudaKernelNodeParams params_of_kernel(const struct rt_graph_node *node)
{
    const struct op_kernel *kernel = &node->op.kernel;
    const void *function = kernel->function->stub ? kernel->function->stub : kernel->function;
    return (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)function,
                                         .gridDim = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                         .blockDim = {kernel->block[0], kernel->block[1], kernel->block[2]},
                                         .sharedMemBytes = kernel->shared_bytes,
                                         .kernelParams = node->arguments};
}

// ---- fills ------------------------------------------------------------------------------------------------

cudaError_t op_of_fill(struct rt *rt, const struct cudaMemsetParams *params, struct rt_op *op)
{
    if (!params || !params->dst || params->width == 0 || params->height == 0)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_FILL};
    op->fill =
        (struct op_fill){.to = {.address = (uint64_t)(uintptr_t)params->dst, .pitch_bytes = params->pitch},
                         .value = params->value,
                         .element_bytes = params->elementSize,
                         .width = params->width,
                         .height = params->height,
                         .depth = 1};
    return fill_check(rt, &op->fill);
}

struct cudaMemsetParams params_of_fill(const struct op_fill *fill)
{
    return (struct cudaMemsetParams){.dst = (void *)(uintptr_t)fill->to.address,
                                     .pitch = fill->to.pitch_bytes,
                                     .value = fill->value,
                                     .elementSize = fill->element_bytes,
                                     .width = fill->width,
                                     .height = fill->height};
}

// ---- copies
// -------------------------------------------------------------------------------------------------

cudaError_t op_of_copy(struct rt *rt, const struct cudaMemcpy3DParms *params, struct rt_op *op)
{
    if (!params)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_COPY};
    cudaError_t error = copy_of_3d(rt, params, &op->copy);
    return error ? error : copy_check(rt, &op->copy);
}

cudaError_t op_of_bytes(struct rt *rt, void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                        struct rt_op *op)
{
    if (!to || !from || count == 0)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_COPY};
    op->copy = (struct op_copy){.from = {.address = (uint64_t)(uintptr_t)from},
                                .to = {.address = (uint64_t)(uintptr_t)to},
                                .width_bytes = count,
                                .height = 1,
                                .depth = 1,
                                .kind = kind};
    return copy_check(rt, &op->copy);
}

static cudaError_t place_in_symbol(struct rt *rt, const void *symbol, size_t count, size_t offset,
                                   void **place)
{
    uint64_t address, size_bytes;
    cudaError_t error = variable_of(rt, symbol, &address, &size_bytes);
    if (error)
        return error;
    *place = (void *)(uintptr_t)(address + offset);
    return offset > size_bytes || count > size_bytes - offset ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t op_to_symbol(struct rt *rt, const void *symbol, const void *from, size_t count, size_t offset,
                         enum cudaMemcpyKind kind, struct rt_op *op)
{
    void *to;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = place_in_symbol(rt, symbol, count, offset, &to);
    return error ? error : op_of_bytes(rt, to, from, count, kind, op);
}

cudaError_t op_from_symbol(struct rt *rt, void *to, const void *symbol, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, struct rt_op *op)
{
    void *from;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = place_in_symbol(rt, symbol, count, offset, &from);
    return error ? error : op_of_bytes(rt, to, from, count, kind, op);
}

// A place in an array is told by its position, another one by its pointer.
static void tell_place(const struct op_place *place, const struct op_copy *copy, cudaArray_t *array,
                       struct cudaPos *pos, struct cudaPitchedPtr *pointer)
{
    if (place->array) {
        uint64_t offset = place->address - place->array->address, slice = place->array->slice_bytes,
                 pitch = place->array->pitch_bytes;
        *array = place->array;
        pos->z = slice ? offset / slice : 0;
        pos->y = pitch ? (offset - pos->z * slice) / pitch : 0;
        pos->x = (offset - pos->z * slice - pos->y * pitch) / place->array->element_bytes;
        return;
    }
    uint64_t pitch = place->pitch_bytes ? place->pitch_bytes : copy->width_bytes;
    *pointer = (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)place->address,
                                       .pitch = pitch,
                                       .xsize = copy->width_bytes,
                                       .ysize = place->slice_bytes && pitch ? place->slice_bytes / pitch
                                                                            : copy->height};
}

struct cudaMemcpy3DParms params_of_copy(const struct op_copy *copy)
{
    struct cudaMemcpy3DParms out = {.extent = {copy->width_bytes, copy->height, copy->depth},
                                    .kind = copy->kind};
    const struct rt_array *array = copy->from.array ? copy->from.array : copy->to.array;
    tell_place(&copy->from, copy, &out.srcArray, &out.srcPos, &out.srcPtr);
    tell_place(&copy->to, copy, &out.dstArray, &out.dstPos, &out.dstPtr);
    if (array) // widths of copies with arrays count elements
        out.extent.width /= array->element_bytes;
    return out;
}

// ---- the rest
// -------------------------------------------------------------------------------------------------

cudaError_t op_of_host(const struct cudaHostNodeParams *params, struct rt_op *op)
{
    if (!params)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_HOST, .host = {params->fn, params->userData}};
    return cudaSuccess;
}

cudaError_t op_of_params(struct rt *rt, const struct cudaGraphNodeParams *params,
                         const struct rt_graph_node *like, struct rt_op *op)
{
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return op_of_kernel(rt, &params->kernel, like, op);
    case cudaGraphNodeTypeMemcpy:
        return op_of_copy(rt, &params->memcpy.copyParams, op);
    case cudaGraphNodeTypeMemset:
        return op_of_fill(rt, &params->memset, op);
    case cudaGraphNodeTypeHost:
        return op_of_host(&params->host, op);
    case cudaGraphNodeTypeGraph:
        *op = (struct rt_op){.kind = OP_GRAPH, .graph = params->graph.graph};
        return cudaSuccess;
    case cudaGraphNodeTypeEmpty:
        *op = (struct rt_op){.kind = OP_EMPTY};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        *op = (struct rt_op){.kind = OP_EVENT_WAIT, .event = params->eventWait.event};
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        *op = (struct rt_op){.kind = OP_EVENT_RECORD, .event = params->eventRecord.event};
        return cudaSuccess;
    case cudaGraphNodeTypeConditional:
        rt_explain(rt, "conditional node", "cudaGraphAddNode: conditional nodes are not supported");
        return cudaErrorNotSupported;
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        rt_explain(rt, "semaphore node",
                   "cudaGraphAddNode: semaphores of other programs' devices are not supported");
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}
