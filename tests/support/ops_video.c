// References of video instructions: exact integers, part by part.
#include "support/op_harness.h"
#include <stddef.h>
#include <string.h>

__extension__ typedef __int128 wide;

// Signs of the types in the opcode: "vadd.u32.s32.u32" -> d, a, b.
static bool is_signed(const struct op_lane *l, int which)
{
    const char *at = l->opcode;
    for (int i = strncmp(l->opcode, "vset", 4) == 0 ? 1 : 0; i <= which; i++)
        at = strstr(at, "32") + 2;
    return at[-3] == 's';
}

static wide part(const struct op_lane *l, int k, int at, int bits)
{
    wide x = (wide)(l->in[k] >> at & (((uint64_t)1 << bits) - 1));
    return is_signed(l, k + 1) && x >> (bits - 1) ? x - ((wide)1 << bits) : x;
}

static wide first(const struct op_lane *l, int at, int bits)
{
    const char *o = l->opcode + 1;
    wide a = part(l, 0, at, bits), b = part(l, 1, at, bits);
    uint32_t n = (uint32_t)l->in[1];
    n = opcode_has(l->opcode, "wrap") ? n % 32 : n > 32 ? 32 : n;
    if (strncmp(o, "add", 3) == 0)
        return a + b;
    if (strncmp(o, "sub", 3) == 0)
        return a - b;
    if (strncmp(o, "abs", 3) == 0)
        return a < b ? b - a : a - b;
    if (strncmp(o, "min", 3) == 0)
        return a < b ? a : b;
    if (strncmp(o, "max", 3) == 0)
        return a > b ? a : b;
    if (strncmp(o, "avrg", 4) == 0)
        return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2);
    if (strncmp(o, "shl", 3) == 0)
        return a * ((wide)1 << n);
    if (strncmp(o, "shr", 3) == 0)
        return a >= 0 ? a / ((wide)1 << n) : -((-a + ((wide)1 << n) - 1) / ((wide)1 << n));
    return opcode_has(l->opcode, "lt")   ? a < b
           : opcode_has(l->opcode, "ge") ? a >= b
           : opcode_has(l->opcode, "eq") ? a == b
           : opcode_has(l->opcode, "ne") ? a != b
           : opcode_has(l->opcode, "le") ? a <= b
                                         : a > b;
}

static wide saturated(const struct op_lane *l, wide x, int bits, bool sign)
{
    wide high = ((wide)1 << (bits - sign)) - 1, low = sign ? -high - 1 : 0;
    return !opcode_has(l->opcode, "sat") ? x : x < low ? low : x > high ? high : x;
}

static bool result_is_signed(const struct op_lane *l)
{
    return strncmp(l->opcode, "vset", 4) != 0 && is_signed(l, 0);
}

static bool starts_with(const struct op_lane *l, const char *names)
{
    size_t n = strcspn(l->opcode, ".");
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && strncmp(at, l->opcode, n) == 0)
            return true;
    return false;
}

// Measured on an H200: before .sat unsigned sums and differences have 32 bits and shifted numbers 34; .min and .max compare the
// exact first result, but that of sums, whose sign is repeated even where they have none.
static uint64_t one(const struct op_lane *l)
{
    const bool is_signed_d = result_is_signed(l), wraps = !is_signed_d && starts_with(l, "vadd vsub vabsdiff");
    wide exact = first(l, 0, 32);
    if (opcode_has(l->opcode, "sat") && strncmp(l->opcode, "vshl", 4) == 0) { // 34 bits
        const wide range = (wide)1 << 34;
        exact = (exact % range + range) % range;
        exact -= exact >= range / 2 ? range : 0;
    }
    if (opcode_has(l->opcode, "sat") && wraps && exact > 0)
        exact %= (wide)1 << 32;
    const wide cut = saturated(l, exact, 32, is_signed_d);
    uint32_t x = (uint32_t)cut, c = (uint32_t)l->in[2];
    const bool sign = strncmp(l->opcode, "vset", 4) == 0 ? is_signed(l, 1) : is_signed_d;
    wide sc = sign ? (int32_t)c : (wide)c;
    // 64 bits are compared: of sums the sign of 32 repeated, without a sign unless the result has one.
    const bool is_before_sat = starts_with(l, "vabsdiff") && !sign;
    wide sx = starts_with(l, "vadd vsub") ? (wide)(int32_t)x : is_before_sat ? first(l, 0, 32) : cut;
    sx = sign ? sx : (wide)(uint64_t)sx;
    size_t n = strlen(l->opcode);
    const char *end = l->opcode + n - 3; // the second operation is the last word
    if (strcmp(end, "add") == 0)
        return (uint32_t)(x + c);
    if (strcmp(end, "min") == 0)
        return (uint32_t)(sx < sc ? sx : sc);
    if (strcmp(end, "max") == 0)
        return (uint32_t)(sx > sc ? sx : sc);
    return x;
}

static uint64_t several(const struct op_lane *l)
{
    const char *digit = strpbrk(l->opcode, "24");
    int bits = *digit == '2' ? 16 : 8;
    bool adds = strcmp(l->opcode + strlen(l->opcode) - 4, ".add") == 0;
    uint32_t sum = (uint32_t)l->in[2], packed = 0;
    for (int at = 0; at < 32; at += bits) {
        uint32_t x = (uint32_t)saturated(l, first(l, at, bits), bits, result_is_signed(l));
        sum += x;
        packed |= (x & ((1u << bits) - 1)) << at;
    }
    return adds ? sum : packed;
}

static uint64_t mad(const struct op_lane *l)
{
    bool sign = is_signed(l, 1) || is_signed(l, 2);
    wide c = (int32_t)l->in[2]; // measured: all three are signed
    wide x = (wide)(int32_t)l->in[0] * (int32_t)l->in[1] + c;
    int shift = opcode_has(l->opcode, "shr7") ? 7 : opcode_has(l->opcode, "shr15") ? 15 : 0;
    if (shift && !sign && x < 0) // 64 bits without a sign
        x += (wide)1 << 64;
    x = x >= 0 ? x >> shift : -((-x + ((wide)1 << shift) - 1) >> shift);
    return (uint32_t)saturated(l, x, 32, sign);
}

#define ONE(o, suffix, operands)               \
    {                                          \
        o suffix, NULL, operands, one, 0, NULL \
    }
#define SCALAR(name, end)                                                                                 \
    ONE(name ".u32.u32.u32" end, "", "d, a, b"), ONE(name ".s32.s32.s32" end, "", "d, a, b"),             \
        ONE(name ".s32.u32.s32" end, ".sat", "d, a, b"), ONE(name ".u32.s32.u32" end, ".sat", "d, a, b"), \
        ONE(name ".s32.s32.u32" end, ".add", "d, a, b, c"),                                               \
        ONE(name ".u32.u32.s32" end, ".sat.min", "d, a, b, c"),                                           \
        ONE(name ".s32.s32.s32" end, ".max", "d, a, b, c")
#define SHIFT(name, end)                                                                            \
    ONE(name ".u32.u32.u32", end, "d, a, b"), ONE(name ".s32.s32.u32", end, "d, a, b"),             \
        ONE(name ".s32.u32.u32.sat", end, "d, a, b"), ONE(name ".u32.s32.u32.sat", end, "d, a, b"), \
        ONE(name ".s32.s32.u32", end ".add", "d, a, b, c"),                                         \
        ONE(name ".u32.u32.u32", end ".min", "d, a, b, c"),                                         \
        ONE(name ".s32.s32.u32.sat", end ".max", "d, a, b, c")
#define SEVERAL(name)                                                    \
    {name ".u32.u32.u32", NULL, "d, a, b, c", several, 0, NULL},         \
        {name ".s32.s32.s32", NULL, "d, a, b, c", several, 0, NULL},     \
        {name ".u32.u32.u32.sat", NULL, "d, a, b, c", several, 0, NULL}, \
        {name ".s32.u32.s32.sat", NULL, "d, a, b, c", several, 0, NULL}, \
        {name ".u32.s32.u32.add", NULL, "d, a, b, c", several, 0, NULL}, \
    {                                                                    \
        name ".s32.s32.s32.add", NULL, "d, a, b, c", several, 0, NULL    \
    }
#define SET_SEVERAL(name)                                            \
    {name ".u32.u32.lt", NULL, "d, a, b, c", several, 0, NULL},      \
        {name ".s32.s32.ge", NULL, "d, a, b, c", several, 0, NULL},  \
        {name ".s32.u32.eq", NULL, "d, a, b, c", several, 0, NULL},  \
    {                                                                \
        name ".u32.s32.ne.add", NULL, "d, a, b, c", several, 0, NULL \
    }

const struct op_case op_cases_video[] = {
    SCALAR("vadd", ""),
    SCALAR("vsub", ""),
    SCALAR("vabsdiff", ""),
    SCALAR("vmin", ""),
    SCALAR("vmax", ""),
    SHIFT("vshl", ".clamp"),
    SHIFT("vshl", ".wrap"),
    SHIFT("vshr", ".clamp"),
    SHIFT("vshr", ".wrap"),
    ONE("vset.u32.u32.lt", "", "d, a, b"),
    ONE("vset.s32.s32.ge", "", "d, a, b"),
    ONE("vset.u32.s32.eq", ".add", "d, a, b, c"),
    ONE("vset.s32.u32.le", ".max", "d, a, b, c"),
    {"vmad.u32.u32.u32", NULL, "d, a, b, c", mad, 0, NULL},
    {"vmad.s32.s32.s32", NULL, "d, a, b, c", mad, 0, NULL},
    {"vmad.s32.u32.s32.sat.shr7", NULL, "d, a, b, c", mad, 0, NULL},
    {"vmad.u32.u32.u32.sat.shr15", NULL, "d, a, b, c", mad, 0, NULL},
    SEVERAL("vadd2"),
    SEVERAL("vsub2"),
    SEVERAL("vavrg2"),
    SEVERAL("vabsdiff2"),
    SEVERAL("vmin2"),
    SEVERAL("vmax2"),
    SET_SEVERAL("vset2"),
    SEVERAL("vadd4"),
    SEVERAL("vsub4"),
    SEVERAL("vavrg4"),
    SEVERAL("vabsdiff4"),
    SEVERAL("vmin4"),
    SEVERAL("vmax4"),
    SET_SEVERAL("vset4"),
    {0},
};
