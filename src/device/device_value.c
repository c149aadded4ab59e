// Values of device files: numbers with units and ranges, lists, texts; read, compared, stored, printed.
#include "device/device_value.h"
#include "base/units.h"
#include <math.h>
#include <string.h>

struct scale {
    const char *unit; // as written behind the number
    double factor;
};

static const struct scale byte_scales[] = {{"GiB", 1073741824}, {"MiB", 1048576}, {"KiB", 1024}, {"B", 1}};
enum { N_BYTE_SCALES = sizeof byte_scales / sizeof *byte_scales };

#define FAIL(...) \
    err_set_at(err, file->path, pair->line, pair->value_column, file->text, file->text_length, __VA_ARGS__)

static bool is_bytes(const struct device_key_info *info)
{
    return strcmp(info->unit, "bytes") == 0;
}

static bool is_unitless(const struct device_key_info *info)
{
    return strcmp(info->unit, "none") == 0;
}

// The unit a text ends in ("" if it ends in a number) and the length of what stands before it.
static const char *split_unit(const char *text, size_t *n_before)
{
    const char *blank = strrchr(text, ' ');
    const char *last = blank ? blank + 1 : text;
    bool is_number = strchr("0123456789.+-", *last) != NULL;
    *n_before = is_number ? strlen(text) : (size_t)((blank ? blank : text) - text);
    return is_number ? "" : last;
}

static bool find_factor(const struct device_key_info *info, const char *unit, double *factor)
{
    *factor = 1;
    if (!is_bytes(info))
        return strcmp(unit, is_unitless(info) ? "" : info->unit) == 0;
    for (size_t i = 0; i < N_BYTE_SCALES; i++) {
        if (strcmp(unit, byte_scales[i].unit) == 0) {
            *factor = byte_scales[i].factor;
            return true;
        }
    }
    return false;
}

static bool check_unit(const struct device_key_info *info, const struct kv_file *file,
                       const struct kv_pair *pair, const char *unit, double *factor, struct err *err)
{
    if (find_factor(info, unit, factor))
        return true;
    const char *wanted = is_bytes(info) ? "B, KiB, MiB or GiB" : info->unit;
    if (is_unitless(info))
        return FAIL("'%s' takes no unit, found '%s'", info->key, unit);
    if (!*unit)
        return FAIL("'%s' needs a unit: %s", info->key, wanted);
    return FAIL("'%s' is given in %s, not in '%s'", info->key, wanted, unit);
}

static bool check_number(const struct device_key_info *info, const struct kv_file *file,
                         const struct kv_pair *pair, double number, struct err *err)
{
    if (!(number >= info->minimum && number <= info->maximum)) // also not a number
        return FAIL("'%s' = %.10g is outside %.10g to %.10g", info->key, number, info->minimum,
                    info->maximum);
    if (info->type != 'F' && number != floor(number))
        return FAIL("'%s' is a whole number, not %.10g", info->key, number);
    return true;
}

// One word of at most 31 characters, times `factor`, checked against the row.
static bool parse_number(const struct device_key_info *info, const struct kv_file *file,
                         const struct kv_pair *pair, const char *word, size_t length, double factor,
                         double *out, struct err *err)
{
    char text[32];
    if (length == 0 || length >= sizeof text)
        return FAIL("'%s' needs a number", info->key);
    memcpy(text, word, length);
    text[length] = '\0';
    double number;
    if (!units_parse_double(text, &number))
        return FAIL("'%s' needs a number, found '%s'", info->key, text);
    *out = number * factor;
    return check_number(info, file, pair, *out, err);
}

static bool parse_list(const struct device_key_info *info, const struct kv_file *file,
                       const struct kv_pair *pair, size_t length, double factor, struct size_list *out,
                       struct err *err)
{
    const char *at = pair->value, *end = pair->value + length;
    while (at < end) {
        size_t n = strcspn(at, " ");
        if (n > (size_t)(end - at))
            n = (size_t)(end - at);
        if (out->n == MAX_SIZE_LIST)
            return FAIL("'%s' takes at most %d numbers", info->key, MAX_SIZE_LIST);
        double number;
        if (!parse_number(info, file, pair, at, n, factor, &number, err))
            return false;
        if (out->n && (uint64_t)number < out->at[out->n - 1])
            return FAIL("'%s' must ascend; %.10g follows %llu", info->key, number,
                        (unsigned long long)out->at[out->n - 1]);
        out->at[out->n++] = (uint64_t)number;
        at += n + (at + n < end);
    }
    return out->n ? true : FAIL("'%s' needs at least one number", info->key);
}

bool device_value_parse(const struct device_key_info *info, const struct kv_file *file,
                        const struct kv_pair *pair, union device_value *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    if (info->type == 'S') {
        out->s = pair->value;
        return true;
    }
    size_t length;
    double factor;
    const char *unit = split_unit(pair->value, &length);
    if (!check_unit(info, file, pair, unit, &factor, err))
        return false;
    if (info->type == 'L')
        return parse_list(info, file, pair, length, factor, &out->l, err);
    double number;
    if (!parse_number(info, file, pair, pair->value, length, factor, &number, err))
        return false;
    if (info->type == 'U')
        out->u = (uint64_t)number;
    else
        out->f = number;
    return true;
}

bool device_value_equal(char type, const union device_value *a, const union device_value *b)
{
    switch (type) {
    case 'U':
        return a->u == b->u;
    case 'F':
        return a->f == b->f;
    case 'S':
        return strcmp(a->s, b->s) == 0;
    case 'L':
        return a->l.n == b->l.n && memcmp(a->l.at, b->l.at, a->l.n * sizeof a->l.at[0]) == 0;
    default:
        BUG("type '%c' of a device key", type);
    }
}

static size_t type_size(char type)
{
    switch (type) {
    case 'U':
        return sizeof(uint64_t);
    case 'F':
        return sizeof(double);
    case 'S':
        return sizeof(const char *);
    case 'L':
        return sizeof(struct size_list);
    default:
        BUG("type '%c' of a device key", type);
    }
}

void device_value_load(const struct device *d, enum device_key key, union device_value *out)
{
    const struct device_key_info *info = device_key_info(key);
    memset(out, 0, sizeof *out);
    memcpy(out, (const char *)d + info->offset, type_size(info->type));
}

void device_value_store(struct device *d, enum device_key key, const union device_value *value)
{
    const struct device_key_info *info = device_key_info(key);
    memcpy((char *)d + info->offset, value, type_size(info->type));
}

bool device_has_value(const struct device *d, enum device_key key)
{
    return d->sources[key].tag != NULL;
}

double device_number(const struct device *d, enum device_key key)
{
    union device_value value;
    device_value_load(d, key, &value);
    char type = device_key_info(key)->type;
    if (type != 'U' && type != 'F')
        BUG("device key %s is no number", device_key_info(key)->key);
    return type == 'U' ? (double)value.u : value.f;
}

// The largest unit in which every entry has at most four decimals.
static const struct scale *pick_scale(const uint64_t *bytes, size_t n)
{
    for (size_t i = 0; i < N_BYTE_SCALES; i++) {
        uint64_t unit = (uint64_t)byte_scales[i].factor, largest = 0;
        bool is_short = true;
        for (size_t k = 0; k < n; k++) {
            is_short &= bytes[k] * 10000 % unit == 0;
            largest = bytes[k] > largest ? bytes[k] : largest;
        }
        if (is_short && largest >= unit)
            return &byte_scales[i];
    }
    return &byte_scales[N_BYTE_SCALES - 1];
}

static void print_numbers(const struct device_key_info *info, const uint64_t *at, size_t n, struct buf *out)
{
    static const struct scale one = {"", 1};
    const struct scale *scale = is_bytes(info) ? pick_scale(at, n) : &one;
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%.15g", i ? " " : "", (double)at[i] / scale->factor);
    const char *unit = is_bytes(info) ? scale->unit : is_unitless(info) ? "" : info->unit;
    buf_printf(out, "%s%s", *unit ? " " : "", unit);
}

void device_print_value(const struct device *d, enum device_key key, struct buf *out)
{
    const struct device_key_info *info = device_key_info(key);
    union device_value value;
    device_value_load(d, key, &value);
    switch (info->type) {
    case 'U':
        print_numbers(info, &value.u, 1, out);
        break;
    case 'L':
        print_numbers(info, value.l.at, value.l.n, out);
        break;
    case 'S':
        buf_puts(out, value.s ? value.s : "");
        break;
    default:
        buf_printf(out, "%.10g%s%s", value.f, is_unitless(info) ? "" : " ",
                   is_unitless(info) ? "" : info->unit);
    }
}
