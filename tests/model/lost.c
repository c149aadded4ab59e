// The set of evicted lines, and what L2 makes of it: sectors read again from lines that were there and had to
// go.
#include "mem/lost.h"
#include "mem/l2.h"
#include "support/check.h"

static void test_set(void **state)
{
    (void)state;
    struct lost lost = {0};
    const uint32_t lines[] = {0, 1, 63, 64, 65535, 65536, 0x7fffffff, 0xfffffffe};
    for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
        assert_false(lost_has(&lost, lines[i]));
        lost_add(&lost, lines[i]);
        assert_true(lost_has(&lost, lines[i]));
    }
    assert_false(lost_has(&lost, 2));
    assert_false(lost_has(&lost, 0x7ffffffe));
    lost_clear(&lost);
    assert_false(lost_has(&lost, 0));
    lost_clear(&lost);
}

static struct l2_counts sweep(struct l2 *l2, uint32_t n_lines)
{
    struct l2_counts counts = {0};
    struct l2_request request = {.sectors = 0xf, .op = L2_READ};
    for (request.line = 0; request.line < n_lines; request.line++)
        l2_access(l2, l2_home(l2, request.line), &request, &counts);
    return counts;
}

// Twice through more than L2 holds, from the partition at home: the second time everything is read again.
static void test_l2(void **state)
{
    (void)state;
    struct arena arena;
    struct device device;
    struct err err = {0};
    arena_init(&arena, "test");
    assert_true(device_load(&arena, "t4", &device, &err));
    struct l2 l2 = {0};
    l2_init(&l2, &device);
    uint32_t fitting = (uint32_t)(device.l2_bytes / 128 / 2), too_many = 4 * fitting;
    assert_int_equal(sweep(&l2, fitting).dram_again_sectors, 0);
    assert_int_equal(sweep(&l2, fitting).dram_again_sectors, 0);
    assert_int_equal(sweep(&l2, too_many).dram_again_sectors, 0);
    struct l2_counts second = sweep(&l2, too_many);
    assert_int_equal(second.dram_read_sectors, 4 * too_many);
    assert_int_equal(second.dram_again_sectors, 4 * too_many);
    l2_new_launch(&l2);
    assert_true(sweep(&l2, fitting).dram_again_sectors < 4 * fitting); // what was lost before is forgotten
    l2_release(&l2);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_set), cmocka_unit_test(test_l2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
