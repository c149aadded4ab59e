// cuMemcpy2D, cuMemcpy3D, cuMemcpy…A, cuMemsetD2D…, cuArray…: boxes of bytes and arrays.
#include "rt/driver.h"
#include "rt/driver_copy.h"
#include <stdlib.h>

// ---- boxes -----------------------------------------------------------------------------------------------------------

// One side of a copy, as the structures of the API give it.
struct side {
    enum CUmemorytype type;
    const void *host, *device;
    struct rt_array *array;
    size_t x_bytes, y, z, pitch_bytes, height; // height: rows of a slice
};

static cudaError_t place_of(struct rt *rt, const struct side *side, size_t width_bytes, struct op_place *out)
{
    size_t pitch = side->pitch_bytes ? side->pitch_bytes : side->x_bytes + width_bytes;
    if (side->type == CU_MEMORYTYPE_ARRAY) {
        if (!array_is_known(rt, side->array))
            return cudaErrorInvalidResourceHandle;
        *out = array_place(side->array, side->x_bytes, side->y, side->z);
        return cudaSuccess;
    }
    if (side->type < CU_MEMORYTYPE_HOST || side->type > CU_MEMORYTYPE_UNIFIED || pitch < side->x_bytes + width_bytes)
        return cudaErrorInvalidValue;
    const void *base = side->type == CU_MEMORYTYPE_HOST ? side->host : side->device;
    uint64_t slice = (uint64_t)pitch * side->height;
    *out = (struct op_place){
        .address = (uint64_t)(uintptr_t)base + side->z * slice + side->y * (uint64_t)pitch + side->x_bytes,
        .pitch_bytes = pitch,
        .slice_bytes = slice};
    return base ? cudaSuccess : cudaErrorInvalidValue;
}

// What the two types name. Unified: found out from the addresses.
static enum cudaMemcpyKind kind_of(enum CUmemorytype from, enum CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t copy_of_driver(struct rt *rt, const struct CUDA_MEMCPY3D *c, struct op_copy *out)
{
    const struct side from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY,
                              c->srcZ,          c->srcPitch, c->srcHeight ? c->srcHeight : c->Height};
    const struct side to = {c->dstMemoryType, c->dstHost,  c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY,
                            c->dstZ,          c->dstPitch, c->dstHeight ? c->dstHeight : c->Height};
    *out = (struct op_copy){.width_bytes = c->WidthInBytes,
                            .height = c->Height,
                            .depth = c->Depth,
                            .kind = kind_of(c->srcMemoryType, c->dstMemoryType)};
    cudaError_t error = place_of(rt, &from, c->WidthInBytes, &out->from);
    return error ? error : place_of(rt, &to, c->WidthInBytes, &out->to);
}

// The side of a copy back again; places in arrays were made by array_place.
static struct side side_of(const struct op_place *place, bool is_host)
{
    const struct rt_array *array = place->array;
    uint64_t offset = array ? place->address - array->address : 0;
    if (!array)
        return (struct side){.type = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                             .host = (const void *)(uintptr_t)(is_host ? place->address : 0),
                             .device = (const void *)(uintptr_t)(is_host ? 0 : place->address),
                             .pitch_bytes = place->pitch_bytes,
                             .height = place->pitch_bytes ? place->slice_bytes / place->pitch_bytes : 0};
    uint64_t in_slice = array->slice_bytes ? offset % array->slice_bytes : offset;
    return (struct side){.type = CU_MEMORYTYPE_ARRAY,
                         .array = place->array,
                         .z = array->slice_bytes ? offset / array->slice_bytes : 0,
                         .y = array->pitch_bytes ? in_slice / array->pitch_bytes : 0,
                         .x_bytes = array->pitch_bytes ? in_slice % array->pitch_bytes : in_slice};
}

void driver_of_copy(const struct op_copy *copy, struct CUDA_MEMCPY3D *out)
{
    bool from_host = copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyHostToHost;
    bool to_host = copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyHostToHost;
    const struct side from = side_of(&copy->from, from_host), to = side_of(&copy->to, to_host);
    *out = (struct CUDA_MEMCPY3D){.srcXInBytes = from.x_bytes,
                                  .srcY = from.y,
                                  .srcZ = from.z,
                                  .srcMemoryType = from.type,
                                  .srcHost = from.host,
                                  .srcDevice = from.device,
                                  .srcArray = from.array,
                                  .srcPitch = from.pitch_bytes,
                                  .srcHeight = from.height,
                                  .dstXInBytes = to.x_bytes,
                                  .dstY = to.y,
                                  .dstZ = to.z,
                                  .dstMemoryType = to.type,
                                  .dstHost = (void *)(uintptr_t)to.host,
                                  .dstDevice = (void *)(uintptr_t)to.device,
                                  .dstArray = to.array,
                                  .dstPitch = to.pitch_bytes,
                                  .dstHeight = to.height,
                                  .WidthInBytes = copy->width_bytes,
                                  .Height = copy->height,
                                  .Depth = copy->depth};
}

static cudaError_t copy(struct rt *rt, const struct CUDA_MEMCPY3D *c, cudaStream_t stream, bool is_async)
{
    struct op_copy op;
    if (!c)
        return cudaErrorInvalidValue;
    if (!stream_of(rt, stream))
        return cudaErrorInvalidResourceHandle;
    if (c->WidthInBytes == 0 || c->Height == 0 || c->Depth == 0)
        return cudaSuccess;
    cudaError_t error = copy_of_driver(rt, c, &op);
    return error ? error : copy_box(rt, &op, stream_of(rt, stream), is_async);
}

CUresult wg_cuMemcpy3D_v2(const struct CUDA_MEMCPY3D *c)
{
    return DRIVER_CALL(rt, copy(rt, c, NULL, false));
}

CUresult wg_cuMemcpy3DAsync_v2(const struct CUDA_MEMCPY3D *c, cudaStream_t stream)
{
    return DRIVER_CALL(rt, copy(rt, c, stream, true));
}

static struct CUDA_MEMCPY3D box_of(const struct CUDA_MEMCPY2D *c)
{
    return (struct CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                                  .srcY = c->srcY,
                                  .srcMemoryType = c->srcMemoryType,
                                  .srcHost = c->srcHost,
                                  .srcDevice = c->srcDevice,
                                  .srcArray = c->srcArray,
                                  .srcPitch = c->srcPitch,
                                  .dstXInBytes = c->dstXInBytes,
                                  .dstY = c->dstY,
                                  .dstMemoryType = c->dstMemoryType,
                                  .dstHost = c->dstHost,
                                  .dstDevice = c->dstDevice,
                                  .dstArray = c->dstArray,
                                  .dstPitch = c->dstPitch,
                                  .WidthInBytes = c->WidthInBytes,
                                  .Height = c->Height,
                                  .Depth = 1};
}

CUresult wg_cuMemcpy2D_v2(const struct CUDA_MEMCPY2D *c)
{
    struct CUDA_MEMCPY3D box = c ? box_of(c) : (struct CUDA_MEMCPY3D){0};
    return DRIVER_CALL(rt, copy(rt, c ? &box : NULL, NULL, false));
}

CUresult wg_cuMemcpy2DAsync_v2(const struct CUDA_MEMCPY2D *c, cudaStream_t stream)
{
    struct CUDA_MEMCPY3D box = c ? box_of(c) : (struct CUDA_MEMCPY3D){0};
    return DRIVER_CALL(rt, copy(rt, c ? &box : NULL, stream, true));
}

// Between two contexts, which see the same memory.
CUresult wg_cuMemcpyPeer(void *to, CUcontext to_context, const void *from, CUcontext from_context, size_t size_bytes)
{
    return DRIVER_CALL(rt, context_is_alive(rt, to_context) && context_is_alive(rt, from_context)
                               ? copy_bytes(rt, to, from, size_bytes, cudaMemcpyDeviceToDevice, rt->legacy, false)
                               : cudaErrorDeviceUninitialized);
}

CUresult wg_cuMemcpyPeerAsync(void *to, CUcontext to_context, const void *from, CUcontext from_context,
                              size_t size_bytes, cudaStream_t stream)
{
    return DRIVER_CALL(rt, context_is_alive(rt, to_context) && context_is_alive(rt, from_context)
                               ? copy_bytes(rt, to, from, size_bytes, cudaMemcpyDeviceToDevice,
                                            stream_of(rt, stream), true)
                               : cudaErrorDeviceUninitialized);
}

// ---- fills -----------------------------------------------------------------------------------------------------------

cudaError_t fill_rows(struct rt *rt, void *to, size_t pitch_bytes, uint32_t value, uint32_t element_bytes, size_t width,
                      size_t height, cudaStream_t stream, bool is_async)
{
    uint64_t address = (uint64_t)(uintptr_t)to;
    if (address % element_bytes || (height > 1 && pitch_bytes % element_bytes))
        return cudaErrorInvalidValue;
    if (!stream_of(rt, stream))
        return cudaErrorInvalidResourceHandle;
    if (width == 0 || height == 0)
        return cudaSuccess;
    const struct op_fill op = {.to = {.address = address, .pitch_bytes = pitch_bytes},
                               .value = value,
                               .element_bytes = element_bytes,
                               .width = width,
                               .height = height,
                               .depth = 1};
    return fill_box(rt, &op, stream_of(rt, stream), is_async);
}

// ---- arrays ----------------------------------------------------------------------------------------------------------

static bool format_of(enum CUarray_format format, unsigned n_channels, struct cudaChannelFormatDesc *out)
{
    static const struct {
        enum CUarray_format format;
        int bits;
        enum cudaChannelFormatKind kind;
    } formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                   {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
    if (n_channels != 1 && n_channels != 2 && n_channels != 4)
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].format == format) {
            int bits = formats[i].bits;
            *out = (struct cudaChannelFormatDesc){bits, n_channels > 1 ? bits : 0, n_channels > 2 ? bits : 0,
                                                  n_channels > 2 ? bits : 0, formats[i].kind};
            return true;
        }
    return false;
}

static enum CUarray_format format_name(const struct cudaChannelFormatDesc *format)
{
    int step = format->x == 8 ? 0 : format->x == 16 ? 1 : 2;
    if (format->f == cudaChannelFormatKindFloat)
        return format->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    return (format->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) + step;
}

static unsigned channels_of(const struct cudaChannelFormatDesc *format)
{
    return 1u + (format->y > 0) + (format->z > 0) + (format->w > 0);
}

static cudaError_t array_create(struct rt *rt, struct rt_array **out, const struct CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct cudaChannelFormatDesc format;
    if (!out || !d || d->Width == 0 || !format_of(d->Format, d->NumChannels, &format))
        return cudaErrorInvalidValue;
    return array_new(rt, out, &format, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags);
}

CUresult wg_cuArray3DCreate_v2(struct rt_array **out, const struct CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    return DRIVER_CALL(rt, array_create(rt, out, descriptor));
}

CUresult wg_cuArrayCreate_v2(struct rt_array **out, const struct CUDA_ARRAY_DESCRIPTOR *d)
{
    struct CUDA_ARRAY3D_DESCRIPTOR flat = {0};
    if (d)
        flat = (struct CUDA_ARRAY3D_DESCRIPTOR){
            .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return wg_cuArray3DCreate_v2(out, d ? &flat : NULL);
}

static cudaError_t mipmap_create(struct rt *rt, struct rt_mipmap **out, const struct CUDA_ARRAY3D_DESCRIPTOR *d,
                                 unsigned levels)
{
    struct cudaChannelFormatDesc format;
    if (!out || !d || d->Width == 0 || !format_of(d->Format, d->NumChannels, &format))
        return cudaErrorInvalidValue;
    return mipmap_new(rt, out, &format, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags);
}

CUresult wg_cuMipmappedArrayCreate(struct rt_mipmap **out, const struct CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                   unsigned levels)
{
    return DRIVER_CALL(rt, mipmap_create(rt, out, descriptor, levels));
}

static cudaError_t array_describe(struct rt *rt, struct CUDA_ARRAY3D_DESCRIPTOR *out, const struct rt_array *array)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!array_is_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    *out = (struct CUDA_ARRAY3D_DESCRIPTOR){.Width = array->extent.width,
                                            .Height = array->extent.height,
                                            .Depth = array->extent.depth,
                                            .Format = format_name(&array->format),
                                            .NumChannels = channels_of(&array->format),
                                            .Flags = array->flags};
    return cudaSuccess;
}

CUresult wg_cuArray3DGetDescriptor_v2(struct CUDA_ARRAY3D_DESCRIPTOR *out, struct rt_array *array)
{
    return DRIVER_CALL(rt, array_describe(rt, out, array));
}

CUresult wg_cuArrayGetDescriptor_v2(struct CUDA_ARRAY_DESCRIPTOR *out, struct rt_array *array)
{
    struct CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult result = wg_cuArray3DGetDescriptor_v2(out ? &d : NULL, array);
    if (!result)
        *out = (struct CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return result;
}

// ---- one row between an array and linear memory ------------------------------------------------------------------------

static cudaError_t copy_row(struct rt *rt, struct op_place to, struct op_place from, size_t size_bytes,
                            cudaStream_t stream, bool is_async)
{
    const struct op_copy op = {
        .from = from, .to = to, .width_bytes = size_bytes, .height = 1, .depth = 1, .kind = cudaMemcpyDefault};
    if (!stream_of(rt, stream))
        return cudaErrorInvalidResourceHandle;
    return size_bytes ? copy_box(rt, &op, stream_of(rt, stream), is_async) : cudaSuccess;
}

static struct op_place linear(const void *pointer)
{
    return (struct op_place){.address = (uint64_t)(uintptr_t)pointer};
}

#define ARRAY_COPY(rt, array, result) (array_is_known(rt, array) ? (result) : cudaErrorInvalidResourceHandle)

CUresult wg_cuMemcpyHtoA_v2(struct rt_array *to, size_t offset, const void *from, size_t size_bytes)
{
    return DRIVER_CALL(rt, ARRAY_COPY(rt, to,
                                      copy_row(rt, array_place(to, offset, 0, 0), linear(from), size_bytes, NULL,
                                               false)));
}

CUresult wg_cuMemcpyHtoAAsync_v2(struct rt_array *to, size_t offset, const void *from, size_t size_bytes,
                                 cudaStream_t stream)
{
    return DRIVER_CALL(rt, ARRAY_COPY(rt, to,
                                      copy_row(rt, array_place(to, offset, 0, 0), linear(from), size_bytes, stream,
                                               true)));
}

CUresult wg_cuMemcpyAtoH_v2(void *to, struct rt_array *from, size_t offset, size_t size_bytes)
{
    return DRIVER_CALL(rt, ARRAY_COPY(rt, from,
                                      copy_row(rt, linear(to), array_place(from, offset, 0, 0), size_bytes, NULL,
                                               false)));
}

CUresult wg_cuMemcpyAtoHAsync_v2(void *to, struct rt_array *from, size_t offset, size_t size_bytes,
                                 cudaStream_t stream)
{
    return DRIVER_CALL(rt, ARRAY_COPY(rt, from,
                                      copy_row(rt, linear(to), array_place(from, offset, 0, 0), size_bytes, stream,
                                               true)));
}

CUresult wg_cuMemcpyAtoA_v2(struct rt_array *to, size_t to_offset, struct rt_array *from, size_t from_offset,
                            size_t size_bytes)
{
    return DRIVER_CALL(rt, ARRAY_COPY(rt, to,
                                      ARRAY_COPY(rt, from,
                                                 copy_row(rt, array_place(to, to_offset, 0, 0),
                                                          array_place(from, from_offset, 0, 0), size_bytes, NULL,
                                                          false))));
}
