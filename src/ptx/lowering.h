// Inside of the lowering: what its files (lower*.c) share. Others include ptx/lower.h only.
//
// One `struct lowering` makes one kernel; one `struct body` makes one function of it. Instructions are first
// *drafts* whose rows are virtual; when the body is complete, liveness gives each virtual row its place and
// the drafts become instructions of the kernel.
//
// Row numbers of a draft in ROW_REG: below ROW_OWN they are virtual rows; ROW_OWN + k is row k of the
// function's own frame (FRAME_ rows, parameters, return values); ROW_NEXT + k is row k of the next frame
// (arguments of a call).
#ifndef PTX_LOWERING_H
#define PTX_LOWERING_H
#include "base/vec.h"
#include "isa/form.h"
#include "isa/kernel.h"
#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/lower.h"
#include "ptx/op.h"

enum { ROW_OWN = 0x10000000, ROW_NEXT = 0x20000000 };

// A predicate operand of a draft: virtual row, negated by the top bit; NO_VPRED = always true or absent.
typedef uint32_t vpred;
#define NO_VPRED 0x7fffffffu
#define VPRED_NOT 0x80000000u

struct draft {
    struct insn insn; // offset of a branch: block; of a call: function of the kernel
    vpred guard, pdst[2], psrc[2];
    uint32_t first_ref;
    uint32_t n_list; // operands in lowering.lists from insn.offset on
    const struct ptx_insn *from; // NULL: of none
    const char *text;
    uint8_t fidelity;
};

struct u32s {
    uint32_t *at;
    size_t n, capacity;
};

// Where a variable that is not a register lies.
struct home {
    const struct ptx_variable *variable;
    uint64_t address; // global: virtual; const, shared: offset; local: offset in the function's local memory;
                      // parameter of the kernel: offset in the block
    uint32_t row;     // first row of its words: ROW_OWN + … or a virtual row
    uint32_t n_words; // rows of a .param variable of a body, or of a parameter of a function
    // .param variables of a body, by word:
    bool *is_stored;   // something was written to it
    uint8_t *n_stores; // how many instructions write it (2: or more)
    rowref *constant;  // the pool or launch row that is its value for the whole launch, or ROW_NONE
};

// One function of the kernel, as the pre-scan finds it.
struct reached {
    const struct ptx_function *function;
    struct u32s callees; // indices of functions of the kernel
    uint32_t n_param_words, n_return_words;
    uint32_t local_bytes;
    bool calls_indirectly;
};

struct lowering {
    struct arena *arena; // the kernel's
    struct arena work;   // until the kernel is done
    const struct ptx_module *module;
    const struct ptx_symbols *symbols;
    struct err *err;
    struct kernel *kernel;

    VEC(struct reached) reached;
    struct map homes;          // variable -> struct home
    struct map function_index; // function -> index + 1 into reached
    uint32_t shared_bytes;

    struct u32s pool;
    struct map pool_rows; // words -> row + 1
    VEC(struct launch_row) launch_rows;
    VEC(rowref) lists; // of matrix instructions

    VEC(struct insn) insns;
    VEC(const char *) texts;
    VEC(uint8_t) fidelity;
    VEC(struct merged) merged;
    VEC(uint8_t) combined; // enum combining
    bool has_combined;
    VEC(struct source_line) lines;
    struct function *functions; // by index into reached
    uint32_t n_rows, n_preds, n_barriers, most_live, n_block_barriers;
    bool is_checked_only; // --dump: addresses of symbols do not matter
};

struct body {
    struct lowering *lowering;
    uint32_t index; // into reached
    const struct ptx_function *function;
    struct cfg cfg;
    VEC(struct draft) drafts;
    VEC(struct ref) refs;
    struct u32s group_row; // by group; the last entry is the number of virtual rows
    VEC(bool) group_is_pred;
    uint32_t *row_of_register; // by id: first virtual row
    rowref *constant_row;      // by id: where its value stands for the whole launch, or ROW_NONE
    rowref stack;              // offset in local memory of what alloca gives next; ROW_NONE: none of this function does
    struct merged *merged;     // by draft
    uint8_t *combined;         // by draft: enum combining
    uint32_t *block_draft;     // by block: its first draft; n_blocks + 1 of them

    const struct ptx_insn *insn; // being lowered
    struct op op;
    vpred guard;
    bool is_counted; // the instruction that counts has been made
};

// ---- errors: always false ---------------------------------------------------------------------------
bool lower_fail(struct lowering *l, struct ptx_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool body_fail(struct body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- lower.c ----------------------------------------------------------------------------------------
uint32_t line_of(struct lowering *l, const struct ptx_insn *insn); // index into lines

// ---- lower_reach.c ----------------------------------------------------------------------------------
bool lower_reach(struct lowering *l, const struct ptx_function *entry);
struct home *home_find(const struct lowering *l, const struct ptx_variable *variable); // NULL: none
struct home *home_make(struct lowering *l, const struct ptx_variable *variable);
uint32_t function_number(const struct lowering *l, const struct ptx_function *function); // in the module
uint32_t function_place(const struct lowering *l,
                        const struct ptx_function *function); // in the kernel or NO_TARGET
uint32_t variable_words(const struct ptx_variable *variable);
uint64_t variable_bytes(const struct ptx_variable *variable);
uint32_t variable_align(const struct ptx_variable *variable);
uint32_t lower_local_bytes(struct lowering *l, bool *has_recursion);
// The operands of a call: where it goes, what it takes and gives (NULL if there is none).
struct call_parts {
    const struct ptx_operand *target, *args, *returns;
};
struct call_parts call_split(const struct ptx_insn *insn);
bool call_accepts(const struct ptx_insn *call, const struct ptx_function *function);

// ---- lower_operand.c: rows of constants and operands ------------------------------------------------
rowref pool_u32(struct lowering *l, uint32_t value);
rowref pool_words(struct lowering *l, const uint32_t *words, uint32_t n); // neighbouring rows
rowref pool_u64(struct lowering *l, uint64_t value);
rowref launch_word(struct lowering *l, uint32_t bank, uint32_t offset, enum elem elem, uint32_t n_words);
uint64_t immediate_bits(const struct ptx_operand *operand, enum ptx_type type);
uint32_t type_rows(enum ptx_type type); // 1, 2, 4
bool type_is_signed(enum ptx_type type);
uint32_t operand_bytes(const struct ptx_operand *operand); // of a register; 0 of anything else
bool operand_row(struct body *b, const struct ptx_operand *operand, enum ptx_type type,
                 rowref *out); // to read
bool operand_pred(struct body *b, const struct ptx_operand *operand, vpred *out);
bool register_row(struct body *b, const struct ptx_operand *operand, rowref *out);
// Reads the special register `operand` into rows of a value of `type` (lower_sreg.c).
bool emit_special(struct body *b, const struct ptx_operand *operand, rowref dst, enum ptx_type type,
                  bool is_pseudo);
// Address of a symbol as it stands in a register: value in `row` (one row, or two with is_wide), plus
// `offset`.
struct symbol_address {
    bool is_wide, is_dynamic; // dynamic: `row` holds the base to which offset must be added
    uint64_t value;
    rowref row;
};
bool symbol_address(struct body *b, const struct ptx_operand *operand, struct symbol_address *out);
// [address] of an instruction: the value of `row` (a pair if is_wide) plus `offset` (lower_insn.c).
struct bound_address {
    rowref row;
    bool is_wide;
    int32_t offset;
};
bool address_row(struct body *b, const struct ptx_operand *operand, struct bound_address *out);

// ---- lower_emit.c: drafts ---------------------------------------------------------------------------
uint32_t body_group(struct body *b, uint32_t n_rows, bool is_pred); // new virtual rows; returns the first
// The next instruction of the PTX instruction being lowered: the first one counts, the others are pseudo.
struct draft *emit(struct body *b, uint16_t form);
struct draft *emit_pseudo(struct body *b, uint16_t form);
void emit_use(struct body *b, rowref row, uint32_t n);
void emit_def(struct body *b, rowref row, uint32_t n);
void emit_pred_use(struct body *b, vpred pred);
void emit_pred_def(struct body *b, vpred pred);
void emit_move(struct body *b, rowref dst, rowref src); // one row
void emit_pseudo_move(struct body *b, rowref dst, rowref src);
void emit_2(struct body *b, uint16_t form, rowref dst, rowref a, rowref c); // one-row operands
void emit_prmt(struct body *b, rowref dst, rowref a, rowref c, uint32_t selector); // prmt.b32
void emit_extract(struct body *b, rowref dst, rowref src, uint32_t shift, bool is_byte);
uint32_t new_barrier(struct body *b);
void emit_converge(struct body *b, uint32_t barrier);
void emit_break(struct body *b, uint32_t first, uint32_t n);
// The register is wider than the type of what was written to it: fills the rest. Pseudo.
void emit_widen(struct body *b, rowref dst, enum ptx_type type, uint32_t register_bytes);

// ---- lower_list.c: operands that go to the kernel's lists ----------------------------------------------
enum { MAX_ROW_LIST = 4 * MATRIX_MAX_ROWS + 128 /* accumulators of wgmma */ };

struct row_list {
    rowref rows[MAX_ROW_LIST];
    bool is_written[MAX_ROW_LIST];
    uint32_t n;
};

// An operand's registers: those of a vector, or itself.
uint32_t list_items(const struct ptx_operand *operand);
const struct ptx_operand *list_item(const struct ptx_operand *operand, uint32_t i);
bool list_add(struct body *b, const struct ptx_operand *item, enum ptx_type type, bool is_written, struct row_list *list);
// Exactly n registers; another number is the user's mistake.
bool list_add_all(struct body *b, const struct ptx_operand *operand, enum ptx_type type, uint32_t n, bool is_written,
                  struct row_list *list);
// The list becomes the draft's: what is read, then what is written.
void list_emit(struct body *b, const struct row_list *list, struct draft *draft);

// ---- one instruction --------------------------------------------------------------------------------
void find_constants(struct body *b); // lower_constant.c
bool writes_constant(const struct body *b, const struct ptx_insn *insn);
bool lower_insn(struct body *b, uint32_t block); // lower_insn.c
bool lower_generic(struct body *b);              // binds every operand by its role
bool lower_mov(struct body *b);                  // lower_mov.c
bool lower_mov_b128(struct body *b);
bool lower_cvta(struct body *b);
bool lower_async(struct body *b);      // lower_async.c
bool lower_bulk(struct body *b);       // lower_bulk.c
bool lower_param_load(struct body *b); // lower_param.c
bool lower_param_store(struct body *b);
struct home *param_home(struct body *b, const struct ptx_variable *variable);
rowref param_word(const struct home *home, uint32_t word); // where the word is read
void count_param_stores(struct body *b);
bool lower_texture(struct body *b); // lower_texture.c
bool lower_matrix(struct body *b); // lower_matrix.c
bool lower_call(struct body *b);   // lower_call.c
uint8_t *find_low_zeros(struct body *b);              // lower_align.c: by register, how many low bits are always zero
void find_merged(struct body *b);                     // lower_merge.c
void find_combined(struct body *b);                   // lower_combine.c
bool *find_varying(struct body *b);                   // lower_uniform.c: by register, is it different from lane to lane?
bool varies_in_warp(const bool *varies, const struct ptx_operand *operand);
bool op_is(const struct ptx_insn *insn, const char *names); // lower_align.c: one of these, blank-separated
bool uses_stack(const struct ptx_function *function); // lower_stack.c
void start_stack(struct body *b);
bool lower_stack(struct body *b);
bool insn_has_selector(const struct ptx_insn *insn); // lower_video.c
bool lower_video(struct body *b);
bool is_native(const char *name);  // functions that the engine itself provides (lower_native.c)
bool lower_native(struct body *b); // a call of one

// ---- lower_body.c -----------------------------------------------------------------------------------
bool lower_body(struct lowering *l, uint32_t index, struct buf *dump);
#endif
