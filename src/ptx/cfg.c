// Control-flow graph of a PTX function: blocks, edges, reachability; text of it for --dump=cfg.
#include "ptx/cfg.h"
#include "base/vec.h"
#include "isa/kernel.h"
#include <string.h>

struct edge {
    uint32_t from, to;
};
struct edges {
    struct edge *at;
    size_t n, capacity;
};

enum flow flow_of(const struct ptx_insn *insn)
{
    static const struct {
        const char *op;
        enum flow flow;
    } names[] = {{"bra", FLOW_BRANCH}, {"brx", FLOW_BRANCH_INDEX}, {"ret", FLOW_RETURN},
                 {"exit", FLOW_EXIT},  {"trap", FLOW_EXIT},        {"call", FLOW_CALL}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(insn->op, names[i].op) == 0)
            return names[i].flow;
    return FLOW_NONE;
}

bool insn_has_suffix(const struct ptx_insn *insn, const char *suffix)
{
    for (uint32_t i = 0; i < insn->n_suffixes; i++)
        if (strcmp(insn->suffixes[i], suffix) == 0)
            return true;
    return false;
}

static bool ends_block(enum flow flow)
{
    return flow != FLOW_NONE && flow != FLOW_CALL;
}

// ---- blocks -----------------------------------------------------------------------------------------

static uint8_t *mark_leaders(struct arena *arena, const struct ptx_function *f)
{
    uint8_t *leader = arena_array(arena, uint8_t, f->n_insns + 2);
    leader[0] = 1;
    leader[f->n_insns] = 1;
    for (uint32_t i = 0; i < f->n_labels; i++)
        leader[f->labels[i].insn] = 1;
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (ends_block(flow_of(&f->insns[i])))
            leader[i + 1] = 1;
    return leader;
}

static void make_blocks(struct arena *arena, const struct ptx_function *f, struct cfg *cfg)
{
    const uint8_t *leader = mark_leaders(arena, f);
    uint32_t n = 0;
    for (uint32_t i = 0; i <= f->n_insns; i++)
        n += leader[i];
    cfg->blocks = arena_array(arena, struct cfg_block, n);
    cfg->block_of = arena_array(arena, uint32_t, f->n_insns + 1);
    for (uint32_t i = 0; i <= f->n_insns; i++) {
        if (leader[i])
            cfg->blocks[cfg->n_blocks++].first = i;
        cfg->block_of[i] = cfg->n_blocks - 1;
        if (i < f->n_insns)
            cfg->blocks[cfg->n_blocks - 1].n++;
    }
}

// ---- edges ------------------------------------------------------------------------------------------

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
    struct edge edge = {from, to};
    vec_push(edges, edge);
}

static const struct ptx_label *branch_label(const struct ptx_insn *insn)
{
    for (uint32_t i = 0; i < insn->n_operands; i++)
        if (insn->operands[i].kind == PO_LABEL)
            return insn->operands[i].label;
    return NULL;
}

static bool missing_target(const struct ptx_module *module, const struct ptx_insn *insn, struct err *err)
{
    return err_set_at(err, module->path, insn->at.line, insn->at.column, module->text, module->text_length,
                      "the branch has no target in this function");
}

// Edges of the block that ends with instruction `insn`; edges.at[] from `from` on are its own.
static bool edges_of_branch(const struct ptx_module *module, const struct ptx_insn *insn, struct cfg *cfg,
                            uint32_t block, struct edges *edges, struct err *err)
{
    const struct ptx_label *label = branch_label(insn);
    if (!label)
        return missing_target(module, insn, err);
    uint32_t to = cfg->block_of[label->insn];
    add_edge(edges, block, to);
    if (insn->guard && to != block + 1) {
        add_edge(edges, block, block + 1);
        cfg->blocks[block].may_diverge = !insn_has_suffix(insn, "uni");
    }
    return true;
}

static bool edges_of_index(const struct ptx_module *module, const struct ptx_insn *insn, struct cfg *cfg,
                           uint32_t block, struct edges *edges, struct err *err)
{
    if (!insn->targets || !insn->targets->n)
        return missing_target(module, insn, err);
    size_t begin = edges->n;
    for (uint32_t i = 0; i < insn->targets->n; i++) {
        uint32_t to = cfg->block_of[insn->targets->targets[i]->insn];
        size_t seen = begin;
        while (seen < edges->n && edges->at[seen].to != to)
            seen++;
        if (seen == edges->n)
            add_edge(edges, block, to);
    }
    if (insn->guard)
        add_edge(edges, block, block + 1);
    cfg->blocks[block].may_diverge = edges->n - begin > 1 && !insn_has_suffix(insn, "uni");
    return true;
}

static bool edges_of_block(const struct ptx_module *module, const struct ptx_function *f, struct cfg *cfg,
                           uint32_t b, struct edges *edges, struct err *err)
{
    struct cfg_block *block = &cfg->blocks[b];
    const struct ptx_insn *last = block->n ? &f->insns[block->first + block->n - 1] : NULL;
    switch (last ? flow_of(last) : b + 1 == cfg->n_blocks ? FLOW_RETURN : FLOW_NONE) {
    case FLOW_BRANCH:
        return edges_of_branch(module, last, cfg, b, edges, err);
    case FLOW_BRANCH_INDEX:
        return edges_of_index(module, last, cfg, b, edges, err);
    case FLOW_RETURN:
    case FLOW_EXIT:
        block->leaves = true;
        if (last && last->guard)
            add_edge(edges, b, b + 1);
        return true;
    case FLOW_NONE:
    case FLOW_CALL:
        add_edge(edges, b, b + 1);
        return true;
    }
    return true;
}

// From the list of edges, sorted by origin, to the arrays of successors and predecessors.
static void store_edges(struct arena *arena, struct cfg *cfg, const struct edges *edges)
{
    cfg->n_edges = (uint32_t)edges->n;
    cfg->succ = arena_array(arena, uint32_t, edges->n + 1);
    cfg->pred = arena_array(arena, uint32_t, edges->n + 1);
    for (uint32_t i = 0; i < edges->n; i++) {
        struct cfg_block *from = &cfg->blocks[edges->at[i].from];
        if (!from->n_succ++)
            from->first_succ = i;
        cfg->succ[i] = edges->at[i].to;
        cfg->blocks[edges->at[i].to].n_pred++;
    }
    uint32_t next = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        cfg->blocks[b].first_pred = next;
        next += cfg->blocks[b].n_pred;
        cfg->blocks[b].n_pred = 0;
    }
    for (uint32_t i = 0; i < edges->n; i++) {
        struct cfg_block *to = &cfg->blocks[edges->at[i].to];
        cfg->pred[to->first_pred + to->n_pred++] = edges->at[i].from;
    }
}

static void mark_reachable(struct cfg *cfg)
{
    VEC(uint32_t) todo = {0};
    vec_push(&todo, 0);
    cfg->blocks[0].is_reachable = true;
    while (todo.n) {
        const struct cfg_block *block = &cfg->blocks[todo.at[--todo.n]];
        for (uint32_t i = 0; i < block->n_succ; i++) {
            uint32_t to = cfg->succ[block->first_succ + i];
            if (!cfg->blocks[to].is_reachable) {
                cfg->blocks[to].is_reachable = true;
                vec_push(&todo, to);
            }
        }
    }
    vec_release(&todo);
}

bool cfg_build(struct arena *arena, const struct ptx_module *module, const struct ptx_function *function,
               struct cfg *out, struct err *err)
{
    *out = (struct cfg){0};
    make_blocks(arena, function, out);
    struct edges edges = {0};
    bool ok = true;
    for (uint32_t b = 0; ok && b < out->n_blocks; b++)
        ok = edges_of_block(module, function, out, b, &edges, err);
    if (ok) {
        store_edges(arena, out, &edges);
        mark_reachable(out);
        cfg_converge(arena, out);
    }
    vec_release(&edges);
    return ok;
}

// ---- text -------------------------------------------------------------------------------------------

static void print_list(struct buf *out, const char *what, const uint32_t *list, uint32_t n)
{
    if (!n)
        return;
    buf_printf(out, "  %s", what);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, " B%u", list[i]);
}

static void print_block(const struct cfg *cfg, uint32_t b, struct buf *out)
{
    const struct cfg_block *block = &cfg->blocks[b];
    buf_printf(out, "B%u%s", b, block->is_reachable ? "" : "  (unreachable)");
    print_list(out, "from", cfg->pred + block->first_pred, block->n_pred);
    print_list(out, "to", cfg->succ + block->first_succ, block->n_succ);
    if (block->leaves)
        buf_puts(out, "  leaves");
    if (block->ipdom != CFG_EXIT)
        buf_printf(out, "  post-dominated by B%u", block->ipdom);
    if (block->barrier != NO_BARRIER)
        buf_printf(out, "  converges barrier %u", block->barrier);
    if (block->iteration != NO_BARRIER)
        buf_printf(out, "  iterates barrier %u", block->iteration);
    for (uint32_t i = block->first_break; i < block->first_break + block->n_breaks; i++)
        buf_printf(out, "  breaks barriers %u-%u", cfg->breaks[i].first_barrier,
                   cfg->breaks[i].first_barrier + cfg->breaks[i].n_barriers - 1);
    if (block->joins != NO_BARRIER)
        buf_printf(out, "  joins barrier %u", block->joins);
    buf_puts(out, "\n");
}

void cfg_print(const struct cfg *cfg, const struct ptx_function *function, struct buf *out)
{
    buf_printf(out, "%s %s: %u blocks, %u barriers\n", function->is_entry ? "entry" : "function",
               function->name, cfg->n_blocks, cfg->n_barriers);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        const struct cfg_block *block = &cfg->blocks[b];
        if (block->first == function->n_insns && !block->n_pred)
            continue;
        print_block(cfg, b, out);
        for (uint32_t i = block->first; i < block->first + block->n; i++)
            buf_printf(out, "    %s\n", function->insns[i].text);
    }
}
