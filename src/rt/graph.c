// Graphs and their nodes: made, copied, changed, destroyed.
#include "rt/graph.h"
#include "rt/attribute.h"
#include "rt/graph_parts.h"
#include <stdlib.h>
#include <string.h>

// ---- a node's own operation -----------------------------------------------------------------------------

static void release_op(struct rt *rt, struct rt_graph_node *node)
{
    free(node->arguments);
    node->arguments = NULL;
    if (node->op.kind == OP_GRAPH)
        graph_delete(rt, node->op.graph);
    else if (node->op.kind == OP_ALLOC)
        graph_memory_release(rt, node->op.memory.address);
    node->op = (struct rt_op){.kind = OP_EMPTY};
}

// One block: pointers to the parameters, and behind them the parameters.
static void copy_params(struct rt_graph_node *node, const struct op_kernel *from)
{
    const struct kernel *kernel = from->function->kernel;
    size_t pointers_bytes = (kernel->n_params * sizeof(void *) + 15) / 16 * 16;
    node->arguments = malloc(pointers_bytes + from->param_bytes + 16);
    if (!node->arguments)
        err_memory("graph node", pointers_bytes + from->param_bytes);
    uint8_t *params = (uint8_t *)node->arguments + pointers_bytes;
    memcpy(params, from->params, from->param_bytes);
    for (uint32_t i = 0; i < kernel->n_params; i++)
        node->arguments[i] = params + kernel->params[i].offset;
    node->op.kernel.params = params;
}

void node_take_op(struct rt *rt, struct rt_graph_node *node, const struct rt_op *op)
{
    struct rt_graph_node before = *node;
    node->op = *op;
    node->arguments = NULL;
    if (op->kind == OP_KERNEL)
        copy_params(node, &op->kernel);
    else if (op->kind == OP_GRAPH)
        node->op.graph = graph_copy(rt, op->graph);
    else if (op->kind == OP_ALLOC)
        graph_memory_retain(rt, op->memory.address, op->memory.size_bytes);
    release_op(rt, &before);
}

static cudaError_t op_check(const struct rt_op *op)
{
    switch (op->kind) {
    case OP_HOST:
        return op->host.function ? cudaSuccess : cudaErrorInvalidValue;
    case OP_EVENT_RECORD:
    case OP_EVENT_WAIT:
        return handle_is(op->event, HANDLE_EVENT) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case OP_GRAPH:
        return handle_is(op->graph, HANDLE_GRAPH) ? cudaSuccess : cudaErrorInvalidValue;
    default:
        return cudaSuccess;
    }
}

// ---- nodes ----------------------------------------------------------------------------------------------

void node_add_edge(struct rt_graph_node *node, struct rt_graph_node *from, const cudaGraphEdgeData *data)
{
    if (node->n_edges == node->edge_room) {
        node->edge_room = node->edge_room ? 2 * node->edge_room : 2;
        node->edges = realloc(node->edges, node->edge_room * sizeof *node->edges);
        if (!node->edges)
            err_memory("graph edges", node->edge_room * sizeof *node->edges);
    }
    node->edges[node->n_edges++] = (struct graph_edge){from, data ? *data : (cudaGraphEdgeData){0}};
}

static struct rt_graph_node *node_new(struct rt *rt, struct rt_graph *graph, const struct rt_op *op)
{
    struct rt_graph_node *node = handle_new(&rt->handles, HANDLE_NODE, sizeof *node);
    node->graph = graph;
    node->id = ++rt->n_nodes_made;
    node->op = (struct rt_op){.kind = OP_EMPTY};
    node_take_op(rt, node, op);
    *graph->last = node;
    graph->last = &node->next;
    graph->n_nodes++;
    return node;
}

static void node_delete(struct rt *rt, struct rt_graph_node *node)
{
    release_op(rt, node);
    attributes_release(&node->attributes);
    free(node->edges);
    handle_free(&rt->handles, node);
}

static bool are_dependencies(const struct rt_graph *graph, const struct graph_edges *edges)
{
    for (size_t i = 0; i < edges->n; i++) {
        if (!edges->nodes || !handle_is(edges->nodes[i], HANDLE_NODE) || edges->nodes[i]->graph != graph)
            return false;
        for (size_t k = 0; k < i; k++)
            if (edges->nodes[k] == edges->nodes[i])
                return false;
    }
    return true;
}

cudaError_t graph_add(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges,
                      const struct rt_op *op, cudaGraphNode_t *out)
{
    if (!out || !handle_is(graph, HANDLE_GRAPH) || !are_dependencies(graph, edges))
        return cudaErrorInvalidValue;
    cudaError_t error = op_check(op);
    if (error)
        return error;
    struct rt_graph_node *node = node_new(rt, graph, op);
    for (size_t i = 0; i < edges->n; i++)
        node_add_edge(node, edges->nodes[i], edges->data ? &edges->data[i] : NULL);
    *out = node; // which may be where a dependency was read from
    return cudaSuccess;
}

cudaError_t node_set(struct rt *rt, cudaGraphNode_t node, const struct rt_op *op)
{
    if (!handle_is(node, HANDLE_NODE) || node->op.kind != op->kind || op->kind == OP_ALLOC ||
        op->kind == OP_FREE)
        return cudaErrorInvalidValue;
    cudaError_t error = op_check(op);
    if (!error)
        node_take_op(rt, node, op);
    return error;
}

cudaError_t node_get(struct rt *rt, cudaGraphNode_t node, enum op_kind kind, const struct rt_op **op)
{
    (void)rt;
    if (!handle_is(node, HANDLE_NODE) || node->op.kind != kind)
        return cudaErrorInvalidValue;
    *op = &node->op;
    return cudaSuccess;
}

cudaError_t node_type(struct rt *rt, cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    static const enum cudaGraphNodeType types[] = {[OP_EMPTY] = cudaGraphNodeTypeEmpty,
                                                   [OP_KERNEL] = cudaGraphNodeTypeKernel,
                                                   [OP_COPY] = cudaGraphNodeTypeMemcpy,
                                                   [OP_FILL] = cudaGraphNodeTypeMemset,
                                                   [OP_HOST] = cudaGraphNodeTypeHost,
                                                   [OP_EVENT_RECORD] = cudaGraphNodeTypeEventRecord,
                                                   [OP_EVENT_WAIT] = cudaGraphNodeTypeWaitEvent,
                                                   [OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
                                                   [OP_FREE] = cudaGraphNodeTypeMemFree,
                                                   [OP_GRAPH] = cudaGraphNodeTypeGraph};
    (void)rt;
    if (!type || !handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    *type = types[node->op.kind];
    return cudaSuccess;
}

cudaError_t node_destroy(struct rt *rt, cudaGraphNode_t node)
{
    if (!handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    struct rt_graph *graph = node->graph;
    struct rt_graph_node **link = &graph->first;
    for (struct rt_graph_node *n = graph->first; n; n = n->next)
        node_remove_edge(n, node);
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    if (graph->last == &node->next)
        graph->last = link;
    graph->n_nodes--;
    node_delete(rt, node);
    return cudaSuccess;
}

bool node_remove_edge(struct rt_graph_node *node, const struct rt_graph_node *from)
{
    uint32_t i = 0;
    while (i < node->n_edges && node->edges[i].from != from)
        i++;
    if (i == node->n_edges)
        return false;
    memmove(&node->edges[i], &node->edges[i + 1], (node->n_edges - i - 1) * sizeof *node->edges);
    node->n_edges--;
    return true;
}

// ---- graphs ---------------------------------------------------------------------------------------------

static struct rt_graph *graph_new(struct rt *rt)
{
    struct rt_graph *graph = handle_new(&rt->handles, HANDLE_GRAPH, sizeof *graph);
    graph->id = ++rt->n_graphs_made;
    graph->last = &graph->first;
    return graph;
}

cudaError_t graph_create(struct rt *rt, cudaGraph_t *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = graph_new(rt);
    return cudaSuccess;
}

void graph_delete(struct rt *rt, struct rt_graph *graph)
{
    while (graph->first) {
        struct rt_graph_node *node = graph->first;
        graph->first = node->next;
        node_delete(rt, node);
    }
    free(graph->order);
    graph_release_objects(rt, graph);
    handle_free(&rt->handles, graph);
}

cudaError_t graph_destroy(struct rt *rt, cudaGraph_t graph)
{
    if (!handle_is(graph, HANDLE_GRAPH) || graph->is_child)
        return cudaErrorInvalidValue;
    graph_delete(rt, graph);
    return cudaSuccess;
}

struct rt_graph *graph_copy(struct rt *rt, struct rt_graph *graph)
{
    struct rt_graph *copy = graph_new(rt);
    copy->origin_id = graph->id;
    copy->is_child = true; // until the caller says otherwise
    for (struct rt_graph_node *n = graph->first; n; n = n->next) {
        n->found = node_new(rt, copy, &n->op);
        n->found->origin_id = n->id;
        n->found->is_disabled = n->is_disabled;
        attributes_copy(&n->found->attributes, n->attributes);
    }
    for (struct rt_graph_node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->n_edges; i++)
            node_add_edge(n->found, n->edges[i].from->found, &n->edges[i].data);
    graph_copy_objects(rt, copy, graph);
    return copy;
}

void node_adopt_graph(struct rt *rt, struct rt_graph_node *node, struct rt_graph *graph)
{
    graph_delete(rt, node->op.graph);
    graph->is_child = true;
    node->op.graph = graph;
}

// Memory belongs to one graph only.
static bool has_memory(const struct rt_graph *graph)
{
    for (const struct rt_graph_node *n = graph->first; n; n = n->next)
        if (n->op.kind == OP_ALLOC || n->op.kind == OP_FREE ||
            (n->op.kind == OP_GRAPH && has_memory(n->op.graph)))
            return true;
    return false;
}

cudaError_t graph_clone(struct rt *rt, cudaGraph_t graph, cudaGraph_t *out)
{
    if (!out || !handle_is(graph, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    if (has_memory(graph))
        return cudaErrorNotSupported;
    *out = graph_copy(rt, graph);
    (*out)->is_child = false;
    return cudaSuccess;
}

// A clone's node, or one in its child graphs.
struct rt_graph_node *graph_find_origin(const struct rt_graph *clone, uint64_t origin_id)
{
    for (struct rt_graph_node *n = clone->first; n; n = n->next) {
        struct rt_graph_node *inner =
            n->op.kind == OP_GRAPH ? graph_find_origin(n->op.graph, origin_id) : NULL;
        if (n->origin_id == origin_id)
            return n;
        if (inner)
            return inner;
    }
    return NULL;
}

cudaError_t graph_find_clone(struct rt *rt, cudaGraphNode_t original, cudaGraph_t clone, cudaGraphNode_t *out)
{
    (void)rt;
    if (!out || !handle_is(original, HANDLE_NODE) || !handle_is(clone, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    *out = graph_find_origin(clone, original->id);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}
