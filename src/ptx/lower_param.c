// ld.param and st.param. Parameters of the kernel are words of constant bank 0, broadcast into launch rows.
// Parameters and results of functions, and the .param variables of a call, are rows: one for every four
// bytes.
#include "base/space.h"
#include "ptx/lowering.h"
#include <string.h>

// The .param variable that an address names, or NULL: a register holds the address.
static const struct ptx_variable *address_variable(const struct ptx_operand *operand)
{
    const struct ptx_operand *base = operand->kind == PO_ADDRESS ? operand->base : operand;
    return base && base->kind == PO_SYMBOL ? base->variable : NULL;
}

static int64_t address_offset(const struct ptx_operand *operand)
{
    return operand->kind == PO_ADDRESS ? operand->offset + operand->base->offset : operand->offset;
}

struct home *param_home(struct body *b, const struct ptx_variable *variable)
{
    struct home *home = home_find(b->lowering, variable);
    if (home)
        return home;
    home = home_make(b->lowering, variable);
    home->is_stored = arena_array(&b->lowering->work, bool, home->n_words + 1);
    home->n_stores = arena_array(&b->lowering->work, uint8_t, home->n_words + 1);
    home->constant = arena_array(&b->lowering->work, rowref, home->n_words + 1);
    for (uint32_t i = 0; i < home->n_words; i++) {
        home->constant[i] = ROW_NONE;
        uint32_t row = body_group(b, 1, false);
        home->row = i ? home->row : ROW(ROW_REG, row);
    }
    return home;
}

static bool check_place(struct body *b, const struct ptx_variable *variable, int64_t offset, uint32_t n_bytes)
{
    uint32_t bytes = ptx_type_bytes(b->op.type), unit = bytes < 4 ? bytes : 4;
    if (offset < 0 || (uint64_t)offset + n_bytes > variable_bytes(variable))
        return body_fail(b, "%u bytes at offset %lld lie outside of parameter %s of %llu bytes", n_bytes,
                         (long long)offset, variable->name, (unsigned long long)variable_bytes(variable));
    if (!unit || offset % unit)
        return body_fail(b, "offset %lld of parameter %s is not aligned for .%s", (long long)offset,
                         variable->name, ptx_type_name(b->op.type));
    return true;
}

rowref param_word(const struct home *home, uint32_t word)
{
    return home->constant && home->constant[word] != ROW_NONE ? home->constant[word] : home->row + word;
}

static const struct ptx_operand *element(const struct ptx_operand *operand, uint32_t i)
{
    return operand->kind == PO_VECTOR ? &operand->items[i] : operand;
}

// ---- parameters of the kernel -----------------------------------------------------------------------

static enum elem launch_elem(enum ptx_type type, uint32_t register_bytes)
{
    bool is_signed = type_is_signed(type) && register_bytes == 4; // filled to the register's width at launch
    switch (ptx_type_bytes(type)) {
    case 1:
        return is_signed ? ELEM_S8 : ELEM_U8;
    case 2:
        return is_signed ? ELEM_S16 : ELEM_U16;
    default:
        return ELEM_B32;
    }
}

// Moves `n_rows` rows, two at a time where there are two.
static void emit_moves(struct body *b, rowref dst, rowref src, uint32_t n_rows)
{
    for (uint32_t row = 0; row < n_rows; row += 2) {
        uint32_t n = n_rows - row < 2 ? 1 : 2;
        struct draft *draft = emit(b, n == 1 ? FORM_MOV_b32 : FORM_MOV_b64);
        draft->insn.dst = dst + row;
        draft->insn.src[0] = src + row;
        emit_use(b, src + row, n);
        emit_def(b, dst + row, n);
    }
}

static void load_launch(struct body *b, rowref dst, uint32_t offset, uint32_t register_bytes)
{
    enum ptx_type type = b->op.type;
    enum elem elem = launch_elem(type, register_bytes);
    rowref src = launch_word(b->lowering, 0, offset, elem, type_rows(type));
    emit_moves(b, dst, src, type_rows(type));
    if (elem != ELEM_S8 && elem != ELEM_S16)
        emit_widen(b, dst, type, register_bytes);
}

// ---- words of functions and calls -------------------------------------------------------------------

static void load_words(struct body *b, rowref dst, const struct home *home, uint32_t offset,
                       uint32_t register_bytes)
{
    enum ptx_type type = b->op.type;
    uint32_t bytes = ptx_type_bytes(type);
    if (bytes < 4)
        emit_extract(b, dst, param_word(home, offset / 4), offset % 4 * 8, bytes == 1);
    for (uint32_t word = 0; word < bytes / 4; word++)
        emit_move(b, dst + word, param_word(home, offset / 4 + word));
    emit_widen(b, dst, type, register_bytes);
}

// Part of a word: bfi keeps the other bytes.
static void store_part(struct body *b, rowref word, rowref src, uint32_t shift, uint32_t bits)
{
    rowref position = pool_u32(b->lowering, shift), length = pool_u32(b->lowering, bits);
    struct draft *draft = emit(b, FORM_BFI_b32);
    draft->insn.dst = word;
    draft->insn.src[0] = src;
    draft->insn.src[1] = word;
    draft->insn.src[2] = position;
    draft->insn.src[3] = length;
    emit_use(b, src, 1);
    emit_use(b, word, 1);
    emit_def(b, word, 1);
}

// A word that is written once, with a constant, is that constant.
static void store_word(struct body *b, struct home *home, uint32_t word, rowref src)
{
    bool is_constant = ROW_SPACE(src) != ROW_REG && b->guard == NO_VPRED;
    if (home->is_stored)
        home->is_stored[word] = true;
    if (home->is_stored && is_constant && home->n_stores[word] == 1)
        home->constant[word] = src;
    else
        emit_move(b, home->row + word, src);
}

static void store_words(struct body *b, struct home *home, rowref src, uint32_t offset)
{
    uint32_t bytes = ptx_type_bytes(b->op.type), first = offset / 4;
    if (bytes < 4 && variable_bytes(home->variable) > bytes) {
        store_part(b, home->row + first, src, offset % 4 * 8, 8 * bytes);
        if (home->is_stored)
            home->is_stored[first] = true;
        return;
    }
    for (uint32_t word = 0; word < type_rows(b->op.type); word++)
        store_word(b, home, first + word, src + word);
}

// How often each word of a .param variable is written; parts of words count twice, so that they stay in
// registers.
static void count_stores(struct body *b, const struct ptx_insn *insn)
{
    const struct ptx_variable *variable = address_variable(&insn->operands[0]);
    const char *last = insn->suffixes[insn->n_suffixes - 1];
    uint32_t bytes = ptx_type_bytes(ptx_type_parse(last, strlen(last))), n = insn->operands[1].n_items;
    struct home *home = variable && variable->space == PS_PARAM ? param_home(b, variable) : NULL;
    int64_t offset = home && home->n_stores ? address_offset(&insn->operands[0]) : -1;
    uint64_t end = (uint64_t)offset + bytes * (uint64_t)(n ? n : 1);
    if (offset < 0 || end > variable_bytes(variable))
        return; // refused when it is lowered
    for (uint64_t word = (uint64_t)offset / 4; word < (end + 3) / 4; word++)
        home->n_stores[word] = home->n_stores[word] || bytes < 4 ? 2 : 1;
}

void count_param_stores(struct body *b)
{
    for (uint32_t i = 0; i < b->function->n_insns; i++) {
        const struct ptx_insn *insn = &b->function->insns[i];
        if (strcmp(insn->op, "st") == 0 && insn_has_suffix(insn, "param") && insn->n_operands == 2)
            count_stores(b, insn);
    }
}

// ---- the instructions -------------------------------------------------------------------------------

// Where the instruction's elements lie: checks the number of operands and elements, and the bounds.
static bool find_param(struct body *b, const struct ptx_operand *address, const struct ptx_operand *data,
                       const struct ptx_variable **variable, uint32_t *offset)
{
    uint32_t n = data->kind == PO_VECTOR ? data->n_items : 1;
    *variable = address_variable(address);
    if (n != b->op.vector)
        return lower_fail(b->lowering, data->at, "%u elements are needed here, not %u", b->op.vector, n);
    if (!*variable || (*variable)->space != PS_PARAM)
        return lower_fail(b->lowering, address->at, "a .param variable is needed here");
    int64_t at = address_offset(address);
    *offset = (uint32_t)at;
    return check_place(b, *variable, at, n * ptx_type_bytes(b->op.type));
}

bool lower_param_load(struct body *b)
{
    const struct ptx_variable *variable;
    uint32_t offset, bytes = ptx_type_bytes(b->op.type);
    if (b->insn->n_operands != 2)
        return body_fail(b, "ld.param has two operands");
    const struct ptx_operand *data = &b->insn->operands[0], *address = &b->insn->operands[1];
    if (!address_variable(address))
        return lower_generic(b); // a register holds the address: a load from the parameter block
    if (!find_param(b, address, data, &variable, &offset))
        return false;
    const struct home *home = param_home(b, variable);
    bool is_kernel_param = variable->owner && variable->owner->is_entry && home->row == ROW_NONE;
    for (uint32_t i = 0; i < b->op.vector; i++, offset += bytes) {
        const struct ptx_operand *item = element(data, i);
        rowref dst;
        if (!register_row(b, item, &dst))
            return false;
        if (item->kind == PO_SINK)
            continue;
        if (operand_bytes(item) < bytes)
            return lower_fail(b->lowering, item->at, "register %s is narrower than .%s", item->variable->name,
                              ptx_type_name(b->op.type));
        if (is_kernel_param)
            load_launch(b, dst, (uint32_t)home->address + offset, operand_bytes(item));
        else
            load_words(b, dst, home, offset, operand_bytes(item));
    }
    if (!b->is_counted)
        emit(b, FORM_NOP_none);
    return true;
}

bool lower_param_store(struct body *b)
{
    const struct ptx_variable *variable;
    uint32_t offset, bytes = ptx_type_bytes(b->op.type);
    if (b->insn->n_operands != 2)
        return body_fail(b, "st.param has two operands");
    const struct ptx_operand *address = &b->insn->operands[0], *data = &b->insn->operands[1];
    if (!find_param(b, address, data, &variable, &offset))
        return false;
    struct home *home = param_home(b, variable);
    if (home->row == ROW_NONE)
        return body_fail(b, "parameters of a kernel cannot be written");
    for (uint32_t i = 0; i < b->op.vector; i++, offset += bytes) {
        rowref src;
        if (!operand_row(b, element(data, i), b->op.type, &src))
            return false;
        store_words(b, home, src, offset);
    }
    if (!b->is_counted)
        emit(b, FORM_NOP_none);
    return true;
}
