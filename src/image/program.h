// Whether a program can be measured by putting libraries of ours in front of it, judged from its bytes before
// it is started. What stands in the way is named, with the cure.
//
//     if (!program_check(path, bytes, n, &err)) ...     // err: "a.out: error: has the CUDA runtime linked in
//     …"
//
// Scripts and other files that are no ELF files pass: their children are measured. Nothing is trusted: a
// damaged file is an error, never a read out of bounds.
#ifndef IMAGE_PROGRAM_H
#define IMAGE_PROGRAM_H
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

bool program_check(const char *path, const void *bytes, size_t n, struct err *err);
#endif
