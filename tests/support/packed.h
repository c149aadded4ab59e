// Files under tests that are kept compressed.
#ifndef SUPPORT_PACKED_H
#define SUPPORT_PACKED_H
#include "base/buf.h"

// Adds the bytes of a file that zstd compressed; the test fails if there is no such file. To be released by the caller.
void packed_read(const char *path, struct buf *out);
#endif
