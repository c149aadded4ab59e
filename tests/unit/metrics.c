// Metrics: names, aliases, values of the sample profile, and which of them are exact, modelled or estimated.
#include "prof/metrics.h"
#include "base/buf.h"
#include "prof/finding.h"
#include "prof/lines.h"
#include "support/check.h"
#include "support/sample_profile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct arena arena;
    struct profile_launch launches[N_SAMPLE_LAUNCHES];
    struct metric_input inputs[N_SAMPLE_LAUNCHES];
};

static int setup(void **state)
{
    static struct fixture f;
    arena_init(&f.arena, "test");
    sample_launches(&f.arena, f.launches);
    struct profile profile = {.path = "x", .device_text = sample_device_text};
    const struct kv_file *device = metric_device_read(&f.arena, &profile);
    for (int i = 0; i < N_SAMPLE_LAUNCHES; i++)
        metric_input_init(&f.inputs[i], &f.launches[i], device);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    arena_release(&((struct fixture *)*state)->arena);
    return 0;
}

static enum metric find(const char *name)
{
    struct metric_pick pick;
    struct err err = {0};
    assert_true(metric_find(name, &pick, &err));
    return pick.metric;
}

static double value(void **state, int launch, const char *name)
{
    return metric_value(&((struct fixture *)*state)->inputs[launch], find(name));
}

static void test_names_are_unique_and_documented(void **state)
{
    (void)state;
    for (int i = 0; i < N_METRICS; i++) {
        const struct metric_info *info = metric_info((enum metric)i);
        assert_true(*info->unit && *info->formula && *info->text);
        assert_int_equal(find(info->name), i);
    }
}

// Names of counters must be ncu's own.
static void test_ncu_knows_our_names(void **state)
{
    (void)state;
    static const char *const families[] = {"dram__", "lts__", "l1tex__", "idc__", "smsp__"};
    int n = 0;
    for (int i = 0; i < N_METRICS; i++) {
        const char *name = metric_info((enum metric)i)->name;
        for (size_t k = 0; k < N_ELEMENTS(families); k++)
            if (strncmp(name, families[k], strlen(families[k])) == 0) {
                n += ncu_knows(name, strcspn(name, "."));
                if (!ncu_knows(name, strcspn(name, ".")))
                    fail_msg("ncu does not know %s", name);
            }
    }
    assert_true(n > 150);
}

static void test_name_graph(void **state)
{
    (void)state;
    static const char *const known[] = {"lts__t_sectors_srcunit_tex_op_read_evict_first_lookup_hit",
                                        "fbpa__dram_sectors", "sm__throughput", "ctc__rx_bytes",
                                        "smsp__inst_executed"};
    static const char *const unknown[] = {
        "",    "lts", "lts__", "lts__t_sectors_srcunit", "smsp__inst_executed_", "sm", "smsp__inst_executedx",
        "x__y"};
    for (size_t i = 0; i < N_ELEMENTS(known); i++)
        if (!ncu_knows(known[i], strlen(known[i])))
            fail_msg("%s is not known", known[i]);
    for (size_t i = 0; i < N_ELEMENTS(unknown); i++)
        if (ncu_knows(unknown[i], strlen(unknown[i])))
            fail_msg("'%s' is known", unknown[i]);
}

// Every metric column of the stored hardware results is ours, or known and n/a.
static void test_hardware_columns(void **state)
{
    (void)state;
    struct buf text = {0};
    struct err err = {0};
    assert_true(buf_read_file(&text, "tests/data/h200_counters.csv", &err));
    text.at[strcspn(text.at, "\n")] = 0;
    int n_ours = 0, n_columns = 0;
    char *rest = NULL;
    for (char *name = strtok_r(text.at, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (!strstr(name, "__") && strncmp(name, "memory_", 7) != 0)
            continue;
        n_columns++;
        n_ours += find(name) != METRIC_NONE;
    }
    assert_true(n_columns > 100);
    assert_true(n_ours > 100);
    buf_release(&text);
}

static void test_aliases(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new;
    } aliases[] = {
#define ALIAS(old, new) {old, new},
#include "prof/metric_aliases.def"
#undef ALIAS
    };
    for (size_t i = 0; i < N_ELEMENTS(aliases); i++) {
        if (*aliases[i].new &&find(aliases[i].old) != find(aliases[i].new))
            fail_msg("%s is not %s", aliases[i].old, aliases[i].new);
        if (!*aliases[i].new &&find(aliases[i].old) != METRIC_NONE)
            fail_msg("%s has a value", aliases[i].old);
        assert_true(!*aliases[i].new || find(aliases[i].new) != METRIC_NONE);
    }
}

static void test_finding_names(void **state)
{
    (void)state;
    struct metric_pick pick;
    struct err err = {0};
    assert_true(metric_find("dram__bytes_read", &pick, &err)); // the base alone
    assert_string_equal(pick.name, "dram__bytes_read.sum");
    assert_true(metric_find("gld_transactions", &pick, &err)); // shown under the name it was asked by
    assert_string_equal(pick.name, "gld_transactions");
    assert_true(metric_find("dram__bytes_read.avg", &pick, &err)); // known roll-up that we do not make
    assert_int_equal(pick.metric, METRIC_NONE);
    assert_true(metric_find("launch__stack_size", &pick, &err));
    assert_int_equal(pick.metric, METRIC_NONE);
    assert_false(err.set);
    assert_false(metric_find("dram__bytes_raed.sum", &pick, &err));
    assert_non_null(strstr(err.text, "dram__bytes_read.sum"));
    err = (struct err){0};
    assert_false(metric_find("dram__bytes_read.total", &pick, &err)); // no such roll-up
    err = (struct err){0};
    assert_false(metric_find("", &pick, &err));
}

static void check(void **state, int launch, const char *name, double expected)
{
    double got = value(state, launch, name);
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%s of launch %d: %g, expected %g", name, launch, got, expected);
}

static void test_transpose(void **state)
{
    check(state, 1, "memory_l1_wavefronts_shared", 33 * 32768);
    check(state, 1, "memory_l1_wavefronts_shared_ideal", 2 * 32768);
    check(state, 1, "derived__memory_l1_wavefronts_shared_excessive", 31 * 32768);
    check(state, 1, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 31 * 32768);
    check(state, 1, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 32768);
    check(state, 1, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 4);
    check(state, 1, "smsp__inst_executed.sum", 4 * 32768 + 8192);
    check(state, 1, "smsp__sass_inst_executed_op_memory_32b.sum", 4 * 32768);
    check(state, 1, "lts__t_sectors.sum", 8 * 32768 + 2 * 32768);
    check(state, 1, "lts__t_sectors_op_read.sum", 6 * 32768);
    check(state, 1, "lts__t_sectors_op_write.sum", 4 * 32768);
    check(state, 1, "lts__t_sectors_op_read_lookup_miss.sum", 6 * 32768);
    check(state, 1, "lts__t_sector_hit_rate.pct", 50);
    check(state, 1, "dram__bytes_read.sum", 4 * 32 * 32768);
    check(state, 1, "launch__shared_mem_per_block", 5120);
    check(state, 1, "launch__registers_per_thread_allocated", 24);
    check(state, 1, "launch__waves_per_multiprocessor", 1024.0 / (8 * 132));
    check(state, 1, "sm__maximum_warps_per_active_cycle_pct", 100);
    check(state, 1, "launch__occupancy_limit_barriers", 32); // none but the limit on blocks
}

// Generic accesses count by the memory they met, atomics by hardware's sectors at L1 and L2.
static void test_histogram(void **state)
{
    check(state, 2, "smsp__inst_executed_op_global_ld.sum", 1000);
    check(state, 2, "smsp__inst_executed_op_global_ld_pred_on_any.sum", 500);
    check(state, 2, "smsp__inst_executed_op_global_ld_pred_off_all.sum", 500);
    check(state, 2, "smsp__sass_inst_executed_op_global_atom.sum", 10);
    check(state, 2, "smsp__sass_inst_executed_op_shared_atom.sum", 30);
    check(state, 2, "smsp__inst_executed_op_generic_atom.sum", 40);
    check(state, 2, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 11300);
    check(state, 2, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 320);
    check(state, 2, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum", 10000);
    check(state, 2, "memory_l2_theoretical_sectors_global", 500 + 10000 + 10);
    check(state, 2, "memory_l2_theoretical_sectors_local", 256);
    check(state, 2, "l1tex__t_sectors.sum", 500 + 11300 + 320 + 256);
    check(state, 2, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 375);
    check(state, 2, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 75);
    check(state, 2, "lts__t_sectors_srcunit_tex_op_red_lookup_miss.sum", 100);
    check(state, 2, "idc__requests.sum", 150);
    check(state, 2, "idc__request_hit_rate.pct", 80);
    check(state, 2, "dram__sectors_write.sum", 48); // 40 by eviction, 8 on behalf of an instruction
    check(state, 2, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 38528.0 / 1704);
    check(state, 2, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 100);
}

// A local access of 16 bytes a lane is four requests of 32 words.
static void test_wide_local(void **state)
{
    struct fixture *f = *state;
    struct profile_insn insn = {"st.local.v4.f32 [%rd1], ...",
                                0,
                                0,
                                CLASS_LOCAL_ST,
                                0,
                                16,
                                {.executed = 10, .local_requests = 10, .local_sectors = 160}};
    struct profile_launch launch = f->launches[0];
    launch.insns = &insn;
    launch.n_insns = 1;
    struct metric_input in;
    metric_input_init(&in, &launch, f->inputs[0].device);
    assert_true(metric_value(&in, find("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum")) == 40);
    assert_true(metric_value(&in, find("smsp__sass_inst_executed_op_local_st.sum")) == 10);
    assert_true(
        metric_value(&in, find("l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio")) == 4);
}

static enum metric_class class_of(void **state, int launch, const char *name)
{
    return metric_class(&((struct fixture *)*state)->inputs[launch], find(name));
}

static void test_classes(void **state)
{
    assert_int_equal(class_of(state, 0, "l1tex__t_sectors.sum"), METRIC_EXACT);
    assert_int_equal(class_of(state, 0, "dram__bytes.sum"), METRIC_MODELLED);
    assert_int_equal(class_of(state, 0, "smsp__inst_executed.sum"), METRIC_ESTIMATED); // PTX
    assert_int_equal(class_of(state, 2, "smsp__inst_executed.sum"), METRIC_EXACT);     // SASS
    assert_int_equal(class_of(state, 0, "launch__registers_per_thread"), METRIC_ESTIMATED);
    assert_int_equal(class_of(state, 2, "launch__registers_per_thread"), METRIC_EXACT);
    assert_int_equal(class_of(state, 1, "memory_l1_wavefronts_shared"), METRIC_EXACT);
}

// Two neighbouring shared loads may become one in machine code: then their counts are estimates.
static bool may_merge(const char *a, const char *b, uint8_t class_b, uint8_t width_b)
{
    struct profile_insn insns[2] = {{a, 0, 0, CLASS_SHARED_LD, 0, 4, {.executed = 1}},
                                    {b, 0, 0, class_b, 0, width_b, {.executed = 1}}};
    struct profile_launch launch = {.isa = "ptx", .insns = insns, .n_insns = 2};
    struct kv_file device = {0};
    struct metric_input in;
    metric_input_init(&in, &launch, &device);
    return in.may_merge_shared;
}

static void test_merging(void **state)
{
    (void)state;
    assert_true(may_merge("ld.shared.f32 %f1, [%r1];", "ld.shared.f32 %f2, [%r1+4];", CLASS_SHARED_LD, 4));
    assert_true(may_merge("ld.shared.f32 %f1, [%r1+-4];", "ld.shared.f32 %f2, [%r1];", CLASS_SHARED_LD, 4));
    assert_false(may_merge("ld.shared.f32 %f1, [%r1];", "ld.shared.f32 %f2, [%r1+132];", CLASS_SHARED_LD, 4));
    assert_false(may_merge("ld.shared.f32 %f1, [%r1];", "ld.shared.f32 %f2, [%r11+4];", CLASS_SHARED_LD, 4));
    assert_false(may_merge("ld.shared.f32 %f1, [%r1];", "st.shared.f32 [%r1+4], %f2;", CLASS_SHARED_ST, 4));
    assert_false(may_merge("ld.shared.f32 %f1, [%r1];", "ld.shared.f64 %f2, [%r1+4];", CLASS_SHARED_LD, 8));
}

// Global accesses join only where a vector access through the same register proves the alignment.
static bool may_merge_global(const char *third, uint8_t width_third)
{
    struct profile_insn insns[3] = {
        {"st.global.f32 [%rd1], %f1;", 0, 0, CLASS_GLOBAL_ST, 0, 4, {.executed = 1}},
        {"st.global.f32 [%rd1+4], %f2;", 0, 0, CLASS_GLOBAL_ST, 0, 4, {.executed = 1}},
        {third, 0, 0, CLASS_GLOBAL_ST, 0, width_third, {.executed = 1}}};
    struct profile_launch launch = {.isa = "ptx", .insns = insns, .n_insns = 3};
    struct kv_file device = {0};
    struct metric_input in;
    metric_input_init(&in, &launch, &device);
    return in.may_merge_global;
}

static void test_merging_global(void **state)
{
    (void)state;
    assert_true(may_merge_global("st.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};", 16));
    assert_true(may_merge_global("ld.global.v2.f32 {%f1, %f2}, [%rd1+-8];", 8));
    assert_false(may_merge_global("st.global.v4.f32 [%rd2+16], {%f1, %f2, %f3, %f4};", 16));
    assert_false(may_merge_global("st.global.v4.f32 [%rd1+12], {%f1, %f2, %f3, %f4};", 16));
    assert_false(may_merge_global("st.global.f32 [%rd1+8], %f3;", 4));
}

// A thread is given 16 registers at least.
static void test_few_registers(void **state)
{
    struct fixture *f = *state;
    struct profile_launch launch = f->launches[0];
    launch.registers = 10;
    struct metric_input in;
    metric_input_init(&in, &launch, f->inputs[0].device);
    assert_true(metric_value(&in, find("launch__registers_per_thread")) == 16);
    assert_true(metric_value(&in, find("launch__registers_per_thread_allocated")) == 16);
    launch.registers = 17;
    assert_true(metric_value(&in, find("launch__registers_per_thread")) == 17);
    assert_true(metric_value(&in, find("launch__registers_per_thread_allocated")) == 24);
}

static void test_model_off(void **state)
{
    struct fixture *f = *state;
    struct profile_launch launch = f->launches[0];
    launch.model = "off";
    struct metric_input in;
    metric_input_init(&in, &launch, f->inputs[0].device);
    assert_true(isnan(metric_value(&in, find("l1tex__t_sectors.sum"))));
    assert_true(isnan(metric_value(&in, find("dram__bytes.sum"))));
    assert_true(metric_value(&in, find("smsp__inst_executed.sum")) == 98304);
    assert_true(metric_value(&in, find("launch__grid_size")) == 1024);
}

static void check_print(double number, const char *expected)
{
    struct buf text = {0};
    metric_print(&text, number);
    assert_string_equal(text.at, expected);
    buf_release(&text);
}

static void test_print(void **state)
{
    (void)state;
    check_print(0, "0");
    check_print(4096, "4096");
    check_print(100, "100");
    check_print(0.5, "0.5");
    check_print(1.0 / 3, "0.333333");
    check_print(1e15, "1000000000000000");
    check_print((double)NAN, "n/a");
}

static void test_lines(void **state)
{
    struct fixture *f = *state;
    size_t n;
    const struct line_row *rows = launch_lines(&f->arena, &f->launches[1], &n);
    assert_int_equal(n, 3); // line 20; line 31, whose two entries are one row; the barrier without a line
    assert_int_equal(rows[0].excess_wavefronts, 31 * 32768);
    assert_string_equal(launch_place(&f->arena, &f->launches[1], rows[0].worst_insn), "transpose.cu:31");
    assert_int_equal(rows[0].counters.executed, 2 * 32768);
    assert_string_equal(launch_place(&f->arena, &f->launches[1], 2), "transpose.ptx, instruction 2");
}

static void test_findings(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(launch_finding(&f->arena, &f->launches[0]).kind, FINDING_NONE);
    struct finding conflict = launch_finding(&f->arena, &f->launches[1]);
    assert_int_equal(conflict.kind, FINDING_BANK_COLUMN);
    assert_int_equal(conflict.insn, 3);
    assert_int_equal(launch_finding(&f->arena, &f->launches[2]).kind, FINDING_SCATTERED);
    struct profile_insn insn = {"st.global.f32 [%rd1], %f1;",
                                0,
                                0,
                                CLASS_GLOBAL_ST,
                                0,
                                4,
                                {.executed = 10,
                                 .threads = 320,
                                 .threads_on = 320,
                                 .global_requests = 10,
                                 .global_sectors = 320,
                                 .global_ideal = 40,
                                 .global_bytes = 1280}};
    struct profile_launch launch = {.isa = "ptx", .module = "x.ptx", .insns = &insn, .n_insns = 1};
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_UNCOALESCED);
    insn.counters.global_sectors = 50; // five sectors where four would do
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_PARTIAL_WRITE);
    insn.class = CLASS_GLOBAL_LD;
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_MISALIGNED);
    insn.counters.global_hits = 10; // ... but the fifth is in L1
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_NONE);
    insn.counters.global_hits = 0;
    insn.counters.global_sectors = 41;
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_NONE);
    insn.counters.global_sectors = 40; // every other lane: as many sectors as a full warp
    insn.counters.global_ideal = 20;
    assert_int_equal(launch_finding(&f->arena, &launch).kind, FINDING_IDLE_LANES);
}

static enum finding_kind conflict(void **state, uint8_t class, uint8_t width, uint64_t wavefronts,
                                  uint64_t ideal)
{
    struct fixture *f = *state;
    struct profile_insn insn = {
        "",
        0,
        0,
        class,
        0,
        width,
        {.shared_requests = 10, .shared_wavefronts = wavefronts, .shared_ideal = ideal}};
    struct profile_launch launch = {.isa = "ptx", .module = "x.ptx", .insns = &insn, .n_insns = 1};
    struct finding finding = launch_finding(&f->arena, &launch);
    assert_string_equal(finding_name(finding.kind), finding.kind == FINDING_NONE ? "none" : "bank_conflict");
    return finding.kind;
}

static void test_conflicts(void **state)
{
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 4, 320, 10), FINDING_BANK_COLUMN);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 1, 320, 10), FINDING_BANK_COLUMN);
    assert_int_equal(conflict(state, CLASS_SHARED_ST, 8, 320, 20), FINDING_BANK_COLUMN);
    assert_int_equal(conflict(state, CLASS_SHARED_ST, 16, 320, 40), FINDING_BANK_COLUMN);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 4, 20, 10), FINDING_BANK_STRIDE);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 4, 160, 10), FINDING_BANK_STRIDE);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 16, 80, 40), FINDING_BANK_STRIDE);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 4, 37, 10), FINDING_BANK_IRREGULAR);
    assert_int_equal(conflict(state, CLASS_SHARED_ATOM, 4, 320, 10), FINDING_BANK_ATOMIC);
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 16, 40, 40), FINDING_NONE); // wide, not conflicting
    assert_int_equal(conflict(state, CLASS_SHARED_LD, 4, 107, 100), FINDING_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_are_unique_and_documented),
                                       cmocka_unit_test(test_ncu_knows_our_names),
                                       cmocka_unit_test(test_name_graph),
                                       cmocka_unit_test(test_hardware_columns),
                                       cmocka_unit_test(test_aliases),
                                       cmocka_unit_test(test_finding_names),
                                       cmocka_unit_test(test_transpose),
                                       cmocka_unit_test(test_histogram),
                                       cmocka_unit_test(test_wide_local),
                                       cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_merging),
                                       cmocka_unit_test(test_merging_global),
                                       cmocka_unit_test(test_few_registers),
                                       cmocka_unit_test(test_model_off),
                                       cmocka_unit_test(test_print),
                                       cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_findings),
                                       cmocka_unit_test(test_conflicts)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
