// Linear scan over live ranges with holes; see registers.h.
#include "ptx/registers.h"
#include "base/vec.h"
#include <stdlib.h>

struct tenant { // a group that holds a row and is not at its end yet
    uint32_t group;
    uint32_t range; // first range that is not over
};

struct place { // one row
    struct tenant *at;
    size_t n, capacity;
};

struct scan {
    const struct row_request *request;
    struct {
        struct place *at;
        size_t n, capacity;
    } places;
};

static uint32_t size_of_group(const struct row_request *request, uint32_t group)
{
    return request->group_row[group + 1] - request->group_row[group];
}

static bool overlap(const struct live *live, const struct tenant *tenant, uint32_t group)
{
    uint32_t a = tenant->range, a_end = live->first_range[tenant->group + 1];
    uint32_t b = live->first_range[group], b_end = live->first_range[group + 1];
    while (a < a_end && b < b_end) {
        if (live->ranges[a].end <= live->ranges[b].begin)
            a++;
        else if (live->ranges[b].end <= live->ranges[a].begin)
            b++;
        else
            return true;
    }
    return false;
}

// Is the row free for the group? Drops tenants that have ended before the group begins.
static bool place_is_free(struct scan *scan, uint32_t row, uint32_t group)
{
    const struct live *live = scan->request->live;
    uint32_t now = live->ranges[live->first_range[group]].begin;
    struct place *place = &scan->places.at[row];
    for (size_t i = 0; i < place->n;) {
        struct tenant *tenant = &place->at[i];
        uint32_t end = live->first_range[tenant->group + 1];
        while (tenant->range < end && live->ranges[tenant->range].end <= now)
            tenant->range++;
        if (tenant->range == end) {
            *tenant = place->at[--place->n];
            continue;
        }
        if (overlap(live, tenant, group))
            return false;
        i++;
    }
    return true;
}

static uint32_t find_place(struct scan *scan, uint32_t group)
{
    uint32_t size = size_of_group(scan->request, group);
    for (uint32_t row = (scan->request->first + size - 1) / size * size;; row += size) {
        while (scan->places.n < row + size) {
            struct place none = {0};
            vec_push(&scan->places, none);
        }
        uint32_t k = 0;
        while (k < size && place_is_free(scan, row + k, group))
            k++;
        if (k == size)
            return row;
    }
}

static void take_place(struct scan *scan, uint32_t row, uint32_t group)
{
    struct tenant tenant = {group, scan->request->live->first_range[group]};
    for (uint32_t k = 0; k < size_of_group(scan->request, group); k++)
        vec_push(&scan->places.at[row + k], tenant);
}

struct start {
    uint32_t begin, group;
};

static int compare_starts(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->group > y->group) - (x->group < y->group);
}

uint32_t rows_allocate(const struct row_request *request, uint32_t *row_of_group)
{
    struct scan scan = {.request = request};
    const struct live *live = request->live;
    struct {
        struct start *at;
        size_t n, capacity;
    } starts = {0};
    for (uint32_t g = 0; g < request->n_groups; g++) {
        if (!request->wanted[g])
            continue;
        row_of_group[g] = request->first;
        if (live->first_range[g] == live->first_range[g + 1])
            continue;
        struct start start = {live->ranges[live->first_range[g]].begin, g};
        vec_push(&starts, start);
    }
    if (starts.n)
        qsort(starts.at, starts.n, sizeof *starts.at, compare_starts);
    uint32_t n_rows = request->first;
    for (size_t i = 0; i < starts.n; i++) {
        uint32_t g = starts.at[i].group, row = find_place(&scan, g);
        take_place(&scan, row, g);
        row_of_group[g] = row;
        n_rows = row + size_of_group(request, g) > n_rows ? row + size_of_group(request, g) : n_rows;
    }
    for (size_t i = 0; i < scan.places.n; i++)
        vec_release(&scan.places.at[i]);
    vec_release(&scan.places);
    vec_release(&starts);
    return n_rows;
}
