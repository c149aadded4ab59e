// The summary shows the first launches of a kernel and counts the rest; a launch with a fault is always shown.
#include "report/fold.h"
#include "support/check.h"
#include <string.h>

static struct arena arena;

static struct profile repeated(uint32_t n)
{
    struct err err = {0};
    const struct profile *sample = profile_read(&arena, "tests/data/sample.wgp", &err);
    assert_non_null(sample);
    struct profile many = *sample;
    many.launches = arena_array(&arena, struct profile_launch, n);
    many.n_launches = n;
    for (uint32_t i = 0; i < n; i++) {
        many.launches[i] = sample->launches[0];
        many.launches[i].id = i;
        many.launches[i].fault = NULL;
    }
    return many;
}

static const char *summary_of(const struct profile *profile)
{
    struct report report;
    struct buf text = {0};
    const struct report_options options = {.is_reproducible = true};
    report_open(&report, &arena, &profile, 1);
    report_summary(&report, &options, &text);
    const char *copy = arena_string(&arena, text.at, text.n);
    buf_release(&text);
    return copy;
}

static uint32_t n_screens(const char *text)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, "\noccupancy ")); at++)
        n++;
    return n;
}

static void few_are_all_shown(void **state)
{
    (void)state;
    struct profile profile = repeated(FOLD_SHOWN);
    const char *text = summary_of(&profile);
    assert_int_equal(n_screens(text), FOLD_SHOWN);
    assert_null(strstr(text, "more launches"));
}

static void many_are_counted(void **state)
{
    (void)state;
    struct profile profile = repeated(1000);
    const char *text = summary_of(&profile);
    assert_int_equal(n_screens(text), FOLD_SHOWN);
    assert_non_null(strstr(text, "and 996 more launches of "));
    assert_non_null(strstr(text, "996 of them with the counts of"));
}

static void a_fault_is_shown(void **state)
{
    (void)state;
    struct profile profile = repeated(100);
    profile.launches[77].fault = "========= a fault";
    const char *text = summary_of(&profile);
    assert_int_equal(n_screens(text), FOLD_SHOWN + 1);
    assert_non_null(strstr(text, "77"));
}

int main(void)
{
    arena_init(&arena, "fold test");
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_are_all_shown), cmocka_unit_test(many_are_counted),
                                       cmocka_unit_test(a_fault_is_shown)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return failed;
}
