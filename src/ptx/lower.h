// From a parsed PTX function to a frozen kernel: control-flow graph, immediate post-dominators → convergence barriers,
// liveness → register rows, operands → rows, calls → frames.
//
//     struct kernel *k = ptx_lower(&arena, module, entry, &symbols, &err);   // NULL: unknown instruction, missing symbol …
#ifndef PTX_LOWER_H
#define PTX_LOWER_H
#include "isa/kernel.h"
#include "ptx/ast.h"

// Where module-scope variables were put. Addresses are given by whoever loaded the module into memory.
struct ptx_symbol {
    const struct ptx_variable *variable;
    uint64_t address; // global: virtual address; const: offset in bank 3
};
struct ptx_symbols {
    const struct ptx_symbol *at;
    size_t n;
    uint64_t shared_window, local_window; // generic addresses of offset 0 (simt/memory.h)
};

struct kernel *ptx_lower(struct arena *arena, const struct ptx_module *module, const struct ptx_function *entry,
                         const struct ptx_symbols *symbols, struct err *err);

// Text of a pass for --dump=cfg and --dump=regs.
bool ptx_dump_cfg(const struct ptx_module *module, const struct ptx_function *function, struct buf *out, struct err *err);
bool ptx_dump_regs(const struct ptx_module *module, const struct ptx_function *function, struct buf *out, struct err *err);
#endif
