// Where the lanes of a block stand and what they wait for, in words: for launches that cannot go on, or take too long.
#ifndef SIMT_WAITS_H
#define SIMT_WAITS_H
#include "simt/warp.h"

// One line for each place where lanes of the block stand, each with a newline before it, added to `text` of `size` bytes:
//     3 warps, first warp 0 with lanes 0xffffffff: barrier 0, 96 of 128 threads have arrived; at instruction 7 (bar.sync 0) in a.cu:12
void block_add_waits(const struct launch *launch, const struct block *block, char *text, size_t size);

// The first of these places, for fault->insn, thread and block. False: no lane is left.
bool block_first_place(const struct launch *launch, const struct block *block, struct fault *fault);
#endif
