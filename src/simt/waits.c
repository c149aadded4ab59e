// Lists the places at which the lanes of a block stand.
#include "simt/waits.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// One split of one warp of a block, in order.
struct place {
    uint32_t warp, slot;
};

static const struct split *split_at(const struct block *block, struct place place)
{
    return &block->warps[place.warp].splits[place.slot];
}

static bool is_used(const struct block *block, struct place place)
{
    return block->warps[place.warp].used >> place.slot & 1;
}

// False: there is no further one.
static bool next_place(const struct block *block, struct place *place)
{
    do {
        if (++place->slot >= MAX_SPLITS) {
            place->slot = 0;
            place->warp++;
        }
        if (place->warp >= block->n_warps)
            return false;
    } while (!is_used(block, *place));
    return true;
}

static struct place before_first(void)
{
    return (struct place){0, UINT32_MAX}; // one step leads to warp 0, slot 0
}

// The instruction that waits, or the next one: a barrier is passed before it is waited at.
static uint32_t insn_of(const struct split *split)
{
    return split->pc - (split->state == SPLIT_BLOCK_BARRIER && split->pc > 0);
}

static bool is_alike(const struct split *a, const struct split *b)
{
    bool is_barrier = a->state == SPLIT_BLOCK_BARRIER;
    return a->pc == b->pc && a->state == b->state && (!is_barrier || a->waits_for == b->waits_for);
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    if (n < size)
        vsnprintf(text + n, size - n, format, args);
    va_end(args);
}

static void add_reason(const struct block *block, const struct split *split, char *text, size_t size)
{
    uint32_t barrier = split->waits_for;
    switch (split->state) {
    case SPLIT_CONVERGING:
        add(text, size, "for other lanes to come to this place");
        break;
    case SPLIT_WARP_SYNC:
        add(text, size, "for lanes 0x%08x", split->waits_for);
        break;
    case SPLIT_BLOCK_BARRIER:
        add(text, size, "barrier %u, %u of %u threads have arrived", barrier, block->arrived[barrier],
            block->expected[barrier] ? block->expected[barrier] : block->n_live);
        break;
    case SPLIT_CLUSTER_BARRIER:
        add(text, size, "the cluster's barrier");
        break;
    case SPLIT_EXCHANGE:
    case SPLIT_FENCE:
        add(text, size, "for memory");
        break;
    case SPLIT_ASLEEP:
        add(text, size, "asleep (nanosleep)");
        break;
    default:
        add(text, size, "running");
    }
}

static void add_insn(const struct kernel *kernel, uint32_t insn, char *text, size_t size)
{
    insn = insn < kernel->n_insns ? insn : 0;
    add(text, size, "; at instruction %u", insn);
    if (kernel->texts && kernel->texts[insn])
        add(text, size, " (%s)", kernel->texts[insn]);
    uint32_t line_index = kernel->insns[insn].line;
    if (!line_index || line_index >= kernel->n_lines || !kernel->lines[line_index].line)
        return;
    const struct source_line *line = &kernel->lines[line_index];
    if (line->file < kernel->n_files && kernel->files[line->file])
        add(text, size, " in %s:%u", kernel->files[line->file], line->line);
}

static bool was_told(const struct block *block, struct place place)
{
    struct place at = before_first();
    while (next_place(block, &at) && (at.warp != place.warp || at.slot != place.slot))
        if (is_alike(split_at(block, at), split_at(block, place)))
            return true;
    return false;
}

static uint32_t count_warps(const struct block *block, const struct split *like)
{
    uint32_t n = 0, last = UINT32_MAX;
    struct place at = before_first();
    while (next_place(block, &at))
        if (at.warp != last && is_alike(split_at(block, at), like)) {
            n++;
            last = at.warp;
        }
    return n;
}

void block_add_waits(const struct launch *launch, const struct block *block, char *text, size_t size)
{
    enum { MOST = 8 };
    uint32_t n_told = 0, n_more = 0;
    struct place at = before_first();
    while (next_place(block, &at)) {
        const struct split *split = split_at(block, at);
        if (was_told(block, at))
            continue;
        if (n_told == MOST) {
            n_more++;
            continue;
        }
        uint32_t n = count_warps(block, split);
        add(text, size, "\n%u warp%s, first warp %u with lanes 0x%08x: ", n, n == 1 ? "" : "s", at.warp, split->mask);
        add_reason(block, split, text, size);
        add_insn(launch->kernel, insn_of(split), text, size);
        n_told++;
    }
    if (n_more)
        add(text, size, "\nand at %u other places", n_more);
}

bool block_first_place(const struct launch *launch, const struct block *block, struct fault *fault)
{
    struct place at = before_first();
    if (!next_place(block, &at))
        return false;
    const struct split *split = split_at(block, at);
    uint32_t lane = (uint32_t)__builtin_ctz(split->mask);
    fault->insn = insn_of(split);
    fault->lane = lane;
    thread_of_lane(&block->warps[at.warp], launch, lane, fault->thread);
    memcpy(fault->block, block->index, sizeof fault->block);
    return true;
}
