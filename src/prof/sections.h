// Nsight Compute's sections, sets and groups of metrics (sections.def).
//
//     const struct section *section = section_find("Occupancy", &err);    // NULL: unknown, the nearest is
//     named for (uint32_t i = 0; i < section->n_rows; i++) section->rows[i].label, .metric
#ifndef PROF_SECTIONS_H
#define PROF_SECTIONS_H
#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct section_row {
    const char *label, *metric;
};

struct section {
    const char *name, *title;
    const char *sets; // letters of the sets it belongs to; "" = a group of metrics
    const struct section_row *rows;
    uint32_t n_rows;
};

uint32_t section_count(void);
struct section section_at(uint32_t index);

// A section by its identifier.
bool section_find(const char *name, struct section *out, struct err *err);
// A group by the name behind "group:".
bool section_group_find(const char *name, struct section *out, struct err *err);
// The letter of a set, "full" to 'f'; 0 and err if it is unknown. roofline and source are taken as full.
char section_set_find(const char *name, struct err *err);
#endif
