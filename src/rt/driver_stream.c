// cuStream…: what only the driver API asks of streams.
#include "rt/driver.h"
#include <stdlib.h>

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
