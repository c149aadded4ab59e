// Growing bytes: texts put together piece by piece, and binary records. Always NUL-terminated behind `n`.
//
//     struct buf b = {0};
//     buf_printf(&b, "%u blocks", n);
//     fputs(b.at, out);
//     buf_release(&b);
#ifndef BASE_BUF_H
#define BASE_BUF_H
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *at; // NULL until the first byte
    size_t n, capacity;
};

void buf_add(struct buf *buf, const void *bytes, size_t n);
void buf_puts(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_pad_to(struct buf *buf, size_t column); // blanks until the last line is `column` bytes long
void buf_clear(struct buf *buf);
void buf_release(struct buf *buf);

// A whole file; on failure nothing is held and `err` names the path and the system's reason.
bool buf_read_file(struct buf *out, const char *path, struct err *err);
#endif
