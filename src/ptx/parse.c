// PTX parser: the module level, tokens, errors.
#include "ptx/parse.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- errors ---------------------------------------------------------------------------------------------

bool parse_fail(struct parser *p, struct ptx_position at, const char *format, ...)
{
    char text[sizeof p->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set_at(p->err, p->module->path, at.line, at.column, p->lexer.text,
               (size_t)(p->lexer.end - p->lexer.text), "%s", text);
    return false;
}

bool parse_expected(struct parser *p, const char *what)
{
    const struct token *token = &p->token;
    if (token->kind == TOKEN_END)
        return parse_fail(p, token->position, "expected %s, found the end of the file", what);
    if (token->kind == TOKEN_STRING)
        return parse_fail(p, token->position, "expected %s, found a string", what);
    return parse_fail(p, token->position, "expected %s, found '%.*s'", what, TOKEN_TEXT(token));
}

// ---- tokens ---------------------------------------------------------------------------------------------

void parse_advance(struct parser *p)
{
    p->previous_end = p->token.at + p->token.length;
    p->previous_end_position = p->token.position;
    p->previous_end_position.column += p->token.length;
    p->token = lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_BAD)
        parse_fail(p, p->token.position, "%s", p->token.why);
}

bool parse_accept(struct parser *p, int punct)
{
    bool is_there = token_is_punct(&p->token, punct);
    if (is_there)
        parse_advance(p);
    return is_there;
}

// A mark that is missing at the end of a line is reported there, not at the next line's first word.
bool parse_expect(struct parser *p, int punct, const char *context)
{
    if (parse_accept(p, punct))
        return true;
    const char *blank = context[0] ? " " : "";
    if (p->token.kind == TOKEN_END || p->token.position.line > p->previous_end_position.line)
        return parse_fail(p, p->previous_end_position, "expected '%c'%s%s", punct, blank, context);
    return parse_fail(p, p->token.position, "expected '%c'%s%s, found '%.*s'", punct, blank, context,
                      TOKEN_TEXT(&p->token));
}

const char *parse_intern(struct parser *p, const char *at, size_t length)
{
    char *text = map_get(&p->strings, at, length);
    if (!text) {
        text = arena_string(p->arena, at, length);
        map_set(&p->strings, text, length, text);
    }
    return text;
}

bool parse_name(struct parser *p, const char *what, const char **out)
{
    if (p->token.kind != TOKEN_NAME)
        return parse_expected(p, what);
    *out = parse_intern(p, p->token.at, p->token.length);
    parse_advance(p);
    return true;
}

// ---- strings --------------------------------------------------------------------------------------------

// Up to `most` digits of the radix from *at on, which is moved behind them.
static int escape_number(const char **at, const char *end, int radix, int most)
{
    int value = 0;
    for (; most > 0 && *at < end; most--, (*at)++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = **at ? strchr(digits, **at) : NULL;
        if (!digit || (digit - digits) % 16 >= radix)
            break;
        value = value * radix + (int)((digit - digits) % 16);
    }
    return value;
}

// The character behind a backslash.
static int escape_decode(const char **at, const char *end)
{
    static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    if (**at >= '0' && **at <= '7')
        return escape_number(at, end, 8, 3);
    char c = *(*at)++;
    if (c == 'x')
        return escape_number(at, end, 16, 2);
    const char *name = c ? strchr(names, c) : NULL;
    return name ? values[name - names] : c;
}

bool parse_string(struct parser *p, const char **raw, const char **decoded)
{
    if (p->token.kind != TOKEN_STRING)
        return parse_expected(p, "a string");
    *raw = parse_intern(p, p->token.at, p->token.length);
    const char *end = p->token.at + p->token.length - 1;
    char *out = arena_alloc(p->arena, p->token.length, 1);
    *decoded = out;
    for (const char *at = p->token.at + 1; at < end;) {
        char c = *at++;
        *out++ = c == '\\' ? (char)escape_decode(&at, end) : c;
    }
    parse_advance(p);
    return true;
}

void parse_add_item(struct parser *p, struct ptx_item item)
{
    if (p->in_body)
        vec_push(&p->body_items, item);
    else
        vec_push(&p->items, item);
}

const char *parse_take_text(struct parser *p)
{
    const char *text = parse_intern(p, p->text.at ? p->text.at : "", p->text.n);
    buf_clear(&p->text);
    return text;
}

// ---- directives of a module -----------------------------------------------------------------------------

static bool parse_version(struct parser *p)
{
    unsigned major, minor;
    int length = 0;
    char copy[16] = "";
    if (p->token.kind == TOKEN_NUMBER && p->token.length < sizeof copy)
        memcpy(copy, p->token.at, p->token.length);
    if (sscanf(copy, "%3u.%3u%n", &major, &minor, &length) != 2 || copy[length])
        return parse_expected(p, "a version such as 8.7");
    if (p->module->version_major && (p->module->version_major != major || p->module->version_minor != minor))
        return parse_fail(p, p->token.position, "a second .version differs from the first, %u.%u",
                          p->module->version_major, p->module->version_minor);
    bool is_first = !p->module->version_major;
    p->module->version_major = major;
    p->module->version_minor = minor;
    parse_advance(p);
    buf_printf(&p->text, ".version %u.%u", major, minor);
    if (is_first)
        parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    buf_clear(&p->text);
    return true;
}

static bool parse_target(struct parser *p)
{
    const char *name = NULL;
    buf_puts(&p->text, ".target ");
    do {
        if (!parse_name(p, "a target such as sm_90", &name))
            return false;
        buf_printf(&p->text, "%s%s", p->text.n > 8 ? ", " : "", name);
        bool is_architecture = strncmp(name, "sm_", 3) == 0 || strncmp(name, "compute_", 8) == 0;
        if (is_architecture && !p->module->target)
            p->module->target = name;
        else if (!is_architecture)
            vec_push(&p->target_options, name);
    } while (parse_accept(p, ','));
    parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return true;
}

static bool parse_address_size(struct parser *p)
{
    uint64_t bits;
    struct ptx_position at = p->token.position;
    if (!parse_integer(p, "the address size", 64, &bits))
        return false;
    if (bits != 32 && bits != 64)
        return parse_fail(p, at, "the address size must be 32 or 64");
    p->module->address_size = (unsigned)bits;
    buf_printf(&p->text, ".address_size %u", (unsigned)bits);
    parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return true;
}

static bool parse_alias(struct parser *p)
{
    const char *alias = NULL, *target = NULL;
    struct ptx_position at = p->token.position, at_target;
    if (!parse_name(p, "the name of the alias", &alias) || !parse_expect(p, ',', "after the alias"))
        return false;
    at_target = p->token.position;
    if (!parse_name(p, "the function behind the alias", &target))
        return false;
    const struct symbol *meant = scope_find(p, target, strlen(target));
    if (!meant || meant->kind != SYMBOL_FUNCTION)
        return scope_fail_unknown(p, at_target, "function", target);
    const struct symbol *symbol = scope_find(p, alias, strlen(alias));
    if (!symbol || symbol->kind != SYMBOL_FUNCTION)
        return scope_fail_unknown(p, at, "function", alias);
    symbol->function->alias_of = meant->function;
    buf_printf(&p->text, ".alias %s, %s;", alias, target);
    parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return parse_expect(p, ';', "after .alias");
}

// Pragmas of a module are kept for printing only.
static bool parse_module_pragma(struct parser *p)
{
    const char *last;
    return parse_pragma(p, &last);
}

bool parse_linkage(struct parser *p, struct linkage *out)
{
    *out = (struct linkage){.at = p->token.position};
    for (;; parse_advance(p)) {
        if (p->token.kind != TOKEN_DOT)
            return parse_expected(p, "a declaration");
        if (token_is(&p->token, ".extern"))
            out->is_extern = true;
        else if (token_is(&p->token, ".visible"))
            out->is_visible = true;
        else if (token_is(&p->token, ".weak"))
            out->is_weak = true;
        else if (token_is(&p->token, ".common"))
            out->is_common = true;
        else if (token_is(&p->token, ".hidden"))
            out->is_hidden = true;
        else
            return true;
    }
}

static bool fail_directive(struct parser *p)
{
    static const char *const known[] = {".version", ".target", ".address_size", ".file",   ".loc",
                                        ".section", ".pragma", ".alias",        ".extern", ".visible",
                                        ".weak",    ".common", ".hidden",       ".entry",  ".func",
                                        ".global",  ".const",  ".shared",       ".local",  ".tex"};
    char name[64];
    snprintf(name, sizeof name, "%.*s", TOKEN_TEXT(&p->token));
    const char *nearest = nearest_name(name, known, sizeof known / sizeof known[0]);
    if (nearest)
        return parse_fail(p, p->token.position, "unknown directive '%s': did you mean '%s'?", name, nearest);
    return parse_fail(p, p->token.position, "unknown directive '%s'", name);
}

// Functions and variables, with what may stand before them.
static bool parse_declaration(struct parser *p)
{
    struct linkage linkage;
    enum ptx_space space;
    if (!parse_linkage(p, &linkage))
        return false;
    if (token_is(&p->token, ".entry") || token_is(&p->token, ".func"))
        return parse_function(p, linkage);
    if (!parse_space(&p->token, &space))
        return fail_directive(p);
    if (space == PS_REG || space == PS_PARAM)
        return parse_fail(p, p->token.position, "'%.*s' cannot be declared outside a function",
                          TOKEN_TEXT(&p->token));
    return parse_variables(p, linkage);
}

static bool parse_directive(struct parser *p)
{
    static const struct {
        const char *name;
        bool (*parse)(struct parser *p);
    } directives[] = {
        {".loc", parse_loc},         {".file", parse_file},
        {".version", parse_version}, {".target", parse_target},
        {".section", parse_section}, {".address_size", parse_address_size},
        {".alias", parse_alias},     {".pragma", parse_module_pragma},
    };
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
        if (token_is(&p->token, directives[i].name)) {
            parse_advance(p);
            return directives[i].parse(p);
        }
    }
    return parse_declaration(p);
}

static bool parse_statements(struct parser *p)
{
    parse_advance(p);
    if (p->token.kind == TOKEN_END)
        return parse_fail(p, (struct ptx_position){0}, "the file holds no PTX");
    if (!token_is(&p->token, ".version"))
        return parse_fail(p, p->token.position, "this is not PTX: the first directive must be .version");
    while (p->token.kind != TOKEN_END) {
        if (p->module->version_major && !p->module->target && !token_is(&p->token, ".target"))
            return parse_expected(p, ".target after .version");
        if (p->token.kind == TOKEN_DOT ? !parse_directive(p)
                                       : !parse_accept(p, ';') && !parse_expected(p, "a directive"))
            return false;
        if (p->err->set)
            return false;
    }
    return true;
}

// ---- the module -----------------------------------------------------------------------------------------

// The module's maps outlive the parser, so their tables move into the arena.
static void map_freeze(struct parser *p, struct map *map)
{
    struct map frozen = *map;
    frozen.entries =
        arena_copy(p->arena, map->entries, map->n * sizeof *map->entries, _Alignof(struct map_entry));
    frozen.slots = arena_copy(p->arena, map->slots, map->n_slots * sizeof *map->slots, _Alignof(uint32_t));
    frozen.capacity = map->n;
    map_release(map);
    *map = frozen;
}

// A name means its definition where there is one, else its first declaration.
static void module_index(struct parser *p)
{
    struct ptx_module *m = p->module;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        struct ptx_function *function = m->functions[i];
        size_t length = strlen(function->name);
        if (function->has_body || !map_get(&m->function_names, function->name, length))
            map_set(&m->function_names, function->name, length, function);
    }
    for (uint32_t i = 0; i < m->n_variables; i++)
        map_set(&m->variable_names, m->variables[i]->name, strlen(m->variables[i]->name), m->variables[i]);
    map_freeze(p, &m->function_names);
    map_freeze(p, &m->variable_names);
}

static void module_finish(struct parser *p)
{
    struct ptx_module *m = p->module;
    m->functions = ARENA_COPY(p, p->functions);
    m->n_functions = (uint32_t)p->functions.n;
    m->variables = ARENA_COPY(p, p->variables);
    m->n_variables = (uint32_t)p->variables.n;
    m->target_options = ARENA_COPY(p, p->target_options);
    m->n_target_options = (uint32_t)p->target_options.n;
    m->items = ARENA_COPY(p, p->items);
    m->n_items = (uint32_t)p->items.n;
    m->files = ARENA_COPY(p, p->files);
    m->n_files = (uint32_t)p->files.n;
    m->locs = ARENA_COPY(p, p->locs);
    m->n_locs = (uint32_t)p->locs.n;
    if (!m->address_size)
        m->address_size = 32;
    module_index(p);
}

static void parser_release(struct parser *p)
{
    struct map *maps[] = {&p->strings,  &p->opcodes,    &p->symbols,      &p->ranges,
                          &p->loc_keys, &p->loc_places, &p->debug_strings};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        map_release(maps[i]);
    vec_release(&p->functions);
    vec_release(&p->variables);
    vec_release(&p->target_options);
    vec_release(&p->items);
    vec_release(&p->files);
    vec_release(&p->locs);
    vec_release(&p->loc_texts);
    vec_release(&p->insns);
    vec_release(&p->labels);
    vec_release(&p->registers);
    vec_release(&p->body_variables);
    vec_release(&p->body_items);
    vec_release(&p->label_slots);
    vec_release(&p->pragmas);
    vec_release(&p->operands);
    buf_release(&p->text);
    arena_release(&p->scratch);
}

struct ptx_module *ptx_parse(struct arena *arena, const char *path, const char *text, size_t length,
                             struct err *err)
{
    struct parser p = {.arena = arena, .err = err};
    arena_init(&p.scratch, "the PTX parser");
    p.module = arena_new(arena, struct ptx_module);
    p.module->path = arena_string(arena, path, strlen(path));
    p.module->text = text;
    p.module->text_length = length;
    vec_push(&p.locs, ((struct ptx_loc){.inlined_at = -1}));
    vec_push(&p.loc_texts, NULL);
    vec_reserve(&p.operands, 16); // never NULL: places in it are computed while it is empty
    if (length < UINT32_MAX / 2) {
        lexer_init(&p.lexer, text ? text : "", length);
        p.token.at = p.lexer.text;
        if (parse_statements(&p) && !err->set) {
            parse_debug_end(&p);
            module_finish(&p);
        }
    } else {
        err_set(err, "'%s' is larger than 2 GiB", path);
    }
    parser_release(&p);
    return err->set ? NULL : p.module;
}

struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
    return map_get(&module->function_names, name, strlen(name));
}

struct ptx_function *ptx_find_meant(const struct ptx_module *module, const char *name)
{
    struct ptx_function *function = ptx_find_function(module, name);
    if (!function || function->has_body || !function->alias_of)
        return function;
    return ptx_find_function(module, function->alias_of->name);
}
