// Races in shared memory, looked for in the first blocks of a launch: two threads touch one byte, one of them
// writes, and nothing in between orders them.
//
// What orders. Among the threads of a block: a block barrier that opens, a fence, an mbarrier, an acquire or
// a release (each raises block->n_orders; simt/warp.h). Among the lanes of a warp also __syncwarp and the
// .sync operations (warp->n_orders). Two accesses with no such event between them in the order of the run are
// a race unless both are strong (atomic, volatile), or both are stores of the same value. An event orders all
// threads here, not only those that take part: so a race can be missed, but what is told is one. Lanes that
// store to one place in one instruction are not looked at.
//
// Cost. Only the first N_WATCHED_BLOCKS blocks are watched, and of each the first MAX_WATCHED_ACCESSES
// accesses.
//
//     races_begin(&races, kernel, shared_bytes, n_insns);       // before a launch
//     block->watch = races_watch(&races, linear_index);         // NULL: this block is not watched
//     if (block->watch && races_note(block->watch, warp, &access)) counters[access.insn].shared_races++;
//     races_end(&races, found);                                 // what was found, the most frequent first
#ifndef CYCLE_RACES_H
#define CYCLE_RACES_H
#include "mem/access.h"
#include "prof/profile.h"
#include "simt/warp.h"

enum { N_WATCHED_BLOCKS = 2, MAX_WATCHED_ACCESSES = 1 << 15, MAX_RACES_A_BLOCK = 16 };

// Lanes of one warp that touched a cell since the last event that orders them.
struct race_touch {
    uint32_t lanes, n_orders; // n_orders: of the warp at that time
    uint32_t insn;
    uint16_t warp;
    bool is_strong;
};

// What is known of `cell_bytes` bytes of shared memory. A cell of an older epoch knows nothing.
struct race_cell {
    uint64_t epoch;
    uint32_t value;                            // as last written
    struct race_touch write, read, other_read; // other_read: of another warp than `read`
};

// One block that is watched.
struct race_watch {
    struct race_cell *cells; // kept from launch to launch; epochs rise for ever, so they need no clearing
    size_t n_cells;
    uint64_t epoch; // before the block began; the cells' epoch is this + block->n_orders
    uint64_t newest_epoch;
    uint32_t cell_bytes,
        n_used_cells; // cell_bytes: the narrowest access to shared memory in this kernel, at most a word
    uint32_t n_moments;
    bool within_warps; // lanes of one warp too; not in machine code, from which ptxas takes __syncwarp()
                       // where lanes are together
    uint32_t n_left; // accesses
    struct profile_race races[MAX_RACES_A_BLOCK];
    uint32_t n_races;
};

struct races {
    struct race_watch watches[N_WATCHED_BLOCKS];
    bool is_active;
};

void races_begin(struct races *races, const struct kernel *kernel, uint32_t shared_bytes);
struct race_watch *races_watch(struct races *races, uint32_t linear_index);
// The bytes have moved already. True if the access races with an earlier one; the watch remembers with which.
bool races_note(struct race_watch *watch, const struct warp *warp, const struct access *access);
void races_end(const struct races *races, struct profile_race found[MAX_PROFILE_RACES]);
void races_release(struct races *races);
#endif
