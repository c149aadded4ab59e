// Constant expressions: numbers, WARP_SZ, and C's operators on 64-bit integers; + - * / on floats too.
#include "ptx/parse.h"
#include <string.h>

static bool parse_ternary(struct parser *p, struct value *out);

double value_double(const struct value *value)
{
    double wide;
    float narrow;
    if (!value->is_float)
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    if (value->float_bytes == 4) {
        uint32_t bits = (uint32_t)value->bits;
        memcpy(&narrow, &bits, 4);
        return (double)narrow;
    }
    memcpy(&wide, &value->bits, 8);
    return wide;
}

static struct value double_value(double number)
{
    struct value value = {.is_float = true, .float_bytes = 8};
    memcpy(&value.bits, &number, 8);
    return value;
}

static bool parse_number(struct parser *p, struct value *out)
{
    struct number number;
    const char *why;
    if (!number_parse(p->token.at, p->token.length, &number, &why))
        return parse_fail(p, p->token.position, "'%.*s': %s", TOKEN_TEXT(&p->token), why);
    *out = (struct value){number.bits, number.is_float, number.is_unsigned, number.float_bytes};
    parse_advance(p);
    return true;
}

// What follows `(`: a cast (.s64) or (.u64) with its operand, or an expression and `)`.
static bool parse_parenthesis(struct parser *p, struct value *out)
{
    bool is_cast = p->token.kind == TOKEN_DOT;
    if (!is_cast)
        return parse_ternary(p, out) && parse_expect(p, ')', "after the expression");
    bool is_unsigned = token_is(&p->token, ".u64");
    if (!is_unsigned && !token_is(&p->token, ".s64"))
        return parse_expected(p, "(.s64) or (.u64)");
    parse_advance(p);
    return parse_expect(p, ')', "after the cast");
}

static bool parse_primary(struct parser *p, struct value *out)
{
    if (p->token.kind == TOKEN_NUMBER)
        return parse_number(p, out);
    if (p->token.kind == TOKEN_NAME && token_is(&p->token, "WARP_SZ")) {
        *out = (struct value){.bits = 32};
        parse_advance(p);
        return true;
    }
    return parse_expected(p, "a constant");
}

static bool apply_unary(struct parser *p, struct ptx_position at, int op, struct value *value)
{
    if (value->is_float) {
        if (op == '~' || op == '!' || op == 'u' || op == 's')
            return parse_fail(p, at, "this operator takes integers, not floats");
        if (op == '-')
            value->bits ^= value->float_bytes == 4 ? 0x80000000u : 1ull << 63;
        return true;
    }
    if (op == '-')
        *value = (struct value){.bits = -value->bits};
    else if (op == '~')
        value->bits = ~value->bits;
    else if (op == '!')
        *value = (struct value){.bits = value->bits == 0};
    else if (op == 'u' || op == 's')
        value->is_unsigned = op == 'u';
    return true;
}

// - + ~ ! and casts, any number of them, then a primary or a parenthesis.
static bool parse_unary(struct parser *p, struct value *out)
{
    struct ptx_position at = p->token.position;
    int op = p->token.kind == TOKEN_PUNCT ? p->token.punct : 0;
    if (op != '-' && op != '+' && op != '~' && op != '!' && op != '(')
        return parse_primary(p, out);
    if (p->expression_depth == MAX_EXPRESSION_DEPTH)
        return parse_fail(p, at, "the expression is nested more than %d deep", MAX_EXPRESSION_DEPTH);
    p->expression_depth++;
    parse_advance(p);
    bool is_cast = op == '(' && p->token.kind == TOKEN_DOT;
    if (is_cast)
        op = token_is(&p->token, ".u64") ? 'u' : 's';
    bool is_good = (op != '(' && !is_cast) || parse_parenthesis(p, out);
    if (op != '(')
        is_good = is_good && parse_unary(p, out) && apply_unary(p, at, op, out);
    p->expression_depth--;
    return is_good;
}

// ---- binary operators -----------------------------------------------------------------------------------

static int precedence(const struct token *token)
{
    if (token->kind != TOKEN_PUNCT)
        return 0;
    switch (token->punct) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case PUNCT2('<', '<'):
    case PUNCT2('>', '>'):
        return 8;
    case '<':
    case '>':
    case PUNCT2('<', '='):
    case PUNCT2('>', '='):
        return 7;
    case PUNCT2('=', '='):
    case PUNCT2('!', '='):
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PUNCT2('&', '&'):
        return 2;
    case PUNCT2('|', '|'):
        return 1;
    default:
        return 0;
    }
}

static bool apply_float(struct parser *p, struct ptx_position at, int op, struct value *a,
                        const struct value *b)
{
    double x = value_double(a), y = value_double(b);
    switch (op) {
    case '+':
        *a = double_value(x + y);
        return true;
    case '-':
        *a = double_value(x - y);
        return true;
    case '*':
        *a = double_value(x * y);
        return true;
    case '/':
        *a = double_value(x / y);
        return true;
    default:
        return parse_fail(p, at, "this operator takes integers, not floats");
    }
}

static bool apply_division(struct parser *p, struct ptx_position at, int op, struct value *a, uint64_t b)
{
    if (b == 0)
        return parse_fail(p, at, "division by zero");
    if (a->is_unsigned)
        a->bits = op == '/' ? a->bits / b : a->bits % b;
    else if (b == UINT64_MAX) // the one case in which the machine's division overflows
        a->bits = op == '/' ? -a->bits : 0;
    else
        a->bits = (uint64_t)(op == '/' ? (int64_t)a->bits / (int64_t)b : (int64_t)a->bits % (int64_t)b);
    return true;
}

static uint64_t shift_right(const struct value *a, uint64_t by)
{
    if (a->is_unsigned)
        return by > 63 ? 0 : a->bits >> by;
    return (uint64_t)((int64_t)a->bits >> (by > 63 ? 63 : by));
}

static bool is_less(const struct value *a, const struct value *b)
{
    return a->is_unsigned ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits;
}

static uint64_t compare(int op, const struct value *a, const struct value *b)
{
    switch (op) {
    case '<':
        return is_less(a, b);
    case '>':
        return is_less(b, a);
    case PUNCT2('<', '='):
        return !is_less(b, a);
    case PUNCT2('>', '='):
        return !is_less(a, b);
    case PUNCT2('=', '='):
        return a->bits == b->bits;
    case PUNCT2('!', '='):
        return a->bits != b->bits;
    case PUNCT2('&', '&'):
        return a->bits && b->bits;
    default:
        return a->bits || b->bits;
    }
}

// a = a op b. The result is unsigned if either operand is; comparisons give a signed 0 or 1.
static bool apply_binary(struct parser *p, struct ptx_position at, int op, struct value *a, struct value *b)
{
    if (a->is_float || b->is_float)
        return apply_float(p, at, op, a, b);
    bool is_shift = op == PUNCT2('<', '<') || op == PUNCT2('>', '>');
    if (!is_shift)
        a->is_unsigned = b->is_unsigned = a->is_unsigned || b->is_unsigned;
    switch (op) {
    case '*':
        a->bits *= b->bits;
        return true;
    case '/':
    case '%':
        return apply_division(p, at, op, a, b->bits);
    case '+':
        a->bits += b->bits;
        return true;
    case '-':
        a->bits -= b->bits;
        return true;
    case PUNCT2('<', '<'):
        a->bits = b->bits > 63 ? 0 : a->bits << b->bits;
        return true;
    case PUNCT2('>', '>'):
        a->bits = shift_right(a, b->bits);
        return true;
    case '&':
        a->bits &= b->bits;
        return true;
    case '^':
        a->bits ^= b->bits;
        return true;
    case '|':
        a->bits |= b->bits;
        return true;
    default:
        *a = (struct value){.bits = compare(op, a, b)};
        return true;
    }
}

// Precedence climbing: operators of at least `floor`. Recursion is at most ten levels deep, one for each
// precedence.
static bool parse_binary(struct parser *p, int floor, struct value *out)
{
    if (!parse_unary(p, out))
        return false;
    for (int level; (level = precedence(&p->token)) >= floor && level > 0;) {
        struct token op = p->token;
        struct value right;
        parse_advance(p);
        if (!parse_binary(p, level + 1, &right) || !apply_binary(p, op.position, op.punct, out, &right))
            return false;
    }
    return true;
}

static bool parse_ternary(struct parser *p, struct value *out)
{
    struct value yes = {0}, no = {0};
    if (!parse_binary(p, 1, out) || !token_is_punct(&p->token, '?'))
        return !p->err->set;
    if (p->expression_depth == MAX_EXPRESSION_DEPTH)
        return parse_fail(p, p->token.position, "the expression is nested more than %d deep",
                          MAX_EXPRESSION_DEPTH);
    p->expression_depth++;
    parse_advance(p);
    bool is_good = parse_ternary(p, &yes) && parse_expect(p, ':', "between the two values of ? :") &&
                   parse_ternary(p, &no);
    p->expression_depth--;
    *out = is_good && out->bits ? yes : no;
    return is_good;
}

bool parse_constant(struct parser *p, struct value *out)
{
    return parse_ternary(p, out);
}

bool parse_integer(struct parser *p, const char *what, uint64_t max, uint64_t *out)
{
    struct ptx_position at = p->token.position;
    struct value value;
    if (!parse_constant(p, &value))
        return false;
    if (value.is_float)
        return parse_fail(p, at, "%s must be an integer", what);
    if (value.bits > max || (!value.is_unsigned && (int64_t)value.bits < 0))
        return parse_fail(p, at, "%s must lie between 0 and %llu", what, (unsigned long long)max);
    *out = value.bits;
    return true;
}

bool parse_offset(struct parser *p, int64_t *offset)
{
    struct ptx_position at = p->token.position;
    struct value value;
    if (!token_is_punct(&p->token, '-') && !parse_accept(p, '+'))
        return true;
    if (!parse_constant(p, &value))
        return false;
    if (value.is_float)
        return parse_fail(p, at, "an offset must be an integer");
    *offset = (int64_t)((uint64_t)*offset + value.bits);
    return true;
}
