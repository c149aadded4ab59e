// The next step up: the least reduction that brings a block more, the nearest better block size, the curves.
#include "device/occupancy_next.h"
#include "support/check.h"

static struct arena arena;
static struct device h200, t4;

static const struct {
    struct kernel_needs needs;
    bool exists;
    uint32_t registers, shared_bytes, barriers, blocks, next_block;
} rows[] = {
    {{.threads = 256, .registers = 42}, true, 2, 0, 0, 6, 0},
    {{.threads = 256, .registers = 32}, false, 0, 0, 0, 0, 0},
    {{.threads = 32, .registers = 32}, false, 0, 0, 0, 0, 64},
    {{.threads = 64, .registers = 32, .barriers = 8}, true, 0, 0, 1, 9, 96},
    {{.threads = 256, .static_shared_bytes = 49152}, true, 0, 3584, 0, 5, 288},
    {{.threads = 384, .registers = 168, .dynamic_shared_bytes = 232448, .max_dynamic_shared_bytes = 232448},
     true,
     88,
     116736,
     0,
     2,
     0},
    {{.threads = 1024, .registers = 64}, true, 32, 0, 0, 2, 0},
};

static void test_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct kernel_needs k = rows[i].needs;
        k.carveout = CARVEOUT_MAX;
        struct occupancy_step step = occupancy_next_step(&h200, &k);
        assert_int_equal(step.exists, rows[i].exists);
        assert_int_equal(step.registers, rows[i].registers);
        assert_int_equal(step.shared_bytes, rows[i].shared_bytes);
        assert_int_equal(step.barriers, rows[i].barriers);
        if (step.exists)
            assert_int_equal(step.result.blocks_per_sm, rows[i].blocks);
        assert_int_equal(occupancy_next_block(&h200, &k), rows[i].next_block);
    }
}

// One register, or one byte, less of a reduction would not have been enough.
static void check_least(const struct device *d, const struct kernel_needs *k)
{
    struct occupancy now = occupancy_of(d, k);
    struct occupancy_step step = occupancy_next_step(d, k);
    if (!step.exists)
        return;
    assert_true(step.result.blocks_per_sm > now.blocks_per_sm);
    struct kernel_needs almost = step.needs;
    if (step.registers) {
        almost.registers++;
        assert_int_equal(occupancy_of(d, &almost).blocks_per_sm, now.blocks_per_sm);
        almost = step.needs;
    }
    if (step.shared_bytes) {
        almost.dynamic_shared_bytes++;
        almost.max_dynamic_shared_bytes++;
        assert_int_equal(occupancy_of(d, &almost).blocks_per_sm, now.blocks_per_sm);
    }
}

static void check_blocks(const struct device *d, const struct kernel_needs *k)
{
    struct kernel_needs other = *k;
    uint32_t next = occupancy_next_block(d, k), best = occupancy_best_block(d, k);
    uint32_t now = occupancy_of(d, k).warps_per_sm;
    other.threads = best;
    uint32_t most = occupancy_of(d, &other).warps_per_sm;
    assert_true(most >= now);
    assert_int_equal(next != 0, most > now);
    other.threads = next;
    assert_true(next == 0 || occupancy_of(d, &other).warps_per_sm > now);
    for (other.threads = 32; other.threads <= 1024; other.threads += 32)
        assert_true(occupancy_of(d, &other).warps_per_sm <= most);
}

static void test_steps_are_least(void **state)
{
    (void)state;
    const struct device *devices[] = {&h200, &t4};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t threads = 32; threads <= 1024; threads += 96)
            for (uint32_t registers = 16; registers < 256; registers += 13)
                for (uint32_t bytes = 0; bytes < 48000; bytes += 7001) {
                    struct kernel_needs k = {.threads = threads,
                                             .registers = registers,
                                             .dynamic_shared_bytes = bytes,
                                             .max_dynamic_shared_bytes = bytes,
                                             .carveout = CARVEOUT_MAX};
                    if (occupancy_of(devices[i], &k).blocks_per_sm == 0)
                        continue;
                    check_least(devices[i], &k);
                    check_blocks(devices[i], &k);
                }
}

static void check_curve(enum occupancy_axis axis, uint32_t first, uint32_t last, uint32_t n)
{
    struct kernel_needs k = {
        .threads = 256, .registers = 42, .static_shared_bytes = 1000, .carveout = CARVEOUT_MAX};
    struct occupancy_curve curve = occupancy_curve(&h200, &k, axis);
    assert_int_equal(curve.n, n);
    assert_int_equal(curve.x[0], first);
    assert_int_equal(curve.x[n - 1], last);
    for (uint32_t i = 1; i < n; i++) {
        assert_true(curve.x[i] > curve.x[i - 1]);
        if (axis != AXIS_BLOCK)
            assert_true(curve.y[i].blocks_per_sm <= curve.y[i - 1].blocks_per_sm);
    }
}

static void test_curves(void **state)
{
    (void)state;
    check_curve(AXIS_BLOCK, 32, 1024, 32);
    check_curve(AXIS_REGISTERS, 8, 255, 32);
    check_curve(AXIS_SHARED, 0, 232448, 58);
}

static int open_arena(void **state)
{
    (void)state;
    arena_init(&arena, "test");
    return device_load(&arena, "h200", &h200, &(struct err){0}) &&
                   device_load(&arena, "t4", &t4, &(struct err){0})
               ? 0
               : -1;
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
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_steps_are_least),
        cmocka_unit_test(test_curves),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
