// Blocks: their memory, their start, and where a thread is in the grid.
#include "simt/lanes.h"
#include "simt/splits.h"
#include "base/err.h"
#include <stdlib.h>

uint32_t threads_per_block(const struct launch *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

void thread_of_lane(const struct warp *warp, const struct launch *launch, uint32_t lane, uint32_t out[3])
{
    uint32_t linear = warp->warp_in_block * ROW_LANES + lane;
    out[0] = linear % launch->block[0];
    out[1] = linear / launch->block[0] % launch->block[1];
    out[2] = linear / launch->block[0] / launch->block[1];
}

// ---- memory of a block ------------------------------------------------------------------------------------------------

static void *allocate(const char *what, size_t size_bytes)
{
    size_t rounded = (size_bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    void *memory = rounded ? aligned_alloc(ROW_BYTES, rounded) : NULL;
    if (rounded && !memory)
        err_memory(what, rounded);
    return memory;
}

// The entry's frame and one behind it for arguments; calls make the stack grow.
static uint32_t first_stack_rows(const struct kernel *kernel)
{
    return kernel->n_functions > 1 ? 2 * kernel->frame_rows : kernel->frame_rows;
}

static void warp_allocate(const struct launch *launch, struct warp *warp)
{
    const struct kernel *kernel = launch->kernel;
    warp->stack_rows = first_stack_rows(kernel);
    warp->stack = allocate("registers of a warp", (size_t)warp->stack_rows * ROW_BYTES);
    warp->pred_stack = allocate("predicates of a warp", (size_t)warp->stack_rows * sizeof *warp->pred_stack);
    warp->local_bytes = (kernel->local_bytes + 3) / 4 * 4;
    warp->local = allocate("local memory of a warp", (size_t)warp->local_bytes * ROW_LANES);
}

void block_allocate(const struct launch *launch, struct block *block)
{
    *block = (struct block){0};
    block->n_warps = (threads_per_block(launch) + ROW_LANES - 1) / ROW_LANES;
    block->warps = calloc(block->n_warps, sizeof *block->warps);
    if (!block->warps)
        err_memory("warps of a block", block->n_warps * sizeof *block->warps);
    block->shared_bytes = launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes;
    block->shared = allocate("shared memory of a block", block->shared_bytes);
    for (uint32_t w = 0; w < block->n_warps; w++)
        warp_allocate(launch, &block->warps[w]);
}

void block_release(struct block *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct warp *warp = &block->warps[w];
        free(warp->stack);
        free(warp->pred_stack);
        free(warp->local);
        free(warp->convergences);
    }
    free(block->warps);
    free(block->shared);
    *block = (struct block){0};
}

// ---- start --------------------------------------------------------------------------------------------------------------

// No GPU has more resident warps on an SM; keeps the local memory of warps of all SMs apart.
enum { MAX_WARPS_PER_SM = 64 };

static void warp_start(const struct launch *launch, struct block *block, uint32_t w)
{
    struct warp *warp = &block->warps[w];
    uint32_t n_threads = threads_per_block(launch), first = w * ROW_LANES;
    lanemask lanes = n_threads - first >= ROW_LANES ? ALL_LANES : lane_bit[n_threads - first] - 1;
    warp->kernel = launch->kernel;
    warp->block = block;
    warp->warp_in_block = w;
    warp->live = lanes;
    warp->carry = 0;
    warp->pending_exchanges = 0;
    warp->is_done = false;
    warp->n_convergences = 0;
    warp->rows[ROW_POOL] = (uint32_t *)launch->kernel->pool;
    warp->rows[ROW_LAUNCH] = (uint32_t *)launch->launch_rows;
    memset(warp->stack, 0, (size_t)warp->stack_rows * ROW_BYTES);
    memset(warp->pred_stack, 0, (size_t)warp->stack_rows * sizeof *warp->pred_stack);
    if (warp->local)
        memset(warp->local, 0, (size_t)warp->local_bytes * ROW_LANES);
    warp->pred_stack[0] = ALL_LANES;
    uint64_t resident = block->sm * (uint64_t)MAX_WARPS_PER_SM + (uint64_t)block->slot * block->n_warps + w;
    warp->local_base = resident * warp->local_bytes * ROW_LANES;
    warp->splits[0] = (struct split){.mask = lanes, .pc = launch->kernel->functions[0].first_insn};
    warp->used = warp->ready = 1;
    warp_select(warp, 0);
}

void block_start(const struct launch *launch, struct block *block, uint32_t linear_index, uint32_t sm, uint32_t slot)
{
    block->linear = linear_index;
    block->index[0] = linear_index % launch->grid[0];
    block->index[1] = linear_index / launch->grid[0] % launch->grid[1];
    block->index[2] = linear_index / launch->grid[0] / launch->grid[1];
    block->sm = sm;
    block->slot = slot;
    block->n_warps_done = 0;
    block->n_live = threads_per_block(launch);
    memset(block->arrived, 0, sizeof block->arrived);
    memset(block->expected, 0, sizeof block->expected);
    memset(block->reduced, 0, sizeof block->reduced);
    if (block->shared)
        memset(block->shared, 0, block->shared_bytes);
    block->is_running = true;
    for (uint32_t w = 0; w < block->n_warps; w++)
        warp_start(launch, block, w);
}

// ---- launch rows ----------------------------------------------------------------------------------------------------------

// What the row says, widened to a word; 0 outside the bank.
static uint32_t constant_word(const struct launch *launch, struct launch_row row)
{
    static const uint8_t sizes[N_ELEMS] = {1, 1, 2, 2, 4, 4, 4};
    const uint8_t *bytes = row.bank == 0 ? launch->params : launch->constants;
    uint32_t size_bytes = row.bank == 0 ? launch->kernel->param_bytes : launch->constant_bytes, word = 0;
    if (row.offset >= size_bytes)
        return 0;
    uint32_t left = size_bytes - row.offset, n = sizes[row.elem] < left ? sizes[row.elem] : left;
    memcpy(&word, bytes + row.offset, n);
    return row.elem == ELEM_S8 ? (uint32_t)(int8_t)word : row.elem == ELEM_S16 ? (uint32_t)(int16_t)word : word;
}

void launch_fill_rows(struct launch *launch, struct arena *arena)
{
    const struct kernel *kernel = launch->kernel;
    launch->launch_rows = arena_alloc(arena, (size_t)kernel->n_launch_rows * ROW_BYTES, 64);
    for (uint32_t r = 0; r < kernel->n_launch_rows; r++) {
        uint32_t word = constant_word(launch, kernel->launch_rows[r]);
        for (int i = 0; i < ROW_LANES; i++)
            launch->launch_rows[r][i] = word;
    }
}
