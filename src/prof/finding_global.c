// Findings about global memory: sectors beyond the fewest, structures and scalar accesses, atomics that meet,
// data that constants would serve.
#include "isa/isa.h"
#include "prof/finding_rules.h"
#include "prof/lines.h"
#include "prof/merge.h"
#include <math.h>
#include <string.h>

enum { SECTOR = 32, WARP = 32 };

static const char joined[] = " Estimated: ptxas may join accesses of this kernel.";

static bool is_atomic(const struct site *site)
{
    return strcmp(finding_action(site->class), "atomic") == 0;
}

// ---- sectors beyond the fewest ----

static enum finding_kind sectors_kind(const struct site *site)
{
    const struct counters *c = &site->counters;
    double sectors = finding_per(c->global_sectors, c->global_requests),
           ideal = finding_per(c->global_ideal, c->global_requests);
    double full_warp =
        site->access_bytes ? site->access_bytes : 1; // 32 lanes of so many bytes in sectors of 32
    if (is_atomic(site))
        return FINDING_SCATTERED;
    if (sectors <= full_warp)
        return FINDING_IDLE_LANES;
    if (sectors - ideal > 1 || ideal <= 1)
        return FINDING_UNCOALESCED;
    return strcmp(finding_action(site->class), "store") == 0 ? FINDING_PARTIAL_WRITE : FINDING_MISALIGNED;
}

// A sliding window is misaligned by nature: where L1 already has the extra sectors they cost nothing worth
// telling. Stores go through L1 in any case.
static bool is_absorbed(const struct site *site)
{
    return sectors_kind(site) == FINDING_MISALIGNED &&
           site->counters.global_hits >= counters_excess_sectors(&site->counters);
}

static void add_sectors(struct finder *finder, const struct site *site)
{
    const struct counters *c = &site->counters, *total = &finder->total;
    uint64_t excess = counters_excess_sectors(c);
    struct finding finding = {.kind = sectors_kind(site),
                              .insn = site->insn,
                              .before = (double)c->global_sectors,
                              .after = (double)NAN,
                              .cost = (double)excess,
                              .share = finding_per(excess, total->global_sectors)};
    finding.text = arena_printf(
        finder->arena,
        "%s: the global %s at %s touches %.4g sectors a request where %.4g would do (%.3g of 32 bytes used). "
        "%s of this kernel's %s global sectors are wasted here (%.0f %%).%s",
        finding_head(finding.kind), finding_action(site->class), finding_where(finder, site),
        finding_per(c->global_sectors, c->global_requests), finding_per(c->global_ideal, c->global_requests),
        finding_per(c->global_bytes, c->global_sectors), finding_count(finder, excess),
        finding_count(finder, total->global_sectors), 100 * finding.share,
        launch_may_merge_global(finder->launch) ? joined : "");
    if (finding.kind == FINDING_UNCOALESCED || finding.kind == FINDING_MISALIGNED ||
        finding.kind == FINDING_PARTIAL_WRITE) {
        finding.after = (double)c->global_ideal;
        finding.forecast =
            arena_printf(finder->arena,
                         "With the same lanes side by side and aligned this line moves %s sectors "
                         "instead of %s.",
                         finding_count(finder, c->global_ideal), finding_count(finder, c->global_sectors));
    }
    finding_add(finder, finding);
}

// ---- structures and scalar accesses ----

static const char *run_forecast(struct finder *finder, const struct vector_run *run, bool is_whole)
{
    struct arena *arena = finder->arena;
    uint64_t requests = run->requests / run->n_insns * run->n_vectors;
    const char *fields =
        is_whole ? ""
                 : arena_printf(arena, " each field in an array of its own: %s sectors in %s requests;",
                                finding_count(finder, run->ideal), finding_count(finder, run->requests));
    return arena_printf(arena, "As %u vector%s of %u bytes: %s sectors in %s requests;%s now %s in %s.",
                        run->n_vectors, run->n_vectors == 1 ? "" : "s", run->vector_bytes,
                        finding_count(finder, run->vector_sectors), finding_count(finder, requests), fields,
                        finding_count(finder, run->sectors), finding_count(finder, run->requests));
}

static void add_run(struct finder *finder, const struct vector_run *run)
{
    struct arena *arena = finder->arena;
    const struct profile_insn *insn = &finder->launch->insns[run->insn];
    bool is_whole = run->vector_sectors <= run->ideal; // vectors alone bring the fewest sectors
    enum finding_kind kind = is_whole ? FINDING_SCALAR : FINDING_AOS;
    uint64_t after = is_whole ? run->vector_sectors : run->ideal;
    struct finding finding = {.kind = kind,
                              .insn = run->insn,
                              .before = (double)run->sectors,
                              .after = (double)after,
                              .cost = (double)(run->sectors - after),
                              .share = finding_per(run->sectors - after, finder->total.global_sectors)};
    finding.text = arena_printf(
        arena,
        "%s: %u %ss of %u bytes at %s lie side by side in each thread and each touches %.4g sectors a "
        "request: %s sectors for what fits in %s. %.0f %% of this kernel's %s global sectors are wasted "
        "here.",
        finding_head(kind), run->n_insns, finding_action(insn->class), insn->access_bytes,
        launch_own_place(arena, finder->launch, run->insn),
        finding_per(insn->counters.global_sectors, insn->counters.global_requests),
        finding_count(finder, run->sectors), finding_count(finder, after), 100 * finding.share,
        finding_count(finder, finder->total.global_sectors));
    finding.forecast = run_forecast(finder, run, is_whole);
    finding_add(finder, finding);
}

// What the runs already told is taken off the sites that hold their instructions. `sites` is a copy.
static void take_off_runs(struct finder *finder, struct site *sites, const uint32_t *run_of,
                          const bool *is_told)
{
    const struct profile_launch *launch = finder->launch;
    const uint32_t *row = launch_own_rows(finder->scratch, launch);
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (!run_of[i] || !is_told[run_of[i] - 1])
            continue;
        uint32_t line = insn->line < launch->n_lines ? row[insn->line] : 0;
        for (size_t k = 0; k < finder->n_sites; k++) {
            struct counters *c = &sites[k].counters;
            bool is_here = line ? sites[k].line == line : sites[k].insn == i;
            if (!is_here || sites[k].class != insn->class || sites[k].access_bytes != insn->access_bytes)
                continue;
            c->global_sectors -= insn->counters.global_sectors;
            c->global_ideal -= insn->counters.global_ideal;
            c->global_requests -= insn->counters.global_requests;
            c->global_bytes -= insn->counters.global_bytes;
        }
    }
}

static bool is_worth_telling(const struct finder *finder, uint64_t sectors)
{
    return finding_per(sectors, finder->total.global_sectors) >= FINDING_LEAST_SHARE;
}

void find_global(struct finder *finder)
{
    size_t n_runs;
    uint32_t *run_of;
    const struct vector_run *runs = launch_vector_runs(finder->scratch, finder->launch, &n_runs, &run_of);
    bool *is_told = arena_array(finder->scratch, bool, n_runs);
    for (size_t i = 0; i < n_runs; i++) {
        bool is_whole = runs[i].vector_sectors <= runs[i].ideal;
        uint64_t after = is_whole ? runs[i].vector_sectors : runs[i].ideal;
        is_told[i] = (is_whole || runs[i].is_structure) && runs[i].sectors > after &&
                     is_worth_telling(finder, runs[i].sectors - after);
        if (is_told[i])
            add_run(finder, &runs[i]);
    }
    if (!is_worth_telling(finder, counters_excess_sectors(&finder->total)))
        return;
    struct site *sites =
        arena_copy(finder->scratch, finder->sites, finder->n_sites * sizeof *sites, _Alignof(struct site));
    take_off_runs(finder, sites, run_of, is_told);
    for (size_t i = 0; i < finder->n_sites; i++) {
        uint64_t excess = counters_excess_sectors(&sites[i].counters);
        if (excess && finding_per(excess, finder->total.global_sectors) >= FINDING_LEAST_PLACE &&
            !is_absorbed(&sites[i]))
            add_sectors(finder, &sites[i]);
    }
}

// ---- atomics that meet ----

void find_one_address(struct finder *finder)
{
    enum { LEAST_LANES = 8 }; // on one word, a request: a quarter of a warp
    for (size_t i = 0; i < finder->n_sites; i++) {
        const struct site *site = &finder->sites[i];
        const struct counters *c = &site->counters;
        double lanes = finding_per(c->atomic_sectors, c->global_sectors);
        uint64_t wasted = c->atomic_sectors > c->global_sectors ? c->atomic_sectors - c->global_sectors : 0;
        if (lanes < LEAST_LANES || !is_worth_telling(finder, wasted))
            continue;
        finding_add(
            finder,
            (struct finding){
                .kind = FINDING_ONE_ADDRESS,
                .insn = site->insn,
                .text = arena_printf(finder->arena,
                                     "%s: %.4g lanes of a warp meet on one word in the atomic at %s, which "
                                     "serves them one after "
                                     "another: %s sectors where %s would do.",
                                     finding_head(FINDING_ONE_ADDRESS), lanes, finding_where(finder, site),
                                     finding_count(finder, c->atomic_sectors),
                                     finding_count(finder, c->global_sectors)),
                .forecast = arena_printf(
                    finder->arena, "One lane for all that meet: %s sectors instead of %s.",
                    finding_count(finder, c->global_sectors), finding_count(finder, c->atomic_sectors)),
                .before = (double)c->atomic_sectors,
                .after = (double)c->global_sectors,
                .cost = (double)wasted,
                .share = finding_per(wasted, c->atomic_sectors)});
    }
}

// ---- what constants would serve ----

static bool is_read_only(const struct profile_launch *launch, const struct site *site)
{
    const char *text = launch->insns[site->insn].text;
    return strstr(text, ".nc") || strstr(text, ".CONSTANT");
}

void find_uniform(struct finder *finder)
{
    const double nearly_all = 0.95, least_part = 0.25;
    const uint64_t constant_bytes = 65536;
    // With caches as they were, device memory does not tell how much data there is.
    for (size_t i = 0; i < finder->n_sites && finder->launch->cache_flushed; i++) {
        const struct site *site = &finder->sites[i];
        const struct counters *c = &site->counters;
        if (finding_per(c->global_uniform, c->global_requests) < nearly_all ||
            finding_per(c->global_requests, finder->total.global_requests) < least_part ||
            SECTOR * c->dram_read_sectors > constant_bytes || !is_read_only(finder->launch, site))
            continue;
        finding_add(
            finder,
            (struct finding){
                .kind = FINDING_UNIFORM,
                .insn = site->insn,
                .text = arena_printf(
                    finder->arena,
                    "%s: in %.0f %% of its %s requests the load at %s gives all %d lanes the same "
                    "read-only value, %.0f %% of this kernel's global requests.",
                    finding_head(FINDING_UNIFORM), 100 * finding_per(c->global_uniform, c->global_requests),
                    finding_count(finder, c->global_requests), finding_where(finder, site), WARP,
                    100 * finding_per(c->global_requests, finder->total.global_requests)),
                .forecast = arena_printf(finder->arena, "As constants: %s global sectors less at this line.",
                                         finding_count(finder, c->global_sectors)),
                .before = (double)c->global_sectors,
                .after = 0,
                .cost = (double)c->global_sectors,
                .share = finding_per(c->global_sectors, finder->total.global_sectors)});
    }
}
