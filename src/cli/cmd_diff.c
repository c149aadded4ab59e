// warpglass diff OLD NEW: two profiles compared, launch by launch.
#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/page_options.h"
#include "report/diff.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct diff_request {
    struct page_request pages; // metrics, print_units, log_file, junit, fail_on
    double threshold;          // percent; NAN: none
};

static bool open_report(struct arena *arena, const char *path, struct report *out, struct err *err)
{
    const struct profile *profile = profile_read(arena, path, err);
    if (!profile)
        return false;
    report_open(out, arena, &profile, 1);
    return out->n_launches || err_set(err, "0 kernels measured in '%s'", path);
}

static int write_text(const char *path, const struct buf *text, struct err *err)
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

static int print(const struct diff *diff, const struct diff_request *request, struct err *err)
{
    struct report_options options;
    if (!page_options_read(diff->arena, &request->pages, &options, err))
        return EXIT_USAGE;
    struct buf text = {0};
    if (request->pages.is_json)
        diff_json(diff, &options, &text);
    else
        diff_print(diff, &options, &text);
    int status = write_text(request->pages.log_file, &text, err);
    buf_release(&text);
    return status;
}

static int judge(const struct diff *diff, const struct diff_request *request, struct err *err)
{
    struct gate gate;
    bool is_read = isnan(request->threshold)
                       ? diff_judge(diff, request->pages.fail_on.at, request->pages.fail_on.n, &gate, err)
                       : diff_judge_growth(diff, request->threshold, &gate, err);
    if (!is_read)
        return EXIT_USAGE;
    struct buf text = {0};
    gate_print(&gate, &text);
    if (text.n)
        fputs(text.at, stderr);
    buf_clear(&text);
    gate_junit(&gate, &text);
    int status = request->pages.junit ? write_text(request->pages.junit, &text, err) : 0;
    buf_release(&text);
    return status ? status : gate.n_failed ? EXIT_THRESHOLD : 0;
}

static int compare(struct arena *arena, const struct diff_request *request, const struct arguments *paths,
                   struct err *err)
{
    struct report before, after;
    struct diff diff;
    if (!open_report(arena, paths->at[0], &before, err) || !open_report(arena, paths->at[1], &after, err))
        return EXIT_INPUT;
    diff_match(&before, &after, &diff);
    if (!diff.n_pairs) {
        err_set(err, "'%s' and '%s' have no kernel in common", paths->at[0], paths->at[1]);
        return EXIT_INPUT;
    }
    int status = print(&diff, request, err);
    bool is_gated = request->pages.fail_on.n || request->pages.junit || !isnan(request->threshold);
    return status == 0 && is_gated ? judge(&diff, request, err) : status;
}

static int check(const struct diff_request *request, const struct arguments *paths)
{
    if (paths->n != 2)
        return usage_error("diff", "expected two profiles, the old and the new");
    if (!isnan(request->threshold) && request->pages.fail_on.n)
        return usage_error("diff", "--threshold or --fail-on, not both");
    return pages_check("diff", &request->pages);
}

int cmd_diff(int argc, char **argv)
{
    struct diff_request request = {.threshold = (double)NAN};
    struct page_request *pages = &request.pages;
    const struct option_row rows[] = {
        {"metrics", OPT_STRING, &pages->metrics, "NAME,...", "these, changed or not; group:NAME, regex:EXPR"},
        {"json", OPT_FLAG, &pages->is_json, NULL, "everything as one JSON document"},
        {"print-units", OPT_STRING, &pages->print_units, "auto|base", "4.0 MiB or 4194304"},
        {"fail-on", OPT_LIST, &pages->fail_on, "EXPR",
         "exit 1 if this holds for a kernel: 'change.dram__bytes.sum > 5'; also old.METRIC, new.METRIC"},
        {"threshold", OPT_REAL, &request.threshold, "PERCENT",
         "exit 1 if instructions, wavefronts, sectors or bytes grow by more"},
        {"junit", OPT_STRING, &pages->junit, "FILE", "besides, the outcome of each gate as JUnit XML"},
        {"log-file", OPT_STRING, &pages->log_file, "FILE", "write the comparison there"},
        {0}};
    struct arguments paths;
    int status = options_parse(argc, argv, "diff OLD.wgp NEW.wgp [options]",
                               "Compares two profiles launch by launch.", rows, &paths);
    if (status != OPTIONS_GO || (status = check(&request, &paths)) != OPTIONS_GO)
        return status;
    struct arena arena;
    arena_init(&arena, "diff");
    struct err err = {0};
    status = compare(&arena, &request, &paths, &err);
    if (err.set)
        err_print(&err, stderr);
    arena_release(&arena);
    return status;
}
