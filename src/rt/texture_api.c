// Texture and surface objects of the runtime API.
#include "rt/api.h"
#include "rt/memory.h"
#include "rt/stream.h"

static cudaError_t create(struct rt *rt, cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view, bool is_surface)
{
    if (view) {
        rt_explain(rt, "resource views", "textures with a resource view are not supported; it returns "
                                         "cudaErrorNotSupported");
        return cudaErrorNotSupported;
    }
    return texture_new(rt, out, resource, texture, is_surface);
}

cudaError_t wg_cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    return RT_CALL(rt, create(rt, out, resource, texture, view, false));
}

cudaError_t wg_cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource)
{
    return RT_CALL(rt, create(rt, out, resource, NULL, NULL, true));
}

cudaError_t wg_cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return RT_CALL(rt, texture_delete(rt, texture, false));
}

cudaError_t wg_cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return RT_CALL(rt, texture_delete(rt, surface, true));
}

static cudaError_t get_resource(struct rt *rt, struct cudaResourceDesc *out, cudaTextureObject_t handle, bool is_surface)
{
    const struct rt_texture *known = texture_description(rt, handle, is_surface);
    if (!known || !out)
        return cudaErrorInvalidValue;
    *out = known->resource;
    return cudaSuccess;
}

cudaError_t wg_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t texture)
{
    return RT_CALL(rt, get_resource(rt, out, texture, false));
}

cudaError_t wg_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surface)
{
    return RT_CALL(rt, get_resource(rt, out, surface, true));
}

static cudaError_t get_description(struct rt *rt, struct cudaTextureDesc *out, cudaTextureObject_t texture)
{
    const struct rt_texture *known = texture_description(rt, texture, false);
    if (!known || !out)
        return cudaErrorInvalidValue;
    *out = known->texture;
    return cudaSuccess;
}

cudaError_t wg_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t texture)
{
    return RT_CALL(rt, get_description(rt, out, texture));
}
