// PTX parser: instructions and operands.
#include "ptx/parse.h"
#include <string.h>

enum { MAX_VECTOR_DEPTH = 3, MAX_VECTOR = 256 };

static bool parse_operand(struct parser *p, const char *op, int depth, struct ptx_operand *out);

// ---- opcodes --------------------------------------------------------------------------------------------

// "ld.global.L2::128B.f32" to its words.
static struct opcode *opcode_split(struct parser *p, const char *text, size_t length)
{
    struct opcode *opcode = arena_new(p->arena, struct opcode);
    const char *end = text + length, *dot = memchr(text, '.', length);
    opcode->op = parse_intern(p, text, (size_t)((dot ? dot : end) - text));
    for (const char *at = dot; at; at = memchr(at + 1, '.', (size_t)(end - at - 1)))
        opcode->n_suffixes++;
    opcode->suffixes = arena_array(p->arena, const char *, opcode->n_suffixes);
    for (uint32_t i = 0; i < opcode->n_suffixes; i++) {
        const char *next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
        opcode->suffixes[i] = parse_intern(p, dot + 1, (size_t)((next ? next : end) - dot - 1));
        dot = next;
    }
    return opcode;
}

static const struct opcode *opcode_find(struct parser *p, const char *text, size_t length)
{
    struct opcode *opcode = map_get(&p->opcodes, text, length);
    if (!opcode) {
        opcode = opcode_split(p, text, length);
        map_set(&p->opcodes, parse_intern(p, text, length), length, opcode);
    }
    return opcode;
}

// The word `op` and the suffixes that follow. Blanks may stand between them, but seldom do.
static const struct opcode *parse_opcode(struct parser *p, const struct token *op)
{
    const char *end = op->at + op->length;
    for (; p->token.kind == TOKEN_DOT && p->token.at == end; parse_advance(p))
        end += p->token.length;
    if (p->token.kind != TOKEN_DOT)
        return opcode_find(p, op->at, (size_t)(end - op->at));
    buf_add(&p->text, op->at, (size_t)(end - op->at));
    for (; p->token.kind == TOKEN_DOT; parse_advance(p))
        buf_add(&p->text, p->token.at, p->token.length);
    const struct opcode *opcode = opcode_find(p, p->text.at, p->text.n);
    buf_clear(&p->text);
    return opcode;
}

// ---- names in operands ----------------------------------------------------------------------------------

// .x of a vector or a special register, .b0 of a video operand: only right behind the name.
static bool parse_component(struct parser *p, struct ptx_operand *out)
{
    struct token token = p->token;
    if (token.kind != TOKEN_DOT || token.at != p->previous_end)
        return true;
    const char *letter = token.length == 2 ? strchr("xyzwrgba", token.at[1]) : NULL;
    bool is_selector = token.length >= 3 && token.length <= 6 && strchr("bh", token.at[1]) &&
                       strspn(token.at + 2, "01234567") >= token.length - 2;
    if (!letter && !is_selector)
        return parse_fail(p, token.position,
                          "'%.*s' is no part of a register: expected .x .y .z .w, or .b0 .h1 …",
                          TOKEN_TEXT(&token));
    parse_advance(p);
    if (is_selector) {
        out->selector = parse_intern(p, token.at + 1, token.length - 1);
    } else if (out->kind == PO_SREG) {
        buf_printf(&p->text, "%s.%c", out->name, *letter);
        out->name = parse_take_text(p);
    } else {
        out->component = "xyzwxyzw"[strchr("xyzwrgba", *letter) - "xyzwrgba"];
    }
    return true;
}

// a[2] for [a + 8]; in mov the address itself.
static bool parse_subscript(struct parser *p, const char *op, struct ptx_operand *out)
{
    uint64_t index, bytes = ptx_type_bytes(out->variable->type) * out->variable->vector;
    if (!parse_accept(p, '['))
        return true;
    if (!parse_integer(p, "the subscript", UINT32_MAX, &index) ||
        !parse_expect(p, ']', "after the subscript"))
        return false;
    out->offset = (int64_t)(index * bytes);
    if (strcmp(op, "mov") == 0)
        return true;
    struct ptx_operand *base = arena_copy(p->arena, out, sizeof *out, _Alignof(struct ptx_operand));
    base->offset = 0;
    *out = (struct ptx_operand){.kind = PO_ADDRESS, .at = out->at, .base = base, .offset = out->offset};
    return true;
}

static bool parse_found(struct parser *p, const char *op, const struct symbol *symbol, bool in_address,
                        struct ptx_operand *out)
{
    out->name = symbol->name;
    if (symbol->kind == SYMBOL_FUNCTION) {
        out->kind = PO_SYMBOL;
        return true;
    }
    if (symbol->kind != SYMBOL_VARIABLE)
        return parse_fail(p, out->at, "'%.100s' is a label: only branches take one", symbol->name);
    out->variable = symbol->variable;
    out->kind = symbol->variable->space == PS_REG ? PO_REG : PO_SYMBOL;
    if (out->kind == PO_REG && !parse_component(p, out))
        return false;
    if (in_address)
        return true;
    if (out->kind == PO_REG && (token_is_punct(&p->token, '+') || token_is_punct(&p->token, '-')))
        return parse_fail(p, p->token.position,
                          "a number is added to a register inside [ ] only: use an instruction of its own");
    if (out->kind == PO_REG)
        return true;
    return parse_subscript(p, op, out) && parse_offset(p, &out->offset);
}

// A register, a special register, a variable or a function.
static bool parse_named(struct parser *p, const char *op, bool in_address, struct ptx_operand *out)
{
    struct token token = p->token;
    parse_advance(p);
    const struct symbol *symbol = scope_find(p, token.at, token.length);
    if (symbol)
        return parse_found(p, op, symbol, in_address, out);
    out->name = parse_intern(p, token.at, token.length);
    if (strcmp(out->name, "_") == 0) {
        out->kind = PO_SINK;
        return true;
    }
    if (scope_is_special(out->name)) {
        out->kind = PO_SREG;
        return parse_component(p, out);
    }
    return scope_fail_unknown(p, token.position, out->name[0] == '%' ? "register" : "name", out->name);
}

// ---- operands -------------------------------------------------------------------------------------------

static bool parse_immediate(struct parser *p, struct ptx_operand *out)
{
    struct value value;
    if (!parse_constant(p, &value))
        return false;
    out->kind = PO_IMM;
    out->bits = value.bits;
    out->is_float = value.is_float;
    out->float_bytes = value.float_bytes;
    return true;
}

// Operands between the current token and `close`, which is read too. They are gathered on a stack shared by
// all unfinished lists.
static bool parse_list(struct parser *p, const char *op, int close, int depth, struct ptx_operand *out)
{
    size_t first = p->operands.n;
    if (depth > MAX_VECTOR_DEPTH)
        return parse_fail(p, p->token.position, "operands are nested more than %d deep", MAX_VECTOR_DEPTH);
    bool is_good = true;
    if (!token_is_punct(&p->token, close)) {
        do {
            struct ptx_operand item;
            is_good = parse_operand(p, op, depth, &item);
            vec_push(&p->operands, item);
        } while (is_good && parse_accept(p, ','));
    }
    out->n_items = (uint32_t)(p->operands.n - first);
    if (is_good && out->n_items)
        out->items = arena_copy(p->arena, p->operands.at + first, out->n_items * sizeof *out->items,
                                _Alignof(struct ptx_operand));
    p->operands.n = first;
    return is_good && parse_expect(p, close, "or ',' after the operand");
}

static bool parse_vector(struct parser *p, const char *op, int depth, struct ptx_operand *out)
{
    struct ptx_position at = p->token.position;
    parse_advance(p);
    out->kind = PO_VECTOR;
    if (!parse_list(p, op, '}', depth + 1, out))
        return false;
    if (out->n_items == 0 || out->n_items > MAX_VECTOR)
        return parse_fail(p, at, "a vector has 1 to %d elements", MAX_VECTOR);
    return true;
}

// [base], [base + 4], [base, {x, y}], [base, sampler, {x, y}]
static bool parse_bracket(struct parser *p, const char *op, int depth, struct ptx_operand *out)
{
    struct ptx_operand *base = arena_new(p->arena, struct ptx_operand);
    parse_advance(p);
    out->kind = PO_ADDRESS;
    out->base = base;
    base->at = p->token.position;
    bool is_name = p->token.kind == TOKEN_NAME && !token_is(&p->token, "WARP_SZ");
    if (is_name ? !parse_named(p, op, true, base) : !parse_immediate(p, base))
        return false;
    if (base->kind != PO_REG && base->kind != PO_SYMBOL && (base->kind != PO_IMM || base->is_float))
        return parse_fail(p, base->at, "an address needs a register, a variable or an integer");
    if (!parse_offset(p, &out->offset))
        return false;
    return parse_accept(p, ',') ? parse_list(p, op, ']', depth + 1, out)
                                : parse_expect(p, ']', "after the address");
}

// Whether a name follows the sign or `!` at the current token: -%r1, !%p1.
static bool sign_before_name(const struct parser *p)
{
    struct lexer ahead = p->lexer;
    struct token next = lexer_next(&ahead);
    return next.kind == TOKEN_NAME && !token_is(&next, "WARP_SZ");
}

static bool parse_plain_operand(struct parser *p, const char *op, int depth, struct ptx_operand *out)
{
    const struct token *token = &p->token;
    *out = (struct ptx_operand){.at = token->position};
    if (token->kind == TOKEN_NAME && !token_is(token, "WARP_SZ"))
        return parse_named(p, op, false, out);
    if (token_is_punct(token, '['))
        return parse_bracket(p, op, depth, out);
    if (token_is_punct(token, '{'))
        return parse_vector(p, op, depth, out);
    if ((token_is_punct(token, '!') || token_is_punct(token, '-')) && sign_before_name(p)) {
        parse_advance(p);
        out->is_negated = true;
        if (!parse_named(p, op, false, out))
            return false;
        return out->kind == PO_REG || parse_fail(p, out->at, "a sign stands before a number or a register only");
    }
    if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_NAME || token_is_punct(token, '-') ||
        token_is_punct(token, '+') || token_is_punct(token, '~') || token_is_punct(token, '!') ||
        token_is_punct(token, '('))
        return parse_immediate(p, out);
    return parse_expected(p, "an operand");
}

// a or a|b
static bool parse_operand(struct parser *p, const char *op, int depth, struct ptx_operand *out)
{
    if (!parse_plain_operand(p, op, depth, out))
        return false;
    if (!parse_accept(p, '|'))
        return true;
    out->pair = arena_new(p->arena, struct ptx_operand);
    return parse_plain_operand(p, op, depth, out->pair);
}

// ---- branches and calls ---------------------------------------------------------------------------------

static bool add_operand(struct parser *p, struct ptx_insn *insn, const struct ptx_operand *operand)
{
    vec_push(&p->operands, *operand);
    insn->n_operands++;
    return true;
}

// The name of a label, list or prototype; what it means is known at the end of its scope.
static bool parse_label_operand(struct parser *p, struct ptx_insn *insn, enum fixup_kind kind)
{
    struct ptx_operand operand = {.kind = PO_LABEL, .at = p->token.position};
    if (!parse_name(p, kind == FIXUP_BRANCH ? "a label" : "the name of a list", &operand.name))
        return false;
    add_operand(p, insn, &operand);
    if (kind != FIXUP_BRANCH) // a branch's operand has no fixed place yet: see insn_finish
        scope_add_fixup(
            p, (struct fixup){
                   .kind = kind, .name = operand.name, .at = operand.at, .insn = (uint32_t)p->insns.n});
    return true;
}

static bool parse_branch(struct parser *p, struct ptx_insn *insn)
{
    struct ptx_operand index;
    if (strcmp(insn->op, "bra") == 0)
        return parse_label_operand(p, insn, FIXUP_BRANCH);
    return parse_operand(p, insn->op, 0, &index) && add_operand(p, insn, &index) &&
           parse_expect(p, ',', "after the index") && parse_label_operand(p, insn, FIXUP_TARGET_LIST);
}

static bool parse_arguments(struct parser *p, struct ptx_insn *insn)
{
    struct ptx_operand list = {.kind = PO_PAREN, .at = p->token.position};
    return parse_expect(p, '(', "before the arguments") && parse_list(p, insn->op, ')', 1, &list) &&
           add_operand(p, insn, &list);
}

static bool parse_callee(struct parser *p, struct ptx_insn *insn)
{
    struct ptx_operand callee = {.at = p->token.position};
    struct token token = p->token;
    if (token.kind != TOKEN_NAME)
        return parse_expected(p, "the function to call");
    const struct symbol *symbol = scope_find(p, token.at, token.length);
    if (!symbol || symbol->kind >= SYMBOL_LABEL)
        return scope_fail_unknown(p, token.position, "function", parse_intern(p, token.at, token.length));
    parse_advance(p);
    return parse_found(p, insn->op, symbol, true, &callee) && add_operand(p, insn, &callee);
}

// call (returns), f, (arguments), prototype: all but f may be missing
static bool parse_call(struct parser *p, struct ptx_insn *insn)
{
    if (token_is_punct(&p->token, '(') &&
        (!parse_arguments(p, insn) || !parse_expect(p, ',', "after the return values")))
        return false;
    if (!parse_callee(p, insn))
        return false;
    bool has_more = parse_accept(p, ',');
    if (has_more && token_is_punct(&p->token, '(')) {
        if (!parse_arguments(p, insn))
            return false;
        has_more = parse_accept(p, ',');
    }
    return !has_more || parse_label_operand(p, insn, FIXUP_PROTOTYPE);
}

// ---- instructions ---------------------------------------------------------------------------------------

static bool parse_operands(struct parser *p, struct ptx_insn *insn)
{
    if (strcmp(insn->op, "bra") == 0 || strcmp(insn->op, "brx") == 0)
        return parse_branch(p, insn);
    if (strcmp(insn->op, "call") == 0)
        return parse_call(p, insn);
    if (token_is_punct(&p->token, ';'))
        return true;
    do {
        struct ptx_operand operand;
        if (!parse_operand(p, insn->op, 0, &operand))
            return false;
        add_operand(p, insn, &operand);
    } while (parse_accept(p, ','));
    return true;
}

// Behind the comment or blank that starts at `at`; `at` itself if there is none.
static const char *skip_blank(const char *at, const char *end)
{
    bool is_comment = *at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*');
    if (!is_comment)
        return strchr(" \t\r\n\f\v", *at) && *at ? at + 1 : at;
    const char *stop =
        at[1] == '/' ? memchr(at, '\n', (size_t)(end - at)) : memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
    if (!stop)
        return end;
    return at[1] == '/' ? stop : stop + 2;
}

// The statement as written: comments and blanks become one blank.
static const char *fold_blanks(struct parser *p, const char *at, const char *end)
{
    bool was_blank = false;
    buf_clear(&p->text);
    while (at < end) {
        const char *next = skip_blank(at, end);
        bool is_blank = next != at;
        if (!is_blank && was_blank && p->text.n)
            buf_add(&p->text, " ", 1);
        if (!is_blank)
            buf_add(&p->text, next++, 1);
        was_blank = is_blank;
        at = next;
    }
    const char *text = arena_string(p->arena, p->text.at ? p->text.at : "", p->text.n);
    buf_clear(&p->text);
    return text;
}

static void insn_finish(struct parser *p, struct ptx_insn *insn, size_t first_operand)
{
    insn->operands = arena_copy(p->arena, p->operands.at + first_operand,
                                insn->n_operands * sizeof *insn->operands, _Alignof(struct ptx_operand));
    if (strcmp(insn->op, "bra") == 0)
        scope_add_fixup(p, (struct fixup){.kind = FIXUP_BRANCH,
                                          .name = insn->operands[0].name,
                                          .at = insn->operands[0].at,
                                          .slot = &insn->operands[0].label});
    parse_add_item(p, (struct ptx_item){.kind = ITEM_INSN, .index = (uint32_t)p->insns.n});
    vec_push(&p->insns, *insn);
    p->pragma = NULL;
}

bool parse_insn(struct parser *p, struct token op, const struct ptx_variable *guard, bool guard_negated,
                const char *start)
{
    if (op.at[0] == '%' || op.at[0] == '$' || op.at[0] == '_')
        return parse_fail(p, op.position, "expected an instruction or a label, found '%.*s'",
                          TOKEN_TEXT(&op));
    const struct opcode *opcode = parse_opcode(p, &op);
    struct ptx_insn insn = {.op = opcode->op,
                            .suffixes = opcode->suffixes,
                            .n_suffixes = opcode->n_suffixes,
                            .guard = guard,
                            .guard_negated = guard_negated,
                            .at = op.position,
                            .loc = p->loc,
                            .pragma = p->pragma};
    size_t first_operand = p->operands.n;
    bool is_good = parse_operands(p, &insn);
    const char *end = p->previous_end;
    if (is_good &&
        parse_expect(p, ';', insn.n_operands ? "or ',' after the operand" : "after the instruction")) {
        insn.text = fold_blanks(p, start, end);
        insn_finish(p, &insn, first_operand);
    }
    p->operands.n = first_operand;
    return !p->err->set;
}
