// mov in all its shapes, and cvta: special registers, addresses, { } packed into one register and back.
#include "base/space.h"
#include "ptx/lowering.h"

static enum ptx_type bits_type(uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return PT_B8;
    case 2:
        return PT_B16;
    case 4:
        return PT_B32;
    case 8:
        return PT_B64;
    case 16:
        return PT_B128;
    default:
        return PT_NONE;
    }
}

// ---- { } to register --------------------------------------------------------------------------------

// One 32-bit row from four bytes, or two (the upper half is then zero).
static void pack_bytes(struct body *b, rowref dst, const rowref *bytes, uint32_t n)
{
    rowref low = ROW(ROW_REG, body_group(b, 1, false)), high = pool_u32(b->lowering, 0);
    emit_prmt(b, low, bytes[0], bytes[1], 0x0040);
    if (n == 4) {
        high = ROW(ROW_REG, body_group(b, 1, false));
        emit_prmt(b, high, bytes[2], bytes[3], 0x0040);
    }
    emit_prmt(b, dst, low, high, 0x5410);
}

static void pack(struct body *b, rowref dst, const rowref *items, uint32_t n, uint32_t item_bytes)
{
    uint32_t per_row = item_bytes < 4 ? 4 / item_bytes : 1;
    for (uint32_t i = 0; i < n; i += per_row, dst++) {
        if (item_bytes == 2)
            emit_2(b, FORM_PACK16_none, dst, items[i], items[i + 1]);
        else if (item_bytes == 1)
            pack_bytes(b, dst, items + i, n < 4 ? n : 4);
        for (uint32_t word = 0; item_bytes >= 4 && word < item_bytes / 4; word++)
            emit_move(b, dst + word, items[i] + word);
        if (item_bytes > 4)
            dst += item_bytes / 4 - 1;
    }
}

static bool lower_pack(struct body *b, enum ptx_type type)
{
    const struct ptx_operand *to = &b->insn->operands[0], *from = &b->insn->operands[1];
    uint32_t n = from->n_items, bytes = ptx_type_bytes(type);
    rowref dst, items[16];
    if (!n || n > 16 || bytes % n || bits_type(bytes / n) == PT_NONE || n == 1)
        return body_fail(b, "%u elements do not make a .%s", n, ptx_type_name(type));
    if (!register_row(b, to, &dst))
        return false;
    if (operand_bytes(to) < bytes)
        return body_fail(b, "register %s is narrower than .%s", to->variable ? to->variable->name : "_",
                         ptx_type_name(type));
    for (uint32_t i = 0; i < n; i++)
        if (!operand_row(b, &from->items[i], bits_type(bytes / n), &items[i]))
            return false;
    pack(b, dst, items, n, bytes / n);
    return true;
}

// ---- register to { } --------------------------------------------------------------------------------

static void unpack_one(struct body *b, rowref dst, rowref src, uint32_t index, uint32_t item_bytes)
{
    uint32_t at = index * item_bytes;
    if (item_bytes < 4) {
        emit_extract(b, dst, src + at / 4, at % 4 * 8, item_bytes == 1);
        return;
    }
    for (uint32_t word = 0; word < item_bytes / 4; word++)
        emit_move(b, dst + word, src + at / 4 + word);
}

static bool lower_unpack(struct body *b, enum ptx_type type)
{
    const struct ptx_operand *to = &b->insn->operands[0], *from = &b->insn->operands[1];
    uint32_t n = to->n_items, bytes = ptx_type_bytes(type);
    rowref src;
    if (!n || n > 16 || bytes % n || bits_type(bytes / n) == PT_NONE || n == 1)
        return body_fail(b, "a .%s does not make %u elements", ptx_type_name(type), n);
    if (!operand_row(b, from, type, &src))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *item = &to->items[i];
        rowref dst;
        if (!register_row(b, item, &dst))
            return false;
        if (item->kind == PO_SINK)
            continue;
        if (operand_bytes(item) < bytes / n)
            return lower_fail(b->lowering, item->at, "register %s is too narrow for its part",
                              item->variable->name);
        unpack_one(b, dst, src, i, bytes / n);
        emit_widen(b, dst, bits_type(bytes / n), operand_bytes(item));
    }
    if (!b->is_counted)
        emit(b, FORM_NOP_none);
    return true;
}

// ---- mov --------------------------------------------------------------------------------------------

static bool lower_vectors(struct body *b, enum ptx_type type, bool *is_done)
{
    const struct ptx_operand *to = &b->insn->operands[0], *from = &b->insn->operands[1];
    *is_done = to->kind == PO_VECTOR || from->kind == PO_VECTOR;
    if (to->kind == PO_VECTOR)
        return lower_unpack(b, type);
    return from->kind != PO_VECTOR || lower_pack(b, type);
}

// ---- mov.v2, mov.v4 ---------------------------------------------------------------------------------

// Element `i` of { } or of a register that is a vector; as a register of its own in `out`.
static bool vector_element(struct body *b, const struct ptx_operand *operand, uint32_t i, struct ptx_operand *out)
{
    if (operand->kind == PO_VECTOR && operand->n_items == b->op.vector) {
        *out = operand->items[i];
        return true;
    }
    if (operand->kind != PO_REG || operand->component || operand->variable->vector != b->op.vector)
        return lower_fail(b->lowering, operand->at, "%u elements are needed here", b->op.vector);
    *out = *operand;
    out->component = "xyzw"[i & 3];
    return true;
}

// Elements are read before any is written.
static bool lower_mov_vector(struct body *b)
{
    const uint32_t n = b->op.vector, n_rows = type_rows(b->op.type);
    rowref held[8];
    struct ptx_operand element;
    for (uint32_t i = 0; i < n; i++) {
        rowref src;
        if (!vector_element(b, &b->insn->operands[1], i, &element) || !operand_row(b, &element, b->op.type, &src))
            return false;
        held[i] = ROW(ROW_REG, body_group(b, n_rows, false));
        for (uint32_t word = 0; word < n_rows; word++)
            emit_move(b, held[i] + word, src + word);
    }
    for (uint32_t i = 0; i < n; i++) {
        rowref dst;
        if (!vector_element(b, &b->insn->operands[0], i, &element) || !register_row(b, &element, &dst))
            return false;
        for (uint32_t word = 0; dst != ROW_NONE && word < n_rows; word++)
            emit_move(b, dst + word, held[i] + word);
        emit_widen(b, dst, b->op.type, operand_bytes(&element));
    }
    return true;
}

// mov.pred from a special register: it is not zero.
static bool lower_mov_special_pred(struct body *b)
{
    rowref value = ROW(ROW_REG, body_group(b, 1, false)), zero = pool_u32(b->lowering, 0);
    vpred to;
    if (!operand_pred(b, &b->insn->operands[0], &to) ||
        !emit_special(b, &b->insn->operands[1], value, PT_U32, true))
        return false;
    struct draft *draft = emit(b, FORM_SETP_u32);
    draft->insn.mod = MOD_FIELD(CMP_NE, MOD_CMP);
    draft->insn.src[0] = value;
    draft->insn.src[1] = zero;
    draft->pdst[0] = to;
    emit_use(b, value, 1);
    emit_pred_def(b, to);
    return true;
}

bool lower_mov(struct body *b)
{
    bool is_done;
    rowref dst;
    if (b->insn->n_operands != 2)
        return body_fail(b, "mov has two operands");
    if (b->op.vector > 1)
        return lower_mov_vector(b);
    if (!lower_vectors(b, b->op.type, &is_done) || is_done)
        return is_done && b->is_counted;
    if (b->insn->operands[1].kind != PO_SREG)
        return lower_generic(b);
    if (b->op.type == PT_PRED)
        return lower_mov_special_pred(b);
    const struct ptx_operand *to = &b->insn->operands[0];
    if (!register_row(b, to, &dst))
        return false;
    if (to->kind == PO_REG && operand_bytes(to) < ptx_type_bytes(b->op.type))
        return body_fail(b, "register %s is narrower than .%s", to->variable->name, ptx_type_name(b->op.type));
    if (!emit_special(b, &b->insn->operands[1], dst, b->op.type, false))
        return false;
    emit_widen(b, dst, b->op.type, operand_bytes(to));
    return true;
}

// mov.b128 has no form of its own: moves of its rows.
bool lower_mov_b128(struct body *b)
{
    bool is_done;
    rowref dst, src;
    b->op = (struct op){.name = "mov.b128", .unit = UNIT_ALU, .status = STATUS_EXACT, .type = PT_B128};
    if (b->insn->n_operands != 2)
        return body_fail(b, "mov has two operands");
    if (!lower_vectors(b, PT_B128, &is_done) || is_done)
        return is_done && b->is_counted;
    if (!operand_row(b, &b->insn->operands[1], PT_B128, &src) ||
        !register_row(b, &b->insn->operands[0], &dst))
        return false;
    if (operand_bytes(&b->insn->operands[0]) != 16)
        return body_fail(b, "mov.b128 needs registers of 128 bits");
    for (uint32_t word = 0; word < 4; word++)
        emit_move(b, dst + word, src + word);
    return true;
}

// ---- cvta -------------------------------------------------------------------------------------------

// Distance from addresses of a space to generic ones.
static uint64_t window_of(const struct lowering *l, uint8_t space)
{
    switch (space) {
    case SPACE_SHARED:
    case SPACE_CLUSTER:
        return l->symbols->shared_window;
    case SPACE_LOCAL:
        return l->symbols->local_window;
    case SPACE_CONST:
        return l->symbols->const_window;
    case SPACE_PARAM:
        return KERNEL_PARAM_WINDOW;
    default:
        return 0;
    }
}

bool lower_cvta(struct body *b)
{
    uint64_t window = window_of(b->lowering, b->op.space);
    rowref dst, src;
    if (!window)
        return lower_generic(b);
    if (b->insn->n_operands != 2 || ptx_type_bytes(b->op.type) != 8)
        return body_fail(b, "generic addresses have 64 bits");
    if (insn_has_suffix(b->insn, "to"))
        window = 0 - window;
    if (!operand_row(b, &b->insn->operands[1], PT_U64, &src) || !register_row(b, &b->insn->operands[0], &dst))
        return false;
    rowref distance = pool_u64(b->lowering, window);
    struct draft *draft = emit(b, FORM_ADD_u64);
    draft->insn.dst = dst;
    draft->insn.src[0] = src;
    draft->insn.src[1] = distance;
    emit_use(b, src, 2);
    emit_def(b, dst, 2);
    return true;
}
