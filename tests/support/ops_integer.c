// References of integer rows: computed exactly in 128 bits from decoded operands, then cut to the width of
// the result.
#include "support/op_harness.h"
#include <stddef.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static wide value(const struct op_lane *l, int k)
{
    uint32_t bits = bits_of_type(l->type);
    uint64_t x = l->in[k];
    if (bits_are_signed(l->type) && (x >> (bits - 1) & 1))
        return (wide)x - ((wide)1 << bits);
    return (wide)x;
}
#define A value(l, 0)
#define B value(l, 1)
#define C value(l, 2)

static uwide product(const struct op_lane *l)
{
    return (uwide)A * (uwide)B;
}

static uint64_t high_half(const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->type);
    return bits_are_signed(l->type) ? (uint64_t)((wide)product(l) >> bits) : (uint64_t)(product(l) >> bits);
}

static uint64_t clamp_s32(wide x)
{
    return (uint64_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static uint64_t add(const struct op_lane *l)
{
    return (uint64_t)(A + B);
}
static uint64_t sub(const struct op_lane *l)
{
    return (uint64_t)(A - B);
}
static uint64_t add_sat(const struct op_lane *l)
{
    return clamp_s32(A + B);
}
static uint64_t sub_sat(const struct op_lane *l)
{
    return clamp_s32(A - B);
}
static uint64_t mul_lo(const struct op_lane *l) // also wide: the whole product
{
    return (uint64_t)product(l);
}
static uint64_t mad_lo(const struct op_lane *l)
{
    return (uint64_t)(product(l) + (uwide)C);
}
static uint64_t mad_wide(const struct op_lane *l)
{
    return (uint64_t)product(l) + l->in[2];
}
static uint64_t mad_hi(const struct op_lane *l)
{
    return high_half(l) + l->in[2];
}
static uint64_t mad_hi_sat(const struct op_lane *l)
{
    return clamp_s32((wide)(int64_t)high_half(l) + C);
}
static wide part24(const struct op_lane *l, int k)
{
    wide x = (wide)(l->in[k] & 0xffffff);
    return bits_are_signed(l->type) && (x & 0x800000) ? x - 0x1000000 : x;
}
static uint64_t mul24(const struct op_lane *l)
{
    wide p = part24(l, 0) * part24(l, 1);
    return (uint64_t)(uint32_t)(opcode_has(l->opcode, "hi") ? p >> 16 : p);
}
static uint64_t mad24(const struct op_lane *l)
{
    uint32_t half = (uint32_t)mul24(l);
    return opcode_has(l->opcode, "sat") ? clamp_s32((wide)(int32_t)half + C) : half + l->in[2];
}
static uint64_t sad(const struct op_lane *l)
{
    return (uint64_t)((A < B ? B - A : A - B) + C);
}
static uint64_t divide(const struct op_lane *l)
{
    return B == 0 ? UINT64_MAX : (uint64_t)(A / B);
}
static uint64_t rem(const struct op_lane *l)
{
    return B == 0 ? UINT64_MAX : (uint64_t)(A % B);
}
static uint64_t absolute(const struct op_lane *l)
{
    return (uint64_t)(A < 0 ? -A : A);
}
static uint64_t neg(const struct op_lane *l)
{
    return (uint64_t)-A;
}
static uint64_t min(const struct op_lane *l)
{
    wide m = A < B ? A : B;
    return (uint64_t)(opcode_has(l->opcode, "relu") && m < 0 ? 0 : m);
}
static uint64_t max(const struct op_lane *l)
{
    wide m = A > B ? A : B;
    return (uint64_t)(opcode_has(l->opcode, "relu") && m < 0 ? 0 : m);
}

// ---- bits, one at a time ---------------------------------------------------------------------------

static uint64_t popc(const struct op_lane *l)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < bits_of_type(l->type); i++)
        n += l->in[0] >> i & 1;
    return n;
}
static uint64_t clz(const struct op_lane *l)
{
    uint64_t n = 0;
    for (uint32_t i = bits_of_type(l->type); i-- > 0 && !(l->in[0] >> i & 1);)
        n++;
    return n;
}
static uint64_t bfind(const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->type);
    uint64_t sign = bits_are_signed(l->type) ? l->in[0] >> (bits - 1) & 1 : 0;
    for (uint32_t i = bits; i-- > 0;)
        if ((l->in[0] >> i & 1) != sign)
            return opcode_has(l->opcode, "shiftamt") ? bits - 1 - i : i;
    return 0xffffffff;
}
static uint64_t brev(const struct op_lane *l)
{
    uint64_t out = 0;
    uint32_t bits = bits_of_type(l->type);
    for (uint32_t i = 0; i < bits; i++)
        out |= (l->in[0] >> i & 1) << (bits - 1 - i);
    return out;
}
static uint64_t bfe(const struct op_lane *l) // as the PTX ISA writes it, but for operands beyond 255 of 64 bits (H200)
{
    uint32_t msb = bits_of_type(l->type) - 1, len = (uint32_t)l->in[2] & (msb == 63 ? UINT32_MAX : 0xff);
    uint64_t pos = msb == 63 ? l->in[1] : l->in[1] & 0xff, last = pos + len - 1 < msb ? pos + len - 1 : msb;
    uint64_t sign = !bits_are_signed(l->type) || len == 0 ? 0 : l->in[0] >> last & 1, out = 0;
    for (uint32_t i = 0; i <= msb; i++)
        out |= (i < len && pos + i <= msb ? l->in[0] >> (pos + i) & 1 : sign) << i;
    return out;
}
static uint64_t bfi(const struct op_lane *l)
{
    uint32_t msb = bits_of_type(l->type) - 1, len = (uint32_t)l->in[3] & (msb == 63 ? UINT32_MAX : 0xff);
    uint64_t out = l->in[1], pos = msb == 63 ? l->in[2] : l->in[2] & 0xff; // as an H200, beyond the PTX ISA
    for (uint32_t i = 0; i < len && pos + i <= msb; i++)
        out = (out & ~((uint64_t)1 << (pos + i))) | (l->in[0] >> i & 1) << (pos + i);
    return out;
}
// As the PTX ISA writes it, but for the lowest offset.
static uint64_t fns(const struct op_lane *l)
{
    const uint32_t mask = (uint32_t)l->in[0];
    const int64_t base = (uint32_t)l->in[1], offset = (int32_t)l->in[2];
    if (offset == INT32_MIN)
        return 0;
    if (offset == 0)
        return base < 32 && mask >> base & 1 ? (uint32_t)base : 0xffffffffu;
    int64_t count = (offset < 0 ? -offset : offset) - 1;
    for (int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
        if (mask >> at & 1 && count-- == 0)
            return (uint32_t)at;
    return 0xffffffffu;
}

static uint64_t bmsk(const struct op_lane *l)
{
    bool wraps = opcode_has(l->opcode, "wrap");
    uint64_t start = wraps ? l->in[0] & 31 : l->in[0], n = wraps ? l->in[1] & 31 : l->in[1], out = 0;
    for (uint64_t i = 0; i < 32; i++)
        if (i >= start && i - start < n)
            out |= (uint64_t)1 << i;
    return out;
}
static uint64_t szext(const struct op_lane *l)
{
    uint64_t n = opcode_has(l->opcode, "wrap") ? l->in[1] & 31 : l->in[1], out = 0;
    if (n > 31)
        return l->in[0];
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t from = i < n ? i : n - 1;
        bool copied = i < n || (bits_are_signed(l->type) && n > 0);
        out |= copied ? (l->in[0] >> from & 1) << i : 0;
    }
    return out;
}
static uint64_t dp2a(const struct op_lane *l)
{
    bool a_signed = l->opcode[8] == 's', b_signed = l->opcode[12] == 's';
    uint32_t sum = (uint32_t)l->in[2];
    for (int k = 0; k < 2; k++) {
        int x = (int)(l->in[0] >> (16 * k) & 0xffff);
        int y = (int)(l->in[1] >> (8 * k + (opcode_has(l->opcode, "hi") ? 16 : 0)) & 0xff);
        x -= a_signed && x > 32767 ? 65536 : 0;
        y -= b_signed && y > 127 ? 256 : 0;
        sum += (uint32_t)(x * y);
    }
    return sum;
}
static uint64_t halves(const struct op_lane *l)
{
    uint64_t out = 0;
    for (int k = 0; k < 2; k++) {
        int x = (int)(l->in[0] >> (16 * k) & 0xffff), y = (int)(l->in[1] >> (16 * k) & 0xffff);
        if (l->type == PT_S16X2) {
            x -= x > 32767 ? 65536 : 0;
            y -= y > 32767 ? 65536 : 0;
        }
        int z = l->opcode[0] == 'a' ? x + y : (x < y) == (l->opcode[1] == 'i') ? x : y;
        z = opcode_has(l->opcode, "relu") && z < 0 ? 0 : z;
        out |= (uint64_t)(z & 0xffff) << (16 * k);
    }
    return out;
}
static uint64_t dp4a(const struct op_lane *l)
{
    bool a_signed = l->opcode[5] == 's', b_signed = l->opcode[9] == 's';
    uint32_t sum = (uint32_t)l->in[2];
    for (int k = 0; k < 4; k++) {
        int x = (int)(l->in[0] >> (8 * k) & 0xff), y = (int)(l->in[1] >> (8 * k) & 0xff);
        x -= a_signed && x > 127 ? 256 : 0;
        y -= b_signed && y > 127 ? 256 : 0;
        sum += (uint32_t)(x * y);
    }
    return sum;
}

#define ALL "u16 s16 u32 s32 u64 s64"
#define FIELD "u32 s32 u64 s64"
const struct op_case op_cases_integer[] = {
    {"add", ALL, "d, a, b", add, 0, NULL},
    {"sub", ALL, "d, a, b", sub, 0, NULL},
    {"add.sat.s32", NULL, "d, a, b", add_sat, 0, NULL},
    {"sub.sat.s32", NULL, "d, a, b", sub_sat, 0, NULL},
    {"mul.lo", ALL, "d, a, b", mul_lo, 0, NULL},
    {"mul.hi", ALL, "d, a, b", high_half, 0, NULL},
    {"mul.wide", "u16 s16 u32 s32", "d, a, b", mul_lo, 0, NULL},
    {"mad.lo", ALL, "d, a, b, c", mad_lo, 0, NULL},
    {"mad.hi", ALL, "d, a, b, c", mad_hi, 0, NULL},
    {"mad.hi.sat.s32", NULL, "d, a, b, c", mad_hi_sat, 0, NULL},
    {"mad.wide", "u16 s16 u32 s32", "d, a, b, c", mad_wide, 0, NULL},
    {"mul24.lo", "u32 s32", "d, a, b", mul24, 0, NULL},
    {"mul24.hi", "u32 s32", "d, a, b", mul24, 0, NULL},
    {"mad24.lo", "u32 s32", "d, a, b, c", mad24, 0, NULL},
    {"mad24.hi", "u32 s32", "d, a, b, c", mad24, 0, NULL},
    {"mad24.hi.sat.s32", NULL, "d, a, b, c", mad24, 0, NULL},
    {"sad", ALL, "d, a, b, c", sad, 0, NULL},
    {"div", ALL, "d, a, b", divide, 0, NULL},
    {"rem", ALL, "d, a, b", rem, 0, NULL},
    {"abs", "s16 s32 s64", "d, a", absolute, 0, NULL},
    {"neg", "s16 s32 s64", "d, a", neg, 0, NULL},
    {"min", ALL, "d, a, b", min, 0, NULL},
    {"max", ALL, "d, a, b", max, 0, NULL},
    {"min.relu.s32", NULL, "d, a, b", min, 0, NULL},
    {"max.relu.s32", NULL, "d, a, b", max, 0, NULL},
    {"popc", "b32 b64", "d, a", popc, 0, NULL},
    {"clz", "b32 b64", "d, a", clz, 0, NULL},
    {"bfind", FIELD, "d, a", bfind, 0, NULL},
    {"bfind.shiftamt", FIELD, "d, a", bfind, 0, NULL},
    {"brev", "b32 b64", "d, a", brev, 0, NULL},
    {"bfe", FIELD, "d, a, b, c", bfe, 0, NULL},
    {"bfi", "b32 b64", "d, a, b, c, e", bfi, 0, NULL},
    {"fns.b32", NULL, "d, a, b, c", fns, 0, NULL},
    {"bmsk.clamp.b32", NULL, "d, a, b", bmsk, 0, NULL},
    {"bmsk.wrap.b32", NULL, "d, a, b", bmsk, 0, NULL},
    {"szext.clamp", "u32 s32", "d, a, b", szext, 0, NULL},
    {"szext.wrap", "u32 s32", "d, a, b", szext, 0, NULL},
    {"add", "u16x2 s16x2", "d, a, b", halves, 0, NULL},
    {"min", "u16x2 s16x2", "d, a, b", halves, 0, NULL},
    {"max", "u16x2 s16x2", "d, a, b", halves, 0, NULL},
    {"min.relu", "s16x2", "d, a, b", halves, 0, NULL},
    {"max.relu", "s16x2", "d, a, b", halves, 0, NULL},
    {"dp2a.lo.u32", "u32 s32", "d, a, b, c", dp2a, 0, NULL},
    {"dp2a.lo.s32", "u32 s32", "d, a, b, c", dp2a, 0, NULL},
    {"dp2a.hi.u32", "u32 s32", "d, a, b, c", dp2a, 0, NULL},
    {"dp2a.hi.s32", "u32 s32", "d, a, b, c", dp2a, 0, NULL},
    {"dp4a.u32.u32", NULL, "d, a, b, c", dp4a, 0, NULL},
    {"dp4a.u32.s32", NULL, "d, a, b, c", dp4a, 0, NULL},
    {"dp4a.s32.u32", NULL, "d, a, b, c", dp4a, 0, NULL},
    {"dp4a.s32.s32", NULL, "d, a, b, c", dp4a, 0, NULL},
    {0},
};
