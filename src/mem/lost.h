// Lines that a cache has evicted since the set was last emptied: what tells a miss that a larger cache, or
// work in another order, would have spared from the first touch of a line. A bit a line, in chunks that come
// when they are needed.
//
//     struct lost lost = {0};
//     lost_add(&lost, line);
//     if (lost_has(&lost, line)) ...
//     lost_clear(&lost);          // also releases
#ifndef MEM_LOST_H
#define MEM_LOST_H
#include <stdbool.h>
#include <stdint.h>

struct lost {
    uint64_t **chunks; // NULL while nothing was lost
};

void lost_add(struct lost *lost, uint32_t line);
bool lost_has(const struct lost *lost, uint32_t line);
void lost_clear(struct lost *lost);
#endif
