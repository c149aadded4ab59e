// Which row each value gets, so that few rows are needed: they are copied for every warp of every SM.
//
//     uint32_t n_rows = rows_allocate(&arena, &request, row_of_group);
//
// A linear scan over live ranges with holes: groups in the order in which they begin, each takes the lowest
// place where nothing is alive that overlaps it. Neighbouring rows of a group start at a multiple of its
// size.
#ifndef PTX_REGISTERS_H
#define PTX_REGISTERS_H
#include "ptx/liveness.h"

struct row_request {
    const struct live *live;
    const uint32_t *group_row; // group g needs group_row[g + 1] - group_row[g] rows
    const bool *wanted;        // by group; others are left alone
    uint32_t n_groups;
    uint32_t first; // lowest row to give out
};

// Fills row_of_group[] of the wanted groups (a group that is never alive gets `first`). Returns the number of
// rows, counted from row 0.
uint32_t rows_allocate(const struct row_request *request, uint32_t *row_of_group);
#endif
