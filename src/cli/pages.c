// What is printed of a profile: pages, --metrics, --fail-on.
#include "cli/pages.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef void (*page_writer)(const struct report *report, const struct report_options *options,
                            struct buf *out);

static const struct page {
    const char *name;
    page_writer write;
} pages[] = {{"summary", report_summary},
             {"details", report_summary},
             {"source", report_source},
             {"findings", report_findings_page},
             {"compare", report_columns},
             {"raw", report_raw}};

static page_writer choose_page(const struct page_request *request)
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

static int print_out(const struct page_request *request, const struct buf *text, struct err *err)
{
    const char *path = request->log_file;
    FILE *out = path ? fopen(path, "w") : request->is_on_stderr ? stderr : stdout;
    bool is_good = out && fwrite(text->at, 1, text->n, out) == text->n && fflush(out) == 0;
    if (path && out)
        is_good &= fclose(out) == 0;
    if (is_good)
        return 0;
    err_set(err, "cannot write '%s': %s",
            path                    ? path
            : request->is_on_stderr ? "standard error"
                                    : "standard output",
            strerror(errno));
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

int pages_check(const char *command, const struct page_request *request)
{
    if (!choose_page(request) || (request->is_csv && request->page && strcmp(request->page, "raw") != 0))
        return usage_error(command, "page '%s' %s", request->page,
                           request->is_csv ? "has no --csv; raw has" : "is unknown: summary, source, findings, compare, raw");
    if (request->print_units && strcmp(request->print_units, "base") != 0 &&
        strcmp(request->print_units, "auto") != 0)
        return usage_error(command, "--print-units takes auto or base, not '%s'", request->print_units);
    if (request->order && strcmp(request->order, "excess") != 0 && strcmp(request->order, "line") != 0)
        return usage_error(command, "--order takes excess or line, not '%s'", request->order);
    return OPTIONS_GO;
}

bool pages_check_early(struct arena *arena, const struct page_request *request, struct err *err)
{
    struct report_options options = {0};
    struct report nothing = {.arena = arena};
    struct buf text = {0};
    if (request->metrics && !read_metrics(arena, request->metrics, &options, err))
        return false;
    if (request->fail_on && report_fail_on(&nothing, request->fail_on, &text, err) < 0)
        return false;
    FILE *log = request->log_file ? fopen(request->log_file, "a") : NULL;
    if (request->log_file && !log)
        return err_set(err, "cannot write '%s': %s", request->log_file, strerror(errno));
    return !log || fclose(log) == 0;
}

int pages_print(struct arena *arena, const struct page_request *request,
                const struct profile *const *profiles, uint32_t n_profiles, struct err *err)
{
    struct report_options options = {.is_reproducible = request->is_reproducible,
                                     .is_in_order = request->order && strcmp(request->order, "line") == 0,
                                     .is_base_units =
                                         request->print_units && strcmp(request->print_units, "base") == 0};
    if (request->metrics && !read_metrics(arena, request->metrics, &options, err))
        return EXIT_USAGE;
    struct report report;
    report_open(&report, arena, profiles, n_profiles);
    if (!report.n_launches) {
        err_set(err, "0 kernels measured in '%s'", profiles[0]->path);
        return EXIT_INPUT;
    }
    struct buf text = {0};
    if (request->headline && !request->is_csv && !request->is_json)
        buf_printf(&text, "%s\n", request->headline);
    choose_page(request)(&report, &options, &text);
    int status = print_out(request, &text, err);
    buf_release(&text);
    if (status == 0 && request->fail_on)
        status = gate(&report, request->fail_on, err);
    return status;
}
