// Machine code of sm_75 to sm_120: 16 bytes an instruction, decoded by the rows of sass.def.
//
//     struct sass_insn insn;
//     if (!sass_decode(arch, words, offset, &insn)) ...   // false: no row fits; insn.row is NULL, control is set
//     sass_print(&insn, &text);                           // as nvdisasm writes it: "@!P0 IMAD.WIDE.U32 R2, R0, 0x4, R2"
//     if (sass_field(&insn, SF_CMP) == SASS_CMP_GT) ...   // a modifier by meaning, 0 when the row has none of it
//
// An instruction is a row, operands in the order of the row's spec (sass.def), and the fields of its modifiers. Operands that
// are optional in print (IADD3's carries when they are PT) are there all the same, so an index means the same in every
// instruction of a row. Nothing here
// knows what an instruction does: that is lower.h. Nothing is allocated; a decoded instruction is a plain value.
#ifndef SASS_SASS_H
#define SASS_SASS_H
#include "isa/isa.h"
#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

enum { SASS_BYTES = 16, SASS_MAX_OPERANDS = 12, SASS_MAX_FIELDS = 16 };
enum { SASS_RZ = 255, SASS_URZ = 63, SASS_PT = 7 };

// One number for each row of sass.def: SASS_IADD3, SASS_LDG, …
enum sass_op {
    SASS_UNKNOWN,
#define SASS(id, ...) SASS_##id,
#include "sass/sass.def"
#undef SASS
    N_SASS_OPS
};

// What a modifier means, whatever bits it lies in: SF_CMP, SF_BOOL, SF_WIDTH, … (sass_field.def names the values).
enum sass_field {
#define FIELD(id) SF_##id,
#include "sass/sass_field.def"
#undef FIELD
    N_SASS_FIELDS
};

// The values of each kind of modifier, by name: SASS_CMP_LT, SASS_WIDTH_B64, …
enum {
#define V(kind, name, value, text) SASS_##kind##_##name = value,
#define KIND(kind, id, bits, ...) __VA_ARGS__
#include "sass/sass_field.def"
#undef KIND
#undef V
};

enum sass_operand_kind {
    SO_NONE,
    SO_REG,     // number: 0 … 254, SASS_RZ
    SO_UREG,    // number: 0 … 62, SASS_URZ
    SO_PRED,    // number: 0 … 6, SASS_PT
    SO_UPRED,   // likewise
    SO_IMM,     // value: as encoded, 32 bits (FP64: the upper word of the number); is_float for printing
    SO_CONST,   // c[bank][value], c[bank][number + value] (base_kind SO_REG or SO_UREG), cx[number][value] (bindless: UREG)
    SO_MEM,     // [number + ureg + value], see below; desc[ureg][…] and gdesc[ureg] forms too
    SO_BARRIER, // B0 … B15: number
    SO_SREG,    // special register: number as encoded
    SO_TARGET,  // code: value is the byte offset in the section
    SO_SCOREBOARD, // SB0 …: number
    SO_BITS     // a bare number of the encoding that is printed (masks of scoreboards, LUTs …): value
};

struct sass_operand {
    uint8_t kind;     // enum sass_operand_kind
    uint8_t words;    // registers that hold it: 1, 2, 4 …; 0 = not a register. Known from the row and its modifiers.
    uint16_t number;  // of the register, predicate, barrier, special register
    bool is_negated;  // -x, !p
    bool is_absolute; // |x|
    bool is_inverted; // ~x
    bool is_reuse;    // .reuse
    bool is_float;    // immediates: print as a number with a fraction
    uint8_t select;   // halves of a packed operand: 0 = as it is, else by the row (.H0_H0, .H1_H1, .F32, .B1 …)
    uint8_t bank;     // SO_CONST
    // SO_MEM and SO_CONST: address = base (+ ureg) + value
    uint8_t base_kind;   // SO_NONE, SO_REG, SO_UREG: what `number` is
    bool is_base_64;     // R2.64
    bool has_descriptor; // desc[descriptor]
    bool has_ureg;       // + ureg
    bool is_bindless;    // SO_CONST: cx[number][value]
    uint8_t ureg, descriptor; // uniform registers
    int64_t value;
};

struct sass_row;

struct sass_insn {
    const struct sass_row *row; // NULL: no row fits
    enum sass_op op;
    uint64_t low, high;         // as encoded
    uint32_t offset;            // byte offset in its section
    uint8_t cc;                 // 90 = sm_90
    uint8_t guard;              // predicate 0 … 6, SASS_PT
    bool guard_is_negated, guard_is_uniform;
    uint8_t n_operands, n_dst;  // operands[0 … n_dst - 1] are written (registers and predicates)
    struct sass_operand operands[SASS_MAX_OPERANDS];
    uint8_t fields[N_SASS_FIELDS]; // by enum sass_field; 0 = absent or the first value
};

// The control word: bits 105 … 125 of the encoding, kept in insn.control as they are (isa/isa.h).
#define SASS_CONTROL(high) ((high) >> 41 & 0x1fffff)

struct sass_row {
    const char *name;   // "IADD3"
    const char *spec;   // operands and modifiers, see sass.def
    const char *lower;  // the function that makes the engine's record; "lower_none": decoded, but not executed
    uint16_t opcode;    // bits 0 … 11, or 0 … 8 when `forms` is not 0
    uint8_t forms;      // which values bits 9 … 11 may have: one bit for each
    uint8_t first_cc, last_cc; // 75, 99: sm_75 and all later ones that the table describes
    uint8_t unit;       // enum unit (isa/isa.h)
    uint16_t op;        // enum sass_op
};
const struct sass_row *sass_row_find(unsigned cc, uint64_t low); // NULL: none
const struct sass_row *sass_rows(uint32_t *n); // the table, for `isa sass`; row of an op: sass_rows[op - 1]

bool sass_decode(unsigned cc, const uint64_t words[2], uint32_t offset, struct sass_insn *out); // cc: 90 = sm_90
void sass_print(const struct sass_insn *insn, struct buf *out);
static inline unsigned sass_field(const struct sass_insn *insn, enum sass_field field)
{
    return insn->fields[field];
}
#endif
