// Sites: the instructions of one kind on one source line, with their counters summed. Findings speak of
// sites, so that an unrolled loop is one place, not as many as it has copies.
//
//     size_t n;
//     const struct site *sites = launch_sites(&arena, launch, &n);
//     sites[0].counters.shared_wavefronts, launch_place(&arena, launch, sites[0].insn)
#ifndef PROF_SITE_H
#define PROF_SITE_H
#include "base/arena.h"
#include "prof/profile.h"
#include <stddef.h>

struct site {
    uint32_t line;               // index into launch->lines; 0 = unknown, then the site is one instruction
    uint8_t class, access_bytes; // alike in all its instructions
    uint32_t insn;               // the one with the highest cost, else the first
    uint32_t n_insns;
    struct counters counters;
};

// Memory instructions that ran, in program order of the first of each site.
struct site *launch_sites(struct arena *arena, const struct profile_launch *launch, size_t *n);

// Loads (or stores) of one thread that lie side by side: same width, same base register, consecutive offsets
// beginning at a multiple of what they make together, run equally often. As many as a vector access of at
// most 16 bytes would take, or a multiple of that.
struct vector_run {
    uint32_t insn; // the first of them
    uint32_t n_insns, n_vectors, vector_bytes;
    bool is_structure; // lanes share 128-byte lines: the structures that the lanes read are shorter than a
                       // line
    uint64_t requests;
    uint64_t sectors, ideal; // summed
    uint64_t vector_sectors; // of the vector accesses: a vector lies in one sector, so each moves what one
                             // member moves
};

// Of global loads and stores, PTX only. Runs that ptxas joins by itself (merge.h) are left out.
// run_of[insn] is the index of its run + 1, or 0.
struct vector_run *launch_vector_runs(struct arena *arena, const struct profile_launch *launch, size_t *n,
                                      uint32_t **run_of);
#endif
