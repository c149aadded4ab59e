// Submitting and running operations: the one place of order and modelled time.
#include "rt/op.h"

struct rt_stream *stream_of(struct rt *rt, cudaStream_t handle)
{
    if (handle == NULL || handle == STREAM_LEGACY)
        return rt->legacy;
    if (handle == STREAM_PER_THREAD)
        return stream_per_thread(rt);
    return handle_is(handle, HANDLE_STREAM) ? handle : NULL;
}

cudaError_t rt_submit(struct rt *rt, struct rt_stream *stream, const struct rt_op *op)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return capture_add(rt, stream, op);
    cudaError_t error = stream == rt->legacy ? capture_forbids_legacy(rt) : cudaSuccess;
    return error ? error : op_run(rt, stream, op);
}

double stream_ready_ns(const struct rt *rt, const struct rt_stream *stream)
{
    double ready = stream->ready_ns > rt->now_ns ? stream->ready_ns : rt->now_ns;
    if (stream == rt->legacy)
        for (const struct rt_stream *s = rt->streams; s; s = s->next)
            ready = s->is_blocking && s->ready_ns > ready ? s->ready_ns : ready;
    else if (stream->is_blocking && rt->legacy->ready_ns > ready)
        ready = rt->legacy->ready_ns;
    return ready;
}

static void call_host(struct rt *rt, cudaHostFn_t function, void *data)
{
    uint32_t depth = rt_unlock(rt);
    function(data);
    rt_relock(rt, depth);
}

static cudaError_t op_do(struct rt *rt, struct rt_stream *stream, const struct rt_op *op, double *ns)
{
    switch (op->kind) {
    case OP_EMPTY:
        return cudaSuccess;
    case OP_ALLOC: // places were taken when the operation was made
    case OP_FREE:
        graph_memory_mark(rt, op->memory.address, op->kind == OP_ALLOC);
        return cudaSuccess;
    case OP_KERNEL:
        return kernel_execute(rt, stream, &op->kernel, ns);
    case OP_COPY:
        return copy_run(rt, &op->copy, ns);
    case OP_FILL:
        return fill_run(rt, &op->fill, ns);
    case OP_HOST:
        call_host(rt, op->host.function, op->host.data);
        return cudaSuccess;
    case OP_EVENT_RECORD:
        op->event->is_recorded = true;
        op->event->is_captured = false;
        op->event->time_ns = stream->ready_ns;
        return cudaSuccess;
    case OP_EVENT_WAIT:
        if (op->event->time_ns > stream->ready_ns)
            stream->ready_ns = op->event->time_ns;
        return cudaSuccess;
    case OP_GRAPH:
        return graph_run(rt, stream, op->graph);
    }
    BUG("operation of kind %d", op->kind);
}

// After a fault nothing runs any more; whoever synchronises hears of it.
cudaError_t op_run(struct rt *rt, struct rt_stream *stream, const struct rt_op *op)
{
    double ns = 0;
    if (rt->pending)
        return cudaSuccess;
    stream->ready_ns = stream_ready_ns(rt, stream);
    cudaError_t error = op_do(rt, stream, op, &ns);
    stream->ready_ns += ns;
    return error;
}
