// Capturing: what streams are given becomes a graph. Each captured stream knows the nodes that its next
// operation depends on (its leaves); events carry leaves from one stream to another.
#include "rt/capture.h"
#include <stdlib.h>
#include <string.h>

// ---- sets of nodes --------------------------------------------------------------------------------------

void node_set_put(struct node_set *set, struct rt_graph_node *const *nodes, size_t n)
{
    if (set->n + n > set->room) {
        set->room = 2 * (set->n + n);
        set->nodes = realloc(set->nodes, set->room * sizeof *set->nodes);
        if (!set->nodes)
            err_memory("capture", set->room * sizeof *set->nodes);
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < set->n && set->nodes[k] != nodes[i])
            k++;
        set->nodes[k] = nodes[i];
        set->n += k == set->n;
    }
}

void node_set_assign(struct node_set *set, struct rt_graph_node *const *nodes, size_t n)
{
    set->n = 0;
    node_set_put(set, nodes, n);
}

void node_set_release(struct node_set *set)
{
    free(set->nodes);
    *set = (struct node_set){0};
}

// ---- invalid captures -----------------------------------------------------------------------------------

cudaError_t capture_fail(struct rt_capture *capture, cudaError_t error)
{
    capture->is_invalid = true;
    return error;
}

cudaError_t capture_fail_all(struct rt *rt, cudaError_t error)
{
    for (struct rt_capture *c = rt->captures; c; c = c->next)
        c->is_invalid = true;
    return error;
}

// Whether a capture forbids the calling thread to wait, query or allocate
// (cudaThreadExchangeStreamCaptureMode).
static bool forbids(const struct rt_capture *capture, const struct rt_thread *thread)
{
    if (thread->capture_mode == cudaStreamCaptureModeRelaxed || capture->mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == thread->id)
        return true;
    return thread->capture_mode == cudaStreamCaptureModeGlobal &&
           capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t capture_forbids(struct rt *rt)
{
    cudaError_t error = cudaSuccess;
    for (struct rt_capture *c = rt->captures; c; c = c->next)
        if (forbids(c, rt_thread()))
            error = capture_fail(c, cudaErrorStreamCaptureUnsupported);
    return error;
}

static cudaError_t legacy_error(struct rt *rt, bool makes_invalid)
{
    cudaError_t error = cudaSuccess;
    for (const struct rt_stream *s = rt->captures ? rt->streams : NULL; s; s = s->next)
        if (s->capture && s->is_blocking) {
            error = cudaErrorStreamCaptureImplicit;
            s->capture->is_invalid |= makes_invalid;
        }
    return error;
}

cudaError_t capture_forbids_legacy(struct rt *rt)
{
    return legacy_error(rt, true);
}

// ---- begin and end --------------------------------------------------------------------------------------

static bool are_nodes_of(const struct rt_graph *graph, const cudaGraphNode_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!handle_is(nodes[i], HANDLE_NODE) || nodes[i]->graph != graph)
            return false;
    return n == 0 || nodes;
}

cudaError_t capture_begin(struct rt *rt, cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                          size_t n_nodes, int mode)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (graph &&
        (!handle_is(graph, HANDLE_GRAPH) || (n_nodes && !nodes) || !are_nodes_of(graph, nodes, n_nodes)))
        return cudaErrorInvalidValue;
    if (stream == rt->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return cudaErrorIllegalState;
    struct rt_capture *capture = handle_new(&rt->handles, HANDLE_CAPTURE, sizeof *capture);
    capture->next = rt->captures;
    capture->id = ++rt->n_captures_made;
    capture->origin = stream;
    capture->graph = graph;
    capture->mode = mode;
    capture->thread = rt_thread()->id;
    if (!graph) {
        capture->owns_graph = true;
        graph_create(rt, &capture->graph);
    }
    rt->captures = capture;
    stream->capture = capture;
    node_set_assign(&stream->leaves, nodes, n_nodes);
    return cudaSuccess;
}

// Whether all work of the capture's other streams is waited for by the origin.
static bool is_joined(struct rt *rt, const struct rt_capture *capture)
{
    bool is_complete = nodes_lead_to(capture->graph, &capture->orphans, &capture->origin->leaves);
    for (const struct rt_stream *s = rt->streams; s; s = s->next)
        if (s->capture == capture && s != capture->origin)
            is_complete &= nodes_lead_to(capture->graph, &s->leaves, &capture->origin->leaves);
    return is_complete;
}

// No stream is captured by it any more; the events know by its id.
static void forget(struct rt *rt, struct rt_capture *capture)
{
    struct rt_capture **link = &rt->captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    for (struct rt_stream *s = rt->streams; s; s = s->next)
        if (s->capture == capture) {
            s->capture = NULL;
            s->leaves.n = 0;
        }
    node_set_release(&capture->orphans);
    handle_free(&rt->handles, capture);
}

static cudaError_t end_error(struct rt *rt, const struct rt_capture *capture)
{
    if (capture->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    return is_joined(rt, capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

cudaError_t capture_end(struct rt *rt, cudaStream_t handle, cudaGraph_t *out)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    struct rt_capture *capture = stream->capture;
    if (!capture)
        return cudaErrorIllegalState;
    if (capture->origin != stream)
        return capture_fail(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != rt_thread()->id)
        return cudaErrorStreamCaptureWrongThread;
    cudaError_t error = end_error(rt, capture);
    if (!error)
        *out = capture->graph;
    else if (capture->owns_graph)
        graph_destroy(rt, capture->graph);
    forget(rt, capture);
    return error;
}

void capture_forget_stream(struct rt *rt, struct rt_stream *stream)
{
    struct rt_capture *capture = stream->capture;
    if (capture && capture->origin == stream) {
        if (capture->owns_graph)
            graph_destroy(rt, capture->graph);
        forget(rt, capture);
    } else if (capture) {
        node_set_put(&capture->orphans, stream->leaves.nodes, stream->leaves.n);
    }
    stream->capture = NULL;
    node_set_release(&stream->leaves);
}

// ---- operations and events ------------------------------------------------------------------------------

cudaError_t capture_add(struct rt *rt, struct rt_stream *stream, const struct rt_op *op)
{
    struct rt_graph_node *node;
    struct rt_capture *capture = stream->capture;
    if (capture->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    const struct graph_edges edges = {stream->leaves.nodes, NULL, stream->leaves.n};
    cudaError_t error = graph_add(rt, capture->graph, &edges, op, &node);
    if (error)
        return capture_fail(capture, error);
    node_set_assign(&stream->leaves, &node, 1);
    return cudaSuccess;
}

struct rt_capture *capture_of_event(const struct rt_event *event)
{
    bool is_live = event->is_captured && handle_is(event->capture, HANDLE_CAPTURE) &&
                   event->capture->id == event->capture_id;
    return is_live ? event->capture : NULL;
}

cudaError_t capture_record(struct rt_stream *stream, struct rt_event *event)
{
    if (stream->capture->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    event->is_captured = true;
    event->capture = stream->capture;
    event->capture_id = stream->capture->id;
    node_set_assign(&event->leaves, stream->leaves.nodes, stream->leaves.n);
    return cudaSuccess;
}

cudaError_t capture_wait(struct rt *rt, struct rt_stream *stream, struct rt_event *event)
{
    struct rt_capture *theirs = capture_of_event(event);
    if (stream->capture && stream->capture->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!theirs)
        return stream->capture ? capture_fail(stream->capture, cudaErrorStreamCaptureIsolation)
                               : cudaErrorCapturedEvent;
    if (theirs->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream == rt->legacy)
        return capture_fail(theirs, cudaErrorStreamCaptureImplicit);
    if (stream->capture && stream->capture != theirs) {
        stream->capture->is_invalid = true;
        return capture_fail(theirs, cudaErrorStreamCaptureMerge);
    }
    if (!stream->capture) // joins
        stream->leaves.n = 0;
    stream->capture = theirs;
    node_set_put(&stream->leaves, event->leaves.nodes, event->leaves.n);
    return cudaSuccess;
}

// ---- questions and changes ------------------------------------------------------------------------------

cudaError_t capture_query(struct rt *rt, cudaStream_t handle, struct capture_state *out)
{
    struct rt_stream *stream = stream_of(rt, handle);
    *out = (struct capture_state){0};
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    const struct rt_capture *capture = stream->capture;
    if (!capture)
        return stream == rt->legacy ? legacy_error(rt, false) : cudaSuccess;
    out->id = capture->id;
    if (capture->is_invalid) {
        out->status = cudaStreamCaptureStatusInvalidated;
        return cudaSuccess;
    }
    out->status = cudaStreamCaptureStatusActive;
    out->graph = capture->graph;
    out->nodes = stream->leaves.nodes;
    out->n_nodes = stream->leaves.n;
    return cudaSuccess;
}

cudaError_t capture_update(struct rt *rt, cudaStream_t handle, const cudaGraphNode_t *nodes, size_t n_nodes,
                           unsigned flags)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!stream->capture)
        return cudaErrorIllegalState;
    if (stream->capture->is_invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (flags > cudaStreamSetCaptureDependencies || !are_nodes_of(stream->capture->graph, nodes, n_nodes))
        return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies)
        stream->leaves.n = 0;
    node_set_put(&stream->leaves, nodes, n_nodes);
    return cudaSuccess;
}

cudaError_t capture_exchange_mode(struct rt *rt, int *mode)
{
    struct rt_thread *thread = rt_thread();
    (void)rt;
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    int before = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
