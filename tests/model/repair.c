// What-if of bank conflicts: the forecast of a padded or swizzled array is what the changed array costs.
#include "mem/repair.h"
#include "support/check.h"

enum { ROW = 128 };

static struct access full_warp(uint8_t width)
{
    return (struct access){.space = SPACE_SHARED, .kind = ACCESS_LOAD, .width = width, .mask = UINT32_MAX};
}

// Lane t reads element (first_row + t, column) of rows of `row` bytes.
static struct access column(uint8_t width, uint32_t row, uint32_t first_row, uint32_t column_element)
{
    struct access access = full_warp(width);
    for (unsigned t = 0; t < N_LANES; t++)
        access.addr[t] = (first_row + t) * row + column_element * width;
    return access;
}

static void test_column(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 3; first++)
        for (uint32_t c = 0; c < 32; c++) {
            struct access access = column(4, ROW, first, c), padded = column(4, ROW + 4, first, c);
            struct shared_repair repair = banks_repair(&access);
            assert_int_equal(banks_cost(&access).wavefronts, 32);
            assert_int_equal(repair.row_bytes, ROW);
            assert_int_equal(repair.padded_wavefronts, banks_cost(&padded).wavefronts);
            assert_int_equal(repair.swizzled_wavefronts, 1);
        }
}

// Rows of 16-byte elements are padded by one of them: alignment holds.
static void test_wide(void **state)
{
    (void)state;
    struct access access = column(16, ROW, 0, 3), padded = column(16, ROW + 16, 0, 3);
    struct shared_repair repair = banks_repair(&access);
    assert_int_equal(repair.row_bytes, ROW);
    assert_int_equal(repair.padded_wavefronts, banks_cost(&padded).wavefronts);
    assert_true(repair.padded_wavefronts < banks_cost(&access).wavefronts);
}

// A 16-wide block: two columns at once. A pitch of 17 still leaves two lanes a bank here and there; the
// forecast says what it is, not what one hopes for.
static void test_narrow_block(void **state)
{
    (void)state;
    struct access access = full_warp(4), padded = full_warp(4);
    for (unsigned t = 0; t < N_LANES; t++) {
        access.addr[t] = t % 16 * 64 + t / 16 * 4;
        padded.addr[t] = t % 16 * 68 + t / 16 * 4;
    }
    struct shared_repair repair = banks_repair(&access);
    assert_int_equal(repair.row_bytes, 64);
    assert_int_equal(repair.padded_wavefronts, banks_cost(&padded).wavefronts);
}

static void test_no_row(void **state)
{
    (void)state;
    struct access access = full_warp(4);
    for (unsigned t = 0; t < N_LANES; t++)
        access.addr[t] = t * t * 4 % 1024;
    assert_int_equal(banks_repair(&access).row_bytes, 0);
    for (unsigned t = 0; t < N_LANES; t++) // side by side: no row, since it is no longer than an element
        access.addr[t] = 4 * t;
    assert_int_equal(banks_repair(&access).row_bytes, 0);
    access.mask = 0;
    assert_int_equal(banks_repair(&access).row_bytes, 0);
    access.mask = 1u << 7;
    assert_int_equal(banks_repair(&access).row_bytes, 0);
}

// Rows of 33 words are no power of two: nothing is swizzled.
static void test_odd_row(void **state)
{
    (void)state;
    struct access access = column(4, 3 * ROW, 0, 5);
    struct shared_repair repair = banks_repair(&access);
    assert_int_equal(repair.row_bytes, 3 * ROW);
    assert_int_equal(repair.swizzled_wavefronts, 32);
    assert_int_equal(repair.padded_wavefronts, 1);
}

static void test_memory_of_answers(void **state)
{
    (void)state;
    struct repair_memo memo = {0};
    for (int round = 0; round < 3; round++)
        for (uint32_t insn = 0; insn < 5; insn++)
            for (uint32_t c = 0; c < 32; c++) {
                struct access access = column(4, c % 2 ? ROW : 2 * ROW, c, c);
                access.insn = insn;
                access.mask = c % 3 ? UINT32_MAX : 0xffff;
                struct shared_repair fresh = banks_repair(&access),
                                     kept = banks_repair_remembered(&memo, &access);
                assert_memory_equal(&fresh, &kept, sizeof fresh);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column),       cmocka_unit_test(test_wide),
        cmocka_unit_test(test_narrow_block), cmocka_unit_test(test_no_row),
        cmocka_unit_test(test_odd_row),      cmocka_unit_test(test_memory_of_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
