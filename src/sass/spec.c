// Reads the specs of sass.def and the kinds of sass_field.def.
#include "sass/spec.h"
#include "base/err.h"
#include <ctype.h>
#include <string.h>

#define V(kind, name, value, text) {value, text},
#define KIND(kind, id, bits, ...) static const struct sass_value values_##kind[] = {__VA_ARGS__{0, NULL}};
#include "sass/sass_field.def"
#undef KIND

static const struct sass_kind kinds[] = {
#define KIND(kind, id, bits, ...) {#kind, SF_##id, bits, values_##kind},
#include "sass/sass_field.def"
#undef KIND
};
#undef V

static const char *const field_names[] = {
#define FIELD(id) #id,
#include "sass/sass_field.def"
#undef FIELD
};

uint64_t sass_bits(const uint64_t words[2], unsigned at, unsigned width)
{
    uint64_t value = at >= 64 ? words[1] >> (at - 64) : words[0] >> at | (at ? words[1] << (64 - at) : 0);
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

uint64_t sass_item_bits(const struct sass_item *item, const uint64_t words[2], unsigned default_width)
{
    uint64_t value = 0;
    for (unsigned i = 0, shift = 0; i < item->n_parts; i++) {
        unsigned width = item->parts[i].width ? item->parts[i].width : default_width;
        value |= sass_bits(words, item->parts[i].at, width) << shift;
        shift += width;
    }
    return value;
}

const char *sass_kind_text(const struct sass_kind *kind, unsigned value)
{
    for (const struct sass_value *v = kind->values; v->text; v++)
        if (v->value == value)
            return v->text;
    return NULL;
}

static unsigned read_number(const char **at)
{
    unsigned n = 0;
    while (isdigit((unsigned char)**at))
        n = n * 10 + (unsigned)(*(*at)++ - '0');
    return n;
}

static unsigned read_width(const char **at)
{
    if (**at != ':')
        return 0;
    ++*at;
    return read_number(at);
}

static unsigned name_length(const char *at)
{
    unsigned n = 0;
    while (isupper((unsigned char)at[n]) || isdigit((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static bool name_is(const char *name, const char *at, unsigned n)
{
    return strncmp(name, at, n) == 0 && name[n] == 0;
}

static const struct sass_kind *kind_find(const char *at, unsigned n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (name_is(kinds[i].name, at, n))
            return &kinds[i];
    BUG("sass.def: no kind named %.*s", (int)n, at);
}

static enum sass_field field_find(const char *at, unsigned n)
{
    for (unsigned i = 0; i < N_SASS_FIELDS; i++)
        if (name_is(field_names[i], at, n))
            return (enum sass_field)i;
    BUG("sass.def: no field named %.*s", (int)n, at);
}

static const char *read_parts(const char *at, struct sass_item *item)
{
    for (;;) {
        struct sass_part *part = &item->parts[item->n_parts++];
        part->at = (uint8_t)read_number(&at);
        part->width = (uint8_t)read_width(&at);
        if (*at != ',' || item->n_parts == SASS_MAX_PARTS)
            return at;
        at++;
    }
}

// What stands behind the bits of an operand.
static const char *read_argument(const char *at, struct sass_item *item)
{
    char c = *at++;
    if (c == '!')
        item->negated_by = (int8_t)read_number(&at);
    else if (c == '*')
        item->words = *at++;
    else if (islower((unsigned char)c)) {
        item->argument[c - 'a'] = (int16_t)read_number(&at);
        item->argument_width[c - 'a'] = (int16_t)read_width(&at);
    } else if (c != ' ')
        BUG("sass.def: '%c' in an operand", c);
    return at;
}

static const char *read_placeholder(const char *at, struct sass_item *item)
{
    if (*at == '!') {
        item->what = ITEM_SPECIAL;
        item->text = ++at;
        item->n = (unsigned)strcspn(at, "}");
        return at + item->n + 1;
    }
    if (*at == '.') {
        item->what = ITEM_FIELD;
        unsigned n = name_length(++at);
        item->kind = kind_find(at, n);
        return read_parts(at + n + 1, item) + 1;
    }
    item->what = ITEM_OPERAND;
    if (*at == '=')
        item->is_dst = true, at++;
    item->letter = *at++;
    if (isdigit((unsigned char)*at))
        at = read_parts(at, item);
    while (*at != '}')
        at = read_argument(at, item);
    return at + 1;
}

static const char *read_condition(const char *at, struct sass_item *item)
{
    item->what = ITEM_OPEN;
    if (*at == '?') {
        item->is_default_test = true;
        return at + 2;
    }
    if (*at == '!')
        item->is_inverse = true, at++;
    unsigned n = name_length(at);
    item->field = field_find(at, n);
    at += n;
    while (*at == '=' || *at == '|') {
        at++;
        item->values |= UINT64_C(1) << read_number(&at);
    }
    return at + 1;
}

bool sass_item_next(const char **at, struct sass_item *item)
{
    const char *p = *at;
    if (!*p)
        return false;
    *item = (struct sass_item){.negated_by = -1};
    memset(item->argument, -1, sizeof item->argument);
    if (*p == '{')
        p = read_placeholder(p + 1, item);
    else if (*p == '<')
        p = read_condition(p + 1, item);
    else if (*p == '>') {
        item->what = ITEM_CLOSE;
        p++;
    } else {
        item->text = p;
        item->n = (unsigned)strcspn(p, "{<>");
        p += item->n;
    }
    *at = p;
    return true;
}
