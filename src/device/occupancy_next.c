// Steps to a higher occupancy, found by asking occupancy_of for the changed kernel.
#include "device/occupancy_next.h"

enum { LANES = 32 };

static struct kernel_needs with_block(const struct kernel_needs *k, uint32_t threads)
{
    struct kernel_needs changed = *k;
    changed.threads = threads;
    for (int i = 0; i < 3; i++)
        changed.block[i] = 0; // the old shape does not hold any more
    return changed;
}

// Dynamic shared memory is what a launch can change, so it gives way first.
static struct kernel_needs with_shared(const struct kernel_needs *k, uint32_t bytes)
{
    struct kernel_needs changed = *k;
    changed.static_shared_bytes = bytes < k->static_shared_bytes ? bytes : k->static_shared_bytes;
    changed.dynamic_shared_bytes = bytes - changed.static_shared_bytes;
    changed.max_dynamic_shared_bytes = changed.dynamic_shared_bytes;
    return changed;
}

static bool lower_registers(const struct device *d, struct occupancy_step *step, uint32_t blocks)
{
    uint32_t before = step->needs.registers;
    while (step->needs.registers > 1) {
        step->needs.registers--;
        if (occupancy_of(d, &step->needs).limit_registers > blocks) {
            step->registers = before - step->needs.registers;
            return true;
        }
    }
    return false;
}

// Only sizes at which another allocation unit is saved can help. The carve-out may shrink on the way.
static bool lower_shared(const struct device *d, struct occupancy_step *step, uint32_t blocks)
{
    const struct kernel_needs start = step->needs;
    uint32_t before = start.static_shared_bytes + start.dynamic_shared_bytes;
    uint32_t unit = (uint32_t)d->shared_alloc_unit_bytes;
    uint32_t over = (uint32_t)((before + d->shared_reserved_bytes) % unit);
    for (uint32_t less = over ? over : unit; less <= before; less += unit) {
        step->needs = with_shared(&start, before - less);
        if (occupancy_of(d, &step->needs).limit_shared > blocks) {
            step->shared_bytes = less;
            return true;
        }
    }
    return false;
}

static bool lower_barriers(const struct device *d, struct occupancy_step *step, uint32_t blocks)
{
    uint32_t before = step->needs.barriers;
    while (step->needs.barriers > 1) {
        step->needs.barriers--;
        if (occupancy_of(d, &step->needs).limit_barriers > blocks) {
            step->barriers = before - step->needs.barriers;
            return true;
        }
    }
    return false;
}

struct occupancy_step occupancy_next_step(const struct device *d, const struct kernel_needs *k)
{
    struct occupancy_step step = {.needs = *k};
    struct occupancy now = occupancy_of(d, k);
    if (now.limiters & (LIMIT_WARPS | LIMIT_BLOCKS))
        return step;
    step.exists = (!(now.limiters & LIMIT_REGISTERS) || lower_registers(d, &step, now.blocks_per_sm)) &&
                  (!(now.limiters & LIMIT_SHARED) || lower_shared(d, &step, now.blocks_per_sm)) &&
                  (!(now.limiters & LIMIT_BARRIERS) || lower_barriers(d, &step, now.blocks_per_sm));
    step.result = occupancy_of(d, &step.needs);
    step.exists &= step.result.blocks_per_sm > now.blocks_per_sm;
    return step;
}

static uint32_t warps_at(const struct device *d, const struct kernel_needs *k, uint32_t threads)
{
    struct kernel_needs changed = with_block(k, threads);
    return occupancy_of(d, &changed).warps_per_sm;
}

uint32_t occupancy_next_block(const struct device *d, const struct kernel_needs *k)
{
    uint32_t now = occupancy_of(d, k).warps_per_sm, most = (uint32_t)d->max_threads_per_block;
    uint32_t base = k->threads / LANES * LANES;
    for (uint32_t away = LANES; away <= most; away += LANES) {
        if (base + away <= most && warps_at(d, k, base + away) > now)
            return base + away;
        if (base > away && base - away <= most && warps_at(d, k, base - away) > now)
            return base - away;
    }
    return 0;
}

uint32_t occupancy_best_block(const struct device *d, const struct kernel_needs *k)
{
    uint32_t best = 0, best_warps = 0;
    for (uint32_t threads = (uint32_t)d->max_threads_per_block / LANES * LANES; threads; threads -= LANES) {
        uint32_t warps = warps_at(d, k, threads);
        if (warps > best_warps) {
            best_warps = warps;
            best = threads;
        }
    }
    return best;
}

// The step between points: at most MAX_CURVE of them, in multiples of `unit`.
static uint32_t curve_step(uint64_t most, uint32_t unit)
{
    uint64_t steps = (most / unit + MAX_CURVE - 1) / (MAX_CURVE - 1);
    return (uint32_t)(steps ? steps : 1) * unit;
}

static struct kernel_needs curve_needs(const struct kernel_needs *k, enum occupancy_axis axis, uint32_t x)
{
    struct kernel_needs changed = *k;
    switch (axis) {
    case AXIS_BLOCK:
        return with_block(k, x);
    case AXIS_SHARED:
        return with_shared(k, x);
    case AXIS_REGISTERS:
        changed.registers = x;
        break;
    }
    return changed;
}

struct occupancy_curve occupancy_curve(const struct device *d, const struct kernel_needs *k,
                                       enum occupancy_axis axis)
{
    struct occupancy_curve curve = {0};
    uint64_t most = axis == AXIS_BLOCK       ? d->max_threads_per_block
                    : axis == AXIS_REGISTERS ? d->max_registers_per_thread
                                             : d->shared_per_block_optin_bytes;
    uint32_t step = axis == AXIS_BLOCK       ? LANES
                    : axis == AXIS_REGISTERS ? (uint32_t)d->register_alloc_unit / LANES
                                             : curve_step(most, 1024);
    for (uint64_t x = axis == AXIS_SHARED ? 0 : step; curve.n < MAX_CURVE; x += step) {
        uint32_t point = (uint32_t)(x < most ? x : most);
        struct kernel_needs changed = curve_needs(k, axis, point);
        curve.x[curve.n] = point;
        curve.y[curve.n++] = occupancy_of(d, &changed);
        if (x >= most)
            break;
    }
    return curve;
}
