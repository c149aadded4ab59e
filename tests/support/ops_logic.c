// References of logic and shift rows, bit by bit.
#include "support/op_harness.h"
#include <stddef.h>

static uint64_t and (const struct op_lane *l)
{
    return l->in[0] & l->in[1];
}
static uint64_t or (const struct op_lane *l)
{
    return l->in[0] | l->in[1];
}
static uint64_t xor (const struct op_lane *l) { return l->in[0] ^ l->in[1]; } static uint64_t
    not(const struct op_lane *l)
{
    return ~l->in[0];
}
static uint64_t cnot(const struct op_lane *l)
{
    return l->in[0] == 0;
}
static uint64_t lop3(const struct op_lane *l)
{
    uint64_t out = 0;
    for (int i = 0; i < 32; i++) {
        uint64_t index = (l->in[0] >> i & 1) << 2 | (l->in[1] >> i & 1) << 1 | (l->in[2] >> i & 1);
        out |= (uint64_t)(l->immediate >> index & 1) << i;
    }
    return out;
}
static uint64_t shl(const struct op_lane *l)
{
    uint64_t out = 0;
    for (uint64_t i = 0; i < bits_of_type(l->type); i++)
        out |= i >= l->in[1] ? (l->in[0] >> (i - l->in[1]) & 1) << i : 0;
    return out;
}
static uint64_t shr(const struct op_lane *l)
{
    uint64_t bits = bits_of_type(l->type), sign = bits_are_signed(l->type) ? l->in[0] >> (bits - 1) & 1 : 0,
             out = 0;
    for (uint64_t i = 0; i < bits; i++)
        out |= (i + l->in[1] < bits ? l->in[0] >> (i + l->in[1]) & 1 : sign) << i;
    return out;
}
static uint64_t shf(const struct op_lane *l)
{
    uint64_t n = opcode_has(l->opcode, "wrap") ? l->in[2] % 32 : l->in[2] < 32 ? l->in[2] : 32, out = 0;
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t from = opcode_has(l->opcode, "l") ? i + 32 - n : i + n; // bit of high:low
        out |= (from < 32 ? l->in[0] >> from & 1 : l->in[1] >> (from - 32) & 1) << i;
    }
    return out;
}

static uint32_t prmt_byte(const struct op_lane *l, uint32_t k)
{
    return (uint32_t)((l->in[1] << 32 | l->in[0]) >> (8 * k)) & 0xff;
}
static uint64_t prmt(const struct op_lane *l)
{
    uint32_t c = (uint32_t)l->in[2], s = c & 3, out = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t k, byte;
        if (opcode_has(l->opcode, "f4e"))
            k = s + i;
        else if (opcode_has(l->opcode, "b4e"))
            k = (s + 8 - i) % 8;
        else if (opcode_has(l->opcode, "rc8"))
            k = s;
        else if (opcode_has(l->opcode, "ecl"))
            k = i > s ? i : s;
        else if (opcode_has(l->opcode, "ecr"))
            k = i < s ? i : s;
        else if (opcode_has(l->opcode, "rc16"))
            k = (s & 1) * 2 + (i & 1);
        else
            k = c >> (4 * i) & 0xf;
        byte = prmt_byte(l, k & 7);
        if (k & 8)
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << (8 * i);
    }
    return out;
}

const struct op_case op_cases_logic[] = {
    {"and", "b16 b32 b64", "d, a, b", and, 0, NULL},
    {"or", "b16 b32 b64", "d, a, b", or, 0, NULL},
    {"xor", "b16 b32 b64", "d, a, b", xor, 0, NULL},
    {"not", "b16 b32 b64", "d, a", not, 0, NULL},
    {"cnot", "b16 b32 b64", "d, a", cnot, 0, NULL},
    {"and.pred", NULL, "p, r, s", and, 0, NULL},
    {"or.pred", NULL, "p, r, s", or, 0, NULL},
    {"xor.pred", NULL, "p, r, s", xor, 0, NULL},
    {"not.pred", NULL, "p, r", not, 0, NULL},
    {"lop3.b32", NULL, "d, a, b, c, 0x96", lop3, 0, NULL},
    {"lop3.b32", NULL, "d, a, b, c, 0xe8", lop3, 0, NULL},
    {"lop3.b32", NULL, "d, a, b, c, 0x1b", lop3, 0, NULL},
    {"shl", "b16 b32 b64", "d, a, b", shl, 0, NULL},
    {"shr", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "d, a, b", shr, 0, NULL},
    {"shf.l.wrap.b32", NULL, "d, a, b, c", shf, 0, NULL},
    {"shf.l.clamp.b32", NULL, "d, a, b, c", shf, 0, NULL},
    {"shf.r.wrap.b32", NULL, "d, a, b, c", shf, 0, NULL},
    {"shf.r.clamp.b32", NULL, "d, a, b, c", shf, 0, NULL},
    {"prmt.b32", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.f4e", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.b4e", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.rc8", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.ecl", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.ecr", NULL, "d, a, b, c", prmt, 0, NULL},
    {"prmt.b32.rc16", NULL, "d, a, b, c", prmt, 0, NULL},
    {0},
};
