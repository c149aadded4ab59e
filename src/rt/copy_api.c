// cudaMemcpy…, cudaMemset… but for those with arrays and symbols.
#include "rt/api.h"
#include "rt/memory.h"

// ---- 1D -------------------------------------------------------------------------------------------------

cudaError_t wg_cudaMemcpy(void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind)
{
    return RT_CALL(rt, copy_bytes(rt, to, from, size_bytes, kind, rt->legacy, false));
}

cudaError_t wg_cudaMemcpyAsync(void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind,
                               cudaStream_t stream)
{
    return RT_CALL(rt, copy_bytes(rt, to, from, size_bytes, kind, stream_of(rt, stream), true));
}

static cudaError_t copy_peer(struct rt *rt, void *to, int to_device, const void *from, int from_device,
                             size_t size_bytes, struct rt_stream *stream, bool is_async)
{
    if (to_device != 0 || from_device != 0)
        return cudaErrorInvalidDevice;
    return copy_bytes(rt, to, from, size_bytes, cudaMemcpyDeviceToDevice, stream, is_async);
}

cudaError_t wg_cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size_bytes)
{
    return RT_CALL(rt, copy_peer(rt, to, to_device, from, from_device, size_bytes, rt->legacy, false));
}

cudaError_t wg_cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                   size_t size_bytes, cudaStream_t stream)
{
    return RT_CALL(rt,
                   copy_peer(rt, to, to_device, from, from_device, size_bytes, stream_of(rt, stream), true));
}

// ---- 2D -------------------------------------------------------------------------------------------------

struct copy_2d {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch, width_bytes, height;
    enum cudaMemcpyKind kind;
};

static cudaError_t copy_2d(struct rt *rt, const struct copy_2d *call, struct rt_stream *stream, bool is_async)
{
    struct op_copy copy;
    cudaError_t error = copy_of_2d(call->to, call->to_pitch, call->from, call->from_pitch, call->width_bytes,
                                   call->height, call->kind, &copy);
    return error ? error : copy_box(rt, &copy, stream, is_async);
}

cudaError_t wg_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    const struct copy_2d call = {to, to_pitch, from, from_pitch, width_bytes, height, kind};
    return RT_CALL(rt, copy_2d(rt, &call, rt->legacy, false));
}

cudaError_t wg_cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                 size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                 cudaStream_t stream)
{
    const struct copy_2d call = {to, to_pitch, from, from_pitch, width_bytes, height, kind};
    return RT_CALL(rt, copy_2d(rt, &call, stream_of(rt, stream), true));
}

// ---- 3D -------------------------------------------------------------------------------------------------

static cudaError_t copy_3d(struct rt *rt, const struct cudaMemcpy3DParms *parms, struct rt_stream *stream,
                           bool is_async)
{
    struct op_copy copy;
    cudaError_t error = copy_of_3d(rt, parms, &copy);
    return error ? error : copy_box(rt, &copy, stream, is_async);
}

cudaError_t wg_cudaMemcpy3D(const struct cudaMemcpy3DParms *parms)
{
    return RT_CALL(rt, copy_3d(rt, parms, rt->legacy, false));
}

cudaError_t wg_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parms, cudaStream_t stream)
{
    return RT_CALL(rt, copy_3d(rt, parms, stream_of(rt, stream), true));
}

static cudaError_t copy_3d_peer(struct rt *rt, const struct cudaMemcpy3DPeerParms *p,
                                struct rt_stream *stream, bool is_async)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcDevice != 0 || p->dstDevice != 0)
        return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms parms = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                            p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(rt, &parms, stream, is_async);
}

cudaError_t wg_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parms)
{
    return RT_CALL(rt, copy_3d_peer(rt, parms, rt->legacy, false));
}

cudaError_t wg_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream)
{
    return RT_CALL(rt, copy_3d_peer(rt, parms, stream_of(rt, stream), true));
}

// ---- fills ----------------------------------------------------------------------------------------------

cudaError_t wg_cudaMemset(void *to, int value, size_t size_bytes)
{
    return RT_CALL(rt, fill_elements(rt, to, (uint8_t)value, 1, size_bytes, rt->legacy, false));
}

cudaError_t wg_cudaMemsetAsync(void *to, int value, size_t size_bytes, cudaStream_t stream)
{
    return RT_CALL(rt, fill_elements(rt, to, (uint8_t)value, 1, size_bytes, stream_of(rt, stream), true));
}

static cudaError_t fill_2d(struct rt *rt, void *to, size_t pitch, int value, size_t width_bytes,
                           size_t height, struct rt_stream *stream, bool is_async)
{
    struct op_fill fill;
    cudaError_t error = fill_of_2d(to, pitch, value, width_bytes, height, &fill);
    return error ? error : fill_box(rt, &fill, stream, is_async);
}

cudaError_t wg_cudaMemset2D(void *to, size_t pitch, int value, size_t width_bytes, size_t height)
{
    return RT_CALL(rt, fill_2d(rt, to, pitch, value, width_bytes, height, rt->legacy, false));
}

cudaError_t wg_cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width_bytes, size_t height,
                                 cudaStream_t stream)
{
    return RT_CALL(rt, fill_2d(rt, to, pitch, value, width_bytes, height, stream_of(rt, stream), true));
}

static cudaError_t fill_3d(struct rt *rt, struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                           struct rt_stream *stream, bool is_async)
{
    struct op_fill fill;
    cudaError_t error = fill_of_3d(to, value, extent, &fill);
    return error ? error : fill_box(rt, &fill, stream, is_async);
}

cudaError_t wg_cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return RT_CALL(rt, fill_3d(rt, to, value, extent, rt->legacy, false));
}

cudaError_t wg_cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                 cudaStream_t stream)
{
    return RT_CALL(rt, fill_3d(rt, to, value, extent, stream_of(rt, stream), true));
}
