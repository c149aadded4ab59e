// Sections: see sections.h.
#include "prof/sections.h"
#include "base/map.h"
#include <string.h>

// The table as it stands: a row without a metric begins a section.
static const struct entry {
    const char *name, *title, *sets;
    struct section_row row;
} entries[] = {
#define SECTION(identifier, title, sets) {identifier, title, sets, {0}},
#define ROW(label, metric) {NULL, NULL, NULL, {label, metric}},
#include "prof/sections.def"
#undef SECTION
#undef ROW
};

static const struct section_row rows[] = {
#define SECTION(identifier, title, sets) {0},
#define ROW(label, metric) {label, metric},
#include "prof/sections.def"
#undef SECTION
#undef ROW
};

enum { N_ENTRIES = sizeof entries / sizeof *entries };

uint32_t section_count(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_ENTRIES; i++)
        n += entries[i].name != NULL;
    return n;
}

struct section section_at(uint32_t index)
{
    uint32_t at = 0;
    for (; at < N_ENTRIES; at++)
        if (entries[at].name && index-- == 0)
            break;
    if (at == N_ENTRIES)
        BUG("no section %u", index);
    struct section out = {entries[at].name, entries[at].title, entries[at].sets, &rows[at + 1], 0};
    for (uint32_t i = at + 1; i < N_ENTRIES && !entries[i].name; i++)
        out.n_rows++;
    return out;
}

static bool find(const char *name, bool is_group, const char *what, struct section *out, struct err *err)
{
    const char *names[N_ENTRIES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < section_count(); i++) {
        struct section section = section_at(i);
        if (is_group != !*section.sets)
            continue;
        names[n++] = section.name;
        if (strcmp(section.name, name) == 0) {
            *out = section;
            return true;
        }
    }
    const char *near = nearest_name(name, names, n);
    return err_set(err, "unknown %s '%s'%s%s%s", what, name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

bool section_find(const char *name, struct section *out, struct err *err)
{
    return find(name, false, "section", out, err);
}

bool section_group_find(const char *name, struct section *out, struct err *err)
{
    return find(name, true, "group of metrics", out, err);
}

char section_set_find(const char *name, struct err *err)
{
    static const char *const names[] = {"basic", "default", "detailed", "full", "roofline", "source"};
    static const char letters[] = "bbdfff";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return letters[i];
    err_set(err, "unknown set '%s': basic, detailed, full", name);
    return 0;
}
