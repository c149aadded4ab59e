// Allocating memory of every kind, and telling what a pointer points to.
//
// Which calls fail and how, the rounding of rows and what cudaMemGetInfo answers are as measured on an H200
// with driver 580.
#include "rt/memory.h"
#include "rt/graph.h"
#include "rt/stream.h"
#include <stdlib.h>
#include <sys/mman.h>

enum {
    MALLOC_ALIGN = 512,         // bytes, of what cudaMalloc returns and of rows of pitched memory
    SMALL_BYTES = 1 << 20,      // up to here allocations share large pages
    LARGE_PAGE_BYTES = 2 << 20, // what the device hands out
    CONTEXT_BYTES = 552402944   // what a context takes
};

struct rt_memory *memory_state(struct rt *rt)
{
    if (!rt->allocations)
        rt->allocations = arena_new(&rt->arena, struct rt_memory);
    return rt->allocations;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

// ---- counting -------------------------------------------------------------------------------------------

// Memory of pools is counted by what they reserve.
static void count(struct rt *rt, const struct allocation *allocation, bool is_new)
{
    struct rt_memory *memory = memory_state(rt);
    bool is_small = allocation->size_bytes <= SMALL_BYTES;
    uint64_t bytes = round_up(allocation->size_bytes, is_small ? MALLOC_ALIGN : LARGE_PAGE_BYTES);
    uint64_t *sum = is_small ? &memory->small_bytes : &memory->large_bytes;
    if (allocation->kind == ALLOCATION_DEVICE || allocation->kind == ALLOCATION_ARRAY)
        *sum += is_new ? bytes : -bytes;
}

void memory_info(struct rt *rt, size_t *free_bytes, size_t *total_bytes)
{
    const struct rt_memory *memory = memory_state(rt);
    uint64_t used = CONTEXT_BYTES + memory->large_bytes + round_up(memory->small_bytes, LARGE_PAGE_BYTES) +
                    pools_reserved_bytes(rt);
    *total_bytes = rt->device.dram_bytes;
    *free_bytes = used < rt->device.dram_bytes ? rt->device.dram_bytes - used : 0;
}

// ---- records --------------------------------------------------------------------------------------------

static struct allocation *record_new(struct rt *rt, enum allocation_kind kind, size_t size_bytes)
{
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        err_memory("allocation", sizeof *allocation);
    *allocation =
        (struct allocation){.kind = kind, .size_bytes = size_bytes, .id = ++memory_state(rt)->n_made};
    return allocation;
}

static void record_delete(struct rt *rt, struct allocation *allocation)
{
    count(rt, allocation, false);
    if (allocation->pool)
        pool_forget(rt, allocation->pool, allocation->size_bytes);
    free(allocation->pages);
    free(allocation);
}

// Registration places __managed__ variables before anything asks for them; they become allocations here.
static struct allocation *adopt(struct rt *rt, const struct memory_block *block)
{
    struct allocation *allocation = record_new(rt, ALLOCATION_MANAGED, block->size_bytes);
    allocation->flags = cudaMemAttachGlobal;
    allocation->is_variable = true;
    memory_set_owner(rt->memory, block->address, allocation);
    return allocation;
}

const struct memory_block *allocation_of(struct rt *rt, const void *pointer, struct allocation **allocation)
{
    const struct memory_block *block = memory_block_at(rt->memory, (uint64_t)(uintptr_t)pointer);
    *allocation = NULL;
    if (block && !block->owner && !is_guest(block->address))
        adopt(rt, block);
    if (block)
        *allocation = (struct allocation *)(uintptr_t)block->owner;
    return block;
}

struct allocation *allocation_at(struct rt *rt, const void *pointer, enum allocation_kind kind)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    bool is_it = allocation && allocation->kind == kind && block->address == (uint64_t)(uintptr_t)pointer;
    return is_it ? allocation : NULL;
}

// ---- device memory --------------------------------------------------------------------------------------

struct allocation *allocation_new(struct rt *rt, enum allocation_kind kind, size_t size_bytes,
                                  const char *what, void **out)
{
    size_t free_bytes, total_bytes;
    memory_info(rt, &free_bytes, &total_bytes);
    uint64_t address =
        size_bytes <= free_bytes ? memory_alloc(rt->memory, size_bytes, MALLOC_ALIGN, what) : 0;
    if (!address)
        return NULL;
    struct allocation *allocation = record_new(rt, kind, size_bytes);
    memory_set_owner(rt->memory, address, allocation);
    count(rt, allocation, true);
    *out = (void *)(uintptr_t)address;
    return allocation;
}

void allocation_delete(struct rt *rt, void *pointer)
{
    struct allocation *allocation;
    allocation_of(rt, pointer, &allocation);
    memory_free(rt->memory, (uint64_t)(uintptr_t)pointer);
    record_delete(rt, allocation);
}

cudaError_t device_malloc(struct rt *rt, void **out, size_t size_bytes)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (size_bytes == 0)
        return cudaSuccess;
    return allocation_new(rt, ALLOCATION_DEVICE, size_bytes, "cudaMalloc", out) ? cudaSuccess
                                                                                : cudaErrorMemoryAllocation;
}

cudaError_t device_malloc_pitch(struct rt *rt, void **out, size_t *pitch_bytes, size_t width_bytes,
                                size_t rows)
{
    size_t bytes;
    if (!out || !pitch_bytes)
        return cudaErrorInvalidValue;
    *out = NULL;
    *pitch_bytes = 0;
    if (width_bytes == 0 || rows == 0)
        return cudaSuccess;
    size_t pitch = round_up(width_bytes, MALLOC_ALIGN);
    if (pitch < width_bytes || __builtin_mul_overflow(pitch, rows, &bytes))
        return cudaErrorMemoryAllocation;
    cudaError_t error = device_malloc(rt, out, bytes);
    if (!error)
        *pitch_bytes = pitch;
    return error;
}

// ---- host memory ----------------------------------------------------------------------------------------

// Whole pages of the host's that the guest sees too. NULL: the host has none.
static struct allocation *host_new(struct rt *rt, enum allocation_kind kind, size_t size_bytes,
                                   const char *what, void **out)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!memory_add_host(rt->memory, memory, size_bytes, what))
        BUG("new host memory at %p overlaps an allocation", memory);
    struct allocation *allocation = record_new(rt, kind, size_bytes);
    memory_set_owner(rt->memory, (uint64_t)(uintptr_t)memory, allocation);
    *out = memory;
    return allocation;
}

static void host_delete(struct rt *rt, void *pointer, struct allocation *allocation)
{
    memory_remove_host(rt->memory, pointer);
    munmap(pointer, allocation->size_bytes);
    record_delete(rt, allocation);
}

cudaError_t managed_malloc(struct rt *rt, void **out, size_t size_bytes, unsigned flags)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudaErrorInvalidValue;
    if (size_bytes == 0)
        return cudaSuccess;
    struct allocation *allocation = host_new(rt, ALLOCATION_MANAGED, size_bytes, "cudaMallocManaged", out);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    allocation->flags = flags;
    return cudaSuccess;
}

cudaError_t pinned_malloc(struct rt *rt, void **out, size_t size_bytes, unsigned flags)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return cudaErrorInvalidValue;
    if (size_bytes == 0)
        return cudaSuccess;
    struct allocation *allocation = host_new(rt, ALLOCATION_PINNED, size_bytes, "cudaMallocHost", out);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    memory_set_pinned(rt->memory, (uint64_t)(uintptr_t)*out);
    allocation->flags = flags | cudaHostAllocMapped; // unified addressing maps all of it
    return cudaSuccess;
}

// ---- freeing --------------------------------------------------------------------------------------------

// Everything that uses the memory has ended first.
cudaError_t device_free(struct rt *rt, void *pointer)
{
    struct allocation *allocation;
    cudaError_t error = streams_synchronize(rt);
    if (error || !pointer || graph_memory_free(rt, pointer))
        return error;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (!allocation || block->address != (uint64_t)(uintptr_t)pointer)
        return cudaErrorInvalidValue;
    switch (allocation->kind) {
    case ALLOCATION_DEVICE:
    case ALLOCATION_POOL:
        allocation_delete(rt, pointer);
        return cudaSuccess;
    case ALLOCATION_MANAGED:
        if (allocation->is_variable)
            return cudaErrorInvalidValue;
        host_delete(rt, pointer, allocation);
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t pinned_free(struct rt *rt, void *pointer)
{
    cudaError_t error = streams_synchronize(rt);
    if (error || !pointer)
        return error;
    struct allocation *allocation = allocation_at(rt, pointer, ALLOCATION_PINNED);
    if (!allocation)
        return cudaErrorInvalidValue;
    host_delete(rt, pointer, allocation);
    return cudaSuccess;
}

static void release(struct rt *rt, const struct memory_block *block, struct allocation *allocation)
{
    void *pointer = (void *)(uintptr_t)block->address;
    if (allocation->kind == ALLOCATION_PINNED || allocation->kind == ALLOCATION_MANAGED)
        host_delete(rt, pointer, allocation);
    else if (allocation->kind == ALLOCATION_REGISTERED)
        host_unregister(rt, pointer);
    else if (allocation->kind != ALLOCATION_VIRTUAL)
        allocation_delete(rt, pointer);
}

void memory_reset(struct rt *rt)
{
    const struct memory_block *block = memory_block_after(rt->memory, 0);
    while (block) {
        struct allocation *allocation = (struct allocation *)(uintptr_t)block->owner;
        uint64_t address = block->address;
        if (allocation && !allocation->is_variable)
            release(rt, block, allocation);
        block = memory_block_after(rt->memory, address);
    }
    struct rt_memory *memory = memory_state(rt);
    while (memory->mipmaps) {
        struct rt_mipmap *mipmap = memory->mipmaps;
        memory->mipmaps = mipmap->next;
        free(mipmap);
    }
    while (memory->arrays) {
        struct rt_array *array = memory->arrays;
        memory->arrays = array->next;
        free(array);
    }
    memory->current = NULL;
}

// ---- registering host memory ----------------------------------------------------------------------------

cudaError_t host_register(struct rt *rt, void *pointer, size_t size_bytes, unsigned flags)
{
    struct allocation *allocation;
    if (!pointer || size_bytes == 0 || flags > 15)
        return cudaErrorInvalidValue;
    if (!is_guest((uint64_t)(uintptr_t)pointer) &&
        memory_add_host(rt->memory, pointer, size_bytes, "cudaHostRegister")) {
        allocation = record_new(rt, ALLOCATION_REGISTERED, size_bytes);
        allocation->flags = flags | cudaHostRegisterMapped;
        memory_set_owner(rt->memory, (uint64_t)(uintptr_t)pointer, allocation);
        memory_set_pinned(rt->memory, (uint64_t)(uintptr_t)pointer);
        return cudaSuccess;
    }
    allocation_of(rt, pointer, &allocation);
    bool is_other =
        is_guest((uint64_t)(uintptr_t)pointer) || (allocation && allocation->kind != ALLOCATION_REGISTERED);
    return is_other ? cudaErrorInvalidValue : cudaErrorHostMemoryAlreadyRegistered;
}

cudaError_t host_unregister(struct rt *rt, void *pointer)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (!block)
        return pointer ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
    if (!allocation || allocation->kind != ALLOCATION_REGISTERED ||
        block->address != (uint64_t)(uintptr_t)pointer)
        return cudaErrorInvalidValue;
    memory_remove_host(rt->memory, pointer);
    record_delete(rt, allocation);
    return cudaSuccess;
}

cudaError_t host_device_pointer(struct rt *rt, void **out, void *host)
{
    struct allocation *allocation;
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    allocation_of(rt, host, &allocation);
    if (!allocation || (allocation->kind != ALLOCATION_PINNED && allocation->kind != ALLOCATION_REGISTERED))
        return cudaErrorInvalidValue;
    *out = host;
    return cudaSuccess;
}

cudaError_t host_flags(struct rt *rt, unsigned *flags, void *host)
{
    struct allocation *allocation;
    allocation_of(rt, host, &allocation);
    if (!flags || !allocation || is_guest((uint64_t)(uintptr_t)host))
        return cudaErrorInvalidValue;
    *flags = allocation->kind == ALLOCATION_MANAGED ? cudaHostAllocMapped : allocation->flags;
    return cudaSuccess;
}
