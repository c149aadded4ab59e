// The model is asked what tests/hardware/*.cu asked an H200, and must answer nearly the same: results/h200_*.csv.
#include "base/arena.h"
#include "mem/memory.h"
#include "mem/memsys.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((uint64_t)1024)
#define MIB (KIB << 10)
enum { MAX_ROWS = 128, MAX_COLUMNS = 64, LINE = 128 };

// ---- a table of results ---------------------------------------------------------------------------------

struct table {
    char text[1 << 16];
    char *columns[MAX_COLUMNS], *cells[MAX_ROWS][MAX_COLUMNS];
    uint32_t n_columns, n_rows;
};

// Cuts a line at its commas, those inside quotes left out. Returns what follows the line.
static char *cut_line(char *at, char **cells, uint32_t *n)
{
    bool quoted = false;
    *n = 0;
    cells[(*n)++] = at;
    for (; *at && *at != '\n'; at++) {
        quoted ^= *at == '"';
        if (*at == ',' && !quoted) {
            *at = 0;
            cells[(*n)++] = at + 1;
        }
    }
    if (*at)
        *at++ = 0;
    return at;
}

static void read_table(struct table *table, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/hardware/results/h200_%s.csv", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(table->text, 1, sizeof table->text - 1, file);
    table->text[n] = 0;
    fclose(file);
    char *at = cut_line(table->text, table->columns, &table->n_columns);
    for (table->n_rows = 0; *at; table->n_rows++) {
        uint32_t n_cells;
        at = cut_line(at, table->cells[table->n_rows], &n_cells);
        assert_int_equal(n_cells, table->n_columns);
    }
}

static double cell(const struct table *table, uint32_t row, const char *column)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i], column) == 0)
            return strtod(table->cells[row][i], NULL);
    fail_msg("no column %s", column);
    return 0;
}

// "kib=208" among the parameters of a row.
static int parameter(const struct table *table, uint32_t row, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = table->cells[row][0]; (at = strstr(at, name)); at += n)
        if (at[n] == '=' && (at == table->cells[row][0] || at[-1] == ' ' || at[-1] == '"'))
            return atoi(at + n + 1);
    fail_msg("no parameter %s", name);
    return 0;
}

static void assert_within(double value, double measured, double points, const char *what)
{
    if (value < measured - points || value > measured + points)
        fail_msg("%s: %.3f, measured %.3f", what, value, measured);
}

// ---- asking ---------------------------------------------------------------------------------------------

struct question {
    struct arena arena;
    struct device device;
    struct memsys *ms;
    uint64_t now;
    struct l2_counts l2;
};

static void ask_h200(struct question *q, uint64_t l1_bytes)
{
    struct err err = {0};
    arena_init(&q->arena, "probe");
    if (!device_load(&q->arena, "h200", &q->device, &err))
        fail_msg("%s: %s", err.file, err.text);
    q->ms = memsys_new(&q->device, l1_bytes);
    q->now = 0;
    q->l2 = (struct l2_counts){0};
}

static void end(struct question *q)
{
    memsys_delete(q->ms);
    arena_release(&q->arena);
}

// A warp of the SM reads a line; returns the sectors that L1 had.
static uint32_t read_line(struct question *q, uint32_t sm, uint64_t line, enum cache_op cache)
{
    struct access access = {.kind = ACCESS_LOAD, .space = SPACE_GLOBAL, .cache = cache, .width = 4, .mask = ~(lanemask)0};
    struct outcome out;
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        access.addr[lane] = MEMORY_GLOBAL_BASE + line * LINE + lane * 4;
    if (!memsys_has_room(q->ms, sm))
        memsys_drain(q->ms, UINT64_MAX, &q->l2);
    memsys_access(q->ms, sm, &access, 0, q->now, &out);
    return out.l1_hit_sectors;
}

static void l1_keeps_what_it_keeps(void **state)
{
    (void)state;
    static struct table table;
    read_table(&table, "l1_replacement");
    for (uint32_t row = 0; row < table.n_rows; row++) {
        if (parameter(&table, row, "kind") != 0)
            continue;
        struct question q;
        ask_h200(&q, 248 * KIB);
        uint64_t n_lines = (uint64_t)parameter(&table, row, "kib") * KIB / LINE, hits = 0;
        int passes = parameter(&table, row, "passes");
        for (int pass = 0; pass < passes; pass++)
            for (uint64_t line = 0; line < n_lines; line++, q.now += 4)
                hits += read_line(&q, 0, line, CACHE_CA);
        double again = (double)n_lines * 4 * (passes - 1);
        assert_within((double)hits / again,
                      cell(&table, row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum") / again, 0.25,
                      table.cells[row][0]);
        end(&q);
    }
}

static void l2_keeps_what_it_keeps(void **state)
{
    (void)state;
    static struct table table;
    read_table(&table, "l2_capacity");
    for (uint32_t row = 0; row < table.n_rows; row++) {
        uint32_t n_sms = (uint32_t)parameter(&table, row, "blocks");
        int mib = parameter(&table, row, "mib");
        if (parameter(&table, row, "passes") != 2 || (mib != 24 && mib != 32 && mib != 48 && mib != 64))
            continue;
        struct question q;
        ask_h200(&q, 64 * KIB);
        uint64_t n_lines = (uint64_t)mib * MIB / LINE;
        memsys_flush(q.ms);
        for (int pass = 0; pass < 2; pass++)
            for (uint64_t line = 0; line < n_lines; line++, q.now += line % n_sms == 0)
                read_line(&q, (uint32_t)(line % n_sms), line, CACHE_CG);
        memsys_drain(q.ms, UINT64_MAX, &q.l2);
        assert_within((double)q.l2.read_hits / (double)q.l2.read_sectors,
                      cell(&table, row, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum") /
                          cell(&table, row, "lts__t_sectors_srcunit_tex_op_read.sum"),
                      0.15, table.cells[row][0]);
        end(&q);
    }
}

// Two SMs of the first GPC of eight or more.
static void two_of_a_gpc(const struct question *q, uint32_t *first, uint32_t *second)
{
    uint64_t before = 0;
    uint32_t gpc = 0;
    while (q->device.gpc_sizes.at[gpc] < 8)
        before += q->device.gpc_sizes.at[gpc++];
    *first = memsys_sm_order(q->ms)[before];
    *second = memsys_sm_order(q->ms)[before + 3];
}

static void reads_of_a_gpc_merge(void **state)
{
    (void)state;
    static struct table table;
    read_table(&table, "merge_sms");
    for (uint32_t row = 0; row < table.n_rows; row++) {
        int delay = parameter(&table, row, "delay"), rounds = parameter(&table, row, "rounds");
        if (parameter(&table, row, "other") != 2 || delay < 0 || delay == 400 || delay == 800)
            continue;
        struct question q;
        uint32_t first, second;
        ask_h200(&q, 64 * KIB);
        two_of_a_gpc(&q, &first, &second);
        for (int round = 0; round < rounds; round++, q.now += 40000) {
            read_line(&q, first, (uint64_t)round * 8, CACHE_CA);
            q.now += (uint64_t)delay * q.device.n_subpartitions;
            read_line(&q, second, (uint64_t)round * 8, CACHE_CA);
            memsys_drain(q.ms, UINT64_MAX, &q.l2);
        }
        assert_int_equal(q.l2.read_requests, cell(&table, row, "lts__t_requests_srcunit_tex_op_read.sum"));
        end(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(l1_keeps_what_it_keeps), cmocka_unit_test(l2_keeps_what_it_keeps),
                                       cmocka_unit_test(reads_of_a_gpc_merge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
