// Sentences folded to the width of a terminal.
#ifndef CLI_WRAP_H
#define CLI_WRAP_H
#include "base/buf.h"

enum { WRAP_COLUMNS = 110 };

// `lead`, then the words of `text`; lines after the first are indented by the length of `lead`. Ends with a
// newline.
void wrap_text(struct buf *out, const char *lead, const char *text);

// Takes blanks off the end.
void trim_text(struct buf *out);
#endif
