// base/units: quantities as people write them, and what must be refused.
#include "base/units.h"
#include "support/check.h"
#include <math.h>

static void bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"0", 0},
        {"48", 48},
        {"7 B", 7},
        {"48KiB", 49152},
        {"48 KiB", 49152},
        {"1.5 GiB", 1610612736},
        {"100 kB", 100000},
        {"2MB", 2000000},
        {"3 GB", 3000000000},
        {"1 TiB", 1099511627776},
        {"0.5 KiB", 512},
        {"9223372036854775808", UINT64_C(1) << 63},
        {"8388608 TiB", UINT64_C(1) << 63},
    };
    static const char *const bad[] = {
        "",
        " ",
        "KiB",
        "-1",
        "+1",
        " 1",
        "1.3 B",
        "1.",
        ".5 KiB",
        "1.0.0",
        "48 kib",
        "48 KB",
        "48 KiB ",
        "48 KiBs",
        "9223372036854775809",
        "8388608.1 TiB",
        "99999999999999999999",
        "1e3",
        "0x10",
        "nan",
    };
    for (size_t i = 0; i < N_ELEMENTS(good); i++) {
        uint64_t value = 1;
        assert_true(units_parse_bytes(good[i].text, &value));
        assert_int_equal(value, good[i].bytes);
    }
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        uint64_t value = 12345;
        if (units_parse_bytes(bad[i], &value))
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(value, 12345);
    }
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t extents[3];
    } good[] = {
        {"16", {16, 1, 1}},
        {"16x16", {16, 16, 1}},
        {"16,16", {16, 16, 1}},
        {"1x2x3", {1, 2, 3}},
        {"4294967295", {UINT32_MAX, 1, 1}},
        {"8,4x2", {8, 4, 2}},
    };
    static const char *const bad[] = {
        "",        "0",   "16x0", "x",          "16x", "x16",   "16 x16",
        "1x2x3x4", "-1",  "+1",   "4294967296", "1.5", "16X16", "99999999999999999999999",
        "16xx16",  " 16", "16 ",
    };
    for (size_t i = 0; i < N_ELEMENTS(good); i++) {
        uint32_t extents[3];
        assert_true(units_parse_shape(good[i].text, extents));
        assert_memory_equal(extents, good[i].extents, sizeof extents);
    }
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        uint32_t extents[3] = {7, 8, 9};
        if (units_parse_shape(bad[i], extents))
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(extents[0], 7);
    }
}

static void whole_numbers(void **state)
{
    (void)state;
    uint64_t u;
    int64_t i;
    assert_true(units_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
    assert_true(units_parse_u64("0xffFF", &u) && u == 65535);
    assert_true(units_parse_u64("010", &u) && u == 10); // never octal
    assert_true(units_parse_i64("-9223372036854775808", &i) && i == INT64_MIN);
    assert_true(units_parse_i64("9223372036854775807", &i) && i == INT64_MAX);
    assert_true(units_parse_i64("-0x10", &i) && i == -16);
    static const char *const bad[] = {"",   "-", "+1", " 1", "1 ", "0x", "x1", "1a", "18446744073709551616",
                                      "--1"};
    for (size_t k = 0; k < N_ELEMENTS(bad); k++) {
        assert_false(units_parse_u64(bad[k], &u));
        assert_false(units_parse_i64(bad[k], &i));
    }
    assert_false(units_parse_u64("-1", &u));
    assert_false(units_parse_i64("9223372036854775808", &i));
    assert_false(units_parse_i64("-9223372036854775809", &i));
}

static void real_numbers(void **state)
{
    (void)state;
    double value;
    assert_true(units_parse_double("1.5e3", &value) && value == 1500);
    assert_true(units_parse_double("-0.25", &value) && value == -0.25);
    assert_true(units_parse_double("0x1p-2", &value) && value == 0.25);
    assert_true(units_parse_double("4e-320", &value) && value > 0);
    assert_true(units_parse_double("inf", &value) && isinf(value));
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "abc", "1.5x", "1e999", "-1e999"};
    for (size_t i = 0; i < N_ELEMENTS(bad); i++)
        assert_false(units_parse_double(bad[i], &value));
}

static void check_bytes_print(double value, const char *expected)
{
    struct buf out = {0};
    units_print_bytes(&out, value);
    assert_string_equal(out.at, expected);
    buf_release(&out);
}

static void printing(void **state)
{
    (void)state;
    check_bytes_print(0, "0 B");
    check_bytes_print(512, "512 B");
    check_bytes_print(1023, "1023 B");
    check_bytes_print(1024, "1.0 KiB");
    check_bytes_print(60.0 * 1024 * 1024, "60.0 MiB");
    check_bytes_print(1024.0 * 1024 - 1, "1.0 MiB"); // not "1024.0 KiB"
    check_bytes_print(141e9, "131.3 GiB");
    check_bytes_print(5e15, "4547.5 TiB");
    static const struct {
        uint64_t n;
        const char *text;
    } counts[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {1048576, "1,048,576"},
        {100000, "100,000"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
        struct buf out = {0};
        units_print_count(&out, counts[i].n);
        assert_string_equal(out.at, counts[i].text);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),        cmocka_unit_test(shapes),   cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers), cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
