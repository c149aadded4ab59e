// The source page: each source line with its sums, and below it the instructions it became. Lines that cost
// most first, or in order (--order line).
#include "base/units.h"
#include "prof/lines.h"
#include "report/page.h"
#include "report/source_text.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT = 42, LINE_NUMBER = 6 };

struct source_page {
    const struct report *report;
    const struct report_launch *l;
    struct source_texts *texts;
    const uint32_t *row_of; // by launch->lines: the first entry of the same line
    bool is_in_order;
    struct buf *out;
};

// What one row shows: one kind of memory, or none.
struct row_numbers {
    const struct counters *c;
    uint64_t requests, moved, ideal;
    bool has_ideal;
    char unit;         // what `moved` counts: s sectors, w wavefronts, c constant requests; 0 = no memory
    double hits, used; // percent of the sectors, bytes of each; negative: does not apply
    unsigned width;    // 0 = several
};

static double part(uint64_t of, uint64_t whole)
{
    return whole ? (double)of / (double)whole : -1;
}

static struct row_numbers global_numbers(const struct counters *c)
{
    double hits = part(100 * c->global_hits, c->global_hits + c->global_misses);
    return (struct row_numbers){.c = c,
                                .requests = c->global_requests,
                                .moved = c->global_sectors,
                                .ideal = c->global_ideal,
                                .has_ideal = true,
                                .unit = 's',
                                .hits = hits,
                                .used = part(c->global_bytes, c->global_sectors)};
}

static struct row_numbers local_numbers(const struct counters *c)
{
    return (struct row_numbers){.c = c,
                                .requests = c->local_requests,
                                .moved = c->local_sectors,
                                .unit = 's',
                                .hits = part(100 * c->local_hits, c->local_hits + c->local_misses),
                                .used = -1};
}

static struct row_numbers shared_numbers(const struct counters *c)
{
    return (struct row_numbers){.c = c,
                                .requests = c->shared_requests,
                                .moved = c->shared_wavefronts,
                                .ideal = c->shared_ideal,
                                .has_ideal = true,
                                .unit = 'w',
                                .hits = -1,
                                .used = part(c->shared_bytes, c->shared_wavefronts)};
}

static struct row_numbers constant_numbers(const struct counters *c)
{
    return (struct row_numbers){
        .c = c,
        .requests = c->executed,
        .moved = c->constant_requests,
        .unit = 'c',
        .hits = part(100 * (c->constant_requests - c->constant_misses), c->constant_requests),
        .used = -1};
}

enum { MAX_KINDS = 4 };

// The kinds of memory that `c` touched, in order of their levels.
static int kinds_of(const struct counters *c, struct row_numbers out[MAX_KINDS], const char *names[MAX_KINDS])
{
    int n = 0;
    if (c->shared_requests)
        names[n] = "shared memory", out[n++] = shared_numbers(c);
    if (c->global_requests)
        names[n] = "global memory", out[n++] = global_numbers(c);
    if (c->local_requests)
        names[n] = "local memory", out[n++] = local_numbers(c);
    if (c->constant_requests)
        names[n] = "constants", out[n++] = constant_numbers(c);
    return n;
}

// ---- cells ----

// With commas where there is room.
static void count_cell(struct buf *out, int width, uint64_t n)
{
    struct buf text = {0};
    units_print_count(&text, n);
    if ((int)text.n > width - 1) {
        buf_clear(&text);
        buf_printf(&text, "%llu", (unsigned long long)n);
    }
    buf_printf(out, "%*s", width, text.at);
    buf_release(&text);
}

static void optional_cell(struct buf *out, int width, const char *format, double value)
{
    if (value < 0) {
        buf_printf(out, "%*s", width, "");
        return;
    }
    char text[32];
    snprintf(text, sizeof text, format, value);
    buf_printf(out, "%*s", width, text);
}

static void memory_cells(struct buf *out, const struct row_numbers *row)
{
    count_cell(out, 11, row->requests);
    count_cell(out, 12, row->moved);
    buf_printf(out, "%c", row->unit);
    if (row->has_ideal) {
        count_cell(out, 11, row->ideal);
        count_cell(out, 11, row->moved - (row->ideal < row->moved ? row->ideal : row->moved));
    } else {
        buf_printf(out, "%22s", "");
    }
    optional_cell(out, 6, "%.0f", row->hits);
    optional_cell(out, 6, "%.3g", row->used);
    if (row->width)
        buf_printf(out, "%3u", row->width);
}

// `text`, what was executed, and one kind of memory.
static void print_row(struct source_page *page, int indent, const char *text, const struct counters *c,
                      const struct row_numbers *memory)
{
    struct buf *out = page->out;
    buf_printf(out, "%*s%-*.*s", indent, "", TEXT - indent, TEXT - indent - 1, text);
    count_cell(out, 10, c->executed);
    optional_cell(out, 6, "%.1f", part(c->threads_on, c->executed));
    if (memory)
        memory_cells(out, memory);
    page_end_line(out);
}

static void print_head(struct source_page *page)
{
    buf_printf(page->out, "%-*s%10s%6s%11s%12s%12s%11s%6s%6s%3s\n", TEXT, "  line  source, instruction",
               "executed", "lanes", "requests", "moved", "ideal", "excess", "hit%", "used", "B");
}

// ---- instructions and lines ----

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *file_name(const struct profile_launch *launch, uint32_t index)
{
    return launch->lines[index].file < launch->n_files ? base_name(launch->files[launch->lines[index].file])
                                                       : "";
}

// Where the line was inlined, outermost last: "inlined at a.cu:40, at a.cu:12".
static void print_inline_stack(struct source_page *page, uint32_t index)
{
    const struct profile_launch *launch = page->l->launch;
    enum { DEEPEST = 16 }; // a damaged file may hold a circle
    int32_t at = launch->lines[index].inlined_at;
    if (at < 0)
        return;
    buf_printf(page->out, "%*sinlined", LINE_NUMBER + 2, "");
    for (int depth = 0; at >= 0 && depth < DEEPEST; depth++) {
        buf_printf(page->out, "%s at %s:%u", depth ? "," : "", file_name(launch, (uint32_t)at),
                   launch->lines[at].line);
        at = launch->lines[at].inlined_at;
    }
    buf_puts(page->out, "\n");
}

static void print_instruction(struct source_page *page, const struct profile_insn *insn)
{
    struct row_numbers kinds[MAX_KINDS];
    const char *names[MAX_KINDS];
    int n = kinds_of(&insn->counters, kinds, names);
    for (int i = 0; i < n; i++)
        kinds[i].width = insn->access_bytes;
    print_row(page, LINE_NUMBER + 2, insn->text, &insn->counters, n ? &kinds[0] : NULL);
    for (int i = 1; i < n; i++) // a generic access that met several kinds
        print_row(page, LINE_NUMBER + 4, names[i], &insn->counters, &kinds[i]);
}

static bool is_on_row(const struct source_page *page, uint32_t insn, const struct line_row *row)
{
    uint32_t line = page->l->launch->insns[insn].line;
    if (!row->line)
        return insn == row->worst_insn;
    return line < page->l->launch->n_lines && page->row_of[line] == row->line;
}

// All instructions of the line that ran; where several copies were inlined, each below its stack.
static void print_instructions(struct source_page *page, const struct line_row *row)
{
    const struct profile_launch *launch = page->l->launch;
    int32_t last = -1;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (!is_on_row(page, i, row) || !insn->counters.executed)
            continue;
        int32_t at = row->line ? launch->lines[insn->line].inlined_at : -1;
        if (at != last)
            print_inline_stack(page, insn->line);
        last = at;
        print_instruction(page, insn);
    }
}

// The line's text on a row of its own, the sums of each kind of memory below it.
static void print_line(struct source_page *page, const struct line_row *row)
{
    const struct profile_launch *launch = page->l->launch;
    struct row_numbers kinds[MAX_KINDS];
    const char *names[MAX_KINDS];
    const char *text = row->line ? source_text_line(page->texts, launch, row->line) : NULL;
    if (row->line) {
        enum { ROOM = REPORT_COLUMNS - LINE_NUMBER - 2 };
        buf_printf(page->out, "%*u  %.*s", LINE_NUMBER, launch->lines[row->line].line, ROOM,
                   text ? text : "");
        page_end_line(page->out);
    } else {
        buf_printf(page->out, "%*s  no line is known\n", LINE_NUMBER, "-");
    }
    int n = kinds_of(&row->counters, kinds, names);
    if (!n)
        print_row(page, LINE_NUMBER, "= all", &row->counters, NULL);
    for (int i = 0; i < n; i++) {
        const char *name = arena_printf(page->report->arena, "= %s", names[i]);
        print_row(page, LINE_NUMBER, name, &row->counters, &kinds[i]);
    }
    print_instructions(page, row);
}

static bool touched_memory(const struct counters *c)
{
    return c->shared_requests || c->global_requests || c->local_requests || c->constant_requests;
}

static const struct profile_line *line_of(const struct source_page *page, const struct line_row *row)
{
    return &page->l->launch->lines[row->line];
}

// File, line; rows without a line last, in program order.
static bool goes_before(const struct source_page *page, const struct line_row *a, const struct line_row *b)
{
    if (!a->line || !b->line)
        return a->line && !b->line ? true : !a->line && !b->line && a->worst_insn < b->worst_insn;
    const struct profile_line *x = line_of(page, a), *y = line_of(page, b);
    return x->file != y->file ? x->file < y->file : x->line < y->line;
}

// In order of the file, by insertion: pages are for people, so rows are few.
static void sort_by_place(const struct source_page *page, struct line_row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct line_row row = rows[i];
        size_t k = i;
        for (; k && goes_before(page, &row, &rows[k - 1]); k--)
            rows[k] = rows[k - 1];
        rows[k] = row;
    }
}

// Rows without memory accesses are shown in order only; here they are one sum.
static void print_rest(struct source_page *page, const struct line_row *rows, size_t n)
{
    uint64_t executed = 0, n_rows = 0;
    for (size_t i = 0; i < n; i++)
        if (!touched_memory(&rows[i].counters) && rows[i].counters.executed) {
            executed += rows[i].counters.executed;
            n_rows++;
        }
    if (!n_rows)
        return;
    buf_printf(page->out, "%*s  %llu other line%s without memory accesses ran ", LINE_NUMBER, "",
               (unsigned long long)n_rows, n_rows == 1 ? "" : "s");
    units_print_count(page->out, executed);
    buf_puts(page->out, " instructions (--order line shows them)\n");
}

static void print_launch(struct source_page *page)
{
    const struct profile_launch *launch = page->l->launch;
    size_t n;
    struct arena scratch;
    arena_init(&scratch, "lines");
    struct line_row *rows = launch_lines(&scratch, launch, &n);
    page->row_of = launch_line_rows(&scratch, launch);
    if (page->is_in_order)
        sort_by_place(page, rows, n);
    page_launch_line(page->out, page->report, page->l);
    print_head(page);
    uint32_t file = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        bool is_shown = page->is_in_order ? rows[i].counters.executed > 0 : touched_memory(&rows[i].counters);
        if (!is_shown)
            continue;
        if (rows[i].line && line_of(page, &rows[i])->file != file) {
            file = line_of(page, &rows[i])->file;
            buf_printf(page->out, "%s\n", file_name(launch, rows[i].line));
        }
        print_line(page, &rows[i]);
    }
    if (!page->is_in_order)
        print_rest(page, rows, n);
    buf_puts(page->out, "\n");
    arena_release(&scratch);
}

void report_source(const struct report *report, const struct report_options *options, struct buf *out)
{
    struct source_texts *texts = source_texts_new(report->arena);
    for (uint32_t i = 0; i < report->n_launches; i++) {
        struct source_page page = {.report = report,
                                   .l = &report->launches[i],
                                   .texts = texts,
                                   .is_in_order = options->is_in_order,
                                   .out = out};
        print_launch(&page);
    }
    source_texts_release(texts);
    page_wrap(
        out, "",
        "moved: s sectors of 32 bytes, w wavefronts, c constant requests. lanes: with predicate on. "
        "hit%: found in L1, or of constants in the first cache. used: bytes of each sector or wavefront "
        "that lanes asked for. B: bytes a lane.");
}
