// What all pages share: launches of all profiles in a row, the choice of metrics, the gate.
#include "report/report.h"
#include "prof/demangle.h"
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void open_launch(struct report *report, const struct profile *profile, const struct kv_file *device,
                        const struct device *model, const struct profile_launch *launch, bool is_alone)
{
    struct report_launch *l = &report->launches[report->n_launches];
    const char *name = *launch->demangled ? launch->demangled : launch->kernel;
    *l = (struct report_launch){
        .profile = profile,
        .launch = launch,
        .device = device,
        .model = model,
        .id = is_alone ? launch->id : report->n_launches,
        .name = name,
        .short_name = demangle_base(report->arena, name),
        .process_id = launch->process_id ? launch->process_id : profile->environment.process_id,
        .process_name =
            base_name(*launch->process_name ? launch->process_name : profile->environment.program)};
    metric_input_init(&l->metrics, launch, device);
    report->n_launches++;
}

// Several processes, or one after another: their launches are counted through.
static bool is_one_process(const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->n_launches; i++)
        if (profile->launches[i].process_id != profile->launches[0].process_id)
            return false;
    return true;
}

// The profile keeps each value's tag but not its note, without which a device file is refused.
static void add_notes(const char *text, struct buf *out)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        buf_add(out, text, (size_t)(end - text));
        buf_puts(out, memchr(text, '"', (size_t)(end - text)) ? "\n" : " \"as the profile has it\"\n");
    }
}

static const struct device *model_of(struct arena *arena, const struct profile *profile)
{
    struct device *model = arena_new(arena, struct device);
    struct buf text = {0};
    struct err ignored = {0};
    add_notes(profile->device_text, &text);
    bool is_good = text.n && device_parse(arena, profile->path, text.at, text.n, model, &ignored);
    buf_release(&text);
    return is_good ? model : NULL;
}

const struct finding *report_findings(const struct report *report, const struct report_launch *launch,
                                      size_t *n)
{
    return launch_findings(report->arena, launch->launch, launch->model, n);
}

void report_open(struct report *out, struct arena *arena, const struct profile *const *profiles, uint32_t n)
{
    uint32_t n_launches = 0;
    for (uint32_t i = 0; i < n; i++)
        n_launches += profiles[i]->n_launches;
    *out = (struct report){.arena = arena, .launches = arena_array(arena, struct report_launch, n_launches)};
    for (uint32_t i = 0; i < n; i++) {
        const struct kv_file *device = metric_device_read(arena, profiles[i]);
        const struct device *model = model_of(arena, profiles[i]);
        bool is_alone = n == 1 && is_one_process(profiles[i]);
        for (uint32_t k = 0; k < profiles[i]->n_launches; k++)
            open_launch(out, profiles[i], device, model, &profiles[i]->launches[k], is_alone);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct metric_pick *)a)->name, ((const struct metric_pick *)b)->name);
}

const struct metric_pick *report_picks(const struct report *report, const struct report_options *options,
                                       uint32_t *n)
{
    if (options->n_picks) {
        *n = options->n_picks;
        return options->picks;
    }
    struct metric_pick *all = arena_array(report->arena, struct metric_pick, N_METRICS);
    for (int i = 0; i < N_METRICS; i++)
        all[i] = (struct metric_pick){metric_info((enum metric)i)->name, (enum metric)i};
    qsort(all, N_METRICS, sizeof *all, by_name);
    *n = N_METRICS;
    return all;
}

const char *report_shape(struct arena *arena, const uint32_t shape[3])
{
    return arena_printf(arena, "%ux%ux%u", shape[0], shape[1], shape[2]);
}
