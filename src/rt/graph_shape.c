// The shape of graphs: nodes, edges, order.
#include "rt/graph_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- lists as the API gives them --------------------------------------------------------------------------

// Fills what the caller has room for and counts all.
struct answer {
    cudaGraphNode_t *from, *to;
    cudaGraphEdgeData *data;
    size_t n, room;
    bool is_lossy; // edges have data, and nobody asked for it
};

static struct answer answer_begin(cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                                  const size_t *n)
{
    return (struct answer){.from = from, .to = to, .data = data, .room = from ? *n : 0};
}

static void answer_add(struct answer *answer, cudaGraphNode_t from, cudaGraphNode_t to,
                       const cudaGraphEdgeData *data)
{
    size_t i = answer->n++;
    if (i >= answer->room)
        return;
    answer->from[i] = from;
    if (answer->to)
        answer->to[i] = to;
    if (answer->data)
        answer->data[i] = *data;
    else if (data)
        answer->is_lossy |= data->from_port || data->to_port || data->type;
}

static cudaError_t answer_end(struct answer *answer, size_t *n)
{
    if (answer->is_lossy)
        return cudaErrorLossyQuery;
    for (size_t i = answer->n; i < answer->room; i++) {
        answer->from[i] = NULL;
        if (answer->to)
            answer->to[i] = NULL;
    }
    *n = answer->from && answer->n > answer->room ? answer->room : answer->n;
    return cudaSuccess;
}

cudaError_t graph_nodes(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    (void)rt;
    if (!n || !handle_is(graph, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    struct answer answer = answer_begin(nodes, NULL, NULL, n);
    for (struct rt_graph_node *node = graph->first; node; node = node->next)
        answer_add(&answer, node, NULL, NULL);
    return answer_end(&answer, n);
}

cudaError_t graph_roots(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    (void)rt;
    if (!n || !handle_is(graph, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    struct answer answer = answer_begin(nodes, NULL, NULL, n);
    for (struct rt_graph_node *node = graph->first; node; node = node->next)
        if (node->n_edges == 0)
            answer_add(&answer, node, NULL, NULL);
    return answer_end(&answer, n);
}

cudaError_t graph_all_edges(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            cudaGraphEdgeData *edges, size_t *n)
{
    (void)rt;
    if (!n || !handle_is(graph, HANDLE_GRAPH) || !from != !to)
        return cudaErrorInvalidValue;
    struct answer answer = answer_begin(from, to, edges, n);
    for (struct rt_graph_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_edges; i++)
            answer_add(&answer, node->edges[i].from, node, &node->edges[i].data);
    return answer_end(&answer, n);
}

cudaError_t node_dependencies(struct rt *rt, cudaGraphNode_t node, cudaGraphNode_t *nodes,
                              cudaGraphEdgeData *edges, size_t *n)
{
    (void)rt;
    if (!n || !handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    struct answer answer = answer_begin(nodes, NULL, edges, n);
    for (uint32_t i = 0; i < node->n_edges; i++)
        answer_add(&answer, node->edges[i].from, NULL, &node->edges[i].data);
    return answer_end(&answer, n);
}

cudaError_t node_dependents(struct rt *rt, cudaGraphNode_t node, cudaGraphNode_t *nodes,
                            cudaGraphEdgeData *edges, size_t *n)
{
    (void)rt;
    if (!n || !handle_is(node, HANDLE_NODE))
        return cudaErrorInvalidValue;
    struct answer answer = answer_begin(nodes, NULL, edges, n);
    for (struct rt_graph_node *other = node->graph->first; other; other = other->next)
        for (uint32_t i = 0; i < other->n_edges; i++)
            if (other->edges[i].from == node)
                answer_add(&answer, other, NULL, &other->edges[i].data);
    return answer_end(&answer, n);
}

// ---- edges ----------------------------------------------------------------------------------------------

static bool has_edge(const struct rt_graph_node *node, const struct rt_graph_node *from)
{
    for (uint32_t i = 0; i < node->n_edges; i++)
        if (node->edges[i].from == from)
            return true;
    return false;
}

static bool are_pairs(const struct rt_graph *graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                      size_t n)
{
    if (!handle_is(graph, HANDLE_GRAPH) || (n && (!from || !to)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!handle_is(from[i], HANDLE_NODE) || !handle_is(to[i], HANDLE_NODE) || from[i] == to[i] ||
            from[i]->graph != graph || to[i]->graph != graph)
            return false;
    return true;
}

cudaError_t graph_connect(struct rt *rt, cudaGraph_t graph, const cudaGraphNode_t *from,
                          const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n)
{
    (void)rt;
    if (!are_pairs(graph, from, to, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (has_edge(to[i], from[i]))
            return cudaErrorInvalidValue;
        node_add_edge(to[i], from[i], edges ? &edges[i] : NULL);
    }
    return cudaSuccess;
}

cudaError_t graph_disconnect(struct rt *rt, cudaGraph_t graph, const cudaGraphNode_t *from,
                             const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n)
{
    (void)rt, (void)edges;
    if (!are_pairs(graph, from, to, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (!node_remove_edge(to[i], from[i]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

// ---- order ------------------------------------------------------------------------------------------------

static bool is_ready(const struct rt_graph_node *node)
{
    for (uint32_t i = 0; i < node->n_edges; i++)
        if (!node->edges[i].from->index)
            return false;
    return true;
}

// Nodes in the order they were added, each one put off until what it depends on has been placed. False: a
// cycle.
bool graph_sort(struct rt_graph *graph)
{
    uint32_t n = 0, before;
    free(graph->order);
    graph->order = malloc((graph->n_nodes + 1) * sizeof(struct rt_graph_node *));
    if (!graph->order)
        err_memory("graph", graph->n_nodes * sizeof(struct rt_graph_node *));
    for (struct rt_graph_node *node = graph->first; node; node = node->next)
        node->index = 0;
    do {
        before = n;
        for (struct rt_graph_node *node = graph->first; node; node = node->next)
            if (!node->index && is_ready(node)) {
                graph->order[n++] = node;
                node->index = n;
            }
    } while (n > before && n < graph->n_nodes);
    return n == graph->n_nodes;
}

bool nodes_lead_to(struct rt_graph *graph, const struct node_set *from, const struct node_set *to)
{
    if (from->n == 0)
        return true;
    struct rt_graph_node **todo = malloc((graph->n_nodes + 1) * sizeof *todo);
    size_t n = 0;
    bool is_reached = true;
    if (!todo)
        err_memory("graph", graph->n_nodes * sizeof *todo);
    for (struct rt_graph_node *node = graph->first; node; node = node->next)
        node->index = 0;
    for (size_t i = 0; i < to->n; i++) {
        to->nodes[i]->index = 1;
        todo[n++] = to->nodes[i];
    }
    while (n) {
        struct rt_graph_node *node = todo[--n];
        for (uint32_t i = 0; i < node->n_edges; i++)
            if (!node->edges[i].from->index) {
                node->edges[i].from->index = 1;
                todo[n++] = node->edges[i].from;
            }
    }
    for (size_t i = 0; i < from->n; i++)
        is_reached &= from->nodes[i]->index;
    free(todo);
    return is_reached;
}

// ---- picture ----------------------------------------------------------------------------------------------

static void dot_node(struct buf *out, const struct rt_graph_node *node)
{
    static const char *const kinds[] = {"empty",        "kernel",     "copy",  "fill", "host",
                                        "event record", "event wait", "alloc", "free", "graph"};
    const struct op_kernel *kernel = &node->op.kernel;
    buf_printf(out, "    n%llu [label=\"%s", (unsigned long long)node->id, kinds[node->op.kind]);
    if (node->op.kind == OP_KERNEL)
        buf_printf(out, "\\n%s\\n(%u,%u,%u) x (%u,%u,%u)", kernel->function->plain, kernel->grid[0],
                   kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2]);
    else if (node->op.kind == OP_COPY)
        buf_printf(out, "\\n%llu x %llu x %llu bytes", (unsigned long long)node->op.copy.width_bytes,
                   (unsigned long long)node->op.copy.height, (unsigned long long)node->op.copy.depth);
    else if (node->op.kind == OP_FILL)
        buf_printf(out, "\\n%u, %llu x %u bytes", node->op.fill.value,
                   (unsigned long long)node->op.fill.width, node->op.fill.element_bytes);
    buf_puts(out, "\"];\n");
    for (uint32_t i = 0; i < node->n_edges; i++)
        buf_printf(out, "    n%llu -> n%llu;\n", (unsigned long long)node->edges[i].from->id,
                   (unsigned long long)node->id);
}

cudaError_t graph_print_dot(struct rt *rt, cudaGraph_t graph, const char *path, unsigned flags)
{
    struct buf text = {0};
    (void)rt, (void)flags; // always everything
    FILE *file = handle_is(graph, HANDLE_GRAPH) && path ? fopen(path, "w") : NULL;
    if (!file)
        return path && handle_is(graph, HANDLE_GRAPH) ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
    buf_puts(&text, "digraph warpglass {\n    node [shape=box];\n");
    for (const struct rt_graph_node *node = graph->first; node; node = node->next)
        dot_node(&text, node);
    buf_puts(&text, "}\n");
    bool is_written = fwrite(text.at, 1, text.n, file) == text.n;
    is_written &= fclose(file) == 0;
    buf_release(&text);
    return is_written ? cudaSuccess : cudaErrorOperatingSystem;
}
