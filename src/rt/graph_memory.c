// Device memory that graphs allocate. A node's address is fixed when the node is made, so the memory is taken
// then and kept until the last graph that allocates it is gone; launches only mark it as in use or not.
#include "rt/graph_parts.h"
#include "rt/memory.h"
#include <stdlib.h>

struct graph_memory {
    struct graph_memory *next;
    uint64_t address, size_bytes;
    uint32_t n_nodes; // that allocate it, in graphs and executable graphs
    bool is_used;     // allocated by a launch and not freed
};

static struct graph_memory *find(struct rt *rt, uint64_t address)
{
    struct graph_memory *m = rt->graph_memory;
    while (m && m->address != address)
        m = m->next;
    return m;
}

static uint64_t total_bytes(const struct rt *rt, bool used_only)
{
    uint64_t bytes = 0;
    for (const struct graph_memory *m = rt->graph_memory; m; m = m->next)
        bytes += !used_only || m->is_used ? m->size_bytes : 0;
    return bytes;
}

static void note_high(struct rt *rt)
{
    for (int i = 0; i < 2; i++) {
        uint64_t bytes = total_bytes(rt, i == 0);
        if (bytes > rt->graph_memory_high[i])
            rt->graph_memory_high[i] = bytes;
    }
}

void graph_memory_retain(struct rt *rt, uint64_t address, uint64_t size_bytes)
{
    struct graph_memory *memory = find(rt, address);
    if (!memory) {
        memory = malloc(sizeof *memory);
        if (!memory)
            err_memory("graph memory", sizeof *memory);
        *memory =
            (struct graph_memory){.next = rt->graph_memory, .address = address, .size_bytes = size_bytes};
        rt->graph_memory = memory;
    }
    memory->n_nodes++;
    note_high(rt);
}

static void forget(struct rt *rt, struct graph_memory *memory)
{
    struct graph_memory **link = &rt->graph_memory;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    free(memory);
}

void graph_memory_reset(struct rt *rt)
{
    while (rt->graph_memory)
        forget(rt, rt->graph_memory);
    rt->graph_memory_high[0] = rt->graph_memory_high[1] = 0;
}

// Memory that a launch allocated and nothing freed outlives its graph: the program frees it.
void graph_memory_release(struct rt *rt, uint64_t address)
{
    struct graph_memory *memory = find(rt, address);
    if (!memory || --memory->n_nodes > 0)
        return;
    bool is_used = memory->is_used;
    forget(rt, memory);
    if (!is_used)
        allocation_delete(rt, (void *)(uintptr_t)address);
}

void graph_memory_mark(struct rt *rt, uint64_t address, bool is_used)
{
    struct graph_memory *memory = find(rt, address);
    if (!memory)
        return;
    memory->is_used = is_used;
    note_high(rt);
}

bool graph_memory_free(struct rt *rt, const void *pointer)
{
    struct graph_memory *memory = find(rt, (uint64_t)(uintptr_t)pointer);
    if (memory)
        memory->is_used = false;
    return memory;
}

cudaError_t graph_memory_prepare(struct rt *rt, const struct rt_graph *graph, bool frees)
{
    cudaError_t error = cudaSuccess;
    for (const struct rt_graph_node *n = graph->first; n && !error; n = n->next) {
        struct graph_memory *memory = n->op.kind == OP_ALLOC ? find(rt, n->op.memory.address) : NULL;
        if (n->op.kind == OP_GRAPH)
            error = graph_memory_prepare(rt, n->op.graph, frees);
        else if (memory && memory->is_used && !frees)
            error = cudaErrorInvalidValue;
        else if (memory)
            memory->is_used = false;
    }
    return error;
}

cudaError_t graph_add_alloc(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges,
                            size_t size_bytes, void **out, cudaGraphNode_t *node)
{
    if (!out || size_bytes == 0 || !handle_is(graph, HANDLE_GRAPH))
        return cudaErrorInvalidValue;
    cudaError_t error = device_malloc(rt, out, size_bytes);
    if (error)
        return error;
    struct rt_op op = {.kind = OP_ALLOC, .memory = {(uint64_t)(uintptr_t)*out, size_bytes}};
    error = graph_add(rt, graph, edges, &op, node);
    if (error)
        allocation_delete(rt, *out);
    return error;
}

cudaError_t graph_add_free(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges, void *pointer,
                           cudaGraphNode_t *node)
{
    struct rt_op op = {.kind = OP_FREE, .memory = {.address = (uint64_t)(uintptr_t)pointer}};
    return find(rt, op.memory.address) ? graph_add(rt, graph, edges, &op, node) : cudaErrorInvalidValue;
}

// ---- cudaDeviceGetGraphMemAttribute -----------------------------------------------------------------------

cudaError_t graph_memory_get(struct rt *rt, enum cudaGraphMemAttributeType attribute, uint64_t *bytes)
{
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent:
        *bytes = total_bytes(rt, attribute == cudaGraphMemAttrUsedMemCurrent);
        return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
    case cudaGraphMemAttrReservedMemHigh:
        *bytes = rt->graph_memory_high[attribute == cudaGraphMemAttrReservedMemHigh];
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

// High marks can be set back, to 0.
cudaError_t graph_memory_set(struct rt *rt, enum cudaGraphMemAttributeType attribute, uint64_t bytes)
{
    if (bytes || (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh))
        return cudaErrorInvalidValue;
    rt->graph_memory_high[attribute == cudaGraphMemAttrReservedMemHigh] = 0;
    return cudaSuccess;
}
