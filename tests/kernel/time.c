// Time as kernels see it: clocks, the global timer, nanosleep; the registers that tell about the launch;
// grid-wide barriers of cooperative launches; stacks. Kernels run in the run loop, on one host thread and on
// several.
#include "cycle/run.h"
#include "mem/heap.h"
#include "ptx/load.h"
#include "simt/console.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

enum { GUEST_BYTES = 64 << 20, N_VALUES = 4096 };

struct machine {
    struct arena arena;
    struct device device;
    struct memory *memory;
    struct engine *engine;
    uint64_t buffer;
    uint64_t *values;
};

static void machine_init(struct machine *m)
{
    struct err err = {0};
    arena_init(&m->arena, "test");
    if (!device_load(&m->arena, "h200", &m->device, &err) || !(m->memory = memory_new(GUEST_BYTES, &err)))
        fail_msg("%s", err.text);
    m->engine = engine_new(&m->device);
    m->buffer = memory_alloc(m->memory, N_VALUES * 8, 256, "buffer");
    m->values = memory_host(m->memory, m->buffer, N_VALUES * 8);
}

static void machine_release(struct machine *m)
{
    engine_delete(m->engine);
    memory_delete(m->memory);
    arena_release(&m->arena);
}

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY                                                                                               \
    ".visible .entry k(.param .u64 buffer)\n{\n.reg .b32 %r<60>;\n.reg .b64 %rd<40>;\n.reg .pred %p<20>;\n" \
    "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"   \
    "mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 8;\nadd.s64 %rd2, %rd1, %rd2;\n"

static const struct kernel *load(struct machine *m, const char *body)
{
    struct err err = {0};
    char *text = arena_printf(&m->arena, "%s", body);
    struct ptx_image *image = ptx_image_open(&m->arena, "time.ptx", text, strlen(text), &err);
    for (uint32_t i = 0; image && i < image->n_data; i++)
        image->data[i].address = memory_alloc(m->memory, image->data[i].size_bytes, 16, "variable");
    for (uint32_t i = 0; image && i < image->n_data; i++)
        ptx_image_write(image, i, memory_host(m->memory, image->data[i].address, image->data[i].size_bytes),
                        &err);
    if (image)
        ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
    const struct kernel *kernel = image ? ptx_image_kernel(image, "k", &err) : NULL;
    if (!kernel)
        fail_msg("%u:%u: %s: %s", err.line, err.column, err.text, err.source);
    return kernel;
}

static struct run_result run(struct machine *m, const char *text, struct launch launch, uint32_t n_threads)
{
    struct err err = {0};
    struct run_options options = {.model = MODEL_COUNTERS, .n_threads = n_threads};
    struct run_result result;
    launch.kernel = load(m, text);
    launch.params = (const uint8_t *)&m->buffer;
    launch.memory = m->memory;
    launch.n_sms = (uint32_t)m->device.n_sms;
    launch.sm_clock_mhz = launch.sm_clock_mhz ? launch.sm_clock_mhz : 2000;
    struct counters *counters = arena_array(&m->arena, struct counters, launch.kernel->n_insns);
    memset(m->values, 0, N_VALUES * 8);
    if (!engine_run(m->engine, &launch, &options, counters, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static struct launch shape(uint32_t blocks, uint32_t threads)
{
    return (struct launch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
}

// ---- time ---------------------------------------------------------------------------------------------

static void clocks_go_on(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct launch launch = shape(1, 1);
    launch.begin_ns = 5000000000;
    run(&m,
        HEAD ENTRY
        "mov.u64 %rd3, %clock64; mov.u64 %rd4, %globaltimer; mov.u32 %r5, %clock; mov.u32 %r6, %clock_hi;\n"
        "mov.u32 %r7, %globaltimer_lo; mov.u32 %r8, %globaltimer_hi; mov.u64 %rd5, %clock64;\n"
        "st.global.u64 [%rd1], %rd3; st.global.u64 [%rd1+8], %rd4; st.global.u64 [%rd1+16], %rd5; "
        "st.global.v2.u32 "
        "[%rd1+24], {%r5, %r6}; st.global.v2.u32 [%rd1+32], {%r7, %r8}; ret; }\n",
        launch, 1);
    const uint64_t *v = m.values;
    assert_in_range(v[0], 10000000000, 10000001000);
    assert_in_range(v[1], 5000000000, 5000000500);
    assert_in_range(v[2] - v[0], 5, 100);
    assert_in_range(v[3] - v[0], 1, 100);
    assert_in_range(v[4] - v[1], 1, 100);
    machine_release(&m);
}

// Sleeping takes modelled time and no instructions; more than a millisecond it never takes.
static void sleep_takes_time(void **state)
{
    (void)state;
    static const uint32_t asked[] = {0, 1, 100, 5000, 1000000, 4000000};
    static const uint32_t taken[] = {0, 1, 100, 5000, 1000000, 1000000};
    struct machine m;
    machine_init(&m);
    for (size_t i = 0; i < N_ELEMENTS(asked); i++) {
        char *text = arena_printf(
            &m.arena, "%s%u%s", HEAD ENTRY "mov.u64 %rd3, %globaltimer; nanosleep.u32 ", asked[i],
            "; mov.u64 %rd4, %globaltimer; sub.u64 %rd5, %rd4, %rd3; st.global.u64 [%rd2], %rd5; ret; }\n");
        struct run_result result = run(&m, text, shape(3, 64), 1);
        for (uint32_t t = 0; t < 3 * 64; t++)
            assert_in_range(m.values[t], taken[i], taken[i] + 20);
        assert_true(result.warp_instructions < 100);
        assert_in_range(result.cycles, 2 * taken[i], 2 * taken[i] + 2000);
    }
    machine_release(&m);
}

// One warp sleeps between looks at a flag that another block sets after a long loop.
static void sleeper_sees_flag(void **state)
{
    (void)state;
    static const char text[] = HEAD ENTRY
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOK;\nmov.u32 %r5, 0;\nLOOP: add.u32 %r5, %r5, 1; setp.lt.u32 "
        "%p2, "
        "%r5, 50000; @%p2 bra LOOP;\nst.release.gpu.global.u32 [%rd1], 7; ret;\nLOOK: nanosleep.u32 300; "
        "ld.acquire.gpu.global.u32 %r6, [%rd1]; setp.eq.u32 %p3, %r6, 0; @%p3 bra LOOK; st.global.u32 "
        "[%rd1+8], %r6; ret; }\n";
    struct machine m;
    machine_init(&m);
    run(&m, text, shape(2, 1), 1);
    assert_int_equal(m.values[1], 7);
    struct run_result alone = run(&m, text, shape(2, 1), 1), many = run(&m, text, shape(2, 1), 4);
    assert_int_equal(alone.warp_instructions, many.warp_instructions);
    machine_release(&m);
}

// Lanes of one warp that sleep while a sibling holds a lock.
static void lanes_sleep_apart(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    run(&m,
        HEAD ENTRY
        "mul.lo.u32 %r5, %r1, 1000; setp.gt.u32 %p1, %r1, 15; @%p1 bra LONG; nanosleep.u32 10; bra END;\n"
        "LONG: nanosleep.u32 20000;\nEND: mov.u64 %rd3, %globaltimer; st.global.u64 [%rd2], %rd3; ret; }\n",
        shape(1, 32), 1);
    assert_in_range(m.values[31], 20000, 20100);
    machine_release(&m);
}

// ---- the launch -----------------------------------------------------------------------------------------

static void launch_registers(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct launch launch = shape(2, 70);
    launch.dynamic_shared_bytes = 300;
    launch.launch_id = 9;
    run(&m,
        HEAD ENTRY ".shared .b8 s[100]; mov.u32 %r5, s; st.shared.u32 [%r5], 0;\nmov.u32 %r6, "
                   "%dynamic_smem_size; mov.u32 %r7, "
                   "%total_smem_size; mov.u32 %r8, %aggr_smem_size; mov.u32 %r9, %nsmid; mov.u32 %r10, "
                   "%nwarpid; mov.u32 %r11, "
                   "%warpid; mov.u64 %rd5, %gridid; mov.u32 %r12, %smid; mov.u32 %r13, %envreg1; mov.u32 "
                   "%r14, %envreg2;\n"
                   "setp.ne.u32 %p1, %r4, 69; @%p1 ret; st.global.v4.u32 [%rd1], {%r6, %r7, %r8, %r9}; "
                   "st.global.v4.u32 [%rd1+16], {%r10, %r11, %r12, %r13}; "
                   "st.global.u64 [%rd1+32], %rd5; ret; }\n",
        launch, 1);
    const uint32_t *v = (const uint32_t *)m.values;
    const uint32_t want[] = {300, 512, 1536, (uint32_t)m.device.n_sms, 3, 2};
    for (size_t i = 0; i < N_ELEMENTS(want); i++)
        assert_int_equal(v[i], want[i]);
    assert_true(v[6] < (uint32_t)m.device.n_sms);
    assert_int_equal(v[7], 0); // no cooperative launch
    assert_int_equal(m.values[4], 9);
    machine_release(&m);
}

// What cooperative_groups does in a block of several warps: a barrier in the reserved part of shared memory.
static void reserved_shared(void **state)
{
    (void)state;
    struct machine m;
    machine_init(&m);
    struct launch launch = shape(1, 64);
    launch.dynamic_shared_bytes = 40;
    struct run_result result = run(&m,
                                   HEAD ".extern .shared .align 16 .b8 d[];\n" ENTRY
                                        "mov.u32 %r5, %reserved_smem_offset_1; mov.u32 %r9, d; "
                                        "st.shared.u32 [%r5+284], 1; st.shared.u32 [%r9+36], 5; bar.sync 0; "
                                        "atom.shared.add.u32 %r6, [%r5+284], 1; bar.sync 0;\n"
                                        "ld.shared.u32 %r7, [%r5+284]; ld.shared.u32 %r8, [%r9+36]; "
                                        "st.global.v2.u32 [%rd2], {%r7, %r8}; ret; }\n",
                                   launch, 1);
    assert_int_equal(result.fault.kind, FAULT_NONE);
    assert_int_equal(m.values[63], 65 | 5ull << 32);
    machine_release(&m);
}

// The barrier of cooperative_groups::grid_group::sync, as CUDA 13 compiles it (nvcc -arch=sm_90 -ptx of a
// kernel that calls cg::this_grid().sync()), between blocks that write and read each other's words.
#define GRID_SYNC(label)                                                                                   \
    "barrier.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra " label                                             \
    "E; neg.s32 %r20, %r2; setp.eq.s32 %p2, %r20, 0; mov.u32 "                                             \
    "%r21, %nctaid.x; mov.u32 %r22, -2147483647; sub.s32 %r22, %r22, %r21; selp.b32 %r23, %r22, 1, %p2;\n" \
    "atom.add.release.gpu.u32 %r24, [%rd9], %r23;\n" label                                                 \
    ": ld.acquire.gpu.u32 %r25, [%rd9]; xor.b32 %r26, %r25, %r24; setp.gt.s32 %p3, %r26, -1; @%p3 "        \
    "bra " label ";\n" label "E: barrier.sync 0;\n"
static void grid_barrier(void **state)
{
    (void)state;
    static const char text[] = HEAD ENTRY
        "mov.u32 %r5, %envreg2; mov.u32 %r6, %envreg1; mov.b64 %rd9, {%r5, %r6}; setp.ne.s64 %p4, %rd9, 0; "
        "@%p4 bra "
        "OK; trap;\nOK: add.s64 %rd9, %rd9, 4; mov.u32 %r7, %nctaid.x; mul.lo.u32 %r7, %r7, %r3; sub.u32 "
        "%r8, %r7, %r4; sub.u32 "
        "%r8, %r8, 1; mul.wide.u32 %rd3, %r8, 8; add.s64 %rd3, %rd1, %rd3; cvt.u64.u32 %rd4, %r4; "
        "st.global.u64 [%rd2], %rd4;\n" GRID_SYNC("A") "ld.global.u64 %rd5, [%rd3]; add.u64 %rd5, %rd5, "
                                                       "1000;\n" GRID_SYNC(
                                                           "B") "st.global.u64 [%rd2], %rd5; ret; }\n";
    struct machine m;
    machine_init(&m);
    struct launch launch = shape(60, 64);
    struct run_result result = run(&m, text, launch, 1);
    assert_int_equal(result.fault.kind, FAULT_TRAP);
    launch.grid_workspace = memory_alloc(m.memory, GRID_WORKSPACE_BYTES, 8, "workspace");
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        memset(memory_host(m.memory, launch.grid_workspace, GRID_WORKSPACE_BYTES), 0, GRID_WORKSPACE_BYTES);
        result = run(&m, text, launch, 1 + 3 * i);
        assert_int_equal(result.fault.kind, FAULT_NONE);
        for (uint32_t t = 0; t < 60 * 64; t++)
            assert_int_equal(m.values[t], 60 * 64 - 1 - t + 1000);
        cycles[i] = result.cycles;
    }
    assert_int_equal(cycles[0], cycles[1]);
    machine_release(&m);
}

// ---- stacks ---------------------------------------------------------------------------------------------

// A function that calls itself %r4 times with 64 bytes of local memory each.
static void stack_size(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".func (.param .b32 s) f(.param .b32 n)\n{\n.local .align 4 .b8 l[64];\n.reg .b32 %r<9>;\n.reg .pred "
        "%p;\n"
        "ld.param.u32 %r1, [n]; st.local.u32 [l], %r1; st.local.u32 [l+60], %r1; mov.u32 %r4, 0; setp.eq.u32 "
        "%p, %r1, 0; @%p bra END; "
        "sub.u32 %r2, %r1, 1;\n{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 r; call (r), f, (a); "
        "ld.param.b32 "
        "%r3, [r]; }\nld.local.u32 %r5, [l]; add.u32 %r4, %r3, %r5;\nEND: st.param.b32 [s], %r4; "
        "ret;\n}\n" ENTRY
        "{ .param .b32 a; st.param.b32 [a], 100; .param .b32 r; call (r), f, (a); ld.param.b32 %r5, [r]; }\n"
        "st.global.u32 [%rd2], %r5; ret; }\n";
    struct machine m;
    machine_init(&m);
    struct launch launch = shape(2, 33);
    struct run_result result = run(&m, text, launch, 1);
    assert_int_equal(result.fault.kind, FAULT_LOCAL_BOUNDS);
    launch.stack_bytes = 8192;
    result = run(&m, text, launch, 1);
    assert_int_equal(result.fault.kind, FAULT_NONE);
    assert_int_equal(m.values[40], 5050);
    machine_release(&m);
}

// ---- order ----------------------------------------------------------------------------------------------

// Text and addresses are the same for every number of host threads, and every failing thread is heard.
static void same_for_all_threads(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func (.param "
             ".b64 r) malloc(.param "
             ".b64 n);\n.extern .func free(.param .b64 p);\n.global .b8 format[9] = {37, 117, 32, 37, 108, "
             "108, 120, 10, 0};\n" ENTRY ".local .align 8 .b8 args[16];\n{ .param .b64 n; st.param.b64 [n], "
                                         "40; .param .b64 r; call (r), malloc, (n); "
             "ld.param.b64 %rd5, [r]; }\nst.u32 [%rd5], %r4; st.local.u32 [args], %r4; sub.u64 %rd6, %rd5, "
             "%rd1; st.local.u64 [args+8], "
             "%rd6; mov.u64 %rd7, format; cvta.local.u64 %rd8, args;\n{ .param .b64 f; st.param.b64 [f], "
             "%rd7; .param .b64 a; "
             "st.param.b64 [a], %rd8; .param .b32 r; call (r), vprintf, (f, a); ld.param.b32 %r5, [r]; "
             "}\nst.global.u32 [%rd2], %r5; "
             "and.b32 %r6, %r4, 3; setp.ne.u32 %p1, %r6, 0; @%p1 ret;\n{ .param .b64 p; st.param.b64 [p], "
             "%rd5; call free, (p); }\nret; }\n";
    char *first = NULL;
    for (uint32_t n_threads = 1; n_threads <= 4; n_threads += 3) {
        struct machine m;
        machine_init(&m);
        struct console console = {0};
        struct heap heap = {0};
        struct launch launch = shape(40, 64);
        launch.console = &console;
        launch.heap = &heap;
        struct run_result result = run(&m, text, launch, n_threads);
        assert_int_equal(result.fault.kind, FAULT_NONE);
        size_t n;
        const char *printed = console_text(&console, &n);
        assert_int_equal(heap.used_bytes, 40 * 64 * 3 / 4 * 48);
        assert_int_equal(m.values[77], 2);
        if (first)
            assert_string_equal(first, printed);
        else
            first = strdup(printed);
        console_release(&console);
        heap_release(&heap, m.memory);
        machine_release(&m);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_go_on),         cmocka_unit_test(sleep_takes_time),
        cmocka_unit_test(sleeper_sees_flag),    cmocka_unit_test(lanes_sleep_apart),
        cmocka_unit_test(launch_registers),     cmocka_unit_test(reserved_shared),
        cmocka_unit_test(grid_barrier),         cmocka_unit_test(stack_size),
        cmocka_unit_test(same_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
