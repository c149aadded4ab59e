// Cases for a comparison with a GPU: kernels made of instruction variants, the same text for the GPU and for the engine.
//
// A kernel loads the operands of its thread, then each variant computes 1 to 8 results from them. Operands depend on
// the shape's `seed` alone, half of them are edge values. A variant is known by its key
// ("add.rn.f32|d, a, b"). Buffer of a kernel, 64 bits an element: inputs[n_inputs][samples], results[n][samples],
// then the scratch bytes of each thread.
//
//     struct diff_set set = {.keys = …};
//     diff_set_init(&set);
//     diff_add_plain(&set); …
//     diff_set_finish(&set, 2400);
//     for (i < set.n) diff_kernel_text(&set.kernels[i], "k", &buf);
#ifndef SUPPORT_DIFF_H
#define SUPPORT_DIFF_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "ptx/ast.h"
#include <stdbool.h>

enum { DIFF_MAX_INPUTS = 6, DIFF_MAX_RESULTS = 8, DIFF_MAX_VARIANTS = 48 };

struct diff_variant {
    const char *key, *text;
    uint32_t first_result, n_results;
    uint8_t digits[DIFF_MAX_RESULTS]; // hexadecimal digits of each result
};

// What the variants of a kernel share. Strings are borrowed until diff_add returns.
struct diff_shape {
    const char *family; // base opcode: "add"
    const char *seed;   // of the operands
    const char *module; // text before the kernel, such as variables; may be NULL. `$K` stands for the kernel's name
    const char *directives; // of the kernel: ".maxntid 256" …; may be NULL
    const char *setup;  // text at its begin
    enum ptx_type inputs[DIFF_MAX_INPUTS];
    uint32_t n_inputs, block, scratch_bytes; // block: threads, 0 = all in one
};

struct diff_kernel {
    struct diff_shape shape;
    struct diff_variant variants[DIFF_MAX_VARIANTS];
    uint32_t n_variants, n_results, samples;
};

struct diff_set {
    // Keys that are made (`only` is set) or left out. A value is the number of samples, as a pointer; NULL: to be chosen.
    struct map keys;
    bool only;
    struct map made; // each key is made once
    struct arena arena;
    struct diff_kernel *kernels;
    uint32_t n, capacity, n_variants;
};

void diff_set_init(struct diff_set *set);
void diff_set_release(struct diff_set *set);
// `widths`: of each result in hexadecimal digits, blank-separated.
void diff_add(struct diff_set *set, const struct diff_shape *shape, const char *key, const char *widths,
              const char *text);
// Chooses the number of samples: at least 32 a variant, `per_family` in all variants of a family together.
void diff_set_finish(struct diff_set *set, uint32_t per_family);

void diff_kernel_text(const struct diff_kernel *kernel, const char *name, struct buf *out);
void diff_kernel_inputs(const struct diff_kernel *kernel, uint64_t *out); // inputs[n_inputs][samples]
uint32_t diff_kernel_block(const struct diff_kernel *kernel);             // threads of a block
uint64_t diff_kernel_bytes(const struct diff_kernel *kernel);             // of its buffer

// The families.
void diff_add_plain(struct diff_set *set);  // every row of the tables of op_harness.h with every combination of suffixes
void diff_add_memory(struct diff_set *set); // ld, st, atom, red
void diff_add_warp(struct diff_set *set);   // shfl, vote, match, redux, bar.red, mbarrier
void diff_add_control(struct diff_set *set); // branches, calls, parameters, constants, addresses, fences, hints
void diff_add_video(struct diff_set *set);   // parts of video operands, masks, vmad
#endif
