// The findings page: everything that a launch can be told, most expensive first, with the line, the metric,
// the cost, what to change and what the change brings.
#include "base/units.h"
#include "prof/lines.h"
#include "report/page.h"
#include "report/source_text.h"
#include <math.h>
#include <string.h>

enum { INDENT = 16 };

static void print_labelled(const char *label, const char *text, struct buf *out)
{
    char first[INDENT + 1];
    snprintf(first, sizeof first, "   %-*s", INDENT - 3, label);
    page_wrap(out, first, text);
}

static const char *plural_of(double n)
{
    return n == 1 ? "" : "s";
}

// "63,488 wavefronts, 94 % of the launch's"
static void print_cost(const struct finding *finding, struct buf *out)
{
    const char *unit = finding_unit(finding->kind);
    units_print_count(out, (uint64_t)finding->cost);
    buf_printf(out, " %s%s", unit, plural_of(finding->cost));
    if (finding->kind == FINDING_OCCUPANCY)
        buf_puts(out, " an SM missing");
    else if (finding->kind == FINDING_RACE)
        buf_puts(out, " in the first blocks");
    else
        buf_printf(out, ", %.0f %%", 100 * finding->share);
}

static void print_finding(const struct report *report, const struct report_launch *l,
                          struct source_texts *texts, const struct finding *finding, size_t number,
                          struct buf *out)
{
    const char *place = finding_place(report->arena, l->launch, finding);
    buf_printf(out, "%zu  %s  %s  ", number, finding_name(finding->kind), place);
    print_cost(finding, out);
    buf_puts(out, "\n");
    if (finding->insn != FINDING_NOWHERE) {
        const char *line = source_text_of(texts, l->launch, finding->insn);
        if (line)
            print_labelled("source", line, out);
        const char *code = launch_place(report->arena, l->launch, finding->insn);
        if (strcmp(code, place) != 0)
            print_labelled("inlined", code, out);
        print_labelled("instruction", l->launch->insns[finding->insn].text, out);
    }
    print_labelled("seen", finding->text, out);
    print_labelled("fix", finding->fix, out);
    if (*finding->forecast)
        print_labelled("forecast", finding->forecast, out);
    print_labelled("metric", finding_metric(finding->kind), out);
}

static void print_launch(const struct report *report, const struct report_launch *l,
                         struct source_texts *texts, struct buf *out)
{
    size_t n;
    const struct finding *findings = report_findings(report, l, &n);
    bool is_off = strcmp(l->launch->model, "off") == 0;
    page_launch_line(out, report, l);
    if (is_off)
        buf_puts(out, "   memory was not counted (--model off)\n");
    else if (!n)
        buf_puts(out, "   nothing to mend\n");
    for (size_t i = 0; i < n && !is_off; i++)
        print_finding(report, l, texts, &findings[i], i + 1, out);
    buf_puts(out, "\n");
}

void report_findings_page(const struct report *report, const struct report_options *options, struct buf *out)
{
    (void)options;
    struct source_texts *texts = source_texts_new(report->arena);
    for (uint32_t i = 0; i < report->n_launches; i++)
        print_launch(report, &report->launches[i], texts, out);
    source_texts_release(texts);
    page_wrap(
        out, "",
        "The first finding of a launch costs most: a shared wavefront counts as a cycle, a sector as half, "
        "an instruction as a quarter. The order is no forecast of time.");
}
