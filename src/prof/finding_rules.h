// What the rules of findings share. Used by finding*.c only.
#ifndef PROF_FINDING_RULES_H
#define PROF_FINDING_RULES_H
#include "base/vec.h"
#include "prof/finding.h"
#include "prof/site.h"

struct finder {
    struct arena *arena;   // of the findings' texts
    struct arena *scratch; // of what only the rules need
    const struct profile_launch *launch;
    const struct device *device; // may be NULL
    struct counters total;
    const struct site *sites;
    size_t n_sites;
    VEC(struct finding) out;
};

// The least share of the launch's traffic of its kind that is worth telling, and the least share of one
// place.
#define FINDING_LEAST_SHARE 0.1
#define FINDING_LEAST_PLACE 0.02

void find_races(struct finder *finder);
void find_bank_conflicts(struct finder *finder);
void find_no_barrier(struct finder *finder);
void find_global(struct finder *finder); // uncoalesced, misaligned, idle lanes, scattered, structures, scalar
void find_one_address(struct finder *finder);
void find_uniform(struct finder *finder);
void find_local(struct finder *finder); // arrays and spills apart
void find_unseen_spills(struct finder *finder);
void find_constant(struct finder *finder);
void find_divergence(struct finder *finder);
void find_occupancy(struct finder *finder);
void find_l2_lost(struct finder *finder);
void find_l1_starved(struct finder *finder);

void finding_add(struct finder *finder,
                 struct finding finding); // fills fix and cost from kind, before and after
const char *finding_head(enum finding_kind kind);
const char *finding_count(struct finder *finder, uint64_t n); // "1,048,576"
const char *finding_action(uint8_t class);                    // "load", "store", "atomic"
const char *finding_where(struct finder *finder, const struct site *site);
double finding_per(uint64_t part, uint64_t whole); // 0 of nothing
#endif
