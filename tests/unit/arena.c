// base/arena and base/vec: zeroed, aligned, distinct memory; reuse after clear; texts of any length.
#include "base/arena.h"
#include "base/vec.h"
#include "support/check.h"
#include <stdbool.h>
#include <string.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    size_t total = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t align = 1; align <= 4096; align *= 2) {
            size_t size = align * 3 + 1;
            unsigned char *at = arena_alloc(&arena, size, align);
            assert_int_equal((uintptr_t)at % align, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(at[i], 0);
            memset(at, 0xff, size);
            total += size;
        }
        assert_int_equal(arena.used_bytes, total);
        arena_clear(&arena); // the next round gets dirty chunks
        assert_int_equal(arena.used_bytes, 0);
        total = 0;
    }
    arena_release(&arena);
}

static void objects_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 5000 };
    static unsigned *objects[N];
    struct arena arena;
    arena_init(&arena, "test");
    for (unsigned i = 0; i < N; i++) {
        objects[i] = arena_array(&arena, unsigned, 1 + i % 17);
        for (unsigned j = 0; j < 1 + i % 17; j++)
            objects[i][j] = i;
    }
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < 1 + i % 17; j++)
            assert_int_equal(objects[i][j], i);
    arena_release(&arena);
}

static void empty_objects_differ(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    void *a = arena_alloc(&arena, 0, 1), *b = arena_alloc(&arena, 0, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    arena_release(&arena);
}

static void clear_keeps_chunks(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    arena_alloc(&arena, 100, 8);
    char *large = arena_alloc(&arena, 5 << 20, 8);
    arena_clear(&arena);
    // The same bytes come back: nothing new is asked of the system.
    char *again = arena_alloc(&arena, 5 << 20, 8);
    assert_ptr_equal(large, again);
    arena_release(&arena);
    assert_null(arena.chunks);
    assert_non_null(arena_alloc(&arena, 1, 1)); // usable after release
    arena_release(&arena);
}

static void texts(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    assert_string_equal(arena_string(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_string(&arena, NULL, 0), "");
    char *text = arena_printf(&arena, "%s-%0100000d", "x", 5);
    assert_int_equal(strlen(text), 100002);
    assert_int_equal(text[100001], '5');
    const int numbers[] = {1, 2, 3};
    int *copy = arena_copy(&arena, numbers, sizeof numbers, _Alignof(int));
    assert_memory_equal(copy, numbers, sizeof numbers);
    arena_release(&arena);
}

static void vec_grows(void **state)
{
    (void)state;
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * i);
    assert_int_equal(v.n, 1000);
    assert_true(v.capacity >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
    vec_clear(&v);
    assert_int_equal(v.n, 0);
    vec_reserve(&v, 5000);
    assert_true(v.capacity >= 5000);
    vec_release(&v);
    assert_null(v.at);
    assert_int_equal(v.capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(objects_do_not_overlap),
        cmocka_unit_test(empty_objects_differ),
        cmocka_unit_test(clear_keeps_chunks),
        cmocka_unit_test(texts),
        cmocka_unit_test(vec_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
