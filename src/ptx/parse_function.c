// PTX parser: headers of functions and entries, prototypes of indirect calls.
#include "ptx/parse.h"
#include <stdio.h>
#include <string.h>

// ---- directives between the parameters and the body -----------------------------------------------------

// 16, 16, 1: missing extents are 1.
static bool parse_extents(struct parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        if (!parse_integer(p, "the extent", UINT32_MAX, &value))
            return false;
        out[i] = (uint32_t)value;
        if (!parse_accept(p, ','))
            break;
    }
    return true;
}

static bool parse_u32(struct parser *p, uint32_t *out)
{
    uint64_t value;
    bool is_good = parse_integer(p, "the value", UINT32_MAX, &value);
    *out = is_good ? (uint32_t)value : 0;
    return is_good;
}

// Directives that are kept for printing only, with the number of values they take.
static bool parse_other_directive(struct parser *p, const struct token *name, bool *is_known)
{
    static const struct {
        const char *name;
        bool has_value;
    } others[] = {{".blocksareclusters", false},
                  {".maxnctapersm", true},
                  {".abi_preserve", true},
                  {".abi_preserve_control", true}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!token_is(name, others[i].name))
            continue;
        *is_known = true;
        uint32_t value = 0;
        if (others[i].has_value && !parse_u32(p, &value))
            return false;
        buf_printf(&p->text, others[i].has_value ? "%s %u\n" : "%s\n", others[i].name, value);
        return true;
    }
    return true;
}

static bool fail_header_directive(struct parser *p, const struct token *token)
{
    static const char *const known[] = {".maxntid",           ".reqntid",  ".minnctapersm",
                                        ".maxnreg",           ".noreturn", ".maxclusterrank",
                                        ".reqnctapercluster", ".pragma",   ".explicitcluster"};
    char name[64];
    snprintf(name, sizeof name, "%.*s", TOKEN_TEXT(token));
    const char *nearest = nearest_name(name, known, sizeof known / sizeof known[0]);
    if (nearest)
        return parse_fail(p, token->position, "unknown directive '%s': did you mean '%s'?", name, nearest);
    return parse_fail(p, token->position, "unknown directive '%s' in the header of '%.100s'", name,
                      p->function->name);
}

static bool parse_header_directive(struct parser *p, struct ptx_function *f)
{
    struct token name = p->token;
    const char *last;
    parse_advance(p);
    if (token_is(&name, ".maxntid"))
        return parse_extents(p, f->max_threads);
    if (token_is(&name, ".reqntid"))
        return parse_extents(p, f->required_threads);
    if (token_is(&name, ".reqnctapercluster"))
        return parse_extents(p, f->cluster);
    if (token_is(&name, ".minnctapersm"))
        return parse_u32(p, &f->min_blocks_per_sm);
    if (token_is(&name, ".maxnreg"))
        return parse_u32(p, &f->max_registers);
    if (token_is(&name, ".maxclusterrank"))
        return parse_u32(p, &f->max_cluster_rank);
    if (token_is(&name, ".explicitcluster"))
        return f->is_explicit_cluster = true;
    if (token_is(&name, ".noreturn"))
        return f->is_noreturn = true;
    if (token_is(&name, ".pragma"))
        return parse_pragma(p, &last);
    if (token_is(&name, ".loc"))
        return parse_loc(p);
    bool is_known = false;
    return parse_other_directive(p, &name, &is_known) && (is_known || fail_header_directive(p, &name));
}

// ---- declaring ------------------------------------------------------------------------------------------

// Declarations and the definition must agree on the numbers of values.
static bool check_earlier(struct parser *p, const struct ptx_function *f, const struct ptx_function *earlier)
{
    if (earlier->is_entry != f->is_entry || earlier->n_params != f->n_params ||
        earlier->n_returns != f->n_returns)
        return parse_fail(p, f->at, "'%.100s' does not match its declaration in line %u", f->name,
                          earlier->at.line);
    return true;
}

// The name belongs to the module although the parameters' scope is open already. NULL: it means something
// else.
static struct symbol *declare_function(struct parser *p, struct ptx_function *f)
{
    struct symbol *symbol = map_get(&p->symbols, f->name, strlen(f->name));
    if (symbol && symbol->kind == SYMBOL_FUNCTION)
        return symbol;
    if (symbol) {
        parse_fail(p, f->at, "'%.100s' is already declared in line %u", f->name, symbol->at.line);
        return NULL;
    }
    uint32_t depth = p->depth;
    p->depth = 0;
    symbol = scope_declare(p, f->name, SYMBOL_FUNCTION, f->at);
    p->depth = depth;
    if (symbol)
        symbol->function = f;
    return symbol;
}

// ---- functions ------------------------------------------------------------------------------------------

static void function_begin(struct parser *p, struct ptx_function *f)
{
    p->function = f;
    p->loc = 0;
    p->pragma = NULL;
    vec_clear(&p->insns);
    vec_clear(&p->labels);
    vec_clear(&p->registers);
    vec_clear(&p->body_variables);
    vec_clear(&p->body_items);
    vec_clear(&p->label_slots);
    vec_clear(&p->pragmas);
}

static void function_finish(struct parser *p, struct ptx_function *f)
{
    f->variables = ARENA_COPY(p, p->body_variables);
    f->n_variables = (uint32_t)p->body_variables.n;
    f->registers = ARENA_COPY(p, p->registers);
    f->n_registers = (uint32_t)p->registers.n;
    f->insns = ARENA_COPY(p, p->insns);
    f->n_insns = (uint32_t)p->insns.n;
    f->labels = ARENA_COPY(p, p->labels);
    f->n_labels = (uint32_t)p->labels.n;
    f->items = ARENA_COPY(p, p->body_items);
    f->n_items = (uint32_t)p->body_items.n;
    f->pragmas = ARENA_COPY(p, p->pragmas);
    f->n_pragmas = (uint32_t)p->pragmas.n;
    for (size_t i = 0; i < p->label_slots.n; i++)
        *p->label_slots.at[i].slot = &f->labels[p->label_slots.at[i].label];
    p->function = NULL;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_FUNCTION, .index = (uint32_t)p->functions.n});
    vec_push(&p->functions, f);
}

// [.attribute(…)] [.noreturn] [(returns)] name [(parameters)]; *out is the name's meaning in the module.
static bool parse_signature(struct parser *p, struct ptx_function *f, struct symbol **out)
{
    bool is_managed;
    while (p->token.kind == TOKEN_DOT) {
        bool is_attribute = token_is(&p->token, ".attribute");
        if (!is_attribute && !token_is(&p->token, ".noreturn"))
            return parse_expected(p, "the name of the function");
        f->is_noreturn |= !is_attribute;
        parse_advance(p);
        if (is_attribute && !parse_attribute(p, &is_managed))
            return false;
    }
    if (token_is_punct(&p->token, '(') && f->is_entry)
        return parse_expected(p, "the name of the entry");
    if (token_is_punct(&p->token, '(') && !parse_params(p, &f->returns, &f->n_returns))
        return false;
    f->at = p->token.position;
    if (!parse_name(p, "the name of the function", &f->name))
        return false;
    *out = declare_function(p, f);
    if (!*out || (token_is_punct(&p->token, '(') && !parse_params(p, &f->params, &f->n_params)))
        return false;
    return check_earlier(p, f, (*out)->function);
}

static bool parse_definition(struct parser *p, struct ptx_function *f, struct symbol *symbol)
{
    const struct ptx_function *earlier = symbol->function;
    if (earlier != f && earlier->has_body)
        return parse_fail(p, f->at, "'%.100s' is already defined in line %u", f->name, earlier->at.line);
    symbol->function = f;
    f->has_body = true;
    p->in_body = true;
    bool is_good = parse_body(p);
    p->in_body = false;
    return is_good;
}

// Where a header ends without `;` or body, the next declaration must not pass for a directive of it.
static bool starts_declaration(const struct token *token)
{
    static const char *const starts[] = {".entry",  ".func",  ".visible", ".extern", ".weak",
                                         ".global", ".const", ".shared",  ".file"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (token_is(token, starts[i]))
            return true;
    return token->kind == TOKEN_END;
}

// A body or `;`. Declarations of PTX 1 and 2 may end without one.
static bool parse_header_end(struct parser *p, struct ptx_function *f, struct symbol *symbol)
{
    if (token_is_punct(&p->token, '{'))
        return parse_definition(p, f, symbol);
    if (p->module->version_major < 3 && starts_declaration(&p->token))
        return true;
    return parse_expect(p, ';', "or a body after the header");
}

bool parse_function(struct parser *p, struct linkage linkage)
{
    struct ptx_function *f = arena_new(p->arena, struct ptx_function);
    f->is_entry = token_is(&p->token, ".entry");
    f->is_visible = linkage.is_visible;
    f->is_extern = linkage.is_extern;
    f->is_weak = linkage.is_weak;
    f->is_hidden = linkage.is_hidden;
    f->header_text = "";
    function_begin(p, f);
    if (!scope_open(p, p->token.position))
        return false;
    parse_advance(p);
    struct symbol *symbol = NULL;
    if (!parse_signature(p, f, &symbol))
        return false;
    while (p->token.kind == TOKEN_DOT && !starts_declaration(&p->token))
        if (!parse_header_directive(p, f))
            return false;
    f->header_text = parse_take_text(p);
    if (!parse_header_end(p, f, symbol))
        return false;
    if (!scope_close(p))
        return false;
    function_finish(p, f);
    return true;
}

// name: .callprototype (returns) _ (parameters) [.noreturn] ;
bool parse_prototype(struct parser *p, const char *name, struct ptx_position at)
{
    struct ptx_prototype *prototype = arena_new(p->arena, struct ptx_prototype);
    const char *placeholder;
    prototype->name = name;
    if (token_is_punct(&p->token, '(') && !parse_params(p, &prototype->returns, &prototype->n_returns))
        return false;
    if (!parse_name(p, "'_' in place of the function's name", &placeholder))
        return false;
    if (token_is_punct(&p->token, '(') && !parse_params(p, &prototype->params, &prototype->n_params))
        return false;
    while (p->token.kind == TOKEN_DOT) {
        struct token directive = p->token;
        bool is_known = token_is(&directive, ".noreturn");
        prototype->is_noreturn |= is_known;
        parse_advance(p);
        if (!is_known && !parse_other_directive(p, &directive, &is_known))
            return false;
        if (!is_known)
            return parse_fail(p, directive.position, "unknown directive '%.*s' in a prototype",
                              TOKEN_TEXT(&directive));
    }
    buf_clear(&p->text);
    struct symbol *symbol = scope_declare(p, name, SYMBOL_PROTOTYPE, at);
    if (!symbol)
        return false;
    symbol->prototype = prototype;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_PROTOTYPE, .prototype = prototype});
    return parse_expect(p, ';', "after the prototype");
}
