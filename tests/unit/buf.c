// base/buf: bytes grow, a NUL always follows, files are read whole or not at all.
#include "base/buf.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pieces_join(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_puts(&buf, "");
    assert_non_null(buf.at);
    assert_string_equal(buf.at, "");
    buf_puts(&buf, "ab");
    buf_add(&buf, "c\0d", 3);
    buf_printf(&buf, "%d", 42);
    assert_int_equal(buf.n, 7);
    assert_memory_equal(buf.at, "abc\0d42", 8);
    buf_clear(&buf);
    assert_int_equal(buf.n, 0);
    assert_string_equal(buf.at, "");
    buf_release(&buf);
    assert_null(buf.at);
}

static void long_pieces(void **state)
{
    (void)state;
    struct buf buf = {0};
    for (int i = 0; i < 300; i++)
        buf_printf(&buf, "%01000d", i);
    assert_int_equal(buf.n, 300000);
    assert_int_equal(strlen(buf.at), 300000);
    assert_memory_equal(buf.at + 299997, "299", 4);
    buf_release(&buf);
}

static void padding(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_pad_to(&buf, 2);
    buf_puts(&buf, "ab\ncd");
    buf_pad_to(&buf, 5);
    buf_puts(&buf, "|");
    buf_pad_to(&buf, 3); // already beyond
    assert_string_equal(buf.at, "  ab\ncd   |");
    buf_release(&buf);
}

static void file_is_read_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/warpglass-buf-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    char bytes[50000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    struct buf buf;
    struct err err = {0};
    assert_true(buf_read_file(&buf, path, &err));
    assert_false(err.set);
    assert_int_equal(buf.n, sizeof bytes);
    assert_memory_equal(buf.at, bytes, sizeof bytes);
    assert_int_equal(buf.at[buf.n], 0);
    buf_release(&buf);
    unlink(path);
}

static void failures_name_path_and_reason(void **state)
{
    (void)state;
    struct buf buf;
    struct err missing = {0}, folder = {0};
    assert_false(buf_read_file(&buf, "/nonexistent/x.ptx", &missing));
    assert_string_equal(missing.text, "cannot open '/nonexistent/x.ptx': No such file or directory");
    assert_null(buf.at);
    assert_false(buf_read_file(&buf, "/tmp", &folder));
    assert_string_equal(folder.text, "cannot read '/tmp': Is a directory");
    assert_null(buf.at);
}

static void empty_file(void **state)
{
    (void)state;
    struct buf buf;
    struct err err = {0};
    assert_true(buf_read_file(&buf, "/dev/null", &err));
    assert_int_equal(buf.n, 0);
    assert_string_equal(buf.at, "");
    buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_join),
        cmocka_unit_test(long_pieces),
        cmocka_unit_test(padding),
        cmocka_unit_test(file_is_read_whole),
        cmocka_unit_test(failures_name_path_and_reason),
        cmocka_unit_test(empty_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
