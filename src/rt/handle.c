// Objects behind handles: made, recognised, kept for the next of their kind.
#include "rt/handle.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>

void *handle_new(struct rt_handles *handles, enum handle_kind kind, size_t size_bytes)
{
    struct rt_handle **unused = &handles->unused[kind - HANDLE_STREAM];
    struct rt_handle *object = *unused;
    if (object) {
        *unused = object->next_free;
        memset(object, 0, size_bytes);
    } else {
        object = calloc(1, size_bytes);
        if (!object)
            err_memory("handle", size_bytes);
    }
    object->kind = kind;
    return object;
}

void handle_free(struct rt_handles *handles, void *object)
{
    struct rt_handle *handle = object;
    struct rt_handle **unused = &handles->unused[handle->kind - HANDLE_STREAM];
    handle->kind = HANDLE_FREE;
    handle->next_free = *unused;
    *unused = handle;
}

bool handle_is(const void *handle, enum handle_kind kind)
{
    return handle && (uintptr_t)handle % _Alignof(struct rt_handle) == 0 &&
           ((const struct rt_handle *)handle)->kind == kind;
}
