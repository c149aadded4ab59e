// Growing bytes, always with a NUL behind them.
#include "base/buf.h"
#include "base/vec.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Room for `more` bytes and the NUL; terminates what is there.
static void buf_reserve(struct buf *buf, size_t more)
{
    if (more > SIZE_MAX / 4)
        err_memory("a buffer", more);
    size_t need = buf->n + more + 1;
    if (need > buf->capacity)
        buf->at = vec_grow(buf->at, &buf->capacity, need < 64 ? 64 : need, 1);
    buf->at[buf->n] = '\0';
}

void buf_add(struct buf *buf, const void *bytes, size_t n)
{
    buf_reserve(buf, n);
    if (n)
        memcpy(buf->at + buf->n, bytes, n);
    buf->n += n;
    buf->at[buf->n] = '\0';
}

void buf_puts(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        BUG("format \"%s\" cannot be printed", format);
    buf_reserve(buf, (size_t)length);
    va_start(args, format);
    vsnprintf(buf->at + buf->n, (size_t)length + 1, format, args);
    va_end(args);
    buf->n += (size_t)length;
}

void buf_pad_to(struct buf *buf, size_t column)
{
    const char *newline = buf->n ? memrchr(buf->at, '\n', buf->n) : NULL;
    size_t line_start = newline ? (size_t)(newline - buf->at) + 1 : 0;
    for (size_t at = buf->n - line_start; at < column; at++)
        buf_add(buf, " ", 1);
}

void buf_clear(struct buf *buf)
{
    buf->n = 0;
    if (buf->at)
        buf->at[0] = '\0';
}

void buf_release(struct buf *buf)
{
    free(buf->at);
    *buf = (struct buf){0};
}

// Everything up to the end; pipes and devices have no size to ask for.
static bool read_all(struct buf *out, FILE *in)
{
    char block[16384];
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        buf_add(out, block, n);
    return !ferror(in);
}

bool buf_read_file(struct buf *out, const char *path, struct err *err)
{
    *out = (struct buf){0};
    FILE *in = fopen(path, "rb");
    if (!in)
        return err_set(err, "cannot open '%s': %s", path, strerror(errno));
    buf_reserve(out, 0);
    bool is_read = read_all(out, in);
    int reason = errno;
    fclose(in);
    if (is_read)
        return true;
    buf_release(out);
    return err_set(err, "cannot read '%s': %s", path, strerror(reason));
}
