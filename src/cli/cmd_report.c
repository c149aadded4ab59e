// warpglass report PROFILE.wgp ...: prints stored profiles.
#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "report/report.h"
#include <stdio.h>

static int report_profiles(struct arena *arena, const struct page_request *request,
                           const struct arguments *paths, struct err *err)
{
    const struct profile **profiles = arena_array(arena, const struct profile *, paths->n);
    for (uint32_t i = 0; i < paths->n; i++) {
        profiles[i] = profile_read(arena, paths->at[i], err);
        if (!profiles[i])
            return EXIT_INPUT;
        if (profiles[i]->is_truncated)
            fprintf(stderr, "warpglass: '%s' ends in the middle of a launch, which is left out\n",
                    paths->at[i]);
    }
    return pages_print(arena, request, profiles, paths->n, err);
}

static int list_metrics(void)
{
    struct buf text = {0};
    report_metric_list(&text);
    fputs(text.at, stdout);
    buf_release(&text);
    return 0;
}

int cmd_report(int argc, char **argv)
{
    struct page_request request = {0};
    bool wants_list = false;
    const struct option_row rows[] = {
        PAGE_OPTIONS(&request),
        {"list-metrics", OPT_FLAG, &wants_list, NULL, "every metric with unit, trust and rule, and stop"},
        {0}};
    struct arguments paths;
    int status = options_parse(argc, argv, "report PROFILE.wgp... [options]",
                               "Prints what stored profiles hold; several are shown as one.", rows, &paths);
    if (status != OPTIONS_GO)
        return status;
    if (wants_list)
        return list_metrics();
    if (paths.n == 0)
        return usage_error("report", "expected a profile (made by launch --export)");
    status = pages_check("report", &request);
    if (status != OPTIONS_GO)
        return status;
    struct arena arena;
    arena_init(&arena, "report");
    struct err err = {0};
    status = report_profiles(&arena, &request, &paths, &err);
    if (err.set)
        err_print(&err, stderr);
    arena_release(&arena);
    return status;
}
