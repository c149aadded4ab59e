// Sectored cache: fills, least-recently-used eviction, odd numbers of sets, even spread of the index.
#include "mem/cache.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

static uint16_t *touch(struct cache *cache, uint32_t line)
{
    struct cache_evicted evicted;
    uint16_t *flags = cache_find(cache, line);
    if (!flags)
        return cache_take(cache, line, &evicted);
    cache_touch(cache, flags);
    return flags;
}

static void fills_and_finds(void **state)
{
    (void)state;
    struct cache c;
    cache_init(&c, "test", 64, 4);
    assert_null(cache_find(&c, 5));
    *touch(&c, 5) |= 0x3;
    assert_int_equal(*cache_find(&c, 5), 0x3);
    assert_null(cache_find(&c, 6));
    assert_null(cache_find(&c, 5 + c.n_sets));
    cache_clear(&c);
    assert_null(cache_find(&c, 5));
    cache_release(&c);
}

static void new_lines_are_blank(void **state)
{
    (void)state;
    struct cache c;
    struct cache_evicted evicted;
    cache_init(&c, "test", 1, 1);
    uint16_t *flags = cache_take(&c, 1, &evicted);
    assert_int_equal(evicted.line, CACHE_NO_LINE);
    *flags = 0x53;
    *cache_user_of(&c, flags) = 77;
    flags = cache_take(&c, 2, &evicted);
    assert_int_equal(evicted.line, 1);
    assert_int_equal(evicted.flags, 0x53);
    assert_int_equal(*flags, 0);
    assert_int_equal(*cache_user_of(&c, flags), 0);
    cache_release(&c);
}

static void evicts_the_least_recently_used(void **state)
{
    (void)state;
    static const uint32_t ways[] = {1, 2, 3, 5, 16, 31};
    for (size_t i = 0; i < N_ELEMENTS(ways); i++) {
        struct cache c;
        struct cache_evicted evicted;
        cache_init(&c, "test", ways[i], ways[i]); // one set
        assert_int_equal(c.n_sets, 1);
        for (uint32_t line = 0; line < ways[i]; line++)
            touch(&c, line);
        touch(&c, 0);
        cache_take(&c, 1000, &evicted);
        assert_int_equal(evicted.line, ways[i] > 1 ? 1 : 0);
        cache_take(&c, 1001, &evicted);
        assert_int_equal(evicted.line, ways[i] == 1 ? 1000 : ways[i] == 2 ? 0 : 2);
        cache_release(&c);
    }
}

static void nothing_is_lost_to_odd_sizes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {3, 62, 992, 1000, 1984, 15360};
    for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
        struct cache c;
        cache_init(&c, "test", sizes[i], 16);
        assert_true(c.n_sets * c.n_ways <= sizes[i]);
        assert_true(c.n_sets * c.n_ways + c.n_sets > sizes[i]);
        cache_release(&c);
    }
}

// A stretch of as many lines as there are sets uses nearly all of them, wherever it begins: one line in 16 goes elsewhere.
static void neighbours_fill_every_set(void **state)
{
    (void)state;
    struct cache c;
    cache_init(&c, "test", 31 * 62, 31);
    for (uint32_t base = 0; base < 200 * c.n_sets; base += 17 * c.n_sets) {
        cache_clear(&c);
        for (uint32_t line = base; line < base + c.n_sets; line++)
            touch(&c, line);
        uint32_t used = 0;
        for (uint32_t s = 0; s < c.n_sets; s++)
            used += cache_tags(&c, c.sets + ((size_t)s << c.set_shift))[0] != CACHE_NO_LINE ||
                    cache_tags(&c, c.sets + ((size_t)s << c.set_shift))[30] != CACHE_NO_LINE;
        assert_true(used >= c.n_sets * 7 / 8);
    }
    cache_release(&c);
}

// No stride gathers its lines in a few sets: of eight lines a set on average, few sets hold more than
// sixteen.
static void strides_spread(void **state)
{
    (void)state;
    static const uint32_t sets[] = {20, 62, 248, 4096, 15360};
    for (size_t i = 0; i < N_ELEMENTS(sets); i++) {
        struct cache c;
        cache_init(&c, "test", sets[i] * 16, 16);
        for (uint32_t stride = 1; stride <= 65536; stride = stride < 40 ? stride + 1 : stride * 2) {
            uint32_t crowded = 0, n = sets[i] * 8;
            uint32_t *load = calloc(sets[i], sizeof *load);
            for (uint32_t k = 0; k < n; k++)
                crowded += ++load[cache_index(&c, k * stride % 0x7fffffffu)] > 16;
            if (crowded > n / 20)
                fail_msg("%u of %u lines over, %u sets, stride %u", crowded, n, sets[i], stride);
            free(load);
        }
        cache_release(&c);
    }
}

static void index_is_within(void **state)
{
    (void)state;
    static const uint32_t sets[] = {1, 2, 3, 62, 15360, 65521};
    for (size_t i = 0; i < N_ELEMENTS(sets); i++) {
        struct cache c;
        cache_init(&c, "test", sets[i], 1);
        for (uint64_t line = 0; line < UINT32_MAX; line += 65519)
            assert_true(cache_index(&c, (uint32_t)line) < c.n_sets);
        assert_true(cache_index(&c, UINT32_MAX - 1) < c.n_sets);
        cache_release(&c);
    }
}

// Against the plainest LRU there is: a list of lines, the youngest first.
static void agrees_with_a_list(void **state)
{
    (void)state;
    static const uint32_t ways[] = {1, 7, 16, 17, 33, 112};
    for (size_t i = 0; i < N_ELEMENTS(ways); i++) {
        struct cache c;
        uint32_t list[CACHE_MAX_WAYS], n = 0, random = 1;
        cache_init(&c, "test", ways[i], ways[i]);
        for (int step = 0; step < 20000; step++) {
            random = random * 1664525u + 1013904223u;
            uint32_t line = (random >> 8) % (2 * ways[i] + 1) * 256,
                     at = 0; // many tags with the same hash byte
            struct cache_evicted evicted = {CACHE_NO_LINE, 0};
            uint16_t *flags = cache_find(&c, line);
            while (at < n && list[at] != line)
                at++;
            assert_int_equal(flags != NULL, at < n);
            if (flags)
                cache_touch(&c, flags);
            else
                cache_take(&c, line, &evicted);
            if (at == n && n == ways[i])
                assert_int_equal(evicted.line, list[--at]);
            else if (at == n)
                assert_int_equal(evicted.line, (n++, CACHE_NO_LINE));
            memmove(list + 1, list, at * sizeof *list);
            list[0] = line;
        }
        cache_release(&c);
    }
}

static void large_sets_are_cut(void **state)
{
    (void)state;
    struct cache c;
    cache_init(&c, "test", 2048, 512);
    assert_true(c.n_ways <= CACHE_MAX_WAYS);
    assert_true(c.n_sets * c.n_ways > 2048 - c.n_sets);
    cache_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_and_finds),
        cmocka_unit_test(new_lines_are_blank),
        cmocka_unit_test(evicts_the_least_recently_used),
        cmocka_unit_test(nothing_is_lost_to_odd_sizes),
        cmocka_unit_test(neighbours_fill_every_set),
        cmocka_unit_test(strides_spread),
        cmocka_unit_test(index_is_within),
        cmocka_unit_test(agrees_with_a_list),
        cmocka_unit_test(large_sets_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
