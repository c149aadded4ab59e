// Colour for text pages on a terminal.
#ifndef CLI_PAINT_H
#define CLI_PAINT_H
#include "base/buf.h"
#include <stdbool.h>

// Does whoever reads this descriptor want colour? A terminal that is not dumb, and no NO_COLOR in the
// environment.
bool paint_wanted(int descriptor);

// `text` with launches, findings, fixes and forecasts set off; what is not known stays as it is.
void paint(const char *text, struct buf *out);
#endif
