// Counters of one instruction: plain sums of 64-bit events (prof/counters.def). Lines and kernels are sums of these.
#ifndef PROF_COUNTERS_H
#define PROF_COUNTERS_H
#include <stdint.h>

struct counters {
#define COUNTER(field, unit, class, text) uint64_t field;
#include "prof/counters.def"
#undef COUNTER
};

enum counter {
#define COUNTER(field, unit, class, text) COUNTER_##field,
#include "prof/counters.def"
#undef COUNTER
    N_COUNTERS
};

struct counter_info { const char *name, *unit, *text; char is_exact; };
const struct counter_info *counter_info(enum counter counter);
void counters_add(struct counters *to, const struct counters *from);
static inline uint64_t counter_get(const struct counters *c, enum counter which) { return ((const uint64_t *)c)[which]; }
#endif
