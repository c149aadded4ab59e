// Text of `warpglass occupancy`.
#include "cli/occupancy_text.h"
#include "base/units.h"
#include "cli/wrap.h"
#include <math.h>
#include <string.h>

void occupancy_print_limiters(unsigned limiters, const char *between, struct buf *out)
{
    static const char *const names[] = {"warps", "registers", "shared", "blocks", "barriers"};
    const char *separator = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (limiters & 1u << i) {
            buf_printf(out, "%s%s", separator, names[i]);
            separator = between;
        }
    }
}

static void print_count(struct buf *out, uint64_t n, const char *unit)
{
    units_print_count(out, n);
    buf_puts(out, unit);
}

// "6 blocks, 48 warps, 75 %"
static void print_result(struct buf *out, const struct occupancy *o)
{
    buf_printf(out, "%u block%s, %u warps, %.4g %%", o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s",
               o->warps_per_sm, round(10000 * o->occupancy) / 100);
}

// ---- next step ------------------------------------------------------------------------------------------

static void print_reduction(struct buf *out, const struct occupancy_step *step)
{
    const char *and = "";
    if (step->registers) {
        buf_printf(out, "%u register%s fewer per thread (%u)", step->registers,
                   step->registers == 1 ? "" : "s", step->needs.registers);
        and = " and ";
    }
    if (step->shared_bytes) {
        buf_puts(out, and);
        print_count(out, step->shared_bytes, " B less shared memory per block (");
        print_count(out, step->needs.static_shared_bytes + (uint64_t)step->needs.dynamic_shared_bytes, ")");
        and = " and ";
    }
    if (step->barriers)
        buf_printf(out, "%s%u barrier%s fewer (%u)", and, step->barriers, step->barriers == 1 ? "" : "s",
                   step->needs.barriers);
}

// False when no block size keeps more warps.
static bool print_block_step(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    struct kernel_needs changed = *k;
    changed.threads = occupancy_next_block(d, k);
    if (!changed.threads)
        return false;
    memset(changed.block, 0, sizeof changed.block);
    struct occupancy o = occupancy_of(d, &changed);
    buf_printf(out, "blocks of %u threads -> ", changed.threads);
    print_result(out, &o);
    return true;
}

// False when the largest carve-out would not bring more warps.
static bool print_carveout_step(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    struct kernel_needs changed = *k;
    changed.carveout = CARVEOUT_MAX;
    struct occupancy o = occupancy_of(d, &changed);
    if (o.warps_per_sm <= occupancy_of(d, k).warps_per_sm)
        return false;
    buf_puts(out, "the largest carve-out -> ");
    print_result(out, &o);
    return true;
}

void occupancy_print_next(const struct device *d, const struct kernel_needs *k, const char *between,
                          struct buf *out)
{
    struct occupancy_step step = occupancy_next_step(d, k);
    struct buf carveout = {0}, block = {0};
    const char *separator = "";
    if (print_carveout_step(&carveout, d, k)) {
        buf_puts(out, carveout.at);
        separator = between;
    }
    if (step.exists) {
        buf_puts(out, separator);
        print_reduction(out, &step);
        buf_puts(out, " -> ");
        print_result(out, &step.result);
        separator = between;
    }
    if (print_block_step(&block, d, k))
        buf_printf(out, "%s%s", separator, block.at);
    else if (occupancy_of(d, k).warps_per_sm == d->max_warps_per_sm)
        buf_puts(out, "none needed: every warp of the SM is taken");
    else if (!*separator)
        buf_puts(out, "no smaller request and no other block size brings more warps");
    buf_release(&carveout);
    buf_release(&block);
}

// ---- head and limits ------------------------------------------------------------------------------------

static void print_head(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    uint32_t warps = (k->threads + 31) / 32;
    buf_printf(out, "%s, compute capability %llu.%llu\n", d->name, (unsigned long long)d->cc / 10,
               (unsigned long long)d->cc % 10);
    buf_printf(out, "%u threads (%u warp%s) per block, ", k->threads, warps, warps == 1 ? "" : "s");
    if (k->registers)
        buf_printf(out, "%u registers per thread, ", k->registers);
    else
        buf_puts(out, "registers not given (--regs), ");
    if (k->static_shared_bytes + (uint64_t)k->dynamic_shared_bytes == 0)
        buf_puts(out, "no shared memory");
    if (k->static_shared_bytes)
        print_count(out, k->static_shared_bytes, " B static");
    if (k->static_shared_bytes && k->dynamic_shared_bytes)
        buf_puts(out, " + ");
    if (k->dynamic_shared_bytes)
        print_count(out, k->dynamic_shared_bytes, " B dynamic");
    if (k->static_shared_bytes || k->dynamic_shared_bytes)
        buf_puts(out, " shared memory");
    buf_puts(out, "\n\n");
}

static void print_launch(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    struct err err = {0};
    if (!launch_check(d, k, &err)) {
        wrap_text(out, "launch     no: ", err.text);
        buf_puts(out, "\n");
        return;
    }
    buf_puts(out, "launch     yes");
    if (k->static_shared_bytes + (uint64_t)k->dynamic_shared_bytes > d->shared_per_block_bytes) {
        buf_puts(out, ", with cudaFuncAttributeMaxDynamicSharedMemorySize of at least ");
        print_count(out, k->dynamic_shared_bytes, "");
    }
    if (k->cluster > d->max_cluster_portable)
        buf_puts(out, ", with cudaFuncAttributeNonPortableClusterSizeAllowed");
    if (k->threads % 32)
        buf_printf(out, "; the last warp of a block has %u of 32 lanes", k->threads % 32);
    buf_puts(out, "\n\n");
}

static void start_limit(struct buf *out, const char *name, uint32_t blocks, bool is_limiter)
{
    buf_printf(out, "  %c %-10s", is_limiter ? '>' : ' ', name);
    if (blocks == NO_LIMIT)
        buf_puts(out, "        no limit");
    else
        buf_printf(out, "%9u block%s", blocks, blocks == 1 ? " " : "s");
    buf_puts(out, "   ");
}

static void print_limits(struct buf *out, const struct device *d, const struct kernel_needs *k,
                         const struct occupancy *o)
{
    buf_puts(out, "limits, per SM\n");
    start_limit(out, "warps", o->limit_warps, o->limiters & LIMIT_WARPS);
    buf_printf(out, "%u of %llu warps each\n", o->warps_per_block, (unsigned long long)d->max_warps_per_sm);
    start_limit(out, "registers", o->limit_registers, o->limiters & LIMIT_REGISTERS);
    print_count(out, o->registers_per_block, " of ");
    print_count(out, d->registers_per_sm, " each");
    if (k->registers && o->warps_per_block)
        buf_printf(out, " (%u per thread as allocated)", o->registers_per_block / (32 * o->warps_per_block));
    buf_puts(out, "\n");
    start_limit(out, "shared", o->limit_shared, o->limiters & LIMIT_SHARED);
    print_count(out, o->shared_per_block_bytes, " of ");
    print_count(out, o->shared_config_bytes, " B each");
    if (d->shared_reserved_bytes)
        buf_printf(out, ", %llu of it reserved by the system", (unsigned long long)d->shared_reserved_bytes);
    buf_puts(out, "\n");
    start_limit(out, "blocks", o->limit_blocks, o->limiters & LIMIT_BLOCKS);
    buf_puts(out, "slots of the SM\n");
    if (d->barriers_per_sm) {
        start_limit(out, "barriers", o->limit_barriers, o->limiters & LIMIT_BARRIERS);
        buf_printf(out, "%u of %llu each\n", k->barriers ? k->barriers : 1,
                   (unsigned long long)d->barriers_per_sm);
    }
}

static void print_answer(struct buf *out, const struct device *d, const struct kernel_needs *k,
                         const struct occupancy *o)
{
    buf_puts(out, "\noccupancy  ");
    print_result(out, o);
    buf_printf(out, " of %llu warps; limited by ", (unsigned long long)d->max_warps_per_sm);
    occupancy_print_limiters(o->limiters, " and ", out);
    if (o->blocks_per_sm) {
        buf_puts(out, "\nnext step  ");
        occupancy_print_next(d, k, "\n       or  ", out);
    }
    if (o->max_clusters)
        buf_printf(out, "\nclusters   %u of %u blocks at a time on the whole device%s", o->max_clusters,
                   k->cluster, d->gpc_sizes.n ? "" : " at most (sizes of its GPCs unknown)");
    buf_puts(out, "\n");
}

static void print_carveout(struct buf *out, const struct device *d, const struct kernel_needs *k,
                           const char *name)
{
    struct occupancy o = occupancy_of(d, k);
    buf_printf(out, "  %-18s %4llu KiB shared, %4llu KiB L1   ", name,
               (unsigned long long)o.shared_config_bytes / 1024, (unsigned long long)o.l1_bytes / 1024);
    if (o.limit_shared == NO_LIMIT)
        buf_puts(out, "no limit by shared memory, ");
    else
        buf_printf(out, "%u block%s by shared memory, ", o.limit_shared, o.limit_shared == 1 ? "" : "s");
    print_result(out, &o);
    buf_puts(out, "\n");
}

// A preference in percent as the calculator reads it, and as the driver was seen to.
static void print_preference(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    char name[32];
    struct kernel_needs changed = *k;
    snprintf(name, sizeof name, "%llu %%, calculator", (unsigned long long)k->carveout_value);
    print_carveout(out, d, k, name);
    snprintf(name, sizeof name, "%llu %%, driver", (unsigned long long)k->carveout_value);
    changed.carveout = CARVEOUT_BYTES;
    changed.carveout_value = occupancy_driver_preference(d, k, k->carveout_value);
    print_carveout(out, d, &changed, name);
}

static void print_carveouts(struct buf *out, const struct device *d, const struct kernel_needs *k)
{
    struct kernel_needs changed = *k;
    buf_puts(out, "\ncarve-out\n");
    changed.carveout = CARVEOUT_DRIVER;
    print_carveout(out, d, &changed, "as the driver sets");
    changed.carveout = CARVEOUT_MAX;
    print_carveout(out, d, &changed, "largest");
    if (k->carveout == CARVEOUT_PERCENT)
        print_preference(out, d, k);
    if (k->carveout == CARVEOUT_BYTES)
        print_carveout(out, d, k, "as asked");
    if (d->cc != 90)
        buf_puts(out, "  (the driver's rule was measured on compute capability 9.0)\n");
}

// ---- curves ---------------------------------------------------------------------------------------------

enum { CHART_ROWS = 4, CHART_EIGHTHS = 8, N_LABELS = 5, CHART_LEFT = 7 };

static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

static void draw_row(struct buf *out, const struct occupancy_curve *curve, int row, unsigned width)
{
    buf_printf(out, "%4d %% ", 100 * (row + 1) / CHART_ROWS);
    for (uint32_t i = 0; i < curve->n; i++) {
        int level = (int)ceil(curve->y[i].occupancy * CHART_ROWS * CHART_EIGHTHS) - row * CHART_EIGHTHS;
        level = level < 0 ? 0 : level > CHART_EIGHTHS ? CHART_EIGHTHS : level;
        for (unsigned w = 0; w < width; w++)
            buf_puts(out, bars[level]);
    }
    while (out->at[out->n - 1] == ' ')
        out->at[--out->n] = '\0';
    buf_puts(out, "\n");
}

// A caret under the present value: under the first point that is not below it.
static void draw_caret(struct buf *out, const struct occupancy_curve *curve, uint32_t now, unsigned width)
{
    uint32_t at = 0;
    while (at + 1 < curve->n && curve->x[at] < now)
        at++;
    buf_printf(out, "%*s^ ", (int)(CHART_LEFT + at * width), "");
    units_print_count(out, now);
    buf_puts(out, "\n");
}

static void draw_labels(struct buf *out, const struct occupancy_curve *curve, unsigned width)
{
    struct buf line = {0};
    for (uint32_t i = 0; i < N_LABELS; i++) {
        uint32_t at = i * (curve->n - 1) / (N_LABELS - 1);
        buf_pad_to(&line, CHART_LEFT + (size_t)at * width);
        units_print_count(&line, curve->x[at]);
    }
    buf_printf(out, "%s\n", line.at);
    buf_release(&line);
}

static void draw_curve(struct buf *out, const struct device *d, const struct kernel_needs *k,
                       enum occupancy_axis axis, const char *title, uint32_t now)
{
    struct occupancy_curve curve = occupancy_curve(d, k, axis);
    unsigned width = curve.n <= MAX_CURVE / 2 ? 2 : 1;
    buf_printf(out, "\n%s\n", title);
    for (int row = CHART_ROWS - 1; row >= 0; row--)
        draw_row(out, &curve, row, width);
    draw_labels(out, &curve, width);
    if (now || axis == AXIS_SHARED)
        draw_caret(out, &curve, now, width);
}

void occupancy_print_text(const struct device *d, const struct kernel_needs *k, struct buf *out)
{
    struct occupancy o = occupancy_of(d, k);
    print_head(out, d, k);
    print_launch(out, d, k);
    print_limits(out, d, k, &o);
    print_answer(out, d, k, &o);
    print_carveouts(out, d, k);
    draw_curve(out, d, k, AXIS_BLOCK, "occupancy over threads per block", k->threads);
    draw_curve(out, d, k, AXIS_REGISTERS, "occupancy over registers per thread", k->registers);
    draw_curve(out, d, k, AXIS_SHARED, "occupancy over bytes of shared memory per block",
               k->static_shared_bytes + k->dynamic_shared_bytes);
}
