// The run loop: epochs, dispatch of blocks, drains. What happens inside an SM is in sm.c.
//
// An epoch: every SM runs until the common time, or until none of its warps can run; then L2 events and
// queued strong operations take effect in (time, SM) order, and blocks that ended are replaced. The first
// blocks go to the SMs in a fixed order, one a round; each later block goes where a slot fell free first.
#include "cycle/run.h"
#include "base/err.h"
#include "cycle/cluster.h"
#include "cycle/slab.h"
#include "cycle/sm.h"
#include "cycle/team.h"
#include "simt/waits.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Long enough that registers, shared memory and L1 tags of an SM, fetched into the host's cache once an
// epoch, are used many times; short enough that queues stay small.
enum { DEFAULT_EPOCH_CYCLES = 4096 };

// After an epoch of fewer warp instructions than this the main thread runs the next one alone: waking others
// would take longer. Who runs an SM does not change what it does.
enum { WORTH_WAKING_INSTRUCTIONS = 16384 };

// So many epochs in a row without an executed instruction, and nothing will ever happen again.
enum { MAX_IDLE_EPOCHS = 64 };

struct engine {
    const struct device *device;
    struct memsys *memsys; // made by the first launch that needs it
    struct slab slab;      // memory of resident blocks
    struct races races;
    struct sm *sms;        // all; a launch prepares those that it uses
    struct arena arena;    // of the running launch; its memory is kept
};

struct run {
    const struct device *device;
    const struct run_options *options;
    struct launch *launch;
    struct memsys *memsys; // NULL in MODEL_OFF
    struct arena *arena;
    struct team *team;
    struct tally *tallies; // one a host thread
    struct l2_counts *l2;  // one an instruction
    struct sm *sms;            // of the engine, by number
    struct sm **used;          // those that get blocks, in the order in which blocks are handed out
    struct ended_block *ended; // of all SMs
    struct sm **active;        // SMs that can run; then those with queued operations
    struct gpcs gpcs;          // of launches with clusters
    uint32_t n_used, next_block, n_blocks, turn;
    uint64_t blocks_done, epoch_ticks, warp_instructions, epoch_instructions;
    uint32_t cycle_shift, idle_epochs;
    double begin_seconds;
    struct fault fault;
};

struct engine *engine_new(const struct device *device)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        err_memory("engine", sizeof *engine);
    engine->device = device;
    engine->sms = calloc(device->n_sms, sizeof *engine->sms);
    if (!engine->sms)
        err_memory("SMs", device->n_sms * sizeof *engine->sms);
    arena_init(&engine->arena, "launch");
    return engine;
}

void engine_delete(struct engine *engine)
{
    if (!engine)
        return;
    memsys_delete(engine->memsys);
    slab_release(&engine->slab);
    races_release(&engine->races);
    for (uint32_t i = 0; i < engine->device->n_sms; i++)
        sm_release(&engine->sms[i]);
    free(engine->sms);
    arena_release(&engine->arena);
    free(engine);
}

// ---- set-up ---------------------------------------------------------------------------------------------

static struct kernel_needs needs_of(const struct device *device, const struct launch *launch)
{
    const struct kernel *k = launch->kernel;
    struct kernel_needs needs = {.threads = threads_per_block(launch),
                                 .registers = k->registers > FEWEST_REGISTERS ? k->registers : FEWEST_REGISTERS,
                                 .static_shared_bytes = k->static_shared_bytes,
                                 .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                 .max_dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                 .barriers = k->n_block_barriers,
                                 .cluster = launch->cluster,
                                 .carveout = CARVEOUT_DRIVER};
    memcpy(needs.block, launch->block, sizeof needs.block);
    memcpy(needs.grid, launch->grid, sizeof needs.grid);
    if (launch->has_carveout) {
        needs.carveout_value = occupancy_driver_preference(device, &needs, launch->carveout_percent);
        needs.carveout = CARVEOUT_BYTES;
    }
    return needs;
}

static uint64_t blocks_of(const struct launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

// The caches as the launch finds them.
static struct memsys *prepare_memsys(struct engine *engine, const struct run_options *options,
                                     uint64_t l1_bytes)
{
    if (options->model == MODEL_OFF)
        return NULL;
    if (!engine->memsys)
        return engine->memsys = memsys_new(engine->device, l1_bytes);
    if (!options->keep_caches)
        memsys_flush(engine->memsys);
    memsys_new_launch(engine->memsys, l1_bytes);
    return engine->memsys;
}

// SMs get blocks in the order of memsys, else of their numbers. Those that get none stay out of the launch.
static void take_sms(struct run *run, struct engine *engine, const struct occupancy *occupancy)
{
    const uint32_t *order = run->memsys ? memsys_sm_order(run->memsys) : NULL;
    uint32_t n_sms = (uint32_t)engine->device->n_sms;
    bool has_clusters = run->launch->cluster > 1;
    run->n_used = run->n_blocks < n_sms && !has_clusters ? run->n_blocks : n_sms;
    run->sms = engine->sms;
    run->used = arena_array(run->arena, struct sm *, run->n_used);
    run->active = arena_array(run->arena, struct sm *, run->n_used);
    run->ended = arena_array(run->arena, struct ended_block, run->n_used * occupancy->blocks_per_sm);
    size_t sm_bytes = occupancy->blocks_per_sm * block_memory_bytes(run->launch);
    uint8_t *memory = slab_need(&engine->slab, run->n_used * sm_bytes);
    for (uint32_t i = 0; i < run->n_used; i++) {
        uint32_t number = order ? order[i] : i;
        run->used[i] = &run->sms[number];
        sm_init(run->used[i], run->arena, run->launch, run->device, run->memsys, &engine->races, occupancy, number,
                memory + i * sm_bytes);
    }
    if (has_clusters)
        gpcs_init(&run->gpcs, run->arena, run->device, run->used, run->n_used);
}

// Up to the last byte of the block's own; 0: it has none. Machine code addresses it behind the reserved part.
static uint32_t shared_bytes_of(const struct launch *launch)
{
    uint32_t own = launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes;
    return own ? launch->kernel->shared_base + own : 0;
}

static void run_init(struct run *run, struct engine *engine, struct launch *launch,
                     const struct run_options *options, const struct occupancy *occupancy)
{
    uint32_t n_insns = launch->kernel->n_insns;
    *run = (struct run){.device = engine->device, .options = options, .launch = launch, .arena = &engine->arena};
    launch->n_sms = (uint32_t)engine->device->n_sms;
    launch_fill_rows(launch, run->arena);
    run->memsys = prepare_memsys(engine, options, occupancy->l1_bytes);
    if (run->memsys)
        memsys_set_memory(run->memsys, launch->memory);
    run->team = team_new(options->n_threads);
    run->tallies = arena_array(run->arena, struct tally, team_threads(run->team));
    for (uint32_t t = 0; t < team_threads(run->team); t++)
        tally_init(&run->tallies[t], run->arena, launch->kernel);
    run->l2 = arena_array(run->arena, struct l2_counts, n_insns);
    run->n_blocks = (uint32_t)blocks_of(launch);
    races_begin(&engine->races, launch->kernel, run->memsys ? shared_bytes_of(launch) : 0);
    take_sms(run, engine, occupancy);
    if (options->progress)
        atomic_store_explicit(&options->progress->n_blocks, run->n_blocks, memory_order_relaxed);
    run->cycle_shift = run->used[0]->cycle_shift;
    run->epoch_instructions = UINT64_MAX; // nothing known yet
    run->epoch_ticks = (options->epoch_cycles ? options->epoch_cycles : DEFAULT_EPOCH_CYCLES)
                       << run->cycle_shift;
}

static void run_release(struct run *run)
{
    for (uint32_t i = 0; i < run->n_used; i++)
        sm_end(run->used[i]);
    for (uint32_t t = 0; t < team_threads(run->team); t++)
        tally_release(&run->tallies[t]);
    team_delete(run->team);
    run->launch->launch_rows = NULL; // they lay in the arena
    arena_clear(run->arena);
}

// ---- blocks ---------------------------------------------------------------------------------------------

// As many clusters as there is room for, in their order.
static void start_clusters(struct run *run)
{
    uint32_t size = run->launch->cluster;
    while (run->next_block < run->n_blocks && gpcs_start_cluster(&run->gpcs, run->launch, run->next_block / size))
        run->next_block += size;
}

static void start_first_blocks(struct run *run)
{
    if (run->launch->cluster > 1) {
        start_clusters(run);
        return;
    }
    for (uint32_t slot = 0; slot < run->used[0]->n_slots; slot++)
        for (uint32_t i = 0; i < run->n_used && run->next_block < run->n_blocks; i++)
            sm_start_block(run->used[i], slot, run->next_block++);
}

static int ended_before(const void *left, const void *right)
{
    const struct ended_block *a = left, *b = right;
    if (a->time_ticks != b->time_ticks)
        return a->time_ticks < b->time_ticks ? -1 : 1;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

// Blocks that ended make room for the next ones, first come first served.
static void replace_blocks(struct run *run)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->n_used; i++) {
        struct sm *sm = run->used[i];
        memcpy(run->ended + n, sm->ended, sm->n_ended * sizeof *sm->ended);
        n += sm->n_ended;
        sm->n_ended = 0;
    }
    run->blocks_done += n;
    if (run->next_block == run->n_blocks)
        return;
    if (run->launch->cluster > 1) {
        start_clusters(run);
        return;
    }
    qsort(run->ended, n, sizeof *run->ended, ended_before);
    for (uint32_t i = 0; i < n && run->next_block < run->n_blocks; i++)
        sm_start_block(&run->sms[run->ended[i].sm], run->ended[i].slot, run->next_block++);
}

// ---- epochs ---------------------------------------------------------------------------------------------

static void run_one_sm(void *context, uint32_t item, uint32_t thread)
{
    struct run *run = context;
    struct sm *sm = run->active[item];
    sm->tally = &run->tallies[thread];
    sm_run(sm);
}

// The SMs that can run, into run->active, and the common time of this epoch's end: one epoch after the one
// that is furthest behind. Returns how many there are.
static uint32_t begin_epoch(struct run *run)
{
    uint64_t begin = UINT64_MAX;
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->n_used; i++) {
        struct sm *sm = run->used[i];
        if (!sm_can_run(sm))
            continue;
        run->active[n++] = sm;
        begin = sm_next_ticks(sm) < begin ? sm_next_ticks(sm) : begin;
    }
    for (uint32_t i = 0; i < n; i++)
        run->active[i]->until_ticks = begin + run->epoch_ticks;
    return n;
}

static void run_sms(struct run *run, uint32_t n)
{
    if (run->epoch_instructions >= WORTH_WAKING_INSTRUCTIONS)
        team_work(run->team, n, run_one_sm, run);
    else
        for (uint32_t i = 0; i < n; i++)
            run_one_sm(run, i, 0);
}

static uint64_t sm_next_exchange(const struct sm *sm)
{
    return sm->n_applied < sm->n_exchanges ? sm->exchanges[sm->n_applied].time_ticks : UINT64_MAX;
}

// The earliest queued operation. SMs without any leave run->active; the others keep their order.
static uint64_t next_exchange(struct run *run, uint32_t *n_active)
{
    uint64_t first = UINT64_MAX;
    uint32_t n = 0;
    for (uint32_t i = 0; i < *n_active; i++) {
        uint64_t time = sm_next_exchange(run->active[i]);
        first = time < first ? time : first;
        if (time != UINT64_MAX)
            run->active[n++] = run->active[i];
    }
    *n_active = n;
    return first;
}

// Queued operations take effect: slot by slot of time, within a slot SM by SM, beginning with another SM each
// time.
static void apply_exchanges(struct run *run)
{
    uint32_t n = run->n_used;
    for (uint32_t i = 0; i < n; i++)
        run->active[i] = run->used[i];
    for (uint64_t t = next_exchange(run, &n); t != UINT64_MAX; t = next_exchange(run, &n)) {
        uint64_t end = t - t % MEMSYS_SLOT_TICKS + MEMSYS_SLOT_TICKS;
        uint32_t first = run->turn++ % n;
        for (uint32_t i = 0; i < n; i++) {
            struct sm *sm = run->active[first + i < n ? first + i : first + i - n];
            while (sm_next_exchange(sm) < end)
                if (!sm_apply_next(sm) && sm->sim.fault.kind != FAULT_ASSERT)
                    return; // failed assertions all have their say
        }
    }
}

static void note_progress(struct run *run)
{
    struct run_progress *progress = run->options->progress;
    uint64_t n = 0;
    for (uint32_t i = 0; i < run->n_used; i++)
        n += run->used[i]->n_instructions;
    run->epoch_instructions = n - run->warp_instructions;
    run->warp_instructions = n;
    run->idle_epochs = run->epoch_instructions ? 0 : run->idle_epochs + 1;
    if (!progress)
        return;
    atomic_store_explicit(&progress->blocks_done, run->blocks_done, memory_order_relaxed);
    atomic_store_explicit(&progress->warp_instructions, n, memory_order_relaxed);
}

// The earliest guest fault of this epoch, if there is one.
static bool find_fault(struct run *run)
{
    const struct sm *earliest = NULL;
    for (uint32_t i = 0; i < run->n_used; i++)
        if (run->used[i]->has_fault && (!earliest || run->used[i]->now_ticks < earliest->now_ticks))
            earliest = run->used[i];
    if (earliest)
        run->fault = earliest->sim.fault;
    return earliest != NULL;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Behind the words for one block.
static void add_other_blocks(struct run *run)
{
    size_t n = strlen(run->fault.note);
    uint64_t left = run->n_blocks - run->blocks_done - 1;
    if (left && n < sizeof run->fault.note)
        snprintf(run->fault.note + n, sizeof run->fault.note - n, "\nso far for this block; %llu others have not ended either",
                 (unsigned long long)left);
}

// Nothing can run any more, yet blocks are left: says why.
static void explain_stall(struct run *run)
{
    for (uint32_t i = 0; i < run->n_used; i++)
        for (uint32_t slot = 0; slot < run->used[i]->n_allocated; slot++) {
            const struct block *block = &run->used[i]->blocks[slot];
            if (!block->is_running || !block_explain_stall(run->launch, block, &run->fault))
                continue;
            block_add_waits(run->launch, block, run->fault.note, sizeof run->fault.note);
            add_other_blocks(run);
            return;
        }
    BUG("%s: nothing can run, and no block says why", run->launch->kernel->name);
}

// Barriers of clusters whose threads have all arrived.
static void open_cluster_barriers(struct run *run)
{
    for (uint32_t i = 0; i < run->n_used; i++)
        for (uint32_t slot = 0; slot < run->used[i]->n_allocated; slot++) {
            struct block *block = &run->used[i]->blocks[slot];
            if (block->is_running)
                cluster_barrier_open(block);
        }
    for (uint32_t i = 0; i < run->n_used; i++) // also those that a remote mbarrier woke
        sm_update_ready(run->used[i]);
}

static bool is_late(const struct run *run)
{
    double most = run->options->timeout_seconds;
    return most > 0 && seconds_now() - run->begin_seconds > most;
}

static void explain_lateness(struct run *run)
{
    run->fault = (struct fault){.kind = FAULT_TIMEOUT};
    snprintf(run->fault.note, sizeof run->fault.note,
             "after %.3g s %llu of %u blocks had ended and %llu warp instructions had run; one block stands here:",
             seconds_now() - run->begin_seconds, (unsigned long long)run->blocks_done, run->n_blocks,
             (unsigned long long)run->warp_instructions);
    for (uint32_t i = 0; i < run->n_used; i++)
        for (uint32_t slot = 0; slot < run->used[i]->n_allocated; slot++) {
            const struct block *block = &run->used[i]->blocks[slot];
            if (!block->is_running || !block_first_place(run->launch, block, &run->fault))
                continue;
            block_add_waits(run->launch, block, run->fault.note, sizeof run->fault.note);
            return;
        }
}

static void drain(struct run *run)
{
    if (run->memsys)
        memsys_drain(run->memsys, UINT64_MAX, run->l2);
    apply_exchanges(run);
    for (uint32_t i = 0; i < run->n_used; i++)
        sm_settle(run->used[i]);
    if (run->launch->kernel->uses_clusters)
        open_cluster_barriers(run);
}

// Nothing can run: whoever waits in mbarrier.try_wait has waited long enough. False: nobody does.
static bool time_out_waits(struct run *run)
{
    bool found = false;
    for (uint32_t i = 0; i < run->n_used; i++) {
        for (uint32_t slot = 0; slot < run->used[i]->n_allocated; slot++)
            found |= run->used[i]->blocks[slot].is_running && block_time_out(&run->used[i]->blocks[slot]);
        sm_update_ready(run->used[i]);
    }
    return found;
}

static void run_epochs(struct run *run)
{
    start_first_blocks(run);
    while (run->blocks_done < run->n_blocks) {
        uint32_t n = begin_epoch(run);
        if (n == 0 && time_out_waits(run))
            continue;
        if (n == 0 || run->idle_epochs == MAX_IDLE_EPOCHS) {
            explain_stall(run);
            return;
        }
        run_sms(run, n);
        drain(run);
        if (find_fault(run))
            return;
        replace_blocks(run);
        note_progress(run);
        if (is_late(run) && run->blocks_done < run->n_blocks) {
            explain_lateness(run);
            return;
        }
    }
}

// ---- result ---------------------------------------------------------------------------------------------

static void collect(const struct run *run, struct counters *counters, struct run_result *result)
{
    uint32_t n_insns = run->launch->kernel->n_insns;
    for (uint32_t t = 0; t < team_threads(run->team); t++)
        tally_add_to(&run->tallies[t], counters);
    tally_add_l2(run->l2, n_insns, counters);
    for (uint32_t t = 0; t < team_threads(run->team); t++)
        for (uint32_t i = 0; i < n_insns; i++) {
            struct tally_sums sums = tally_sums(&run->tallies[t].hot[i]);
            result->warp_instructions += sums.executed;
            result->thread_instructions += sums.threads;
        }
    for (uint32_t i = 0; i < run->n_used; i++) {
        uint64_t cycles = run->used[i]->now_ticks >> run->cycle_shift;
        result->cycles = cycles > result->cycles ? cycles : result->cycles;
    }
    result->fault = run->fault;
}

struct dram_totals {
    uint64_t sectors, write_sectors;
};

static struct dram_totals dram_totals(const struct memsys *memsys)
{
    if (!memsys)
        return (struct dram_totals){0};
    return (struct dram_totals){memsys_dram_sectors(memsys), memsys_dram_write_sectors(memsys)};
}

// Coarse: the busiest SM's issue slots, or the time that device memory needs for its bytes if that is longer.
static void collect_dram(const struct run *run, struct dram_totals before, struct run_result *result)
{
    if (!run->memsys)
        return;
    struct dram_totals after = dram_totals(run->memsys);
    uint64_t cycles = memsys_dram_cycles(run->memsys, after.sectors - before.sectors);
    result->dram_write_sectors = after.write_sectors - before.write_sectors;
    result->barrier_sectors = memsys_barrier_sectors(run->memsys);
    result->cycles = cycles > result->cycles ? cycles : result->cycles;
}

bool engine_run(struct engine *engine, struct launch *launch, const struct run_options *options,
                struct counters *counters, struct run_result *result, struct err *err)
{
    struct kernel_needs needs = needs_of(engine->device, launch);
    struct run run;
    double begin = seconds_now();
    *result = (struct run_result){.occupancy = occupancy_of(engine->device, &needs)};
    if (!launch_check(engine->device, &needs, err))
        return false;
    uint64_t n_resident = (uint64_t)result->occupancy.blocks_per_sm * (uint64_t)engine->device->n_sms;
    if (launch->grid_workspace && blocks_of(launch) > n_resident)
        return err_set(err, "a cooperative launch of %llu blocks: at most %llu are resident at once",
                       (unsigned long long)blocks_of(launch), (unsigned long long)n_resident);
    for (int i = 0; i < 3 && launch->cluster > 1; i++)
        if (launch->grid[i] % launch->cluster_shape[i])
            return err_set(err, "a grid of %ux%ux%u blocks is not made of clusters of %ux%ux%u", launch->grid[0],
                           launch->grid[1], launch->grid[2], launch->cluster_shape[0], launch->cluster_shape[1],
                           launch->cluster_shape[2]);
    if (blocks_of(launch) > UINT32_MAX)
        return err_set(err, "%llu blocks are more than this program counts (4294967295)",
                       (unsigned long long)blocks_of(launch));
    run_init(&run, engine, launch, options, &result->occupancy);
    run.begin_seconds = begin;
    struct dram_totals before = dram_totals(run.memsys);
    run_epochs(&run);
    collect(&run, counters, result);
    collect_dram(&run, before, result);
    races_end(&engine->races, result->races);
    run_release(&run);
    result->wall_seconds = seconds_now() - begin;
    return true;
}
