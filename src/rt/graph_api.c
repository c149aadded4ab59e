// Graphs, their shape, user objects: the runtime API. Nodes are in graph_node_api.c, executable graphs in
// graph_exec_api.c.
#include "rt/api.h"

cudaError_t wg_cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    return RT_CALL(rt, flags ? cudaErrorInvalidValue : graph_create(rt, out));
}

cudaError_t wg_cudaGraphDestroy(cudaGraph_t graph)
{
    return RT_CALL(rt, graph_destroy(rt, graph));
}

cudaError_t wg_cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    return RT_CALL(rt, graph_clone(rt, graph, out));
}

cudaError_t wg_cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    return RT_CALL(rt, graph_find_clone(rt, original, clone, out));
}

cudaError_t wg_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    return RT_CALL(rt, graph_print_dot(rt, graph, path, flags));
}

// ---- shape ------------------------------------------------------------------------------------------------

cudaError_t wg_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    return RT_CALL(rt, graph_nodes(rt, graph, nodes, n));
}

cudaError_t wg_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    return RT_CALL(rt, graph_roots(rt, graph, nodes, n));
}

cudaError_t wg_cudaGraphGetEdges_v1(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
    return RT_CALL(rt, graph_all_edges(rt, graph, from, to, NULL, n));
}

cudaError_t wg_cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                    cudaGraphEdgeData *edges, size_t *n)
{
    return RT_CALL(rt, graph_all_edges(rt, graph, from, to, edges, n));
}

cudaError_t wg_cudaGraphNodeGetDependencies_v1(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    return RT_CALL(rt, node_dependencies(rt, node, nodes, NULL, n));
}

cudaError_t wg_cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                               cudaGraphEdgeData *edges, size_t *n)
{
    return RT_CALL(rt, node_dependencies(rt, node, nodes, edges, n));
}

cudaError_t wg_cudaGraphNodeGetDependentNodes_v1(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    return RT_CALL(rt, node_dependents(rt, node, nodes, NULL, n));
}

cudaError_t wg_cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                 cudaGraphEdgeData *edges, size_t *n)
{
    return RT_CALL(rt, node_dependents(rt, node, nodes, edges, n));
}

cudaError_t wg_cudaGraphAddDependencies_v1(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to, size_t n)
{
    return RT_CALL(rt, graph_connect(rt, graph, from, to, NULL, n));
}

cudaError_t wg_cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                           size_t n)
{
    return RT_CALL(rt, graph_connect(rt, graph, from, to, edges, n));
}

cudaError_t wg_cudaGraphRemoveDependencies_v1(cudaGraph_t graph, const cudaGraphNode_t *from,
                                              const cudaGraphNode_t *to, size_t n)
{
    return RT_CALL(rt, graph_disconnect(rt, graph, from, to, NULL, n));
}

cudaError_t wg_cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                              const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                              size_t n)
{
    return RT_CALL(rt, graph_disconnect(rt, graph, from, to, edges, n));
}

cudaError_t wg_cudaGraphDestroyNode(cudaGraphNode_t node)
{
    return RT_CALL(rt, node_destroy(rt, node));
}

cudaError_t wg_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    return RT_CALL(rt, node_type(rt, node, type));
}

// ---- memory of graphs
// ---------------------------------------------------------------------------------------

static cudaError_t check_memory(int device, const void *value)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    return value ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t wg_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                              void *value)
{
    cudaError_t error = check_memory(device, value);
    return RT_CALL(rt, error ? error : graph_memory_get(rt, attribute, value));
}

cudaError_t wg_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                              void *value)
{
    cudaError_t error = check_memory(device, value);
    return RT_CALL(rt, error ? error : graph_memory_set(rt, attribute, *(uint64_t *)value));
}

// Memory is given back with the last graph that allocates it; there is never more to give.
cudaError_t wg_cudaDeviceGraphMemTrim(int device)
{
    return RT_CALL(rt, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

// ---- user objects
// -------------------------------------------------------------------------------------------

cudaError_t wg_cudaUserObjectCreate(cudaUserObject_t *out, void *pointer, cudaHostFn_t destroy,
                                    unsigned count, unsigned flags)
{
    return RT_CALL(rt, user_object_create(rt, pointer, destroy, count, flags, out));
}

cudaError_t wg_cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    return RT_CALL(rt, user_object_retain(rt, object, count));
}

cudaError_t wg_cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    return RT_CALL(rt, user_object_release(rt, object, count));
}

cudaError_t wg_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                         unsigned flags)
{
    return RT_CALL(rt, graph_retain_object(rt, graph, object, count, flags));
}

cudaError_t wg_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    return RT_CALL(rt, graph_release_object(rt, graph, object, count));
}
