// base/kv: what a line may look like, and that each mistake is found with its line and column.
#include "base/kv.h"
#include "support/check.h"
#include <string.h>

static void full_lines(void **state)
{
    (void)state;
    static const char text[] = "# a device\n"
                               "\n"
                               "name = NVIDIA  H200\t SXM   # words\n"
                               "  l2.size=60 MiB @probe \"deviceQuery # not a comment\"  # comment\r\n"
                               "sizes = 0 8 16 KiB@vendor\n"
                               "note_only = 4 \"no source\"\n"
                               "   # only a comment\n"
                               "last = 1";
    struct arena arena;
    arena_init(&arena, "test");
    struct kv_file file;
    struct err err = {0};
    assert_true(kv_parse(&arena, "x.dev", text, sizeof text - 1, &file, &err));
    assert_false(err.set);
    static const struct kv_pair expected[] = {
        {"name", "NVIDIA H200 SXM", "", "", 3, 8},
        {"l2.size", "60 MiB", "probe", "deviceQuery # not a comment", 4, 11},
        {"sizes", "0 8 16 KiB", "vendor", "", 5, 9},
        {"note_only", "4", "", "no source", 6, 13},
        {"last", "1", "", "", 8, 8},
    };
    assert_int_equal(file.n, N_ELEMENTS(expected));
    for (size_t i = 0; i < file.n; i++) {
        assert_string_equal(file.pairs[i].key, expected[i].key);
        assert_string_equal(file.pairs[i].value, expected[i].value);
        assert_string_equal(file.pairs[i].source, expected[i].source);
        assert_string_equal(file.pairs[i].note, expected[i].note);
        assert_int_equal(file.pairs[i].line, expected[i].line);
        assert_int_equal(file.pairs[i].value_column, expected[i].value_column);
    }
    assert_string_equal(file.path, "x.dev");
    assert_string_equal(file.text, text);
    arena_release(&arena);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct kv_file file;
    struct err err = {0};
    assert_true(kv_parse(&arena, "empty", NULL, 0, &file, &err));
    assert_int_equal(file.n, 0);
    assert_true(kv_parse(&arena, "comment", "# x", 3, &file, &err));
    assert_int_equal(file.n, 0);
    arena_release(&arena);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message, *source;
    } rows[] = {
        {"a = 1\nb 2\n", 2, 1, "expected 'key = value', found no '='", "b 2"},
        {"  b 2", 1, 3, "expected 'key = value', found no '='", "  b 2"},
        {"= 2", 1, 1, "expected a key before '='", "= 2"},
        {"a b = 2", 1, 2, "a key is one word of letters, digits, '.', '_' and '-'", "a b = 2"},
        {"a =", 1, 4, "'a' has no value", "a ="},
        {"a = # none", 1, 4, "'a' has no value", "a = # none"},
        {"a = @probe", 1, 5, "'a' has no value", "a = @probe"},
        {"a = 1 @", 1, 7, "expected a source behind '@'", "a = 1 @"},
        {"a = 1 @probe x", 1, 14, "expected a note in quotes or the end of the line", "a = 1 @probe x"},
        {"a = 1 @probe \"x", 1, 14, "the quote is not closed", "a = 1 @probe \"x"},
        {"a = 1 \"x\" y", 1, 11, "expected the end of the line behind the note", "a = 1 \"x\" y"},
        {"a = 1\nb = 2\n\n a = 3", 4, 2, "'a' is given twice (first in line 1)", " a = 3"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct kv_file file;
        struct err err = {0};
        assert_false(kv_parse(&arena, "x.dev", rows[i].text, strlen(rows[i].text), &file, &err));
        assert_string_equal(err.text, rows[i].message);
        assert_string_equal(err.file, "x.dev");
        assert_int_equal(err.line, rows[i].line);
        assert_int_equal(err.column, rows[i].column);
        assert_string_equal(err.source, rows[i].source);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_lines),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
