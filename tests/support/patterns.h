// The lane patterns of tests/data/programs/rules.cu, by name.
#ifndef SUPPORT_PATTERNS_H
#define SUPPORT_PATTERNS_H
#include "mem/access.h"
#include <stdbool.h>

// The index of each lane, -1 = it takes no part. False: there is no such pattern.
bool pattern_indices(const char *name, int index[N_LANES]);
#endif
