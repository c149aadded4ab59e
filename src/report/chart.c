// The memory chart: see chart.h.
#include "report/chart.h"
#include "base/units.h"
#include "report/page.h"
#include <math.h>
#include <string.h>

enum {
    SECTOR = 32,
    N_CHART_ROWS = 8,
    NAME = 15,
    COUNT = 13,
    SM_BOX = 18,
    FLOW = 14,
    L2_BOX = 18,
    MEMORY_BOX = 15
};

// What a row of the chart says of the kernel's side, and which way the data go.
struct chart_row {
    const char *name, *arrow;
    enum metric requests, more; // more: METRIC_NONE, or added to it
};

static const struct chart_row rows[N_CHART_ROWS] = {
    {"global loads", "<", METRIC_l1tex__t_requests_pipe_lsu_mem_global_op_ld_sum, METRIC_NONE},
    {"global stores", ">", METRIC_l1tex__t_requests_pipe_lsu_mem_global_op_st_sum, METRIC_NONE},
    {"atomics", ">", METRIC_l1tex__t_requests_pipe_lsu_mem_global_op_atom_sum,
     METRIC_l1tex__t_requests_pipe_lsu_mem_global_op_red_sum},
    {"local memory", "-", METRIC_l1tex__t_requests_pipe_lsu_mem_local_op_ld_sum,
     METRIC_l1tex__t_requests_pipe_lsu_mem_local_op_st_sum},
    {"shared loads", "<", METRIC_smsp__sass_inst_executed_op_shared_ld_sum, METRIC_NONE},
    {"shared stores", ">", METRIC_smsp__sass_inst_executed_op_shared_st_sum, METRIC_NONE},
    {"shared atomics", ">", METRIC_smsp__sass_inst_executed_op_shared_atom_sum, METRIC_NONE},
    {"constants", "<", METRIC_idc__requests_sum, METRIC_NONE}};

struct chart {
    const struct report_launch *l;
    struct arena *arena;
    bool is_base_units;
    struct buf *out;
};

static double value(const struct chart *chart, enum metric metric)
{
    return metric_value(&chart->l->metrics, metric);
}

static const char *bytes_text(const struct chart *chart, double bytes, const char *mark)
{
    struct buf text = {0};
    if (!isfinite(bytes))
        buf_puts(&text, "n/a");
    else if (chart->is_base_units)
        buf_printf(&text, "%.0f B", bytes);
    else
        units_print_bytes(&text, bytes);
    buf_puts(&text, mark);
    const char *copy = arena_string(chart->arena, text.at, text.n);
    buf_release(&text);
    return copy;
}

static const char *found_text(const struct chart *chart, enum metric rate)
{
    return arena_printf(chart->arena, "found %.1f %%~", value(chart, rate));
}

static void edge(struct buf *out, int width)
{
    buf_puts(out, "+");
    for (int i = 0; i < width - 2; i++)
        buf_puts(out, "-");
    buf_puts(out, "+");
}

static void inside(struct buf *out, int width, const char *text)
{
    buf_printf(out, "| %-*.*s|", width - 3, width - 3, text);
}

// A flow of `bytes`, or nothing.
static void flow(struct buf *out, const char *arrow, const char *bytes)
{
    buf_printf(out, arrow ? " %s%*s " : " %s%*s ", arrow ? arrow : " ", FLOW - 3, bytes);
}

static void print_kernel_side(const struct chart *chart, const struct chart_row *row)
{
    double n = value(chart, row->requests) + (row->more == METRIC_NONE ? 0 : value(chart, row->more));
    struct buf text = {0};
    units_print_count(&text, (uint64_t)n);
    buf_printf(chart->out, "%-*s%*s%-1s %s ", NAME, row->name, COUNT, text.at,
               page_mark(chart->l, row->requests), n > 0 ? row->arrow : " ");
    buf_release(&text);
}

// Boxes: text of each of their inner rows, NULL for an edge.
static void print_sm_side(const struct chart *chart, int row)
{
    const struct profile_launch *p = chart->l->launch;
    const char *text[N_CHART_ROWS] = {
        NULL,
        arena_printf(chart->arena, "L1 %s", bytes_text(chart, (double)p->l1_bytes, "")),
        found_text(chart, METRIC_l1tex__t_sector_hit_rate_pct),
        NULL,
        "shared memory",
        bytes_text(chart, (double)p->shared_config_bytes, ""),
        NULL,
        "constant cache"};
    if (text[row])
        inside(chart->out, SM_BOX, text[row]);
    else
        edge(chart->out, SM_BOX);
}

static void print_l2_side(const struct chart *chart, int row)
{
    struct arena *arena = chart->arena;
    double l2_bytes = metric_device_number(chart->l->device, "l2.size");
    const char *text[N_CHART_ROWS] = {NULL,
                                      arena_printf(arena, "L2 %s", bytes_text(chart, l2_bytes, "")),
                                      found_text(chart, METRIC_lts__t_sector_hit_rate_pct),
                                      "",
                                      "",
                                      "",
                                      "",
                                      NULL};
    double reads = SECTOR * value(chart, METRIC_lts__t_sectors_srcunit_tex_op_read_sum);
    double all = SECTOR * value(chart, METRIC_lts__t_sectors_srcunit_tex_sum);
    if (row == 1)
        flow(chart->out, "<", bytes_text(chart, reads, "~"));
    else if (row == 2)
        flow(chart->out, ">", bytes_text(chart, all - reads, "~"));
    else
        flow(chart->out, NULL, "");
    if (text[row])
        inside(chart->out, L2_BOX, text[row]);
    else
        edge(chart->out, L2_BOX);
}

// Device memory above, the host's below: pinned memory lies there.
static void print_memory_side(const struct chart *chart, int row)
{
    const char *kind = metric_device_text(chart->l->device, "dram.kind");
    double size = metric_device_number(chart->l->device, "dram.size");
    const char *text[N_CHART_ROWS] = {
        NULL, *kind ? kind : "DRAM", bytes_text(chart, size, ""), NULL, "host memory", "", NULL, ""};
    const char *flows[N_CHART_ROWS] = {"",
                                       bytes_text(chart, value(chart, METRIC_dram__bytes_read_sum), "~"),
                                       bytes_text(chart, value(chart, METRIC_dram__bytes_write_sum), "~"),
                                       "",
                                       bytes_text(chart, value(chart, METRIC_pcie__read_bytes_sum), "~"),
                                       bytes_text(chart, value(chart, METRIC_pcie__write_bytes_sum), "~"),
                                       "",
                                       ""};
    const char *const arrows[N_CHART_ROWS] = {NULL, "<", ">", NULL, "<", ">", NULL, NULL};
    flow(chart->out, arrows[row], flows[row]);
    if (row == N_CHART_ROWS - 1)
        return;
    if (text[row])
        inside(chart->out, MEMORY_BOX, text[row]);
    else
        edge(chart->out, MEMORY_BOX);
}

void chart_print(const struct report *report, const struct report_launch *l, bool is_base_units,
                 struct buf *out)
{
    struct chart chart = {l, report->arena, is_base_units, out};
    for (int i = 0; i < N_CHART_ROWS; i++) {
        print_kernel_side(&chart, &rows[i]);
        print_sm_side(&chart, i);
        print_l2_side(&chart, i);
        print_memory_side(&chart, i);
        page_end_line(out);
    }
}

bool chart_times(const struct report_launch *l, struct level_time out[N_LEVEL_TIMES], int *slowest)
{
    const struct device *d = l->model;
    if (!d)
        return false;
    enum { SCHEDULERS = 4 };
    double blocks = metric_value(&l->metrics, METRIC_launch__grid_size_plain);
    double sms = blocks < (double)d->n_sms ? blocks : (double)d->n_sms, hertz = d->sm_clock_mhz * 1e6;
    double l2 = SECTOR * metric_value(&l->metrics, METRIC_lts__t_sectors_srcunit_tex_sum);
    out[0] = (struct level_time){"instructions", metric_value(&l->metrics, METRIC_smsp__inst_executed_sum) /
                                                     (SCHEDULERS * sms * hertz)};
    out[1] = (struct level_time){
        "shared", metric_value(&l->metrics, METRIC_memory_l1_wavefronts_shared_plain) / (sms * hertz)};
    out[2] = (struct level_time){"L1", metric_value(&l->metrics, METRIC_l1tex__t_bytes_sum) /
                                           (sms * d->l1_bytes_per_cycle * hertz)};
    out[3] = (struct level_time){"L2", l2 / (d->l2_bytes_per_cycle * hertz)};
    out[4] = (struct level_time){"device memory", metric_value(&l->metrics, METRIC_dram__bytes_sum) /
                                                      (d->dram_read_gbps * 1e9)};
    *slowest = 0;
    for (int i = 1; i < N_LEVEL_TIMES; i++)
        if (out[i].seconds > out[*slowest].seconds)
            *slowest = i;
    return isfinite(out[*slowest].seconds) && out[*slowest].seconds > 0;
}
