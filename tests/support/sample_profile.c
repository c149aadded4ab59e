// A made-up profile: see sample_profile.h.
#include "support/sample_profile.h"
#include "device/occupancy.h"
#include "isa/kernel.h"
#include "prof/demangle.h"

const char sample_device_text[] = "name = NVIDIA H200 @vendor\n"
                                  "cc = 90 @vendor\n"
                                  "shared.reserved = 1 KiB @vendor\n"
                                  "registers.unit = 256 @vendor\n"
                                  "dram.kind = HBM3e @vendor\n";

struct profile_environment sample_environment(void)
{
    return (struct profile_environment){"/tmp/demo/transpose", "1024", "testhost", "0.1",
                                        "--device h200",       4321,   1700000000};
}

static struct profile_launch h200_launch(uint64_t id, const char *mangled, const char *isa)
{
    return (struct profile_launch){.id = id,
                                   .kernel = mangled,
                                   .isa = isa,
                                   .module = "transpose.ptx",
                                   .grid = {32, 32, 1},
                                   .block = {32, 8, 1},
                                   .context = 1,
                                   .stream = 7,
                                   .registers = 22,
                                   .limit_blocks = 32,
                                   .limit_registers = 10,
                                   .limit_shared = 20,
                                   .limit_warps = 8,
                                   .limit_barriers = NO_LIMIT,
                                   .blocks_per_sm = 8,
                                   .warps_per_sm = 64,
                                   .registers_per_block = 6144,
                                   .shared_per_block_bytes = 5120,
                                   .shared_config_bytes = 102400,
                                   .l1_bytes = 159744,
                                   .occupancy = 1,
                                   .device = "h200",
                                   .n_sms = 132,
                                   .model = "counters",
                                   .cache_flushed = true,
                                   .wall_seconds = 0.25,
                                   .n_exact = 5};
}

static const char *const files[] = {"/src/transpose.cu"};
static const struct profile_line lines[] = {
    {0, 0, 0, -1}, {0, 20, 5, -1}, {0, 31, 9, -1}, {0, 31, 20, 1}, {0, 40, 1, -1}};

static void set_insns(struct profile_launch *launch, const struct profile_insn *insns, uint32_t n)
{
    launch->files = files;
    launch->n_files = 1;
    launch->lines = lines;
    launch->n_lines = sizeof lines / sizeof *lines;
    launch->insns = insns;
    launch->n_insns = n;
    for (uint32_t i = 0; i < n; i++)
        launch->warp_instructions += insns[i].counters.executed;
}

enum { REQUESTS = 32768, SECTORS = 4 * REQUESTS };

static const struct profile_insn copy_insns[] = {
    {"mov.u32 %r1, %tid.x;",
     1,
     UNIT_ALU,
     CLASS_NONE,
     FIDELITY_EXACT,
     0,
     {.executed = REQUESTS, .threads = 32 * REQUESTS, .threads_on = 32 * REQUESTS}},
    {"ld.global.f32 %f1, [%rd1];",
     1,
     UNIT_LSU,
     CLASS_GLOBAL_LD,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .global_requests = REQUESTS,
      .global_sectors = SECTORS,
      .global_ideal = SECTORS,
      .global_tags = REQUESTS,
      .global_bytes = 32 * SECTORS,
      .global_misses = SECTORS,
      .l2_read_requests = REQUESTS,
      .l2_read_sectors = SECTORS,
      .dram_read_sectors = SECTORS}},
    {"st.global.f32 [%rd2], %f1;",
     2,
     UNIT_LSU,
     CLASS_GLOBAL_ST,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .global_requests = REQUESTS,
      .global_sectors = SECTORS,
      .global_ideal = SECTORS,
      .global_tags = REQUESTS,
      .global_bytes = 32 * SECTORS,
      .global_misses = SECTORS,
      .l2_write_requests = REQUESTS,
      .l2_write_sectors = SECTORS,
      .l2_write_hits = SECTORS}}};

static const struct profile_insn tile_insns[] = {
    {"ld.global.f32 %f1, [%rd1];",
     1,
     UNIT_LSU,
     CLASS_GLOBAL_LD,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .global_requests = REQUESTS,
      .global_sectors = SECTORS,
      .global_ideal = SECTORS,
      .global_tags = REQUESTS,
      .global_bytes = 32 * SECTORS,
      .global_misses = SECTORS,
      .l2_read_requests = REQUESTS,
      .l2_read_sectors = SECTORS,
      .fabric_sectors = SECTORS / 2,
      .dram_read_sectors = SECTORS}},
    {"st.shared.f32 [%r5], %f1;",
     1,
     UNIT_LSU,
     CLASS_SHARED_ST,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .shared_requests = REQUESTS,
      .shared_wavefronts = REQUESTS,
      .shared_ideal = REQUESTS,
      .shared_bytes = 128 * REQUESTS}},
    {"bar.sync 0;",
     0,
     UNIT_CONTROL,
     CLASS_NONE,
     FIDELITY_EXACT,
     0,
     {.executed = 8192, .threads = 32 * 8192, .threads_on = 32 * 8192}},
    {"ld.shared.f32 %f2, [%r6];",
     2,
     UNIT_LSU,
     CLASS_SHARED_LD,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .shared_requests = REQUESTS,
      .shared_wavefronts = 32 * REQUESTS,
      .shared_ideal = REQUESTS,
      .shared_bytes = 128 * REQUESTS}},
    {"st.global.f32 [%rd2], %f2;",
     3,
     UNIT_LSU,
     CLASS_GLOBAL_ST,
     FIDELITY_EXACT,
     4,
     {.executed = REQUESTS,
      .threads = 32 * REQUESTS,
      .threads_on = 32 * REQUESTS,
      .global_requests = REQUESTS,
      .global_sectors = SECTORS,
      .global_ideal = SECTORS,
      .global_tags = REQUESTS,
      .global_bytes = 32 * SECTORS,
      .global_misses = SECTORS,
      .l2_write_requests = REQUESTS,
      .l2_write_sectors = SECTORS,
      .l2_write_hits = SECTORS}}};

static const struct profile_insn histogram_insns[] = {
    {"LDC R1, c[0x0][R2]",
     0,
     UNIT_LSU,
     CLASS_CONST_LD,
     FIDELITY_EXACT,
     4,
     {.executed = 100, .threads = 3200, .threads_on = 3200, .constant_requests = 150, .constant_misses = 30}},
    {"@P0 LDG.E.U8 R4, [R2.64]",
     4,
     UNIT_LSU,
     CLASS_GLOBAL_LD,
     FIDELITY_EXACT,
     1,
     {.executed = 1000,
      .threads = 32000,
      .threads_on = 16000,
      .global_requests = 500,
      .global_sectors = 500,
      .global_ideal = 500,
      .global_tags = 500,
      .global_bytes = 16000,
      .global_hits = 375,
      .global_misses = 125,
      .l2_read_requests = 125,
      .l2_read_sectors = 125,
      .l2_read_hits = 25,
      .dram_read_sectors = 200}},
    {"RED.E.ADD [R6.64], R4",
     4,
     UNIT_LSU,
     CLASS_GLOBAL_RED,
     FIDELITY_EXACT,
     4,
     {.executed = 500,
      .threads = 16000,
      .threads_on = 16000,
      .global_requests = 500,
      .global_sectors = 10000,
      .global_ideal = 2000,
      .global_tags = 4000,
      .global_bytes = 64000,
      .atomic_sectors = 11300,
      .l2_atomic_requests = 4000,
      .l2_atomic_sectors = 11300,
      .l2_atomic_hits = 11200,
      .dram_read_sectors = 64}},
    {"ATOM.E.ADD R8, [R6]",
     4,
     UNIT_LSU,
     CLASS_GENERIC_ATOM,
     FIDELITY_EXACT,
     4,
     {.executed = 40,
      .threads = 1280,
      .threads_on = 1280,
      .global_requests = 10,
      .global_sectors = 10,
      .global_ideal = 10,
      .global_tags = 10,
      .global_bytes = 40,
      .atomic_sectors = 320,
      .l2_atomic_requests = 10,
      .l2_atomic_sectors = 320,
      .l2_atomic_hits = 320,
      .shared_requests = 30,
      .shared_wavefronts = 960,
      .shared_ideal = 30,
      .shared_bytes = 3840}},
    {"STL [R1], R4",
     0,
     UNIT_LSU,
     CLASS_LOCAL_ST,
     FIDELITY_APPROXIMATE,
     4,
     {.executed = 64,
      .threads = 2048,
      .threads_on = 2048,
      .local_requests = 64,
      .local_sectors = 256,
      .local_misses = 256,
      .l2_write_requests = 64,
      .l2_write_sectors = 256,
      .l2_write_hits = 256,
      .dram_write_sectors = 8}}};

void sample_launches(struct arena *arena, struct profile_launch out[N_SAMPLE_LAUNCHES])
{
    out[0] = h200_launch(0, "_Z7tr_copyPKfPfi", "ptx");
    out[0].registers_are_estimated = true;
    out[0].shared_per_block_bytes = 1024;
    set_insns(&out[0], copy_insns, sizeof copy_insns / sizeof *copy_insns);
    out[1] = h200_launch(1, "_Z7tr_tileILi32EEvPKfPfi", "ptx");
    out[1].registers_are_estimated = true;
    out[1].static_shared_bytes = 4096;
    out[1].n_barriers = 1;
    set_insns(&out[1], tile_insns, sizeof tile_insns / sizeof *tile_insns);
    out[2] = h200_launch(2, "_Z9histogramPKhPj", "sass");
    out[2].module = "histogram.cubin";
    out[2].local_bytes = 64;
    out[2].n_exact = 4;
    out[2].n_approximate = 1;
    out[2].dram_write_sectors = 40;
    out[2].cycles = 12345;
    out[2].cluster = 2;
    out[2].process_id = 4330;
    out[2].process_name = "worker";
    out[2].fault =
        "========= Invalid __global__ read of size 1 bytes\n=========     at histogram in transpose.cu:40\n";
    set_insns(&out[2], histogram_insns, sizeof histogram_insns / sizeof *histogram_insns);
    for (int i = 0; i < N_SAMPLE_LAUNCHES; i++)
        out[i].demangled = demangle(arena, out[i].kernel, DEMANGLE_NVIDIA);
}
