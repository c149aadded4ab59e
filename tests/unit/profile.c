// The profile file: what is written is read back; what is cut, damaged or hostile is named and never crashes.
#include "prof/profile.h"
#include "base/buf.h"
#include "prof/codec.h"
#include "support/check.h"
#include "support/sample_profile.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
    assert_int_equal(a->process_id, b->process_id);
    assert_string_equal(a->process_name, b->process_name ? b->process_name : "");
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

enum { N_HEAD_RECORDS = 3, MOST_RECORDS = 16 };

// Where each record ends: the magic and version, then kind, length, payload, checksum.
static size_t record_ends(const struct buf *bytes, size_t ends[MOST_RECORDS])
{
    size_t n = 0, at = 12;
    ends[n++] = at;
    while (at < bytes->n && n < MOST_RECORDS) {
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
    size_t ends[MOST_RECORDS], n = record_ends(&bytes, ends);
    assert_int_equal(n, 1 + N_HEAD_RECORDS + 2 * N_SAMPLE_LAUNCHES); // each launch has a kernel of its own
    for (size_t cut = ends[0]; cut < bytes.n; cut++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct err err = {0};
        uint8_t *copy = arena_copy(&arena, bytes.at, cut, 1);
        struct profile *profile = profile_parse(&arena, "x.wgp", copy, cut, &err);
        assert_non_null(profile);
        size_t n_launches = 0;
        bool is_between = false;
        for (size_t i = 0; i < n; i++) {
            n_launches += i > 0 && ends[i] <= cut && bytes.at[ends[i - 1]] == 'R';
            is_between |= ends[i] == cut;
        }
        assert_int_equal(profile->is_truncated, !is_between);
        assert_int_equal(profile->n_launches, n_launches);
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
    assert_true(bytes.n < N * 9 + 4000); // text 4, line, unit, class, fidelity, width; the launch nothing
    buf_release(&bytes);
    unlink(temporary_path());
}

// Launches of one kernel share what belongs to it; those that counted the same share their instructions too.
static void test_launches_share_their_kernel(void **state)
{
    (void)state;
    enum { N = 5 };
    struct arena arena;
    arena_init(&arena, "test");
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, launches);
    struct profile_launch *launch = &launches[1];
    struct counters *counters = arena_array(&arena, struct counters, launch->n_insns);
    for (uint32_t i = 0; i < launch->n_insns; i++)
        counters[i] = launch->insns[i].counters;
    struct profile_environment environment = sample_environment();
    struct err err = {0};
    struct profile_writer *writer = profile_create(temporary_path(), &environment, "", &err);
    uint64_t ids[2];
    assert_true(profile_add_kernel(writer, launch, &ids[0], &err) &&
                profile_add_kernel(writer, launch, &ids[1], &err));
    assert_int_equal(ids[0], ids[1]);
    for (int i = 0; i < N; i++) {
        launch->id = (uint64_t)i;
        counters[0].global_hits = i / 2;
        assert_true(profile_add_launch(writer, ids[0], launch, counters, launch->n_insns, &err));
    }
    assert_true(profile_close(writer, &err));
    struct profile *profile = profile_read(&arena, temporary_path(), &err);
    unlink(temporary_path());
    assert_non_null(profile);
    assert_int_equal(profile->n_launches, N);
    for (int i = 0; i < N; i++) {
        const struct profile_launch *read = &profile->launches[i];
        assert_int_equal(read->insns[0].counters.global_hits, i / 2);
        assert_int_equal(read->insns[0].counters.global_sectors, launch->insns[0].counters.global_sectors);
        assert_ptr_equal(read->lines, profile->launches[0].lines);
        assert_ptr_equal(read->insns, profile->launches[i / 2 * 2].insns);
        assert_string_equal(read->kernel, launch->kernel);
    }
    assert_ptr_not_equal(profile->launches[2].insns, profile->launches[1].insns);
    arena_release(&arena);
}

enum { N_PROCESSES = 4 };

static void append_as(const char *path, struct profile_launch *launch, int process, int n)
{
    struct err err = {0};
    struct profile_writer *writer = profile_open_append(path, &err);
    launch->process_id = process == N_PROCESSES ? 0 : (uint32_t)process; // the last one's is filled in
    launch->process_name = process % 2 ? "odd" : "even";
    bool is_good = writer != NULL;
    for (int i = 0; is_good && i < n; i++) {
        launch->id = (uint64_t)i;
        is_good = profile_append(writer, launch, &err);
    }
    _exit(is_good && profile_close(writer, &err) ? 0 : 1);
}

// Several processes append at the same time: every launch is there once and in the order of its process.
static void test_several_processes(void **state)
{
    (void)state;
    enum { N = 300 };
    struct arena arena;
    arena_init(&arena, "test");
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, launches);
    struct profile_environment environment = sample_environment();
    struct err err = {0};
    struct profile_writer *writer = profile_create(temporary_path(), &environment, "", &err);
    assert_true(profile_close(writer, &err));
    const char *path = temporary_path();
    pid_t children[N_PROCESSES];
    for (int p = 0; p < N_PROCESSES; p++)
        if ((children[p] = fork()) == 0)
            append_as(path, &launches[p % N_SAMPLE_LAUNCHES], p + 1, N);
    for (int p = 0; p < N_PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    struct profile *profile = profile_read(&arena, temporary_path(), &err);
    unlink(temporary_path());
    assert_non_null(profile);
    assert_false(profile->is_truncated);
    assert_int_equal(profile->n_launches, N_PROCESSES * N);
    uint64_t next[N_PROCESSES] = {0};
    for (int i = 0; i < N_PROCESSES * N; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        bool is_filled_in = launch->process_id == (uint32_t)children[N_PROCESSES - 1];
        uint32_t p = is_filled_in ? N_PROCESSES - 1 : launch->process_id - 1;
        assert_in_range(p, 0, N_PROCESSES - 1);
        assert_int_equal(launch->id, next[p]++);
        const char *expected = is_filled_in ? program_invocation_short_name : p % 2 ? "even" : "odd";
        assert_string_equal(launch->process_name, expected);
        assert_string_equal(launch->kernel, launches[p % N_SAMPLE_LAUNCHES].kernel);
    }
    arena_release(&arena);
}

static void add_many(struct profile_writer *writer, uint64_t kernel, struct profile_launch *launch,
                     uint64_t first, uint64_t n)
{
    struct err err = {0};
    struct counters *counters = calloc(launch->n_insns, sizeof *counters);
    for (launch->id = first; launch->id < first + n; launch->id++)
        assert_true(profile_add_launch(writer, kernel, launch, counters, launch->n_insns, &err));
    free(counters);
}

// Whoever is forked off and whoever is killed: all that was appended is there, once.
static void test_forked_and_killed(void **state)
{
    (void)state;
    enum { N_BEFORE = 400, N_CHILD = 1000, N_AFTER = 700 };
    struct arena arena;
    arena_init(&arena, "test");
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(&arena, launches);
    struct profile_environment environment = sample_environment();
    struct err err = {0};
    uint64_t kernel;
    const char *path = temporary_path();
    assert_true(profile_close(profile_create(path, &environment, "", &err), &err));
    struct profile_writer *writer = profile_open_append(path, &err);
    assert_true(profile_add_kernel(writer, &launches[0], &kernel, &err));
    add_many(writer, kernel, &launches[0], 0, N_BEFORE);
    pid_t child = fork();
    if (child == 0) {
        add_many(writer, kernel, &launches[0], N_BEFORE, N_CHILD);
        raise(SIGKILL);
    }
    add_many(writer, kernel, &launches[0], N_BEFORE + N_CHILD, N_AFTER);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(profile_close(writer, &err));
    struct profile *profile = profile_read(&arena, path, &err);
    unlink(path);
    assert_non_null(profile);
    assert_false(profile->is_truncated);
    assert_int_equal(profile->n_launches, N_BEFORE + N_CHILD + N_AFTER);
    bool *seen = arena_array(&arena, bool, profile->n_launches);
    for (uint32_t i = 0; i < profile->n_launches; i++) {
        assert_in_range(profile->launches[i].id, 0, profile->n_launches - 1);
        assert_false(seen[profile->launches[i].id]);
        seen[profile->launches[i].id] = true;
    }
    arena_release(&arena);
}

static void test_append_needs_a_head(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(profile_open_append("/no/such/file", &err));
    assert_non_null(strstr(err.text, "cannot open '/no/such/file'"));
    err = (struct err){0};
    assert_null(profile_open_append("README.md", &err));
    assert_string_equal(err.text, "'README.md' does not begin as a profile of this build");
    err = (struct err){0};
    assert_null(profile_open_append("tests/data/sample.wgp", &err)); // of version 1
    assert_true(err.set);
}

// A process was killed while it wrote, others went on: only the record that was cut is lost.
static void test_cut_in_the_middle(void **state)
{
    (void)state;
    struct buf bytes = sample_bytes();
    size_t ends[MOST_RECORDS], n = record_ends(&bytes, ends);
    size_t start = ends[N_HEAD_RECORDS + 1]; // the first launch: behind the head and its kernel
    assert_int_equal(n, 1 + N_HEAD_RECORDS + 2 * N_SAMPLE_LAUNCHES);
    assert_int_equal(bytes.at[start], 'R');
    size_t end = ends[N_HEAD_RECORDS + 2];
    for (size_t cut = start; cut <= end; cut++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct err err = {0};
        struct buf torn = {0};
        buf_add(&torn, bytes.at, cut);
        buf_add(&torn, bytes.at + end, bytes.n - end);
        struct profile *profile = profile_parse(&arena, "x.wgp", torn.at, torn.n, &err);
        assert_non_null(profile);
        bool is_whole = cut == start || cut == end;
        assert_int_equal(profile->is_truncated, !is_whole);
        assert_int_equal(profile->n_launches, N_SAMPLE_LAUNCHES - (cut != end));
        buf_release(&torn);
        arena_release(&arena);
    }
    buf_release(&bytes);
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
    uint64_t id;
    struct counters *counters = arena_array(&arena, struct counters, launches[1].n_insns);
    for (uint32_t i = 0; i < launches[1].n_insns; i++)
        counters[i] = launches[1].insns[i].counters;
    assert_true(profile_add_kernel(writer, &launches[1], &id, &err));
    for (int i = 0; i < N; i++)
        profile_add_launch(writer, id, &launches[1], counters, launches[1].n_insns, &err);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_truncated),
                                       cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_not_a_profile),
                                       cmocka_unit_test(test_other_schema),
                                       cmocka_unit_test(test_size),
                                       cmocka_unit_test(test_append_is_quick),
                                       cmocka_unit_test(test_stored_file),
                                       cmocka_unit_test(test_launches_share_their_kernel),
                                       cmocka_unit_test(test_several_processes),
                                       cmocka_unit_test(test_forked_and_killed),
                                       cmocka_unit_test(test_append_needs_a_head),
                                       cmocka_unit_test(test_cut_in_the_middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
