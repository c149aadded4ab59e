// mem/coalesce: the values of the counting model, the public cases, and, for many random accesses, a second,
// slower count byte by byte.
#include "mem/coalesce.h"
#include "support/check.h"
#include <string.h>

static struct access global_access(enum access_kind kind, uint32_t width, lanemask mask)
{
    return (struct access){.space = SPACE_GLOBAL, .kind = kind, .width = (uint8_t)width, .mask = mask};
}

static struct global_cost stride_cost(uint32_t width, uint32_t stride_bytes, uint32_t offset_bytes)
{
    struct access access = global_access(ACCESS_LOAD, width, ~0u);
    struct line_set lines;
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = (1u << 20) + offset_bytes + t * stride_bytes;
    return coalesce(&access, &lines);
}

static void table_of_strides(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, stride_bytes, offset_bytes, sectors, ideal, tags;
    } cases[] = {
        // float of stride 1 2 3 4 8 elements
        {4, 4, 0, 4, 4, 1},
        {4, 8, 0, 8, 4, 2},
        {4, 12, 0, 12, 4, 3},
        {4, 16, 0, 16, 4, 4},
        {4, 32, 0, 32, 4, 8},
        // float, base off by 4, 16, 32 bytes
        {4, 4, 4, 5, 4, 2},
        {4, 4, 16, 5, 4, 2},
        {4, 4, 32, 4, 4, 2},
        // double, float4, half, char; float4 off by 16
        {8, 8, 0, 8, 8, 2},
        {16, 16, 0, 16, 16, 4},
        {2, 2, 0, 2, 2, 1},
        {1, 1, 0, 1, 1, 1},
        {16, 16, 16, 17, 16, 5},
        // one float of a struct of 12 16 20 32 64 bytes
        {4, 12, 0, 12, 4, 3},
        {4, 16, 0, 16, 4, 4},
        {4, 20, 0, 20, 4, 5},
        {4, 32, 0, 32, 4, 8},
        {4, 64, 0, 32, 4, 16},
        // a broadcast; 128 bytes per double (array of structures against its cure)
        {4, 0, 0, 1, 1, 1},
        {8, 128, 0, 32, 8, 32},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct global_cost cost = stride_cost(cases[i].width, cases[i].stride_bytes, cases[i].offset_bytes);
        if (cost.sectors != cases[i].sectors || cost.ideal != cases[i].ideal || cost.tags != cases[i].tags)
            fail_msg("width %u stride %u offset %u: sectors %u ideal %u tags %u", cases[i].width,
                     cases[i].stride_bytes, cases[i].offset_bytes, cost.sectors, cost.ideal, cost.tags);
    }
}

// RGB to grey, bytes, image 1920 wide, block 16 x 16: three loads and a store make 14 sectors a warp,
// ideal 4.
static void image_case(void **state)
{
    (void)state;
    uint32_t sectors = 0, ideal = 0;
    struct line_set lines;
    for (uint32_t channel = 0; channel < 4; channel++) {
        struct access access = global_access(channel < 3 ? ACCESS_LOAD : ACCESS_STORE, 1, ~0u);
        for (uint32_t t = 0; t < N_LANES; t++) {
            uint32_t pixel = t / 16 * 1920 + t % 16;
            access.addr[t] = channel < 3 ? pixel * 3 + channel : pixel;
        }
        struct global_cost cost = coalesce(&access, &lines);
        sectors += cost.sectors;
        ideal += cost.ideal;
    }
    assert_int_equal(sectors, 14);
    assert_int_equal(ideal, 4);
}

static void atomics(void **state)
{
    (void)state;
    struct line_set lines;
    struct access access = global_access(ACCESS_RED, 16, ~0u); // red.v4.f32, coalesced
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t * 16;
    struct global_cost cost = coalesce(&access, &lines);
    assert_int_equal(cost.sectors, 16);
    assert_int_equal(cost.atomic_sectors, 16);
    access = global_access(ACCESS_ATOM, 4, ~0u); // one counter
    cost = coalesce(&access, &lines);
    assert_int_equal(cost.sectors, 1);
    assert_int_equal(cost.atomic_sectors, 32);
    access.mask = 0x10; // by one lane
    assert_int_equal(coalesce(&access, &lines).atomic_sectors, 1);
    access = global_access(ACCESS_RED, 4, ~0u); // a histogram of 256 bins
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t * t % 256 / 8 * 4;
    assert_true(coalesce(&access, &lines).sectors <= 32);
}

static void no_lane(void **state)
{
    (void)state;
    struct line_set lines;
    struct access access = global_access(ACCESS_LOAD, 4, 0);
    struct global_cost cost = coalesce(&access, &lines), none = {0};
    assert_memory_equal(&cost, &none, sizeof none);
    assert_int_equal(lines.n, 0);
    cost = coalesce_local(&access, 0, &lines);
    assert_memory_equal(&cost, &none, sizeof none);
    assert_int_equal(constant_requests(&access), 0);
}

static uint32_t local_sectors(uint32_t width, uint32_t offset_of_lane, lanemask mask)
{
    struct access access = global_access(ACCESS_LOAD, width, mask);
    struct line_set lines;
    access.space = SPACE_LOCAL;
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t * offset_of_lane;
    struct global_cost cost = coalesce_local(&access, 1u << 30, &lines);
    for (uint32_t i = 1; i < lines.n; i++)
        assert_true(lines.at[i - 1].line < lines.at[i].line);
    assert_int_equal(cost.tags, lines.n);
    return cost.sectors;
}

static void local_memory(void **state)
{
    (void)state;
    assert_int_equal(local_sectors(4, 0, ~0u), 4);     // one index for all lanes
    assert_int_equal(local_sectors(4, 4, ~0u), 32);    // the lane is the index
    assert_int_equal(local_sectors(1, 1, ~0u), 8);     // four lanes a word
    assert_int_equal(local_sectors(8, 0, ~0u), 8);     // two rows
    assert_int_equal(local_sectors(16, 0, 0xff), 4);   // four rows of eight lanes
    assert_int_equal(local_sectors(16, 16, ~0u), 128); // 32 lanes, four rows each
    assert_int_equal(local_sectors(32, 32, ~0u), 256); // the most there can be
}

static void constants(void **state)
{
    (void)state;
    struct access access = global_access(ACCESS_LOAD, 4, ~0u);
    assert_int_equal(constant_requests(&access), 1);
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t * 4;
    assert_int_equal(constant_requests(&access), 32);
    access.width = 1; // bytes of eight words
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t;
    assert_int_equal(constant_requests(&access), 8);
    access.mask = 0xff;
    assert_int_equal(constant_requests(&access), 2);
}

// ---- the count again, byte by byte
// -----------------------------------------------------------------------------

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void random_access(struct access *access, uint64_t *seed)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32};
    static const uint64_t spans[] = {3, 20, 200, 3000, 1ull << 32, 1ull << 48};
    static const lanemask masks[] = {~0u, ~0u, 0xffff, 0x55555555, 0x80000001, 0x00ff00ff};
    *access = global_access((enum access_kind)(random_next(seed) % N_ACCESS_KINDS),
                            widths[random_next(seed) % 6], masks[random_next(seed) % 6]);
    uint64_t span = spans[random_next(seed) % 6], stride = random_next(seed) % 40,
             style = random_next(seed) % 4;
    for (uint32_t t = 0; t < N_LANES; t++) {
        uint64_t index = style == 0   ? (random_next(seed) << 20 ^ random_next(seed)) % span
                         : style == 1 ? t * stride
                         : style == 2 ? t / 2 * stride
                                      : (t ^ stride) % 32 * span;
        access->addr[t] = index * access->width + 32 * (stride % 3);
    }
}

static uint32_t slow_weight(const struct access *access, uint64_t sector)
{
    uint32_t most = 0;
    for (uint32_t t = 0; t < N_LANES; t++) {
        uint32_t same = 0;
        if (!(access->mask >> t & 1) || access->addr[t] / SECTOR_BYTES != sector)
            continue;
        for (uint32_t other = 0; other < N_LANES; other++)
            same += (access->mask >> other & 1) && access->addr[other] / 4 == access->addr[t] / 4;
        most = same > most ? same : most;
    }
    return most;
}

static bool slow_is_full(const struct access *access, uint64_t sector)
{
    for (uint64_t byte = sector * SECTOR_BYTES; byte < (sector + 1) * SECTOR_BYTES; byte++) {
        bool written = false;
        for (uint32_t t = 0; t < N_LANES; t++)
            written |= (access->mask >> t & 1) && byte - access->addr[t] < access->width;
        if (!written)
            return false;
    }
    return true;
}

static void check_lines(const struct access *access, const struct line_set *lines,
                        const struct global_cost *cost)
{
    uint32_t sectors = 0, weight = 0;
    for (uint32_t i = 0; i < lines->n; i++) {
        uint32_t of_line = 0;
        assert_true(i == 0 || lines->at[i - 1].line < lines->at[i].line);
        for (uint32_t s = 0; s < 4; s++) {
            uint64_t sector = lines->at[i].line / SECTOR_BYTES + s;
            bool touched = slow_weight(access, sector) > 0;
            assert_int_equal(lines->at[i].sectors >> s & 1, touched);
            assert_int_equal(lines->at[i].full >> s & 1,
                             access->kind == ACCESS_STORE && slow_is_full(access, sector));
            sectors += touched;
            of_line += access->kind >= ACCESS_ATOM ? slow_weight(access, sector) : touched;
        }
        assert_int_equal(lines->at[i].weight, of_line);
        weight += of_line;
    }
    assert_int_equal(cost->sectors, sectors);
    assert_int_equal(cost->atomic_sectors, weight);
    assert_int_equal(cost->tags, lines->n);
    for (uint32_t t = 0; t < N_LANES; t++) {
        bool found = !(access->mask >> t & 1);
        for (uint32_t i = 0; i < lines->n; i++)
            found |= access->addr[t] - lines->at[i].line < LINE_BYTES;
        assert_true(found);
    }
}

static void against_slow_count(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 5000; i++) {
        struct access access;
        struct line_set lines;
        random_access(&access, &seed);
        struct global_cost cost = coalesce(&access, &lines);
        check_lines(&access, &lines, &cost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_strides),
        cmocka_unit_test(image_case),
        cmocka_unit_test(atomics),
        cmocka_unit_test(no_lane),
        cmocka_unit_test(local_memory),
        cmocka_unit_test(constants),
        cmocka_unit_test(against_slow_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
