// Remembered costs are the costs: random patterns, moved about, against banks_cost.
#include "mem/memo.h"
#include "support/check.h"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void random_pattern(struct access *a, uint32_t *state)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16};
    uint32_t spread = 1 + next_random(state) % 64;
    *a = (struct access){.space = SPACE_SHARED,
                         .kind = (enum access_kind)(next_random(state) % N_ACCESS_KINDS),
                         .mask = next_random(state) % 8 ? UINT32_MAX : next_random(state)};
    a->width = a->kind >= ACCESS_ATOM ? 4 : widths[next_random(state) % 5];
    for (uint32_t t = 0; t < N_LANES; t++)
        a->addr[t] = 4096 * 16 + (next_random(state) % spread) * a->width;
}

static void moved_patterns_cost_the_same(void **unused)
{
    (void)unused;
    uint32_t state = 7, n_remembered = 0;
    for (int i = 0; i < 20000; i++) {
        struct banks_memo memo = {0};
        struct access a;
        random_pattern(&a, &state);
        banks_cost_remembered(&memo, &a);
        for (int move = 0; move < 4; move++) {
            int64_t by =
                ((int64_t)(next_random(&state) % 256) - 128) * (move < 3 && a.width < 4 ? 4 : a.width);
            for (uint32_t t = 0; t < N_LANES; t++)
                a.addr[t] += (uint64_t)by;
            n_remembered += a.mask == UINT32_MAX && memo_matches(&memo, &a);
            struct shared_cost said = banks_cost_remembered(&memo, &a), is = banks_cost(&a);
            assert_int_equal(said.wavefronts, is.wavefronts);
            assert_int_equal(said.ideal, is.ideal);
        }
    }
    assert_true(n_remembered > 40000); // else this test shows nothing
}

static void another_pattern_is_not_taken_for_it(void **unused)
{
    (void)unused;
    struct banks_memo memo = {0};
    struct access a = {.space = SPACE_SHARED, .kind = ACCESS_LOAD, .width = 4, .mask = UINT32_MAX};
    for (uint32_t t = 0; t < N_LANES; t++)
        a.addr[t] = 4 * t;
    assert_int_equal(banks_cost_remembered(&memo, &a).wavefronts, 1);
    a.addr[31] = 128;
    assert_int_equal(banks_cost_remembered(&memo, &a).wavefronts, 2);
    a.kind = ACCESS_ATOM;
    a.addr[31] = 124;
    a.addr[1] = 0;
    assert_int_equal(banks_cost_remembered(&memo, &a).wavefronts, 2);
    a.mask = 1;
    assert_int_equal(banks_cost_remembered(&memo, &a).wavefronts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_patterns_cost_the_same),
        cmocka_unit_test(another_pattern_is_not_taken_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
