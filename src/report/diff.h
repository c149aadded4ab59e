// Two reports compared: the launches of one kernel in order of their numbers, metric by metric and line by
// line.
//
//     struct diff diff;
//     diff_match(&old_report, &new_report, &diff);
//     diff_print(&diff, &options, &text);
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H
#include "report/gate.h"
#include "report/report.h"

struct diff_pair {
    const struct report_launch *before, *after;
};

struct diff {
    struct arena *arena;
    const struct report *before, *after;
    // The n-th launch of a kernel with the n-th of the same name, in the new order; single launches whatever
    // their names.
    struct diff_pair *pairs;
    const struct report_launch **only_before, **only_after;
    uint32_t n_pairs, n_only_before, n_only_after;
};

void diff_match(const struct report *before, const struct report *after, struct diff *out);

// Metrics that changed (--metrics: the chosen ones, changed or not) and lines whose excess did.
void diff_print(const struct diff *diff, const struct report_options *options, struct buf *out);
void diff_json(const struct diff *diff, const struct report_options *options, struct buf *out);

// Expressions over old.METRIC, new.METRIC and change.METRIC (percent). A launch that is missing in the new
// report is a failure of its own.
bool diff_judge(const struct diff *diff, const char *const *expressions, uint32_t n, struct gate *out,
                struct err *err);
// The same for every cost that diff_print shows: it must not grow by more than so many percent.
bool diff_judge_growth(const struct diff *diff, double most_percent, struct gate *out, struct err *err);

double diff_change(double before, double after); // percent; 0 where both are 0; INFINITY from 0
#endif
