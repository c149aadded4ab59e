// The raw page: as comma-separated values in Nsight Compute's columns, or as text.
#include "base/units.h"
#include "report/report.h"
#include <math.h>
#include <string.h>

static double pick_value(const struct report_launch *l, const struct metric_pick *pick)
{
    return pick->metric == METRIC_NONE ? (double)NAN : metric_value(&l->metrics, pick->metric);
}

// One quoted field; a quote is doubled.
static void add_field(struct buf *out, const char *text, bool is_first)
{
    buf_puts(out, is_first ? "\"" : ",\"");
    for (; *text; text++) {
        if (*text == '"')
            buf_puts(out, "\"");
        buf_add(out, text, 1);
    }
    buf_puts(out, "\"");
}

static void add_u64(struct buf *out, uint64_t value)
{
    buf_printf(out, ",\"%llu\"", (unsigned long long)value);
}

// "9.0" of cc 90.
static const char *capability(const struct report *report, const struct report_launch *l)
{
    double cc = metric_device_number(l->device, "cc");
    return isnan(cc) ? "" : arena_printf(report->arena, "%.0f.%.0f", floor(cc / 10), fmod(cc, 10));
}

static void add_launch(const struct report *report, const struct report_options *options,
                       const struct metric_pick *picks, uint32_t n_picks, const struct report_launch *l,
                       struct buf *out)
{
    const struct profile_launch *launch = l->launch;
    buf_printf(out, "\"%llu\"", (unsigned long long)l->id);
    add_u64(out, options->is_reproducible ? 0 : l->process_id);
    add_field(out, l->process_name, false);
    add_field(out, options->is_reproducible ? "" : l->profile->environment.host, false);
    add_field(out, l->name, false);
    add_u64(out, launch->context);
    add_u64(out, launch->stream);
    add_field(
        out,
        arena_printf(report->arena, "(%u, %u, %u)", launch->block[0], launch->block[1], launch->block[2]),
        false);
    add_field(out,
              arena_printf(report->arena, "(%u, %u, %u)", launch->grid[0], launch->grid[1], launch->grid[2]),
              false);
    add_u64(out, 0);
    add_field(out, capability(report, l), false);
    for (uint32_t i = 0; i < n_picks; i++) {
        buf_puts(out, ",\"");
        metric_print(out, pick_value(l, &picks[i]));
        buf_puts(out, "\"");
    }
    buf_puts(out, "\n");
}

void report_csv(const struct report *report, const struct report_options *options, struct buf *out)
{
    static const char *const columns[] = {"ID",      "Process ID", "Process Name", "Host Name", "Kernel Name",
                                          "Context", "Stream",     "Block Size",   "Grid Size", "Device",
                                          "CC"};
    uint32_t n_picks;
    const struct metric_pick *picks = report_picks(report, options, &n_picks);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        add_field(out, columns[i], i == 0);
    for (uint32_t i = 0; i < n_picks; i++)
        add_field(out, picks[i].name, false);
    buf_puts(out, "\n");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        add_field(out, "", i == 0);
    for (uint32_t i = 0; i < n_picks; i++)
        add_field(out, picks[i].metric == METRIC_NONE ? "" : metric_info(picks[i].metric)->unit, false);
    buf_puts(out, "\n");
    for (uint32_t i = 0; i < report->n_launches; i++)
        add_launch(report, options, picks, n_picks, &report->launches[i], out);
}

static void add_value(struct buf *out, double value, const char *unit, bool is_base)
{
    struct buf text = {0};
    if (!is_base && !isnan(value) && strcmp(unit, "byte") == 0) {
        units_print_bytes(&text, value);
        unit = "";
    } else if (!is_base && !isnan(value) && value == floor(value) && value >= 0 && value < 1e18)
        units_print_count(&text, (uint64_t)value);
    else
        metric_print(&text, value);
    buf_printf(out, "%20s%s%s", text.at, *unit ? " " : "", unit);
    buf_release(&text);
}

void report_raw(const struct report *report, const struct report_options *options, struct buf *out)
{
    uint32_t n_picks;
    const struct metric_pick *picks = report_picks(report, options, &n_picks);
    for (uint32_t k = 0; k < report->n_launches; k++) {
        const struct report_launch *l = &report->launches[k];
        buf_printf(out, "%s%s (%s)x(%s), launch %llu", k ? "\n" : "", l->name,
                   report_shape(report->arena, l->launch->grid),
                   report_shape(report->arena, l->launch->block), (unsigned long long)l->id);
        if (l->launch->process_id && !options->is_reproducible)
            buf_printf(out, ", process %u (%s)", l->process_id, l->process_name);
        buf_puts(out, "\n");
        for (uint32_t i = 0; i < n_picks; i++) {
            bool is_ours = picks[i].metric != METRIC_NONE;
            enum metric_class class = is_ours ? metric_class(&l->metrics, picks[i].metric) : METRIC_EXACT;
            buf_printf(out, "  %-76s", picks[i].name);
            add_value(out, pick_value(l, &picks[i]), is_ours ? metric_info(picks[i].metric)->unit : "",
                      options->is_base_units);
            buf_puts(out, class == METRIC_MODELLED ? " ~\n" : class == METRIC_ESTIMATED ? " ?\n" : "\n");
        }
    }
    buf_puts(
        out,
        "\nNo mark: exact. ~ modelled: needs cache state and an order. ? estimated: from PTX, where only the "
        "machine code is exact.\n");
}
