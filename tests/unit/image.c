// Images in files and in memory: what each kind of file holds, which one a device takes, and that compression
// changes nothing.
#include "image/image.h"
#include "base/buf.h"
#include "image/elf.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

#define IMAGES "tests/data/images/"

struct opened {
    struct buf bytes;
    struct image_list list;
};

static struct opened open_file(const char *name)
{
    struct opened opened = {0};
    struct err err = {0};
    char path[128];
    snprintf(path, sizeof path, IMAGES "%s", name);
    if (!buf_read_file(&opened.bytes, path, &err) ||
        !image_scan(path, opened.bytes.at, opened.bytes.n, &opened.list, &err))
        fail_msg("%s: %s", path, err.text);
    assert_false(err.set);
    return opened;
}

static void close_file(struct opened *opened)
{
    image_list_release(&opened->list);
    buf_release(&opened->bytes);
}

// One line for each image: container, target, compression, marks.
static void describe(const struct image_list *list, struct buf *out)
{
    static const char *const codings[] = {"plain", "lz4", "zstd", "unknown"};
    for (size_t i = 0; i < list->n; i++) {
        char target[16];
        const struct image *image = &list->at[i];
        buf_printf(out, "%s%u %s %s%s%s%s%s", i ? "; " : "", image->container, image_target(image, target),
                   codings[image->coding], image->is_debug ? " debug" : "",
                   image->is_relocatable ? " linked" : "", image->name[0] ? " " : "", image->name);
    }
}

static void test_files(void **state)
{
    static const struct {
        const char *name, *images;
        uint32_t n_containers;
    } files[] = {
        {"plain.fatbin", "0 compute_90 plain", 1},
        {"lz4.fatbin", "0 compute_90 lz4", 1},
        {"zstd.fatbin", "0 compute_90 zstd", 1},
        {"many.fatbin", "0 sm_80 zstd; 0 sm_90 zstd; 0 compute_90 zstd; 0 compute_75 zstd", 1},
        {"specific.fatbin", "0 sm_90a zstd; 0 compute_90a zstd; 0 compute_90 zstd", 1},
        {"family.fatbin", "0 sm_100f zstd; 0 compute_100f zstd", 1},
        {"debug.fatbin", "0 compute_90 zstd debug scale.cu", 1},
        {"machine.fatbin", "0 sm_80 zstd; 0 sm_90 zstd", 1},
        {"lto.fatbin", "0 lto_90 unknown", 1},
        {"scale.cubin", "0 sm_90 plain", 1},
        {"part_a.o", "0 compute_90 zstd linked part_a.cu", 1},
        {"library.so", "0 compute_90 zstd; 1 compute_90 zstd", 2},
        {"linked.so",
         "0 sm_90 zstd linked part_a.cu; 0 compute_90 zstd linked part_a.cu; 1 sm_90 zstd linked part_b.cu; "
         "1 compute_90 zstd linked part_b.cu",
         2},
        {"program", "1 compute_90 zstd", 2}, // the first container is empty
        {"raw.o", "0 compute_80 plain", 1},
        {"../ptx/sgemm.ptx", "0 compute_90 plain", 1},
    };
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(files); i++) {
        struct opened opened = open_file(files[i].name);
        struct buf text = {0};
        describe(&opened.list, &text);
        assert_string_equal(text.at, files[i].images);
        assert_int_equal(opened.list.n_containers, files[i].n_containers);
        buf_release(&text);
        close_file(&opened);
    }
}

static void test_options(void **state)
{
    (void)state;
    struct opened debug = open_file("debug.fatbin"), plain = open_file("plain.fatbin");
    assert_non_null(strstr(debug.list.at[0].options, "-maxrregcount=32"));
    assert_string_equal(plain.list.at[0].options, "");
    assert_int_equal(image_max_registers(&debug.list.at[0]), 32);
    assert_int_equal(image_max_registers(&plain.list.at[0]), 0);
    assert_int_equal(image_max_registers(&(struct image){.options = "-g -maxrregcount="}), 0);
    assert_int_equal(image_max_registers(&(struct image){.options = "-maxrregcount=128 -g"}), 128);
    close_file(&debug);
    close_file(&plain);
}

// ---- payloads -------------------------------------------------------------------------------------------

static const char *decode(struct arena *arena, const char *name, size_t index, size_t *length)
{
    struct opened opened = open_file(name);
    struct err err = {0};
    const char *bytes = NULL;
    assert_true(index < opened.list.n);
    if (!image_decode(arena, &opened.list.at[index], &bytes, length, &err))
        fail_msg("%s: %s", name, err.text);
    close_file(&opened);
    return bytes;
}

static void test_compression(void **state)
{
    (void)state;
    struct arena arena;
    size_t n_plain, n_lz4, n_zstd, n_cubin, n_own;
    arena_init(&arena, "test");
    const char *plain = decode(&arena, "plain.fatbin", 0, &n_plain),
               *lz4 = decode(&arena, "lz4.fatbin", 0, &n_lz4);
    const char *zstd = decode(&arena, "zstd.fatbin", 0, &n_zstd);
    assert_int_equal(n_plain, n_lz4);
    assert_int_equal(n_plain, n_zstd);
    assert_memory_equal(plain, lz4, n_plain + 1);
    assert_memory_equal(plain, zstd, n_plain + 1);
    assert_int_equal(plain[n_plain], '\0');
    assert_int_equal(strlen(plain), n_plain);
    assert_non_null(strstr(plain, ".visible .entry scale("));

    const char *cubin = decode(&arena, "machine.fatbin", 1, &n_cubin),
               *own = decode(&arena, "scale.cubin", 0, &n_own);
    assert_int_equal(n_cubin, n_own);
    assert_true(elf_is(cubin, n_cubin) && elf_is(own, n_own));
    arena_release(&arena);
}

static void test_not_decodable(void **state)
{
    (void)state;
    struct arena arena;
    struct err err = {0};
    struct opened opened = open_file("lto.fatbin");
    const char *bytes;
    size_t length;
    arena_init(&arena, "test");
    assert_false(image_decode(&arena, &opened.list.at[0], &bytes, &length, &err));
    assert_string_equal(err.text, "the image for lto_90: is compressed in a way that is not known");
    close_file(&opened);
    arena_release(&arena);
}

// ---- choice ---------------------------------------------------------------------------------------------

static void test_runs_on(void **state)
{
    static const struct {
        struct image image;
        unsigned cc;
        bool runs;
    } rows[] = {
        {{.kind = IMAGE_PTX, .cc = 80}, 90, true},
        {{.kind = IMAGE_PTX, .cc = 80}, 80, true},
        {{.kind = IMAGE_PTX, .cc = 90}, 89, false},
        {{.kind = IMAGE_PTX, .cc = 75}, 120, true},
        {{.kind = IMAGE_PTX, .cc = 90, .is_arch_specific = true}, 90, true},
        {{.kind = IMAGE_PTX, .cc = 90, .is_arch_specific = true}, 100, false},
        {{.kind = IMAGE_PTX, .cc = 100, .is_family_specific = true}, 103, true},
        {{.kind = IMAGE_PTX, .cc = 100, .is_family_specific = true}, 120, false},
        {{.kind = IMAGE_CUBIN, .cc = 80}, 86, true},
        {{.kind = IMAGE_CUBIN, .cc = 86}, 80, false},
        {{.kind = IMAGE_CUBIN, .cc = 80}, 90, false},
        {{.kind = IMAGE_CUBIN, .cc = 90, .is_arch_specific = true}, 90, true},
        {{.kind = IMAGE_LTO, .cc = 80}, 90, false},
    };
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++)
        if (image_runs_on(&rows[i].image, rows[i].cc) != rows[i].runs)
            fail_msg("row %zu", i);
}

// The target that is chosen for a capability, or "none".
static void check_choice(const char *name, unsigned cc, bool wants_cubin, const char *expected)
{
    char target[16] = "none";
    struct opened opened = open_file(name);
    const struct image *image = image_choose(&opened.list, cc, wants_cubin);
    if (image)
        image_target(image, target);
    if (strcmp(target, expected) != 0)
        fail_msg("%s for %u: %s instead of %s", name, cc, target, expected);
    close_file(&opened);
}

static void test_choice(void **state)
{
    (void)state;
    check_choice("many.fatbin", 90, false, "compute_90");
    check_choice("many.fatbin", 100, false, "compute_90");
    check_choice("many.fatbin", 89, false, "compute_75");
    check_choice("many.fatbin", 70, false, "none");
    check_choice("many.fatbin", 90, true, "sm_90");
    check_choice("many.fatbin", 86, true, "sm_80");
    check_choice("many.fatbin", 75, true, "none");
    check_choice("specific.fatbin", 90, false, "compute_90a");
    check_choice("specific.fatbin", 90, true, "sm_90a");
    check_choice("specific.fatbin", 100, false, "compute_90");
    check_choice("family.fatbin", 103, false, "compute_100f");
    check_choice("family.fatbin", 120, false, "none");
    check_choice("lto.fatbin", 90, false, "none");
}

static void test_choice_in_container(void **state)
{
    (void)state;
    struct opened opened = open_file("linked.so");
    const struct image *a = image_choose_in(&opened.list, 0, 90, false),
                       *b = image_choose_in(&opened.list, 1, 90, false);
    assert_string_equal(a->name, "part_a.cu");
    assert_string_equal(b->name, "part_b.cu");
    assert_int_equal(b->kind, IMAGE_PTX);
    assert_null(image_choose_in(&opened.list, 2, 90, false));
    close_file(&opened);
}

static void check_failed_choice(const char *name, unsigned cc, const char *expected)
{
    struct err err = {0};
    struct opened opened = open_file(name);
    assert_false(image_fail_choice(name, &opened.list, cc, &err));
    assert_string_equal(err.text, expected);
    assert_string_equal(err.file, name);
    close_file(&opened);
}

static void test_failed_choice(void **state)
{
    (void)state;
    check_failed_choice(
        "machine.fatbin", 90,
        "holds code for sm_80, sm_90 but no PTX: build with -gencode arch=compute_90,code=compute_90");
    check_failed_choice(
        "many.fatbin", 70,
        "holds PTX for compute_90, compute_75, which a device of capability 7.0 does not run: choose "
        "another --device, or build with -gencode arch=compute_70,code=compute_70");
    check_failed_choice(
        "lto.fatbin", 90,
        "holds code for lto_90 but no PTX: build with -gencode arch=compute_90,code=compute_90");
    struct image_list none = {0};
    struct err err = {0};
    assert_false(image_fail_choice("x", &none, 90, &err));
    assert_string_equal(err.text, "holds no device code");
}

// ---- memory of a process --------------------------------------------------------------------------------

struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *prelinked;
};

static const char empty_container[] = "\x50\xed\x55\xba\x01\x00\x10\x00\0\0\0\0\0\0\0";

static void check_wrapper(const struct wrapper *wrapper, const char *expected)
{
    struct image_list list = {0};
    struct err err = {0};
    struct buf text = {0};
    if (!image_scan_memory(wrapper, &list, &err))
        fail_msg("%s", err.text);
    describe(&list, &text);
    assert_string_equal(text.at ? text.at : "", expected);
    buf_release(&text);
    image_list_release(&list);
}

static void test_wrappers(void **state)
{
    (void)state;
    struct opened many = open_file("many.fatbin"), plain = open_file("plain.fatbin"),
                  lz4 = open_file("lz4.fatbin");
    check_wrapper(&(struct wrapper){0x466243B1, 1, many.bytes.at, NULL},
                  "0 sm_80 zstd; 0 sm_90 zstd; 0 compute_90 zstd; 0 compute_75 zstd");
    check_wrapper(&(struct wrapper){0x466243B1, 1, "// text\n.version 7.0\n  .target sm_86, debug\n", NULL},
                  "0 compute_86 plain");
    const void *const prelinked[] = {plain.bytes.at, lz4.bytes.at, NULL};
    check_wrapper(&(struct wrapper){0x466243B1, 2, empty_container, prelinked},
                  "1 compute_90 plain linked; 2 compute_90 lz4 linked");
    check_wrapper(&(struct wrapper){0x466243B1, 2, empty_container, NULL}, "");
    close_file(&many);
    close_file(&plain);
    close_file(&lz4);
}

static void check_memory(const void *image, const char *expected)
{
    struct image_list list = {0};
    struct err err = {0};
    struct buf text = {0};
    if (image_scan_memory(image, &list, &err))
        describe(&list, &text);
    else
        buf_puts(&text, err.text);
    assert_string_equal(text.at, expected);
    buf_release(&text);
    image_list_release(&list);
}

static void test_memory(void **state)
{
    (void)state;
    struct opened cubin = open_file("scale.cubin"), fatbin = open_file("zstd.fatbin");
    assert_int_equal(elf_extent(cubin.bytes.at), cubin.bytes.n);
    check_memory(cubin.bytes.at, "0 sm_90 plain");
    check_memory(fatbin.bytes.at, "0 compute_90 zstd");
    check_memory("\n.version 8.0\n.target sm_90a\n.address_size 64\n", "0 compute_90a plain");
    check_memory("", "the device code of the program is neither a fatbin nor PTX text");
    check_memory("int main", "the device code of the program is neither a fatbin nor PTX text");
    check_memory(&(struct wrapper){0x466243B1, 3, NULL, NULL},
                 "the program registers device code of unknown version 3");
    close_file(&cubin);
    close_file(&fatbin);
}

// ---- kinds of file --------------------------------------------------------------------------------------

static void test_executable(void **state)
{
    static const struct {
        const char *name;
        bool is_executable;
    } files[] = {{"program", true},
                 {"library.so", false},
                 {"part_a.o", false},
                 {"scale.cubin", false},
                 {"plain.fatbin", false}};
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(files); i++) {
        struct opened opened = open_file(files[i].name);
        assert_int_equal(image_is_executable(opened.bytes.at, opened.bytes.n), files[i].is_executable);
        close_file(&opened);
    }
}

static void test_other_files(void **state)
{
    (void)state;
    struct image_list list = {0};
    struct err err = {0}, err32 = {0};
    assert_false(image_scan("x.png", "\x89PNG\r\n", 6, &list, &err));
    assert_string_equal(err.text, "neither PTX, a fatbin, a cubin nor an ELF file");
    assert_string_equal(err.file, "x.png");
    char header[64] = "\x7f"
                      "ELF\x01\x01";
    assert_false(image_scan("x.o", header, sizeof header, &list, &err32));
    assert_string_equal(err32.text, "the ELF file is not a 64-bit little-endian one");
    assert_int_equal(list.n, 0);
}

// A target of an older toolkit lies elsewhere.
static void test_cubin_targets(void **state)
{
    (void)state;
    struct opened cubin = open_file("scale.cubin");
    struct image_list list = {0};
    struct err err = {0};
    cubin.bytes.at[8] = 7; // ABI version
    memcpy(cubin.bytes.at + 48, "\x56\x05\x50\x00", 4);
    assert_true(image_scan("x.cubin", cubin.bytes.at, cubin.bytes.n, &list, &err));
    assert_int_equal(list.at[0].cc, 86);
    image_list_release(&list);
    close_file(&cubin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_not_decodable),
        cmocka_unit_test(test_runs_on),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_choice_in_container),
        cmocka_unit_test(test_failed_choice),
        cmocka_unit_test(test_wrappers),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_executable),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_cubin_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
