// Device files: every one in the project is complete, and every mistake in one is named with its place.
#include "device/device.h"
#include "support/check.h"
#include <string.h>

static struct arena arena;

static const char *const expected_names[] = {"a10",      "a100-40gb", "a100-80gb", "b200",    "h100-pcie",
                                             "h100-sxm", "h200",      "l4",        "rtx3090", "rtx4090",
                                             "rtx5090",  "t4",        "v100"};

static const struct device *load(const char *name)
{
    struct device *d = arena_new(&arena, struct device);
    struct err err = {0};
    if (!device_load(&arena, name, d, &err))
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    return d;
}

static void test_names(void **state)
{
    (void)state;
    const char *const *names = device_names(&arena);
    size_t n = 0;
    for (; names[n]; n++) {
        assert_true(n < N_ELEMENTS(expected_names));
        assert_string_equal(names[n], expected_names[n]);
    }
    assert_int_equal(n, N_ELEMENTS(expected_names));
}

static void test_every_device_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(expected_names); i++) {
        const struct device *d = load(expected_names[i]);
        assert_string_equal(d->id, expected_names[i]);
        for (int key = 0; key < N_DEVICE_KEYS; key++) {
            const struct device_source *source = device_source(d, (enum device_key)key);
            assert_true(source->tag || !device_key_info((enum device_key)key)->is_required);
            assert_true(!source->tag || (strlen(source->note) > 3 && source->line > 0));
        }
        assert_true(d->dram_read_gbps < device_dram_peak_gbps(d));
        assert_true(d->shared_latency_cycles < d->l1_latency_cycles);
        assert_true(d->l1_latency_cycles < d->l2_latency_cycles &&
                    d->l2_latency_cycles < d->dram_latency_cycles);
        assert_true(d->l2_far_latency_cycles == 0 || d->l2_far_latency_cycles > d->l2_latency_cycles);
        assert_true(d->shared_bytes_per_cycle <= (double)(d->n_banks * d->bank_width_bytes));
    }
}

static void test_measured_h200(void **state)
{
    (void)state;
    const struct device *d = load("h200");
    assert_int_equal(d->l2_bytes, 62914560);
    assert_int_equal(d->n_l2_slices, 96);
    assert_int_equal(d->dram_bus_bits, 6016);
    assert_int_equal(d->l2_persisting_max_bytes, 39321600);
    assert_int_equal(d->n_sms, 132);
    assert_int_equal(d->cc, 90);
    assert_string_equal(device_source(d, KEY_l2_bytes)->tag, "probe");
    assert_string_equal(device_source(d, KEY_cc)->file, "devices/base/hopper.dev");
    assert_float_equal(device_dram_peak_gbps(d), 4814.3, 0.1);
    assert_float_equal(device_cycles_to_ns(d, 198), 100, 1e-9);
    assert_true(device_count_guesses(d) > 0);
    assert_float_equal(device_dram_peak_gbps(load("a100-40gb")), 1555.2, 0.1);
}

// What `device show --source` prints is a device file again.
static void test_print_and_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(expected_names); i++) {
        const struct device *d = load(expected_names[i]);
        struct buf text = {0}, again = {0};
        for (int key = 0; key < N_DEVICE_KEYS; key++) {
            if (!device_has_value(d, (enum device_key)key))
                continue;
            buf_printf(&text, "%s = ", device_key_info((enum device_key)key)->key);
            device_print_value(d, (enum device_key)key, &text);
            buf_puts(&text, " @guess \"x\"\n");
        }
        struct device read;
        struct err err = {0};
        if (!device_parse(&arena, "printed.dev", text.at, text.n, &read, &err))
            fail_msg("%s:%u: %s", expected_names[i], err.line, err.text);
        assert_string_equal(read.id, "printed");
        for (int key = 0; key < N_DEVICE_KEYS; key++) {
            struct buf a = {0}, b = {0};
            device_print_value(d, (enum device_key)key, &a);
            device_print_value(&read, (enum device_key)key, &b);
            assert_string_equal(a.at ? a.at : "", b.at ? b.at : "");
            buf_release(&a);
            buf_release(&b);
        }
        buf_release(&text);
        buf_release(&again);
    }
}

static void test_override(void **state)
{
    (void)state;
    const char *text = "base = h200\nl2.size = 30 MiB @guess \"half\"\nclock.sm = 1 000 MHz @guess \"x\"\n";
    struct device d;
    struct err err = {0};
    assert_false(device_parse(&arena, "x.dev", text, strlen(text), &d, &err)); // "1 000" is no number
    assert_int_equal(err.line, 3);
    err = (struct err){0};
    assert_true(device_parse(&arena, "dir/x.dev", text, strcspn(text, "c"), &d, &err));
    assert_string_equal(d.id, "x");
    assert_int_equal(d.l2_bytes, 31457280);
    assert_int_equal(d.n_sms, 132);
    assert_string_equal(device_source(&d, KEY_l2_bytes)->file, "dir/x.dev");
    assert_int_equal(device_source(&d, KEY_l2_bytes)->line, 2);
}

// One line behind `base = h200` and the error it must give: its column and a part of its text.
static const struct {
    const char *line;
    unsigned column;
    const char *text;
} mistakes[] = {
    {"l2.sise = 3 MiB @guess \"x\"", 1, "unknown key 'l2.sise'; did you mean 'l2.size'?"},
    {"  colour = red @guess \"x\"", 3, "unknown key 'colour'"},
    {"l2.size = 3 MHz @guess \"x\"", 11, "given in B, KiB, MiB or GiB, not in 'MHz'"},
    {"l2.size = 3145728 @guess \"x\"", 11, "needs a unit: B, KiB, MiB or GiB"},
    {"clock.sm = 2 GHz @probe \"x\"", 12, "given in MHz, not in 'GHz'"},
    {"sm.count = 4 B @guess \"x\"", 12, "takes no unit, found 'B'"},
    {"sm.count = MiB @guess \"x\"", 12, "takes no unit, found 'MiB'"},
    {"l2.size = MiB @guess \"x\"", 11, "needs a number"},
    {"cc = 30 @guess \"x\"", 6, "'cc' = 30 is outside 70 to 129"},
    {"cc = nan @guess \"x\"", 6, "takes no unit"},
    {"cc = 1e99 @guess \"x\"", 6, "outside"},
    {"cc = -90 @guess \"x\"", 6, "outside"},
    {"cc = 90.5 @guess \"x\"", 6, "whole number"},
    {"l2.size = 1000000.5 B @guess \"x\"", 11, "whole number"},
    {"shared.carveouts = 0 8 4 KiB @guess \"x\"", 20, "must ascend"},
    {"shared.carveouts = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 KiB @guess \"x\"", 20,
     "at most 16 numbers"},
    {"cc = 90 @vendor \"x\"", 1, "changes nothing: line 5 of devices/base/hopper.dev says the same"},
    {"clock.sm = 2000 MHz @probe", 1, "needs a note in quotes"},
    {"clock.sm = 2000 MHz", 1, "has no source"},
    {"clock.sm = 2000 MHz @rumour \"x\"", 1, "'@rumour' is no source"},
    {"clock.sm = 2000 MHz @probe \"x", 28, "quote is not closed"},
    {"clock.sm 2000", 1, "no '='"},
};

static void test_mistakes_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(mistakes); i++) {
        struct buf text = {0};
        struct device d;
        struct err err = {0};
        buf_printf(&text, "# a comment\nbase = h200\n%s\n", mistakes[i].line);
        assert_false(device_parse(&arena, "x.dev", text.at, text.n, &d, &err));
        if (err.line != 3 || err.column != mistakes[i].column || !strstr(err.text, mistakes[i].text) ||
            strcmp(err.source, mistakes[i].line) != 0)
            fail_msg("%s\n  gives %u:%u: %s", mistakes[i].line, err.line, err.column, err.text);
        buf_release(&text);
    }
}

static void expect_error(const char *text, const char *expected)
{
    struct device d;
    struct err err = {0};
    assert_false(device_parse(&arena, "x.dev", text, strlen(text), &d, &err));
    if (!strstr(err.text, expected))
        fail_msg("%s\n  gives %s", text, err.text);
}

static void test_whole_file_mistakes(void **state)
{
    (void)state;
    expect_error("base = hoper\n", "there is no base 'hoper'; did you mean 'hopper'?");
    expect_error("base = hopper\n", "required keys are missing: 'name', 'sm.count', 'clock.sm'");
    expect_error("", "'name', 'chip', 'cc', 'sm.count', 'sm.per_tpc', 'sm.subpartitions' and");
    expect_error("base = h200\nshared.per_sm = 200 KiB @guess \"x\"\n", "must equal 'shared.per_sm'");
    expect_error("base = h200\nsm.count = 130 @guess \"x\"\n", "adds up to 132 SMs, 'sm.count' says 130");
    expect_error("base = h200\nl2.slices = 95 @guess \"x\"\n", "multiple of 'l2.partitions'");
    expect_error("base = h200\nsm.subpartitions = 3 @guess \"x\"\n", "must divide");
    expect_error("base = h200\nl2.latency_spread = 300 cycles @guess \"x\"\n", "exceeds 'l2.latency'");
    expect_error("base = h200\nshared.reserved = 2 KiB @guess \"x\"\n", "together exceed");
    expect_error("base = h200\nl1.pool = 128 KiB @guess \"x\"\n", "must hold 'shared.per_sm'");
}

static void test_load_names(void **state)
{
    (void)state;
    struct device d;
    struct err err = {0};
    assert_false(device_load(&arena, "h20", &d, &err));
    assert_string_equal(err.text, "there is no device 'h20'; did you mean 'h200'?");
    err = (struct err){0};
    assert_false(device_load(&arena, "no/such.dev", &d, &err));
    assert_non_null(strstr(err.text, "no/such.dev"));
    err = (struct err){0};
    assert_false(device_load(&arena, "hopper", &d, &err)); // a base is no device
    assert_true(device_load(&arena, "devices/h200.dev", &d, &(struct err){0}));
    assert_string_equal(d.id, "h200");
}

static int close_arena(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_every_device_is_complete),
        cmocka_unit_test(test_measured_h200), cmocka_unit_test(test_print_and_read_back),
        cmocka_unit_test(test_override),      cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_load_names),    cmocka_unit_test(test_whole_file_mistakes),
    };
    arena_init(&arena, "test");
    return cmocka_run_group_tests(tests, NULL, close_arena);
}
