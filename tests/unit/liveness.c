// ptx/liveness and ptx/registers: random code keeps its values when virtual rows share places, and needs few
// of them.
#include "ptx/liveness.h"
#include "ptx/registers.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_INSNS = 120,
    MAX_BLOCKS = 12,
    MAX_GROUPS = 30,
    MAX_REFS = 4 * MAX_INSNS,
    MAX_ROWS = 4 * MAX_GROUPS
};

struct code {
    struct live_code code;
    struct ref refs[MAX_REFS];
    uint32_t first_ref[MAX_INSNS + 1], n_refs;
    struct live_block blocks[MAX_BLOCKS];
    uint32_t pred[MAX_BLOCKS][MAX_BLOCKS], succ[MAX_BLOCKS][2], n_succ[MAX_BLOCKS];
    uint32_t group_row[MAX_GROUPS + 1];
};

static uint32_t below(uint32_t n)
{
    return (uint32_t)rand() % n;
}

static void code_clear(struct code *c)
{
    memset(c, 0, sizeof *c);
    c->code = (struct live_code){
        .refs = c->refs, .first_ref = c->first_ref, .blocks = c->blocks, .group_row = c->group_row};
    for (uint32_t b = 0; b < MAX_BLOCKS; b++)
        c->blocks[b].pred = c->pred[b];
}

static uint32_t add_group(struct code *c, uint32_t n_rows)
{
    uint32_t row = c->group_row[c->code.n_groups++];
    c->group_row[c->code.n_groups] = row + n_rows;
    return row;
}

static void add_block(struct code *c)
{
    c->blocks[c->code.n_blocks++].first = c->code.n_insns;
}

static void add_insn(struct code *c)
{
    c->blocks[c->code.n_blocks - 1].n++;
    c->first_ref[++c->code.n_insns] = c->n_refs;
}

static void add_ref(struct code *c, uint32_t row, uint32_t n, enum ref_kind kind)
{
    c->refs[c->n_refs++] = (struct ref){row, (uint8_t)n, (uint8_t)kind};
}

static void add_edge(struct code *c, uint32_t from, uint32_t to)
{
    c->succ[from][c->n_succ[from]++] = to;
    c->pred[to][c->blocks[to].n_pred++] = from;
}

// ---- small cases ------------------------------------------------------------------------------------------

static void check_ranges(const struct live *live, uint32_t group, const struct live_range *expected,
                         uint32_t n)
{
    assert_int_equal(live->first_range[group + 1] - live->first_range[group], n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(live->ranges[live->first_range[group] + i].begin, expected[i].begin);
        assert_int_equal(live->ranges[live->first_range[group] + i].end, expected[i].end);
    }
}

static void straight_line(void **state)
{
    (void)state;
    struct code c;
    struct arena arena;
    struct live live;
    code_clear(&c);
    arena_init(&arena, "test");
    uint32_t a = add_group(&c, 1), b = add_group(&c, 2), d = add_group(&c, 1);
    add_block(&c);
    add_ref(&c, a, 1, REF_DEF), add_insn(&c);                             // insn 0: writes a
    add_ref(&c, a, 1, REF_USE), add_ref(&c, b, 2, REF_DEF), add_insn(&c); // insn 1: b = f(a)
    add_ref(&c, d, 1, REF_DEF), add_insn(&c);                             // insn 2: d is never read
    add_ref(&c, b, 2, REF_USE), add_insn(&c);                             // insn 3: reads b
    live_find(&arena, &c.code, &live);
    check_ranges(&live, 0, (const struct live_range[]){{1, 3}}, 1);
    check_ranges(&live, 1, (const struct live_range[]){{3, 7}}, 1);
    check_ranges(&live, 2, (const struct live_range[]){{5, 6}}, 1);
    assert_false(live.is_dead[0]);
    assert_true(live.is_dead[3]);
    uint32_t row[3];
    const bool all[3] = {true, true, true};
    struct row_request request = {&live, c.group_row, all, 3, 0};
    assert_int_equal(rows_allocate(&request, row), 3);
    assert_int_equal(row[0], row[1]); // a ends where b begins
    assert_int_equal(live_most(&c.code, &live, all), 3);
    arena_release(&arena);
}

static void loop_carried(void **state)
{
    (void)state;
    struct code c;
    struct arena arena;
    struct live live;
    code_clear(&c);
    arena_init(&arena, "test");
    uint32_t old = add_group(&c, 1), new = add_group(&c, 1);
    add_block(&c);
    add_ref(&c, old, 1, REF_DEF), add_insn(&c); // 0: old = 0
    add_block(&c);
    add_ref(&c, old, 1, REF_USE), add_ref(&c, new, 1, REF_DEF), add_insn(&c); // 1: new = old + 1
    add_insn(&c);                                                             // 2
    add_ref(&c, new, 1, REF_USE), add_ref(&c, old, 1, REF_DEF), add_insn(&c); // 3: old = new
    add_block(&c);
    add_ref(&c, old, 1, REF_USE), add_insn(&c); // 4
    add_edge(&c, 0, 1), add_edge(&c, 1, 1), add_edge(&c, 1, 2);
    live_find(&arena, &c.code, &live);
    check_ranges(&live, 0, (const struct live_range[]){{1, 3}, {7, 9}},
                 2); // a hole while `new` holds the value
    check_ranges(&live, 1, (const struct live_range[]){{3, 7}}, 1);
    uint32_t row[2];
    const bool all[2] = {true, true};
    struct row_request request = {&live, c.group_row, all, 2, 0};
    assert_int_equal(rows_allocate(&request, row), 1);
    arena_release(&arena);
}

static void guarded_write_keeps_the_old_value(void **state)
{
    (void)state;
    struct code c;
    struct arena arena;
    struct live live;
    code_clear(&c);
    arena_init(&arena, "test");
    uint32_t a = add_group(&c, 1);
    add_block(&c);
    add_ref(&c, a, 1, REF_DEF), add_insn(&c);
    add_ref(&c, a, 1, REF_DEF_PART), add_insn(&c);
    add_ref(&c, a, 1, REF_USE), add_insn(&c);
    live_find(&arena, &c.code, &live);
    check_ranges(&live, 0, (const struct live_range[]){{1, 5}}, 1);
    assert_false(live.is_dead[0]);
    assert_false(live.is_dead[1]);
    arena_release(&arena);
}

// ---- random code ------------------------------------------------------------------------------------------

static void random_ref(struct code *c, enum ref_kind kind)
{
    uint32_t g = below(c->code.n_groups), size = c->group_row[g + 1] - c->group_row[g];
    uint32_t n = below(4) ? size : 1 + below(size), first = below(size - n + 1);
    add_ref(c, c->group_row[g] + first, n, kind);
}

static void random_code(struct code *c)
{
    static const uint8_t sizes[] = {1, 1, 1, 2, 2, 4};
    uint32_t n_groups = 2 + below(MAX_GROUPS - 2), n_blocks = 1 + below(MAX_BLOCKS);
    code_clear(c);
    for (uint32_t g = 0; g < n_groups; g++)
        add_group(c, sizes[below(sizeof sizes)]);
    for (uint32_t b = 0; b < n_blocks; b++) {
        add_block(c);
        for (uint32_t i = 0, n = below(MAX_INSNS / MAX_BLOCKS); i < n; i++) {
            for (uint32_t uses = below(3); uses > 0; uses--)
                random_ref(c, REF_USE);
            if (below(4))
                random_ref(c, below(5) ? REF_DEF : REF_DEF_PART);
            add_insn(c);
        }
    }
    for (uint32_t b = 0; b < n_blocks; b++) {
        uint32_t first = below(n_blocks), second = below(n_blocks);
        if (b + 1 < n_blocks)
            add_edge(c, b, first);
        if (second != first && below(2))
            add_edge(c, b, second);
    }
}

struct machine {
    uint32_t value[MAX_ROWS], place[MAX_ROWS]; // by virtual row, and by the place it was given
    bool is_known[MAX_ROWS];                   // written on this path
};

static void run_insn(const struct code *c, uint32_t i, const uint32_t *row, struct machine *m, uint32_t *next)
{
    for (uint32_t r = c->first_ref[i]; r < c->first_ref[i + 1]; r++)
        for (uint32_t k = c->refs[r].row; c->refs[r].kind == REF_USE && k < c->refs[r].row + c->refs[r].n;
             k++)
            if (m->is_known[k])
                assert_int_equal(m->place[row[k]], m->value[k]);
    for (uint32_t r = c->first_ref[i]; r < c->first_ref[i + 1]; r++) {
        bool happens = c->refs[r].kind == REF_DEF || (c->refs[r].kind == REF_DEF_PART && below(2));
        for (uint32_t k = c->refs[r].row; happens && k < c->refs[r].row + c->refs[r].n; k++) {
            m->value[k] = m->place[row[k]] = ++*next;
            m->is_known[k] = true;
        }
    }
}

// Walks random paths: what is read from a place is what was last written to the virtual row.
static void run(const struct code *c, const uint32_t *row)
{
    struct machine m = {0};
    uint32_t b = 0, next = 0;
    for (uint32_t step = 0; step < 200; step++) {
        for (uint32_t i = 0; i < c->blocks[b].n; i++)
            run_insn(c, c->blocks[b].first + i, row, &m, &next);
        if (!c->n_succ[b])
            break;
        b = c->succ[b][below(c->n_succ[b])];
    }
}

static void random_codes_keep_their_values(void **state)
{
    (void)state;
    static struct code c;
    srand(2);
    for (int round = 0; round < 1500; round++) {
        struct arena arena;
        struct live live;
        uint32_t of_group[MAX_GROUPS], row[MAX_ROWS];
        bool all[MAX_GROUPS];
        memset(all, true, sizeof all);
        arena_init(&arena, "test");
        random_code(&c);
        live_find(&arena, &c.code, &live);
        struct row_request request = {&live, c.group_row, all, c.code.n_groups, 3};
        uint32_t n_rows = rows_allocate(&request, of_group);
        assert_true(n_rows >= 3 + live_most(&c.code, &live, all));
        for (uint32_t g = 0; g < c.code.n_groups; g++)
            for (uint32_t k = c.group_row[g]; k < c.group_row[g + 1]; k++) {
                row[k] = of_group[g] + k - c.group_row[g];
                assert_true(row[k] >= 3 &&
                            (row[k] < n_rows || live.first_range[g] == live.first_range[g + 1]));
            }
        for (int path = 0; path < 4; path++)
            run(&c, row);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),
        cmocka_unit_test(loop_carried),
        cmocka_unit_test(guarded_write_keeps_the_old_value),
        cmocka_unit_test(random_codes_keep_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
