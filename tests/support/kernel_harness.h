// Whole kernels in tests: PTX text is parsed, lowered and run by the engine alone, all blocks resident, warps
// in turn; queued strong operations take effect after each round. The kernel has one parameter, the address
// of a buffer.
//
//     struct kernel_run r = {.text = "…", .threads = {64, 1, 1}, .blocks = 2, .bytes = 4096};
//     kernel_run(&r);                 // fails the test when the text cannot be lowered or the run does not
//     end … r.buffer … kernel_run_end(&r);
#ifndef SUPPORT_KERNEL_HARNESS_H
#define SUPPORT_KERNEL_HARNESS_H
#include "simt/step.h"

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

// Head of a kernel: %rd1 = buffer, %r1 = thread, %r2 = lane, %rd2 = address of the thread's own 4 bytes in
// the buffer.
#define PTX_KERNEL                                                                                        \
    PTX_HEAD ".visible .entry k(.param .u64 buffer)\n{\n.reg .b16 %h<10>;\n.reg .b32 %r<60>;\n.reg .b64 " \
             "%rd<40>;\n"                                                                                 \
             ".reg .f32 %f<20>;\n.reg .f64 %d<20>;\n.reg .pred %p<20>;\n"                                 \
             "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\n"                \
             "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n"

struct kernel_run {
    const char *text;    // the module; its entry is "k"
    uint32_t threads[3]; // of a block; 0 = 1
    uint32_t blocks;     // 0 = 1
    uint32_t cluster;    // blocks of a cluster, side by side; 0: no clusters
    uint32_t bytes;      // of the buffer
    uint32_t dynamic_shared_bytes;
    void (*fill)(void *buffer); // initial bytes, may be NULL: zero
    struct console *console;    // of the launch, may be NULL; likewise the heap
    struct heap *heap;
    // results
    void *buffer;
    uint64_t address; // of the buffer
    struct fault fault;
    uint32_t n_executed; // counted warp instructions
    uint32_t n_lanes;    // their lanes, summed
    uint32_t n_accesses;
    // private
    struct arena arena;
    struct memory *memory;
    uint64_t freed; // address of an allocation that was freed
};

// The head of a kernel, then `body` with `$X` replaced by the value of X, then the end: names are one letter.
//     kernel_text(text, sizeof text, "ld.global.$T $R, [%rd2];\n", 'T', "u32", 'R', "%r4", 0);
void kernel_text(char *out, size_t size, const char *body, ...);

void kernel_run(struct kernel_run *r);
void kernel_run_end(struct kernel_run *r);
#endif
