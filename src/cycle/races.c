// Races in shared memory: a cell for each word (or narrower) remembers who touched it last. See races.h.
#include "cycle/races.h"
#include "base/err.h"
#include "isa/isa.h"
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4 };

// ---- life -----------------------------------------------------------------------------------------------

static bool may_touch_shared(const struct insn *insn)
{
    return insn->class == CLASS_SHARED_LD || insn->class == CLASS_SHARED_ST ||
           insn->class == CLASS_SHARED_ATOM || insn->class >= CLASS_GENERIC_LD;
}

static uint32_t narrowest_bytes(const struct kernel *kernel)
{
    static const uint8_t sizes[N_ELEMS] = {1, 1, 2, 2, 4, 8, 16};
    uint32_t least = WORD_BYTES;
    for (uint32_t i = 0; i < kernel->n_insns; i++) {
        const struct insn *insn = &kernel->insns[i];
        if (may_touch_shared(insn) && sizes[insn->elem] < least)
            least = sizes[insn->elem];
    }
    return least;
}

static void watch_begin(struct race_watch *watch, uint32_t cell_bytes, uint32_t shared_bytes,
                        bool within_warps)
{
    size_t n = (shared_bytes + cell_bytes - 1) / cell_bytes;
    if (n > watch->n_cells) {
        free(watch->cells);
        watch->cells = calloc(n, sizeof *watch->cells);
        if (!watch->cells)
            err_memory("cells of the race detector", n * sizeof *watch->cells);
        watch->n_cells = n;
    }
    watch->cell_bytes = cell_bytes;
    watch->n_used_cells = (uint32_t)n;
    watch->epoch = ++watch->newest_epoch;
    watch->n_left = MAX_WATCHED_ACCESSES;
    watch->n_races = 0;
    watch->within_warps = within_warps;
}

// Machine code does not show which accesses to shared memory are volatile: where there are fences, flags are
// likely.
static bool may_use_flags(const struct kernel *kernel)
{
    if (strcmp(kernel->isa, "ptx") == 0)
        return false;
    for (uint32_t i = 0; i < kernel->n_insns; i++)
        if (strstr(kernel->texts[i], "MEMBAR"))
            return true;
    return false;
}

void races_begin(struct races *races, const struct kernel *kernel, uint32_t shared_bytes)
{
    races->is_active = shared_bytes > 0 && !may_use_flags(kernel);
    if (!races->is_active)
        return;
    uint32_t cell_bytes = narrowest_bytes(kernel);
    for (uint32_t i = 0; i < N_WATCHED_BLOCKS; i++)
        watch_begin(&races->watches[i], cell_bytes, shared_bytes, strcmp(kernel->isa, "ptx") == 0);
}

struct race_watch *races_watch(struct races *races, uint32_t linear_index)
{
    return races->is_active && linear_index < N_WATCHED_BLOCKS ? &races->watches[linear_index] : NULL;
}

void races_release(struct races *races)
{
    for (uint32_t i = 0; i < N_WATCHED_BLOCKS; i++)
        free(races->watches[i].cells);
}

// ---- one lane at one cell -------------------------------------------------------------------------------

// Did somebody else touch it, with nothing in between that orders the two?
static bool is_unordered(const struct race_touch *before, const struct race_touch *now)
{
    if (!before->lanes || (before->is_strong && now->is_strong))
        return false;
    return before->warp != now->warp || (before->n_orders == now->n_orders && (before->lanes & ~now->lanes));
}

static bool is_same_moment(const struct race_touch *a, const struct race_touch *b)
{
    return a->warp == b->warp && a->n_orders == b->n_orders;
}

static void touch_add(struct race_touch *to, const struct race_touch *now)
{
    uint32_t lanes = is_same_moment(to, now) ? to->lanes : 0;
    bool is_strong = now->is_strong && (!lanes || to->is_strong);
    *to = *now;
    to->lanes |= lanes;
    to->is_strong = is_strong;
}

static void add_read(struct race_cell *cell, const struct race_touch *now)
{
    if (cell->read.lanes && cell->read.warp != now->warp)
        cell->other_read = cell->read;
    touch_add(&cell->read, now);
}

static uint32_t cell_value(const struct warp *warp, uint64_t offset, uint32_t bytes)
{
    uint32_t value = 0;
    memcpy(&value, warp->block->shared + offset, bytes);
    return value;
}

// A write; returns the touch it races with, or NULL.
static const struct race_touch *write_cell(struct race_cell *cell, const struct race_touch *now,
                                           uint32_t value, enum race_kind *kind)
{
    *kind = RACE_WRITE_AFTER_WRITE;
    if (is_unordered(&cell->write, now) && (cell->value != value || cell->write.is_strong || now->is_strong))
        return &cell->write;
    *kind = RACE_WRITE_AFTER_READ;
    if (is_unordered(&cell->read, now))
        return &cell->read;
    return is_unordered(&cell->other_read, now) ? &cell->other_read : NULL;
}

static void watch_add(struct race_watch *watch, struct profile_race race)
{
    for (uint32_t i = 0; i < watch->n_races; i++) {
        struct profile_race *known = &watch->races[i];
        if (known->earlier == race.earlier && known->later == race.later && known->kind == race.kind &&
            known->within_warp == race.within_warp) {
            known->n += race.n;
            return;
        }
    }
    if (watch->n_races < MAX_RACES_A_BLOCK)
        watch->races[watch->n_races++] = race;
}

static bool touch_cell(struct race_watch *watch, const struct warp *warp, uint32_t index,
                       const struct race_touch *now, bool is_load)
{
    struct race_cell *cell = &watch->cells[index];
    uint64_t epoch = watch->epoch + warp->block->n_orders;
    if (cell->epoch != epoch)
        *cell = (struct race_cell){.epoch = epoch};
    enum race_kind kind = RACE_READ_AFTER_WRITE;
    const struct race_touch *before = NULL;
    if (is_load) {
        before = is_unordered(&cell->write, now) ? &cell->write : NULL;
    } else {
        uint32_t value = cell_value(warp, (uint64_t)index * watch->cell_bytes, watch->cell_bytes);
        before = write_cell(cell, now, value, &kind);
        cell->value = value;
    }
    struct profile_race race = {0};
    if (before)
        race = (struct profile_race){before->insn, now->insn, kind, before->warp == now->warp, 1};
    if (is_load)
        add_read(cell, now);
    else
        touch_add(&cell->write, now);
    if (before)
        watch_add(watch, race);
    return before != NULL;
}

// ---- one access -----------------------------------------------------------------------------------------

bool races_note(struct race_watch *watch, const struct warp *warp, const struct access *access)
{
    bool is_strong = access->is_strong || access->kind >= ACCESS_ATOM;
    // In machine code atomics of floats are loops round plain loads.
    if (!watch->n_left || (is_strong && !watch->within_warps))
        return false;
    watch->n_left--;
    watch->newest_epoch = watch->epoch + warp->block->n_orders;
    // Without races within warps every access is a moment of its own.
    struct race_touch now = {.n_orders = watch->within_warps ? warp->n_orders : ++watch->n_moments,
                             .insn = access->insn,
                             .warp = (uint16_t)warp->warp_in_block,
                             .is_strong = is_strong};
    bool is_race = false;
    for (lanemask left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t first = access->addr[lane] / watch->cell_bytes;
        uint64_t end = (access->addr[lane] + access->width + watch->cell_bytes - 1) / watch->cell_bytes;
        now.lanes = 1u << lane;
        for (uint64_t i = first; i < end && i < watch->n_used_cells; i++)
            is_race |= touch_cell(watch, warp, (uint32_t)i, &now, access->kind == ACCESS_LOAD);
    }
    return is_race;
}

// ---- result ---------------------------------------------------------------------------------------------

static int by_frequency(const void *left, const void *right)
{
    const struct profile_race *a = left, *b = right;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    if (a->later != b->later)
        return a->later < b->later ? -1 : 1;
    return a->earlier < b->earlier ? -1 : a->earlier > b->earlier;
}

void races_end(const struct races *races, struct profile_race found[MAX_PROFILE_RACES])
{
    struct race_watch all = {.n_races = 0};
    for (uint32_t w = 0; races->is_active && w < N_WATCHED_BLOCKS; w++)
        for (uint32_t i = 0; i < races->watches[w].n_races; i++)
            watch_add(&all, races->watches[w].races[i]);
    qsort(all.races, all.n_races, sizeof *all.races, by_frequency);
    memcpy(found, all.races, MAX_PROFILE_RACES * sizeof *found);
}
