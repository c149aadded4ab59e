// Stream-ordered allocation. Operations run when they are submitted, so memory is taken and given back at the
// call; what the order of streams allows beyond that cannot be told apart.
//
// A pool's numbers, its granules and which calls fail: as measured on an H200 with driver 580.
#include "rt/graph.h"
#include "rt/memory.h"
#include <stdlib.h>

enum {
    RESERVE_BYTES = 32 << 20,
    PIECE_BYTES = 512
}; // what a pool takes from the device, and what it hands out

struct rt_pool {
    struct rt_pool *next;
    struct cudaMemPoolProps props;
    int reuse[3];               // cudaMemPoolReuse…: nothing that shows depends on them
    uint64_t release_threshold; // bytes
    uint64_t used, used_high;   // bytes as asked for
    uint64_t pieces;            // bytes in use, rounded
    uint64_t reserved, reserved_high;
    uint32_t n_allocations;
    bool is_destroyed; // but not all its memory is freed
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

// ---- pools ----------------------------------------------------------------------------------------------

static struct rt_pool *pool_add(struct rt *rt, const struct cudaMemPoolProps *props)
{
    struct rt_pool **link = &memory_state(rt)->pools;
    struct rt_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        err_memory("memory pool", sizeof *pool);
    *pool = (struct rt_pool){.props = *props, .reuse = {1, 1, 1}};
    while (*link)
        link = &(*link)->next;
    *link = pool;
    return pool;
}

struct rt_pool *pool_default(struct rt *rt)
{
    struct rt_memory *memory = memory_state(rt);
    static const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                                  .location = {cudaMemLocationTypeDevice, 0}};
    return memory->pools ? memory->pools : pool_add(rt, &props);
}

struct rt_pool *pool_current(struct rt *rt)
{
    struct rt_memory *memory = memory_state(rt);
    return memory->current ? memory->current : pool_default(rt);
}

bool pool_is_known(struct rt *rt, const struct rt_pool *pool)
{
    const struct rt_pool *known = pool_default(rt);
    while (known && known != pool)
        known = known->next;
    return known && !known->is_destroyed;
}

cudaError_t pool_set_current(struct rt *rt, struct rt_pool *pool)
{
    if (!pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    memory_state(rt)->current = pool;
    return cudaSuccess;
}

cudaError_t pool_new(struct rt *rt, struct rt_pool **out, const struct cudaMemPoolProps *props)
{
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (props->location.type >= cudaMemLocationTypeHost || props->handleTypes != cudaMemHandleTypeNone) {
        rt_explain(rt, "pool kinds",
                   "cudaMemPoolCreate: pools of host memory and pools that other processes open are not "
                   "supported; it returns cudaErrorNotSupported");
        return cudaErrorNotSupported;
    }
    if (props->location.type != cudaMemLocationTypeDevice || props->location.id != 0)
        return cudaErrorInvalidValue;
    pool_default(rt);
    *out = pool_add(rt, props);
    return cudaSuccess;
}

static void pool_drop(struct rt *rt, struct rt_pool *pool)
{
    struct rt_pool **link = &memory_state(rt)->pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    free(pool);
}

// Its memory stays good until it is freed.
cudaError_t pool_delete(struct rt *rt, struct rt_pool *pool)
{
    if (!pool_is_known(rt, pool) || pool == pool_default(rt))
        return cudaErrorInvalidValue;
    if (memory_state(rt)->current == pool)
        memory_state(rt)->current = NULL;
    pool->is_destroyed = true;
    if (pool->n_allocations == 0)
        pool_drop(rt, pool);
    return cudaSuccess;
}

// ---- memory of pools ------------------------------------------------------------------------------------

static cudaError_t take(struct rt *rt, void **out, size_t size_bytes, struct rt_pool *pool)
{
    uint64_t pieces = pool->pieces + round_up(size_bytes, PIECE_BYTES);
    if (pool->props.maxSize && pieces > round_up(pool->props.maxSize, RESERVE_BYTES))
        return cudaErrorMemoryAllocation;
    struct allocation *allocation = allocation_new(rt, ALLOCATION_POOL, size_bytes, "cudaMallocAsync", out);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    allocation->pool = pool;
    pool->n_allocations++;
    pool->used += size_bytes;
    pool->pieces = pieces;
    uint64_t reserved = round_up(pieces, RESERVE_BYTES);
    pool->reserved = reserved > pool->reserved ? reserved : pool->reserved;
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
    pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    return cudaSuccess;
}

void pool_forget(struct rt *rt, struct rt_pool *pool, uint64_t size_bytes)
{
    pool->n_allocations--;
    pool->used -= size_bytes;
    pool->pieces -= round_up(size_bytes, PIECE_BYTES);
    if (pool->is_destroyed && pool->n_allocations == 0)
        pool_drop(rt, pool);
}

// While the stream is captured the allocation becomes a node; its address is good from now on.
static cudaError_t capture_malloc(struct rt *rt, void **out, size_t size_bytes, struct rt_stream *stream)
{
    cudaError_t error = device_malloc(rt, out, size_bytes);
    if (error)
        return error;
    const struct rt_op op = {.kind = OP_ALLOC, .memory = {(uint64_t)(uintptr_t)*out, size_bytes}};
    error = rt_submit(rt, stream, &op);
    if (error)
        allocation_delete(rt, *out);
    return error;
}

cudaError_t pool_malloc(struct rt *rt, void **out, size_t size_bytes, struct rt_pool *pool,
                        struct rt_stream *stream)
{
    if (!out || !pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (size_bytes == 0)
        return cudaSuccess;
    return stream->capture ? capture_malloc(rt, out, size_bytes, stream) : take(rt, out, size_bytes, pool);
}

cudaError_t pool_free(struct rt *rt, void *pointer, struct rt_stream *stream)
{
    struct allocation *allocation;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaSuccess;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    bool is_device =
        allocation && (allocation->kind == ALLOCATION_POOL || allocation->kind == ALLOCATION_DEVICE);
    if (!is_device || block->address != (uint64_t)(uintptr_t)pointer)
        return cudaErrorInvalidValue;
    if (stream->capture) {
        const struct rt_op op = {.kind = OP_FREE, .memory = {block->address, block->size_bytes}};
        return rt_submit(rt, stream, &op);
    }
    if (!graph_memory_free(rt, pointer))
        allocation_delete(rt, pointer);
    return cudaSuccess;
}

cudaError_t pool_trim(struct rt *rt, struct rt_pool *pool, size_t keep_bytes)
{
    if (!pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    uint64_t least = round_up(pool->pieces > keep_bytes ? pool->pieces : keep_bytes, RESERVE_BYTES);
    pool->reserved = least < pool->reserved ? least : pool->reserved;
    return cudaSuccess;
}

void pools_synchronize(struct rt *rt)
{
    for (struct rt_pool *p = rt->allocations ? rt->allocations->pools : NULL; p; p = p->next)
        if (p->reserved > p->release_threshold && !p->is_destroyed)
            pool_trim(rt, p, p->release_threshold);
}

uint64_t pools_reserved_bytes(struct rt *rt)
{
    uint64_t bytes = 0;
    for (const struct rt_pool *p = memory_state(rt)->pools; p; p = p->next)
        bytes += p->reserved;
    return bytes;
}

// ---- attributes -----------------------------------------------------------------------------------------

static uint64_t *number_of(struct rt_pool *pool, enum cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
        return &pool->reserved;
    case cudaMemPoolAttrReservedMemHigh:
        return &pool->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    default:
        return NULL;
    }
}

static bool is_reuse(enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t pool_get(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!value || !pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    const uint64_t *number = number_of(pool, attribute);
    if (is_reuse(attribute))
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
    else if (number)
        *(uint64_t *)value = *number;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

// High marks can be set back, to what there is now; only 0 says so.
cudaError_t pool_set(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, const void *value)
{
    if (!value || !pool_is_known(rt, pool))
        return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
        return cudaSuccess;
    }
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->release_threshold = *(const uint64_t *)value;
        return cudaSuccess;
    }
    bool is_high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (!is_high || *(const uint64_t *)value != 0)
        return cudaErrorInvalidValue;
    *number_of(pool, attribute) = attribute == cudaMemPoolAttrUsedMemHigh ? pool->used : pool->reserved;
    return cudaSuccess;
}
