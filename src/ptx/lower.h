// From a parsed PTX function to a frozen kernel: control-flow graph, immediate post-dominators → convergence
// barriers, operands → rows, liveness → few rows, calls → frames (isa/kernel.h).
//
//     struct kernel *k = ptx_lower(&arena, module, entry, &symbols, &err);   // NULL: unknown instruction …
//
// Convergence. A branch that may diverge (guarded and not .uni; brx.idx) names in insn.extra the convergence
// barrier of the block P where its lanes meet (ptx/cfg.h says where), and at the head of P stands a BSYNC
// with the same number. A block has at most two barriers. The engine keeps one lane mask per barrier:
//   - a branch that really diverges joins its active lanes (mask |= lanes);
//   - BSYNC waits until every live lane of the mask is here; they go on as one split, the mask is empty.
//   Lanes
//     that come in one split with a member of the mask wait with it;
//   - a split none of whose lanes is in the mask passes;
//   - BREAK, behind an edge out of a loop, takes lanes out of the masks of the barriers of that loop; ret and
//     exit take them out of all masks of the function.
// Why every graph works, loops, nested and irreducible ones too:
// (1) A lane in the mask of P arrives at P, leaves the loop that P belongs to or the function, or runs for
// ever,
//     because P lies on every path from its branch to the end of the loop's body.
// (2) Nobody waits in a circle. Let lane x wait at P for lane y, which joined P and now waits at Q, not
// having
//     passed P. If all barriers belong to the function: a path leads from y's branch to Q without P, and P
//     lies on every path from that branch to the end, so P lies on every path from Q to the end: P
//     post-dominates Q strictly. Round a circle of waiting lanes P would post-dominate itself strictly. Only
//     y's membership is used, so lanes may wait that are no members. With loops: ptx/cfg_converge.c.
// (3) Running a branch again (a loop) joins again, which changes nothing.
// A branch whose lanes meet at the end of the function (NO_BARRIER) has no place to wait. Lanes that leave a
// called function one by one meet behind the call, where every call has a barrier of its own. A circle cannot
// lead through calls, since frames of deeper calls have higher rows.
//
// Pseudo instructions (insn.is_pseudo): BSYNC, moves of arguments, special registers read into a temporary
// row, second and further moves of one PTX instruction. They run but are not counted; each instruction of the
// text that is executed is exactly one counted instruction.
#ifndef PTX_LOWER_H
#define PTX_LOWER_H
#include "isa/kernel.h"
#include "ptx/ast.h"

// Where module-scope variables were put; addresses come from whoever loaded the module (ptx/load.h).
struct ptx_symbol {
    const struct ptx_variable *variable;
    uint64_t address; // global: virtual address; const: offset in bank 3
};
struct ptx_symbols {
    const struct ptx_symbol *at; // .global and .const variables, in any order
    size_t n;
    uint64_t shared_window, local_window; // generic addresses of offset 0 (mem/memory.h)
    uint64_t const_window;                // global address of the first byte of bank 3 (cvta.const)
};

struct kernel *ptx_lower(struct arena *arena, const struct ptx_module *module,
                         const struct ptx_function *entry, const struct ptx_symbols *symbols,
                         struct err *err);

// Text of a pass for --dump=cfg and --dump=regs.
bool ptx_dump_cfg(const struct ptx_module *module, const struct ptx_function *function, struct buf *out,
                  struct err *err);
bool ptx_dump_regs(const struct ptx_module *module, const struct ptx_function *function, struct buf *out,
                   struct err *err);
#endif
