// Reads one conversion of a format and prints one argument by the host's printf.
#include "simt/format.h"
#include <stdio.h>
#include <string.h>

// Wider fields than this are cut: a format of the guest must not take the host's memory.
enum { MAX_FIELD = 1 << 16 };

static int bounded(int64_t value)
{
    return value > MAX_FIELD ? MAX_FIELD : value < -MAX_FIELD ? -MAX_FIELD : (int)value;
}

// ---- reading -----------------------------------------------------------------------------------------

static const char *read_flags(const char *at, struct conversion *out)
{
    size_t n = 0;
    for (; *at && strchr("-+ #0", *at); at++)
        if (!strchr(out->flags, *at))
            out->flags[n++] = *at;
    return at;
}

static const char *read_number(const char *at, int *value, bool *is_argument)
{
    int64_t number = 0;
    *is_argument = *at == '*';
    if (*is_argument)
        return at + 1;
    for (; *at >= '0' && *at <= '9'; at++)
        number = bounded(number * 10 + (*at - '0'));
    *value = (int)number;
    return at;
}

// h, hh, l, ll, and those of size_t, intmax_t, ptrdiff_t, which have 64 bits.
static const char *read_size(const char *at, struct conversion *out)
{
    out->value_bytes = 4;
    if (*at == 'h') {
        out->value_bytes = at[1] == 'h' ? 1 : 2;
        return at + (at[1] == 'h' ? 2 : 1);
    }
    if (*at && strchr("lzjt", *at)) {
        out->value_bytes = 8;
        return at + (at[0] == 'l' && at[1] == 'l' ? 2 : 1);
    }
    return at;
}

static bool read_type(char type, struct conversion *out)
{
    static const char *const types[] = {"di",       "uoxX", "c", "p",
                                        "eEfFgGaA", "s",    "%"}; // by enum conversion_kind
    out->type = type;
    for (int kind = 0; type && kind <= CONVERT_PERCENT; kind++) {
        if (!strchr(types[kind], type))
            continue;
        out->kind = (enum conversion_kind)kind;
        bool is_word = kind == CONVERT_CHAR || (kind <= CONVERT_UNSIGNED && out->value_bytes <= 4);
        out->argument_bytes = kind == CONVERT_PERCENT ? 0 : is_word ? 4 : 8;
        return true;
    }
    return false;
}

bool conversion_read(const char *at, struct conversion *out)
{
    const char *begin = at;
    *out = (struct conversion){.precision = -1};
    at = read_flags(at + 1, out);
    at = read_number(at, &out->width, &out->has_width_argument);
    if (*at == '.')
        at = read_number(at + 1, &out->precision, &out->has_precision_argument);
    at = read_size(at, out);
    out->text_bytes = (size_t)(at + 1 - begin);
    return read_type(*at, out);
}

void conversion_set_width(struct conversion *conversion, int32_t width)
{
    conversion->width = bounded(width);
}

void conversion_set_precision(struct conversion *conversion, int32_t precision)
{
    conversion->precision = bounded(precision);
}

// ---- printing ----------------------------------------------------------------------------------------

static int64_t signed_value(const struct conversion *c, uint64_t bits)
{
    return c->value_bytes == 1   ? (int8_t)bits
           : c->value_bytes == 2 ? (int16_t)bits
           : c->value_bytes == 4 ? (int32_t)bits
                                 : (int64_t)bits;
}

static uint64_t unsigned_value(const struct conversion *c, uint64_t bits)
{
    return c->value_bytes == 8 ? bits : bits & ((1ull << 8 * c->value_bytes) - 1);
}

static double float_value(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The flags, then width and precision as arguments: the one form in which all conversions are handed on.
void conversion_print(const struct conversion *c, uint64_t bits, const char *string, struct buf *out)
{
    char format[24];
    bool is_integer = c->kind <= CONVERT_UNSIGNED, has_precision = is_integer || c->kind >= CONVERT_FLOAT;
    snprintf(format, sizeof format, "%%%s*%s%s%c", c->flags, has_precision ? ".*" : "",
             is_integer ? "ll" : "", c->type);
    switch (c->kind) {
    case CONVERT_SIGNED:
        buf_printf(out, format, c->width, c->precision, (long long)signed_value(c, bits));
        break;
    case CONVERT_UNSIGNED:
        buf_printf(out, format, c->width, c->precision, (unsigned long long)unsigned_value(c, bits));
        break;
    case CONVERT_CHAR:
        buf_printf(out, format, c->width, (int)bits);
        break;
    case CONVERT_POINTER:
        buf_printf(out, format, c->width, (void *)(uintptr_t)bits);
        break;
    case CONVERT_FLOAT:
        buf_printf(out, format, c->width, c->precision, float_value(bits));
        break;
    case CONVERT_STRING:
        buf_printf(out, format, c->width, c->precision, string);
        break;
    case CONVERT_PERCENT:
        buf_puts(out, "%");
        break;
    }
}
