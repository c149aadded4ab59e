// The indexed constant cache of one SM: one request per distinct word of an access, looked up in lines of the
// device's constant line size. Read only, so nothing is written back; misses go to the next constant level,
// which is not part of L2's counts.
//
// A line on its way is a miss for everybody who asks before it is there (measured: idc__requests_lookup_miss_tag_hit of
// tests/hardware/constant_pending.cu). It takes the next level's latency, or that of L2 as well the first time that one
// of the 256 bytes round it is read in a launch.
//
//     struct constant c;
//     constant_init(&c, device);
//     misses += constant_access(&c, &access, now_ticks, &ready_ticks);
#ifndef MEM_CONSTANT_H
#define MEM_CONSTANT_H
#include "device/device.h"
#include "mem/access.h"
#include "mem/cache.h"

enum { CONSTANT_BLOCK_BYTES = 256, CONSTANT_BLOCKS = 512 }; // of the banks together: more than 64 KiB share

struct constant {
    struct cache cache;
    uint32_t line_bytes;
    uint32_t near_ticks, far_ticks; // how long a miss takes: from the next level, from L2
    uint64_t touched[CONSTANT_BLOCKS / 64]; // blocks of 256 bytes that the next level has
};

void constant_init(struct constant *constant, const struct device *device, uint32_t ticks_per_cycle);
void constant_release(struct constant *constant);
void constant_clear(struct constant *constant);

// Requests that missed. ready_ticks: when the last of the lines asked for is there; 0 if all are.
uint32_t constant_access(struct constant *constant, const struct access *access, uint64_t now_ticks,
                         uint64_t *ready_ticks);
#endif
