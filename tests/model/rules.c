// Do the counting functions give what an H200 counted? Every row of tests/data/rules.csv (one launch of one
// warp) is replayed: its kernel as the list of memory instructions that were executed, its lane pattern as an
// index table. Compared are the totals, each instruction's own value in order, the executed opcodes, and the
// hardware counters of L1 and L2 where the row has them.
//
// What a kernel executes was read off its machine code: ptxas turned `red.shared.add 1` into ATOMS.POPC.INC,
// shared float adds into a loop around ATOMS.CAST.SPIN, dropped the second of two equal stores and every load
// whose value nobody wants.
#include "base/buf.h"
#include "mem/banks.h"
#include "mem/coalesce.h"
#include "mem/copy_cost.h"
#include "support/check.h"
#include "support/patterns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- kernels
// ---------------------------------------------------------------------------------------------------

enum op {
    END,
    LDG,
    STG,
    RED,
    ATOM,
    CAS,
    LDS,
    STS,
    ATOMS,
    ATOMS_CAS,
    ATOMS_INC,
    FLOAT_ADD, // the loop of LDS and ATOMS.CAST.SPIN
    LDGSTS,
    LDGSTS_CG,
    LDSM1,
    LDSM2,
    LDSM4,
    STSM4,
    LDC,
    LDL,
    STL
};

static const char *const op_names[] = {
    [LDG] = "LDG",         [STG] = "STG",         [RED] = "REDG",      [ATOM] = "ATOMG",
    [CAS] = "ATOMG",       [LDS] = "LDS",         [STS] = "STS",       [ATOMS] = "ATOMS",
    [ATOMS_CAS] = "ATOMS", [ATOMS_INC] = "ATOMS", [LDGSTS] = "LDGSTS", [LDGSTS_CG] = "LDGSTS",
    [LDSM1] = "LDSM",      [LDSM2] = "LDSM",      [LDSM4] = "LDSM",    [STSM4] = "STSM",
    [LDC] = "LDC",         [LDL] = "LDL",         [STL] = "STL",
};

enum index { OWN, PATTERN, PATTERN_MOD64, REVERSED, ZERO }; // lane, the pattern, 31 - lane, one place for all
// Which lanes: all; those with an index; the same, but the instruction is not executed at all when there is
// none; two executions, one per side of a branch; none.
enum who { ALL, ACTIVE, ACTIVE_OR_SKIPPED, BOTH_SIDES, NOBODY };

struct insn {
    enum op op;
    uint8_t width;
    enum index index;
    enum who who;
    uint8_t scale;   // bytes per index; 0 = width
    uint16_t repeat; // executions; 0 = 1
    uint16_t offset; // bytes
};

#define IDX                       \
    {                             \
        LDG, 4, OWN, ALL, 0, 0, 0 \
    }
#define V(who)                    \
    {                             \
        LDG, 4, OWN, who, 0, 0, 0 \
    }
#define OUT                       \
    {                             \
        STG, 4, OWN, ALL, 0, 0, 0 \
    }
#define FILL4                      \
    {                              \
        STS, 4, OWN, ALL, 0, 64, 0 \
    }
#define FILL FILL4, FILL4, FILL4, FILL4
#define ON(op, width, who)               \
    {                                    \
        op, width, PATTERN, who, 0, 0, 0 \
    }
#define SHARED_LOAD(width)                     \
    {                                          \
        FILL, IDX, ON(LDS, width, ACTIVE), OUT \
    }
#define SHARED_STORE(width)                                                           \
    {                                                                                 \
        IDX, V(ACTIVE), ON(STS, width, ACTIVE), {LDS, 4, REVERSED, ALL, 0, 0, 0}, OUT \
    }
#define SHARED_ATOMIC(op)                                                                               \
    {                                                                                                   \
        FILL, IDX, V(ACTIVE_OR_SKIPPED), ON(op, 4, ACTIVE_OR_SKIPPED), {LDS, 4, OWN, ALL, 0, 0, 0}, OUT \
    }
#define LOAD(width)                      \
    {                                    \
        IDX, ON(LDG, width, ACTIVE), OUT \
    }
#define STORE(width)                                                 \
    {                                                                \
        IDX, V(ACTIVE_OR_SKIPPED), ON(STG, width, ACTIVE_OR_SKIPPED) \
    }
#define ATOMIC(op, width)                                           \
    {                                                               \
        IDX, V(ACTIVE_OR_SKIPPED), ON(op, width, ACTIVE_OR_SKIPPED) \
    }
#define LDC_BASE                      \
    {                                 \
        LDC, 4, ZERO, ACTIVE, 0, 0, 0 \
    } // a predicated load of a parameter
#define NO_LDS                       \
    {                                \
        LDS, 4, OWN, NOBODY, 0, 3, 0 \
    }
#define COPY(op, width)                                                      \
    {                                                                        \
        IDX, NO_LDS, ON(op, width, ACTIVE), {LDS, 4, OWN, ALL, 0, 0, 0}, OUT \
    }
#define MATRIX(op)                      \
    {                                   \
        FILL, IDX, ON(op, 16, ALL), OUT \
    }

enum { MAX_INSNS = 12 };

static const struct kernel {
    const char *name;
    struct insn insns[MAX_INSNS];
} kernels[] = {
    {"lds8", SHARED_LOAD(1)},
    {"lds16", SHARED_LOAD(2)},
    {"lds32", SHARED_LOAD(4)},
    {"lds64", SHARED_LOAD(8)},
    {"lds128", SHARED_LOAD(16)},
    {"sts8", SHARED_STORE(1)},
    {"sts16",
     {IDX, {LDG, 2, OWN, ACTIVE, 4, 0, 0}, ON(STS, 2, ACTIVE), {LDS, 4, REVERSED, ALL, 0, 0, 0}, OUT}},
    {"sts32", SHARED_STORE(4)},
    {"sts64", SHARED_STORE(8)},
    {"sts128", SHARED_STORE(16)},
    {"ats_inc", {FILL, IDX, ON(ATOMS_INC, 4, ACTIVE_OR_SKIPPED), {LDS, 4, OWN, ALL, 0, 0, 0}, OUT}},
    {"ats_add", SHARED_ATOMIC(ATOMS)},
    {"ats_add_ret", SHARED_ATOMIC(ATOMS)},
    {"ats_max", SHARED_ATOMIC(ATOMS)},
    {"ats_cas", SHARED_ATOMIC(ATOMS_CAS)},
    {"ats_exch", SHARED_ATOMIC(ATOMS)},
    {"ats_fadd", SHARED_ATOMIC(FLOAT_ADD)},
    {"ats_fadd_ret", SHARED_ATOMIC(FLOAT_ADD)},
    {"ldg8", LOAD(1)},
    {"ldg16", LOAD(2)},
    {"ldg32", LOAD(4)},
    {"ldg64", LOAD(8)},
    {"ldg128", LOAD(16)},
    {"ldg_nc32", LOAD(4)},
    {"ldg_cg32", LOAD(4)},
    {"ldg_cv32", LOAD(4)},
    {"ldg_twice",
     {IDX, ON(LDG, 4, ACTIVE_OR_SKIPPED), ON(LDG, 4, ACTIVE_OR_SKIPPED), {STG, 4, OWN, BOTH_SIDES, 0, 0, 0}}},
    {"ldg_twice_nowait", LOAD(4)},
    {"ldg_next_sector", {IDX, LDC_BASE, ON(LDG, 4, ACTIVE), {LDG, 4, PATTERN, ACTIVE, 0, 0, 32}, OUT}},
    {"ldg_cg_then_ca", {IDX, LDC_BASE, ON(LDG, 4, ACTIVE), ON(LDG, 4, ACTIVE), OUT}},
    {"stg8", STORE(1)},
    {"stg32", STORE(4)},
    {"stg64", STORE(8)},
    {"stg128", STORE(16)},
    {"stg_twice", STORE(4)},
    {"st_then_ld", STORE(4)},
    {"ld_then_st_ld",
     {IDX, ON(LDG, 4, ACTIVE_OR_SKIPPED), V(ACTIVE_OR_SKIPPED), ON(STG, 4, ACTIVE_OR_SKIPPED)}},
    {"red_add", ATOMIC(RED, 4)},
    {"red_inc", {IDX, ON(RED, 4, ACTIVE_OR_SKIPPED)}},
    {"red_fadd", ATOMIC(RED, 4)},
    {"red_add64", ATOMIC(RED, 8)},
    {"atom_add", ATOMIC(ATOM, 4)},
    {"atom_cas", ATOMIC(CAS, 4)},
    {"atom_exch", ATOMIC(ATOM, 4)},
    {"ldc32", {IDX, ON(LDC, 4, ACTIVE_OR_SKIPPED), {STG, 4, OWN, ACTIVE_OR_SKIPPED, 0, 0, 0}}},
    {"ldl32",
     {{LDG, 4, ZERO, ALL, 0, 0, 128},
      {STL, 4, ZERO, ALL, 0, 64, 0},
      IDX,
      {LDL, 4, PATTERN_MOD64, ACTIVE_OR_SKIPPED, 0, 0, 0},
      {STG, 4, OWN, ACTIVE_OR_SKIPPED, 0, 0, 0}}},
    {"cpa4", COPY(LDGSTS, 4)},
    {"cpa8", COPY(LDGSTS, 8)},
    {"cpa16", COPY(LDGSTS, 16)},
    {"cpa16cg", COPY(LDGSTS_CG, 16)},
    {"ldsm1", MATRIX(LDSM1)},
    {"ldsm2", MATRIX(LDSM2)},
    {"ldsm4", MATRIX(LDSM4)},
    {"ldsm4t", MATRIX(LDSM4)},
    {"stsm4", {FILL, IDX, ON(STSM4, 16, ALL), {LDS, 4, OWN, ALL, 0, 0, 0}, OUT}},
};

// Where the counting rule is known to be incomplete: these values must differ, so that a better rule is
// noticed.
static const struct open_row {
    const char *kernel, *pattern, *columns[2];
} open_rows[] = {
    {"red_add", "column_of_33", {"l1_sectors_red", "l2_sectors_red"}},
    {"red_inc", "column_of_33", {"l1_sectors_red", "l2_sectors_red"}},
    {"red_fadd", "column_of_33", {"l1_sectors_red", "l2_sectors_red"}},
    {"atom_add", "column_of_33", {"l1_sectors_atom", "l2_sectors_atom"}},
    {"atom_cas", "column_of_33", {"l1_sectors_atom", "l2_sectors_atom"}},
    {"atom_exch", "column_of_33", {"l1_sectors_atom", "l2_sectors_atom"}},
};

// ---- the replay
// ------------------------------------------------------------------------------------------------

enum { SIDE_LD, SIDE_ST, SIDE_ATOM, SIDE_RED, N_SIDES, EACH_TEXT = 256 };

struct counts {
    uint32_t wavefronts, ideal, tags, sectors, sectors_ideal, local_sectors;
    char wavefronts_each[EACH_TEXT], ideal_each[EACH_TEXT], sectors_each[EACH_TEXT];
    uint32_t executed[STL + 1];
    uint32_t constant_extra;                         // idc requests beyond one per LDC
    uint32_t requests[N_SIDES], l1_sectors[N_SIDES]; // hardware's view of global accesses
    uint32_t local_store_sectors;
};

static void each_add(char text[EACH_TEXT], uint32_t value)
{
    size_t n = strlen(text);
    if (value)
        snprintf(text + n, EACH_TEXT - n, "%s%u", n ? " " : "", value);
}

static lanemask active_lanes(const int index[N_LANES])
{
    lanemask mask = 0;
    for (int t = 0; t < N_LANES; t++)
        mask |= (lanemask)(index[t] >= 0) << t;
    return mask;
}

static lanemask lanes_of(enum who who, lanemask active)
{
    switch (who) {
    case ALL:
        return ~0u;
    case NOBODY:
        return 0;
    default:
        return active;
    }
}

static uint64_t lane_index(enum index kind, const int pattern[N_LANES], int t)
{
    switch (kind) {
    case PATTERN:
        return pattern[t] < 0 ? 0 : (uint64_t)pattern[t];
    case PATTERN_MOD64:
        return pattern[t] < 0 ? 0 : (uint64_t)pattern[t] % 64;
    case REVERSED:
        return (uint64_t)(31 - t);
    case ZERO:
        return 0;
    default:
        return (uint64_t)t;
    }
}

static struct access access_of(const struct insn *insn, const int pattern[N_LANES], lanemask mask)
{
    struct access access = {.width = insn->width, .mask = mask, .space = SPACE_GLOBAL};
    static const enum access_kind kinds[STL + 1] = {
        [STG] = ACCESS_STORE, [STS] = ACCESS_STORE,  [STL] = ACCESS_STORE,     [RED] = ACCESS_RED,
        [ATOM] = ACCESS_ATOM, [ATOMS] = ACCESS_ATOM, [ATOMS_CAS] = ACCESS_CAS, [CAS] = ACCESS_CAS,
    };
    access.kind = kinds[insn->op];
    access.cache = insn->op == LDGSTS_CG ? CACHE_CG : CACHE_DEFAULT;
    for (int t = 0; t < N_LANES; t++)
        access.addr[t] =
            lane_index(insn->index, pattern, t) * (insn->scale ? insn->scale : insn->width) + insn->offset;
    return access;
}

static struct shared_cost shared_cost_of(enum op op, struct access *access)
{
    access->space = SPACE_SHARED;
    switch (op) {
    case ATOMS_INC:
        return banks_cost_popc_inc(access);
    case LDSM1:
        return banks_cost_matrix(access, 1);
    case LDSM2:
        return banks_cost_matrix(access, 2);
    case LDSM4:
    case STSM4:
        return banks_cost_matrix(access, 4);
    default:
        return banks_cost(access);
    }
}

// Of the lanes left, one per bank gets its word; the lowest.
static lanemask served_by_spin(const struct access *access)
{
    lanemask served = 0;
    uint32_t banks = 0;
    for (unsigned t = 0; t < N_LANES; t++) {
        uint32_t bank = 1u << access->addr[t] / BANK_BYTES % N_BANKS;
        if ((access->mask >> t & 1) && !(banks & bank)) {
            banks |= bank;
            served |= 1u << t;
        }
    }
    return served;
}

static void count_shared(struct counts *counts, struct shared_cost cost, uint32_t repeat)
{
    counts->wavefronts += cost.wavefronts * repeat;
    counts->ideal += cost.ideal * repeat;
    each_add(counts->wavefronts_each, cost.wavefronts * repeat);
    each_add(counts->ideal_each, cost.ideal * repeat);
}

static void count_float_add(struct counts *counts, struct access *access)
{
    struct shared_cost load = {0}, spin = {0};
    while (access->mask) {
        struct shared_cost one = banks_cost(access), cas = banks_cost_cas_spin(access);
        load = (struct shared_cost){load.wavefronts + one.wavefronts, load.ideal + one.ideal};
        spin = (struct shared_cost){spin.wavefronts + cas.wavefronts, spin.ideal + cas.ideal};
        counts->executed[LDS]++;
        counts->executed[ATOMS]++;
        access->mask &= ~served_by_spin(access);
    }
    count_shared(counts, load, 1);
    count_shared(counts, spin, 1);
}

static int side_of(enum op op)
{
    switch (op) {
    case LDG:
        return SIDE_LD;
    case STG:
        return SIDE_ST;
    case RED:
        return SIDE_RED;
    default:
        return SIDE_ATOM;
    }
}

static uint32_t count_global(struct counts *counts, enum op op, const struct access *access)
{
    struct line_set lines;
    struct global_cost cost = coalesce(access, &lines);
    counts->tags += cost.tags;
    counts->sectors += cost.sectors;
    counts->sectors_ideal += cost.ideal;
    counts->l1_sectors[side_of(op)] += op == LDG || op == STG ? cost.sectors : cost.atomic_sectors;
    counts->requests[side_of(op)] += access->mask != 0;
    return cost.sectors;
}

// cp.async: lane t copies element t of global memory to the pattern's place in shared memory. Around L1 (.cg)
// and under a guard, as these are, only the tags are counted.
static void count_copy(struct counts *counts, const struct insn *insn, struct access *access)
{
    struct insn global = *insn;
    struct line_set lines;
    global.index = OWN;
    struct access from = access_of(&global, (int[N_LANES]){0}, access->mask);
    struct global_cost cost = coalesce(&from, &lines);
    counts->tags += cost.tags;
    if (insn->op == LDGSTS_CG) // its guard is P0: doc/counts.md
        return;
    counts->sectors += cost.sectors;
    counts->sectors_ideal += cost.ideal;
    each_add(counts->sectors_each, cost.sectors);
    access->space = SPACE_SHARED;
    count_shared(counts, copy_cost(&from, access, cost.sectors, cost.ideal).shared, 1);
}

static void count_local(struct counts *counts, const struct access *access, uint32_t repeat)
{
    struct line_set lines;
    uint32_t sectors = coalesce_local(access, 0, &lines).sectors * repeat;
    counts->local_sectors += sectors;
    if (access->kind == ACCESS_STORE)
        counts->local_store_sectors += sectors;
}

static void count_both_sides(struct counts *counts, const struct insn *insn, const int pattern[N_LANES],
                             lanemask active)
{
    uint32_t sectors = 0;
    for (int side = 0; side < 2; side++) {
        lanemask mask = side ? ~active : active;
        struct access access = access_of(insn, pattern, mask);
        if (!mask)
            continue;
        counts->executed[insn->op]++;
        sectors += count_global(counts, insn->op, &access);
    }
    each_add(counts->sectors_each, sectors);
}

static void replay_insn(struct counts *counts, const struct insn *insn, const int pattern[N_LANES])
{
    lanemask active = active_lanes(pattern);
    struct access access = access_of(insn, pattern, lanes_of(insn->who, active));
    uint32_t repeat = insn->repeat ? insn->repeat : 1;
    if (insn->who == ACTIVE_OR_SKIPPED && !active)
        return;
    if (insn->who == BOTH_SIDES) {
        count_both_sides(counts, insn, pattern, active);
        return;
    }
    counts->executed[insn->op] += repeat;
    if (insn->op >= LDL)
        count_local(counts, &access, repeat);
    else if (insn->op == LDC)
        counts->constant_extra += constant_requests(&access) - 1;
    else if (insn->op == LDGSTS || insn->op == LDGSTS_CG)
        count_copy(counts, insn, &access);
    else if (insn->op == FLOAT_ADD)
        count_float_add(counts, &access);
    else if (insn->op >= LDS)
        count_shared(counts, shared_cost_of(insn->op, &access), repeat);
    else
        each_add(counts->sectors_each, count_global(counts, insn->op, &access));
}

static const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; i < N_ELEMENTS(kernels); i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

// ---- comparison
// ------------------------------------------------------------------------------------------------

enum { MAX_COLUMNS = 32 };

struct table {
    char *columns[MAX_COLUMNS], *fields[MAX_COLUMNS];
    int n;
    uint32_t exact, open, wrong;
};

static int split(char *line, char *out[MAX_COLUMNS])
{
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && n < MAX_COLUMNS; n++)
        out[n] = strsep(&at, ",");
    return n;
}

static const char *field(const struct table *table, const char *column)
{
    for (int i = 0; i < table->n; i++)
        if (strcmp(table->columns[i], column) == 0)
            return table->fields[i];
    fail_msg("no column %s", column);
    return "";
}

static bool is_open(const struct table *table, const char *column)
{
    for (size_t i = 0; i < N_ELEMENTS(open_rows); i++)
        if (strcmp(open_rows[i].kernel, field(table, "kernel")) == 0 &&
            strcmp(open_rows[i].pattern, field(table, "pattern")) == 0)
            return strcmp(open_rows[i].columns[0], column) == 0 ||
                   strcmp(open_rows[i].columns[1], column) == 0;
    return false;
}

static void check_text(struct table *table, const char *column, const char *ours)
{
    const char *theirs = field(table, column);
    bool same = strcmp(theirs, ours) == 0, open = is_open(table, column);
    table->exact += same && !open;
    table->open += !same && open;
    if (same != open)
        return;
    table->wrong++;
    printf("%s %s: %s is %s on the H200, %s by rule%s\n", field(table, "kernel"), field(table, "pattern"),
           column, theirs, ours, open ? " (was listed as open)" : "");
}

static void check_number(struct table *table, const char *column, uint32_t ours)
{
    char text[16];
    snprintf(text, sizeof text, "%u", ours);
    check_text(table, column, text);
}

// Executed opcodes, in the file's form "LDG:2 LDS:1"; constants are left to check_hardware.
static void check_opcodes(struct table *table, const struct counts *counts)
{
    char text[EACH_TEXT];
    snprintf(text, sizeof text, "%s ", field(table, "opcodes"));
    for (char *at = text, *word; (word = strsep(&at, " ")) && *word;) {
        const char *number = strchr(word, ':') + 1;
        uint32_t ours = 0;
        for (int op = LDG; op <= STL; op++)
            if (op_names[op] && strncmp(op_names[op], word, (size_t)(number - 1 - word)) == 0 &&
                op_names[op][number - 1 - word] == '\0')
                ours += counts->executed[op];
        if (strncmp(word, "LDC:", 4) != 0 && ours != (uint32_t)atoi(number)) {
            printf("%s %s: executed %s, replayed %u\n", field(table, "kernel"), field(table, "pattern"), word,
                   ours);
            table->wrong++;
        }
    }
}

static void check_hardware(struct table *table, const struct counts *counts)
{
    static const char *const sides[N_SIDES] = {"ld", "st", "atom", "red"};
    char column[32];
    if (*field(table, "idc_requests") == '\0')
        return;
    check_number(table, "idc_requests",
                 (uint32_t)atoi(strstr(field(table, "opcodes"), "LDC:") + 4) + counts->constant_extra);
    for (int side = 0; side < N_SIDES; side++) {
        snprintf(column, sizeof column, "l1_requests_%s", sides[side]);
        check_number(table, column, counts->requests[side]);
        snprintf(column, sizeof column, "l1_sectors_%s", sides[side]);
        check_number(table, column, counts->l1_sectors[side]);
    }
    check_number(table, "l2_sectors_atom", counts->l1_sectors[SIDE_ATOM]);
    check_number(table, "l2_sectors_red", counts->l1_sectors[SIDE_RED]);
    check_number(table, "l2_sectors_write", counts->l1_sectors[SIDE_ST] + counts->local_store_sectors);
}

static void check_row(struct table *table)
{
    struct counts counts = {0};
    int pattern[N_LANES];
    const struct kernel *kernel = kernel_find(field(table, "kernel"));
    if (!kernel || !pattern_indices(field(table, "pattern"), pattern))
        fail_msg("unknown kernel or pattern: %s %s", field(table, "kernel"), field(table, "pattern"));
    for (const struct insn *insn = kernel->insns; insn->op != END; insn++)
        replay_insn(&counts, insn, pattern);
    check_number(table, "shared_wavefronts", counts.wavefronts);
    check_number(table, "shared_ideal", counts.ideal);
    check_number(table, "tags", counts.tags);
    check_number(table, "sectors", counts.sectors);
    check_number(table, "sectors_ideal", counts.sectors_ideal);
    check_number(table, "local_sectors", counts.local_sectors);
    check_text(table, "wavefronts_each", counts.wavefronts_each);
    check_text(table, "ideal_each", counts.ideal_each);
    check_text(table, "sectors_each", counts.sectors_each);
    check_opcodes(table, &counts);
    check_hardware(table, &counts);
}

static void test_every_row(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf text = {0};
    struct err err = {0};
    if (!buf_read_file(&text, "tests/data/rules.csv", &err))
        fail_msg("%s", err.text);
    char *at = text.at, *header = strsep(&at, "\n");
    uint32_t rows = 0;
    table.n = split(header, table.columns);
    for (char *line; (line = strsep(&at, "\n")) && *line; rows++) {
        assert_int_equal(split(line, table.fields), table.n);
        check_row(&table);
    }
    printf("rules.csv: %u rows, %u values exact, %u open in %zu rows, %u wrong\n", rows, table.exact,
           table.open, N_ELEMENTS(open_rows), table.wrong);
    buf_release(&text);
    assert_int_equal(rows, 1625);
    assert_int_equal(table.open, 2 * N_ELEMENTS(open_rows));
    assert_int_equal(table.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
