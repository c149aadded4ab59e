// Arrays: pitched rows in guest memory behind a handle. Hardware keeps them in an order of its own that no
// program can see; rows are what textures and copies need here.
//
// Limits and errors: as measured on an H200 with driver 580; the limits are those of all devices from compute
// capability 6.0 on (CUDA C++ programming guide, technical specifications).
#include "mem/texture_path.h"
#include "rt/memory.h"
#include <stdlib.h>

enum {
    ROW_ALIGN = 32, // bytes: cudaDeviceProp.texturePitchAlignment
    MOST_1D = 131072,
    MOST_2D_WIDTH = 131072,
    MOST_2D_HEIGHT = 65536,
    MOST_3D = 16384,
    MOST_LAYERED = 32768,
    MOST_LAYERS = 2048,
    MOST_CUBE = 32768
};

// ---- formats --------------------------------------------------------------------------------------------

// 1, 2 or 4 channels of equal width. 0: no such format.
static uint32_t format_bytes(const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};
    uint32_t n = 0;
    while (n < 4 && bits[n])
        n++;
    for (uint32_t i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0))
            return 0;
    bool is_width = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    bool is_float = format->f == cudaChannelFormatKindFloat;
    if (n == 0 || n == 3 || !is_width || (is_float && bits[0] == 8))
        return 0;
    return n * (uint32_t)bits[0] / 8;
}

static bool is_format(const struct cudaChannelFormatDesc *format)
{
    return format->f <= cudaChannelFormatKindFloat && format_bytes(format) != 0;
}

// ---- shapes ---------------------------------------------------------------------------------------------

static bool is_shape_layered(struct cudaExtent e, unsigned flags)
{
    bool is_cube = flags & cudaArrayCubemap;
    if (is_cube && (e.width != e.height || e.depth % 6 != 0 || e.width > MOST_CUBE))
        return false;
    return e.depth > 0 && e.depth <= MOST_LAYERS && e.width <= MOST_LAYERED && e.height <= MOST_LAYERED;
}

static bool is_shape(struct cudaExtent e, unsigned flags)
{
    if (e.width == 0)
        return false;
    if (flags & cudaArrayLayered)
        return is_shape_layered(e, flags);
    if (flags & cudaArrayCubemap)
        return e.width == e.height && e.depth == 6 && e.width <= MOST_CUBE;
    if (e.depth > 0)
        return e.height > 0 && e.width <= MOST_3D && e.height <= MOST_3D && e.depth <= MOST_3D &&
               !(flags & cudaArrayTextureGather);
    return e.height > 0 ? e.width <= MOST_2D_WIDTH && e.height <= MOST_2D_HEIGHT : e.width <= MOST_1D;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

// ---- life -----------------------------------------------------------------------------------------------

cudaError_t array_new(struct rt *rt, struct rt_array **out, const struct cudaChannelFormatDesc *format,
                      struct cudaExtent extent, unsigned flags)
{
    if (!out || !format)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!is_format(format))
        return cudaErrorInvalidChannelDescriptor;
    if (!is_shape(extent, flags))
        return cudaErrorInvalidValue;
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping)) {
        rt_explain(rt, "array flags",
                   "arrays that are mapped later (cudaArraySparse, cudaArrayDeferredMapping) are not "
                   "supported; it returns cudaErrorNotSupported");
        return cudaErrorNotSupported;
    }
    struct rt_array array = {
        .format = *format, .extent = extent, .flags = flags, .element_bytes = format_bytes(format)};
    array.pitch_bytes = (extent.width * array.element_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    array.slice_bytes = array.pitch_bytes * at_least_one(extent.height);
    void *pointer;
    const uint64_t block_bytes = block_linear_bytes(array.pitch_bytes, at_least_one(extent.height)); // not less than slice_bytes
    if (!allocation_new(rt, ALLOCATION_ARRAY, block_bytes * at_least_one(extent.depth),
                        "cudaMallocArray", &pointer))
        return cudaErrorMemoryAllocation;
    array.address = (uint64_t)(uintptr_t)pointer;
    array.next = memory_state(rt)->arrays;
    *out = malloc(sizeof array);
    if (!*out)
        err_memory("array", sizeof array);
    **out = array;
    memory_state(rt)->arrays = *out;
    return cudaSuccess;
}

bool array_is_known(struct rt *rt, const struct rt_array *array)
{
    const struct rt_array *known = memory_state(rt)->arrays;
    while (known && known != array)
        known = known->next;
    return known;
}

cudaError_t array_free(struct rt *rt, struct rt_array *array)
{
    struct rt_array **link = &memory_state(rt)->arrays;
    if (!array)
        return cudaSuccess;
    while (*link && *link != array)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorContextIsDestroyed; // what libcudart 13.0 says of a freed one
    if (array->is_level)
        return cudaErrorInvalidValue;
    *link = array->next;
    allocation_delete(rt, (void *)(uintptr_t)array->address);
    free(array);
    return cudaSuccess;
}

// ---- mipmapped arrays -----------------------------------------------------------------------------------

// Layers and the faces of cubes are as many at each level.
static struct cudaExtent extent_of_level(struct cudaExtent e, unsigned flags, unsigned level)
{
    bool has_layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    size_t height = e.height >> level, depth = has_layers ? e.depth : e.depth >> level;
    return (struct cudaExtent){at_least_one(e.width >> level), e.height ? at_least_one(height) : 0,
                               e.depth ? at_least_one(depth) : 0};
}

static unsigned levels_down_to_one(struct cudaExtent e, unsigned flags)
{
    unsigned n = 1;
    while (n < MOST_LEVELS &&
           ((e.width | e.height) >> n || (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && e.depth >> n)))
        n++;
    return n;
}

cudaError_t mipmap_new(struct rt *rt, struct rt_mipmap **out, const struct cudaChannelFormatDesc *format,
                       struct cudaExtent extent, unsigned n_levels, unsigned flags)
{
    if (!out || !format)
        return cudaErrorInvalidValue;
    *out = NULL;
    unsigned most = levels_down_to_one(extent, flags);
    struct rt_mipmap *mipmap = calloc(1, sizeof *mipmap);
    if (!mipmap)
        err_memory("mipmapped array", sizeof *mipmap);
    mipmap->next = memory_state(rt)->mipmaps;
    memory_state(rt)->mipmaps = mipmap;
    n_levels = n_levels == 0 ? 1 : n_levels < most ? n_levels : most;
    for (unsigned i = 0; i < n_levels; i++) {
        cudaError_t error =
            array_new(rt, &mipmap->levels[i], format, extent_of_level(extent, flags, i), flags);
        if (error) {
            mipmap_free(rt, mipmap);
            return error;
        }
        mipmap->levels[i]->is_level = true;
        mipmap->n_levels++;
    }
    *out = mipmap;
    return cudaSuccess;
}

cudaError_t mipmap_free(struct rt *rt, struct rt_mipmap *mipmap)
{
    struct rt_mipmap **link = &memory_state(rt)->mipmaps;
    if (!mipmap)
        return cudaSuccess;
    while (*link && *link != mipmap)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorContextIsDestroyed;
    *link = mipmap->next;
    for (unsigned i = 0; i < mipmap->n_levels; i++) {
        mipmap->levels[i]->is_level = false;
        array_free(rt, mipmap->levels[i]);
    }
    free(mipmap);
    return cudaSuccess;
}

cudaError_t mipmap_level(struct rt *rt, struct rt_array **out, const struct rt_mipmap *mipmap, unsigned level)
{
    const struct rt_mipmap *known = memory_state(rt)->mipmaps;
    while (known && known != mipmap)
        known = known->next;
    if (!known)
        return cudaErrorInvalidResourceHandle;
    if (!out || level >= mipmap->n_levels)
        return cudaErrorInvalidValue;
    *out = mipmap->levels[level];
    return cudaSuccess;
}

// ---- places ---------------------------------------------------------------------------------------------

struct op_place array_place(struct rt_array *array, size_t x_bytes, size_t y, size_t z)
{
    return (struct op_place){.address =
                                 array->address + x_bytes + y * array->pitch_bytes + z * array->slice_bytes,
                             .pitch_bytes = array->pitch_bytes,
                             .slice_bytes = array->slice_bytes,
                             .array = array};
}

static bool range_fits(size_t from, size_t n, size_t limit)
{
    return n <= limit && from <= limit - n;
}

bool array_contains(const struct rt_array *array, struct cudaPos from, struct cudaExtent extent)
{
    return range_fits(from.x, extent.width, array->extent.width * array->element_bytes) &&
           range_fits(from.y, extent.height, at_least_one(array->extent.height)) &&
           range_fits(from.z, extent.depth, at_least_one(array->extent.depth));
}
