// Reader of struct members: "unsigned int a, b[4]; float3 v; double *p".
#include "arith/struct_layout.h"
#include "base/map.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Sizes and alignments of CUDA's types on every 64-bit target (CUDA C++ programming guide, built-in vector
// types).
static const struct type_row {
    const char *name;
    uint32_t size_bytes, align_bytes, load_bytes;
} types[] = {
    {"char", 1, 1, 1},       {"bool", 1, 1, 1},          {"short", 2, 2, 2},          {"int", 4, 4, 4},
    {"long", 8, 8, 8},       {"float", 4, 4, 4},         {"double", 8, 8, 8},         {"half", 2, 2, 2},
    {"__half", 2, 2, 2},     {"__half2", 4, 4, 4},       {"half2", 4, 4, 4},          {"size_t", 8, 8, 8},
    {"int8_t", 1, 1, 1},     {"int16_t", 2, 2, 2},       {"int32_t", 4, 4, 4},        {"int64_t", 8, 8, 8},
    {"uint8_t", 1, 1, 1},    {"uint16_t", 2, 2, 2},      {"uint32_t", 4, 4, 4},       {"uint64_t", 8, 8, 8},
    {"uchar", 1, 1, 1},      {"ushort", 2, 2, 2},        {"uint", 4, 4, 4},           {"ulong", 8, 8, 8},
    {"char2", 2, 2, 2},      {"char3", 3, 1, 1},         {"char4", 4, 4, 4},          {"uchar2", 2, 2, 2},
    {"uchar3", 3, 1, 1},     {"uchar4", 4, 4, 4},        {"short2", 4, 4, 4},         {"short3", 6, 2, 2},
    {"short4", 8, 8, 8},     {"ushort2", 4, 4, 4},       {"ushort3", 6, 2, 2},        {"ushort4", 8, 8, 8},
    {"int2", 8, 8, 8},       {"int3", 12, 4, 4},         {"int4", 16, 16, 16},        {"uint2", 8, 8, 8},
    {"uint3", 12, 4, 4},     {"uint4", 16, 16, 16},      {"float2", 8, 8, 8},         {"float3", 12, 4, 4},
    {"float4", 16, 16, 16},  {"longlong2", 16, 16, 16},  {"double2", 16, 16, 16},     {"double3", 24, 8, 8},
    {"double4", 32, 16, 16}, {"__nv_bfloat16", 2, 2, 2}, {"__nv_bfloat162", 4, 4, 4},
};

enum { N_TYPES = sizeof types / sizeof types[0], MAX_ARRAY = 256 };

struct reader {
    struct arena *arena;
    const char *what, *text, *at;
    struct struct_layout *out;
    struct err *err;
};

static bool fail(struct reader *reader, const char *at, const char *message)
{
    return err_set_at(reader->err, reader->what, 1, (uint32_t)(at - reader->text) + 1, reader->text,
                      strlen(reader->text), "%s", message);
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t");
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return isdigit((unsigned char)*at) ? 0 : n;
}

static bool word_is(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

static const struct type_row *type_find(const char *at, size_t n)
{
    for (unsigned i = 0; i < N_TYPES; i++)
        if (word_is(at, n, types[i].name))
            return &types[i];
    return NULL;
}

static bool unknown_type(struct reader *reader, const char *at, size_t n)
{
    const char *names[N_TYPES], *word = arena_string(reader->arena, at, n);
    for (unsigned i = 0; i < N_TYPES; i++)
        names[i] = types[i].name;
    const char *near = nearest_name(word, names, N_TYPES);
    return err_set_at(reader->err, reader->what, 1, (uint32_t)(at - reader->text) + 1, reader->text,
                      strlen(reader->text), "unknown type '%s'%s%s%s", word, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "");
}

// "const unsigned long long": qualifiers and signs do not change the size, except that alone they mean int.
static bool read_type(struct reader *reader, struct type_row *out)
{
    const struct type_row *type = NULL;
    bool is_int = false;
    for (;;) {
        skip_blanks(reader);
        const char *at = reader->at;
        size_t n = word_length(at);
        if (n == 0)
            break;
        if (word_is(at, n, "unsigned") || word_is(at, n, "signed")) {
            is_int = true;
        } else if (!word_is(at, n, "const") && !word_is(at, n, "volatile") && !word_is(at, n, "struct")) {
            const struct type_row *row = type_find(at, n);
            bool widens = type && row && (word_is(at, n, "int") || word_is(at, n, "long"));
            if ((type || is_int) && !row)
                break; // the member's name
            if (!row)
                return unknown_type(reader, at, n);
            type = widens ? type : row;
        }
        reader->at += n;
    }
    if (!type && !is_int)
        return fail(reader, reader->at, "expected a type");
    *out = type ? *type : *type_find("int", 3);
    return true;
}

static bool add_field(struct reader *reader, const char *name, const struct type_row *type)
{
    struct struct_layout *out = reader->out;
    if (out->n_fields == MAX_STRUCT_FIELDS)
        return fail(reader, reader->at, "more than 256 members");
    if (struct_layout_find(out, name))
        return err_set(reader->err, "%s: member '%s' appears twice", reader->what, name);
    uint32_t offset = (out->size_bytes + type->align_bytes - 1) / type->align_bytes * type->align_bytes;
    out->fields[out->n_fields++] = (struct struct_field){name, offset, type->size_bytes, type->load_bytes};
    out->size_bytes = offset + type->size_bytes;
    out->used_bytes += type->size_bytes;
    out->align_bytes = type->align_bytes > out->align_bytes ? type->align_bytes : out->align_bytes;
    return true;
}

static bool read_array_size(struct reader *reader, unsigned long *count)
{
    char *end;
    const char *open = reader->at;
    *count = strtoul(open + 1, &end, 10);
    if (end == open + 1 || *end != ']' || *count == 0 || *count > MAX_ARRAY)
        return fail(reader, open, "expected an array size from 1 to 256: name[4]");
    reader->at = end + 1;
    skip_blanks(reader);
    return true;
}

// One declarator: stars, a name, perhaps [count].
static bool read_member(struct reader *reader, struct type_row type)
{
    skip_blanks(reader);
    for (; *reader->at == '*'; skip_blanks(reader)) {
        type = (struct type_row){"pointer", 8, 8, 8};
        reader->at++;
    }
    size_t n = word_length(reader->at);
    if (n == 0)
        return fail(reader, reader->at, "expected a member name");
    const char *name = arena_string(reader->arena, reader->at, n);
    reader->at += n;
    skip_blanks(reader);
    if (*reader->at != '[')
        return add_field(reader, name, &type);
    unsigned long count;
    if (!read_array_size(reader, &count))
        return false;
    for (unsigned long i = 0; i < count; i++)
        if (!add_field(reader, arena_printf(reader->arena, "%s[%lu]", name, i), &type))
            return false;
    return true;
}

static bool read_declaration(struct reader *reader)
{
    struct type_row type;
    if (!read_type(reader, &type))
        return false;
    for (;;) {
        if (!read_member(reader, type))
            return false;
        skip_blanks(reader);
        if (*reader->at != ',')
            break;
        reader->at++;
    }
    if (*reader->at != ';' && *reader->at != '\0')
        return fail(reader, reader->at, "expected , or ; behind a member");
    reader->at += *reader->at == ';';
    return true;
}

bool struct_layout_parse(struct arena *arena, const char *what, const char *text, struct struct_layout *out,
                         struct err *err)
{
    struct reader reader = {arena, what, arena_string(arena, text, strlen(text)), NULL, out, err};
    *out = (struct struct_layout){.align_bytes = 1};
    reader.at = reader.text;
    for (skip_blanks(&reader); *reader.at; skip_blanks(&reader))
        if (!read_declaration(&reader))
            return false;
    if (out->n_fields == 0)
        return err_set(err, "%s: no members; expected something like 'float x, y, z; int id'", what);
    out->size_bytes = (out->size_bytes + out->align_bytes - 1) / out->align_bytes * out->align_bytes;
    return true;
}

const struct struct_field *struct_layout_find(const struct struct_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->n_fields; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return &layout->fields[i];
    return NULL;
}
