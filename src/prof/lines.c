// Sums by source line: see lines.h.
#include "prof/lines.h"
#include <stdlib.h>
#include <string.h>

double excess_cost_cycles(uint64_t excess_wavefronts, uint64_t excess_sectors)
{
    enum { SECTORS_PER_CYCLE = 2 };
    return (double)excess_wavefronts + (double)excess_sectors / SECTORS_PER_CYCLE;
}

uint64_t counters_excess_wavefronts(const struct counters *c)
{
    return c->shared_wavefronts > c->shared_ideal ? c->shared_wavefronts - c->shared_ideal : 0;
}

uint64_t counters_excess_sectors(const struct counters *c)
{
    return c->global_sectors > c->global_ideal ? c->global_sectors - c->global_ideal : 0;
}

double counters_cost(const struct counters *c)
{
    return excess_cost_cycles(counters_excess_wavefronts(c), counters_excess_sectors(c));
}

static int by_place(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->worst_insn < y->worst_insn ? -1 : x->worst_insn > y->worst_insn;
}

static int by_cost(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    if (x->cost_cycles != y->cost_cycles)
        return x->cost_cycles > y->cost_cycles ? -1 : 1;
    return x->worst_insn < y->worst_insn ? -1 : x->worst_insn > y->worst_insn;
}

struct entry {
    uint32_t file, line, index;
};

static int by_file_line(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

const uint32_t *launch_line_rows(struct arena *arena, const struct profile_launch *launch)
{
    struct entry *entries = arena_array(arena, struct entry, launch->n_lines);
    uint32_t *first = arena_array(arena, uint32_t, launch->n_lines);
    for (uint32_t i = 0; i < launch->n_lines; i++)
        entries[i] = (struct entry){launch->lines[i].file, launch->lines[i].line, i};
    qsort(entries, launch->n_lines, sizeof *entries, by_file_line);
    for (uint32_t i = 0; i < launch->n_lines; i++) {
        const struct entry *e = &entries[i];
        bool is_again = i && e[-1].file == e->file && e[-1].line == e->line;
        first[e->index] = !e->line ? 0 : is_again ? first[e[-1].index] : e->index;
    }
    return first;
}

enum { DEEPEST_STACK = 64 }; // a damaged file may hold a circle

static uint32_t own_line(const struct profile_launch *launch, uint32_t index)
{
    uint32_t outermost = index;
    for (int depth = 0; launch->lines[outermost].inlined_at >= 0 && depth < DEEPEST_STACK; depth++)
        outermost = (uint32_t)launch->lines[outermost].inlined_at;
    for (int depth = 0; launch->lines[index].file != launch->lines[outermost].file && depth < DEEPEST_STACK;
         depth++)
        index = (uint32_t)launch->lines[index].inlined_at;
    return index;
}

const uint32_t *launch_own_rows(struct arena *arena, const struct profile_launch *launch)
{
    const uint32_t *first = launch_line_rows(arena, launch);
    uint32_t *rows = arena_array(arena, uint32_t, launch->n_lines);
    for (uint32_t i = 0; i < launch->n_lines; i++)
        rows[i] = first[i] ? first[own_line(launch, i)] : 0;
    return rows;
}

static bool is_same_row(const struct line_row *a, const struct line_row *b)
{
    return a->line == b->line && a->line != 0;
}

struct line_row *launch_lines(struct arena *arena, const struct profile_launch *launch, size_t *n)
{
    const uint32_t *first = launch_line_rows(arena, launch);
    struct line_row *rows = arena_array(arena, struct line_row, launch->n_insns);
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        uint32_t line = launch->insns[i].line;
        rows[i] = (struct line_row){.line = line < launch->n_lines ? first[line] : 0,
                                    .worst_insn = i,
                                    .counters = launch->insns[i].counters};
        rows[i].cost_cycles = counters_cost(&rows[i].counters);
    }
    qsort(rows, launch->n_insns, sizeof *rows, by_place);
    size_t n_rows = 0;
    double worst = 0; // cost of the worst instruction of the row being made
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        if (!n_rows || !is_same_row(&rows[n_rows - 1], &rows[i])) {
            worst = rows[i].cost_cycles;
            rows[n_rows++] = rows[i];
            continue;
        }
        struct line_row *row = &rows[n_rows - 1];
        counters_add(&row->counters, &rows[i].counters);
        if (rows[i].cost_cycles > worst) {
            worst = rows[i].cost_cycles;
            row->worst_insn = rows[i].worst_insn;
        }
    }
    for (size_t i = 0; i < n_rows; i++) {
        rows[i].excess_wavefronts = counters_excess_wavefronts(&rows[i].counters);
        rows[i].excess_sectors = counters_excess_sectors(&rows[i].counters);
        rows[i].cost_cycles = excess_cost_cycles(rows[i].excess_wavefronts, rows[i].excess_sectors);
    }
    qsort(rows, n_rows, sizeof *rows, by_cost);
    *n = n_rows;
    return rows;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *place_of(struct arena *arena, const struct profile_launch *launch, uint32_t insn,
                            uint32_t index)
{
    if (index < launch->n_lines && launch->lines[index].line && launch->lines[index].file < launch->n_files)
        return arena_printf(arena, "%s:%u", base_name(launch->files[launch->lines[index].file]),
                            launch->lines[index].line);
    return arena_printf(arena, "%s, instruction %u", base_name(launch->module), insn);
}

const char *launch_place(struct arena *arena, const struct profile_launch *launch, uint32_t insn)
{
    return place_of(arena, launch, insn, launch->insns[insn].line);
}

const char *launch_own_place(struct arena *arena, const struct profile_launch *launch, uint32_t insn)
{
    uint32_t index = launch->insns[insn].line;
    return place_of(arena, launch, insn, index && index < launch->n_lines ? own_line(launch, index) : index);
}
