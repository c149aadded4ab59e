// Errors: three kinds, three ways.
//
// A user's mistake fills a `struct err` (last parameter of a fallible function; the first error wins, a
// successful call leaves it untouched) and is printed once, by the command line. Our own bug calls BUG().
// Host memory exhausted ends the process with status 71 and the name of the arena that wanted more.
//
//     struct err err = {0};
//     if (!thing_load(path, &thing, &err)) { err_print(&err, stderr); return 3; }
#ifndef BASE_ERR_H
#define BASE_ERR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { EXIT_THRESHOLD = 1, EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_FAULT = 4, EXIT_BUG = 70, EXIT_MEMORY = 71 };

struct err {
    bool set;
    char text[768];   // one sentence, no newline
    char file[256];   // "" where no file is concerned
    unsigned line;    // 1-based; 0 = whole file
    unsigned column;  // 1-based; 0 = whole line
    char source[256]; // the offending line of text (may be truncated), "" = none
};

// Fill `err` unless it is already set. Always returns false, so that `return err_set(...)` reads well.
bool err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same with a place. `text`/`text_length` is the whole input (or NULL) from which the line is cut out.
bool err_set_at(struct err *err, const char *file, unsigned line, unsigned column, const char *text,
                size_t text_length, const char *format, ...) __attribute__((format(printf, 7, 8)));

// "file:line:column: error: text", then the source line and a caret below the column.
void err_print(const struct err *err, FILE *out);

// Our own bug: prints "warpglass: bug at FILE:LINE: ..." to stderr and exits 70.
#define BUG(...) err_bug(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void err_bug(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Host memory exhausted while `who` asked for `size_bytes`: prints and exits 71.
_Noreturn void err_memory(const char *who, size_t size_bytes);
#endif
