// Copies and fills of boxes of bytes, between host and guest memory.
//
// Which pairs of memory and direction pass and which error says why not: as measured on an H200 with driver
// 580. A direction names the sides that must be memory of CUDA's: the target of HostToDevice, the source of
// DeviceToHost, both of DeviceToDevice; pinned, registered and managed memory count as such. So a wrong
// direction often passes, and then copies.
#include "rt/memory.h"
#include "rt/stream.h"
#include <string.h>

bool is_guest(uint64_t address)
{
    return address >= MEMORY_GLOBAL_BASE;
}

// ---- boxes in memory ------------------------------------------------------------------------------------

// From the first byte of a box to behind its last. False: more than an address can say.
static bool box_span(const struct op_place *place, uint64_t width_bytes, uint64_t height, uint64_t depth,
                     uint64_t *bytes)
{
    uint64_t rows, slices;
    return !__builtin_mul_overflow(height - 1, place->pitch_bytes, &rows) &&
           !__builtin_mul_overflow(depth - 1, place->slice_bytes, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) &&
           !__builtin_add_overflow(*bytes, width_bytes, bytes) && place->address + *bytes >= place->address;
}

// Memory that is mapped by hand lies in pieces that follow each other, in the host too; other blocks stand
// alone.
static bool block_reaches(struct rt *rt, const struct memory_block *block, uint64_t end)
{
    while (block && block->address + block->size_bytes < end) {
        const struct allocation *allocation = block->owner;
        bool is_piece = allocation && allocation->kind == ALLOCATION_VIRTUAL;
        block = is_piece ? memory_block_at(rt->memory, block->address + block->size_bytes) : NULL;
    }
    return block;
}

// Where the host has the box. NULL: it does not lie in one allocation as a whole.
// *is_ours: the memory is CUDA's; else it is any memory of the host's, about which nothing is known.
static uint8_t *box_bytes(struct rt *rt, const struct op_place *place, uint64_t width_bytes, uint64_t height,
                          uint64_t depth, bool *is_ours)
{
    uint64_t bytes;
    const struct memory_block *block = memory_block_at(rt->memory, place->address);
    *is_ours = block;
    if (!box_span(place, width_bytes, height, depth, &bytes))
        return NULL;
    if (!block)
        return is_guest(place->address) ? NULL : (uint8_t *)(uintptr_t)place->address;
    return block_reaches(rt, block, place->address + bytes) ? block->host + (place->address - block->address)
                                                            : NULL;
}

static uint64_t row_offset(const struct op_place *place, uint64_t y, uint64_t z)
{
    return y * place->pitch_bytes + z * place->slice_bytes;
}

// ---- copying --------------------------------------------------------------------------------------------

static bool both_boxes(struct rt *rt, const struct op_copy *copy, uint8_t **to, const uint8_t **from,
                       bool ours[2])
{
    *to = box_bytes(rt, &copy->to, copy->width_bytes, copy->height, copy->depth, &ours[0]);
    *from = box_bytes(rt, &copy->from, copy->width_bytes, copy->height, copy->depth, &ours[1]);
    return *to && *from;
}

static enum cudaMemcpyKind kind_between(const struct op_copy *copy)
{
    if (is_guest(copy->to.address))
        return is_guest(copy->from.address) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return is_guest(copy->from.address) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t copy_check(struct rt *rt, struct op_copy *copy)
{
    uint8_t *to;
    const uint8_t *from;
    bool ours[2];
    if ((unsigned)copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!both_boxes(rt, copy, &to, &from, ours))
        return cudaErrorInvalidValue;
    bool needs_to = copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyDeviceToDevice;
    bool needs_from = copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyDeviceToDevice;
    if ((needs_to && !ours[0]) || (needs_from && !ours[1]))
        return cudaErrorInvalidValue;
    if (copy->kind == cudaMemcpyDefault)
        copy->kind = kind_between(copy);
    return cudaSuccess;
}

// GB/s are bytes a nanosecond.
static double copy_ns(const struct rt *rt, const struct op_copy *copy)
{
    double bytes = (double)copy->width_bytes * (double)copy->height * (double)copy->depth;
    bool is_within = kind_between(copy) == cudaMemcpyDeviceToDevice;
    return COPY_NS + bytes / (is_within ? rt->device.dram_read_gbps / 2 : rt->device.host_gbps);
}

cudaError_t copy_run(struct rt *rt, const struct op_copy *copy, double *ns)
{
    uint8_t *to;
    const uint8_t *from;
    bool ours[2];
    *ns = copy_ns(rt, copy);
    if (!both_boxes(rt, copy, &to, &from, ours)) // of a graph: memory may be gone since it was made
        return cudaErrorInvalidValue;
    for (uint64_t z = 0; z < copy->depth; z++)
        for (uint64_t y = 0; y < copy->height; y++)
            memmove(to + row_offset(&copy->to, y, z), from + row_offset(&copy->from, y, z),
                    copy->width_bytes);
    return cudaSuccess;
}

// The host waits for the stream.
static cudaError_t wait_for(struct rt *rt, const struct rt_stream *stream)
{
    rt->now_ns = stream->ready_ns > rt->now_ns ? stream->ready_ns : rt->now_ns;
    return rt_synchronize(rt);
}

cudaError_t copy_box(struct rt *rt, const struct op_copy *copy, struct rt_stream *stream, bool is_async)
{
    struct rt_op op = {.kind = OP_COPY, .copy = *copy};
    if (copy->width_bytes == 0 || copy->height == 0 || copy->depth == 0)
        return cudaSuccess;
    cudaError_t error = copy_check(rt, &op.copy);
    if (!error && !is_async)
        error = capture_forbids(rt);
    if (!error)
        error = rt_submit(rt, stream, &op);
    return error || is_async ? error : wait_for(rt, stream);
}

cudaError_t copy_bytes(struct rt *rt, void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind,
                       struct rt_stream *stream, bool is_async)
{
    const struct op_copy copy = {.from = {.address = (uint64_t)(uintptr_t)from},
                                 .to = {.address = (uint64_t)(uintptr_t)to},
                                 .width_bytes = size_bytes,
                                 .height = 1,
                                 .depth = 1,
                                 .kind = kind};
    return copy_box(rt, &copy, stream, is_async);
}

// ---- filling --------------------------------------------------------------------------------------------

static uint8_t *fill_bytes(struct rt *rt, const struct op_fill *fill)
{
    bool is_ours;
    uint8_t *bytes =
        box_bytes(rt, &fill->to, fill->width * fill->element_bytes, fill->height, fill->depth, &is_ours);
    return is_ours ? bytes : NULL;
}

cudaError_t fill_check(struct rt *rt, const struct op_fill *fill)
{
    bool is_aligned = fill->element_bytes && fill->to.address % fill->element_bytes == 0;
    return is_aligned && fill_bytes(rt, fill) ? cudaSuccess : cudaErrorInvalidValue;
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
    double bytes = (double)fill->width * fill->element_bytes * (double)fill->height * (double)fill->depth;
    uint8_t *to = fill_bytes(rt, fill);
    *ns = COPY_NS + bytes / rt->device.dram_read_gbps;
    if (!to)
        return cudaErrorInvalidValue;
    for (uint64_t z = 0; z < fill->depth; z++)
        for (uint64_t y = 0; y < fill->height; y++)
            fill_row(to + row_offset(&fill->to, y, z), fill);
    return cudaSuccess;
}

cudaError_t fill_box(struct rt *rt, const struct op_fill *fill, struct rt_stream *stream, bool is_async)
{
    const struct rt_op op = {.kind = OP_FILL, .fill = *fill};
    if (fill->width == 0 || fill->height == 0 || fill->depth == 0)
        return cudaSuccess;
    cudaError_t error = fill_check(rt, fill);
    if (!error && !is_async)
        error = capture_forbids(rt);
    return error ? error : rt_submit(rt, stream, &op);
}

cudaError_t fill_elements(struct rt *rt, void *to, uint32_t value, uint32_t element_bytes, size_t n,
                          struct rt_stream *stream, bool is_async)
{
    const struct op_fill fill = {.to = {.address = (uint64_t)(uintptr_t)to},
                                 .value = value,
                                 .element_bytes = element_bytes,
                                 .width = n,
                                 .height = 1,
                                 .depth = 1};
    return fill_box(rt, &fill, stream, is_async);
}
