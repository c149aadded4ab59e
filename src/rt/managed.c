// Managed memory: it has one place here, the host's, so advice and prefetching change nothing but what can be
// asked about them. That is kept for each page, as programs may advise parts.
#include "rt/memory.h"
#include <stdlib.h>

enum { PAGE_BYTES = 4096, NOWHERE = cudaInvalidDeviceId };

struct managed_page {
    int8_t preferred, prefetched; // device 0, cudaCpuDeviceId or NOWHERE
    bool is_read_mostly, by_device, by_host;
};

// Pages of a range of managed memory.
struct range {
    struct managed_page *pages; // NULL: nothing was ever said about the allocation
    size_t n;
    struct allocation *allocation;
    size_t first;
};

static const struct managed_page untouched = {.preferred = NOWHERE, .prefetched = NOWHERE};

static cudaError_t range_of(struct rt *rt, const void *pointer, size_t size_bytes, struct range *range)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (size_bytes == 0 || !allocation || allocation->kind != ALLOCATION_MANAGED)
        return cudaErrorInvalidValue;
    uint64_t offset = (uint64_t)(uintptr_t)pointer - block->address;
    if (size_bytes > block->size_bytes - offset)
        return cudaErrorInvalidValue;
    *range = (struct range){.allocation = allocation, .first = offset / PAGE_BYTES};
    range->n = (offset + size_bytes - 1) / PAGE_BYTES + 1 - range->first;
    range->pages = allocation->pages ? allocation->pages + range->first : NULL;
    return cudaSuccess;
}

// Room to note something about the pages.
static void range_open(struct range *range)
{
    struct allocation *allocation = range->allocation;
    if (!allocation->pages) {
        size_t n = (allocation->size_bytes - 1) / PAGE_BYTES + 1;
        allocation->pages = malloc(n * sizeof *allocation->pages);
        if (!allocation->pages)
            err_memory("managed memory", n * sizeof *allocation->pages);
        for (size_t i = 0; i < n; i++)
            allocation->pages[i] = untouched;
    }
    range->pages = allocation->pages + range->first;
}

// The device, or the host in any of the ways to name it; NOWHERE: neither.
static int place_of(struct cudaMemLocation location)
{
    if (location.type == cudaMemLocationTypeDevice)
        return location.id == 0 ? 0 : NOWHERE;
    return location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent
               ? cudaCpuDeviceId
               : NOWHERE;
}

// ---- what programs say ----------------------------------------------------------------------------------

cudaError_t managed_prefetch(struct rt *rt, const void *pointer, size_t size_bytes, struct cudaMemLocation to,
                             struct rt_stream *stream)
{
    struct range range;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = range_of(rt, pointer, size_bytes, &range);
    if (error)
        return error;
    if (place_of(to) == NOWHERE)
        return cudaErrorInvalidDevice;
    if (stream->capture)
        return cudaErrorStreamCaptureUnsupported;
    range_open(&range);
    for (size_t i = 0; i < range.n; i++)
        range.pages[i].prefetched = (int8_t)place_of(to);
    return cudaSuccess;
}

static void page_advise(struct managed_page *page, enum cudaMemoryAdvise advice, int place)
{
    bool *by = place == 0 ? &page->by_device : &page->by_host;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        page->is_read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        page->preferred = (int8_t)place;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        page->preferred = NOWHERE;
        break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        *by = advice == cudaMemAdviseSetAccessedBy;
        break;
    }
}

cudaError_t managed_advise(struct rt *rt, const void *pointer, size_t size_bytes,
                           enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    struct range range;
    cudaError_t error = range_of(rt, pointer, size_bytes, &range);
    if (error)
        return error;
    bool needs_place = advice == cudaMemAdviseSetPreferredLocation || advice >= cudaMemAdviseSetAccessedBy;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        (needs_place && place_of(location) == NOWHERE))
        return cudaErrorInvalidValue;
    range_open(&range);
    for (size_t i = 0; i < range.n; i++)
        page_advise(&range.pages[i], advice, place_of(location));
    return cudaSuccess;
}

// ---- what they ask --------------------------------------------------------------------------------------

// What holds for all pages of the range.
static struct managed_page common(const struct range *range)
{
    if (!range->pages)
        return untouched;
    struct managed_page all = range->pages[0];
    for (size_t i = 1; i < range->n; i++) {
        const struct managed_page *page = &range->pages[i];
        all.preferred = page->preferred == all.preferred ? all.preferred : NOWHERE;
        all.prefetched = page->prefetched == all.prefetched ? all.prefetched : NOWHERE;
        all.is_read_mostly &= page->is_read_mostly;
        all.by_device &= page->by_device;
        all.by_host &= page->by_host;
    }
    return all;
}

static int type_of(int place)
{
    return place == NOWHERE ? cudaMemLocationTypeInvalid
           : place == 0     ? cudaMemLocationTypeDevice
                            : cudaMemLocationTypeHost;
}

// All who access it, then cudaInvalidDeviceId to the end.
static void list_accessors(const struct managed_page *page, int *out, size_t n)
{
    size_t used = 0;
    if (page->by_device && used < n)
        out[used++] = 0;
    if (page->by_host && used < n)
        out[used++] = cudaCpuDeviceId;
    while (used < n)
        out[used++] = NOWHERE;
}

static int answer(const struct managed_page *page, enum cudaMemRangeAttribute attribute)
{
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return page->is_read_mostly;
    case cudaMemRangeAttributePreferredLocationType:
        return type_of(page->preferred);
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        return page->prefetched;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        return type_of(page->prefetched);
    default:
        return page->preferred;
    }
}

cudaError_t managed_query(struct rt *rt, void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
                          const void *pointer, size_t size_bytes)
{
    struct range range;
    cudaError_t error = range_of(rt, pointer, size_bytes, &range);
    if (error)
        return error;
    bool is_known = attribute >= cudaMemRangeAttributeReadMostly &&
                    attribute <= cudaMemRangeAttributeLastPrefetchLocationId;
    bool is_list = attribute == cudaMemRangeAttributeAccessedBy;
    if (!data || !is_known || data_bytes == 0 || data_bytes % sizeof(int) ||
        (!is_list && data_bytes != sizeof(int)))
        return cudaErrorInvalidValue;
    struct managed_page page = common(&range);
    if (is_list)
        list_accessors(&page, data, data_bytes / sizeof(int));
    else
        *(int *)data = answer(&page, attribute);
    return cudaSuccess;
}

// Who may touch it when: every order is legal here, so only the arguments are checked.
cudaError_t managed_attach(struct rt *rt, cudaStream_t handle, void *pointer, size_t size_bytes,
                           unsigned flags)
{
    struct allocation *allocation;
    struct rt_stream *stream = stream_of(rt, handle);
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!allocation || allocation->kind != ALLOCATION_MANAGED ||
        block->address != (uint64_t)(uintptr_t)pointer ||
        (size_bytes != 0 && size_bytes != allocation->size_bytes))
        return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
        (flags != cudaMemAttachSingle || stream == rt->legacy))
        return cudaErrorInvalidValue;
    allocation->flags = flags;
    const struct rt_op op = {.kind = OP_EMPTY};
    return rt_submit(rt, stream, &op);
}
