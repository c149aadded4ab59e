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
// Ends. ret, exit and trap leave the function; guarded ones also fall through. Lanes that leave are forgotten
// by all convergence barriers of the function (isa/kernel.h), so nobody waits for them, and an end does not
// count against post-dominance: in `if (a) { if (b) return; … } rest` the lanes that stay meet at `rest`,
// although a path avoids it. Precisely: edges into ends, and into blocks that hold nothing but one, are left
// out where the block can also reach an end without them.
#ifndef PTX_CFG_H
#define PTX_CFG_H
#include "base/arena.h"
#include "base/buf.h"
#include "ptx/ast.h"

#define CFG_EXIT 0xffffffffu // the virtual exit as a post-dominator; also of blocks that never reach an end

struct cfg_block {
    uint32_t first, n;           // instructions of the function
    uint32_t first_succ, n_succ; // in cfg.succ
    uint32_t first_pred, n_pred; // in cfg.pred
    uint32_t ipdom;              // block or CFG_EXIT
    uint32_t barrier;            // number of the BSYNC at its head, or NO_BARRIER
    uint32_t joins;              // number of the barrier that a branch at its end joins, or NO_BARRIER
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
};

bool cfg_build(struct arena *arena, const struct ptx_module *module, const struct ptx_function *function,
               struct cfg *out, struct err *err);

// Post-dominators and barriers of a graph whose blocks, edges, leaves and may_diverge are filled (for
// tests).
void cfg_converge(struct arena *arena, struct cfg *cfg);

void cfg_print(const struct cfg *cfg, const struct ptx_function *function, struct buf *out);

// What an instruction is to control flow.
enum flow { FLOW_NONE, FLOW_BRANCH, FLOW_BRANCH_INDEX, FLOW_RETURN, FLOW_EXIT, FLOW_CALL };
enum flow flow_of(const struct ptx_insn *insn);
bool insn_has_suffix(const struct ptx_insn *insn, const char *suffix);
#endif
