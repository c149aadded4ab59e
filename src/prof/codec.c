// Bytes of the profile file: see codec.h.
#include "prof/codec.h"
#include "base/err.h"
#include "base/vec.h"
#include <string.h>

uint8_t *encode_room(struct encoder *encoder, size_t n)
{
    if (encoder->capacity - encoder->n < n)
        encoder->at = vec_grow(encoder->at, &encoder->capacity, encoder->n + n, 1);
    return encoder->at + encoder->n;
}

void encode_u64(struct encoder *encoder, uint64_t value)
{
    uint8_t *at = encode_room(encoder, MAX_U64_BYTES);
    encoder->n += (size_t)(put_u64(at, value) - at);
}

void encode_f64(struct encoder *encoder, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    encode_fixed64(encoder, bits);
}

void encode_text(struct encoder *encoder, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    encode_u64(encoder, n);
    if (n)
        memcpy(encode_room(encoder, n), text, n);
    encoder->n += n;
}

void encode_fixed32(struct encoder *encoder, uint32_t value)
{
    uint8_t *at = encode_room(encoder, 4);
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
    encoder->n += 4;
}

void encode_fixed64(struct encoder *encoder, uint64_t value)
{
    encode_fixed32(encoder, (uint32_t)value);
    encode_fixed32(encoder, (uint32_t)(value >> 32));
}

void encoder_release(struct encoder *encoder)
{
    vec_free(encoder->at);
    *encoder = (struct encoder){0};
}

static void fail(struct decoder *decoder)
{
    decoder->is_bad = true;
    decoder->at = decoder->end;
}

uint64_t decode_u64(struct decoder *decoder)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && decoder->at < decoder->end; shift += 7) {
        uint8_t byte = *decoder->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    fail(decoder);
    return 0;
}

uint32_t decode_u32(struct decoder *decoder)
{
    uint64_t value = decode_u64(decoder);
    if (value > UINT32_MAX) {
        fail(decoder);
        return 0;
    }
    return (uint32_t)value;
}

uint32_t decode_fixed32(struct decoder *decoder)
{
    if (decoder->end - decoder->at < 4) {
        fail(decoder);
        return 0;
    }
    const uint8_t *at = decoder->at;
    decoder->at += 4;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t decode_fixed64(struct decoder *decoder)
{
    uint64_t low = decode_fixed32(decoder);
    return low | (uint64_t)decode_fixed32(decoder) << 32;
}

double decode_f64(struct decoder *decoder)
{
    uint64_t bits = decode_fixed64(decoder);
    double value;
    memcpy(&value, &bits, sizeof value);
    return decoder->is_bad ? 0 : value;
}

const char *decode_text(struct decoder *decoder, struct arena *arena)
{
    uint64_t n = decode_u64(decoder);
    if (n > (uint64_t)(decoder->end - decoder->at)) {
        fail(decoder);
        return "";
    }
    const char *text = n ? arena_string(arena, (const char *)decoder->at, n) : "";
    decoder->at += n;
    return text;
}

uint32_t decode_count(struct decoder *decoder, size_t min_bytes)
{
    uint64_t n = decode_u64(decoder);
    if (n > (uint64_t)(decoder->end - decoder->at) / min_bytes || n > UINT32_MAX) {
        fail(decoder);
        return 0;
    }
    return (uint32_t)n;
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t low = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint64_t high = at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16 | (uint32_t)at[7] << 24;
    return low | high << 32;
}

// FNV-1a over eight bytes at a time with the high half folded in; the tail goes byte by byte. The last
// product (2^64 over the golden ratio) brings every bit up into the half that is kept.
uint64_t hash_wide(const uint8_t *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);
    for (; n >= 8; bytes += 8, n -= 8) {
        h = (h ^ load64(bytes)) * prime;
        h ^= h >> 32;
    }
    for (; n; bytes++, n--)
        h = (h ^ *bytes) * prime;
    return (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t checksum(const uint8_t *bytes, size_t n)
{
    return (uint32_t)(hash_wide(bytes, n) >> 32);
}

void encode_field(struct encoder *encoder, const struct field *field, const void *object)
{
    const void *at = (const char *)object + field->offset;
    switch (field->type) {
    case 'u':
        encode_u64(encoder, *(const uint32_t *)at);
        return;
    case 'U':
        encode_u64(encoder, *(const uint64_t *)at);
        return;
    case 'b':
        encode_u64(encoder, *(const bool *)at);
        return;
    case 'f':
        encode_f64(encoder, *(const double *)at);
        return;
    case 's':
        encode_text(encoder, *(const char *const *)at);
        return;
    default:
        BUG("field %s has type '%c'", field->name, field->type);
    }
}

void copy_field(const struct field *field, const void *from, void *to)
{
    size_t bytes = field->type == 'u'   ? sizeof(uint32_t)
                   : field->type == 'U' ? sizeof(uint64_t)
                   : field->type == 'b' ? sizeof(bool)
                   : field->type == 'f' ? sizeof(double)
                                        : sizeof(const char *);
    memcpy((char *)to + field->offset, (const char *)from + field->offset, bytes);
}

void decode_field(struct decoder *decoder, char type, uint16_t offset, void *object, struct arena *arena)
{
    union {
        uint64_t rest;
        double f64;
        const char *text;
    } dropped;
    void *at = object ? (char *)object + offset : (void *)&dropped;
    switch (type) {
    case 'u':
        *(uint32_t *)at = decode_u32(decoder);
        return;
    case 'U':
        *(uint64_t *)at = decode_u64(decoder);
        return;
    case 'b':
        *(bool *)at = decode_u64(decoder) != 0;
        return;
    case 'f':
        *(double *)at = decode_f64(decoder);
        return;
    case 's':
        *(const char **)at = decode_text(decoder, arena);
        return;
    default:
        fail(decoder);
    }
}
