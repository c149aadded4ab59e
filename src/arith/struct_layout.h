// The layout of a C struct as nvcc lays it out, from its text: members at multiples of their alignment, the
// whole a multiple of the largest. For the question "what does an array of these cost?".
//
//     struct struct_layout s;
//     if (!struct_layout_parse(&arena, "--struct", "float x, y, z; int id", &s, &err)) ...
//     s.size_bytes = 16, s.fields[3].offset_bytes = 12
#ifndef ARITH_STRUCT_LAYOUT_H
#define ARITH_STRUCT_LAYOUT_H
#include "base/arena.h"
#include "base/err.h"
#include <stdint.h>

enum { MAX_STRUCT_FIELDS = 256 };

struct struct_field {
    const char *name; // an array gives one field per element: "v[2]"
    uint32_t offset_bytes, size_bytes;
    uint32_t load_bytes; // widest single load of it: a float3 takes three 4-byte ones
};

struct struct_layout {
    struct struct_field fields[MAX_STRUCT_FIELDS];
    uint32_t n_fields;
    uint32_t size_bytes, align_bytes, used_bytes; // used: without the holes
};

bool struct_layout_parse(struct arena *arena, const char *what, const char *text, struct struct_layout *out,
                         struct err *err);
const struct struct_field *struct_layout_find(const struct struct_layout *layout, const char *name);
#endif
