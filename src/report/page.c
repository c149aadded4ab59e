// Pieces that the text pages share: see page.h.
#include "report/page.h"
#include "base/units.h"
#include <math.h>
#include <string.h>

const char page_legend[] = "No mark: exact. ~ modelled: needs cache state and an order. ? estimated: from "
                           "PTX, where machine code decides.\n";

const char *page_mark(const struct report_launch *l, enum metric metric)
{
    switch (metric_class(&l->metrics, metric)) {
    case METRIC_MODELLED:
        return "~";
    case METRIC_ESTIMATED:
        return "?";
    default:
        return "";
    }
}

void page_text(struct buf *out, int width, const char *text)
{
    buf_printf(out, "%*.*s", width, width, text);
}

static void print_value(struct buf *out, double value, enum page_form form, bool is_base_units)
{
    if (!isfinite(value))
        buf_puts(out, "n/a");
    else if (form == FORM_PERCENT)
        buf_printf(out, "%.1f %%", value);
    else if (form == FORM_RATIO)
        buf_printf(out, "%.2f", value);
    else if (is_base_units || value < 0 || value > 1e18)
        metric_print(out, value);
    else if (form == FORM_BYTES)
        units_print_bytes(out, value);
    else
        units_print_count(out, (uint64_t)value);
}

// Marks have a column of their own, so that digits stay below each other.
static void print_cell(struct buf *out, int width, double value, enum page_form form, const char *mark,
                       bool is_base_units)
{
    struct buf text = {0};
    print_value(&text, value, form, is_base_units);
    buf_puts(&text, *mark ? mark : " ");
    page_text(out, width, text.at);
    buf_release(&text);
}

void page_metric(struct buf *out, int width, const struct report_launch *l, enum metric metric,
                 enum page_form form, bool is_base_units)
{
    print_cell(out, width, metric_value(&l->metrics, metric), form, page_mark(l, metric), is_base_units);
}

void page_sector_bytes(struct buf *out, int width, const struct report_launch *l, enum metric sectors,
                       bool is_base_units)
{
    enum { SECTOR_BYTES = 32 };
    print_cell(out, width, SECTOR_BYTES * metric_value(&l->metrics, sectors), FORM_BYTES,
               page_mark(l, sectors), is_base_units);
}

void page_wrap(struct buf *out, const char *first, const char *text)
{
    size_t indent = strlen(first), room = REPORT_COLUMNS - indent;
    buf_puts(out, first);
    while (strlen(text) > room) {
        size_t cut = room;
        while (cut && (text[cut] != ' ' || text[cut + 1] == '%'))
            cut--;
        if (!cut)
            cut = room;
        buf_add(out, text, cut);
        buf_printf(out, "\n%*s", (int)indent, "");
        text += cut + (text[cut] == ' ');
    }
    buf_puts(out, text);
    buf_puts(out, "\n");
}

void page_launch_line(struct buf *out, const struct report *report, const struct report_launch *l)
{
    buf_printf(out, "%s (%s)x(%s), launch %llu\n", l->name, report_shape(report->arena, l->launch->grid),
               report_shape(report->arena, l->launch->block), (unsigned long long)l->id);
}

void page_end_line(struct buf *out)
{
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = 0;
    buf_puts(out, "\n");
}

// Was this device printed already, for a launch before?
static bool is_repeated(const struct report *report, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(report->launches[i].profile->device_text, report->launches[index].profile->device_text) ==
            0)
            return true;
    return false;
}

void report_device_page(const struct report *report, const struct report_options *options, struct buf *out)
{
    (void)options;
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct report_launch *l = &report->launches[i];
        if (!is_repeated(report, i))
            buf_printf(out, "%s%s, as the model had it:\n%s", i ? "\n" : "", l->launch->device,
                       l->profile->device_text);
    }
}

void report_metric_list(struct buf *out)
{
    for (int i = 0; i < N_METRICS; i++) {
        const struct metric_info *info = metric_info((enum metric)i);
        buf_printf(out, "%s%s [%s]\n", i ? "\n" : "", info->name, info->unit);
        page_wrap(out, "    ", info->text);
        page_wrap(out, "    ", info->trust);
    }
    buf_puts(out, "\nCounters of one instruction, as --json gives them for each line:\n");
    for (int i = 0; i < N_COUNTERS; i++) {
        const struct counter_info *info = counter_info((enum counter)i);
        buf_printf(out, "\n%s [%s]\n", info->name, info->unit);
        page_wrap(out, "    ", info->text);
        page_wrap(out, "    ", info->is_exact ? "exact" : "modelled");
    }
}
