// cuMem…, cuPointer…: what the rows of the table do not say by themselves.
#include "rt/driver.h"
#include <stdlib.h>
#include <string.h>

// ---- allocating ------------------------------------------------------------------------------------------------------

static cudaError_t alloc_pitch(struct rt *rt, void **out, size_t *pitch_bytes, size_t width_bytes, size_t height,
                               unsigned element_bytes)
{
    bool is_element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!is_element || width_bytes == 0 || height == 0)
        return cudaErrorInvalidValue;
    return device_malloc_pitch(rt, out, pitch_bytes, width_bytes, height);
}

CUresult wg_cuMemAllocPitch_v2(void **out, size_t *pitch_bytes, size_t width_bytes, size_t height,
                               unsigned element_bytes)
{
    return DRIVER_CALL(rt, alloc_pitch(rt, out, pitch_bytes, width_bytes, height, element_bytes));
}

static cudaError_t info(struct rt *rt, size_t *free_bytes, size_t *total_bytes)
{
    if (!free_bytes || !total_bytes)
        return cudaErrorInvalidValue;
    memory_info(rt, free_bytes, total_bytes);
    return cudaSuccess;
}

CUresult wg_cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    return DRIVER_CALL(rt, info(rt, free_bytes, total_bytes));
}

static uint64_t size_of(const struct memory_block *block, const struct allocation *allocation)
{
    return allocation ? allocation->size_bytes : block->size_bytes;
}

static cudaError_t address_range(struct rt *rt, void **base, size_t *size_bytes, const void *pointer)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (!block)
        return cudaErrorSymbolNotFound; // CUDA_ERROR_NOT_FOUND
    if (base)
        *base = (void *)(uintptr_t)block->address;
    if (size_bytes)
        *size_bytes = size_of(block, allocation);
    return cudaSuccess;
}

CUresult wg_cuMemGetAddressRange_v2(void **base, size_t *size_bytes, const void *pointer)
{
    return DRIVER_CALL(rt, address_range(rt, base, size_bytes, pointer));
}

// ---- attributes of pointers ------------------------------------------------------------------------------------------

enum pointer_attribute { // CU_POINTER_ATTRIBUTE_…
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_P2P_TOKENS = 5,
    POINTER_SYNC_MEMOPS = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_IPC_CAPABLE = 10,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    POINTER_HANDLE_TYPES = 14,
    POINTER_RDMA_CAPABLE = 15,
    POINTER_ACCESS_FLAGS = 16,
    POINTER_POOL = 17,
    POINTER_MAPPING_SIZE = 18,
    POINTER_MAPPING_BASE = 19,
    POINTER_BLOCK_ID = 20,
    POINTER_END
};

static size_t attribute_bytes(int attribute)
{
    switch (attribute) {
    case POINTER_CONTEXT:
    case POINTER_DEVICE_POINTER:
    case POINTER_HOST_POINTER:
    case POINTER_BUFFER_ID:
    case POINTER_RANGE_START:
    case POINTER_RANGE_SIZE:
    case POINTER_HANDLE_TYPES:
    case POINTER_POOL:
    case POINTER_MAPPING_SIZE:
    case POINTER_MAPPING_BASE:
    case POINTER_BLOCK_ID:
        return 8;
    default:
        return 4;
    }
}

static bool is_host_kind(const struct allocation *allocation)
{
    return allocation && (allocation->kind == ALLOCATION_PINNED || allocation->kind == ALLOCATION_REGISTERED);
}

// The value as a number; `allocation` may be NULL (a variable). False: this memory has no such attribute.
static bool attribute_of(struct rt *rt, int attribute, const void *pointer, const struct memory_block *block,
                         const struct allocation *allocation, uint64_t *value)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    bool is_managed = allocation && allocation->kind == ALLOCATION_MANAGED;
    switch (attribute) {
    case POINTER_CONTEXT:
        *value = (uint64_t)(uintptr_t)context_current(rt);
        return true;
    case POINTER_MEMORY_TYPE:
        *value = is_host_kind(allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return true;
    case POINTER_DEVICE_POINTER:
        *value = address;
        return true;
    case POINTER_HOST_POINTER:
        *value = address;
        return !is_guest(address);
    case POINTER_BUFFER_ID:
    case POINTER_BLOCK_ID:
        *value = allocation ? allocation->id : 0;
        return true;
    case POINTER_IS_MANAGED:
        *value = is_managed;
        return true;
    case POINTER_RANGE_START:
    case POINTER_MAPPING_BASE:
        *value = block->address;
        return true;
    case POINTER_RANGE_SIZE:
        *value = size_of(block, allocation);
        return true;
    case POINTER_MAPPING_SIZE:
        *value = block->size_bytes;
        return true;
    case POINTER_MAPPED:
        *value = 1;
        return true;
    case POINTER_ACCESS_FLAGS:
        *value = cudaMemAccessFlagsProtReadWrite;
        return true;
    case POINTER_POOL:
        *value = (uint64_t)(uintptr_t)(allocation ? allocation->pool : NULL);
        return true;
    case POINTER_SYNC_MEMOPS:
    case POINTER_DEVICE_ORDINAL:
    case POINTER_IPC_CAPABLE:
    case POINTER_HANDLE_TYPES:
    case POINTER_RDMA_CAPABLE:
        *value = 0;
        return true;
    }
    return false;
}

static cudaError_t get_attribute(struct rt *rt, void *out, int attribute, const void *pointer)
{
    struct allocation *allocation;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    uint64_t value;
    if (!out || !block || !attribute_of(rt, attribute, pointer, block, allocation, &value))
        return cudaErrorInvalidValue;
    memcpy(out, &value, attribute_bytes(attribute)); // little-endian
    return cudaSuccess;
}

CUresult wg_cuPointerGetAttribute(void *out, int attribute, const void *pointer)
{
    return DRIVER_CALL(rt, get_attribute(rt, out, attribute, pointer));
}

// Unlike the single form this one knows an answer for every pointer: zeros.
static cudaError_t get_attributes(struct rt *rt, unsigned n, const int *attributes, void **out, const void *pointer)
{
    struct allocation *allocation = NULL;
    const struct memory_block *block = allocation_of(rt, pointer, &allocation);
    if (!attributes || !out || n == 0)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if (attributes[i] < POINTER_CONTEXT || attributes[i] >= POINTER_END || attributes[i] == POINTER_P2P_TOKENS)
            return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = 0;
        if (block && !attribute_of(rt, attributes[i], pointer, block, allocation, &value))
            value = 0;
        memcpy(out[i], &value, attribute_bytes(attributes[i]));
    }
    return cudaSuccess;
}

CUresult wg_cuPointerGetAttributes(unsigned n, const int *attributes, void **out, const void *pointer)
{
    return DRIVER_CALL(rt, get_attributes(rt, n, attributes, out, pointer));
}

// Copies wait for each other anyway, which is all that the only attribute to set asks for.
static cudaError_t set_attribute(struct rt *rt, const void *value, int attribute, const void *pointer)
{
    struct allocation *allocation;
    if (!value || attribute != POINTER_SYNC_MEMOPS || !allocation_of(rt, pointer, &allocation))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

CUresult wg_cuPointerSetAttribute(const void *value, int attribute, const void *pointer)
{
    return DRIVER_CALL(rt, set_attribute(rt, value, attribute, pointer));
}

// ---- pools of the device, managed memory -------------------------------------------------------------------------------

static cudaError_t give_pool(struct rt_pool *pool, struct rt_pool **out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = pool;
    return cudaSuccess;
}

CUresult wg_cuDeviceGetDefaultMemPool(struct rt_pool **out, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : give_pool(pool_default(rt), out));
}

CUresult wg_cuDeviceGetMemPool(struct rt_pool **out, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : give_pool(pool_current(rt), out));
}

CUresult wg_cuDeviceSetMemPool(CUdevice device, struct rt_pool *pool)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : pool_set_current(rt, pool));
}

// Where managed memory lies is one place for host and device.
static cudaError_t attach(struct rt *rt, cudaStream_t stream, const void *pointer)
{
    struct allocation *allocation;
    if (!stream_of(rt, stream))
        return cudaErrorInvalidResourceHandle;
    return allocation_of(rt, pointer, &allocation) ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult wg_cuStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size_bytes, unsigned flags)
{
    (void)size_bytes;
    bool is_flag = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return DRIVER_CALL(rt, is_flag ? attach(rt, stream, pointer) : cudaErrorInvalidValue);
}

// ---- values that a stream writes ---------------------------------------------------------------------------------------

// flags: whether earlier writes must be visible first, which they are.
static cudaError_t write_value(struct rt *rt, cudaStream_t stream, void *to, uint64_t value, unsigned n_words)
{
    cudaError_t error = (uintptr_t)to % (4 * n_words) ? cudaErrorInvalidValue : cudaSuccess;
    for (unsigned i = 0; i < n_words && !error; i++)
        error = fill_elements(rt, (char *)to + 4 * i, (uint32_t)(value >> (32 * i)), 4, 1, stream_of(rt, stream), true);
    return error;
}

CUresult wg_cuStreamWriteValue32_v2(cudaStream_t stream, void *to, uint32_t value, unsigned flags)
{
    return DRIVER_CALL(rt, flags > 1 ? cudaErrorInvalidValue : write_value(rt, stream, to, value, 1));
}

CUresult wg_cuStreamWriteValue64_v2(cudaStream_t stream, void *to, uint64_t value, unsigned flags)
{
    return DRIVER_CALL(rt, flags > 1 ? cudaErrorInvalidValue : write_value(rt, stream, to, value, 2));
}
