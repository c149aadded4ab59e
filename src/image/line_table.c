// Reading .debug_line of cubins.
#include "image/line_table.h"
#include "base/vec.h"
#include <string.h>

// Standard and extended opcodes (DWARF 2, 6.2.5), and NVIDIA's.
enum {
    OP_EXTENDED = 0, OP_COPY, OP_ADVANCE_PC, OP_ADVANCE_LINE, OP_SET_FILE, OP_SET_COLUMN, OP_NEGATE, OP_BASIC_BLOCK,
    OP_CONST_ADD_PC, OP_FIXED_ADVANCE_PC, N_STANDARD_OPS
};
enum { EXTENDED_END = 1, EXTENDED_ADDRESS = 2, EXTENDED_INLINED = 0x90 };

struct cursor {
    const uint8_t *at, *end;
};

struct reader {
    struct arena *arena;
    const struct elf *elf;
    const uint8_t *start; // of the section
    struct elf_section relocations, symbols, strings;
    VEC(const char *) files;
    VEC(struct line_row) rows; // of the sequence being read
    VEC(struct line_sequence) sequences;
    uint8_t min_bytes, line_range, opcode_base;
    int8_t line_base;
    uint32_t first_file; // of this unit, in files
};

static uint32_t take(struct cursor *c, unsigned n)
{
    uint32_t value = 0;
    if ((size_t)(c->end - c->at) < n) {
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, n < 4 ? n : 4);
    c->at += n;
    return value;
}

static uint64_t take_uleb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        const uint8_t byte = *c->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static int64_t take_sleb(struct cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (c->at < c->end) {
        byte = *c->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
        if (!(byte & 0x80))
            break;
    }
    return (int64_t)(value | ((byte & 0x40) && shift < 64 ? ~0ull << shift : 0));
}

static const char *take_text(struct cursor *c)
{
    const char *text = (const char *)c->at;
    const uint8_t *end = memchr(c->at, '\0', (size_t)(c->end - c->at));
    c->at = end ? end + 1 : c->end;
    return end ? text : "";
}

// ---- header -------------------------------------------------------------------------------------------------------------

static void read_files(struct reader *r, struct cursor *c)
{
    VEC(const char *) folders = {0};
    const char *text;
    while (*(text = take_text(c)))
        vec_push(&folders, text);
    r->first_file = (uint32_t)r->files.n;
    while (*(text = take_text(c))) {
        const uint64_t folder = take_uleb(c);
        take_uleb(c); // time
        take_uleb(c); // size
        const bool is_relative = folder == 0 || folder > folders.n || *text == '/';
        vec_push(&r->files,
                 is_relative ? text : arena_printf(r->arena, "%s/%s", folders.at[folder - 1], text));
    }
    vec_release(&folders);
}

// ---- the function of a sequence: what the relocation of its address names ------------------------------------------------

static const char *symbol_name(const struct reader *r, uint64_t index)
{
    Elf64_Sym symbol;
    if (!r->symbols.bytes || index >= r->symbols.n_bytes / sizeof symbol)
        return "";
    memcpy(&symbol, r->symbols.bytes + index * sizeof symbol, sizeof symbol);
    const char *text = elf_text(&r->strings, symbol.st_name);
    return text ? text : "";
}

static const char *function_at(const struct reader *r, uint64_t offset)
{
    const size_t size = r->relocations.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t i = 0; r->relocations.bytes && (i + 1) * size <= r->relocations.n_bytes; i++) {
        Elf64_Rela entry = {0};
        memcpy(&entry, r->relocations.bytes + i * size, size);
        if (entry.r_offset == offset)
            return symbol_name(r, ELF64_R_SYM(entry.r_info));
    }
    return "";
}

// ---- the program ------------------------------------------------------------------------------------------------------------

struct state {
    const char *function;
    uint64_t address;
    uint32_t file, line;
    int32_t inlined_at;
};

static void add_row(struct reader *r, const struct state *s)
{
    const uint32_t file = s->file ? r->first_file + s->file - 1 : r->first_file;
    vec_push(&r->rows, ((struct line_row){(uint32_t)s->address, file, s->line, s->inlined_at}));
}

static void end_sequence(struct reader *r, struct state *s)
{
    struct line_row *rows = arena_copy(r->arena, r->rows.at, r->rows.n * sizeof *rows, _Alignof(struct line_row));
    if (s->function && *s->function)
        vec_push(&r->sequences, ((struct line_sequence){s->function, rows, (uint32_t)r->rows.n}));
    vec_clear(&r->rows);
    *s = (struct state){.file = 1, .line = 1, .inlined_at = -1};
}

static void run_extended(struct reader *r, struct state *s, struct cursor *c)
{
    const uint64_t length = take_uleb(c);
    if (length == 0 || length > (uint64_t)(c->end - c->at))
        return;
    struct cursor body = {c->at + 1, c->at + length};
    const uint8_t op = *c->at;
    c->at += length;
    if (op == EXTENDED_END) {
        end_sequence(r, s);
    } else if (op == EXTENDED_ADDRESS) {
        s->function = function_at(r, (uint64_t)(body.at - r->start));
        s->address = 0;
    } else if (op == EXTENDED_INLINED) {
        const uint64_t row = take_uleb(&body);
        s->inlined_at = row && row <= r->rows.n ? (int32_t)row - 1 : -1;
    }
}

static void run_special(struct reader *r, struct state *s, uint8_t op)
{
    const unsigned adjusted = op - r->opcode_base;
    s->address += adjusted / r->line_range * r->min_bytes;
    s->line += (uint32_t)(r->line_base + (int)(adjusted % r->line_range));
    add_row(r, s);
}

static void run_standard(struct reader *r, struct state *s, struct cursor *c, uint8_t op)
{
    switch (op) {
    case OP_COPY:
        add_row(r, s);
        break;
    case OP_ADVANCE_PC:
        s->address += take_uleb(c) * r->min_bytes;
        break;
    case OP_ADVANCE_LINE:
        s->line += (uint32_t)take_sleb(c);
        break;
    case OP_SET_FILE:
        s->file = (uint32_t)take_uleb(c);
        break;
    case OP_SET_COLUMN:
        take_uleb(c);
        break;
    case OP_CONST_ADD_PC:
        s->address += (255u - r->opcode_base) / r->line_range * r->min_bytes;
        break;
    case OP_FIXED_ADVANCE_PC:
        s->address += take(c, 2);
        break;
    default:
        break;
    }
}

static void run_program(struct reader *r, struct cursor c)
{
    struct state s = {.file = 1, .line = 1, .inlined_at = -1};
    while (c.at < c.end) {
        const uint8_t op = *c.at++;
        if (op == OP_EXTENDED)
            run_extended(r, &s, &c);
        else if (op >= r->opcode_base)
            run_special(r, &s, op);
        else
            run_standard(r, &s, &c, op);
    }
    vec_clear(&r->rows);
}

// One unit; false at the end or where nothing can be read.
static bool read_unit(struct reader *r, struct cursor *section)
{
    const uint32_t length = take(section, 4);
    if (length == 0 || length > (size_t)(section->end - section->at))
        return false;
    struct cursor unit = {section->at, section->at + length};
    section->at += length;
    const uint32_t version = take(&unit, 2), header_bytes = take(&unit, 4);
    if (version < 2 || version > 3 || header_bytes > (size_t)(unit.end - unit.at))
        return true; // another unit may be readable
    struct cursor program = {unit.at + header_bytes, unit.end}, header = {unit.at, unit.at + header_bytes};
    r->min_bytes = (uint8_t)take(&header, 1);
    take(&header, 1);
    r->line_base = (int8_t)take(&header, 1);
    r->line_range = (uint8_t)take(&header, 1);
    r->opcode_base = (uint8_t)take(&header, 1);
    if (!r->line_range || r->opcode_base < N_STANDARD_OPS)
        return true;
    take(&header, r->opcode_base - 1u);
    read_files(r, &header);
    run_program(r, program);
    return true;
}

static void find_sections(struct reader *r, struct elf_section *lines)
{
    struct elf_section section;
    *lines = (struct elf_section){0};
    for (uint32_t i = 0; i < r->elf->n_sections; i++) {
        if (!elf_section(r->elf, i, &section))
            continue;
        if (strcmp(section.name, ".debug_line") == 0)
            *lines = section;
        else if (strcmp(section.name, ".rela.debug_line") == 0 || strcmp(section.name, ".rel.debug_line") == 0)
            r->relocations = section;
        else if (section.type == SHT_SYMTAB && elf_section(r->elf, section.link, &r->strings))
            r->symbols = section;
    }
}

void line_table_read(struct arena *arena, const struct elf *elf, struct line_table *out)
{
    struct reader r = {.arena = arena, .elf = elf};
    struct elf_section lines;
    find_sections(&r, &lines);
    if (lines.bytes) {
        struct cursor c = {lines.bytes, lines.bytes + lines.n_bytes};
        r.start = lines.bytes;
        while (read_unit(&r, &c)) {
        }
    }
    *out = (struct line_table){
        .files = arena_copy(arena, r.files.at, r.files.n * sizeof *r.files.at, _Alignof(const char *)),
        .n_files = (uint32_t)r.files.n,
        .sequences = arena_copy(arena, r.sequences.at, r.sequences.n * sizeof *r.sequences.at, _Alignof(struct line_sequence)),
        .n_sequences = (uint32_t)r.sequences.n};
    vec_release(&r.files);
    vec_release(&r.rows);
    vec_release(&r.sequences);
}

const struct line_sequence *line_table_find(const struct line_table *table, const char *function)
{
    for (uint32_t i = 0; i < table->n_sequences; i++)
        if (strcmp(table->sequences[i].function, function) == 0)
            return &table->sequences[i];
    return NULL;
}
