// Tensor maps: 128 bytes that say how a tensor of up to five dimensions lies in global memory and which box of it one
// copy moves. The layout is ours (the GPU's is not public); programs hold it as an opaque CUtensorMap, made by
// cuTensorMapEncodeTiled, changed by tensormap.replace, read by cp.async.bulk.tensor (simt/tensor_copy.c).
//
// Numbers of element types, interleaving, swizzles, promotion and fills are those of cuda.h.
#ifndef MEM_TENSOR_MAP_H
#define MEM_TENSOR_MAP_H
#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128 };
#define TENSOR_MAP_MARK 0x50414d54u // "TMAP": bytes that are not a tensor map are told apart

enum tensor_type {
    TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F64,
    TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_TF32, TENSOR_TF32_FTZ, N_TENSOR_TYPES
};
enum { TENSOR_PLAIN, TENSOR_INTERLEAVE_16, TENSOR_INTERLEAVE_32 };
enum { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };
enum { TENSOR_FILL_ZERO, TENSOR_FILL_NAN };

struct tensor_map {
    uint32_t mark;
    uint8_t rank, type, interleave, swizzle, promotion, fill;
    uint8_t step[TENSOR_DIMS];        // elements from one that is copied to the next
    uint8_t unused;
    uint16_t box[TENSOR_DIMS];        // elements
    uint64_t address;
    uint64_t stride[TENSOR_DIMS];     // bytes from one index of the dimension to the next; [0] follows from the type
    uint32_t last[TENSOR_DIMS];       // index of the last element: size - 1
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "an opaque map has room for it");

uint32_t tensor_type_bytes(uint8_t type);

// What a program gave to the encoder. `strides` has rank - 1 entries, the other arrays rank.
struct tensor_shape {
    uint64_t address;
    const uint64_t *sizes, *strides;
    const uint32_t *box, *steps;
    uint32_t rank, type, interleave, swizzle, promotion, fill;
};

// False: the arguments are not allowed (which ones are was asked of an H200, tests/data/h200_async.txt).
bool tensor_map_encode(const struct tensor_shape *shape, uint64_t max_box_bytes, struct tensor_map *out);
// Its numbers are in their ranges and the box has no more bytes than that: a program may have written anything there.
bool tensor_map_is_sound(const struct tensor_map *map, uint64_t max_box_bytes);
#endif
