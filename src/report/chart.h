// The memory chart of a launch, as text and as numbers: what moved between kernel, L1 and shared memory, L2
// and device memory, and how long each level needs for it at its peak.
#ifndef REPORT_CHART_H
#define REPORT_CHART_H
#include "report/report.h"

void chart_print(const struct report *report, const struct report_launch *l, bool is_base_units,
                 struct buf *out);

// The least time at the peak of a level: everything spread evenly over the SMs that got a block.
struct level_time {
    const char *name;
    double seconds;
};
enum { N_LEVEL_TIMES = 5 };
// False where the profile's device has no such figures. `slowest` is the level that decides.
bool chart_times(const struct report_launch *l, struct level_time out[N_LEVEL_TIMES], int *slowest);
#endif
