// Pages of a report: each appends its text to a buffer. The one who prints is cli.
//
//     struct report r;
//     report_open(&r, &arena, profiles, n_profiles);
//     report_summary(&r, &options, &text);
//
// A report borrows the profiles; what it makes lives in the arena.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "prof/finding.h"
#include "prof/metrics.h"
#include "prof/profile.h"
#include "prof/sections.h"

// One launch with what the pages need at hand.
struct report_launch {
    const struct profile *profile;
    const struct profile_launch *launch;
    const struct kv_file *device;
    const struct device *model; // the same as a device; NULL where the profile's text does not make one
    struct metric_input metrics;
    uint64_t id;            // launch order over all profiles of the report
    const char *name;       // demangled
    const char *short_name; // without parameters and template arguments
    uint32_t process_id;
    const char *process_name; // file name of the program
};

struct report {
    struct arena *arena;
    struct report_launch *launches;
    uint32_t n_launches;
};

struct report_options {
    const struct metric_pick *picks; // --metrics; n_picks 0 = every metric there is, by name
    uint32_t n_picks;
    const struct section *sections; // --section, --set: what report_sections prints
    uint32_t n_sections;
    bool is_reproducible; // leave out all that varies between runs of the same thing
    bool is_in_order;     // source page: lines as in the file; else the most expensive first
    bool is_base_units;   // plain digits instead of "4.0 MiB" in text pages
};

enum { REPORT_COLUMNS = 120 };

void report_open(struct report *out, struct arena *arena, const struct profile *const *profiles, uint32_t n);

// For people: each launch on one screen; all launches side by side.
void report_summary(const struct report *report, const struct report_options *options, struct buf *out);
void report_columns(const struct report *report, const struct report_options *options, struct buf *out);
// Source lines with their instructions, and what each did.
void report_source(const struct report *report, const struct report_options *options, struct buf *out);
// The source files, with what each line did in the margin.
void report_annotate(const struct report *report, const struct report_options *options, struct buf *out);
// Everything that can be told about each launch.
void report_findings_page(const struct report *report, const struct report_options *options, struct buf *out);
// The devices of the launches, value by value.
void report_device_page(const struct report *report, const struct report_options *options, struct buf *out);
// The chosen sections of each launch, in Nsight Compute's form.
void report_sections(const struct report *report, const struct report_options *options, struct buf *out);
// Every metric of each launch, one a line.
void report_raw(const struct report *report, const struct report_options *options, struct buf *out);
// ncu's `--csv --page raw`: one header, one row of units, one row a launch.
void report_csv(const struct report *report, const struct report_options *options, struct buf *out);
// ncu's `--csv --page details`: a row for each metric of each section, the findings as its rules.
// One row an instruction, machine code or PTX: file, line, its number in the kernel, text, every counter.
void report_csv_source(const struct report *report, const struct report_options *options, struct buf *out);
void report_csv_details(const struct report *report, const struct report_options *options, struct buf *out);
void report_json(const struct report *report, const struct report_options *options, struct buf *out);

// What metrics there are: name, unit, how far it can be trusted, the rule. Needs no profile.
void report_metric_list(struct buf *out);

// "every metric by name" or the options' picks.
const struct metric_pick *report_picks(const struct report *report, const struct report_options *options,
                                       uint32_t *n);
const struct finding *report_findings(const struct report *report, const struct report_launch *launch,
                                      size_t *n);
const char *report_shape(struct arena *arena, const uint32_t shape[3]); // "32x8x1"
#endif
