// The page for a browser: see html.h. It holds the JSON document, with what only the page shows added to each
// launch, and the files of src/report/web.
#include "report/html.h"
#include "base/embed.h"
#include "prof/lines.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/source_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- source ----

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static json_t *instruction_json(struct arena *arena, const struct profile_launch *launch, uint32_t i)
{
    const struct counters *c = &launch->insns[i].counters;
    uint32_t line = launch->insns[i].line;
    int32_t caller = line < launch->n_lines ? launch->lines[line].inlined_at : -1;
    json_t *out = json_pack("{s:o, s:I, s:I, s:o}", "text", json_text(launch->insns[i].text),
                            "excess_wavefronts", (json_int_t)counters_excess_wavefronts(c), "excess_sectors",
                            (json_int_t)counters_excess_sectors(c), "counters", json_counters(c));
    if (caller >= 0 && launch->lines[caller].file < launch->n_files)
        json_object_set_new(
            out, "inlined",
            json_text(arena_printf(arena, "at %s:%u", base_name(launch->files[launch->lines[caller].file]),
                                   launch->lines[caller].line)));
    return out;
}

static json_t *line_json(struct arena *arena, struct source_texts *texts, const struct profile_launch *launch,
                         const struct line_row *row, const uint32_t *row_of)
{
    const char *text = row->line ? source_text_line(texts, launch, row->line) : NULL;
    const struct profile_line *line = &launch->lines[row->line];
    const char *file = row->line && line->file < launch->n_files ? launch->files[line->file] : "";
    json_t *instructions = json_array();
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        uint32_t at = launch->insns[i].line;
        bool is_here = row->line ? at < launch->n_lines && row_of[at] == row->line : i == row->worst_insn;
        if (is_here && launch->insns[i].counters.executed)
            json_array_append_new(instructions, instruction_json(arena, launch, i));
    }
    return json_pack("{s:o, s:o, s:I, s:o, s:I, s:I, s:o, s:o}", "place",
                     json_text(launch_place(arena, launch, row->worst_insn)), "file", json_text(file), "line",
                     (json_int_t)(row->line ? line->line : 0), "text",
                     json_text(text ? text : launch->insns[row->worst_insn].text), "excess_wavefronts",
                     (json_int_t)row->excess_wavefronts, "excess_sectors", (json_int_t)row->excess_sectors,
                     "counters", json_counters(&row->counters), "instructions", instructions);
}

static json_t *source_json(struct arena *arena, struct source_texts *texts,
                           const struct profile_launch *launch)
{
    size_t n;
    struct arena scratch;
    arena_init(&scratch, "lines");
    const struct line_row *rows = launch_lines(&scratch, launch, &n);
    const uint32_t *row_of = launch_line_rows(&scratch, launch);
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        if (rows[i].counters.executed)
            json_array_append_new(out, line_json(arena, texts, launch, &rows[i], row_of));
    arena_release(&scratch);
    return out;
}

// ---- roofline ----

// Floating-point operations of one execution by one lane: two for a fused multiply-add.
static int operations_of(const char *text)
{
    static const struct {
        const char *word;
        int operations;
    } words[] = {{"fma.", 2}, {"FFMA", 2}, {"DFMA", 2}, {"add.", 1}, {"sub.", 1},
                 {"mul.", 1}, {"FADD", 1}, {"FMUL", 1}, {"DADD", 1}, {"DMUL", 1}};
    bool is_sass = strncmp(text, "@", 1) != 0 && strchr("FD", *text);
    if (!is_sass && !strstr(text, ".f32") && !strstr(text, ".f64"))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i].word))
            return words[i].operations;
    return 0;
}

static double count_operations(const struct profile_launch *launch)
{
    double n = 0;
    for (uint32_t i = 0; i < launch->n_insns; i++)
        if (launch->insns[i].class == 0)
            n += operations_of(launch->insns[i].text) * (double)launch->insns[i].counters.threads_on;
    return n;
}

static json_t *roof_json(const char *name, double gbps)
{
    return json_pack("{s:s, s:o}", "name", name, "gbps", json_number(gbps));
}

static json_t *roofline_json(const struct report_launch *l)
{
    const struct device *d = l->model;
    enum { OPERATIONS_PER_FMA = 2 };
    if (!d)
        return json_null();
    double ghz = d->sm_clock_mhz / 1000, sms = (double)d->n_sms;
    double peak = sms * (double)d->n_fp32_lanes * OPERATIONS_PER_FMA * ghz;
    double operations = count_operations(l->launch),
           bytes = metric_value(&l->metrics, METRIC_dram__bytes_sum);
    double intensity = bytes > 0 ? operations / bytes : (double)NAN;
    json_t *roofs = json_array();
    json_array_append_new(roofs, roof_json("device memory", d->dram_read_gbps));
    json_array_append_new(roofs, roof_json("L2", d->l2_bytes_per_cycle * ghz));
    json_array_append_new(roofs, roof_json("L1", sms * d->l1_bytes_per_cycle * ghz));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "flops", json_number(operations), "intensity",
                     json_number(intensity), "peak_gflops", json_number(peak), "attainable_gflops",
                     json_number(fmin(peak, intensity * d->dram_read_gbps)), "roofs", roofs);
}

// ---- the document ----

static json_t *peaks_json(const struct report_launch *l)
{
    struct level_time times[N_LEVEL_TIMES];
    int slowest;
    if (!chart_times(l, times, &slowest))
        return json_null();
    json_t *out = json_array();
    for (int i = 0; i < N_LEVEL_TIMES; i++)
        json_array_append_new(
            out, json_pack("{s:s, s:o}", "level", times[i].name, "seconds", json_number(times[i].seconds)));
    return out;
}

static void add_to_launch(const struct report *report, struct source_texts *texts,
                          const struct report_launch *l, json_t *out)
{
    json_object_set_new(out, "l1_bytes", json_number((double)l->launch->l1_bytes));
    json_object_set_new(out, "l2_bytes", json_number(metric_device_number(l->device, "l2.size")));
    json_object_set_new(out, "dram_bytes", json_number(metric_device_number(l->device, "dram.size")));
    json_object_set_new(out, "dram_kind", json_text(metric_device_text(l->device, "dram.kind")));
    json_object_set_new(out, "peaks", peaks_json(l));
    json_object_set_new(out, "roofline", roofline_json(l));
    json_object_set_new(out, "source", source_json(report->arena, texts, l->launch));
}

// '<' only stands within strings of JSON; written as an escape, no text can end the element that holds it.
static void add_data(const struct report *report, const struct report_options *options, struct buf *out)
{
    struct report_options all = *options;
    all.n_picks = 0;
    json_t *root = report_json_build(report, &all), *launches = json_object_get(root, "launches");
    struct source_texts *texts = source_texts_new(report->arena);
    for (uint32_t i = 0; i < report->n_launches; i++)
        add_to_launch(report, texts, &report->launches[i], json_array_get(launches, i));
    source_texts_release(texts);
    char *dump = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(10));
    if (!dump)
        err_memory("JSON", 0);
    for (const char *at = dump; *at; at++)
        if (*at == '<')
            buf_puts(out, "\\u003c");
        else
            buf_add(out, at, 1);
    free(dump);
    json_decref(root);
}

static void add_file(const char *name, struct buf *out)
{
    const struct embedded_file *file = embedded_find(embedded_web, name);
    if (file)
        buf_add(out, file->text, file->length);
}

bool html_has_charts(void)
{
    return embedded_find(embedded_web, "uplot.js") != NULL;
}

static void add_part(const char *name, size_t n, const struct report *report,
                     const struct report_options *options, struct buf *out)
{
    if (n == 3 && memcmp(name, "CSS", 3) == 0) {
        add_file("page.css", out);
        add_file("uplot.css", out);
    } else if (n == 4 && memcmp(name, "DATA", 4) == 0) {
        add_data(report, options, out);
    } else if (n == 7 && memcmp(name, "LIBRARY", 7) == 0) {
        add_file("uplot.js", out);
    } else if (n == 2 && memcmp(name, "JS", 2) == 0) {
        add_file("page.js", out);
    } else {
        BUG("page.html has no part '%.*s'", (int)n, name);
    }
}

void report_html(const struct report *report, const struct report_options *options, struct buf *out)
{
    const struct embedded_file *page = embedded_find(embedded_web, "page.html");
    if (!page)
        BUG("the build has no page.html");
    const char *at = page->text;
    for (const char *mark; (mark = strchr(at, '@')); at = strchr(mark + 1, '@') + 1) {
        buf_add(out, at, (size_t)(mark - at));
        add_part(mark + 1, strcspn(mark + 1, "@"), report, options, out);
    }
    buf_puts(out, at);
}
