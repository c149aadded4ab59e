// An access pattern as a person describes it on the command line, turned into the access of each warp of a
// block.
//
//     struct lane_pattern p = {.width = 4, .block = {32, 1, 1}, .stride = 32, .kind = ACCESS_LOAD};
//     struct access a;
//     if (!pattern_access(&p, 0, &a, &err)) ...                     // warp 0
#ifndef ARITH_LANE_PATTERN_H
#define ARITH_LANE_PATTERN_H
#include "base/err.h"
#include "base/expr.h"
#include "mem/access.h"

struct lane_pattern {
    enum space space; // SPACE_SHARED or SPACE_GLOBAL
    enum access_kind kind;
    uint32_t width;    // bytes per lane: 1 2 4 8 16
    uint32_t block[3]; // threads; warps take them in the order x, y, z
    bool is_tile; // thread (x, y) takes row x, column y of rows of `stride` elements; else thread t takes t *
                  // stride
    uint64_t stride;  // elements
    uint64_t pad;     // elements added to each row (to the stride)
    bool is_swizzled; // column ^ row in place of column; rows must be a power of two
    uint64_t offset_bytes;
    const struct expr *index; // if set, gives the element; stride, tile and swizzle are not used
    const struct expr *where; // if set, lanes where it gives 0 take no part
};

// Names an index expression may use, in the order of their values: t (lane), tid, w (warp), tx ty tz, bx by
// bz (block extents), pad, and CUDA's threadIdx.x ... blockDim.z.
extern const char *const pattern_names[];
extern const uint32_t n_pattern_names;

uint32_t pattern_warps(const struct lane_pattern *pattern);

// False, with the lane in `err`, if an index is negative, too large, or cannot be computed.
bool pattern_access(const struct lane_pattern *pattern, uint32_t warp, struct access *out, struct err *err);
#endif
