// Does a PTX kernel hold accesses that ptxas could join into wider ones? Two loads (or two stores) of the
// same width, from the same base register, at neighbouring addresses, are one wide access in the machine code
// if the alignment can be proved; then requests, wavefronts, sectors and ideals differ from what PTX shows,
// and are estimates here. Shared memory: alignment is taken for granted (arrays are aligned and ptxas sees
// their addresses made). Global memory: only where a vector access through the same register proves it.
#ifndef PROF_MERGE_H
#define PROF_MERGE_H
#include "prof/profile.h"

// "[%r3+128]" in an instruction's text: the base "%r3" (with its length) and 128.
struct insn_address {
    const char *base;
    size_t length;
    long offset;
};
bool insn_address_parse(const char *text, struct insn_address *out); // false: no such operand
bool insn_address_same_base(const struct insn_address *a, const struct insn_address *b);

bool launch_may_merge_shared(
    const struct profile_launch *launch); // both false for SASS, which is merged already
bool launch_may_merge_global(const struct profile_launch *launch);
#endif
