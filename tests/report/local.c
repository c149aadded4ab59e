// Local memory: spills of machine code are told apart from arrays, and spills beside PTX from the stack of
// its cubin.
#include "isa/isa.h"
#include "prof/finding.h"
#include "support/check.h"
#include <string.h>

static struct arena arena;

static struct profile_insn insn(const char *text, uint8_t class, uint8_t bytes, uint64_t sectors)
{
    struct profile_insn out = {.text = text, .class = class, .access_bytes = bytes};
    out.counters.executed = sectors / 4;
    out.counters.threads = out.counters.threads_on = 8 * sectors; // full warps
    if (class == CLASS_LOCAL_LD || class == CLASS_LOCAL_ST) {
        out.counters.local_requests = sectors / 4;
        out.counters.local_sectors = sectors;
    }
    return out;
}

// The findings about local memory: how many, and the numbers of the one of a kind.
static const struct finding *found(const struct profile_launch *launch, const char *name, size_t *n)
{
    size_t n_all;
    const struct finding *all = launch_findings(&arena, launch, NULL, &n_all), *one = NULL;
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        bool is_local = strcmp(finding_name(all[i].kind), "spill") == 0 ||
                        strcmp(finding_name(all[i].kind), "local_memory") == 0;
        *n += is_local;
        if (strcmp(finding_name(all[i].kind), name) == 0)
            one = &all[i];
    }
    return one;
}

static struct profile_launch launch_of(const char *isa, const struct profile_insn *insns, uint32_t n)
{
    static const struct profile_line lines[1] = {{.inlined_at = -1}};
    static const char *const files[1] = {""};
    return (struct profile_launch){.files = files,
                                   .n_files = 1,
                                   .lines = lines,
                                   .n_lines = 1,
                                   .kernel = "k",
                                   .module = "k.cubin",
                                   .demangled = "k",
                                   .isa = isa,
                                   .model = "counters",
                                   .device = "",
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .insns = insns,
                                   .n_insns = n};
}

// A spilled pair (stored and loaded at R1+0x8), and an array: initialised at R1+0x10, read where R5 points.
static void machine_code_shows_both(void **state)
{
    (void)state;
    const struct profile_insn insns[] = {insn("STL.64 [R1+0x8], R2", CLASS_LOCAL_ST, 8, 800),
                                         insn("LDL.64 R2, [R1+0x8]", CLASS_LOCAL_LD, 8, 1600),
                                         insn("STL [R1+0x10], R4", CLASS_LOCAL_ST, 4, 400),
                                         insn("LDL R6, [R5]", CLASS_LOCAL_LD, 4, 4000),
                                         insn("@P0 LDL R7, [R10+0x8]", CLASS_LOCAL_LD, 4, 40),
                                         insn("EXIT", CLASS_NONE, 0, 400)};
    struct profile_launch launch = launch_of("sass", insns, 6);
    size_t n;
    const struct finding *spill = found(&launch, "spill", &n), *array = found(&launch, "local_memory", &n);
    assert_int_equal(n, 2);
    assert_non_null(spill);
    assert_non_null(array);
    assert_float_equal(spill->cost, 2400, 0);
    assert_int_equal(spill->insn, 1);
    assert_float_equal(array->cost, 4440, 0);
    assert_int_equal(array->insn, 3);
}

// PTX has arrays only, whatever it looks like.
static void ptx_has_arrays(void **state)
{
    (void)state;
    const struct profile_insn insns[] = {insn("ld.local.u32 %r1, [%rd1]", CLASS_LOCAL_LD, 4, 400),
                                         insn("ret;", CLASS_NONE, 0, 400)};
    struct profile_launch launch = launch_of("ptx", insns, 2);
    size_t n;
    launch.local_bytes = 16;
    launch.stack_bytes = 16;
    assert_non_null(found(&launch, "local_memory", &n));
    assert_int_equal(n, 1);
    launch.stack_bytes = 56;
    const struct finding *spill = found(&launch, "spill", &n);
    assert_non_null(spill);
    assert_int_equal(n, 2);
    assert_float_equal(spill->cost, 40, 0);
    launch.has_calls = true; // then the stack holds what calls save
    found(&launch, "spill", &n);
    assert_int_equal(n, 1);
}

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, "test");
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machine_code_shows_both),
                                       cmocka_unit_test(ptx_has_arrays)};
    return cmocka_run_group_tests(tests, begin, end);
}
