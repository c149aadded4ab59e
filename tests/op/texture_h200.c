// Samples of textures against an H200: six shapes, 18 formats, every address mode, point and linear,
// coordinates of texels and normalised, and gathered texels (tools/measure/texture.cu ran on the card; the
// case follows from its number here as there).
//
//     texture_h200                   compares with tests/data/texture_h200.bin.zst
//     texture_h200 --store TEXT      makes that file, unpacked, of what the card printed, on the standard
//     output
//
// Stored, texture by texture in the order of case_next: a hash of 192 samples (8 bytes); where results are
// known to be off in the last place (is_exact) the words of the first 66 samples. Infinite and similar
// directions of cubes are left out.
#include "simt/half.h"
#include "simt/texture.h"
#include "support/check.h"
#include "support/packed.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char stored_path[] = "tests/data/texture_h200.bin.zst";

enum { SAMPLES = 192, SPECIAL = 6, KEPT = 66, ROW_BYTES_MAX = 13 * 16, GATHERS = 4, CHANNELS = 4 };

// ---- cases: as in tools/measure/texture.cu
// -----------------------------------------------------------------------

struct format {
    const char *name;
    uint8_t bits, channels, channel;
};
static const struct format formats[] = {
    {"u8x1", 8, 1, CHANNEL_UNSIGNED},   {"u8x2", 8, 2, CHANNEL_UNSIGNED},
    {"u8x4", 8, 4, CHANNEL_UNSIGNED},   {"s8x1", 8, 1, CHANNEL_SIGNED},
    {"s8x4", 8, 4, CHANNEL_SIGNED},     {"u16x1", 16, 1, CHANNEL_UNSIGNED},
    {"u16x4", 16, 4, CHANNEL_UNSIGNED}, {"s16x2", 16, 2, CHANNEL_SIGNED},
    {"s16x4", 16, 4, CHANNEL_SIGNED},   {"u32x1", 32, 1, CHANNEL_UNSIGNED},
    {"u32x4", 32, 4, CHANNEL_UNSIGNED}, {"s32x2", 32, 2, CHANNEL_SIGNED},
    {"f16x1", 16, 1, CHANNEL_FLOAT},    {"f16x2", 16, 2, CHANNEL_FLOAT},
    {"f16x4", 16, 4, CHANNEL_FLOAT},    {"f32x1", 32, 1, CHANNEL_FLOAT},
    {"f32x2", 32, 2, CHANNEL_FLOAT},    {"f32x4", 32, 4, CHANNEL_FLOAT},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct shape {
    const char *name;
    enum texture_geometry geometry;
    uint32_t width, height, depth; // 0: there is none
};
static const struct shape shapes[] = {
    {"1d", GEOMETRY_1D, 13, 0, 0},   {"2d", GEOMETRY_2D, 13, 7, 0},   {"3d", GEOMETRY_3D, 11, 6, 5},
    {"a1d", GEOMETRY_A1D, 13, 3, 0}, {"a2d", GEOMETRY_A2D, 13, 7, 3}, {"cube", GEOMETRY_CUBE, 8, 8, 6},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct texture_case {
    const struct shape *shape;
    const struct format *format;
    int normalized, mode, linear, read;
};

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static float coordinate(int i, int axis, int n, int normalized)
{
    static const float special[SPECIAL] = {NAN, INFINITY, -INFINITY, 1e30f, -0.0f, -1e-30f};
    const uint64_t r = mix((uint64_t)i * 8 + (uint64_t)axis + 77);
    const float part = (float)(r >> 40) / 16777216.0f;
    float x;
    if (i % 6 < 2)
        x = (float)((int)(r % (uint64_t)(3 * n)) - n) + (i % 6 ? 0 : 0.5f);
    else if (i % 6 == 2)
        x = (float)((int64_t)(r % (uint64_t)(3 * n * 1024)) - n * 1024) / 1024.0f;
    else if (i % 6 < 5)
        x = i % 6 == 3 ? part * (float)n : (part * 3.5f - 1.25f) * (float)n;
    else
        x = (float)(int)(r % (uint64_t)n) + (float)((r >> 32) % 2049) / 2048.0f;
    x = i >= SAMPLES - SPECIAL ? special[(i + axis) % SPECIAL] : x;
    return normalized ? x / (float)n : x;
}

static void coordinates_of(const struct texture_case *k, int i, float out[3])
{
    const uint32_t sizes[3] = {k->shape->width, k->shape->height, k->shape->depth};
    for (int axis = 0; axis < 3; axis++)
        out[axis] = coordinate(i, axis, sizes[axis] ? (int)sizes[axis] : 1, k->normalized);
    if (k->shape->geometry == GEOMETRY_A1D || k->shape->geometry == GEOMETRY_A2D)
        out[2] = (float)((int)(mix((uint64_t)i) % 7) - 2); // the layer
    for (int axis = 0; k->shape->geometry == GEOMETRY_CUBE && axis < 3 && i < SAMPLES - SPECIAL; axis++)
        out[axis] =
            (float)((int)(mix((uint64_t)i * 3 + (uint64_t)axis) % 2001) - 1000) / (i & 1 ? 1000.0f : 250.0f);
}

static void channel_fill(const struct format *f, uint64_t number, uint8_t *out)
{
    uint64_t r = mix(number * 31 + f->bits);
    if (f->channel == CHANNEL_FLOAT && f->bits == 32) {
        const float value = (float)((int)(r % 20001) - 10000) / 16.0f * ((r >> 40) % 3 ? 1.0f : 0.37f);
        memcpy(out, &value, sizeof value);
        return;
    }
    if (f->channel == CHANNEL_FLOAT)
        r = half_narrow(HALF_F16, (float)((int)(r % 2001) - 1000) / 16.0f);
    memcpy(out, &r, f->bits / 8u);
}

struct card_texture { // in guest memory
    struct memory *memory;
    struct texture texture;
};

static void texture_make(const struct texture_case *k, struct card_texture *out)
{
    const struct shape *s = k->shape;
    const struct format *f = k->format;
    const bool is_a1d = s->geometry == GEOMETRY_A1D;
    const bool is_array = is_a1d || s->geometry == GEOMETRY_A2D, is_cube = s->geometry == GEOMETRY_CUBE;
    const uint32_t rows = is_a1d || !s->height ? 1 : s->height, planes = is_a1d ? 3 : s->depth ? s->depth : 1;
    const uint32_t row_bytes = s->width * f->channels * f->bits / 8u, n_bytes = planes * rows * ROW_BYTES_MAX;
    struct err err = {0};
    out->memory = memory_new(1 << 20, &err);
    const uint64_t address = memory_alloc(out->memory, n_bytes, 512, "texels");
    uint8_t *at = memory_host(out->memory, address, n_bytes);
    for (uint32_t row = 0; row < planes * rows; row++)
        for (uint32_t i = 0; i < s->width * f->channels; i++)
            channel_fill(f, (uint64_t)row * s->width * f->channels + i,
                         at + row * row_bytes + i * f->bits / 8u);
    const uint8_t mode = (uint8_t)k->mode;
    out->texture = (struct texture){.address = address,
                                    .pitch_bytes = row_bytes,
                                    .slice_bytes = row_bytes * rows,
                                    .width = s->width,
                                    .height = rows,
                                    .depth = is_array || is_cube ? 1 : planes,
                                    .n_layers = is_array || is_cube ? planes : 0,
                                    .channel_bits = f->bits,
                                    .n_channels = f->channels,
                                    .channel = f->channel,
                                    .address_mode = {mode, mode, mode},
                                    .filters = k->linear,
                                    .reads_normalized = k->read,
                                    .is_normalized = k->normalized,
                                    .border = {0.25f, 0.5f, -0.75f, 1.0f}};
}

// Sample i; gather: the component, -1: none.
static void sample(const struct texture_case *k, const struct card_texture *t, int i, int gather,
                   uint32_t out[4])
{
    float x[3];
    uint32_t coordinates[4], n = 0;
    const enum texture_geometry geometry = k->shape->geometry;
    const struct texture_request r = {.action = gather < 0 ? TEXTURE_SAMPLE : TEXTURE_GATHER,
                                      .geometry = geometry,
                                      .which = gather < 0 ? 0 : (uint32_t)gather};
    struct texture_reader reader = {.memory = t->memory};
    coordinates_of(k, i, x);
    if (geometry == GEOMETRY_A1D || geometry == GEOMETRY_A2D)
        coordinates[n++] = (uint32_t)(int)x[2];
    memcpy(coordinates + n, x, sizeof x);
    assert_true(gather < 0 ? texture_sample(&t->texture, &reader, &r, coordinates, out)
                           : texture_gather(&t->texture, &reader, &r, coordinates, out));
}

// ---- all textures
// ------------------------------------------------------------------------------------------------

// The next case, in the order in which the card ran them; gathers lie behind the 2D textures that clamp.
// False: it was the last.
static bool case_next(uint32_t *number, struct texture_case *k)
{
    for (; *number < SHAPES * FORMATS * 32; ++*number) {
        const uint32_t n = *number;
        *k = (struct texture_case){&shapes[n / (FORMATS * 32)],
                                   &formats[n / 32 % FORMATS],
                                   n >> 4 & 1,
                                   n >> 2 & 3,
                                   n >> 1 & 1,
                                   n & 1};
        const bool is_float = k->format->channel == CHANNEL_FLOAT;
        if ((k->read && (is_float || k->format->bits == 32)) || (k->linear && !is_float && !k->read) ||
            (k->shape->geometry == GEOMETRY_CUBE && !k->normalized))
            continue;
        ++*number;
        return true;
    }
    return false;
}

static bool has_gathers(const struct texture_case *k)
{
    return k->shape->geometry == GEOMETRY_2D && k->mode == ADDRESS_CLAMP &&
           (k->format->channel == CHANNEL_FLOAT || k->read);
}

static bool is_left_out(const struct texture_case *k, int i)
{
    return k->shape->geometry == GEOMETRY_CUBE && i >= SAMPLES - SPECIAL;
}

static uint64_t hash_samples(const struct texture_case *k, uint32_t (*words)[CHANNELS])
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < SAMPLES; i++)
        for (int c = 0; c < CHANNELS && !is_left_out(k, i); c++)
            hash = (hash ^ words[i][c]) * 0x100000001b3ull;
    return hash;
}

// Open: the rounding of signed bytes, and which texels of eight are summed first.
static bool is_signed_byte(const struct texture_case *k)
{
    return k->format->channel == CHANNEL_SIGNED && k->format->bits == 8;
}

static bool is_exact(const struct texture_case *k)
{
    const bool is_float_3d =
        k->shape->geometry == GEOMETRY_3D && k->format->channel == CHANNEL_FLOAT && k->format->bits == 32;
    return !k->linear || (!is_signed_byte(k) && !is_float_3d);
}

// ---- comparison
// --------------------------------------------------------------------------------------------------

struct count {
    uint32_t n_textures, n_bad, n_near,
        n_off; // textures, textures that differ; inexact samples, those of them off
    uint32_t per_format[FORMATS], per_mode[4], per_shape[SHAPES]; // samples
};

static bool is_near(const struct texture_case *k, const uint32_t want[CHANNELS],
                    const uint32_t have[CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) {
        float a, b;
        memcpy(&a, &want[c], sizeof a);
        memcpy(&b, &have[c], sizeof b);
        if (want[c] != have[c] && !(fabsf(a - b) <= (is_signed_byte(k) ? 1.01f / 32767 : 2e-7f * fabsf(a))))
            return false;
    }
    return true;
}

// True if `stored` is what the engine gives; its length goes to `used`.
static bool compare(const struct texture_case *k, int gather, const uint8_t *stored, size_t *used,
                    struct count *count)
{
    static uint32_t have[SAMPLES][CHANNELS];
    struct card_texture t;
    bool is_equal = true;
    texture_make(k, &t);
    for (int i = 0; i < SAMPLES; i++)
        sample(k, &t, i, gather, have[i]);
    memory_delete(t.memory);
    if (is_exact(k) || gather >= 0) {
        const uint64_t hash = hash_samples(k, have);
        *used = sizeof hash;
        return memcmp(&hash, stored, sizeof hash) == 0;
    }
    for (int i = 0; i < KEPT; i++) {
        uint32_t want[CHANNELS];
        memcpy(want, stored + (size_t)i * sizeof want, sizeof want);
        count->n_near++;
        count->n_off += memcmp(want, have[i], sizeof want) != 0;
        is_equal &= is_near(k, want, have[i]);
    }
    *used = (size_t)KEPT * CHANNELS * 4;
    return is_equal;
}

static void count_case(const struct texture_case *k, int gather, bool is_good, struct count *count)
{
    count->n_textures++;
    count->n_bad += !is_good;
    count->per_format[k->format - formats] += SAMPLES;
    count->per_shape[k->shape - shapes] += SAMPLES;
    count->per_mode[k->mode] += SAMPLES;
    if (!is_good)
        print_message("%s %s, gather %d, normalized %d, mode %d, linear %d, read %d\n", k->shape->name,
                      k->format->name, gather, k->normalized, k->mode, k->linear, k->read);
}

static void as_on_the_card(void **state)
{
    (void)state;
    struct count count = {0};
    struct texture_case k;
    uint32_t number = 0;
    size_t at = 0, used;
    struct buf stored = {0};
    packed_read(stored_path, &stored);
    while (case_next(&number, &k))
        for (int gather = -1; gather < (has_gathers(&k) ? GATHERS : 0); gather++) {
            assert_true(at + 8 <= stored.n && (is_exact(&k) || gather >= 0 || at + KEPT * CHANNELS * 4 <= stored.n));
            count_case(&k, gather, compare(&k, gather, (const uint8_t *)stored.at + at, &used, &count), &count);
            at += used;
        }
    assert_int_equal(at, stored.n);
    buf_release(&stored);
    print_message(
        "%u textures of %d samples, %u differ; of %u samples where the last place is open %u are off\n",
        count.n_textures, SAMPLES, count.n_bad, count.n_near, count.n_off);
    assert_int_equal(count.n_bad, 0);
    assert_true(count.n_textures > 2000 && count.n_off < count.n_near / 10);
    for (int i = 0; i < FORMATS; i++)
        assert_true(count.per_format[i] >= 200);
    for (int i = 0; i < 4; i++)
        assert_true(count.per_mode[i] >= 200);
    for (int i = 0; i < SHAPES; i++)
        assert_true(count.per_shape[i] >= 200);
}

// ---- --store
// -----------------------------------------------------------------------------------------------------

static void store_line(const struct texture_case *k, int gather, char *words)
{
    static uint32_t out[SAMPLES][CHANNELS];
    for (int i = 0; i < SAMPLES; i++)
        for (int c = 0; c < CHANNELS; c++)
            out[i][c] = (uint32_t)strtoul(words, &words, 16);
    const uint64_t hash = hash_samples(k, out);
    if (is_exact(k) || gather >= 0)
        fwrite(&hash, sizeof hash, 1, stdout);
    else
        fwrite(out, sizeof out[0], KEPT, stdout);
}

static int store(const char *path)
{
    static char line[1 << 16], head[128];
    FILE *in = fopen(path, "r");
    struct texture_case k;
    uint32_t number = 0;
    while (in && case_next(&number, &k))
        for (int gather = -1; gather < (has_gathers(&k) ? GATHERS : 0); gather++) {
            char name[32];
            snprintf(name, sizeof name, gather < 0 ? "tex %s" : "gather%.0s%d", k.shape->name, gather);
            snprintf(head, sizeof head, "%s %s norm %d mode %d linear %d read %d:", name, k.format->name,
                     k.normalized, k.mode, k.linear, k.read);
            while (strncmp(line, head, strlen(head)) != 0)
                if (!fgets(line, sizeof line, in))
                    return 1;
            store_line(&k, gather, line + strlen(head));
        }
    return !in || fclose(in);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--store") == 0)
        return store(argv[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_the_card)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
