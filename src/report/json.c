// The report as one JSON document. Everything that may differ between two runs of the same thing lies in
// "environment" (and engine.wall_seconds), which --reproducible leaves out.
#include "report/json.h"
#include "prof/finding.h"
#include "prof/lines.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *json_text(const char *value)
{
    json_t *out = json_string(value);
    return out ? out : json_string("(not UTF-8)");
}

static json_t *shape(const uint32_t extents[3])
{
    return json_pack("[i, i, i]", (int)extents[0], (int)extents[1], (int)extents[2]);
}

static json_t *limit(const struct report_launch *l, enum metric metric)
{
    return json_number(metric_value(&l->metrics, metric));
}

static json_t *launch_json(const struct report_launch *l)
{
    const struct profile_launch *p = l->launch;
    json_t *limits = json_pack("{s:o, s:o, s:o, s:o, s:o}", "blocks",
                               limit(l, METRIC_launch__occupancy_limit_blocks_plain), "registers",
                               limit(l, METRIC_launch__occupancy_limit_registers_plain), "shared",
                               limit(l, METRIC_launch__occupancy_limit_shared_mem_plain), "warps",
                               limit(l, METRIC_launch__occupancy_limit_warps_plain), "barriers",
                               limit(l, METRIC_launch__occupancy_limit_barriers_plain));
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:b, s:o}", "grid", shape(p->grid),
                     "block", shape(p->block), "registers_per_thread", (json_int_t)p->registers,
                     "static_shared_bytes", (json_int_t)p->static_shared_bytes, "dynamic_shared_bytes",
                     (json_int_t)p->dynamic_shared_bytes, "local_bytes", (json_int_t)p->local_bytes,
                     "occupancy", json_number(p->occupancy), "blocks_per_sm", (json_int_t)p->blocks_per_sm,
                     "warps_per_sm", (json_int_t)p->warps_per_sm, "limits", limits, "cache_flushed",
                     p->cache_flushed, "model", json_text(p->model));
}

static json_t *fidelity_json(const struct profile_launch *p)
{
    return json_pack("{s:o, s:o, s:I, s:I, s:I}", "isa", json_text(p->isa), "why_ptx", json_text(p->why_ptx), "exact", (json_int_t)p->n_exact,
                     "approximate", (json_int_t)p->n_approximate, "unsupported",
                     (json_int_t)p->n_unsupported);
}

static json_t *metrics_json(const struct report_launch *l, const struct metric_pick *picks, uint32_t n)
{
    json_t *out = json_object();
    for (uint32_t i = 0; i < n; i++) {
        if (picks[i].metric == METRIC_NONE) {
            json_object_set_new(out, picks[i].name, json_pack("{s:n}", "value"));
            continue;
        }
        enum metric metric = picks[i].metric;
        json_object_set_new(out, picks[i].name,
                            json_pack("{s:o, s:s, s:s}", "value",
                                      json_number(metric_value(&l->metrics, metric)), "unit",
                                      metric_info(metric)->unit, "class",
                                      metric_class_name(metric_class(&l->metrics, metric))));
    }
    return out;
}

json_t *json_counters(const struct counters *counters)
{
    json_t *out = json_object();
    for (int i = 0; i < N_COUNTERS; i++)
        if (counter_get(counters, (enum counter)i))
            json_object_set_new(out, counter_info((enum counter)i)->name,
                                json_integer((json_int_t)counter_get(counters, (enum counter)i)));
    return out;
}

// Lines that touched memory, worst first.
static json_t *lines_json(struct arena *arena, const struct profile_launch *launch)
{
    json_t *out = json_array();
    size_t n;
    struct arena scratch;
    arena_init(&scratch, "lines");
    const struct line_row *rows = launch_lines(&scratch, launch, &n);
    for (size_t i = 0; i < n; i++) {
        const struct counters *c = &rows[i].counters;
        if (!c->global_requests && !c->shared_requests && !c->local_requests && !c->constant_requests)
            continue;
        json_array_append_new(out, json_pack("{s:o, s:o, s:I, s:I, s:o}", "place",
                                             json_text(launch_place(arena, launch, rows[i].worst_insn)),
                                             "instruction", json_text(launch->insns[rows[i].worst_insn].text),
                                             "excess_wavefronts", (json_int_t)rows[i].excess_wavefronts,
                                             "excess_sectors", (json_int_t)rows[i].excess_sectors, "counters",
                                             json_counters(c)));
    }
    arena_release(&scratch);
    return out;
}

static json_t *finding_json(struct arena *arena, const struct profile_launch *launch,
                            const struct finding *finding)
{
    json_t *out =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "kind", finding_name(finding->kind), "place",
                  json_text(finding_place(arena, launch, finding)), "text", json_text(finding->text), "fix",
                  json_text(finding->fix), "forecast", json_text(finding->forecast), "unit",
                  finding_unit(finding->kind), "metric", finding_metric(finding->kind));
    json_object_set_new(out, "before", json_number(finding->before));
    json_object_set_new(out, "after", json_number(finding->after));
    json_object_set_new(out, "cost", json_number(finding->cost));
    json_object_set_new(out, "share", json_number(finding->share));
    return out;
}

// "finding" is the first of "findings", or null.
static void add_findings(const struct report *report, const struct report_launch *l, json_t *out)
{
    size_t n;
    const struct finding *findings = report_findings(report, l, &n);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, finding_json(report->arena, l->launch, &findings[i]));
    json_object_set(out, "finding", n ? json_array_get(all, 0) : json_null());
    json_object_set_new(out, "findings", all);
}

static json_t *kernel_json(const struct report *report, const struct report_launch *l,
                           const struct metric_pick *picks, uint32_t n_picks)
{
    const struct profile_launch *launch = l->launch;
    json_t *out =
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "id", (json_int_t)l->id, "kernel", json_text(l->name),
                  "mangled", json_text(launch->kernel), "module", json_text(launch->module), "launch",
                  launch_json(l), "fidelity", fidelity_json(launch));
    json_object_set_new(out, "device", json_text(launch->device));
    json_object_set_new(out, "metrics", metrics_json(l, picks, n_picks));
    add_findings(report, l, out);
    json_object_set_new(out, "lines", lines_json(report->arena, launch));
    if (launch->fault)
        json_object_set_new(out, "fault", json_text(launch->fault));
    return out;
}

static json_t *environment_json(const struct report *report)
{
    const struct profile_environment *e = &report->launches[0].profile->environment;
    json_t *seconds = json_array(), *processes = json_array();
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct report_launch *l = &report->launches[i];
        json_array_append_new(seconds, json_number(l->launch->wall_seconds));
        json_array_append_new(processes, json_pack("{s:I, s:o}", "process_id", (json_int_t)l->process_id,
                                                   "process_name", json_text(l->process_name)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "program", json_text(e->program),
                     "arguments", json_text(e->arguments), "host", json_text(e->host), "version",
                     json_text(e->version), "device_reason", json_text(e->device_reason), "process_id",
                     (json_int_t)e->process_id, "start_unix_seconds", (json_int_t)e->start_unix_seconds,
                     "launch_wall_seconds", seconds, "launch_processes", processes);
}

static json_t *engine_json(const struct report *report, bool is_reproducible)
{
    uint64_t warp_instructions = 0;
    double seconds = 0;
    for (uint32_t i = 0; i < report->n_launches; i++) {
        warp_instructions += report->launches[i].launch->warp_instructions;
        seconds += report->launches[i].launch->wall_seconds;
    }
    json_t *out = json_pack("{s:I}", "warp_instructions", (json_int_t)warp_instructions);
    if (!is_reproducible)
        json_object_set_new(out, "wall_seconds", json_number(seconds));
    return out;
}

json_t *report_json_build(const struct report *report, const struct report_options *options)
{
    uint32_t n_picks;
    const struct metric_pick *picks = report_picks(report, options, &n_picks);
    json_t *root =
        json_pack("{s:i, s:o}", "format", 1, "engine", engine_json(report, options->is_reproducible));
    json_t *kernels = json_array();
    for (uint32_t i = 0; i < report->n_launches; i++)
        json_array_append_new(kernels, kernel_json(report, &report->launches[i], picks, n_picks));
    json_object_set_new(root, "launches", kernels);
    if (!options->is_reproducible && report->n_launches)
        json_object_set_new(root, "environment", environment_json(report));
    return root;
}

void report_json(const struct report *report, const struct report_options *options, struct buf *out)
{
    json_t *root = report_json_build(report, options);
    char *dump = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    if (!dump)
        err_memory("JSON", 0);
    buf_puts(out, dump);
    buf_puts(out, "\n");
    free(dump);
    json_decref(root);
}
