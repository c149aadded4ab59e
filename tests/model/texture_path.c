// Requests and sectors of the texture path against what Nsight Compute counted on an H200 for texture.cu of the reference programs
// (blocks of 32 x 8 threads over an n x n array of floats, n = 128 and 2048; l1tex__t_requests_pipe_tex_*, l1tex__t_sectors_*).
#include "mem/texture_path.h"
#include "support/check.h"

enum { QUAD = 4, EIGHT = 8, TEXEL_BYTES = 4 };

struct pattern {
    const char *name;
    uint32_t lanes_per_request;
    bool is_linear_memory, goes_down; // neighbouring lanes lie in a column
    bool filters;                     // texels x, x + 1, y, y + 1, those beyond the edge are the last ones
    uint64_t requests[2], sectors[2]; // n = 128, 2048
};

static const struct pattern patterns[] = {
    {"tex_point_rows", QUAD, false, false, false, {4096, 1048576}, {4096, 1048576}},
    {"tex_point_columns", QUAD, false, true, false, {4096, 1048576}, {8192, 2097152}},
    {"tex_linear_rows", QUAD, false, false, true, {4096, 1048576}, {12033, 3141633}},
    {"tex_linear_columns", QUAD, false, true, true, {4096, 1048576}, {15105, 3928065}},
    {"tex_fetch1d", EIGHT, true, false, false, {2048, 524288}, {2048, 524288}},
    {"tex_fetch1d_columns", EIGHT, true, true, false, {2048, 524288}, {16384, 4194304}},
    {"surf_copy, its stores", EIGHT, false, false, false, {2048, 524288}, {4096, 1048576}},
};

static void add_texel(struct texture_traffic *traffic, const struct pattern *p, uint32_t n, uint32_t request, uint32_t x, uint32_t y)
{
    x = x < n ? x : n - 1;
    y = y < n ? y : n - 1;
    const uint64_t pitch = (uint64_t)n * TEXEL_BYTES;
    const uint64_t at = p->is_linear_memory ? y * pitch + x * TEXEL_BYTES : block_linear(x * TEXEL_BYTES, y, pitch);
    texture_traffic_add(traffic, request, at, TEXEL_BYTES);
}

// A warp whose first lane is at (along, across): lanes go along x, or along y.
static void add_warp(struct texture_traffic *traffic, const struct pattern *p, uint32_t n, uint32_t along, uint32_t across)
{
    for (uint32_t lane = 0; lane < N_LANES; lane++) {
        const uint32_t x = p->goes_down ? across : along + lane, y = p->goes_down ? along + lane : across;
        const uint32_t request = lane / p->lanes_per_request;
        for (uint32_t corner = 0; corner < (p->filters ? 4u : 1u); corner++)
            add_texel(traffic, p, n, request, x + (corner & 1), y + (corner >> 1));
    }
}

static void as_counted(void **state)
{
    (void)state;
    static const uint32_t sizes[2] = {128, 2048};
    for (size_t i = 0; i < 2 * N_ELEMENTS(patterns); i++) {
        const struct pattern *p = &patterns[i / 2];
        const uint32_t n = sizes[i % 2];
        uint64_t requests = 0, sectors = 0;
        for (uint32_t across = 0; across < n; across++)
            for (uint32_t along = 0; along < n; along += N_LANES) {
                static struct texture_traffic traffic;
                texture_traffic_begin(&traffic, false);
                add_warp(&traffic, p, n, along, across);
                requests += traffic.n_requests;
                sectors += traffic.n_sectors;
            }
        if (requests != p->requests[i % 2] || sectors != p->sectors[i % 2])
            fail_msg("%s, %u: %llu requests, %llu sectors", p->name, n, (unsigned long long)requests, (unsigned long long)sectors);
    }
}

// Every byte of an array has its own place within the bytes that are set aside for it.
static void places_are_different(void **state)
{
    (void)state;
    enum { PITCH = 96, ROWS = 11, MOST = 4096 };
    static uint8_t taken[MOST];
    const uint64_t n_bytes = block_linear_bytes(PITCH, ROWS);
    assert_int_equal(n_bytes, 2 * 2 * 512);
    for (uint64_t y = 0; y < ROWS; y++)
        for (uint64_t x = 0; x < PITCH; x++) {
            const uint64_t at = block_linear(x, y, PITCH);
            assert_true(at < n_bytes && !taken[at]);
            taken[at] = 1;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_counted), cmocka_unit_test(places_are_different)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
