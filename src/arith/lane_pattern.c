// Patterns of lanes: strides, columns of a tile, swizzles, index expressions.
#include "arith/lane_pattern.h"

enum {
    NAME_T,
    NAME_TID,
    NAME_W,
    NAME_TX,
    NAME_TY,
    NAME_TZ,
    NAME_BX,
    NAME_BY,
    NAME_BZ,
    NAME_PAD,
    NAME_THREAD_X, // CUDA's spelling of TX .. BZ
    N_NAMES = NAME_THREAD_X + 6
};

const char *const pattern_names[] = {
    "t",  "tid", "w",           "tx",          "ty",          "tz",         "bx",         "by",
    "bz", "pad", "threadIdx.x", "threadIdx.y", "threadIdx.z", "blockDim.x", "blockDim.y", "blockDim.z"};
const uint32_t n_pattern_names = N_NAMES;

static const int64_t INDEX_LIMIT = (int64_t)1 << 48; // elements; keeps addresses far from overflow

uint32_t pattern_warps(const struct lane_pattern *pattern)
{
    uint64_t threads = (uint64_t)pattern->block[0] * pattern->block[1] * pattern->block[2];
    return (uint32_t)((threads + N_LANES - 1) / N_LANES);
}

static void lane_values(const struct lane_pattern *pattern, uint32_t warp, uint32_t lane,
                        int64_t values[N_NAMES])
{
    const uint32_t *block = pattern->block;
    int64_t tid = (int64_t)warp * N_LANES + lane;
    values[NAME_T] = lane;
    values[NAME_TID] = tid;
    values[NAME_W] = warp;
    values[NAME_TX] = tid % block[0];
    values[NAME_TY] = tid / block[0] % block[1];
    values[NAME_TZ] = tid / ((int64_t)block[0] * block[1]);
    for (int axis = 0; axis < 3; axis++)
        values[NAME_BX + axis] = block[axis];
    values[NAME_PAD] = (int64_t)pattern->pad;
    for (int i = 0; i < 6; i++)
        values[NAME_THREAD_X + i] = values[NAME_TX + i];
}

// Element of a row-major array with rows of `stride` elements and `pad` unused ones behind each.
static int64_t element_of(const struct lane_pattern *pattern, const int64_t values[N_NAMES])
{
    int64_t row = pattern->is_tile ? values[NAME_TX] : values[NAME_TID];
    int64_t column = pattern->is_tile ? values[NAME_TY] : 0;
    if (pattern->is_swizzled)
        column ^= row & (int64_t)(pattern->stride - 1);
    return row * (int64_t)(pattern->stride + pattern->pad) + column;
}

static bool lane_takes_part(const struct lane_pattern *pattern, const int64_t values[N_NAMES], bool *out,
                            struct err *err)
{
    int64_t is_active = 1;
    uint64_t threads = (uint64_t)pattern->block[0] * pattern->block[1] * pattern->block[2];
    if (pattern->where && !expr_eval_named(pattern->where, pattern_names, values, N_NAMES, &is_active, err))
        return false;
    *out = is_active && (uint64_t)values[NAME_TID] < threads;
    return true;
}

static bool lane_element(const struct lane_pattern *pattern, const int64_t values[N_NAMES], int64_t *out,
                         struct err *err)
{
    if (!pattern->index) {
        *out = element_of(pattern, values);
        return true;
    }
    if (!expr_eval_named(pattern->index, pattern_names, values, N_NAMES, out, err))
        return false;
    if (*out < 0 || *out >= INDEX_LIMIT)
        return err_set(err, "lane %d of warp %d gets index %lld: %s", (int)values[NAME_T],
                       (int)values[NAME_W], (long long)*out, *out < 0 ? "negative" : "too large");
    return true;
}

bool pattern_access(const struct lane_pattern *pattern, uint32_t warp, struct access *out, struct err *err)
{
    *out = (struct access){.space = pattern->space, .kind = pattern->kind, .width = (uint8_t)pattern->width};
    for (uint32_t lane = 0; lane < N_LANES; lane++) {
        int64_t values[N_NAMES], element;
        bool takes_part;
        lane_values(pattern, warp, lane, values);
        if (!lane_takes_part(pattern, values, &takes_part, err))
            return false;
        if (!takes_part)
            continue;
        if (!lane_element(pattern, values, &element, err))
            return false;
        out->mask |= (lanemask)1 << lane;
        out->addr[lane] = (uint64_t)element * pattern->width + pattern->offset_bytes;
    }
    return true;
}
