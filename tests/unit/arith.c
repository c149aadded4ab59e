// arith: patterns, bank maps, struct layouts, Little's law, memory interfaces, rooflines.
#include "arith/bank_map.h"
#include "arith/levels.h"
#include "arith/memory_interface.h"
#include "arith/roofline.h"
#include "arith/sector_map.h"
#include "support/check.h"
#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static struct lane_pattern tile(uint32_t width, uint32_t x, uint32_t y, uint64_t stride, uint64_t pad)
{
    return (struct lane_pattern){.space = SPACE_SHARED,
                                 .width = width,
                                 .block = {x, y, 1},
                                 .is_tile = true,
                                 .stride = stride,
                                 .pad = pad};
}

static uint32_t wavefronts(const struct lane_pattern *pattern)
{
    struct bank_total total;
    struct err err = {0};
    if (!bank_total_of(pattern, &total, &err))
        fail_msg("%s", err.text);
    return total.sum.wavefronts;
}

static void tiles(void **state)
{
    (void)state;
    struct lane_pattern pattern = tile(4, 32, 32, 32, 0);
    assert_int_equal(pattern_warps(&pattern), 32);
    assert_int_equal(wavefronts(&pattern), 32 * 32);
    pattern.pad = 1;
    assert_int_equal(wavefronts(&pattern), 32);
    pattern.pad = 0;
    pattern.is_swizzled = true;
    assert_int_equal(wavefronts(&pattern), 32);
    pattern = tile(4, 16, 16, 32, 1); // public case: pitch 33 under a 16-wide block is still 2-way
    assert_int_equal(wavefronts(&pattern), 16);
    struct bank_total after;
    assert_int_equal(bank_padding_cure(&pattern, 32, &after), 2);
    assert_int_equal(after.sum.wavefronts, 8);
    pattern = tile(4, 8, 8, 32, 0); // 8 rows by 4 columns want a pitch of 4 mod 32
    assert_int_equal(bank_padding_cure(&pattern, 32, &after), 4);
    pattern = tile(8, 32, 4, 32, 0);
    assert_int_equal(wavefronts(&pattern), 4 * 32);
    assert_int_equal(bank_padding_cure(&pattern, 32, &after), 1);
    pattern = tile(4, 10, 3, 7, 0); // 30 threads: two lanes take no part
    struct access access;
    struct err err = {0};
    assert_true(pattern_access(&pattern, 0, &access, &err));
    assert_int_equal(access.mask, 0x3fffffff);
    assert_int_equal(access.addr[11], (1 * 7 + 1) * 4);
}

// Every pass of a map takes from each bank one word, and there are as many as wavefronts.
static void maps_agree_with_costs(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    for (size_t w = 0; w < N_ELEMENTS(widths); w++)
        for (uint64_t stride = 0; stride < 70; stride++)
            for (int kind = ACCESS_LOAD; kind <= ACCESS_RED; kind++) {
                struct lane_pattern pattern = {.space = SPACE_SHARED,
                                               .kind = (enum access_kind)kind,
                                               .width = widths[w],
                                               .block = {32, 1, 1},
                                               .stride = stride};
                struct access access;
                struct bank_map map;
                struct err err = {0};
                assert_true(pattern_access(&pattern, 0, &access, &err));
                bank_map_fill(&access, &map);
                if (map.n_passes != banks_cost(&access).wavefronts)
                    fail_msg("width %u stride %u kind %d: %u passes, %u wavefronts", widths[w],
                             (unsigned)stride, kind, map.n_passes, banks_cost(&access).wavefronts);
            }
}

static void index_errors(void **state)
{
    (void)state;
    struct arena arena;
    struct expr index;
    struct err err = {0};
    struct access access;
    arena_init(&arena, "test");
    struct lane_pattern pattern = {.space = SPACE_SHARED, .width = 4, .block = {32, 1, 1}, .index = &index};
    assert_true(expr_parse(&arena, "--index", "t - 3", EXPR_INTEGER, &index, &err));
    assert_false(pattern_access(&pattern, 0, &access, &err));
    assert_non_null(strstr(err.text, "lane 0 of warp 0 gets index -3"));
    err = (struct err){0};
    assert_true(expr_parse(&arena, "--index", "t << 60", EXPR_INTEGER, &index, &err));
    assert_false(pattern_access(&pattern, 0, &access, &err));
    assert_non_null(strstr(err.text, "too large"));
    err = (struct err){0};
    pattern.block[0] = 64;
    assert_true(expr_parse(&arena, "--index", "w * 100 + tid % 32 + bx", EXPR_INTEGER, &index, &err));
    assert_true(pattern_access(&pattern, 1, &access, &err));
    assert_int_equal(access.addr[5], (100 + 5 + 64) * 4);
    arena_release(&arena);
}

static void structs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t size, align, used, n;
    } cases[] = {
        {"float x, y, z; int id", 16, 4, 16, 4},
        {"char a; double b; char c", 24, 8, 10, 3},
        {"float3 p; double m[2]; unsigned char k", 40, 8, 29, 4},
        {"unsigned n; unsigned long long m; long int k; short int s", 32, 8, 22, 4},
        {"const float *p, q; ", 16, 8, 12, 2},
        {"float4 v", 16, 16, 16, 1},
        {"double4 v; char c", 48, 16, 33, 2},
        {"uchar3 rgb", 3, 1, 3, 1},
        {"__half h[3]; volatile uint16_t u", 8, 2, 8, 4},
    };
    struct arena arena;
    arena_init(&arena, "test");
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct struct_layout *layout = arena_new(&arena, struct struct_layout);
        struct err err = {0};
        if (!struct_layout_parse(&arena, "--struct", cases[i].text, layout, &err))
            fail_msg("%s: %s", cases[i].text, err.text);
        if (layout->size_bytes != cases[i].size || layout->align_bytes != cases[i].align ||
            layout->used_bytes != cases[i].used || layout->n_fields != cases[i].n)
            fail_msg("%s: size %u align %u used %u fields %u", cases[i].text, layout->size_bytes,
                     layout->align_bytes, layout->used_bytes, layout->n_fields);
    }
    static const char *const bad[] = {"",          ";",        "float",        "float 3",
                                      "float x y", "float x[", "float x[a]",   "float x[300]",
                                      "float x,",  "flaot x",  "int a; int a", "float x; ]",
                                      "* p"};
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        struct struct_layout *layout = arena_new(&arena, struct struct_layout);
        struct err err = {0};
        if (struct_layout_parse(&arena, "--struct", bad[i], layout, &err) || !err.set)
            fail_msg("'%s' was taken", bad[i]);
    }
    arena_release(&arena);
}

static void fields(void **state)
{
    (void)state;
    struct arena arena;
    struct struct_layout layout;
    struct err err = {0};
    arena_init(&arena, "test");
    assert_true(struct_layout_parse(&arena, "--struct", "float x, y, z; int id", &layout, &err));
    struct field_cost cost = field_cost_of(&layout, struct_layout_find(&layout, "z"));
    assert_int_equal(cost.array_of_structs.sectors, 16);
    assert_int_equal(cost.struct_of_arrays.sectors, 4);
    assert_int_equal(vector_cost_of(&layout).sum.sectors, 16);
    assert_null(struct_layout_find(&layout, "w"));
    assert_true(
        struct_layout_parse(&arena, "--struct", "float3 p", &layout, &err)); // three loads of 12 sectors
    cost = field_cost_of(&layout, struct_layout_find(&layout, "p"));
    assert_int_equal(cost.array_of_structs.sectors, 36);
    struct vector_cost vector = vector_cost_of(&layout);
    assert_int_equal(vector.padded_bytes, 16);
    assert_int_equal(vector.sum.sectors, 16);
    arena_release(&arena);
}

// A device of round figures.
static struct device round_device(void)
{
    return (struct device){.n_sms = 100,
                           .n_subpartitions = 4,
                           .max_warps_per_sm = 64,
                           .sm_clock_mhz = 1000,
                           .dram_kind = "HBM",
                           .shared_latency_cycles = 20,
                           .shared_bytes_per_cycle = 128,
                           .l1_latency_cycles = 30,
                           .l1_bytes_per_cycle = 64,
                           .l2_latency_cycles = 200,
                           .l2_bytes_per_cycle = 3200,
                           .dram_latency_cycles = 500,
                           .dram_read_gbps = 1600,
                           .dram_bus_bits = 4096,
                           .dram_pin_gbps = 4,
                           .n_fp32_lanes = 128,
                           .n_fp64_lanes = 2,
                           .tensor_tflops = 100};
}

static void littles_law(void **state)
{
    (void)state;
    struct device device = round_device();
    struct memory_level levels[MAX_LEVELS];
    uint32_t n = levels_of(&device, levels);
    assert_int_equal(n, 4); // no far L2 is known
    const struct memory_level *memory = &levels[n - 1];
    assert_true(near(memory->bytes_per_cycle_per_sm, 16));
    assert_true(near(level_gbps(&device, memory), 1600));
    struct in_flight_need need = little_need(&device, memory, 4, 1);
    assert_true(near(need.bytes_per_sm, 8000));
    assert_true(near(need.bytes_per_device, 800000));
    assert_true(near(need.warps_per_sm, 63)); // 62.5
    assert_true(need.fits);
    assert_true(near(little_need(&device, memory, 16, 2).warps_per_sm, 8));
    assert_true(near(little_yield(&device, memory, 31.25, 4, 1).gbps, 800));
    assert_true(near(little_yield(&device, memory, 31.25, 4, 1).part, 0.5));
    assert_true(near(little_yield(&device, memory, 64, 16, 4).part, 1));
    device.l2_far_latency_cycles = 300;
    assert_int_equal(levels_of(&device, levels), 5);
}

static void hiding(void **state)
{
    (void)state;
    static const struct {
        double latency, gap;
        uint32_t warps;
        bool hidden;
    } cases[] = {
        {400, 25, 16, true}, {400, 8, 50, false}, {25, 8, 4, true},    {25, 32, 1, true},
        {200, 8, 25, false}, {200, 32, 7, true},  {500, 8, 63, false}, {500, 32, 16, true},
    };
    struct device device = round_device();
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct hiding answer = hiding_of(&device, cases[i].latency, cases[i].gap);
        assert_int_equal(answer.room, 16);
        assert_int_equal(answer.warps_per_scheduler, cases[i].warps);
        assert_int_equal(answer.is_hidden, cases[i].hidden);
    }
    assert_int_equal(hiding_of(&device, 400, 8).loads_per_warp, 4);
}

static void interfaces(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double gbps;
    } good[] = {
        {"DDR5-6400", 51.2},  {"2xDDR5-6400", 102.4}, {"DDR4-3200", 25.6},
        {"5x1024@3.2", 2048}, {"64@6.4", 51.2},       {"6016@6.402", 4814.304},
    };
    static const char *const bad[] = {
        "",    "DDR",  "DDR5",  "DDR5-",  "DDR5-6400x", "0xDDR5-6400", "65xDDR5-6400", "5x@3",     "@3",
        "64@", "64@0", "64@-1", "64@nan", "1e3@2",      "6.4@2",       "x64@2",        "2000000@1"};
    for (size_t i = 0; i < N_ELEMENTS(good); i++) {
        struct memory_interface interface;
        struct err err = {0};
        if (!interface_parse(good[i].text, &interface, &err))
            fail_msg("%s", err.text);
        assert_true(near(interface_gbps(&interface), good[i].gbps));
    }
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        struct memory_interface interface;
        struct err err = {0};
        if (interface_parse(bad[i], &interface, &err))
            fail_msg("'%s' was taken", bad[i]);
    }
}

static void rooflines(void **state)
{
    (void)state;
    struct device device = round_device();
    struct roofline roofline = roofline_of(&device);
    assert_int_equal(roofline.n_ceilings, 3);
    assert_true(near(roofline.ceilings[0].gflops, 25600));
    assert_true(near(roofline.ceilings[1].gflops, 400));
    const struct roof *memory = &roofline.roofs[3];
    assert_true(memory->is_dram && near(memory->gbps, 1600));
    assert_true(near(roofline.roofs[4].gbps, 2048));
    assert_true(near(roofline_ridge(&roofline.ceilings[0], memory), 16));
    assert_true(near(roofline_attainable(&roofline.ceilings[0], memory, 4), 6400));
    assert_true(near(roofline_attainable(&roofline.ceilings[0], memory, 64), 25600));
    device.tensor_tflops = 0;
    assert_int_equal(roofline_of(&device).n_ceilings, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles),        cmocka_unit_test(maps_agree_with_costs),
        cmocka_unit_test(index_errors), cmocka_unit_test(structs),
        cmocka_unit_test(fields),       cmocka_unit_test(littles_law),
        cmocka_unit_test(hiding),       cmocka_unit_test(interfaces),
        cmocka_unit_test(rooflines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
