// The most important finding of a launch: which excess costs most, and what pattern makes it.
#include "prof/finding.h"
#include "base/buf.h"
#include "base/units.h"
#include "isa/isa.h"
#include "prof/lines.h"
#include "prof/merge.h"
#include <string.h>

static const struct row {
    const char *name, *head, *fix;
} rows[] = {
#define FINDING(kind, name, head, fix) {name, head, fix},
#include "prof/finding.def"
#undef FINDING
};

static const char joined[] = " Estimated: ptxas may join accesses of this kernel.";

const char *finding_name(enum finding_kind kind)
{
    return rows[kind].name;
}

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

// ---- shared memory
// All lanes that are served together (128 bytes of them) in one bank, or nearly so: a column. Other whole
// powers of two are strides.
static enum finding_kind conflict_kind(const struct profile_insn *insn)
{
    enum { NEARLY_ALL_BYTES = 100 };
    double degree = per(insn->counters.shared_wavefronts, insn->counters.shared_ideal);
    double width = insn->access_bytes > 4 ? insn->access_bytes : 4;
    if (is_atomic(insn->class))
        return FINDING_BANK_ATOMIC;
    if (degree * width >= NEARLY_ALL_BYTES)
        return FINDING_BANK_COLUMN;
    return degree == 2 || degree == 4 || degree == 8 || degree == 16 ? FINDING_BANK_STRIDE
                                                                     : FINDING_BANK_IRREGULAR;
}

static void describe_conflict(struct arena *arena, const struct profile_launch *launch,
                              const struct counters *total, struct finding *out)
{
    const struct profile_insn *insn = &launch->insns[out->insn];
    const struct counters *c = &insn->counters;
    uint64_t excess = counters_excess_wavefronts(total);
    out->kind = conflict_kind(insn);
    out->text = arena_printf(
        arena,
        "%s: the shared %s at %s takes %.4g wavefronts a request where %.4g would do. "
        "%s of this kernel's %s wavefronts are excess (%.0f %%).%s",
        rows[out->kind].head, action_of(insn->class), launch_place(arena, launch, out->insn),
        per(c->shared_wavefronts, c->shared_requests), per(c->shared_ideal, c->shared_requests),
        count_text(arena, excess), count_text(arena, total->shared_wavefronts),
        100 * per(excess, total->shared_wavefronts),
        launch_may_merge_shared(launch) ? joined : "");
}

// ---- global memory
// What a warp of 32 lanes of this width needs at least.
static double full_warp_sectors(const struct profile_insn *insn)
{
    return insn->access_bytes > 0 ? insn->access_bytes : 1; // 32 lanes of so many bytes in sectors of 32
}

static enum finding_kind sectors_kind(const struct profile_insn *insn)
{
    const struct counters *c = &insn->counters;
    double sectors = per(c->global_sectors, c->global_requests),
           ideal = per(c->global_ideal, c->global_requests);
    if (is_atomic(insn->class))
        return FINDING_SCATTERED;
    if (sectors <= full_warp_sectors(insn))
        return FINDING_IDLE_LANES;
    return sectors - ideal <= 1 && ideal > 1 ? FINDING_MISALIGNED : FINDING_UNCOALESCED;
}

static void describe_sectors(struct arena *arena, const struct profile_launch *launch,
                             const struct counters *total, struct finding *out)
{
    const struct profile_insn *insn = &launch->insns[out->insn];
    const struct counters *c = &insn->counters;
    uint64_t excess = counters_excess_sectors(total);
    out->kind = sectors_kind(insn);
    out->text = arena_printf(
        arena,
        "%s: the global %s at %s touches %.4g sectors a request where %.4g would do (%.3g of 32 bytes used). "
        "%s of this kernel's %s global sectors are excess (%.0f %%).%s",
        rows[out->kind].head, action_of(insn->class), launch_place(arena, launch, out->insn),
        per(c->global_sectors, c->global_requests), per(c->global_ideal, c->global_requests),
        per(c->global_bytes, c->global_sectors), count_text(arena, excess),
        count_text(arena, total->global_sectors), 100 * per(excess, total->global_sectors),
        launch_may_merge_global(launch) ? joined : "");
}

// A sliding window is misaligned by nature: where L1 already has the extra sectors they cost nothing worth
// telling.
static bool is_absorbed(const struct profile_insn *insn)
{
    return sectors_kind(insn) == FINDING_MISALIGNED &&
           insn->counters.global_hits >= counters_excess_sectors(&insn->counters);
}

// ---- which one
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
    const double least = 0.1; // share of the traffic of its kind
    uint64_t wavefronts = counters_excess_wavefronts(&total), sectors = counters_excess_sectors(&total);
    uint32_t worst_conflict = worst_by(launch, counters_excess_wavefronts);
    uint32_t worst_sectors = worst_by(launch, counters_excess_sectors);
    bool has_conflicts = per(wavefronts, total.shared_wavefronts) >= least;
    bool has_sectors =
        per(sectors, total.global_sectors) >= least && !is_absorbed(&launch->insns[worst_sectors]);
    if (has_conflicts &&
        (!has_sectors || excess_cost_cycles(wavefronts, 0) >= excess_cost_cycles(0, sectors))) {
        out.insn = worst_conflict;
        describe_conflict(arena, launch, &total, &out);
    } else if (has_sectors) {
        out.insn = worst_sectors;
        describe_sectors(arena, launch, &total, &out);
    }
    out.fix = rows[out.kind].fix;
    return out;
}
