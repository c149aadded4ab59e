// What is printed of a profile: pages, --metrics, --fail-on.
#include "cli/pages.h"
#include "cli/page_options.h"
#include "cli/paint.h"
#include "report/gate.h"
#include "report/html.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef void (*page_writer)(const struct report *report, const struct report_options *options,
                            struct buf *out);

static const struct page {
    const char *name;
    page_writer write;
} pages[] = {{"summary", report_summary},        {"details", report_summary},
             {"source", report_source},          {"annotate", report_annotate},
             {"findings", report_findings_page}, {"compare", report_columns},
             {"device", report_device_page},     {"raw", report_raw}};

static page_writer choose_page(const struct page_request *request)
{
    if (request->is_json)
        return report_json;
    if (request->is_csv && request->page && strcmp(request->page, "source") == 0)
        return report_csv_source;
    if (request->is_csv)
        return request->page && strcmp(request->page, "details") == 0 ? report_csv_details : report_csv;
    bool has_sections = request->set || request->sections.n;
    if (has_sections && (!request->page || strcmp(request->page, "details") == 0))
        return report_sections;
    const char *name = request->page ? request->page : request->metrics ? "raw" : "summary";
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].name, name) == 0)
            return pages[i].write;
    return NULL;
}

static int write_to(const char *path, FILE *standard, const char *standard_name, const struct buf *text,
                    struct err *err)
{
    FILE *out = path ? fopen(path, "w") : standard;
    bool is_good = out && fwrite(text->at, 1, text->n, out) == text->n && fflush(out) == 0;
    if (path && out)
        is_good &= fclose(out) == 0;
    if (is_good)
        return 0;
    err_set(err, "cannot write '%s': %s", path ? path : standard_name, strerror(errno));
    return EXIT_INPUT;
}

// Text pages are coloured where they go to a terminal.
static int print_out(const struct page_request *request, const struct buf *text, struct err *err)
{
    FILE *standard = request->is_on_stderr ? stderr : stdout;
    struct buf painted = {0};
    bool is_painted = !request->is_csv && !request->is_json && !request->log_file && text->n &&
                      paint_wanted(fileno(standard));
    if (is_painted)
        paint(text->at, &painted);
    int status =
        write_to(request->log_file, standard, request->is_on_stderr ? "standard error" : "standard output",
                 is_painted ? &painted : text, err);
    buf_release(&painted);
    return status;
}

static int write_junit(const struct page_request *request, const struct gate *gate, struct err *err)
{
    struct buf text = {0};
    gate_junit(gate, &text);
    int status = write_to(request->junit, NULL, "", &text, err);
    buf_release(&text);
    return status;
}

// Judges every --fail-on; failures go to standard error.
static int judge(const struct report *report, const struct page_request *request, struct err *err)
{
    struct gate gate;
    if (!gate_judge(report, request->fail_on.at, request->fail_on.n, &gate, err))
        return EXIT_USAGE;
    struct buf text = {0};
    gate_print(&gate, &text);
    if (text.n)
        fputs(text.at, stderr);
    buf_release(&text);
    int status = request->junit ? write_junit(request, &gate, err) : 0;
    return status ? status : gate.n_failed ? EXIT_THRESHOLD : 0;
}

int pages_check(const char *command, const struct page_request *request)
{
    bool has_csv =
        !request->page || strcmp(request->page, "raw") == 0 || strcmp(request->page, "details") == 0 ||
        strcmp(request->page, "source") == 0;
    if (!choose_page(request) || (request->is_csv && !has_csv))
        return usage_error(command, "page '%s' %s", request->page,
                           request->is_csv
                               ? "has no --csv; raw, details and source have"
                               : "is unknown: summary, source, annotate, findings, compare, raw, device");
    if (request->print_units && strcmp(request->print_units, "base") != 0 &&
        strcmp(request->print_units, "auto") != 0)
        return usage_error(command, "--print-units takes auto or base, not '%s'", request->print_units);
    if (request->order && strcmp(request->order, "excess") != 0 && strcmp(request->order, "line") != 0)
        return usage_error(command, "--order takes excess or line, not '%s'", request->order);
    return OPTIONS_GO;
}

bool pages_check_early(struct arena *arena, const struct page_request *request, struct err *err)
{
    struct report_options options;
    struct report nothing = {.arena = arena};
    struct gate gate;
    if (!page_options_read(arena, request, &options, err) ||
        !gate_judge(&nothing, request->fail_on.at, request->fail_on.n, &gate, err))
        return false;
    FILE *log = request->log_file ? fopen(request->log_file, "a") : NULL;
    if (request->log_file && !log)
        return err_set(err, "cannot write '%s': %s", request->log_file, strerror(errno));
    return !log || fclose(log) == 0;
}

static int print_page(const struct report *report, const struct page_request *request,
                      const struct report_options *options, struct err *err)
{
    struct buf text = {0};
    if (request->headline && !request->is_csv && !request->is_json)
        buf_printf(&text, "%s\n", request->headline);
    choose_page(request)(report, options, &text);
    int status = print_out(request, &text, err);
    buf_release(&text);
    return status;
}

static int write_html(const struct report *report, const struct page_request *request,
                      const struct report_options *options, struct err *err)
{
    struct buf text = {0};
    report_html(report, options, &text);
    int status = write_to(request->html, NULL, "", &text, err);
    buf_release(&text);
    if (status == 0 && !html_has_charts())
        fprintf(stderr,
                "warpglass: %s has no roofline chart: this build has no chart library (make charts)\n",
                request->html);
    return status;
}

int pages_print(struct arena *arena, const struct page_request *request,
                const struct profile *const *profiles, uint32_t n_profiles, struct err *err)
{
    struct report_options options;
    if (!page_options_read(arena, request, &options, err))
        return EXIT_USAGE;
    struct report report;
    report_open(&report, arena, profiles, n_profiles);
    if (!report.n_launches) {
        err_set(err, "0 kernels measured in '%s'", profiles[0]->path);
        return EXIT_INPUT;
    }
    int status = print_page(&report, request, &options, err);
    if (status == 0 && request->html)
        status = write_html(&report, request, &options, err);
    if (status == 0 && (request->fail_on.n || request->junit))
        status = judge(&report, request, err);
    return status;
}
