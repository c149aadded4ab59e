// What a pointer points to.
#include "rt/api.h"
#include "rt/memory.h"
#include <string.h>

static enum cudaMemoryType type_of(const struct memory_block *block, const struct allocation *allocation)
{
    if (!block)
        return cudaMemoryTypeUnregistered;
    if (is_guest(block->address))
        return cudaMemoryTypeDevice;
    return allocation->kind == ALLOCATION_MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
}

static cudaError_t pointer_attributes(struct rt *rt, struct cudaPointerAttributes *out, const void *pointer)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    enum cudaMemoryType type = type_of(block, allocation);
    bool is_unregistered = type == cudaMemoryTypeUnregistered;
    *out = (struct cudaPointerAttributes){
        .type = type,
        .device = is_unregistered ? cudaInvalidDeviceId : 0,
        .devicePointer = is_unregistered ? NULL : (void *)(uintptr_t)pointer,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : (void *)(uintptr_t)pointer};
    return cudaSuccess;
}

cudaError_t wg_cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    return RT_CALL(rt, out ? pointer_attributes(rt, out, pointer) : cudaErrorInvalidValue);
}

// Programs of these majors have room for the first members only.
static cudaError_t pointer_attributes_12(struct rt *rt, void *out, const void *pointer)
{
    struct cudaPointerAttributes attributes;
    cudaError_t error = pointer_attributes(rt, &attributes, pointer);
    memcpy(out, &attributes, POINTER_ATTRIBUTES_BYTES_12);
    return error;
}

cudaError_t wg_cudaPointerGetAttributes_12(void *out, const void *pointer)
{
    return RT_CALL(rt, out ? pointer_attributes_12(rt, out, pointer) : cudaErrorInvalidValue);
}
