// Would a kernel launch at all? Every cause for which the runtime refuses, with what was asked, what is
// allowed and by how much it is exceeded.
#include "base/units.h"
#include "device/occupancy.h"

// Up to eight numbers with thousands separators for one sentence.
struct figures {
    char text[8][32];
    unsigned n;
};

static const char *count(struct figures *figures, uint64_t n)
{
    struct buf digits = {0};
    units_print_count(&digits, n);
    char *out = figures->text[figures->n++ % 8];
    snprintf(out, sizeof figures->text[0], "%s", digits.at);
    buf_release(&digits);
    return out;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool check_extents(const char *what, const uint32_t asked[3], const uint64_t allowed[3],
                          struct err *err)
{
    struct figures f = {0};
    for (int i = 0; i < 3; i++) {
        if (asked[i] == 0)
            return err_set(err, "%s %ux%ux%u: the extent in %c is 0", what, asked[0], asked[1], asked[2],
                           "xyz"[i]);
        if (asked[i] > allowed[i])
            return err_set(err, "%s %ux%ux%u: %s in %c; %s allowed, %s too many", what, asked[0], asked[1],
                           asked[2], count(&f, asked[i]), "xyz"[i], count(&f, allowed[i]),
                           count(&f, asked[i] - allowed[i]));
    }
    return true;
}

static bool has_shape(const uint32_t shape[3])
{
    return shape[0] || shape[1] || shape[2];
}

static bool check_shapes(const struct device *d, const struct kernel_needs *k, struct err *err)
{
    struct figures f = {0};
    const uint64_t block[3] = {d->max_block_x, d->max_block_y, d->max_block_z};
    const uint64_t grid[3] = {d->max_grid_x, d->max_grid_y, d->max_grid_z};
    if (has_shape(k->block) && !check_extents("block", k->block, block, err))
        return false;
    if (has_shape(k->grid) && !check_extents("grid", k->grid, grid, err))
        return false;
    uint64_t threads = has_shape(k->block) ? (uint64_t)k->block[0] * k->block[1] * k->block[2] : k->threads;
    if (threads == 0)
        return err_set(err, "a block of 0 threads");
    if (threads > d->max_threads_per_block)
        return err_set(err, "asks %s threads per block; %s allowed, %s too many", count(&f, threads),
                       count(&f, d->max_threads_per_block), count(&f, threads - d->max_threads_per_block));
    return true;
}

// The most registers a thread may have for a block of that many warps (as rounded for the launch).
static uint64_t most_registers(const struct device *d, uint64_t launch_warps)
{
    uint64_t per_warp =
        d->registers_per_block / launch_warps / d->register_alloc_unit * d->register_alloc_unit;
    uint64_t most = per_warp / 32;
    return most < d->max_registers_per_thread ? most : d->max_registers_per_thread;
}

static bool check_registers(const struct device *d, const struct kernel_needs *k, struct err *err)
{
    struct figures f = {0};
    if (k->registers > d->max_registers_per_thread)
        return err_set(err, "asks %s registers per thread; %s allowed, %s too many", count(&f, k->registers),
                       count(&f, d->max_registers_per_thread),
                       count(&f, k->registers - d->max_registers_per_thread));
    uint64_t per_warp = round_up((uint64_t)k->registers * 32, d->register_alloc_unit);
    uint64_t warps = round_up(k->threads, 32) / 32;
    uint64_t launch_warps = round_up(warps, d->n_subpartitions);
    uint64_t asked = per_warp * launch_warps;
    if (asked <= d->registers_per_block)
        return true;
    uint64_t most = most_registers(d, launch_warps);
    return err_set(
        err,
        "asks %s registers per block (%s per warp, %llu warps counted as %llu); %s allowed, %s too many: "
        "at most %s registers per thread at this block size",
        count(&f, asked), count(&f, per_warp), (unsigned long long)warps, (unsigned long long)launch_warps,
        count(&f, d->registers_per_block), count(&f, asked - d->registers_per_block), count(&f, most));
}

static bool check_shared(const struct device *d, const struct kernel_needs *k, struct err *err)
{
    struct figures f = {0};
    uint64_t plain = d->shared_per_block_bytes, optin = d->shared_per_block_optin_bytes;
    uint64_t fixed = k->static_shared_bytes, dynamic = k->dynamic_shared_bytes, asked = fixed + dynamic;
    uint64_t attribute = k->max_dynamic_shared_bytes;
    if (fixed > plain)
        return err_set(
            err,
            "asks %s B of static shared memory per block; %s allowed, %s too many: only dynamic shared "
            "memory may exceed it",
            count(&f, fixed), count(&f, plain), count(&f, fixed - plain));
    if (asked > optin)
        return err_set(
            err,
            "asks %s B of shared memory per block; %s with the opt-in attribute, %s without: %s too many",
            count(&f, asked), count(&f, optin), count(&f, plain), count(&f, asked - optin));
    if (attribute == 0 && asked > plain)
        return err_set(
            err,
            "asks %s B of shared memory per block; %s without the opt-in attribute, %s with it: set "
            "cudaFuncAttributeMaxDynamicSharedMemorySize to at least %s",
            count(&f, asked), count(&f, plain), count(&f, optin), count(&f, dynamic));
    if (attribute && fixed + attribute > optin)
        return err_set(
            err,
            "cudaFuncAttributeMaxDynamicSharedMemorySize of %s B with %s B of static shared memory; %s "
            "allowed together, %s too many",
            count(&f, attribute), count(&f, fixed), count(&f, optin), count(&f, fixed + attribute - optin));
    if (attribute && dynamic > attribute)
        return err_set(err,
                       "asks %s B of dynamic shared memory per block; "
                       "cudaFuncAttributeMaxDynamicSharedMemorySize allows %s, %s too many",
                       count(&f, dynamic), count(&f, attribute), count(&f, dynamic - attribute));
    return true;
}

static uint64_t largest_gpc(const struct device *d)
{
    return d->gpc_sizes.n ? d->gpc_sizes.at[d->gpc_sizes.n - 1] : d->n_sms;
}

static bool check_cluster(const struct device *d, const struct kernel_needs *k, struct err *err)
{
    struct figures f = {0};
    if (k->cluster < 2)
        return true;
    if (d->max_cluster == 0)
        return err_set(err, "asks clusters of %u blocks; compute capability %llu.%llu has none", k->cluster,
                       (unsigned long long)d->cc / 10, (unsigned long long)d->cc % 10);
    if (k->cluster > d->max_cluster)
        return err_set(
            err, "asks clusters of %s blocks; %s with the non-portable attribute, %s without: %s too many",
            count(&f, k->cluster), count(&f, d->max_cluster), count(&f, d->max_cluster_portable),
            count(&f, k->cluster - d->max_cluster));
    uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    if (blocks % k->cluster)
        return err_set(err, "a grid of %s blocks is not made of whole clusters of %u: %s left over",
                       count(&f, blocks), k->cluster, count(&f, blocks % k->cluster));
    uint64_t room = largest_gpc(d);
    if (k->cluster > room)
        return err_set(err,
                       "a cluster of %u blocks needs a GPC of as many SMs; the largest has %s, %s too few",
                       k->cluster, count(&f, room), count(&f, k->cluster - room));
    return true;
}

static bool check_barriers(const struct kernel_needs *k, struct err *err)
{
    enum { MAX_BARRIERS = 16 }; // PTX: barriers 0 to 15
    if (k->barriers > MAX_BARRIERS)
        return err_set(err, "asks %u named barriers per block; %d allowed, %u too many", k->barriers,
                       MAX_BARRIERS, k->barriers - MAX_BARRIERS);
    return true;
}

bool launch_check(const struct device *d, const struct kernel_needs *k, struct err *err)
{
    return check_shapes(d, k, err) && check_registers(d, k, err) && check_shared(d, k, err) &&
           check_barriers(k, err) && check_cluster(d, k, err);
}
