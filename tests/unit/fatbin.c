// Fatbin containers: every field that can lie is refused with a sentence; nothing outside of the input is
// read (run this under ASan); what claims to be large costs nothing.
#include "base/buf.h"
#include "image/image.h"
#include "support/check.h"
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// A container that is put together field by field.
struct maker {
    struct buf bytes;
};

static void add(struct maker *m, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buf_add(&m->bytes, &(char){(char)(value >> (8 * i))}, 1);
}

static void add_container(struct maker *m, uint64_t size_bytes)
{
    add(m, 0xBA55ED50, 4);
    add(m, 1, 2);
    add(m, 16, 2);
    add(m, size_bytes, 8);
}

struct entry {
    uint16_t kind;
    uint32_t header_bytes;
    uint64_t padded_bytes;
    uint32_t payload_bytes, options_offset, cc, name_offset, name_length;
    uint64_t flags, decoded_bytes;
};

static void add_entry(struct maker *m, const struct entry *e)
{
    add(m, e->kind, 2);
    add(m, 0x101, 2);
    add(m, e->header_bytes, 4);
    add(m, e->padded_bytes, 8);
    add(m, e->payload_bytes, 4);
    add(m, e->options_offset, 4);
    add(m, 0x00090000, 4);
    add(m, e->cc, 4);
    add(m, e->name_offset, 4);
    add(m, e->name_length, 4);
    add(m, e->flags, 8);
    add(m, 0, 8);
    add(m, e->decoded_bytes, 8);
}

// Scans exactly the bytes there are; the copy lets ASan see a byte more. "" = good.
static void check_scan(const struct maker *m, const char *expected, struct image_list *out)
{
    struct err err = {0};
    char *exact = malloc(m->bytes.n ? m->bytes.n : 1);
    assert_non_null(exact);
    memcpy(exact, m->bytes.at, m->bytes.n);
    bool good = fatbin_scan(exact, m->bytes.n, out, &err);
    assert_int_equal(good, !err.set);
    if (strcmp(err.text, expected) != 0)
        fail_msg("'%s' instead of '%s'", err.text, expected);
    free(exact);
}

static void refuse(const struct entry *entry, uint64_t size_bytes, size_t n_payload, const char *expected)
{
    struct maker m = {0};
    struct image_list list = {0};
    add_container(&m, size_bytes);
    add_entry(&m, entry);
    for (size_t i = 0; i < n_payload; i++)
        add(&m, 'x', 1);
    check_scan(&m, expected, &list);
    image_list_release(&list);
    buf_release(&m.bytes);
}

static void test_fields(void **state)
{
    (void)state;
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 8, .cc = 90}, 72, 8, "");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 8, .cc = 90}, 73, 8,
           "damaged fatbin: the container is longer than what holds it");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 8, .cc = 90}, UINT64_MAX, 8,
           "damaged fatbin: the container is longer than what holds it");
    refuse(&(struct entry){.kind = 1, .header_bytes = 63, .padded_bytes = 8}, 72, 8,
           "damaged fatbin: entry 0 has a header of impossible size");
    refuse(&(struct entry){.kind = 1, .header_bytes = 73, .padded_bytes = 8}, 72, 8,
           "damaged fatbin: entry 0 has a header of impossible size");
    refuse(&(struct entry){.kind = 1, .header_bytes = UINT32_MAX, .padded_bytes = 8}, 72, 8,
           "damaged fatbin: entry 0 has a header of impossible size");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 9}, 72, 8,
           "damaged fatbin: entry 0 is longer than the container");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = UINT64_MAX - 60}, 72, 8,
           "damaged fatbin: entry 0 is longer than the container");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 8, .payload_bytes = 9}, 72, 8,
           "damaged fatbin: entry 0 has a payload longer than itself");
    refuse(&(struct entry){.kind = 1, .header_bytes = 64, .padded_bytes = 7}, 72, 8,
           "damaged fatbin: entry 1 is cut off in its header");
}

// Names and options outside of the header are no reason to give up the image.
static void test_texts(void **state)
{
    static const struct {
        uint32_t offset, length;
        const char *name;
    } rows[] = {{64, 8, "kernel"}, {64, 3, "ker"},       {65, 8, ""},          {UINT32_MAX, 8, ""},
                {64, 9, ""},       {64, UINT32_MAX, ""}, {72, UINT32_MAX, ""}, {72, 0, ""}};
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct maker m = {0};
        struct image_list list = {0};
        add_container(&m, 80);
        add_entry(&m, &(struct entry){.kind = 1,
                                      .header_bytes = 72,
                                      .padded_bytes = 8,
                                      .cc = 90,
                                      .options_offset = rows[i].offset,
                                      .name_offset = rows[i].offset,
                                      .name_length = rows[i].length});
        buf_add(&m.bytes, "kernel \0payload ", 16);
        check_scan(&m, "", &list);
        assert_int_equal(list.n, 1);
        assert_string_equal(list.at[0].name, rows[i].name);
        image_list_release(&list);
        buf_release(&m.bytes);
    }
}

static void test_long_name(void **state)
{
    (void)state;
    struct maker m = {0};
    struct image_list list = {0};
    add_container(&m, 264);
    add_entry(
        &m, &(struct entry){.kind = 1, .header_bytes = 264, .cc = 90, .name_offset = 64, .name_length = 200});
    for (int i = 0; i < 200; i++)
        add(&m, 'n', 1);
    check_scan(&m, "", &list);
    assert_int_equal(strlen(list.at[0].name), sizeof list.at[0].name - 1);
    image_list_release(&list);
    buf_release(&m.bytes);
}

static void test_unknown_kinds(void **state)
{
    (void)state;
    struct maker m = {0};
    struct image_list list = {0};
    add_container(&m, 128);
    add_entry(&m, &(struct entry){.kind = 4, .header_bytes = 64, .cc = 90});
    add_entry(&m, &(struct entry){.kind = 2, .header_bytes = 64, .cc = 80});
    check_scan(&m, "", &list);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.at[0].kind, IMAGE_CUBIN);
    image_list_release(&list);
    buf_release(&m.bytes);
}

static void test_containers(void **state)
{
    (void)state;
    struct maker m = {0};
    struct image_list list = {0};
    struct err err = {0}, other = {0};
    add_container(&m, 0);
    check_scan(&m, "", &list);
    assert_int_equal(list.n_containers, 1);
    m.bytes.at[4] = 2;
    check_scan(&m, "fatbin container of version 2: only version 1 is known", &list);
    m.bytes.at[4] = 1;
    m.bytes.at[6] = 15;
    check_scan(&m, "damaged fatbin: the container is longer than what holds it", &list);
    m.bytes.at[6] = 16;
    for (size_t n = 0; n < 16; n++) {
        struct err cut = {0};
        assert_false(fatbin_scan(m.bytes.at, n, &list, &cut));
    }
    // Two containers with zeros between and behind them, then something else.
    add(&m, 0, 8);
    add_container(&m, 0);
    add(&m, 0, 3);
    image_list_release(&list);
    assert_true(image_scan("x", m.bytes.at, m.bytes.n, &list, &err));
    assert_int_equal(list.n_containers, 2);
    add(&m, 'x', 1);
    assert_false(image_scan("x", m.bytes.at, m.bytes.n, &list, &other));
    assert_string_equal(other.text, "byte 43 of its fatbins begins neither a container nor PTX text");
    image_list_release(&list);
    buf_release(&m.bytes);
}

// Every file cut off at every byte, and with every byte of the first KiB changed: an error or a result, never
// a crash.
static void try_all(const char *bytes, size_t n)
{
    struct arena arena;
    struct err err = {0};
    struct image_list list = {0};
    char *exact = malloc(n ? n : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, n);
    arena_init(&arena, "test");
    bool good = image_scan("x", exact, n, &list, &err);
    assert_int_equal(good, !err.set);
    for (size_t i = 0; i < list.n; i++) {
        struct err refused = {0};
        const char *decoded;
        size_t length;
        good = image_decode(&arena, &list.at[i], &decoded, &length, &refused);
        assert_int_equal(good, !refused.set);
    }
    image_list_release(&list);
    arena_release(&arena);
    free(exact);
}

static void test_damage(void **state)
{
    static const char *const files[] = {"lz4.fatbin", "zstd.fatbin", "many.fatbin", "raw.o", "part_b.o"};
    (void)state;
    for (size_t f = 0; f < N_ELEMENTS(files); f++) {
        char path[96];
        struct buf bytes = {0};
        struct err err = {0};
        snprintf(path, sizeof path, "tests/data/images/%s", files[f]);
        assert_true(buf_read_file(&bytes, path, &err));
        for (size_t n = 0; n < bytes.n; n++)
            try_all(bytes.at, n);
        for (size_t at = 0; at < bytes.n && at < 1024; at++)
            for (int flip = 0; flip < 3; flip++) {
                static const char masks[] = {1, (char)0x80, (char)0xff};
                bytes.at[at] ^= masks[flip];
                try_all(bytes.at, bytes.n);
                bytes.at[at] ^= masks[flip];
            }
        buf_release(&bytes);
    }
}

// ---- sizes that lie -------------------------------------------------------------------------------------

static void check_claim(uint64_t flags, const char *payload, size_t n, uint64_t decoded, const char *expected)
{
    struct maker m = {0};
    struct image_list list = {0};
    struct arena arena;
    struct err err = {0};
    const char *bytes = NULL;
    size_t length = 0;
    add_container(&m, 64 + n);
    add_entry(&m, &(struct entry){.kind = 1,
                                  .header_bytes = 64,
                                  .padded_bytes = n,
                                  .payload_bytes = (uint32_t)n,
                                  .cc = 90,
                                  .flags = flags,
                                  .decoded_bytes = decoded});
    buf_add(&m.bytes, payload, n);
    arena_init(&arena, "test");
    assert_true(fatbin_scan(m.bytes.at, m.bytes.n, &list, &err));
    bool good = image_decode(&arena, &list.at[0], &bytes, &length, &err);
    assert_int_equal(good, !err.set);
    if (strcmp(err.text, expected) != 0)
        fail_msg("'%s' instead of '%s'", err.text, expected);
    arena_release(&arena);
    image_list_release(&list);
    buf_release(&m.bytes);
}

static void test_claims(void **state)
{
    enum { LZ4 = 0x2000, ZSTD = 0x8000 };
    static const char text[] =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    char lz4[256], zstd[256];
    int n_lz4 = LZ4_compress_default(text, lz4, sizeof text, sizeof lz4);
    size_t n_zstd = ZSTD_compress(zstd, sizeof zstd, text, sizeof text, 3);
    (void)state;
    check_claim(LZ4, lz4, (size_t)n_lz4, sizeof text, "");
    check_claim(ZSTD, zstd, n_zstd, sizeof text, "");
    check_claim(LZ4, lz4, (size_t)n_lz4, sizeof text - 1,
                "the image for compute_90: its compressed text is damaged");
    check_claim(LZ4, lz4, (size_t)n_lz4, sizeof text + 1,
                "the image for compute_90: its compressed text is damaged");
    check_claim(LZ4, lz4, (size_t)n_lz4, 100000,
                "the image for compute_90: its compressed text is too short for the size it claims");
    check_claim(ZSTD, zstd, n_zstd, sizeof text + 1,
                "the image for compute_90: its compressed text has another size than the container says");
    check_claim(ZSTD, lz4, (size_t)n_lz4, sizeof text,
                "the image for compute_90: its payload is not zstd, although marked so");
    check_claim(ZSTD, zstd, n_zstd - 1, sizeof text,
                "the image for compute_90: its compressed text is damaged");
    check_claim(ZSTD, zstd, n_zstd, UINT64_MAX, "the image for compute_90: claims to be larger than 512 MiB");
    check_claim(LZ4, lz4, (size_t)n_lz4, 1ull << 40,
                "the image for compute_90: claims to be larger than 512 MiB");
    check_claim(0x10000, lz4, (size_t)n_lz4, sizeof text,
                "the image for compute_90: is compressed in a way that is not known");
    check_claim(LZ4, "", 0, 0, "the image for compute_90: its compressed text is damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_long_name),  cmocka_unit_test(test_unknown_kinds),
        cmocka_unit_test(test_containers), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
