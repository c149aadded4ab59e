// Counters: their descriptions from the table, and sums.
#include "prof/counters.h"
#include "base/err.h"

enum { MODELLED = 0, EXACT = 1 };

static const struct counter_info infos[] = {
#define COUNTER(field, unit, class, text) {#field, #unit, text, class},
#include "prof/counters.def"
#undef COUNTER
};

_Static_assert(sizeof(struct counters) == N_COUNTERS * sizeof(uint64_t), "counters are read as an array");

const struct counter_info *counter_info(enum counter counter)
{
    if (counter >= N_COUNTERS)
        BUG("counter %u of %u", (unsigned)counter, (unsigned)N_COUNTERS);
    return &infos[counter];
}

void counters_add(struct counters *to, const struct counters *from)
{
    uint64_t *sums = (uint64_t *)to;
    const uint64_t *terms = (const uint64_t *)from;
    for (int i = 0; i < N_COUNTERS; i++)
        sums[i] += terms[i];
}
