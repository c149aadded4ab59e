// Atomics on random addresses against an H200: the sectors of the reference program histogram (256 bins in
// global memory, 32,768 bytes, one atomicAdd a byte), whose addresses follow from its input. Measured: Nsight
// Compute 2025.3, l1tex__t_sectors_pipe_lsu_mem_global_op_red and memory_l2_theoretical_sectors_global of
// hist_global_*.
#include "mem/coalesce.h"
#include "support/check.h"
#include <stdio.h>

enum { N_BYTES = 1 << 15 };

// The reference programs' input: element i of input 41.
static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 17)) * 0x9E3779B9u;
    x = (x ^ (x >> 14)) * 0x7A35E96Du;
    return x ^ (x >> 16);
}

static uint32_t bin_of(uint32_t i, bool is_skewed)
{
    uint32_t r = mix(i + 0x51F15EEDu * 42u);
    return is_skewed && r % 10 != 0 ? 7 : r >> 8 & 255;
}

static struct global_cost histogram(bool is_skewed)
{
    struct global_cost sum = {0};
    for (uint32_t first = 0; first < N_BYTES; first += N_LANES) {
        struct access access = {.space = SPACE_GLOBAL, .kind = ACCESS_RED, .width = 4, .mask = ~(lanemask)0};
        struct line_set lines;
        for (uint32_t t = 0; t < N_LANES; t++)
            access.addr[t] = 4 * (uint64_t)bin_of(first + t, is_skewed);
        struct global_cost cost = coalesce(&access, &lines);
        sum.sectors += cost.sectors;
        sum.atomic_sectors += cost.atomic_sectors;
    }
    return sum;
}

static void skewed_is_exact(void **state)
{
    (void)state;
    struct global_cost cost = histogram(true);
    assert_int_equal(cost.sectors, 3965);
    assert_int_equal(cost.atomic_sectors, 32556);
}

// Open: the rule counts 1.7 % too few where a warp touches some 20 sectors. Asserted, so that a better rule
// is noticed.
static void uniform_is_open(void **state)
{
    (void)state;
    struct global_cost cost = histogram(false);
    assert_int_equal(cost.sectors, 20937);
    printf("hist_global_uniform: %u sectors by rule, 23151 on the H200\n", cost.atomic_sectors);
    assert_int_equal(cost.atomic_sectors, 22755);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skewed_is_exact), cmocka_unit_test(uniform_is_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
