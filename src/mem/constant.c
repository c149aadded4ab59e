// Constant cache: every distinct word of an access is a request.
#include "mem/constant.h"
#include "mem/lanes.h"

// Ways of a set; the model's choice, nothing is published: 2 KiB in lines of 64 bytes are four sets of eight.
enum { CONSTANT_WAYS = 8, CONSTANT_WORD_BYTES = 4 };

void constant_init(struct constant *constant, const struct device *device)
{
    constant->line_bytes = (uint32_t)device->constant_line_bytes;
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
}

static uint32_t constant_miss(struct constant *constant, uint64_t address)
{
    struct cache_evicted evicted;
    uint32_t line = (uint32_t)(address / constant->line_bytes);
    uint16_t *flags = cache_find(&constant->cache, line);
    if (flags) {
        cache_touch(&constant->cache, flags);
        return 0;
    }
    cache_take(&constant->cache, line, &evicted);
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

uint32_t constant_access(struct constant *constant, const struct access *access)
{
    uint32_t misses = 0;
    if (lanes_all(access->mask) && lanes_step(access->addr, 0))
        return constant_miss(constant, access->addr[0]);
    for (lanemask left = access->mask; left;) {
        unsigned t = lanes_first(left);
        misses += constant_miss(constant, access->addr[t]);
        left &= ~lanes_on_word(access, left, t);
    }
    return misses;
}
