// Launches the runtime refuses: which limit, what was asked, what is allowed, by how much.
#include "device/occupancy.h"
#include "support/check.h"
#include <string.h>

static const struct {
    const char *device;
    struct kernel_needs needs;
    const char *text; // a part of the sentence; NULL = launches
} rows[] = {
    {"h200", {.threads = 256, .registers = 32}, NULL},
    {"h200", {.threads = 1024, .registers = 64}, NULL},
    {"h200", {.threads = 1056}, "asks 1,056 threads per block; 1,024 allowed, 32 too many"},
    {"h200", {.threads = 0}, "a block of 0 threads"},
    {"h200", {.threads = 1, .block = {1, 1, 65}}, "block 1x1x65: 65 in z; 64 allowed, 1 too many"},
    {"h200",
     {.threads = 1, .block = {2048, 1, 1}},
     "block 2048x1x1: 2,048 in x; 1,024 allowed, 1,024 too many"},
    {"h200", {.threads = 1, .block = {1, 0, 1}}, "block 1x0x1: the extent in y is 0"},
    {"h200",
     {.threads = 1, .block = {64, 32, 1}},
     "asks 2,048 threads per block; 1,024 allowed, 1,024 too many"},
    {"h200",
     {.threads = 32, .grid = {1, 65536, 1}},
     "grid 1x65536x1: 65,536 in y; 65,535 allowed, 1 too many"},
    {"h200", {.threads = 32, .grid = {1, 1, 65536}}, "65,536 in z; 65,535 allowed"},
    {"h200", {.threads = 32, .grid = {2147483647, 65535, 65535}}, NULL},
    {"h200", {.threads = 32, .registers = 255}, NULL},
    {"h200", {.threads = 32, .registers = 256}, "asks 256 registers per thread; 255 allowed, 1 too many"},
    {"a100-40gb", {.threads = 288, .registers = 168}, NULL},
    {"a100-40gb",
     {.threads = 288, .registers = 176},
     "asks 67,584 registers per block (5,632 per warp, 9 warps counted as 12); 65,536 allowed, 2,048 too "
     "many: at most "
     "168 registers per thread at this block size"},
    {"h200", {.threads = 1024, .registers = 65}, "8,192 too many: at most 64 registers per thread"},
    {"h200", {.threads = 32, .static_shared_bytes = 49152}, NULL},
    {"h200",
     {.threads = 32, .static_shared_bytes = 49156},
     "asks 49,156 B of static shared memory per block; 49,152 allowed, 4 too many"},
    {"h200",
     {.threads = 32, .dynamic_shared_bytes = 264192, .max_dynamic_shared_bytes = 264192},
     "asks 264,192 B of shared memory per block; 232,448 with the opt-in attribute, 49,152 without: 31,744 "
     "too many"},
    {"h200", {.threads = 32, .dynamic_shared_bytes = 232448, .max_dynamic_shared_bytes = 232448}, NULL},
    {"h200",
     {.threads = 32, .dynamic_shared_bytes = 65536},
     "asks 65,536 B of shared memory per block; 49,152 without the opt-in attribute, 232,448 with it: set "
     "cudaFuncAttributeMaxDynamicSharedMemorySize to at least 65,536"},
    {"h200",
     {.threads = 32, .static_shared_bytes = 1024, .dynamic_shared_bytes = 48129},
     "asks 49,153 B of shared memory per block; 49,152 without the opt-in attribute"},
    {"h200",
     {.threads = 32, .dynamic_shared_bytes = 65536, .max_dynamic_shared_bytes = 60000},
     "asks 65,536 B of dynamic shared memory per block; cudaFuncAttributeMaxDynamicSharedMemorySize allows "
     "60,000, "
     "5,536 too many"},
    {"h200",
     {.threads = 32,
      .static_shared_bytes = 1024,
      .dynamic_shared_bytes = 1024,
      .max_dynamic_shared_bytes = 232448},
     "of 232,448 B with 1,024 B of static shared memory; 232,448 allowed together, 1,024 too many"},
    {"t4", {.threads = 32, .dynamic_shared_bytes = 65536, .max_dynamic_shared_bytes = 65536}, NULL},
    {"t4", {.threads = 32, .cluster = 2}, "asks clusters of 2 blocks; compute capability 7.5 has none"},
    {"h200", {.threads = 32, .cluster = 16}, NULL},
    {"h200",
     {.threads = 32, .cluster = 17},
     "asks clusters of 17 blocks; 16 with the non-portable attribute, 8 without: 1 too many"},
    {"h200",
     {.threads = 32, .cluster = 4, .grid = {6, 1, 1}},
     "a grid of 6 blocks is not made of whole clusters of 4: 2 left over"},
    {"h200", {.threads = 32, .barriers = 16}, NULL},
    {"h200", {.threads = 32, .barriers = 17}, "asks 17 named barriers per block; 16 allowed, 1 too many"},
};

// What launches has room on an SM, and what does not launch has none: the two functions must agree.
static void check_row(const struct device *d, size_t i)
{
    struct err err = {0};
    bool launches = launch_check(d, &rows[i].needs, &err);
    if (launches != !rows[i].text || (rows[i].text && !strstr(err.text, rows[i].text)))
        fail_msg("row %zu gives: %s", i, err.text);
    if (launches)
        assert_true(occupancy_of(d, &rows[i].needs).blocks_per_sm > 0);
}

static void test_causes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct device d;
        struct err err = {0};
        assert_true(device_load(&arena, rows[i].device, &d, &err));
        check_row(&d, i);
    }
    arena_release(&arena);
}

// Registers and shared memory: over the whole range the check and the occupancy agree about launching.
static void test_agrees_with_occupancy(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct device d;
    assert_true(device_load(&arena, "rtx5090", &d, &(struct err){0}));
    for (uint32_t threads = 1; threads <= 1100; threads += 31) {
        for (uint32_t registers = 1; registers <= 260; registers += 3) {
            for (uint32_t bytes = 0; bytes < 110000; bytes += 9973) {
                struct kernel_needs k = {.threads = threads,
                                         .registers = registers,
                                         .dynamic_shared_bytes = bytes,
                                         .max_dynamic_shared_bytes = threads % 2 ? bytes : 0};
                bool launches = launch_check(&d, &k, &(struct err){0});
                assert_int_equal(launches, occupancy_of(&d, &k).blocks_per_sm > 0);
            }
        }
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_agrees_with_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
