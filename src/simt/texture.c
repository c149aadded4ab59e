// Texture sampling: address modes, filtering with weights of 8 bits, formats. doc/texture.md has the rules and sources.
#include "simt/texture.h"
#include "simt/half.h"
#include "base/err.h"
#include "simt/semantics.h"
#include <math.h>
#include <string.h>

enum { WEIGHT_ONE = 256 };

// ---- texels ------------------------------------------------------------------------------------------------

struct place {
    int32_t x, y, z; // texel numbers in range, or is_border
    bool is_border;
};

static float half_value(uint32_t half)
{
    const int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 1023);
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                                      : ldexpf((float)(exponent ? fraction | 1024 : fraction),
                                               (exponent ? exponent : 1) - 25);
    return half & 0x8000 ? -size : size;
}

// Signed numbers have two that mean -1.
// The least signed number is beyond -1: filtered so, and limited at the end.
static float normalized_value(const struct texture *t, uint32_t raw)
{
    const uint32_t top = (1u << t->channel_bits) - 1;
    if (t->channel == CHANNEL_UNSIGNED)
        return (float)raw / (float)top;
    const int32_t value = t->channel_bits == 8 ? (int8_t)raw : (int16_t)raw;
    return (float)value / (float)(top >> 1);
}

static uint32_t channel_value(const struct texture *t, uint32_t raw)
{
    if (t->channel == CHANNEL_FLOAT)
        return t->channel_bits == 16 ? bits_of_f32(half_value(raw)) : raw;
    if (t->reads_normalized)
        return bits_of_f32(normalized_value(t, raw));
    if (t->channel == CHANNEL_SIGNED && t->channel_bits < 32)
        return (uint32_t)(t->channel_bits == 8 ? (int8_t)raw : (int16_t)raw);
    return raw;
}

static bool gives_floats(const struct texture *t)
{
    return t->channel == CHANNEL_FLOAT || t->reads_normalized;
}

// The border's colour in the format of the texels; halves are rounded down. Whole numbers are its bits.
static uint32_t border_value(const struct texture *t, float value)
{
    if (t->channel == CHANNEL_FLOAT)
        return bits_of_f32(value);
    if (!t->reads_normalized)
        return t->channel_bits < 32 ? channel_value(t, bits_of_f32(value) & ((1u << t->channel_bits) - 1)) : bits_of_f32(value);
    const float least = t->channel == CHANNEL_UNSIGNED ? 0 : -1, limited = value < least ? least : value > 1 ? 1 : value;
    const uint32_t top = (1u << t->channel_bits) - 1;
    const double units = ceil((double)limited * (t->channel == CHANNEL_UNSIGNED ? top : top >> 1) - 0.5);
    return channel_value(t, (uint32_t)(int32_t)units & top);
}

// Linear and pitched memory keeps its order.
static void note_texel(const struct texture *t, struct texture_reader *reader, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t offset = t->is_pitched ? x + y * t->pitch_bytes : block_linear(x, y, t->pitch_bytes);
    const uint64_t slice_bytes = t->is_pitched ? t->slice_bytes : block_linear_bytes(t->pitch_bytes, t->height);
    if (reader->n_texels < TEXTURE_MOST_TEXELS)
        reader->texels[reader->n_texels++] = t->address + z * slice_bytes + offset;
}

static bool read_texel(const struct texture *t, struct texture_reader *reader, struct place at, uint32_t out[4])
{
    const uint32_t bytes = t->channel_bits / 8u;
    memset(out, 0, 4 * sizeof *out); // channels that the format does not have
    if (at.is_border) {
        for (uint32_t c = 0; c < t->n_channels; c++)
            out[c] = border_value(t, t->border[c]);
        return true;
    }
    const uint64_t address = t->address + (uint64_t)at.x * bytes * t->n_channels + (uint64_t)at.y * t->pitch_bytes +
                             (uint64_t)at.z * t->slice_bytes;
    const uint8_t *from = memory_host(reader->memory, address, (size_t)bytes * t->n_channels);
    if (!from)
        return false;
    note_texel(t, reader, (uint64_t)at.x * bytes * t->n_channels, (uint64_t)at.y, (uint64_t)at.z);
    for (uint32_t c = 0; c < t->n_channels; c++) {
        uint32_t raw = 0;
        memcpy(&raw, from + c * bytes, bytes);
        out[c] = channel_value(t, raw);
    }
    return true;
}

// ---- addressing --------------------------------------------------------------------------------------------

// Wrap and mirror need normalised coordinates; without them they are clamp (CUDA C++ programming guide, "Texture memory").
static enum texture_address mode_of(const struct texture *t, int axis)
{
    const enum texture_address mode = (enum texture_address)t->address_mode[axis];
    return !t->is_normalized && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR) ? ADDRESS_CLAMP : mode;
}

static int32_t texel_number(enum texture_address mode, int64_t i, int32_t n, bool *is_border)
{
    const int64_t period = mode == ADDRESS_MIRROR ? 2 * (int64_t)n : n;
    int64_t at = ((i % period) + period) % period;
    switch (mode) {
    case ADDRESS_WRAP:
        return (int32_t)at;
    case ADDRESS_MIRROR:
        return (int32_t)(at < n ? at : period - 1 - at);
    case ADDRESS_BORDER:
        *is_border |= i < 0 || i >= n;
        return 0 <= i && i < n ? (int32_t)i : 0;
    default:
        return (int32_t)(i < 0 ? 0 : i >= n ? n - 1 : i);
    }
}

// Normalised coordinates have 21 bits behind the point.
static double cut_coordinate(const struct texture *t, int axis, float x)
{
    const enum texture_address mode = (enum texture_address)t->address_mode[axis];
    const bool repeats = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    if (repeats && !isfinite(x))
        return 0;
    return floor((repeats ? fmod((double)x, 2) : (double)x) * (1 << 21)) / (1 << 21);
}

// A coordinate in units of 1/256 texel; beyond the range of texels no more than a number far away.
static int64_t fixed_coordinate(const struct texture *t, int axis, float x, int32_t n, float less)
{
    const double given = isnan(x) ? 0 : (double)x; // also where it is clamped
    const double most = 1e9, scaled = (t->is_normalized ? cut_coordinate(t, axis, (float)given) * n : given) - (double)less;
    const double limited = scaled > most ? most : scaled < -most ? -most : scaled;
    return (int64_t)floor(limited * WEIGHT_ONE + 0.5);
}

// Two neighbours along one axis and the weight of the second, of WEIGHT_ONE.
struct axis {
    int32_t at[2];
    bool is_border[2];
    int32_t weight;
};

static struct axis axis_of(const struct texture *t, int number, float x, int32_t n, bool filters)
{
    const enum texture_address mode = mode_of(t, number);
    struct axis axis = {.weight = 0};
    int64_t first;
    if (filters) {
        const int64_t fixed = fixed_coordinate(t, number, x, n, 0.5f);
        first = fixed >> 8;
        axis.weight = (int32_t)(fixed & (WEIGHT_ONE - 1));
    } else {
        const double scaled = floor(t->is_normalized ? cut_coordinate(t, number, x) * n : (double)x);
        first = isnan(scaled) ? 0 : scaled > 1e9 ? 1000000000 : scaled < -1e9 ? -1000000000 : (int64_t)scaled;
    }
    for (int i = 0; i < 2; i++)
        axis.at[i] = texel_number(mode, first + i, n, &axis.is_border[i]);
    if (mode == ADDRESS_CLAMP && axis.at[0] == axis.at[1]) // the coordinate itself is clamped
        axis.weight = 0;
    return axis;
}

static int32_t layer_of(const struct texture *t, uint32_t layer)
{
    const uint32_t n = t->n_layers ? t->n_layers : 1;
    return (int32_t)(layer < n ? layer : n - 1); // negative ones are great numbers
}

// ---- cubes: the face that the direction meets ---------------------------------------------------------------

// Source: CUDA C++ programming guide, "Cubemap textures".
static int32_t face_of(const float direction[3], float *s, float *u)
{
    const float x = direction[0], y = direction[1], z = direction[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float m, a, b;
    int32_t face;
    if (ax >= ay && ax >= az) {
        face = x < 0, m = ax, a = x < 0 ? z : -z, b = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0), m = ay, a = x, b = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), m = az, a = z < 0 ? -x : x, b = -y;
    }
    *s = (a / m + 1) / 2;
    *u = (b / m + 1) / 2;
    return face;
}

// ---- samples -----------------------------------------------------------------------------------------------

struct sample {
    struct axis axes[3];
    int32_t layer; // instead of the third axis where there are layers
    uint32_t n_axes;
};

static void place_sample(const struct texture *t, const struct texture_request *r, const uint32_t *coordinates,
                         bool filters, struct sample *out)
{
    const int32_t sizes[] = {(int32_t)t->width, (int32_t)t->height, (int32_t)t->depth};
    const bool is_array = r->geometry == GEOMETRY_A1D || r->geometry == GEOMETRY_A2D || r->geometry == GEOMETRY_ACUBE;
    const bool is_cube = r->geometry == GEOMETRY_CUBE || r->geometry == GEOMETRY_ACUBE;
    float x[3] = {0, 0, 0};
    *out = (struct sample){.n_axes = texture_coordinates(r->geometry) - is_array - is_cube};
    out->layer = is_array ? layer_of(t, coordinates[0]) : 0;
    for (uint32_t i = 0; i + is_array < texture_coordinates(r->geometry); i++)
        x[i] = r->has_integers ? (float)(int32_t)coordinates[i + is_array] : f32_of_bits(coordinates[i + is_array]);
    if (is_cube) {
        const int32_t face = face_of((const float[]){x[0], x[1], x[2]}, &x[0], &x[1]);
        out->layer = out->layer * 6 + face;
    }
    for (uint32_t i = 0; i < out->n_axes; i++)
        out->axes[i] = axis_of(t, (int)i, x[i], sizes[i], filters);
    if (filters && r->geometry == GEOMETRY_1D && mode_of(t, 1) == ADDRESS_BORDER) { // one row, met at height 0: half is border
        out->axes[1] = axis_of(t, 1, 0, 1, true);
        out->n_axes = 2;
    }
}

static bool read_corner(const struct texture *t, struct texture_reader *reader, const struct sample *s, uint32_t corner,
                        uint32_t out[4])
{
    struct place at = {.z = s->layer};
    int32_t *numbers[] = {&at.x, &at.y, &at.z};
    for (uint32_t i = 0; i < s->n_axes; i++) {
        *numbers[i] = s->axes[i].at[corner >> i & 1];
        at.is_border |= s->axes[i].is_border[corner >> i & 1];
    }
    return read_texel(t, reader, at, out);
}

static int32_t part_of(int32_t whole, int32_t weight)
{
    return (whole * weight + WEIGHT_ONE / 2) / WEIGHT_ONE;
}

// Weights of the corners in units of 1/WEIGHT_ONE, a bit of the number for each axis: depth is divided first, then the width,
// then the height. The products are rounded, what is left goes to the other corner: halves of the height to the corner that
// lies on the far side of both axes, or on the near side of both.
static void corner_weights(const struct sample *s, int32_t weights[8])
{
    const int32_t x = s->axes[0].weight, y = s->axes[1].weight, z = s->axes[2].weight; // 0 where there is no such axis
    for (uint32_t k = 0; k < 2; k++) {
        int32_t *w = weights + 4 * k;
        const int32_t whole = k ? z : WEIGHT_ONE - z, far = part_of(whole, x), near = whole - far;
        w[3] = part_of(far, y);
        w[1] = far - w[3];
        w[0] = part_of(near, WEIGHT_ONE - y);
        w[2] = near - w[0];
    }
}

// Numbers of -1 .. 1 are summed as integers of 16 bits, and the sum is rounded to one.
static double scale_of(const struct texture *t)
{
    return !t->reads_normalized ? 0 : t->channel == CHANNEL_UNSIGNED ? 65535 : 32767;
}

// A number of -1 .. 1 in units of scale_of, of which bytes hold 1/127 or 1/255.
static double wide_value(const struct texture *t, double value)
{
    const double most = t->channel == CHANNEL_UNSIGNED ? (1 << t->channel_bits) - 1 : (1 << (t->channel_bits - 1)) - 1;
    return rint(value * most) * (scale_of(t) / most);
}

// To `bits` bits, halves away from zero; `least`: the exponent of the least number above 0.
static float rounded(double x, int bits, int least)
{
    int exponent;
    if (!isfinite(x))
        return (float)x;
    frexp(x, &exponent);
    const int unit = exponent - bits > least ? exponent - bits : least;
    return (float)copysign(ldexp(floor(ldexp(fabs(x), -unit) + 0.5), unit), x);
}

// A sum as the format has it: floats of 16 bits stay such.
static float result_of(const struct texture *t, double sum)
{
    const double scale = scale_of(t);
    if (scale > 0)
        return (float)fmax(floor(sum + 0.5) / scale, -1);
    return t->channel_bits == 16 ? half_widen(HALF_F16, half_narrow(HALF_F16, rounded(sum, 11, -24))) : rounded(sum, 24, -149);
}

// The corners that have a weight, all channels.
struct corners {
    uint32_t n;
    int32_t weight[8];
    float value[8][4];
};

static bool read_corners(const struct texture *t, struct texture_reader *reader, const struct sample *s, struct corners *out)
{
    int32_t weights[8];
    corner_weights(s, weights);
    out->n = 0;
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t texel[4];
        if (weights[corner] == 0)
            continue;
        if (!read_corner(t, reader, s, corner, texel))
            return false;
        for (int c = 0; c < 4; c++)
            out->value[out->n][c] = f32_of_bits(texel[c]);
        out->weight[out->n++] = weights[corner];
    }
    return true;
}

// Floats are summed in the units of the greatest one, of which KEPT_BITS lie behind its leading bit; what is below is cut off.
static double sum_of_floats(const struct corners *from, int c)
{
    enum { KEPT_BITS = 27 };
    int greatest = -1000, exponent;
    double sum = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        frexpf(from->value[i][c], &exponent);
        greatest = from->value[i][c] != 0 && exponent > greatest ? exponent : greatest;
    }
    for (uint32_t i = 0; i < from->n; i++) {
        const double value = (double)from->value[i][c];
        const int unit = greatest - 1 - KEPT_BITS;
        sum += from->weight[i] * (isfinite(value) ? ldexp(trunc(ldexp(value, -unit)), unit) : value);
    }
    return sum / WEIGHT_ONE;
}

static double sum_of_parts(const struct texture *t, const struct corners *from, int c)
{
    double sum = 0;
    for (uint32_t i = 0; i < from->n; i++)
        sum += from->weight[i] * wide_value(t, (double)from->value[i][c]);
    return sum / WEIGHT_ONE;
}

static bool filter_corners(const struct texture *t, struct texture_reader *reader, const struct sample *s, uint32_t out[4])
{
    struct corners corners;
    if (!read_corners(t, reader, s, &corners))
        return false;
    for (int c = 0; c < 4; c++)
        out[c] = bits_of_f32(result_of(t, t->reads_normalized ? sum_of_parts(t, &corners, c) : sum_of_floats(&corners, c)));
    return true;
}

// Linear memory: texels by number, zero outside.
static bool fetch_linear(const struct texture *t, struct texture_reader *reader, const uint32_t *coordinates, uint32_t out[4])
{
    const int32_t x = (int32_t)coordinates[0];
    if (x >= 0 && (uint32_t)x < t->width)
        return read_texel(t, reader, (struct place){.x = x}, out);
    memset(out, 0, 4 * sizeof *out);
    return true;
}

bool texture_sample(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, uint32_t out[4])
{
    struct sample sample;
    const bool filters = texture->filters && gives_floats(texture) && !request->has_integers;
    if (!texture->is_linear_memory)
        place_sample(texture, request, coordinates, filters, &sample);
    if (filters && !texture->is_linear_memory)
        return filter_corners(texture, reader, &sample, out);
    if (!(texture->is_linear_memory ? fetch_linear(texture, reader, coordinates, out)
                                    : read_corner(texture, reader, &sample, 0, out)))
        return false;
    for (int c = 0; texture->reads_normalized && texture->channel == CHANNEL_SIGNED && c < 4; c++)
        out[c] = bits_of_f32(fmaxf(f32_of_bits(out[c]), -1));
    return true;
}

// In the order (0, 1), (1, 1), (1, 0), (0, 0) of neighbours (PTX ISA, tld4).
bool texture_gather(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, uint32_t out[4])
{
    static const uint8_t corners[] = {2, 3, 1, 0};
    struct sample sample;
    place_sample(texture, request, coordinates, true, &sample);
    for (int i = 0; i < 4; i++) {
        uint32_t texel[4];
        if (!read_corner(texture, reader, &sample, corners[i], texel))
            return false;
        out[i] = texel[request->which];
        if (texture->reads_normalized && texture->channel == CHANNEL_SIGNED)
            out[i] = bits_of_f32(result_of(texture, wide_value(texture, (double)f32_of_bits(out[i]))));
    }
    return true;
}

uint32_t texture_answer(const struct texture *texture, enum texture_query query)
{
    switch (query) {
    case QUERY_WIDTH:
        return texture->width;
    case QUERY_HEIGHT:
        return texture->height;
    case QUERY_DEPTH:
        return texture->depth;
    case QUERY_ARRAY_SIZE:
        return texture->n_layers;
    default:
        return 1;
    }
}

// ---- surfaces ----------------------------------------------------------------------------------------------

uint8_t *surface_at(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, bool *is_outside)
{
    const bool is_array = request->geometry == GEOMETRY_A1D || request->geometry == GEOMETRY_A2D;
    const uint32_t n_axes = texture_coordinates(request->geometry) - is_array, bytes = texture->channel_bits / 8u;
    const int64_t n_bytes = (int64_t)request->element_bytes * request->n_elements;
    int64_t at[3] = {0, 0, is_array ? (int32_t)coordinates[0] : 0};
    const int64_t sizes[] = {(int64_t)texture->width * bytes * texture->n_channels, texture->height,
                             is_array ? texture->n_layers : texture->depth};
    for (uint32_t i = 0; i < n_axes; i++)
        at[i] = (int32_t)coordinates[i + is_array];
    *is_outside = false;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t last = i == 0 ? sizes[0] - n_bytes : sizes[i] - 1;
        *is_outside |= at[i] < 0 || at[i] > last;
        if (request->which == SURFACE_CLAMP)
            at[i] = at[i] < 0 ? 0 : at[i] > last ? last : at[i];
    }
    if (*is_outside && request->which != SURFACE_CLAMP)
        return NULL;
    *is_outside = false;
    note_texel(texture, reader, (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]);
    return memory_host(reader->memory, texture->address + (uint64_t)at[0] + (uint64_t)at[1] * texture->pitch_bytes +
                                   (uint64_t)at[2] * texture->slice_bytes, (size_t)n_bytes);
}
