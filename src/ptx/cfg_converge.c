// Where lanes meet: post-dominators of the function and of the body of each loop, barriers, breaks. Rules in
// cfg.h.
//
// Post-dominators by the method of Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001) on
// the reversed graph with one virtual exit: walk blocks in reverse post-order of the reversed graph and
// intersect the chains of the successors until nothing changes; once for the function and once for each loop,
// on its own blocks.
//
// Why nobody waits in a circle, with loops: let x wait at P, belonging to loop K, for y. y is in the mask of
// P, so it is in K, has not passed P and has not begun another iteration, and waits at Q in K. Of all loops
// that barriers of a circle belong to let M be an outermost one; all its lanes are in M. Take each loop
// directly inside M as one point. A wait that belongs to M leads from P to a point Q that P post-dominates
// strictly in the body of M; one that belongs to a loop inside stays at the same point. Round the circle a
// point would post-dominate itself strictly. ptx/lower.h has the rest.
#include "base/vec.h"
#include "isa/kernel.h"
#include "ptx/cfg.h"

#define UNSEEN 0xffffffffu

struct work {
    struct cfg *cfg;
    const uint32_t *blocks; // of the loop at hand: n_blocks of them
    uint32_t n_blocks, loop;
    bool *seen;      // by block: numbered or on the way
    bool *reaches;   // by block: reaches an end of the function without early ones
    uint32_t *order; // blocks in post-order of the reversed graph; the virtual exit would be last
    uint32_t n_order;
    uint32_t *number;  // by block: its place in `order`, UNSEEN = reaches no end
    uint32_t *idom;    // by number: number of the immediate post-dominator; n_order = the virtual exit
    uint32_t *belongs; // by block: loop that its branch belongs to, UNSEEN = parts nobody
    uint32_t *meeting; // by block: where the lanes of its branch meet; CFG_EXIT = the end of the loop
};

// Nothing but an end: an edge into it is as good as leaving.
static bool is_bare_end(const struct cfg_block *block)
{
    return block->leaves && block->n <= 1 && !block->n_succ;
}

// Leaves `from` early: by a bare end, although it has another way on.
static bool is_early(const struct cfg *cfg, uint32_t from, uint32_t to)
{
    return is_bare_end(&cfg->blocks[to]) && cfg->blocks[from].n_succ > 1;
}

// Ends that are never left out: of blocks with no other way on.
static bool is_last_end(const struct cfg_block *block)
{
    return block->leaves && !block->n_succ;
}

// Blocks that reach an end without leaving early, backwards from the ends.
static void mark_reaching(struct work *w)
{
    struct cfg *cfg = w->cfg;
    VEC(uint32_t) todo = {0};
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        if (is_last_end(&cfg->blocks[b])) {
            w->reaches[b] = true;
            vec_push(&todo, b);
        }
    while (todo.n) {
        uint32_t b = todo.at[--todo.n];
        const struct cfg_block *block = &cfg->blocks[b];
        for (uint32_t i = 0; i < block->n_pred; i++) {
            uint32_t from = cfg->pred[block->first_pred + i];
            if (!w->reaches[from] && !is_early(cfg, from, b)) {
                w->reaches[from] = true;
                vec_push(&todo, from);
            }
        }
    }
    vec_release(&todo);
}

static bool counts_in_function(const struct work *w, uint32_t from, uint32_t to)
{
    return !(is_early(w->cfg, from, to) && w->reaches[from]);
}

// Does the edge from → to count for post-dominance in the loop at hand?
static bool counts(const struct work *w, uint32_t from, uint32_t to)
{
    if (w->loop == 0)
        return counts_in_function(w, from, to);
    return to != w->cfg->loops[w->loop].header && cfg_is_in_loop(w->cfg, to, w->loop);
}

// Does the end of the loop at hand count as a successor of this block?
static bool end_counts(const struct work *w, uint32_t b)
{
    const struct cfg_block *block = &w->cfg->blocks[b];
    if (w->loop == 0)
        return is_last_end(block) || (block->leaves && !w->reaches[b]);
    for (uint32_t i = 0; i < block->n_succ; i++)
        if (w->cfg->succ[block->first_succ + i] == w->cfg->loops[w->loop].header)
            return true;
    return false;
}

struct visit {
    uint32_t block, next; // next predecessor to look at
};
struct visits {
    struct visit *at;
    size_t n, capacity;
};

static void visit_first(struct work *w, struct visits *stack, uint32_t block)
{
    w->seen[block] = true;
    struct visit visit = {block, 0};
    vec_push(stack, visit);
}

// Post-order of the reversed graph from one end, without recursion.
static void number_from(struct work *w, struct visits *stack, uint32_t end)
{
    visit_first(w, stack, end);
    while (stack->n) {
        struct visit *top = &stack->at[stack->n - 1];
        const struct cfg_block *block = &w->cfg->blocks[top->block];
        if (top->next == block->n_pred) {
            w->number[top->block] = w->n_order;
            w->order[w->n_order++] = top->block;
            stack->n--;
            continue;
        }
        uint32_t from = w->cfg->pred[block->first_pred + top->next++];
        if (!w->seen[from] && cfg_is_in_loop(w->cfg, from, w->loop) && counts(w, from, top->block))
            visit_first(w, stack, from);
    }
}

static void number_blocks(struct work *w)
{
    struct visits stack = {0};
    w->n_order = 0;
    for (uint32_t i = 0; i < w->n_blocks; i++) {
        w->seen[w->blocks[i]] = false;
        w->number[w->blocks[i]] = UNSEEN;
    }
    for (uint32_t i = 0; i < w->n_blocks; i++)
        if (!w->seen[w->blocks[i]] && end_counts(w, w->blocks[i]))
            number_from(w, &stack, w->blocks[i]);
    vec_release(&stack);
}

static uint32_t intersect(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a < b)
            a = idom[a];
        while (b < a)
            b = idom[b];
    }
    return a;
}

// The immediate post-dominator of block number `n` as far as its successors are known.
static uint32_t meet_successors(const struct work *w, uint32_t n)
{
    const struct cfg_block *block = &w->cfg->blocks[w->order[n]];
    uint32_t meet = end_counts(w, w->order[n]) ? w->n_order : UNSEEN;
    for (uint32_t i = 0; i < block->n_succ; i++) {
        uint32_t to = w->cfg->succ[block->first_succ + i];
        uint32_t number = counts(w, w->order[n], to) ? w->number[to] : UNSEEN;
        if (number == UNSEEN || w->idom[number] == UNSEEN)
            continue;
        meet = meet == UNSEEN ? number : intersect(w->idom, meet, number);
    }
    return meet;
}

static void find_post_dominators(struct work *w)
{
    for (uint32_t n = 0; n < w->n_order; n++)
        w->idom[n] = UNSEEN;
    w->idom[w->n_order] = w->n_order;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = w->n_order; n-- > 0;) {
            uint32_t meet = meet_successors(w, n);
            changed |= meet != w->idom[n];
            w->idom[n] = meet;
        }
    }
}

// ---- branches and the loops they belong to --------------------------------------------------------

// The innermost loop that holds the block and all targets of its branch; UNSEEN if the branch parts no lanes.
static uint32_t loop_of_branch(const struct work *w, uint32_t b)
{
    const struct cfg_block *block = &w->cfg->blocks[b];
    uint32_t loop = block->loop, ways = 0;
    for (uint32_t i = 0; i < block->n_succ; i++) {
        uint32_t to = w->cfg->succ[block->first_succ + i];
        if (!counts_in_function(w, b, to))
            continue;
        ways++;
        while (!cfg_is_in_loop(w->cfg, to, loop))
            loop = w->cfg->loops[loop].parent;
    }
    return block->may_diverge && block->is_reachable && ways > 1 ? loop : UNSEEN;
}

static uint32_t next_up(const struct work *w, uint32_t b)
{
    uint32_t up = w->number[b] == UNSEEN ? w->n_order : w->idom[w->number[b]];
    return up >= w->n_order ? CFG_EXIT : w->order[up];
}

// The nearest post-dominator that lies in no inner loop together with the branch.
static uint32_t meeting_of(const struct work *w, uint32_t b)
{
    const struct cfg *cfg = w->cfg;
    uint32_t inner = cfg->blocks[b].loop, up = next_up(w, b);
    if (inner == w->loop)
        return up;
    while (cfg->loops[inner].parent != w->loop)
        inner = cfg->loops[inner].parent;
    while (up != CFG_EXIT && cfg_is_in_loop(cfg, up, inner))
        up = next_up(w, up);
    return up;
}

static void solve_loop(struct work *w)
{
    number_blocks(w);
    find_post_dominators(w);
    for (uint32_t i = 0; i < w->n_blocks; i++) {
        uint32_t b = w->blocks[i];
        if (w->loop == 0)
            w->cfg->blocks[b].ipdom = next_up(w, b);
        if (w->belongs[b] == w->loop)
            w->meeting[b] = meeting_of(w, b);
    }
}

// Blocks of every loop lie one behind the other when they are sorted by a walk through the tree of loops.
struct tree {
    uint32_t *place; // by loop: first of its blocks
    uint32_t *end;   // by loop: behind its blocks and those of loops in it
    uint32_t *blocks;
    uint32_t *loops; // in the order of the walk
};

static void sort_by_loop(struct arena *arena, const struct cfg *cfg, struct tree *t)
{
    uint32_t n = cfg->n_loops;
    uint32_t *size = arena_array(arena, uint32_t, n), *next = arena_array(arena, uint32_t, n);
    uint32_t *n_inner = arena_array(arena, uint32_t, n), *rank = arena_array(arena, uint32_t, n);
    *t = (struct tree){arena_array(arena, uint32_t, n), arena_array(arena, uint32_t, n),
                       arena_array(arena, uint32_t, cfg->n_blocks), arena_array(arena, uint32_t, n)};
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        size[cfg->blocks[b].loop]++;
    for (uint32_t k = 0; k < n; k++)
        next[k] = size[k]; // own blocks come first, then those of inner loops
    for (uint32_t k = n; k-- > 1;) {
        size[cfg->loops[k].parent] += size[k];
        n_inner[cfg->loops[k].parent] += n_inner[k] + 1;
    }
    for (uint32_t k = 0; k < n; k++) { // outer loops have lower numbers
        uint32_t parent = cfg->loops[k].parent;
        t->place[k] = k ? t->place[parent] + next[parent] : 0;
        rank[k] = k ? rank[parent] + 1 : 0;
        next[parent] += k ? size[k] : 0;
        t->end[k] = t->place[k] + size[k];
        if (k)
            rank[parent] += n_inner[k] + 1;
        t->loops[rank[k]] = k;
    }
    for (uint32_t k = 0; k < n; k++)
        next[k] = t->place[k];
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        t->blocks[next[cfg->blocks[b].loop]++] = b;
}

// ---- barriers and breaks ----------------------------------------------------------------------------

static void number_branch(const struct work *w, uint32_t b)
{
    struct cfg *cfg = w->cfg;
    struct cfg_loop *loop = &cfg->loops[w->belongs[b]];
    uint32_t *number = &loop->iteration;
    if (w->meeting[b] != CFG_EXIT)
        number = &cfg->blocks[w->meeting[b]].barrier;
    else if (w->belongs[b] == 0)
        return;
    if (w->meeting[b] != CFG_EXIT && is_bare_end(&cfg->blocks[w->meeting[b]]))
        return;
    if (*number == NO_BARRIER)
        *number = cfg->n_barriers++;
    cfg->blocks[b].joins = *number;
}

// Numbers of the barriers of a loop and of all loops in it are neighbours.
static void number_barriers(const struct work *w, const struct tree *t)
{
    struct cfg *cfg = w->cfg;
    cfg->n_barriers = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        cfg->blocks[b].barrier = cfg->blocks[b].iteration = cfg->blocks[b].joins = NO_BARRIER;
    for (uint32_t i = 0; i < cfg->n_loops; i++) {
        uint32_t k = t->loops[i];
        cfg->loops[k].iteration = NO_BARRIER;
        cfg->loops[k].first_barrier = cfg->n_barriers;
        for (uint32_t at = t->place[k]; at < t->end[k]; at++)
            if (w->belongs[t->blocks[at]] == k)
                number_branch(w, t->blocks[at]);
        cfg->loops[k].n_barriers = cfg->n_barriers - cfg->loops[k].first_barrier;
        if (k && cfg->loops[k].iteration != NO_BARRIER)
            cfg->blocks[cfg->loops[k].header].iteration = cfg->loops[k].iteration;
    }
    for (uint32_t k = cfg->n_loops; k-- > 1;) {
        struct cfg_loop *loop = &cfg->loops[k], *parent = &cfg->loops[loop->parent];
        uint32_t end = loop->first_barrier + loop->n_barriers;
        if (end > parent->first_barrier + parent->n_barriers)
            parent->n_barriers = end - parent->first_barrier;
    }
}

// The outermost loop that the edge leaves; 0 = none.
static uint32_t loop_left(const struct cfg *cfg, uint32_t from, uint32_t to)
{
    uint32_t left = 0;
    for (uint32_t k = cfg->blocks[from].loop; k && !cfg_is_in_loop(cfg, to, k); k = cfg->loops[k].parent)
        left = k;
    return left;
}

static void add_break(struct cfg *cfg, uint32_t block, const struct cfg_loop *loop)
{
    struct cfg_block *at = &cfg->blocks[block];
    for (uint32_t i = at->first_break; i < cfg->n_breaks; i++)
        if (cfg->breaks[i].first_barrier == loop->first_barrier &&
            cfg->breaks[i].n_barriers == loop->n_barriers)
            return;
    cfg->breaks[cfg->n_breaks++] = (struct cfg_break){block, loop->first_barrier, loop->n_barriers};
    at->n_breaks++;
}

static void find_breaks(struct arena *arena, struct cfg *cfg)
{
    cfg->breaks = arena_array(arena, struct cfg_break, cfg->n_edges + 1);
    cfg->n_breaks = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct cfg_block *block = &cfg->blocks[b];
        block->first_break = cfg->n_breaks;
        block->n_breaks = 0;
        for (uint32_t i = 0; i < block->n_pred && !is_bare_end(block); i++) {
            uint32_t left = loop_left(cfg, cfg->pred[block->first_pred + i], b);
            if (left && cfg->loops[left].n_barriers)
                add_break(cfg, b, &cfg->loops[left]);
        }
    }
}

void cfg_converge(struct arena *arena, struct cfg *cfg)
{
    struct tree tree;
    struct work w = {.cfg = cfg,
                     .seen = arena_array(arena, bool, cfg->n_blocks),
                     .reaches = arena_array(arena, bool, cfg->n_blocks),
                     .order = arena_array(arena, uint32_t, cfg->n_blocks),
                     .number = arena_array(arena, uint32_t, cfg->n_blocks),
                     .idom = arena_array(arena, uint32_t, cfg->n_blocks + 1),
                     .belongs = arena_array(arena, uint32_t, cfg->n_blocks),
                     .meeting = arena_array(arena, uint32_t, cfg->n_blocks)};
    cfg_find_loops(arena, cfg);
    mark_reaching(&w);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        w.belongs[b] = loop_of_branch(&w, b);
    sort_by_loop(arena, cfg, &tree);
    for (uint32_t k = 0; k < cfg->n_loops; k++) {
        w.loop = k;
        w.blocks = tree.blocks + tree.place[k];
        w.n_blocks = tree.end[k] - tree.place[k];
        solve_loop(&w);
    }
    number_barriers(&w, &tree);
    find_breaks(arena, cfg);
}
