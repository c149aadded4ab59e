// Events: a place in a stream's work, with its modelled time. While the stream is captured, a place in the
// graph.
#include "rt/capture.h"
#include "rt/stream.h"
#include <stdlib.h>

cudaError_t event_create(struct rt *rt, unsigned flags, struct rt_event **out)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!out || flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    *out = handle_new(&rt->handles, HANDLE_EVENT, sizeof **out);
    (*out)->flags = flags;
    return cudaSuccess;
}

cudaError_t event_destroy(struct rt *rt, cudaEvent_t event)
{
    if (!handle_is(event, HANDLE_EVENT))
        return cudaErrorInvalidResourceHandle;
    node_set_release(&event->leaves);
    handle_free(&rt->handles, event);
    return cudaSuccess;
}

// ---- recording, waiting in streams ----------------------------------------------------------------------

cudaError_t event_record(struct rt *rt, cudaEvent_t event, cudaStream_t handle, unsigned flags)
{
    struct rt_stream *stream = stream_of(rt, handle);
    bool is_external = flags & cudaEventRecordExternal;
    if (!handle_is(event, HANDLE_EVENT) || !stream)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal || (is_external && !stream->capture))
        return cudaErrorInvalidValue; // an external record is a node of a graph
    if (stream->capture && !is_external)
        return capture_record(stream, event);
    const struct rt_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return rt_submit(rt, stream, &op);
}

cudaError_t stream_wait_event(struct rt *rt, cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    struct rt_stream *stream = stream_of(rt, handle);
    bool is_external = flags & cudaEventWaitExternal;
    if (!handle_is(event, HANDLE_EVENT) || !stream)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal || (is_external && !stream->capture))
        return cudaErrorInvalidValue;
    if (!is_external && (stream->capture || event->is_captured))
        return capture_wait(rt, stream, event);
    const struct rt_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return rt_submit(rt, stream, &op);
}

// ---- the host ---------------------------------------------------------------------------------------------

static cudaError_t check_event(struct rt *rt, cudaEvent_t event)
{
    if (!handle_is(event, HANDLE_EVENT))
        return cudaErrorInvalidResourceHandle;
    if (!event->is_captured)
        return capture_forbids(rt);
    return capture_of_event(event) ? capture_fail(event->capture, cudaErrorCapturedEvent)
                                   : cudaErrorCapturedEvent;
}

// An event that was never recorded counts as complete.
cudaError_t event_query(struct rt *rt, cudaEvent_t event)
{
    cudaError_t error = check_event(rt, event);
    return error ? error : rt_synchronize(rt);
}

cudaError_t event_synchronize(struct rt *rt, cudaEvent_t event)
{
    cudaError_t error = check_event(rt, event);
    if (error)
        return error;
    if (event->is_recorded && event->time_ns > rt->now_ns)
        rt->now_ns = event->time_ns;
    return rt_synchronize(rt);
}

// Finer than the half microsecond that CUDA promises: the modelled time as it is.
cudaError_t event_elapsed(struct rt *rt, float *ms, cudaEvent_t from, cudaEvent_t to)
{
    (void)rt;
    if (!ms)
        return cudaErrorInvalidValue;
    if (!handle_is(from, HANDLE_EVENT) || !handle_is(to, HANDLE_EVENT))
        return cudaErrorInvalidResourceHandle;
    if (from->is_captured || to->is_captured)
        return cudaErrorCapturedEvent;
    if ((from->flags | to->flags) & cudaEventDisableTiming || !from->is_recorded || !to->is_recorded)
        return cudaErrorInvalidResourceHandle;
    *ms = (float)((to->time_ns - from->time_ns) / 1e6);
    return cudaSuccess;
}
