// Reader of "key = value unit @source "note"" files (device files). `#` starts a comment, blank lines are
// skipped, `base = NAME` is an ordinary pair whose meaning the caller gives.
//
//     l2.size = 60 MiB @probe "deviceQuery of the H200, driver 580.159"
#ifndef BASE_KV_H
#define BASE_KV_H
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct kv_pair {
    const char *key;    // "l2.size"
    const char *value;  // every word between `=` and `@`, blanks folded to one: "60 MiB", "0 8 16 32 KiB"
    const char *source; // "probe" without the @, "" if absent
    const char *note;   // the quoted text without quotes, "" if absent
    unsigned line, value_column; // both 1-based
};

struct kv_file {
    const char *path; // as given
    const char *text; // the whole input
    size_t text_length;
    struct kv_pair *pairs;
    size_t n;
};

// Parse text; all strings live in `arena`. Errors: line without `=`, empty key or value, key given twice,
// unfinished quote, anything behind the quote.
bool kv_parse(struct arena *arena, const char *path, const char *text, size_t length, struct kv_file *out,
              struct err *err);
#endif
