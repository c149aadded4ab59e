// References of 16-bit and smaller floats: exact values in MPFR, rounded once to the format; pairs part by
// part.
#include "support/op_harness.h"
#include <math.h>
#include <mpfr.h>
#include <stddef.h>
#include <string.h>

// ---- formats ---------------------------------------------------------------------------------------

struct format {
    int bits, fraction, bias; // bits: of the value; 32 for tf32, whose lower 13 are zero
};

static struct format format_of(enum ptx_type type)
{
    switch (type) {
    case PT_F16:
    case PT_F16X2:
        return (struct format){16, 10, 15};
    case PT_BF16:
    case PT_BF16X2:
        return (struct format){16, 7, 127};
    case PT_E4M3X2:
        return (struct format){8, 3, 7};
    case PT_E5M2X2:
        return (struct format){8, 2, 15};
    case PT_F64:
        return (struct format){64, 52, 1023};
    default:
        return (struct format){32, 23, 127};
    }
}

static bool is_pair(enum ptx_type type)
{
    return type == PT_F16X2 || type == PT_BF16X2 || type == PT_E4M3X2 || type == PT_E5M2X2;
}

static bool is_e4m3(struct format f)
{
    return f.fraction == 3;
}

static double decode(struct format f, uint64_t bits)
{
    int exponent_bits = f.bits - 1 - f.fraction;
    uint64_t fraction = bits & (((uint64_t)1 << f.fraction) - 1);
    int field = (int)(bits >> f.fraction & (((uint64_t)1 << exponent_bits) - 1)),
        top = (1 << exponent_bits) - 1;
    double sign = bits >> (f.bits - 1) & 1 ? -1 : 1;
    if (is_e4m3(f) && field == top && fraction == 7)
        return NAN;
    if (!is_e4m3(f) && field == top)
        return fraction ? NAN : sign * INFINITY;
    double value = ldexp((double)fraction, (field ? field : 1) - f.bias - f.fraction);
    return sign * (field ? value + ldexp(1, field - f.bias) : value);
}

// x fits the format exactly.
static uint64_t encode(struct format f, double x)
{
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (f.bits - 1);
    int exponent;
    if (isnan(x))
        return f.bits == 8 ? 0x7f : f.bits == 16 ? 0x7fff : 0x7fffffff;
    if (isinf(x))
        return sign | (((uint64_t)1 << (f.bits - 1 - f.fraction)) - 1) << f.fraction;
    if (x == 0)
        return sign;
    frexp(x, &exponent);
    exponent--; // x = 1.… × 2^exponent
    int least = 1 - f.bias, field = exponent < least ? 0 : exponent - least + 1;
    double units = ldexp(fabs(x), f.fraction - (field ? exponent : least));
    return sign |
           (((uint64_t)units + ((uint64_t)field << f.fraction)) - (field ? (uint64_t)1 << f.fraction : 0));
}

static double largest(struct format f)
{
    return is_e4m3(f) ? 448 : ldexp(2 - ldexp(1, -f.fraction), f.bias);
}

static mpfr_rnd_t direction(const char *opcode)
{
    return opcode_has(opcode, "rz")   ? MPFR_RNDZ
           : opcode_has(opcode, "rm") ? MPFR_RNDD
           : opcode_has(opcode, "rp") ? MPFR_RNDU
                                      : MPFR_RNDN;
}

static double flush(struct format f, double x)
{
    return x != 0 && fabs(x) < ldexp(1, 1 - f.bias) ? copysign(0, x) : x;
}

// One rounding of an exact value, then what the suffixes ask for.
static uint64_t finish(const char *opcode, struct format f, mpfr_t exact)
{
    mpfr_t r;
    mpfr_rnd_t rnd = direction(opcode);
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    bool relu = opcode_has(opcode, "relu"), is_nan = mpfr_nan_p(exact);
    if (opcode_has(opcode, "sat") && !is_nan && mpfr_cmp_ui(exact, 1) > 0)
        mpfr_set_ui(exact, 1, MPFR_RNDN);
    if ((opcode_has(opcode, "sat") && (is_nan || mpfr_sgn(exact) <= 0)) ||
        (relu && !is_nan && mpfr_sgn(exact) <= 0))
        mpfr_set_zero(exact, 1);
    mpfr_init2(r, f.fraction + 1);
    mpfr_set_emin(2 - f.bias - f.fraction);
    mpfr_set_emax(is_e4m3(f) ? 9 : f.bias + 1);
    int ternary = mpfr_check_range(r, mpfr_set(r, exact, rnd), rnd);
    mpfr_subnormalize(r, ternary, rnd);
    double x = mpfr_get_d(r, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(r);
    if (is_e4m3(f) && fabs(x) > 448)
        x = opcode_has(opcode, "satfinite") ? copysign(448, x) : NAN;
    if (opcode_has(opcode, "satfinite") && isinf(x))
        x = copysign(largest(f), x);
    return encode(f, opcode_has(opcode, "ftz") && strncmp(opcode, "cvt", 3) != 0 ? flush(f, x) : x);
}

// ---- arithmetic, part by part ----------------------------------------------------------------------

static double operand(const struct op_lane *l, int k, int part)
{
    struct format f = format_of(l->type);
    uint64_t mask = f.bits == 64 ? UINT64_MAX : ((uint64_t)1 << f.bits) - 1;
    double x = decode(f, l->in[k] >> (part * f.bits) & mask);
    // Measured: .ftz does nothing in cvt.f16.f32.
    return opcode_has(l->opcode, "ftz") && strncmp(l->opcode, "cvt.", 4) != 0 ? flush(f, x) : x;
}

static uint64_t parts(const struct op_lane *l, uint64_t (*one)(const struct op_lane *, int))
{
    struct format f = format_of(l->type);
    uint64_t out = one(l, 0);
    return is_pair(l->type) ? out | one(l, 1) << f.bits : out;
}

static uint64_t arithmetic(const struct op_lane *l, int part)
{
    mpfr_t x, y, z;
    mpfr_inits2(600, x, y, z, (mpfr_ptr)NULL);
    mpfr_set_d(x, operand(l, 0, part), MPFR_RNDN);
    mpfr_set_d(y, operand(l, 1, part), MPFR_RNDN);
    switch (l->opcode[0] * 256 + l->opcode[1]) {
    case 'a' * 256 + 'd':
        mpfr_add(z, x, y, MPFR_RNDN);
        break;
    case 's' * 256 + 'u':
        mpfr_sub(z, x, y, MPFR_RNDN);
        break;
    case 'm' * 256 + 'u':
        mpfr_mul(z, x, y, MPFR_RNDN);
        break;
    default:
        mpfr_set_d(z, operand(l, 2, part), MPFR_RNDN);
        mpfr_fma(z, x, y, z, MPFR_RNDN);
        break;
    }
    uint64_t out = finish(l->opcode, format_of(l->type), z);
    mpfr_clears(x, y, z, (mpfr_ptr)NULL);
    return out;
}

static uint64_t extreme(const struct op_lane *l, int part)
{
    struct format f = format_of(l->type);
    double a = operand(l, 0, part), b = operand(l, 1, part), out;
    bool want_max = strncmp(l->opcode, "max", 3) == 0, is_xor = opcode_has(l->opcode, "xorsign");
    bool is_negative = (l->in[0] ^ l->in[1]) >> (part * f.bits + f.bits - 1) & 1;
    a = is_xor ? fabs(a) : a;
    b = is_xor ? fabs(b) : b;
    if (isnan(a) || isnan(b))
        out = opcode_has(l->opcode, "NaN") || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
    else if (a == b)
        out = (signbit(a) != 0) == want_max ? b : a;
    else
        out = (a > b) == want_max ? a : b;
    if (is_xor && !isnan(out))
        out = copysign(out, is_negative ? -1 : 1);
    return encode(f, out);
}

static uint64_t sign(const struct op_lane *l, int part)
{
    uint64_t bits = l->in[0] >> (16 * part) & 0xffff;
    if (opcode_has(l->opcode, "ftz") && (bits & 0x7c00) == 0)
        bits &= 0x8000;
    if (isnan(decode(format_of(l->type), bits)))
        return 0x7fff;
    return l->opcode[0] == 'a' ? bits & 0x7fff : bits ^ 0x8000;
}

static uint64_t approximate(const struct op_lane *l, int part)
{
    double x = operand(l, 0, part);
    mpfr_t y;
    mpfr_init2(y, 53);
    mpfr_set_d(y, l->opcode[0] == 't' ? tanh(x) : exp2(x), MPFR_RNDN);
    uint64_t out = finish(l->opcode, format_of(l->type), y);
    mpfr_clear(y);
    return out;
}

#define BY_PARTS(name, one)                       \
    static uint64_t name(const struct op_lane *l) \
    {                                             \
        return parts(l, one);                     \
    }
BY_PARTS(arithmetic_, arithmetic)
BY_PARTS(extreme_, extreme)
BY_PARTS(sign_, sign)
BY_PARTS(approximate_, approximate)

// ---- comparisons -----------------------------------------------------------------------------------

static bool compare(const struct op_lane *l, int part)
{
    static const char *const relations[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    double a = operand(l, 0, part), b = operand(l, 1, part);
    bool is_unordered = isnan(a) || isnan(b);
    bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    for (size_t i = 0; i < 14; i++)
        if (opcode_has(l->opcode, relations[i]))
            return i < 6    ? holds[i] && !is_unordered
                   : i < 12 ? holds[i - 6] || is_unordered
                            : is_unordered == (i == 13);
    return false;
}

static bool with_bool(const struct op_lane *l, bool x)
{
    return opcode_has(l->opcode, "and")   ? x && l->in[2]
           : opcode_has(l->opcode, "or")  ? x || l->in[2]
           : opcode_has(l->opcode, "xor") ? x != (l->in[2] != 0)
                                          : x;
}

static uint64_t setp(const struct op_lane *l)
{
    bool p = compare(l, 0), q = is_pair(l->type) ? compare(l, 1) : !p;
    return (uint64_t)with_bool(l, p) | (uint64_t)with_bool(l, q) << 1;
}

static uint64_t set(const struct op_lane *l)
{
    bool is_f16 = l->dst_type == PT_F16 || l->dst_type == PT_F16X2,
         is_bf16 = l->dst_type == PT_BF16 || l->dst_type == PT_BF16X2;
    uint64_t one = is_f16 ? 0x3c00 : is_bf16 ? 0x3f80 : is_pair(l->type) ? 0xffff : 0xffffffff;
    uint64_t low = with_bool(l, compare(l, 0)) ? one : 0;
    return is_pair(l->type) ? low | (with_bool(l, compare(l, 1)) ? one << 16 : 0) : low;
}

// set.f16 of other types: comparison as for set.u32, tested there; here only what true gives.
static uint64_t set_eq(const struct op_lane *l)
{
    struct format f = format_of(l->type);
    bool is_equal =
        bits_are_float(l->type) ? decode(f, l->in[0]) == decode(f, l->in[1]) : l->in[0] == l->in[1];
    return is_equal ? l->dst_type == PT_F16 ? 0x3c00 : 0x3f80 : 0;
}

// ---- conversions -----------------------------------------------------------------------------------

static void exact_source(const struct op_lane *l, int k, int part, mpfr_t x)
{
    uint32_t bits = bits_of_type(l->type);
    if (bits_are_signed(l->type))
        mpfr_set_sj(x, (int64_t)(l->in[k] << (64 - bits)) >> (64 - bits), MPFR_RNDN);
    else if (l->type == PT_U8 || l->type == PT_U16 || l->type == PT_U32 || l->type == PT_U64)
        mpfr_set_uj(x, l->in[k], MPFR_RNDN);
    else
        mpfr_set_d(x, operand(l, k, part), MPFR_RNDN);
    if (opcode_has(l->opcode, "rzi"))
        mpfr_trunc(x, x);
    else if (opcode_has(l->opcode, "rmi"))
        mpfr_floor(x, x);
    else if (opcode_has(l->opcode, "rpi"))
        mpfr_ceil(x, x);
    else if (opcode_has(l->opcode, "rni"))
        mpfr_rint(x, x, MPFR_RNDN);
}

static uint64_t convert(const struct op_lane *l, int k, int part)
{
    mpfr_t x;
    mpfr_init2(x, 64);
    exact_source(l, k, part, x);
    uint64_t out = finish(l->opcode, format_of(l->dst_type), x);
    mpfr_clear(x);
    return out;
}

static uint64_t to_one(const struct op_lane *l)
{
    struct format f = format_of(l->dst_type);
    bool is_f64_nan = l->type == PT_F64 && isnan(operand(l, 0, 0)) && !opcode_has(l->opcode, "sat");
    if (is_f64_nan) // its upper bits stay
        return (l->in[0] >> 48 & 0x8000) | (0x7fff ^ ((1u << f.fraction) - 1)) | 1u << (f.fraction - 1) |
               (l->in[0] >> (52 - f.fraction) & ((1u << f.fraction) - 1));
    return convert(l, 0, 0);
}
static uint64_t to_two(const struct op_lane *l) // a above b
{
    return convert(l, 0, 0) << format_of(l->dst_type).bits | convert(l, 1, 0);
}
static uint64_t pair_to_pair(const struct op_lane *l)
{
    return convert(l, 0, 1) << format_of(l->dst_type).bits | convert(l, 0, 0);
}

static uint64_t to_tf32(const struct op_lane *l)
{
    double x = operand(l, 0, 0);
    uint64_t bits = l->in[0] & 0x7fffffff, sign = l->in[0] & 0x80000000;
    if (isnan(x)) // measured
        return !opcode_has(l->opcode, "rna")         ? 0x7fffe000
               : opcode_has(l->opcode, "satfinite") ? (l->in[0] & 0xffffe000) - 0x2000
                                                     : l->in[0] & 0xffffe000;
    if (opcode_has(l->opcode, "relu") && sign)
        return 0;
    uint64_t kept = bits & ~(uint64_t)0x1fff, rest = bits & 0x1fff;
    bool up = opcode_has(l->opcode, "rna")  ? rest >= 0x1000
              : opcode_has(l->opcode, "rz") ? false
                                            : rest > 0x1000 || (rest == 0x1000 && (kept & 0x2000));
    kept += up ? 0x2000 : 0;
    if (kept == 0x7f800000 && isfinite(x) && opcode_has(l->opcode, "satfinite"))
        kept = 0x7f7fe000;
    return isinf(x) && opcode_has(l->opcode, "satfinite") ? sign | 0x7f7fe000 : sign | kept;
}

static uint64_t to_integer(const struct op_lane *l)
{
    uint32_t bits = bits_of_type(l->dst_type);
    bool is_signed = bits_are_signed(l->dst_type);
    if (isnan(operand(l, 0, 0)))
        return bits == 64 ? (uint64_t)1 << 63 : 0;
    mpfr_t x;
    mpfr_init2(x, 200);
    exact_source(l, 0, 0, x);
    double y = mpfr_get_d(x, MPFR_RNDN); // exact: 11 bits at most
    mpfr_clear(x);
    double high = ldexp(1, (int)bits - is_signed), low = is_signed ? -high : 0;
    uint64_t top = bits == 64 && !is_signed ? UINT64_MAX : ((uint64_t)1 << (bits - (is_signed ? 1 : 0))) - 1;
    return y >= high ? top
           : y < low ? (is_signed ? (uint64_t)1 << (bits - 1) : 0)
           : y < 0   ? (uint64_t)(int64_t)y
                     : (uint64_t)y;
}

static uint64_t widen(const struct op_lane *l)
{
    double x = operand(l, 0, 0);
    if (opcode_has(l->opcode, "sat"))
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (l->dst_type == PT_F32 && l->type == PT_BF16 && !opcode_has(l->opcode, "sat"))
        return l->in[0] << 16;
    if (l->dst_type == PT_F32)
        return encode(format_of(PT_F32), x);
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

#define F16 "f16 f16x2"
#define BF16 "bf16 bf16x2"
#define HALVES "f16 f16x2 bf16 bf16x2"
#define ALL_TYPES "f32 f64 u8 s8 u16 s16 u32 s32 u64 s64"
#define ARITHMETIC(name, operands)                                                                        \
    {name, HALVES, operands, arithmetic_, 0, NULL}, {name ".rn", HALVES, operands, arithmetic_, 0, NULL}, \
        {name ".ftz", F16, operands, arithmetic_, 0, NULL},                                               \
        {name ".sat", F16, operands, arithmetic_, 0, NULL},                                               \
    {                                                                                                     \
        name ".rn.ftz.sat", F16, operands, arithmetic_, 0, NULL                                           \
    }
#define EXTREME(name)                                                                                  \
    {name, HALVES, "d, a, b", extreme_, 0, NULL}, {name ".NaN", HALVES, "d, a, b", extreme_, 0, NULL}, \
        {name ".ftz", F16, "d, a, b", extreme_, 0, NULL},                                              \
        {name ".ftz.NaN.xorsign.abs", F16, "d, a, b", extreme_, 0, NULL},                              \
    {                                                                                                  \
        name ".xorsign.abs", HALVES, "d, a, b", extreme_, 0, NULL                                      \
    }
#define SETP(relation)                                               \
    {"setp." relation, "f16 bf16", "p, a, b", setp, 0, NULL},        \
    {                                                                \
        "setp." relation, "f16x2 bf16x2", "p|q, a, b", setp, 0, NULL \
    }
#define TO_INTEGER(to)                                             \
    {"cvt.rni." to, "f16 bf16", "d, a", to_integer, 0, NULL},      \
        {"cvt.rzi." to, "f16 bf16", "d, a", to_integer, 0, NULL},  \
        {"cvt.rmi." to, "f16 bf16", "d, a", to_integer, 0, NULL},  \
        {"cvt.rpi." to, "f16", "d, a", to_integer, 0, NULL},       \
    {                                                              \
        "cvt.rpi.sat." to, "f16 bf16", "d, a", to_integer, 0, NULL \
    }
#define FROM_ANY(to)                                                                                        \
    {"cvt.rn." to, ALL_TYPES, "d, a", to_one, 0, NULL}, {"cvt.rz." to, ALL_TYPES, "d, a", to_one, 0, NULL}, \
        {"cvt.rm." to, ALL_TYPES, "d, a", to_one, 0, NULL},                                                 \
        {"cvt.rp." to, ALL_TYPES, "d, a", to_one, 0, NULL},                                                 \
    {                                                                                                       \
        "cvt.rn.sat." to, ALL_TYPES, "d, a", to_one, 0, NULL                                                \
    }
#define PAIR(to)                                                                                          \
    {"cvt.rn." to, "f32", "d, a, b", to_two, 0, NULL}, {"cvt.rz." to, "f32", "d, a, b", to_two, 0, NULL}, \
        {"cvt.rn.satfinite." to, "f32", "d, a, b", to_two, 0, NULL},                                      \
    {                                                                                                     \
        "cvt.rn.satfinite.relu." to, "f32", "d, a, b", to_two, 0, NULL                                    \
    }

const struct op_case op_cases_half[] = {
    ARITHMETIC("add", "d, a, b"),
    ARITHMETIC("sub", "d, a, b"),
    ARITHMETIC("mul", "d, a, b"),
    {"fma.rn", HALVES, "d, a, b, c", arithmetic_, 0, NULL},
    {"fma.rn.ftz", F16, "d, a, b, c", arithmetic_, 0, NULL},
    {"fma.rn.sat", F16, "d, a, b, c", arithmetic_, 0, NULL},
    {"fma.rn.ftz.sat", F16, "d, a, b, c", arithmetic_, 0, NULL},
    {"fma.rn.relu", HALVES, "d, a, b, c", arithmetic_, 0, NULL},
    {"fma.rn.ftz.relu", F16, "d, a, b, c", arithmetic_, 0, NULL},
    EXTREME("min"),
    EXTREME("max"),
    {"abs", HALVES, "d, a", sign_, 0, NULL},
    {"neg", HALVES, "d, a", sign_, 0, NULL},
    {"abs.ftz", F16, "d, a", sign_, 0, NULL},
    {"neg.ftz", F16, "d, a", sign_, 0, NULL},
    {"tanh.approx", HALVES, "d, a", approximate_, 1, NULL},
    {"ex2.approx", F16, "d, a", approximate_, 1, NULL},
    {"ex2.approx.ftz", BF16, "d, a", approximate_, 1, NULL},
    SETP("eq"),
    SETP("ne"),
    SETP("lt"),
    SETP("le"),
    SETP("gt"),
    SETP("ge"),
    SETP("equ"),
    SETP("neu"),
    SETP("ltu"),
    SETP("leu"),
    SETP("gtu"),
    SETP("geu"),
    SETP("num"),
    SETP("nan"),
    {"setp.lt.and", "f16x2 bf16x2", "p|q, a, b, r", setp, 0, NULL},
    {"setp.geu.xor", "f16 bf16", "p, a, b, r", setp, 0, NULL},
    {"setp.eq.or.ftz", "f16x2", "p|q, a, b, r", setp, 0, NULL},
    {"set.lt.u16", "f16 bf16", "d, a, b", set, 0, NULL},
    {"set.gtu.s16", "f16 bf16", "d, a, b", set, 0, NULL},
    {"set.le.u32", HALVES, "d, a, b", set, 0, NULL},
    {"set.ne.and.s32", HALVES, "d, a, b, r", set, 0, NULL},
    {"set.ge.f16", "f16", "d, a, b", set, 0, NULL},
    {"set.ge.bf16", "bf16", "d, a, b", set, 0, NULL},
    {"set.lt.ftz.f16x2", "f16x2", "d, a, b", set, 0, NULL},
    {"set.neu.or.bf16x2", "bf16x2", "d, a, b, r", set, 0, NULL},
    {"set.eq.f16", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", "d, a, b", set_eq, 0, NULL},
    {"set.eq.bf16", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", "d, a, b", set_eq, 0, NULL},
    {"cvt.f32", "f16 bf16", "d, a", widen, 0, NULL},
    {"cvt.sat.f32", "f16 bf16", "d, a", widen, 0, NULL},
    {"cvt.f64", "f16 bf16", "d, a", widen, 1e-300, NULL},
    FROM_ANY("f16"),
    FROM_ANY("bf16"),
    {"cvt.rn.ftz.f16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rp.ftz.f16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rm.ftz.f16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rn.relu.f16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rz.relu.satfinite.f16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rn.satfinite.bf16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rn.relu.bf16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rni.f16", "f16", "d, a", to_one, 0, NULL},
    {"cvt.rmi.f16", "f16", "d, a", to_one, 0, NULL},
    {"cvt.sat.f16", "f16", "d, a", to_one, 0, NULL},
    {"cvt.rzi.bf16", "bf16", "d, a", to_one, 0, NULL},
    {"cvt.rpi.bf16", "bf16", "d, a", to_one, 0, NULL},
    {"cvt.rn.f16", "bf16", "d, a", to_one, 0, NULL},
    {"cvt.rz.bf16", "f16", "d, a", to_one, 0, NULL},
    TO_INTEGER("u8"),
    TO_INTEGER("s8"),
    TO_INTEGER("u16"),
    TO_INTEGER("s16"),
    TO_INTEGER("u32"),
    TO_INTEGER("s32"),
    TO_INTEGER("u64"),
    TO_INTEGER("s64"),
    PAIR("f16x2"),
    PAIR("bf16x2"),
    {"cvt.rn.satfinite.e4m3x2", "f32", "d, a, b", to_two, 0, NULL},
    {"cvt.rn.satfinite.relu.e4m3x2", "f32", "d, a, b", to_two, 0, NULL},
    {"cvt.rn.satfinite.e5m2x2", "f32", "d, a, b", to_two, 0, NULL},
    {"cvt.rn.satfinite.relu.e5m2x2", "f32", "d, a, b", to_two, 0, NULL},
    {"cvt.rn.satfinite.e4m3x2", "f16x2", "d, a", pair_to_pair, 0, NULL},
    {"cvt.rn.satfinite.relu.e4m3x2", "f16x2", "d, a", pair_to_pair, 0, NULL},
    {"cvt.rn.satfinite.e5m2x2", "f16x2", "d, a", pair_to_pair, 0, NULL},
    {"cvt.rn.f16x2", "e4m3x2 e5m2x2", "d, a", pair_to_pair, 0, NULL},
    {"cvt.rn.relu.f16x2", "e4m3x2 e5m2x2", "d, a", pair_to_pair, 0, NULL},
    {"cvt.rna.tf32", "f32", "d, a", to_tf32, 0, NULL},
    {"cvt.rn.satfinite.relu.bf16", "f32", "d, a", to_one, 0, NULL},
    {"cvt.rna.satfinite.tf32", "f32", "d, a", to_tf32, 0, NULL},
    {"cvt.rn.relu.tf32", "f32", "d, a", to_tf32, 0, NULL},
    {"cvt.rz.tf32", "f32", "d, a", to_tf32, 0, NULL},
    {0},
};
