// Streams: made, waited for, queried. What they do is in op.c.
#include "rt/stream.h"
#include "rt/attribute.h"
#include "rt/capture.h"

enum { FIRST_STREAM_ID = 13 }; // what reports of ncu begin to count at

// ---- making ---------------------------------------------------------------------------------------------

static struct rt_stream *stream_new(struct rt *rt, unsigned flags)
{
    struct rt_stream *stream = handle_new(&rt->handles, HANDLE_STREAM, sizeof *stream);
    stream->next = rt->streams;
    stream->id = FIRST_STREAM_ID + rt->n_streams_made++;
    stream->flags = flags;
    stream->is_blocking = !(flags & cudaStreamNonBlocking);
    rt->streams = stream;
    return stream;
}

struct rt_stream *stream_per_thread(struct rt *rt)
{
    struct rt_thread *thread = rt_thread();
    if (!thread->stream) {
        thread->stream = stream_new(rt, cudaStreamDefault);
        thread->stream->is_default = true;
    }
    return thread->stream;
}

cudaError_t stream_create(struct rt *rt, unsigned flags, int priority, struct rt_stream **out)
{
    if (!out || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *out = stream_new(rt, flags);
    (*out)->priority = priority > STREAM_PRIORITY_LEAST      ? STREAM_PRIORITY_LEAST
                       : priority < STREAM_PRIORITY_GREATEST ? STREAM_PRIORITY_GREATEST
                                                             : priority;
    return cudaSuccess;
}

static void stream_delete(struct rt *rt, struct rt_stream *stream)
{
    struct rt_stream **link = &rt->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    if (stream->ready_ns > rt->destroyed_ns)
        rt->destroyed_ns = stream->ready_ns;
    capture_forget_stream(rt, stream);
    attributes_release(&stream->attributes);
    handle_free(&rt->handles, stream);
}

cudaError_t stream_destroy(struct rt *rt, cudaStream_t handle)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!stream || stream->is_default)
        return cudaErrorInvalidResourceHandle;
    stream_delete(rt, stream);
    return cudaSuccess;
}

void streams_reset(struct rt *rt)
{
    struct rt_stream *next;
    for (struct rt_stream *s = rt->streams; s; s = next) {
        next = s->next;
        capture_forget_stream(rt, s);
        s->ready_ns = 0;
        if (!s->is_default)
            stream_delete(rt, s);
    }
    rt->now_ns = rt->destroyed_ns = 0;
}

// ---- waiting --------------------------------------------------------------------------------------------

// The host may wait for a stream that is not being captured; a captured one makes its capture invalid.
static cudaError_t check_wait(struct rt *rt, struct rt_stream *stream)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return capture_fail(stream->capture, cudaErrorStreamCaptureUnsupported);
    cudaError_t error = stream == rt->legacy ? capture_forbids_legacy(rt) : cudaSuccess;
    return error ? error : capture_forbids(rt);
}

cudaError_t stream_synchronize(struct rt *rt, cudaStream_t handle)
{
    struct rt_stream *stream = stream_of(rt, handle);
    cudaError_t error = check_wait(rt, stream);
    if (error)
        return error;
    double ready = stream_ready_ns(rt, stream);
    rt->now_ns = ready > rt->now_ns ? ready : rt->now_ns;
    return rt_synchronize(rt);
}

cudaError_t stream_query(struct rt *rt, cudaStream_t handle)
{
    cudaError_t error = check_wait(rt, stream_of(rt, handle));
    return error ? error : rt_synchronize(rt);
}

cudaError_t streams_synchronize(struct rt *rt)
{
    if (rt->captures)
        return capture_fail_all(rt, cudaErrorStreamCaptureUnsupported);
    rt->now_ns = rt->destroyed_ns > rt->now_ns ? rt->destroyed_ns : rt->now_ns;
    for (const struct rt_stream *s = rt->streams; s; s = s->next)
        rt->now_ns = s->ready_ns > rt->now_ns ? s->ready_ns : rt->now_ns;
    return rt_synchronize(rt);
}

// ---- host functions -------------------------------------------------------------------------------------

cudaError_t stream_host_function(struct rt *rt, cudaStream_t handle, cudaHostFn_t function, void *data)
{
    const struct rt_op op = {.kind = OP_HOST, .host = {function, data}};
    return function ? rt_submit(rt, stream_of(rt, handle), &op) : cudaErrorInvalidValue;
}

// Unlike host functions, callbacks are called after errors too and cannot be captured.
cudaError_t stream_callback(struct rt *rt, cudaStream_t handle, cudaStreamCallback_t callback, void *data)
{
    struct rt_stream *stream = stream_of(rt, handle);
    if (!callback)
        return cudaErrorInvalidValue;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return capture_fail(stream->capture, cudaErrorStreamCaptureUnsupported);
    cudaError_t error = stream == rt->legacy ? capture_forbids_legacy(rt) : cudaSuccess, status = rt->pending;
    if (error)
        return error;
    uint32_t depth = rt_unlock(rt);
    callback(handle, status, data);
    rt_relock(rt, depth);
    return cudaSuccess;
}

// ---- attributes -----------------------------------------------------------------------------------------

static bool is_of_streams(enum cudaLaunchAttributeID id)
{
    return id == cudaLaunchAttributeAccessPolicyWindow || id == cudaLaunchAttributeSynchronizationPolicy ||
           id == cudaLaunchAttributeMemSyncDomainMap || id == cudaLaunchAttributeMemSyncDomain ||
           id == cudaLaunchAttributePriority;
}

static cudaError_t check_attribute(struct rt_stream *stream, enum cudaLaunchAttributeID id, const void *value)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    return value && is_of_streams(id) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t stream_attribute_get(struct rt *rt, cudaStream_t handle, enum cudaLaunchAttributeID id,
                                 union launch_attribute_value *value)
{
    struct rt_stream *stream = stream_of(rt, handle);
    cudaError_t error = check_attribute(stream, id, value);
    if (error)
        return error;
    const union launch_attribute_value *set = attribute_find(stream->attributes, id);
    *value = set ? *set : (union launch_attribute_value){0};
    if (id == cudaLaunchAttributePriority)
        value->priority = stream->priority;
    else if (!set && id == cudaLaunchAttributeSynchronizationPolicy)
        value->synchronization_policy = cudaSyncPolicyAuto;
    return cudaSuccess;
}

cudaError_t stream_attribute_set(struct rt *rt, cudaStream_t handle, enum cudaLaunchAttributeID id,
                                 const union launch_attribute_value *value)
{
    struct rt_stream *stream = stream_of(rt, handle);
    cudaError_t error = check_attribute(stream, id, value);
    if (error)
        return error;
    if (id == cudaLaunchAttributePriority &&
        (value->priority > STREAM_PRIORITY_LEAST || value->priority < STREAM_PRIORITY_GREATEST))
        return cudaErrorInvalidValue;
    if (id == cudaLaunchAttributePriority)
        stream->priority = value->priority;
    else
        attribute_put(&stream->attributes, id, value);
    return cudaSuccess;
}

cudaError_t stream_attributes_copy(struct rt *rt, cudaStream_t to_handle, cudaStream_t from_handle)
{
    struct rt_stream *to = stream_of(rt, to_handle), *from = stream_of(rt, from_handle);
    if (!to || !from)
        return cudaErrorInvalidResourceHandle;
    if (to == from)
        return cudaSuccess;
    attributes_copy(&to->attributes, from->attributes);
    to->priority = from->priority;
    return cudaSuccess;
}
