// Until copy.c has them: checks of copies and fills for nodes of graphs. Any other definition wins.
#include "rt/memory.h"

__attribute__((weak)) cudaError_t copy_check(struct rt *rt, struct op_copy *copy)
{
    (void)rt;
    bool to = is_guest(copy->to.address), from = is_guest(copy->from.address);
    copy->kind = to ? (from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                    : (from ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
    return cudaSuccess;
}

__attribute__((weak)) cudaError_t fill_check(struct rt *rt, const struct op_fill *fill)
{
    (void)rt;
    return fill->element_bytes == 1 || fill->element_bytes == 2 || fill->element_bytes == 4 ? cudaSuccess
                                                                                             : cudaErrorInvalidValue;
}

__attribute__((weak)) cudaError_t copy_of_3d(struct rt *rt, const struct cudaMemcpy3DParms *parms, struct op_copy *copy)
{
    (void)rt;
    *copy = (struct op_copy){.from = {.address = (uint64_t)(uintptr_t)parms->srcPtr.ptr,
                                      .pitch_bytes = parms->srcPtr.pitch,
                                      .slice_bytes = parms->srcPtr.pitch * parms->srcPtr.ysize},
                             .to = {.address = (uint64_t)(uintptr_t)parms->dstPtr.ptr,
                                    .pitch_bytes = parms->dstPtr.pitch,
                                    .slice_bytes = parms->dstPtr.pitch * parms->dstPtr.ysize},
                             .width_bytes = parms->extent.width,
                             .height = parms->extent.height,
                             .depth = parms->extent.depth,
                             .kind = parms->kind};
    return cudaSuccess;
}
