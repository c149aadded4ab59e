// PTX linker: source places. Lines of the text count through; .file tables are merged; every instruction has
// a line.
#include "base/buf.h"
#include "ptx/linking.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text -----------------------------------------------------------------------------------------------

static uint32_t count_lines(const char *text, size_t n)
{
    uint32_t lines = 0;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + n - at))) != NULL; at++)
        lines++;
    return lines;
}

// The parts of a part that was linked before stay apart.
static void add_parts(struct linker *l, const struct part *part)
{
    const struct ptx_module *m = part->module;
    if (m->n_parts == 0)
        vec_push(&l->places, ((struct ptx_part){m->path, part->lines_before}));
    for (uint32_t i = 0; i < m->n_parts; i++)
        vec_push(&l->places,
                 ((struct ptx_part){m->parts[i].path, part->lines_before + m->parts[i].lines_before}));
}

void link_places(struct linker *l)
{
    struct buf text = {0};
    uint32_t lines = 0;
    for (uint32_t i = 0; i < l->n_parts; i++) {
        const struct ptx_module *m = l->parts[i].module;
        l->parts[i].lines_before = lines;
        add_parts(l, &l->parts[i]);
        size_t start = text.n;
        buf_add(&text, m->text, m->text_length);
        if (text.n > start && text.at[text.n - 1] != '\n')
            buf_puts(&text, "\n");
        lines += text.n > start ? count_lines(text.at + start, text.n - start) : 0;
    }
    l->whole->text = arena_string(l->arena, text.at ? text.at : "", text.n);
    l->whole->text_length = text.n;
    buf_release(&text);
}

// ---- tables ---------------------------------------------------------------------------------------------

static uint32_t file_number(struct linker *l, const char *name, bool *is_new)
{
    uint32_t number = (uint32_t)(uintptr_t)map_get(&l->file_names, MAP_STRING(name));
    *is_new = number == 0;
    if (number == 0) {
        if (l->files.n == 0)
            vec_push(&l->files, NULL); // .file numbers begin at 1
        vec_push(&l->files, name);
        number = (uint32_t)l->files.n; // of the new file, plus one
        map_set(&l->file_names, MAP_STRING(name), (void *)(uintptr_t)number);
    }
    return number - 1;
}

void link_files(struct linker *l, uint32_t index)
{
    struct part *part = &l->parts[index];
    const struct ptx_module *m = part->module;
    bool is_new;
    if (l->locs.n == 0)
        vec_push(&l->locs, (struct ptx_loc){.inlined_at = -1});
    part->has_locs = m->n_locs > 1;
    part->locs_before = (uint32_t)l->locs.n - 1;
    part->files = arena_array(&l->scratch, uint32_t, m->n_files + 1);
    for (uint32_t i = 0; i < m->n_files; i++)
        if (m->files[i])
            part->files[i] = file_number(l, m->files[i], &is_new);
    if (!part->has_locs)
        part->files[0] = file_number(l, m->path, &is_new);
    for (uint32_t i = 1; i < m->n_locs; i++) {
        struct ptx_loc loc = m->locs[i];
        loc.file = loc.file < m->n_files ? part->files[loc.file] : 0;
        if (loc.inlined_at > 0)
            loc.inlined_at += (int32_t)part->locs_before;
        vec_push(&l->locs, loc);
    }
}

uint32_t link_loc(struct linker *l, uint32_t index, const struct ptx_insn *insn)
{
    const struct part *part = &l->parts[index];
    if (part->has_locs)
        return insn->loc ? insn->loc + part->locs_before : 0;
    const struct ptx_loc *last = &l->locs.at[l->locs.n - 1];
    struct ptx_loc own = {.file = part->files[0], .line = insn->at.line, .inlined_at = -1};
    if (last->file != own.file || last->line != own.line || last->inlined_at >= 0)
        vec_push(&l->locs, own);
    return (uint32_t)l->locs.n - 1;
}

// ---- directives -----------------------------------------------------------------------------------------

// Number of a source file at the beginning of `text`, in the numbering of the whole; *rest is behind it.
static uint32_t renumber(const struct part *part, const char *text, const char **rest)
{
    char *end;
    unsigned long old = strtoul(text, &end, 10);
    *rest = end;
    return old < part->module->n_files ? part->files[old] : 0;
}

// ".loc 1 20 3, function_name $L__info_string0, inlined_at 1 7 2": the name's section is left out, so it goes
// as well.
static const char *loc_directive(struct linker *l, const struct part *part, const char *text)
{
    const char *place, *site = strstr(text, "inlined_at "), *site_rest = "";
    uint32_t file = renumber(part, text + strlen(".loc "), &place), site_file = 0;
    if (site)
        site_file = renumber(part, site + strlen("inlined_at "), &site_rest);
    int length = (int)strcspn(place, ",");
    return site ? arena_printf(l->arena, ".loc %u%.*s, inlined_at %u%s", file, length, place, site_file,
                               site_rest)
                : arena_printf(l->arena, ".loc %u%.*s", file, length, place);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$%.";

// The text begins with a label and ".calltargets"; inside quotes it says nothing.
static bool names_functions(const char *text)
{
    return strncmp(text, ".alias ", 7) == 0 ||
           strncmp(text + strspn(text, letters), ": .calltargets ", 15) == 0;
}

// ".alias a, b;" and "list: .calltargets f, g;" with the names that functions of this part were given.
static const char *rename_functions(struct linker *l, const struct part *part, const char *text)
{
    struct buf out = {0};
    while (*text) {
        size_t length = strspn(text, letters);
        const char *given = length ? map_get(&part->renamed, text, length) : NULL;
        if (given)
            buf_puts(&out, given);
        else
            buf_add(&out, text, length ? length : 1);
        text += length ? length : 1;
    }
    const char *copy = arena_string(l->arena, out.at, out.n);
    buf_release(&out);
    return copy;
}

const char *link_directive(struct linker *l, uint32_t index, const char *text)
{
    static const char *const said_already[] = {".version ", ".target ", ".address_size ", ".file "};
    if (strncmp(text, ".loc ", 5) == 0)
        return loc_directive(l, &l->parts[index], text);
    if (names_functions(text))
        return rename_functions(l, &l->parts[index], text);
    for (size_t i = 0; i < sizeof said_already / sizeof said_already[0]; i++)
        if (strncmp(text, said_already[i], strlen(said_already[i])) == 0)
            return NULL;
    return text;
}
