// Findings: the list of rules, their order, and the texts of the table. The rules are in finding_*.c.
#include "prof/finding.h"
#include "base/buf.h"
#include "base/units.h"
#include "isa/isa.h"
#include "prof/finding_rules.h"
#include "prof/lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *name, *unit, *metric, *head, *fix;
} rows[] = {
#define FINDING(kind, name, unit, metric, head, fix) {name, unit, metric, head, fix},
#include "prof/finding.def"
#undef FINDING
};

static void (*const rules[])(struct finder *) = {
    find_races,          find_bank_conflicts, find_no_barrier, find_global,    find_one_address, find_uniform,   find_local, find_unseen_spills,
    find_constant,       find_divergence, find_occupancy, find_l2_lost,     find_l1_starved};

const char *finding_name(enum finding_kind kind)
{
    return rows[kind].name;
}

const char *finding_unit(enum finding_kind kind)
{
    return rows[kind].unit;
}

const char *finding_metric(enum finding_kind kind)
{
    return rows[kind].metric;
}

const char *finding_head(enum finding_kind kind)
{
    return rows[kind].head;
}

const char *finding_place(struct arena *arena, const struct profile_launch *launch,
                          const struct finding *finding)
{
    return finding->insn == FINDING_NOWHERE ? "the launch" : launch_own_place(arena, launch, finding->insn);
}

const char *finding_count(struct finder *finder, uint64_t n)
{
    struct buf text = {0};
    units_print_count(&text, n);
    const char *copy = arena_string(finder->arena, text.at, text.n);
    buf_release(&text);
    return copy;
}

double finding_per(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

const char *finding_action(uint8_t class)
{
    switch (class) {
    case CLASS_GLOBAL_LD:
    case CLASS_SHARED_LD:
    case CLASS_GENERIC_LD:
    case CLASS_LOCAL_LD:
    case CLASS_CONST_LD:
    case CLASS_LDSM:
        return "load";
    case CLASS_LDGSTS:
        return "asynchronous copy";
    case CLASS_GLOBAL_ST:
    case CLASS_SHARED_ST:
    case CLASS_GENERIC_ST:
    case CLASS_LOCAL_ST:
        return "store";
    default:
        return "atomic";
    }
}

const char *finding_where(struct finder *finder, const struct site *site)
{
    return launch_own_place(finder->arena, finder->launch, site->insn);
}

// What one unit holds an SM up, in cycles: an order, not a forecast. A warp instruction takes one of four
// issue slots; a constant request is served one a cycle.
static double unit_cycles(const char *unit)
{
    static const struct {
        const char *unit;
        double cycles;
    } weights[] = {{"wavefront", 1}, {"sector", 0.5}, {"request", 1}, {"instruction", 0.25}};
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (strcmp(weights[i].unit, unit) == 0)
            return weights[i].cycles;
    return 0;
}

void finding_add(struct finder *finder, struct finding finding)
{
    finding.fix = rows[finding.kind].fix;
    if (!finding.forecast)
        finding.forecast = "";
    finding.cost_cycles = finding.cost * unit_cycles(rows[finding.kind].unit);
    vec_push(&finder->out, finding);
}

static int by_cost(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if ((x->kind == FINDING_RACE) != (y->kind == FINDING_RACE)) // wrong results before slow ones
        return x->kind == FINDING_RACE ? -1 : 1;
    if (x->cost_cycles != y->cost_cycles)
        return x->cost_cycles > y->cost_cycles ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->insn < y->insn ? -1 : x->insn > y->insn;
}

const struct finding *launch_findings(struct arena *arena, const struct profile_launch *launch,
                                      const struct device *device, size_t *n)
{
    struct arena scratch;
    arena_init(&scratch, "findings");
    struct finder finder = {.arena = arena, .scratch = &scratch, .launch = launch, .device = device};
    launch_totals(launch, &finder.total);
    finder.sites = launch_sites(&scratch, launch, &finder.n_sites);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](&finder);
    arena_release(&scratch);
    *n = finder.out.n;
    if (!*n)
        return NULL;
    struct finding *out =
        arena_copy(arena, finder.out.at, finder.out.n * sizeof *out, _Alignof(struct finding));
    vec_release(&finder.out);
    qsort(out, *n, sizeof *out, by_cost);
    return out;
}

struct finding launch_finding(struct arena *arena, const struct profile_launch *launch)
{
    size_t n;
    const struct finding *all = launch_findings(arena, launch, NULL, &n);
    if (n)
        return all[0];
    return (struct finding){.kind = FINDING_NONE,
                            .insn = FINDING_NOWHERE,
                            .text =
                                "Nothing to mend: neither shared wavefronts nor global sectors are wasted.",
                            .fix = "",
                            .forecast = "",
                            .after = (double)NAN};
}
