// ptx/print over every file of tests/data/ptx: parse → print → parse gives the identical print, and the
// printed instructions are the written ones.
#include "ptx/ast.h"
#include "support/check.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/data/ptx"

static struct ptx_module *parse(struct arena *arena, const char *path, const struct buf *text)
{
    struct err err = {0};
    struct ptx_module *module = ptx_parse(arena, path, text->at, text->n, &err);
    if (!module)
        fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.text);
    return module;
}

// The statement without blanks, and without what printing drops: +0 and the + of +-4.
static void squeeze(const char *text, struct buf *out)
{
    buf_clear(out);
    for (; *text; text++) {
        bool is_dropped = *text == ' ' || (text[0] == '+' && text[1] == '-');
        if (strncmp(text, "+0]", 3) == 0)
            text++;
        else if (!is_dropped)
            buf_add(out, text, 1);
    }
}

static void same_instructions(const struct ptx_function *a, const struct ptx_function *b)
{
    struct buf left = {0}, right = {0};
    assert_int_equal(a->n_insns, b->n_insns);
    assert_int_equal(a->n_registers, b->n_registers);
    assert_int_equal(a->n_labels, b->n_labels);
    for (uint32_t i = 0; i < a->n_insns; i++) {
        squeeze(a->insns[i].text, &left);
        squeeze(b->insns[i].text, &right);
        assert_string_equal(left.at, right.at);
        assert_int_equal(a->insns[i].loc, b->insns[i].loc);
    }
    buf_release(&left);
    buf_release(&right);
}

static uint32_t round_trip(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    struct buf text, printed = {0}, again = {0};
    struct err err = {0};
    struct arena arena;
    assert_true(buf_read_file(&text, path, &err));
    arena_init(&arena, "test");
    const struct ptx_module *first = parse(&arena, path, &text);
    ptx_print(first, &printed);
    const struct ptx_module *second = parse(&arena, "printed", &printed);
    ptx_print(second, &again);
    assert_int_equal(printed.n, again.n);
    assert_memory_equal(printed.at, again.at, printed.n);
    assert_int_equal(first->n_functions, second->n_functions);
    bool is_decimal = strcmp(name, "forms.ptx") != 0; // it has numbers that are printed in another form
    for (uint32_t i = 0; i < first->n_functions && is_decimal; i++)
        same_instructions(first->functions[i], second->functions[i]);
    uint32_t n = first->n_functions;
    arena_release(&arena);
    buf_release(&text);
    buf_release(&printed);
    buf_release(&again);
    return n;
}

static void every_file(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    uint32_t n_files = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        assert_true(round_trip(entry->d_name) > 0);
        n_files++;
    }
    closedir(folder);
    assert_true(n_files >= 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file)};
    return cmocka_run_group_tests_name("ptx/roundtrip", tests, NULL, NULL);
}
