// Findings about constant memory, idle lanes, occupancy and the carve-out.
#include "device/occupancy_next.h"
#include "isa/isa.h"
#include "prof/finding_rules.h"
#include "prof/lines.h"
#include <string.h>

enum { WARP = 32 };

// ---- constant memory ----

void find_constant(struct finder *finder)
{
    const double least_words = 2; // different words a load
    for (size_t i = 0; i < finder->n_sites; i++) {
        const struct site *site = &finder->sites[i];
        const struct counters *c = &site->counters;
        uint64_t wasted = c->constant_requests > c->executed ? c->constant_requests - c->executed : 0;
        double words = finding_per(c->constant_requests, c->executed);
        if (words < least_words || finding_per(wasted, finder->total.constant_requests) < FINDING_LEAST_SHARE)
            continue;
        finding_add(
            finder,
            (struct finding){
                .kind = FINDING_CONSTANT_DIVERGENT,
                .insn = site->insn,
                .text = arena_printf(
                    finder->arena,
                    "%s: the lanes of a warp read %.4g different words in the constant load at %s, which "
                    "are served one after another: %s requests for %s loads.",
                    finding_head(FINDING_CONSTANT_DIVERGENT), words, finding_where(finder, site),
                    finding_count(finder, c->constant_requests), finding_count(finder, c->executed)),
                .forecast = arena_printf(
                    finder->arena, "With one index for the warp: %s requests instead of %s.",
                    finding_count(finder, c->executed), finding_count(finder, c->constant_requests)),
                .before = (double)c->constant_requests,
                .after = (double)c->executed,
                .cost = (double)wasted,
                .share = finding_per(wasted, finder->total.constant_requests)});
    }
}

// ---- idle lanes ----

static uint64_t lost_lanes(const struct counters *c)
{
    return WARP * c->executed - c->threads_on;
}

// The instruction of the line that loses most lanes.
static uint32_t most_idle(struct finder *finder)
{
    size_t n;
    const struct line_row *lines = launch_lines(finder->scratch, finder->launch, &n);
    uint64_t most = 0;
    uint32_t insn = 0;
    for (size_t i = 0; i < n; i++)
        if (lost_lanes(&lines[i].counters) > most) {
            most = lost_lanes(&lines[i].counters);
            insn = lines[i].worst_insn;
        }
    return insn;
}

static bool is_partial_block(const struct profile_launch *launch, double lanes)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t warps = (threads + WARP - 1) / WARP;
    double full = finding_per(threads, warps); // lanes a warp has at all
    return threads && full < WARP && WARP - full >= (WARP - lanes) / 2;
}

void find_divergence(struct finder *finder)
{
    const double least_lanes = 24; // three quarters of a warp
    const struct counters *t = &finder->total;
    double active = finding_per(t->threads, t->executed), on = finding_per(t->threads_on, t->executed);
    if (!t->executed || on >= least_lanes)
        return;
    enum finding_kind kind =
        is_partial_block(finder->launch, active) ? FINDING_PARTIAL_WARP : FINDING_DIVERGENCE;
    uint32_t insn = kind == FINDING_PARTIAL_WARP ? FINDING_NOWHERE : most_idle(finder);
    uint64_t packed = (t->threads_on + WARP - 1) / WARP;
    const char *place = insn == FINDING_NOWHERE
                            ? "the block leaves the last warp partly empty"
                            : arena_printf(finder->arena, "most are lost at %s",
                                           launch_own_place(finder->arena, finder->launch, insn));
    finding_add(
        finder,
        (struct finding){
            .kind = kind,
            .insn = insn,
            .text = arena_printf(finder->arena,
                                 "%s: of 32 lanes an instruction has %.2f active and %.2f active with its "
                                 "predicate on; %s.",
                                 finding_head(kind), active, on, place),
            .forecast =
                arena_printf(finder->arena, "The same work in full warps: %s instructions instead of %s.",
                             finding_count(finder, packed), finding_count(finder, t->executed)),
            .before = (double)t->executed,
            .after = (double)packed,
            .cost = (double)(t->executed - packed),
            .share = finding_per(t->executed - packed, t->executed)});
}

// ---- occupancy ----

static struct kernel_needs needs_of(const struct profile_launch *launch)
{
    return (struct kernel_needs){.threads = launch->block[0] * launch->block[1] * launch->block[2],
                                 .registers = launch->registers,
                                 .static_shared_bytes = launch->static_shared_bytes,
                                 .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                 .barriers = launch->n_barriers,
                                 .cluster = launch->cluster};
}

// More room helps only a grid that has blocks waiting.
static bool has_blocks_waiting(const struct profile_launch *launch)
{
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    return blocks > (uint64_t)launch->blocks_per_sm * launch->n_sms;
}

static const char *step_text(struct arena *arena, const struct profile_launch *launch,
                             const struct occupancy_step *step)
{
    const char *registers = step->registers
                                ? arena_printf(arena, "%u registers a thread fewer%s", step->registers,
                                               launch->registers_are_estimated ? " (estimated)" : "")
                                : "";
    const char *shared = step->shared_bytes ? arena_printf(arena, "%u bytes of shared memory a block fewer",
                                                           step->shared_bytes)
                                            : "";
    return arena_printf(arena, "%s%s%s: %u warps an SM instead of %u", registers,
                        *registers && *shared ? " and " : "", shared, step->result.warps_per_sm,
                        launch->warps_per_sm);
}

static struct occupancy_step next_step(const struct profile_launch *launch, const struct device *device)
{
    struct kernel_needs needs = needs_of(launch);
    struct occupancy_step step = {.exists = false};
    if (device && launch->blocks_per_sm)
        step = occupancy_next_step(device, &needs);
    if (step.result.warps_per_sm <= launch->warps_per_sm || (!step.registers && !step.shared_bytes))
        step.exists = false;
    return step;
}

const char *finding_next_step(struct arena *arena, const struct profile_launch *launch,
                              const struct device *device)
{
    struct occupancy_step step = next_step(launch, device);
    return step.exists ? step_text(arena, launch, &step) : "";
}

void find_occupancy(struct finder *finder)
{
    const double low = 0.5;
    const struct profile_launch *launch = finder->launch;
    struct occupancy_step step = next_step(launch, finder->device);
    if (!step.exists || launch->occupancy >= low || !has_blocks_waiting(launch))
        return;
    double most = launch->warps_per_sm / launch->occupancy;
    finding_add(finder,
                (struct finding){
                    .kind = FINDING_OCCUPANCY,
                    .insn = FINDING_NOWHERE,
                    .text = arena_printf(
                        finder->arena, "%s: %u of %.0f warps an SM (%.1f %%), limited by %s.",
                        finding_head(FINDING_OCCUPANCY), launch->warps_per_sm, most, 100 * launch->occupancy,
                        step.registers && step.shared_bytes ? "registers and shared memory"
                        : step.registers                    ? "registers"
                                                            : "shared memory"),
                    .forecast = arena_printf(finder->arena, "%s.", step_text(finder->arena, launch, &step)),
                    .before = launch->warps_per_sm,
                    .after = step.result.warps_per_sm,
                    .cost = most - launch->warps_per_sm,
                    .share = 1 - launch->occupancy});
}

// ---- carve-out ----

// Every SM reads a sector once at the least; what the SMs together ask for beyond that, L1 had and lost.
void find_l1_starved(struct finder *finder)
{
    const uint64_t small_l1_bytes = 65536;
    const struct profile_launch *launch = finder->launch;
    const struct counters *t = &finder->total;
    uint64_t once = t->dram_read_sectors * launch->n_sms;       // each sector by each SM
    uint64_t made = t->l2_write_sectors + t->l2_atomic_sectors; // may be read again by those who wrote them
    uint64_t most_needed = once + made, asked = t->l2_read_sectors + t->l2_merged_sectors;
    if (!launch->cache_flushed || !launch->l1_bytes || launch->l1_bytes > small_l1_bytes ||
        asked <= most_needed ||
        finding_per(asked - most_needed, asked) < FINDING_LEAST_SHARE ||
        !(launch->static_shared_bytes + launch->dynamic_shared_bytes))
        return;
    uint64_t again = asked - most_needed;
    finding_add(
        finder,
        (struct finding){
            .kind = FINDING_L1_STARVED,
            .insn = FINDING_NOWHERE,
            .text = arena_printf(finder->arena,
                                 "%s: shared memory takes %llu KiB of the pool and leaves L1 %llu KiB; "
                                 "of %s sectors that were missing there at least %s had been there before.",
                                 finding_head(FINDING_L1_STARVED),
                                 (unsigned long long)(launch->shared_config_bytes / 1024),
                                 (unsigned long long)(launch->l1_bytes / 1024),
                                 finding_count(finder, asked), finding_count(finder, again)),
            .before = (double)asked,
            .forecast =
                arena_printf(finder->arena,
                             "With each sector read once by each SM: at most %s sectors missing in L1 instead of %s.",
                             finding_count(finder, once), finding_count(finder, asked)),
            .after = (double)once,
            .cost = (double)again,
            .share = finding_per(again, asked)});
}

// ---- L2 ----

void find_l2_lost(struct finder *finder)
{
    const struct counters *t = &finder->total;
    const struct site *worst = NULL;
    for (size_t i = 0; i < finder->n_sites; i++)
        if (finder->sites[i].counters.dram_again_sectors > (worst ? worst->counters.dram_again_sectors : 0))
            worst = &finder->sites[i];
    if (!worst || finding_per(t->dram_again_sectors, t->dram_read_sectors) < FINDING_LEAST_SHARE)
        return;
    uint64_t once = t->dram_read_sectors - t->dram_again_sectors;
    finding_add(finder,
                (struct finding){
                    .kind = FINDING_L2_LOST,
                    .insn = worst->insn,
                    .text = arena_printf(
                        finder->arena,
                        "%s: %s of the %s sectors read from device memory (%.0f %%) lie in lines that L2 had "
                        "held earlier in this launch and evicted, most of them for the %s at %s.",
                        finding_head(FINDING_L2_LOST), finding_count(finder, t->dram_again_sectors),
                        finding_count(finder, t->dram_read_sectors),
                        100 * finding_per(t->dram_again_sectors, t->dram_read_sectors),
                        finding_action(worst->class), finding_where(finder, worst)),
                    .forecast = arena_printf(
                        finder->arena, "With each line read once: %s sectors of device memory instead of %s.",
                        finding_count(finder, once), finding_count(finder, t->dram_read_sectors)),
                    .before = (double)t->dram_read_sectors,
                    .after = (double)once,
                    .cost = (double)t->dram_again_sectors,
                    .share = finding_per(t->dram_again_sectors, t->dram_read_sectors)});
}
