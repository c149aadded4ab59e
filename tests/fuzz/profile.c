// Fuzz target: the reader of profile files, and every page of what it reads. The checksums of whole records
// are mended first, so that mutations get past them.
#include "prof/profile.h"
#include "base/err.h"
#include "prof/codec.h"
#include "prof/demangle.h"
#include "report/diff.h"
#include "report/gate.h"
#include "report/html.h"
#include "report/report.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_checksums(uint8_t *bytes, size_t n)
{
    enum { HEAD = 5, TAIL = 4, START = 12 };
    for (size_t at = START; n - at >= HEAD + TAIL && at < n;) {
        size_t length = bytes[at + 1] | (size_t)bytes[at + 2] << 8 | (size_t)bytes[at + 3] << 16 |
                        (size_t)bytes[at + 4] << 24;
        if (length > n - at - HEAD - TAIL)
            return;
        uint32_t sum = checksum(bytes + at, HEAD + length);
        for (int i = 0; i < TAIL; i++)
            bytes[at + HEAD + length + (size_t)i] = (uint8_t)(sum >> (8 * i));
        at += HEAD + length + TAIL;
    }
}

static void judge(const struct report *report, struct buf *text)
{
    const char *const expressions[] = {"smsp__inst_executed.sum > 10",
                                       "line: memory_l1_wavefronts_shared > 1"};
    struct gate gate;
    struct err err = {0};
    if (!gate_judge(report, expressions, 2, &gate, &err))
        return; // without a model everything is n/a
    gate_print(&gate, text);
    gate_junit(&gate, text);
}

static void compare(const struct report *report, const struct report_options *options, struct buf *text)
{
    struct diff diff;
    struct gate gate;
    struct err err = {0};
    diff_match(report, report, &diff);
    diff_print(&diff, options, text);
    diff_json(&diff, options, text);
    if (diff_judge_growth(&diff, 0, &gate, &err))
        gate_print(&gate, text);
}

static void print_pages(struct arena *arena, const struct profile *profile)
{
    struct report report;
    struct report_options options = {0};
    report_open(&report, arena, &profile, 1);
    struct buf text = {0};
    report_summary(&report, &options, &text);
    report_columns(&report, &options, &text);
    report_csv(&report, &options, &text);
    report_json(&report, &options, &text);
    report_source(&report, &options, &text);
    report_findings_page(&report, &options, &text);
    report_html(&report, &options, &text);
    judge(&report, &text);
    if (report.n_launches)
        compare(&report, &options, &text);
    buf_release(&text);
    for (uint32_t i = 0; i < profile->n_launches; i++) {
        demangle(arena, profile->launches[i].kernel, DEMANGLE_NVIDIA);
        demangle(arena, profile->launches[i].kernel, DEMANGLE_GNU);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, "fuzz");
    uint8_t *copy = arena_copy(&arena, size ? (const void *)data : "", size, 1);
    if (size > 12)
        mend_checksums(copy, size);
    struct err err = {0};
    const struct profile *profile = profile_parse(&arena, "fuzz", copy, size, &err);
    if ((profile == NULL) != err.set)
        BUG("profile_parse returned %p and set %d", (const void *)profile, err.set);
    if (profile)
        print_pages(&arena, profile);
    arena_release(&arena);
    return 0;
}
