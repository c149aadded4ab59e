// One sectored, set-associative cache: tags of 128-byte lines, four sectors each, LRU. It holds no data, only
// what is present. L1, the constant cache and each L2 partition are instances.
//
// Lines are numbers (address / line size), below 2^32 - 1. The flags word of a line belongs to the user,
// apart from the masks named here; it is 0 when a line is newly taken.
//
// Index. n_sets need not be a power of two. A run of n_sets neighbouring lines covers every set once, each
// run from another starting point: so an array spreads evenly and no stride meets the same few sets again and
// again. The hash of no GPU is public; this one is ours.
//
//     struct cache c;
//     cache_init(&c, "L1", 2048, 64);
//     uint32_t *flags = cache_find(&c, line);              // NULL: absent
//     if (flags) cache_touch(&c, flags);
//     else flags = cache_take(&c, line, &evicted);         // evicted.line == CACHE_NO_LINE: the place was
//     free *flags |= sectors; cache_release(&c);
#ifndef MEM_CACHE_H
#define MEM_CACHE_H
#include <stdbool.h>
#include <stdint.h>

#define CACHE_NO_LINE UINT32_MAX

// Flags word: bits 0..3 valid (readable) sectors, bits 4..7 dirty sectors; the rest is the user's.
enum { CACHE_VALID = 0xf, CACHE_DIRTY_SHIFT = 4, CACHE_DIRTY = 0xf0 };

// A set is four planes of n_ways_padded words, side by side: tags, stamps, flags, user. Ways are padded to a
// multiple of four for vector compares; padding holds CACHE_NO_LINE and is never chosen. A stamp is the time
// of the last touch with the number of the way below it, so the least stamp names the oldest way.
enum { CACHE_PLANES = 4 };

struct cache {
    uint32_t n_sets, n_ways, n_ways_padded;
    uint32_t set_words;        // CACHE_PLANES * n_ways_padded
    uint64_t sets_inverse;     // for line / n_sets
    uint32_t now, end_of_time; // time of the last touch; the time at which all stamps are halved
    uint32_t way_bits;         // of a stamp
    uint32_t *words;
    const char *name; // borrowed
};

struct cache_evicted {
    uint32_t line, flags;
};

// n_lines in all; n_sets = n_lines / n_ways, and when that leaves a rest the sets grow until nearly nothing
// is lost.
void cache_init(struct cache *cache, const char *name, uint32_t n_lines, uint32_t n_ways);
void cache_release(struct cache *cache);
void cache_clear(struct cache *cache); // every line invalid; dirty ones are forgotten

uint32_t *cache_take(struct cache *cache, uint32_t line, struct cache_evicted *evicted);

// a * b / 2^32, for hashes into a range.
static inline uint32_t cache_scale(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t cache_mix(uint32_t x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    return x * 0x85ebca77u;
}

__extension__ typedef unsigned __int128 cache_wide;

static inline uint32_t cache_index(const struct cache *cache, uint32_t line)
{
    uint32_t run = (uint32_t)((cache_wide)line * cache->sets_inverse >> 64); // line / n_sets
    uint32_t set = line - run * cache->n_sets + cache_scale(cache_mix(run), cache->n_sets);
    return set < cache->n_sets ? set : set - cache->n_sets;
}

static inline uint32_t *cache_set(const struct cache *cache, uint32_t line)
{
    return cache->words + (uint64_t)cache_index(cache, line) * cache->set_words;
}

typedef uint32_t cache_vector __attribute__((vector_size(16), aligned(16)));

// Way + 1 of the word that equals `wanted` in `n` words (a multiple of four), 0 if none does.
static inline uint32_t cache_match(const uint32_t *words, uint32_t n, uint32_t wanted)
{
    cache_vector ways = {1, 2, 3, 4}, found = {0};
    for (uint32_t i = 0; i < n; i += 4) {
        found |= (cache_vector)(*(const cache_vector *)(words + i) == wanted) & ways;
        ways += 4;
    }
    return found[0] | found[1] | found[2] | found[3];
}

// The flags of a line, NULL when absent. Its stamp is left alone.
static inline uint32_t *cache_find(const struct cache *cache, uint32_t line)
{
    uint32_t *set = cache_set(cache, line);
    uint32_t way = cache_match(set, cache->n_ways_padded, line);
    return way ? set + 2 * cache->n_ways_padded + way - 1 : 0;
}

// The other words of the line whose flags these are.
static inline uint32_t *cache_stamp_of(const struct cache *cache, uint32_t *flags)
{
    return flags - cache->n_ways_padded;
}

static inline uint32_t *cache_user_of(const struct cache *cache, uint32_t *flags)
{
    return flags + cache->n_ways_padded;
}

void cache_halve_stamps(struct cache *cache);

static inline void cache_touch(struct cache *cache, uint32_t *flags)
{
    if (__builtin_expect(cache->now == cache->end_of_time, 0))
        cache_halve_stamps(cache);
    uint32_t *stamp = cache_stamp_of(cache, flags);
    *stamp = ++cache->now << cache->way_bits | (*stamp & ((1u << cache->way_bits) - 1));
}

static inline void cache_prefetch(const struct cache *cache, uint32_t line)
{
    const uint32_t *set = cache_set(cache, line);
    for (uint32_t i = 0; i < 3 * cache->n_ways_padded; i += 16)
        __builtin_prefetch(set + i, 1);
}
#endif
