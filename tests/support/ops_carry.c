// References of carry chains: exact in 128 bits.
#include "support/op_harness.h"
#include <stddef.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

// What is added: x + y + carry, or x + ~y + carry: a difference carries when it does not borrow.
struct chain {
    uint64_t x, y;
    uint32_t in;
    bool subtracts;
};

static uint64_t cut(const struct op_lane *l, uint64_t x)
{
    return bits_of_type(l->type) == 32 ? (uint32_t)x : x;
}

static uint64_t product_part(const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->type);
    wide a = (wide)l->in[0], b = (wide)l->in[1];
    if (bits_are_signed(l->type)) {
        a -= l->in[0] >> (bits - 1) & 1 ? (wide)1 << bits : 0;
        b -= l->in[1] >> (bits - 1) & 1 ? (wide)1 << bits : 0;
    }
    uwide p = (uwide)a * (uwide)b;
    return cut(l, opcode_has(l->opcode, "hi") ? (uint64_t)(p >> bits) : (uint64_t)p);
}

static struct chain chain_of(const struct op_lane *l)
{
    bool is_mad = strncmp(l->opcode, "mad", 3) == 0, takes_carry = l->opcode[3] == 'c';
    struct chain c = {is_mad ? product_part(l) : l->in[0], is_mad ? l->in[2] : l->in[1],
                      takes_carry ? l->carry : l->opcode[0] == 's', l->opcode[0] == 's'};
    return c;
}

static uwide total(const struct op_lane *l)
{
    struct chain c = chain_of(l);
    return (uwide)c.x + (c.subtracts ? cut(l, ~c.y) : c.y) + c.in;
}

static uint64_t result(const struct op_lane *l)
{
    return (uint64_t)total(l);
}

static uint32_t carry(const struct op_lane *l)
{
    return (uint32_t)(total(l) >> bits_of_type(l->type)) & 1;
}

#define TYPES "u32 s32 u64 s64"
const struct op_case op_cases_carry[] = {
    {"add.cc", TYPES, "d, a, b", result, 0, carry},
    {"addc", TYPES, "d, a, b", result, 0, NULL},
    {"addc.cc", TYPES, "d, a, b", result, 0, carry},
    {"sub.cc", TYPES, "d, a, b", result, 0, carry},
    {"subc", TYPES, "d, a, b", result, 0, NULL},
    {"subc.cc", TYPES, "d, a, b", result, 0, carry},
    {"mad.lo.cc", TYPES, "d, a, b, c", result, 0, carry},
    {"mad.hi.cc", TYPES, "d, a, b, c", result, 0, carry},
    {"madc.lo", TYPES, "d, a, b, c", result, 0, NULL},
    {"madc.lo.cc", TYPES, "d, a, b, c", result, 0, carry},
    {"madc.hi", TYPES, "d, a, b, c", result, 0, NULL},
    {"madc.hi.cc", TYPES, "d, a, b, c", result, 0, carry},
    {0},
};
