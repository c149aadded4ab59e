// Sectored cache: setting up, finding a victim. The look-up itself is in the header.
#include "mem/cache.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OLD_DIRTY_LINE (CACHE_NO_LINE - 1) // no address has it

enum { HUGE_PAGE_BYTES = 2 << 20, WAY_BYTES = 8, NO_RANK = 127 };

static void *allocate(const char *name, size_t size_bytes, size_t align)
{
    if (size_bytes >= HUGE_PAGE_BYTES)
        align = HUGE_PAGE_BYTES;
    size_bytes = (size_bytes + align - 1) & ~(align - 1);
    void *at = aligned_alloc(align, size_bytes);
    if (!at)
        err_memory(name, size_bytes);
    if (align == HUGE_PAGE_BYTES)
        madvise(at, size_bytes, MADV_HUGEPAGE); // a hint: look-ups are scattered
    return at;
}

// The user's words are cleared when their line is taken.
static void clear_set(struct cache *cache, uint32_t index)
{
    uint32_t padded = cache->n_ways_padded;
    uint8_t *set = cache->sets + ((size_t)index << cache->set_shift), *ranks = cache_ranks(cache, set);
    memset(set, 0, padded);
    for (uint32_t w = 0; w < padded; w++)
        ranks[w] = (uint8_t)(w < cache->n_ways ? w : NO_RANK);
    memset(cache_flags(cache, set), 0, padded * sizeof(uint16_t));
    memset(cache_tags(cache, set), 0xff, padded * sizeof(uint32_t));
}

void cache_init(struct cache *cache, const char *name, uint32_t n_lines, uint32_t n_ways)
{
    if (n_ways == 0 || n_lines == 0)
        BUG("cache %s of %u lines in sets of %u", name, n_lines, n_ways);
    n_ways = n_ways < CACHE_MAX_WAYS ? n_ways : CACHE_MAX_WAYS;
    n_ways = n_ways < n_lines ? n_ways : n_lines;
    uint32_t n_sets = n_lines / n_ways;
    n_sets += n_lines / n_sets > CACHE_MAX_WAYS;
    n_ways = n_lines / n_sets;
    uint32_t padded = (n_ways + CACHE_VECTOR_WAYS - 1) / CACHE_VECTOR_WAYS * CACHE_VECTOR_WAYS, shift = 6;
    while (1u << shift < WAY_BYTES * padded)
        shift++;
    *cache = (struct cache){.n_sets = n_sets,
                            .n_ways = n_ways,
                            .n_ways_padded = padded,
                            .set_shift = shift,
                            .sets_inverse = UINT64_MAX / n_sets + (n_sets > 1),
                            .name = name};
    cache->sets = allocate(name, (size_t)n_sets << shift, 64);
    cache->words = allocate(name, (size_t)n_sets * padded * sizeof *cache->words, 64);
    cache->used = allocate(name, ((size_t)n_sets + 63) / 64 * sizeof *cache->used, 64);
    memset(cache->used, 0, ((size_t)n_sets + 63) / 64 * sizeof *cache->used);
    for (uint32_t s = 0; s < n_sets; s++)
        clear_set(cache, s);
}

void cache_release(struct cache *cache)
{
    free(cache->sets);
    free(cache->words);
    free(cache->used);
    *cache = (struct cache){0};
}

void cache_leave_dirty(struct cache *cache, double n_lines)
{
    cache->old_dirty = n_lines / cache->n_sets;
}

// A set that is used for the first time: as many dirty lines as fall to it, by a hash of its number, at ranks that the
// hash chooses. After cache_clear a way's rank is its number.
static void leave_dirty(const struct cache *cache, uint32_t index)
{
    uint8_t *set = cache->sets + ((size_t)index << cache->set_shift);
    uint32_t hash = cache_mix(index), n_young = (uint32_t)(OLD_DIRTY_SHARE * cache->n_ways);
    uint32_t n = (uint32_t)(cache->old_dirty + (double)(hash >> 8) / (1 << 24));
    for (uint32_t i = 0; i < n && i < n_young; i++) {
        uint32_t way = (hash + i) % n_young;
        set[way] = cache_tag_hash(OLD_DIRTY_LINE);
        cache_tags(cache, set)[way] = OLD_DIRTY_LINE;
        cache_flags(cache, set)[way] = CACHE_VALID | CACHE_DIRTY;
    }
}

// Short launches use few sets: only those cost anything.
void cache_clear(struct cache *cache)
{
    for (uint32_t word = 0; word < (cache->n_sets + 63) / 64; word++) {
        for (uint64_t left = cache->used[word]; left; left &= left - 1)
            clear_set(cache, word * 64 + (uint32_t)__builtin_ctzll(left));
        cache->used[word] = 0;
    }
}

// The way of the last rank: a free one as long as there are any, for they have never been touched.
static uint32_t oldest_way(const struct cache *cache, const uint8_t *ranks)
{
    cache_bytes last = cache_splat((uint8_t)(cache->n_ways - 1));
    for (uint32_t i = 0; i < cache->n_ways_padded; i += CACHE_VECTOR_WAYS) {
        cache_halves equal = (cache_halves)(*(const cache_bytes *)(ranks + i) == last);
        if (equal[0])
            return i + (uint32_t)__builtin_ctzll(equal[0]) / 8;
        if (equal[1])
            return i + 8 + (uint32_t)__builtin_ctzll(equal[1]) / 8;
    }
    BUG("%s: no way is the oldest", cache->name);
}

uint16_t *cache_take(struct cache *cache, uint32_t line, struct cache_evicted *evicted)
{
    uint8_t *set = cache_set(cache, line), *ranks = cache_ranks(cache, set);
    uint64_t index = (uint64_t)(set - cache->sets) >> cache->set_shift, bit = 1ull << index % 64;
    if (!(cache->used[index / 64] & bit) && cache->old_dirty > 0)
        leave_dirty(cache, (uint32_t)index);
    cache->used[index / 64] |= bit;
    uint32_t way = oldest_way(cache, ranks), *tag = cache_tags(cache, set) + way;
    uint16_t *flags = cache_flags(cache, set) + way;
    *evicted = (struct cache_evicted){*tag, *flags};
    cache_rank_first(cache, ranks, way);
    set[way] = cache_tag_hash(line);
    *tag = line;
    *flags = 0;
    cache_words(cache, set)[way] = 0;
    return flags;
}
