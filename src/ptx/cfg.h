// Control-flow graph of one PTX function, its immediate post-dominators, and where lanes that part come
// together again.
//
//     struct cfg cfg;
//     if (!cfg_build(&arena, function, &cfg, &err)) …     // a branch without a target
//     for (uint32_t b = 0; b < cfg.n_blocks; b++) use(cfg.blocks[b].first, cfg.blocks[b].n);
//
// Blocks lie in the order of the text; block 0 is the entry. The last block is empty (`first` = n_insns):
// control that runs off the end of the text gets there, and lowering puts an implicit return in it.
//
// Where lanes meet. A branch that parts lanes belongs to the innermost loop that holds it and all its targets
// (or to the function, if none does), and its lanes meet inside of it, where they all must pass before the
// next iteration: at the immediate post-dominator in the body of that loop, back edges being its end and
// edges that leave it being left out; outside of inner loops that hold the branch. If there is no such block,
// they meet at the header (its `iteration` barrier). In `for (…) { if (a) { if (b) break; … } rest }` lanes
// meet at `rest` in every iteration, although a path avoids it. So lanes that leave a loop must leave its
// masks: the block behind an edge out of a loop begins with BREAK of the barriers of that loop. Ends of the
// function (ret, exit, trap; guarded ones also fall through) are treated likewise: edges into ends, and into
// blocks that hold nothing but one, are left out where the block can also reach an end without them; the
// engine takes lanes that leave the function out of all its masks.
#ifndef PTX_CFG_H
#define PTX_CFG_H
#include "base/arena.h"
#include "base/buf.h"
#include "ptx/ast.h"

#define CFG_EXIT 0xffffffffu // the virtual exit as a post-dominator; also of blocks that never reach an end

struct cfg_loop { // loop 0 is the function
    uint32_t header, parent, depth;
    uint32_t iteration; // barrier at which its lanes meet for the next iteration, or NO_BARRIER
    uint32_t first_barrier, n_barriers; // of this loop and those in it
};

struct cfg_break { // lanes that get to the block are in no loop with these barriers
    uint32_t block, first_barrier, n_barriers;
};

struct cfg_block {
    uint32_t first, n;              // instructions of the function
    uint32_t first_succ, n_succ;    // in cfg.succ
    uint32_t first_pred, n_pred;    // in cfg.pred
    uint32_t ipdom;                 // in the whole function: block or CFG_EXIT
    uint32_t loop;                  // innermost
    uint32_t first_break, n_breaks; // in cfg.breaks
    uint32_t barrier;               // number of the BSYNC at its head, or NO_BARRIER
    uint32_t iteration;             // likewise, second: of the loop whose header it is
    uint32_t joins;                 // number of the barrier that a branch at its end joins, or NO_BARRIER
    bool is_reachable;
    bool leaves;      // an end of the function is among its successors
    bool may_diverge; // ends in a branch that may send lanes two ways
};

struct cfg {
    struct cfg_block *blocks;
    uint32_t n_blocks;
    uint32_t *succ, *pred; // block numbers
    uint32_t n_edges;
    uint32_t *block_of; // by instruction
    uint32_t n_barriers;
    struct cfg_loop *loops; // outer ones before inner ones
    uint32_t n_loops;
    struct cfg_break *breaks; // by block
    uint32_t n_breaks;
};

bool cfg_build(struct arena *arena, const struct ptx_module *module, const struct ptx_function *function,
               struct cfg *out, struct err *err);

// Post-dominators and barriers of a graph whose blocks, edges, leaves and may_diverge are filled (for
// tests).
void cfg_converge(struct arena *arena, struct cfg *cfg);

// Loops of a graph whose blocks and edges are filled (cfg_loops.c).
void cfg_find_loops(struct arena *arena, struct cfg *cfg);
bool cfg_is_in_loop(const struct cfg *cfg, uint32_t block, uint32_t loop);

void cfg_print(const struct cfg *cfg, const struct ptx_function *function, struct buf *out);

// What an instruction is to control flow.
enum flow { FLOW_NONE, FLOW_BRANCH, FLOW_BRANCH_INDEX, FLOW_RETURN, FLOW_EXIT, FLOW_CALL };
enum flow flow_of(const struct ptx_insn *insn);
bool insn_has_suffix(const struct ptx_insn *insn, const char *suffix);
#endif
