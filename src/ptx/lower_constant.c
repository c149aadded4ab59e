// Registers that hold one value for the whole launch: written once, by ld.param from a fixed place, mov of a
// number or of an address, or a move of such a register. Their readers read the launch row or pool row
// itself, so they need no row of their own; as in machine code, where such operands come from the constant
// bank or the instruction word. The instruction stays and counts, but does nothing.
#include "base/space.h"
#include "ptx/lowering.h"
#include <string.h>

// ---- how often a register is written ----------------------------------------------------------------------

static void count_written(const struct ptx_operand *operand, uint8_t *n_written)
{
    if (operand->kind == PO_REG && n_written[operand->variable->id] < 2)
        n_written[operand->variable->id]++;
    if (operand->pair)
        count_written(operand->pair, n_written);
    for (uint32_t i = 0; i < operand->n_items && operand->kind != PO_ADDRESS; i++)
        count_written(&operand->items[i], n_written);
}

// Results always stand in the first operand. Where it is a source (st takes an address there), counting it is
// harmless.
static uint8_t *count_writes(struct body *b)
{
    uint8_t *n_written = arena_array(&b->lowering->work, uint8_t, b->function->n_registers);
    for (uint32_t i = 0; i < b->function->n_insns; i++)
        if (b->function->insns[i].n_operands)
            count_written(&b->function->insns[i].operands[0], n_written);
    return n_written;
}

// ---- what is constant
// ---------------------------------------------------------------------------------------

static enum ptx_type last_type(const struct ptx_insn *insn)
{
    const char *word = insn->n_suffixes ? insn->suffixes[insn->n_suffixes - 1] : "";
    return ptx_type_parse(word, strlen(word));
}

static bool is_whole_register(const struct ptx_operand *operand, enum ptx_type type)
{
    return operand->kind == PO_REG && !operand->component && operand->variable->vector <= 1 &&
           ptx_type_bytes(type) && operand_bytes(operand) == ptx_type_bytes(type);
}

static bool constant_param(struct body *b, const struct ptx_insn *insn, uint32_t index, enum ptx_type type,
                           rowref *out)
{
    const struct ptx_operand *address = &insn->operands[1];
    const struct ptx_operand *base = address->kind == PO_ADDRESS ? address->base : NULL;
    if (!base || base->kind != PO_SYMBOL || !base->variable || base->variable->space != PS_PARAM)
        return false;
    const struct home *home = home_find(b->lowering, base->variable);
    int64_t offset = base->offset + address->offset + (int64_t)index * ptx_type_bytes(type);
    uint32_t bytes = ptx_type_bytes(type), unit = bytes < 4 ? bytes : 4;
    if (!home || home->row != ROW_NONE || offset < 0 || offset % unit ||
        (uint64_t)offset + bytes > variable_bytes(base->variable))
        return false; // wrong ones are refused when they are lowered
    enum elem elem = bytes == 1 ? ELEM_U8 : bytes == 2 ? ELEM_U16 : ELEM_B32;
    *out = launch_word(b->lowering, 0, (uint32_t)(home->address + (uint64_t)offset), elem, type_rows(type));
    return !(bytes < 2 && type_is_signed(type)); // s8 in a 16-bit register has to be widened
}

static bool constant_move(struct body *b, const struct ptx_operand *from, enum ptx_type type, rowref *out)
{
    struct symbol_address address;
    switch (from->kind) {
    case PO_REG:
        *out = from->component || operand_bytes(from) != ptx_type_bytes(type) || from->is_negated
                   ? ROW_NONE
                   : b->constant_row[from->variable->id];
        return *out != ROW_NONE;
    case PO_IMM:
        return operand_row(b, from, type, out);
    case PO_SYMBOL: {
        struct err ignored = {0}, *err = b->lowering->err; // a bad symbol is refused when it is lowered
        b->lowering->err = &ignored;
        bool known = symbol_address(b, from, &address);
        b->lowering->err = err;
        return known && !address.is_dynamic && operand_row(b, from, type, out);
    }
    default:
        return false;
    }
}

static bool is_global_cvta(const struct ptx_insn *insn)
{
    return strcmp(insn->op, "cvta") == 0 && insn_has_suffix(insn, "global");
}

static bool constant_value(struct body *b, const struct ptx_insn *insn, uint32_t index, rowref *out)
{
    enum ptx_type type = last_type(insn);
    if (strcmp(insn->op, "ld") == 0 && insn_has_suffix(insn, "param"))
        return constant_param(b, insn, index, type, out);
    if (index)
        return false;
    return (strcmp(insn->op, "mov") == 0 || is_global_cvta(insn)) && type != PT_PRED &&
           ptx_type_bytes(type) <= 8 && constant_move(b, &insn->operands[1], type, out);
}

// All results of the instruction are constants, or none.
static void find_in_insn(struct body *b, const struct ptx_insn *insn, const uint8_t *n_written)
{
    if (insn->guard || insn->n_operands != 2)
        return;
    const struct ptx_operand *to = &insn->operands[0];
    uint32_t n = to->kind == PO_VECTOR ? to->n_items : 1;
    rowref rows[MAX_DATA];
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *item = to->kind == PO_VECTOR ? &to->items[i] : to;
        if (n > MAX_DATA || !is_whole_register(item, last_type(insn)) || n_written[item->variable->id] != 1 ||
            b->row_of_register[item->variable->id] >= ROW_OWN || !constant_value(b, insn, i, &rows[i]))
            return;
    }
    for (uint32_t i = 0; i < n; i++)
        b->constant_row[(to->kind == PO_VECTOR ? &to->items[i] : to)->variable->id] = rows[i];
}

void find_constants(struct body *b)
{
    const struct ptx_function *f = b->function;
    const uint8_t *n_written = count_writes(b);
    count_param_stores(b);
    b->constant_row = arena_array(&b->lowering->work, rowref, f->n_registers);
    for (uint32_t i = 0; i < f->n_registers; i++)
        b->constant_row[i] = ROW_NONE;
    for (uint32_t i = 0; i < f->n_insns; i++)
        find_in_insn(b, &f->insns[i], n_written);
}

bool writes_constant(const struct body *b, const struct ptx_insn *insn)
{
    const struct ptx_operand *to = insn->n_operands ? &insn->operands[0] : NULL;
    if (to && to->kind == PO_VECTOR && to->n_items)
        to = &to->items[0];
    return to && to->kind == PO_REG && insn->n_operands == 2 && b->constant_row[to->variable->id] != ROW_NONE;
}
