// Bytes of the profile file: a growing encoder and a bounds-checked decoder. Numbers are LEB128 varints
// (seven bits a byte, low ones first), texts are a length and the bytes, reals are eight little-endian bytes.
//
//     struct encoder e = {0};                       struct decoder d = {bytes, bytes + n, false};
//     encode_u64(&e, 300);                          uint64_t v = decode_u64(&d);
//     encoder_release(&e);                          if (d.is_bad) ...   // read past the end; every value was
//     0 or ""
#ifndef PROF_CODEC_H
#define PROF_CODEC_H
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct encoder {
    uint8_t *at;
    size_t n, capacity;
};

enum { MAX_U64_BYTES = 10 }; // of one varint

void encode_u64(struct encoder *encoder, uint64_t value);
// For many small numbers in a row: room for n bytes at encoder->at + encoder->n, filled by put_u64 from
// there.
uint8_t *encode_room(struct encoder *encoder, size_t n);
static inline uint8_t *put_u64(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}
void encode_f64(struct encoder *encoder, double value);
void encode_text(struct encoder *encoder, const char *text); // NULL is written as ""
void encode_fixed32(struct encoder *encoder, uint32_t value);
void encode_fixed64(struct encoder *encoder, uint64_t value);
void encoder_release(struct encoder *encoder);

// Small changes of a value that may be negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
static inline uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}
static inline int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

struct decoder {
    const uint8_t *at, *end;
    bool is_bad; // sticky; `at` is then `end`
};

uint64_t decode_u64(struct decoder *decoder);
uint32_t decode_u32(struct decoder *decoder); // larger values are bad
double decode_f64(struct decoder *decoder);
const char *decode_text(struct decoder *decoder, struct arena *arena);
uint32_t decode_fixed32(struct decoder *decoder);
uint64_t decode_fixed64(struct decoder *decoder);
// A number of elements that follow, each of at least `min_bytes`: more than can still come is bad, and 0.
uint32_t decode_count(struct decoder *decoder, size_t min_bytes);

uint64_t hash_wide(const uint8_t *bytes, size_t n);
uint32_t checksum(const uint8_t *bytes, size_t n); // its upper half

// A member of a struct as the file stores it. Types: 'u' uint32_t, 'U' uint64_t, 'b' bool, 'f' double, 's'
// text.
struct field {
    const char *name;
    char type;
    uint16_t offset;
};

void encode_field(struct encoder *encoder, const struct field *field, const void *object);
void copy_field(const struct field *field, const void *from, void *to); // texts are shared
// `object` NULL: the value is read and dropped. An unknown type is bad.
void decode_field(struct decoder *decoder, char type, uint16_t offset, void *object, struct arena *arena);
#endif
