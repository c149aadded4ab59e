// Nodes that allocate and free memory, and nodes of a kind that a structure names: the runtime API.
#include "rt/api.h"
#include "rt/graph_params.h"

// ---- memory ---------------------------------------------------------------------------------------------

static cudaError_t add_alloc(struct rt *rt, cudaGraphNode_t *out, cudaGraph_t graph,
                             const struct graph_edges *edges, struct cudaMemAllocNodeParams *params)
{
    if (!params || params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.handleTypes != cudaMemHandleTypeNone ||
        params->poolProps.location.type != cudaMemLocationTypeDevice || params->poolProps.location.id != 0)
        return cudaErrorInvalidValue;
    return graph_add_alloc(rt, graph, edges, params->bytesize, &params->dptr, out);
}

cudaError_t wg_cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                        size_t n, struct cudaMemAllocNodeParams *params)
{
    const struct graph_edges edges = {nodes, NULL, n};
    return RT_CALL(rt, add_alloc(rt, out, graph, &edges, params));
}

cudaError_t wg_cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                       size_t n, void *pointer)
{
    const struct graph_edges edges = {nodes, NULL, n};
    return RT_CALL(rt, graph_add_free(rt, graph, &edges, pointer, out));
}

static cudaError_t get_alloc(struct rt *rt, cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    const struct rt_op *op;
    if (!params || node_get(rt, node, OP_ALLOC, &op))
        return cudaErrorInvalidValue;
    *params = (struct cudaMemAllocNodeParams){.bytesize = op->memory.size_bytes,
                                              .dptr = (void *)(uintptr_t)op->memory.address};
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location.type = cudaMemLocationTypeDevice;
    return cudaSuccess;
}

cudaError_t wg_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    return RT_CALL(rt, get_alloc(rt, node, params));
}

static cudaError_t get_free(struct rt *rt, cudaGraphNode_t node, void *out)
{
    const struct rt_op *op;
    if (!out || node_get(rt, node, OP_FREE, &op))
        return cudaErrorInvalidValue;
    *(void **)out = (void *)(uintptr_t)op->memory.address;
    return cudaSuccess;
}

cudaError_t wg_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out)
{
    return RT_CALL(rt, get_free(rt, node, out));
}

// ---- any kind -------------------------------------------------------------------------------------------

static cudaError_t add_any(struct rt *rt, cudaGraphNode_t *out, cudaGraph_t graph,
                           const struct graph_edges *edges, struct cudaGraphNodeParams *params)
{
    struct rt_op op;
    if (!params)
        return cudaErrorInvalidValue;
    if (params->type == cudaGraphNodeTypeMemAlloc)
        return add_alloc(rt, out, graph, edges, &params->alloc);
    if (params->type == cudaGraphNodeTypeMemFree)
        return graph_add_free(rt, graph, edges, params->free.dptr, out);
    cudaError_t error = op_of_params(rt, params, NULL, &op);
    if (error)
        return error;
    error = graph_add(rt, graph, edges, &op, out);
    if (!error && op.kind == OP_GRAPH && params->graph.ownership == cudaGraphChildGraphOwnershipMove)
        node_adopt_graph(rt, *out, params->graph.graph);
    return error;
}

cudaError_t wg_cudaGraphAddNode_v1(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                   size_t n, struct cudaGraphNodeParams *params)
{
    const struct graph_edges edges = {nodes, NULL, n};
    return RT_CALL(rt, add_any(rt, out, graph, &edges, params));
}

cudaError_t wg_cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                   const cudaGraphEdgeData *data, size_t n,
                                   struct cudaGraphNodeParams *params)
{
    const struct graph_edges edges = {nodes, data, n};
    return RT_CALL(rt, add_any(rt, out, graph, &edges, params));
}

static cudaError_t set_any(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node,
                           const struct cudaGraphNodeParams *params)
{
    struct rt_op op;
    if (!params || !handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    cudaError_t error = op_of_params(rt, params, node, &op);
    if (error)
        return error;
    return exec ? exec_node_set(rt, exec, node, &op) : node_set(rt, node, &op);
}

cudaError_t wg_cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    return RT_CALL(rt, set_any(rt, NULL, node, params));
}

cudaError_t wg_cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                          struct cudaGraphNodeParams *params)
{
    return RT_CALL(rt, exec ? set_any(rt, exec, node, params) : cudaErrorInvalidValue);
}
