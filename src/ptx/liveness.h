// Which values are alive where. Works on virtual rows (32 bits of a value, or one predicate) of lowered
// instructions.
//
// Virtual rows that must be neighbours (halves of a 64-bit register) form a *group*; group g has the virtual
// rows group_row[g] .. group_row[g + 1] - 1. A reference reads or writes some neighbouring rows of one group.
//
//     struct live live;
//     live_find(&arena, &code, &live);
//     for (uint32_t r = live.first_range[g]; r < live.first_range[g + 1]; r++) use(live.ranges[r]);
//
// Positions. Instruction i reads at 2 i and writes at 2 i + 1; a range [begin, end) holds the positions at
// which the rows of a group must keep their contents. So a value last read by an instruction and one written
// by it do not overlap.
//
// Lanes. A row is 32 values, one for each lane, and a lane only sees its own path through the code. So the
// rules of a scalar program hold, whatever the other lanes of the warp do. A guarded write leaves some lanes
// as they were: it begins nothing and ends nothing.
//
// Cost. Values that live in one block take one pass. For others every block in which they are alive is
// visited once.
#ifndef PTX_LIVENESS_H
#define PTX_LIVENESS_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum ref_kind { REF_USE, REF_DEF, REF_DEF_PART /* guarded */ };

struct ref {
    uint32_t row; // first virtual row
    uint8_t n;    // rows
    uint8_t kind; // enum ref_kind
};

struct live_block {
    uint32_t first, n; // instructions; blocks lie one behind the other in ascending order
    const uint32_t *pred;
    uint32_t n_pred;
};

struct live_code {
    const struct ref *refs;
    const uint32_t *first_ref; // by instruction, n_insns + 1 of them
    uint32_t n_insns;
    const struct live_block *blocks;
    uint32_t n_blocks;
    const uint32_t *group_row; // n_groups + 1 of them
    uint32_t n_groups;
};

struct live_range {
    uint32_t begin, end;
};

struct live {
    struct live_range *ranges; // of one group: ascending, apart from each other
    uint32_t *first_range;     // by group, n_groups + 1 of them
    bool *is_dead;             // by reference: a write that nobody reads
};

void live_find(struct arena *arena, const struct live_code *code, struct live *out);

// Most rows alive at once, over the groups with wanted[group].
uint32_t live_most(const struct live_code *code, const struct live *live, const bool *wanted);
#endif
