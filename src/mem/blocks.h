// Blocks of memory by address: a list of short sorted runs, so that finding, adding and removing one of a
// hundred thousand blocks takes well under a microsecond.
//
//     struct block_list list = {0};
//     blocks_insert(&list, (struct memory_block){.address = a, .size_bytes = n});
//     struct memory_block *b = blocks_below(&list, address);   // begins at or below it; NULL: none does
//     blocks_remove(&list, a);
#ifndef MEM_BLOCKS_H
#define MEM_BLOCKS_H
#include "base/vec.h"
#include "mem/memory.h"

enum { RUN_BLOCKS = 128 };

struct block_run {
    uint32_t n;
    struct memory_block at[RUN_BLOCKS];
};

struct block_list {
    VEC(struct {
        uint64_t first;      // address of the run's first block
        uint64_t widest_gap; // bytes; the widest between a block of the run and the one before it
        struct block_run *run;
    })
    runs; // none is empty
    size_t n_blocks;
};

void blocks_insert(struct block_list *list, struct memory_block block); // must not overlap another
bool blocks_remove(struct block_list *list, uint64_t address);          // false: no block begins there
void blocks_release(struct block_list *list);
// The last block that begins at or below the address, and the first that begins above it. NULL: there is
// none. Pointers are good until the list changes.
struct memory_block *blocks_below(const struct block_list *list, uint64_t address);
struct memory_block *blocks_above(const struct block_list *list, uint64_t address);
// The lowest multiple of `align` in [begin, limit) at which a block of that size fits with `align` bytes free
// between it and its neighbours. 0: it fits nowhere.
uint64_t blocks_fit(const struct block_list *list, uint64_t begin, uint64_t limit, uint64_t size_bytes,
                    uint64_t align);
#endif
