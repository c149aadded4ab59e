// The lane handlers: ptx.def expanded, one function for each instruction and type. Compiled once per x86-64
// level (HANDLER_LEVEL names it); choose.c picks the table for this host. All that runs often is in this file
// and the headers it includes, so that it is compiled for the level; cold.c and op_*.c hold what runs seldom.
#include "isa/form.h"
#define HANDLER_LINKAGE static
#include "simt/op_load.h"
#include "simt/shapes.h"
#include "simt/machine_shapes.h"

#ifndef HANDLER_LEVEL
#define HANDLER_LEVEL base
#endif

// ---- moves -----------------------------------------------------------------------------------------

static inline enum step_kind move_rows(struct warp *warp, const struct insn *insn, lanemask on, int words)
{
    uint32_t out[2 * ROW_LANES];
    memcpy(out, SOURCE(0), (size_t)words * ROW_BYTES);
    put_rows(warp, insn->dst, out, words, on);
    return STEP_PLAIN;
}

static enum step_kind op_move_pred(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    pred_write(warp, insn->pdst[0], pred_read(warp, insn->psrc[0]), on);
    return STEP_PLAIN;
}

static enum step_kind op_move_32(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    return move_rows(warp, insn, on, 1);
}

static enum step_kind op_move_64(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    return move_rows(warp, insn, on, 2);
}

// ---- control ---------------------------------------------------------------------------------------

static enum step_kind op_branch(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct split *split = split_current(warp);
    if (__builtin_expect(on != split->mask, 0))
        return op_branch_diverge(sim, warp, insn, on);
    const bool is_backward = (uint32_t)insn->offset < split->pc;
    split->pc = (uint32_t)insn->offset;
    if (is_backward && (warp->used & (warp->used - 1)))
        split_count_jump(warp);
    return STEP_PLAIN;
}

static enum step_kind op_converge(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)on;
    return warp->n_convergences == 0 ? STEP_PLAIN : converge_arrive(warp, insn->extra);
}

// ---- expansion -------------------------------------------------------------------------------------

#define EXPAND_HANDLER(type, lane, shape, id, ...) HANDLER_##shape(id, type, lane, __VA_ARGS__)
#define OP(id, opcode, types, suffixes, unit, status, shape, ...) \
    types(EXPAND_HANDLER, shape, id, __VA_ARGS__)
#define DECLARE_COLD(type, lane, id) HANDLER_SIGNATURE(id, type);
#define COLD(id, opcode, types, suffixes, unit, status, shape, ...) types(DECLARE_COLD, id)
#define FN(...)
#define MEM(...)
// Uniform registers are rows with the same word in all lanes: the twin writes all of them, whoever is on.
#define UNIFORM(id, type)                                                                 \
    HANDLER_FUNCTION(UNIFORM_##id, type)                                                  \
    {                                                                                     \
        (void)on;                                                                         \
        return h_##id##_##type(sim, warp, insn, ALL_LANES);                               \
    }
#include "ptx/ptx.def"
#include "sass/machine.def"
#undef UNIFORM
#undef OP
#undef COLD
#undef FN
#undef MEM

#define TABLE_NAME_(level) handlers_##level
#define TABLE_NAME(level) TABLE_NAME_(level)
#define OP_ENTRY(type, lane, id) [FORM_##id##_##type] = h_##id##_##type,
#define FN_ENTRY(type, lane, id, function) [FORM_##id##_##type] = function,
const handler TABLE_NAME(HANDLER_LEVEL)[N_FORMS] = {
#define OP(id, opcode, types, suffixes, unit, status, shape, ...) types(OP_ENTRY, id)
#define COLD OP
#define FN(id, opcode, types, suffixes, unit, status, operands, function, flow) types(FN_ENTRY, id, function)
#define MEM(id, opcode, types, suffixes, kind, status, operands, function) types(FN_ENTRY, id, function)
#define UNIFORM(id, type) [FORM_UNIFORM_##id##_##type] = h_UNIFORM_##id##_##type,
#include "ptx/ptx.def"
#include "sass/machine.def"
};
