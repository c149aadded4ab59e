// The options that choose what is printed of a profile, and the printing: shared by every command that ends
// in a report.
#ifndef CLI_PAGES_H
#define CLI_PAGES_H
#include "base/arena.h"
#include "base/err.h"
#include "cli/options.h"
#include "prof/profile.h"

struct page_request {
    const char *page, *metrics, *print_units, *log_file, *order, *set, *junit, *html;
    struct option_list fail_on, sections;
    bool is_csv, is_json, is_reproducible;
    bool is_on_stderr;    // without --log-file: standard output belongs to somebody else
    const char *headline; // first line of text pages, or NULL
};

// Rows for an option table: PAGE_OPTIONS(&request), between a command's own rows.
#define PAGE_OPTIONS(r)                                                                                    \
    {"page", OPT_STRING, &(r)->page, "summary|source|annotate|findings|compare|raw|device",                \
     "one screen a launch; line by line; in the margin; what to mend; side by side; every metric"},        \
        {"order", OPT_STRING, &(r)->order, "excess|line", "lines of the source page"},                     \
        {"csv", OPT_FLAG, &(r)->is_csv, NULL, "the raw page in ncu's columns, comma-separated"},           \
        {"json", OPT_FLAG, &(r)->is_json, NULL, "everything as one JSON document"},                        \
        {"html", OPT_STRING, &(r)->html, "FILE", "besides, one page for a browser, complete in itself"},   \
        {"metrics", OPT_STRING, &(r)->metrics, "NAME,...",                                                 \
         "only these, by the names of ncu or nvprof; group:NAME, regex:EXPR"},                             \
        {"section", OPT_LIST, &(r)->sections, "NAME", "a section of ncu's; may be repeated"},              \
        {"set", OPT_STRING, &(r)->set, "basic|detailed|full", "several sections"},                         \
        {"print-units", OPT_STRING, &(r)->print_units, "auto|base",                                        \
         "4.0 MiB or 4194304 in text (--csv is base)"},                                                    \
        {"fail-on", OPT_LIST, &(r)->fail_on, "[line:]EXPR",                                                \
         "exit 1 if this holds for a kernel (or one of its lines): 'dram__bytes.sum > 1e6'"},              \
        {"junit", OPT_STRING, &(r)->junit, "FILE", "besides, the outcome of each --fail-on as JUnit XML"}, \
        {"reproducible", OPT_FLAG, &(r)->is_reproducible, NULL, "leave out times, host and process"},      \
    {                                                                                                      \
        "log-file", OPT_STRING, &(r)->log_file, "FILE", "write the report there"                           \
    }

// OPTIONS_GO, or the mistake is named on stderr and EXIT_USAGE returned.
int pages_check(const char *command, const struct page_request *request);
// The names in --metrics, --section and --fail-on and the file of --log-file, before the time is spent on a
// profile.
bool pages_check_early(struct arena *arena, const struct page_request *request, struct err *err);

// Prints the page over all launches of the profiles and judges --fail-on. Returns the exit status; a mistake
// is in `err`.
int pages_print(struct arena *arena, const struct page_request *request,
                const struct profile *const *profiles, uint32_t n_profiles, struct err *err);
#endif
