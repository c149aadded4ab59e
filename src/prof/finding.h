// The one thing to tell about a launch: its most expensive avoidable cost, where it arises, and what to
// change.
//
//     struct finding f = launch_finding(&arena, launch);
//     f.kind, launch_place(&arena, launch, f.insn), f.text, f.fix
#ifndef PROF_FINDING_H
#define PROF_FINDING_H
#include "base/arena.h"
#include "prof/profile.h"

enum finding_kind {
#define FINDING(kind, name, head, fix) FINDING_##kind,
#include "prof/finding.def"
#undef FINDING
    N_FINDING_KINDS
};

struct finding {
    enum finding_kind kind; // FINDING_NONE where less than a tenth of the traffic is excess
    uint32_t insn;          // where it happens most
    const char *text;       // what was seen, in numbers
    const char *fix;        // what to change; "" for FINDING_NONE
};

struct finding launch_finding(struct arena *arena, const struct profile_launch *launch);
const char *finding_name(enum finding_kind kind); // "bank_conflict"
#endif
