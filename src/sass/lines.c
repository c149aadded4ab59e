// Source lines of a machine kernel: rows of the cubin's line table become kernel.lines, calls of inlined functions with them.
#include "base/vec.h"
#include "image/line_table.h"
#include "sass/load.h"
#include "sass/sass.h"
#include <string.h>

struct lines {
    struct kernel *kernel;
    VEC(struct source_line) lines;
};

// kernel.lines gets the rows of a sequence in their order, so a call is found by its number.
static uint32_t add_rows(struct lines *l, const struct line_sequence *s)
{
    const uint32_t first = (uint32_t)l->lines.n;
    for (uint32_t i = 0; i < s->n_rows; i++) {
        const struct line_row *row = &s->rows[i];
        const int32_t at = row->inlined_at >= 0 ? (int32_t)first + row->inlined_at : -1;
        vec_push(&l->lines, ((struct source_line){.file = row->file, .line = row->line, .inlined_at = at}));
    }
    return first;
}

static void attribute(struct lines *l, const struct sass_code *code, uint32_t first_insn, const struct line_sequence *s)
{
    const uint32_t first = add_rows(l, s), n = (uint32_t)(code->text.n_bytes / SASS_BYTES);
    uint32_t row = 0;
    for (uint32_t i = 0; i < n && s->n_rows; i++) {
        while (row + 1 < s->n_rows && s->rows[row + 1].offset <= i * SASS_BYTES)
            row++;
        if (s->rows[row].offset <= i * SASS_BYTES)
            l->kernel->insns[first_insn + i].line = first + row;
    }
}

void sass_describe_lines(struct sass_image *image, const bool *reached, const uint32_t *first_insns, struct kernel *out)
{
    struct lines l = {.kernel = out};
    struct line_table table;
    line_table_read(image->arena, &image->elf, &table);
    vec_push(&l.lines, ((struct source_line){.inlined_at = -1})); // 0: unknown
    for (uint32_t i = 0; i < image->n_codes; i++) {
        const struct line_sequence *s = reached[i] ? line_table_find(&table, image->codes[i].name) : NULL;
        if (s)
            attribute(&l, &image->codes[i], first_insns[i], s);
    }
    out->files = table.files;
    out->n_files = table.n_files;
    out->lines = arena_copy(image->arena, l.lines.at, l.lines.n * sizeof *l.lines.at, _Alignof(struct source_line));
    out->n_lines = (uint32_t)l.lines.n;
    vec_release(&l.lines);
}
