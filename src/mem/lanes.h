// Questions about the 32 addresses of an access that the counting functions share. The loops are branch-free
// so that the compiler turns them into vector code.
#ifndef MEM_LANES_H
#define MEM_LANES_H
#include "mem/access.h"

enum { ALL_LANES = -1 };

static inline bool lanes_all(lanemask mask)
{
    return mask == (lanemask)ALL_LANES;
}

static inline uint32_t lanes_count(lanemask mask)
{
    return lanes_all(mask) ? N_LANES : (uint32_t)__builtin_popcount(mask);
}

static inline unsigned lanes_first(lanemask mask)
{
    return (unsigned)__builtin_ctz(mask);
}

// Is addr[t] = addr[0] + t * step for all 32 lanes (modulo 2^64)?
static inline bool lanes_step(const uint64_t addr[N_LANES], uint64_t step)
{
    uint64_t differs = 0;
    if (addr[N_LANES - 1] - addr[0] != (N_LANES - 1) * step)
        return false;
    for (unsigned t = 1; t < N_LANES; t++)
        differs |= (addr[t] - addr[t - 1]) ^ step;
    return differs == 0;
}
#endif
