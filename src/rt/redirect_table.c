// The tables of redirect_table.h, one a major.
#include "rt/redirect_table.h"
#include "rt/api.h"
#include <string.h>

static const struct redirect redirects_11[] = {
#define MAJOR 11
#include "rt/redirect_rows.inc"
};
static const struct redirect redirects_12[] = {
#define MAJOR 12
#include "rt/redirect_rows.inc"
};
static const struct redirect redirects_13[] = {
#define MAJOR 13
#include "rt/redirect_rows.inc"
};

static const struct {
    unsigned major;
    const struct redirect *rows;
    size_t n;
} tables[] = {{11, redirects_11, sizeof redirects_11 / sizeof *redirects_11},
              {12, redirects_12, sizeof redirects_12 / sizeof *redirects_12},
              {13, redirects_13, sizeof redirects_13 / sizeof *redirects_13}};

const struct redirect *redirect_find(unsigned major, const char *name)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; tables[t].major == major && i < tables[t].n; i++)
            if (strcmp(tables[t].rows[i].name, name) == 0)
                return &tables[t].rows[i];
    return NULL;
}
