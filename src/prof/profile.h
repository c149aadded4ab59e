// The frozen result of a run and its file. `run` and `launch` write it, `report`, `diff` and `annotate` read
// it; the two meet nowhere else. One record per launch, appended by one write(2) when the launch ends, so a
// kill loses at most one; what belongs to a kernel is written once.
//
//     struct profile_writer *w = profile_create("x.wgp", &environment, device_text, &err);
//     profile_append(w, &launch_record, &err);
//     profile_close(w, &err);
//     struct profile *p = profile_read(&arena, "x.wgp", &err);
//
// Several processes may append to one file, and one of them may launch a kernel very often:
//
//     struct profile_writer *w = profile_open_append("x.wgp", &err);
//     profile_add_kernel(w, &kernel_part, &id, &err);                   // once: kernel_part has no counters
//     profile_add_launch(w, id, &numbers, counters, n_insns, &err);     // each time, about a microsecond
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

// Two instructions that raced in shared memory, as seen in the first blocks: n accesses of `later` met what
// another thread had touched by `earlier`.
enum race_kind { RACE_NONE, RACE_READ_AFTER_WRITE, RACE_WRITE_AFTER_READ, RACE_WRITE_AFTER_WRITE, N_RACE_KINDS };
enum { MAX_PROFILE_RACES = 4 };
struct profile_race {
    uint32_t earlier, later; // indices of instructions
    uint32_t kind;           // enum race_kind; RACE_NONE: this one and those behind it are empty
    bool within_warp;
    uint64_t n;
};

// One kernel launch. Launches of one kernel share its texts, files and lines, and those that counted the same
// their instructions too.
struct profile_launch {
    uint64_t id;              // launch order in its process, from 0
    uint32_t process_id;      // 0: that of the environment
    const char *process_name; // "": that of the environment
    const char *kernel;       // mangled
    const char *demangled;    // as ncu prints it: name(args); extern "C" plain
    const char *isa;          // "ptx" or "sass"
    const char *why_ptx;      // why it is not machine code; "" = nothing to say
    const char *module;       // file it came from
    uint32_t grid[3], block[3], cluster;
    uint32_t context, stream;
    uint32_t registers, static_shared_bytes, dynamic_shared_bytes, local_bytes, n_barriers;
    uint32_t stack_bytes; // of a thread in the machine code; 0: none, or not known. local_bytes: of the code that ran
    bool has_calls;
    bool registers_are_estimated;
    bool joins_shared; // shared accesses were counted as ptxas joins them, or shared atomics as it combines them
    bool combines_atomics; // global atomics of a warp were counted as one lane's
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
    uint64_t barrier_sectors;    // between L2 partitions, of the memory barriers at the kernel's end
    struct profile_race races[MAX_PROFILE_RACES]; // the most frequent first
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
    bool is_truncated;       // a record was cut off (its writer was killed) and is left out
};

struct profile_writer;
struct profile_writer *profile_create(const char *path, const struct profile_environment *environment,
                                      const char *device_text, struct err *err);
// For writing behind what is there: a file whose head profile_create has written, by this or another process.
// Launches that name no process get the number and name of this one.
struct profile_writer *profile_open_append(const char *path, struct err *err);

// Writes what the launches of a kernel have in common (KERNEL rows of profile_fields.def, files, lines,
// instructions without their counters), unless this writer has done so; `id` is what its launches refer to.
bool profile_add_kernel(struct profile_writer *writer, const struct profile_launch *kernel, uint64_t *id,
                        struct err *err);
// Writes one launch of it: the LAUNCH rows, and what is not 0 of counters[n_insns]. Other members of `launch`
// are not looked at.
bool profile_add_launch(struct profile_writer *writer, uint64_t kernel_id,
                        const struct profile_launch *launch, const struct counters *counters,
                        uint32_t n_insns, struct err *err);
// Both, from a complete launch.
bool profile_append(struct profile_writer *writer, const struct profile_launch *launch, struct err *err);
// From now on records gather in the ring (prof/profile_ring.h), which is borrowed and must outlive the writer.
struct profile_ring;
void profile_use_ring(struct profile_writer *writer, struct profile_ring *ring);
bool profile_flush(struct profile_writer *writer, struct err *err); // what the ring holds goes to the file
bool profile_close(struct profile_writer *writer, struct err *err); // flushes
struct profile *profile_read(struct arena *arena, const char *path, struct err *err);
// The same from bytes in memory; nothing points into them afterwards.
struct profile *profile_parse(struct arena *arena, const char *path, const void *bytes, size_t n,
                              struct err *err);

// What a launch record says of the kernel: names, needs, lines, instructions; their counters are 0. Borrows
// the kernel's texts; the rest of `out` is the caller's.
void profile_describe_kernel(struct arena *arena, const struct kernel *kernel, struct profile_launch *out);
// How many of the instructions that ran are exact, how many not.
void profile_count_fidelity(const struct kernel *kernel, const struct counters *counters,
                            struct profile_launch *out);
// Both, with the counters (kernel->n_insns of them).
void profile_launch_from_kernel(struct arena *arena, const struct kernel *kernel,
                                const struct counters *counters, struct profile_launch *out);

void launch_totals(const struct profile_launch *launch, struct counters *out);
#endif
