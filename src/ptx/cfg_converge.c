// Immediate post-dominators and convergence barriers of a control-flow graph.
//
// Post-dominators by the method of Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001) on
// the reversed graph with one virtual exit: walk blocks in reverse post-order of the reversed graph and
// intersect the chains of the successors until nothing changes. Which edges count is said in cfg.h.
#include "base/vec.h"
#include "isa/kernel.h"
#include "ptx/cfg.h"

#define UNSEEN 0xffffffffu

struct work {
    struct cfg *cfg;
    bool *seen;      // by block: numbered or on the way
    bool *reaches;   // by block: reaches an end without edges into dying ends
    uint32_t *order; // blocks in post-order of the reversed graph; the virtual exit would be last
    uint32_t n_order;
    uint32_t *number; // by block: its place in `order`, UNSEEN = reaches no end
    uint32_t *idom;   // by number: number of the immediate post-dominator; n_order = the virtual exit
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

// Does the edge from → to count for post-dominance?
static bool counts(const struct work *w, uint32_t from, uint32_t to)
{
    return !(is_early(w->cfg, from, to) && w->reaches[from]);
}

// Does the end of the function count as a successor of this block?
static bool end_counts(const struct work *w, uint32_t b)
{
    const struct cfg_block *block = &w->cfg->blocks[b];
    return is_last_end(block) || (block->leaves && !w->reaches[b]);
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
        if (!w->seen[from] && counts(w, from, top->block))
            visit_first(w, stack, from);
    }
}

static void number_blocks(struct work *w)
{
    struct visits stack = {0};
    for (uint32_t b = 0; b < w->cfg->n_blocks; b++)
        if (!w->seen[b] && end_counts(w, b))
            number_from(w, &stack, b);
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

// Does the branch at the end of the block send lanes two ways that both go on?
static bool parts_lanes(const struct work *w, uint32_t b)
{
    const struct cfg_block *block = &w->cfg->blocks[b];
    uint32_t ways = 0;
    for (uint32_t i = 0; i < block->n_succ; i++)
        ways += counts(w, b, w->cfg->succ[block->first_succ + i]);
    return block->may_diverge && block->is_reachable && ways > 1;
}

static void number_barriers(const struct work *w)
{
    struct cfg *cfg = w->cfg;
    cfg->n_barriers = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        cfg->blocks[b].barrier = cfg->blocks[b].joins = NO_BARRIER;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        if (!parts_lanes(w, b) || cfg->blocks[b].ipdom == CFG_EXIT)
            continue;
        struct cfg_block *meeting = &cfg->blocks[cfg->blocks[b].ipdom];
        if (meeting->barrier == NO_BARRIER && !is_bare_end(meeting))
            meeting->barrier = cfg->n_barriers++;
        cfg->blocks[b].joins = meeting->barrier;
    }
}

void cfg_converge(struct arena *arena, struct cfg *cfg)
{
    struct work w = {.cfg = cfg,
                     .seen = arena_array(arena, bool, cfg->n_blocks),
                     .reaches = arena_array(arena, bool, cfg->n_blocks),
                     .order = arena_array(arena, uint32_t, cfg->n_blocks),
                     .number = arena_array(arena, uint32_t, cfg->n_blocks),
                     .idom = arena_array(arena, uint32_t, cfg->n_blocks + 1)};
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        w.number[b] = UNSEEN;
    mark_reaching(&w);
    number_blocks(&w);
    find_post_dominators(&w);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        uint32_t dom = w.number[b] == UNSEEN ? w.n_order : w.idom[w.number[b]];
        cfg->blocks[b].ipdom = dom >= w.n_order ? CFG_EXIT : w.order[dom];
    }
    number_barriers(&w);
}
