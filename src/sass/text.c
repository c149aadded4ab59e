// Numbers and names in the disassembly (text.h).
#include "sass/text.h"
#include <math.h>
#include <string.h>

// Twenty digits: with an exponent from 10^9 on, else as short as they come.
static void print_number(struct buf *out, double value)
{
    bool is_negative = signbit(value) != 0;
    if (isinf(value))
        buf_puts(out, is_negative ? "-INF " : "+INF ");
    else if (value == 0)
        buf_puts(out, is_negative ? "-0.0 " : "0");
    else
        buf_printf(out, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
}

static void print_nan(struct buf *out, bool is_negative, bool is_quiet)
{
    buf_printf(out, "%c%cNAN ", is_negative ? '-' : '+', is_quiet ? 'Q' : 'S');
}

// Shorter formats than double are widened before they are printed, which makes every NaN quiet.

void sass_text_f32(struct buf *out, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value))
        print_nan(out, bits >> 31, true);
    else
        print_number(out, value);
}

void sass_text_f64(struct buf *out, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value))
        print_nan(out, bits >> 63, bits >> 51 & 1);
    else
        print_number(out, value);
}

static double half_value(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? INFINITY
                   : exponent     ? ldexp(1024 + mantissa, (int)exponent - 25)
                                  : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

void sass_text_half(struct buf *out, uint16_t bits, bool is_bf16)
{
    if (is_bf16)
        sass_text_f32(out, (uint32_t)bits << 16);
    else if ((bits & 0x7fff) > 0x7c00)
        print_nan(out, bits >> 15, true);
    else
        print_number(out, half_value(bits));
}

static const char *const special_names[256] = {
#define SPECIAL(number, name) [number] = name,
#include "sass/special.def"
#undef SPECIAL
};

void sass_text_special(struct buf *out, unsigned number)
{
    if (number < 256 && special_names[number])
        buf_puts(out, special_names[number]);
    else
        buf_printf(out, "SR%u", number);
}

void sass_text_barrier(struct buf *out, unsigned number)
{
    static const char *const names[] = {"THREAD_STATE_ENUM.0",
                                        "THREAD_STATE_ENUM.1",
                                        "THREAD_STATE_ENUM.2",
                                        "THREAD_STATE_ENUM.3",
                                        "THREAD_STATE_ENUM.4",
                                        "TRAP_RETURN_PC.LO",
                                        "TRAP_RETURN_PC.HI",
                                        "TRAP_RETURN_MASK",
                                        "MEXITED",
                                        "MKILL",
                                        "MACTIVE",
                                        "MATEXIT",
                                        "OPT_STACK",
                                        "API_CALL_DEPTH",
                                        "ATEXIT_PC.LO",
                                        "ATEXIT_PC.HI",
                                        "MCOLLECTIVE"};
    if (number >= 16 && number - 16 < sizeof names / sizeof names[0])
        buf_puts(out, names[number - 16]);
    else
        buf_printf(out, "B%u", number);
}
