// One warp of one block runs a PTX kernel without caches: for tests of lowering and of small programs.
//
//     struct run r;
//     run_text(&r, text);               // kernel `k(.param .u64 p)`: p = address of 32 values of 64 bits
//     assert_int_equal(r.fault.kind, FAULT_NONE);
//     use(r.result[lane]);
//     run_end(&r);
//
// A text that is not accepted fails the test.
#ifndef SUPPORT_RUN_WARP_H
#define SUPPORT_RUN_WARP_H
#include "ptx/load.h"
#include "simt/step.h"

struct run {
    struct arena arena;
    struct memory *memory;
    struct ptx_image *image;
    const struct kernel *kernel;
    uint64_t out;        // device address of the output
    uint64_t *result;    // host address of it: 32 values of 64 bits
    uint32_t n_executed; // counted warp instructions
    struct fault fault;
};

void run_load(struct run *run, const char *text);                  // parsed, variables placed and initialised
const struct kernel *run_lower(struct run *run, const char *text); // … and kernel `k` lowered
void run_text(struct run *run, const char *text);
// `params` is the parameter block; its first eight bytes are replaced by the address of the output.
void run_params(struct run *run, const char *text, void *params, size_t params_bytes);
void run_end(struct run *run);
#endif
