// Occupancy against the published calculator and against launches measured on an H200.
#include "device/occupancy.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static const struct device *device_of(const char *cc)
{
    static const char *const names[][2] = {{"7.0", "v100"},  {"7.5", "t4"},      {"8.0", "a100-40gb"},
                                           {"8.6", "a10"},   {"8.9", "l4"},      {"9.0", "h200"},
                                           {"10.0", "b200"}, {"12.0", "rtx5090"}};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        if (strcmp(names[i][0], cc) != 0)
            continue;
        struct err err = {0};
        struct device *d = arena_new(&arena, struct device);
        if (!device_load(&arena, names[i][1], d, &err))
            fail_msg("%s: %s", err.file, err.text);
        return d;
    }
    fail_msg("no device of compute capability %s", cc);
    return NULL;
}

// "warps+registers" from the bits.
static void print_limiters(unsigned limiters, char *out, size_t size)
{
    static const char *const names[] = {"warps", "registers", "shared", "blocks", "barriers"};
    out[0] = '\0';
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        if (limiters & 1u << i)
            snprintf(out + strlen(out), size - strlen(out), "%s%s", out[0] ? "+" : "", names[i]);
}

static FILE *open_data(const char *path, char *header, int size)
{
    FILE *file = fopen(path, "r");
    if (!file || !fgets(header, size, file))
        fail_msg("cannot read %s (tests run from the project's root)", path);
    return file;
}

static void set_policy(struct kernel_needs *k, const char *policy)
{
    const char *percent = strchr(policy, '(');
    k->carveout = percent ? CARVEOUT_PERCENT : CARVEOUT_MAX;
    k->carveout_value = percent ? strtoul(percent + 1, NULL, 10) : 0;
}

static void test_published_calculator(void **state)
{
    (void)state;
    char line[256];
    FILE *file = open_data("tests/data/occupancy_reference.csv", line, sizeof line);
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        char cc[8], policy[32], limiters[64], got[64];
        struct kernel_needs k = {.barriers = 1};
        unsigned blocks, warps;
        assert_int_equal(sscanf(line, "%7[^,],%u,%u,%u,%u,%31[^,],%u,%u,%63s", cc, &k.registers, &k.threads,
                                &k.static_shared_bytes, &k.dynamic_shared_bytes, policy, &blocks, &warps,
                                limiters),
                         9);
        k.max_dynamic_shared_bytes = k.dynamic_shared_bytes;
        set_policy(&k, policy);
        struct occupancy o = occupancy_of(device_of(cc), &k);
        print_limiters(o.limiters, got, sizeof got);
        if (o.blocks_per_sm != blocks || o.warps_per_sm != warps || strcmp(got, limiters) != 0)
            fail_msg("%sgives %u,%u,%s", line, o.blocks_per_sm, o.warps_per_sm, got);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 40);
}

enum { NONE = NO_LIMIT };
static const struct {
    const char *cc;
    uint32_t registers, threads, barriers, fixed, dynamic;
    int percent; // -1 = default
    uint32_t blocks, warps;
    double percent_of_full;
    const char *limiters;
    uint32_t limits[5]; // registers, shared, warps, blocks, barriers
    uint32_t registers_allocated, shared_allocated;
} rows[] = {
    {"7.0", 32, 256, 1, 0, 0, -1, 8, 64, 100, "warps+registers", {8, NONE, 8, 32, NONE}, 8192, 0},
    {"7.0", 64, 128, 1, 12288, 0, 50, 5, 20, 31.2, "shared", {8, 5, 16, 32, NONE}, 8192, 12288},
    {"7.5", 40, 96, 1, 0, 0, -1, 10, 30, 93.8, "warps", {16, NONE, 10, 16, NONE}, 3840, 0},
    {"8.0", 255, 256, 1, 0, 0, -1, 1, 8, 12.5, "registers", {1, 164, 8, 32, NONE}, 65536, 1024},
    {"8.0", 176, 288, 1, 0, 0, -1, 0, 0, 0, "registers", {0, 164, 7, 32, NONE}, 50688, 1024},
    {"8.0", 168, 288, 1, 0, 0, -1, 1, 9, 14.1, "registers", {1, 164, 7, 32, NONE}, 48384, 1024},
    {"8.0", 32, 128, 1, 49152, 0, -1, 3, 12, 18.8, "shared", {16, 3, 16, 32, NONE}, 4096, 50176},
    {"8.0", 32, 128, 1, 0, 0, 0, 8, 32, 50, "shared", {16, 8, 16, 32, NONE}, 4096, 1024},
    {"8.0", 0, 1024, 1, 0, 0, -1, 2, 64, 100, "warps", {NONE, 164, 2, 32, NONE}, 0, 1024},
    {"8.6", 33, 1024, 1, 0, 0, -1, 1, 32, 66.7, "warps+registers", {1, 100, 1, 16, NONE}, 40960, 1024},
    {"8.6", 32, 256, 1, 16384, 0, -1, 5, 40, 83.3, "shared", {8, 5, 6, 16, NONE}, 8192, 17408},
    {"8.9", 48, 64, 1, 2048, 0, -1, 20, 40, 83.3, "registers", {20, 33, 24, 24, NONE}, 3072, 3072},
    {"9.0", 128, 384, 1, 0, 200704, -1, 1, 12, 18.8, "registers+shared", {1, 1, 5, 32, 64}, 49152, 201728},
    {"9.0", 40, 32, 1, 1024, 0, -1, 32, 32, 50, "blocks", {48, 114, 64, 32, 64}, 1280, 2048},
    {"9.0", 32, 64, 8, 0, 0, -1, 8, 16, 25, "barriers", {32, 228, 32, 32, 8}, 2048, 1024},
    {"10.0", 65, 512, 1, 0, 0, -1, 1, 16, 25, "registers", {1, 228, 4, 32, 64}, 36864, 1024},
    {"12.0", 32, 32, 1, 0, 0, -1, 24, 24, 50, "blocks+barriers", {64, 100, 48, 24, 24}, 1024, 1024},
    {"12.0", 32, 64, 3, 0, 0, -1, 8, 16, 33.3, "barriers", {32, 100, 24, 24, 8}, 2048, 1024},
    {"12.0", 80, 256, 1, 33792, 0, -1, 2, 16, 33.3, "shared", {3, 2, 6, 24, 24}, 20480, 34816},
};

// The table of the published calculator with every limit. Its own bits for barriers keep earlier limiters;
// ours name the limits that equal the minimum.
static void test_every_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct kernel_needs k = {.threads = rows[i].threads,
                                 .registers = rows[i].registers,
                                 .barriers = rows[i].barriers,
                                 .static_shared_bytes = rows[i].fixed,
                                 .dynamic_shared_bytes = rows[i].dynamic,
                                 .max_dynamic_shared_bytes = rows[i].dynamic,
                                 .carveout = rows[i].percent < 0 ? CARVEOUT_MAX : CARVEOUT_PERCENT,
                                 .carveout_value = rows[i].percent < 0 ? 0 : (uint64_t)rows[i].percent};
        struct occupancy o = occupancy_of(device_of(rows[i].cc), &k);
        const uint32_t got[5] = {o.limit_registers, o.limit_shared, o.limit_warps, o.limit_blocks,
                                 o.limit_barriers};
        char limiters[64];
        print_limiters(o.limiters, limiters, sizeof limiters);
        assert_int_equal(o.blocks_per_sm, rows[i].blocks);
        assert_int_equal(o.warps_per_sm, rows[i].warps);
        assert_true(100 * o.occupancy > rows[i].percent_of_full - 0.06 &&
                    100 * o.occupancy < rows[i].percent_of_full + 0.06);
        assert_string_equal(limiters, rows[i].limiters);
        assert_memory_equal(got, rows[i].limits, sizeof got);
        assert_int_equal(o.registers_per_block, rows[i].registers_allocated);
        assert_int_equal(o.shared_per_block_bytes, rows[i].shared_allocated);
    }
}

// One row of tests/data/launch_occupancy.csv: what Nsight Compute showed for a launch.
struct launch {
    struct kernel_needs needs;
    unsigned n_launches, blocks, registers_allocated, shared_allocated, cluster, config;
    unsigned warps, registers, shared, most_blocks, barriers;
    double waves;
};

static bool read_launch(FILE *file, struct launch *l)
{
    struct kernel_needs *k = &l->needs;
    *l = (struct launch){0};
    int n = fscanf(file, "%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%lf\n", &l->n_launches, &k->threads,
                   &l->blocks, &k->registers, &l->registers_allocated, &k->static_shared_bytes,
                   &k->dynamic_shared_bytes, &l->shared_allocated, &l->cluster, &k->barriers, &l->warps,
                   &l->registers, &l->shared, &l->most_blocks, &l->barriers, &l->config, &l->waves);
    assert_true(n == 17 || n == EOF);
    return n == 17;
}

static void check_launch(const struct device *d, const struct launch *l)
{
    struct kernel_needs k = l->needs;
    assert_int_equal(occupancy_driver_carveout(d, &k), l->config);
    k.carveout = CARVEOUT_BYTES;
    k.carveout_value = l->config;
    struct occupancy o = occupancy_of(d, &k);
    assert_int_equal(o.shared_config_bytes, l->config);
    assert_int_equal(o.limit_warps, l->warps);
    assert_int_equal(o.limit_registers, l->registers);
    assert_int_equal(o.limit_shared, l->shared);
    assert_int_equal(o.limit_blocks, l->most_blocks);
    // The profiler shows no more than the block limit here; the calculator's own figure is twice that.
    assert_int_equal(o.limit_barriers < o.limit_blocks ? o.limit_barriers : o.limit_blocks, l->barriers);
    assert_int_equal(o.shared_per_block_bytes, l->shared_allocated);
    assert_int_equal(o.registers_per_block, l->registers_allocated * 32 * o.warps_per_block);
    double waves = (double)l->blocks / (double)(d->n_sms * o.blocks_per_sm);
    assert_true(waves > l->waves - 0.0051 && waves < l->waves + 0.0051);
}

static void test_measured_launches(void **state)
{
    (void)state;
    char header[256];
    FILE *file = open_data("tests/data/launch_occupancy.csv", header, sizeof header);
    const struct device *d = device_of("9.0");
    struct launch l;
    unsigned n_launches = 0;
    for (; read_launch(file, &l); n_launches += l.n_launches)
        check_launch(d, &l);
    fclose(file);
    assert_int_equal(n_launches, 328);
}

// The last seven rows were launched with preferences of -1 (default), 0, 10, 25, 50, 75 and 100 percent.
static uint64_t expected_carveout(const struct device *d, const struct kernel_needs *k, int row)
{
    static const uint64_t percents[] = {0, 10, 25, 50, 75, 100};
    enum { FIRST_PREFERENCE = 133 };
    if (row < FIRST_PREFERENCE)
        return occupancy_driver_carveout(d, k);
    return occupancy_driver_preference(d, k, percents[row - FIRST_PREFERENCE]);
}

static void test_driver_carveout(void **state)
{
    (void)state;
    char line[256];
    FILE *file = open_data("tests/data/carveout.csv", line, sizeof line);
    const struct device *d = device_of("9.0");
    int n = 0, n_bad = 0;
    for (; fgets(line, sizeof line, file); n++) {
        struct kernel_needs k = {.registers = 16}; // these kernels stay below any limit by registers
        unsigned config, shared, warps;
        const char *figures = strstr(line, "*),");
        assert_non_null(figures);
        assert_int_equal(sscanf(figures + 3, "%u,%u,%u,%u,%u,%u", &k.threads, &k.static_shared_bytes,
                                &k.dynamic_shared_bytes, &config, &shared, &warps),
                         6);
        k.max_dynamic_shared_bytes = k.dynamic_shared_bytes;
        uint64_t expected = expected_carveout(d, &k, n);
        if (expected != config)
            print_message("row %d: %s       gives %llu\n", n, line, (unsigned long long)expected);
        n_bad += expected != config;
        k.carveout = CARVEOUT_BYTES;
        k.carveout_value = config;
        struct occupancy o = occupancy_of(d, &k);
        assert_int_equal(o.limit_shared, shared);
        assert_int_equal(o.limit_warps, warps);
    }
    fclose(file);
    assert_int_equal(n, 139);
    assert_int_equal(n_bad, 0);
}

static void test_carveout_fits_one_block(void **state)
{
    (void)state;
    const struct device *d = device_of("9.0");
    struct kernel_needs k = {.threads = 256, .static_shared_bytes = 20000, .carveout = CARVEOUT_BYTES};
    assert_int_equal(occupancy_of(d, &k).shared_config_bytes, 32 * 1024);
    k.carveout = CARVEOUT_PERCENT;
    assert_int_equal(occupancy_of(d, &k).shared_config_bytes, 32 * 1024);
    assert_int_equal(occupancy_of(d, &k).l1_bytes, 224 * 1024);
}

static void test_clusters(void **state)
{
    (void)state;
    struct kernel_needs k = {.threads = 1024, .registers = 32, .carveout = CARVEOUT_MAX};
    assert_int_equal(occupancy_of(device_of("9.0"), &k).max_clusters, 0);
}

// What the runtime of an H200 answered: blocks per SM and refusal by registers, active clusters.
static void check_register_row(const struct device *d, const char *line)
{
    struct kernel_needs k = {.carveout = CARVEOUT_MAX};
    unsigned blocks;
    assert_int_equal(sscanf(line, "registers,%u,%u,%u", &k.registers, &k.threads, &blocks), 3);
    assert_int_equal(occupancy_of(d, &k).blocks_per_sm, blocks);
    struct err err = {0};
    assert_int_equal(launch_check(d, &k, &err), strstr(line, "cudaSuccess") != NULL);
}

static void check_cluster_row(const struct device *d, const char *line)
{
    struct kernel_needs k = {.registers = 16, .carveout = CARVEOUT_MAX};
    unsigned clusters;
    assert_int_equal(
        sscanf(line, "clusters,%u,%u,%u,%u", &k.cluster, &k.threads, &k.dynamic_shared_bytes, &clusters), 4);
    k.max_dynamic_shared_bytes = k.dynamic_shared_bytes;
    if (k.cluster > 1)
        assert_int_equal(occupancy_of(d, &k).max_clusters, clusters);
}

static void test_runtime_answers(void **state)
{
    (void)state;
    char line[256];
    const struct device *d = device_of("9.0");
    FILE *file = open_data("tests/data/occupancy_h200_api.csv", line, sizeof line);
    int n = 0;
    for (; fgets(line, sizeof line, file); n++)
        (line[0] == 'r' ? check_register_row : check_cluster_row)(d, line);
    fclose(file);
    assert_int_equal(n, 483);
}

// One row of tests/data/occupancy_h200_launches.csv; preference -1 = none.
static bool check_probed_launch(const struct device *d, const char *line)
{
    struct kernel_needs k = {0};
    int preference;
    unsigned allocated, limits[5], config;
    assert_int_equal(sscanf(line, "%u,%u,%u,%d,%u,%u,%u,%u,%u,%u,%u,%u", &k.threads, &k.registers,
                            &k.static_shared_bytes, &preference, &k.barriers, &allocated, &limits[0],
                            &limits[1], &limits[2], &limits[3], &limits[4], &config),
                     12);
    uint64_t expected = preference < 0 ? occupancy_driver_carveout(d, &k)
                                       : occupancy_driver_preference(d, &k, (uint64_t)preference);
    k.carveout = CARVEOUT_BYTES;
    k.carveout_value = config;
    struct occupancy o = occupancy_of(d, &k);
    uint32_t barriers = o.limit_barriers < o.limit_blocks ? o.limit_barriers : o.limit_blocks;
    const uint32_t got[5] = {o.limit_warps, o.limit_registers, o.limit_shared, o.limit_blocks, barriers};
    assert_memory_equal(got, limits, sizeof got);
    assert_int_equal(o.shared_per_block_bytes, allocated);
    if (expected != config)
        print_message("%s       gives %llu\n", line, (unsigned long long)expected);
    return expected == config;
}

static void test_probed_launches(void **state)
{
    (void)state;
    char line[256];
    const struct device *d = device_of("9.0");
    FILE *file = open_data("tests/data/occupancy_h200_launches.csv", line, sizeof line);
    int n = 0, n_good = 0;
    for (; fgets(line, sizeof line, file); n++)
        n_good += check_probed_launch(d, line);
    fclose(file);
    assert_int_equal(n, 519);
    assert_int_equal(n_good, n);
}

static int close_arena(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_calculator),    cmocka_unit_test(test_every_limit),
        cmocka_unit_test(test_measured_launches),       cmocka_unit_test(test_driver_carveout),
        cmocka_unit_test(test_carveout_fits_one_block), cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_runtime_answers),         cmocka_unit_test(test_probed_launches),
    };
    arena_init(&arena, "test");
    return cmocka_run_group_tests(tests, NULL, close_arena);
}
