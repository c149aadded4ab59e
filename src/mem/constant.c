// Constant cache: every distinct word of an access is a request.
#include "mem/constant.h"
#include "mem/lanes.h"
#include <string.h>

// Ways of a set; the model's choice, nothing is published: 2 KiB in lines of 64 bytes are four sets of eight.
enum { CONSTANT_WAYS = 8, CONSTANT_WORD_BYTES = 4 };

void constant_init(struct constant *constant, const struct device *device, uint32_t ticks_per_cycle)
{
    double near_cycles = device->constant_l15_latency_cycles - device->constant_latency_cycles;
    constant->line_bytes = (uint32_t)device->constant_line_bytes;
    constant->near_ticks = near_cycles > 0 ? (uint32_t)(near_cycles * ticks_per_cycle) : 0;
    constant->far_ticks = constant->near_ticks + (uint32_t)(device->l2_latency_cycles * ticks_per_cycle);
    cache_init(&constant->cache, "constant cache",
               (uint32_t)(device->constant_l1_bytes / device->constant_line_bytes), CONSTANT_WAYS);
}

void constant_release(struct constant *constant)
{
    cache_release(&constant->cache);
}

void constant_clear(struct constant *constant)
{
    cache_clear(&constant->cache);
    memset(constant->touched, 0, sizeof constant->touched);
}

// Does the next level have the block of this address? From now on it has.
static bool was_touched(struct constant *constant, uint64_t address)
{
    uint64_t block = address / CONSTANT_BLOCK_BYTES % CONSTANT_BLOCKS, bit = 1ull << block % 64;
    bool was = constant->touched[block / 64] & bit;
    constant->touched[block / 64] |= bit;
    return was;
}

// The time a line is ready stands in its user's word, its upper bits left off.
static uint32_t constant_miss(struct constant *constant, uint64_t address, uint64_t now, uint64_t *ready)
{
    struct cache_evicted evicted;
    uint32_t line = (uint32_t)(address / constant->line_bytes);
    uint16_t *flags = cache_find(&constant->cache, line);
    if (flags) {
        cache_touch(&constant->cache, flags);
        int32_t left = (int32_t)(*cache_user_of(&constant->cache, flags) - (uint32_t)now);
        if (!(*flags & CACHE_VALID) || left <= 0) {
            *flags &= (uint16_t)~CACHE_VALID;
            return 0;
        }
        *ready = now + (uint32_t)left > *ready ? now + (uint32_t)left : *ready;
        return 1;
    }
    flags = cache_take(&constant->cache, line, &evicted);
    uint32_t wait = was_touched(constant, address) ? constant->near_ticks : constant->far_ticks;
    *flags |= CACHE_VALID; // here: on its way
    *cache_user_of(&constant->cache, flags) = (uint32_t)now + wait;
    *ready = now + wait > *ready ? now + wait : *ready;
    return 1;
}

// Later lanes that want the word of lane `t`, lane `t` included.
static lanemask lanes_on_word(const struct access *access, lanemask left, unsigned t)
{
    uint64_t unit = access->width > CONSTANT_WORD_BYTES ? access->width : CONSTANT_WORD_BYTES;
    lanemask same = 0;
    for (lanemask l = left; l; l &= l - 1) {
        unsigned u = lanes_first(l);
        same |= (lanemask)(access->addr[u] / unit == access->addr[t] / unit) << u;
    }
    return same;
}

uint32_t constant_access(struct constant *constant, const struct access *access, uint64_t now_ticks,
                         uint64_t *ready_ticks)
{
    uint32_t misses = 0;
    *ready_ticks = 0;
    if (lanes_all(access->mask) && lanes_step(access->addr, 0))
        return constant_miss(constant, access->addr[0], now_ticks, ready_ticks);
    for (lanemask left = access->mask; left;) {
        unsigned t = lanes_first(left);
        misses += constant_miss(constant, access->addr[t], now_ticks, ready_ticks);
        left &= ~lanes_on_word(access, left, t);
    }
    return misses;
}
