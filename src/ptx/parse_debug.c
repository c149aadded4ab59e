// PTX parser: source positions (.file, .loc) and DWARF sections.
#include "ptx/parse.h"
#include <stdlib.h>
#include <string.h>

static bool parse_field(struct parser *p, const char *what, uint64_t max, uint64_t *out)
{
    return p->token.kind == TOKEN_NUMBER ? parse_integer(p, what, max, out) : parse_expected(p, what);
}

// .file 1 "name" [, timestamp, size]
bool parse_file(struct parser *p)
{
    struct ptx_position at = p->token.position;
    const char *raw, *name;
    uint64_t number, value;
    if (!parse_field(p, "the number of the file", MAX_FILE_NUMBER, &number) || !parse_string(p, &raw, &name))
        return false;
    buf_printf(&p->text, ".file %u %s", (unsigned)number, raw);
    while (parse_accept(p, ',')) {
        if (!parse_field(p, "the timestamp or size of the file", UINT64_MAX, &value))
            return false;
        buf_printf(&p->text, ", %llu", (unsigned long long)value);
    }
    while (p->files.n <= number)
        vec_push(&p->files, NULL);
    if (p->files.at[number] && strcmp(p->files.at[number], name) != 0)
        return parse_fail(p, at, "file %u is already '%.200s'", (unsigned)number, p->files.at[number]);
    p->files.at[number] = name;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return true;
}

// ---- .loc -----------------------------------------------------------------------------------------------

// Equal places share one entry, so that there are as many entries as places, not as statements.
static uint32_t loc_intern(struct parser *p, const struct ptx_loc *loc, const char *text)
{
    const struct {
        uint32_t file, line, column;
        int32_t inlined_at;
        const char *function_name;
    } key = {loc->file, loc->line, loc->column, loc->inlined_at, loc->function_name};
    _Static_assert(sizeof key == 4 * 4 + sizeof(char *), "the key has no padding");
    uint32_t index = (uint32_t)(uintptr_t)map_get(&p->loc_keys, (const char *)&key, sizeof key);
    if (index == 0) {
        const char *copy = arena_copy(&p->scratch, &key, sizeof key, _Alignof(char *));
        index = (uint32_t)p->locs.n;
        vec_push(&p->locs, *loc);
        vec_push(&p->loc_texts, NULL);
        map_set(&p->loc_keys, copy, sizeof key, (void *)(uintptr_t)index);
        map_set(&p->loc_places, copy, 12, (void *)(uintptr_t)index);
    }
    if (text && !p->loc_texts.at[index])
        p->loc_texts.at[index] = text;
    return index;
}

// file line column
static bool parse_place(struct parser *p, struct ptx_loc *loc)
{
    uint64_t file, line, column;
    if (!parse_field(p, "the number of a file", MAX_FILE_NUMBER, &file) ||
        !parse_field(p, "a line", UINT32_MAX, &line) || !parse_field(p, "a column", UINT32_MAX, &column))
        return false;
    loc->file = (uint32_t)file;
    loc->line = (uint32_t)line;
    loc->column = (uint32_t)column;
    buf_printf(&p->text, " %u %u %u", loc->file, loc->line, loc->column);
    return true;
}

// The call site: the last .loc of that place, which says in turn where its function was inlined.
static bool parse_inlined_at(struct parser *p, struct ptx_loc *loc)
{
    struct ptx_loc site = {.inlined_at = -1};
    buf_puts(&p->text, ", inlined_at");
    if (!parse_place(p, &site))
        return false;
    const uint32_t key[3] = {site.file, site.line, site.column};
    uint32_t index = (uint32_t)(uintptr_t)map_get(&p->loc_places, (const char *)key, sizeof key);
    loc->inlined_at = (int32_t)(index ? index : loc_intern(p, &site, NULL));
    return true;
}

// A label of .debug_str, or .debug_str itself, with an offset.
static bool parse_function_name(struct parser *p, struct ptx_loc *loc)
{
    if (p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_DOT)
        return parse_expected(p, "a label of .debug_str");
    size_t start = p->text.n;
    buf_add(&p->text, p->token.at, p->token.length);
    parse_advance(p);
    if (parse_accept(p, '+')) {
        uint64_t offset;
        if (!parse_field(p, "an offset", UINT32_MAX, &offset))
            return false;
        buf_printf(&p->text, "+%u", (unsigned)offset);
    }
    loc->function_name = parse_intern(p, p->text.at + start, p->text.n - start);
    return true;
}

// .loc file line column [, function_name label] [, inlined_at file line column]
bool parse_loc(struct parser *p)
{
    struct ptx_loc loc = {.inlined_at = -1};
    struct buf saved = p->text; // a header's directives may be waiting
    p->text = (struct buf){0};
    buf_puts(&p->text, ".loc");
    bool is_good = parse_place(p, &loc);
    while (is_good && parse_accept(p, ',')) {
        if (token_is(&p->token, "function_name")) {
            parse_advance(p);
            buf_puts(&p->text, ", function_name ");
            is_good = parse_function_name(p, &loc);
        } else if (token_is(&p->token, "inlined_at")) {
            parse_advance(p);
            is_good = parse_inlined_at(p, &loc);
        } else {
            is_good = parse_expected(p, "function_name or inlined_at");
        }
    }
    if (is_good) {
        const char *text = parse_take_text(p);
        p->loc = loc_intern(p, &loc, text);
        if (p->in_body || !p->function)
            parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = text});
    }
    buf_release(&p->text);
    p->text = saved;
    return is_good;
}

// ---- sections -------------------------------------------------------------------------------------------

struct debug_label {
    const char *name;
    size_t offset;
};

// Bytes of .debug_str from a label on.
struct debug_string {
    const char *at;
    size_t length;
};

struct section {
    struct buf bytes; // of .b8 statements; read for .debug_str only
    VEC(struct debug_label) labels;
    bool is_debug_str;
};

// A number, label or section name, with others added or subtracted.
static bool parse_section_value(struct parser *p, struct section *section)
{
    bool is_sum = false;
    struct token first = p->token;
    for (;;) {
        if (p->token.kind != TOKEN_NUMBER && p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_DOT)
            return parse_expected(p, "a number or a label");
        buf_add(&p->text, p->token.at, p->token.length);
        parse_advance(p);
        if (!token_is_punct(&p->token, '+') && !token_is_punct(&p->token, '-'))
            break;
        is_sum = true;
        buf_add(&p->text, p->token.at, 1);
        parse_advance(p);
    }
    struct number number;
    const char *why;
    if (section->is_debug_str && !is_sum && first.kind == TOKEN_NUMBER &&
        number_parse(first.at, first.length, &number, &why))
        buf_add(&section->bytes, &(char){(char)number.bits}, 1);
    return true;
}

// .b8 1, 2, 3
static bool parse_section_data(struct parser *p, struct section *section)
{
    bool is_known = token_is(&p->token, ".b8") || token_is(&p->token, ".b16") ||
                    token_is(&p->token, ".b32") || token_is(&p->token, ".b64");
    if (!is_known)
        return parse_expected(p, ".b8, .b16, .b32, .b64 or a label");
    buf_add(&p->text, p->token.at, p->token.length);
    const char *separator = " ";
    parse_advance(p);
    do {
        bool is_negative = token_is_punct(&p->token, '-');
        buf_puts(&p->text, separator);
        if (is_negative) {
            buf_puts(&p->text, "-");
            parse_advance(p);
        }
        if (!parse_section_value(p, section))
            return false;
        separator = ",";
    } while (parse_accept(p, ','));
    return true;
}

static bool parse_section_line(struct parser *p, struct section *section)
{
    struct token token = p->token;
    if (token.kind == TOKEN_NAME) {
        const char *name = parse_intern(p, token.at, token.length);
        parse_advance(p);
        if (!parse_expect(p, ':', "after the label"))
            return false;
        vec_push(&section->labels, ((struct debug_label){name, section->bytes.n}));
        buf_printf(&p->text, "%s:", name);
    } else if (!parse_section_data(p, section)) {
        return false;
    }
    buf_puts(&p->text, "\n");
    return true;
}

static void keep_debug_string(struct parser *p, const char *name, const char *at, size_t length)
{
    struct debug_string *string = arena_new(&p->scratch, struct debug_string);
    *string = (struct debug_string){at, length};
    map_set(&p->debug_strings, name, strlen(name), string);
}

// Remember what the labels of .debug_str name: `function_name` refers to them.
static void keep_debug_strings(struct parser *p, const struct section *section)
{
    if (!section->is_debug_str)
        return;
    const struct buf *bytes = &section->bytes;
    const char *copy = arena_string(p->arena, bytes->at ? bytes->at : "", bytes->n);
    keep_debug_string(p, ".debug_str", copy, bytes->n);
    for (size_t i = 0; i < section->labels.n; i++) {
        const struct debug_label *label = &section->labels.at[i];
        keep_debug_string(p, label->name, copy + label->offset, bytes->n - label->offset);
    }
}

// .section .debug_str { … }
bool parse_section(struct parser *p)
{
    struct section section = {.is_debug_str = token_is(&p->token, ".debug_str")};
    if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_NAME)
        return parse_expected(p, "the name of the section");
    buf_printf(&p->text, "\t.section\t%.*s\n\t{\n", (int)p->token.length, p->token.at);
    parse_advance(p);
    struct ptx_position at = p->token.position;
    bool is_good = parse_expect(p, '{', "after the name of the section");
    while (is_good && !token_is_punct(&p->token, '}')) {
        if (p->token.kind == TOKEN_END)
            is_good = parse_fail(p, at, "this '{' of the section is never closed");
        else
            is_good = parse_section_line(p, &section);
    }
    if (is_good) {
        keep_debug_strings(p, &section);
        buf_puts(&p->text, "\t}");
        parse_advance(p);
        const char *text = arena_string(p->arena, p->text.at, p->text.n);
        buf_clear(&p->text);
        parse_add_item(p, (struct ptx_item){.kind = ITEM_SECTION, .text = text});
    }
    buf_release(&section.bytes);
    vec_release(&section.labels);
    return is_good;
}

// ---- end of the module ----------------------------------------------------------------------------------

// The string behind `label` or `label+offset`; NULL when the text has no such string.
static const char *debug_string(const struct parser *p, const char *label)
{
    const char *plus = strchr(label, '+');
    const struct debug_string *string =
        map_get(&p->debug_strings, label, plus ? (size_t)(plus - label) : strlen(label));
    uint64_t offset = plus ? strtoull(plus + 1, NULL, 10) : 0;
    return string && offset < string->length ? string->at + offset : NULL;
}

// The labels in function_name become the names they stand for, where the text has them.
void parse_debug_end(struct parser *p)
{
    for (size_t i = 0; i < p->locs.n; i++) {
        struct ptx_loc *loc = &p->locs.at[i];
        const char *name = loc->function_name ? debug_string(p, loc->function_name) : NULL;
        if (name)
            loc->function_name = name;
    }
}
