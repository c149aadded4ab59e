// The answer of `warpglass occupancy` as text: limits, next step, carve-outs, curves.
#ifndef CLI_OCCUPANCY_TEXT_H
#define CLI_OCCUPANCY_TEXT_H
#include "device/occupancy_next.h"

// "registers+shared"
void occupancy_print_limiters(unsigned limiters, const char *between, struct buf *out);

// "2 registers fewer per thread -> 6 blocks, 48 warps, 75 %"; says so where nothing helps. `between` stands
// between two ways.
void occupancy_print_next(const struct device *d, const struct kernel_needs *k, const char *between,
                          struct buf *out);

void occupancy_print_text(const struct device *d, const struct kernel_needs *k, struct buf *out);
#endif
