// The table of sass.def as data.
#include "isa/isa.h"
#include "sass/sass.h"

#define FORMS(a, b, c, d, e, f, g) \
    ((a) << 1 | (b) << 2 | (c) << 3 | (d) << 4 | (e) << 5 | (f) << 6 | (g) << 7)
#define OP(code) code, 0
#define OP_B(code) code, FORMS(1, 0, 0, 1, 1, 1, 0)
#define OP_C(code) code, FORMS(1, 1, 1, 0, 0, 0, 1)
#define OP_BC(code) code, FORMS(1, 1, 1, 1, 1, 1, 1)
#define OP_BU(code) code, FORMS(1, 0, 0, 1, 0, 1, 0)
#define OP_BCU(code) code, FORMS(1, 1, 0, 1, 0, 1, 0)
#define OP_IN(code, a, b) code, (1 << (a) | 1 << (b))
// sm_100 and later encode much otherwise: only rows that were compared there are for them.
#define FROM(first) first, 99
#define EVER(first) first, 129
#define SPAN(first, last) first, last

static const struct sass_row rows[] = {
#define SASS(id, name, archs, opcode, spec, unit, lower) \
    {name, spec, #lower, opcode, archs, UNIT_##unit, SASS_##id},
#include "sass/sass.def"
#undef SASS
};

const struct sass_row *sass_rows(uint32_t *n)
{
    *n = sizeof rows / sizeof rows[0];
    return rows;
}

static bool row_fits(const struct sass_row *row, unsigned cc, unsigned opcode)
{
    bool is_opcode = row->forms ? row->opcode == (opcode & 0x1ff) && (row->forms >> (opcode >> 9) & 1) != 0
                                : row->opcode == opcode;
    return is_opcode && cc >= row->first_cc && cc <= row->last_cc;
}

const struct sass_row *sass_row_find(unsigned cc, uint64_t low)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (row_fits(&rows[i], cc, low & 0xfff))
            return &rows[i];
    return NULL;
}
