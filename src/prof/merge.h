// Does a PTX kernel hold shared accesses that ptxas could join into wider ones? Two loads (or two stores) of
// the same width, from the same base register, at neighbouring addresses, are one LDS.64 or LDS.128 in the
// machine code if the alignment can be proved; then requests, wavefronts and ideals differ from what PTX
// shows, and are estimates here.
#ifndef PROF_MERGE_H
#define PROF_MERGE_H
#include "prof/profile.h"

bool launch_may_merge_shared(const struct profile_launch *launch); // false for SASS, which is merged already
#endif
