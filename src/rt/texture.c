// Texture and surface objects: what the program describes becomes a struct texture that launches see.
#include "simt/texture.h"
#include "rt/memory.h"
#include <stdlib.h>
#include <string.h>

// ---- from descriptions ---------------------------------------------------------------------------------------

static void set_format(struct texture *t, const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};
    t->n_channels = 0;
    while (t->n_channels < 4 && bits[t->n_channels])
        t->n_channels++;
    t->channel_bits = (uint8_t)bits[0];
    t->channel = (uint8_t)format->f; // the same order of kinds
}

static bool format_is_known(const struct cudaChannelFormatDesc *f)
{
    const bool is_width = f->x == 8 || f->x == 16 || f->x == 32;
    return is_width && f->f <= cudaChannelFormatKindFloat && !(f->f == cudaChannelFormatKindFloat && f->x == 8) &&
           (f->z == 0) == (f->w == 0);
}

static uint32_t at_least_one(size_t n)
{
    return n ? (uint32_t)n : 1;
}

static cudaError_t set_array(struct rt *rt, struct texture *t, const struct rt_array *array)
{
    if (!array_is_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    set_format(t, &array->format);
    const bool is_array = array->flags & (cudaArrayLayered | cudaArrayCubemap);
    t->address = array->address;
    t->pitch_bytes = array->pitch_bytes;
    t->slice_bytes = array->slice_bytes;
    t->width = at_least_one(array->extent.width);
    t->height = at_least_one(array->extent.height);
    t->depth = is_array ? 1 : at_least_one(array->extent.depth);
    t->n_layers = is_array ? at_least_one(array->extent.depth) : 0;
    return cudaSuccess;
}

static cudaError_t set_linear(struct texture *t, void *pointer, const struct cudaChannelFormatDesc *format, size_t width,
                              size_t height, size_t pitch_bytes)
{
    enum { ALIGN = 512 }; // cudaDeviceProp.textureAlignment
    if (!pointer || (uintptr_t)pointer % ALIGN || !format_is_known(format) || !width)
        return cudaErrorInvalidValue;
    set_format(t, format);
    t->address = (uint64_t)(uintptr_t)pointer;
    t->pitch_bytes = pitch_bytes;
    t->is_pitched = true;
    t->width = (uint32_t)width;
    t->height = at_least_one(height);
    t->depth = 1;
    return cudaSuccess;
}

static cudaError_t set_resource(struct rt *rt, struct texture *t, const struct cudaResourceDesc *r)
{
    switch (r->resType) {
    case cudaResourceTypeArray:
        return set_array(rt, t, r->res.array.array);
    case cudaResourceTypeLinear: {
        const struct cudaChannelFormatDesc *f = &r->res.linear.desc;
        const size_t bytes = (size_t)(f->x + f->y + f->z + f->w) / 8;
        t->is_linear_memory = true;
        return set_linear(t, r->res.linear.devPtr, f, bytes ? r->res.linear.sizeInBytes / bytes : 0, 1, 0);
    }
    case cudaResourceTypePitch2D:
        return set_linear(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width, r->res.pitch2D.height,
                          r->res.pitch2D.pitchInBytes);
    default:
        rt_explain(rt, "mipmapped textures", "textures of mipmapped arrays are not supported; it returns "
                                             "cudaErrorNotSupported");
        return cudaErrorNotSupported;
    }
}

static cudaError_t set_sampling(struct rt *rt, struct texture *t, const struct cudaTextureDesc *d)
{
    const bool is_integer = t->channel != CHANNEL_FLOAT, is_wide = t->channel_bits == 32;
    if (d->sRGB) {
        rt_explain(rt, "sRGB textures", "textures of sRGB are not supported; it returns cudaErrorNotSupported");
        return cudaErrorNotSupported;
    }
    t->filters = d->filterMode == cudaFilterModeLinear;
    t->reads_normalized = d->readMode == cudaReadModeNormalizedFloat && is_integer;
    t->is_normalized = d->normalizedCoords;
    if ((t->reads_normalized && is_wide) || (t->filters && is_integer && !t->reads_normalized))
        return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; i++) {
        if (d->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t->address_mode[i] = (uint8_t)d->addressMode[i];
    }
    memcpy(t->border, d->borderColor, sizeof t->border);
    return cudaSuccess;
}

// ---- life ----------------------------------------------------------------------------------------------------

static uint32_t free_number(struct rt *rt)
{
    for (uint32_t i = 0; i < rt->n_textures; i++)
        if (rt->textures[i].address == 0)
            return i;
    const uint32_t n = rt->n_textures + 1;
    rt->textures = realloc(rt->textures, n * sizeof *rt->textures);
    rt->texture_descriptions = realloc(rt->texture_descriptions, n * sizeof *rt->texture_descriptions);
    if (!rt->textures || !rt->texture_descriptions)
        err_memory("textures", n * sizeof *rt->texture_descriptions);
    return rt->n_textures++;
}

cudaError_t texture_new(struct rt *rt, cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                        const struct cudaTextureDesc *texture, bool is_surface)
{
    struct texture t = {.is_surface = is_surface};
    if (!out || !resource || (!is_surface && !texture))
        return cudaErrorInvalidValue;
    if (is_surface && resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    cudaError_t error = set_resource(rt, &t, resource);
    if (!error && !is_surface)
        error = set_sampling(rt, &t, texture);
    if (error)
        return error;
    const uint32_t number = free_number(rt);
    rt->textures[number] = t;
    rt->texture_descriptions[number] = (struct rt_texture){.resource = *resource};
    if (texture)
        rt->texture_descriptions[number].texture = *texture;
    *out = number + 1;
    return cudaSuccess;
}

static bool is_handle(const struct rt *rt, cudaTextureObject_t handle, bool is_surface)
{
    return handle > 0 && handle <= rt->n_textures && rt->textures[handle - 1].address != 0 &&
           rt->textures[handle - 1].is_surface == is_surface;
}

cudaError_t texture_delete(struct rt *rt, cudaTextureObject_t handle, bool is_surface)
{
    if (handle == 0)
        return cudaSuccess;
    if (!is_handle(rt, handle, is_surface))
        return cudaErrorInvalidValue;
    rt->textures[handle - 1] = (struct texture){.address = 0};
    return cudaSuccess;
}

const struct rt_texture *texture_description(const struct rt *rt, cudaTextureObject_t handle, bool is_surface)
{
    return is_handle(rt, handle, is_surface) ? &rt->texture_descriptions[handle - 1] : NULL;
}
