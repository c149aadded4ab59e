// Cases for a comparison of single machine instructions with a GPU: each kind of instruction that ptxas emits
// (tests/data/sass_sm90.txt.zst), with registers, predicates and immediates of ours.
//
// Sources are in R8 … R15 and UR8 … UR15, the old result in R4, R5, UR4, UR5, predicates are the bits of R14 and UR14.
// Results are read from R4, R5 (UR4, UR5 where those are written) and P0 … P6 (UP5 and UP6 read as P5 and P6).
#ifndef SUPPORT_MACHINE_CASES_H
#define SUPPORT_MACHINE_CASES_H
#include "base/buf.h"
#include "isa/isa.h"
#include "sass/sass.h"

enum { CASE_DST = 4, CASE_SOURCES = 8, CASE_PREDS = 14, CASE_N_SOURCES = 8, CASE_N_INPUTS = CASE_N_SOURCES + 2 };

struct machine_case {
    uint64_t words[2];
    bool is_uniform; // of the uniform datapath: run once for each sample, by a block of its own
};
// At most `capacity`; the number of them.
uint32_t machine_cases(struct machine_case *out, uint32_t capacity);
// Input words of 32 samples, R8 … R15, then R4 and R5; half are edge values. Always the same for an instruction.
void machine_case_inputs(const uint64_t words[2], uint32_t in[CASE_N_INPUTS][ROW_LANES]);
// Code of a kernel (in, out) for sm_90: loads, the instruction, stores three words a sample.
void machine_case_code(const struct machine_case *c, struct buf *out);
bool machine_is_case(const struct sass_row *row); // it computes, and is compared
bool machine_writes_uniform(const struct sass_insn *in, enum sass_operand_kind kind);
#endif
