// A line on stderr while a launch runs: blocks done, warp instructions a second, time left. Only on a
// terminal, and only after a second.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
#include "cycle/run.h"

struct progress_line;
struct progress_line *progress_start(const struct run_progress *progress,
                                     const char *kernel); // NULL: not a terminal
void progress_stop(struct progress_line *line);           // erases the line; NULL is fine
#endif
