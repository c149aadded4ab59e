// Launches that say the same again: a program that launches one kernel a thousand times fills no screens with it. The first few
// of a kernel with one grid and block are shown, the rest is counted; --csv, --json and --page raw have them all.
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H
#include "base/map.h"
#include "report/report.h"

enum { FOLD_SHOWN = 4 }; // launches of one kernel, grid and block

struct fold {
    bool *shown;       // of each launch, in the report's arena: whether to show it
    struct map groups; // kernel, grid and block -> struct group; released by fold_release
};

struct fold fold_launches(const struct report *report);
// "and 996 more launches of step(float *) (64x1x1)x(256x1x1), 990 of them with the counts of launch 3": a line a kind.
void fold_print(const struct fold *fold, struct arena *arena, struct buf *out);
void fold_release(struct fold *fold);
#endif
