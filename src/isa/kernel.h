// A kernel, lowered and frozen: instructions, pools, what it needs of an SM. Made by ptx/ (later sass/), read by all.
// Everything lives in the arena of the module it came from.
//
// Frames. A warp's register file is a stack of frames, all of the same size within a kernel: `frame_rows` rows. The
// frame at call depth d begins at row d * frame_rows. Predicates have a stack of their own: the words of the predicates
// of the frame at row r begin at word r. So predicate words of one function never lie over those of another depth, even
// when lanes of one warp are in different functions, and every function finds its caller's arguments at the same place.
// (Predicate words are lane masks: whoever writes one keeps the bits of lanes that are not active.) A new frame needs no
// clearing but predicate 0 = true; rows that were never written are undefined in PTX. Numbers of convergence barriers
// are given once in a kernel, so a barrier belongs to one function; the engine keeps one mask for each frame that uses it.
//
// In a called function row FRAME_RETURN holds the return address (instruction index), row FRAME_CALLER the row number
// of the caller's frame, both written by the call, per lane. Row FRAME_LOCAL holds the byte offset of the activation's
// local variables and is written by an ordinary (pseudo) instruction before the call, like arguments. Then come
// parameter words, then return-value words, then registers. The entry has no caller: its registers begin at row 0.
// A caller's outgoing arguments are the parameter rows of the next frame: row frame_rows + FRAME_FIRST + word.
//
// Calls. FORM_CALL: lanes that hold the guard go to instruction `offset` (direct) or to the function whose code address
// is in src[0] (row pair; `offset` is -1) with the next frame; they come back to the instruction behind the call. All
// lanes of the split, those too for which the guard does not hold, are joined to the convergence barrier `extra`; its
// BSYNC is the instruction behind the call. FORM_RET takes its lanes out of all barriers of its frame. See ptx/lower.h for
// the rule of convergence.
//
// Code addresses. The address of a function is KERNEL_CODE_WINDOW + 16 * its number in the module, the same in all
// kernels, so it can lie in initialised memory. code_targets[number] is its first instruction in this kernel,
// NO_TARGET when it is not part of it: calling it is FAULT_ILLEGAL_CALL, as is any other address.
//
// FORM_BRX: src[0] = index row, src[1] = first of `offset` consecutive pool rows that hold the targets.
// Parameters whose address is taken: generic address KERNEL_PARAM_WINDOW + offset, space SPACE_PARAM for ld.param.
#ifndef ISA_KERNEL_H
#define ISA_KERNEL_H
#include "isa/bank0.h"
#include "isa/isa.h"
#include <stddef.h>

enum { FRAME_RETURN = 0, FRAME_CALLER = 1, FRAME_LOCAL = 2, FRAME_FIRST = 3 };

#define KERNEL_CODE_WINDOW 0x00009b0000000000ull
#define KERNEL_PARAM_WINDOW 0x00009c0000000000ull
#define NO_TARGET 0xffffffffu

// How far the numbers of an instruction can be trusted (fidelity statement).
enum fidelity { FIDELITY_EXACT, FIDELITY_APPROXIMATE };

struct source_line {
    uint32_t file;      // index into kernel.files
    uint32_t line;      // 1-based; 0 = unknown
    uint32_t column;
    int32_t inlined_at; // index into kernel.lines of the call site, or -1
};

// What ptxas makes of a shared access beside others (ptx/lower_merge.c). For counting only: it is executed as it stands.
enum { KERNEL_MERGED_BELOW_CC = 100 }; // for newer GPUs ptxas leaves them apart
struct merged {
    uint8_t width; // bytes of a lane of the access that this one stands for, with its parts; 0: as it is
    int8_t delta;  // bytes from its own address to that of the wide one
    bool is_part;  // of another one: counts nothing
};

// What ptxas makes of the integer atomics (not inc, dec, exch, cas) of a warp (ptx/lower_combine.c). For counting only, likewise.
enum combining {
    COMBINE_NONE,
    COMBINE_ONE,        // one lane's: a sum of the same number to one address is that number times the lanes
    COMBINE_REDUX,      // one lane's, of what REDUX makes of all; before compute capability 8.0 of full warps only
    COMBINE_FULL_WARPS, // one lane's if all 32 are there, as the lanes' old values are wanted too
    COMBINE_COUNT,      // a one added in shared memory: ATOMS.POPC.INC, which counts the lanes of an address; 8.0 and later
    COMBINE_COUNT_OR_ONE // the same at one address: COMBINE_ONE before 8.0
};

// One function body inside kernel.insns (the entry is function 0).
struct function {
    const char *name;
    uint32_t first_insn, n_insns;
    uint32_t n_rows, n_preds, n_barriers; // frame, the same in all functions of a kernel; n_preds counts predicate 0
    uint32_t n_param_rows, n_return_rows;
};

// Rows from a frame's first row to the first row of the frame of a function that it calls.
static inline uint32_t function_frame_rows(const struct function *function)
{
    return function->n_rows > function->n_preds ? function->n_rows : function->n_preds;
}

// A word of a constant bank that is used as an operand: row `ROW_LAUNCH + i` is filled from it at launch.
struct launch_row {
    uint32_t bank;   // BANK_PARAMS (PTX: offset 0 = first parameter; machine code: see param_base), BANK_USER, …
    uint32_t offset; // bytes; a multiple of the element's size, not always of 4
    uint8_t elem;    // enum elem, ELEM_U8 .. ELEM_B32: what is read there, widened to 32 bits
};

// A constant bank of machine code as the image holds it.
struct constant_bank {
    const uint8_t *bytes;
    uint32_t n_bytes;
};
enum { N_CONSTANT_BANKS = 8, BANK_PARAMS = 0, BANK_USER = 3 };

struct kernel_param {
    const char *name;
    uint32_t offset, size_bytes, align; // in the parameter block
    char kind;                          // 'u' 's' 'f' 'b' as declared, 'p' = 64-bit (may be a pointer), 'a' = byte array
};

struct kernel {
    const char *name;      // mangled
    const char *isa;       // "ptx" or "sass"
    const char *path;      // file it came from
    const char *why_ptx;   // why it is not machine code, for the report; NULL: nobody asked, or it is
    struct insn *insns;
    uint32_t n_insns;
    struct function *functions; // [0] is the entry
    uint32_t n_functions;
    uint32_t frame_rows;        // function_frame_rows of any function
    const uint32_t *code_targets; // by number of the function in the module, see above
    uint32_t n_code_targets;

    uint32_t (*pool)[ROW_LANES]; // ROW_POOL rows
    uint32_t n_pool;
    rowref *lists; // operands of instructions with more than a record holds (isa/matrix.h)
    uint32_t n_lists;

    struct launch_row *launch_rows; // ROW_LAUNCH rows
    uint32_t n_launch_rows;

    struct kernel_param *params;
    uint32_t n_params, param_bytes;

    // Machine code only; 0 and NULL otherwise
    uint32_t param_base;               // offset of the first parameter in bank 0
    uint32_t shared_base;              // bytes of shared memory that lie before the block's own, for the system
    const struct constant_bank *banks; // N_CONSTANT_BANKS of them; 0 and 3 belong to the launch

    // What it needs of an SM
    uint32_t registers;           // per thread: from SASS exact, from PTX estimated by liveness
    bool registers_are_estimated;
    uint32_t static_shared_bytes;
    uint32_t local_bytes;         // per thread, of the entry and its deepest known call chain; with recursion the
                                  // launch adds a stack
    uint32_t stack_bytes;         // of a thread, as the machine code has them (from the cubin); 0: none, or not known
    uint32_t n_block_barriers;    // named barriers used
    uint32_t max_threads[3], required_threads[3], min_blocks_per_sm, required_cluster[3]; // 0 = not given
    bool has_calls, has_indirect_calls, has_recursion;
    bool uses_clusters; // may meet other blocks of its cluster: its own shared addresses carry the block's rank
    bool has_alloca;              // local memory of a size that is known only at run time: the launch adds a stack
    bool uses_reserved_shared;    // reads %reserved_smem_offset_…

    // Text for reports
    const char *const *files;     // source files named by .file
    uint32_t n_files;
    struct source_line *lines;    // [0] = unknown
    uint32_t n_lines;
    const char *const *texts;     // one per instruction: as written (PTX) or disassembled (SASS)
    const struct merged *merged;  // one per instruction, or NULL: nothing is merged
    const uint8_t *combined;      // one enum combining per instruction, or NULL: none is combined
    bool has_redux;               // of `combined`: compute capability 8.0 or later
    const uint8_t *fidelity;      // one enum fidelity per instruction
};

// Target of convergence: a branch that may diverge carries in `extra` the number of the barrier where its lanes meet; a BSYNC
// with the same number in `extra` stands there. BREAK behind a loop: lanes leave the `offset` barriers from number `extra`
// on (PTX lowering; SASS has BSSY/BSYNC/BREAK of its own).
#define NO_BARRIER 0xffffffffu

// Counts as the program is written, or as ptxas makes it for a GPU of this compute capability (90: 9.0).
static inline void kernel_count_as(struct kernel *kernel, uint32_t cc, bool as_ptxas)
{
    if (!as_ptxas || cc >= KERNEL_MERGED_BELOW_CC)
        kernel->merged = NULL;
    if (!as_ptxas)
        kernel->combined = NULL;
    kernel->has_redux = cc >= 80;
}
#endif
