// Does a PTX kernel hold accesses that ptxas could join into wider ones? Two loads (or two stores) of the
// same width, from the same base register, at neighbouring addresses, are one wide access in the machine code
// if the alignment can be proved; then requests, wavefronts, sectors and ideals differ from what PTX shows,
// and are estimates here. Shared memory: alignment is taken for granted (arrays are aligned and ptxas sees
// their addresses made). Global memory: only where a vector access through the same register proves it.
#ifndef PROF_MERGE_H
#define PROF_MERGE_H
#include "prof/profile.h"

bool launch_may_merge_shared(
    const struct profile_launch *launch); // both false for SASS, which is merged already
bool launch_may_merge_global(const struct profile_launch *launch);
#endif
