// What lies around of a CUDA program before anyone runs it, read into one table of kernels: logs of ptxas and
// nvlink, cubins and what contains them, texts that describe a device.
//
//     struct triage t;
//     triage_init(&t, &arena);
//     if (!triage_read(&t, "build.log", bytes, n, &err)) ...      // once a file; adds kernels, notes,
//     devices triage_finish(&t);                                          // rows of one kernel become one
//     triage_judge(&t, &device_of_kernel, block)                  // judge.h: what follows, and the order
//
// Everything lives in the arena. Nothing is trusted: a line or record that cannot be is passed over, a file
// in which nothing is found is an error.
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum triage_value {
#define VALUE(id, unit, text) TRIAGE_##id,
#include "triage/triage_value.def"
#undef VALUE
    N_TRIAGE_VALUES
};

enum triage_trap {
#define TRAP(id, name, severity, text) TRAP_##id,
#include "triage/triage_trap.def"
#undef TRAP
    N_TRIAGE_TRAPS
};

struct triage_value_info {
    const char *name, *unit, *text;
};
const struct triage_value_info *triage_value_info(enum triage_value value);

struct triage_trap_info {
    const char *name, *text;
    int severity;
};
const struct triage_trap_info *triage_trap_info(enum triage_trap trap);

// Where a kernel's numbers come from. Those of a later one win: a linker knows more than the assembler.
enum triage_source {
    TRIAGE_FROM_PTX,
    TRIAGE_FROM_PTXAS,
    TRIAGE_FROM_NVLINK,
    TRIAGE_FROM_CUOBJDUMP,
    TRIAGE_FROM_CUBIN,
    N_TRIAGE_SOURCES
};
const char *triage_source_name(enum triage_source source); // "ptxas", "nvlink", "cubin" …

struct triage_mix; // mix.h: accesses by line

struct triage_kernel {
    const char *name;      // mangled, as it stood there; "" unknown
    unsigned cc;           // sm_90: 90; 0 unknown
    bool is_arch_specific; // sm_90a
    bool is_function;      // a device function that was not inlined
    bool is_relocatable;
    bool registers_are_estimated;
    unsigned sources;                    // bit of each enum triage_source
    const char *files[N_TRIAGE_SOURCES]; // by source: "build.log:12"; NULL
    double values[N_TRIAGE_VALUES];      // NAN: not known
    uint32_t traps;                      // bit of each enum triage_trap
    const struct triage_mix *mix;        // NULL without machine code
};

// A device that a text describes. Members that the text does not name are 0.
struct triage_device {
    const char *name; // "NVIDIA H200"
    const char *file;
    unsigned cc;
    double n_sms, sm_clock_mhz, memory_bytes, l2_bytes, shared_per_block_bytes, shared_per_sm_bytes,
        max_threads_per_sm, registers_per_block;
};

struct triage {
    struct arena *arena;
    VEC(struct triage_kernel *) kernels;
    VEC(struct triage_device) devices;
    uint32_t n_files;
};

void triage_init(struct triage *t, struct arena *arena);
void triage_release(struct triage *t);

// A file of any kind that this folder knows, told by its bytes. PTX text is not (`is_ptx` is set, true is
// returned): whoever can parse it adds its kernels by triage_add.
bool triage_read(struct triage *t, const char *path, const void *bytes, size_t n, bool *is_ptx,
                 struct err *err);
// The parts of it.
uint32_t triage_read_log(struct triage *t, const char *path, const char *text, size_t n); // kernels found
uint32_t triage_read_resources(struct triage *t, const char *path, const char *text,
                               size_t n); // likewise
uint32_t triage_read_device_text(struct triage *t, const char *path, const char *text,
                                 size_t n); // devices found
bool triage_read_images(struct triage *t, const char *path, const void *bytes, size_t n, struct err *err);

// Static shared memory without what the system keeps for itself: from capability 9.0 on machine code counts
// that (linked cubins, not relocatable ones), ptxas -v does not.
double triage_own_shared(unsigned cc, double bytes);

// A new row, all values unknown; the caller fills it. `name` is copied.
struct triage_kernel *triage_add(struct triage *t, enum triage_source source, const char *file,
                                 const char *name, size_t n, unsigned cc);
static inline bool triage_has(const struct triage_kernel *k, enum triage_value value)
{
    return isfinite(k->values[value]);
}
// The value, or 0.
static inline double triage_number(const struct triage_kernel *k, enum triage_value value)
{
    return triage_has(k, value) ? k->values[value] : 0;
}
void triage_trap(struct triage_kernel *k, enum triage_trap trap);

// Rows of the same kernel, target and origin become one, unless their numbers differ; functions leave the
// table.
void triage_finish(struct triage *t);
#endif
