// A comparison as text and as JSON: see diff.h.
#include "base/units.h"
#include "prof/lines.h"
#include "report/diff.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 58, VALUE = 18, CHANGE = 12, MOST_LINES = 8 };

// What is compared unless --metrics says.
static const enum metric rows[] = {METRIC_smsp__inst_executed_sum,
                                   METRIC_smsp__thread_inst_executed_pred_on_per_inst_executed_ratio,
                                   METRIC_memory_l1_wavefronts_shared_plain,
                                   METRIC_derived__memory_l1_wavefronts_shared_excessive_plain,
                                   METRIC_smsp__sass_inst_executed_op_global_sum,
                                   METRIC_memory_l2_theoretical_sectors_global_plain,
                                   METRIC_derived__memory_l2_theoretical_sectors_global_excessive_plain,
                                   METRIC_memory_l2_theoretical_sectors_local_plain,
                                   METRIC_idc__requests_sum,
                                   METRIC_l1tex__t_sector_hit_rate_pct,
                                   METRIC_lts__t_sectors_srcunit_tex_sum,
                                   METRIC_lts__t_sector_hit_rate_pct,
                                   METRIC_dram__bytes_read_sum,
                                   METRIC_dram__bytes_write_sum,
                                   METRIC_launch__registers_per_thread_plain,
                                   METRIC_launch__shared_mem_per_block_plain,
                                   METRIC_sm__maximum_warps_per_active_cycle_pct_plain};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void change_text(double before, double after, char out[16])
{
    double change = diff_change(before, after);
    if (!isfinite(change))
        snprintf(out, 16, change > 0 ? "new" : "n/a");
    else if (change == 0)
        snprintf(out, 16, "=");
    else
        snprintf(out, 16, "%+.1f %%", change);
}

static enum page_form form_of(enum metric metric)
{
    const char *unit = metric_info(metric)->unit;
    return strcmp(unit, "%") == 0 ? FORM_PERCENT
           : strchr(unit, '/') && strcmp(unit, "byte/block") != 0 && strcmp(unit, "register/thread") != 0
               ? FORM_RATIO
           : strncmp(unit, "byte", 4) == 0 ? FORM_BYTES
                                           : FORM_COUNT;
}

static void print_row(const struct diff_pair *pair, const char *name, enum metric metric, bool is_base_units,
                      struct buf *out)
{
    char change[16];
    change_text(metric_value(&pair->before->metrics, metric), metric_value(&pair->after->metrics, metric),
                change);
    buf_printf(out, "  %-*.*s", NAME, NAME, name);
    page_metric(out, VALUE, pair->before, metric, form_of(metric), is_base_units);
    page_metric(out, VALUE, pair->after, metric, form_of(metric), is_base_units);
    buf_printf(out, "%*s\n", CHANGE, change);
}

static bool has_changed(const struct diff_pair *pair, enum metric metric)
{
    double before = metric_value(&pair->before->metrics, metric),
           after = metric_value(&pair->after->metrics, metric);
    return before != after && !(isnan(before) && isnan(after));
}

static void print_metrics(const struct diff_pair *pair, const struct report_options *options, struct buf *out)
{
    int n_same = 0;
    for (uint32_t i = 0; i < options->n_picks; i++)
        if (options->picks[i].metric == METRIC_NONE)
            buf_printf(out, "  %-*.*s%*s\n", NAME, NAME, options->picks[i].name, VALUE - 1, "n/a");
        else
            print_row(pair, options->picks[i].name, options->picks[i].metric, options->is_base_units, out);
    for (int i = 0; i < N_ROWS && !options->n_picks; i++)
        if (has_changed(pair, rows[i]))
            print_row(pair, metric_info(rows[i])->name, rows[i], options->is_base_units, out);
        else
            n_same++;
    if (n_same)
        buf_printf(out, "  %d of %d metrics are the same\n", n_same, N_ROWS);
}

// ---- lines ----

struct line_change {
    const char *place;
    double before, after; // cost
    uint64_t wavefronts[2], sectors[2];
};

static void add_lines(struct arena *arena, const struct profile_launch *launch, int side,
                      struct line_change *changes, size_t *n)
{
    size_t n_lines;
    const struct line_row *lines = launch_lines(arena, launch, &n_lines);
    for (size_t i = 0; i < n_lines; i++) {
        if (lines[i].cost_cycles == 0)
            continue;
        const char *place = launch_place(arena, launch, lines[i].worst_insn);
        size_t k = 0;
        while (k < *n && strcmp(changes[k].place, place) != 0)
            k++;
        if (k == *n)
            changes[(*n)++] = (struct line_change){.place = place};
        *(side ? &changes[k].after : &changes[k].before) += lines[i].cost_cycles;
        changes[k].wavefronts[side] += lines[i].excess_wavefronts;
        changes[k].sectors[side] += lines[i].excess_sectors;
    }
}

static int by_change(const void *a, const void *b)
{
    const struct line_change *x = a, *y = b;
    double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
    return dx != dy ? (dx > dy ? -1 : 1) : strcmp(x->place, y->place);
}

static void print_count(uint64_t n, struct buf *out)
{
    struct buf text = {0};
    units_print_count(&text, n);
    buf_printf(out, "%*s ", VALUE - 1, text.at);
    buf_release(&text);
}

static void print_change(const char *name, const uint64_t values[2], struct buf *out)
{
    char change[16];
    if (values[0] == values[1])
        return;
    change_text((double)values[0], (double)values[1], change);
    buf_printf(out, "  %-*.*s", NAME, NAME, name);
    print_count(values[0], out);
    print_count(values[1], out);
    buf_printf(out, "%*s\n", CHANGE, change);
}

static void print_lines(struct arena *arena, const struct diff_pair *pair, struct buf *out)
{
    const struct profile_launch *before = pair->before->launch, *after = pair->after->launch;
    struct line_change *changes =
        arena_array(arena, struct line_change, (size_t)before->n_insns + after->n_insns);
    size_t n = 0;
    add_lines(arena, before, 0, changes, &n);
    add_lines(arena, after, 1, changes, &n);
    qsort(changes, n, sizeof *changes, by_change);
    for (size_t i = 0; i < n && i < MOST_LINES && changes[i].before != changes[i].after; i++) {
        const struct line_change *c = &changes[i];
        print_change(arena_printf(arena, "%s, excess wavefronts", c->place), c->wavefronts, out);
        print_change(arena_printf(arena, "%s, excess sectors", c->place), c->sectors, out);
    }
}

static void print_pair(const struct diff *diff, const struct diff_pair *pair,
                       const struct report_options *options, struct buf *out)
{
    const struct profile_launch *before = pair->before->launch, *after = pair->after->launch;
    page_launch_line(out, diff->after, pair->after);
    if (strcmp(pair->before->name, pair->after->name) != 0)
        buf_printf(out, "  was %s\n", pair->before->name);
    if (memcmp(before->grid, after->grid, sizeof before->grid) ||
        memcmp(before->block, after->block, sizeof before->block))
        buf_printf(out, "  was (%s)x(%s)\n", report_shape(diff->arena, before->grid),
                   report_shape(diff->arena, before->block));
    if (strcmp(before->device, after->device) != 0)
        buf_printf(out, "  was on %s, is on %s\n", before->device, after->device);
    buf_printf(out, "  %-*s%*s %*s %*s\n", NAME, "", VALUE - 1, "old", VALUE - 1, "new", CHANGE - 1,
               "change");
    print_metrics(pair, options, out);
    if (!options->n_picks)
        print_lines(diff->arena, pair, out);
    buf_puts(out, "\n");
}

static void print_only(const char *what, const struct report_launch *const *launches, uint32_t n,
                       struct buf *out)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "only in the %s: %s, launch %llu\n", what, launches[i]->name,
                   (unsigned long long)launches[i]->id);
}

void diff_print(const struct diff *diff, const struct report_options *options, struct buf *out)
{
    for (uint32_t i = 0; i < diff->n_pairs; i++)
        print_pair(diff, &diff->pairs[i], options, out);
    print_only("old", diff->only_before, diff->n_only_before, out);
    print_only("new", diff->only_after, diff->n_only_after, out);
    if (diff->n_only_before + diff->n_only_after)
        buf_puts(out, "\n");
    buf_puts(out, page_legend);
}

// ---- JSON ----

static json_t *number(double value)
{
    if (!isfinite(value))
        return json_null();
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *text(const char *value)
{
    json_t *out = json_string(value);
    return out ? out : json_string("(not UTF-8)");
}

static json_t *pair_json(const struct diff *diff, const struct diff_pair *pair,
                         const struct report_options *options)
{
    uint32_t n;
    const struct metric_pick *picks = report_picks(diff->after, options, &n);
    json_t *metrics = json_object();
    for (uint32_t i = 0; i < n; i++) {
        if (picks[i].metric == METRIC_NONE)
            continue;
        double before = metric_value(&pair->before->metrics, picks[i].metric);
        double after = metric_value(&pair->after->metrics, picks[i].metric);
        if (options->n_picks || has_changed(pair, picks[i].metric))
            json_object_set_new(metrics, picks[i].name,
                                json_pack("{s:o, s:o, s:o}", "old", number(before), "new", number(after),
                                          "change_percent", number(diff_change(before, after))));
    }
    return json_pack("{s:o, s:I, s:I, s:o}", "kernel", text(pair->after->name), "old_id",
                     (json_int_t)pair->before->id, "new_id", (json_int_t)pair->after->id, "metrics", metrics);
}

static json_t *only_json(const struct report_launch *const *launches, uint32_t n)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(out, json_pack("{s:o, s:I}", "kernel", text(launches[i]->name), "id",
                                             (json_int_t)launches[i]->id));
    return out;
}

void diff_json(const struct diff *diff, const struct report_options *options, struct buf *out)
{
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < diff->n_pairs; i++)
        json_array_append_new(pairs, pair_json(diff, &diff->pairs[i], options));
    json_t *root = json_pack("{s:i, s:o, s:o, s:o}", "format", 1, "launches", pairs, "only_old",
                             only_json(diff->only_before, diff->n_only_before), "only_new",
                             only_json(diff->only_after, diff->n_only_after));
    char *dump = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    if (!dump)
        err_memory("JSON", 0);
    buf_puts(out, dump);
    buf_puts(out, "\n");
    free(dump);
    json_decref(root);
}
