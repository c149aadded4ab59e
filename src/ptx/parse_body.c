// PTX parser: the statements of a body, but for instructions.
#include "ptx/parse.h"
#include <stdio.h>
#include <string.h>

// ---- labels and lists of targets ------------------------------------------------------------------------

static bool declare_label(struct parser *p, const char *name, struct ptx_position at)
{
    struct symbol *symbol = scope_declare(p, name, SYMBOL_LABEL, at);
    if (!symbol)
        return false;
    symbol->label = (uint32_t)p->labels.n;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_LABEL, .index = symbol->label});
    vec_push(&p->labels, ((struct ptx_label){name, (uint32_t)p->insns.n, at}));
    return true;
}

struct target_list {
    VEC(const char *) names;
    VEC(struct ptx_position) places;
};

static void add_target_fixups(struct parser *p, struct ptx_branch_targets *targets,
                              const struct target_list *list)
{
    targets->targets = arena_array(p->arena, const struct ptx_label *, targets->n);
    for (uint32_t i = 0; i < targets->n; i++)
        scope_add_fixup(p, (struct fixup){.kind = FIXUP_BRANCH,
                                          .name = list->names.at[i],
                                          .at = list->places.at[i],
                                          .slot = &targets->targets[i]});
}

static bool check_target_functions(struct parser *p, const struct target_list *list)
{
    for (size_t i = 0; i < list->names.n; i++) {
        const char *name = list->names.at[i];
        const struct symbol *symbol = scope_find(p, name, strlen(name));
        if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            return scope_fail_unknown(p, list->places.at[i], "function", name);
    }
    return true;
}

static bool parse_names(struct parser *p, struct target_list *list)
{
    do {
        const char *name;
        vec_push(&list->places, p->token.position);
        if (!parse_name(p, "a name", &name))
            return false;
        buf_printf(&p->text, "%s%s", list->names.n ? ", " : " ", name);
        vec_push(&list->names, name);
    } while (parse_accept(p, ','));
    return true;
}

// name: .branchtargets L1, L2;      name: .calltargets f, g;
static bool parse_targets(struct parser *p, const char *name, struct ptx_position at, bool is_branch)
{
    struct target_list list = {0};
    struct ptx_branch_targets *targets = arena_new(p->arena, struct ptx_branch_targets);
    targets->name = name;
    buf_printf(&p->text, "%s: %s", name, is_branch ? ".branchtargets" : ".calltargets");
    struct symbol *symbol = scope_declare(p, name, SYMBOL_TARGETS, at);
    bool is_good = symbol && parse_names(p, &list) && (is_branch || check_target_functions(p, &list));
    if (is_good) {
        symbol->targets = targets;
        targets->n = (uint32_t)list.names.n;
        if (is_branch)
            add_target_fixups(p, targets, &list);
        else
            targets->functions = ARENA_COPY(p, list.names);
        buf_puts(&p->text, ";");
        parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    }
    vec_release(&list.names);
    vec_release(&list.places);
    return is_good && parse_expect(p, ';', "after the list");
}

// What follows `name:`.
static bool parse_label(struct parser *p, const struct token *token)
{
    const char *name = parse_intern(p, token->at, token->length);
    struct token directive = p->token;
    bool is_branch = token_is(&directive, ".branchtargets");
    if (token_is(&directive, ".callprototype")) {
        parse_advance(p);
        return parse_prototype(p, name, token->position);
    }
    if (is_branch || token_is(&directive, ".calltargets")) {
        parse_advance(p);
        return parse_targets(p, name, token->position, is_branch);
    }
    return declare_label(p, name, token->position);
}

// ---- directives -----------------------------------------------------------------------------------------

// In a header the strings go to the function, elsewhere the statement is kept as it is.
bool parse_pragma(struct parser *p, const char **last)
{
    bool is_header = p->function && !p->in_body;
    size_t start = p->text.n;
    const char *raw;
    do {
        if (!parse_string(p, &raw, last))
            return false;
        if (is_header)
            vec_push(&p->pragmas, *last);
        buf_printf(&p->text, "%s%s", p->text.n == start ? ".pragma " : ", ", raw);
    } while (parse_accept(p, ','));
    buf_puts(&p->text, is_header ? ";\n" : ";");
    if (!is_header)
        parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return parse_expect(p, ';', "after .pragma");
}

static bool fail_body_directive(struct parser *p)
{
    static const char *const known[] = {
        ".reg",    ".loc",  ".shared", ".local",         ".param",       ".global",       ".const",
        ".pragma", ".file", ".extern", ".branchtargets", ".calltargets", ".callprototype"};
    char name[64];
    snprintf(name, sizeof name, "%.*s", TOKEN_TEXT(&p->token));
    bool wants_label = token_is(&p->token, ".branchtargets") || token_is(&p->token, ".calltargets") ||
                       token_is(&p->token, ".callprototype");
    if (wants_label)
        return parse_fail(p, p->token.position, "%s needs a label before it, as in 'name: %s …'", name, name);
    const char *nearest = nearest_name(name, known, sizeof known / sizeof known[0]);
    if (nearest)
        return parse_fail(p, p->token.position, "unknown directive '%s': did you mean '%s'?", name, nearest);
    return parse_fail(p, p->token.position, "unknown directive '%s' in a body", name);
}

static bool parse_body_variables(struct parser *p)
{
    struct linkage linkage;
    enum ptx_space space;
    if (!parse_linkage(p, &linkage))
        return false;
    if (!parse_space(&p->token, &space) || space == PS_REG)
        return fail_body_directive(p);
    return parse_variables(p, linkage);
}

static bool parse_body_directive(struct parser *p)
{
    if (token_is(&p->token, ".loc")) {
        parse_advance(p);
        return parse_loc(p);
    }
    if (token_is(&p->token, ".reg"))
        return parse_registers(p);
    if (token_is(&p->token, ".pragma")) {
        parse_advance(p);
        return parse_pragma(p, &p->pragma);
    }
    if (token_is(&p->token, ".file")) {
        parse_advance(p);
        return parse_file(p);
    }
    return parse_body_variables(p);
}

// ---- statements -----------------------------------------------------------------------------------------

// @p or @!p, then an instruction.
static bool parse_guarded(struct parser *p)
{
    const char *start = p->token.at, *name;
    parse_advance(p);
    bool is_negated = parse_accept(p, '!');
    struct ptx_position at = p->token.position;
    if (!parse_name(p, "a predicate register after '@'", &name))
        return false;
    const struct symbol *symbol = scope_find(p, name, strlen(name));
    if (!symbol || symbol->kind != SYMBOL_VARIABLE || symbol->variable->space != PS_REG)
        return scope_fail_unknown(p, at, "predicate register", name);
    if (symbol->variable->type != PT_PRED)
        return parse_fail(p, at, "a guard must be a .pred register, '%.100s' is .%s", name,
                          ptx_type_name(symbol->variable->type));
    struct token op = p->token;
    if (op.kind != TOKEN_NAME)
        return parse_expected(p, "an instruction after the guard");
    parse_advance(p);
    return parse_insn(p, op, symbol->variable, is_negated, start);
}

static bool parse_open(struct parser *p)
{
    if (!scope_open(p, p->token.position))
        return false;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_OPEN});
    parse_advance(p);
    return true;
}

static bool parse_close(struct parser *p)
{
    if (p->depth > 2)
        parse_add_item(p, (struct ptx_item){.kind = ITEM_CLOSE});
    if (!scope_close(p))
        return false;
    parse_advance(p);
    return true;
}

static bool parse_statement(struct parser *p)
{
    struct token token = p->token;
    if (token.kind == TOKEN_NAME) {
        parse_advance(p);
        return parse_accept(p, ':') ? parse_label(p, &token) : parse_insn(p, token, NULL, false, token.at);
    }
    if (token.kind == TOKEN_DOT)
        return parse_body_directive(p);
    if (token_is_punct(&token, '@'))
        return parse_guarded(p);
    if (token_is_punct(&token, '{'))
        return parse_open(p);
    if (token_is_punct(&token, '}'))
        return parse_close(p);
    return parse_accept(p, ';') || parse_expected(p, "a statement");
}

bool parse_body(struct parser *p)
{
    if (!scope_open(p, p->token.position))
        return false;
    parse_advance(p);
    while (p->depth > 1) {
        if (p->token.kind == TOKEN_END && !p->err->set)
            return parse_fail(p, p->scopes[p->depth].at, "this '{' of '%.100s' is never closed",
                              p->function->name);
        if (!parse_statement(p) || p->err->set)
            return false;
    }
    return true;
}
