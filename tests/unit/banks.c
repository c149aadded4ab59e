// mem/banks: the values of the counting model (32 lanes, known patterns), the public cases, and, for many
// random accesses, a second, slower count written straight from the rule.
#include "mem/banks.h"
#include "support/check.h"
#include <string.h>

static struct access shared_access(enum access_kind kind, uint32_t width, lanemask mask)
{
    return (struct access){.space = SPACE_SHARED, .kind = kind, .width = (uint8_t)width, .mask = mask};
}

static uint32_t stride_wavefronts(uint32_t width, uint32_t stride_bytes)
{
    struct access access = shared_access(ACCESS_LOAD, width, ~0u);
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = 4096 + t * stride_bytes;
    return banks_cost(&access).wavefronts;
}

static void table_of_strides(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, stride_bytes, wavefronts;
    } cases[] = {
        // float, stride in words
        {4, 4, 1},
        {4, 8, 2},
        {4, 12, 1},
        {4, 16, 4},
        {4, 32, 8},
        {4, 64, 16},
        {4, 128, 32},
        {4, 132, 1},
        {4, 0, 1},
        // double, stride in elements 1 2 4 16 32 33
        {8, 8, 2},
        {8, 16, 4},
        {8, 32, 8},
        {8, 128, 32},
        {8, 256, 32},
        {8, 264, 2},
        // float4, stride in elements 1 2 4 8
        {16, 16, 4},
        {16, 32, 8},
        {16, 64, 16},
        {16, 128, 32},
        // one float of a struct of 8 12 16 20 bytes
        {4, 8, 2},
        {4, 12, 1},
        {4, 16, 4},
        {4, 20, 1},
        // half [32][32] [33] [34] by column, char [32][32] by column
        {2, 64, 16},
        {2, 66, 1},
        {2, 68, 1},
        {1, 32, 8},
        // one address: a broadcast, 16 bytes take two passes
        {1, 0, 1},
        {2, 0, 1},
        {8, 0, 1},
        {16, 0, 2},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        if (stride_wavefronts(cases[i].width, cases[i].stride_bytes) != cases[i].wavefronts)
            fail_msg("width %u stride %u: %u instead of %u", cases[i].width, cases[i].stride_bytes,
                     stride_wavefronts(cases[i].width, cases[i].stride_bytes), cases[i].wavefronts);
}

static void tile_columns(void **state)
{
    (void)state;
    struct access swizzled = shared_access(ACCESS_STORE, 4, ~0u);
    for (uint32_t t = 0; t < N_LANES; t++)
        swizzled.addr[t] = (t * 32 + (t ^ 7)) * 4;
    assert_int_equal(banks_cost(&swizzled).wavefronts, 1);
    for (uint32_t t = 0; t < N_LANES; t++) // a 16-wide block on pitch 33: "pad by one" is no cure
        swizzled.addr[t] = (t % 16 * 33 + t / 16) * 4;
    assert_int_equal(banks_cost(&swizzled).wavefronts, 2);
    struct access doubles = shared_access(ACCESS_STORE, 8, ~0u); // double tile[32][32] by column: 32, ideal 2
    for (uint32_t t = 0; t < N_LANES; t++)
        doubles.addr[t] = t * 32 * 8;
    assert_int_equal(banks_cost(&doubles).wavefronts, 32);
    assert_int_equal(banks_cost(&doubles).ideal, 2);
}

// Public case: shared reduction, for s = 1, 2 .. 128: idx = 2 s tid; if idx < 256: sh[idx] += sh[idx + s].
static void reduction_case(void **state)
{
    (void)state;
    struct shared_cost load = {0}, store = {0};
    uint32_t n_loads = 0, n_stores = 0;
    for (uint32_t warp = 0; warp < 8; warp++) {
        store.wavefronts++, store.ideal++, n_stores++;                               // the first fill
        load.wavefronts += warp == 0, load.ideal += warp == 0, n_loads += warp == 0; // the result
        for (uint32_t s = 1; s <= 128; s *= 2) {
            struct access a = shared_access(ACCESS_LOAD, 4, 0), b = a;
            for (uint32_t t = 0; t < N_LANES; t++) {
                uint32_t index = 2 * s * (warp * N_LANES + t);
                a.addr[t] = index * 4;
                b.addr[t] = (index + s) * 4;
                a.mask |= (lanemask)(index < 256) << t;
            }
            b.mask = a.mask;
            struct shared_cost one = banks_cost(&a), two = banks_cost(&b);
            a.kind = ACCESS_STORE;
            struct shared_cost put = banks_cost(&a);
            load = (struct shared_cost){load.wavefronts + one.wavefronts + two.wavefronts,
                                        load.ideal + one.ideal + two.ideal};
            store = (struct shared_cost){store.wavefronts + put.wavefronts, store.ideal + put.ideal};
            n_loads += a.mask ? 2 : 0;
            n_stores += a.mask ? 1 : 0;
        }
    }
    assert_int_equal(n_loads, 25);
    assert_int_equal(load.wavefronts, 95);
    assert_int_equal(load.wavefronts - load.ideal, 70); // 286,720 of 4,096 blocks
    assert_int_equal(n_stores, 20);
    assert_int_equal(store.wavefronts, 55);
    assert_int_equal(store.wavefronts - store.ideal, 35); // 143,360 of 4,096 blocks
}

static void public_cases(void **state)
{
    (void)state;
    struct access access = shared_access(ACCESS_LOAD, 16, ~0u);
    for (uint32_t t = 0; t < N_LANES; t++) // LDS.128 at (t % 4) * 16: no pair, 4 measured on Turing
        access.addr[t] = t % 4 * 16;
    assert_int_equal(banks_cost(&access).wavefronts, 4);
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t / 2 * 16;
    assert_int_equal(banks_cost(&access).wavefronts, 2);
    access = shared_access(ACCESS_STORE, 8, ~0u); // STS.64, each half 8-way
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t % 16 / 8 * 8 + t * 128;
    assert_int_equal(banks_cost(&access).wavefronts, 16);
    assert_int_equal(banks_cost(&access).ideal, 2);
    access = shared_access(ACCESS_STORE, 4, ~0u); // ((t % 4) * 4) * 64 + t / 4: 4-way
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = (t % 4 * 4 * 64 + t / 4) * 4;
    assert_int_equal(banks_cost(&access).wavefronts, 4);
}

static void atomics(void **state)
{
    (void)state;
    struct access access = shared_access(ACCESS_RED, 4, ~0u);
    assert_int_equal(banks_cost(&access).wavefronts, 32); // one word
    assert_int_equal(banks_cost(&access).ideal, 1);
    assert_int_equal(banks_cost_popc_inc(&access).wavefronts, 1);
    access.kind = ACCESS_CAS;
    assert_int_equal(banks_cost(&access).wavefronts, 64);
    assert_int_equal(banks_cost(&access).ideal, 2);
    assert_int_equal(banks_cost_cas_spin(&access).wavefronts, 2);
    access.mask = 0;
    assert_int_equal(banks_cost(&access).wavefronts, 0);
    assert_int_equal(banks_cost(&access).ideal, 0);
    assert_int_equal(banks_cost_cas_spin(&access).wavefronts, 0);
}

static void degrees(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    for (size_t i = 0; i < N_ELEMENTS(widths); i++) {
        uint32_t n_groups = widths[i] <= 4 ? 1 : widths[i] / 4;
        for (uint32_t stride = 1; stride < 140; stride++)
            assert_int_equal(banks_stride_degree(stride, widths[i]) * n_groups,
                             stride_wavefronts(widths[i], stride * widths[i]));
    }
}

// ---- the rule again, word by word
// ------------------------------------------------------------------------------

static uint32_t slow_group(const struct access *access, uint32_t first, uint32_t end, bool shares)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < N_BANKS; bank++) {
        uint64_t seen[256];
        uint32_t n = 0;
        for (uint32_t t = first; t < end; t++) {
            uint32_t words = access->width < 4 ? 1 : access->width / 4;
            for (uint32_t w = 0; w < words && (access->mask >> t & 1); w++) {
                uint64_t word = access->addr[t] / 4 + w;
                bool is_new = true;
                for (uint32_t i = 0; i < n && shares; i++)
                    is_new &= seen[i] != word;
                if (word % N_BANKS == bank && is_new)
                    seen[n++] = word;
            }
        }
        most = n > most ? n : most;
    }
    return most;
}

static bool slow_repeats(const struct access *access, uint32_t first, uint32_t end, uint32_t distance)
{
    for (uint32_t t = first; t < end; t++)
        if ((access->mask >> t & 1) && (access->mask >> (t ^ distance) & 1) &&
            access->addr[t] != access->addr[t ^ distance])
            return false;
    return true;
}

static uint32_t slow_wavefronts(const struct access *access)
{
    uint32_t n = access->width <= 4 ? 32 : 128 / access->width, sum = 0;
    bool shares = access->kind < ACCESS_ATOM;
    for (uint32_t t = 0; t < N_LANES; t += 2 * n) {
        uint32_t one = slow_group(access, t, t + n, shares);
        uint32_t two = n < N_LANES ? slow_group(access, t + n, t + 2 * n, shares) : 0;
        bool pairs = access->kind == ACCESS_LOAD && one && two &&
                     (slow_repeats(access, t, t + 2 * n, 1) || slow_repeats(access, t, t + 2 * n, 2)) &&
                     slow_group(access, t, t + 2 * n, true) == 1;
        sum += pairs ? 1 : one + two;
    }
    return access->kind == ACCESS_CAS ? 2 * sum : sum;
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void random_access(struct access *access, uint64_t *seed)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32}, spans[] = {2, 5, 40, 300, 5000};
    static const lanemask masks[] = {~0u, ~0u, 0xffff, 0x55555555, 0x80000001, 0x00ff00ff};
    *access = shared_access((enum access_kind)(random_next(seed) % N_ACCESS_KINDS),
                            widths[random_next(seed) % 6], masks[random_next(seed) % 6]);
    uint64_t span = spans[random_next(seed) % 5], stride = random_next(seed) % 40,
             style = random_next(seed) % 4;
    for (uint32_t t = 0; t < N_LANES; t++) {
        uint64_t index = style == 0   ? random_next(seed) % span
                         : style == 1 ? t * stride
                         : style == 2 ? t / 2 * stride
                                      : (t ^ stride) % 32 * span;
        access->addr[t] = index * access->width;
    }
}

static void against_slow_count(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        struct access access;
        random_access(&access, &seed);
        uint32_t fast = banks_cost(&access).wavefronts, slow = slow_wavefronts(&access);
        if (fast != slow)
            fail_msg("case %d, kind %d width %u mask %08x: %u instead of %u", i, access.kind, access.width,
                     access.mask, fast, slow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_strides),
        cmocka_unit_test(tile_columns),
        cmocka_unit_test(reduction_case),
        cmocka_unit_test(public_cases),
        cmocka_unit_test(atomics),
        cmocka_unit_test(degrees),
        cmocka_unit_test(against_slow_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
