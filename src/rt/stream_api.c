// Streams and their capture: the runtime API. Twins for a default stream per thread are in stream_twins.c.
#include "rt/api.h"
#include "rt/stream.h"

// ---- streams --------------------------------------------------------------------------------------------

cudaError_t wg_cudaStreamCreate(cudaStream_t *out)
{
    return RT_CALL(rt, stream_create(rt, cudaStreamDefault, 0, out));
}

cudaError_t wg_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return RT_CALL(rt, stream_create(rt, flags, 0, out));
}

cudaError_t wg_cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    return RT_CALL(rt, stream_create(rt, flags, priority, out));
}

cudaError_t wg_cudaStreamDestroy(cudaStream_t stream)
{
    return RT_CALL(rt, stream_destroy(rt, stream));
}

cudaError_t wg_cudaStreamSynchronize(cudaStream_t stream)
{
    return RT_CALL(rt, stream_synchronize(rt, stream));
}

cudaError_t wg_cudaStreamQuery(cudaStream_t stream)
{
    return RT_CALL(rt, stream_query(rt, stream));
}

cudaError_t wg_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return RT_CALL(rt, stream_wait_event(rt, stream, event, flags));
}

cudaError_t wg_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return RT_CALL(rt, stream_host_function(rt, stream, function, data));
}

cudaError_t wg_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                     unsigned flags)
{
    return RT_CALL(rt, flags ? cudaErrorInvalidValue : stream_callback(rt, stream, callback, data));
}

cudaError_t wg_cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = STREAM_PRIORITY_LEAST;
    if (greatest)
        *greatest = STREAM_PRIORITY_GREATEST;
    return RT_CALL(rt, cudaSuccess);
}

// ---- what is known of a stream ----------------------------------------------------------------------------

static cudaError_t known_stream(struct rt *rt, cudaStream_t handle, const void *out,
                                struct rt_stream **stream)
{
    *stream = stream_of(rt, handle);
    if (!out)
        return cudaErrorInvalidValue;
    return *stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_priority(struct rt *rt, cudaStream_t handle, int *priority)
{
    struct rt_stream *stream;
    cudaError_t error = known_stream(rt, handle, priority, &stream);
    if (!error)
        *priority = stream->priority;
    return error;
}

static cudaError_t get_flags(struct rt *rt, cudaStream_t handle, unsigned *flags)
{
    struct rt_stream *stream;
    cudaError_t error = known_stream(rt, handle, flags, &stream);
    if (!error)
        *flags = stream->flags;
    return error;
}

static cudaError_t get_id(struct rt *rt, cudaStream_t handle, unsigned long long *id)
{
    struct rt_stream *stream;
    cudaError_t error = known_stream(rt, handle, id, &stream);
    if (!error)
        *id = stream->id;
    return error;
}

static cudaError_t get_device(struct rt *rt, cudaStream_t handle, int *device)
{
    struct rt_stream *stream;
    cudaError_t error = known_stream(rt, handle, device, &stream);
    if (!error)
        *device = 0;
    return error;
}

cudaError_t wg_cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return RT_CALL(rt, get_priority(rt, stream, priority));
}

cudaError_t wg_cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    return RT_CALL(rt, get_flags(rt, stream, flags));
}

cudaError_t wg_cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    return RT_CALL(rt, get_id(rt, stream, id));
}

cudaError_t wg_cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    return RT_CALL(rt, get_device(rt, stream, device));
}

cudaError_t wg_cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                      union launch_attribute_value *value)
{
    return RT_CALL(rt, stream_attribute_get(rt, stream, id, value));
}

cudaError_t wg_cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                      const union launch_attribute_value *value)
{
    return RT_CALL(rt, stream_attribute_set(rt, stream, id, value));
}

cudaError_t wg_cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return RT_CALL(rt, stream_attributes_copy(rt, to, from));
}
