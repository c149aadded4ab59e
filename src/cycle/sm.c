// One SM: warps take turns, steps are counted, accesses go into the hierarchy.
#include "cycle/sm.h"
#include "base/err.h"
#include "mem/cache.h"
#include "mem/lanes.h"
#include "simt/lanes.h"
#include <stdlib.h>

enum { MAX_EMPTY_TURNS = 1 << 16 };

// ---- life -----------------------------------------------------------------------------------------------

static uint32_t log2_floor(uint64_t n)
{
    return n ? 63 - (uint32_t)__builtin_clzll(n) : 0;
}

void sm_init(struct sm *sm, struct arena *arena, const struct launch *launch, const struct device *device,
             struct memsys *memsys, struct races *races, const struct occupancy *occupancy, uint32_t index, uint8_t *memory)
{
    uint32_t n_warps = occupancy->blocks_per_sm * occupancy->warps_per_block;
    if (n_warps > MAX_WARPS_PER_SM)
        BUG("%u warps on one SM", n_warps);
    sm->sim.launch = launch;
    sm->sim.sm = index;
    sm->sim.cursor = (struct memory_cursor){0};
    sm->sim.fault.kind = FAULT_NONE;
    sm->sim.now_cycles = 0;
    sm->memsys = memsys;
    sm->races = races;
    sm->handlers = handlers_choose();
    sm->now_ticks = sm->until_ticks = 0;
    sm->cycle_shift = log2_floor(device->n_subpartitions);
    sm->next_warp = 0;
    sm->ready[0] = sm->ready[1] = sm->asleep[0] = sm->asleep[1] = 0;
    sm->wakes_ticks = sm->next_stall_end_ticks = UINT64_MAX;
    sm->stalled[0] = sm->stalled[1] = 0;
    sm->l1_ticks = (uint64_t)device->l1_latency_cycles << sm->cycle_shift;
    sm->l2_ticks = (uint64_t)device->l2_latency_cycles << sm->cycle_shift;
    sm->l2_spread_ticks = (uint64_t)device->l2_latency_spread_cycles << sm->cycle_shift;
    sm->warp_start_ticks = (uint64_t)device->warp_start_cycles << sm->cycle_shift;
    sm->next_start_ticks = 0;
    sm->n_slots = occupancy->blocks_per_sm;
    sm->n_allocated = sm->n_running = 0;
    sm->warps_per_block = occupancy->warps_per_block;
    sm->memory = memory;
    sm->block_bytes = block_memory_bytes(launch);
    sm->blocks = arena_array(arena, struct block, sm->n_slots);
    sm->ended = arena_array(arena, struct ended_block, sm->n_slots);
    sm->n_exchanges = sm->n_applied = sm->n_ended = 0;
    sm->n_instructions = 0;
    sm->has_fault = false;
}

void sm_end(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->n_allocated; slot++)
        block_release(&sm->blocks[slot]);
}

void sm_release(struct sm *sm)
{
    free(sm->exchanges);
    free(sm->sim.transfers);
}

// ---- which warps can run --------------------------------------------------------------------------------

static uint32_t warp_index(const struct sm *sm, const struct warp *warp)
{
    return warp->block->slot * sm->warps_per_block + warp->warp_in_block;
}

static void set_ready(struct sm *sm, uint32_t warp, bool ready)
{
    uint64_t bit = 1ull << warp % 64;
    if (ready && !(sm->stalled[warp / 64] & bit))
        sm->ready[warp / 64] |= bit;
    else
        sm->ready[warp / 64] &= ~bit;
}

static void block_update_ready(struct sm *sm, struct block *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++)
        set_ready(sm, block->slot * sm->warps_per_block + w, warp_can_run(&block->warps[w]));
}

static bool has_ready(const struct sm *sm)
{
    return (sm->ready[0] | sm->ready[1]) != 0;
}

// When the first warp that sleeps or is stalled can go on.
static uint64_t next_wake(const struct sm *sm)
{
    return sm->wakes_ticks < sm->next_stall_end_ticks ? sm->wakes_ticks : sm->next_stall_end_ticks;
}

bool sm_can_run(const struct sm *sm)
{
    return (has_ready(sm) || next_wake(sm) != UINT64_MAX) && !sm->has_fault;
}

uint64_t sm_next_ticks(const struct sm *sm)
{
    return has_ready(sm) || next_wake(sm) < sm->now_ticks ? sm->now_ticks : next_wake(sm);
}

// ---- scoreboards ----------------------------------------------------------------------------------------

static void end_stalls(struct sm *sm)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t half = 0; half < MAX_WARPS_PER_SM / 64; half++)
        for (uint64_t left = sm->stalled[half]; left; left &= left - 1) {
            uint32_t w = half * 64 + (uint32_t)__builtin_ctzll(left);
            if (sm->stall_ends_ticks[w] <= sm->now_ticks) {
                sm->stalled[half] &= ~(1ull << w % 64);
                set_ready(sm, w, warp_can_run(sm->warps[w]));
            } else if (sm->stall_ends_ticks[w] < next) {
                next = sm->stall_ends_ticks[w];
            }
        }
    sm->next_stall_end_ticks = next;
}

static void stall(struct sm *sm, uint32_t w, uint64_t until_ticks)
{
    sm->stall_ends_ticks[w] = until_ticks;
    sm->next_stall_end_ticks = until_ticks < sm->next_stall_end_ticks ? until_ticks : sm->next_stall_end_ticks;
    set_ready(sm, w, false);
    sm->stalled[w / 64] |= 1ull << w % 64;
}

// The load's result comes at `ready_ticks`.
static void set_scoreboard(struct sm *sm, uint32_t w, const struct insn *insn, uint64_t ready_ticks)
{
    struct scoreboards *boards = &sm->scoreboards[w];
    uint32_t board = insn->control ? SASS_WRITE_BARRIER(insn->control) : 0;
    if (board >= N_SCOREBOARDS)
        return;
    if (ready_ticks > boards->ready_ticks[board])
        boards->ready_ticks[board] = ready_ticks;
    if (ready_ticks > boards->latest_ticks)
        boards->latest_ticks = ready_ticks;
}

// How long a load that misses L1 takes: slices lie at different distances from each SM (l2_spread.cu). Two lines in a row
// share one.
static uint64_t miss_ticks(const struct sm *sm, const struct access *access)
{
    uint32_t line = (uint32_t)(access->addr[lanes_first(access->mask)] / (2 * LINE_BYTES));
    uint32_t hash = cache_mix(line ^ cache_mix(sm->sim.sm + 1));
    return sm->l2_ticks - sm->l2_spread_ticks + cache_scale(hash, (uint32_t)(2 * sm->l2_spread_ticks + 1));
}

// Until when the warp's next instruction must wait; 0 or a time past: it need not.
static uint64_t waits_until(const struct sm *sm, uint32_t w, struct warp *warp)
{
    const struct scoreboards *boards = &sm->scoreboards[w];
    if (boards->latest_ticks <= sm->now_ticks)
        return 0;
    uint32_t pc = split_current(warp)->pc;
    uint64_t control = pc < warp->kernel->n_insns ? warp->kernel->insns[pc].control : 0, until = 0;
    if (!control)
        return boards->latest_ticks;
    for (uint64_t left = SASS_WAIT_MASK(control); left; left &= left - 1) {
        uint64_t ready = boards->ready_ticks[__builtin_ctzll(left)];
        until = ready > until ? ready : until;
    }
    return until;
}

// ---- sleep ----------------------------------------------------------------------------------------------

static void set_now(struct sm *sm, uint64_t ticks)
{
    sm->now_ticks = ticks;
    sm->sim.now_cycles = ticks >> sm->cycle_shift;
}

static void wake_sleepers(struct sm *sm)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t w = 0; w < MAX_WARPS_PER_SM; w++) {
        if (!(sm->asleep[w / 64] >> w % 64 & 1))
            continue;
        uint64_t wakes = warp_wake(sm->warps[w], sm->sim.now_cycles);
        set_ready(sm, w, warp_can_run(sm->warps[w]));
        if (wakes == UINT64_MAX)
            sm->asleep[w / 64] &= ~(1ull << w % 64);
        next = wakes < next ? wakes : next;
    }
    sm->wakes_ticks = next == UINT64_MAX ? next : next << sm->cycle_shift;
}

static void fall_asleep(struct sm *sm, struct warp *warp)
{
    uint32_t w = warp_index(sm, warp);
    sm->asleep[w / 64] |= 1ull << w % 64;
    wake_sleepers(sm);
}

// A warp that can run, after the SM has slept if all do. Not while operations are queued: their results may come
// first.
static bool find_ready(struct sm *sm)
{
    if (!has_ready(sm) && sm->next_stall_end_ticks != UINT64_MAX && sm->next_stall_end_ticks > sm->now_ticks)
        set_now(sm, sm->next_stall_end_ticks < sm->until_ticks ? sm->next_stall_end_ticks : sm->until_ticks);
    if (sm->now_ticks >= sm->next_stall_end_ticks)
        end_stalls(sm);
    if (__builtin_expect(sm->wakes_ticks == UINT64_MAX, 1))
        return has_ready(sm);
    if (!has_ready(sm) && sm->n_exchanges == 0 && sm->wakes_ticks > sm->now_ticks)
        set_now(sm, sm->wakes_ticks < sm->until_ticks ? sm->wakes_ticks : sm->until_ticks);
    if (sm->now_ticks >= sm->wakes_ticks)
        wake_sleepers(sm);
    return has_ready(sm);
}

// The first warp that can run from `from` on, round the circle. There is one.
static uint32_t next_ready(const struct sm *sm, uint32_t from)
{
    uint32_t half = from / 64 % 2;
    uint64_t at_or_after = sm->ready[half] & (UINT64_MAX << from % 64);
    if (at_or_after)
        return half * 64 + (uint32_t)__builtin_ctzll(at_or_after);
    if (sm->ready[!half])
        return !half * 64 + (uint32_t)__builtin_ctzll(sm->ready[!half]);
    return half * 64 + (uint32_t)__builtin_ctzll(sm->ready[half]);
}

// ---- blocks ---------------------------------------------------------------------------------------------

static void set_step_ticks(struct sm *sm)
{
    uint32_t n_warps = sm->n_running * sm->warps_per_block, per_cycle = 1u << sm->cycle_shift;
    sm->step_ticks = n_warps && n_warps < per_cycle ? (per_cycle + n_warps - 1) / n_warps : 1;
}

// Warps of an SM start one after the other.
static void start_warps(struct sm *sm, const struct block *block)
{
    for (uint32_t w = 0; w < block->n_warps && sm->warp_start_ticks; w++) {
        if (sm->next_start_ticks > sm->now_ticks)
            stall(sm, block->slot * sm->warps_per_block + w, sm->next_start_ticks);
        else
            sm->next_start_ticks = sm->now_ticks;
        sm->next_start_ticks += sm->warp_start_ticks;
    }
}

void sm_start_block(struct sm *sm, uint32_t slot, uint32_t linear_index)
{
    struct block *block = &sm->blocks[slot];
    for (; sm->n_allocated <= slot; sm->n_allocated++)
        block_place(sm->sim.launch, &sm->blocks[sm->n_allocated],
                    sm->memory + sm->n_allocated * sm->block_bytes);
    block_start(sm->sim.launch, block, linear_index, sm->sim.sm, slot);
    block->is_running = true;
    block->watch = races_watch(sm->races, linear_index);
    for (uint32_t w = 0; w < block->n_warps; w++) {
        sm->warps[slot * sm->warps_per_block + w] = &block->warps[w];
        sm->scoreboards[slot * sm->warps_per_block + w] = (struct scoreboards){0};
    }
    sm->n_running++;
    set_step_ticks(sm);
    block_update_ready(sm, block);
    start_warps(sm, block);
}

static void block_ended(struct sm *sm, struct block *block)
{
    block->is_running = false;
    sm->n_running--;
    set_step_ticks(sm);
    sm->ended[sm->n_ended++] = (struct ended_block){sm->now_ticks, sm->sim.sm, block->slot};
}

// ---- steps ----------------------------------------------------------------------------------------------

static bool is_long(const struct access *access)
{
    return access->space == SPACE_GLOBAL || access->space == SPACE_LOCAL;
}

static void look_for_races(struct sm *sm, const struct warp *warp, const struct access *access)
{
    bool orders = MOD_GET(warp->kernel->insns[access->insn].mod, MOD_SEM, 3) >= SEM_ACQUIRE;
    if (races_note(warp->block->watch, warp, access))
        sm->tally->accesses[access->insn].shared_races++;
    warp->block->n_orders += orders;
}

// As ptxas makes the atomic (enum combining), in `out`.
static const struct access *combine(const struct kernel *kernel, const struct access *access, struct access *out)
{
    const enum combining how = kernel->combined[access->insn];
    const bool is_shared = access->space == SPACE_SHARED, is_full = access->mask == UINT32_MAX;
    const bool counts = how == COMBINE_COUNT || how == COMBINE_COUNT_OR_ONE;
    *out = *access;
    if (counts && kernel->has_redux && is_shared)
        out->kind = ACCESS_LOAD; // equal words are one (mem/banks.h)
    else if (how == COMBINE_ONE || how == COMBINE_COUNT_OR_ONE || (how == COMBINE_REDUX && kernel->has_redux) ||
             (is_full && (how == COMBINE_REDUX || how == COMBINE_FULL_WARPS)))
        out->mask = access->mask & -access->mask;
    return out;
}

static void count_access(struct sm *sm, const struct warp *warp, const struct access *access)
{
    struct outcome outcome;
    struct access combined;
    const struct access *as_written = access;
    if (!sm->memsys)
        return;
    if (__builtin_expect(access->kind >= ACCESS_ATOM && warp->kernel->combined, 0))
        access = combine(warp->kernel, access, &combined);
    if (access->space == SPACE_SHARED) {
        tally_shared(sm->tally, access);
        if (__builtin_expect(warp->block->watch != NULL, 0))
            look_for_races(sm, warp, as_written);
        return;
    }
    if (access->space == SPACE_CLUSTER) {
        tally_cluster(sm->tally, access);
        return;
    }
    uint64_t local_base = access->space == SPACE_LOCAL ? warp->local_base : 0;
    memsys_access(sm->memsys, sm->sim.sm, access, local_base, sm->now_ticks, &outcome);
    tally_access(sm->tally, access, &outcome);
    const struct insn *insn = &warp->kernel->insns[access->insn];
    if (outcome.ready_ticks)
        set_scoreboard(sm, warp_index(sm, warp), insn, outcome.ready_ticks);
    else if (is_long(access) && access->kind == ACCESS_LOAD)
        set_scoreboard(sm, warp_index(sm, warp), insn,
                       sm->now_ticks + (outcome.l1_miss_sectors ? miss_ticks(sm, access) : sm->l1_ticks));
}

// cp.async: the lanes that read, then those that write.
static void count_copy(struct sm *sm, const struct step *step)
{
    struct outcome outcome = {0};
    if (!sm->memsys)
        return;
    if (step->access->mask)
        memsys_access(sm->memsys, sm->sim.sm, step->access, 0, sm->now_ticks, &outcome);
    tally_copy(sm->tally, step->access, &outcome, step->target);
}

static void count_transfers(struct sm *sm, uint32_t insn)
{
    for (uint32_t i = 0; i < sm->sim.n_transfers && sm->memsys; i++)
        memsys_transfer(sm->memsys, sm->sim.sm, insn, sm->sim.transfers[i].address, sm->sim.transfers[i].n_bytes,
                        sm->sim.transfers[i].kind, sm->now_ticks);
}

static void count_texture(struct sm *sm, uint32_t insn)
{
    struct outcome outcome;
    if (!sm->memsys)
        return;
    memsys_texture(sm->memsys, sm->sim.sm, insn, &sm->sim.texture_traffic, sm->now_ticks, &outcome);
    tally_texture(sm->tally, insn, &sm->sim.texture_traffic, &outcome);
}

static void queue_exchange(struct sm *sm, const struct exchange *exchange)
{
    if (!sm->exchanges) // only kernels with strong operations need it
        sm->exchanges = malloc(QUEUED_EXCHANGES * sizeof *sm->exchanges);
    if (!sm->exchanges)
        err_memory("queue of strong operations", QUEUED_EXCHANGES * sizeof *sm->exchanges);
    sm->exchanges[sm->n_exchanges++] = (struct queued_exchange){sm->now_ticks, *exchange};
}

// What ends a warp's turn other than a plain access. Barriers open inside warp_step, so after an arrival or
// an exit other warps of the block may be ready as well.
static void end_turn(struct sm *sm, struct warp *warp, const struct step *step, enum step_kind kind)
{
    struct block *block = warp->block;
    switch (kind) {
    case STEP_EXCHANGE:
        if (!step->exchange->is_call && !step->exchange->is_mbarrier)
            count_access(sm, warp, &step->exchange->access);
        queue_exchange(sm, step->exchange);
        block->n_orders += MOD_GET(step->insn->mod, MOD_SEM, 3) >= SEM_ACQUIRE;
        set_ready(sm, warp_index(sm, warp), warp_can_run(warp));
        break;
    case STEP_COPY:
        count_copy(sm, step);
        break;
    case STEP_TRANSFER:
        count_transfers(sm, step->pc);
        if (step->exchange)
            queue_exchange(sm, step->exchange);
        block_update_ready(sm, block);
        break;
    case STEP_TEXTURE:
        count_texture(sm, step->pc);
        break;
    case STEP_FENCE:
        set_ready(sm, warp_index(sm, warp), warp_can_run(warp));
        break;
    case STEP_BARRIER:
    case STEP_SWITCH:
        block_update_ready(sm, block);
        break;
    case STEP_DONE:
        block_update_ready(sm, block);
        if (block->n_warps_done == block->n_warps)
            block_ended(sm, block);
        break;
    case STEP_SLEEP:
        fall_asleep(sm, warp);
        break;
    case STEP_FAULT:
        sm->has_fault = true;
        break;
    default:
        break;
    }
}

// One turn of one warp. Returns how many instructions it executed.
static uint32_t warp_turn(struct sm *sm, struct warp *warp)
{
    struct tally_hot *hot = sm->tally->hot;
    const uint32_t w = warp_index(sm, warp);
    uint32_t n_executed = 0;
    for (uint32_t n = 0; n < QUANTUM_STEPS; n++) {
        struct step step;
        uint64_t until = waits_until(sm, w, warp);
        if (until > sm->now_ticks) {
            stall(sm, w, until);
            break;
        }
        enum step_kind kind = warp_step(&sm->sim, sm->handlers, warp, &step);
        if (step.executed) {
            tally_step(hot, &step);
            n_executed++;
            set_now(sm, sm->now_ticks + sm->step_ticks);
        }
        if (kind == STEP_PLAIN)
            continue;
        if (kind != STEP_ACCESS) {
            end_turn(sm, warp, &step, kind);
            break;
        }
        count_access(sm, warp, step.access);
        if (is_long(step.access))
            break;
    }
    return n_executed;
}

static bool has_room(const struct sm *sm)
{
    return sm->n_exchanges < QUEUED_EXCHANGES && (!sm->memsys || memsys_has_room(sm->memsys, sm->sim.sm));
}

// Warps that say they can run and execute nothing, turn after turn, are a bug of ours; the run loop names it.
void sm_run(struct sm *sm)
{
    uint32_t n_empty = 0;
    while (sm->now_ticks < sm->until_ticks && !sm->has_fault && has_room(sm) && n_empty < MAX_EMPTY_TURNS &&
           find_ready(sm)) {
        uint32_t w = next_ready(sm, sm->next_warp);
        sm->next_warp = (w + 1) % MAX_WARPS_PER_SM;
        uint32_t n = warp_turn(sm, sm->warps[w]);
        sm->n_instructions += n;
        n_empty = n ? 0 : n_empty + 1;
    }
}

// ---- between epochs -------------------------------------------------------------------------------------

bool sm_apply_next(struct sm *sm)
{
    struct exchange *exchange = &sm->exchanges[sm->n_applied++].exchange;
    if (!exchange_apply(&sm->sim, exchange)) {
        sm->has_fault = true;
        return false;
    }
    set_ready(sm, warp_index(sm, exchange->warp), warp_can_run(exchange->warp));
    return true;
}

void sm_update_ready(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->n_allocated; slot++)
        if (sm->blocks[slot].is_running)
            block_update_ready(sm, &sm->blocks[slot]);
}

void sm_settle(struct sm *sm)
{
    sm->n_exchanges = sm->n_applied = 0;
}
