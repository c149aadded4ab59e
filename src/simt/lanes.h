// From rows to lanes and back: how a handler reads its operands and writes its result.
//
// A handler computes all 32 lanes into `uint32_t out[]` (one row, or two for 64-bit lanes: low words, then
// high words) and puts them into the destination: a copy when all lanes are on, a blend otherwise.
//
// lane_<name> is the C type of one lane; get_<name>(row, i) reads lane i; set_<name>(out, i, value) writes
// it.
#ifndef SIMT_LANES_H
#define SIMT_LANES_H
#include "simt/warp.h"
#include <string.h>

#define ALL_LANES 0xffffffffu

typedef uint8_t lane_u8;
typedef int8_t lane_s8;
typedef uint16_t lane_u16;
typedef int16_t lane_s16;
typedef uint16_t lane_f16; // bits
typedef uint16_t lane_bf16;
typedef uint16_t lane_e4m3x2;
typedef uint16_t lane_e5m2x2;
typedef uint32_t lane_f16x2;
typedef uint32_t lane_bf16x2;
typedef uint32_t lane_u16x2;
typedef uint32_t lane_s16x2;
typedef uint32_t lane_u32;
typedef int32_t lane_s32;
typedef uint64_t lane_u64;
typedef int64_t lane_s64;
typedef float lane_f32;
typedef double lane_f64;

static const uint32_t lane_bit[ROW_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

// Lanes of `on`, at least one, that hold the same word as its first lane.
static inline lanemask lanes_like_first(const uint32_t *row, lanemask on)
{
    const uint32_t first = row[__builtin_ctz(on)];
    lanemask like = 0;
    for (int i = 0; i < ROW_LANES; i++)
        like |= row[i] == first ? lane_bit[i] : 0;
    return like & on;
}

static inline const uint32_t *row_read(const struct warp *warp, rowref ref)
{
    return warp->rows[ROW_SPACE(ref)] + (size_t)ROW_NUMBER(ref) * ROW_LANES;
}

// Only registers are written, so the space need not be looked up.
static inline uint32_t *row_write(struct warp *warp, rowref ref)
{
    return warp->rows[ROW_REG] + (size_t)ROW_NUMBER(ref) * ROW_LANES;
}

static inline uint64_t get_u64(const uint32_t *row, int i)
{
    return row[i] | (uint64_t)row[ROW_LANES + i] << 32;
}

static inline lane_f32 get_f32(const uint32_t *row, int i)
{
    float value;
    memcpy(&value, &row[i], sizeof value);
    return value;
}

static inline lane_f64 get_f64(const uint32_t *row, int i)
{
    uint64_t bits = get_u64(row, i);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define get_u8(row, i) ((uint8_t)(row)[i])
#define get_s8(row, i) ((int8_t)(row)[i])
#define get_u16(row, i) ((uint16_t)(row)[i])
#define get_f16x2(row, i) ((row)[i])
#define get_u16x2(row, i) ((row)[i])
#define get_s16x2(row, i) ((row)[i])
#define get_e4m3x2 get_u16
#define get_e5m2x2 get_u16
#define get_s16(row, i) ((int16_t)(row)[i])
#define get_u32(row, i) ((row)[i])
#define get_s32(row, i) ((int32_t)(row)[i])
#define get_s64(row, i) ((int64_t)get_u64(row, i))

enum { // rows of a value
    WORDS_u8 = 1,
    WORDS_s8 = 1,
    WORDS_u16 = 1,
    WORDS_s16 = 1,
    WORDS_u16x2 = 1,
    WORDS_s16x2 = 1,
    WORDS_u32 = 1,
    WORDS_s32 = 1,
    WORDS_f32 = 1,
    WORDS_u64 = 2,
    WORDS_s64 = 2,
    WORDS_f64 = 2
};

static inline void set_u64(uint32_t *out, int i, uint64_t value)
{
    out[i] = (uint32_t)value;
    out[ROW_LANES + i] = (uint32_t)(value >> 32);
}

static inline void set_f32(uint32_t *out, int i, lane_f32 value)
{
    memcpy(&out[i], &value, sizeof value);
}

static inline void set_f64(uint32_t *out, int i, lane_f64 value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_u64(out, i, bits);
}

// Signed values narrower than a row are extended: PTX may use them as a 32-bit register; 16-bit readers cut
// them.
#define set_u8(out, i, value) ((void)((out)[i] = (uint8_t)(value)))
#define set_s8(out, i, value) ((void)((out)[i] = (uint32_t)(int8_t)(value)))
#define set_u16(out, i, value) ((void)((out)[i] = (uint16_t)(value)))
#define set_s16(out, i, value) ((void)((out)[i] = (uint32_t)(int16_t)(value)))
#define set_u16x2 set_u32
#define set_s16x2 set_u32
#define set_u32(out, i, value) ((void)((out)[i] = (uint32_t)(value)))
#define set_s32(out, i, value) ((void)((out)[i] = (uint32_t)(value)))
#define set_s64(out, i, value) set_u64(out, i, (uint64_t)(value))

static inline void blend_row(uint32_t *to, const uint32_t *from, lanemask on)
{
    for (int i = 0; i < ROW_LANES; i++)
        to[i] = on & lane_bit[i] ? from[i] : to[i];
}

// `words` rows of results into the lanes that are on.
static inline void put_rows(struct warp *warp, rowref ref, const uint32_t *out, int words, lanemask on)
{
    uint32_t *to = row_write(warp, ref);
    if (__builtin_expect(on == ALL_LANES, 1)) {
        memcpy(to, out, (size_t)words * ROW_BYTES);
        return;
    }
    for (int word = 0; word < words; word++)
        blend_row(to + word * ROW_LANES, out + word * ROW_LANES, on);
}

// ---- predicates ------------------------------------------------------------------------------------

static inline lanemask pred_read(const struct warp *warp, predref ref)
{
    return warp->preds[ref & 0x7f] ^ (ref & PRED_NOT ? ALL_LANES : 0);
}

// Writing predicate 0, which is always true, means that there is no destination.
static inline void pred_write(struct warp *warp, predref ref, lanemask value, lanemask on)
{
    if (ref != PRED_TRUE)
        warp->preds[ref] = (warp->preds[ref] & ~on) | (value & on);
}

// ---- the running split -----------------------------------------------------------------------------

static inline struct split *split_current(struct warp *warp)
{
    return &warp->splits[warp->current];
}
#endif
