// The sections that --section and --set name, as Nsight Compute's details page prints them.
#include "prof/sections.h"
#include "base/units.h"
#include "report/chart.h"
#include "report/page.h"
#include <math.h>
#include <string.h>

enum { NAME = 40, UNIT = 18, VALUE = 16 };

static void rule(struct buf *out)
{
    const int widths[] = {NAME, UNIT, VALUE};
    buf_puts(out, "    ");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (int k = 0; k < widths[i]; k++)
            buf_puts(out, "-");
        buf_puts(out, i + 1 < sizeof widths / sizeof *widths ? " " : "\n");
    }
}

static void print_row(const struct report_launch *l, const struct section_row *row, bool is_base_units,
                      struct buf *out)
{
    struct metric_pick pick;
    struct err ignored = {0};
    if (!metric_find(row->metric, &pick, &ignored))
        BUG("section row '%s' names no metric", row->metric);
    bool is_ours = pick.metric != METRIC_NONE;
    double value = is_ours ? metric_value(&l->metrics, pick.metric) : (double)NAN;
    struct buf text = {0};
    if (isnan(value))
        buf_puts(&text, "n/a");
    else if (!is_base_units && value == floor(value) && value >= 0 && value < 1e18)
        units_print_count(&text, (uint64_t)value);
    else
        metric_print(&text, value);
    buf_printf(out, "    %-*.*s %*s %*s%s\n", NAME, NAME, row->label, UNIT,
               is_ours ? metric_info(pick.metric)->unit : "", VALUE, text.at,
               is_ours ? page_mark(l, pick.metric) : "");
    buf_release(&text);
}

static void print_section(const struct report *report, const struct report_launch *l,
                          const struct section *section, bool is_base_units, struct buf *out)
{
    buf_printf(out, "    Section: %s\n", section->title);
    if (!section->n_rows) {
        chart_print(report, l, is_base_units, out);
        buf_puts(out, "\n");
        return;
    }
    rule(out);
    buf_printf(out, "    %-*s %*s %*s\n", NAME, "Metric Name", UNIT, "Metric Unit", VALUE, "Metric Value");
    rule(out);
    for (uint32_t i = 0; i < section->n_rows; i++)
        print_row(l, &section->rows[i], is_base_units, out);
    rule(out);
    buf_puts(out, "\n");
}

void report_sections(const struct report *report, const struct report_options *options, struct buf *out)
{
    for (uint32_t k = 0; k < report->n_launches; k++) {
        const struct report_launch *l = &report->launches[k];
        const uint32_t *g = l->launch->grid, *b = l->launch->block;
        buf_printf(out, "  %s (%u, %u, %u)x(%u, %u, %u), Context %u, Stream %u, Device 0, CC %.1f\n", l->name,
                   g[0], g[1], g[2], b[0], b[1], b[2], l->launch->context, l->launch->stream,
                   metric_device_number(l->device, "cc") / 10);
        for (uint32_t i = 0; i < options->n_sections; i++)
            print_section(report, l, &options->sections[i], options->is_base_units, out);
    }
    buf_puts(out, page_legend);
}
