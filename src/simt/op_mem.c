// The seldom parts of memory instructions: lanes in several allocations, generic addresses, faults.
#include "simt/address.h"
#include "simt/ops.h"

// ---- faults ----------------------------------------------------------------------------------------

static uint64_t window_bytes(const struct sim *sim, const struct warp *warp, enum space space)
{
    switch (space) {
    case SPACE_CLUSTER: // all blocks have the same
    case SPACE_SHARED:
        return warp->block->shared_bytes;
    case SPACE_LOCAL:
        return warp->local_bytes;
    case SPACE_CONST:
        return sim->launch->constant_bytes;
    default:
        return sim->launch->kernel->param_bytes;
    }
}

static enum fault_kind global_fault(const struct sim *sim, uint64_t address)
{
    const struct memory_block *block = memory_find(sim->launch->memory, address);
    bool is_inside = block && address >= block->address && address - block->address < block->size_bytes;
    return is_inside && !block->is_live ? FAULT_FREED : FAULT_OUT_OF_BOUNDS;
}

// What is wrong with this address, FAULT_NONE if nothing is.
static enum fault_kind check_lane(struct sim *sim, const struct warp *warp, uint64_t address)
{
    static const uint8_t outside[N_SPACES] = {[SPACE_SHARED] = FAULT_SHARED_BOUNDS,
                                              [SPACE_CLUSTER] = FAULT_SHARED_BOUNDS,
                                              [SPACE_LOCAL] = FAULT_LOCAL_BOUNDS,
                                              [SPACE_CONST] = FAULT_CONST_BOUNDS,
                                              [SPACE_PARAM] = FAULT_CONST_BOUNDS};
    const struct access *access = &sim->access;
    if (access->space == SPACE_GLOBAL) {
        if (address & (access->width - 1u))
            return FAULT_MISALIGNED;
        if (memory_host_fast(sim->launch->memory, &sim->cursor, address, access->width))
            return FAULT_NONE;
        return global_fault(sim, address);
    }
    if (access->space == SPACE_CLUSTER) {
        if (address >> SHARED_RANK_SHIFT >= warp->block->n_peers)
            return FAULT_NO_BLOCK;
        address &= SHARED_OFFSET_MASK;
    }
    uint64_t size = window_bytes(sim, warp, access->space);
    if (size < access->width || address > size - access->width)
        return outside[access->space];
    return address & (access->width - 1u) ? FAULT_MISALIGNED : FAULT_NONE;
}

static enum step_kind fault_fill(struct sim *sim, struct warp *warp, enum fault_kind kind, uint32_t lane)
{
    const struct access *access = &sim->access;
    fault_raise(sim, warp, kind, lane);
    sim->fault.insn = access->insn;
    sim->fault.space = access->space;
    sim->fault.access = access->kind;
    sim->fault.size_bytes = access->width;
    sim->fault.address = access->addr[lane];
    return STEP_FAULT;
}

enum step_kind fault_access_always(struct sim *sim, struct warp *warp, enum fault_kind kind)
{
    return fault_fill(sim, warp, kind, (uint32_t)__builtin_ctz(sim->access.mask));
}

enum step_kind fault_access(struct sim *sim, struct warp *warp)
{
    const struct access *access = &sim->access;
    for (lanemask rest = access->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        enum fault_kind kind = check_lane(sim, warp, access->addr[lane]);
        if (kind != FAULT_NONE)
            return fault_fill(sim, warp, kind, lane);
    }
    return STEP_ACCESS; // nothing is wrong
}

// ---- lanes in several allocations ------------------------------------------------------------------

static void move_lane(struct warp *warp, const struct insn *insn, uint8_t *at, uint32_t lane, bool is_load)
{
    for (uint32_t j = 0; j < insn->n_data; j++, at += elem_bytes(insn->elem)) {
        if (insn->data[j] == ROW_NONE)
            continue;
        if (is_load)
            element_load(row_write(warp, insn->data[j]), (int)lane, at, insn->elem);
        else
            element_store(row_read(warp, insn->data[j]), (int)lane, at, insn->elem);
    }
}

enum step_kind op_move_scattered(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct access *access = &sim->access;
    if (fault_access(sim, warp) == STEP_FAULT)
        return STEP_FAULT;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t *at = memory_host_fast(sim->launch->memory, &sim->cursor, access->addr[lane], access->width);
        move_lane(warp, insn, at, lane, access->kind == ACCESS_LOAD);
    }
    return STEP_ACCESS;
}

// ---- generic addresses -----------------------------------------------------------------------------

static lanemask lanes_in_window(const uint64_t *addr, lanemask on, uint64_t window, uint64_t size_bytes)
{
    lanemask inside = 0;
    for (int i = 0; i < N_LANES; i++)
        inside |= addr[i] - window < size_bytes ? lane_bit[i] : 0;
    return inside & on;
}

// Cuts the access to the lanes `now`, whose addresses count from `window` on; the rest comes in the next step.
static lanemask keep_lanes(struct sim *sim, struct warp *warp, lanemask on, lanemask now, uint64_t window)
{
    struct access *access = &sim->access;
    access->mask = now;
    uint64_t first = access->addr[__builtin_ctz(now)];
    for (int i = 0; i < N_LANES; i++)
        access->addr[i] = (now & lane_bit[i] ? access->addr[i] : first) - window;
    if (now != on) {
        struct split *split = split_current(warp);
        split->pc--;
        split->replay = on & ~now;
        split_set_state(warp, warp->current, SPLIT_REPLAY);
    }
    return now;
}

// Shared addresses of a cluster from `window` on: the block's own first, then those of others.
static lanemask choose_block(struct sim *sim, struct warp *warp, lanemask on, lanemask cluster, uint64_t window)
{
    const uint64_t own_window = window + ((uint64_t)warp->block->shared_rank << SHARED_RANK_SHIFT);
    const lanemask own = lanes_in_window(sim->access.addr, cluster, own_window, MEMORY_WINDOW_BYTES);
    sim->access.space = own ? SPACE_SHARED : SPACE_CLUSTER;
    return keep_lanes(sim, warp, on, own ? own : cluster, own ? own_window : window);
}

lanemask access_choose_space(struct sim *sim, struct warp *warp, lanemask on)
{
    struct access *access = &sim->access;
    if (access->space == SPACE_CLUSTER)
        return choose_block(sim, warp, on, on, 0);
    lanemask cluster = lanes_in_window(access->addr, on, MEMORY_SHARED_WINDOW, MEMORY_CLUSTER_BYTES);
    lanemask local = lanes_in_window(access->addr, on, MEMORY_LOCAL_WINDOW, MEMORY_WINDOW_BYTES);
    lanemask param = lanes_in_window(access->addr, on, KERNEL_PARAM_WINDOW, MEMORY_WINDOW_BYTES);
    if (cluster)
        return choose_block(sim, warp, on, cluster, MEMORY_SHARED_WINDOW);
    access->space = local ? SPACE_LOCAL : param ? SPACE_PARAM : SPACE_GLOBAL;
    return keep_lanes(sim, warp, on, local ? local : param ? param : on,
                      local   ? MEMORY_LOCAL_WINDOW
                      : param ? KERNEL_PARAM_WINDOW
                              : 0);
}

bool access_is_in_cluster(const struct access *access)
{
    return access->space == SPACE_CLUSTER ||
           lanes_in_window(access->addr, access->mask, MEMORY_SHARED_WINDOW, MEMORY_CLUSTER_BYTES) == access->mask;
}
