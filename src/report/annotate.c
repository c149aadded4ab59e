// The annotate page: the source files as they are, with what each line did in the margin.
#include "base/units.h"
#include "prof/lines.h"
#include "report/page.h"
#include "report/source_text.h"
#include <stdlib.h>
#include <string.h>

enum {
    EXECUTED = 11,
    MOVED = 13,
    EXCESS = 11,
    NUMBER = 6,
    AROUND = 2
}; // AROUND: lines shown before and after

struct annotation {
    const struct profile_launch *launch;
    const struct line_row *rows;
    size_t n_rows;
    struct buf *out;
};

// The row of this line, NULL where nothing of it ran.
static const struct line_row *row_of(const struct annotation *a, uint32_t file, uint32_t line)
{
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct profile_line *at = &a->launch->lines[a->rows[i].line];
        if (a->rows[i].line && at->file == file && at->line == line && a->rows[i].counters.executed)
            return &a->rows[i];
    }
    return NULL;
}

static void count_cell(struct buf *out, int width, uint64_t n, const char *unit)
{
    struct buf text = {0};
    if (n || *unit) {
        units_print_count(&text, n);
        buf_puts(&text, unit);
    }
    buf_printf(out, "%*s", width, text.n ? text.at : "");
    buf_release(&text);
}

// Of several kinds of memory the one whose excess costs most, else the one that moved most.
static void print_margin(const struct line_row *row, struct buf *out)
{
    const struct counters *c = &row->counters;
    uint64_t sectors = c->global_sectors + c->local_sectors, wavefronts = c->shared_wavefronts;
    double by_shared = excess_cost_cycles(row->excess_wavefronts, 0),
           by_global = excess_cost_cycles(0, row->excess_sectors);
    bool is_shared = by_shared != by_global ? by_shared > by_global : wavefronts > sectors;
    count_cell(out, EXECUTED, c->executed, "");
    if (is_shared)
        count_cell(out, MOVED, wavefronts, "w");
    else
        count_cell(out, MOVED, sectors, sectors ? "s" : "");
    count_cell(out, EXCESS, is_shared ? row->excess_wavefronts : row->excess_sectors, "");
}

static void print_line(const struct annotation *a, const struct line_row *row, uint32_t number,
                       const char *text, size_t n)
{
    enum { MARGIN = EXECUTED + MOVED + EXCESS, ROOM = REPORT_COLUMNS - MARGIN - NUMBER - 4 };
    if (row)
        print_margin(row, a->out);
    else
        buf_printf(a->out, "%*s", MARGIN, "");
    buf_printf(a->out, " |%*u  ", NUMBER, number);
    for (size_t i = 0; i < n && i < ROOM; i++)
        buf_add(a->out, (unsigned char)text[i] < ' ' ? " " : &text[i], 1);
    page_end_line(a->out);
}

// First and last line of the file that ran; false if none did.
static bool find_range(const struct annotation *a, uint32_t file, uint32_t *first, uint32_t *last)
{
    *first = UINT32_MAX;
    *last = 0;
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct profile_line *at = &a->launch->lines[a->rows[i].line];
        if (!a->rows[i].line || at->file != file || !a->rows[i].counters.executed)
            continue;
        *first = at->line < *first ? at->line : *first;
        *last = at->line > *last ? at->line : *last;
    }
    return *last > 0;
}

static void print_file(const struct annotation *a, uint32_t file, const char *text)
{
    uint32_t first, last, number = 1;
    if (!find_range(a, file, &first, &last))
        return;
    if (!text) {
        buf_printf(a->out, "%s cannot be read\n", a->launch->files[file]);
        return;
    }
    buf_printf(a->out, "%s\n%*s%*s%*s\n", a->launch->files[file], EXECUTED, "executed", MOVED, "moved",
               EXCESS, "excess");
    for (const char *at = text; *at && number <= last + AROUND; number++) {
        size_t n = strcspn(at, "\n");
        if (number + AROUND >= first)
            print_line(a, row_of(a, file, number), number, at, n);
        at += n + (at[n] == '\n');
    }
}

void report_annotate(const struct report *report, const struct report_options *options, struct buf *out)
{
    (void)options;
    struct source_texts *texts = source_texts_new(report->arena);
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct profile_launch *launch = report->launches[i].launch;
        struct arena scratch;
        arena_init(&scratch, "lines");
        struct annotation annotation = {.launch = launch, .out = out};
        annotation.rows = launch_lines(&scratch, launch, &annotation.n_rows);
        page_launch_line(out, report, &report->launches[i]);
        for (uint32_t file = 0; file < launch->n_files; file++)
            print_file(&annotation, file, source_text_file(texts, launch, file));
        buf_puts(out, "\n");
        arena_release(&scratch);
    }
    source_texts_release(texts);
    page_wrap(
        out, "",
        "moved: s sectors of 32 bytes, w wavefronts of shared memory, of several the one that wastes most.");
}
