// The run loop: every block runs once, results and counters do not depend on the number of host threads,
// nothing hangs. Kernels are small PTX texts.
#include "cycle/run.h"
#include "base/arena.h"
#include "support/check.h"
#include "support/ptx_kernel.h"
#include <stdlib.h>
#include <string.h>

enum { GUEST_BYTES = 64 << 20, N_WORDS = 1 << 16 };

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name, registers)                                                                               \
    HEADER ".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n" registers                         \
           "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\n"                                            \
           "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"                                \
           "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, " \
           "%r3;\n"                                                                                          \
           "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
#define REGISTERS ".reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n.reg .pred %p<4>;\n"

struct machine {
    struct arena arena;
    struct device device;
    struct memory *memory;
    struct engine *engine;
    uint64_t in, out;
    uint32_t *in_host, *out_host;
};

static void machine_init(struct machine *m)
{
    struct err err = {0};
    arena_init(&m->arena, "test");
    if (!device_load(&m->arena, "h200", &m->device, &err) || !(m->memory = memory_new(GUEST_BYTES, &err)))
        fail_msg("%s", err.text);
    m->engine = engine_new(&m->device);
    m->in = memory_alloc(m->memory, N_WORDS * 4, 256, "in");
    m->out = memory_alloc(m->memory, N_WORDS * 4, 256, "out");
    m->in_host = memory_host(m->memory, m->in, N_WORDS * 4);
    m->out_host = memory_host(m->memory, m->out, N_WORDS * 4);
}

static void machine_release(struct machine *m)
{
    engine_delete(m->engine);
    memory_delete(m->memory);
    arena_release(&m->arena);
}

struct outcome_of_run {
    struct run_result result;
    struct counters *counters;
    uint32_t n_insns;
    uint32_t *words; // N_WORDS of `out`
};

static struct outcome_of_run run(struct machine *m, const char *text, uint32_t grid, uint32_t block,
                                 struct run_options options)
{
    struct err err = {0};
    const struct kernel *kernel = ptx_kernel_of_text(&m->arena, text);
    uint64_t params[2] = {m->in, m->out};
    struct launch launch = {.kernel = kernel,
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .params = (const uint8_t *)params,
                            .memory = m->memory};
    struct outcome_of_run r = {.n_insns = kernel->n_insns};
    for (uint32_t i = 0; i < N_WORDS; i++)
        m->in_host[i] = i * 2654435761u;
    memset(m->out_host, 0, N_WORDS * 4);
    r.counters = arena_array(&m->arena, struct counters, kernel->n_insns);
    if (!engine_run(m->engine, &launch, &options, r.counters, &r.result, &err))
        fail_msg("%s", err.text);
    r.words = arena_copy(&m->arena, m->out_host, N_WORDS * 4, 4);
    return r;
}

static const struct run_options counting = {.model = MODEL_COUNTERS};

// ---- kernels --------------------------------------------------------------------------------------------

static const char copy[] =
    ENTRY("k", REGISTERS) "ld.global.u32 %r5, [%rd4];\nst.global.u32 [%rd5], %r5;\nret;\n}\n";

// out[i] = in[of the neighbour by way of shared memory and a barrier]
static const char turn[] =
    ENTRY("k", REGISTERS
          ".shared .align 4 .b8 tile[1024];\n") "ld.global.u32 %r5, [%rd4];\nmov.u32 %r6, tile;\nshl.b32 "
                                                "%r7, %r3, 2;\nadd.u32 %r8, %r6, %r7;\n"
                                                "st.shared.u32 [%r8], %r5;\nbar.sync 0;\nsub.u32 %r9, 255, "
                                                "%r3;\nshl.b32 %r9, %r9, 2;\nadd.u32 %r9, %r6, %r9;\n"
                                                "ld.shared.u32 %r10, [%r9];\nst.global.u32 [%rd5], "
                                                "%r10;\nret;\n}\n";

// Sums by reductions: out[0] += 1 for each thread, and out[1 + lane] += thread number.
static const char sums[] =
    ENTRY("k", REGISTERS) "red.global.add.u32 [%rd2], 1;\nand.b32 %r6, %r3, 31;\nmul.wide.u32 %rd6, %r6, "
                          "4;\nadd.u64 %rd6, %rd2, %rd6;\n"
                          "red.global.add.u32 [%rd6+4], %r4;\nret;\n}\n";

// Tickets: out[1 + ticket] = 1 for each thread.
static const char tickets[] = ENTRY("k", REGISTERS) "atom.global.add.u32 %r5, [%rd2], 1;\nmul.wide.u32 %rd6, "
                                                    "%r5, 4;\nadd.u64 %rd6, %rd2, %rd6;\nmov.u32 %r6, 1;\n"
                                                    "st.global.u32 [%rd6+4], %r6;\nret;\n}\n";

// Every thread takes the lock in out[1], adds one to out[0] by plain load and store, gives it back.
static const char lock[] = ENTRY(
    "k",
    REGISTERS) "again:\natom.global.acquire.gpu.cas.b32 %r5, [%rd2+4], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 "
               "bra again;\n"
               "ld.global.u32 %r6, [%rd2];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd2], %r6;\nmembar.gl;\n"
               "atom.global.exch.b32 %r7, [%rd2+4], 0;\nret;\n}\n";

// Block 0 waits for the flag that the last block raises behind its message.
static const char message[] = ENTRY(
    "k",
    REGISTERS) "mov.u32 %r9, %nctaid.x;\nsub.u32 %r9, %r9, 1;\nsetp.eq.u32 %p1, %r1, %r9;\n@%p1 bra send;\n"
               "setp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\n"
               "wait:\nld.volatile.global.u32 %r5, [%rd2];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra "
               "wait;\nmembar.gl;\n"
               "ld.global.u32 %r6, [%rd2+4];\nst.global.u32 [%rd2+8], %r6;\nret;\n"
               "send:\nmov.u32 %r7, 77;\nst.global.u32 [%rd2+4], %r7;\nmembar.gl;\nmov.u32 %r8, 1;\n"
               "st.volatile.global.u32 [%rd2], %r8;\nret;\n}\n";

// Warp 0 waits at a barrier for 64 threads; the other warp waits at another one.
static const char stuck[] = ENTRY("k", REGISTERS) "setp.lt.u32 %p1, %r3, 32;\n@%p1 bra first;\nbar.sync 2, "
                                                  "64;\nret;\nfirst:\nbar.sync 1, 64;\nret;\n}\n";

static const char wild[] =
    ENTRY("k", REGISTERS) "setp.eq.u32 %p1, %r4, 999;\n"
                          "@%p1 ld.global.u32 %r5, [%rd4+1073741824];\nst.global.u32 [%rd5], %r4;\nret;\n}\n";

// ---- tests ----------------------------------------------------------------------------------------------

static void every_block_runs_once(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    static const uint32_t grids[] = {1, 131, 132, 133, 1055, 2048}; // of 32 threads; 32 blocks fit an SM
    for (size_t i = 0; i < N_ELEMENTS(grids); i++) {
        struct run_progress progress = {0};
        struct run_options o = {.model = MODEL_COUNTERS, .progress = &progress};
        struct outcome_of_run r = run(&m, copy, grids[i], 32, o);
        assert_int_equal(r.result.fault.kind, FAULT_NONE);
        for (uint32_t w = 0; w < N_WORDS; w++)
            assert_int_equal(r.words[w], w < grids[i] * 32 ? w * 2654435761u : 0);
        struct counters sum = {0};
        for (uint32_t n = 0; n < r.n_insns; n++) {
            counters_add(&sum, &r.counters[n]);
            assert_true(r.counters[n].executed == grids[i] || r.counters[n].executed == 0);
        }
        assert_int_equal(sum.executed, r.result.warp_instructions);
        assert_int_equal(sum.threads, r.result.thread_instructions);
        assert_int_equal(sum.threads_on, 32 * sum.executed);
        assert_int_equal(sum.global_sectors, grids[i] * 8);
        assert_int_equal(sum.l2_read_sectors, grids[i] * 4);
        assert_int_equal(sum.l2_write_sectors, grids[i] * 4);
        assert_int_equal(sum.dram_read_sectors, grids[i] * 4); // cold at every launch
        assert_int_equal(progress.blocks_done, grids[i]);
        assert_int_equal(progress.warp_instructions, sum.executed);
    }
    machine_release(&m);
}

static void same(const struct outcome_of_run *a, const struct outcome_of_run *b)
{
    assert_memory_equal(a->words, b->words, N_WORDS * 4);
    assert_int_equal(a->n_insns, b->n_insns);
    assert_memory_equal(a->counters, b->counters, a->n_insns * sizeof *a->counters);
    assert_int_equal(a->result.cycles, b->result.cycles);
    assert_int_equal(a->result.dram_write_sectors, b->result.dram_write_sectors);
}

static void host_threads_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t grid, block;
    } cases[] = {{copy, 256, 256},   {turn, 256, 256}, {sums, 300, 128},
                 {tickets, 400, 96}, {lock, 5, 64},    {message, 700, 32}};
    static const uint64_t epochs[] = {0, 64};
    struct machine m;
    machine_init(&m);
    for (size_t c = 0; c < N_ELEMENTS(cases); c++)
        for (size_t e = 0; e < (c < 4 ? N_ELEMENTS(epochs) : 1); e++) { // waiting kernels: long epochs only
            struct run_options o = {.model = MODEL_COUNTERS, .n_threads = 1, .epoch_cycles = epochs[e]};
            struct outcome_of_run one = run(&m, cases[c].text, cases[c].grid, cases[c].block, o);
            assert_int_equal(one.result.fault.kind, FAULT_NONE);
            for (o.n_threads = 2; o.n_threads <= 3; o.n_threads++) {
                struct outcome_of_run more = run(&m, cases[c].text, cases[c].grid, cases[c].block, o);
                same(&one, &more);
            }
        }
    machine_release(&m);
}

static void barriers_order_shared_memory(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct outcome_of_run r = run(&m, turn, 256, 256, counting);
    for (uint32_t i = 0; i < N_WORDS; i++)
        assert_int_equal(r.words[i], (i / 256 * 256 + 255 - i % 256) * 2654435761u);
    machine_release(&m);
}

static void reductions_and_tickets_add_up(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    uint32_t n = 300 * 128, by_lane[32] = {0};
    for (uint32_t i = 0; i < n; i++)
        by_lane[i % 32] += i;
    struct outcome_of_run r = run(&m, sums, 300, 128, counting);
    assert_int_equal(r.words[0], n);
    assert_memory_equal(r.words + 1, by_lane, sizeof by_lane);
    r = run(&m, tickets, 400, 96, counting);
    assert_int_equal(r.words[0], 400 * 96);
    for (uint32_t i = 0; i < 400 * 96; i++)
        assert_int_equal(r.words[1 + i], 1);
    machine_release(&m);
}

static void locks_and_messages_work(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct outcome_of_run r = run(&m, lock, 5, 64, counting);
    assert_int_equal(r.result.fault.kind, FAULT_NONE);
    assert_int_equal(r.words[0], 5 * 64);
    r = run(&m, message, 132 * 3, 32, counting); // all resident
    assert_int_equal(r.words[2], 77);
    machine_release(&m);
}

static void what_cannot_go_on_is_named(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct outcome_of_run r = run(&m, stuck, 3, 64, counting);
    assert_true(r.result.fault.kind == FAULT_DEADLOCK || r.result.fault.kind == FAULT_DIVERGENT_BARRIER);
    assert_true(r.result.fault.note[0] != '\0');
    machine_release(&m);
}

static void faults_end_the_launch(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct run_options o = {.model = MODEL_COUNTERS, .n_threads = threads};
        struct outcome_of_run r = run(&m, wild, 64, 256, o);
        assert_int_equal(r.result.fault.kind, FAULT_OUT_OF_BOUNDS);
        assert_int_equal(r.result.fault.block[0], 999 / 256);
        assert_int_equal(r.result.fault.thread[0], 999 % 256);
    }
    machine_release(&m);
}

static void model_off_only_computes(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct run_options o = {.model = MODEL_OFF};
    struct outcome_of_run off = run(&m, turn, 256, 256, o), on = run(&m, turn, 256, 256, counting);
    assert_memory_equal(off.words, on.words, N_WORDS * 4);
    assert_int_equal(off.result.warp_instructions, on.result.warp_instructions);
    for (uint32_t i = 0; i < off.n_insns; i++)
        assert_int_equal(off.counters[i].global_requests, 0);
    machine_release(&m);
}

static void caches_stay_when_asked(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct run_options keep = {.model = MODEL_COUNTERS, .keep_caches = true};
    run(&m, copy, 64, 256, counting);
    struct outcome_of_run warm = run(&m, copy, 64, 256, keep);
    struct counters sum = {0};
    for (uint32_t i = 0; i < warm.n_insns; i++)
        counters_add(&sum, &warm.counters[i]);
    assert_int_equal(sum.dram_read_sectors, 0);
    assert_int_equal(sum.global_hits, 0); // L1 is cold even so
    machine_release(&m);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct err err = {0};
    struct launch launch = {
        .kernel = ptx_kernel_of_text(&m.arena, copy), .grid = {1, 1, 1}, .block = {2048, 1, 1}, .memory = m.memory};
    struct counters counters[64] = {{0}};
    struct run_result result;
    assert_false(engine_run(m.engine, &launch, &counting, counters, &result, &err));
    assert_true(err.set);
    struct err more = {0};
    launch.block[0] = 32;
    launch.grid[0] = 1 << 20;
    launch.grid[1] = 1 << 15;
    assert_false(
        engine_run(m.engine, &launch, &counting, counters, &result, &more)); // would count round to 2^35
    assert_true(more.set);
    machine_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once),        cmocka_unit_test(host_threads_change_nothing),
        cmocka_unit_test(barriers_order_shared_memory), cmocka_unit_test(reductions_and_tickets_add_up),
        cmocka_unit_test(locks_and_messages_work),      cmocka_unit_test(what_cannot_go_on_is_named),
        cmocka_unit_test(faults_end_the_launch),        cmocka_unit_test(model_off_only_computes),
        cmocka_unit_test(caches_stay_when_asked),       cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
