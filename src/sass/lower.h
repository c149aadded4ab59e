// From decoded machine instructions to the records that the engine runs (isa/isa.h; the mapping: doc/isa-record.md).
//
// One function for each family, named by the rows of sass.def in their last column:
//
//     bool lower_iadd3(struct sass_lowering *l, const struct sass_insn *in, struct insn *out);
//
// sass_lower_insn sets guard, unit, line and control before, so the function fills form, operands, modifiers. It returns
// false after sass_refuse: the instruction is decoded but this variant is not executed. Exactly one record is made for
// each instruction: record index = byte offset / 16, so that targets and profiles need no map.
//
// Frame of a machine kernel: R0 … R(n-1), UR0 … UR62, then SASS_TRASH_ROWS rows that nobody reads (destination RZ) and one
// for the result of BAR.RED.
// Predicates: PT = 0, P0 … P6 = 1 … 7, UP0 … UP6 = 8 … 14, SASS_BARRIER_PRED: result of BAR.RED.
#ifndef SASS_LOWER_H
#define SASS_LOWER_H
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "isa/form.h"
#include "isa/kernel.h"
#include "sass/sass.h"

enum { SASS_TRASH_ROWS = 16, SASS_PREDS = 16, SASS_BARRIER_PRED = 15 };

struct sass_lowering {
    struct arena *arena;
    unsigned cc;
    uint32_t param_base;           // bytes of bank 0 before it are the driver's; 0: not known
    uint32_t n_registers;          // R rows of the frame; UR0 is row n_registers
    uint32_t n_uregs;              // UR rows behind them
    uint32_t first_insn, n_insns;  // of the section being lowered, in kernel.insns
    uint64_t code_address;         // guest address of its first byte (isa/kernel.h: code window)
    VEC(uint32_t) pool;            // words of the pool rows (broadcast at the end); pool rows 0 … 15 are zero
    VEC(struct launch_row) launch_rows;
    VEC(rowref) lists;             // kernel.lists
    const char *refused;           // why the last instruction cannot be executed; in the arena
};

// ---- operands: k counts insn.operands ---------------------------------------------------------------------------------

// A source as a row (or the first of operand.words rows): registers, RZ (zeros), immediates (pool), constants (launch rows;
// not those with a register in the address). Signs are not applied: see sass_signs. 64-bit immediates of FP64 become two rows.
rowref sass_source(struct sass_lowering *l, const struct sass_insn *in, unsigned k);
// A destination: registers; RZ and URZ give trash rows.
rowref sass_dst(struct sass_lowering *l, const struct sass_insn *in, unsigned k);
predref sass_pred(const struct sass_insn *in, unsigned k); // source (with PRED_NOT) or destination
rowref sass_pool(struct sass_lowering *l, uint32_t value); // a row of that word in all lanes
rowref sass_pool64(struct sass_lowering *l, uint64_t value);
// -x, |x| and ~x of operand k become bits `bit` of out->src_negated and src_absolute (~ counts as negated in logic).
void sass_signs(const struct sass_insn *in, unsigned k, struct insn *out, unsigned bit);
bool sass_refuse(struct sass_lowering *l, const struct sass_insn *in, const char *why); // false

// `n` neighbouring words of a constant bank, as launch rows.
rowref sass_bank_words(struct sass_lowering *l, uint32_t bank, uint32_t offset, uint32_t n);

// The address of the first SO_MEM operand: src[0], offset, src[3]. out->space is set before.
bool sass_take_address(struct sass_lowering *l, const struct sass_insn *in, struct insn *out);

bool sass_lower_insn(struct sass_lowering *l, const struct sass_insn *in, struct insn *out);

// ---- the families -------------------------------------------------------------------------------------------------------
#define DECLARE_LOWER(name) bool name(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
#define SASS(id, name, archs, opcode, spec, unit, lower) DECLARE_LOWER(lower);
#include "sass/sass.def"
#undef SASS
rowref sass_barrier_row(const struct sass_lowering *l);
#endif
