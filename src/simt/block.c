// Blocks: their memory, their start, and where a thread is in the grid.
#include "base/err.h"
#include "simt/lanes.h"
#include "simt/splits.h"
#include <math.h>
#include <stdlib.h>

uint32_t threads_per_block(const struct launch *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

void launch_set_cluster(struct launch *launch, const uint32_t shape[3])
{
    launch->cluster = shape[0] * shape[1] * shape[2];
    memcpy(launch->cluster_shape, shape, sizeof launch->cluster_shape);
}

uint32_t cluster_block(const struct launch *launch, uint32_t number, uint32_t rank)
{
    const uint32_t *shape = launch->cluster_shape, *grid = launch->grid;
    const uint32_t nx = grid[0] / shape[0], ny = grid[1] / shape[1];
    const uint32_t x = number % nx * shape[0] + rank % shape[0];
    const uint32_t y = number / nx % ny * shape[1] + rank / shape[0] % shape[1];
    const uint32_t z = number / nx / ny * shape[2] + rank / shape[0] / shape[1];
    return x + grid[0] * (y + grid[1] * z);
}

void thread_of_lane(const struct warp *warp, const struct launch *launch, uint32_t lane, uint32_t out[3])
{
    uint32_t linear = warp->warp_in_block * ROW_LANES + lane;
    out[0] = linear % launch->block[0];
    out[1] = linear / launch->block[0] % launch->block[1];
    out[2] = linear / launch->block[0] / launch->block[1];
}

// ---- memory of a block -----------------------------------------------------------------------------

static size_t rows_up(size_t size_bytes)
{
    return (size_bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

// The entry's frame and one behind it for arguments; calls make the stack grow.
static uint32_t first_stack_rows(const struct kernel *kernel)
{
    return kernel->n_functions > 1 ? 2 * kernel->frame_rows : kernel->frame_rows;
}

// Where the parts of a block lie in its memory: shared memory, the warps, then each warp's registers,
// predicates and local memory. Each begins at a row.
struct layout {
    uint32_t n_warps, stack_rows, local_bytes; // local memory of one lane
    size_t shared_bytes, warps_bytes, stack_bytes, preds_bytes, warp_local_bytes, all_bytes;
};

static struct layout layout_of(const struct launch *launch)
{
    const struct kernel *kernel = launch->kernel;
    struct layout l = {.n_warps = (threads_per_block(launch) + ROW_LANES - 1) / ROW_LANES,
                       .stack_rows = first_stack_rows(kernel),
                       .local_bytes = launch_local_bytes(launch),
                       .shared_bytes = kernel->uses_reserved_shared
                                           ? reserved_shared_offset(launch) + RESERVED_SHARED_BYTES
                                           : kernel->shared_base + kernel->static_shared_bytes +
                                                 launch->dynamic_shared_bytes};
    l.warps_bytes = rows_up(l.n_warps * sizeof(struct warp));
    l.stack_bytes = (size_t)l.stack_rows * ROW_BYTES;
    l.preds_bytes = rows_up(l.stack_rows * sizeof(uint32_t));
    l.warp_local_bytes = (size_t)l.local_bytes * ROW_LANES;
    l.all_bytes = rows_up(l.shared_bytes) + l.warps_bytes +
                  l.n_warps * (l.stack_bytes + l.preds_bytes + l.warp_local_bytes);
    return l;
}

size_t block_memory_bytes(const struct launch *launch)
{
    return layout_of(launch).all_bytes;
}

static uint8_t *warp_place(const struct layout *layout, struct warp *warp, uint8_t *at)
{
    *warp = (struct warp){.stack_rows = layout->stack_rows, .local_bytes = layout->local_bytes};
    warp->stack = (uint32_t *)at;
    warp->pred_stack = (uint32_t *)(at + layout->stack_bytes);
    at += layout->stack_bytes + layout->preds_bytes;
    warp->local = layout->local_bytes ? at : NULL;
    if (warp->local) // a stack for recursion may be large: later blocks find there what earlier ones left
        memset(at, 0, layout->warp_local_bytes);
    return at + layout->warp_local_bytes;
}

void block_place(const struct launch *launch, struct block *block, void *memory)
{
    struct layout layout = layout_of(launch);
    uint8_t *at = memory;
    *block = (struct block){.n_warps = layout.n_warps, .shared_bytes = (uint32_t)layout.shared_bytes};
    block->shared = layout.shared_bytes ? at : NULL;
    at += rows_up(layout.shared_bytes);
    block->warps = (struct warp *)at;
    at += layout.warps_bytes;
    for (uint32_t w = 0; w < block->n_warps; w++)
        at = warp_place(&layout, &block->warps[w], at);
}

void block_allocate(const struct launch *launch, struct block *block)
{
    size_t size_bytes = block_memory_bytes(launch);
    void *memory = aligned_alloc(ROW_BYTES, size_bytes);
    if (!memory)
        err_memory("block", size_bytes);
    block_place(launch, block, memory);
    block->owned = memory;
}

void block_release(struct block *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct warp *warp = &block->warps[w];
        if (warp->has_own_stack) {
            free(warp->stack);
            free(warp->pred_stack);
        }
        free(warp->convergences);
    }
    free(block->owned);
    *block = (struct block){0};
}

// ---- start -----------------------------------------------------------------------------------------

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
    warp->cluster_arrived = 0;
    warp->pending_exchanges = 0;
    warp->n_orders = 0;
    warp->is_done = false;
    warp->n_convergences = 0;
    warp->next_convergence = 0;
    warp->rows[ROW_POOL] = (uint32_t *)launch->kernel->pool;
    warp->rows[ROW_LAUNCH] = (uint32_t *)launch->launch_rows;
    memset(warp->stack, 0, (size_t)warp->stack_rows * ROW_BYTES);
    memset(warp->pred_stack, 0, (size_t)warp->stack_rows * sizeof *warp->pred_stack);
    if (warp->local)
        memset(warp->local, 0, (size_t)launch->kernel->local_bytes / 4 * ROW_BYTES);
    warp->pred_stack[0] = ALL_LANES;
    uint64_t resident = block->sm * (uint64_t)MAX_WARPS_PER_SM + (uint64_t)block->slot * block->n_warps + w;
    warp->local_base = resident * warp->local_bytes * ROW_LANES;
    warp->splits[0] = (struct split){.mask = lanes, .pc = launch->kernel->functions[0].first_insn};
    warp->used = warp->ready = 1;
    warp_select(warp, 0);
}

void block_start(const struct launch *launch, struct block *block, uint32_t linear_index, uint32_t sm,
                 uint32_t slot)
{
    block->linear = linear_index;
    block->index[0] = linear_index % launch->grid[0];
    block->index[1] = linear_index / launch->grid[0] % launch->grid[1];
    block->index[2] = linear_index / launch->grid[0] / launch->grid[1];
    block->sm = sm;
    block->slot = slot;
    block->cluster_rank = block->shared_rank = 0;
    block->n_peers = 1; // until cluster_form
    block->peers[0] = block;
    block->cluster_number = linear_index;
    block->n_warps_done = 0;
    block->n_live = threads_per_block(launch);
    block->n_orders = 0;
    block->watch = NULL;
    memset(block->arrived, 0, sizeof block->arrived);
    memset(block->expected, 0, sizeof block->expected);
    memset(block->reduced, 0, sizeof block->reduced);
    if (block->shared)
        memset(block->shared, 0, block->shared_bytes);
    block->is_running = true;
    for (uint32_t w = 0; w < block->n_warps; w++)
        warp_start(launch, block, w);
}

// ---- launch rows -----------------------------------------------------------------------------------

// A constant bank as the kernel sees it.
struct constant_bank launch_bank(const struct launch *launch, uint32_t bank)
{
    const struct kernel *kernel = launch->kernel;
    if (bank == BANK_PARAMS && launch->bank0)
        return (struct constant_bank){launch->bank0, kernel->param_base + kernel->param_bytes};
    if (bank == BANK_PARAMS)
        return (struct constant_bank){launch->params, kernel->param_bytes};
    if (bank == BANK_USER)
        return (struct constant_bank){launch->constants, launch->constant_bytes};
    return kernel->banks && bank < N_CONSTANT_BANKS ? kernel->banks[bank] : (struct constant_bank){0};
}

// Machine code takes a cluster's number as the whole part of %ctaid * 1 / shape in f32: the quotient must not be too small.
static uint32_t inverse_bits(uint32_t n)
{
    uint32_t bits;
    float inverse = 1.0f / (float)n;
    if ((double)inverse * n < 1)
        inverse = nextafterf(inverse, 1);
    memcpy(&bits, &inverse, sizeof bits);
    return bits;
}

// A bank 0 that is being made.
struct bank0_image {
    uint8_t *bytes;
    uint32_t n_bytes;
};

static void put_words(const struct bank0_image *bank, enum bank0 word, const uint32_t *words, uint32_t n)
{
    if (word + 4 * n <= bank->n_bytes)
        memcpy(bank->bytes + word, words, 4 * n);
}

static void put_word(const struct bank0_image *bank, enum bank0 word, uint32_t value)
{
    put_words(bank, word, &value, 1);
}

static void put_address(const struct bank0_image *bank, enum bank0 word, uint64_t address)
{
    put_words(bank, word, (uint32_t[]){(uint32_t)address, (uint32_t)(address >> 32)}, 2);
}

static void put_cluster(const struct bank0_image *bank, const struct launch *launch)
{
    uint32_t shape[3], inverse[3], grid[3];
    for (uint32_t i = 0; i < 3; i++) {
        shape[i] = launch->cluster ? launch->cluster_shape[i] : 1;
        inverse[i] = inverse_bits(shape[i]);
        grid[i] = launch->grid[i] / shape[i];
    }
    put_word(bank, BANK0_IS_CLUSTER, launch->cluster > 0);
    put_word(bank, BANK0_CLUSTER_BLOCKS, launch->cluster ? launch->cluster : 1);
    put_words(bank, BANK0_CLUSTER_SHAPE, shape, 3);
    put_words(bank, BANK0_CLUSTER_INVERSE, inverse, 3);
    put_words(bank, BANK0_CLUSTER_GRID, grid, 3);
}

static uint8_t *make_bank0(const struct launch *launch, struct arena *arena)
{
    const struct kernel *kernel = launch->kernel;
    uint8_t *bytes = arena_alloc(arena, kernel->param_base + kernel->param_bytes + 1, 16);
    const struct bank0_image bank = {bytes, kernel->param_base};
    memset(bytes, 0, kernel->param_base);
    put_words(&bank, BANK0_BLOCK, launch->block, 3);
    put_words(&bank, BANK0_GRID, launch->grid, 3);
    put_address(&bank, BANK0_LOCAL_WINDOW, MEMORY_LOCAL_WINDOW);
    put_word(&bank, BANK0_STACK, launch_local_bytes(launch));
    put_word(&bank, BANK0_DYNAMIC_SHARED, launch->dynamic_shared_bytes);
    put_address(&bank, BANK0_GRID_ID, launch->launch_id);
    put_address(&bank, BANK0_PARAM_WINDOW, KERNEL_PARAM_WINDOW);
    put_address(&bank, BANK0_CONSTANT_WINDOW, launch->constant_address);
    put_word(&bank, BANK0_ENVREG1, (uint32_t)(launch->grid_workspace >> 32));
    put_word(&bank, BANK0_ENVREG2, (uint32_t)launch->grid_workspace);
    put_word(&bank, BANK0_N_SMS, launch->n_sms);
    put_cluster(&bank, launch);
    memcpy(bytes + kernel->param_base, launch->params, kernel->param_bytes);
    return bytes;
}

// What the row says, widened to a word; 0 outside the bank.
static uint32_t constant_word(const struct launch *launch, struct launch_row row)
{
    static const uint8_t sizes[N_ELEMS] = {1, 1, 2, 2, 4, 4, 4};
    const struct constant_bank bank = launch_bank(launch, row.bank);
    const uint8_t *bytes = bank.bytes;
    uint32_t size_bytes = bank.n_bytes, word = 0;
    if (row.offset >= size_bytes)
        return 0;
    uint32_t left = size_bytes - row.offset, n = sizes[row.elem] < left ? sizes[row.elem] : left;
    memcpy(&word, bytes + row.offset, n);
    return row.elem == ELEM_S8    ? (uint32_t)(int8_t)word
           : row.elem == ELEM_S16 ? (uint32_t)(int16_t)word
                                  : word;
}

void launch_fill_rows(struct launch *launch, struct arena *arena)
{
    const struct kernel *kernel = launch->kernel;
    launch->bank0 = kernel->param_base ? make_bank0(launch, arena) : NULL;
    launch->launch_rows = arena_alloc(arena, (size_t)kernel->n_launch_rows * ROW_BYTES, 64);
    for (uint32_t r = 0; r < kernel->n_launch_rows; r++) {
        uint32_t word = constant_word(launch, kernel->launch_rows[r]);
        for (int i = 0; i < ROW_LANES; i++)
            launch->launch_rows[r][i] = word;
    }
}
