// What a person wants to know about one shared-memory pattern: the cost over all warps of the block, the
// passes drawn bank by bank, why, and what padding or swizzling would make of it.
#ifndef ARITH_BANK_MAP_H
#define ARITH_BANK_MAP_H
#include "arith/lane_pattern.h"
#include "mem/banks.h"

enum { MAX_PASSES = 64, NO_LANE = 255 };

// Pass p takes, from bank b, the word of lane[p][b] (the lowest lane that wants it); is_shared: others want
// it too.
struct bank_map {
    uint32_t n_passes;
    uint8_t lane[MAX_PASSES][N_BANKS];
    bool is_shared[MAX_PASSES][N_BANKS];
};

void bank_map_fill(const struct access *access, struct bank_map *out);

// All warps of a block together.
struct bank_total {
    uint32_t n_warps, worst_warp;
    struct shared_cost sum, worst;
};

bool bank_total_of(const struct lane_pattern *pattern, struct bank_total *out, struct err *err);

// The smallest padding up to `most` elements that brings the block to its ideal; 0 if none does.
// `after` is what that padding costs.
uint64_t bank_padding_cure(const struct lane_pattern *pattern, uint64_t most, struct bank_total *after);
#endif
