// The indexed constant cache of one SM: one request per distinct word of an access, looked up in lines of the
// device's constant line size. Read only, so nothing is written back; misses go to the next constant level,
// which is not modelled and not part of L2's counts.
//
//     struct constant c;
//     constant_init(&c, device);
//     misses += constant_access(&c, &access);
#ifndef MEM_CONSTANT_H
#define MEM_CONSTANT_H
#include "device/device.h"
#include "mem/access.h"
#include "mem/cache.h"

struct constant {
    struct cache cache;
    uint32_t line_bytes;
};

void constant_init(struct constant *constant, const struct device *device);
void constant_release(struct constant *constant);
void constant_clear(struct constant *constant);

// Requests that missed; the first word of a line brings the line, so later words of the same access find it.
uint32_t constant_access(struct constant *constant, const struct access *access);
#endif
