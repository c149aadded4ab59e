// Counters by source line, worst first.
//
//     size_t n;
//     const struct line_row *rows = launch_lines(&arena, launch, &n);
//     rows[0].excess_wavefronts, launch_place(&arena, launch, rows[0].worst_insn)     "tile.cu:31"
#ifndef PROF_LINES_H
#define PROF_LINES_H
#include "base/arena.h"
#include "prof/profile.h"
#include <stddef.h>

struct line_row {
    uint32_t line;       // index into launch->lines; 0 = unknown, then the row is one instruction
    uint32_t worst_insn; // of the instructions on this line, the one with the highest cost
    struct counters counters;
    uint64_t excess_wavefronts, excess_sectors; // shared; global
    double cost_cycles;                         // excess_cost_cycles of the whole line
};

// What excess costs an SM, to order findings and lines by: a shared wavefront holds the data stage for one
// cycle, and between L1 and L2 an SM moves two sectors (64 bytes) a cycle. An order, not a forecast of time.
double excess_cost_cycles(uint64_t excess_wavefronts, uint64_t excess_sectors);

// For each of launch->lines the first with the same file and line (columns and inlining do not split a row);
// 0 where the line is unknown.
const uint32_t *launch_line_rows(struct arena *arena, const struct profile_launch *launch);

// Code inlined from another file is told of where the kernel's own file calls it: the innermost place of the inline stack
// that lies in the file of the outermost. As launch_line_rows and launch_place, but of that place.
const uint32_t *launch_own_rows(struct arena *arena, const struct profile_launch *launch);
const char *launch_own_place(struct arena *arena, const struct profile_launch *launch, uint32_t insn);

// Rows in order of cost, ties in program order. Instructions that touched no memory are in them too.
struct line_row *launch_lines(struct arena *arena, const struct profile_launch *launch, size_t *n);

// "file.cu:31", or "file.ptx, instruction 12" where the line is unknown.
const char *launch_place(struct arena *arena, const struct profile_launch *launch, uint32_t insn);
double counters_cost(const struct counters *counters); // of both kinds of excess
uint64_t counters_excess_wavefronts(const struct counters *counters);
uint64_t counters_excess_sectors(const struct counters *counters);
#endif
