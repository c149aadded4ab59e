// Machine code for tests: kernels of a cubin, one block without caches; and single instructions on registers of the test's.
//
//     struct machine_module m;
//     machine_open(&m, bytes, n_bytes);
//     machine_launch(&m, "kernel", params, sizeof params, 64);   // fails the test on a fault
//     machine_close(&m);
//
//     struct machine_registers r = {…};
//     const char *why = machine_step(words, &r, on);             // NULL, or why it is not executed
#ifndef SUPPORT_RUN_MACHINE_H
#define SUPPORT_RUN_MACHINE_H
#include "sass/load.h"
#include "simt/step.h"

struct machine_module {
    struct arena arena;
    struct memory *memory;
    struct sass_image *image;
    uint8_t *constants;
};
void machine_open(struct machine_module *m, const void *bytes, size_t n_bytes);
const char *machine_launch(struct machine_module *m, const char *kernel, const void *params, uint32_t n_threads);
void machine_close(struct machine_module *m);

enum { MACHINE_REGISTERS = 20, MACHINE_UNIFORM = 20 };
struct machine_registers {
    uint32_t r[MACHINE_REGISTERS][ROW_LANES], ur[MACHINE_UNIFORM];
    uint32_t p[7], up[7]; // lane masks; uniform: 0 or 1
    unsigned form;        // out: what it was lowered to; of %prepared the form behind it
};
const char *machine_step(const uint64_t words[2], struct machine_registers *registers, uint32_t on);
#endif
