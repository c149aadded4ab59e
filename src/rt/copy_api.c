// cudaMemcpy…, cudaMemset…: arguments become boxes of bytes.
#include "rt/api.h"

// Where a pointer's bytes lie, for cudaMemcpyDefault and to check the direction that was named.
static bool is_device(const void *pointer)
{
    return is_guest((uint64_t)(uintptr_t)pointer);
}

static enum cudaMemcpyKind kind_of(const void *to, const void *from)
{
    if (is_device(to))
        return is_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return is_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

static cudaError_t copy_bytes(struct rt *rt, void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind,
                              struct rt_stream *stream, bool is_async)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (size_bytes == 0)
        return is_async ? cudaSuccess : rt_synchronize(rt);
    if (!to || !from)
        return cudaErrorInvalidValue;
    struct rt_op op = {.kind = OP_COPY};
    op.copy = (struct op_copy){.from = {.address = (uint64_t)(uintptr_t)from},
                               .to = {.address = (uint64_t)(uintptr_t)to},
                               .width_bytes = size_bytes,
                               .height = 1,
                               .depth = 1,
                               .kind = kind_of(to, from)};
    cudaError_t error = rt_submit(rt, stream, &op);
    return error || is_async ? error : rt_synchronize(rt);
}

cudaError_t wg_cudaMemcpy(void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind)
{
    return RT_CALL(rt, copy_bytes(rt, to, from, size_bytes, kind, rt->legacy, false));
}

static cudaError_t fill_bytes(struct rt *rt, void *to, int value, size_t size_bytes, struct rt_stream *stream)
{
    if (size_bytes == 0)
        return cudaSuccess;
    if (!to)
        return cudaErrorInvalidValue;
    struct rt_op op = {.kind = OP_FILL};
    op.fill = (struct op_fill){.to = {.address = (uint64_t)(uintptr_t)to},
                               .value = (uint8_t)value,
                               .element_bytes = 1,
                               .width = size_bytes,
                               .height = 1,
                               .depth = 1};
    return rt_submit(rt, stream, &op);
}

cudaError_t wg_cudaMemset(void *to, int value, size_t size_bytes)
{
    return RT_CALL(rt, fill_bytes(rt, to, value, size_bytes, rt->legacy));
}
