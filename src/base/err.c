// Errors of the three kinds: filled in, printed with a caret, or fatal.
#include "base/err.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void set_text(struct err *err, const char *format, va_list args)
{
    err->set = true;
    vsnprintf(err->text, sizeof err->text, format, args);
    for (char *c = err->text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

bool err_set(struct err *err, const char *format, ...)
{
    if (err->set)
        return false;
    va_list args;
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    return false;
}

// The start of the 1-based line, or NULL when the text has fewer lines.
static const char *find_line(const char *text, size_t length, unsigned line)
{
    const char *at = text, *end = text + length;
    for (; line > 1; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return NULL;
        at = newline + 1;
    }
    return at;
}

// Copy the line; tabs become single blanks so that the caret stays below its column.
static void cut_line(char *out, size_t out_size, const char *at, const char *end)
{
    size_t n = 0;
    for (; at < end && *at != '\n' && *at != '\r' && *at && n + 1 < out_size; at++)
        out[n++] = *at == '\t' ? ' ' : *at;
    out[n] = '\0';
}

bool err_set_at(struct err *err, const char *file, unsigned line, unsigned column, const char *text,
                size_t text_length, const char *format, ...)
{
    if (err->set)
        return false;
    va_list args;
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->column = column;
    err->source[0] = '\0';
    const char *at = text && line > 0 ? find_line(text, text_length, line) : NULL;
    if (at)
        cut_line(err->source, sizeof err->source, at, text + text_length);
    return false;
}

// Bytes 10xxxxxx continue a character of UTF-8 and take no column on the screen.
static void print_caret(const struct err *err, FILE *out)
{
    fputs("  ", out);
    size_t length = strlen(err->source);
    for (size_t i = 0; i + 1 < err->column && i < length; i++)
        if (((unsigned char)err->source[i] & 0xc0) != 0x80)
            fputc(' ', out);
    fputs("^\n", out);
}

void err_print(const struct err *err, FILE *out)
{
    if (!err->file[0])
        fputs("warpglass: ", out);
    else if (!err->line)
        fprintf(out, "%s: ", err->file);
    else if (!err->column)
        fprintf(out, "%s:%u: ", err->file, err->line);
    else
        fprintf(out, "%s:%u:%u: ", err->file, err->line, err->column);
    fprintf(out, "error: %s\n", err->text);
    if (!err->source[0])
        return;
    fprintf(out, "  %s\n", err->source);
    if (err->column && err->column <= strlen(err->source) + 1)
        print_caret(err, out);
}

_Noreturn void err_bug(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "warpglass: bug at %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_BUG);
}

_Noreturn void err_memory(const char *who, size_t size_bytes)
{
    fprintf(stderr, "warpglass: out of memory: %s asked for %zu bytes\n", who, size_bytes);
    exit(EXIT_MEMORY);
}
