// One warp of one block runs a PTX kernel; see run_warp.h.
#include "support/run_warp.h"
#include "support/check.h"
#include <string.h>

enum { MAX_STEPS = 2000000 };

static void refuse(const struct err *err)
{
    fail_msg("%u:%u: %s: %s", err->line, err->column, err->text, err->source);
}

void run_load(struct run *run, const char *text)
{
    struct err err = {0};
    *run = (struct run){0};
    arena_init(&run->arena, "test");
    run->memory = memory_new(64 << 20, &err);
    run->image = ptx_image_open(&run->arena, "test.ptx", text, strlen(text), &err);
    if (!run->image) {
        refuse(&err);
        return;
    }
    struct ptx_image *image = run->image;
    for (uint32_t i = 0; i < image->n_data; i++)
        image->data[i].address =
            memory_alloc(run->memory, image->data[i].size_bytes, image->data[i].align, "variable");
    if (image->constant_bytes)
        image->constant_address = memory_alloc(run->memory, image->constant_bytes, 256, "constants");
    ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
    for (uint32_t i = 0; i < image->n_data; i++) {
        const struct ptx_datum *datum = &image->data[i];
        void *host = memory_host(run->memory, datum->address, datum->size_bytes);
        assert_true(ptx_image_write(image, i, host, &err));
    }
    run->out = memory_alloc(run->memory, ROW_LANES * sizeof(uint64_t), 256, "output");
    run->result = memory_host(run->memory, run->out, ROW_LANES * sizeof(uint64_t));
}

const struct kernel *run_lower(struct run *run, const char *text)
{
    struct err err = {0};
    run_load(run, text);
    run->kernel = ptx_image_kernel(run->image, "k", &err);
    if (!run->kernel)
        refuse(&err);
    return run->kernel;
}

static void run_warp(struct run *run, struct launch *launch)
{
    static struct sim sim;
    struct block block;
    const handler *handlers = handlers_choose();
    memset(&sim, 0, sizeof sim);
    sim.launch = launch;
    block_allocate(launch, &block);
    block_start(launch, &block, 0, 0, 0);
    struct warp *warp = &block.warps[0];
    for (uint32_t steps = 0; !warp->is_done && run->fault.kind == FAULT_NONE; steps++) {
        struct step step;
        if (steps == MAX_STEPS)
            fail_msg("the warp does not end");
        uint64_t wakes = warp_wake(warp, sim.now_cycles++);
        if (!warp_can_run(warp) && wakes != UINT64_MAX) {
            sim.now_cycles = wakes;
            continue;
        }
        if (!warp_can_run(warp))
            fail_msg("the warp is stuck");
        enum step_kind kind = warp_step(&sim, handlers, warp, &step);
        if (kind == STEP_EXCHANGE && !exchange_apply(&sim, step.exchange))
            run->fault = sim.fault;
        run->n_executed += step.executed;
        if (kind == STEP_FAULT)
            run->fault = *step.fault;
    }
    block_release(&block);
}

void run_params(struct run *run, const char *text, void *params, size_t params_bytes)
{
    struct err err = {0};
    const struct kernel *kernel = run_lower(run, text);
    assert_true(kernel->param_bytes <= params_bytes);
    memcpy(params, &run->out, sizeof run->out);
    const struct ptx_image *image = run->image;
    uint8_t *constants = arena_array(&run->arena, uint8_t, image->constant_bytes);
    assert_true(ptx_image_write_constants(image, constants, &err));
    if (image->constant_bytes)
        memcpy(memory_host(run->memory, image->constant_address, image->constant_bytes), constants,
               image->constant_bytes);
    struct launch launch = {.kernel = kernel,
                            .grid = {1, 1, 1},
                            .block = {ROW_LANES, 1, 1},
                            .dynamic_shared_bytes = 1024,
                            .params = params,
                            .constants = constants,
                            .constant_bytes = (uint32_t)image->constant_bytes,
                            .memory = run->memory,
                            .n_sms = 1};
    launch_fill_rows(&launch, &run->arena);
    run_warp(run, &launch);
}

void run_text(struct run *run, const char *text)
{
    uint64_t params = 0;
    run_params(run, text, &params, sizeof params);
}

void run_end(struct run *run)
{
    memory_delete(run->memory);
    arena_release(&run->arena);
}
