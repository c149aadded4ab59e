// Control flow: branches that diverge, calls, exit; and small instructions about the thread itself.
#include "simt/address.h"
#include "simt/ops.h"
#include "base/err.h"
#include <stdlib.h>

// ---- branches -------------------------------------------------------------------------------------------------------

// Some lanes jump, the others go on; they meet again at the convergence barrier of the branch.
enum step_kind op_branch_diverge(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    converge_join(warp, insn->extra, split_current(warp)->mask);
    split_fork(warp, on)->pc = (uint32_t)insn->offset;
    split_current(warp)->spin = split_current(warp)->jumps = 0;
    return STEP_PLAIN;
}

// The lanes of `group` execute the instruction now, the rest of `on` once more later, the others go on behind it.
static void split_keep_group(struct warp *warp, lanemask on, lanemask group)
{
    split_keep(warp, on);
    if (on & ~group)
        split_fork(warp, on & ~group)->pc--;
}

// src[1] is the first of `offset` pool rows that hold the targets.
enum step_kind op_branch_indexed(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t *row = row_read(warp, insn->src[0]), *targets = row_read(warp, insn->src[1]);
    lanemask group = lanes_like_first(row, on);
    uint32_t lane = (uint32_t)__builtin_ctz(group), index = row[lane];
    if (index >= (uint32_t)insn->offset)
        return fault_raise(sim, warp, FAULT_ILLEGAL_CALL, lane);
    if (group != split_current(warp)->mask)
        converge_join(warp, insn->extra, split_current(warp)->mask);
    split_keep_group(warp, on, group);
    split_current(warp)->pc = targets[(size_t)index * ROW_LANES];
    return STEP_PLAIN;
}

// Behind an edge out of a loop: the lanes leave the convergence barriers of the loop.
enum step_kind op_break(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)on;
    if (__builtin_expect(warp->n_convergences != 0, 0))
        converge_break(warp, insn->extra, (uint32_t)insn->offset);
    return STEP_PLAIN;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// Deepest stack of frames: 64 Ki rows are 8 MiB of host memory a warp; a GPU's own limit (1 KiB a thread by default, of
// which a frame takes at least 16 bytes) is far below.
enum { MAX_STACK_ROWS = 1 << 16 };

// Arguments are written into the frame behind the caller's own before the call: so that there is always room for one.
static bool stack_reserve(struct warp *warp, uint32_t frame)
{
    uint32_t need = frame + 2 * warp->kernel->frame_rows;
    if (need <= warp->stack_rows)
        return true;
    if (need > MAX_STACK_ROWS)
        return false;
    uint32_t rows = 2 * need;
    uint32_t *stack = aligned_alloc(ROW_BYTES, (size_t)rows * ROW_BYTES);
    uint32_t *preds = aligned_alloc(ROW_BYTES, ((size_t)rows * sizeof *preds + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES);
    if (!stack || !preds)
        err_memory("frames of a warp", (size_t)rows * ROW_BYTES);
    memset(stack + (size_t)warp->stack_rows * ROW_LANES, 0, (size_t)(rows - warp->stack_rows) * ROW_BYTES);
    memset(preds + warp->stack_rows, 0, (rows - warp->stack_rows) * sizeof *preds);
    memcpy(stack, warp->stack, (size_t)warp->stack_rows * ROW_BYTES);
    memcpy(preds, warp->pred_stack, (size_t)warp->stack_rows * sizeof *preds);
    if (warp->has_own_stack) {
        free(warp->stack);
        free(warp->pred_stack);
    }
    warp->has_own_stack = true;
    warp->stack = stack;
    warp->pred_stack = preds;
    warp->stack_rows = rows;
    return true;
}

static enum step_kind enter_function(struct sim *sim, struct warp *warp, uint32_t target, lanemask lanes)
{
    struct split *split = split_current(warp);
    uint32_t frame = split->frame + warp->kernel->frame_rows, lane = (uint32_t)__builtin_ctz(lanes);
    if (target >= warp->kernel->n_insns)
        return fault_raise(sim, warp, FAULT_ILLEGAL_CALL, lane);
    if (!stack_reserve(warp, frame))
        return fault_raise(sim, warp, FAULT_STACK, lane);
    uint32_t *rows = warp->stack + (size_t)frame * ROW_LANES;
    for (int i = 0; i < ROW_LANES; i++) {
        if (!(lanes & lane_bit[i]))
            continue;
        rows[FRAME_RETURN * ROW_LANES + i] = split->pc;
        rows[FRAME_CALLER * ROW_LANES + i] = split->frame;
    }
    warp->pred_stack[frame] |= lanes; // predicate 0 is true
    split->pc = target;
    split->frame = frame;
    warp_select(warp, warp->current);
    return STEP_PLAIN;
}

enum step_kind op_call(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    converge_join(warp, insn->extra, split_current(warp)->mask);
    split_keep(warp, on);
    return enter_function(sim, warp, (uint32_t)insn->offset, on);
}

// First instruction of the function at a code address (isa/kernel.h).
static uint32_t code_target(const struct kernel *kernel, uint64_t address)
{
    uint64_t number = (address - KERNEL_CODE_WINDOW) / 16;
    return number < kernel->n_code_targets && address % 16 == 0 ? kernel->code_targets[number] : NO_TARGET;
}

enum step_kind op_call_indirect(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t *row = row_read(warp, insn->src[0]);
    lanemask group = lanes_like_first(row, on);
    group = lanes_like_first(row + ROW_LANES, group);
    uint32_t target = code_target(warp->kernel, get_u64(row, __builtin_ctz(group)));
    converge_join(warp, insn->extra, split_current(warp)->mask);
    split_keep_group(warp, on, group);
    return enter_function(sim, warp, target, group);
}

enum step_kind op_return(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct split *split = split_current(warp);
    if (split->frame == 0) // the entry
        return op_exit(sim, warp, insn, on);
    const uint32_t *rows = warp->rows[ROW_REG];
    lanemask group = lanes_like_first(rows + FRAME_RETURN * ROW_LANES, on);
    group = lanes_like_first(rows + FRAME_CALLER * ROW_LANES, group);
    uint32_t lane = (uint32_t)__builtin_ctz(group);
    if (warp->n_convergences)
        converge_leave(warp, group);
    split_keep_group(warp, on, group);
    split->pc = rows[FRAME_RETURN * ROW_LANES + lane];
    split->frame = rows[FRAME_CALLER * ROW_LANES + lane];
    warp_select(warp, warp->current);
    return STEP_PLAIN;
}

// ---- the end of lanes -----------------------------------------------------------------------------------------------

// psrc[0]: what must hold beside the guard.
enum step_kind op_exit(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    struct split *split = split_current(warp);
    struct block *block = warp->block;
    if (warp_must_drain(warp))
        return STEP_FENCE;
    on &= pred_read(warp, insn->psrc[0]);
    if (on == 0)
        return STEP_PLAIN;
    warp->live &= ~on;
    block->n_live -= (uint32_t)__builtin_popcount(on);
    split->mask &= ~on;
    if (split->mask == 0)
        split_remove(warp, warp->current);
    warp_lanes_left(warp);
    for (uint32_t barrier = 0; barrier < N_BLOCK_BARRIERS; barrier++)
        if (block->arrived[barrier])
            block_barrier_open(block, barrier);
    if (warp->used)
        return STEP_SWITCH;
    warp->is_done = true;
    block->n_warps_done++;
    return STEP_DONE;
}

enum step_kind op_trap(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)insn;
    return fault_raise(sim, warp, FAULT_TRAP, (uint32_t)__builtin_ctz(on));
}

// ---- waiting and nothing ----------------------------------------------------------------------------------------------

enum step_kind op_nothing(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)warp;
    (void)insn;
    (void)on;
    return STEP_PLAIN;
}

// Longest sleep (PTX ISA, nanosleep: at most 1 ms).
enum { MAX_SLEEP_NS = 1000000 };

// All lanes wake together, after the shortest of their times: what the PTX ISA allows. Siblings run meanwhile.
enum step_kind op_nanosleep(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t *times = row_read(warp, insn->src[0]);
    uint32_t ns = MAX_SLEEP_NS;
    for (lanemask rest = on; rest; rest &= rest - 1)
        ns = times[__builtin_ctz(rest)] < ns ? times[__builtin_ctz(rest)] : ns;
    split_count_strong(warp);
    if (ns == 0)
        return STEP_PLAIN;
    split_current(warp)->wakes = sim->now_cycles + ns_to_cycles(sim->launch, ns);
    split_wait(warp, SPLIT_ASLEEP, 0, false);
    return STEP_SLEEP;
}

enum step_kind op_fence(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)insn;
    (void)on;
    warp->block->n_orders++;
    if (warp->pending_exchanges == 0)
        return STEP_PLAIN;
    split_wait(warp, SPLIT_FENCE, 0, false);
    return STEP_FENCE;
}

// ---- special registers ------------------------------------------------------------------------------------------------

// Coordinate `axis` of the threads of the warp.
static void thread_coordinates(const struct warp *warp, const struct launch *launch, uint32_t axis, uint32_t *out)
{
    uint32_t at[3];
    thread_of_lane(warp, launch, 0, at);
    for (int i = 0; i < ROW_LANES; i++) {
        out[i] = at[axis];
        if (++at[0] < launch->block[0])
            continue;
        at[0] = 0;
        if (++at[1] < launch->block[1])
            continue;
        at[1] = 0;
        at[2]++;
    }
}

static void lane_masks(enum sreg sreg, uint32_t *out)
{
    for (int i = 0; i < ROW_LANES; i++) {
        uint32_t eq = lane_bit[i], lt = eq - 1;
        out[i] = sreg == SREG_LANEMASK_EQ   ? eq
                 : sreg == SREG_LANEMASK_LT ? lt
                 : sreg == SREG_LANEMASK_LE ? lt | eq
                 : sreg == SREG_LANEMASK_GT ? ~(lt | eq)
                                            : ~lt;
    }
}

// Sizes are multiples of the unit of allocation, 128 bytes on sm_8x and sm_9x (PTX ISA, %total_smem_size).
static uint32_t shared_sreg(const struct launch *launch, enum sreg sreg)
{
    uint32_t user = launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes, total = (user + 127) / 128 * 128;
    switch (sreg) {
    case SREG_DYNAMIC_SHARED:
        return launch->dynamic_shared_bytes;
    case SREG_TOTAL_SHARED:
        return total;
    case SREG_AGGREGATE_SHARED:
        return total + RESERVED_SHARED_BYTES;
    case SREG_RESERVED_SHARED:
        return reserved_shared_offset(launch);
    case SREG_RESERVED_SHARED_END:
        return reserved_shared_offset(launch) + RESERVED_SHARED_BYTES;
    default:
        return 0;
    }
}

// Special registers with one value for the whole warp.
static uint64_t uniform_sreg(const struct sim *sim, const struct warp *warp, enum sreg sreg)
{
    const struct launch *launch = sim->launch;
    if (sreg >= SREG_CLUSTER_CTAID_X)
        return cluster_sreg(launch, warp->block, sreg);
    switch (sreg) {
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
        return launch->block[sreg - SREG_NTID_X];
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
        return warp->block->index[sreg - SREG_CTAID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
        return launch->grid[sreg - SREG_NCTAID_X];
    case SREG_WARPID:
        return warp->warp_in_block;
    case SREG_NWARPID:
        return warp->block->n_warps;
    case SREG_VIRTID:
        return warp->warp_in_block << 8;
    case SREG_VIRTCFG:
        return warp->block->n_warps << 8;
    case SREG_SMID:
        return warp->block->sm;
    case SREG_NSMID:
        return launch->n_sms;
    case SREG_GRIDID:
        return launch->launch_id;
    case SREG_CLOCK:
    case SREG_CLOCK64:
        return ns_to_cycles(launch, launch->begin_ns) + sim->now_cycles;
    case SREG_CLOCK_HI:
        return (ns_to_cycles(launch, launch->begin_ns) + sim->now_cycles) >> 32;
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
        return launch->begin_ns + cycles_to_ns(launch, sim->now_cycles);
    case SREG_GLOBALTIMER_HI:
        return (launch->begin_ns + cycles_to_ns(launch, sim->now_cycles)) >> 32;
    case SREG_ENVREG1:
        return launch->grid_workspace >> 32;
    case SREG_ENVREG2:
        return launch->grid_workspace;
    default:
        return shared_sreg(launch, sreg);
    }
}

enum step_kind op_sreg(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    enum sreg sreg = insn->extra;
    uint32_t out[2 * ROW_LANES];
    bool is_pair = sreg == SREG_CLOCK64 || sreg == SREG_GLOBALTIMER;
    if (sreg <= SREG_TID_Z) {
        thread_coordinates(warp, sim->launch, sreg - SREG_TID_X, out);
    } else if (sreg >= SREG_LANEMASK_EQ && sreg <= SREG_LANEMASK_GE) {
        lane_masks(sreg, out);
    } else if (sreg == SREG_LANEID) {
        for (int i = 0; i < ROW_LANES; i++)
            out[i] = (uint32_t)i;
    } else {
        uint64_t value = uniform_sreg(sim, warp, sreg);
        for (int i = 0; i < ROW_LANES; i++)
            set_u64(out, i, value);
    }
    put_rows(warp, insn->dst, out, is_pair ? 2 : 1, on);
    return STEP_PLAIN;
}

// ---- helpers of lowering ------------------------------------------------------------------------------------------------

enum step_kind op_isspacep(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct launch *launch = sim->launch;
    const uint32_t *row = row_read(warp, insn->src[0]);
    lanemask inside = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t address = get_u64(row, i);
        bool is_cluster = address - MEMORY_SHARED_WINDOW < MEMORY_CLUSTER_BYTES;
        bool is_shared = is_cluster && (uint32_t)(address - MEMORY_SHARED_WINDOW) >> SHARED_RANK_SHIFT ==
                                           warp->block->shared_rank;
        bool is_local = address - MEMORY_LOCAL_WINDOW < MEMORY_WINDOW_BYTES;
        bool is_constant = address - launch->constant_address < launch->constant_bytes;
        bool holds = insn->space == SPACE_SHARED  ? is_shared
                     : insn->space == SPACE_LOCAL   ? is_local
                     : insn->space == SPACE_CLUSTER ? is_cluster
                     : insn->space == SPACE_CONST
                         ? is_constant
                         : insn->space == SPACE_GLOBAL && !is_cluster && !is_local && !is_constant;
        inside |= holds ? lane_bit[i] : 0;
    }
    pred_write(warp, insn->pdst[0], inside, on);
    return STEP_PLAIN;
}

enum step_kind op_pack16(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *a = row_read(warp, insn->src[0]), *b = row_read(warp, insn->src[1]);
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = (a[i] & 0xffff) | b[i] << 16;
    put_rows(warp, insn->dst, out, 1, on);
    return STEP_PLAIN;
}

enum step_kind op_extract(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *a = row_read(warp, insn->src[0]), mask = MOD_GET(insn->mod, MOD_MODE, 4) ? 0xff : 0xffff;
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = a[i] >> (insn->extra & 31) & mask;
    put_rows(warp, insn->dst, out, 1, on);
    return STEP_PLAIN;
}
