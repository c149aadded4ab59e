// Expressions: a lexer, a precedence-climbing parser into a tree, two evaluators.
#include "base/expr.h"
#include "base/map.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum op {
    OP_END,
    OP_NUMBER,
    OP_NAME,
    OP_OPEN,
    OP_CLOSE,
    OP_QUESTION,
    OP_COLON,
    OP_NOT,        // !
    OP_COMPLEMENT, // ~
    OP_NEGATE,     // prefix -; the lexer gives OP_SUB
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_ADD,
    OP_SUB,
    OP_SHL,
    OP_SHR,
    OP_LT,
    OP_GT,
    OP_LE,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_XOR,
    OP_OR,
    OP_LAND,
    OP_LOR
};

// Longest texts first, so that `<<` is not taken for `<`. Precedence as in C; 0 = not a binary operator.
static const struct op_row {
    const char *text;
    enum op op;
    int precedence;
    bool integer_only;
} op_rows[] = {
    {"<<", OP_SHL, 8, true},   {">>", OP_SHR, 8, true},   {"<=", OP_LE, 7, false},
    {">=", OP_GE, 7, false},   {"==", OP_EQ, 6, false},   {"!=", OP_NE, 6, false},
    {"&&", OP_LAND, 2, false}, {"||", OP_LOR, 1, false},  {"*", OP_MUL, 10, false},
    {"/", OP_DIV, 10, false},  {"%", OP_MOD, 10, true},   {"+", OP_ADD, 9, false},
    {"-", OP_SUB, 9, false},   {"<", OP_LT, 7, false},    {">", OP_GT, 7, false},
    {"&", OP_AND, 5, true},    {"^", OP_XOR, 4, true},    {"|", OP_OR, 3, true},
    {"(", OP_OPEN, 0, false},  {")", OP_CLOSE, 0, false}, {"?", OP_QUESTION, 0, false},
    {":", OP_COLON, 0, false}, {"!", OP_NOT, 0, false},   {"~", OP_COMPLEMENT, 0, true},
};

enum { N_OP_ROWS = sizeof op_rows / sizeof op_rows[0], COMMON_NAMES = 16 };

struct expr_node {
    enum op op;
    uint32_t column;
    int64_t integer; // OP_NUMBER of an integer form
    double real;     // OP_NUMBER of a real form
    uint32_t name;   // OP_NAME
    const struct expr_node *a, *b, *c;
};

struct token {
    enum op op;
    const struct op_row *row; // operators only
    uint32_t column, length;
    const char *at;
    int64_t integer;
    double real;
};

struct parser {
    struct arena *arena;
    struct expr *expr;
    struct err *err;
    const char *at; // behind the current token
    struct token token;
    uint32_t capacity; // of the names
    int depth;
};

static bool fail(struct parser *parser, uint32_t column, const char *text)
{
    return err_set_at(parser->err, parser->expr->what, 1, column, parser->expr->text,
                      strlen(parser->expr->text), "%s", text);
}

// ---- lexer
// -----------------------------------------------------------------------------------------------------

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool digit_of(char c, unsigned base, unsigned *digit)
{
    if (c >= '0' && c <= '9')
        *digit = (unsigned)(c - '0');
    else if (isalpha((unsigned char)c))
        *digit = (unsigned)(tolower((unsigned char)c) - 'a') + 10;
    else
        return false;
    return *digit < base;
}

static bool lex_integer(struct parser *parser, struct token *token)
{
    const char *at = token->at;
    unsigned base = 10, digit;
    uint64_t value = 0;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2], 16, &digit)) {
        base = 16;
        at += 2;
    }
    for (; digit_of(*at, base, &digit); at++)
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            return fail(parser, token->column, "the number does not fit 64 bits");
    at += strspn(at, "uUlL");
    if (is_name_part(*at))
        return fail(parser, (uint32_t)(at - parser->expr->text) + 1, "unexpected character in a number");
    token->integer = (int64_t)value;
    token->length = (uint32_t)(at - token->at);
    return true;
}

static bool lex_real(struct parser *parser, struct token *token)
{
    char *end;
    token->real = strtod(token->at, &end);
    if (end == token->at || is_name_part(*end))
        return fail(parser, (uint32_t)(end - parser->expr->text) + 1, "unexpected character in a number");
    if (!isfinite(token->real))
        return fail(parser, token->column, "the number is too large");
    token->length = (uint32_t)(end - token->at);
    return true;
}

static bool lex_operator(struct parser *parser, struct token *token)
{
    for (unsigned i = 0; i < N_OP_ROWS; i++) {
        size_t n = strlen(op_rows[i].text);
        if (strncmp(token->at, op_rows[i].text, n) != 0)
            continue;
        if (op_rows[i].integer_only && parser->expr->form == EXPR_REAL)
            break;
        token->op = op_rows[i].op;
        token->row = &op_rows[i];
        token->length = (uint32_t)n;
        return true;
    }
    return fail(parser, token->column, "unexpected character");
}

// Reads the next token into parser->token.
static bool advance(struct parser *parser)
{
    struct token *token = &parser->token;
    parser->at += strspn(parser->at, " \t");
    *token = (struct token){.at = parser->at, .column = (uint32_t)(parser->at - parser->expr->text) + 1};
    bool good = true;
    if (*token->at == '\0') {
        token->op = OP_END;
    } else if (is_name_start(*token->at)) {
        token->op = OP_NAME;
        while (is_name_part(token->at[token->length]))
            token->length++;
    } else if (isdigit((unsigned char)*token->at)) {
        token->op = OP_NUMBER;
        good = parser->expr->form == EXPR_INTEGER ? lex_integer(parser, token) : lex_real(parser, token);
    } else {
        good = lex_operator(parser, token);
    }
    parser->at = token->at + token->length;
    return good;
}

// ---- parser
// ----------------------------------------------------------------------------------------------------

static uint32_t name_index(struct parser *parser)
{
    struct expr *expr = parser->expr;
    const struct token *token = &parser->token;
    for (uint32_t i = 0; i < expr->n_names; i++)
        if (strlen(expr->names[i]) == token->length && memcmp(expr->names[i], token->at, token->length) == 0)
            return i;
    if (expr->n_names == parser->capacity) {
        uint32_t capacity = parser->capacity ? 2 * parser->capacity : COMMON_NAMES;
        const char **names = arena_array(parser->arena, const char *, capacity);
        uint32_t *columns = arena_array(parser->arena, uint32_t, capacity);
        for (uint32_t i = 0; i < expr->n_names; i++) {
            names[i] = expr->names[i];
            columns[i] = expr->columns[i];
        }
        expr->names = names;
        expr->columns = columns;
        parser->capacity = capacity;
    }
    expr->columns[expr->n_names] = token->column;
    expr->names[expr->n_names] = arena_string(parser->arena, token->at, token->length);
    return expr->n_names++;
}

static struct expr_node *node_new(struct parser *parser, enum op op, uint32_t column)
{
    struct expr_node *node = arena_new(parser->arena, struct expr_node);
    node->op = op;
    node->column = column;
    return node;
}

static const struct expr_node *parse_ternary(struct parser *parser);

static const struct expr_node *parse_bracket(struct parser *parser)
{
    uint32_t column = parser->token.column;
    if (!advance(parser))
        return NULL;
    const struct expr_node *inner = parse_ternary(parser);
    if (!inner)
        return NULL;
    if (parser->token.op != OP_CLOSE) {
        fail(parser, column, "this bracket is not closed");
        return NULL;
    }
    return advance(parser) ? inner : NULL;
}

static const struct expr_node *parse_leaf(struct parser *parser)
{
    const struct token *token = &parser->token;
    struct expr_node *node;
    switch (token->op) {
    case OP_OPEN:
        return parse_bracket(parser);
    case OP_NUMBER:
    case OP_NAME:
        node = node_new(parser, token->op, token->column);
        node->integer = token->integer;
        node->real = token->real;
        node->name = token->op == OP_NAME ? name_index(parser) : 0;
        return advance(parser) ? node : NULL;
    default:
        fail(parser, token->column,
             token->op == OP_END ? "the expression ends too early" : "expected a value");
        return NULL;
    }
}

static const struct expr_node *parse_prefix(struct parser *parser)
{
    enum op op = parser->token.op;
    uint32_t column = parser->token.column;
    const struct expr_node *result;
    if (++parser->depth > EXPR_MAX_DEPTH) {
        fail(parser, column, "nested too deeply");
        return NULL;
    }
    if (op == OP_SUB || op == OP_ADD || op == OP_NOT || op == OP_COMPLEMENT) {
        const struct expr_node *operand = advance(parser) ? parse_prefix(parser) : NULL;
        struct expr_node *node = node_new(parser, op == OP_SUB ? OP_NEGATE : op, column);
        node->a = operand;
        result = op == OP_ADD || !operand ? operand : node;
    } else {
        result = parse_leaf(parser);
    }
    parser->depth--;
    return result;
}

static int precedence(const struct token *token)
{
    return token->row ? token->row->precedence : 0;
}

static const struct expr_node *parse_binary(struct parser *parser, int lowest)
{
    const struct expr_node *left = parse_prefix(parser);
    while (left && precedence(&parser->token) >= lowest) {
        struct expr_node *node = node_new(parser, parser->token.op, parser->token.column);
        int level = precedence(&parser->token);
        node->a = left;
        node->b = advance(parser) ? parse_binary(parser, level + 1) : NULL;
        left = node->b ? node : NULL;
    }
    return left;
}

static const struct expr_node *parse_ternary(struct parser *parser)
{
    const struct expr_node *condition = parse_binary(parser, 1);
    if (!condition || parser->token.op != OP_QUESTION)
        return condition;
    struct expr_node *node = node_new(parser, OP_QUESTION, parser->token.column);
    if (++parser->depth > EXPR_MAX_DEPTH) {
        fail(parser, node->column, "nested too deeply");
        return NULL;
    }
    node->a = condition;
    node->b = advance(parser) ? parse_ternary(parser) : NULL;
    if (node->b && parser->token.op != OP_COLON)
        fail(parser, node->column, "this ? has no :");
    else if (node->b)
        node->c = advance(parser) ? parse_ternary(parser) : NULL;
    parser->depth--;
    return node->c ? node : NULL;
}

bool expr_parse(struct arena *arena, const char *what, const char *text, enum expr_form form,
                struct expr *out, struct err *err)
{
    size_t length = strlen(text);
    *out = (struct expr){.what = what, .form = form, .text = arena_string(arena, text, length)};
    struct parser parser = {.arena = arena, .expr = out, .err = err, .at = out->text};
    if (length > EXPR_MAX_LENGTH)
        return err_set(err, "%s: the expression is longer than %d characters", what, EXPR_MAX_LENGTH);
    if (!advance(&parser) || !(out->root = parse_ternary(&parser)))
        return false;
    if (parser.token.op == OP_CLOSE)
        return fail(&parser, parser.token.column, "no bracket is open here");
    return parser.token.op == OP_END || fail(&parser, parser.token.column, "expected an operator");
}

bool expr_check_names(const struct expr *expr, const char *const *allowed, uint32_t n_allowed,
                      struct err *err)
{
    for (uint32_t i = 0; i < expr->n_names; i++) {
        uint32_t k = 0;
        while (k < n_allowed && strcmp(allowed[k], expr->names[i]) != 0)
            k++;
        if (k < n_allowed)
            continue;
        const char *near = nearest_name(expr->names[i], allowed, n_allowed);
        return err_set_at(err, expr->what, 1, expr->columns[i], expr->text, strlen(expr->text),
                          "unknown name '%s'%s%s%s", expr->names[i], near ? "; did you mean '" : "",
                          near ? near : "", near ? "'?" : "");
    }
    return true;
}

// ---- evaluation
// --------------------------------------------------------------------------------------------------

struct evaluation {
    const struct expr *expr;
    const int64_t *values;
    struct err *err;
    bool failed;
};

static int64_t eval_failed(struct evaluation *run, const struct expr_node *node, const char *text)
{
    run->failed = true;
    err_set_at(run->err, run->expr->what, 1, node->column, run->expr->text, strlen(run->expr->text), "%s",
               text);
    return 0;
}

static int64_t eval_divide(struct evaluation *run, const struct expr_node *node, int64_t a, int64_t b)
{
    if (b == 0)
        return eval_failed(run, node, "division by zero");
    if (b == -1)
        return node->op == OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
    return node->op == OP_DIV ? a / b : a % b;
}

static int64_t eval_shift(struct evaluation *run, const struct expr_node *node, int64_t a, int64_t b)
{
    if (b < 0 || b > 63)
        return eval_failed(run, node, "shift by less than 0 or more than 63");
    return node->op == OP_SHL ? (int64_t)((uint64_t)a << b) : a >> b;
}

static int64_t eval_binary(struct evaluation *run, const struct expr_node *node, int64_t a, int64_t b)
{
    switch (node->op) {
    case OP_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case OP_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case OP_SUB:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case OP_DIV:
    case OP_MOD:
        return eval_divide(run, node, a, b);
    case OP_SHL:
    case OP_SHR:
        return eval_shift(run, node, a, b);
    case OP_LT:
        return a < b;
    case OP_GT:
        return a > b;
    case OP_LE:
        return a <= b;
    case OP_GE:
        return a >= b;
    case OP_EQ:
        return a == b;
    case OP_NE:
        return a != b;
    case OP_AND:
        return a & b;
    case OP_XOR:
        return a ^ b;
    case OP_OR:
        return a | b;
    default:
        BUG("operator %d", (int)node->op);
    }
}

static int64_t eval_node(struct evaluation *run, const struct expr_node *node)
{
    if (node->op == OP_NUMBER)
        return node->integer;
    if (node->op == OP_NAME)
        return run->values[node->name];
    int64_t a = eval_node(run, node->a);
    if (run->failed)
        return 0;
    switch (node->op) {
    case OP_NEGATE:
        return (int64_t)(0 - (uint64_t)a);
    case OP_NOT:
        return !a;
    case OP_COMPLEMENT:
        return ~a;
    case OP_LAND:
        return a && eval_node(run, node->b);
    case OP_LOR:
        return a || eval_node(run, node->b);
    case OP_QUESTION:
        return eval_node(run, a ? node->b : node->c);
    default:
        break;
    }
    int64_t b = eval_node(run, node->b);
    return run->failed ? 0 : eval_binary(run, node, a, b);
}

bool expr_eval_integer(const struct expr *expr, const int64_t *values, int64_t *out, struct err *err)
{
    struct evaluation run = {.expr = expr, .values = values, .err = err};
    *out = eval_node(&run, expr->root);
    return !run.failed;
}

bool expr_eval_named(const struct expr *expr, const char *const *allowed, const int64_t *values,
                     uint32_t n_allowed, int64_t *out, struct err *err)
{
    int64_t by_name[EXPR_MAX_LENGTH];
    for (uint32_t i = 0; i < expr->n_names; i++)
        for (uint32_t k = 0; k < n_allowed; k++)
            if (strcmp(allowed[k], expr->names[i]) == 0)
                by_name[i] = values[k];
    return expr_eval_integer(expr, by_name, out, err);
}

static double real_binary(enum op op, double a, double b)
{
    switch (op) {
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_LT:
        return a < b;
    case OP_GT:
        return a > b;
    case OP_LE:
        return a <= b;
    case OP_GE:
        return a >= b;
    case OP_EQ:
        return a == b;
    case OP_NE:
        return !isnan(a) && !isnan(b) && a != b;
    default:
        BUG("operator %d", (int)op);
    }
}

static double real_node(const struct expr_node *node, const double *values)
{
    if (node->op == OP_NUMBER)
        return node->real;
    if (node->op == OP_NAME)
        return values[node->name];
    double a = real_node(node->a, values);
    bool is_true = !isnan(a) && a != 0;
    switch (node->op) {
    case OP_NEGATE:
        return -a;
    case OP_NOT:
        return !is_true;
    case OP_LAND:
    case OP_LOR:
        if (is_true == (node->op == OP_LOR))
            return is_true;
        a = real_node(node->b, values);
        return !isnan(a) && a != 0;
    case OP_QUESTION:
        return real_node(is_true ? node->b : node->c, values);
    default:
        return real_binary(node->op, a, real_node(node->b, values));
    }
}

double expr_eval_real(const struct expr *expr, const double *values)
{
    return real_node(expr->root, values);
}
