// Capturing of streams: the runtime API.
#include "rt/api.h"
#include "rt/stream.h"

cudaError_t wg_cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    return RT_CALL(rt, capture_begin(rt, stream, NULL, NULL, 0, mode));
}

cudaError_t wg_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                             const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges,
                                             size_t n, int mode)
{
    (void)edges; // only the order counts
    return RT_CALL(rt, graph ? capture_begin(rt, stream, graph, nodes, n, mode) : cudaErrorInvalidValue);
}

cudaError_t wg_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    return RT_CALL(rt, capture_end(rt, stream, out));
}

static cudaError_t is_capturing(struct rt *rt, cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct capture_state state;
    if (!status)
        return cudaErrorInvalidValue;
    cudaError_t error = capture_query(rt, stream, &state);
    *status = state.status;
    return error;
}

cudaError_t wg_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return RT_CALL(rt, is_capturing(rt, stream, status));
}

cudaError_t wg_cudaThreadExchangeStreamCaptureMode(int *mode)
{
    return RT_CALL(rt, capture_exchange_mode(rt, mode));
}

// ---- what is captured, in three forms ---------------------------------------------------------------------

// Edges of captured operations are all of the default kind.
static const cudaGraphEdgeData *default_edges(struct rt *rt, size_t n)
{
    static const cudaGraphEdgeData few[64];
    return n <= sizeof few / sizeof few[0] ? few : arena_array(&rt->arena, cudaGraphEdgeData, n);
}

static cudaError_t get_info(struct rt *rt, cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                            unsigned long long *id, struct capture_state *state)
{
    cudaError_t error = status ? capture_query(rt, stream, state) : cudaErrorInvalidValue;
    if (error)
        return error;
    *status = state->status;
    if (id && state->status == cudaStreamCaptureStatusActive)
        *id = state->id;
    return cudaSuccess;
}

static cudaError_t get_all(struct rt *rt, cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                           unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                           const cudaGraphEdgeData **edges, size_t *n)
{
    struct capture_state state;
    cudaError_t error = get_info(rt, stream, status, id, &state);
    if (error || state.status != cudaStreamCaptureStatusActive)
        return error;
    if (graph)
        *graph = state.graph;
    if (nodes)
        *nodes = state.nodes;
    if (edges)
        *edges = default_edges(rt, state.n_nodes);
    if (n)
        *n = state.n_nodes;
    return cudaSuccess;
}

cudaError_t wg_cudaStreamGetCaptureInfo_v1(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                           unsigned long long *id)
{
    return RT_CALL(rt, get_all(rt, stream, status, id, NULL, NULL, NULL, NULL));
}

cudaError_t wg_cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                           unsigned long long *id, cudaGraph_t *graph,
                                           const cudaGraphNode_t **nodes, size_t *n)
{
    return RT_CALL(rt, get_all(rt, stream, status, id, graph, nodes, NULL, n));
}

cudaError_t wg_cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                           unsigned long long *id, cudaGraph_t *graph,
                                           const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                           size_t *n)
{
    return RT_CALL(rt, get_all(rt, stream, status, id, graph, nodes, edges, n));
}

cudaError_t wg_cudaStreamUpdateCaptureDependencies_v1(cudaStream_t stream, cudaGraphNode_t *nodes, size_t n,
                                                      unsigned flags)
{
    return RT_CALL(rt, capture_update(rt, stream, nodes, n, flags));
}

cudaError_t wg_cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                      const cudaGraphEdgeData *edges, size_t n,
                                                      unsigned flags)
{
    (void)edges;
    return RT_CALL(rt, capture_update(rt, stream, nodes, n, flags));
}
