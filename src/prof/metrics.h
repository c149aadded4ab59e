// The numbers people see, under Nsight Compute's names: metrics.def says how each follows from a launch's
// counters.
//
//     struct metric_input in;
//     metric_input_init(&in, launch, metric_device_read(&arena, profile));
//     struct metric_pick pick;
//     if (!metric_find("dram__bytes_read.sum", &pick, &err)) return 2;      // neither ours nor one of ncu's
//     names double bytes = metric_value(&in, pick.metric);                          // NAN: n/a
//
// Owner of everything: the profile. An input may also be filled from some instructions only (a source line).
#ifndef PROF_METRICS_H
#define PROF_METRICS_H
#include "base/arena.h"
#include "base/err.h"
#include "base/kv.h"
#include "isa/isa.h"
#include "prof/profile.h"

enum metric {
#define METRIC(base, suffix, unit, class, formula, text) METRIC_##base##_##suffix,
#include "prof/metrics.def"
#undef METRIC
    N_METRICS,
    METRIC_NONE // a name of ncu's that we have no number for
};

// How far a number can be trusted, for the launch it belongs to.
enum metric_class { METRIC_EXACT, METRIC_MODELLED, METRIC_ESTIMATED };

struct metric_info {
    const char *name;    // ncu's, with suffix
    const char *unit;    // ncu's words: "byte", "sector", "%"
    const char *formula; // as in metrics.def
    const char *text;    // the rule in words
    const char *trust;   // "exact", "modelled" or what it depends on
};

// Sets of machine instructions that ncu counts by themselves.
enum op_set { OPS_FADD, OPS_FMUL, OPS_FFMA, OPS_HFMA, OPS_INTEGER, OPS_BRANCH, OPS_FLOW, OPS_MEMORY_BESIDE, OPS_CLUSTER_ARRIVE, N_OP_SETS };

struct metric_input {
    const struct profile_launch *launch;
    const struct kv_file *device;           // the device's values as the profile holds them
    struct counters by_class[N_OP_CLASSES]; // sums over the instructions of each class
    struct counters by_unit[N_UNITS];
    struct op_sums {
        uint64_t executed, threads_on;
    } by_op[N_OP_SETS]; // machine code: instructions by mnemonic
    uint64_t executed_by_width[33];          // global, local and shared instructions by bytes per lane
    uint64_t local_rows[N_OP_CLASSES];       // local accesses times the 4-byte words of a lane
    bool may_merge_shared, may_merge_global; // PTX with accesses that ptxas could join (merge.h)
};

struct metric_pick {
    const char *name; // as asked for; a base name that only needed its suffix is completed
    enum metric metric;
};

const struct metric_info *metric_info(enum metric metric); // METRIC_NONE is no row
const char *metric_class_name(enum metric_class class);    // "exact" ...

// The device section of a profile as pairs; no pairs if the profile has none.
const struct kv_file *metric_device_read(struct arena *arena, const struct profile *profile);
// A number of it, in bytes where the unit is one of bytes; NAN if the key is missing.
double metric_device_number(const struct kv_file *device, const char *key);
const char *metric_device_text(const struct kv_file *device, const char *key); // "" if missing

void metric_input_init(struct metric_input *out, const struct profile_launch *launch,
                       const struct kv_file *device);
void metric_input_start(struct metric_input *out, const struct profile_launch *launch,
                        const struct kv_file *device);
void metric_input_add(struct metric_input *out, const struct profile_insn *insn); // after metric_input_start

double metric_value(const struct metric_input *in, enum metric metric); // NAN: n/a
enum metric_class metric_class(const struct metric_input *in, enum metric metric);

// By ncu's name, an older one or nvprof's (metric_aliases.def), with or without suffix. A name that ncu has
// and we do not model is good and gives METRIC_NONE; an unknown one is an error with the nearest name.
bool metric_find(const char *name, struct metric_pick *out, struct err *err);
// Does Nsight Compute know this base name (of any supported chip)?
bool ncu_knows(const char *base, size_t length);

// "4096", "0.060606", "n/a": plain digits, at most six decimals.
struct buf;
void metric_print(struct buf *out, double value);
#endif
