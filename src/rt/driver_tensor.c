// Tensor maps: made and moved by the host, read by cp.async.bulk.tensor (mem/tensor_map.h).
#include "mem/tensor_map.h"
#include "rt/driver.h"
#include <string.h>

// CUtensorMap is 128 bytes at a multiple of 64.
enum { MAP_ALIGN = 64 };

static cudaError_t write_map(void *out, const struct tensor_map *map)
{
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, map, sizeof *map);
    return cudaSuccess;
}

static cudaError_t encode(struct rt *rt, void *out, const struct tensor_shape *shape)
{
    struct tensor_map map;
    if (!out || (uintptr_t)out % MAP_ALIGN)
        return cudaErrorInvalidValue;
    if (rt->device.max_cluster == 0) // tensor copies came with clusters
        return cudaErrorNotSupported;
    if (!tensor_map_encode(shape, rt->device.shared_per_block_optin_bytes, &map))
        return cudaErrorInvalidValue;
    return write_map(out, &map);
}

CUresult wg_cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address, const uint64_t *sizes, const uint64_t *strides,
                                   const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill)
{
    const struct tensor_shape shape = {.address = (uint64_t)(uintptr_t)address,
                                       .sizes = sizes,
                                       .strides = strides,
                                       .box = box,
                                       .steps = steps,
                                       .rank = rank,
                                       .type = (uint32_t)type,
                                       .interleave = (uint32_t)interleave,
                                       .swizzle = (uint32_t)swizzle,
                                       .promotion = (uint32_t)promotion,
                                       .fill = (uint32_t)fill};
    return DRIVER_CALL(rt, encode(rt, out, &shape));
}

static cudaError_t replace_address(void *inout, uint64_t address)
{
    struct tensor_map map;
    if (!inout || (uintptr_t)inout % MAP_ALIGN)
        return cudaErrorInvalidValue;
    memcpy(&map, inout, sizeof map);
    const uint64_t align = map.interleave == TENSOR_INTERLEAVE_32 ? 32 : 16;
    if (map.mark != TENSOR_MAP_MARK || address % align)
        return cudaErrorInvalidValue;
    map.address = address;
    return write_map(inout, &map);
}

CUresult wg_cuTensorMapReplaceAddress(void *inout, void *address)
{
    return DRIVER_CALL(rt, ((void)rt, replace_address(inout, (uint64_t)(uintptr_t)address)));
}
