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

static const char *const columns[] = {"ID",      "Process ID", "Process Name", "Host Name", "Kernel Name",
                                      "Context", "Stream",     "Block Size",   "Grid Size", "Device",
                                      "CC"};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

// The columns that say which launch a row is about.
static void add_identity(const struct report *report, const struct report_options *options,
                         const struct report_launch *l, struct buf *out)
{
    const uint32_t *b = l->launch->block, *g = l->launch->grid;
    buf_printf(out, "\"%llu\"", (unsigned long long)l->id);
    add_u64(out, options->is_reproducible ? 0 : l->process_id);
    add_field(out, l->process_name, false);
    add_field(out, options->is_reproducible ? "" : l->profile->environment.host, false);
    add_field(out, l->name, false);
    add_u64(out, l->launch->context);
    add_u64(out, l->launch->stream);
    add_field(out, arena_printf(report->arena, "(%u, %u, %u)", b[0], b[1], b[2]), false);
    add_field(out, arena_printf(report->arena, "(%u, %u, %u)", g[0], g[1], g[2]), false);
    add_u64(out, 0);
    add_field(out, capability(report, l), false);
}

static void add_number(const struct report_launch *l, const struct metric_pick *pick, struct buf *out)
{
    buf_puts(out, ",\"");
    metric_print(out, pick_value(l, pick));
    buf_puts(out, "\"");
}

static const char *unit_of(const struct metric_pick *pick)
{
    return pick->metric == METRIC_NONE ? "" : metric_info(pick->metric)->unit;
}

void report_csv(const struct report *report, const struct report_options *options, struct buf *out)
{
    uint32_t n_picks;
    const struct metric_pick *picks = report_picks(report, options, &n_picks);
    for (int i = 0; i < N_COLUMNS; i++)
        add_field(out, columns[i], i == 0);
    for (uint32_t i = 0; i < n_picks; i++)
        add_field(out, picks[i].name, false);
    buf_puts(out, "\n");
    for (int i = 0; i < N_COLUMNS; i++)
        add_field(out, "", i == 0);
    for (uint32_t i = 0; i < n_picks; i++)
        add_field(out, unit_of(&picks[i]), false);
    buf_puts(out, "\n");
    for (uint32_t k = 0; k < report->n_launches; k++) {
        add_identity(report, options, &report->launches[k], out);
        for (uint32_t i = 0; i < n_picks; i++)
            add_number(&report->launches[k], &picks[i], out);
        buf_puts(out, "\n");
    }
}

// ---- details ----

static void add_metric_row(const struct report *report, const struct report_options *options,
                           const struct report_launch *l, const char *section, const char *label,
                           const struct metric_pick *pick, struct buf *out)
{
    add_identity(report, options, l, out);
    add_field(out, section, false);
    add_field(out, label, false);
    add_field(out, unit_of(pick), false);
    add_number(l, pick, out);
    buf_puts(out, ",\"\",\"\",\"\"\n");
}

static void add_section_rows(const struct report *report, const struct report_options *options,
                             const struct report_launch *l, const struct section *section, struct buf *out)
{
    for (uint32_t i = 0; i < section->n_rows; i++) {
        struct metric_pick pick;
        struct err ignored = {0};
        if (!metric_find(section->rows[i].metric, &pick, &ignored))
            BUG("section row '%s' names no metric", section->rows[i].metric);
        add_metric_row(report, options, l, section->title, section->rows[i].label, &pick, out);
    }
}

// Findings stand where ncu has its rules.
static void add_finding_rows(const struct report *report, const struct report_options *options,
                             const struct report_launch *l, struct buf *out)
{
    size_t n;
    const struct finding *findings = report_findings(report, l, &n);
    for (size_t i = 0; i < n; i++) {
        add_identity(report, options, l, out);
        buf_puts(out, ",\"Source Counters\",\"\",\"\",\"\"");
        add_field(out, finding_name(findings[i].kind), false);
        add_field(out, "OPT", false);
        add_field(out, arena_printf(report->arena, "%s %s", findings[i].text, findings[i].fix), false);
        buf_puts(out, "\n");
    }
}

static void add_details(const struct report *report, const struct report_options *options,
                        const struct report_launch *l, struct buf *out)
{
    if (options->n_picks && !options->n_sections)
        for (uint32_t i = 0; i < options->n_picks; i++)
            add_metric_row(report, options, l, "Command line profiler metrics", options->picks[i].name,
                           &options->picks[i], out);
    else if (options->n_sections)
        for (uint32_t i = 0; i < options->n_sections; i++)
            add_section_rows(report, options, l, &options->sections[i], out);
    else
        for (uint32_t i = 0; i < section_count(); i++) {
            struct section section = section_at(i);
            if (strchr(section.sets, 'd'))
                add_section_rows(report, options, l, &section, out);
        }
    add_finding_rows(report, options, l, out);
}

void report_csv_details(const struct report *report, const struct report_options *options, struct buf *out)
{
    static const char *const more[] = {"Section Name", "Metric Name", "Metric Unit",     "Metric Value",
                                       "Rule Name",    "Rule Type",   "Rule Description"};
    for (int i = 0; i < N_COLUMNS; i++)
        add_field(out, columns[i], i == 0);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        add_field(out, more[i], false);
    buf_puts(out, "\n");
    for (uint32_t i = 0; i < report->n_launches; i++)
        add_details(report, options, &report->launches[i], out);
}

// ---- text ----

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

// ---- source: one row an instruction ----

static void add_instruction(const struct report *report, const struct report_options *options,
                            const struct report_launch *l, uint32_t index, struct buf *out)
{
    const struct profile_launch *p = l->launch;
    const struct profile_insn *insn = &p->insns[index];
    const struct profile_line *line = insn->line < p->n_lines ? &p->lines[insn->line] : NULL;
    const bool is_known = line && line->line && line->file < p->n_files;
    add_identity(report, options, l, out);
    add_field(out, is_known ? p->files[line->file] : "", false);
    add_u64(out, is_known ? line->line : 0);
    add_u64(out, index);
    add_field(out, insn->text ? insn->text : "", false);
    for (int i = 0; i < N_COUNTERS; i++)
        add_u64(out, counter_get(&insn->counters, (enum counter)i));
    buf_puts(out, "\n");
}

void report_csv_source(const struct report *report, const struct report_options *options, struct buf *out)
{
    for (int i = 0; i < N_COLUMNS; i++)
        add_field(out, columns[i], i == 0);
    buf_puts(out, ",\"File\",\"Line\",\"Index\",\"Source\"");
    for (int i = 0; i < N_COUNTERS; i++)
        add_field(out, counter_info((enum counter)i)->name, false);
    buf_puts(out, "\n");
    for (uint32_t k = 0; k < report->n_launches; k++)
        for (uint32_t i = 0; i < report->launches[k].launch->n_insns; i++)
            add_instruction(report, options, &report->launches[k], i, out);
}
