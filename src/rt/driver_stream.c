// cuStream…: what only the driver API asks of streams.
#include "rt/driver.h"
#include <stdlib.h>
#include <string.h>

static cudaError_t context_of(struct rt *rt, cudaStream_t stream, CUcontext *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!stream_of(rt, stream))
        return cudaErrorInvalidResourceHandle;
    *out = context_current(rt); // every context sees every stream
    return cudaSuccess;
}

CUresult wg_cuStreamGetCtx(cudaStream_t stream, CUcontext *out)
{
    return DRIVER_CALL(rt, context_of(rt, stream, out));
}

// A stream belongs to a context or to a part of one; there are no such parts.
CUresult wg_cuStreamGetCtx_v2(cudaStream_t stream, CUcontext *out, void **green)
{
    if (green)
        *green = NULL;
    return wg_cuStreamGetCtx(stream, out);
}

// ---- waiting for a value -----------------------------------------------------------------------------------------------

enum wait_condition { WAIT_AT_LEAST, WAIT_EQUAL, WAIT_ANY_BIT, WAIT_NOT_ALL_BITS, N_WAIT_CONDITIONS }; // CU_STREAM_WAIT_VALUE_…

static bool holds(enum wait_condition condition, uint64_t is, uint64_t wanted, unsigned bytes)
{
    uint64_t mask = bytes == 8 ? UINT64_MAX : UINT32_MAX, sign = (mask >> 1) + 1;
    switch (condition) {
    case WAIT_AT_LEAST: // also after a wrap around
        return !((is - wanted) & sign);
    case WAIT_EQUAL:
        return is == wanted;
    case WAIT_ANY_BIT:
        return is & wanted;
    default:
        return ~(is | wanted) & mask;
    }
}

// Operations run when they are submitted, so the value has to be there by then.
static cudaError_t wait_value(struct rt *rt, cudaStream_t handle, const void *from, uint64_t wanted, unsigned bytes,
                              unsigned flags)
{
    enum { FLUSH = 1u << 30 };
    const struct rt_stream *stream = stream_of(rt, handle);
    const struct memory_block *block = memory_block_at(rt->memory, (uint64_t)(uintptr_t)from);
    unsigned condition = flags & ~(unsigned)FLUSH;
    uint64_t is = 0;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!block || (uintptr_t)from % bytes || condition >= N_WAIT_CONDITIONS)
        return cudaErrorInvalidValue;
    memcpy(&is, block->host + ((uintptr_t)from - block->address), bytes);
    if (!stream->capture && holds(condition, is, wanted, bytes))
        return cudaSuccess;
    rt_explain(rt, "cuStreamWaitValue",
               "cuStreamWaitValue%u: operations run when they are submitted, so a stream cannot wait for a later write; it "
               "returns CUDA_ERROR_NOT_SUPPORTED",
               bytes * 8);
    return cudaErrorNotSupported;
}

CUresult wg_cuStreamWaitValue32_v2(cudaStream_t stream, const void *from, uint32_t value, unsigned flags)
{
    return DRIVER_CALL(rt, wait_value(rt, stream, from, value, sizeof value, flags));
}

CUresult wg_cuStreamWaitValue64_v2(cudaStream_t stream, const void *from, uint64_t value, unsigned flags)
{
    return DRIVER_CALL(rt, wait_value(rt, stream, from, value, sizeof value, flags));
}
