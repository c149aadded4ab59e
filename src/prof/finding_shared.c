// Findings about shared memory: races, bank conflicts, and arrays that no barrier guards.
#include "isa/isa.h"
#include "prof/finding_rules.h"
#include "prof/lines.h"
#include "prof/merge.h"
#include <math.h>
#include <string.h>

// ---- races ----

static const char *race_words(const struct profile_race *race)
{
    static const char *const words[N_RACE_KINDS] = {
        [RACE_READ_AFTER_WRITE] = "reads what another thread writes",
        [RACE_WRITE_AFTER_READ] = "overwrites what another thread reads",
        [RACE_WRITE_AFTER_WRITE] = "writes another value where another thread writes"};
    return words[race->kind];
}

static void add_race(struct finder *finder, const struct profile_race *race)
{
    const struct profile_launch *launch = finder->launch;
    const struct counters *c = &launch->insns[race->later].counters;
    finding_add(finder,
                (struct finding){
                    .kind = FINDING_RACE,
                    .insn = race->later,
                    .text = arena_printf(
                        finder->arena,
                        "%s: the %s at %s %s at %s, and nothing orders the two%s. Seen %s times in the first "
                        "blocks; which of them comes first is chance.",
                        finding_head(FINDING_RACE), finding_action(launch->insns[race->later].class),
                        launch_own_place(finder->arena, launch, race->later), race_words(race),
                        launch_own_place(finder->arena, launch, race->earlier),
                        race->within_warp ? " (lanes of one warp)" : "", finding_count(finder, race->n)),
                    .before = (double)race->n,
                    .after = (double)NAN,
                    .cost = (double)race->n,
                    .share = finding_per(c->shared_races, c->shared_requests)});
}

static bool is_same_pair(const struct profile_launch *launch, const struct profile_race *a,
                         const struct profile_race *b)
{
    uint32_t a_earlier = launch->insns[a->earlier].line, a_later = launch->insns[a->later].line,
             b_earlier = launch->insns[b->earlier].line, b_later = launch->insns[b->later].line;
    return (a_earlier == b_earlier && a_later == b_later) || (a_earlier == b_later && a_later == b_earlier);
}

// One finding for each pair of lines, the reading one first: who comes first is chance.
void find_races(struct finder *finder)
{
    const struct profile_race *races = finder->launch->races, *told[MAX_PROFILE_RACES];
    int n_told = 0;
    for (uint32_t kind = RACE_NONE + 1; kind < N_RACE_KINDS; kind++)
        for (int i = 0; i < MAX_PROFILE_RACES; i++) {
            bool is_told = races[i].kind != kind;
            for (int k = 0; k < n_told; k++)
                is_told |= is_same_pair(finder->launch, told[k], &races[i]);
            if (is_told)
                continue;
            add_race(finder, &races[i]);
            told[n_told++] = &races[i];
        }
}

// ---- bank conflicts ----

static const char joined[] = " Estimated: ptxas may join accesses of this kernel.";

// All lanes that are served together (128 bytes of them) in one bank, or nearly so: a column. Other whole
// powers of two are strides.
static enum finding_kind conflict_kind(const struct site *site)
{
    enum { NEARLY_ALL_BYTES = 100 };
    double degree = finding_per(site->counters.shared_wavefronts, site->counters.shared_ideal);
    double width = site->access_bytes > 4 ? site->access_bytes : 4;
    if (strcmp(finding_action(site->class), "atomic") == 0)
        return FINDING_BANK_ATOMIC;
    if (degree * width >= NEARLY_ALL_BYTES)
        return FINDING_BANK_COLUMN;
    return degree == 2 || degree == 4 || degree == 8 || degree == 16 ? FINDING_BANK_STRIDE
                                                                     : FINDING_BANK_IRREGULAR;
}

// The row that all conflicting accesses of the site share, 0 if there is none: n rows of sum s and sum of
// squares q are alike if n q = s s.
static uint64_t common_row(const struct counters *c)
{
    uint64_t n = c->shared_row_requests, sum = c->shared_row_bytes;
    return n && sum % n == 0 && n * c->shared_row_squares == sum * sum ? sum / n : 0;
}

// Wavefronts of the site in an array with padded (or swizzled) rows.
static uint64_t repaired(const struct counters *c, uint64_t changed)
{
    return c->shared_wavefronts - c->shared_row_wavefronts + changed;
}

static void add_forecast(struct finder *finder, const struct site *site, struct finding *finding)
{
    const struct counters *c = &site->counters;
    uint64_t row = common_row(c), pad = site->access_bytes > 4 ? site->access_bytes : 4;
    uint64_t padded = repaired(c, c->shared_padded), swizzled = repaired(c, c->shared_swizzled);
    if (!row || (padded >= c->shared_wavefronts && swizzled >= c->shared_wavefronts))
        return;
    finding->after = (double)(padded < swizzled ? padded : swizzled);
    finding->forecast = arena_printf(
        finder->arena,
        "Rows of %llu bytes (the distance between lanes): padded to %llu bytes this line takes %s wavefronts "
        "instead of %s; with column XOR row instead of padding, %s.",
        (unsigned long long)row, (unsigned long long)(row + pad), finding_count(finder, padded),
        finding_count(finder, c->shared_wavefronts), finding_count(finder, swizzled));
}

static void add_conflict(struct finder *finder, const struct site *site)
{
    const struct counters *c = &site->counters, *total = &finder->total;
    uint64_t excess = counters_excess_wavefronts(c);
    struct finding finding = {.kind = conflict_kind(site),
                              .insn = site->insn,
                              .before = (double)c->shared_wavefronts,
                              .after = (double)NAN,
                              .cost = (double)excess,
                              .share = finding_per(excess, total->shared_wavefronts)};
    finding.text =
        arena_printf(finder->arena,
                     "%s: the shared %s at %s takes %.4g wavefronts a request where %.4g would do. "
                     "%s of this kernel's %s wavefronts are wasted here (%.0f %%).%s",
                     finding_head(finding.kind), finding_action(site->class), finding_where(finder, site),
                     finding_per(c->shared_wavefronts, c->shared_requests),
                     finding_per(c->shared_ideal, c->shared_requests), finding_count(finder, excess),
                     finding_count(finder, total->shared_wavefronts), 100 * finding.share,
                     launch_may_merge_shared(finder->launch) ? joined : "");
    add_forecast(finder, site, &finding);
    finding_add(finder, finding);
}

void find_bank_conflicts(struct finder *finder)
{
    uint64_t wavefronts = finder->total.shared_wavefronts;
    if (finding_per(counters_excess_wavefronts(&finder->total), wavefronts) < FINDING_LEAST_SHARE)
        return;
    for (size_t i = 0; i < finder->n_sites; i++) {
        const struct site *site = &finder->sites[i];
        uint64_t excess = counters_excess_wavefronts(&site->counters);
        if (excess && finding_per(excess, wavefronts) >= FINDING_LEAST_PLACE)
            add_conflict(finder, site);
    }
}

// ---- no barrier ----

static bool orders_threads(const struct profile_insn *insn)
{
    static const char *const words[] = {"bar.",   "barrier",  "BAR.", "WARPSYNC", "fence",
                                        "membar", "volatile", "shfl", "SHFL",     "MEMBAR"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(insn->text, words[i]))
            return true;
    return false;
}

// Stored to and loaded from shared memory, and nothing between that orders threads: then a thread may only
// read what it wrote itself.
void find_no_barrier(struct finder *finder)
{
    const struct profile_launch *launch = finder->launch;
    // Machine code needs no barrier where lanes of one warp exchange data.
    if (launch->races[0].kind != RACE_NONE || strcmp(launch->isa, "ptx") != 0)
        return;
    for (uint32_t i = 0; i < launch->n_insns; i++)
        if (launch->insns[i].counters.executed && orders_threads(&launch->insns[i]))
            return;
    const struct site *load = NULL, *store = NULL;
    for (size_t i = 0; i < finder->n_sites; i++) {
        const struct site *site = &finder->sites[i];
        if (!site->counters.shared_requests)
            continue;
        if (strcmp(finding_action(site->class), "atomic") == 0)
            return;
        const struct site **which = strcmp(finding_action(site->class), "load") == 0 ? &load : &store;
        if (!*which || site->counters.shared_wavefronts > (*which)->counters.shared_wavefronts)
            *which = site;
    }
    if (!load || !store)
        return;
    uint64_t wavefronts = finder->total.shared_wavefronts;
    finding_add(
        finder,
        (struct finding){.kind = FINDING_NO_BARRIER,
                         .insn = load->insn,
                         .text = arena_printf(
                             finder->arena,
                             "%s: the load at %s reads shared memory that %s writes, and the kernel runs no "
                             "barrier. All %s shared wavefronts can be saved.",
                             finding_head(FINDING_NO_BARRIER), finding_where(finder, load),
                             finding_where(finder, store), finding_count(finder, wavefronts)),
                         .before = (double)wavefronts,
                         .after = (double)NAN,
                         .cost = (double)wavefronts,
                         .share = 1});
}
