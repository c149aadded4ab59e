// The encoder of tensor maps.
#include "mem/tensor_map.h"
#include <stddef.h>

enum { MAX_BOX = 256, MAX_STEP = 8, N_SWIZZLES = 4, N_PROMOTIONS = 4 };
#define MAX_SIZE (1ull << 32)
#define END_OF_STRIDES (1ull << 40)

uint32_t tensor_type_bytes(uint8_t type)
{
    static const uint8_t bytes[N_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < N_TENSOR_TYPES ? bytes[type] : 1;
}

static bool modes_are_good(const struct tensor_shape *s)
{
    if (!s->sizes || !s->box || !s->steps || (s->rank > 1 && !s->strides))
        return false;
    if (s->rank < 1 || s->rank > TENSOR_DIMS || s->type >= N_TENSOR_TYPES || s->interleave > TENSOR_INTERLEAVE_32 ||
        s->swizzle >= N_SWIZZLES || s->promotion >= N_PROMOTIONS || s->fill > TENSOR_FILL_NAN)
        return false;
    if (s->fill == TENSOR_FILL_NAN && s->type < TENSOR_F16) // of floats only
        return false;
    return s->interleave == TENSOR_PLAIN || s->rank >= 3;
}

static bool dimensions_are_good(const struct tensor_shape *s)
{
    const uint64_t align = s->interleave == TENSOR_INTERLEAVE_32 ? 32 : 16;
    if (s->address % align)
        return false;
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->sizes[i] < 1 || s->sizes[i] > MAX_SIZE || s->box[i] < 1 || s->box[i] > MAX_BOX || s->steps[i] < 1 ||
            s->steps[i] > MAX_STEP)
            return false;
        if (i + 1 < s->rank && (s->strides[i] % align || s->strides[i] >= END_OF_STRIDES))
            return false;
    }
    return true;
}

static bool box_is_good(const struct tensor_shape *s, uint64_t max_box_bytes)
{
    uint64_t inner = (uint64_t)s->box[0] * tensor_type_bytes((uint8_t)s->type), bytes = inner;
    for (uint32_t i = 1; i < s->rank; i++)
        bytes *= (s->box[i] + s->steps[i] - 1) / s->steps[i];
    if (bytes > max_box_bytes)
        return false;
    if (s->interleave != TENSOR_PLAIN)
        return true;
    return inner % 16 == 0 && (s->swizzle == TENSOR_SWIZZLE_NONE || inner <= 16u << s->swizzle);
}

bool tensor_map_is_sound(const struct tensor_map *map, uint64_t max_box_bytes)
{
    uint64_t bytes = map->interleave == TENSOR_PLAIN ? tensor_type_bytes(map->type) : 32 * tensor_type_bytes(map->type);
    if (map->mark != TENSOR_MAP_MARK || map->rank < 1 || map->rank > TENSOR_DIMS || map->type >= N_TENSOR_TYPES ||
        map->interleave > TENSOR_INTERLEAVE_32 || map->swizzle >= N_SWIZZLES || map->fill > TENSOR_FILL_NAN)
        return false;
    for (uint32_t i = 0; i < TENSOR_DIMS; i++) {
        if (map->box[i] < 1 || map->box[i] > MAX_BOX || map->step[i] < 1 || map->step[i] > MAX_STEP)
            return false;
        bytes *= i ? (map->box[i] + map->step[i] - 1u) / map->step[i] : map->box[i];
    }
    return bytes <= max_box_bytes;
}

bool tensor_map_encode(const struct tensor_shape *s, uint64_t max_box_bytes, struct tensor_map *out)
{
    if (!modes_are_good(s) || !dimensions_are_good(s) || !box_is_good(s, max_box_bytes))
        return false;
    *out = (struct tensor_map){.mark = TENSOR_MAP_MARK,
                               .rank = (uint8_t)s->rank,
                               .type = (uint8_t)s->type,
                               .interleave = (uint8_t)s->interleave,
                               .swizzle = (uint8_t)s->swizzle,
                               .promotion = (uint8_t)s->promotion,
                               .fill = (uint8_t)s->fill,
                               .address = s->address};
    for (uint32_t i = 0; i < TENSOR_DIMS; i++) {
        bool is_there = i < s->rank;
        out->step[i] = is_there ? (uint8_t)s->steps[i] : 1;
        out->box[i] = is_there ? (uint16_t)s->box[i] : 1;
        out->last[i] = is_there ? (uint32_t)(s->sizes[i] - 1) : 0;
        out->stride[i] = i > 0 && is_there ? s->strides[i - 1] : 0;
    }
    return true;
}
