// Runs whole kernels for tests; see kernel_harness.h.
#include "support/kernel_harness.h"
#include "ptx/load.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 400000, MAX_QUEUE = 4096 };

void kernel_text(char *out, size_t size, const char *body, ...)
{
    const char *values[128] = {0};
    va_list args;
    va_start(args, body);
    for (int name; (name = va_arg(args, int)) != 0;)
        values[name] = va_arg(args, const char *);
    va_end(args);
    size_t n = (size_t)snprintf(out, size, "%s", PTX_KERNEL);
    for (const char *at = body; *at && n < size; at++) {
        const char *value = *at == '$' ? values[(unsigned char)*++at & 127] : NULL;
        n += (size_t)(value ? snprintf(out + n, size - n, "%s", value)
                            : snprintf(out + n, size - n, "%c", *at));
    }
    n += n < size ? (size_t)snprintf(out + n, size - n, "ret;\n}\n") : 0;
    assert_true(n < size);
}

struct machine {
    struct kernel_run *run;
    struct launch launch;
    struct sim sim;
    struct block *blocks;
    struct exchange *queue;
    uint32_t n_queued;
    const handler *handlers;
};

static const struct kernel *load(struct kernel_run *r, struct launch *launch)
{
    struct err err = {0};
    struct ptx_image *image = ptx_image_open(&r->arena, "test.ptx", r->text, strlen(r->text), &err);
    if (!image)
        fail_msg("%u:%u: %s: %s", err.line, err.column, err.text, err.source);
    for (uint32_t i = 0; i < image->n_data; i++)
        image->data[i].address =
            memory_alloc(r->memory, image->data[i].size_bytes, image->data[i].align, "variable");
    if (image->constant_bytes)
        image->constant_address = memory_alloc(r->memory, image->constant_bytes, 256, "constants");
    ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
    for (uint32_t i = 0; i < image->n_data; i++)
        ptx_image_write(image, i, memory_host(r->memory, image->data[i].address, image->data[i].size_bytes),
                        &err);
    uint8_t *constants = arena_array(&r->arena, uint8_t, image->constant_bytes);
    ptx_image_write_constants(image, constants, &err);
    if (image->constant_bytes)
        memcpy(memory_host(r->memory, image->constant_address, image->constant_bytes), constants,
               image->constant_bytes);
    launch->constant_bytes = (uint32_t)image->constant_bytes;
    launch->constants = constants;
    const struct kernel *kernel = ptx_image_kernel(image, "k", &err);
    if (!kernel)
        fail_msg("%u:%u: %s: %s", err.line, err.column, err.text, err.source);
    return kernel;
}

static void drain(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_queued && m->run->fault.kind == FAULT_NONE; i++)
        if (!exchange_apply(&m->sim, &m->queue[i]))
            m->run->fault = m->sim.fault;
    m->n_queued = 0;
    for (uint32_t b = 0; b < m->run->blocks; b++)
        if (m->blocks[b].is_running)
            cluster_barrier_open(&m->blocks[b]);
}

static void step_warp(struct machine *m, struct warp *warp)
{
    struct step step;
    enum step_kind kind = warp_step(&m->sim, m->handlers, warp, &step);
    if (step.executed) {
        m->run->n_executed++;
        m->run->n_lanes += (uint32_t)__builtin_popcount(step.on);
    }
    if (kind == STEP_TRANSFER && step.exchange)
        m->queue[m->n_queued++] = *step.exchange;
    m->run->n_accesses += kind == STEP_ACCESS || kind == STEP_EXCHANGE;
    if (kind == STEP_EXCHANGE) {
        assert_true(m->n_queued < MAX_QUEUE);
        m->queue[m->n_queued++] = *step.exchange;
    }
    if (kind == STEP_FAULT)
        m->run->fault = *step.fault;
    if (kind == STEP_DONE && warp->block->n_warps_done == warp->block->n_warps)
        warp->block->is_running = false;
}

// One instruction of each warp that can run. False: nothing ran.
static bool run_round(struct machine *m)
{
    bool ran = m->n_queued > 0;
    for (uint32_t b = 0; b < m->run->blocks; b++) {
        struct block *block = &m->blocks[b];
        for (uint32_t w = 0; w < block->n_warps && m->run->fault.kind == FAULT_NONE; w++) {
            if (!warp_can_run(&block->warps[w]) && warp_wake(&block->warps[w], m->sim.now_cycles) != UINT64_MAX)
                ran = true;
            if (!warp_can_run(&block->warps[w]))
                continue;
            step_warp(m, &block->warps[w]);
            ran = true;
        }
    }
    drain(m);
    m->sim.now_cycles++;
    return ran;
}

static bool all_done(const struct machine *m)
{
    for (uint32_t b = 0; b < m->run->blocks; b++)
        if (m->blocks[b].n_warps_done < m->blocks[b].n_warps)
            return false;
    return true;
}

static void explain(struct machine *m)
{
    for (uint32_t b = 0; b < m->run->blocks; b++)
        if (m->blocks[b].n_warps_done < m->blocks[b].n_warps &&
            block_explain_stall(&m->launch, &m->blocks[b], &m->run->fault))
            return;
    fail_msg("nothing runs and nobody knows why");
}

static bool time_out(struct machine *m)
{
    bool found = false;
    for (uint32_t b = 0; b < m->run->blocks; b++)
        found |= m->blocks[b].is_running && block_time_out(&m->blocks[b]);
    return found;
}

static void run_blocks(struct machine *m)
{
    struct kernel_run *r = m->run;
    for (uint32_t b = 0; b < r->blocks; b++) {
        block_allocate(&m->launch, &m->blocks[b]);
        block_start(&m->launch, &m->blocks[b], b, 0, b);
    }
    for (uint32_t b = 0; r->cluster && b < r->blocks; b += r->cluster) {
        struct block *blocks[MAX_CLUSTER_BLOCKS];
        for (uint32_t rank = 0; rank < r->cluster; rank++)
            blocks[rank] = &m->blocks[b + rank];
        cluster_form(blocks, r->cluster, b / r->cluster);
    }
    uint32_t rounds = 0;
    while (r->fault.kind == FAULT_NONE && !all_done(m)) {
        if (!run_round(m) && !time_out(m))
            explain(m);
        if (++rounds == MAX_ROUNDS)
            fail_msg("the kernel does not end");
    }
    for (uint32_t b = 0; b < r->blocks; b++)
        block_release(&m->blocks[b]);
}

void kernel_run(struct kernel_run *r)
{
    static struct machine m;
    struct err err = {0};
    memset(&m, 0, sizeof m);
    arena_init(&r->arena, "kernel test");
    r->memory = memory_new(64 << 20, &err);
    r->blocks += r->blocks == 0;
    for (int k = 0; k < 3; k++)
        r->threads[k] += r->threads[k] == 0;
    r->freed = memory_alloc(r->memory, 4096, 256, "cudaMalloc");
    r->address = memory_alloc(r->memory, r->bytes, 256, "cudaMalloc");
    memory_free(r->memory, r->freed);
    r->buffer = memory_host(r->memory, r->address, r->bytes);
    if (r->fill)
        r->fill(r->buffer);
    m.run = r;
    m.handlers = handlers_choose();
    m.launch = (struct launch){.grid = {r->blocks, 1, 1},
                               .dynamic_shared_bytes = r->dynamic_shared_bytes,
                               .params = (const uint8_t *)&r->address,
                               .memory = r->memory,
                               .console = r->console,
                               .heap = r->heap,
                               .n_sms = 1};
    memcpy(m.launch.block, r->threads, sizeof r->threads);
    m.launch.kernel = load(r, &m.launch);
    launch_set_cluster(&m.launch, (const uint32_t[3]){r->cluster, 1, 1});
    launch_fill_rows(&m.launch, &r->arena);
    m.sim.launch = &m.launch;
    m.blocks = calloc(r->blocks, sizeof *m.blocks);
    m.queue = calloc(MAX_QUEUE, sizeof *m.queue);
    run_blocks(&m);
    free(m.blocks);
    free(m.queue);
    free(m.sim.transfers);
}

void kernel_run_end(struct kernel_run *r)
{
    memory_delete(r->memory);
    arena_release(&r->arena);
}
