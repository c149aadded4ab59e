// From the arguments of 2D, 3D and array copies and fills to boxes of bytes.
//
// Which arguments fail and how: as measured on an H200 with driver 580.
#include "rt/memory.h"

// ---- 2D -------------------------------------------------------------------------------------------------

// A pitch counts from the second row on; for a single row 0 is good too.
static cudaError_t check_pitch(size_t pitch, size_t width_bytes, size_t height)
{
    if (pitch >= width_bytes || (height == 1 && pitch == 0))
        return cudaSuccess;
    return height == 1 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue;
}

cudaError_t copy_of_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                       size_t height, enum cudaMemcpyKind kind, struct op_copy *copy)
{
    *copy = (struct op_copy){.to = {.address = (uint64_t)(uintptr_t)to, .pitch_bytes = to_pitch},
                             .from = {.address = (uint64_t)(uintptr_t)from, .pitch_bytes = from_pitch},
                             .width_bytes = width_bytes,
                             .height = height,
                             .depth = 1,
                             .kind = kind};
    if (width_bytes == 0 || height == 0)
        return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = check_pitch(to_pitch, width_bytes, height);
    return error ? error : check_pitch(from_pitch, width_bytes, height);
}

cudaError_t fill_of_2d(void *to, size_t pitch, int value, size_t width_bytes, size_t height,
                       struct op_fill *fill)
{
    *fill = (struct op_fill){.to = {.address = (uint64_t)(uintptr_t)to, .pitch_bytes = pitch},
                             .value = (uint8_t)value,
                             .element_bytes = 1,
                             .width = width_bytes,
                             .height = height,
                             .depth = 1};
    return width_bytes > pitch && height > 1 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t fill_of_3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent, struct op_fill *fill)
{
    *fill = (struct op_fill){.to = {.address = (uint64_t)(uintptr_t)to.ptr,
                                    .pitch_bytes = to.pitch,
                                    .slice_bytes = to.pitch * to.ysize},
                             .value = (uint8_t)value,
                             .element_bytes = 1,
                             .width = extent.width,
                             .height = extent.height,
                             .depth = extent.depth};
    bool is_empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
    bool is_good = extent.width <= to.pitch && extent.height <= to.ysize;
    return is_empty || is_good ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- 3D -------------------------------------------------------------------------------------------------

struct side {
    struct rt_array *array; // or
    struct cudaPitchedPtr pointer;
    struct cudaPos pos;
};

// `extent` and the position in bytes.
static cudaError_t pitched_place(const struct side *side, struct cudaExtent extent, struct op_place *place)
{
    const struct cudaPitchedPtr *p = &side->pointer;
    size_t x_end, y_end;
    if (__builtin_add_overflow(side->pos.x, extent.width, &x_end) ||
        __builtin_add_overflow(side->pos.y, extent.height, &y_end))
        return cudaErrorInvalidValue;
    bool is_one_row = extent.height == 1 && extent.depth == 1;
    if ((!is_one_row && p->pitch < extent.width) || (extent.depth > 1 && p->ysize < extent.height))
        return cudaErrorInvalidPitchValue;
    if ((p->pitch && x_end > p->pitch) || (p->ysize && y_end > p->ysize))
        return cudaErrorInvalidValue;
    *place = (struct op_place){.pitch_bytes = p->pitch, .slice_bytes = p->pitch * p->ysize};
    place->address = (uint64_t)(uintptr_t)p->ptr + side->pos.x + side->pos.y * place->pitch_bytes +
                     side->pos.z * place->slice_bytes;
    return p->ptr ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t side_place(struct rt *rt, const struct side *side, struct cudaExtent extent,
                              struct op_place *place)
{
    if (!side->array)
        return pitched_place(side, extent, place);
    if (!array_is_known(rt, side->array))
        return cudaErrorInvalidResourceHandle;
    if (!array_contains(side->array, side->pos, extent))
        return cudaErrorInvalidValue;
    *place = array_place(side->array, side->pos.x, side->pos.y, side->pos.z);
    return cudaSuccess;
}

// Widths and positions are counted in the elements of the array that takes part, for the other side too. 0:
// the two arrays differ in that, or a side is given twice or not at all.
static uint32_t element_bytes(const struct side *to, const struct side *from)
{
    if (!to->array == !to->pointer.ptr || !from->array == !from->pointer.ptr)
        return 0;
    if (to->array && from->array && to->array->element_bytes != from->array->element_bytes)
        return 0;
    return to->array ? to->array->element_bytes : from->array ? from->array->element_bytes : 1;
}

cudaError_t copy_of_3d(struct rt *rt, const struct cudaMemcpy3DParms *parms, struct op_copy *copy)
{
    *copy = (struct op_copy){0};
    if (!parms)
        return cudaErrorInvalidValue;
    struct side to = {parms->dstArray, parms->dstPtr, parms->dstPos};
    struct side from = {parms->srcArray, parms->srcPtr, parms->srcPos};
    struct cudaExtent extent = parms->extent;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    if ((unsigned)parms->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if ((to.array && !array_is_known(rt, to.array)) || (from.array && !array_is_known(rt, from.array)))
        return cudaErrorInvalidResourceHandle;
    uint32_t bytes = element_bytes(&to, &from);
    if (bytes == 0 || __builtin_mul_overflow(extent.width, bytes, &extent.width) ||
        __builtin_mul_overflow(to.pos.x, bytes, &to.pos.x) ||
        __builtin_mul_overflow(from.pos.x, bytes, &from.pos.x))
        return cudaErrorInvalidValue;
    cudaError_t error = side_place(rt, &to, extent, &copy->to);
    if (!error)
        error = side_place(rt, &from, extent, &copy->from);
    copy->width_bytes = extent.width;
    copy->height = extent.height;
    copy->depth = extent.depth;
    copy->kind = parms->kind;
    return error;
}
