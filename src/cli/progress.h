// A line on stderr while launches run: blocks done, warp instructions a second, time left. Only on a
// terminal, and only after a second. `kernel` is read whenever the line is drawn, so it may change; "" draws
// nothing.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
#include "cycle/run.h"

struct progress_line;
struct progress_line *progress_start(const struct run_progress *progress,
                                     const char *kernel); // NULL: not a terminal
void progress_stop(struct progress_line *line);           // erases the line; NULL is fine
#endif
