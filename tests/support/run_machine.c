// Runs machine code for tests; see run_machine.h.
#include "support/run_machine.h"
#include "isa/form.h"
#include "isa/prepare.h"
#include "mem/memory.h"
#include "sass/lower.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 2000000, FIRST_UPRED = 8 };

void machine_open(struct machine_module *m, const void *bytes, size_t n_bytes)
{
    struct err err = {0};
    *m = (struct machine_module){0};
    arena_init(&m->arena, "machine test");
    m->memory = memory_new(64 << 20, &err);
    m->image = sass_image_open(&m->arena, "test.cubin", bytes, n_bytes, &err);
    if (!m->image) {
        fail_msg("%s", err.text);
        return;
    }
    struct sass_image *image = m->image;
    for (uint32_t i = 0; i < image->n_data; i++)
        image->data[i].address =
            memory_alloc(m->memory, image->data[i].size_bytes, image->data[i].align, "variable");
    if (image->constant_bytes)
        image->constant_address = memory_alloc(m->memory, image->constant_bytes, 256, "constants");
    for (uint32_t i = 0; i < image->n_data; i++)
        assert_true(sass_image_write(
            image, i, memory_host(m->memory, image->data[i].address, image->data[i].size_bytes), &err));
    m->constants = arena_array(&m->arena, uint8_t, image->constant_bytes + 1);
    assert_true(sass_image_write_constants(image, m->constants, &err));
}

void machine_close(struct machine_module *m)
{
    memory_delete(m->memory);
    arena_release(&m->arena);
}

static bool run_warps(struct sim *sim, struct block *block)
{
    const handler *handlers = handlers_choose();
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct warp *warp = &block->warps[w];
        for (uint32_t steps = 0; !warp->is_done; steps++) {
            struct step step;
            if (steps == MAX_STEPS || !warp_can_run(warp))
                return false;
            enum step_kind kind = warp_step(sim, handlers, warp, &step);
            if (kind == STEP_FAULT || (kind == STEP_EXCHANGE && !exchange_apply(sim, step.exchange)))
                return false;
        }
    }
    return true;
}

const char *machine_launch(struct machine_module *m, const char *name, const void *params, uint32_t n_threads)
{
    static struct sim sim;
    struct arena arena;
    struct block block;
    struct err err = {0};
    const struct kernel *kernel = sass_image_kernel(m->image, name, &err);
    if (!kernel)
        return arena_string(&m->arena, err.text, strlen(err.text));
    struct launch launch = {.kernel = kernel, .grid = {1, 1, 1}, .block = {n_threads, 1, 1}, .params = params,
                            .constants = m->constants, .constant_bytes = (uint32_t)m->image->constant_bytes,
                            .memory = m->memory, .n_sms = 1};
    arena_init(&arena, "machine launch");
    launch_fill_rows(&launch, &arena);
    memset(&sim, 0, sizeof sim);
    sim.launch = &launch;
    block_allocate(&launch, &block);
    block_start(&launch, &block, 0, 0, 0);
    const bool is_good = run_warps(&sim, &block);
    block_release(&block);
    arena_release(&arena);
    return is_good ? NULL : "a fault";
}

// ---- single instructions -----------------------------------------------------------------------------------------

struct bench {
    struct arena arena;
    struct sass_lowering lowering;
    struct insn insn;
    struct function function;
    struct kernel kernel;
    struct launch launch;
    struct sim sim;
    struct block block;
};

static void bench_start(struct bench *b)
{
    struct sass_lowering *l = &b->lowering;
    uint32_t(*pool)[ROW_LANES] = arena_alloc(&b->arena, l->pool.n * ROW_BYTES, 64);
    for (size_t r = 0; r < l->pool.n; r++)
        for (int i = 0; i < ROW_LANES; i++)
            pool[r][i] = l->pool.at[r];
    const uint32_t n_rows = MACHINE_REGISTERS + MACHINE_UNIFORM + SASS_TRASH_ROWS;
    b->function = (struct function){.name = "k", .n_insns = 1, .n_rows = n_rows, .n_preds = SASS_PREDS};
    b->kernel = (struct kernel){.insns = &b->insn, .n_insns = 1, .functions = &b->function, .n_functions = 1,
                                .frame_rows = n_rows, .pool = pool, .n_pool = (uint32_t)l->pool.n};
    b->launch = (struct launch){.kernel = &b->kernel, .grid = {1, 1, 1}, .block = {ROW_LANES, 1, 1}};
    b->sim.launch = &b->launch;
    block_allocate(&b->launch, &b->block);
    block_start(&b->launch, &b->block, 0, 0, 0);
}

static void registers_in(struct warp *warp, const struct machine_registers *r)
{
    memcpy(warp->stack, r->r, sizeof r->r);
    for (uint32_t u = 0; u < MACHINE_UNIFORM; u++)
        for (int i = 0; i < ROW_LANES; i++)
            warp->stack[(MACHINE_REGISTERS + u) * ROW_LANES + (uint32_t)i] = r->ur[u];
    for (uint32_t p = 0; p < 7; p++) {
        warp->preds[1 + p] = r->p[p];
        warp->preds[FIRST_UPRED + p] = r->up[p] ? UINT32_MAX : 0;
    }
}

static void registers_out(const struct warp *warp, struct machine_registers *r)
{
    memcpy(r->r, warp->stack, sizeof r->r);
    for (uint32_t u = 0; u < MACHINE_UNIFORM; u++) {
        const uint32_t *row = warp->stack + (MACHINE_REGISTERS + u) * ROW_LANES;
        r->ur[u] = row[0];
        for (int i = 0; i < ROW_LANES; i++)
            if (row[i] != row[0])
                fail_msg("UR%u is not the same in all lanes", u);
    }
    for (uint32_t p = 0; p < 7; p++) {
        r->p[p] = warp->preds[1 + p];
        r->up[p] = warp->preds[FIRST_UPRED + p] & 1;
    }
}

const char *machine_step(const uint64_t words[2], struct machine_registers *registers, uint32_t on)
{
    static struct bench b;
    static char why[200];
    struct sass_insn in;
    memset(&b, 0, sizeof b);
    arena_init(&b.arena, "machine step");
    b.lowering = (struct sass_lowering){.arena = &b.arena, .cc = 90, .n_registers = MACHINE_REGISTERS, .n_uregs = MACHINE_UNIFORM,
                                         .n_insns = 1};
    const bool is_lowered = sass_decode(90, words, 0, &in) && sass_lower_insn(&b.lowering, &in, &b.insn);
    snprintf(why, sizeof why, "%s", is_lowered || !b.lowering.refused ? "not decoded" : b.lowering.refused);
    if (is_lowered) {
        const bool is_prepared = b.insn.form == FORM_PREPARED_none || b.insn.form == FORM_UNIFORM_PREPARED_none;
        registers->form = is_prepared ? (unsigned)PREPARE_FORM(b.insn.offset) : b.insn.form;
        bench_start(&b);
        struct warp *warp = &b.block.warps[0];
        registers_in(warp, registers);
        handlers_choose()[b.insn.form](&b.sim, warp, &b.insn, on);
        registers_out(warp, registers);
        block_release(&b.block);
    }
    vec_release(&b.lowering.pool);
    vec_release(&b.lowering.launch_rows);
    arena_release(&b.arena);
    return is_lowered ? NULL : why;
}
