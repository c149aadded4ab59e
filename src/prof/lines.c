// Sums by source line and the most important finding: see lines.h.
#include "prof/lines.h"
#include "base/buf.h"
#include "base/units.h"
#include "isa/isa.h"
#include <stdlib.h>
#include <string.h>

double excess_cost_cycles(uint64_t excess_wavefronts, uint64_t excess_sectors)
{
    enum { SECTORS_PER_CYCLE = 2 };
    return (double)excess_wavefronts + (double)excess_sectors / SECTORS_PER_CYCLE;
}

static uint64_t excess_wavefronts(const struct counters *c)
{
    return c->shared_wavefronts > c->shared_ideal ? c->shared_wavefronts - c->shared_ideal : 0;
}

static uint64_t excess_sectors(const struct counters *c)
{
    return c->global_sectors > c->global_ideal ? c->global_sectors - c->global_ideal : 0;
}

static double cost_of(const struct counters *c)
{
    return excess_cost_cycles(excess_wavefronts(c), excess_sectors(c));
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

// For each of launch->lines the first with the same file and line (columns and inlining do not split a row);
// 0 where the line is unknown.
static const uint32_t *first_entries(struct arena *arena, const struct profile_launch *launch)
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

static bool is_same_row(const struct line_row *a, const struct line_row *b)
{
    return a->line == b->line && a->line != 0;
}

struct line_row *launch_lines(struct arena *arena, const struct profile_launch *launch, size_t *n)
{
    const uint32_t *first = first_entries(arena, launch);
    struct line_row *rows = arena_array(arena, struct line_row, launch->n_insns);
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        uint32_t line = launch->insns[i].line;
        rows[i] = (struct line_row){.line = line < launch->n_lines ? first[line] : 0,
                                    .worst_insn = i,
                                    .counters = launch->insns[i].counters};
        rows[i].cost_cycles = cost_of(&rows[i].counters);
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
        rows[i].excess_wavefronts = excess_wavefronts(&rows[i].counters);
        rows[i].excess_sectors = excess_sectors(&rows[i].counters);
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

const char *launch_place(struct arena *arena, const struct profile_launch *launch, uint32_t insn)
{
    uint32_t index = launch->insns[insn].line;
    if (index < launch->n_lines && launch->lines[index].line && launch->lines[index].file < launch->n_files)
        return arena_printf(arena, "%s:%u", base_name(launch->files[launch->lines[index].file]),
                            launch->lines[index].line);
    return arena_printf(arena, "%s, instruction %u", base_name(launch->module), insn);
}

// ---- the finding
// ------------------------------------------------------------------------------------------------
static const char *count_text(struct arena *arena, uint64_t n)
{
    struct buf text = {0};
    units_print_count(&text, n);
    const char *copy = arena_string(arena, text.at, text.n);
    buf_release(&text);
    return copy;
}

static double per(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static const char *action_of(uint8_t class)
{
    switch (class) {
    case CLASS_GLOBAL_LD:
    case CLASS_SHARED_LD:
    case CLASS_GENERIC_LD:
        return "load";
    case CLASS_GLOBAL_ST:
    case CLASS_SHARED_ST:
    case CLASS_GENERIC_ST:
        return "store";
    default:
        return "atomic";
    }
}

static bool is_atomic(uint8_t class)
{
    return strcmp(action_of(class), "atomic") == 0;
}

static void describe_conflict(struct arena *arena, const struct profile_launch *launch,
                              const struct counters *total, struct finding *out)
{
    const struct profile_insn *insn = &launch->insns[out->insn];
    const struct counters *c = &insn->counters;
    out->kind = FINDING_BANK_CONFLICT;
    out->text = arena_printf(
        arena,
        "Bank conflicts: the shared %s at %s takes %.4g wavefronts a request where %.4g would do. "
        "%s of this kernel's %s wavefronts are excess (%.0f %%).",
        action_of(insn->class), launch_place(arena, launch, out->insn),
        per(c->shared_wavefronts, c->shared_requests), per(c->shared_ideal, c->shared_requests),
        count_text(arena, excess_wavefronts(total)), count_text(arena, total->shared_wavefronts),
        100 * per(excess_wavefronts(total), total->shared_wavefronts));
    uint32_t pad = insn->access_bytes > 4 ? insn->access_bytes : 4;
    out->fix = is_atomic(insn->class)
                   ? "Lanes of a warp meet on one word or bank: give each warp its own copy, or add up "
                     "within the warp "
                     "first (shuffle, or one atomic for all lanes with the same key)."
                   : arena_printf(
                         arena,
                         "Lanes walk down a column whose pitch is a multiple of the 128 bytes of all banks: "
                         "make each row %u bytes longer ([32][33] instead of [32][32]), or store element "
                         "(row, column) at column XOR row.",
                         pad);
}

static void describe_sectors(struct arena *arena, const struct profile_launch *launch,
                             const struct counters *total, struct finding *out)
{
    const struct profile_insn *insn = &launch->insns[out->insn];
    const struct counters *c = &insn->counters;
    double excess = per(excess_sectors(c), c->global_requests);
    bool is_by_one = excess <= 1 && per(c->global_ideal, c->global_requests) > 1;
    out->kind = is_atomic(insn->class) ? FINDING_SCATTERED
                : is_by_one            ? FINDING_MISALIGNED
                                       : FINDING_UNCOALESCED;
    static const char *const heads[] = {[FINDING_UNCOALESCED] = "Uncoalesced access",
                                        [FINDING_MISALIGNED] = "Misaligned access",
                                        [FINDING_SCATTERED] = "Scattered atomics"};
    static const char *const fixes[] = {
        [FINDING_UNCOALESCED] =
            "Let consecutive lanes touch consecutive addresses: index the fastest dimension with "
            "threadIdx.x; where the order must change, go through a tile in shared memory; keep "
            "fields that are read alone in arrays of their own.",
        [FINDING_MISALIGNED] =
            "Each warp's range begins inside a sector and so touches one more: shift or pad the data "
            "so that it begins at a multiple of 32 bytes.",
        [FINDING_SCATTERED] = "Collect in shared memory first and let each block add its totals once."};
    out->text = arena_printf(
        arena,
        "%s: the global %s at %s touches %.4g sectors a request where %.4g would do (%.3g of 32 bytes used). "
        "%s of this kernel's %s global sectors are excess (%.0f %%).",
        heads[out->kind], action_of(insn->class), launch_place(arena, launch, out->insn),
        per(c->global_sectors, c->global_requests), per(c->global_ideal, c->global_requests),
        per(c->global_bytes, c->global_sectors), count_text(arena, excess_sectors(total)),
        count_text(arena, total->global_sectors), 100 * per(excess_sectors(total), total->global_sectors));
    out->fix = fixes[out->kind];
}

// The instruction with the most of `excess`.
static uint32_t worst_by(const struct profile_launch *launch, uint64_t (*excess)(const struct counters *))
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < launch->n_insns; i++)
        if (excess(&launch->insns[i].counters) > excess(&launch->insns[worst].counters))
            worst = i;
    return worst;
}

struct finding launch_finding(struct arena *arena, const struct profile_launch *launch)
{
    struct finding out = {FINDING_NONE, 0,
                          "Nothing to mend: neither shared wavefronts nor global sectors are wasted.", ""};
    if (!launch->n_insns)
        return out;
    struct counters total;
    launch_totals(launch, &total);
    const double least = 0.1; // share of the traffic
    bool conflicts = per(excess_wavefronts(&total), total.shared_wavefronts) >= least;
    bool sectors = per(excess_sectors(&total), total.global_sectors) >= least;
    if (conflicts && (!sectors || excess_cost_cycles(excess_wavefronts(&total), 0) >=
                                      excess_cost_cycles(0, excess_sectors(&total)))) {
        out.insn = worst_by(launch, excess_wavefronts);
        describe_conflict(arena, launch, &total, &out);
    } else if (sectors) {
        out.insn = worst_by(launch, excess_sectors);
        describe_sectors(arena, launch, &total, &out);
    }
    return out;
}
