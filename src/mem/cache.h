// One sectored, set-associative cache: tags of 128-byte lines, four sectors each, LRU. It holds no data,
// only what is present. L1, the constant cache and each L2 partition are instances.
//
// Lines are numbers (address / line size), below 2^32 - 1. The flags of a line belong to the user, apart
// from the masks named here; they are 0 when a line is newly taken.
//
// Index. n_sets need not be a power of two. A run of n_sets neighbouring lines covers every set once, each
// run from another starting point: so an array spreads evenly and no stride meets the same few sets again
// and again. But one line in 16 goes wherever its hash says, so that sets are not filled quite alike: an H200 begins
// to lose lines of an array read again and again when it fills seven eighths of the cache, and still has some when it
// is a fifth larger (tests/hardware/l1_replacement.cu, l2_capacity.cu). The hash of no GPU is public; this one is ours.
//
//     struct cache c;
//     cache_init(&c, "L1", 2048, 64);
//     uint16_t *flags = cache_find(&c, line);              // NULL: absent
//     if (flags)
//         cache_touch(&c, flags);
//     else
//         flags = cache_take(&c, line, &evicted);          // .line == CACHE_NO_LINE: the place was free
//     *flags |= sectors;
//     cache_release(&c);
#ifndef MEM_CACHE_H
#define MEM_CACHE_H
#include <stdbool.h>
#include <stdint.h>

#define CACHE_NO_LINE UINT32_MAX

// Flags: bits 0..3 valid (readable) sectors, bits 4..7 dirty sectors; the rest is the user's.
enum { CACHE_VALID = 0xf, CACHE_DIRTY_SHIFT = 4, CACHE_DIRTY = 0xf0 };

// A set lies in one piece, aligned to its size, a power of two: for each way a byte of the tag's hash, a
// byte of rank (0 = touched last), 16 bits of flags and 32 of tag. Ways are padded to whole vectors;
// padding holds no line and a rank that nobody reaches.
enum { CACHE_VECTOR_WAYS = 16, CACHE_MAX_WAYS = 112 };

struct cache {
    uint32_t n_sets, n_ways, n_ways_padded;
    uint32_t set_shift;    // a set has 1 << set_shift bytes
    uint64_t sets_inverse; // for line / n_sets
    uint8_t *sets;
    uint32_t *words;  // one a way: the user's, 0 when a line is newly taken
    uint64_t *used;   // bit a set: lines have been taken since it was last clear
    const char *name; // borrowed
    double old_dirty; // lines of a set that are dirty before anybody has used it, on average (cache_leave_dirty)
};

struct cache_evicted {
    uint32_t line, flags;
};

// n_lines in all; n_sets = n_lines / n_ways, and when that leaves a rest the sets grow until nearly nothing
// is lost. No set has more than CACHE_MAX_WAYS.
void cache_init(struct cache *cache, const char *name, uint32_t n_lines, uint32_t n_ways);
void cache_release(struct cache *cache);
void cache_clear(struct cache *cache); // every line invalid; dirty ones are forgotten

// From now on a cache that was cleared holds so many dirty lines, of addresses that nobody uses, among the younger
// OLD_DIRTY_SHARE of each set: they go as others come.
#define OLD_DIRTY_SHARE 0.38
void cache_leave_dirty(struct cache *cache, double n_lines);

uint16_t *cache_take(struct cache *cache, uint32_t line, struct cache_evicted *evicted);

// ---- hashes ---------------------------------------------------------------------------------------------

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
    uint32_t own = cache_mix(line ^ 0x5bd1e995u);
    if (own % 16 == 0)
        return cache_scale(cache_mix(own), cache->n_sets);
    uint32_t run = (uint32_t)((cache_wide)line * cache->sets_inverse >> 64); // line / n_sets
    uint32_t set = line - run * cache->n_sets + cache_scale(cache_mix(run), cache->n_sets);
    return set < cache->n_sets ? set : set - cache->n_sets;
}

static inline uint8_t cache_tag_hash(uint32_t line)
{
    return (uint8_t)(line * 0x9e3779b1u >> 24);
}

// ---- the parts of a set ---------------------------------------------------------------------------------

static inline uint8_t *cache_set(const struct cache *cache, uint32_t line)
{
    return cache->sets + ((uint64_t)cache_index(cache, line) << cache->set_shift);
}

static inline uint8_t *cache_ranks(const struct cache *cache, uint8_t *set)
{
    return set + cache->n_ways_padded;
}

static inline uint16_t *cache_flags(const struct cache *cache, uint8_t *set)
{
    return (uint16_t *)(void *)(set + 2 * cache->n_ways_padded);
}

static inline uint32_t *cache_tags(const struct cache *cache, uint8_t *set)
{
    return (uint32_t *)(void *)(set + 4 * cache->n_ways_padded);
}

static inline uint32_t *cache_words(const struct cache *cache, const uint8_t *set)
{
    return cache->words + ((uint64_t)(set - cache->sets) >> cache->set_shift) * cache->n_ways_padded;
}

// The set that these flags belong to.
static inline uint8_t *cache_set_of(const struct cache *cache, uint16_t *flags)
{
    uint64_t offset = (uint64_t)((uint8_t *)flags - cache->sets);
    return cache->sets + (offset >> cache->set_shift << cache->set_shift);
}

static inline uint32_t *cache_user_of(const struct cache *cache, uint16_t *flags)
{
    uint8_t *set = cache_set_of(cache, flags);
    return cache_words(cache, set) + (flags - cache_flags(cache, set));
}

// ---- look-up --------------------------------------------------------------------------------------------

typedef uint8_t cache_bytes __attribute__((vector_size(16), aligned(16)));
typedef uint64_t cache_halves __attribute__((vector_size(16), aligned(16)));

static inline cache_bytes cache_splat(uint8_t byte)
{
    return (cache_bytes){0} + byte;
}

// The way of the line among the eight whose bytes of `candidates` are set; CACHE_NO_LINE if it is none of
// them.
static inline uint32_t cache_way_among(const uint32_t *tags, uint64_t candidates, uint32_t line)
{
    while (candidates) {
        uint32_t way = (uint32_t)__builtin_ctzll(candidates) / 8;
        if (tags[way] == line)
            return way;
        candidates &= ~(0xffull << 8 * way);
    }
    return CACHE_NO_LINE;
}

// The flags of a line, NULL when absent. Its rank is left alone.
static inline uint16_t *cache_find(const struct cache *cache, uint32_t line)
{
    uint8_t *set = cache_set(cache, line);
    const uint32_t *tags = cache_tags(cache, set);
    cache_bytes wanted = cache_splat(cache_tag_hash(line));
    for (uint32_t i = 0; i < cache->n_ways_padded; i += CACHE_VECTOR_WAYS) {
        cache_halves equal = (cache_halves)(*(const cache_bytes *)(set + i) == wanted);
        uint32_t way = cache_way_among(tags + i, equal[0], line);
        if (way != CACHE_NO_LINE)
            return cache_flags(cache, set) + i + way;
        way = cache_way_among(tags + i + 8, equal[1], line);
        if (way != CACHE_NO_LINE)
            return cache_flags(cache, set) + i + 8 + way;
    }
    return 0;
}

// The way becomes the youngest of its set: those younger than it grow older by one.
static inline void cache_rank_first(const struct cache *cache, uint8_t *ranks, uint32_t way)
{
    cache_bytes old = cache_splat(ranks[way]);
    for (uint32_t i = 0; i < cache->n_ways_padded; i += CACHE_VECTOR_WAYS) {
        cache_bytes *r = (cache_bytes *)(ranks + i);
        *r -= (cache_bytes)(*r < old);
    }
    ranks[way] = 0;
}

static inline void cache_touch(const struct cache *cache, uint16_t *flags)
{
    uint8_t *set = cache_set_of(cache, flags), *ranks = cache_ranks(cache, set);
    uint32_t way = (uint32_t)(flags - cache_flags(cache, set));
    if (ranks[way])
        cache_rank_first(cache, ranks, way);
}

// The way becomes the oldest of its set: the next line that comes takes its place.
static inline void cache_rank_last(const struct cache *cache, uint16_t *flags)
{
    uint8_t *set = cache_set_of(cache, flags), *ranks = cache_ranks(cache, set), own = ranks[flags - cache_flags(cache, set)];
    for (uint32_t way = 0; way < cache->n_ways; way++)
        ranks[way] -= (uint8_t)(ranks[way] > own);
    ranks[flags - cache_flags(cache, set)] = (uint8_t)(cache->n_ways - 1);
}

static inline void cache_prefetch(const struct cache *cache, uint32_t line)
{
    const uint8_t *set = cache_set(cache, line);
    for (uint32_t i = 0; i < 8 * cache->n_ways_padded; i += 64)
        __builtin_prefetch(set + i, 1);
}
#endif
