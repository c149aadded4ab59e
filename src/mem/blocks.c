// Blocks of memory by address, in sorted runs.
#include "mem/blocks.h"
#include <stdlib.h>
#include <string.h>

// Index of the last run that begins at or below the address; runs.n when none does.
static size_t run_below(const struct block_list *list, uint64_t address)
{
    size_t low = 0, high = list->runs.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->runs.at[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : list->runs.n;
}

// Number of the run's blocks that begin at or below the address.
static uint32_t blocks_until(const struct block_run *run, uint64_t address)
{
    uint32_t low = 0, high = run->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (run->at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct memory_block *blocks_below(const struct block_list *list, uint64_t address)
{
    size_t r = run_below(list, address);
    if (r == list->runs.n)
        return NULL;
    struct block_run *run = list->runs.at[r].run;
    return &run->at[blocks_until(run, address) - 1];
}

struct memory_block *blocks_above(const struct block_list *list, uint64_t address)
{
    size_t r = run_below(list, address);
    if (list->runs.n == 0)
        return NULL;
    if (r == list->runs.n)
        return &list->runs.at[0].run->at[0];
    struct block_run *run = list->runs.at[r].run;
    uint32_t i = blocks_until(run, address);
    if (i < run->n)
        return &run->at[i];
    return r + 1 < list->runs.n ? &list->runs.at[r + 1].run->at[0] : NULL;
}

static uint64_t block_end(const struct memory_block *block)
{
    return block->address + block->size_bytes;
}

static const struct memory_block *last_of(const struct block_run *run)
{
    return &run->at[run->n - 1];
}

// What is kept about a run, after it or the run before it changed. The gap before the very first block is not
// counted.
static void note(struct block_list *list, size_t r)
{
    if (r >= list->runs.n)
        return;
    const struct block_run *run = list->runs.at[r].run;
    uint64_t widest = r ? run->at[0].address - block_end(last_of(list->runs.at[r - 1].run)) : 0;
    for (uint32_t i = 1; i < run->n; i++) {
        uint64_t gap = run->at[i].address - block_end(&run->at[i - 1]);
        widest = gap > widest ? gap : widest;
    }
    list->runs.at[r].first = run->at[0].address;
    list->runs.at[r].widest_gap = widest;
}

static void add_run(struct block_list *list, size_t r)
{
    struct block_run *run = malloc(sizeof *run);
    if (!run)
        err_memory("allocations", sizeof *run);
    run->n = 0;
    vec_reserve(&list->runs, list->runs.n + 1);
    memmove(&list->runs.at[r + 1], &list->runs.at[r], (list->runs.n - r) * sizeof list->runs.at[0]);
    list->runs.at[r].run = run;
    list->runs.n++;
}

// A full run becomes two. Where blocks are added one behind the other, full runs stay full.
static void split(struct block_list *list, size_t r, uint32_t index)
{
    struct block_run *run = list->runs.at[r].run;
    uint32_t keep = index == RUN_BLOCKS ? RUN_BLOCKS : RUN_BLOCKS / 2;
    add_run(list, r + 1);
    struct block_run *next = list->runs.at[r + 1].run;
    next->n = run->n - keep;
    memcpy(next->at, &run->at[keep], next->n * sizeof run->at[0]);
    run->n = keep;
}

void blocks_insert(struct block_list *list, struct memory_block block)
{
    size_t r = run_below(list, block.address);
    if (r == list->runs.n)
        r = 0;
    if (list->runs.n == 0)
        add_run(list, 0);
    uint32_t index = blocks_until(list->runs.at[r].run, block.address);
    if (list->runs.at[r].run->n == RUN_BLOCKS) {
        split(list, r, index);
        uint32_t kept = list->runs.at[r].run->n;
        if (index >= kept) {
            note(list, r);
            index -= kept;
            r++;
        }
    }
    struct block_run *run = list->runs.at[r].run;
    memmove(&run->at[index + 1], &run->at[index], (run->n - index) * sizeof run->at[0]);
    run->at[index] = block;
    run->n++;
    list->n_blocks++;
    note(list, r);
    note(list, r + 1);
}

bool blocks_remove(struct block_list *list, uint64_t address)
{
    size_t r = run_below(list, address);
    if (r == list->runs.n)
        return false;
    struct block_run *run = list->runs.at[r].run;
    uint32_t index = blocks_until(run, address) - 1;
    if (run->at[index].address != address)
        return false;
    run->n--;
    list->n_blocks--;
    memmove(&run->at[index], &run->at[index + 1], (run->n - index) * sizeof run->at[0]);
    if (run->n == 0) {
        free(run);
        list->runs.n--;
        memmove(&list->runs.at[r], &list->runs.at[r + 1], (list->runs.n - r) * sizeof list->runs.at[0]);
    } else {
        note(list, r);
        r++;
    }
    note(list, r);
    return true;
}

void blocks_release(struct block_list *list)
{
    for (size_t r = 0; r < list->runs.n; r++)
        free(list->runs.at[r].run);
    vec_release(&list->runs);
    list->n_blocks = 0;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

// Where it fits between the blocks of run r and the blocks before them.
static uint64_t fit_in_run(const struct block_list *list, size_t r, uint64_t size_bytes, uint64_t align)
{
    const struct block_run *run = list->runs.at[r].run;
    const struct memory_block *before = r ? last_of(list->runs.at[r - 1].run) : NULL;
    for (uint32_t i = 0; i < run->n; before = &run->at[i++]) {
        uint64_t address = before ? round_up(block_end(before) + align, align) : UINT64_MAX;
        if (before && address + size_bytes + align <= run->at[i].address)
            return address;
    }
    return 0;
}

uint64_t blocks_fit(const struct block_list *list, uint64_t begin, uint64_t limit, uint64_t size_bytes,
                    uint64_t align)
{
    uint64_t address = round_up(begin, align);
    if (list->runs.n == 0)
        return address + size_bytes <= limit ? address : 0;
    if (address + size_bytes + align <= list->runs.at[0].first)
        return address;
    for (size_t r = 0; r < list->runs.n; r++) {
        if (list->runs.at[r].widest_gap < size_bytes + 2 * align)
            continue;
        uint64_t found = fit_in_run(list, r, size_bytes, align);
        if (found)
            return found;
    }
    address = round_up(block_end(last_of(list->runs.at[list->runs.n - 1].run)) + align, align);
    return address + size_bytes <= limit ? address : 0;
}
