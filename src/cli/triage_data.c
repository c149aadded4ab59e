// A triage as CSV and as JSON.
#include "cli/triage_text.h"
#include "prof/demangle.h"
#include "triage/mix.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *grade_name(enum triage_grade grade)
{
    static const char *const names[] = {"clean", "note", "slow", "spills", "broken"};
    return names[grade];
}

static const char *target(const struct triage_report *report, const struct triage_kernel *k)
{
    return k->cc ? arena_printf(report->t->arena, "sm_%u%s", k->cc, k->is_arch_specific ? "a" : "") : "";
}

// ---- CSV ------------------------------------------------------------------------------------------------

static void cell(struct buf *out, const char *text)
{
    buf_puts(out, "\"");
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    buf_puts(out, "\",");
}

static const char *joined_sources(const struct triage_report *report, const struct triage_kernel *k)
{
    const char *text = "";
    for (int i = 0; i < N_TRIAGE_SOURCES; i++)
        if (k->sources >> i & 1)
            text = arena_printf(report->t->arena, "%s%s%s", text, *text ? " " : "",
                                triage_source_name((enum triage_source)i));
    return text;
}

static const char *joined_traps(const struct triage_report *report, const struct triage_kernel *k)
{
    const char *text = "";
    for (int i = 0; i < N_TRIAGE_TRAPS; i++)
        if (k->traps >> i & 1)
            text = arena_printf(report->t->arena, "%s%s%s", text, *text ? " " : "",
                                triage_trap_info((enum triage_trap)i)->name);
    return text;
}

void triage_csv(const struct triage_report *report, struct buf *out)
{
    buf_puts(out, "kernel,target,sources,device,grade,");
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        buf_printf(out, "%s,", triage_value_info((enum triage_value)i)->name);
    buf_puts(out, "traps,verdict\n");
    for (size_t r = 0; r < report->n; r++) {
        const struct triage_verdict *v = &report->verdicts[r];
        cell(out, v->kernel->name);
        buf_printf(out, "%s,%s,", target(report, v->kernel), joined_sources(report, v->kernel));
        cell(out, v->device ? v->device->id : "");
        buf_printf(out, "%s,", grade_name(v->grade));
        for (int i = 0; i < N_TRIAGE_VALUES; i++)
            if (triage_has(v->kernel, (enum triage_value)i))
                buf_printf(out, "%.10g,", v->kernel->values[i]);
            else
                buf_puts(out, ",");
        cell(out, joined_traps(report, v->kernel));
        cell(out, v->text);
        out->n--; // the last comma
        buf_puts(out, "\n");
    }
}

// ---- JSON -----------------------------------------------------------------------------------------------

static json_t *json_values(const struct triage_kernel *k)
{
    json_t *out = json_object();
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        json_object_set_new(out, triage_value_info((enum triage_value)i)->name,
                            triage_has(k, (enum triage_value)i) ? json_real(k->values[i]) : json_null());
    return out;
}

static json_t *json_traps(const struct triage_kernel *k)
{
    json_t *out = json_array();
    for (int i = 0; i < N_TRIAGE_TRAPS; i++) {
        const struct triage_trap_info *trap = triage_trap_info((enum triage_trap)i);
        if (k->traps >> i & 1)
            json_array_append_new(out, json_pack("{s:s, s:i, s:s}", "name", trap->name, "severity",
                                                 trap->severity, "text", trap->text));
    }
    return out;
}

static json_t *json_sources(const struct triage_kernel *k)
{
    json_t *out = json_array();
    for (int i = 0; i < N_TRIAGE_SOURCES; i++)
        if (k->sources >> i & 1)
            json_array_append_new(out,
                                  json_pack("{s:s, s:s%}", "kind", triage_source_name((enum triage_source)i),
                                            "place", k->files[i], strlen(k->files[i])));
    return out;
}

static json_t *json_mix(const struct triage_mix *mix)
{
    json_t *out = json_array();
    for (size_t i = 0; mix && i < mix->n_rows; i++) {
        const struct mix_row *row = &mix->rows[i];
        json_array_append_new(out, json_pack("{s:s, s:i, s:s, s:i, s:i}", "file", row->file, "line",
                                             (int)row->line, "instruction", mix_name(row->kind), "bits",
                                             (int)row->bits, "count", (int)row->n));
    }
    return out;
}

// Text of a file may be no UTF-8: such names are given with question marks.
static json_t *json_name(const char *name)
{
    json_t *out = json_string(name);
    if (out)
        return out;
    char *copy = strdup(name);
    for (char *at = copy; copy && *at; at++)
        *at = *at & 0x80 ? '?' : *at;
    out = json_string(copy ? copy : "");
    free(copy);
    return out;
}

static json_t *json_kernel(const struct triage_report *report, const struct triage_verdict *v)
{
    struct triage_kernel *k = v->kernel;
    json_t *out = json_object();
    json_object_set_new(out, "kernel", json_name(k->name));
    json_object_set_new(out, "demangled", json_name(demangle(report->t->arena, k->name, DEMANGLE_NVIDIA)));
    json_object_set_new(out, "target", json_string(target(report, k)));
    json_object_set_new(out, "device", v->device ? json_name(v->device->id) : json_null());
    json_object_set_new(out, "grade", json_string(grade_name(v->grade)));
    json_object_set_new(out, "verdict", json_string(v->text));
    json_object_set_new(out, "registers_are_estimated", json_boolean(k->registers_are_estimated));
    json_object_set_new(out, "sources", json_sources(k));
    json_object_set_new(out, "values", json_values(k));
    json_object_set_new(out, "traps", json_traps(k));
    json_object_set_new(out, "mix", json_mix(k->mix));
    return out;
}

void triage_json(const struct triage_report *report, struct buf *out)
{
    json_t *kernels = json_array(), *devices = json_array();
    for (size_t i = 0; i < report->n; i++)
        json_array_append_new(kernels, json_kernel(report, &report->verdicts[i]));
    for (size_t i = 0; i < report->t->devices.n; i++) {
        const struct triage_device *d = &report->t->devices.at[i];
        json_t *device = json_object();
        json_object_set_new(device, "name", json_name(d->name));
        json_object_set_new(device, "file", json_name(d->file));
        json_object_set_new(device, "compute_capability", json_real(d->cc / 10.0));
        json_array_append_new(devices, device);
    }
    json_t *root = json_pack("{s:s, s:o, s:o}", "command", "triage", "devices", devices, "kernels", kernels);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    buf_puts(out, text ? text : "{}");
    buf_puts(out, "\n");
    free(text);
    json_decref(root);
}
