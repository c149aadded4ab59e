// References of cvt: exact values in MPFR, then the rules of the PTX ISA for range, NaN, .ftz and .sat.
#include "support/op_harness.h"
#include <math.h>
#include <mpfr.h>
#include <stddef.h>
#include <string.h>

static bool has_ftz(const struct op_lane *l)
{
    return opcode_has(l->opcode, "ftz");
}

static double decode(const struct op_lane *l)
{
    uint64_t bits = l->in[0];
    float f;
    double d;
    memcpy(&f, &bits, 4);
    memcpy(&d, &bits, 8);
    double x = l->type == PT_F32 ? (double)f : d;
    return has_ftz(l) && l->type == PT_F32 && fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static void get(mpfr_t x, const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->type);
    if (bits_are_float(l->type))
        mpfr_set_d(x, decode(l), MPFR_RNDN);
    else if (bits_are_signed(l->type))
        mpfr_set_sj(x, (int64_t)(l->in[0] << (64 - bits)) >> (64 - bits), MPFR_RNDN);
    else
        mpfr_set_uj(x, l->in[0], MPFR_RNDN);
}

static void round_integral(mpfr_t x, const char *opcode)
{
    if (opcode_has(opcode, "rzi"))
        mpfr_trunc(x, x);
    else if (opcode_has(opcode, "rmi"))
        mpfr_floor(x, x);
    else if (opcode_has(opcode, "rpi"))
        mpfr_ceil(x, x);
    else if (opcode_has(opcode, "rni"))
        mpfr_rint(x, x, MPFR_RNDN); // to even
}

static mpfr_rnd_t direction(const char *opcode)
{
    return opcode_has(opcode, "rz")   ? MPFR_RNDZ
           : opcode_has(opcode, "rm") ? MPFR_RNDD
           : opcode_has(opcode, "rp") ? MPFR_RNDU
                                      : MPFR_RNDN;
}

// ---- to integers -----------------------------------------------------------------------------------

// Integers without .sat are cut; with it, and from floating point always, they are clamped.
static uint64_t to_integer(const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->dst_type);
    bool clamps = bits_are_float(l->type) || opcode_has(l->opcode, "sat");
    mpfr_t x, low, high;
    if (bits_are_float(l->type) && isnan(decode(l)))
        return l->type == PT_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
    mpfr_inits2(200, x, low, high, (mpfr_ptr)NULL);
    get(x, l);
    round_integral(x, l->opcode);
    mpfr_set_ui_2exp(high, 1, bits_are_signed(l->dst_type) ? bits - 1 : bits, MPFR_RNDN);
    mpfr_sub_ui(high, high, 1, MPFR_RNDN);
    if (bits_are_signed(l->dst_type))
        mpfr_set_si_2exp(low, -1, bits - 1, MPFR_RNDN);
    else
        mpfr_set_ui(low, 0, MPFR_RNDN);
    uint64_t out;
    if (!clamps) {
        uint64_t source = l->in[0];
        uint32_t from = bits_of_type(l->type);
        out = bits_are_signed(l->type) ? (uint64_t)((int64_t)(source << (64 - from)) >> (64 - from)) : source;
    } else {
        if (mpfr_cmp(x, low) < 0)
            mpfr_set(x, low, MPFR_RNDN);
        if (mpfr_cmp(x, high) > 0)
            mpfr_set(x, high, MPFR_RNDN);
        out = mpfr_sgn(x) < 0 ? (uint64_t)mpfr_get_sj(x, MPFR_RNDZ) : mpfr_get_uj(x, MPFR_RNDZ);
    }
    mpfr_clears(x, low, high, (mpfr_ptr)NULL);
    return out;
}

// ---- to floating point -----------------------------------------------------------------------------

static uint64_t encode(enum ptx_type type, double x)
{
    uint64_t bits = 0;
    float f = (float)x;
    if (type == PT_F32)
        memcpy(&bits, &f, 4);
    else
        memcpy(&bits, &x, 8);
    return type == PT_F32 && isnan(f) ? 0x7fffffff : bits;
}

// What an H200 does beside rounding: f32 to f32 is a move, NaN of f64 keeps its upper bits in f32, and .ftz looks at the
// f64 before it is rounded.
static bool is_special(const struct op_lane *l, uint64_t *out)
{
    uint64_t bits = l->in[0];
    if (strcmp(l->opcode, "cvt.f32.f32") == 0) {
        *out = bits;
        return true;
    }
    if (l->type != PT_F64 || l->dst_type != PT_F32 || opcode_has(l->opcode, "sat"))
        return false;
    double x = decode(l);
    *out = (bits >> 32 & 0x80000000) | (isnan(x) ? 0x7fc00000 | (bits >> 29 & 0x3fffff) : 0);
    return isnan(x) || (has_ftz(l) && fabs(x) < 0x1p-126);
}

static uint64_t to_float(const struct op_lane *l)
{
    bool is_f32 = l->dst_type == PT_F32;
    uint64_t special;
    if (is_special(l, &special))
        return special;
    mpfr_rnd_t rnd = direction(l->opcode);
    mpfr_t x, r;
    mpfr_set_emin(-10000);
    mpfr_set_emax(10000);
    mpfr_init2(x, 200);
    get(x, l);
    round_integral(x, l->opcode);
    mpfr_init2(r, is_f32 ? 24 : 53);
    mpfr_set_emin(is_f32 ? -148 : -1073);
    mpfr_set_emax(is_f32 ? 128 : 1024);
    int ternary = mpfr_check_range(r, mpfr_set(r, x, rnd), rnd);
    mpfr_subnormalize(r, ternary, rnd);
    double y = mpfr_get_d(r, MPFR_RNDN);
    mpfr_set_emin(-10000);
    mpfr_set_emax(10000);
    mpfr_clears(x, r, (mpfr_ptr)NULL);
    if (has_ftz(l) && is_f32 && fabs(y) < 0x1p-126)
        y = copysign(0, y);
    if (opcode_has(l->opcode, "sat"))
        y = y > 0 ? (y < 1 ? y : 1) : 0;
    return encode(l->dst_type, y);
}

static uint64_t pack(const struct op_lane *l)
{
    bool is_signed = l->opcode[13] == 's'; // cvt.pack.sat.s8
    int bits = l->opcode[14] == '1' ? 16 : l->opcode[14] - '0';
    int64_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, low = is_signed ? -high - 1 : 0;
    uint64_t out = bits < 16 ? l->in[2] << (2 * bits) : 0;
    for (int k = 0; k < 2; k++) { // b, then a above it
        int64_t x = (int32_t)l->in[1 - k];
        x = x < low ? low : x > high ? high : x;
        out |= ((uint64_t)x & (((uint64_t)1 << bits) - 1)) << (k * bits);
    }
    return out;
}

#define INTEGERS "u8 s8 u16 s16 u32 s32 u64 s64"
#define TO_INTEGER(to)                                            \
    {"cvt." to, INTEGERS, "d, a", to_integer, 0, NULL},           \
        {"cvt.sat." to, INTEGERS, "d, a", to_integer, 0, NULL},   \
        {"cvt.rni." to, "f32 f64", "d, a", to_integer, 0, NULL},  \
        {"cvt.rzi." to, "f32 f64", "d, a", to_integer, 0, NULL},  \
        {"cvt.rmi." to, "f32 f64", "d, a", to_integer, 0, NULL},  \
        {"cvt.rpi." to, "f32 f64", "d, a", to_integer, 0, NULL},  \
    {                                                             \
        "cvt.rpi.ftz.sat." to, "f32", "d, a", to_integer, 0, NULL \
    }
#define FROM_INTEGER(to)                                      \
    {"cvt.rn." to, INTEGERS, "d, a", to_float, 0, NULL},      \
        {"cvt.rz." to, INTEGERS, "d, a", to_float, 0, NULL},  \
        {"cvt.rm." to, INTEGERS, "d, a", to_float, 0, NULL},  \
        {"cvt.rp." to, INTEGERS, "d, a", to_float, 0, NULL},  \
    {                                                         \
        "cvt.rn.sat." to, INTEGERS, "d, a", to_float, 0, NULL \
    }
const struct op_case op_cases_convert[] = {
    TO_INTEGER("u8"),
    TO_INTEGER("s8"),
    TO_INTEGER("u16"),
    TO_INTEGER("s16"),
    TO_INTEGER("u32"),
    TO_INTEGER("s32"),
    TO_INTEGER("u64"),
    TO_INTEGER("s64"),
    FROM_INTEGER("f32"),
    FROM_INTEGER("f64"),
    {"cvt.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.sat.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.ftz.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rni.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rzi.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rmi.ftz.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rpi.f32.f32", NULL, "d, a", to_float, 0, NULL},
    {"cvt.f64.f32", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.ftz.f64.f32", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.rni.f64.f64", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.rzi.f64.f64", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.rmi.f64.f64", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.rpi.sat.f64.f64", NULL, "d, a", to_float, 1e-300, NULL},
    {"cvt.rn.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rz.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rm.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rp.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rn.ftz.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.rn.sat.f32.f64", NULL, "d, a", to_float, 0, NULL},
    {"cvt.pack.sat.s8.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.u8.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.s4.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.u4.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.s2.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.u2.s32.b32", NULL, "d, a, b, c", pack, 0, NULL},
    {"cvt.pack.sat.s16.s32", NULL, "d, a, b", pack, 0, NULL},
    {"cvt.pack.sat.u16.s32", NULL, "d, a, b", pack, 0, NULL},
    {0},
};
