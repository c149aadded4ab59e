// Video instructions: 32 bits as one integer, two halves or four bytes, each operand and the result signed or
// not by its own type (in mod), with a second operation on a third operand.
#ifndef SIMT_VIDEO_H
#define SIMT_VIDEO_H
#include "simt/semantics.h"
#include <stdbool.h>
#include <stdint.h>

enum video_op {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVERAGE,
    VIDEO_SHL_CLAMP,
    VIDEO_SHL_WRAP,
    VIDEO_SHR_CLAMP,
    VIDEO_SHR_WRAP,
    VIDEO_SET
};

// `bits` from bit `at` on, by the sign that mod has in `field`.
static inline int64_t video_part(uint32_t x, int at, int bits, uint32_t mod, int field)
{
    const uint64_t raw = (uint64_t)(x >> at) & (((uint64_t)1 << bits) - 1);
    const bool is_negative = MOD_GET(mod, field, 1) && raw >> (bits - 1);
    return is_negative ? (int64_t)raw - ((int64_t)1 << bits) : (int64_t)raw;
}

static inline bool video_holds(enum compare relation, int64_t a, int64_t b)
{
    switch (relation) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

// Exact, in 128 bits. Shift counts are the lower bits of b, as unsigned.
static inline int128 video_first(enum video_op op, int64_t a, int64_t b, uint32_t mod)
{
    const uint32_t count = (uint32_t)b, clamped = count < 32 ? count : 32;
    switch (op) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a > b ? a - b : b - a;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SHL_CLAMP:
        return (int128)a * ((int128)1 << clamped);
    case VIDEO_SHL_WRAP:
        return (int128)a * ((int128)1 << (count & 31));
    case VIDEO_SHR_CLAMP:
        return a >> clamped;
    case VIDEO_SHR_WRAP:
        return a >> (count & 31);
    default:
        return video_holds(MOD_GET(mod, MOD_CMP, 5), a, b);
    }
}

static inline int128 video_saturate(int128 x, int bits, bool is_signed)
{
    const int64_t high = ((int64_t)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

static inline int128 video_result(enum video_op op, uint32_t a, uint32_t b, int at, int bits, uint32_t mod)
{
    const int128 x = video_first(op, video_part(a, at, bits, mod, MOD_VIDEO_A),
                                 video_part(b, at, bits, mod, MOD_VIDEO_B), mod);
    return MOD_GET(mod, MOD_SAT, 1) ? video_saturate(x, bits, MOD_GET(mod, MOD_VIDEO_D, 1)) : x;
}

// What an H200 does beside the PTX ISA, since these are programs of ptxas there. Before .sat, unsigned sums and differences have
// 32 bits and what is shifted left has 34 with a sign.
static inline int128 video_whole(enum video_op op, int128 x, uint32_t mod)
{
    const bool is_signed = MOD_GET(mod, MOD_VIDEO_D, 1);
    if (!MOD_GET(mod, MOD_SAT, 1))
        return x;
    if ((op == VIDEO_ADD || op == VIDEO_SUB || op == VIDEO_ABSDIFF) && !is_signed && x > 0)
        x = (uint32_t)x;
    if (op == VIDEO_SHL_CLAMP || op == VIDEO_SHL_WRAP)
        x = (int64_t)((uint64_t)x << 30) >> 30;
    return video_saturate(x, 32, is_signed);
}

// What .sat means for a part of the result on an H200: the exact number, taken as 64 bits without a sign, is cut at the
// largest number of the part. So negative numbers become that too.
static inline uint32_t video_limit(int128 x, int bits, bool is_signed)
{
    const uint64_t high = ((uint64_t)1 << (bits - is_signed)) - 1;
    return (uint32_t)((uint64_t)x < high ? (uint64_t)x : high);
}

// The second operation compares 64 bits, signed as the type of the result is (vset: of a): of sums and differences the 32 bits
// with their sign repeated, of others the exact first result (of unsigned vabsdiff that before .sat).
static inline uint32_t video(enum video_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t mod)
{
    const bool is_signed = MOD_GET(mod, op == VIDEO_SET ? MOD_VIDEO_A : MOD_VIDEO_D, 1);
    const bool is_sum = op == VIDEO_ADD || op == VIDEO_SUB;
    const enum video_second second = MOD_GET(mod, MOD_MODE, 4);
    const int128 first = video_first(op, video_part(a, 0, 32, mod, MOD_VIDEO_A),
                                     video_part(b, 0, 32, mod, MOD_VIDEO_B), mod);
    if (second == VIDEO_LIMIT_8 || second == VIDEO_LIMIT_16)
        return video_limit(first, second == VIDEO_LIMIT_8 ? 8 : 16, is_signed);
    const int128 whole = video_whole(op, first, mod);
    const uint32_t x = (uint32_t)whole;
    const int64_t exact = (int64_t)(op == VIDEO_ABSDIFF && !is_signed ? first : whole), compared = is_sum ? (int32_t)x : exact;
    const bool is_less = is_signed ? compared < (int32_t)c : (uint64_t)compared < c;
    switch (second) {
    case VIDEO_THEN_ADD:
        return x + c;
    case VIDEO_THEN_MIN:
        return is_less ? x : c;
    case VIDEO_THEN_MAX:
        return is_less ? c : x;
    default:
        return x;
    }
}

// Halves or bytes: side by side, or their sum on c (.add) without those that d's selector leaves out (a bit for each byte in
// MOD_CACHE).
static inline uint32_t video_parts(enum video_op op, int bits, uint32_t a, uint32_t b, uint32_t c,
                                   uint32_t mod)
{
    const uint32_t mask = (1u << bits) - 1;
    uint32_t sum = c, packed = 0;
    for (int at = 0; at < 32; at += bits) {
        const uint32_t x = (uint32_t)video_result(op, a, b, at, bits, mod);
        sum += MOD_GET(mod, MOD_CACHE, 4) >> at / 8 & 1 ? 0 : x;
        packed |= (x & mask) << at;
    }
    return MOD_GET(mod, MOD_MODE, 4) == VIDEO_THEN_ADD ? sum : packed;
}

// vmad: the product and c, shifted right by 0, 7 or 15. On an H200 all three are signed, whatever their types say; these
// and minus signs decide about .sat, and about the sign of what is shifted.
static inline uint32_t video_mad(uint32_t a, uint32_t b, uint32_t c, uint32_t mod)
{
    const uint32_t mode = MOD_GET(mod, MOD_MODE, 4), count = MOD_GET(mod, MOD_CACHE, 4);
    const bool is_signed = MOD_GET(mod, MOD_VIDEO_A, 1) || MOD_GET(mod, MOD_VIDEO_B, 1) ||
                           mode & (VIDEO_MINUS_PRODUCT | VIDEO_MINUS_C);
    const int64_t product = (int64_t)(int32_t)a * (int32_t)b, third = (int32_t)c;
    const int64_t sum = (mode & VIDEO_MINUS_PRODUCT ? -product : product) +
                        (mode & VIDEO_MINUS_C ? -third : third) + (mode & VIDEO_PLUS_ONE);
    const int128 x = count && !is_signed ? (int128)((uint64_t)sum >> count) : sum >> count;
    return (uint32_t)(MOD_GET(mod, MOD_SAT, 1) ? video_saturate(x, 32, is_signed) : x);
}
#endif
