// base/embed: the device files in the program are those of the tree, byte for byte and in order.
#include "base/embed.h"
#include "base/buf.h"
#include "support/check.h"
#include <string.h>

static void files_equal_the_tree(void **state)
{
    (void)state;
    size_t n = 0;
    for (const struct embedded_file *file = embedded_devices; file->name; file++, n++) {
        struct buf path = {0}, text;
        struct err err = {0};
        buf_printf(&path, "devices/%s", file->name);
        assert_true(buf_read_file(&text, path.at, &err));
        assert_int_equal(text.n, file->length);
        assert_memory_equal(text.at, file->text, file->length + 1); // the NUL too
        buf_release(&path);
        buf_release(&text);
    }
    assert_true(n > 0);
}

static void names_ascend(void **state)
{
    (void)state;
    for (const struct embedded_file *file = embedded_devices; file->name && file[1].name; file++)
        assert_true(strcmp(file[0].name, file[1].name) < 0);
}

static void find_by_name(void **state)
{
    (void)state;
    const struct embedded_file *file = embedded_find(embedded_devices, "h200.dev");
    assert_non_null(file);
    assert_string_equal(file->name, "h200.dev");
    assert_null(embedded_find(embedded_devices, "h200"));
    assert_null(embedded_find(embedded_devices, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_equal_the_tree),
        cmocka_unit_test(names_ascend),
        cmocka_unit_test(find_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
