// Nodes of graphs, added, queried and changed: the runtime API.
#include "rt/api.h"
#include "rt/graph_params.h"

// Adds an operation, unless making it failed.
static cudaError_t add(struct rt *rt, cudaError_t error, cudaGraphNode_t *out, cudaGraph_t graph,
                       const cudaGraphNode_t *nodes, size_t n, const struct rt_op *op)
{
    const struct graph_edges edges = {nodes, NULL, n};
    return error ? error : graph_add(rt, graph, &edges, op, out);
}

static cudaError_t set(struct rt *rt, cudaError_t error, cudaGraphNode_t node, const struct rt_op *op)
{
    return error ? error : node_set(rt, node, op);
}

// The node's operation if it is of that kind and there is room for the answer.
static const struct rt_op *get(struct rt *rt, cudaGraphNode_t node, enum op_kind kind, const void *out)
{
    const struct rt_op *op = NULL;
    return out && node_get(rt, node, kind, &op) == cudaSuccess ? op : NULL;
}

// ---- kernels --------------------------------------------------------------------------------------------

cudaError_t wg_cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                      size_t n, const struct cudaKernelNodeParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, add(rt, op_of_kernel(rt, params, NULL, &op), out, graph, nodes, n, &op));
}

static cudaError_t get_kernel(struct rt *rt, cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    if (!get(rt, node, OP_KERNEL, params))
        return cudaErrorInvalidValue;
    *params = params_of_kernel(node);
    return cudaSuccess;
}

cudaError_t wg_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    return RT_CALL(rt, get_kernel(rt, node, params));
}

static cudaError_t set_kernel(struct rt *rt, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    struct rt_op op;
    if (!get(rt, node, OP_KERNEL, params))
        return cudaErrorInvalidValue;
    return set(rt, op_of_kernel(rt, params, node, &op), node, &op);
}

cudaError_t wg_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    return RT_CALL(rt, set_kernel(rt, node, params));
}

cudaError_t wg_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                                               union launch_attribute_value *value)
{
    return RT_CALL(rt, node_attribute_get(rt, node, id, value));
}

cudaError_t wg_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                                               const union launch_attribute_value *value)
{
    return RT_CALL(rt, node_attribute_set(rt, node, id, value));
}

cudaError_t wg_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    return RT_CALL(rt, node_attributes_copy(rt, to, from));
}

// ---- copies -----------------------------------------------------------------------------------------------

cudaError_t wg_cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                      size_t n, const struct cudaMemcpy3DParms *params)
{
    struct rt_op op;
    return RT_CALL(rt, add(rt, op_of_copy(rt, params, &op), out, graph, nodes, n, &op));
}

cudaError_t wg_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                        size_t n, void *to, const void *from, size_t count,
                                        enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, add(rt, op_of_bytes(rt, to, from, count, kind, &op), out, graph, nodes, n, &op));
}

cudaError_t wg_cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                              const cudaGraphNode_t *nodes, size_t n, const void *symbol,
                                              const void *from, size_t count, size_t offset,
                                              enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(
        rt, add(rt, op_to_symbol(rt, symbol, from, count, offset, kind, &op), out, graph, nodes, n, &op));
}

cudaError_t wg_cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                                const cudaGraphNode_t *nodes, size_t n, void *to,
                                                const void *symbol, size_t count, size_t offset,
                                                enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(
        rt, add(rt, op_from_symbol(rt, to, symbol, count, offset, kind, &op), out, graph, nodes, n, &op));
}

static cudaError_t get_copy(struct rt *rt, cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    const struct rt_op *op = get(rt, node, OP_COPY, params);
    if (op)
        *params = params_of_copy(&op->copy);
    return op ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    return RT_CALL(rt, get_copy(rt, node, params));
}

cudaError_t wg_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_copy(rt, params, &op), node, &op));
}

cudaError_t wg_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t count,
                                              enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_bytes(rt, to, from, count, kind, &op), node, &op));
}

cudaError_t wg_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                    const void *from, size_t count, size_t offset,
                                                    enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_to_symbol(rt, symbol, from, count, offset, kind, &op), node, &op));
}

cudaError_t wg_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                                      size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_from_symbol(rt, to, symbol, count, offset, kind, &op), node, &op));
}

// ---- fills, host functions
// ----------------------------------------------------------------------------------

cudaError_t wg_cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                      size_t n, const struct cudaMemsetParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, add(rt, op_of_fill(rt, params, &op), out, graph, nodes, n, &op));
}

static cudaError_t get_fill(struct rt *rt, cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    const struct rt_op *op = get(rt, node, OP_FILL, params);
    if (op)
        *params = params_of_fill(&op->fill);
    return op ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    return RT_CALL(rt, get_fill(rt, node, params));
}

cudaError_t wg_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_fill(rt, params, &op), node, &op));
}

cudaError_t wg_cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                    size_t n, const struct cudaHostNodeParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, add(rt, op_of_host(params, &op), out, graph, nodes, n, &op));
}

static cudaError_t get_host(struct rt *rt, cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    const struct rt_op *op = get(rt, node, OP_HOST, params);
    if (op)
        *params = (struct cudaHostNodeParams){op->host.function, op->host.data};
    return op ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    return RT_CALL(rt, get_host(rt, node, params));
}

cudaError_t wg_cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    struct rt_op op;
    return RT_CALL(rt, set(rt, op_of_host(params, &op), node, &op));
}

// ---- empty nodes, child graphs, events
// ----------------------------------------------------------------------

cudaError_t wg_cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                     size_t n)
{
    const struct rt_op op = {.kind = OP_EMPTY};
    return RT_CALL(rt, add(rt, cudaSuccess, out, graph, nodes, n, &op));
}

cudaError_t wg_cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes, size_t n, cudaGraph_t child)
{
    const struct rt_op op = {.kind = OP_GRAPH, .graph = child};
    return RT_CALL(rt, add(rt, cudaSuccess, out, graph, nodes, n, &op));
}

static cudaError_t get_graph(struct rt *rt, cudaGraphNode_t node, cudaGraph_t *out)
{
    const struct rt_op *op = get(rt, node, OP_GRAPH, out);
    if (op)
        *out = op->graph;
    return op ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    return RT_CALL(rt, get_graph(rt, node, out));
}

cudaError_t wg_cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *nodes, size_t n, cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return RT_CALL(rt, add(rt, cudaSuccess, out, graph, nodes, n, &op));
}

cudaError_t wg_cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                         const cudaGraphNode_t *nodes, size_t n, cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return RT_CALL(rt, add(rt, cudaSuccess, out, graph, nodes, n, &op));
}

static cudaError_t get_event(struct rt *rt, cudaGraphNode_t node, enum op_kind kind, cudaEvent_t *out)
{
    const struct rt_op *op = get(rt, node, kind, out);
    if (op)
        *out = op->event;
    return op ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return RT_CALL(rt, get_event(rt, node, OP_EVENT_RECORD, out));
}

cudaError_t wg_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return RT_CALL(rt, get_event(rt, node, OP_EVENT_WAIT, out));
}

cudaError_t wg_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return RT_CALL(rt, node_set(rt, node, &op));
}

cudaError_t wg_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    const struct rt_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return RT_CALL(rt, node_set(rt, node, &op));
}
