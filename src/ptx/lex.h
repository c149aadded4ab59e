// PTX text to tokens. A token points into the text; nothing is copied.
//
//     struct lexer lexer;
//     lexer_init(&lexer, text, length);
//     for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer)) ...
//
// Blanks and comments are skipped. A token that cannot be read has kind TOKEN_BAD and says why in `why`; the
// lexer then stands at the end of the text, so a loop over tokens always ends.
#ifndef PTX_LEX_H
#define PTX_LEX_H
#include "ptx/ast.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   // add  %r1  $L__BB0_1  _
    TOKEN_DOT,    // .u32  .L2::cache_hint  .2d   (one word; the text includes the dot)
    TOKEN_NUMBER, // 12  0x1fU  017  0b101  1.5  0f3F800000  0d3FF0000000000000
    TOKEN_STRING, // "with its quotes"
    TOKEN_PUNCT,  // punct: '+', or PUNCT2('<', '<')
    TOKEN_BAD
};
#define PUNCT2(a, b) ((a) << 8 | (b))

struct token {
    enum token_kind kind;
    int punct;
    const char *at;
    uint32_t length;
    struct ptx_position position;
    const char *why; // TOKEN_BAD: one sentence
};

struct lexer {
    const char *text, *at, *end, *line_start;
    uint32_t line;
};

void lexer_init(struct lexer *lexer, const char *text, size_t length);
struct token lexer_next(struct lexer *lexer);
bool token_is(const struct token *token, const char *text); // the whole token, letter by letter
bool token_is_punct(const struct token *token, int punct);
bool is_name_char(char c); // letters, digits, _ and $

// A number as it stands in the text.
struct number {
    uint64_t bits;       // integer, or the IEEE bits in `float_bytes`
    bool is_float;       // 0f, 0d or decimal point
    bool is_unsigned;    // suffix U, or too large for a signed 64-bit value
    uint8_t float_bytes; // 4: 0f…; 8: 0d… and decimal floats
};
// False if the literal is malformed; `why` then says so in one sentence.
bool number_parse(const char *at, uint32_t length, struct number *out, const char **why);
#endif
