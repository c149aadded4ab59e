// What kernels print: the buffer of printf and the lines of failed assertions. It belongs to the context;
// text is added between epochs, in one order whatever the number of host threads, and taken by whoever shows
// it after a launch.
//
// The buffer of printf is circular: when it is full the oldest calls are lost (CUDA C++ programming guide,
// "Formatted output"). Hardware holds calls in it, not text, in a form that is not documented; here a call
// counts 8 bytes for its format, 8 for each argument and the length of its strings.
#ifndef SIMT_CONSOLE_H
#define SIMT_CONSOLE_H
#include "base/buf.h"
#include "base/vec.h"
#include <stdint.h>

enum { CONSOLE_DEFAULT_BYTES = 1 << 20 }; // cudaLimitPrintfFifoSize when the program does not set it

struct console_call {
    size_t text_bytes;
    uint64_t buffer_bytes; // of the circular buffer
};

struct console {
    uint64_t limit_bytes; // 0: CONSOLE_DEFAULT_BYTES
    struct buf errors;    // of assertions, for standard error
    // private: calls of printf, the oldest first
    struct buf text;
    VEC(struct console_call) calls;
    size_t first_call, first_byte; // what lies before is lost
    uint64_t used_bytes;
    uint64_t n_lost; // calls, since the console was cleared
};

void console_add(struct console *console, const char *text, size_t text_bytes, uint64_t buffer_bytes);
const char *console_text(const struct console *console, size_t *n_bytes); // of printf, for standard output
void console_clear(struct console *console);                              // everything has been shown
void console_release(struct console *console);
#endif
