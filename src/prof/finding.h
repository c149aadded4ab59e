// What to tell about a launch: each avoidable cost with its place, the numbers that show it, what to change,
// and where it can be computed what the change brings.
//
//     size_t n;
//     const struct finding *f = launch_findings(&arena, launch, device, &n);    // most expensive first
//     f[0].kind, launch_place(&arena, launch, f[0].insn), f[0].text, f[0].fix, f[0].forecast
#ifndef PROF_FINDING_H
#define PROF_FINDING_H
#include "base/arena.h"
#include "device/device.h"
#include "prof/profile.h"
#include <stddef.h>

enum finding_kind {
#define FINDING(kind, name, unit, metric, head, fix) FINDING_##kind,
#include "prof/finding.def"
#undef FINDING
    N_FINDING_KINDS
};

#define FINDING_NOWHERE UINT32_MAX // `insn` of a finding about the launch as a whole

struct finding {
    enum finding_kind kind;
    uint32_t insn;        // where it happens most
    const char *text;     // what was seen, in numbers
    const char *fix;      // what to change; "" for FINDING_NONE
    const char *forecast; // what the change brings, computed from the same run; "" where that cannot be done
    double before, after; // in the unit of the kind, at this place; after is NAN without a forecast
    double cost, share;   // what is wasted here, and its part of the launch's total of that unit
    double cost_cycles;   // to order findings by: lines.h, excess_cost_cycles
};

// Everything a launch can be told, most expensive first. `device` (for occupancy) may be NULL.
const struct finding *launch_findings(struct arena *arena, const struct profile_launch *launch,
                                      const struct device *device, size_t *n);
// The first of them, or one of kind FINDING_NONE.
struct finding launch_finding(struct arena *arena, const struct profile_launch *launch);

// "2 registers a thread fewer: 48 warps an SM instead of 40", the least that lets more warps share an SM; ""
// if nothing does, or the device is not known.
const char *finding_next_step(struct arena *arena, const struct profile_launch *launch,
                              const struct device *device);

const char *finding_name(enum finding_kind kind);   // "bank_conflict"
const char *finding_unit(enum finding_kind kind);   // "wavefront"
const char *finding_metric(enum finding_kind kind); // ncu's name of the number that shows it
// "transpose.cu:32", or "the launch".
const char *finding_place(struct arena *arena, const struct profile_launch *launch,
                          const struct finding *finding);
#endif
