// warpglass report PROFILE.wgp ...: prints stored profiles.
#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct request {
    const char *page, *metrics, *print_units, *log_file, *fail_on;
    bool is_csv, is_json, is_reproducible;
};

typedef void (*page_writer)(const struct report *report, const struct report_options *options, struct buf *out);

static const struct page { const char *name; page_writer write; } pages[] = {
    {"summary", report_summary}, {"details", report_summary}, {"compare", report_columns}, {"raw", report_raw}};

static page_writer choose_page(const struct request *request)
{
    if (request->is_json)
        return report_json;
    if (request->is_csv)
        return report_csv;
    const char *name = request->page ? request->page : request->metrics ? "raw" : "summary";
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].name, name) == 0)
            return pages[i].write;
    return NULL;
}

// "a,b,c"; the picks' names live in the arena.
static bool read_metrics(struct arena *arena, const char *list, struct report_options *out, struct err *err)
{
    size_t n_most = 1;
    for (const char *at = list; *at; at++)
        n_most += *at == ',';
    struct metric_pick *picks = arena_array(arena, struct metric_pick, n_most);
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");
        const char *name = arena_string(arena, at, n);
        if (n && !metric_find(name, &picks[out->n_picks++], err))
            return false;
        at += n;
        if (!*at)
            break;
    }
    out->picks = picks;
    return out->n_picks > 0 || err_set(err, "--metrics names no metric");
}

static int print_out(const char *path, const struct buf *text, struct err *err)
{
    FILE *out = path ? fopen(path, "w") : stdout;
    bool is_good = out && fwrite(text->at, 1, text->n, out) == text->n && fflush(out) == 0;
    if (path && out)
        is_good &= fclose(out) == 0;
    if (is_good)
        return 0;
    err_set(err, "cannot write '%s': %s", path ? path : "standard output", strerror(errno));
    return EXIT_INPUT;
}

static int gate(const struct report *report, const char *expression, struct err *err)
{
    struct buf text = {0};
    int n_failed = report_fail_on(report, expression, &text, err);
    if (n_failed > 0)
        fputs(text.at, stderr);
    buf_release(&text);
    return n_failed < 0 ? EXIT_USAGE : n_failed ? EXIT_THRESHOLD : 0;
}

static int report_profiles(struct arena *arena, const struct request *request, const struct arguments *paths,
                           struct err *err)
{
    struct report_options options = {.is_reproducible = request->is_reproducible,
                                     .is_base_units = request->print_units && strcmp(request->print_units, "base") == 0};
    if (request->metrics && !read_metrics(arena, request->metrics, &options, err))
        return EXIT_USAGE;
    const struct profile **profiles = arena_array(arena, const struct profile *, paths->n);
    for (uint32_t i = 0; i < paths->n; i++) {
        profiles[i] = profile_read(arena, paths->at[i], err);
        if (!profiles[i])
            return EXIT_INPUT;
        if (profiles[i]->is_truncated)
            fprintf(stderr, "warpglass: '%s' ends in the middle of a launch, which is left out\n", paths->at[i]);
    }
    struct report report;
    report_open(&report, arena, profiles, paths->n);
    if (!report.n_launches) {
        err_set(err, "0 kernels measured in '%s'", paths->at[0]);
        return EXIT_INPUT;
    }
    struct buf text = {0};
    choose_page(request)(&report, &options, &text);
    int status = print_out(request->log_file, &text, err);
    buf_release(&text);
    if (status == 0 && request->fail_on)
        status = gate(&report, request->fail_on, err);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct request request = {0};
    const struct option_row rows[] = {
        {"page", OPT_STRING, &request.page, "summary|compare|raw", "one screen a launch; all side by side; every metric"},
        {"csv", OPT_FLAG, &request.is_csv, NULL, "the raw page in ncu's columns, comma-separated"},
        {"json", OPT_FLAG, &request.is_json, NULL, "everything as one JSON document"},
        {"metrics", OPT_STRING, &request.metrics, "NAME,...", "only these, by the names of ncu or nvprof"},
        {"print-units", OPT_STRING, &request.print_units, "auto|base", "4.0 MiB or 4194304 in text (--csv is base)"},
        {"fail-on", OPT_STRING, &request.fail_on, "EXPR", "exit 1 if this holds for a kernel: 'dram__bytes.sum > 1e6'"},
        {"reproducible", OPT_FLAG, &request.is_reproducible, NULL, "leave out times, host and process"},
        {"log-file", OPT_STRING, &request.log_file, "FILE", "write there instead of standard output"},
        {0}};
    struct arguments paths;
    int status = options_parse(argc, argv, "report PROFILE.wgp... [options]",
                               "Prints what stored profiles hold; several are shown as one.", rows, &paths);
    if (status != OPTIONS_GO)
        return status;
    if (paths.n == 0)
        return usage_error("report", "expected a profile (made by launch --export)");
    if (!choose_page(&request) || (request.is_csv && request.page && strcmp(request.page, "raw") != 0))
        return usage_error("report", "page '%s' %s", request.page,
                           request.is_csv ? "has no --csv; raw has" : "is unknown: summary, compare, raw");
    if (request.print_units && strcmp(request.print_units, "base") != 0 && strcmp(request.print_units, "auto") != 0)
        return usage_error("report", "--print-units takes auto or base, not '%s'", request.print_units);
    struct arena arena;
    arena_init(&arena, "report");
    struct err err = {0};
    status = report_profiles(&arena, &request, &paths, &err);
    if (err.set)
        err_print(&err, stderr);
    arena_release(&arena);
    return status;
}
