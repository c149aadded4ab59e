// PTX text, parsed: a faithful tree. Nothing is looked up but names of scopes; opcodes and suffixes stay as text,
// so that an unknown instruction is an error only for a kernel that contains it and is launched.
//
//     struct ptx_module *m = ptx_parse(&arena, "k.ptx", text, length, &err);   // NULL on error
//     ptx_print(m, &buf);                                                      // parse → print → parse is a fixed point
//
// Everything lives in the arena. `text` must outlive the module (names and lines point into copies in the arena).
#ifndef PTX_AST_H
#define PTX_AST_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_type {
    PT_NONE, PT_U8, PT_S8, PT_B8, PT_U16, PT_S16, PT_B16, PT_F16, PT_BF16, PT_U32, PT_S32, PT_B32, PT_F32, PT_F16X2,
    PT_BF16X2, PT_TF32, PT_U64, PT_S64, PT_B64, PT_F64, PT_B128, PT_PRED, PT_E4M3, PT_E5M2, PT_E4M3X2, PT_E5M2X2,
    PT_U16X2, PT_S16X2, PT_TEXREF, PT_SAMPLERREF, PT_SURFREF, N_PTX_TYPES
};
const char *ptx_type_name(enum ptx_type type); // "u32"; "" for PT_NONE
enum ptx_type ptx_type_parse(const char *name, size_t length); // PT_NONE when it is not a type
uint32_t ptx_type_bytes(enum ptx_type type);   // 1 2 4 8 16; 0 for pred, none and opaque types

enum ptx_space { PS_REG, PS_GLOBAL, PS_CONST, PS_SHARED, PS_LOCAL, PS_PARAM, PS_SREG, PS_TEX };

struct ptx_position { uint32_t line, column; }; // 1-based, in the PTX text

// One initial value: a number (bits) or symbol + offset.
struct ptx_init {
    uint64_t bits;
    const struct ptx_variable *symbol_variable; // else NULL
    const char *symbol;                         // name as written (variable or function), else NULL
    int64_t offset;
    bool is_generic, is_float; // generic(sym); float literal given as bits of its type
    int mask_shift;            // 0xFF..(sym) forms: byte of the address; -1 = whole
};

struct ptx_variable { // register, variable or parameter; unique pointer = unique object (scopes are resolved)
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t vector;      // 1, 2, 4
    uint32_t align;       // bytes; 0 = natural
    uint64_t count;       // elements of all dimensions; 1 for scalars; 0 = [] of unknown size (extern shared)
    bool is_array, is_extern, is_visible, is_weak, is_common, is_hidden, is_managed, is_pointer_param;
    struct ptx_init *init;
    size_t n_init;
    uint32_t id;          // registers: 0 .. n_registers - 1 in their function; others: declaration order
    struct ptx_position at;
    const struct ptx_function *owner; // NULL for module scope
    const char *ptr_space; uint32_t ptr_align; // .ptr attributes of a parameter
};

enum ptx_operand_kind {
    PO_REG,      // variable: register (dual `a|b`: second in `pair`), with optional component .x .y .z .w in `component`
    PO_SREG,     // name: "%tid.x"
    PO_IMM,      // bits (two's complement 64), is_float says how it was written (0f, 0d, decimal)
    PO_SYMBOL,   // variable of module or function scope, offset (sym+4); or a function name: variable NULL
    PO_ADDRESS,  // [base + offset]: base is a PO_REG/PO_SYMBOL/PO_IMM in `base`; tex-like [a, {x,y}]: rest in items
    PO_VECTOR,   // { items }
    PO_LABEL,    // name, resolved to label
    PO_PAREN,    // ( items ) of a call
    PO_SINK      // _
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    struct ptx_position at;
    const char *name;
    const struct ptx_variable *variable;
    struct ptx_operand *pair;   // `a|b`
    struct ptx_operand *base;   // PO_ADDRESS
    struct ptx_operand *items;  // PO_VECTOR, PO_PAREN, PO_ADDRESS with more than a base
    uint32_t n_items;
    int64_t offset;
    uint64_t bits;
    bool is_float, is_negated /* !p, -r */;
    uint8_t float_bytes;        // 4: 0f… (bits = IEEE single), 8: 0d… or decimal (bits = IEEE double)
    char component;             // 'x' 'y' 'z' 'w' or 0
    const char *selector;       // "b0" "h1" "b7610": parts of a register in a video instruction, or NULL
    const struct ptx_label *label;
};

struct ptx_label { const char *name; uint32_t insn; /* index of the instruction it stands before */ struct ptx_position at; };

// .branchtargets (labels) or .calltargets (functions); the other list is empty.
struct ptx_branch_targets {
    const char *name;
    const struct ptx_label **targets;
    const char **functions;
    uint32_t n; // entries of the list that is not empty
};

struct ptx_insn {
    const char *op;              // "add", first word of the opcode
    const char **suffixes;       // {"rn", "f32"}: without dots; "L2::cache_hint" is one suffix
    uint32_t n_suffixes;
    const struct ptx_variable *guard; // predicate register, or NULL
    bool guard_negated;
    struct ptx_operand *operands;
    uint32_t n_operands;
    struct ptx_position at;
    uint32_t loc;                // index into module.locs; 0 = none
    const char *text;            // the statement as written, blanks folded, without label and `;`
    const struct ptx_branch_targets *targets; // brx.idx, call with .calltargets: resolved list
    const struct ptx_prototype *prototype;    // indirect call
    const char *pragma;          // text of a .pragma right before it ("used_bytes_mask 3840"), or NULL
};

struct ptx_loc { uint32_t file, line, column; int32_t inlined_at; /* index into locs, -1 */ const char *function_name; };

struct ptx_prototype { const char *name; struct ptx_variable **returns, **params; uint32_t n_returns, n_params; bool is_noreturn; };

struct ptx_function {
    const char *name;
    bool is_entry, is_visible, is_extern, is_weak, is_hidden, is_noreturn, has_body;
    struct ptx_variable **returns, **params;
    uint32_t n_returns, n_params;
    struct ptx_variable **variables; // .shared .local .global .const .param declared inside, all scopes
    uint32_t n_variables;
    struct ptx_variable **registers; // by id
    uint32_t n_registers;
    struct ptx_insn *insns;
    uint32_t n_insns;
    struct ptx_label *labels;
    uint32_t n_labels;
    uint32_t max_threads[3], required_threads[3], min_blocks_per_sm, max_registers, cluster[3];
    bool is_explicit_cluster;
    uint32_t max_cluster_rank;
    const char **pragmas; // of the header; those in the body are with their instruction
    uint32_t n_pragmas;
    const struct ptx_function *alias_of; // .alias: the function that this name means, or NULL
    struct ptx_position at;
    const struct ptx_item *items; // statements in order, for printing; private to ptx/
    uint32_t n_items;
    const char *header_text;      // directives of the header that nothing above holds, for printing
};

// Of a module that was linked (ptx/link.h): where the text of a part begins.
struct ptx_part { const char *path; uint32_t lines_before; };

struct ptx_module {
    const char *path, *text;
    size_t text_length;
    unsigned version_major, version_minor, address_size;
    const char *target;             // "sm_90"
    const char **target_options;
    uint32_t n_target_options;
    struct ptx_function **functions; // definitions and declarations, in order
    uint32_t n_functions;
    struct ptx_variable **variables; // module scope
    uint32_t n_variables;
    const char **files;              // by .file number; NULL where unused
    uint32_t n_files;
    struct ptx_loc *locs;            // [0] = none
    uint32_t n_locs;
    struct map function_names, variable_names; // name -> struct ptx_function * / struct ptx_variable *
    const struct ptx_item *items;    // statements in order, for printing; private to ptx/
    uint32_t n_items;
    const struct ptx_part *parts;    // none unless linked
    uint32_t n_parts;
};

struct ptx_module *ptx_parse(struct arena *arena, const char *path, const char *text, size_t length, struct err *err);
void ptx_print(const struct ptx_module *module, struct buf *out);
struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name); // NULL if absent
struct ptx_function *ptx_find_meant(const struct ptx_module *module, const char *name);    // … behind an alias
#endif
