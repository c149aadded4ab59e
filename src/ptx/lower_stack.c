// alloca, stacksave, stackrestore: a stack pointer per thread behind the function's own local variables. Functions called from
// here begin their local memory at it (lower_call.c).
#include "ptx/lowering.h"
#include <string.h>

bool uses_stack(const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->n_insns; i++) {
        const char *op = function->insns[i].op;
        if (strcmp(op, "alloca") == 0 || strcmp(op, "stacksave") == 0 || strcmp(op, "stackrestore") == 0)
            return true;
    }
    return false;
}

static void add(struct body *b, rowref dst, rowref a, rowref c, uint16_t form)
{
    struct draft *draft = emit_pseudo(b, form);
    draft->insn.dst = dst;
    draft->insn.src[0] = a;
    draft->insn.src[1] = c;
    emit_use(b, a, 1);
    emit_use(b, c, 1);
    emit_def(b, dst, 1);
}

// At the function's begin.
void start_stack(struct body *b)
{
    rowref own_bytes = pool_u32(b->lowering, b->lowering->reached.at[b->index].local_bytes);
    b->stack = ROW(ROW_REG, body_group(b, 1, false));
    if (b->function->is_entry)
        emit_pseudo_move(b, b->stack, own_bytes);
    else
        add(b, b->stack, ROW(ROW_REG, ROW_OWN + FRAME_LOCAL), own_bytes, FORM_ADD_u32);
}

// The pointer in a register of the instruction's type: an address of local memory.
static void give_pointer(struct body *b, rowref dst)
{
    emit_move(b, dst, b->stack);
    if (b->op.type == PT_U64)
        emit_pseudo_move(b, dst + 1, pool_u32(b->lowering, 0));
}

static bool allocate(struct body *b)
{
    struct lowering *l = b->lowering;
    const struct ptx_operand *operands = b->insn->operands;
    uint32_t align = b->insn->n_operands > 2 ? (uint32_t)operands[2].bits : 8;
    rowref dst, size;
    if (align == 0 || (align & (align - 1)) != 0 || (b->insn->n_operands > 2 && operands[2].kind != PO_IMM))
        return lower_fail(l, operands[2].at, "the alignment is not a power of two");
    if (!operand_row(b, &operands[1], b->op.type, &size) || !register_row(b, &operands[0], &dst))
        return false;
    emit_use(b, size, 1);
    add(b, b->stack, b->stack, pool_u32(l, align - 1), FORM_ADD_u32);
    add(b, b->stack, b->stack, pool_u32(l, -align), FORM_AND_b32);
    // The result may go over the size, which is read first.
    rowref end = ROW(ROW_REG, body_group(b, 1, false));
    add(b, end, b->stack, size, FORM_ADD_u32);
    give_pointer(b, dst);
    emit_pseudo_move(b, b->stack, end);
    l->kernel->has_alloca = true;
    return true;
}

bool lower_stack(struct body *b)
{
    const struct ptx_operand *operand = &b->insn->operands[0];
    rowref row;
    if (b->cfg.blocks[0].n_pred)
        return body_fail(b, "the function uses its stack and begins with the target of a branch");
    if (operand_bytes(operand) && operand_bytes(operand) != ptx_type_bytes(b->op.type))
        return lower_fail(b->lowering, operand->at, "a register of the instruction's type is needed here");
    if (strcmp(b->insn->op, "alloca") == 0)
        return allocate(b);
    if (strcmp(b->insn->op, "stacksave") == 0) {
        if (!register_row(b, operand, &row))
            return false;
        give_pointer(b, row);
        return true;
    }
    if (!operand_row(b, operand, b->op.type, &row))
        return false;
    emit_move(b, b->stack, row);
    return true;
}
