// ptx/cfg: blocks, edges, immediate post-dominators and barriers of functions written down as edge lists, and
// of PTX.
#include "ptx/cfg.h"
#include "isa/kernel.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

// ---- graphs by hand -------------------------------------------------------------------------------------

struct graph {
    struct arena arena;
    struct cfg cfg;
};

// Blocks 0 .. n - 1; edges as pairs; a block in `ends` (bit set) leaves the function. Blocks with two
// successors may diverge. Every block has two instructions, so none is a bare end.
static void graph_make(struct graph *g, uint32_t n, const uint32_t (*edges)[2], uint32_t n_edges,
                       uint64_t ends)
{
    arena_init(&g->arena, "graph");
    g->cfg = (struct cfg){.n_blocks = n, .n_edges = n_edges};
    g->cfg.blocks = arena_array(&g->arena, struct cfg_block, n);
    g->cfg.succ = arena_array(&g->arena, uint32_t, n_edges);
    g->cfg.pred = arena_array(&g->arena, uint32_t, n_edges);
    uint32_t n_succ = 0, n_pred = 0;
    for (uint32_t b = 0; b < n; b++) {
        struct cfg_block *block = &g->cfg.blocks[b];
        *block = (struct cfg_block){.n = 2, .first_succ = n_succ, .first_pred = n_pred, .is_reachable = true};
        block->leaves = ends >> b & 1;
        for (uint32_t e = 0; e < n_edges; e++) {
            if (edges[e][0] == b)
                g->cfg.succ[n_succ++] = edges[e][1];
            if (edges[e][1] == b)
                g->cfg.pred[n_pred++] = edges[e][0];
        }
        block->n_succ = n_succ - block->first_succ;
        block->n_pred = n_pred - block->first_pred;
        block->may_diverge = block->n_succ > 1;
    }
    cfg_converge(&g->arena, &g->cfg);
}

static void check_post_dominators(struct graph *g, const uint32_t *expected)
{
    for (uint32_t b = 0; b < g->cfg.n_blocks; b++)
        if (g->cfg.blocks[b].ipdom != expected[b])
            fail_msg("block %u: post-dominator %d, not %d", b, (int)g->cfg.blocks[b].ipdom, (int)expected[b]);
    arena_release(&g->arena);
}

static void diamond(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    struct graph g;
    graph_make(&g, 4, edges, 4, 1 << 3);
    assert_int_equal(g.cfg.n_barriers, 1);
    assert_int_equal(g.cfg.blocks[3].barrier, 0);
    assert_int_equal(g.cfg.blocks[0].joins, 0);
    assert_int_equal(g.cfg.blocks[1].joins, NO_BARRIER);
    check_post_dominators(&g, (const uint32_t[]){3, 3, 3, CFG_EXIT});
}

static void loop_with_break(void **state)
{
    (void)state;
    // 0 → 1; 1: loop head → 2 or 4; 2: break → 4 or 3; 3 → 1; 4 ends
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {1, 4}, {2, 4}, {2, 3}, {3, 1}};
    struct graph g;
    graph_make(&g, 5, edges, 6, 1 << 4);
    assert_int_equal(g.cfg.n_barriers, 1);
    check_post_dominators(&g, (const uint32_t[]){1, 4, 4, 1, CFG_EXIT});
}

static void irreducible(void **state)
{
    (void)state;
    // 0 enters the loop 1 ↔ 2 at both; either may leave to 3
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 1}, {2, 3}};
    struct graph g;
    graph_make(&g, 4, edges, 6, 1 << 3);
    check_post_dominators(&g, (const uint32_t[]){3, 3, 3, CFG_EXIT});
}

static void two_ends(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}};
    struct graph g;
    graph_make(&g, 3, edges, 2, 1 << 1 | 1 << 2);
    assert_int_equal(g.cfg.n_barriers, 0);
    assert_int_equal(g.cfg.blocks[0].joins, NO_BARRIER);
    check_post_dominators(&g, (const uint32_t[]){CFG_EXIT, CFG_EXIT, CFG_EXIT});
}

static void endless_loop(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 1}};
    struct graph g;
    graph_make(&g, 3, edges, 3, 1 << 2);
    check_post_dominators(&g, (const uint32_t[]){2, CFG_EXIT, CFG_EXIT});
}

// Against the definition, on random graphs: P post-dominates b when b cannot reach an end without P.
static bool reaches_end_without(const struct cfg *cfg, uint32_t from, uint32_t without)
{
    bool seen[64] = {false};
    uint32_t todo[64], n = 0;
    if (from == without)
        return false;
    todo[n++] = from;
    seen[from] = true;
    while (n) {
        const struct cfg_block *block = &cfg->blocks[todo[--n]];
        if (block->leaves)
            return true;
        for (uint32_t i = 0; i < block->n_succ; i++) {
            uint32_t to = cfg->succ[block->first_succ + i];
            if (to != without && !seen[to]) {
                seen[to] = true;
                todo[n++] = to;
            }
        }
    }
    return false;
}

static void check_by_definition(const struct cfg *cfg, uint32_t b)
{
    uint32_t ipdom = cfg->blocks[b].ipdom;
    bool reaches = reaches_end_without(cfg, b, CFG_EXIT);
    for (uint32_t p = 0; p < cfg->n_blocks; p++) {
        bool dominates = p != b && reaches && !reaches_end_without(cfg, b, p);
        bool is_found = false; // on the chain of immediate post-dominators
        for (uint32_t d = ipdom; d != CFG_EXIT; d = cfg->blocks[d].ipdom)
            is_found |= d == p;
        assert_int_equal(dominates, is_found);
    }
}

static void random_graphs(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 400; round++) {
        uint32_t n = 2 + (uint32_t)rand() % 20, edges[64][2], n_edges = 0;
        for (uint32_t b = 0; b + 1 < n; b++) {
            uint32_t first = (uint32_t)rand() % n, second = (uint32_t)rand() % n;
            edges[n_edges][0] = b;
            edges[n_edges++][1] = first;
            if (second != first && rand() % 2) {
                edges[n_edges][0] = b;
                edges[n_edges++][1] = second;
            }
        }
        struct graph g;
        graph_make(&g, n, (const uint32_t(*)[2])edges, n_edges, 1ull << (n - 1));
        for (uint32_t b = 0; b < n; b++)
            check_by_definition(&g.cfg, b);
        arena_release(&g.arena);
    }
}

// ---- PTX ------------------------------------------------------------------------------------------------

static void build(struct graph *g, const char *body)
{
    struct buf text = {0};
    struct err err = {0};
    arena_init(&g->arena, "cfg");
    buf_printf(&text,
               ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p<4>;\n"
               ".reg .b32 %%r<4>;\n%s}\n",
               body);
    struct ptx_module *module = ptx_parse(&g->arena, "k.ptx", text.at, text.n, &err);
    if (!module || !cfg_build(&g->arena, module, ptx_find_function(module, "k"), &g->cfg, &err))
        fail_msg("%u: %s", err.line, err.text);
    buf_release(&text);
}

static void blocks_of_text(void **state)
{
    (void)state;
    struct graph g;
    build(&g, "mov.u32 %r1, 1;\n@%p1 bra L2;\nmov.u32 %r1, 2;\nbra.uni L2;\nmov.u32 %r1, 3;\nL2: ret;\n");
    assert_int_equal(g.cfg.n_blocks, 5); // the last one is the empty end
    assert_true(g.cfg.blocks[0].may_diverge);
    assert_int_equal(g.cfg.blocks[0].n_succ, 2);
    assert_int_equal(g.cfg.blocks[1].n_succ, 1);
    assert_false(g.cfg.blocks[2].is_reachable);
    assert_true(g.cfg.blocks[3].leaves);
    assert_false(g.cfg.blocks[4].is_reachable);
    assert_int_equal(g.cfg.n_barriers, 0); // L2 only ends: nobody needs to wait there
    arena_release(&g.arena);
}

static void early_exit_does_not_part_the_rest(void **state)
{
    (void)state;
    struct graph g;
    build(&g, "@%p1 bra REST;\n@%p2 bra END;\nmov.u32 %r1, 2;\nREST: mov.u32 %r1, 3;\nmov.u32 %r2, "
              "%r1;\nEND: ret;\n");
    // B0: @p1 bra REST; B1: @p2 bra END; B2: mov; B3: REST; B4: END
    assert_int_equal(g.cfg.blocks[0].ipdom, 3);
    assert_int_equal(g.cfg.blocks[0].joins, g.cfg.blocks[3].barrier);
    assert_int_not_equal(g.cfg.blocks[3].barrier, NO_BARRIER);
    arena_release(&g.arena);
    build(&g,
          "@%p1 bra REST;\n@%p2 exit;\nmov.u32 %r1, 2;\nREST: mov.u32 %r1, 3;\nmov.u32 %r2, %r1;\nret;\n");
    assert_int_equal(g.cfg.blocks[0].ipdom, 3);
    arena_release(&g.arena);
}

static void final_loop_ends(void **state)
{
    (void)state;
    struct graph g;
    build(&g, "mov.u32 %r1, 0;\nL1: add.u32 %r1, %r1, 1;\n@%p1 bra L1;\nret;\n");
    assert_int_equal(g.cfg.blocks[0].ipdom, 1);
    assert_int_equal(g.cfg.blocks[1].ipdom, 2); // the way out of the loop counts: there is no other
    assert_int_equal(g.cfg.blocks[1].joins, NO_BARRIER);
    arena_release(&g.arena);
}

static void uniform_branches_need_no_barrier(void **state)
{
    (void)state;
    struct graph g;
    build(&g, "@%p1 bra.uni L1;\nmov.u32 %r1, 1;\nL1: mov.u32 %r1, 2;\nmov.u32 %r2, 1;\nret;\n");
    assert_int_equal(g.cfg.n_barriers, 0);
    assert_false(g.cfg.blocks[0].may_diverge);
    arena_release(&g.arena);
}

static void lanes_meet_in_every_iteration(void **state)
{
    (void)state;
    struct graph g;
    // for (;;) { if (p1) { if (p2) break; r1 = 1 } r1 = 2; if (!p3) … }
    build(&g, "mov.u32 %r1, 0;\nLOOP: @%p1 bra REST;\n@%p2 bra OUT;\nmov.u32 %r1, 1;\nREST: mov.u32 %r1, "
              "2;\n@%p3 bra LOOP;\n"
              "OUT: mov.u32 %r2, 1;\nmov.u32 %r3, 1;\nret;\n");
    // B0, B1: LOOP, B2: @p2, B3: r1 = 1, B4: REST, B5: OUT
    assert_int_equal(g.cfg.n_loops, 2);
    assert_int_equal(g.cfg.loops[1].header, 1);
    assert_int_equal(g.cfg.blocks[1].ipdom, 5); // a path avoids REST
    assert_int_not_equal(g.cfg.blocks[1].joins, NO_BARRIER);
    assert_int_equal(g.cfg.blocks[1].joins, g.cfg.blocks[4].barrier);
    assert_int_equal(g.cfg.blocks[2].joins, g.cfg.blocks[5].barrier);
    assert_int_equal(g.cfg.blocks[4].joins, g.cfg.blocks[5].barrier);
    assert_int_equal(g.cfg.blocks[5].n_breaks, 1);
    assert_int_equal(g.cfg.breaks[g.cfg.blocks[5].first_break].first_barrier, g.cfg.blocks[4].barrier);
    assert_int_equal(g.cfg.breaks[g.cfg.blocks[5].first_break].n_barriers, 1);
    arena_release(&g.arena);
}

static void lanes_meet_at_the_header(void **state)
{
    (void)state;
    struct graph g;
    // two ways back: no block of the body is on both
    build(&g, "mov.u32 %r1, 0;\nLOOP: @%p1 bra ELSE;\nmov.u32 %r1, 1;\n@%p2 bra LOOP;\nbra OUT;\nELSE: "
              "mov.u32 %r1, 2;\n"
              "@%p3 bra LOOP;\nOUT: mov.u32 %r2, 1;\nmov.u32 %r3, 1;\nret;\n");
    assert_int_not_equal(g.cfg.blocks[1].iteration, NO_BARRIER);
    assert_int_equal(g.cfg.blocks[1].joins, g.cfg.blocks[1].iteration);
    arena_release(&g.arena);
}

static void loops_in_loops(void **state)
{
    (void)state;
    // 0 → 1; 1 → 2; 2 ⇄ 3; 3 → 4; 4 → 1 or 5
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}};
    struct graph g;
    graph_make(&g, 6, edges, 7, 1 << 5);
    static const uint32_t loops[] = {0, 1, 2, 2, 1, 0};
    for (uint32_t b = 0; b < 6; b++)
        assert_int_equal(g.cfg.blocks[b].loop, loops[b]);
    assert_int_equal(g.cfg.loops[2].parent, 1);
    assert_true(cfg_is_in_loop(&g.cfg, 3, 1));
    assert_false(cfg_is_in_loop(&g.cfg, 4, 2));
    arena_release(&g.arena);
}

static void indexed_branch(void **state)
{
    (void)state;
    struct graph g;
    build(&g,
          "ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 1;\nbra C;\nB: mov.u32 %r1, 2;\n"
          "C: mov.u32 %r2, 1;\nmov.u32 %r3, 1;\nret;\n");
    assert_int_equal(g.cfg.blocks[0].n_succ, 2); // each target once
    assert_int_equal(g.cfg.blocks[0].ipdom, 3);
    assert_int_equal(g.cfg.blocks[0].joins, 0);
    arena_release(&g.arena);
}

static void runs_off_the_end(void **state)
{
    (void)state;
    struct graph g;
    build(&g, "@%p1 bra L1;\nmov.u32 %r1, 1;\nL1:\n");
    uint32_t last = g.cfg.n_blocks - 1;
    assert_int_equal(g.cfg.blocks[last].n, 0);
    assert_true(g.cfg.blocks[last].leaves);
    assert_int_equal(g.cfg.blocks[0].n_succ, 2);
    arena_release(&g.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diamond),
        cmocka_unit_test(loop_with_break),
        cmocka_unit_test(irreducible),
        cmocka_unit_test(two_ends),
        cmocka_unit_test(endless_loop),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(blocks_of_text),
        cmocka_unit_test(early_exit_does_not_part_the_rest),
        cmocka_unit_test(final_loop_ends),
        cmocka_unit_test(uniform_branches_need_no_barrier),
        cmocka_unit_test(lanes_meet_in_every_iteration),
        cmocka_unit_test(lanes_meet_at_the_header),
        cmocka_unit_test(loops_in_loops),
        cmocka_unit_test(indexed_branch),
        cmocka_unit_test(runs_off_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
