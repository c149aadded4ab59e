// The summary page: one launch on one screen, level by level. Plain text, at most REPORT_COLUMNS wide.
#include "base/units.h"
#include "device/occupancy.h"
#include "prof/finding.h"
#include "prof/lines.h"
#include "report/chart.h"
#include "report/fold.h"
#include "report/page.h"
#include <math.h>
#include <string.h>

enum { LABEL = 11, N_WORST_LINES = 3 };

struct page {
    const struct report *report;
    const struct report_options *options;
    const struct report_launch *l;
    struct buf *out;
};

static void label(struct page *page, const char *text)
{
    buf_printf(page->out, "%-*s", LABEL, text);
}

static void count(struct page *page, double n)
{
    units_print_count(page->out, (uint64_t)n);
}

static double value(struct page *page, enum metric metric)
{
    return metric_value(&page->l->metrics, metric);
}

static const char *plural(double n)
{
    return n == 1 ? "" : "s";
}

// ---- head
// -------------------------------------------------------------------------------------------------------
static void print_shape(struct page *page)
{
    const struct profile_launch *p = page->l->launch;
    double blocks = value(page, METRIC_launch__grid_size_plain),
           threads = value(page, METRIC_launch__block_size_plain);
    double warps = ceil(threads / 32);
    label(page, "launch");
    buf_printf(page->out, "%llu: grid %s, block %s: ", (unsigned long long)page->l->id,
               report_shape(page->report->arena, p->grid), report_shape(page->report->arena, p->block));
    count(page, blocks);
    buf_printf(page->out, " block%s of %.0f thread%s (%.0f warp%s)", plural(blocks), threads, plural(threads),
               warps, plural(warps));
    if (p->cluster > 1)
        buf_printf(page->out, ", clusters of %u", p->cluster);
    buf_puts(page->out, "\n");
}

static void print_device(struct page *page)
{
    const struct report_launch *l = page->l;
    const char *reason = l->profile->environment.device_reason;
    double cc = metric_device_number(l->device, "cc");
    label(page, "device");
    buf_printf(page->out, "%s: %s, cc %.1f, %u SMs", l->launch->device, metric_device_text(l->device, "name"),
               cc / 10, l->launch->n_sms);
    if (*reason && !page->options->is_reproducible)
        buf_printf(page->out, "; chosen by %s", reason);
    buf_puts(page->out, "\n");
}

static void print_engine(struct page *page)
{
    const struct profile_launch *p = page->l->launch;
    bool is_off = strcmp(p->model, "off") == 0;
    label(page, "engine");
    buf_printf(page->out, "%s, model %s%s; ", p->isa, p->model,
               is_off             ? ": memory was not counted"
               : p->cache_flushed ? ", caches empty at the start"
                                  : ", caches as the launch before left them");
    count(page, (double)p->warp_instructions);
    buf_puts(page->out, " warp instructions");
    if (!page->options->is_reproducible && p->wall_seconds > 0)
        buf_printf(page->out, " in %.3g s", p->wall_seconds);
    buf_puts(page->out, "\n");
    if (*p->why_ptx) {
        label(page, "");
        buf_printf(page->out, "not machine code: %s\n", p->why_ptx);
    }
    label(page, "fidelity");
    buf_printf(page->out, "of the instructions that ran, %u exact, %u approximate, %u unsupported\n",
               p->n_exact, p->n_approximate, p->n_unsupported);
}

// ---- occupancy
// --------------------------------------------------------------------------------------------------
static void print_needs(struct page *page)
{
    const struct profile_launch *p = page->l->launch;
    uint32_t asked = p->static_shared_bytes + p->dynamic_shared_bytes;
    label(page, "needs");
    buf_printf(page->out, "%u%s registers a thread; shared memory ", p->registers,
               page_mark(page->l, METRIC_launch__registers_per_thread_plain));
    count(page, asked);
    buf_puts(page->out, " B a block");
    if (p->shared_per_block_bytes > asked) {
        buf_puts(page->out, " (");
        count(page, p->shared_per_block_bytes);
        buf_puts(page->out, " B taken)");
    }
    buf_puts(page->out, "; local memory ");
    count(page, p->local_bytes);
    buf_puts(page->out, " B a thread\n");
}

static void print_occupancy(struct page *page)
{
    const struct profile_launch *p = page->l->launch;
    const struct {
        const char *name;
        uint32_t blocks;
    } limits[] = {{"warps", p->limit_warps},
                  {"registers", p->limit_registers},
                  {"shared memory", p->limit_shared},
                  {"block slots", p->limit_blocks},
                  {"barriers", p->limit_barriers}};
    enum { N = sizeof limits / sizeof *limits };
    label(page, "occupancy");
    buf_printf(page->out, "%.1f %%%s: %u block%s, %u warps an SM, limited by", 100 * p->occupancy,
               page_mark(page->l, METRIC_sm__maximum_warps_per_active_cycle_pct_plain), p->blocks_per_sm,
               plural(p->blocks_per_sm), p->warps_per_sm);
    const char *between = " ";
    for (size_t i = 0; i < N; i++)
        if (limits[i].blocks == p->blocks_per_sm) {
            buf_printf(page->out, "%s%s", between, limits[i].name);
            between = " and ";
        }
    buf_puts(page->out, "\n");
    label(page, "");
    buf_puts(page->out, "blocks by limit:");
    between = " ";
    for (size_t i = 0; i < N; i++)
        if (limits[i].blocks < NO_LIMIT) {
            buf_printf(page->out, "%s%s %u", between, limits[i].name, limits[i].blocks);
            between = ", ";
        }
    buf_printf(page->out, "; %.4g wave%s\n", value(page, METRIC_launch__waves_per_multiprocessor_plain),
               plural(value(page, METRIC_launch__waves_per_multiprocessor_plain)));
    label(page, "");
    buf_puts(page->out, "an SM's pool is split into ");
    units_print_bytes(page->out, (double)p->shared_config_bytes);
    buf_puts(page->out, " shared memory and ");
    units_print_bytes(page->out, (double)p->l1_bytes);
    buf_puts(page->out, " L1\n");
}

static void print_next_step(struct page *page)
{
    const char *step = finding_next_step(page->report->arena, page->l->launch, page->l->model);
    if (!*step)
        return;
    label(page, "");
    buf_printf(page->out, "next step: %s\n", step);
}

static void print_lanes(struct page *page)
{
    enum metric active = METRIC_smsp__thread_inst_executed_per_inst_executed_ratio,
                on = METRIC_smsp__thread_inst_executed_pred_on_per_inst_executed_ratio;
    label(page, "lanes");
    buf_printf(page->out,
               "of 32 lanes an instruction has %.2f%s active, %.2f%s active with its predicate on\n",
               value(page, active), page_mark(page->l, active), value(page, on), page_mark(page->l, on));
}

// ---- the hierarchy
// ---------------------------------------------------------------------------------------------- A row of a
// level's table: metrics for the columns; METRIC_NONE leaves a column empty.
struct level_row {
    const char *level, *name;
    enum metric requests, units, ideal, excess, per_request, bytes, hit_rate;
};

#define GLOBAL_ROW(level, name, op)                                                    \
    {                                                                                  \
        level, name, METRIC_l1tex__t_requests_pipe_lsu_mem_##op##_sum,                 \
            METRIC_l1tex__t_sectors_pipe_lsu_mem_##op##_sum, METRIC_NONE, METRIC_NONE, \
            METRIC_l1tex__average_t_sectors_per_request_pipe_lsu_mem_##op##_ratio,     \
            METRIC_l1tex__t_bytes_pipe_lsu_mem_##op##_sum,                             \
            METRIC_l1tex__t_sector_pipe_lsu_mem_##op##_hit_rate_pct                    \
    }
#define ATOMIC_ROW(level, name, op)                                                    \
    {                                                                                  \
        level, name, METRIC_l1tex__t_requests_pipe_lsu_mem_##op##_sum,                 \
            METRIC_l1tex__t_sectors_pipe_lsu_mem_##op##_sum, METRIC_NONE, METRIC_NONE, \
            METRIC_l1tex__average_t_sectors_per_request_pipe_lsu_mem_##op##_ratio,     \
            METRIC_l1tex__t_bytes_pipe_lsu_mem_##op##_sum, METRIC_NONE                 \
    }
#define SHARED_ROW(level, name, op)                                                                 \
    {                                                                                               \
        level, name, METRIC_smsp__sass_inst_executed_op_shared_##op##_sum,                          \
            METRIC_smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_##op##_sum, METRIC_NONE, \
            METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE                                      \
    }

static const struct level_row rows[] = {
    SHARED_ROW("shared", "loads", ld),
    SHARED_ROW("shared", "stores", st),
    SHARED_ROW("shared", "atomics", atom),
    {"shared", "all", METRIC_smsp__sass_inst_executed_op_shared_sum, METRIC_memory_l1_wavefronts_shared_plain,
     METRIC_memory_l1_wavefronts_shared_ideal_plain,
     METRIC_derived__memory_l1_wavefronts_shared_excessive_plain,
     METRIC_derived__memory_l1_conflicts_shared_nway_plain, METRIC_NONE, METRIC_NONE},
    GLOBAL_ROW("L1", "global loads", global_op_ld),
    GLOBAL_ROW("L1", "global stores", global_op_st),
    ATOMIC_ROW("L1", "global atomics", global_op_atom),
    ATOMIC_ROW("L1", "global reductions", global_op_red),
    {"L1", "global, all", METRIC_smsp__sass_inst_executed_op_global_sum,
     METRIC_memory_l2_theoretical_sectors_global_plain,
     METRIC_memory_l2_theoretical_sectors_global_ideal_plain,
     METRIC_derived__memory_l2_theoretical_sectors_global_excessive_plain, METRIC_NONE, METRIC_NONE,
     METRIC_NONE},
    GLOBAL_ROW("L1", "local loads", local_op_ld),
    GLOBAL_ROW("L1", "local stores", local_op_st),
    {"constant", "indexed loads", METRIC_idc__requests_sum, METRIC_NONE, METRIC_NONE, METRIC_NONE,
     METRIC_NONE, METRIC_NONE, METRIC_idc__request_hit_rate_pct},
    {"L2", "reads", METRIC_lts__t_requests_srcunit_tex_op_read_sum,
     METRIC_lts__t_sectors_srcunit_tex_op_read_sum, METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE,
     METRIC_lts__t_sector_op_read_hit_rate_pct},
    {"L2", "writes", METRIC_lts__t_requests_srcunit_tex_op_write_sum,
     METRIC_lts__t_sectors_srcunit_tex_op_write_sum, METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE,
     METRIC_lts__t_sector_op_write_hit_rate_pct},
    {"L2", "all", METRIC_lts__t_requests_srcunit_tex_sum, METRIC_lts__t_sectors_srcunit_tex_sum, METRIC_NONE,
     METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_lts__t_sector_hit_rate_pct},
    {"L2", "between partitions", METRIC_NONE, METRIC_lts__t_sectors_srcunit_ltcfabric_sum, METRIC_NONE,
     METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE},
    {"DRAM", "reads", METRIC_NONE, METRIC_dram__sectors_read_sum, METRIC_NONE, METRIC_NONE, METRIC_NONE,
     METRIC_dram__bytes_read_sum, METRIC_NONE},
    {"DRAM", "writes", METRIC_NONE, METRIC_dram__sectors_write_sum, METRIC_NONE, METRIC_NONE, METRIC_NONE,
     METRIC_dram__bytes_write_sum, METRIC_NONE},
};

enum { N_ROWS = sizeof rows / sizeof *rows, NAME_WIDTH = 28, FIRST_UNCONDITIONAL = 12 };

static void print_cell(struct page *page, int width, enum metric metric, enum page_form form)
{
    if (metric == METRIC_NONE)
        page_text(page->out, width, "");
    else
        page_metric(page->out, width, page->l, metric, form, page->options->is_base_units);
}

static bool is_empty(struct page *page, const struct level_row *row)
{
    double requests = row->requests == METRIC_NONE ? 0 : value(page, row->requests);
    double units = row->units == METRIC_NONE ? 0 : value(page, row->units);
    return requests == 0 && units == 0;
}

// "HBM3e" is called HBM, every other kind of device memory DRAM.
static const char *level_name(struct page *page, const struct level_row *row)
{
    bool is_hbm = strncmp(metric_device_text(page->l->device, "dram.kind"), "HBM", 3) == 0;
    return is_hbm && strcmp(row->level, "DRAM") == 0 ? "HBM" : row->level;
}

// A row without a metric of bytes that counts sectors has 32 bytes for each.
static void print_bytes(struct page *page, const struct level_row *row)
{
    bool has_sectors = row->units != METRIC_NONE && strcmp(metric_info(row->units)->unit, "sector") == 0;
    if (row->bytes == METRIC_NONE && has_sectors)
        page_sector_bytes(page->out, 12, page->l, row->units, page->options->is_base_units);
    else
        print_cell(page, 12, row->bytes, FORM_BYTES);
}

static void print_row(struct page *page, const struct level_row *row, bool is_first)
{
    buf_printf(page->out, "%-9s%-*s", is_first ? level_name(page, row) : "", NAME_WIDTH - 9, row->name);
    print_cell(page, 13, row->requests, FORM_COUNT);
    print_cell(page, 14, row->units, FORM_COUNT);
    print_cell(page, 14, row->ideal, FORM_COUNT);
    print_cell(page, 14, row->excess, FORM_COUNT);
    print_cell(page, 12, row->per_request, FORM_RATIO);
    print_bytes(page, row);
    print_cell(page, 12, row->hit_rate, FORM_PERCENT);
    while (page->out->at[page->out->n - 1] == ' ')
        page->out->at[--page->out->n] = 0;
    buf_puts(page->out, "\n");
}

static void print_hierarchy(struct page *page)
{
    buf_printf(page->out, "\n%-*s%12s %13s %13s %13s %11s %11s %11s\n", NAME_WIDTH, "", "", "sectors or", "",
               "", "per", "", "found");
    buf_printf(page->out, "%-*s%12s %13s %13s %13s %11s %11s %11s\n", NAME_WIDTH, "level", "requests",
               "wavefronts", "ideal", "excess", "request", "bytes", "there");
    const char *level = "";
    for (int i = 0; i < N_ROWS; i++) {
        if (i < FIRST_UNCONDITIONAL && is_empty(page, &rows[i]))
            continue;
        print_row(page, &rows[i], strcmp(level, rows[i].level) != 0);
        level = rows[i].level;
    }
}

// How often a byte that crossed the device memory's pins was used at L1.
static void print_reuse(struct page *page)
{
    double l1 = value(page, METRIC_l1tex__t_bytes_sum), dram = value(page, METRIC_dram__bytes_sum);
    if (!(dram > 0))
        return;
    buf_puts(page->out, "\n");
    label(page, "reuse");
    buf_printf(page->out, "L1 served %.2f~ bytes for each byte of device memory traffic\n", l1 / dram);
}

// What each level needs at its peak for what it moved; the longest is the least time of the launch.
static void print_times(struct page *page)
{
    struct level_time times[N_LEVEL_TIMES];
    int slowest;
    if (!chart_times(page->l, times, &slowest))
        return;
    label(page, "at peak");
    buf_printf(page->out, "no less than %.3g~ us, by %s;", 1e6 * times[slowest].seconds, times[slowest].name);
    const char *between = "";
    for (int i = 0; i < N_LEVEL_TIMES; i++)
        if (i != slowest) {
            buf_printf(page->out, "%s %s %.0f %%", between, times[i].name,
                       100 * times[i].seconds / times[slowest].seconds);
            between = ",";
        }
    buf_puts(page->out, " of that\n");
}

// ---- lines and finding
// ------------------------------------------------------------------------------------------
static void print_worst_line(struct page *page, int rank, const struct line_row *row)
{
    struct arena *arena = page->report->arena;
    const struct profile_launch *launch = page->l->launch;
    struct buf excess = {0};
    if (row->excess_wavefronts) {
        units_print_count(&excess, row->excess_wavefronts);
        buf_puts(&excess, " wavefronts");
    }
    if (row->excess_sectors) {
        buf_puts(&excess, excess.n ? ", " : "");
        units_print_count(&excess, row->excess_sectors);
        buf_puts(&excess, " sectors");
    }
    buf_printf(page->out, "  %d  %-28s  %-30.30s  %.53s\n", rank,
               launch_place(arena, launch, row->worst_insn), excess.at, launch->insns[row->worst_insn].text);
    buf_release(&excess);
}

static void print_worst_lines(struct page *page)
{
    size_t n;
    struct arena scratch;
    arena_init(&scratch, "lines");
    const struct line_row *lines = launch_lines(&scratch, page->l->launch, &n);
    if (n && lines[0].cost_cycles > 0)
        buf_printf(page->out, "\nworst lines, by excess\n");
    for (size_t i = 0; i < n && i < N_WORST_LINES && lines[i].cost_cycles > 0; i++)
        print_worst_line(page, (int)i + 1, &lines[i]);
    arena_release(&scratch);
}

static void print_finding(struct page *page)
{
    size_t n;
    const struct finding *all = report_findings(page->report, page->l, &n);
    struct finding finding = n ? all[0] : launch_finding(page->report->arena, page->l->launch);
    buf_puts(page->out, "\n");
    page_wrap(page->out, "finding    ", finding.text);
    if (*finding.fix)
        page_wrap(page->out, "fix        ", finding.fix);
    if (*finding.forecast)
        page_wrap(page->out, "forecast   ", finding.forecast);
    if (n > 1)
        buf_printf(page->out, "           %zu more: --page findings\n", n - 1);
}

// The first line of the fault's text, without its "=========": the whole of it stands on standard error of
// the run.
static void print_fault(struct page *page, const char *text)
{
    text += strspn(text, "= ");
    page_wrap(page->out, "fault      ", arena_string(page->report->arena, text, strcspn(text, "\n")));
}

static void print_launch(struct page *page)
{
    buf_printf(page->out, "%s\n", page->l->name);
    print_shape(page);
    print_device(page);
    print_engine(page);
    print_needs(page);
    print_occupancy(page);
    print_next_step(page);
    print_lanes(page);
    if (strcmp(page->l->launch->model, "off") != 0) {
        buf_puts(page->out, "\n");
        chart_print(page->report, page->l, page->options->is_base_units, page->out);
        print_hierarchy(page);
        print_reuse(page);
        print_times(page);
        print_worst_lines(page);
        print_finding(page);
    }
    if (page->l->launch->fault)
        print_fault(page, page->l->launch->fault);
    buf_puts(page->out, "\n");
}

void report_summary(const struct report *report, const struct report_options *options, struct buf *out)
{
    struct fold fold = fold_launches(report);
    for (uint32_t i = 0; i < report->n_launches; i++) {
        struct page page = {report, options, &report->launches[i], out};
        if (fold.shown[i])
            print_launch(&page);
    }
    fold_print(&fold, report->arena, out);
    fold_release(&fold);
    buf_puts(out, page_legend);
}
