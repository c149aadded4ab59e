// The compare page: launches side by side, one column each, then the finding of each.
#include "prof/finding.h"
#include "report/page.h"
#include <string.h>

enum { LABEL_WIDTH = 25, COLUMN_WIDTH = 18, N_COLUMNS = (REPORT_COLUMNS - LABEL_WIDTH) / COLUMN_WIDTH };

struct column_row {
    const char *name;
    enum metric metric;
    enum page_form form;
};

static const struct column_row rows[] = {
    {"warp instructions", METRIC_smsp__inst_executed_sum, FORM_COUNT},
    {"lanes an instruction", METRIC_smsp__thread_inst_executed_pred_on_per_inst_executed_ratio, FORM_RATIO},
    {"shared wavefronts", METRIC_memory_l1_wavefronts_shared_plain, FORM_COUNT},
    {"  ideal", METRIC_memory_l1_wavefronts_shared_ideal_plain, FORM_COUNT},
    {"  excess", METRIC_derived__memory_l1_wavefronts_shared_excessive_plain, FORM_COUNT},
    {"global requests", METRIC_smsp__sass_inst_executed_op_global_sum, FORM_COUNT},
    {"global sectors", METRIC_memory_l2_theoretical_sectors_global_plain, FORM_COUNT},
    {"  ideal", METRIC_memory_l2_theoretical_sectors_global_ideal_plain, FORM_COUNT},
    {"  excess", METRIC_derived__memory_l2_theoretical_sectors_global_excessive_plain, FORM_COUNT},
    {"L1 hit rate", METRIC_l1tex__t_sector_hit_rate_pct, FORM_PERCENT},
    {"L2 sectors", METRIC_lts__t_sectors_srcunit_tex_sum, FORM_COUNT},
    {"L2 hit rate", METRIC_lts__t_sector_hit_rate_pct, FORM_PERCENT},
    {"device memory read", METRIC_dram__bytes_read_sum, FORM_BYTES},
    {"device memory written", METRIC_dram__bytes_write_sum, FORM_BYTES},
    {"theoretical occupancy", METRIC_sm__maximum_warps_per_active_cycle_pct_plain, FORM_PERCENT},
};

static void end_line(struct buf *out)
{
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = 0;
    buf_puts(out, "\n");
}

static void print_heads(const struct report_launch *launches, uint32_t n, struct arena *arena,
                        struct buf *out)
{
    buf_printf(out, "%-*s", LABEL_WIDTH, "");
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%*.*s ", COLUMN_WIDTH - 1, COLUMN_WIDTH - 2, launches[i].short_name);
    end_line(out);
    buf_printf(out, "%-*s", LABEL_WIDTH, "grid, block");
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *g = launches[i].launch->grid, *b = launches[i].launch->block;
        const char *shapes =
            g[2] == 1 && b[2] == 1
                ? arena_printf(arena, "%ux%u, %ux%u", g[0], g[1], b[0], b[1])
                : arena_printf(arena, "%s, %s", report_shape(arena, g), report_shape(arena, b));
        buf_printf(out, "%*s ", COLUMN_WIDTH - 1, shapes);
    }
    end_line(out);
}

static void print_group(const struct report *report, const struct report_options *options, uint32_t first,
                        uint32_t n, struct buf *out)
{
    const struct report_launch *launches = &report->launches[first];
    print_heads(launches, n, report->arena, out);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        buf_printf(out, "%-*s", LABEL_WIDTH, rows[r].name);
        for (uint32_t i = 0; i < n; i++)
            page_metric(out, COLUMN_WIDTH, &launches[i], rows[r].metric, rows[r].form,
                        options->is_base_units);
        end_line(out);
    }
    buf_puts(out, "\n");
}

static void print_findings(const struct report *report, struct buf *out)
{
    enum { LONGEST = 28 };
    int width = 6;
    for (uint32_t i = 0; i < report->n_launches; i++) {
        int length = (int)strlen(report->launches[i].short_name);
        width = length > width ? length : width;
    }
    width = width < LONGEST ? width : LONGEST;
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct report_launch *l = &report->launches[i];
        size_t n_findings;
        const struct finding *all = report_findings(report, l, &n_findings);
        struct finding finding = n_findings ? all[0] : launch_finding(report->arena, l->launch);
        page_wrap(out, arena_printf(report->arena, "%-*.*s ", width, width, l->short_name), finding.text);
        if (*finding.fix)
            page_wrap(out, arena_printf(report->arena, "%*s ", width, "fix:"), finding.fix);
    }
    buf_puts(out, "\n");
}

void report_columns(const struct report *report, const struct report_options *options, struct buf *out)
{
    for (uint32_t first = 0; first < report->n_launches; first += N_COLUMNS) {
        uint32_t left = report->n_launches - first;
        print_group(report, options, first, left < N_COLUMNS ? left : N_COLUMNS, out);
    }
    print_findings(report, out);
    buf_puts(out, page_legend);
}
