// Asynchronous copies: two addresses and more operands than an ordinary instruction has. Which row stands where is
// said in simt/op_async.c.
#include "ptx/lowering.h"
#include <string.h>

static void use_address(struct body *b, const struct bound_address *address)
{
    emit_use(b, address->row, address->is_wide ? 2 : 1);
}

// ---- cp.async [shared], [global], size{, read size or predicate}{, policy} ---------------------------

struct copy {
    struct bound_address to, from;
    uint8_t elem;
    rowref read_bytes; // ROW_NONE: all
    vpred ignores;     // NO_VPRED: none
};

static bool copy_size(struct body *b, const struct ptx_operand *operand, struct copy *out)
{
    bool is_cg = insn_has_suffix(b->insn, "cg");
    if (!is_cg && !insn_has_suffix(b->insn, "ca"))
        return body_fail(b, "cp.async needs .ca or .cg");
    if (operand->kind != PO_IMM || (operand->bits != 4 && operand->bits != 8 && operand->bits != 16))
        return lower_fail(b->lowering, operand->at, "4, 8 or 16 bytes are copied");
    if (is_cg && operand->bits != 16)
        return lower_fail(b->lowering, operand->at, ".cg copies 16 bytes");
    out->elem = operand->bits == 4 ? ELEM_B32 : operand->bits == 8 ? ELEM_B64 : ELEM_B128;
    return true;
}

// The fourth operand: a number of bytes, or a predicate. All of `size` is no limit: ptxas drops it.
static bool copy_limit(struct body *b, const struct ptx_operand *operand, uint64_t size, struct copy *out)
{
    if (operand->kind == PO_IMM && operand->bits >= size)
        return true;
    if (operand->kind == PO_REG && operand->variable->type == PT_PRED)
        return operand_pred(b, operand, &out->ignores);
    return operand_row(b, operand, PT_U32, &out->read_bytes);
}

static void emit_copy(struct body *b, const struct copy *copy)
{
    struct draft *draft = emit(b, b->op.form);
    struct insn *insn = &draft->insn;
    insn->class = CLASS_LDGSTS;
    insn->space = SPACE_GLOBAL;
    insn->elem = copy->elem;
    insn->mod = b->op.mod | MOD_FIELD(copy->from.is_wide, MOD_ADDR64);
    insn->src[0] = copy->from.row;
    insn->offset = copy->from.offset;
    insn->src[1] = copy->to.row;
    insn->extra = (uint32_t)copy->to.offset;
    insn->src[2] = copy->read_bytes;
    draft->psrc[0] = copy->ignores == NO_VPRED ? NO_VPRED : copy->ignores ^ VPRED_NOT;
    emit_pred_use(b, draft->psrc[0]);
    use_address(b, &copy->from);
    use_address(b, &copy->to);
    if (copy->read_bytes != ROW_NONE)
        emit_use(b, copy->read_bytes, 1);
}

static bool lower_copy(struct body *b)
{
    const struct ptx_operand *operands = b->insn->operands;
    uint32_t n = b->insn->n_operands - (insn_has_suffix(b->insn, "L2::cache_hint") && b->insn->n_operands);
    struct copy copy = {.read_bytes = ROW_NONE, .ignores = NO_VPRED};
    if (n != 3 && n != 4)
        return body_fail(b, "wrong number of operands");
    if (!address_row(b, &operands[0], &copy.to) || !address_row(b, &operands[1], &copy.from) ||
        !copy_size(b, &operands[2], &copy) || (n == 4 && !copy_limit(b, &operands[3], operands[2].bits, &copy)))
        return false;
    emit_copy(b, &copy);
    return true;
}

bool lower_async(struct body *b)
{
    return b->op.form == FORM_CP_ASYNC_none ? lower_copy(b) : lower_bulk(b);
}
