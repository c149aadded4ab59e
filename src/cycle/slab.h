// One large piece of host memory that is used again and again: the memory of resident blocks, launch after
// launch. On large host pages where the host has them, for registers of all SMs are tens of megabytes,
// touched all over.
//
//     struct slab slab = {0};
//     uint8_t *at = slab_need(&slab, bytes);  // contents of no matter; the previous piece is void if it was
//     too small slab_release(&slab);
#ifndef CYCLE_SLAB_H
#define CYCLE_SLAB_H
#include <stddef.h>
#include <stdint.h>

struct slab {
    uint8_t *at;
    size_t size_bytes;
};

uint8_t *slab_need(struct slab *slab, size_t size_bytes);
void slab_release(struct slab *slab);
#endif
