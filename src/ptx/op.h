// The table of PTX instructions (ptx.def) and the step from a parsed instruction to a form.
//
//     struct op op;
//     if (!op_resolve(module, insn, &op, &err)) ...   // unknown instruction, suffix or type: named, with its place
//
// op_resolve decides everything that follows from opcode and suffixes; binding operands to rows is lowering's part and
// needs nothing but `roles`.
#ifndef PTX_OP_H
#define PTX_OP_H
#include "isa/isa.h"
#include "ptx/ast.h"
#include "ptx/matrix.h"

// What operand i of the instruction is. An operand written as a pair `a|b` (setp, shfl, match, elect) has the role of its
// first half; the second half is a predicate and goes to the next pdst. Source operands go to insn.src[0..] in order of their roles, predicates to
// pdst/psrc in order, elements of vectors and stored values of memory instructions to insn.data[].
enum role {
    ROLE_NONE,
    ROLE_DST,        // register(s) written, type in role_types
    ROLE_SRC,        // register or immediate read
    ROLE_PDST,       // predicate written
    ROLE_PSRC,       // predicate read (immediate 0/1 allowed)
    ROLE_ADDR,       // [address] -> src[0] + offset (MOD_ADDR64 by the register's type or the symbol's space)
    ROLE_DATA_DST,   // loaded value or vector -> data[]
    ROLE_DATA_SRC,   // stored value or vector -> data[]
    ROLE_LABEL,      // branch target
    ROLE_IMM_EXTRA,  // constant that goes to insn.extra (barrier number ...); a register there: src[next], extra = ~0
    ROLE_IGNORED     // accepted without effect (cache hints, priorities)
};
enum { MAX_ROLES = 8 };

// Instructions that lowering itself must understand; everything else is OP_PLAIN.
enum op_flow {
    OP_PLAIN,
    OP_BRANCH,       // bra
    OP_BRANCH_INDEX, // brx.idx
    OP_CALL, OP_RETURN, OP_EXIT, OP_TRAP,
    OP_PARAM_LD, OP_PARAM_ST, // ld.param / st.param
    OP_MOV,          // mov: may take special registers, symbol addresses, vectors <-> scalar (pack, unpack)
    OP_ASYNC,        // cp.async and its kin: several addresses, meaning by the order of suffixes (lower_async.c)
    OP_TEXTURE,      // tex, tld4, txq, suld, sust: lower_texture.c reads suffixes and operands
    OP_MATRIX,       // mma, wmma, wgmma: types, layouts and operands as ptx/matrix.h has them
    OP_STACK,        // alloca, stacksave, stackrestore
    OP_CVTA          // cvta: lowered to a move (plus window base for shared and local)
};

enum op_status { STATUS_EXACT, STATUS_APPROXIMATE, STATUS_NO_EFFECT, STATUS_REFUSED };

struct op {
    const char *name;           // row of ptx.def
    uint16_t form;              // enum form; for OP_BRANCH … the form lowering should emit
    uint8_t unit, class, space, elem; // as in struct insn
    uint32_t mod;
    enum op_flow flow;
    enum op_status status;
    enum ptx_type type, type2;  // instruction type and, for cvt set mul.wide ..., the source type
    uint32_t vector;            // 1, 2, 4, 8: elements of a memory instruction
    enum role roles[MAX_ROLES]; // one per operand of the instruction as written
    enum ptx_type role_types[MAX_ROLES];
    struct matrix_op matrix;    // OP_MATRIX
    uint32_t n_roles;           // 0 for OP_CALL and OP_BRANCH_INDEX: lowering reads their operands itself
};

bool op_resolve(const struct ptx_module *module, const struct ptx_insn *insn, struct op *out, struct err *err);

// The words alone: is there a row for "ld.global.v4.f32", whatever its operands? `err` says which word is not known.
bool op_find(const char *opcode, enum op_status *out, struct err *err);

// Rows of the table for `warpglass isa ptx` and the coverage test.
struct op_info {
    const char *name, *types, *status; // types: "u32 s32 ", "" when the instruction has none
    char suffixes[640];                // ".ftz .sat": those of all classes that the row allows
    enum unit unit;
};
uint32_t op_count(void);
struct op_info op_info(uint32_t row);
const char *op_ambiguous_suffix(uint32_t row); // a word in two of the row's classes (a mistake in the table), or NULL
#endif
