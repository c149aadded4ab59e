// Occupancy: blocks an SM holds under each limit, and the split of L1 and shared memory.
//
// Rules: cuda_occupancy.h of CUDA 13.0. Each limit is a count of blocks; the smallest wins, and the limiters
// are exactly those limits that equal it.
#include "device/occupancy.h"

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t as_limit(uint64_t n)
{
    return n < NO_LIMIT ? (uint32_t)n : NO_LIMIT;
}

static uint32_t warps_per_block(const struct kernel_needs *k)
{
    return (uint32_t)round_up(k->threads, 32) / 32;
}

static uint32_t limit_by_warps(const struct device *d, const struct kernel_needs *k)
{
    if (k->threads == 0 || k->threads > d->max_threads_per_block)
        return 0;
    return as_limit(d->max_warps_per_sm / warps_per_block(k));
}

static uint64_t registers_per_warp(const struct device *d, const struct kernel_needs *k)
{
    return round_up((uint64_t)k->registers * 32, d->register_alloc_unit);
}

// Each sub-partition gives whole warps out of its own quarter. The launch itself asks for more: the warps of
// one block, rounded up to the sub-partitions, must fit what a block may hold.
static uint32_t limit_by_registers(const struct device *d, const struct kernel_needs *k)
{
    if (k->registers == 0 || k->threads == 0)
        return NO_LIMIT;
    uint64_t per_warp = registers_per_warp(d, k);
    uint64_t launch = per_warp * round_up(warps_per_block(k), d->n_subpartitions);
    if (k->registers > d->max_registers_per_thread || launch > d->registers_per_block)
        return 0;
    uint64_t per_part = d->registers_per_sm / d->n_subpartitions;
    return as_limit(d->n_subpartitions * (per_part / per_warp) / warps_per_block(k));
}

static uint64_t shared_of_block(const struct device *d, const struct kernel_needs *k)
{
    return round_up(k->static_shared_bytes + d->shared_reserved_bytes + k->dynamic_shared_bytes,
                    d->shared_alloc_unit_bytes);
}

// What a block may ask for: the opt-in limit only when the attribute was set beyond the plain one.
static bool block_may_have_shared(const struct device *d, const struct kernel_needs *k)
{
    uint64_t fixed = k->static_shared_bytes, most_dynamic = k->max_dynamic_shared_bytes;
    if (fixed > d->shared_per_block_bytes)
        return false;
    if (most_dynamic == 0)
        return fixed + k->dynamic_shared_bytes <= d->shared_per_block_bytes;
    return k->dynamic_shared_bytes <= most_dynamic && fixed + most_dynamic <= d->shared_per_block_optin_bytes;
}

static uint32_t limit_by_shared(const struct device *d, const struct kernel_needs *k, uint64_t config)
{
    uint64_t block = shared_of_block(d, k);
    if (!block_may_have_shared(d, k))
        return 0;
    return block ? as_limit(config / block) : NO_LIMIT;
}

static uint32_t limit_by_barriers(const struct device *d, const struct kernel_needs *k)
{
    return d->barriers_per_sm ? as_limit(d->barriers_per_sm / (k->barriers ? k->barriers : 1)) : NO_LIMIT;
}

// Blocks that every resource but shared memory allows.
static uint32_t limit_without_shared(const struct device *d, const struct kernel_needs *k)
{
    uint32_t n = min_u32(limit_by_warps(d, k), limit_by_registers(d, k));
    return min_u32(min_u32(n, as_limit(d->max_blocks_per_sm)), limit_by_barriers(d, k));
}

uint64_t occupancy_carveout_for(const struct device *d, uint64_t bytes)
{
    const struct size_list *sizes = &d->shared_carveouts_bytes;
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->at[i] >= bytes)
            return sizes->at[i];
    return sizes->at[sizes->n - 1];
}

// The size nearest to half the pool: beyond it the driver gives shared memory no room to spare.
static uint64_t half_pool_carveout(const struct device *d)
{
    const struct size_list *sizes = &d->shared_carveouts_bytes;
    uint64_t half = d->l1_pool_bytes / 2, best = sizes->at[0];
    for (uint32_t i = 1; i < sizes->n; i++) {
        uint64_t near = best < half ? half - best : best - half;
        uint64_t now = sizes->at[i] < half ? half - sizes->at[i] : sizes->at[i] - half;
        best = now <= near ? sizes->at[i] : best;
    }
    return best;
}

// Without shared memory of its own a kernel needs only the reserved part of each block; the driver then
// provides for a number of blocks that falls with their size, whatever registers allow (but for a single
// block).
static uint64_t driver_carveout_without_shared(const struct device *d, const struct kernel_needs *k)
{
    enum { HALF_FROM_WARPS = 16, QUARTER_FROM_WARPS = 24 };
    uint32_t n = (uint32_t)d->max_blocks_per_sm, warps = warps_per_block(k);
    if (warps >= QUARTER_FROM_WARPS || limit_without_shared(d, k) <= 1)
        n /= 4;
    else if (warps >= HALF_FROM_WARPS)
        n /= 2;
    return occupancy_carveout_for(d, min_u32(n, limit_by_barriers(d, k)) * shared_of_block(d, k));
}

uint64_t occupancy_driver_carveout(const struct device *d, const struct kernel_needs *k)
{
    enum { MAX_SPARE_WARPS = 28 };
    if (k->static_shared_bytes + (uint64_t)k->dynamic_shared_bytes == 0)
        return driver_carveout_without_shared(d, k);
    uint64_t block = shared_of_block(d, k);
    uint32_t blocks = min_u32(limit_without_shared(d, k), as_limit(d->shared_per_sm_bytes / block));
    uint64_t enough = occupancy_carveout_for(d, (blocks ? blocks : 1) * block);
    if (blocks <= 1 || warps_per_block(k) > MAX_SPARE_WARPS)
        return enough;
    uint64_t spare = occupancy_carveout_for(d, min_u32(2 * blocks, (uint32_t)d->max_blocks_per_sm) * block);
    uint64_t half = half_pool_carveout(d);
    spare = spare < half ? spare : half;
    return spare > enough ? spare : enough;
}

// The percentage is of kilobytes of 1,000 bytes (any total from 225,300 to 229,600 B fits what was measured),
// and what the system reserves for the blocks that a size holds does not count towards it.
uint64_t occupancy_driver_preference(const struct device *d, const struct kernel_needs *k, uint64_t percent)
{
    const struct size_list *sizes = &d->shared_carveouts_bytes;
    uint64_t asked = d->shared_per_sm_bytes / 1024 * 1000 * percent / 100, block = shared_of_block(d, k);
    if (k->static_shared_bytes + (uint64_t)k->dynamic_shared_bytes == 0) {
        uint64_t usual = occupancy_driver_carveout(d, k), size = occupancy_carveout_for(d, asked);
        return size > usual ? size : usual;
    }
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->at[i] >= block && sizes->at[i] - sizes->at[i] / block * d->shared_reserved_bytes >= asked)
            return sizes->at[i];
    return d->shared_per_sm_bytes;
}

// The carve-out in force; a size too small for one block is raised to the smallest that holds one.
static uint64_t carveout_of(const struct device *d, const struct kernel_needs *k)
{
    uint64_t asked = 0;
    switch (k->carveout) {
    case CARVEOUT_DRIVER:
        return occupancy_driver_carveout(d, k);
    case CARVEOUT_MAX:
        return d->shared_per_sm_bytes;
    case CARVEOUT_PERCENT:
        asked = d->shared_per_sm_bytes * k->carveout_value / 100;
        break;
    case CARVEOUT_BYTES:
        asked = k->carveout_value;
        break;
    }
    uint64_t block = shared_of_block(d, k);
    return occupancy_carveout_for(d, asked > block ? asked : block);
}

// A cluster lies in one GPC, and only in one with as many SMs as it has blocks (so measured on an H200).
// Where the sizes of GPCs are unknown the whole device counts as one: an upper bound.
static uint32_t count_clusters(const struct device *d, uint32_t cluster, uint32_t blocks_per_sm)
{
    uint64_t n = 0;
    if (cluster < 2)
        return 0;
    if (d->max_cluster_blocks_per_sm)
        blocks_per_sm = min_u32(blocks_per_sm, (uint32_t)d->max_cluster_blocks_per_sm);
    for (uint32_t i = 0; i < d->gpc_sizes.n; i++)
        if (d->gpc_sizes.at[i] >= cluster)
            n += d->gpc_sizes.at[i] * blocks_per_sm / cluster;
    return as_limit(d->gpc_sizes.n ? n : d->n_sms * blocks_per_sm / cluster);
}

static void find_minimum(struct occupancy *o)
{
    const struct {
        uint32_t blocks;
        enum occupancy_limit bit;
    } limits[] = {{o->limit_warps, LIMIT_WARPS},
                  {o->limit_registers, LIMIT_REGISTERS},
                  {o->limit_shared, LIMIT_SHARED},
                  {o->limit_blocks, LIMIT_BLOCKS},
                  {o->limit_barriers, LIMIT_BARRIERS}};
    o->blocks_per_sm = NO_LIMIT;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].blocks < o->blocks_per_sm) {
            o->blocks_per_sm = limits[i].blocks;
            o->limiters = 0;
        }
        o->limiters |= limits[i].blocks == o->blocks_per_sm ? (unsigned)limits[i].bit : 0;
    }
}

struct occupancy occupancy_of(const struct device *d, const struct kernel_needs *k)
{
    uint64_t config = carveout_of(d, k);
    struct occupancy o = {
        .limit_warps = limit_by_warps(d, k),
        .limit_registers = limit_by_registers(d, k),
        .limit_shared = limit_by_shared(d, k, config),
        .limit_blocks = as_limit(d->max_blocks_per_sm),
        .limit_barriers = limit_by_barriers(d, k),
        .warps_per_block = warps_per_block(k),
        .registers_per_block = as_limit(registers_per_warp(d, k) * warps_per_block(k)),
        .shared_per_block_bytes = as_limit(shared_of_block(d, k)),
        .shared_config_bytes = config,
        .l1_bytes = d->l1_pool_bytes - config,
    };
    find_minimum(&o);
    o.warps_per_sm = o.blocks_per_sm * o.warps_per_block;
    o.occupancy = (double)o.warps_per_sm / (double)d->max_warps_per_sm;
    o.max_clusters = count_clusters(d, k->cluster, o.blocks_per_sm);
    return o;
}
