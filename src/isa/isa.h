// What both instruction sets share: the instruction record that the engine runs.
//
// A register is a *row*: 32 lanes x 32 bits (128 bytes). A 64-bit value takes rows r (low halves) and r + 1 (high
// halves). Values narrower than 32 bits lie in the low bits of one row; the bits above are zero.
// Predicates are not rows: each is one 32-bit lane mask in the warp's predicate file; predicate 0 is always true.
//
// Immediates, kernel parameters and constant-bank operands are rows as well, already broadcast to 32 lanes, in pools
// beside the registers. So a handler sees nothing but rows, whichever instruction set it came from:
//   ROW_REG     the current frame of the warp (uniform registers of SASS are rows kept equal in all lanes)
//   ROW_POOL    immediates of the kernel, frozen when it is lowered
//   ROW_LAUNCH  words of constant banks (parameters, sizes, user constants), filled once per launch
//
// Changed since the first version: struct insn has `is_pseudo`, three predicate sources and signs of sources (SASS; see
// doc/isa-record.md), and `data` moved to its end, so that what a plain handler reads lies in one cache line.
#ifndef ISA_ISA_H
#define ISA_ISA_H
#include "base/space.h"
#include <stdbool.h>
#include <stdint.h>

enum { ROW_LANES = 32, ROW_BYTES = 128, MAX_DATA = 8, MAX_SRC = 4 };

typedef uint32_t rowref; // space in bits 31..30, row number below
enum row_space { ROW_REG, ROW_POOL, ROW_LAUNCH, N_ROW_SPACES };
#define ROW(space, number) (((rowref)(space) << 30) | (rowref)(number))
#define ROW_SPACE(ref) ((ref) >> 30)
#define ROW_NUMBER(ref) ((ref) & 0x3fffffffu)
#define ROW_NONE 0xffffffffu // no operand; in `dst` and `data` of a load: a sink

// Predicate operand: number in bits 6..0, bit 7 = negated. PRED_TRUE is predicate 0.
typedef uint8_t predref;
enum { PRED_TRUE = 0, PRED_NOT = 0x80, MAX_PREDS = 127 };

// What the counters and the issue model need to know of an instruction.
enum unit { UNIT_ALU, UNIT_FMA, UNIT_FP64, UNIT_FP16, UNIT_MUFU, UNIT_CONV, UNIT_LSU, UNIT_TEX, UNIT_CONTROL, UNIT_UNIFORM, UNIT_TENSOR, UNIT_BARRIER /* and NOP: ncu counts neither as control */, N_UNITS };

// Class of a memory instruction as ncu splits it (sass_inst_executed_op_*); CLASS_NONE elsewhere.
enum op_class {
    CLASS_NONE,
    CLASS_GLOBAL_LD, CLASS_GLOBAL_ST, CLASS_GLOBAL_ATOM, CLASS_GLOBAL_RED,
    CLASS_LOCAL_LD, CLASS_LOCAL_ST,
    CLASS_SHARED_LD, CLASS_SHARED_ST, CLASS_SHARED_ATOM,
    CLASS_CONST_LD,
    CLASS_GENERIC_LD, CLASS_GENERIC_ST, CLASS_GENERIC_ATOM, CLASS_GENERIC_RED, // counted by the space met at run time
    CLASS_LDGSTS, // cp.async: reads global, writes shared memory
    CLASS_LDSM, // ldmatrix
    CLASS_TEXTURE, // tex, tld4: filtered or by coordinates
    CLASS_TEXTURE_LD, // texels by number (TLD)
    CLASS_SURFACE_LD, CLASS_SURFACE_ST,
    N_OP_CLASSES
};

// How the element of a load or store is widened or cut.
enum elem { ELEM_U8, ELEM_S8, ELEM_U16, ELEM_S16, ELEM_B32, ELEM_B64, ELEM_B128, N_ELEMS };

// One instruction, lowered: what the run loop walks over. `form` indexes the handler table.
struct insn {
    uint16_t form;        // enum form (isa/form.h)
    predref guard;        // executed by the active lanes in which this predicate holds
    uint8_t unit;         // enum unit
    uint8_t class;        // enum op_class
    uint8_t space;        // enum space of a memory instruction
    uint8_t elem;         // enum elem: what one element of `data` is in memory
    uint8_t n_data;       // memory: number of elements in `data`
    uint32_t mod;         // modifiers, see the MOD_ macros
    rowref dst;           // row(s) written
    rowref src[MAX_SRC];  // rows read; memory: src[0] is the address (32 or 64 bit, MOD_ADDR64)
    predref pdst[2];      // PRED_TRUE: no destination, nothing is written
    predref psrc[3];
    uint8_t src_negated, src_absolute; // SASS: bit i = source i is -x (~x in logic), |x|; 0 in PTX
    bool is_pseudo;       // made by lowering, not in the program: runs, but does not count as an executed instruction
    int32_t offset;       // memory: displacement in bytes. Branch, call, BSSY: target instruction index.
    uint32_t extra;       // barrier number, special register, immediate mask, convergence barrier of a branch ...
    uint32_t line;        // index into kernel.lines
    uint64_t control;     // SASS control word (stall, yield, scoreboard, reuse); 0 in PTX
    rowref data[MAX_DATA];// memory: rows loaded or stored (first row of a pair for 64-bit elements)
};

// The parts of insn.control. A scoreboard counts instructions that take their time: it is set when one is issued and
// clear when its result is there.
#define SASS_STALL(control) ((control) & 15)           // cycles
#define SASS_YIELD(control) (!((control) >> 4 & 1))    // printed by nobody: another warp is preferred
#define SASS_WRITE_BARRIER(control) ((control) >> 5 & 7) // scoreboard set when the result is there; 7 = none
#define SASS_READ_BARRIER(control) ((control) >> 8 & 7)  // … when the sources have been read; 7 = none
#define SASS_WAIT_MASK(control) ((control) >> 11 & 63)   // scoreboards waited for
#define SASS_REUSE(control) ((control) >> 17 & 15)

// Modifiers, packed into insn.mod. A form uses the fields that its row in ptx.def or sass.def allows; 0 = absent.
#define MOD_FIELD(value, shift) ((uint32_t)(value) << (shift))
#define MOD_GET(mod, shift, bits) (((mod) >> (shift)) & ((1u << (bits)) - 1))
enum {
    MOD_ROUND = 0,    // 3 bits: enum round
    MOD_FTZ = 3,      // 1
    MOD_SAT = 4,      // 1
    MOD_CMP = 5,      // 5 bits: enum compare
    MOD_BOOL = 10,    // 2 bits: enum bool_op
    MOD_MODE = 12,    // 4 bits: meaning by row (wide/hi/lo, shfl mode, vote mode, atomic operation ...)
    MOD_CACHE = 16,   // 4 bits: enum cache_op
    MOD_SEM = 20,     // 3 bits: enum semantics_order
    MOD_SCOPE = 23,   // 2 bits: enum scope
    MOD_ADDR64 = 25,  // 1 bit: the address is a row pair
    MOD_SATFINITE = 26, // 1 bit: .satfinite
    MOD_UREG = 27,    // 1 bit: memory of machine code: lane 0 of src[3] is added to the address
    MOD_RELU = 28,    // 1 bit: .relu
    MOD_NAN = 29,     // 1 bit: .NaN
    MOD_ABS = 30,     // 1 bit: .abs / .xorsign
    MOD_VIDEO_B = 28, MOD_VIDEO_D = 29, MOD_VIDEO_A = 30, // 1 each: video instructions, operand or result is signed
    MOD_UNI = 31      // 1 bit: .uni / .aligned: a promise of the compiler
};
enum round { ROUND_NONE, ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };
enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
               CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN, N_COMPARES };
enum bool_op { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum semantics_order { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU /* and sys, counted alike */ };
// MOD_MODE of video instructions: what is done with the first result. A limit is what .sat means where one byte or half of the
// result is wanted. vmad: bits.
enum video_second { VIDEO_NO_SECOND, VIDEO_THEN_ADD, VIDEO_THEN_MIN, VIDEO_THEN_MAX, VIDEO_LIMIT_8, VIDEO_LIMIT_16 };
enum { VIDEO_PLUS_ONE = 1, VIDEO_MINUS_PRODUCT = 2, VIDEO_MINUS_C = 4 };
enum prmt_mode { PRMT_INDEX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum atom_op { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, N_ATOM_OPS };

// Special registers (FORM_SREG: dst = register number `extra`).
enum sreg {
    SREG_TID_X, SREG_TID_Y, SREG_TID_Z, SREG_NTID_X, SREG_NTID_Y, SREG_NTID_Z, SREG_CTAID_X, SREG_CTAID_Y,
    SREG_CTAID_Z, SREG_NCTAID_X, SREG_NCTAID_Y, SREG_NCTAID_Z, SREG_LANEID, SREG_WARPID, SREG_NWARPID, SREG_SMID,
    SREG_NSMID, SREG_GRIDID, SREG_LANEMASK_EQ, SREG_LANEMASK_LT, SREG_LANEMASK_LE, SREG_LANEMASK_GT,
    SREG_LANEMASK_GE, SREG_CLOCK, SREG_CLOCK_HI, SREG_CLOCK64 /* pair */, SREG_GLOBALTIMER /* pair */,
    SREG_GLOBALTIMER_LO, SREG_GLOBALTIMER_HI, SREG_DYNAMIC_SHARED, SREG_TOTAL_SHARED, SREG_AGGREGATE_SHARED,
    SREG_RESERVED_SHARED /* offset of slot 1 */, SREG_RESERVED_SHARED_END, SREG_ENVREG1, SREG_ENVREG2,
    SREG_CLUSTER_CTAID_X, SREG_CLUSTER_CTAID_Y, SREG_CLUSTER_CTAID_Z, SREG_CLUSTER_NCTAID_X, SREG_CLUSTER_NCTAID_Y,
    SREG_CLUSTER_NCTAID_Z, SREG_CLUSTERID_X, SREG_CLUSTERID_Y, SREG_CLUSTERID_Z, SREG_NCLUSTERID_X, SREG_NCLUSTERID_Y,
    SREG_NCLUSTERID_Z, SREG_CLUSTER_CTARANK, SREG_CLUSTER_NCTARANK, SREG_IS_EXPLICIT_CLUSTER,
    SREG_SHARED_BASE /* shared address of the block's first byte: its rank in the upper bits */,
    SREG_VIRTID, SREG_VIRTCFG, // machine code: number of the warp, of warps, from bit 8 on
    N_SREGS
};
#endif
