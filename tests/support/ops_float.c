// References of floating-point rows: MPFR, rounded once to 24 or 53 bits, with subnormal numbers, .ftz and
// .sat.
#include "support/op_harness.h"
#include <math.h>
#include <mpfr.h>
#include <stddef.h>
#include <string.h>

// ---- between bits and MPFR -------------------------------------------------------------------------

static double decode(enum ptx_type type, uint64_t bits)
{
    double x;
    if (type == PT_F32) {
        float f;
        memcpy(&f, &bits, 4);
        return f;
    }
    memcpy(&x, &bits, 8);
    return x;
}

static uint64_t encode(enum ptx_type type, double x)
{
    uint64_t bits = 0;
    if (type == PT_F32) {
        float f = (float)x; // exact: x has 24 bits at most
        memcpy(&bits, &f, 4);
        return isnan(f) ? 0x7fffffff : bits;
    }
    memcpy(&bits, &x, 8);
    return bits;
}

static bool is_subnormal(enum ptx_type type, double x)
{
    return x != 0 && fabs(x) < (type == PT_F32 ? 0x1p-126 : 0x1p-1022);
}

static double operand(const struct op_lane *l, int k)
{
    double x = decode(l->type, l->in[k]);
    return opcode_has(l->opcode, "ftz") && is_subnormal(l->type, x) ? copysign(0, x) : x;
}

static mpfr_rnd_t direction(const char *opcode)
{
    return opcode_has(opcode, "rz")   ? MPFR_RNDZ
           : opcode_has(opcode, "rm") ? MPFR_RNDD
           : opcode_has(opcode, "rp") ? MPFR_RNDU
                                      : MPFR_RNDN;
}

static double finish(const struct op_lane *l, double x)
{
    if (opcode_has(l->opcode, "ftz") && is_subnormal(l->type, x))
        x = copysign(0, x);
    if (opcode_has(l->opcode, "sat"))
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    return x;
}

// The range and precision of the type; results are then rounded as IEEE 754 says, subnormal numbers too.
static void set_format(enum ptx_type type)
{
    mpfr_set_default_prec(type == PT_F32 ? 24 : 53);
    mpfr_set_emin(type == PT_F32 ? -148 : -1073);
    mpfr_set_emax(type == PT_F32 ? 128 : 1024);
}

typedef int (*mpfr_3)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static uint64_t exact(const struct op_lane *l, mpfr_3 two, int n)
{
    mpfr_t x, y, z, r;
    mpfr_rnd_t rnd = direction(l->opcode);
    double in[3] = {0, 0, 0};
    for (int k = 0; k < n; k++)
        in[k] = operand(l, k);
    set_format(PT_F64);
    mpfr_inits2(53, x, y, z, (mpfr_ptr)NULL);
    mpfr_set_d(x, in[0], MPFR_RNDN);
    mpfr_set_d(y, in[1], MPFR_RNDN);
    mpfr_set_d(z, in[2], MPFR_RNDN);
    set_format(l->type);
    mpfr_init(r);
    int ternary = n == 3 ? mpfr_fma(r, x, y, z, rnd) : two(r, x, y, rnd);
    ternary = mpfr_check_range(r, ternary, rnd);
    mpfr_subnormalize(r, ternary, rnd);
    double result = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clears(x, y, z, r, (mpfr_ptr)NULL);
    set_format(PT_F64);
    return encode(l->type, finish(l, result));
}

static int reciprocal(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr unused, mpfr_rnd_t rnd)
{
    (void)unused;
    return mpfr_ui_div(r, 1, x, rnd);
}
static int square_root(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr unused, mpfr_rnd_t rnd)
{
    (void)unused;
    return mpfr_sqrt(r, x, rnd);
}

// A NaN of f64 may be any.
static uint64_t any_nan(const struct op_lane *l, uint64_t bits)
{
    return bits;
    (void)l;
}

static uint64_t add(const struct op_lane *l)
{
    return any_nan(l, exact(l, mpfr_add, 2));
}
static uint64_t sub(const struct op_lane *l)
{
    return exact(l, mpfr_sub, 2);
}
static uint64_t mul(const struct op_lane *l)
{
    return exact(l, mpfr_mul, 2);
}
static uint64_t divide(const struct op_lane *l)
{
    return exact(l, mpfr_div, 2);
}
static uint64_t fused(const struct op_lane *l)
{
    return exact(l, NULL, 3);
}
static uint64_t rcp(const struct op_lane *l)
{
    return exact(l, reciprocal, 1);
}
static uint64_t root(const struct op_lane *l)
{
    return exact(l, square_root, 1);
}

// ---- signs, extremes, classes ----------------------------------------------------------------------

static uint64_t sign_bit(const struct op_lane *l)
{
    return (uint64_t)1 << (bits_of_type(l->type) - 1);
}
static uint64_t flushed(const struct op_lane *l, int k)
{
    double x = decode(l->type, l->in[k]);
    return opcode_has(l->opcode, "ftz") && is_subnormal(l->type, x) ? l->in[k] & sign_bit(l) : l->in[k];
}
static bool is_nan(const struct op_lane *l)
{
    return isnan(decode(l->type, l->in[0]));
}
static uint64_t absolute(const struct op_lane *l)
{
    if (is_nan(l) && l->type == PT_F32)
        return 0x7fffffff;
    return flushed(l, 0) & ~sign_bit(l);
}
static uint64_t negative(const struct op_lane *l)
{
    if (is_nan(l))
        return l->type == PT_F32 ? 0x7fffffff : l->in[0] | 0x0008000000000000;
    return flushed(l, 0) ^ sign_bit(l);
}
static uint64_t copysign_(const struct op_lane *l) // sign of a, magnitude of b
{
    return (l->in[0] & sign_bit(l)) | (l->in[1] & ~sign_bit(l));
}

static uint64_t extreme(const struct op_lane *l, bool want_max)
{
    uint64_t x = flushed(l, 0), y = flushed(l, 1), sign = (x ^ y) & sign_bit(l);
    if (opcode_has(l->opcode, "xorsign")) {
        x &= ~sign_bit(l);
        y &= ~sign_bit(l);
    }
    double a = decode(l->type, x), b = decode(l->type, y);
    uint64_t out;
    if (isnan(a) || isnan(b))
        out = opcode_has(l->opcode, "NaN") || (isnan(a) && isnan(b)) ? encode(l->type, isnan(a) ? a : b)
              : isnan(a)                                             ? y
                                                                     : x;
    else if (a == b)
        out = want_max ? x & y : x | y; // the sign of zero
    else
        out = (a > b) == want_max ? x : y;
    bool keeps_sign = opcode_has(l->opcode, "xorsign") && !isnan(decode(l->type, out));
    return keeps_sign ? out | sign : out;
}
static uint64_t min(const struct op_lane *l)
{
    return extreme(l, false);
}
static uint64_t max(const struct op_lane *l)
{
    return extreme(l, true);
}

static uint64_t testp(const struct op_lane *l)
{
    double x = decode(l->type, l->in[0]);
    const char *o = l->opcode;
    return opcode_has(o, "finite")       ? isfinite(x) != 0
           : opcode_has(o, "infinite")   ? isinf(x) != 0
           : opcode_has(o, "number")     ? !isnan(x)
           : opcode_has(o, "notanumber") ? isnan(x) != 0
           : opcode_has(o, "normal")     ? isfinite(x) && !is_subnormal(l->type, x) // zero, too
                                         : is_subnormal(l->type, x);
}

// ---- approximate functions: double precision, the table allows some units in the last place --------

static uint64_t near(const struct op_lane *l, double x)
{
    return encode(l->type, finish(l, l->type == PT_F32 ? (double)(float)x : x));
}
static uint64_t near_div(const struct op_lane *l)
{
    double a = operand(l, 0), b = operand(l, 1);
    bool is_lost = opcode_has(l->opcode, "approx") && fabs(b) > 0x1p126; // the reciprocal is subnormal
    return near(l, is_lost ? a * copysign(0, b) : a / b);
}
static uint64_t near_rcp(const struct op_lane *l)
{
    return near(l, 1 / operand(l, 0));
}
static uint64_t near_sqrt(const struct op_lane *l)
{
    return near(l, sqrt(operand(l, 0)));
}
static uint64_t near_rsqrt(const struct op_lane *l)
{
    return near(l, 1 / sqrt(operand(l, 0)));
}
// The argument becomes turns first, of 24 bits, and then a fraction of a turn.
static double angle(const struct op_lane *l)
{
    double turns = operand(l, 0) * (double)0x1.45f306p-3f, whole, part = fabs(modf(turns, &whole));
    int exponent;
    frexp(turns, &exponent);
    double step = ldexp(1, exponent - 24 > -25 ? exponent - 24 : -25);
    return copysign(isfinite(turns) ? floor(part / step) * step : turns, turns) * 0x1.921fb54442d18p2;
}
static uint64_t near_sin(const struct op_lane *l)
{
    return near(l, sin(angle(l)));
}
static uint64_t near_cos(const struct op_lane *l)
{
    return near(l, cos(angle(l)));
}
static uint64_t near_lg2(const struct op_lane *l)
{
    return near(l, log2(operand(l, 0)));
}
static uint64_t near_ex2(const struct op_lane *l)
{
    return near(l, exp2(operand(l, 0)));
}
static uint64_t near_tanh(const struct op_lane *l)
{
    return near(l, tanh(operand(l, 0)));
}
static uint64_t high_rsqrt(const struct op_lane *l)
{
    double x = decode(PT_F64, l->in[0] & 0xffffffff00000000);
    x = is_subnormal(PT_F64, x) ? copysign(0, x) : x;
    return encode(PT_F64, x == 0 ? 1 / x : 1 / sqrt(x)) & 0xffffffff00000000;
}
static uint64_t high_rcp(const struct op_lane *l)
{
    double x = decode(PT_F64, l->in[0] & 0xffffffff00000000);
    double r = 1 / (is_subnormal(PT_F64, x) ? copysign(0, x) : x);
    uint64_t bits = encode(PT_F64, is_subnormal(PT_F64, r) ? copysign(0, r) : r);
    return bits & 0xffffffff00000000;
}

#define ROUNDED(name, operands, f)                                                                          \
    {name ".f32", NULL, operands, f, 0, NULL}, {name ".rn.f32", NULL, operands, f, 0, NULL},                \
        {name ".rz.f32", NULL, operands, f, 0, NULL}, {name ".rm.f32", NULL, operands, f, 0, NULL},         \
        {name ".rp.f32", NULL, operands, f, 0, NULL}, {name ".ftz.f32", NULL, operands, f, 0, NULL},        \
        {name ".rz.ftz.f32", NULL, operands, f, 0, NULL}, {name ".rp.ftz.f32", NULL, operands, f, 0, NULL}, \
        {name ".rn.f64", NULL, operands, f, 1e-300, NULL},                                                  \
        {name ".rz.f64", NULL, operands, f, 1e-300, NULL},                                                  \
        {name ".rm.f64", NULL, operands, f, 1e-300, NULL},                                                  \
    {                                                                                                       \
        name ".rp.f64", NULL, operands, f, 1e-300, NULL                                                     \
    }
#define SATURATED(name, operands, f)                       \
    {name ".sat.f32", NULL, operands, f, 0, NULL},         \
    {                                                      \
        name ".rn.ftz.sat.f32", NULL, operands, f, 0, NULL \
    }

// f64 results have 1e-300 units: any NaN is as good as another, everything else must be exact.
const struct op_case op_cases_float[] = {
    ROUNDED("add", "d, a, b", add),
    SATURATED("add", "d, a, b", add),
    ROUNDED("sub", "d, a, b", sub),
    SATURATED("sub", "d, a, b", sub),
    ROUNDED("mul", "d, a, b", mul),
    SATURATED("mul", "d, a, b", mul),
    ROUNDED("fma", "d, a, b, c", fused),
    SATURATED("fma", "d, a, b, c", fused),
    ROUNDED("mad", "d, a, b, c", fused),
    SATURATED("mad", "d, a, b, c", fused),
    ROUNDED("div", "d, a, b", divide),
    ROUNDED("rcp", "d, a", rcp),
    ROUNDED("sqrt", "d, a", root),
    {"abs", "f32 f64", "d, a", absolute, 0, NULL},
    {"neg", "f32 f64", "d, a", negative, 0, NULL},
    {"abs.ftz.f32", NULL, "d, a", absolute, 0, NULL},
    {"neg.ftz.f32", NULL, "d, a", negative, 0, NULL},
    {"copysign", "f32 f64", "d, a, b", copysign_, 0, NULL},
    {"min", "f32 f64", "d, a, b", min, 1e-300, NULL},
    {"max", "f32 f64", "d, a, b", max, 1e-300, NULL},
    {"min.ftz", "f32", "d, a, b", min, 1e-300, NULL},
    {"max.ftz.NaN", "f32", "d, a, b", max, 1e-300, NULL},
    {"min.NaN", "f32", "d, a, b", min, 1e-300, NULL},
    {"max.xorsign.abs", "f32", "d, a, b", max, 1e-300, NULL},
    {"min.NaN.xorsign.abs", "f32", "d, a, b", min, 1e-300, NULL},
    {"testp.finite", "f32 f64", "p, a", testp, 0, NULL},
    {"testp.infinite", "f32 f64", "p, a", testp, 0, NULL},
    {"testp.number", "f32 f64", "p, a", testp, 0, NULL},
    {"testp.notanumber", "f32 f64", "p, a", testp, 0, NULL},
    {"testp.normal", "f32 f64", "p, a", testp, 0, NULL},
    {"testp.subnormal", "f32 f64", "p, a", testp, 0, NULL},
    {"div.approx.f32", NULL, "d, a, b", near_div, 2, NULL},
    {"div.approx.ftz.f32", NULL, "d, a, b", near_div, 2, NULL},
    {"div.full.f32", NULL, "d, a, b", near_div, 2, NULL},
    {"rcp.approx.f32", NULL, "d, a", near_rcp, 1, NULL},
    {"rcp.approx.ftz.f32", NULL, "d, a", near_rcp, 1, NULL},
    {"rcp.approx.ftz.f64", NULL, "d, a", high_rcp, 0x1p33, NULL},
    {"sqrt.approx.f32", NULL, "d, a", near_sqrt, 1, NULL},
    {"rsqrt.approx.f32", NULL, "d, a", near_rsqrt, 2, NULL},
    {"rsqrt.approx.ftz.f32", NULL, "d, a", near_rsqrt, 2, NULL},
    {"rsqrt.approx.f64", NULL, "d, a", near_rsqrt, 4, NULL},
    {"rsqrt.approx.ftz.f64", NULL, "d, a", high_rsqrt, 0x1p34, NULL},
    {"div.full.ftz.f32", NULL, "d, a, b", near_div, 2, NULL},
    {"sqrt.approx.ftz.f32", NULL, "d, a", near_sqrt, 1, NULL},
    {"lg2.approx.ftz.f32", NULL, "d, a", near_lg2, 2, NULL},
    {"sin.approx.ftz.f32", NULL, "d, a", near_sin, 2, NULL},
    {"cos.approx.ftz.f32", NULL, "d, a", near_cos, 2, NULL},
    {"sin.approx.f32", NULL, "d, a", near_sin, 2, NULL},
    {"cos.approx.f32", NULL, "d, a", near_cos, 2, NULL},
    {"lg2.approx.f32", NULL, "d, a", near_lg2, 2, NULL},
    {"ex2.approx.f32", NULL, "d, a", near_ex2, 2, NULL},
    {"ex2.approx.ftz.f32", NULL, "d, a", near_ex2, 2, NULL},
    {"tanh.approx.f32", NULL, "d, a", near_tanh, 128, NULL},
    {0},
};
