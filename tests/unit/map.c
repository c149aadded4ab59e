// base/map: keys with any bytes, insertion order, replacement; and the speller behind "did you mean".
#include "base/map.h"
#include "support/check.h"
#include <stdio.h>
#include <string.h>

static void empty_map(void **state)
{
    (void)state;
    struct map map = {0};
    assert_null(map_get(&map, "x", 1));
    map_release(&map);
}

static void many_keys_keep_their_order(void **state)
{
    (void)state;
    enum { N = 3000 };
    static char keys[N][16];
    static int values[N];
    struct map map = {0};
    for (int i = 0; i < N; i++) {
        snprintf(keys[i], sizeof keys[i], "key%d", i * 7919 % N);
        values[i] = i;
        map_set(&map, keys[i], strlen(keys[i]), &values[i]);
    }
    assert_int_equal(map.n, N);
    for (int i = 0; i < N; i++) {
        assert_ptr_equal(map_get(&map, keys[i], strlen(keys[i])), &values[i]);
        assert_ptr_equal(map.entries[i].key, keys[i]);
        assert_ptr_equal(map.entries[i].value, &values[i]);
    }
    assert_null(map_get(&map, "key3000", 7));
    assert_null(map_get(&map, "key", 3));
    map_release(&map);
    assert_int_equal(map.n, 0);
}

static void set_replaces(void **state)
{
    (void)state;
    int one = 1, two = 2;
    struct map map = {0};
    map_set(&map, "a", 1, &one);
    map_set(&map, "b", 1, &one);
    map_set(&map, "a", 1, &two);
    assert_int_equal(map.n, 2);
    assert_ptr_equal(map.entries[0].value, &two);
    assert_ptr_equal(map_get(&map, "b", 1), &one);
    map_release(&map);
}

static void keys_are_bytes(void **state)
{
    (void)state;
    int one = 1, two = 2, three = 3;
    struct map map = {0};
    map_set(&map, "", 0, &one);
    map_set(&map, "\0", 1, &two);
    map_set(&map, "\0\0", 2, &three);
    assert_ptr_equal(map_get(&map, "", 0), &one);
    assert_ptr_equal(map_get(&map, "\0", 1), &two);
    assert_ptr_equal(map_get(&map, "\0\0", 2), &three);
    map_release(&map);
}

// Published test vectors of FNV-1a, 32 bits (draft-eastlake-fnv).
static void hash_is_fnv1a(void **state)
{
    (void)state;
    assert_int_equal(hash_bytes("", 0), 0x811c9dc5);
    assert_int_equal(hash_bytes("a", 1), 0xe40c292c);
    assert_int_equal(hash_bytes("foobar", 6), 0xbf9cf968);
}

static const char *const keys[] = {"l2.size", "l1.size", "l2.slices", "dram.bus", "sm.count", "h200"};

static void check_nearest(const char *name, const char *expected)
{
    const char *found = nearest_name(name, keys, N_ELEMENTS(keys));
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(found ? found : "(none)", expected);
}

static void nearest_names(void **state)
{
    (void)state;
    check_nearest("l2.size", "l2.size");
    check_nearest("l2.sizes", "l2.size");   // one too many
    check_nearest("l2.szie", "l2.size");    // two swapped
    check_nearest("l3.size", "l2.size");    // two equally near: the first
    check_nearest("l2.slice", "l2.slices"); // nearer than l2.size
    check_nearest("sm_cuont", "sm.count");  // two mistakes in eight letters
    check_nearest("h100", "h200");
    check_nearest("warp", NULL);
    check_nearest("ab", NULL);
    check_nearest("", NULL);
}

static void nearest_of_nothing(void **state)
{
    (void)state;
    char longer[200];
    memset(longer, 'l', sizeof longer);
    longer[199] = '\0';
    assert_null(nearest_name("x", NULL, 0));
    assert_null(nearest_name(longer, keys, N_ELEMENTS(keys)));
    const char *const candidates[] = {longer};
    assert_null(nearest_name("llll", candidates, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map),          cmocka_unit_test(many_keys_keep_their_order),
        cmocka_unit_test(set_replaces),       cmocka_unit_test(keys_are_bytes),
        cmocka_unit_test(hash_is_fnv1a),      cmocka_unit_test(nearest_names),
        cmocka_unit_test(nearest_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
