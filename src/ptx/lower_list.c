// Operands that go to the kernel's lists: fragments of matrices, texels and coordinates.
#include "ptx/lowering.h"

uint32_t list_items(const struct ptx_operand *operand)
{
    return operand->kind == PO_VECTOR ? operand->n_items : 1;
}

const struct ptx_operand *list_item(const struct ptx_operand *operand, uint32_t i)
{
    return operand->kind == PO_VECTOR ? &operand->items[i] : operand;
}

bool list_add(struct body *b, const struct ptx_operand *item, enum ptx_type type, bool is_written, struct row_list *list)
{
    rowref row;
    if (!(is_written ? register_row(b, item, &row) : operand_row(b, item, type, &row)))
        return false;
    for (uint32_t word = 0; word < type_rows(type); word++) {
        list->rows[list->n] = row == ROW_NONE ? ROW_NONE : row + word;
        list->is_written[list->n++] = is_written;
    }
    return true;
}

bool list_add_all(struct body *b, const struct ptx_operand *operand, enum ptx_type type, uint32_t n, bool is_written,
                  struct row_list *list)
{
    if (list_items(operand) != n)
        return lower_fail(b->lowering, operand->at, "%u registers are needed here, not %u", n, list_items(operand));
    for (uint32_t i = 0; i < n; i++)
        if (!list_add(b, list_item(operand, i), type, is_written, list))
            return false;
    return true;
}

void list_emit(struct body *b, const struct row_list *list, struct draft *draft)
{
    struct lowering *l = b->lowering;
    draft->insn.offset = (int32_t)l->lists.n;
    draft->n_list = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        vec_push(&l->lists, list->rows[i]);
    for (uint32_t i = 0; i < list->n; i++)
        if (!list->is_written[i])
            emit_use(b, list->rows[i], 1);
    for (uint32_t i = 0; i < list->n; i++)
        if (list->is_written[i])
            emit_def(b, list->rows[i], 1);
}
