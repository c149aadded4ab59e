// Shared accesses with their rows padded or swizzled: see repair.h.
#include "mem/repair.h"
#include "mem/lanes.h"
#include <string.h>

static uint32_t distance(uint64_t a, uint64_t b)
{
    return (uint32_t)(a > b ? a - b : b - a);
}

// Distances of neighbouring active lanes; returns how many.
static uint32_t collect_distances(const struct access *access, uint32_t out[N_LANES])
{
    uint32_t n = 0;
    lanemask left = access->mask;
    for (unsigned lane = lanes_first(left); left &= left - 1; lane = lanes_first(left))
        out[n++] = distance(access->addr[lane], access->addr[lanes_first(left)]);
    return n;
}

// The value that more than half of the entries have, or 0.
static uint32_t majority(const uint32_t *values, uint32_t n)
{
    uint32_t candidate = 0, lead = 0, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!lead)
            candidate = values[i];
        lead = values[i] == candidate ? lead + 1 : lead - 1;
    }
    for (uint32_t i = 0; i < n; i++)
        count += values[i] == candidate;
    return 2 * count > n ? candidate : 0;
}

static uint32_t unit_bytes(const struct access *access)
{
    return access->width > BANK_BYTES ? access->width : BANK_BYTES;
}

static uint32_t row_of(const struct access *access)
{
    uint32_t distances[N_LANES];
    uint32_t n = access->mask ? collect_distances(access, distances) : 0;
    uint32_t row = majority(distances, n), unit = unit_bytes(access);
    return row % unit == 0 && row > unit ? row : 0;
}

static uint32_t padded_cost(const struct access *access, uint32_t row)
{
    struct access moved = *access;
    for (unsigned t = 0; t < N_LANES; t++)
        moved.addr[t] += access->addr[t] / row * unit_bytes(access);
    return banks_cost(&moved).wavefronts;
}

static uint32_t swizzled_cost(const struct access *access, uint32_t row)
{
    struct access moved = *access;
    uint32_t unit = unit_bytes(access), n_units = row / unit;
    bool is_power_of_two = (n_units & (n_units - 1)) == 0;
    for (unsigned t = 0; is_power_of_two && t < N_LANES; t++)
        moved.addr[t] ^= (access->addr[t] / row % n_units) * unit;
    return banks_cost(&moved).wavefronts;
}

struct shared_repair banks_repair(const struct access *access)
{
    uint32_t row = row_of(access);
    if (!row)
        return (struct shared_repair){0};
    return (struct shared_repair){row, padded_cost(access, row), swizzled_cost(access, row)};
}

// Could more than half of the 31 distances be alike? Then two of them, at most one apart, are. A quick no for
// patterns without order; the loops are free of branches, so that the compiler turns them into vector code.
static bool may_have_row(const struct access *access)
{
    int32_t distances[N_LANES] = {0};
    uint32_t n_alike = 0;
    for (unsigned t = 0; t + 1 < N_LANES; t++) {
        int32_t step = (int32_t)((uint32_t)access->addr[t + 1] - (uint32_t)access->addr[t]);
        distances[t] = step < 0 ? -step : step;
    }
    for (unsigned t = 0; t + 3 < N_LANES; t++)
        n_alike += (distances[t] == distances[t + 1]) | (distances[t] == distances[t + 2]);
    return n_alike > 0;
}

static uint32_t hash(const struct access *access)
{
    uint32_t first = (uint32_t)access->addr[lanes_first(access->mask)];
    return ((access->insn * 31 + first / BANK_BYTES) * 0x9e3779b1u) >> 22; // multiplicative hash; 10 bits
}

static uint32_t differ_in_all(const struct access *access, const uint32_t offset[N_LANES])
{
    uint32_t differs = 0;
    for (unsigned t = 0; t < N_LANES; t++)
        differs |= (uint32_t)access->addr[t] ^ offset[t];
    return differs;
}

// Idle lanes may hold anything.
static uint32_t differ_in_active(const struct access *access, const uint32_t offset[N_LANES])
{
    uint32_t differs = 0;
    for (lanemask left = access->mask; left; left &= left - 1)
        differs |= (uint32_t)access->addr[lanes_first(left)] ^ offset[lanes_first(left)];
    return differs;
}

struct shared_repair banks_repair_remembered(struct repair_memo *memo, const struct access *access)
{
    if (!access->mask)
        return (struct shared_repair){0};
    uint32_t slot = hash(access), key = 1u << 31 | (uint32_t)access->kind << 8 | access->width;
    uint32_t differs = (memo->at[slot].insn ^ access->insn) | (memo->at[slot].key ^ key) |
                       (memo->at[slot].mask ^ access->mask);
    const uint32_t *offset = memo->at[slot].offset;
    differs |= lanes_all(access->mask) ? differ_in_all(access, offset) : differ_in_active(access, offset);
    if (!differs)
        return memo->at[slot].repair;
    memo->at[slot].insn = access->insn;
    memo->at[slot].key = key;
    memo->at[slot].mask = access->mask;
    for (unsigned t = 0; t < N_LANES; t++)
        memo->at[slot].offset[t] = (uint32_t)access->addr[t];
    bool has_none = lanes_all(access->mask) && !may_have_row(access);
    return memo->at[slot].repair = has_none ? (struct shared_repair){0} : banks_repair(access);
}
