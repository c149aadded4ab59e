// Liveness by walking backwards from the uses of one value at a time; see liveness.h.
#include "ptx/liveness.h"
#include "base/vec.h"
#include <stdlib.h>
#include <string.h>

#define NOWHERE 0xffffffffu

struct event { // one reference to one value
    uint32_t insn, ref;
};

struct finder {
    const struct live_code *code;
    struct live *out;
    uint32_t *value_of;   // by virtual row: all rows of a group are one value unless they are ever used apart
    struct event *events; // by value, ascending; within an instruction uses come first
    uint32_t *first_event; // by value
    uint32_t *block_of;    // by instruction
    uint32_t *in, *out_of,
        *kills; // by block: last value (+ 1) that is alive at its begin, at its end, or is overwritten
    struct {
        uint32_t *at;
        size_t n, capacity;
    } todo, touched;
    struct {
        struct live_range *at;
        size_t n, capacity;
    } ranges;
};

// ---- events by value ------------------------------------------------------------------------------------

static uint32_t *values_of_rows(struct arena *arena, const struct live_code *code)
{
    uint32_t n_rows = code->group_row[code->n_groups];
    uint32_t *value = arena_array(arena, uint32_t, n_rows);
    uint32_t *group = arena_array(arena, uint32_t, n_rows);
    bool *is_split = arena_array(arena, bool, code->n_groups);
    for (uint32_t g = 0; g < code->n_groups; g++)
        for (uint32_t r = code->group_row[g]; r < code->group_row[g + 1]; r++)
            group[r] = g;
    for (uint32_t i = 0; i < code->first_ref[code->n_insns]; i++) {
        uint32_t g = group[code->refs[i].row];
        is_split[g] |= code->refs[i].n != code->group_row[g + 1] - code->group_row[g];
    }
    for (uint32_t r = 0; r < n_rows; r++)
        value[r] = is_split[group[r]] ? r : code->group_row[group[r]];
    return value;
}

// Values that a reference touches: rows `row .. row + n - 1` of a split group, else one.
static uint32_t values_of_ref(const struct finder *f, const struct ref *ref)
{
    return ref->n > 1 && f->value_of[ref->row + 1] == f->value_of[ref->row] ? 1 : ref->n;
}

static void count_events(struct finder *f, uint32_t *count)
{
    for (uint32_t i = 0; i < f->code->first_ref[f->code->n_insns]; i++) {
        const struct ref *ref = &f->code->refs[i];
        for (uint32_t k = 0; k < values_of_ref(f, ref); k++)
            count[f->value_of[ref->row + k]]++;
    }
}

static void place_events(struct finder *f, uint32_t *next, uint32_t insn, bool uses)
{
    for (uint32_t i = f->code->first_ref[insn]; i < f->code->first_ref[insn + 1]; i++) {
        const struct ref *ref = &f->code->refs[i];
        if ((ref->kind == REF_USE) != uses)
            continue;
        for (uint32_t k = 0; k < values_of_ref(f, ref); k++)
            f->events[next[f->value_of[ref->row + k]]++] = (struct event){insn, i};
    }
}

static void sort_events(struct finder *f, struct arena *arena)
{
    uint32_t n_rows = f->code->group_row[f->code->n_groups];
    uint32_t *next = arena_array(arena, uint32_t, n_rows + 1);
    f->first_event = arena_array(arena, uint32_t, n_rows + 1);
    count_events(f, next);
    uint32_t total = 0;
    for (uint32_t v = 0; v <= n_rows; v++) {
        uint32_t count = next[v];
        f->first_event[v] = next[v] = total;
        total += count;
    }
    f->events = arena_array(arena, struct event, total);
    for (uint32_t i = 0; i < f->code->n_insns; i++) {
        place_events(f, next, i, true);
        place_events(f, next, i, false);
    }
}

// ---- blocks in which one value is alive -----------------------------------------------------------------

static enum ref_kind kind_of(const struct finder *f, uint32_t event)
{
    return (enum ref_kind)f->code->refs[f->events[event].ref].kind;
}

static uint32_t block_of_event(const struct finder *f, uint32_t event)
{
    return f->block_of[f->events[event].insn];
}

// Notes for each block that refers to the value whether it is overwritten there; puts those that read it
// before on the list of work.
static void start_blocks(struct finder *f, uint32_t value)
{
    uint32_t end = f->first_event[value + 1];
    for (uint32_t e = f->first_event[value]; e < end;) {
        uint32_t block = block_of_event(f, e);
        bool overwritten = false;
        vec_push(&f->touched, block);
        for (; e < end && block_of_event(f, e) == block; e++) {
            enum ref_kind kind = kind_of(f, e);
            if (kind == REF_USE && !overwritten && f->in[block] != value + 1) {
                f->in[block] = value + 1;
                vec_push(&f->todo, block);
            }
            overwritten |= kind == REF_DEF;
        }
        if (overwritten)
            f->kills[block] = value + 1;
    }
}

static void walk_back(struct finder *f, uint32_t value)
{
    while (f->todo.n) {
        const struct live_block *block = &f->code->blocks[f->todo.at[--f->todo.n]];
        for (uint32_t i = 0; i < block->n_pred; i++) {
            uint32_t from = block->pred[i];
            if (f->out_of[from] == value + 1)
                continue;
            f->out_of[from] = value + 1;
            vec_push(&f->touched, from);
            if (f->kills[from] != value + 1 && f->in[from] != value + 1) {
                f->in[from] = value + 1;
                vec_push(&f->todo, from);
            }
        }
    }
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// ---- ranges ---------------------------------------------------------------------------------------------

static void add_range(struct finder *f, size_t own, uint32_t begin, uint32_t end)
{
    if (f->ranges.n > own && f->ranges.at[f->ranges.n - 1].end >= begin) {
        if (f->ranges.at[f->ranges.n - 1].end < end)
            f->ranges.at[f->ranges.n - 1].end = end;
        return;
    }
    struct live_range range = {begin, end};
    vec_push(&f->ranges, range);
}

// Ranges of the value in one block; e = its first event there or beyond. Returns the first event behind the
// block.
static uint32_t ranges_in_block(struct finder *f, uint32_t value, uint32_t b, uint32_t e, size_t own)
{
    const struct live_block *block = &f->code->blocks[b];
    uint32_t begin = f->in[b] == value + 1 ? 2 * block->first : NOWHERE, end = begin;
    uint32_t written = NOWHERE; // the last write as long as nobody has read it
    for (; e < f->first_event[value + 1] && block_of_event(f, e) == b; e++) {
        bool is_use = kind_of(f, e) == REF_USE;
        uint32_t at = 2 * f->events[e].insn + !is_use;
        if (kind_of(f, e) == REF_DEF && begin != NOWHERE) {
            add_range(f, own, begin, end);
            begin = NOWHERE;
        }
        if (begin == NOWHERE)
            begin = at;
        end = at + 1;
        if (written != NOWHERE && kind_of(f, e) != REF_DEF)
            f->out->is_dead[written] = false;
        written = is_use ? NOWHERE : f->events[e].ref;
    }
    bool goes_on = f->out_of[b] == value + 1;
    if (goes_on && written != NOWHERE)
        f->out->is_dead[written] = false;
    if (goes_on)
        end = 2 * (block->first + block->n);
    if (begin != NOWHERE && end > begin)
        add_range(f, own, begin, end);
    return e;
}

static void ranges_of_value(struct finder *f, uint32_t value, size_t own)
{
    if (f->first_event[value] == f->first_event[value + 1])
        return;
    f->todo.n = f->touched.n = 0;
    start_blocks(f, value);
    walk_back(f, value);
    qsort(f->touched.at, f->touched.n, sizeof *f->touched.at, compare_u32);
    uint32_t e = f->first_event[value];
    for (size_t i = 0; i < f->touched.n; i++)
        if (!i || f->touched.at[i] != f->touched.at[i - 1])
            e = ranges_in_block(f, value, f->touched.at[i], e, own);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct live_range *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

// Ranges of several values that share a group become one ascending list.
static void merge_ranges(struct finder *f, size_t own)
{
    size_t n = f->ranges.n;
    if (n == own)
        return;
    qsort(f->ranges.at + own, n - own, sizeof *f->ranges.at, compare_ranges);
    f->ranges.n = own;
    for (size_t i = own; i < n; i++) {
        struct live_range range = f->ranges.at[i];
        add_range(f, own, range.begin, range.end);
    }
}

static void ranges_of_group(struct finder *f, uint32_t g)
{
    size_t own = f->ranges.n;
    uint32_t row = f->code->group_row[g], end = f->code->group_row[g + 1];
    for (uint32_t r = row; r < end; r++) {
        if (f->value_of[r] != r)
            continue;
        ranges_of_value(f, r, f->ranges.n);
    }
    if (end - row > 1 && f->value_of[row + 1] != f->value_of[row])
        merge_ranges(f, own);
}

void live_find(struct arena *arena, const struct live_code *code, struct live *out)
{
    struct arena work;
    arena_init(&work, "liveness");
    uint32_t n_refs = code->first_ref[code->n_insns];
    *out = (struct live){.first_range = arena_array(arena, uint32_t, code->n_groups + 1),
                         .is_dead = arena_array(arena, bool, n_refs + 1)};
    struct finder f = {.code = code, .out = out};
    f.value_of = values_of_rows(&work, code);
    f.block_of = arena_array(&work, uint32_t, code->n_insns + 1);
    f.in = arena_array(&work, uint32_t, code->n_blocks + 1);
    f.out_of = arena_array(&work, uint32_t, code->n_blocks + 1);
    f.kills = arena_array(&work, uint32_t, code->n_blocks + 1);
    for (uint32_t b = 0; b < code->n_blocks; b++)
        for (uint32_t i = 0; i < code->blocks[b].n; i++)
            f.block_of[code->blocks[b].first + i] = b;
    for (uint32_t i = 0; i < n_refs; i++)
        out->is_dead[i] = code->refs[i].kind != REF_USE;
    sort_events(&f, &work);
    for (uint32_t g = 0; g < code->n_groups; g++) {
        out->first_range[g] = (uint32_t)f.ranges.n;
        ranges_of_group(&f, g);
    }
    out->first_range[code->n_groups] = (uint32_t)f.ranges.n;
    out->ranges =
        arena_copy(arena, f.ranges.at, sizeof *f.ranges.at * f.ranges.n, _Alignof(struct live_range));
    vec_release(&f.todo);
    vec_release(&f.touched);
    vec_release(&f.ranges);
    arena_release(&work);
}

uint32_t live_most(const struct live_code *code, const struct live *live, const bool *wanted)
{
    struct arena work;
    arena_init(&work, "liveness");
    int32_t *change = arena_array(&work, int32_t, 2 * (size_t)code->n_insns + 2);
    for (uint32_t g = 0; g < code->n_groups; g++) {
        int32_t rows = (int32_t)(code->group_row[g + 1] - code->group_row[g]);
        for (uint32_t r = live->first_range[g]; wanted[g] && r < live->first_range[g + 1]; r++) {
            change[live->ranges[r].begin] += rows;
            change[live->ranges[r].end] -= rows;
        }
    }
    int32_t now = 0, most = 0;
    for (size_t i = 0; i < 2 * (size_t)code->n_insns + 2; i++) {
        now += change[i];
        most = now > most ? now : most;
    }
    arena_release(&work);
    return (uint32_t)most;
}
