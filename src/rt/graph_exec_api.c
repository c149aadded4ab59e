// Executable graphs: the runtime API.
#include "rt/api.h"
#include "rt/graph_params.h"

// ---- made, launched, destroyed ----------------------------------------------------------------------------

cudaError_t wg_cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                             unsigned long long flags)
{
    return RT_CALL(rt, exec_create(rt, graph, flags, out, NULL, NULL));
}

// CUDA 11: tells the node at fault, and leaves the log empty.
cudaError_t wg_cudaGraphInstantiate_v1(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                       char *log, size_t log_bytes)
{
    if (log && log_bytes)
        *log = '\0';
    return RT_CALL(rt, exec_create(rt, graph, 0, out, NULL, error_node));
}

static cudaError_t create_with(struct rt *rt, cudaGraphExec_t *out, cudaGraph_t graph,
                               cudaGraphInstantiateParams *params)
{
    if (!params)
        return cudaErrorInvalidValue;
    if (params->flags & cudaGraphInstantiateFlagUpload && !stream_of(rt, params->uploadStream))
        return cudaErrorInvalidResourceHandle;
    return exec_create(rt, graph, params->flags, out, &params->result_out, &params->errNode_out);
}

cudaError_t wg_cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                              cudaGraphInstantiateParams *params)
{
    return RT_CALL(rt, create_with(rt, out, graph, params));
}

static cudaError_t get_flags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!flags || !handle_is(exec, HANDLE_EXEC))
        return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t wg_cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    return RT_CALL(rt, get_flags(exec, flags));
}

cudaError_t wg_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return RT_CALL(rt, exec_launch(rt, exec, stream));
}

cudaError_t wg_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return RT_CALL(rt, exec_upload(rt, exec, stream));
}

cudaError_t wg_cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return RT_CALL(rt, exec_destroy(rt, exec));
}

// ---- changed --------------------------------------------------------------------------------------------

cudaError_t wg_cudaGraphExecUpdate_v1(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                      enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    cudaError_t error = RT_CALL(rt, exec_update(rt, exec, graph, &info));
    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

cudaError_t wg_cudaGraphExecUpdate_v2(cudaGraphExec_t exec, cudaGraph_t graph,
                                      cudaGraphExecUpdateResultInfo *info)
{
    return RT_CALL(rt, exec_update(rt, exec, graph, info));
}

static cudaError_t set(struct rt *rt, cudaError_t error, cudaGraphExec_t exec, cudaGraphNode_t node,
                       const struct rt_op *op)
{
    return error ? error : exec_node_set(rt, exec, node, op);
}

static cudaError_t set_kernel(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node,
                              const struct cudaKernelNodeParams *params)
{
    struct rt_op op;
    if (!handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    return set(rt, op_of_kernel(rt, params, node, &op), exec, node, &op);
}

cudaError_t wg_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams *params)
{
    return RT_CALL(rt, set_kernel(rt, exec, node, params));
}

cudaError_t wg_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                const struct cudaMemcpy3DParms *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_copy(rt, params, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                  const void *from, size_t count, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_bytes(rt, to, from, count, kind, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const void *symbol, const void *from, size_t count,
                                                        size_t offset, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_to_symbol(rt, symbol, from, count, offset, kind, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                          void *to, const void *symbol, size_t count,
                                                          size_t offset, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_from_symbol(rt, to, symbol, count, offset, kind, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                const struct cudaMemsetParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_fill(rt, params, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              const struct cudaHostNodeParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_host(params, &op), exec, node, &op));
}

cudaError_t wg_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    cudaGraph_t child)
{
    const struct rt_op op = {.kind = OP_GRAPH, .graph = child};
    return RT_CALL(rt, exec_node_set(rt, exec, node, &op));
}

cudaError_t wg_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return RT_CALL(rt, exec_node_set(rt, exec, node, &op));
}

cudaError_t wg_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return RT_CALL(rt, exec_node_set(rt, exec, node, &op));
}

cudaError_t wg_cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled)
{
    return RT_CALL(rt, exec_node_enable(rt, exec, node, is_enabled != 0));
}

cudaError_t wg_cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *is_enabled)
{
    bool is = false;
    cudaError_t error =
        RT_CALL(rt, is_enabled ? exec_node_is_enabled(rt, exec, node, &is) : cudaErrorInvalidValue);
    if (!error)
        *is_enabled = is;
    return error;
}
