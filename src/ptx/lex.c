// The PTX lexer: one pass over the text, one token per call.
#include "ptx/lex.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void lexer_init(struct lexer *lexer, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == '\0') // texts cut out of fat binaries end with NUL
        length--;
    *lexer = (struct lexer){.text = text, .at = text, .end = text + length, .line_start = text, .line = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_name_char(char c)
{
    return is_letter(c) || is_digit(c);
}

// The character `ahead` places on; NUL behind the end.
static char peek(const struct lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static void newline(struct lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->at + 1;
}

// Past a block comment; false if it never ends, then at the end of the text.
static bool skip_block_comment(struct lexer *lexer)
{
    lexer->at += 2;
    for (; lexer->at < lexer->end; lexer->at++) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return true;
        }
        if (*lexer->at == '\n')
            newline(lexer);
    }
    return false;
}

static void skip_line_comment(struct lexer *lexer)
{
    const char *stop = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = stop ? stop : lexer->end;
}

static struct ptx_position position_here(const struct lexer *lexer)
{
    return (struct ptx_position){lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
}

// To the next token. False: a block comment that starts at *where never ends.
static bool skip_blanks(struct lexer *lexer, struct ptx_position *where)
{
    for (; lexer->at < lexer->end;) {
        char c = *lexer->at;
        if (c == '\n')
            newline(lexer);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line_comment(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            *where = position_here(lexer);
            if (!skip_block_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static struct token bad_token(struct lexer *lexer, struct token token, const char *why)
{
    token.kind = TOKEN_BAD;
    token.why = why;
    lexer->at = lexer->end;
    return token;
}

static struct token end_token(const struct lexer *lexer, struct token token, enum token_kind kind)
{
    token.kind = kind;
    token.length = (uint32_t)(lexer->at - token.at);
    return token;
}

// A word after its dot: letters and digits, with `::` between two of them.
static void skip_dot_word(struct lexer *lexer)
{
    lexer->at++;
    for (;;) {
        if (is_name_char(peek(lexer, 0)))
            lexer->at++;
        else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_name_char(peek(lexer, 2)))
            lexer->at += 3;
        else
            return;
    }
}

static void skip_digits(struct lexer *lexer)
{
    while (is_digit(peek(lexer, 0)))
        lexer->at++;
}

// Exponent of a decimal float, if one follows.
static void skip_exponent(struct lexer *lexer)
{
    char c = peek(lexer, 0);
    size_t sign = peek(lexer, 1) == '+' || peek(lexer, 1) == '-';
    if ((c != 'e' && c != 'E') || !is_digit(peek(lexer, 1 + sign)))
        return;
    lexer->at += 1 + sign;
    skip_digits(lexer);
}

// Everything that belongs to the number, well-formed or not; number_parse judges it.
static void skip_number(struct lexer *lexer)
{
    bool is_decimal = peek(lexer, 0) != '0' || is_digit(peek(lexer, 1)) || peek(lexer, 1) == '.' ||
                      peek(lexer, 1) == 'e' || peek(lexer, 1) == 'E';
    if (is_decimal) {
        skip_digits(lexer);
        if (peek(lexer, 0) == '.' && !is_letter(peek(lexer, 1))) {
            lexer->at++;
            skip_digits(lexer);
        }
        skip_exponent(lexer);
    }
    while (is_name_char(peek(lexer, 0)))
        lexer->at++;
}

// `.5` where no word stands right before the dot and nothing but digits and an exponent follow.
static bool skip_dot_number(struct lexer *lexer)
{
    if (!is_digit(peek(lexer, 1)))
        return false;
    if (lexer->at > lexer->text && (is_name_char(lexer->at[-1]) || lexer->at[-1] == '.'))
        return false;
    const char *start = lexer->at++;
    skip_digits(lexer);
    skip_exponent(lexer);
    if (!is_name_char(peek(lexer, 0)))
        return true;
    lexer->at = start;
    return false;
}

static struct token string_token(struct lexer *lexer, struct token token)
{
    for (lexer->at++; lexer->at < lexer->end && *lexer->at != '\n'; lexer->at++) {
        if (*lexer->at == '"') {
            lexer->at++;
            return end_token(lexer, token, TOKEN_STRING);
        }
        if (*lexer->at == '\0')
            return bad_token(lexer, token, "the string holds a NUL byte");
        if (*lexer->at == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n')
            lexer->at++;
    }
    return bad_token(lexer, token, "the string does not end on its line");
}

static struct token punct_token(struct lexer *lexer, struct token token)
{
    char c = peek(lexer, 0), d = peek(lexer, 1);
    bool is_double = (c == d && strchr("<>&|=", c)) || (d == '=' && strchr("<>!", c));
    if (c == '#')
        return bad_token(lexer, token,
                         "preprocessor lines are not read: pass the file through 'cpp -P' first");
    if (!c || !strchr("()[]{}<>,;:=@!+-*/%&|^~?", c))
        return bad_token(lexer, token, "this character does not belong into PTX");
    token.punct = is_double ? PUNCT2(c, d) : c;
    lexer->at += is_double ? 2 : 1;
    return end_token(lexer, token, TOKEN_PUNCT);
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {0};
    if (!skip_blanks(lexer, &token.position))
        return bad_token(lexer, token, "the comment that starts here does not end");
    token.at = lexer->at;
    token.position = position_here(lexer);
    if (lexer->at == lexer->end)
        return end_token(lexer, token, TOKEN_END);
    char c = *lexer->at;
    if (is_letter(c) || (c == '%' && is_name_char(peek(lexer, 1)))) {
        for (lexer->at++; is_name_char(peek(lexer, 0));)
            lexer->at++;
        return end_token(lexer, token, TOKEN_NAME);
    }
    if (is_digit(c)) {
        skip_number(lexer);
        return end_token(lexer, token, TOKEN_NUMBER);
    }
    if (c == '.') {
        if (skip_dot_number(lexer))
            return end_token(lexer, token, TOKEN_NUMBER);
        skip_dot_word(lexer);
        token = end_token(lexer, token, TOKEN_DOT);
        return token.length > 1 ? token : bad_token(lexer, token, "a word must follow the dot");
    }
    return c == '"' ? string_token(lexer, token) : punct_token(lexer, token);
}

bool token_is(const struct token *token, const char *text)
{
    size_t length = strlen(text);
    return token->length == length && memcmp(token->at, text, length) == 0;
}

bool token_is_punct(const struct token *token, int punct)
{
    return token->kind == TOKEN_PUNCT && token->punct == punct;
}

// ---- numbers --------------------------------------------------------------------------------------------

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool digits_parse(const char *at, const char *end, int radix, uint64_t *out, const char **why)
{
    uint64_t value = 0;
    *why = "the number is malformed";
    if (at == end)
        return false;
    for (; at < end; at++) {
        int digit = digit_value(*at);
        if (digit >= radix)
            return false;
        if (__builtin_mul_overflow(value, (uint64_t)radix, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value)) {
            *why = "the number does not fit in 64 bits";
            return false;
        }
    }
    *out = value;
    return true;
}

// 0f and exactly 8 digits, 0d and exactly 16.
static bool float_bits_parse(const char *at, const char *end, struct number *out, const char **why)
{
    bool is_single = at[1] == 'f' || at[1] == 'F';
    out->is_float = true;
    out->float_bytes = is_single ? 4 : 8;
    bool is_right = end - at - 2 == (is_single ? 8 : 16) && digits_parse(at + 2, end, 16, &out->bits, why);
    if (!is_right)
        *why = is_single ? "0f must be followed by exactly 8 hexadecimal digits"
                         : "0d must be followed by exactly 16 hexadecimal digits";
    return is_right;
}

static bool decimal_float_parse(const char *at, const char *end, struct number *out, const char **why)
{
    char copy[400], *stop;
    size_t length = (size_t)(end - at);
    *why = "the number is malformed";
    if (length >= sizeof copy)
        return false;
    memcpy(copy, at, length);
    copy[length] = '\0';
    double value = strtod(copy, &stop);
    if (stop != copy + length)
        return false;
    out->is_float = true;
    out->float_bytes = 8;
    memcpy(&out->bits, &value, 8);
    return true;
}

bool number_parse(const char *at, uint32_t length, struct number *out, const char **why)
{
    const char *end = at + length;
    *out = (struct number){0};
    char second = length > 1 && at[0] == '0' ? (char)tolower((unsigned char)at[1]) : '\0';
    if (second == 'f' || second == 'd')
        return float_bits_parse(at, end, out, why);
    if (end[-1] == 'U' || end[-1] == 'u') {
        out->is_unsigned = true;
        end--;
    }
    bool is_read;
    if (second == 'x')
        is_read = digits_parse(at + 2, end, 16, &out->bits, why);
    else if (second == 'b')
        is_read = digits_parse(at + 2, end, 2, &out->bits, why);
    else if (!out->is_unsigned &&
             (memchr(at, '.', length) || memchr(at, 'e', length) || memchr(at, 'E', length)))
        is_read = decimal_float_parse(at, end, out, why);
    else
        is_read = digits_parse(at, end, at[0] == '0' ? 8 : 10, &out->bits, why);
    out->is_unsigned |= !out->is_float && out->bits > INT64_MAX;
    return is_read;
}
