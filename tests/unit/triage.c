// Logs of ptxas and nvlink in every form that is known, texts that describe devices, and which rows are one
// kernel.
#include "device/device.h"
#include "support/check.h"
#include "triage/judge.h"
#include <string.h>

static struct arena arena;
static struct triage t;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, "test");
    triage_init(&t, &arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    triage_release(&t);
    arena_release(&arena);
    return 0;
}

static const struct triage_kernel *only_kernel(const char *log)
{
    triage_read_log(&t, "x.log", log, strlen(log));
    triage_finish(&t);
    assert_int_equal(t.kernels.n, 1);
    return t.kernels.at[0];
}

static void assert_value(const struct triage_kernel *k, enum triage_value value, double expected)
{
    if (k->values[value] != expected)
        fail_msg("%s: %s is %g, not %g", k->name, triage_value_info(value)->name, k->values[value], expected);
}

static bool has_trap(const struct triage_kernel *k, enum triage_trap trap)
{
    return k->traps >> trap & 1;
}

static void cuda_13(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : 0 bytes gmem\n"
                    "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'\n"
                    "ptxas info    : Function properties for _Z1kPf\n"
                    "    72 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                    "ptxas info    : Used 38 registers, used 2 barriers, 96 bytes cumulative stack size, 72 "
                    "bytes smem, 376 "
                    "bytes cmem[0]\n"
                    "ptxas info    : Compile time = 9.451 ms\n");
    assert_string_equal(k->name, "_Z1kPf");
    assert_int_equal(k->cc, 90);
    assert_true(k->is_arch_specific);
    assert_value(k, TRIAGE_registers, 38);
    assert_value(k, TRIAGE_barriers, 2);
    assert_value(k, TRIAGE_stack_bytes, 72);
    assert_value(k, TRIAGE_call_stack_bytes, 96);
    assert_value(k, TRIAGE_spill_bytes, 20);
    assert_value(k, TRIAGE_shared_bytes, 72);
    assert_value(k, TRIAGE_constant_bytes, 376);
    assert_string_equal(k->files[TRIAGE_FROM_PTXAS], "x.log:2");
}

static void cuda_9(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : 0 bytes gmem, 4 bytes cmem[3]\n"
                    "ptxas info    : Compiling entry function 'k' for 'sm_61'\n"
                    "ptxas info    : Function properties for k\n"
                    "    11688 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 45 registers, 11688 bytes cumulative stack size, 64 bytes smem, "
                    "328 bytes cmem[0], "
                    "4 bytes cmem[2]\n");
    assert_int_equal(k->cc, 61);
    assert_value(k, TRIAGE_registers, 45);
    assert_value(k, TRIAGE_call_stack_bytes, 11688);
    assert_value(k, TRIAGE_shared_bytes, 64);
    assert_false(triage_has(k, TRIAGE_barriers));
}

static void cuda_11(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                    "ptxas info    : Function properties for k\n"
                    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 64 registers, 8192+16 bytes smem, 372 bytes cmem[0], "
                    "1 textures, 3 wonders\n");
    assert_value(k, TRIAGE_textures, 1);
    assert_value(k, TRIAGE_shared_bytes, 8208);
}

// As build tools and forums leave them: prefixes, time stamps, typographic quotes, blank lines, demangled
// names.
static void other_shapes(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("#12 34.5 1>  ptxas info : Compiling entry function \xe2\x80\x98k(float*, "
                    "int)\xe2\x80\x99 for \xe2\x80\x98sm_86\xe2\x80\x99\r\n"
                    "#12 34.5 1>  ptxas info : Function properties for k(float*, int)\r\n"
                    "\r\n"
                    "#12 34.5 1>      40 bytes stack frame, 36 bytes spill stores, 40 bytes spill loads\r\n"
                    "2024-01-01T00:00:00Z ptxas info : Used 27 registers, 88 bytes cmem[0]\r\n");
    assert_string_equal(k->name, "k(float*, int)");
    assert_int_equal(k->cc, 86);
    assert_value(k, TRIAGE_stack_bytes, 40);
    assert_value(k, TRIAGE_spill_bytes, 76);
    assert_value(k, TRIAGE_registers, 27);
}

static void without_entry_line(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : Function properties for k\n"
                    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Function properties for helper\n"
                    "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 27 registers, 88 bytes cmem[0]\n");
    assert_string_equal(k->name, "k");
    assert_value(k, TRIAGE_registers, 27);
}

static void negative_spills(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                    "ptxas info    : Function properties for k\n"
                    "    0 bytes stack frame, -56 bytes spill stores, -60 bytes spill loads\n"
                    "ptxas info    : Used 168 registers, used 0 barriers, 36864 bytes smem\n");
    assert_value(k, TRIAGE_spill_store_bytes, -56);
    assert_value(k, TRIAGE_spill_bytes, 0);
    assert_true(has_trap(k, TRAP_SPILL_IN_SHARED));
}

// The linker's numbers hold; what only the assembler told stays.
static void linked(void **state)
{
    (void)state;
    static const char log[] = "nvcc -dc -Xptxas -v a.cu\n"
                              "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                              "ptxas info    : Function properties for k\n"
                              "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                              "ptxas info    : Used 24 registers, used 0 barriers\n"
                              "ptxas info    : Function properties for _Z6helperfi\n"
                              "    72 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
    static const char link[] =
        "nvlink warning : Stack size for entry function 'k' cannot be statically determined\n"
        "nvlink info    : Function properties for 'k':\n"
        "nvlink info    : used 46 registers, used 1 barriers, 72 stack, 16 bytes smem, 540 bytes cmem[0], 8 "
        "bytes lmem\n";
    triage_read_log(&t, "x.log", log, sizeof log - 1);
    const struct triage_kernel *k = only_kernel(link);
    assert_value(k, TRIAGE_registers, 46);
    assert_value(k, TRIAGE_call_stack_bytes, 72);
    assert_value(k, TRIAGE_shared_bytes, 16);
    assert_value(k, TRIAGE_local_bytes, 8);
    assert_value(k, TRIAGE_spill_bytes, 0);
    assert_int_equal(k->cc, 90);
    assert_true(has_trap(k, TRAP_STACK_UNKNOWN));
    assert_false(has_trap(k, TRAP_WITHOUT_CALLEES));
}

// Older linkers name the target on every line: a row for each.
static void linked_for_targets(void **state)
{
    (void)state;
    static const char log[] = "nvlink info    : Function properties for '_Z2v1Pf': (target: sm_52)\n"
                              "nvlink info    : used 30 registers, 0 stack, 0 bytes smem, 356 bytes cmem[0], "
                              "0 bytes lmem (target: sm_52)\n"
                              "nvlink info    : Function properties for '_Z2v1Pf': (target: sm_80)\n"
                              "nvlink info    : used 32 registers, 0 stack, 0 bytes smem, 388 bytes cmem[0], "
                              "8 bytes lmem (target: sm_80)\n";
    triage_read_log(&t, "x.log", log, sizeof log - 1);
    triage_finish(&t);
    assert_int_equal(t.kernels.n, 2);
    assert_string_equal(t.kernels.at[0]->name, "_Z2v1Pf");
    assert_int_equal(t.kernels.at[0]->cc, 52);
    assert_value(t.kernels.at[1], TRIAGE_registers, 32);
    assert_value(t.kernels.at[1], TRIAGE_local_bytes, 8);
}

static void unlinked(void **state)
{
    (void)state;
    const struct triage_kernel *k = only_kernel("nvcc -rdc=true -Xptxas -v a.cu\n"
                                                "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                                                "ptxas info    : Used 24 registers, used 0 barriers\n");
    assert_true(has_trap(k, TRAP_WITHOUT_CALLEES));
}

// The linker inside the driver does not say its name.
static void driver_linker(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("CUDA Link Completed in 0.000000 ms.\n"
                    "ptxas info    : Compiling entry function 'insert' for 'sm_70'\n"
                    "ptxas info    : Function properties for insert\n"
                    "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 28 registers, 412 bytes cmem[0]\n"
                    "info    : 0 bytes gmem\n"
                    "info    : Function properties for 'insert':\n"
                    "info    : used 30 registers, 8 stack, 64 bytes smem, 412 bytes cmem[0], 0 bytes lmem\n");
    assert_int_equal(k->cc, 70);
    assert_value(k, TRIAGE_registers, 30);
    assert_value(k, TRIAGE_stack_bytes, 8);
    assert_value(k, TRIAGE_shared_bytes, 64);
}

// Mail programs break long lines.
static void broken_lines(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas info    : Compiling entry function '_Z1kPf' for\n"
                    "'sm_90a'\n"
                    "ptxas info    : Function properties for\n"
                    "_Z1kPf\n"
                    "    56 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 168 registers, used 16 barriers, 56 bytes cumulative\n"
                    "stack size\n"
                    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async\n"
                    "instructions are serialized due to wgmma pipeline crossing function\n"
                    "boundary at a function call in the function\n"
                    "'_Z1kPf'\n"
                    "ptxas warning : Local memory used for function\n"
                    "'_Z1kPf',\n"
                    "size of stack frame: 56 bytes\n");
    assert_int_equal(k->cc, 90);
    assert_value(k, TRIAGE_registers, 168);
    assert_value(k, TRIAGE_barriers, 16);
    assert_value(k, TRIAGE_stack_bytes, 56);
    assert_value(k, TRIAGE_call_stack_bytes, 56);
    assert_true(has_trap(k, TRAP_WGMMA_SERIALIZED));
}

// All that some logs have; of several compilations of one name the worst.
static void numbers_in_warnings(void **state)
{
    (void)state;
    const struct triage_kernel *k = only_kernel(
        "I compiler.cc:346] ptxas warning : Registers are spilled to local memory in function 'dot_33', 36 "
        "bytes spill stores, 40 bytes spill loads\n"
        "I compiler.cc:346] ptxas warning : Registers are spilled to local memory in function 'dot_33', 12 "
        "bytes spill stores, 12 bytes spill loads\n"
        "ptxas warning : Local memory used for function 'dot_33', size of stack frame: 48 bytes\n");
    assert_value(k, TRIAGE_spill_store_bytes, 36);
    assert_value(k, TRIAGE_spill_load_bytes, 40);
    assert_value(k, TRIAGE_spill_bytes, 76);
    assert_value(k, TRIAGE_stack_bytes, 48);
    assert_false(triage_has(k, TRIAGE_registers));
}

// The linker counts the 1024 bytes that the system keeps from capability 9.0 on; the command names the
// target.
static void warnings_alone(void **state)
{
    (void)state;
    const struct triage_kernel *k =
        only_kernel("ptxas warning : Stack size for entry function 'deep' cannot be statically determined\n");
    assert_string_equal(k->name, "deep");
    assert_true(has_trap(k, TRAP_STACK_UNKNOWN));
    assert_false(triage_has(k, TRIAGE_registers));
}

// The linker counts the 1024 bytes that the system keeps from capability 9.0 on; the command names the
// target.
static void linked_shared(void **state)
{
    (void)state;
    const struct triage_kernel *k = only_kernel("nvcc -arch=sm_90 -dlink a.o -o b.o\n"
                                                "nvlink info    : Function properties for 'k':\n"
                                                "nvlink info    : used 16 registers, used 1 barriers, 0 "
                                                "stack, 3072 bytes smem, 544 bytes cmem[0], 0 bytes lmem\n");
    assert_int_equal(k->cc, 90);
    assert_value(k, TRIAGE_shared_bytes, 2048);
}

static void resources(void **state)
{
    (void)state;
    static const char text[] =
        "arch = sm_90a\n"
        "Resource usage:\n Common:\n  GLOBAL:0\n"
        " Function _Z1kPf:\n"
        "  REG:14 STACK:8 SHARED:22272 LOCAL:16 CONSTANT[0]:552 TEXTURE:1 SURFACE:0 SAMPLER:0\n";
    assert_int_equal(triage_read_resources(&t, "x.txt", text, sizeof text - 1), 1);
    const struct triage_kernel *k = t.kernels.at[0];
    assert_string_equal(k->name, "_Z1kPf");
    assert_int_equal(k->cc, 90);
    assert_true(k->is_arch_specific);
    assert_value(k, TRIAGE_registers, 14);
    assert_value(k, TRIAGE_stack_bytes, 8);
    assert_value(k, TRIAGE_shared_bytes, 22272 - 1024);
    assert_value(k, TRIAGE_local_bytes, 16);
    assert_value(k, TRIAGE_constant_bytes, 552);
    assert_value(k, TRIAGE_textures, 1);
}

static void warnings(void **state)
{
    (void)state;
    const struct triage_kernel *k = only_kernel(
        "nvcc --maxrregcount=32 -Xptxas -v a.cu\n"
        "ptxas /tmp/a.ptx, line 12; warning : Value of threads per SM for entry k is out of range. "
        ".minnctapersm will be ignored\n"
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine "
        "register count at entry.\n"
        "ptxas warning : For profile sm_90 adjusting per thread register count of 16 to lower bound of 24\n"
        "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due "
        "to a function call "
        "in function 'k'\n"
        "ptxas info    : (C7517) warpgroup.wait is injected in around line 31 by compiler to allow use of registers defined by GMMA "
        "in function 'k'\n"
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Used 60 registers, used 0 barriers\n");
    static const enum triage_trap traps[] = {TRAP_MIN_BLOCKS_IGNORED, TRAP_SETMAXNREG_IGNORED,
                                             TRAP_MAXREG_RAISED, TRAP_WGMMA_SERIALIZED,
                                             TRAP_WGMMA_WAITS_ADDED, TRAP_MAXREG_OVERRIDDEN};
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++)
        if (!has_trap(k, traps[i]))
            fail_msg("%s is not recognised", triage_trap_info(traps[i])->name);
}

static void rows_that_differ_stay(void **state)
{
    (void)state;
    static const char one[] = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                              "ptxas info    : Used 24 registers, used 0 barriers\n";
    static const char other[] = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                                "ptxas info    : Used 32 registers, used 0 barriers\n";
    triage_read_log(&t, "a.log", one, sizeof one - 1);
    triage_read_log(&t, "b.log", other, sizeof other - 1);
    triage_read_log(&t, "c.log", one, sizeof one - 1);
    triage_finish(&t);
    assert_int_equal(t.kernels.n, 2);
}

static void device_query(void **state)
{
    (void)state;
    static const char text[] =
        "Detected 1 CUDA Capable device(s)\n\n"
        "Device 0: \"NVIDIA H100 PCIe\"\n"
        "  CUDA Driver Version / Runtime Version          12.2 / 12.2\n"
        "  CUDA Capability Major/Minor version number:    9.0\n"
        "  Total amount of global memory:                 81090 MBytes (85028765696 bytes)\n"
        "  (114) Multiprocessors, (128) CUDA Cores/MP:    14592 CUDA Cores\n"
        "  GPU Max Clock rate:                            1755 MHz (1.75 GHz)\n"
        "  L2 Cache Size:                                 52428800 bytes\n"
        "  Total amount of shared memory per block:       49152 bytes\n"
        "  Total shared memory per multiprocessor:        233472 bytes\n"
        "  Total number of registers available per block: 65536\n"
        "  Maximum number of threads per multiprocessor:  2048\n";
    assert_int_equal(triage_read_device_text(&t, "q.txt", text, sizeof text - 1), 1);
    const struct triage_device *d = &t.devices.at[0];
    assert_string_equal(d->name, "NVIDIA H100 PCIe");
    assert_int_equal(d->cc, 90);
    assert_true(d->n_sms == 114 && d->sm_clock_mhz == 1755 && d->memory_bytes == 85028765696.0);
    assert_true(d->l2_bytes == 52428800 && d->max_threads_per_sm == 2048 && d->registers_per_block == 65536);
}

static void nvidia_smi(void **state)
{
    (void)state;
    static const char text[] = "name, compute_cap, memory.total [MiB], clocks.max.sm [MHz]\n"
                               "NVIDIA H200, 9.0, 143771 MiB, 1980 MHz\n"
                               "Tesla T4, 7.5, 15360 MiB, 1590 MHz\n"
                               "not, a row\n";
    assert_int_equal(triage_read_device_text(&t, "smi.csv", text, sizeof text - 1), 2);
    assert_string_equal(t.devices.at[1].name, "Tesla T4");
    assert_int_equal(t.devices.at[1].cc, 75);
    assert_true(t.devices.at[0].sm_clock_mhz == 1980 && t.devices.at[0].memory_bytes == 143771.0 * 1048576);
}

// The caps that ptxas itself keeps to (measured with 13.0: 288 and 384 threads 168, 512 threads 128).
static void register_caps(void **state)
{
    (void)state;
    struct device d;
    struct err err = {0};
    assert_true(device_load(&arena, "h200", &d, &err));
    assert_int_equal(triage_register_cap(&d, 288), 168);
    assert_int_equal(triage_register_cap(&d, 384), 168);
    assert_int_equal(triage_register_cap(&d, 512), 128);
    assert_int_equal(triage_register_cap(&d, 1024), 64);
    assert_int_equal(triage_register_cap(&d, 128), 255);
}

static struct triage_verdict verdict_of(const char *numbers, uint32_t block)
{
    static struct device d;
    struct err err = {0};
    const char *log =
        arena_printf(&arena, "ptxas info : Compiling entry function 'k' for 'sm_90'\n%s", numbers);
    assert_true(device_load(&arena, "h200", &d, &err));
    triage_read_log(&t, "x.log", log, strlen(log));
    return triage_judge(&t, t.kernels.at[t.kernels.n - 1], &d, block);
}

static void verdicts(void **state)
{
    (void)state;
    assert_int_equal(verdict_of("ptxas info : Used 32 registers, used 1 barriers\n", 0).grade, GRADE_CLEAN);
    assert_int_equal(verdict_of("ptxas info : Used 40 registers, used 1 barriers\n", 0).grade, GRADE_NOTE);
    assert_int_equal(verdict_of("ptxas info : Used 168 registers, used 1 barriers\n", 0).grade, GRADE_SLOW);
    assert_int_equal(verdict_of("ptxas info : Used 255 registers, used 1 barriers\n", 512).grade,
                     GRADE_BROKEN);
    assert_int_equal(
        verdict_of("ptxas info : Used 32 registers, used 1 barriers, 65536 bytes smem\n", 0).grade,
        GRADE_BROKEN);
    struct triage_verdict v =
        verdict_of("ptxas info : Function properties for k\n"
                   "  912 bytes stack frame, 1708 bytes spill stores, 1708 bytes spill loads\n"
                   "ptxas info : Used 32 registers, used 0 barriers\n",
                   0);
    assert_int_equal(v.grade, GRADE_SPILLS);
    assert_true(has_trap(v.kernel, TRAP_CAP_ABANDONED));
    v = verdict_of("ptxas info : Used 40 registers\n", 0);
    assert_value(v.kernel, TRIAGE_warps, 48);
    assert_value(v.kernel, TRIAGE_occupancy, 0.75);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {CASE(cuda_13),
                                       CASE(cuda_9),
                                       CASE(cuda_11),
                                       CASE(other_shapes),
                                       CASE(without_entry_line),
                                       CASE(negative_spills),
                                       CASE(linked),
                                       CASE(unlinked),
                                       CASE(linked_for_targets),
                                       CASE(driver_linker),
                                       CASE(broken_lines),
                                       CASE(numbers_in_warnings),
                                       CASE(warnings_alone),
                                       CASE(linked_shared),
                                       CASE(resources),
                                       CASE(warnings),
                                       CASE(rows_that_differ_stay),
                                       CASE(device_query),
                                       CASE(nvidia_smi),
                                       CASE(register_caps),
                                       CASE(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
