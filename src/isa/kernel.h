// A kernel, lowered and frozen: instructions, pools, what it needs of an SM. Made by ptx/ (later sass/), read by all.
// Everything lives in the arena of the module it came from.
//
// Frames. A warp's register file is a stack of frames. A function's frame holds `n_rows` rows, then `n_preds` predicate
// words and `n_barriers` convergence-barrier words (in rows of their own; see simt/warp.h). The entry's frame is first.
// In every function row FRAME_RETURN holds the return address (instruction index) and row FRAME_CALLER the row number
// of the caller's frame, per lane; then come parameter rows, return-value rows, then registers. A caller's outgoing
// arguments are simply the parameter rows of the frame that begins right behind its own.
#ifndef ISA_KERNEL_H
#define ISA_KERNEL_H
#include "isa/isa.h"
#include <stddef.h>

enum { FRAME_RETURN = 0, FRAME_CALLER = 1, FRAME_FIRST = 2 };

// How far the numbers of an instruction can be trusted (fidelity statement).
enum fidelity { FIDELITY_EXACT, FIDELITY_APPROXIMATE };

struct source_line {
    uint32_t file;      // index into kernel.files
    uint32_t line;      // 1-based; 0 = unknown
    uint32_t column;
    int32_t inlined_at; // index into kernel.lines of the call site, or -1
};

// One function body inside kernel.insns (the entry is function 0).
struct function {
    const char *name;
    uint32_t first_insn, n_insns;
    uint32_t n_rows, n_preds, n_barriers; // frame
    uint32_t n_param_rows, n_return_rows;
};

// A word of a constant bank that is used as an operand: row `ROW_LAUNCH + i` is filled from it at launch.
struct launch_row {
    uint32_t bank;   // 0 = parameters (offset 0 = first parameter); 3 = user constants
    uint32_t offset; // bytes
};

struct kernel_param {
    const char *name;
    uint32_t offset, size_bytes, align; // in the parameter block
    char kind;                          // 'u' 's' 'f' 'b' as declared, 'p' = 64-bit (may be a pointer), 'a' = byte array
};

struct kernel {
    const char *name;      // mangled
    const char *isa;       // "ptx" or "sass"
    const char *path;      // file it came from
    struct insn *insns;
    uint32_t n_insns;
    struct function *functions; // [0] is the entry
    uint32_t n_functions;

    uint32_t (*pool)[ROW_LANES]; // ROW_POOL rows
    uint32_t n_pool;
    struct launch_row *launch_rows; // ROW_LAUNCH rows
    uint32_t n_launch_rows;

    struct kernel_param *params;
    uint32_t n_params, param_bytes;

    // What it needs of an SM
    uint32_t registers;           // per thread: from SASS exact, from PTX estimated by liveness
    bool registers_are_estimated;
    uint32_t static_shared_bytes;
    uint32_t local_bytes;         // per thread, of the entry and its deepest known call chain
    uint32_t n_block_barriers;    // named barriers used
    uint32_t max_threads[3], required_threads[3], min_blocks_per_sm, required_cluster[3]; // 0 = not given
    bool has_calls, has_indirect_calls;

    // Text for reports
    const char *const *files;     // source files named by .file
    uint32_t n_files;
    struct source_line *lines;    // [0] = unknown
    uint32_t n_lines;
    const char *const *texts;     // one per instruction: as written (PTX) or disassembled (SASS)
    const uint8_t *fidelity;      // one enum fidelity per instruction
};

// Target of convergence: a branch that may diverge carries in `extra` the barrier of its immediate post-dominator,
// BSYNC stands at that post-dominator with the same number in `extra` (PTX lowering; SASS has BSSY/BSYNC of its own).
#define NO_BARRIER 0xffffffffu
#endif
