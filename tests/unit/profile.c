// The profile file: what is written is read back; what is cut, damaged or hostile is named and never crashes.
#include "prof/profile.h"
#include "base/buf.h"
#include "prof/codec.h"
#include "support/check.h"
#include "support/sample_profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *temporary_path(void)
{
    static char path[256];
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/profile-%d.wgp", folder ? folder : "/tmp", (int)getpid());
    return path;
}

static void write_sample(const char *path)
{
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    struct profile_environment environment = sample_environment();
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, launches);
    struct profile_writer *writer = profile_create(path, &environment, sample_device_text, &err);
    assert_non_null(writer);
    for (int i = 0; i < N_SAMPLE_LAUNCHES; i++)
        assert_true(profile_append(writer, &launches[i], &err));
    assert_true(profile_close(writer, &err));
    arena_release(&arena);
}

static struct buf sample_bytes(void)
{
    struct buf bytes = {0};
    struct err err = {0};
    write_sample(temporary_path());
    assert_true(buf_read_file(&bytes, temporary_path(), &err));
    unlink(temporary_path());
    return bytes;
}

static void check_insn(const struct profile_insn *a, const struct profile_insn *b)
{
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->unit, b->unit);
    assert_int_equal(a->class, b->class);
    assert_int_equal(a->fidelity, b->fidelity);
    assert_int_equal(a->access_bytes, b->access_bytes);
    assert_memory_equal(&a->counters, &b->counters, sizeof a->counters);
}

static void check_launch(const struct profile_launch *a, const struct profile_launch *b)
{
    assert_int_equal(a->id, b->id);
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->demangled, b->demangled);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_int_equal(a->registers_are_estimated, b->registers_are_estimated);
    assert_int_equal(a->shared_config_bytes, b->shared_config_bytes);
    assert_true(a->occupancy == b->occupancy && a->wall_seconds == b->wall_seconds);
    assert_int_equal(a->dram_write_sectors, b->dram_write_sectors);
    assert_string_equal(a->fault ? a->fault : "", b->fault ? b->fault : "");
    assert_int_equal(a->fault == NULL, b->fault == NULL);
    assert_int_equal(a->n_files, b->n_files);
    for (uint32_t i = 0; i < a->n_files; i++)
        assert_string_equal(a->files[i], b->files[i]);
    assert_int_equal(a->n_lines, b->n_lines);
    for (uint32_t i = 0; i < a->n_lines; i++)
        assert_memory_equal(&a->lines[i], &b->lines[i], sizeof a->lines[i]);
    assert_int_equal(a->n_insns, b->n_insns);
    for (uint32_t i = 0; i < a->n_insns; i++)
        check_insn(&a->insns[i], &b->insns[i]);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct buf bytes = sample_bytes();
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    struct profile *profile = profile_parse(&arena, "x.wgp", bytes.at, bytes.n, &err);
    buf_release(&bytes);
    assert_non_null(profile);
    assert_false(profile->is_truncated);
    struct profile_environment environment = sample_environment();
    assert_string_equal(profile->environment.program, environment.program);
    assert_string_equal(profile->environment.host, environment.host);
    assert_int_equal(profile->environment.process_id, environment.process_id);
    assert_int_equal(profile->environment.start_unix_seconds, environment.start_unix_seconds);
    assert_string_equal(profile->device_text, sample_device_text);
    struct profile_launch expected[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, expected);
    assert_int_equal(profile->n_launches, N_SAMPLE_LAUNCHES);
    for (int i = 0; i < N_SAMPLE_LAUNCHES; i++)
        check_launch(&profile->launches[i], &expected[i]);
    arena_release(&arena);
}

// Where each record ends: the magic and version, then kind, length, payload, checksum.
static size_t record_ends(const struct buf *bytes, size_t ends[16])
{
    size_t n = 0, at = 12;
    ends[n++] = at;
    while (at < bytes->n && n < 16) {
        const uint8_t *head = (const uint8_t *)bytes->at + at + 1;
        at += 5 + (head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16) + 4;
        ends[n++] = at;
    }
    return n;
}

// Cut off at every byte: between records whole, inside one truncated; the launches before are there.
static void test_truncated(void **state)
{
    (void)state;
    struct buf bytes = sample_bytes();
    size_t ends[16], n = record_ends(&bytes, ends);
    assert_int_equal(n, 1 + 3 + N_SAMPLE_LAUNCHES);
    for (size_t cut = ends[0]; cut < bytes.n; cut++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct err err = {0};
        uint8_t *copy = arena_copy(&arena, bytes.at, cut, 1);
        struct profile *profile = profile_parse(&arena, "x.wgp", copy, cut, &err);
        assert_non_null(profile);
        size_t n_whole = 0;
        bool is_between = false;
        for (size_t i = 0; i < n; i++) {
            n_whole += ends[i] <= cut;
            is_between |= ends[i] == cut;
        }
        assert_int_equal(profile->is_truncated, !is_between);
        assert_int_equal(profile->n_launches, n_whole > 4 ? n_whole - 4 : 0);
        arena_release(&arena);
    }
    buf_release(&bytes);
}

// Any byte changed is noticed (a changed length may look like a cut).
static void test_damaged(void **state)
{
    (void)state;
    struct buf bytes = sample_bytes();
    for (size_t i = 0; i < bytes.n; i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct err err = {0};
        char *copy = arena_copy(&arena, bytes.at, bytes.n, 1);
        copy[i] = (char)(copy[i] ^ 0x41);
        struct profile *profile = profile_parse(&arena, "x.wgp", copy, bytes.n, &err);
        assert_true(profile ? profile->is_truncated : err.set);
        arena_release(&arena);
    }
    buf_release(&bytes);
}

static void test_not_a_profile(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    assert_null(profile_parse(&arena, "x.wgp", "", 0, &err));
    assert_string_equal(err.text, "'x.wgp' is not a warpglass profile");
    err = (struct err){0};
    assert_null(profile_parse(&arena, "x.wgp", "\x89WGP\r\n\x1a\n\x09\0\0\0", 12, &err));
    assert_non_null(strstr(err.text, "format 9"));
    err = (struct err){0};
    assert_null(profile_read(&arena, "/no/such/file", &err));
    assert_true(err.set);
    err = (struct err){0};
    struct profile_environment environment = sample_environment();
    assert_null(profile_create("/no/such/folder/x.wgp", &environment, "", &err));
    assert_non_null(strstr(err.text, "/no/such/folder/x.wgp"));
    arena_release(&arena);
}

static void add_record(struct encoder *file, char kind, const struct encoder *payload)
{
    size_t start = file->n;
    encode_u64(file, (uint64_t)kind);
    encode_fixed32(file, (uint32_t)payload->n);
    for (size_t i = 0; i < payload->n; i++) {
        encode_u64(file, 0);
        file->at[file->n - 1] = payload->at[i];
    }
    encode_fixed32(file, checksum(file->at + start, file->n - start));
}

// A file of another build: members and counters that we do not know are skipped, missing ones are 0.
static void test_other_schema(void **state)
{
    (void)state;
    struct encoder file = {0}, payload = {0};
    for (const char *c = "\x89WGP\r\n\x1a\n"; *c; c++) {
        encode_u64(&file, 0);
        file.at[file.n - 1] = (uint8_t)*c;
    }
    encode_fixed32(&file, 1);
    encode_text(&payload, "launch s kernel\nlaunch f new_real\nlaunch s new_text\nlaunch U id\n"
                          "counter U executed\ncounter U brand_new\ncounter U threads\n");
    add_record(&file, 'S', &payload);
    payload.n = 0;
    add_record(&file, '?', &payload); // a kind of record that we do not know
    encode_text(&payload, "kern");
    encode_f64(&payload, 1.5);
    encode_text(&payload, "news");
    encode_u64(&payload, 42);
    encode_u64(&payload, 0); // files
    encode_u64(&payload, 0); // lines
    encode_u64(&payload, 1); // instructions
    encode_text(&payload, "nop");
    for (int i = 0; i < 5; i++)
        encode_u64(&payload, 0); // line, unit, class, fidelity, width
    for (int i = 1; i <= 3; i++) {
        encode_u64(&payload, 1);
        encode_u64(&payload, (uint64_t)i * 10);
    }
    encode_u64(&payload, 0);
    add_record(&file, 'L', &payload);
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    struct profile *profile = profile_parse(&arena, "x.wgp", file.at, file.n, &err);
    assert_non_null(profile);
    assert_int_equal(profile->n_launches, 1);
    assert_string_equal(profile->launches[0].kernel, "kern");
    assert_string_equal(profile->launches[0].demangled, "");
    assert_int_equal(profile->launches[0].id, 42);
    assert_int_equal(profile->launches[0].insns[0].counters.executed, 10);
    assert_int_equal(profile->launches[0].insns[0].counters.threads, 30);
    arena_release(&arena);
    encoder_release(&file);
    encoder_release(&payload);
}

// Zero counters take one byte for all of them together.
static void test_size(void **state)
{
    (void)state;
    enum { N = 1000 };
    static struct profile_insn insns[N];
    for (int i = 0; i < N; i++)
        insns[i] = (struct profile_insn){.text = "nop"};
    struct profile_launch launch = {.insns = insns, .n_insns = N};
    struct profile_environment environment = sample_environment();
    struct err err = {0};
    struct profile_writer *writer = profile_create(temporary_path(), &environment, "", &err);
    assert_true(profile_append(writer, &launch, &err));
    assert_true(profile_close(writer, &err));
    struct buf bytes = {0};
    assert_true(buf_read_file(&bytes, temporary_path(), &err));
    assert_true(bytes.n < N * 10 + 3000); // text 4, line, unit, class, fidelity, width, end
    buf_release(&bytes);
    unlink(temporary_path());
}

// Appending must cost little beside a small launch. The bound is generous: machines are busy, sanitizers
// slow.
static void test_append_is_quick(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct arena arena;
    arena_init(&arena, "test");
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, launches);
    struct profile_environment environment = sample_environment();
    struct err err = {0};
    struct profile_writer *writer = profile_create(temporary_path(), &environment, "", &err);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < N; i++)
        profile_append(writer, &launches[1], &err);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double us = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / N / 1e3;
    print_message("# %.2f us a launch of %u instructions\n", us, launches[1].n_insns);
    assert_true(us < 500);
    assert_true(profile_close(writer, &err));
    unlink(temporary_path());
    arena_release(&arena);
}

// A profile written by an earlier build must stay readable: tests/data/sample.wgp is never written again.
static void test_stored_file(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    struct profile *profile = profile_read(&arena, "tests/data/sample.wgp", &err);
    assert_non_null(profile);
    assert_int_equal(profile->n_launches, N_SAMPLE_LAUNCHES);
    assert_string_equal(profile->launches[1].demangled, "void tr_tile<(int)32>(const float *, float *, int)");
    struct counters total;
    launch_totals(&profile->launches[1], &total);
    assert_int_equal(total.shared_wavefronts, 33 * 32768);
    arena_release(&arena);
}

int main(int argc, char **argv)
{
    if (argc == 2) { // makes the stored file
        write_sample(argv[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_damaged),         cmocka_unit_test(test_not_a_profile),
        cmocka_unit_test(test_other_schema),    cmocka_unit_test(test_size),
        cmocka_unit_test(test_append_is_quick), cmocka_unit_test(test_stored_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
