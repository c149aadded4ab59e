// Metrics: formulas of metrics.def over the counters of one launch, and how far each may be trusted.
#include "prof/metrics.h"
#include "base/buf.h"
#include "base/units.h"
#include "device/occupancy.h"
#include "prof/merge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sets of op classes. ONLY is the opcode as written; the plural names add generic accesses, whose counters
// say which memory they met.
#define ONLY(class) (1u << CLASS_##class)
enum {
    ALL = (1u << N_OP_CLASSES) - 1,
    MEMORY = ALL & ~ONLY(NONE),
    GLOBAL_LDS = ONLY(GLOBAL_LD) | ONLY(GENERIC_LD),
    L1_LDS = GLOBAL_LDS | ONLY(LDGSTS), // what L1 counts as global loads
    GLOBAL_STS = ONLY(GLOBAL_ST) | ONLY(GENERIC_ST),
    GLOBAL_ATOMS = ONLY(GLOBAL_ATOM) | ONLY(GENERIC_ATOM),
    GLOBAL_REDS = ONLY(GLOBAL_RED) | ONLY(GENERIC_RED),
    LOCAL_LDS = ONLY(LOCAL_LD) | ONLY(GENERIC_LD),
    LOCAL_STS = ONLY(LOCAL_ST) | ONLY(GENERIC_ST),
    SHARED_LDS = ONLY(SHARED_LD) | ONLY(GENERIC_LD),
    SHARED_STS = ONLY(SHARED_ST) | ONLY(GENERIC_ST),
    TEXTURES = ONLY(TEXTURE) | ONLY(TEXTURE_LD),
    SURFACES = ONLY(SURFACE_LD) | ONLY(SURFACE_ST),
    SHARED_ATOMS = ONLY(SHARED_ATOM) | ONLY(GENERIC_ATOM) | ONLY(GENERIC_RED)
};

static double sum(const struct metric_input *in, enum counter counter, uint32_t classes)
{
    uint64_t total = 0;
    for (int class = 0; class < N_OP_CLASSES; class ++)
        if (classes >> class & 1)
            total += counter_get(&in->by_class[class], counter);
    return (double)total;
}

// A local access makes one request for each row of 32 words, 4 bytes a lane.
static double local_requests(const struct metric_input *in, uint32_t classes)
{
    uint64_t total = 0;
    for (int class = 0; class < N_OP_CLASSES; class ++)
        if (classes >> class & 1)
            total += in->local_rows[class];
    return (double)total;
}

static bool launch_is_ptx(const struct profile_launch *launch)
{
    return strcmp(launch->isa, "ptx") == 0;
}

static double ratio(double part, double whole)
{
    return whole == 0 ? 0 : part / whole;
}

static double limit(uint32_t blocks)
{
    return blocks >= NO_LIMIT ? (double)NAN : blocks;
}

double metric_device_number(const struct kv_file *device, const char *key)
{
    const char *text = metric_device_text(device, key);
    uint64_t bytes;
    if (units_parse_bytes(text, &bytes))
        return (double)bytes;
    char *end;
    double value = strtod(text, &end);
    return end == text ? (double)NAN : value;
}

const char *metric_device_text(const struct kv_file *device, const char *key)
{
    for (size_t i = 0; i < device->n; i++)
        if (strcmp(device->pairs[i].key, key) == 0)
            return device->pairs[i].value;
    return "";
}

// What ncu shows for a thread.
static double registers_given(const struct metric_input *in)
{
    return in->launch->registers > FEWEST_REGISTERS ? in->launch->registers : FEWEST_REGISTERS;
}

// The same as allocated: a warp's share is rounded up to the allocation unit.
static double registers_allocated(const struct metric_input *in)
{
    double unit = metric_device_number(in->device, "registers.unit") / ROW_LANES;
    return ceil(registers_given(in) / unit) * unit;
}

// The words that formulas use.
#define SUM(counter, classes) sum(in, COUNTER_##counter, (classes))
#define LOCAL_REQUESTS(classes) local_requests(in, (classes))
#define UNIT(counter, which) ((double)in->by_unit[which].counter)
#define OP(member, set) (launch_is_ptx(launch) ? (double)NAN : (double)in->by_op[OPS_##set].member)
#define BESIDE(member, set) ((double)in->by_op[OPS_##set].member) // 0 from PTX
#define WIDTH(bytes) ((double)in->executed_by_width[bytes])
#define RATIO(part, whole) ratio((part), (whole))
#define PERCENT(part, whole) (100 * ratio((part), (whole)))
#define LAUNCH(member) (launch->member)
#define LIMIT(member) limit(launch->member)
#define DEVICE(key) metric_device_number(in->device, key)
#define GRID ((double)launch->grid[0] * launch->grid[1] * launch->grid[2])
#define BLOCK ((double)launch->block[0] * launch->block[1] * launch->block[2])
#define REGISTERS_GIVEN registers_given(in)
#define REGISTERS_ALLOCATED registers_allocated(in)
#define LSU_REQUESTS (SUM(global_requests, ALL) + SUM(cluster_requests, ALL) + LOCAL_REQUESTS(ALL))
#define LSU_SECTORS                                                                                     \
    (SUM(global_sectors, L1_LDS | GLOBAL_STS) + SUM(atomic_sectors, GLOBAL_ATOMS | GLOBAL_REDS) + \
     SUM(local_sectors, ALL) + SUM(cluster_sectors, ALL))
#define LSU_HITS (SUM(global_hits, L1_LDS | GLOBAL_STS) + SUM(local_hits, ALL))
#define T_REQUESTS (LSU_REQUESTS + SUM(texture_requests, ALL))
#define T_SECTORS (LSU_SECTORS + SUM(texture_sectors, ALL))
#define T_HITS (LSU_HITS + SUM(texture_hits, ALL))
#define L2_REQUESTS (SUM(l2_read_requests, ALL) + SUM(l2_write_requests, ALL) + SUM(l2_atomic_requests, ALL))
#define L2_SECTORS (SUM(l2_read_sectors, ALL) + SUM(l2_write_sectors, ALL) + SUM(l2_atomic_sectors, ALL))
#define HOST_WRITES (SUM(host_write_sectors, ALL) + SUM(host_atomic_sectors, ALL))
#define HOST_SECTORS (SUM(host_read_sectors, ALL) + HOST_WRITES)
#define HOST_HITS (SUM(host_read_sectors, ALL) - SUM(host_read_misses, ALL) + SUM(host_write_sectors, ALL))
#define L2_READS SUM(l2_read_sectors, ALL)
#define L2_WRITES SUM(l2_write_sectors, ALL)
#define FABRIC (SUM(fabric_sectors, ALL) + (double)launch->barrier_sectors)
#define FABRIC_WRITES SUM(fabric_sectors, GLOBAL_STS | LOCAL_STS)
#define FABRIC_READS (SUM(fabric_sectors, ALL & ~(GLOBAL_ATOMS | GLOBAL_REDS)) - FABRIC_WRITES)
#define CROSSED(part, whole, fabric) ((part) * (1 + ratio((fabric), (whole))))
#define L2_HITS (SUM(l2_read_hits, ALL) + SUM(l2_write_hits, ALL) + SUM(l2_atomic_hits, ALL))
#define DRAM_WRITES (SUM(dram_write_sectors, ALL) + (double)launch->dram_write_sectors)

// A table: one case per row of metrics.def.
static double formula_value(const struct metric_input *in, enum metric metric)
{
    const struct profile_launch *launch = in->launch;
    switch (metric) {
#define METRIC(base, suffix, unit, class, formula, text) \
    case METRIC_##base##_##suffix:                       \
        return (double)(formula);
#include "prof/metrics.def"
#undef METRIC
    case N_METRICS:
    case METRIC_NONE:
        break;
    }
    return (double)NAN;
}

enum row_class { EXACT, MODELLED, MIX, SHARED, GLOBAL, ATOMICS, L1_ALL, REGISTERS };
#define TRUST_EXACT "exact"
#define TRUST_MODELLED "modelled"
#define TRUST_MIX "exact from SASS, estimated from PTX"
#define TRUST_SHARED "exact, estimated where ptxas may join shared accesses"
#define TRUST_GLOBAL "exact, estimated where ptxas may join global accesses"
#define TRUST_ATOMICS "exact, estimated where ptxas makes one lane's atomic of a warp's"
#define TRUST_L1_ALL "exact, estimated where ptxas may join global accesses or PTX has local ones"
#define TRUST_REGISTERS "exact from SASS, estimated where registers are"

#define SUFFIX_sum ".sum"
#define SUFFIX_ratio ".ratio"
#define SUFFIX_pct ".pct"
#define SUFFIX_plain ""

static const struct metric_info infos[] = {
#define METRIC(base, suffix, unit, class, formula, text) \
    {#base SUFFIX_##suffix, unit, #formula, text, TRUST_##class},
#include "prof/metrics.def"
#undef METRIC
};

static const uint8_t row_classes[] = {
#define METRIC(base, suffix, unit, class, formula, text) class,
#include "prof/metrics.def"
#undef METRIC
};

const struct metric_info *metric_info(enum metric metric)
{
    if (metric >= N_METRICS)
        BUG("metric %d of %d", (int)metric, N_METRICS);
    return &infos[metric];
}

const char *metric_class_name(enum metric_class class)
{
    static const char *const names[] = {"exact", "modelled", "estimated"};
    return names[class];
}

enum metric_class metric_class(const struct metric_input *in, enum metric metric)
{
    const bool is_ptx = launch_is_ptx(in->launch);
    switch (metric < N_METRICS ? row_classes[metric] : EXACT) {
    case MODELLED:
        return METRIC_MODELLED;
    case MIX:
        return is_ptx ? METRIC_ESTIMATED : METRIC_EXACT;
    case SHARED:
        return in->may_merge_shared ? METRIC_ESTIMATED : METRIC_EXACT;
    case GLOBAL:
        return in->may_merge_global ? METRIC_ESTIMATED : METRIC_EXACT;
    case ATOMICS:
        return in->launch->combines_atomics ? METRIC_ESTIMATED : METRIC_EXACT;
    case L1_ALL:
        return in->may_merge_global || in->launch->combines_atomics || (is_ptx && local_requests(in, ALL) > 0)
                   ? METRIC_ESTIMATED
                   : METRIC_EXACT;
    case REGISTERS:
        return in->launch->registers_are_estimated ? METRIC_ESTIMATED : METRIC_EXACT;
    default:
        return METRIC_EXACT;
    }
}

double metric_value(const struct metric_input *in, enum metric metric)
{
    bool is_off = strcmp(in->launch->model, "off") == 0; // nothing was counted but instructions and lanes
    bool is_always = metric <= METRIC_smsp__thread_inst_executed_pred_on_per_inst_executed_ratio ||
                     metric >= METRIC_launch__grid_size_plain;
    return is_off && !is_always ? (double)NAN : formula_value(in, metric);
}

void metric_input_start(struct metric_input *out, const struct profile_launch *launch,
                        const struct kv_file *device)
{
    *out = (struct metric_input){.launch = launch, .device = device};
    out->may_merge_shared = launch_may_merge_shared(launch);
    out->may_merge_global = launch_may_merge_global(launch);
}

// Which mnemonics belong to which set follows from an H200's counts: for 159 launches each sum below equals the hardware's, and
// no other mnemonic that these launches execute can be one of the sum (tests/data/h200_counters.csv).
static const struct {
    const char *name;
    enum op_set set;
} op_sets[] = {
    {"FADD", OPS_FADD},     {"FMUL", OPS_FMUL},     {"FFMA", OPS_FFMA},     {"HFMA2", OPS_HFMA},
    {"IADD3", OPS_INTEGER}, {"IMAD", OPS_INTEGER},  {"ISETP", OPS_INTEGER}, {"LEA", OPS_INTEGER},
    {"LOP3", OPS_INTEGER},  {"SHF", OPS_INTEGER},   {"VIADD", OPS_INTEGER}, {"VIMNMX", OPS_INTEGER},
    {"BRA", OPS_BRANCH},    {"CALL", OPS_BRANCH},   {"RET", OPS_BRANCH},    {"BRA", OPS_FLOW},
    {"CALL", OPS_FLOW},     {"RET", OPS_FLOW},      {"BSYNC", OPS_FLOW},    {"EXIT", OPS_FLOW},
    // Memory instructions that are no accesses of lanes. From 17 launches of async_copy, cluster, tma2d and wgmma; reductions and
    // prefetches are taken to be as copies are.
    {"MEMBAR", OPS_MEMORY_BESIDE},   {"CCTL", OPS_MEMORY_BESIDE},    {"LDGDEPBAR", OPS_MEMORY_BESIDE},
    {"UBLKCP", OPS_MEMORY_BESIDE},   {"UBLKRED", OPS_MEMORY_BESIDE}, {"UBLKPF", OPS_MEMORY_BESIDE},
    {"UTMALDG", OPS_MEMORY_BESIDE},  {"UTMASTG", OPS_MEMORY_BESIDE}, {"UTMAREDG", OPS_MEMORY_BESIDE},
    {"UTMAPF", OPS_MEMORY_BESIDE},   {"UTMACMDFLUSH", OPS_MEMORY_BESIDE},
    // One a warp and barrier of the cluster; which of its instructions the counter means is not known.
    {"UCGABAR_ARV", OPS_CLUSTER_ARRIVE},
};

static void add_by_op(struct metric_input *out, const struct profile_insn *insn)
{
    const char *name = insn->text;
    if (*name == '@' && !(name = strchr(name, ' ')))
        return;
    name += *name == ' ';
    const size_t length = strcspn(name, " .;");
    for (size_t i = 0; i < sizeof op_sets / sizeof op_sets[0]; i++)
        if (strlen(op_sets[i].name) == length && memcmp(op_sets[i].name, name, length) == 0) {
            out->by_op[op_sets[i].set].executed += insn->counters.executed;
            out->by_op[op_sets[i].set].threads_on += insn->counters.threads_on;
        }
}

void metric_input_add(struct metric_input *out, const struct profile_insn *insn)
{
    const struct counters *c = &insn->counters;
    counters_add(&out->by_class[insn->class], c);
    counters_add(&out->by_unit[insn->unit], c);
    if (!launch_is_ptx(out->launch))
        add_by_op(out, insn);
    out->local_rows[insn->class] += c->local_requests * (insn->access_bytes > 4 ? insn->access_bytes / 4 : 1);
    bool is_counted = insn->class != CLASS_NONE && insn->class != CLASS_CONST_LD && insn->unit != UNIT_TEX;
    if (is_counted && insn->access_bytes < sizeof out->executed_by_width / sizeof *out->executed_by_width)
        out->executed_by_width[insn->access_bytes] += c->executed;
}

void metric_input_init(struct metric_input *out, const struct profile_launch *launch,
                       const struct kv_file *device)
{
    metric_input_start(out, launch, device);
    for (uint32_t i = 0; i < launch->n_insns; i++)
        metric_input_add(out, &launch->insns[i]);
}

const struct kv_file *metric_device_read(struct arena *arena, const struct profile *profile)
{
    struct kv_file *file = arena_new(arena, struct kv_file);
    struct err ignored = {0};
    if (!kv_parse(arena, profile->path, profile->device_text, strlen(profile->device_text), file, &ignored))
        *file = (struct kv_file){0};
    return file;
}

void metric_print(struct buf *out, double value)
{
    if (isnan(value)) {
        buf_puts(out, "n/a");
        return;
    }
    buf_printf(out, "%.6f", value);
    while (out->at[out->n - 1] == '0')
        out->at[--out->n] = 0;
    if (out->at[out->n - 1] == '.')
        out->at[--out->n] = 0;
}
