// Quantities as people write them: parse and print.
#include "base/units.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t bytes;
};

static const struct unit byte_units[] = {
    {"", 1},
    {"B", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
    {"kB", UINT64_C(1000)},
    {"MB", UINT64_C(1000000)},
    {"GB", UINT64_C(1000000000)},
    {"TB", UINT64_C(1000000000000)},
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof byte_units / sizeof *byte_units; i++)
        if (strcmp(byte_units[i].name, name) == 0)
            return &byte_units[i];
    return NULL;
}

// Digits with an optional fraction, as a whole number of units of 10^-places; at most 19 digits.
static const char *scan_decimal(const char *at, uint64_t *digits, unsigned *places)
{
    unsigned n_digits = 0;
    bool has_point = false;
    *digits = 0;
    *places = 0;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !has_point && n_digits); at++) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        if (++n_digits > 19)
            return NULL;
        *digits = *digits * 10 + (uint64_t)(*at - '0');
        *places += has_point;
    }
    return n_digits && at[-1] != '.' ? at : NULL;
}

bool units_parse_bytes(const char *text, uint64_t *out)
{
    uint64_t digits;
    unsigned places;
    const char *at = scan_decimal(text, &digits, &places);
    if (!at)
        return false;
    const struct unit *unit = find_unit(at + strspn(at, " "));
    if (!unit)
        return false;
    __extension__ unsigned __int128 bytes = (unsigned __int128)digits * unit->bytes;
    for (; places; places--) {
        if (bytes % 10)
            return false;
        bytes /= 10;
    }
    if (bytes > UINT64_C(1) << 63)
        return false;
    *out = (uint64_t)bytes;
    return true;
}

bool units_parse_shape(const char *text, uint32_t out[3])
{
    uint32_t extents[3] = {1, 1, 1};
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long long extent = isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
        if (extent == 0 || errno || extent > UINT32_MAX)
            return false;
        extents[i] = (uint32_t)extent;
        if (*end == '\0') {
            memcpy(out, extents, sizeof extents);
            return true;
        }
        if (*end != 'x' && *end != ',')
            return false;
        at = end + 1;
    }
    return false; // a fourth extent
}

// strtoull takes blanks and signs in front; we do not.
static bool parse_magnitude(const char *text, uint64_t *out)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hex ? text + 2 : text;
    if (!(is_hex ? isxdigit((unsigned char)*digits) : isdigit((unsigned char)*digits)))
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, is_hex ? 16 : 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

bool units_parse_u64(const char *text, uint64_t *out)
{
    return parse_magnitude(text, out);
}

bool units_parse_i64(const char *text, int64_t *out)
{
    bool is_negative = *text == '-';
    uint64_t magnitude;
    if (!parse_magnitude(text + is_negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *out = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool units_parse_double(const char *text, double *out)
{
    if (!*text || isspace((unsigned char)*text))
        return false;
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool is_too_large = errno == ERANGE && isinf(value);
    if (*end || is_too_large)
        return false;
    *out = value;
    return true;
}

void units_print_bytes(struct buf *out, double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    // 1023.95 KiB would round to "1024.0 KiB"
    for (; i + 1 < sizeof names / sizeof *names && fabs(bytes) >= (i ? 1023.95 : 1024); i++)
        bytes /= 1024;
    buf_printf(out, i ? "%.1f %s" : "%.0f %s", bytes, names[i]);
}

void units_print_count(struct buf *out, uint64_t n)
{
    char digits[21];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            buf_add(out, ",", 1);
        buf_add(out, &digits[i], 1);
    }
}
