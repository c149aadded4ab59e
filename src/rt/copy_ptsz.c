// The asynchronous copies and fills as programs built with a default stream per thread call them: stream 0 is
// the calling thread's own. The synchronous twins need no body: the host waits either way.
#include "rt/api.h"

static cudaStream_t own(cudaStream_t stream)
{
    return stream ? stream : STREAM_PER_THREAD;
}

cudaError_t wg_cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    return wg_cudaMemcpyAsync(to, from, size_bytes, kind, own(stream));
}

cudaError_t wg_cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                      size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    return wg_cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width_bytes, height, kind, own(stream));
}

cudaError_t wg_cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *parms, cudaStream_t stream)
{
    return wg_cudaMemcpy3DAsync(parms, own(stream));
}

cudaError_t wg_cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream)
{
    return wg_cudaMemcpy3DPeerAsync(parms, own(stream));
}

cudaError_t wg_cudaMemsetAsync_ptsz(void *to, int value, size_t size_bytes, cudaStream_t stream)
{
    return wg_cudaMemsetAsync(to, value, size_bytes, own(stream));
}

cudaError_t wg_cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width_bytes, size_t height,
                                      cudaStream_t stream)
{
    return wg_cudaMemset2DAsync(to, pitch, value, width_bytes, height, own(stream));
}

cudaError_t wg_cudaMemset3DAsync_ptsz(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                      cudaStream_t stream)
{
    return wg_cudaMemset3DAsync(to, value, extent, own(stream));
}

cudaError_t wg_cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                             size_t pitch, size_t width_bytes, size_t height,
                                             enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpy2DToArrayAsync(to, x_bytes, y, from, pitch, width_bytes, height, kind, own(stream));
}

cudaError_t wg_cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, cudaArray_t from, size_t x_bytes,
                                               size_t y, size_t width_bytes, size_t height,
                                               enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpy2DFromArrayAsync(to, pitch, from, x_bytes, y, width_bytes, height, kind, own(stream));
}

cudaError_t wg_cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                           size_t size_bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpyToArrayAsync(to, x_bytes, y, from, size_bytes, kind, own(stream));
}

cudaError_t wg_cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_t from, size_t x_bytes, size_t y,
                                             size_t size_bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpyFromArrayAsync(to, from, x_bytes, y, size_bytes, kind, own(stream));
}

cudaError_t wg_cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t size_bytes,
                                            size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpyToSymbolAsync(symbol, from, size_bytes, offset, kind, own(stream));
}

cudaError_t wg_cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t size_bytes, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wg_cudaMemcpyFromSymbolAsync(to, symbol, size_bytes, offset, kind, own(stream));
}
