// Sectored cache: setting up, finding a victim, ageing. The look-up itself is in the header.
#include "mem/cache.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>

enum { SET_ALIGN = 64 };

void cache_init(struct cache *cache, const char *name, uint32_t n_lines, uint32_t n_ways)
{
    if (n_ways == 0 || n_lines == 0)
        BUG("cache %s of %u lines in sets of %u", name, n_lines, n_ways);
    if (n_ways > n_lines)
        n_ways = n_lines;
    uint32_t n_sets = n_lines / n_ways;
    n_ways = n_lines / n_sets;
    uint32_t padded = (n_ways + 3) & ~3u;
    *cache = (struct cache){.n_sets = n_sets, .n_ways = n_ways, .n_ways_padded = padded,
                            .set_words = CACHE_PLANES * padded, .name = name,
                            .sets_inverse = UINT64_MAX / n_sets + (n_sets > 1)};
    size_t bytes = (size_t)n_sets * cache->set_words * sizeof(uint32_t);
    bytes = (bytes + SET_ALIGN - 1) & ~(size_t)(SET_ALIGN - 1);
    cache->words = aligned_alloc(SET_ALIGN, bytes);
    if (!cache->words)
        err_memory(name, bytes);
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
        for (uint32_t w = cache->n_ways; w < padded; w++)
            set[padded + w] = UINT32_MAX;
    }
    cache->now = 0;
}

static cache_vector vector_min(cache_vector a, cache_vector b)
{
    cache_vector is_less = (cache_vector)(a < b);
    return (a & is_less) | (b & ~is_less);
}

static uint32_t least_of(cache_vector v)
{
    uint32_t low = v[0] < v[1] ? v[0] : v[1], high = v[2] < v[3] ? v[2] : v[3];
    return low < high ? low : high;
}

// Free ways have age 0, so the way of least age is a free one or the least recently used; padding has the greatest.
// Of equals the lowest.
static uint32_t oldest_way(const uint32_t *ages, uint32_t n)
{
    cache_vector least = *(const cache_vector *)ages;
    for (uint32_t i = 4; i < n; i += 4)
        least = vector_min(least, *(const cache_vector *)(ages + i));
    uint32_t age = least_of(least);
    cache_vector ways = {0, 1, 2, 3}, first = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < n; i += 4) {
        cache_vector is_oldest = (cache_vector)(*(const cache_vector *)(ages + i) == age);
        first = vector_min(first, (ways & is_oldest) | ~is_oldest);
        ways += 4;
    }
    return least_of(first);
}

uint32_t *cache_take(struct cache *cache, uint32_t line, struct cache_evicted *evicted)
{
    uint32_t *set = cache_set(cache, line), padded = cache->n_ways_padded;
    uint32_t way = oldest_way(set + padded, padded);
    uint32_t *flags = set + 2 * padded + way;
    *evicted = (struct cache_evicted){set[way], *flags};
    set[way] = line;
    *flags = 0;
    *cache_user_of(cache, flags) = 0;
    cache_touch(cache, flags);
    return flags;
}

// Order is kept, but neighbours in age may become equal: the lower way then counts as the older one.
void cache_age_all(struct cache *cache)
{
    for (uint32_t s = 0; s < cache->n_sets; s++) {
        uint32_t *ages = cache->words + (size_t)s * cache->set_words + cache->n_ways_padded;
        for (uint32_t w = 0; w < cache->n_ways; w++)
            ages[w] = (ages[w] + 1) / 2;
    }
    cache->now /= 2;
}
