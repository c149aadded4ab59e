// References of comparisons and selections.
#include "support/op_harness.h"
#include <stddef.h>
#include <string.h>

static bool is_nan(enum ptx_type type, uint64_t x)
{
    return type == PT_F32 ? (x & 0x7fffffff) > 0x7f800000 : (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

// An order of non-NaN values: numbers whose order as integers is the order of the operands.
static int64_t rank(const struct op_lane *l, int k, bool *above)
{
    uint32_t bits = bits_of_type(l->type);
    uint64_t x = l->in[k], sign = (uint64_t)1 << (bits - 1);
    *above = false;
    if (bits_are_float(l->type)) {
        uint64_t magnitude = x & (sign - 1), smallest = l->type == PT_F32 ? 0x00800000 : 0;
        if (opcode_has(l->opcode, "ftz") && magnitude < smallest)
            magnitude = 0;
        return x & sign ? -(int64_t)magnitude : (int64_t)magnitude;
    }
    if (bits_are_signed(l->type))
        return x & sign ? (int64_t)(x | ~(sign - 1)) : (int64_t)x;
    *above = x >> 63; // unsigned 64-bit values above INT64_MAX
    return (int64_t)x;
}

static int order(const struct op_lane *l)
{
    bool a_above, b_above;
    int64_t a = rank(l, 0, &a_above), b = rank(l, 1, &b_above);
    if (a_above != b_above)
        return a_above ? 1 : -1;
    return a < b ? -1 : a > b;
}

static bool compare(const struct op_lane *l)
{
    bool nan = bits_are_float(l->type) && (is_nan(l->type, l->in[0]) || is_nan(l->type, l->in[1]));
    static const struct {
        const char *word;
        int less, equal, greater, unordered;
    } relations[] = {
        {"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
        {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"lo", 1, 0, 0, 0},  {"ls", 1, 1, 0, 0},
        {"hi", 0, 0, 1, 0},  {"hs", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
        {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
        {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++)
        if (opcode_has(l->opcode, relations[i].word))
            return nan            ? relations[i].unordered
                   : order(l) < 0 ? relations[i].less
                   : order(l) > 0 ? relations[i].greater
                                  : relations[i].equal;
    return false;
}

static bool combine(const struct op_lane *l, bool x)
{
    bool c = l->in[2];
    return opcode_has(l->opcode, "and")   ? x && c
           : opcode_has(l->opcode, "or")  ? x || c
           : opcode_has(l->opcode, "xor") ? x != c
                                          : x;
}

static uint64_t setp(const struct op_lane *l)
{
    return (uint64_t)combine(l, compare(l)) | (uint64_t)combine(l, !compare(l)) << 1;
}
static uint64_t set(const struct op_lane *l)
{
    return !combine(l, compare(l)) ? 0
           : strncmp(l->opcode, "set.", 4) == 0 && opcode_has(l->opcode, "f32") && l->dst_type == PT_F32
               ? 0x3f800000
               : 0xffffffff;
}
static uint64_t selp(const struct op_lane *l)
{
    return l->in[2] ? l->in[0] : l->in[1];
}
static uint64_t slct_s32(const struct op_lane *l)
{
    return l->in[2] & 0x80000000 ? l->in[1] : l->in[0];
}
static uint64_t slct_f32(const struct op_lane *l) // c >= 0; -0 counts, NaN does not
{
    uint64_t magnitude = l->in[2] & 0x7fffffff;
    if (opcode_has(l->opcode, "ftz") && magnitude < 0x00800000)
        magnitude = 0;
    bool first = magnitude <= 0x7f800000 && (magnitude == 0 || !(l->in[2] & 0x80000000));
    return first ? l->in[0] : l->in[1];
}

#define INT "b16 b32 b64 u16 s16 u32 s32 u64 s64"
#define UNSIGNED "u16 u32 u64"
#define MOVED "b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64"
#define SETP(relation, types)                               \
    {                                                       \
        "setp." relation, types, "p|q, a, b", setp, 0, NULL \
    }
const struct op_case op_cases_compare[] = {
    SETP("eq", INT),
    SETP("ne", INT),
    SETP("lt", INT),
    SETP("le", INT),
    SETP("gt", INT),
    SETP("ge", INT),
    SETP("lo", UNSIGNED),
    SETP("ls", UNSIGNED),
    SETP("hi", UNSIGNED),
    SETP("hs", UNSIGNED),
    SETP("eq", "f32 f64"),
    SETP("ne", "f32 f64"),
    SETP("lt", "f32 f64"),
    SETP("le", "f32 f64"),
    SETP("gt", "f32 f64"),
    SETP("ge", "f32 f64"),
    SETP("equ", "f32 f64"),
    SETP("neu", "f32 f64"),
    SETP("ltu", "f32 f64"),
    SETP("leu", "f32 f64"),
    SETP("gtu", "f32 f64"),
    SETP("geu", "f32 f64"),
    SETP("num", "f32 f64"),
    SETP("nan", "f32 f64"),
    SETP("lt.ftz", "f32"),
    SETP("eq.ftz", "f32"),
    SETP("geu.ftz", "f32"),
    {"setp.lt", "s32 f32 u64", "p, a, b", setp, 0, NULL},
    {"setp.lt.and", "s32 f32", "p|q, a, b, r", setp, 0, NULL},
    {"setp.ge.or", "u16 f64", "p|q, a, b, r", setp, 0, NULL},
    {"setp.ne.xor", "b64 f32", "p|q, a, b, r", setp, 0, NULL},
    {"set.lt.u32", INT " f32 f64", "d, a, b", set, 0, NULL},
    {"set.ge.s32", INT " f32 f64", "d, a, b", set, 0, NULL},
    {"set.ne.f32", INT " f32 f64", "d, a, b", set, 0, NULL},
    {"set.lt.and.u32.f32", NULL, "d, a, b, r", set, 0, NULL},
    {"selp", MOVED, "d, a, b, r", selp, 0, NULL},
    {"slct.b16.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.b32.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.b64.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.u16.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.s16.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.u32.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.s32.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.u64.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.s64.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.f32.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.f64.s32", NULL, "d, a, b, c", slct_s32, 0, NULL},
    {"slct.b16.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.b32.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.b64.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.u16.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.s16.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.u32.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.s32.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.u64.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.s64.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.f32.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.f64.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {"slct.ftz.b32.f32", NULL, "d, a, b, c", slct_f32, 0, NULL},
    {0},
};
