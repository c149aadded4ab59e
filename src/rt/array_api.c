// Arrays, and copies to and from them.
#include "rt/api.h"
#include "rt/memory.h"
#include "rt/stream.h"

// ---- arrays ---------------------------------------------------------------------------------------------

struct cudaChannelFormatDesc wg_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                      enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static cudaError_t malloc_array(struct rt *rt, cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                                struct cudaExtent extent, unsigned flags)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : array_new(rt, out, format, extent, flags);
}

cudaError_t wg_cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format, size_t width,
                               size_t height, unsigned flags)
{
    return RT_CALL(rt, malloc_array(rt, out, format, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t wg_cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                                 struct cudaExtent extent, unsigned flags)
{
    return RT_CALL(rt, malloc_array(rt, out, format, extent, flags));
}

static cudaError_t free_array(struct rt *rt, cudaArray_t array)
{
    cudaError_t error = streams_synchronize(rt);
    return error ? error : array_free(rt, array);
}

cudaError_t wg_cudaFreeArray(cudaArray_t array)
{
    return RT_CALL(rt, free_array(rt, array));
}

static cudaError_t array_info(struct rt *rt, struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                              unsigned *flags, cudaArray_t array)
{
    if (!array_is_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t wg_cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                                unsigned *flags, cudaArray_t array)
{
    return RT_CALL(rt, array_info(rt, format, extent, flags, array));
}

cudaError_t wg_cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_t array)
{
    return RT_CALL(rt, format ? array_info(rt, format, NULL, NULL, array) : cudaErrorInvalidValue);
}

// ---- mipmapped arrays -----------------------------------------------------------------------------------

static cudaError_t malloc_mipmap(struct rt *rt, cudaMipmappedArray_t *out,
                                 const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                                 unsigned n_levels, unsigned flags)
{
    cudaError_t error = capture_forbids(rt);
    return error ? error : mipmap_new(rt, out, format, extent, n_levels, flags);
}

cudaError_t wg_cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *format,
                                        struct cudaExtent extent, unsigned n_levels, unsigned flags)
{
    return RT_CALL(rt, malloc_mipmap(rt, out, format, extent, n_levels, flags));
}

cudaError_t wg_cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_t mipmap, unsigned level)
{
    return RT_CALL(rt, mipmap_level(rt, out, mipmap, level));
}

static cudaError_t free_mipmap(struct rt *rt, cudaMipmappedArray_t mipmap)
{
    cudaError_t error = streams_synchronize(rt);
    return error ? error : mipmap_free(rt, mipmap);
}

cudaError_t wg_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    return RT_CALL(rt, free_mipmap(rt, mipmap));
}

// Only arrays that are mapped later have them, and there are none.
cudaError_t wg_cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t array,
                                              int device)
{
    (void)out, (void)device;
    return RT_CALL(rt, array_is_known(rt, array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}

// ---- boxes ----------------------------------------------------------------------------------------------

enum direction { TO_ARRAY, FROM_ARRAY };

// One copy between an array and pitched memory; offsets in bytes and rows.
struct array_copy {
    enum direction direction;
    cudaArray_t array;
    size_t x_bytes, y;
    void *memory;
    size_t pitch, width_bytes, height;
    enum cudaMemcpyKind kind;
};

static cudaError_t check_kind(enum direction direction, enum cudaMemcpyKind kind)
{
    enum cudaMemcpyKind usual = direction == TO_ARRAY ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    bool is_good = kind == usual || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
    return is_good ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

static cudaError_t array_box(struct rt *rt, const struct array_copy *call, struct op_copy *copy)
{
    const struct cudaPos pos = {call->x_bytes, call->y, 0};
    const struct cudaExtent extent = {call->width_bytes, call->height, 1};
    if (!array_is_known(rt, call->array))
        return cudaErrorInvalidResourceHandle;
    void *to = call->direction == TO_ARRAY ? NULL : call->memory,
         *from = call->direction == TO_ARRAY ? call->memory : NULL;
    size_t array_pitch = call->width_bytes; // any that is good: the array has its own
    cudaError_t error = copy_of_2d(to, to ? call->pitch : array_pitch, from, from ? call->pitch : array_pitch,
                                   call->width_bytes, call->height, call->kind, copy);
    if (error || call->width_bytes == 0 || call->height == 0)
        return error;
    error = check_kind(call->direction, call->kind);
    if (error)
        return error;
    if (!call->memory || !array_contains(call->array, pos, extent))
        return cudaErrorInvalidValue;
    *(call->direction == TO_ARRAY ? &copy->to : &copy->from) =
        array_place(call->array, call->x_bytes, call->y, 0);
    return cudaSuccess;
}

static cudaError_t copy_array(struct rt *rt, const struct array_copy *call, struct rt_stream *stream,
                              bool is_async)
{
    struct op_copy copy;
    cudaError_t error = array_box(rt, call, &copy);
    return error ? error : copy_box(rt, &copy, stream, is_async);
}

cudaError_t wg_cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                   size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    const struct array_copy call = {TO_ARRAY, to,          x_bytes, y,   (void *)(uintptr_t)from,
                                    pitch,    width_bytes, height,  kind};
    return RT_CALL(rt, copy_array(rt, &call, rt->legacy, false));
}

cudaError_t wg_cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                        size_t pitch, size_t width_bytes, size_t height,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct array_copy call = {TO_ARRAY, to,          x_bytes, y,   (void *)(uintptr_t)from,
                                    pitch,    width_bytes, height,  kind};
    return RT_CALL(rt, copy_array(rt, &call, stream_of(rt, stream), true));
}

cudaError_t wg_cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x_bytes, size_t y,
                                     size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    const struct array_copy call = {FROM_ARRAY, from, x_bytes, y, to, pitch, width_bytes, height, kind};
    return RT_CALL(rt, copy_array(rt, &call, rt->legacy, false));
}

cudaError_t wg_cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x_bytes, size_t y,
                                          size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    const struct array_copy call = {FROM_ARRAY, from, x_bytes, y, to, pitch, width_bytes, height, kind};
    return RT_CALL(rt, copy_array(rt, &call, stream_of(rt, stream), true));
}

static cudaError_t copy_arrays(struct rt *rt, cudaArray_t to, struct cudaPos to_pos, cudaArray_t from,
                               struct cudaPos from_pos, struct cudaExtent extent, enum cudaMemcpyKind kind)
{
    if (!array_is_known(rt, to) || !array_is_known(rt, from))
        return cudaErrorInvalidResourceHandle;
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!array_contains(to, to_pos, extent) || !array_contains(from, from_pos, extent))
        return cudaErrorInvalidValue;
    const struct op_copy copy = {.to = array_place(to, to_pos.x, to_pos.y, 0),
                                 .from = array_place(from, from_pos.x, from_pos.y, 0),
                                 .width_bytes = extent.width,
                                 .height = extent.height,
                                 .depth = 1,
                                 .kind = kind};
    return copy_box(rt, &copy, rt->legacy, false);
}

cudaError_t wg_cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_t from,
                                        size_t from_x_bytes, size_t from_y, size_t width_bytes, size_t height,
                                        enum cudaMemcpyKind kind)
{
    const struct cudaPos to_pos = {to_x_bytes, to_y, 0}, from_pos = {from_x_bytes, from_y, 0};
    const struct cudaExtent extent = {width_bytes, height, 1};
    return RT_CALL(rt, copy_arrays(rt, to, to_pos, from, from_pos, extent, kind));
}

// ---- runs of bytes: on from row to row --------------------------------------------------------------------

static bool run_fits(const struct rt_array *array, struct cudaPos from, size_t size_bytes)
{
    size_t row = array->extent.width * array->element_bytes,
           rows = array->extent.height ? array->extent.height : 1;
    return from.x < row && from.y < rows && size_bytes <= row * rows - from.y * row - from.x;
}

static struct cudaPos run_step(struct cudaPos pos, size_t bytes, size_t row)
{
    bool is_end = pos.x + bytes == row;
    return (struct cudaPos){is_end ? 0 : pos.x + bytes, pos.y + is_end, 0};
}

// The bytes up to the end of the first row, whole rows, the rest: up to three boxes.
static cudaError_t copy_run_of(struct rt *rt, struct array_copy call, size_t size_bytes,
                               struct rt_stream *stream, bool is_async)
{
    cudaError_t error = cudaSuccess;
    if (!array_is_known(rt, call.array))
        return cudaErrorInvalidResourceHandle;
    size_t row = call.array->extent.width * call.array->element_bytes;
    if (!run_fits(call.array, (struct cudaPos){call.x_bytes, call.y, 0}, size_bytes) ||
        (size_bytes && !call.memory))
        return cudaErrorInvalidValue;
    while (size_bytes && !error) {
        bool is_whole = call.x_bytes == 0 && size_bytes >= row;
        size_t left = row - call.x_bytes;
        call.height = is_whole ? size_bytes / row : 1;
        call.width_bytes = is_whole ? row : left < size_bytes ? left : size_bytes;
        call.pitch = call.width_bytes;
        error = copy_array(rt, &call, stream, is_async);
        call.memory = (char *)call.memory + call.width_bytes * call.height;
        call.y += call.height;
        call.x_bytes = 0;
        size_bytes -= call.width_bytes * call.height;
    }
    return error;
}

cudaError_t wg_cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                 size_t size_bytes, enum cudaMemcpyKind kind)
{
    const struct array_copy call = {TO_ARRAY, to, x_bytes, y, (void *)(uintptr_t)from, .kind = kind};
    return RT_CALL(rt, copy_run_of(rt, call, size_bytes, rt->legacy, false));
}

cudaError_t wg_cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                      size_t size_bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct array_copy call = {TO_ARRAY, to, x_bytes, y, (void *)(uintptr_t)from, .kind = kind};
    return RT_CALL(rt, copy_run_of(rt, call, size_bytes, stream_of(rt, stream), true));
}

cudaError_t wg_cudaMemcpyFromArray(void *to, cudaArray_t from, size_t x_bytes, size_t y, size_t size_bytes,
                                   enum cudaMemcpyKind kind)
{
    const struct array_copy call = {FROM_ARRAY, from, x_bytes, y, to, .kind = kind};
    return RT_CALL(rt, copy_run_of(rt, call, size_bytes, rt->legacy, false));
}

cudaError_t wg_cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x_bytes, size_t y,
                                        size_t size_bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct array_copy call = {FROM_ARRAY, from, x_bytes, y, to, .kind = kind};
    return RT_CALL(rt, copy_run_of(rt, call, size_bytes, stream_of(rt, stream), true));
}

// A piece is as long as both rows go on.
static cudaError_t copy_run_between(struct rt *rt, cudaArray_t to, struct cudaPos to_pos, cudaArray_t from,
                                    struct cudaPos from_pos, size_t size_bytes, enum cudaMemcpyKind kind)
{
    cudaError_t error = cudaSuccess;
    if (!array_is_known(rt, to) || !array_is_known(rt, from))
        return cudaErrorInvalidResourceHandle;
    size_t to_row = to->extent.width * to->element_bytes, from_row = from->extent.width * from->element_bytes;
    if (!run_fits(to, to_pos, size_bytes) || !run_fits(from, from_pos, size_bytes))
        return cudaErrorInvalidValue;
    while (size_bytes && !error) {
        size_t piece = size_bytes;
        piece = to_row - to_pos.x < piece ? to_row - to_pos.x : piece;
        piece = from_row - from_pos.x < piece ? from_row - from_pos.x : piece;
        error = copy_arrays(rt, to, to_pos, from, from_pos, (struct cudaExtent){piece, 1, 1}, kind);
        to_pos = run_step(to_pos, piece, to_row);
        from_pos = run_step(from_pos, piece, from_row);
        size_bytes -= piece;
    }
    return error;
}

cudaError_t wg_cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_t from,
                                      size_t from_x_bytes, size_t from_y, size_t size_bytes,
                                      enum cudaMemcpyKind kind)
{
    const struct cudaPos to_pos = {to_x_bytes, to_y, 0}, from_pos = {from_x_bytes, from_y, 0};
    return RT_CALL(rt, copy_run_between(rt, to, to_pos, from, from_pos, size_bytes, kind));
}
