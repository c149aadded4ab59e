// Inside the lowering of machine code: what the lower_*.c share. See lower.h for what they make.
//
//     struct sass_parts p = sass_fill(l, in, out);       // operands of `in` into dst, src, pdst, psrc and signs of `out`
//     if (!out->src_negated) out->form = FORM_SUM3_b32;  // then the form that fits
#ifndef SASS_LOWERING_H
#define SASS_LOWERING_H
#include "sass/lower.h"
#include "isa/prepare.h"

#define PRED_FALSE ((predref)(PRED_TRUE | PRED_NOT))

// Numbers of the operands by what they are, in the order printed.
struct sass_parts {
    uint8_t dst[2], pdst[2], src[6], psrc[3];
    uint8_t n_dst, n_pdst, n_src, n_psrc;
    uint32_t bits[4]; // values of bare numbers (SO_BITS)
    uint8_t n_bits;
};

// Splits the operands and fills `out`: dst (a trash row when there is none), pdst (none: PRED_TRUE), psrc (none: false),
// the first four sources with their signs. Sources that are missing become zero.
struct sass_parts sass_fill(struct sass_lowering *l, const struct sass_insn *in, struct insn *out);

bool sass_is_zero(const struct sass_lowering *l, rowref row);               // a pool row of zeros
bool sass_constant(const struct sass_lowering *l, rowref row, uint32_t *value); // the word of a pool row
rowref sass_trash(const struct sass_lowering *l, uint32_t row);            // 0 … SASS_TRASH_ROWS - 1
bool sass_is_signed(const struct insn *out, unsigned k);                   // source k has a sign or |x|

// Source k without its sign: constants take it in themselves, and `kind` says what it means.
void sass_fold(struct sass_lowering *l, struct insn *out, unsigned k, enum prepare kind, enum half_choice choice);
// The form with sources that it takes as they are: signs (and halves, `choices` or NULL) are folded into constants or, if any
// is left, applied first by %prepared. False: refused.
bool sass_prepare(struct sass_lowering *l, struct insn *out, unsigned form, enum prepare kind,
                  const enum half_choice *choices);
// One form where psrc[0] holds, else the other; of a constant predicate one of both alone.
bool sass_either(struct sass_lowering *l, struct insn *out, unsigned holds, unsigned other, enum prepare kind,
                 const enum half_choice *choices);
// A comparison that is always false or always true: p and q are functions of the predicate alone.
void sass_constant_compare(const struct sass_insn *in, struct insn *out, bool is_true);
void sass_swap(struct insn *out, unsigned i, unsigned k); // two sources with their signs
void sass_copy(struct insn *out, rowref row);             // dst = row
#endif
