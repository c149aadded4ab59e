// What a cubin says about its kernels: registers, stack, barriers, shared memory, constants, parameters,
// launch bounds.
//
//     struct cubin cubin;
//     if (!cubin_read(&arena, "k.cubin", bytes, n, &cubin, &err)) ...
//     for (uint32_t i = 0; i < cubin.n_kernels; i++)
//         printf("%s: %u registers\n", cubin.kernels[i].name, cubin.kernels[i].registers);
//
// Names are borrowed from the input, the rest lives in the arena. Attributes that a cubin does not have are
// 0. Spilled bytes are nowhere in a cubin: only the stack frame is, which holds them. Layout: doc/formats.md,
// "Fatbins".
#ifndef IMAGE_CUBIN_H
#define IMAGE_CUBIN_H
#include "image/image.h"

struct cubin_param {
    uint32_t offset, size_bytes; // in the parameters
};

struct cubin_kernel {
    const char *name; // mangled
    uint32_t registers;
    uint32_t stack_bytes;    // frame of the kernel itself
    uint32_t call_bytes;     // least stack with what it calls; 0xffffffff = unknown (recursion, pointers)
    uint32_t local_bytes;    // .nv.local, seen in old cubins
    uint32_t n_barriers;     // named barriers: the highest number used, plus one
    uint32_t shared_bytes;   // static; from capability 9.0 on with the 1024 bytes that the system keeps
    uint32_t constant_bytes; // of bank 0: what the driver puts there, and the parameters behind it
    uint32_t param_offset, param_bytes;       // in bank 0
    uint32_t max_threads[3];                  // __launch_bounds__, .maxntid
    uint32_t required_threads[3], cluster[3]; // .reqntid, .reqnctapercluster
    uint32_t max_cluster_rank;
    uint32_t max_registers; // what the compiler was limited to, by bounds or options; 0 = nothing
    uint32_t code_bytes;
    uint32_t shared_spill_bytes; // shared memory of a block that holds spilled registers
    struct cubin_param *params;
    uint32_t n_params;
};

struct cubin {
    unsigned cc; // capability times ten
    struct cubin_kernel *kernels;
    uint32_t n_kernels;
    uint32_t constant_bytes; // of bank 3: __constant__ variables
    bool has_lines;          // -lineinfo or -G
};

bool cubin_read(struct arena *arena, const char *path, const void *bytes, size_t n, struct cubin *out,
                struct err *err);
#endif
