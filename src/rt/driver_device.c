// cuInit, versions, error texts, cuDevice….
#include "rt/driver.h"
#include "rt/device_query.h"
#include <stdlib.h>
#include <string.h>

// ---- start -----------------------------------------------------------------------------------------------------------

static cudaError_t init(struct rt *rt, unsigned flags)
{
    if (flags)
        return cudaErrorInvalidValue;
    if (rt->status == cudaErrorInitializationError)
        return cudaErrorNoDevice; // told on stderr: a setting is wrong
    rt->driver->is_ready = true;
    return cudaSuccess;
}

CUresult wg_cuInit(unsigned flags)
{
    struct rt *rt = driver_enter();
    return driver_leave(rt, init(rt, flags));
}

CUresult wg_cuDriverGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = DRIVER_VERSION;
    return cudaSuccess;
}

static const struct {
    const char *name;
    int number;
} names[] = {
#define ERROR(name, number) {#name, number},
#include "rt/driver_errors.def"
#undef ERROR
};

CUresult wg_cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return cudaErrorInvalidValue;
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == (int)error)
            *name = names[i].name;
    return *name ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult wg_cuGetErrorString(CUresult error, const char **text)
{
    CUresult result = wg_cuGetErrorName(error, text);
    if (!result)
        *text = error_text(error);
    return result;
}

// ---- the device ------------------------------------------------------------------------------------------------------

static cudaError_t give(int *out, int value)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

CUresult wg_cuDeviceGetCount(int *count)
{
    return DRIVER_INIT_CALL(rt, give(count, 1));
}

CUresult wg_cuDeviceGet(CUdevice *out, int ordinal)
{
    return DRIVER_INIT_CALL(rt, ordinal ? cudaErrorInvalidDevice : give(out, 0));
}

static cudaError_t get_name(const struct device *device, char *name, int length)
{
    if (!name || length < 1)
        return cudaErrorInvalidValue;
    snprintf(name, (size_t)length, "%s", device->name);
    return cudaSuccess;
}

CUresult wg_cuDeviceGetName(char *name, int length, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : get_name(&rt->device, name, length));
}

// The device file's name, as in cudaDeviceProp.
static cudaError_t get_uuid(const struct device *device, struct CUuuid *out)
{
    struct device_properties_13 properties;
    if (!out)
        return cudaErrorInvalidValue;
    device_properties_fill_13(device, &properties);
    memcpy(out->bytes, properties.uuid, sizeof out->bytes);
    return cudaSuccess;
}

CUresult wg_cuDeviceGetUuid(struct CUuuid *out, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : get_uuid(&rt->device, out));
}

static cudaError_t total(uint64_t total_bytes, size_t *bytes)
{
    if (!bytes)
        return cudaErrorInvalidValue;
    *bytes = total_bytes;
    return cudaSuccess;
}

CUresult wg_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : total(rt->device.dram_bytes, bytes));
}

// Attributes that the runtime API does not have: what these functions can do.
static const struct {
    int number, value;
} own_attributes[] = {
    {44, 0},  // CAN_TEX2D_GATHER, deprecated
    {92, 0},  // the older CAN_USE_STREAM_MEM_OPS and its kin
    {93, 0},
    {94, 0},
    {96, 0},  // COOPERATIVE_MULTI_DEVICE_LAUNCH
    {102, 1}, // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, driver_virtual.c
    {103, 0}, // handles for other processes
    {104, 0},
    {105, 0},
    {107, 0}, // GENERIC_COMPRESSION_SUPPORTED
    {110, 0}, // GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
    {122, 1}, // CAN_USE_64_BIT_STREAM_MEM_OPS, driver_stream.c
    {123, 1}, // CAN_USE_STREAM_WAIT_VALUE_NOR
    {124, 0}, // DMA_BUF_SUPPORTED
    {127, 1}, // TENSOR_MAP_ACCESS_SUPPORTED, where there are clusters
    {128, 0}, // HANDLE_TYPE_FABRIC_SUPPORTED
    {129, 0}, // UNIFIED_FUNCTION_POINTERS
    {132, 0}, // MULTICAST_SUPPORTED
    {136, 0}, // the decompression engine
    {137, 0},
    {141, 0}, // virtual memory that lies in the host
    {145, 0},
    {146, 0}, // HOST_ALLOC_DMA_BUF_SUPPORTED
};

static cudaError_t attribute_of(const struct device *device, int attribute, int *value)
{
    enum { TENSOR_MAP_ACCESS_SUPPORTED = 127 }; // came with clusters
    if (!value)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < sizeof own_attributes / sizeof own_attributes[0]; i++)
        if (own_attributes[i].number == attribute) {
            *value = own_attributes[i].value && (attribute != TENSOR_MAP_ACCESS_SUPPORTED || device->max_cluster > 0);
            return cudaSuccess;
        }
    return device_attribute(device, attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult wg_cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : attribute_of(&rt->device, attribute, value));
}

static cudaError_t capability(const struct device *device, int *major, int *minor)
{
    if (!major || !minor)
        return cudaErrorInvalidValue;
    *major = (int)(device->cc / 10);
    *minor = (int)(device->cc % 10);
    return cudaSuccess;
}

CUresult wg_cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : capability(&rt->device, major, minor));
}

static cudaError_t get_properties(const struct device *d, struct CUdevprop *out)
{
    enum { MAX_PITCH = 11, CLOCK_KHZ = 13, TEXTURE_ALIGNMENT = 14, WARP_SIZE = 10 }; // attributes
    if (!out)
        return cudaErrorInvalidValue;
    *out = (struct CUdevprop){.maxThreadsPerBlock = (int)d->max_threads_per_block,
                              .maxThreadsDim = {(int)d->max_block_x, (int)d->max_block_y, (int)d->max_block_z},
                              .maxGridSize = {(int)d->max_grid_x, (int)d->max_grid_y, (int)d->max_grid_z},
                              .sharedMemPerBlock = (int)d->shared_per_block_bytes,
                              .totalConstantMemory = (int)d->constant_bytes,
                              .regsPerBlock = (int)d->registers_per_block};
    device_attribute(d, WARP_SIZE, &out->SIMDWidth);
    device_attribute(d, MAX_PITCH, &out->memPitch);
    device_attribute(d, CLOCK_KHZ, &out->clockRate);
    device_attribute(d, TEXTURE_ALIGNMENT, &out->textureAlign);
    return cudaSuccess;
}

CUresult wg_cuDeviceGetProperties(struct CUdevprop *out, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : get_properties(&rt->device, out));
}

// Contexts of a part of the SMs need the multi-process service.
CUresult wg_cuDeviceGetExecAffinitySupport(int *out, int type, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, device ? cudaErrorInvalidDevice : type ? cudaErrorInvalidValue : give(out, 0));
}
