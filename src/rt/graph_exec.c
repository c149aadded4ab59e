// Executable graphs: a copy of a graph, in an order in which it can run.
#include "rt/attribute.h"
#include "rt/graph_parts.h"
#include <stdlib.h>

// ---- making ---------------------------------------------------------------------------------------------

// Sorts child graphs too. False: one has a cycle.
static bool sort_all(struct rt_graph *graph)
{
    bool is_fine = graph_sort(graph);
    for (struct rt_graph_node *n = graph->first; n && is_fine; n = n->next)
        if (n->op.kind == OP_GRAPH)
            is_fine = sort_all(n->op.graph);
    return is_fine;
}

cudaError_t exec_create(struct rt *rt, cudaGraph_t graph, unsigned long long flags, cudaGraphExec_t *out,
                        cudaGraphInstantiateResult *result, cudaGraphNode_t *node)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
                                     cudaGraphInstantiateFlagUseNodePriority;
    cudaGraphInstantiateResult unused;
    result = result ? result : &unused;
    *result = cudaGraphInstantiateError;
    if (node)
        *node = NULL;
    if (!out || !handle_is(graph, HANDLE_GRAPH) || flags & ~known)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        rt_explain(rt, "device graph",
                   "cudaGraphInstantiate: graphs that device code launches are not supported");
        return cudaErrorNotSupported;
    }
    struct rt_graph *copy = graph_copy(rt, graph);
    if (!sort_all(copy)) {
        graph_delete(rt, copy);
        *result = cudaGraphInstantiateInvalidStructure;
        return cudaErrorInvalidValue;
    }
    *out = handle_new(&rt->handles, HANDLE_EXEC, sizeof **out);
    (*out)->graph = copy;
    (*out)->flags = flags;
    *result = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t exec_destroy(struct rt *rt, cudaGraphExec_t exec)
{
    if (!handle_is(exec, HANDLE_EXEC))
        return cudaErrorInvalidValue;
    graph_delete(rt, exec->graph);
    handle_free(&rt->handles, exec);
    return cudaSuccess;
}

// ---- running --------------------------------------------------------------------------------------------

// Runs in order; each node begins, in modelled time, when those it depends on have ended.
cudaError_t graph_run(struct rt *rt, struct rt_stream *stream, struct rt_graph *graph)
{
    cudaError_t error = cudaSuccess;
    double begin_ns = stream->ready_ns, end_ns = begin_ns;
    for (uint32_t i = 0; i < graph->n_nodes && !error; i++) {
        struct rt_graph_node *node = graph->order[i];
        stream->ready_ns = begin_ns;
        for (uint32_t k = 0; k < node->n_edges; k++)
            if (node->edges[k].from->end_ns > stream->ready_ns)
                stream->ready_ns = node->edges[k].from->end_ns;
        if (!node->is_disabled)
            error = op_run(rt, stream, &node->op);
        node->end_ns = stream->ready_ns;
        end_ns = node->end_ns > end_ns ? node->end_ns : end_ns;
    }
    stream->ready_ns = end_ns;
    return error;
}

cudaError_t exec_launch(struct rt *rt, cudaGraphExec_t exec, cudaStream_t handle)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!handle_is(exec, HANDLE_EXEC))
        return cudaErrorInvalidValue;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    const struct rt_op op = {.kind = OP_GRAPH, .graph = exec->graph};
    cudaError_t error =
        stream->capture
            ? cudaSuccess
            : graph_memory_prepare(rt, exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    return error ? error : rt_submit(rt, stream, &op);
}

// Nothing has to be moved to the device.
cudaError_t exec_upload(struct rt *rt, cudaGraphExec_t exec, cudaStream_t handle)
{
    if (!handle_is(exec, HANDLE_EXEC))
        return cudaErrorInvalidValue;
    const struct rt_stream *stream = stream_of(rt, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    return stream->capture ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

// ---- changing -------------------------------------------------------------------------------------------

static void number_nodes(struct rt_graph *graph)
{
    uint32_t i = 0;
    for (struct rt_graph_node *n = graph->first; n; n = n->next)
        n->index = i++;
}

static bool has_same_edges(const struct rt_graph_node *a, const struct rt_graph_node *b)
{
    if (a->n_edges != b->n_edges)
        return false;
    for (uint32_t i = 0; i < a->n_edges; i++) {
        uint32_t k = 0;
        while (k < b->n_edges && b->edges[k].from->index != a->edges[i].from->index)
            k++;
        if (k == b->n_edges)
            return false;
    }
    return true;
}

static bool is_same_memory(const struct rt_op *a, const struct rt_op *b)
{
    return (a->kind != OP_ALLOC && a->kind != OP_FREE) || a->memory.address == b->memory.address;
}

// Nodes are matched in the order they were added.
static enum cudaGraphExecUpdateResult compare(struct rt_graph *now, struct rt_graph *then,
                                              cudaGraphExecUpdateResultInfo *info)
{
    info->errorNode = info->errorFromNode = NULL;
    if (now->n_nodes != then->n_nodes)
        return cudaGraphExecUpdateErrorTopologyChanged;
    number_nodes(now);
    number_nodes(then);
    for (struct rt_graph_node *a = now->first, *b = then->first; a; a = a->next, b = b->next) {
        enum cudaGraphExecUpdateResult inner = cudaGraphExecUpdateSuccess;
        info->errorNode = b;
        if (a->op.kind != b->op.kind)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!has_same_edges(a, b))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (!is_same_memory(&a->op, &b->op))
            return cudaGraphExecUpdateErrorNotSupported;
        if (a->op.kind == OP_GRAPH)
            inner = compare(a->op.graph, b->op.graph, info);
        if (inner)
            return inner;
    }
    info->errorNode = NULL;
    return cudaGraphExecUpdateSuccess;
}

// Takes over the operations of a graph that compares as the same.
static void take_ops(struct rt *rt, struct rt_graph *now, struct rt_graph *then)
{
    for (struct rt_graph_node *a = now->first, *b = then->first; a; a = a->next, b = b->next) {
        if (a->op.kind == OP_GRAPH)
            take_ops(rt, a->op.graph, b->op.graph);
        else if (a->op.kind != OP_ALLOC && a->op.kind != OP_FREE)
            node_take_op(rt, a, &b->op);
        attributes_copy(&a->attributes, b->attributes);
    }
}

cudaError_t exec_update(struct rt *rt, cudaGraphExec_t exec, cudaGraph_t graph,
                        cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo unused;
    info = info ? info : &unused;
    if (!handle_is(exec, HANDLE_EXEC) || !handle_is(graph, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    info->result = compare(exec->graph, graph, info);
    if (info->result)
        return cudaErrorGraphExecUpdateFailure;
    take_ops(rt, exec->graph, graph);
    return cudaSuccess;
}

static struct rt_graph_node *exec_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    if (!handle_is(exec, HANDLE_EXEC) || !handle_is(node, HANDLE_NODE))
        return NULL;
    return graph_find_origin(exec->graph, node->id);
}

cudaError_t exec_node_set(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_op *op)
{
    cudaGraphExecUpdateResultInfo info;
    struct rt_graph_node *own = exec_node(exec, node);
    if (!own || own->op.kind != OP_GRAPH || op->kind != OP_GRAPH)
        return own ? node_set(rt, own, op) : cudaErrorInvalidValue;
    if (!handle_is(op->graph, HANDLE_GRAPH) || compare(own->op.graph, op->graph, &info))
        return cudaErrorInvalidValue;
    take_ops(rt, own->op.graph, op->graph);
    return cudaSuccess;
}

cudaError_t exec_node_enable(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, bool is_enabled)
{
    struct rt_graph_node *own = exec_node(exec, node);
    (void)rt;
    if (!own || (own->op.kind != OP_KERNEL && own->op.kind != OP_COPY && own->op.kind != OP_FILL))
        return cudaErrorInvalidValue;
    own->is_disabled = !is_enabled;
    return cudaSuccess;
}

cudaError_t exec_node_is_enabled(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, bool *out)
{
    const struct rt_graph_node *own = exec_node(exec, node);
    (void)rt;
    if (!own || !out)
        return cudaErrorInvalidValue;
    *out = !own->is_disabled;
    return cudaSuccess;
}
