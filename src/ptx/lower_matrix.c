// Matrix instructions: fragments are vectors of registers, which go to the kernel's lists (isa/matrix.h).
#include "ptx/lowering.h"
#include <string.h>

static enum ptx_type register_type(enum matrix_type type)
{
    return type == MATRIX_F64 ? PT_F64 : PT_B32;
}

static bool is_wide_enough(struct body *b, const struct ptx_operand *item, enum ptx_type type)
{
    if (operand_bytes(item) && operand_bytes(item) < ptx_type_bytes(type))
        return lower_fail(b->lowering, item->at, "register %s is narrower than the .%s that is written",
                          item->variable->name, ptx_type_name(type));
    return true;
}

// A fragment of `n` registers, as a vector or, if it is but one, alone.
static bool add_fragment(struct body *b, const struct ptx_operand *operand, enum matrix_type type, uint32_t n,
                         bool is_written, struct row_list *list)
{
    const uint32_t n_given = list_items(operand);
    for (uint32_t i = 0; is_written && n_given == n && i < n; i++)
        if (!is_wide_enough(b, list_item(operand, i), register_type(type)))
            return false;
    return list_add_all(b, operand, register_type(type), n, is_written, list);
}

static bool lower_product(struct body *b)
{
    const struct matrix_shape *s = &b->op.matrix.shape;
    const struct ptx_operand *operands = b->insn->operands;
    struct row_list list = {.n = 0};
    if (b->insn->n_operands != 4)
        return body_fail(b, "%s needs four operands", b->op.name);
    if (!add_fragment(b, &operands[0], s->d, matrix_registers_c(s, s->d), true, &list) ||
        !add_fragment(b, &operands[1], s->a, matrix_registers_a(s), false, &list) ||
        !add_fragment(b, &operands[2], s->b, matrix_registers_b(s), false, &list) ||
        !add_fragment(b, &operands[3], s->c, matrix_registers_c(s, s->c), false, &list))
        return false;
    struct draft *draft = emit(b, b->op.form);
    draft->insn.mod = b->op.mod | MOD_FIELD(b->op.matrix.round, MOD_ROUND);
    draft->insn.extra = matrix_pack(s);
    list_emit(b, &list, draft);
    return true;
}

// ---- wmma.load, wmma.store --------------------------------------------------------------------------------
// As ptxas does it for sm_90: words of 32 bits, or of neighbouring accumulators; 16-bit elements that lie the wrong way
// round are moved as they lie and transposed in registers; shared A and B come by ldmatrix, bytes that lie the wrong way
// round one by one.

struct transfer {
    struct body *body;
    struct row_list list;   // rows of the fragment, each once
    struct insn address; // src[0], src[1] (stride), offset, mod
    struct wmma_part part;
    enum matrix_type type;
    bool is_load;
};

static struct draft *emit_transfer(struct transfer *t, enum elem elem, const rowref *rows, uint32_t n)
{
    struct body *b = t->body;
    struct draft *draft = emit(b, b->op.form);
    struct insn *insn = &draft->insn;
    insn->is_pseudo = false; // each is an instruction of the machine
    insn->mod = t->address.mod | wmma_pack(&t->part);
    insn->offset = t->address.offset;
    insn->extra = matrix_pack(&b->op.matrix.shape);
    insn->src[0] = t->address.src[0];
    insn->src[1] = t->address.src[1];
    insn->space = b->op.matrix.space;
    insn->unit = UNIT_LSU;
    insn->elem = (uint8_t)elem;
    insn->n_data = (uint8_t)n;
    static const uint8_t classes[][2] = {[SPACE_GENERIC] = {CLASS_GENERIC_ST, CLASS_GENERIC_LD},
                                         [SPACE_GLOBAL] = {CLASS_GLOBAL_ST, CLASS_GLOBAL_LD},
                                         [SPACE_SHARED] = {CLASS_SHARED_ST, CLASS_SHARED_LD}};
    insn->class = t->part.is_lines ? CLASS_LDSM : classes[insn->space][t->is_load];
    emit_use(b, insn->src[0], MOD_GET(insn->mod, MOD_ADDR64, 1) ? 2 : 1);
    emit_use(b, insn->src[1], 1);
    for (uint32_t i = 0; i < n; i++) {
        insn->data[i] = rows[i];
        t->is_load ? emit_def(b, rows[i], elem == ELEM_B64 ? 2 : 1) : emit_use(b, rows[i], elem == ELEM_B64 ? 2 : 1);
    }
    return draft;
}

static void emit_transpose(struct body *b, rowref dst, rowref src)
{
    struct draft *draft = emit_pseudo(b, FORM_MOVMATRIX_b16);
    draft->insn.dst = dst;
    draft->insn.src[0] = src;
    emit_use(b, src, 1);
    emit_def(b, dst, 1);
}

// A word of two 16-bit elements.
static void transfer_word(struct transfer *t, rowref row, bool is_swapped)
{
    struct body *b = t->body;
    rowref word = row;
    t->part.is_swapped = is_swapped;
    if (is_swapped)
        word = ROW(ROW_REG, body_group(b, 1, false));
    if (is_swapped && !t->is_load)
        emit_transpose(b, word, row);
    emit_transfer(t, ELEM_B32, &word, 1);
    if (is_swapped && t->is_load && row != ROW_NONE)
        emit_transpose(b, row, word);
}

// Four bytes that do not lie together.
static void load_bytes(struct transfer *t, rowref row)
{
    struct body *b = t->body;
    rowref bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = ROW(ROW_REG, body_group(b, 1, false));
        t->part.element = i;
        emit_transfer(t, ELEM_U8, &bytes[i], 1);
    }
    t->part.element = 0;
    if (row == ROW_NONE)
        return;
    emit_prmt(b, bytes[0], bytes[0], bytes[1], 0x1140);
    emit_prmt(b, bytes[2], bytes[2], bytes[3], 0x1140);
    emit_prmt(b, row, bytes[0], bytes[2], 0x5410);
}

// Do the elements of a register lie together in memory?
static bool is_direct(const struct transfer *t)
{
    const struct matrix_shape *s = &t->body->op.matrix.shape;
    const bool turned = t->part.operand == WMMA_C && s->m == 8 && s->n == 32;
    return t->part.is_col == ((t->part.operand == WMMA_B) != turned);
}

static void load_lines(struct transfer *t)
{
    const uint32_t most = matrix_bits(t->type) == 16 ? 4 : 2;
    t->part.is_lines = true;
    t->part.is_swapped = !is_direct(t);
    for (uint32_t i = 0; i < t->list.n; i += most) {
        t->part.reg = i;
        emit_transfer(t, ELEM_B32, &t->list.rows[i], t->list.n - i < most ? t->list.n - i : most);
    }
}

// 32-bit and 64-bit elements; accumulators in pairs where they lie together.
static void transfer_elements(struct transfer *t)
{
    const bool is_wide = matrix_bits(t->type) == 64, is_pair = t->part.operand == WMMA_C && is_direct(t);
    const uint32_t words = is_wide ? 2 : 1, n = is_pair ? 2 : 1;
    for (uint32_t i = 0; i < t->list.n / words; i += n) {
        const rowref rows[] = {t->list.rows[i * words], is_pair ? t->list.rows[(i + 1) * words] : ROW_NONE};
        t->part.reg = i;
        emit_transfer(t, is_wide ? ELEM_B64 : ELEM_B32, rows, n);
    }
}

static void transfer_all(struct transfer *t)
{
    const uint32_t bits = matrix_bits(t->type);
    if (bits >= 32) {
        transfer_elements(t);
        return;
    }
    if (t->body->op.matrix.space == SPACE_SHARED && t->part.operand != WMMA_C && (bits == 16 || is_direct(t))) {
        load_lines(t);
        return;
    }
    for (uint32_t i = 0; i < t->list.n; i++) {
        t->part.reg = i;
        if (bits == 8 && !is_direct(t))
            load_bytes(t, t->list.rows[i]);
        else
            transfer_word(t, t->list.rows[i], !is_direct(t));
    }
}

static bool transfer_address(struct transfer *t, const struct ptx_operand *operand)
{
    struct bound_address address;
    if (!address_row(t->body, operand, &address))
        return false;
    t->address.src[0] = address.row;
    t->address.offset = address.offset;
    t->address.mod = MOD_FIELD(address.is_wide, MOD_ADDR64);
    return true;
}

static bool transfer_stride(struct transfer *t, const struct ptx_operand *stride)
{
    const struct matrix_shape *s = &t->body->op.matrix.shape;
    const uint32_t rows = t->part.operand == WMMA_B ? s->k : s->m, columns = t->part.operand == WMMA_A ? s->k : s->n;
    if (stride)
        return operand_row(t->body, stride, PT_U32, &t->address.src[1]);
    t->address.src[1] = pool_u32(t->body->lowering, t->part.is_col ? rows : columns);
    return true;
}

// Address and stride are read by each access: where a load overwrites them, by a copy.
static rowref kept(struct transfer *t, rowref row, uint32_t n)
{
    bool is_overwritten = false;
    for (uint32_t i = 0; i < t->list.n; i++)
        is_overwritten |= t->is_load && t->list.rows[i] >= row && t->list.rows[i] < row + n;
    if (!is_overwritten || ROW_SPACE(row) != ROW_REG)
        return row;
    const rowref copy = ROW(ROW_REG, body_group(t->body, n, false));
    for (uint32_t i = 0; i < n; i++)
        emit_pseudo_move(t->body, copy + i, row + i);
    return copy;
}

static bool lower_transfer(struct body *b)
{
    const struct matrix_op *op = &b->op.matrix;
    const struct matrix_shape *s = &op->shape;
    const struct ptx_operand *operands = b->insn->operands;
    struct transfer t = {.body = b, .is_load = op->kind == MATRIX_WMMA_LOAD, .type = (enum matrix_type)s->a};
    t.part = (struct wmma_part){.operand = op->operand, .is_col = op->is_col};
    if (b->insn->n_operands != 2 && b->insn->n_operands != 3)
        return body_fail(b, "%s needs a fragment, an address and a stride", b->op.name);
    const uint32_t n = op->operand == WMMA_A   ? matrix_registers_a(s)
                       : op->operand == WMMA_B ? matrix_registers_b(s)
                                               : matrix_registers_c(s, t.type);
    if (!add_fragment(b, &operands[t.is_load ? 0 : 1], t.type, n, t.is_load, &t.list) ||
        !transfer_address(&t, &operands[t.is_load ? 1 : 0]) ||
        !transfer_stride(&t, b->insn->n_operands == 3 ? &operands[2] : NULL))
        return false;
    const uint32_t elements = op->operand == WMMA_A ? (uint32_t)s->m * s->k : (uint32_t)s->k * s->n;
    const uint32_t listed = t.list.n, once = op->operand == WMMA_C ? listed : matrix_rows(s, t.type, elements);
    t.address.src[0] = kept(&t, t.address.src[0], MOD_GET(t.address.mod, MOD_ADDR64, 1) ? 2 : 1);
    t.address.src[1] = kept(&t, t.address.src[1], 1);
    t.list.n = once;
    transfer_all(&t);
    for (uint32_t i = once; i < listed; i++)
        if (t.list.rows[i] != ROW_NONE)
            emit_pseudo_move(b, t.list.rows[i], t.list.rows[i % once]);
    return true;
}

// ---- wgmma ------------------------------------------------------------------------------------------------

static bool add_descriptor(struct body *b, const struct ptx_operand *operand, struct row_list *list)
{
    return list_add(b, operand, PT_B64, false, list);
}

static bool constant_of(struct body *b, const struct ptx_operand *operand, int64_t least, int64_t *out)
{
    *out = operand->kind == PO_IMM ? (int64_t)operand->bits * (operand->is_negated ? -1 : 1) : least - 1;
    if (*out != least && *out != 1)
        return lower_fail(b->lowering, operand->at, "a constant, %lld or 1, is needed here", (long long)least);
    return true;
}

// Signs of A and B (-1 or 1), then for 16-bit elements the layouts of those in shared memory (1: transposed).
static bool wgmma_constants(struct body *b, uint32_t first, bool a_in_registers, uint32_t *mod)
{
    const struct matrix_shape *s = &b->op.matrix.shape;
    const bool has_signs = s->c != MATRIX_S32, has_layouts = s->a == MATRIX_F16 || s->a == MATRIX_BF16;
    const uint8_t places[] = {WGMMA_NEGATE_A, WGMMA_NEGATE_B, a_in_registers ? WGMMA_TURN_B : WGMMA_TURN_A, WGMMA_TURN_B};
    const uint32_t n = has_layouts ? 4 - a_in_registers : has_signs ? 2 : 0;
    if (b->insn->n_operands != first + n)
        return body_fail(b, "%u constants are needed at the end", n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t value;
        if (!constant_of(b, &b->insn->operands[first + i], i < 2 ? -1 : 0, &value))
            return false;
        *mod |= MOD_FIELD(i < 2 ? value < 0 : value == 1, places[i]);
    }
    return true;
}

static void add_accumulator_uses(const struct row_list *list, uint32_t n, struct body *b)
{
    for (uint32_t i = 0; i < n; i++)
        emit_use(b, list->rows[i], 1);
}

static bool lower_wgmma(struct body *b)
{
    const struct matrix_shape *s = &b->op.matrix.shape;
    const struct ptx_operand *operands = b->insn->operands;
    struct row_list list = {.n = 0};
    vpred adds;
    if (b->insn->n_operands < 4)
        return body_fail(b, "%s needs D, A, B and a predicate", b->op.name);
    const bool a_in_registers = operands[1].kind == PO_VECTOR;
    uint32_t mod = b->op.mod | MOD_FIELD(a_in_registers, WGMMA_A_IN_REGISTERS);
    const uint32_t n_d = 16u * s->n * matrix_bits((enum matrix_type)s->d) / 1024;
    if (!add_fragment(b, &operands[0], (enum matrix_type)s->d, n_d, true, &list) ||
        !(a_in_registers ? add_fragment(b, &operands[1], (enum matrix_type)s->a, 4, false, &list)
                         : add_descriptor(b, &operands[1], &list)) ||
        !add_descriptor(b, &operands[2], &list) || !operand_pred(b, &operands[3], &adds) ||
        !wgmma_constants(b, 4, a_in_registers, &mod))
        return false;
    struct draft *draft = emit(b, b->op.form);
    draft->insn.mod = mod;
    draft->insn.extra = matrix_pack(s);
    draft->psrc[0] = adds;
    emit_pred_use(b, adds);
    add_accumulator_uses(&list, n_d, b);
    list_emit(b, &list, draft);
    return true;
}

bool lower_matrix(struct body *b)
{
    const enum matrix_kind kind = b->op.matrix.kind;
    if (kind == MATRIX_WGMMA)
        return lower_wgmma(b);
    return kind == MATRIX_WMMA_LOAD || kind == MATRIX_WMMA_STORE ? lower_transfer(b) : lower_product(b);
}
