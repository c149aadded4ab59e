// What the files of the PTX parser share. Recursive descent, one token ahead; each parse_… function stands at
// its first token, leaves the token behind what it read, and returns false once an error is set.
//
//   parse.c        module: .version .target, linkage, dispatch       parse_function.c  headers, prototypes
//   parse_body.c   statements of a body, labels                      parse_insn.c      instructions, operands
//   parse_data.c   variables, registers, initial values              parse_expr.c      constant expressions
//   parse_debug.c  .file .loc .section                               parse_scope.c     names and scopes
#ifndef PTX_PARSE_H
#define PTX_PARSE_H
#include "base/vec.h"
#include "ptx/item.h"
#include "ptx/lex.h"

enum { MAX_SCOPES = 64, MAX_EXPRESSION_DEPTH = 64, MAX_DIMENSIONS = 8, MAX_FILE_NUMBER = 65535 };

enum symbol_kind {
    SYMBOL_VARIABLE, // register, variable, parameter
    SYMBOL_RANGE,    // %r<42>: the name is the prefix; registers are made when they are first named
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TARGETS,
    SYMBOL_PROTOTYPE
};

struct symbol {
    const char *name; // interned
    uint32_t name_length;
    enum symbol_kind kind;
    uint32_t depth;          // scope that declares it; 0 = module
    struct symbol *shadowed; // the outer meaning of the name
    struct symbol *next_in_scope;
    struct ptx_position at;
    uint32_t item; // module variables: their item
    union {
        struct ptx_variable *variable;
        struct ptx_function *function;
        struct ptx_branch_targets *targets;
        struct ptx_prototype *prototype;
        uint32_t label; // index
        struct {
            enum ptx_type type;
            uint32_t vector;
            uint64_t count;
        } range;
    };
};

// A name that only a label of this or an outer scope can give a meaning, known when that scope closes.
enum fixup_kind { FIXUP_BRANCH, FIXUP_TARGET_LIST, FIXUP_PROTOTYPE };
struct fixup {
    struct fixup *next;
    enum fixup_kind kind;
    const char *name;
    struct ptx_position at;
    const struct ptx_label **slot; // FIXUP_BRANCH: where the label goes
    uint32_t insn;                 // the others: the instruction
};

struct scope {
    struct symbol *symbols;
    struct fixup *fixups;
    struct ptx_position at; // its {
};

struct label_slot {
    const struct ptx_label **slot;
    uint32_t label;
};

struct opcode {
    const char *op;
    const char **suffixes;
    uint32_t n_suffixes;
};

struct parser {
    struct arena *arena;  // the module's
    struct arena scratch; // released at the end
    struct err *err;
    struct ptx_module *module;
    struct lexer lexer;
    struct token token;       // the one to look at
    const char *previous_end; // end of the one before
    struct ptx_position previous_end_position;

    struct map strings; // interned text
    struct map opcodes; // whole opcode -> struct opcode
    struct map symbols; // name -> innermost struct symbol
    struct map ranges;  // prefix -> innermost struct symbol
    struct scope scopes[MAX_SCOPES];
    uint32_t depth;
    uint32_t n_inner_ranges; // live ranges inside nested { }
    bool has_digit_prefix;   // a live or past range prefix ends in a digit
    uint32_t expression_depth;

    // of the module
    VEC(struct ptx_function *) functions;
    VEC(struct ptx_variable *) variables;
    VEC(const char *) target_options;
    VEC(struct ptx_item) items;
    VEC(const char *) files; // by number
    VEC(struct ptx_loc) locs;
    VEC(const char *) loc_texts; // by loc: what is printed; NULL = made up for an inlined_at
    struct map loc_keys, loc_places, debug_strings;

    // of the function that is being read; NULL outside
    struct ptx_function *function;
    bool in_body;
    uint32_t loc;
    const char *pragma;
    VEC(struct ptx_insn) insns;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_variable *) registers;
    VEC(struct ptx_variable *) body_variables;
    VEC(struct ptx_item) body_items;
    VEC(struct label_slot) label_slots;
    VEC(const char *) pragmas;

    VEC(struct ptx_operand) operands; // stack of unfinished lists
    struct buf text;                  // for texts that are put together
};

// ---- tokens and errors (parse.c)
#define TOKEN_TEXT(token) (int)((token)->length < 100 ? (token)->length : 100), (token)->at // for "%.*s"
bool parse_fail(struct parser *p, struct ptx_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parse_expected(struct parser *p, const char *what); // "expected `what`, found …" at the current token
void parse_advance(struct parser *p);
bool parse_accept(struct parser *p, int punct);
bool parse_expect(struct parser *p, int punct,
                  const char *context); // context: "after the operand", may be ""
bool parse_name(struct parser *p, const char *what, const char **out);
const char *parse_intern(struct parser *p, const char *at, size_t length);
bool parse_string(struct parser *p, const char **raw, const char **decoded);
void parse_add_item(struct parser *p, struct ptx_item item);
const char *parse_take_text(struct parser *p); // copy of p->text, which is emptied
#define ARENA_COPY(p, vec) \
    arena_copy((p)->arena, (vec).at, (vec).n * sizeof *(vec).at, _Alignof(__typeof__(*(vec).at)))

// ---- numbers (parse_expr.c)
struct value {
    uint64_t bits;
    bool is_float, is_unsigned;
    uint8_t float_bytes;
};
bool parse_constant(struct parser *p, struct value *out);
// `+ constant` or `- constant` behind a symbol or register, added to *offset; absent is fine.
bool parse_offset(struct parser *p, int64_t *offset);
bool parse_integer(struct parser *p, const char *what, uint64_t max, uint64_t *out);
double value_double(const struct value *value);

// ---- names (parse_scope.c)
bool scope_open(struct parser *p, struct ptx_position at);
bool scope_close(struct parser *p);
struct symbol *scope_declare(struct parser *p, const char *name, enum symbol_kind kind,
                             struct ptx_position at);
bool scope_declare_range(struct parser *p, const struct symbol *range);
struct symbol *scope_find(struct parser *p, const char *name, size_t length);
bool scope_is_special(const char *name); // a special register such as %laneid, without .x
void scope_add_fixup(struct parser *p, struct fixup fixup);
bool scope_fail_unknown(struct parser *p, struct ptx_position at, const char *what, const char *name);

// ---- declarations (parse_data.c)
struct linkage {
    bool is_extern, is_visible, is_weak, is_common, is_hidden;
    struct ptx_position at;
};
bool parse_space(const struct token *token, enum ptx_space *out);
bool parse_variables(struct parser *p, struct linkage linkage); // from its space to `;`
bool parse_registers(struct parser *p);                         // .reg … ;
// ( .param … , … ): parameters are declared in the current scope unless they are `_`.
bool parse_params(struct parser *p, struct ptx_variable ***out, uint32_t *n);
bool parse_attribute(struct parser *p, bool *is_managed); // .attribute(…)

// ---- functions (parse_function.c, parse_body.c)
bool parse_function(struct parser *p, struct linkage linkage); // at .entry or .func
bool parse_prototype(struct parser *p, const char *name, struct ptx_position at);
bool parse_linkage(struct parser *p, struct linkage *out);
bool parse_body(struct parser *p);                      // from { to its }
bool parse_pragma(struct parser *p, const char **last); // .pragma "…", "…" ; -> an item or a header pragma
bool parse_insn(struct parser *p, struct token op, const struct ptx_variable *guard, bool guard_negated,
                const char *start);

// ---- debug information (parse_debug.c)
bool parse_file(struct parser *p);
bool parse_loc(struct parser *p);
bool parse_section(struct parser *p);
void parse_debug_end(struct parser *p); // files and names of inlined functions

// ---- printing of pieces (print.c)
void print_type(struct buf *out, const struct ptx_variable *variable); // " .align 4 .v2 .b32"
#endif
