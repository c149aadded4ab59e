// Tests of instruction rows: an instruction is parsed and resolved from its PTX text, its handler of every
// x86-64 level is run on edge values and random ones, with full and partial masks, and each lane is compared
// with a reference that is written in plain C (or MPFR) without looking at the handlers.
//
// One table per family (op_cases_integer …). tests/op/<family>.c runs it; tests/op/coverage.c checks that the
// tables together reach every row and type of ptx.def.
#ifndef SUPPORT_OP_HARNESS_H
#define SUPPORT_OP_HARNESS_H
#include "ptx/op.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a reference sees of one lane: sources in the order written (predicates as 0 or 1), raw bits,
// zero-extended.
struct op_lane {
    const char *opcode;     // "add.rz.f32"
    enum ptx_type type;     // of the row's operands
    enum ptx_type dst_type; // of the result
    uint64_t in[6];
    uint32_t immediate; // of the operand "#"
    uint64_t old;       // of the destination
    uint32_t carry;     // CC.CF before
};

struct op_case {
    const char *opcode;   // without types when `types` is given: "mul.wide"
    const char *types;    // "u16 s16", each appended to the opcode; NULL: the opcode is complete
    const char *operands; // "d, a, b"; registers d (result), a b c e (sources), p q (predicate results), r s
                          // (sources)
    // Bits of the result; for predicates p in bit 0, q in bit 1.
    uint64_t (*reference)(const struct op_lane *lane);
    double
        ulps; // 0: bits must be equal; else f32 or f64 results may differ by so many units in the last place
    uint32_t (*carry)(const struct op_lane *lane); // CC.CF behind the instruction; NULL: as before
};

// A word stands in the opcode, as in "add.rz.f32" "rz".
bool opcode_has(const char *opcode, const char *word);
uint32_t bits_of_type(enum ptx_type type);
bool bits_are_signed(enum ptx_type type);
bool bits_are_float(enum ptx_type type);

extern const struct op_case op_cases_integer[], op_cases_logic[], op_cases_float[], op_cases_compare[],
    op_cases_convert[], op_cases_carry[], op_cases_move[], op_cases_half[],
    op_cases_video[]; // each ends with a NULL opcode

int op_cases_run(const struct op_case *cases); // a test program's main: cmocka's result
// Resolves each opcode with each of its types and notes its form.
void op_cases_resolve(const struct op_case *cases, bool *forms_seen);

// Inputs made for an instruction alone, always the same, half of them edge values; what it makes of them.
enum { OP_SAMPLES = 64 };
struct op_samples {
    const char *operands; // as in op_case
    uint32_t n_inputs;
    bool is_pred, has_q; // the result is a predicate, or two
    enum ptx_type inputs[6], dst;
    uint64_t in[6][OP_SAMPLES], carry[OP_SAMPLES], out[OP_SAMPLES], carry_out[OP_SAMPLES];
};
void op_samples(const char *opcode, struct op_samples *out); // `operands` is given
void op_samples_run(const char *opcode, struct op_samples *samples);
// The first `n` operands of a type, the same for a seed and a number `k`: each second one is often an edge value.
void op_operands(const char *seed, uint32_t k, enum ptx_type type, uint32_t n, uint64_t *out);
bool op_case_opcode(const struct op_case *row, uint32_t n, char *out,
                    size_t size); // with its nth type; false: no more
bool op_results_are_close(enum ptx_type type, uint64_t got, uint64_t want, double ulps);
#endif
