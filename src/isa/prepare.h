// Machine instructions take signs (-x, |x|, ~x) and chosen halves (.H0_H0) on almost any source. Rows that know none of them
// are reached through %prepared: it writes what the row shall see into rows that nobody else reads, and then runs the row.
// It is for what is rare; frequent instructions have rows of their own in machine.def.
//
//   form      FORM_PREPARED_none
//   offset    PREPARE(real form, kind), and for PREPARE_HALVES what is chosen of each source: enum half_choice
//   src[k]    as in the program; src_negated, src_absolute likewise
//   data[k]   first of the rows for the prepared source k; ROW_NONE: source k is taken as it is
#ifndef ISA_PREPARE_H
#define ISA_PREPARE_H

enum prepare {
    PREPARE_NEGATE, // whole numbers: -x
    PREPARE_INVERT, // ~x
    PREPARE_F32,    // sign bits
    PREPARE_F64,
    PREPARE_HALVES  // a half is chosen, then the sign bits of both
};
enum half_choice { HALVES_BOTH, HALVES_LOW, HALVES_HIGH };

#define PREPARE(form, kind) ((int32_t)(form) | (int32_t)(kind) << 16)
#define PREPARE_FORM(offset) ((offset) & 0xffff)
#define PREPARE_KIND(offset) ((enum prepare)((offset) >> 16 & 15))
#define PREPARE_CHOICE(k, choice) ((int32_t)(choice) << (20 + 2 * (k)))
#define PREPARE_CHOSEN(offset, k) ((enum half_choice)((offset) >> (20 + 2 * (k)) & 3))
#endif
