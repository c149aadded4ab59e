// The column "spec" of sass.def, read one item at a time. Decoder and printer walk the same text, so they
// cannot disagree.
//
//     for (const char *at = row->spec; sass_item_next(&at, &item);)
//         switch (item.what) ...
#ifndef SASS_SPEC_H
#define SASS_SPEC_H
#include "sass/sass.h"

enum sass_item_kind {
    ITEM_TEXT,    // text[0 … n - 1] as it is
    ITEM_FIELD,   // a modifier: kind
    ITEM_SPECIAL, // {!name}: text
    ITEM_OPERAND, // letter, with parts and arguments
    ITEM_OPEN,    // <NAME:, <!NAME:, <NAME=2|3:, <?:
    ITEM_CLOSE
};

struct sass_part {
    uint8_t at, width;
};

enum { SASS_MAX_PARTS = 3 };

struct sass_kind;

struct sass_item {
    enum sass_item_kind what;
    const char *text;
    unsigned n;
    char letter; // R U P Q B C b I J L S V K T c M G
    bool is_dst;
    char words;        // behind *, 0 = none
    int8_t negated_by; // bit behind !, -1 = none
    unsigned n_parts;
    struct sass_part parts[SASS_MAX_PARTS];
    int16_t argument[26],
        argument_width[26];       // small letters: -1 = absent, else the number behind it (0: none)
    const struct sass_kind *kind; // ITEM_FIELD
    // ITEM_OPEN
    bool is_default_test, is_inverse;
    uint64_t values; // the values that show the group, one bit each; 0: all but 0
    enum sass_field field;
};

// One way in which a field is encoded and printed (sass_field.def).
struct sass_value {
    uint8_t value;
    const char *text;
};

struct sass_kind {
    const char *name;
    enum sass_field field;
    uint8_t bits;
    const struct sass_value *values; // ends with text NULL
};

bool sass_item_next(const char **at, struct sass_item *item);
const char *sass_kind_text(const struct sass_kind *kind, unsigned value); // NULL: a value without a name
uint64_t sass_bits(const uint64_t words[2], unsigned at, unsigned width); // width 1 … 64
uint64_t sass_item_bits(const struct sass_item *item, const uint64_t words[2], unsigned default_width);
static inline int sass_item_argument(const struct sass_item *item, char letter)
{
    return item->argument[letter - 'a'];
}
#endif
