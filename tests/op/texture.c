// tex, tld4, txq, suld, sust in kernels, and samples of textures by plain calls.
#include "simt/texture.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

// ---- samples -----------------------------------------------------------------------------------------

struct grid { // 4 x 3 floats: 10 y + x
    struct memory *memory;
    struct texture texture;
};

static struct grid grid_new(enum texture_address mode, bool filters, bool is_normalized)
{
    struct err err = {0};
    struct grid g = {.memory = memory_new(1 << 20, &err)};
    const uint64_t address = memory_alloc(g.memory, 3 * 32, 512, "texels");
    float *texels = memory_host(g.memory, address, 3 * 32);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            texels[y * 8 + x] = (float)(10 * y + x);
    g.texture = (struct texture){.address = address, .pitch_bytes = 32, .slice_bytes = 96, .width = 4, .height = 3,
                                 .depth = 1, .channel_bits = 32, .n_channels = 1, .channel = CHANNEL_FLOAT,
                                 .address_mode = {(uint8_t)mode, (uint8_t)mode, (uint8_t)mode}, .filters = filters,
                                 .is_normalized = is_normalized, .border = {7, 0, 0, 0}};
    return g;
}

static float sample(const struct grid *g, float x, float y)
{
    const struct texture_request r = {.geometry = GEOMETRY_2D};
    uint32_t coordinates[2], out[4];
    float value;
    memcpy(coordinates, (const float[]){x, y}, sizeof coordinates);
    struct texture_reader reader = {.memory = g->memory};
    assert_true(texture_sample(&g->texture, &reader, &r, coordinates, out));
    memcpy(&value, out, sizeof value);
    return value;
}

#define SAMPLE(g, x, y, want) assert_true(sample(&(g), x, y) == (float)(want))

static void address_modes(void **state)
{
    (void)state;
    struct grid clamp = grid_new(ADDRESS_CLAMP, false, false), border = grid_new(ADDRESS_BORDER, false, false);
    struct grid wrap = grid_new(ADDRESS_WRAP, false, true), mirror = grid_new(ADDRESS_MIRROR, false, true);
    SAMPLE(clamp, 2.5f, 1.5f, 12);
    SAMPLE(clamp, -5, 9, 20);
    SAMPLE(border, -0.5f, 1, 7);
    SAMPLE(border, 3.5f, 2.5f, 23);
    SAMPLE(wrap, 1.125f, -0.1f, 20);
    SAMPLE(mirror, 1.125f, 0.5f, 13);
    SAMPLE(mirror, -0.125f, 0.5f, 10);
    memory_delete(clamp.memory);
    memory_delete(border.memory);
    memory_delete(wrap.memory);
    memory_delete(mirror.memory);
}

static void filtering(void **state)
{
    (void)state;
    struct grid g = grid_new(ADDRESS_CLAMP, true, false);
    SAMPLE(g, 1.5f, 1.5f, 11);
    SAMPLE(g, 2, 1.5f, 11.5f);
    SAMPLE(g, 1.75f, 2.25f, 0.25f * (0.75f * 11 + 0.25f * 12) + 0.75f * (0.75f * 21 + 0.25f * 22));
    SAMPLE(g, 0, 0, 0);
    const struct texture_request r = {.geometry = GEOMETRY_2D, .action = TEXTURE_GATHER};
    uint32_t coordinates[2], out[4];
    float values[4];
    memcpy(coordinates, (const float[]){1.75f, 2.25f}, sizeof coordinates);
    struct texture_reader reader = {.memory = g.memory};
    assert_true(texture_gather(&g.texture, &reader, &r, coordinates, out));
    memcpy(values, out, sizeof values);
    assert_true(values[0] == 21 && values[1] == 22 && values[2] == 12 && values[3] == 11);
    assert_int_equal(texture_answer(&g.texture, QUERY_WIDTH), 4);
    memory_delete(g.memory);
}

// ---- as PTX: a handle that stands for nothing is a fault ------------------------------------------------

static void handles_of_nothing_are_faults(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd3, {%f5, %f6}];\n",
        "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd3, {%f5, %f6}];\n",
        "txq.width.b32 %r3, [%rd3];\n",
        "suld.b.2d.b32.trap %r3, [%rd3, {%r4, %r5}];\n",
        "sust.b.2d.b32.clamp [%rd3, {%r4, %r5}], %r3;\n",
    };
    for (size_t i = 0; i < N_ELEMENTS(bodies); i++) {
        char text[2048];
        kernel_text(text, sizeof text, "mov.u64 %rd3, 3;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.f32 %f5, 0f00000000;\n"
                                       "mov.f32 %f6, 0f00000000;\nmov.u32 %r3, 0;\n$B", 'B', bodies[i], 0);
        struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096};
        kernel_run(&r);
        assert_int_equal(r.fault.kind, FAULT_OUT_OF_BOUNDS);
        kernel_run_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(address_modes), cmocka_unit_test(filtering),
                                       cmocka_unit_test(handles_of_nothing_are_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
