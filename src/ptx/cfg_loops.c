// Loops of a control-flow graph: dominators, natural loops by their back edges, and how they lie in each
// other.
//
// An edge to a block that dominates its origin is a back edge; the loop of header h holds every block that
// reaches a back edge to h without passing h. Two loops are apart or one lies in the other (headers dominate
// their loops), whatever the rest of the graph looks like. Cycles that are entered at two places are no loops
// here.
#include "base/vec.h"
#include "ptx/cfg.h"

#define UNSEEN 0xffffffffu

struct doms {
    struct cfg *cfg;
    uint32_t *order; // reachable blocks in reverse post-order
    uint32_t n_order;
    uint32_t *number; // by block: its place in `order`
    uint32_t *idom;   // by number
};

struct visit {
    uint32_t block, next;
};

// ---- dominators -------------------------------------------------------------------------------------

static void order_blocks(struct doms *d, struct arena *arena)
{
    struct cfg *cfg = d->cfg;
    struct visit *stack = arena_array(arena, struct visit, cfg->n_blocks);
    bool *seen = arena_array(arena, bool, cfg->n_blocks);
    uint32_t depth = 1, place = cfg->n_blocks;
    stack[0] = (struct visit){0, 0};
    seen[0] = true;
    while (depth) {
        struct visit *top = &stack[depth - 1];
        const struct cfg_block *block = &cfg->blocks[top->block];
        if (top->next == block->n_succ) {
            d->order[--place] = top->block;
            depth--;
            continue;
        }
        uint32_t to = cfg->succ[block->first_succ + top->next++];
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = (struct visit){to, 0};
        }
    }
    d->n_order = cfg->n_blocks - place;
    for (uint32_t i = 0; i < d->n_order; i++) {
        d->order[i] = d->order[place + i];
        d->number[d->order[i]] = i;
    }
}

static uint32_t intersect(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = idom[a];
        while (b > a)
            b = idom[b];
    }
    return a;
}

static void find_dominators(struct doms *d)
{
    for (uint32_t n = 0; n < d->n_order; n++)
        d->idom[n] = n ? UNSEEN : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 1; n < d->n_order; n++) {
            const struct cfg_block *block = &d->cfg->blocks[d->order[n]];
            uint32_t meet = UNSEEN;
            for (uint32_t i = 0; i < block->n_pred; i++) {
                uint32_t from = d->number[d->cfg->pred[block->first_pred + i]];
                if (from != UNSEEN && d->idom[from] != UNSEEN)
                    meet = meet == UNSEEN ? from : intersect(d->idom, meet, from);
            }
            changed |= meet != d->idom[n];
            d->idom[n] = meet;
        }
    }
}

static bool dominates(const struct doms *d, uint32_t a, uint32_t b) // by number
{
    while (b > a)
        b = d->idom[b];
    return a == b;
}

// ---- loops --------------------------------------------------------------------------------------------

// Puts every block of the loop of `header` into loop number `loop`; inner loops come later and take theirs
// out again.
static void fill_loop(struct doms *d, uint32_t header, uint32_t loop, uint32_t *todo)
{
    struct cfg *cfg = d->cfg;
    uint32_t n = 0;
    todo[n++] = header;
    cfg->blocks[header].loop = loop;
    while (n) {
        uint32_t b = todo[--n];
        for (uint32_t i = 0; i < cfg->blocks[b].n_pred; i++) {
            uint32_t from = cfg->pred[cfg->blocks[b].first_pred + i];
            bool is_back = b != header ||
                           (d->number[from] != UNSEEN && dominates(d, d->number[header], d->number[from]));
            if (is_back && d->number[from] != UNSEEN && cfg->blocks[from].loop != loop) {
                cfg->blocks[from].loop = loop;
                todo[n++] = from;
            }
        }
    }
}

static bool is_header(const struct doms *d, uint32_t n)
{
    const struct cfg_block *block = &d->cfg->blocks[d->order[n]];
    for (uint32_t i = 0; i < block->n_pred; i++) {
        uint32_t from = d->number[d->cfg->pred[block->first_pred + i]];
        if (from != UNSEEN && dominates(d, n, from))
            return true;
    }
    return false;
}

void cfg_find_loops(struct arena *arena, struct cfg *cfg)
{
    struct doms d = {.cfg = cfg,
                     .order = arena_array(arena, uint32_t, cfg->n_blocks),
                     .number = arena_array(arena, uint32_t, cfg->n_blocks),
                     .idom = arena_array(arena, uint32_t, cfg->n_blocks)};
    uint32_t *todo = arena_array(arena, uint32_t, cfg->n_blocks);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        d.number[b] = UNSEEN;
        cfg->blocks[b].loop = 0;
    }
    order_blocks(&d, arena);
    find_dominators(&d);
    cfg->loops = arena_array(arena, struct cfg_loop, cfg->n_blocks + 1);
    cfg->loops[0] = (struct cfg_loop){.header = CFG_EXIT};
    cfg->n_loops = 1;
    for (uint32_t n = 0; n < d.n_order; n++) { // outer headers come before inner ones
        if (!is_header(&d, n))
            continue;
        uint32_t parent = cfg->blocks[d.order[n]].loop;
        cfg->loops[cfg->n_loops] =
            (struct cfg_loop){.header = d.order[n], .parent = parent, .depth = cfg->loops[parent].depth + 1};
        fill_loop(&d, d.order[n], cfg->n_loops++, todo);
    }
}

bool cfg_is_in_loop(const struct cfg *cfg, uint32_t block, uint32_t loop)
{
    uint32_t at = cfg->blocks[block].loop;
    while (cfg->loops[at].depth > cfg->loops[loop].depth)
        at = cfg->loops[at].parent;
    return at == loop;
}
