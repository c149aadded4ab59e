// Every page of the sample profile against its golden file in tests/report/. `BLESS=1 make test
// T=report/pages` rewrites the files; look at the difference before you commit it.
#include "report/diff.h"
#include "report/gate.h"
#include "report/report.h"
#include "support/check.h"
#include "support/sample_profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*page_writer)(const struct report *report, const struct report_options *options,
                            struct buf *out);

struct fixture {
    struct arena arena;
    struct report report;
};

// Written to a file and read back, so that the pages show what a profile keeps.
static const struct profile *stored_profile(struct arena *arena)
{
    struct err err = {0};
    struct profile_environment environment = sample_environment();
    const char *folder = getenv("TEST_TMP");
    const char *path = arena_printf(arena, "%s/sample.wgp", folder ? folder : "/tmp");
    struct profile_writer *writer = profile_create(path, &environment, sample_device_text, &err);
    assert_non_null(writer);
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    sample_launches(arena, launches);
    for (int i = 0; i < N_SAMPLE_LAUNCHES; i++)
        assert_true(profile_append(writer, &launches[i], &err));
    assert_true(profile_close(writer, &err));
    const struct profile *profile = profile_read(arena, path, &err);
    unlink(path);
    assert_non_null(profile);
    return profile;
}

static int setup(void **state)
{
    static struct fixture fixture;
    arena_init(&fixture.arena, "test");
    const struct profile *profile = stored_profile(&fixture.arena);
    report_open(&fixture.report, &fixture.arena, &profile, 1);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    arena_release(&fixture->arena);
    return 0;
}

static void check_golden(const char *name, const struct buf *text)
{
    char path[128];
    snprintf(path, sizeof path, "tests/report/%s", name);
    if (getenv("BLESS")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(text->at, 1, text->n, file), text->n);
        fclose(file);
        return;
    }
    struct buf golden = {0};
    struct err err = {0};
    assert_true(buf_read_file(&golden, path, &err));
    assert_string_equal(text->at, golden.at);
    buf_release(&golden);
}

static void check_page(void **state, page_writer write, const struct report_options *options,
                       const char *name)
{
    struct fixture *fixture = *state;
    struct buf text = {0};
    write(&fixture->report, options, &text);
    check_golden(name, &text);
    buf_release(&text);
}

static void test_summary(void **state)
{
    check_page(state, report_summary, &(struct report_options){0}, "summary.golden");
}

static void test_summary_reproducible(void **state)
{
    struct fixture *fixture = *state;
    struct buf text = {0};
    report_summary(&fixture->report, &(struct report_options){.is_reproducible = true}, &text);
    assert_null(strstr(text.at, "0.25 s"));
    assert_null(strstr(text.at, "chosen by"));
    buf_release(&text);
}

static void test_compare(void **state)
{
    check_page(state, report_columns, &(struct report_options){0}, "compare.golden");
}

static void test_source(void **state)
{
    check_page(state, report_source, &(struct report_options){0}, "source.golden");
    check_page(state, report_source, &(struct report_options){.is_in_order = true}, "source_line.golden");
}

static void test_annotate(void **state)
{
    check_page(state, report_annotate, &(struct report_options){0}, "annotate.golden");
}

static void test_findings(void **state)
{
    check_page(state, report_findings_page, &(struct report_options){0}, "findings.golden");
}

static void test_raw(void **state)
{
    check_page(state, report_raw, &(struct report_options){0}, "raw.golden");
}

static void test_csv(void **state)
{
    check_page(state, report_csv, &(struct report_options){0}, "csv.golden");
}

static void test_device(void **state)
{
    check_page(state, report_device_page, &(struct report_options){0}, "device.golden");
}

// The sample as it was, and with the tile's conflicts gone, the copy on another grid, the histogram missing.
static void test_diff(void **state)
{
    struct fixture *fixture = *state;
    struct profile changed = *fixture->report.launches[0].profile;
    struct profile_launch launches[2] = {changed.launches[0], changed.launches[1]};
    struct profile_insn *insns =
        arena_copy(&fixture->arena, launches[1].insns, launches[1].n_insns * sizeof *insns,
                   _Alignof(struct profile_insn));
    for (uint32_t i = 0; i < launches[1].n_insns; i++)
        insns[i].counters.shared_wavefronts = insns[i].counters.shared_ideal;
    launches[0].grid[0] /= 2;
    launches[1].insns = insns;
    changed.launches = launches;
    changed.n_launches = 2;
    const struct profile *profile = &changed;
    struct report after;
    struct diff diff;
    struct buf text = {0};
    struct report_options options = {0};
    report_open(&after, &fixture->arena, &profile, 1);
    diff_match(&fixture->report, &after, &diff);
    diff_print(&diff, &options, &text);
    check_golden("diff.golden", &text);
    buf_clear(&text);
    diff_json(&diff, &options, &text);
    check_golden("diff_json.golden", &text);
    buf_release(&text);
}

static void test_csv_details(void **state)
{
    struct section section;
    struct err err = {0};
    assert_true(section_find("Occupancy", &section, &err));
    struct report_options options = {.sections = &section, .n_sections = 1};
    check_page(state, report_csv_details, &options, "csv_details.golden");
}

static void test_json(void **state)
{
    check_page(state, report_json, &(struct report_options){.is_reproducible = true}, "json.golden");
}

static void test_picked_metrics(void **state)
{
    static const char *const names[] = {"dram__bytes.sum", "smsp__inst_executed_op_shared_ld.sum",
                                        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                        "sm__throughput.avg.pct_of_peak_sustained_elapsed", "gld_efficiency"};
    struct metric_pick picks[N_ELEMENTS(names)];
    struct err err = {0};
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        assert_true(metric_find(names[i], &picks[i], &err));
    struct report_options options = {.picks = picks, .n_picks = N_ELEMENTS(names), .is_base_units = true};
    check_page(state, report_csv, &options, "picked_csv.golden");
    check_page(state, report_raw, &options, "picked_raw.golden");
}

static void test_width(void **state)
{
    struct fixture *fixture = *state;
    struct buf text = {0};
    report_summary(&fixture->report, &(struct report_options){0}, &text);
    report_columns(&fixture->report, &(struct report_options){0}, &text);
    report_raw(&fixture->report, &(struct report_options){0}, &text);
    report_source(&fixture->report, &(struct report_options){0}, &text);
    report_annotate(&fixture->report, &(struct report_options){0}, &text);
    report_findings_page(&fixture->report, &(struct report_options){0}, &text);
    for (const char *at = text.at; *at; at += strcspn(at, "\n") + 1)
        assert_true(strcspn(at, "\n") <= REPORT_COLUMNS);
    assert_null(strstr(text.at, " \n"));
    buf_release(&text);
}

static int failures(struct fixture *fixture, const char *expression, struct buf *text, struct err *err)
{
    struct gate gate;
    buf_clear(text);
    if (!gate_judge(&fixture->report, &expression, 1, &gate, err))
        return -1;
    gate_print(&gate, text);
    return (int)gate.n_failed;
}

static void test_fail_on(void **state)
{
    struct fixture *fixture = *state;
    struct buf text = {0};
    struct err err = {0};
    assert_int_equal(failures(fixture, "derived__memory_l1_wavefronts_shared_excessive > 0", &text, &err), 2);
    assert_non_null(strstr(text.at, "tr_tile<(int)32>"));
    assert_non_null(strstr(text.at, "histogram(const unsigned char *, unsigned int *)"));
    assert_int_equal(failures(fixture, "smsp__inst_executed.sum < 10", &text, &err), 0);
    assert_false(err.set);
    assert_int_equal(failures(fixture, "sm__throughput.avg.pct_of_peak_sustained_elapsed > 50", &text, &err),
                     -1);
    assert_true(err.set); // n/a must not pass as good
    err = (struct err){0};
    assert_int_equal(failures(fixture, "no_such_metric > 50", &text, &err), -1);
    assert_true(err.set);
    buf_release(&text);
}

// Lines have counters of their own: 31 of the tile has conflicts, 20 has not.
static void test_fail_on_lines(void **state)
{
    struct fixture *fixture = *state;
    struct buf text = {0};
    struct err err = {0};
    assert_int_equal(
        failures(fixture, "line: derived__memory_l1_wavefronts_shared_excessive > 1000", &text, &err), 1);
    assert_string_equal(text.at, "void tr_tile<(int)32>(const float *, float *, int) at transpose.cu:31: "
                                 "derived__memory_l1_wavefronts_shared_excessive > 1000 holds "
                                 "(derived__memory_l1_wavefronts_shared_excessive = 1015808)\n");
    assert_int_equal(failures(fixture, "line transpose.cu:20: memory_l1_wavefronts_shared > 0", &text, &err),
                     1);
    assert_int_equal(
        failures(fixture, "line transpose.cu:40: memory_l1_wavefronts_shared > 960", &text, &err), 0);
    assert_false(err.set);
    assert_int_equal(failures(fixture, "line transpose.cu:99: memory_l1_wavefronts_shared > 0", &text, &err),
                     -1);
    assert_true(err.set); // a line that nobody ran cannot be good
    buf_release(&text);
}

static void test_junit(void **state)
{
    struct fixture *fixture = *state;
    const char *const expressions[] = {"memory_l1_wavefronts_shared > 1e6 && dram__bytes.sum > 0",
                                       "line: derived__memory_l1_wavefronts_shared_excessive > 900"};
    struct gate gate;
    struct err err = {0};
    struct buf text = {0};
    assert_true(gate_judge(&fixture->report, expressions, 2, &gate, &err));
    gate_junit(&gate, &text);
    check_golden("junit.golden", &text);
    buf_release(&text);
}

static void test_sections(void **state)
{
    struct section sections[3];
    struct err err = {0};
    assert_true(section_find("LaunchStats", &sections[0], &err));
    assert_true(section_find("MemoryWorkloadAnalysis", &sections[1], &err));
    assert_true(section_find("MemoryWorkloadAnalysis_Chart", &sections[2], &err));
    struct report_options options = {.sections = sections, .n_sections = 3};
    check_page(state, report_sections, &options, "sections.golden");
    assert_false(section_find("memory__chart", &sections[0], &err)); // that is a group
}

// Every metric that a section or group names is one of ours or one of ncu's.
static void test_section_rows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < section_count(); i++) {
        struct section section = section_at(i);
        for (uint32_t k = 0; k < section.n_rows; k++) {
            struct metric_pick pick;
            struct err err = {0};
            if (!metric_find(section.rows[k].metric, &pick, &err))
                fail_msg("%s: %s", section.name, section.rows[k].metric);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_summary),
                                       cmocka_unit_test(test_summary_reproducible),
                                       cmocka_unit_test(test_compare),
                                       cmocka_unit_test(test_source),
                                       cmocka_unit_test(test_annotate),
                                       cmocka_unit_test(test_findings),
                                       cmocka_unit_test(test_raw),
                                       cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_device),
                                       cmocka_unit_test(test_diff),
                                       cmocka_unit_test(test_csv_details),
                                       cmocka_unit_test(test_json),
                                       cmocka_unit_test(test_picked_metrics),
                                       cmocka_unit_test(test_width),
                                       cmocka_unit_test(test_fail_on),
                                       cmocka_unit_test(test_fail_on_lines),
                                       cmocka_unit_test(test_junit),
                                       cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_section_rows)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
