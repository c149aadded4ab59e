// Conversions of printf in device code (CUDA C++ programming guide, "Format specifiers"):
// %[flags][width][.precision][size]type, types c d i o u x X p e E f F g G a A s, width and precision also
// `*`.
#ifndef SIMT_FORMAT_H
#define SIMT_FORMAT_H
#include "base/buf.h"
#include <stdint.h>

enum conversion_kind {
    CONVERT_SIGNED,
    CONVERT_UNSIGNED,
    CONVERT_CHAR,
    CONVERT_POINTER,
    CONVERT_FLOAT,
    CONVERT_STRING,
    CONVERT_PERCENT
};

struct conversion {
    enum conversion_kind kind;
    char flags[6], type; // flags: each at most once
    bool has_width_argument, has_precision_argument;
    int width, precision;    // precision < 0: none
    uint32_t value_bytes;    // of an integer: 1, 2, 4, 8
    uint32_t argument_bytes; // in the list of arguments, aligned to as much: 0, 4, 8
    size_t text_bytes;       // of the conversion in the format
};

// The conversion that begins at `at`, where a `%` stands; false if there is none.
bool conversion_read(const char *at, struct conversion *out);
// `*` in place of width or precision got this value.
void conversion_set_width(struct conversion *conversion, int32_t width);
void conversion_set_precision(struct conversion *conversion, int32_t precision);
// Prints an argument: its bits, or the text of a string.
void conversion_print(const struct conversion *conversion, uint64_t bits, const char *string,
                      struct buf *out);
#endif
