// Asynchronous copies under many patterns of sources and places, counted by an H200
// (tests/hardware/results/h200_ldgsts_places.csv.zst): the rules of mem/copy_cost.h give every number.
#include "base/buf.h"
#include "mem/coalesce.h"
#include "mem/copy_cost.h"
#include "support/check.h"
#include "support/packed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char stored_path[] = "tests/hardware/results/h200_ldgsts_places.csv.zst";
enum { N_LAUNCHES = 3072, SOURCE_BASE = 1 << 20 };

// As pattern() of tests/hardware/ldgsts_places.cu.
static int pattern(int p, int t)
{
    const int patterns[] = {t,
                            t ^ 1,
                            31 - t,
                            t ^ t >> 3,
                            2 * t,
                            0,
                            t / 2,
                            (t * 37 + 11) % 128,
                            t % 8 * 8 + t / 8,
                            t + 1,
                            8 * t,
                            t % 4 * 8 + t / 4,
                            t % 2 * 16 + t / 2,
                            t % 2 * 2 + t / 2 * 4,
                            (t + 3) % 32,
                            t * 9};
    return patterns[p];
}

struct copy {
    const char *kernel;
    uint8_t width;
    enum cache_op cache;
    enum copy_form form;
    bool is_branch; // lanes outside the mask do not copy; else they write zeros
};

static const struct copy *copy_of(const char *kernel)
{
    static const struct copy copies[] = {{"around", 16, CACHE_CG, COPY_WHOLE, true},
                                         {"around_chosen", 16, CACHE_CG, COPY_CHOSEN, false},
                                         {"around_reads", 16, CACHE_CG, COPY_FILLED, true},
                                         {"through", 16, CACHE_CA, COPY_WHOLE, true},
                                         {"through8", 8, CACHE_CA, COPY_WHOLE, true},
                                         {"through4", 4, CACHE_CA, COPY_WHOLE, true}};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (strcmp(copies[i].kernel, kernel) == 0)
            return &copies[i];
    fail_msg("no kernel %s", kernel);
    return NULL;
}

static void check_row(const char *line)
{
    char kernel[32];
    int place, source;
    unsigned mask, tags, wavefronts, ideal, sectors, sectors_ideal;
    assert_int_equal(sscanf(line, "\"kernel=%31s place=%d source=%d mask=%x", kernel, &place, &source, &mask), 4);
    const char *counts = strrchr(line, '"');
    assert_int_equal(sscanf(counts, "\",1,%u,%u,%u,%u,%u", &tags, &wavefronts, &ideal, &sectors, &sectors_ideal), 5);
    const struct copy *copy = copy_of(kernel);
    struct access from = {.space = SPACE_GLOBAL, .width = copy->width, .cache = copy->cache, .mask = mask, .copy_form = copy->form};
    struct access to = from;
    struct line_set lines;
    to.space = SPACE_SHARED;
    to.mask = copy->is_branch ? mask : UINT32_MAX;
    for (int t = 0; t < N_LANES; t++) {
        from.addr[t] = SOURCE_BASE + (uint64_t)(pattern(source, t) * copy->width);
        to.addr[t] = (uint64_t)(pattern(place, t) * copy->width);
    }
    const struct global_cost load = coalesce(&from, &lines);
    const struct copy_cost cost = copy_cost(&from, &to, load.sectors, load.ideal);
    if (load.tags != tags || cost.shared.wavefronts != wavefronts || cost.shared.ideal != ideal || cost.sectors != sectors ||
        cost.ideal_sectors != sectors_ideal)
        fail_msg("%s\n    here %u,%u,%u,%u,%u", line, load.tags, cost.shared.wavefronts, cost.shared.ideal, cost.sectors,
                 cost.ideal_sectors);
}

static void every_copy_costs_what_it_costs(void **state)
{
    (void)state;
    struct buf text = {0};
    packed_read(stored_path, &text);
    char *at = text.at;
    int n = 0;
    strsep(&at, "\n"); // the heading
    for (char *line; (line = strsep(&at, "\n")) && *line; n++)
        check_row(line);
    assert_int_equal(n, N_LAUNCHES);
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_copy_costs_what_it_costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
