// Copies and fills of boxes of bytes, between host and guest memory.
#include "rt/op.h"
#include <string.h>

bool is_guest(uint64_t address)
{
    return address >= MEMORY_GLOBAL_BASE;
}

// Host pointer to `bytes` bytes at a host or guest address; NULL when the guest has no such bytes.
static void *bytes_at(struct rt *rt, uint64_t address, uint64_t bytes)
{
    return is_guest(address) ? memory_host(rt->memory, address, bytes) : (void *)(uintptr_t)address;
}

static uint64_t row_address(const struct op_place *place, uint64_t y, uint64_t z)
{
    return place->address + y * place->pitch_bytes + z * place->slice_bytes;
}

// GB/s are bytes a nanosecond.
static double copy_ns(const struct rt *rt, const struct op_copy *copy)
{
    double bytes = (double)(copy->width_bytes * copy->height * copy->depth);
    bool is_within = copy->kind == cudaMemcpyDeviceToDevice;
    return COPY_NS + bytes / (is_within ? rt->device.dram_read_gbps / 2 : rt->device.host_gbps);
}

cudaError_t copy_run(struct rt *rt, const struct op_copy *copy, double *ns)
{
    *ns = copy_ns(rt, copy);
    for (uint64_t z = 0; z < copy->depth; z++)
        for (uint64_t y = 0; y < copy->height; y++) {
            void *to = bytes_at(rt, row_address(&copy->to, y, z), copy->width_bytes);
            const void *from = bytes_at(rt, row_address(&copy->from, y, z), copy->width_bytes);
            if (!to || !from)
                return cudaErrorInvalidValue;
            memmove(to, from, copy->width_bytes);
        }
    return cudaSuccess;
}

static void fill_row(uint8_t *row, const struct op_fill *fill)
{
    uint64_t bytes = fill->width * fill->element_bytes;
    if (fill->element_bytes == 1)
        memset(row, (int)fill->value, bytes);
    else
        for (uint64_t i = 0; i < bytes; i += fill->element_bytes)
            memcpy(row + i, &fill->value, fill->element_bytes);
}

cudaError_t fill_run(struct rt *rt, const struct op_fill *fill, double *ns)
{
    uint64_t bytes = fill->width * fill->element_bytes;
    *ns = COPY_NS + (double)(bytes * fill->height * fill->depth) / rt->device.dram_read_gbps;
    for (uint64_t z = 0; z < fill->depth; z++)
        for (uint64_t y = 0; y < fill->height; y++) {
            uint8_t *row = bytes_at(rt, row_address(&fill->to, y, z), bytes);
            if (!row)
                return cudaErrorInvalidValue;
            fill_row(row, fill);
        }
    return cudaSuccess;
}
