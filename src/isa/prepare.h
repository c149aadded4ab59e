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
#include <stdbool.h>
#include <stdint.h>

enum prepare {
    PREPARE_NEGATE, // whole numbers: -x
    PREPARE_INVERT, // ~x
    PREPARE_F32,    // sign bits
    PREPARE_F64,
    PREPARE_HALVES, // a half is chosen, then the sign bits of both
    PREPARE_BYTES,  // one byte: its number is the choice
    PREPARE_F32_NUMBER, // as PREPARE_F32, but NaN keeps its sign
    PREPARE_F16_NUMBER, // likewise of the lower half
    PREPARE_BF16_NUMBER
};
enum half_choice { HALVES_BOTH, HALVES_LOW, HALVES_HIGH };

// Whether the words of an f64 are a NaN: its sign stays as it is.
static inline bool prepare_is_nan(uint32_t low, uint32_t high)
{
    return (high & 0x7fffffffu) > 0x7ff00000u || ((high & 0x7fffffffu) == 0x7ff00000u && low);
}

// extra of %f2i: the row of PTX that does the rest, the type of the source, bits of the result, what NaN becomes (0, or the
// highest bit alone).
enum f2i_source { F2I_F16, F2I_F32, F2I_F64, F2I_BF16 };
#define F2I_EXTRA(form, source, bits, is_zero) \
    ((uint32_t)(form) | (uint32_t)(source) << 16 | (uint32_t)(is_zero) << 18 | (uint32_t)(bits) << 20)
#define F2I_FORM(extra) ((extra) & 0xffff)
#define F2I_SOURCE(extra) ((enum f2i_source)((extra) >> 16 & 3))
#define F2I_NAN_IS_ZERO(extra) ((extra) >> 18 & 1)
#define F2I_BITS(extra) ((extra) >> 20)

#define PREPARE(form, kind) ((int32_t)(form) | (int32_t)(kind) << 16)
#define PREPARE_FORM(offset) ((offset) & 0xffff)
#define PREPARE_KIND(offset) ((enum prepare)((offset) >> 16 & 15))
#define PREPARE_CHOICE(k, choice) ((int32_t)(choice) << (20 + 2 * (k)))
#define PREPARE_CHOSEN(offset, k) ((enum half_choice)((offset) >> (20 + 2 * (k)) & 3))
#endif
