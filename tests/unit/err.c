// base/err: the first error wins, places are cut out of the text, the caret stands below the column, and the
// two fatal kinds end the process with their status.
#include "base/err.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *print_to_string(const struct err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    err_print(err, out);
    fclose(out);
    return text;
}

static void check_print(const struct err *err, const char *expected)
{
    char *text = print_to_string(err);
    assert_string_equal(text, expected);
    free(text);
}

static void first_error_wins(void **state)
{
    (void)state;
    struct err err = {0};
    assert_false(err_set(&err, "%s is %d", "one", 1));
    assert_false(err_set(&err, "two"));
    assert_false(err_set_at(&err, "f", 3, 4, "x", 1, "three"));
    assert_true(err.set);
    assert_string_equal(err.text, "one is 1");
    assert_string_equal(err.file, "");
    assert_int_equal(err.line, 0);
}

static void text_is_one_line(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, "a\nb\r\n");
    assert_string_equal(err.text, "a b  ");
}

static void long_text_is_cut(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, "%02000d", 7);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void caret_is_below_column(void **state)
{
    (void)state;
    struct err err = {0};
    const char *text = "first\nl2.size = 60 Mib\nlast";
    err_set_at(&err, "x.dev", 2, 14, text, strlen(text), "unknown unit '%s'", "Mib");
    check_print(&err, "x.dev:2:14: error: unknown unit 'Mib'\n"
                      "  l2.size = 60 Mib\n"
                      "               ^\n");
}

static void caret_counts_characters(void **state)
{
    (void)state;
    struct err err = {0};
    const char *text = "\t\xc2\xb5s = \xc3\xa4 !\r\n"; // one tab, two characters of two bytes
    err_set_at(&err, "u", 1, 11, text, strlen(text), "bad");
    check_print(&err, "u:1:11: error: bad\n"
                      "   \xc2\xb5s = \xc3\xa4 !\n"
                      "          ^\n");
}

static void caret_may_stand_behind_the_line(void **state)
{
    (void)state;
    struct err err = {0};
    err_set_at(&err, "u", 1, 4, "a =", 3, "no value");
    check_print(&err, "u:1:4: error: no value\n  a =\n     ^\n");
}

static void places_may_be_missing(void **state)
{
    (void)state;
    struct err bare = {0}, file = {0}, line = {0}, beyond = {0};
    err_set(&bare, "bare");
    check_print(&bare, "warpglass: error: bare\n");
    err_set_at(&file, "f", 0, 0, NULL, 0, "whole file");
    check_print(&file, "f: error: whole file\n");
    err_set_at(&line, "f", 2, 0, "a\nb\n", 4, "whole line");
    check_print(&line, "f:2: error: whole line\n  b\n");
    err_set_at(&beyond, "f", 9, 9, "a\nb\n", 4, "no such line");
    check_print(&beyond, "f:9:9: error: no such line\n");
}

// Runs `act` in a child and returns its exit status; what it prints goes nowhere.
static int status_of(void (*act)(void))
{
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        act();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void act_bug(void)
{
    BUG("%d", 1);
}

static void act_memory(void)
{
    err_memory("test", 1);
}

static void fatal_statuses(void **state)
{
    (void)state;
    assert_int_equal(status_of(act_bug), 70);
    assert_int_equal(status_of(act_memory), 71);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_error_wins),        cmocka_unit_test(text_is_one_line),
        cmocka_unit_test(long_text_is_cut),        cmocka_unit_test(caret_is_below_column),
        cmocka_unit_test(caret_counts_characters), cmocka_unit_test(caret_may_stand_behind_the_line),
        cmocka_unit_test(places_may_be_missing),   cmocka_unit_test(fatal_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
