// The frozen result of a run and its file. `run` and `launch` write it, `report`, `diff` and `annotate` read
// it; the two meet nowhere else. One record per launch, appended when the launch ends, so a kill loses at
// most one.
//
//     struct profile_writer *w = profile_create("x.wgp", &environment, &err);
//     profile_append(w, &launch_record, &err);
//     profile_close(w, &err);
//     struct profile *p = profile_read(&arena, "x.wgp", &err);
#ifndef PROF_PROFILE_H
#define PROF_PROFILE_H
#include "base/arena.h"
#include "base/err.h"
#include "prof/counters.h"
#include <stdbool.h>
#include <stdint.h>

struct profile_insn {
    const char *text;     // the instruction as written or disassembled
    uint32_t line;        // index into lines
    uint8_t unit, class;  // enum unit, enum op_class
    uint8_t fidelity;     // enum fidelity
    uint8_t access_bytes; // bytes per lane of a memory instruction, else 0
    struct counters counters;
};

struct profile_line {
    uint32_t file, line, column;
    int32_t inlined_at;
};

struct kernel;

// One kernel launch.
struct profile_launch {
    uint64_t id;           // launch order, from 0
    const char *kernel;    // mangled
    const char *demangled; // as ncu prints it: name(args); extern "C" plain
    const char *isa;       // "ptx" or "sass"
    const char *module;    // file it came from
    uint32_t grid[3], block[3], cluster;
    uint32_t context, stream;
    uint32_t registers, static_shared_bytes, dynamic_shared_bytes, local_bytes, n_barriers;
    bool registers_are_estimated;
    // occupancy (device/occupancy.h), as numbers
    uint32_t limit_blocks, limit_registers, limit_shared, limit_warps, limit_barriers, blocks_per_sm,
        warps_per_sm;
    uint32_t registers_per_block, shared_per_block_bytes;
    uint64_t shared_config_bytes, l1_bytes;
    double occupancy;
    const char *device; // id
    uint32_t n_sms;
    const char *model; // "off", "counters", "cycles"
    bool cache_flushed;
    uint64_t warp_instructions;
    uint64_t cycles;             // modelled; 0 where time is not modelled
    uint64_t dram_write_sectors; // written back by eviction, on behalf of nobody in particular
    // environment: varies from run to run
    double wall_seconds;
    uint32_t n_exact, n_approximate, n_unsupported; // instructions (of the text) that ran, by fidelity
    const char *fault; // text of a guest fault that ended the launch, NULL otherwise
    const char *const *files;
    uint32_t n_files;
    const struct profile_line *lines;
    uint32_t n_lines;
    const struct profile_insn *insns;
    uint32_t n_insns;
};

struct profile_environment {
    const char *program, *arguments, *host, *version, *device_reason;
    uint32_t process_id;
    uint64_t start_unix_seconds;
};

struct profile {
    const char *path;
    struct profile_environment environment;
    struct profile_launch *launches;
    uint32_t n_launches;
    const char *device_text; // the device's resolved values as "key = value unit @tag" lines
    bool is_truncated;       // the last record was cut off
};

struct profile_writer;
struct profile_writer *profile_create(const char *path, const struct profile_environment *environment,
                                      const char *device_text, struct err *err);
bool profile_append(struct profile_writer *writer, const struct profile_launch *launch, struct err *err);
bool profile_close(struct profile_writer *writer, struct err *err);
struct profile *profile_read(struct arena *arena, const char *path, struct err *err);
// The same from bytes in memory; nothing points into them afterwards.
struct profile *profile_parse(struct arena *arena, const char *path, const void *bytes, size_t n,
                              struct err *err);

// What a launch record says of the kernel: names, needs, lines, instructions with their counters
// (kernel->n_insns of them), the fidelity counts. Borrows the kernel's texts; the rest of `out` is the
// caller's.
void profile_launch_from_kernel(struct arena *arena, const struct kernel *kernel,
                                const struct counters *counters, struct profile_launch *out);

void launch_totals(const struct profile_launch *launch, struct counters *out);
#endif
