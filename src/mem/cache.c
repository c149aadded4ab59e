// Sectored cache: setting up, finding a victim, ageing. The look-up itself is in the header.
#include "mem/cache.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SET_ALIGN = 64,
    HUGE_PAGE_BYTES = 2 << 20,
    STAMP_BITS = 31
}; // stamps are compared as signed numbers: cheaper

typedef int32_t stamp_vector __attribute__((vector_size(16), aligned(16)));

void cache_init(struct cache *cache, const char *name, uint32_t n_lines, uint32_t n_ways)
{
    if (n_ways == 0 || n_lines == 0)
        BUG("cache %s of %u lines in sets of %u", name, n_lines, n_ways);
    if (n_ways > n_lines)
        n_ways = n_lines;
    uint32_t n_sets = n_lines / n_ways;
    n_ways = n_lines / n_sets;
    uint32_t padded = (n_ways + 3) & ~3u;
    uint32_t way_bits = 32 - (uint32_t)__builtin_clz(n_ways);
    *cache = (struct cache){.n_sets = n_sets,
                            .n_ways = n_ways,
                            .n_ways_padded = padded,
                            .set_words = CACHE_PLANES * padded,
                            .name = name,
                            .way_bits = way_bits,
                            .end_of_time = (1u << (STAMP_BITS - way_bits)) - 1,
                            .sets_inverse = UINT64_MAX / n_sets + (n_sets > 1)};
    size_t bytes = (size_t)n_sets * cache->set_words * sizeof(uint32_t);
    size_t align = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : SET_ALIGN;
    bytes = (bytes + align - 1) & ~(align - 1);
    cache->words = aligned_alloc(align, bytes);
    if (!cache->words)
        err_memory(name, bytes);
    if (align == HUGE_PAGE_BYTES)
        madvise(cache->words, bytes, MADV_HUGEPAGE); // a hint: look-ups are scattered
    cache_clear(cache);
}

void cache_release(struct cache *cache)
{
    free(cache->words);
    *cache = (struct cache){0};
}

void cache_clear(struct cache *cache)
{
    for (uint32_t s = 0; s < cache->n_sets; s++) {
        uint32_t *set = cache->words + (size_t)s * cache->set_words, padded = cache->n_ways_padded;
        memset(set, 0xff, padded * sizeof *set);
        memset(set + padded, 0, 3 * padded * sizeof *set);
        for (uint32_t w = 0; w < padded; w++)
            set[padded + w] = w < cache->n_ways ? w : INT32_MAX;
    }
    cache->now = 0;
}

// Free ways have time 0, so the least stamp is that of a free way or of the least recently used one; padding
// has the greatest.
static uint32_t oldest_way(const struct cache *cache, const uint32_t *stamps)
{
    stamp_vector least = *(const stamp_vector *)stamps;
    for (uint32_t i = 4; i < cache->n_ways_padded; i += 4) {
        stamp_vector next = *(const stamp_vector *)(stamps + i), is_less = least < next;
        least = (least & is_less) | (next & ~is_less);
    }
    int32_t low = least[0] < least[1] ? least[0] : least[1], high = least[2] < least[3] ? least[2] : least[3];
    return (uint32_t)(low < high ? low : high) & ((1u << cache->way_bits) - 1);
}

uint32_t *cache_take(struct cache *cache, uint32_t line, struct cache_evicted *evicted)
{
    uint32_t *set = cache_set(cache, line), padded = cache->n_ways_padded;
    uint32_t way = oldest_way(cache, set + padded);
    uint32_t *flags = set + 2 * padded + way;
    *evicted = (struct cache_evicted){set[way], *flags};
    set[way] = line;
    *flags = 0;
    *cache_user_of(cache, flags) = 0;
    cache_touch(cache, flags);
    return flags;
}

// Order is kept, but neighbours in time may become equal: the lower way then counts as the older one.
void cache_halve_stamps(struct cache *cache)
{
    uint32_t way_mask = (1u << cache->way_bits) - 1;
    for (uint32_t s = 0; s < cache->n_sets; s++) {
        uint32_t *stamps = cache->words + (size_t)s * cache->set_words + cache->n_ways_padded;
        for (uint32_t w = 0; w < cache->n_ways; w++)
            stamps[w] = ((stamps[w] >> cache->way_bits) + 1) / 2 << cache->way_bits | (stamps[w] & way_mask);
    }
    cache->now = (cache->now + 1) / 2;
}
