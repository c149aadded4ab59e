// Attributes of cubins against what cuobjdump and ptxas say of the same kernels, and damaged ones.
#include "image/cubin.h"
#include "base/buf.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBINS "tests/data/cubins/"

// The cubin for `cc` in a fatbin, decoded into the arena.
static const char *open_cubin(struct arena *arena, const char *program, unsigned cc, struct cubin *out,
                              size_t *n)
{
    struct buf bytes = {0};
    struct image_list list = {0};
    struct err err = {0};
    const char *decoded = NULL, *path = arena_printf(arena, CUBINS "%s.fatbin", program);
    bool good = buf_read_file(&bytes, path, &err) && image_scan(path, bytes.at, bytes.n, &list, &err);
    const struct image *image = good ? image_choose(&list, cc, true) : NULL;
    if (!image || !image_decode(arena, image, &decoded, n, &err) ||
        !cubin_read(arena, path, decoded, *n, out, &err))
        fail_msg("%s: %s", path, err.text);
    assert_int_equal(out->cc, cc);
    image_list_release(&list);
    buf_release(&bytes);
    return decoded;
}

static const struct cubin_kernel *find_kernel(const struct cubin *cubin, const char *name)
{
    for (uint32_t i = 0; i < cubin->n_kernels; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

struct row {
    char program[32], kernel[64];
    unsigned registers, stack, shared, local, constant;
};

static bool read_row(FILE *file, struct row *row)
{
    return fscanf(file, " %31[^,],%63[^,],%u,%u,%u,%u,%u", row->program, row->kernel, &row->registers,
                  &row->stack, &row->shared, &row->local, &row->constant) == 7;
}

static void check_row(const struct cubin *cubin, const struct row *row)
{
    const struct cubin_kernel *k = find_kernel(cubin, row->kernel);
    if (k->registers != row->registers || k->stack_bytes != row->stack || k->shared_bytes != row->shared ||
        k->local_bytes != row->local || k->constant_bytes != row->constant)
        fail_msg("%s: %u registers, %u B stack, %u B shared, %u B local, %u B constants", row->kernel,
                 k->registers, k->stack_bytes, k->shared_bytes, k->local_bytes, k->constant_bytes);
    assert_true(k->code_bytes > 0 && k->code_bytes % 128 == 0);
    assert_int_equal(k->param_offset + k->param_bytes, k->constant_bytes);
}

static void test_resources(void **state)
{
    (void)state;
    FILE *file = fopen(CUBINS "resources_h200.csv", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0); // the header
    struct arena arena;
    struct cubin cubin = {0};
    struct row row, last = {0};
    size_t n;
    uint32_t n_rows = 0, n_kernels = 0;
    arena_init(&arena, "test");
    for (; read_row(file, &row); last = row, n_rows++) {
        if (strcmp(row.program, last.program) != 0) {
            open_cubin(&arena, row.program, 90, &cubin, &n);
            n_kernels += cubin.n_kernels;
        }
        check_row(&cubin, &row);
    }
    assert_int_equal(n_rows, 112);
    assert_int_equal(n_kernels, n_rows);
    arena_release(&arena);
    fclose(file);
}

// Registers and shared memory as `ptxas -v` printed them; 1024 bytes more from capability 9.0 on.
static void test_other_targets(void **state)
{
    static const struct {
        unsigned cc;
        const char *kernel;
        uint32_t registers, n_barriers, shared_bytes, constant_bytes;
    } rows[] = {{75, "atom_return_uniform", 10, 0, 0, 380},  {75, "hist_warp_uniform", 12, 1, 8192, 372},
                {80, "atom_return_uniform", 14, 0, 0, 380},  {80, "hist_shared_skewed", 8, 1, 1024, 372},
                {120, "atom_return_uniform", 18, 0, 0, 924}, {120, "hist_warp_skewed", 16, 1, 9216, 916},
                {120, "hist_global_uniform", 16, 0, 0, 916}};
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct arena arena;
        struct cubin cubin;
        size_t n;
        arena_init(&arena, "test");
        open_cubin(&arena, "older_newer", rows[i].cc, &cubin, &n);
        assert_int_equal(cubin.n_kernels, 10);
        const struct cubin_kernel *k = find_kernel(&cubin, rows[i].kernel);
        assert_int_equal(k->registers, rows[i].registers);
        assert_int_equal(k->n_barriers, rows[i].n_barriers);
        assert_int_equal(k->shared_bytes, rows[i].shared_bytes);
        assert_int_equal(k->constant_bytes, rows[i].constant_bytes);
        arena_release(&arena);
    }
}

// Structs by value beyond 4 KiB have records of their own kind: 8,000 ints, then a pointer.
static void test_large_parameters(void **state)
{
    (void)state;
    struct arena arena;
    struct cubin cubin;
    size_t n;
    arena_init(&arena, "test");
    open_cubin(&arena, "large_param", 90, &cubin, &n);
    const struct cubin_kernel *k = find_kernel(&cubin, "large_param");
    assert_int_equal(k->param_bytes, 32008);
    assert_int_equal(k->n_params, 2);
    assert_int_equal(k->params[0].offset, 0);
    assert_int_equal(k->params[0].size_bytes, 32000);
    assert_int_equal(k->params[1].offset, 32000);
    assert_int_equal(k->params[1].size_bytes, 8);
    arena_release(&arena);
}

static void test_bounds(void **state)
{
    (void)state;
    struct arena arena;
    struct cubin cubin;
    size_t n;
    arena_init(&arena, "test");
    open_cubin(&arena, "bounds", 90, &cubin, &n);
    assert_int_equal(cubin.constant_bytes, 40);
    assert_false(cubin.has_lines);
    const struct cubin_kernel *k = find_kernel(&cubin, "bounded");
    assert_int_equal(k->max_threads[0], 256);
    assert_int_equal(k->max_threads[1] * k->max_threads[2], 1);
    assert_int_equal(k->max_registers, 128);
    assert_int_equal(k->n_barriers, 1);
    assert_int_equal(k->shared_bytes, 256 + 1024);
    assert_int_equal(k->param_bytes, 50);
    assert_int_equal(k->param_offset, 0x210);
    assert_int_equal(k->n_params, 3);
    static const struct cubin_param params[] = {{0, 8}, {8, 40}, {48, 2}};
    for (size_t i = 0; i < N_ELEMENTS(params); i++) {
        assert_int_equal(k->params[i].offset, params[i].offset);
        assert_int_equal(k->params[i].size_bytes, params[i].size_bytes);
    }
    k = find_kernel(&cubin, "clustered");
    assert_int_equal(k->cluster[0] * 100 + k->cluster[1] * 10 + k->cluster[2], 211);
    assert_int_equal(k->max_registers, 0);
    k = find_kernel(&cubin, "blocked");
    assert_int_equal(k->required_threads[0] * 100 + k->required_threads[1] * 10 + k->required_threads[2],
                     6421);
    k = find_kernel(&cubin, "capped");
    assert_int_equal(k->max_registers, 40);
    assert_int_equal(k->n_barriers, 6);
    arena_release(&arena);
}

// Cut off anywhere, or with any byte changed: an error or a result.
static void test_damage(void **state)
{
    (void)state;
    struct arena arena, scratch;
    struct cubin cubin;
    size_t n;
    arena_init(&arena, "test");
    arena_init(&scratch, "test");
    const char *good = open_cubin(&arena, "bounds", 90, &cubin, &n);
    for (size_t at = 0; at < n; at += 3) {
        struct err cut = {0}, changed = {0};
        char *exact = malloc(at + 1);
        assert_non_null(exact);
        memcpy(exact, good, at);
        bool is_read = cubin_read(&scratch, "x", exact, at, &cubin, &cut);
        assert_int_equal(is_read, !cut.set);
        free(exact);
        exact = malloc(n);
        assert_non_null(exact);
        memcpy(exact, good, n);
        exact[at] ^= (char)(at % 2 ? 0xff : 0x01);
        is_read = cubin_read(&scratch, "x", exact, n, &cubin, &changed);
        assert_int_equal(is_read, !changed.set);
        free(exact);
        arena_clear(&scratch);
    }
    arena_release(&scratch);
    arena_release(&arena);
}

static void test_other_elf(void **state)
{
    (void)state;
    struct arena arena;
    struct buf bytes = {0};
    struct err err = {0};
    struct cubin cubin;
    arena_init(&arena, "test");
    assert_true(buf_read_file(&bytes, "tests/data/images/raw.o", &err));
    assert_false(cubin_read(&arena, "raw.o", bytes.at, bytes.n, &cubin, &err));
    assert_string_equal(err.text, "an ELF file for machine 62, not for a GPU of NVIDIA");
    buf_release(&bytes);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resources), cmocka_unit_test(test_other_targets), cmocka_unit_test(test_bounds), cmocka_unit_test(test_large_parameters),
        cmocka_unit_test(test_damage),    cmocka_unit_test(test_other_elf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
