// Drafts: instructions with virtual rows, and the references that liveness reads.
#include "ptx/lowering.h"

uint32_t body_group(struct body *b, uint32_t n_rows, bool is_pred)
{
    uint32_t first = b->group_row.n ? b->group_row.at[b->group_row.n - 1] : 0;
    if (!b->group_row.n)
        vec_push(&b->group_row, 0);
    vec_push(&b->group_row, first + n_rows);
    vec_push(&b->group_is_pred, is_pred);
    return first;
}

static struct draft *emit_draft(struct body *b, uint16_t form, bool is_pseudo)
{
    struct draft draft = {
        .guard = b->guard, .first_ref = (uint32_t)b->refs.n, .text = b->insn ? b->insn->text : ""};
    struct insn *insn = &draft.insn;
    insn->form = form;
    insn->dst = ROW_NONE;
    for (int i = 0; i < MAX_SRC; i++)
        insn->src[i] = ROW_NONE;
    for (int i = 0; i < MAX_DATA; i++)
        insn->data[i] = ROW_NONE;
    for (int i = 0; i < 2; i++)
        draft.pdst[i] = draft.psrc[i] = NO_VPRED;
    insn->unit = is_pseudo ? UNIT_CONTROL : b->op.unit;
    insn->is_pseudo = is_pseudo;
    draft.fidelity = !is_pseudo && b->op.status == STATUS_APPROXIMATE ? FIDELITY_APPROXIMATE : FIDELITY_EXACT;
    vec_push(&b->drafts, draft);
    emit_pred_use(b, b->guard);
    return &b->drafts.at[b->drafts.n - 1];
}

struct draft *emit(struct body *b, uint16_t form)
{
    bool is_first = !b->is_counted;
    b->is_counted = true;
    return emit_draft(b, form, !is_first);
}

struct draft *emit_pseudo(struct body *b, uint16_t form)
{
    return emit_draft(b, form, true);
}

// ---- references -------------------------------------------------------------------------------------

static void add_ref(struct body *b, uint32_t row, uint32_t n, enum ref_kind kind)
{
    struct ref ref = {row, (uint8_t)n, (uint8_t)kind};
    vec_push(&b->refs, ref);
}

static bool is_virtual(rowref row)
{
    return row != ROW_NONE && ROW_SPACE(row) == ROW_REG && ROW_NUMBER(row) < ROW_OWN;
}

void emit_use(struct body *b, rowref row, uint32_t n)
{
    if (is_virtual(row))
        add_ref(b, ROW_NUMBER(row), n, REF_USE);
}

void emit_def(struct body *b, rowref row, uint32_t n)
{
    if (is_virtual(row))
        add_ref(b, ROW_NUMBER(row), n, b->guard == NO_VPRED ? REF_DEF : REF_DEF_PART);
}

void emit_pred_use(struct body *b, vpred pred)
{
    if ((pred & ~VPRED_NOT) != NO_VPRED)
        add_ref(b, pred & ~VPRED_NOT, 1, REF_USE);
}

void emit_pred_def(struct body *b, vpred pred)
{
    if (pred != NO_VPRED)
        add_ref(b, pred, 1, b->guard == NO_VPRED ? REF_DEF : REF_DEF_PART);
}

// ---- small instructions -----------------------------------------------------------------------------

static void fill_1(struct body *b, struct draft *draft, rowref dst, rowref src)
{
    draft->insn.dst = dst;
    draft->insn.src[0] = src;
    emit_use(b, src, 1);
    emit_def(b, dst, 1);
}

void emit_move(struct body *b, rowref dst, rowref src)
{
    fill_1(b, emit(b, FORM_MOV_b32), dst, src);
}

void emit_pseudo_move(struct body *b, rowref dst, rowref src)
{
    fill_1(b, emit_pseudo(b, FORM_MOV_b32), dst, src);
}

void emit_2(struct body *b, uint16_t form, rowref dst, rowref a, rowref c)
{
    struct draft *draft = emit(b, form);
    draft->insn.src[1] = c;
    emit_use(b, c, 1);
    fill_1(b, draft, dst, a);
}

void emit_prmt(struct body *b, rowref dst, rowref a, rowref c, uint32_t selector)
{
    rowref row = pool_u32(b->lowering, selector);
    struct draft *draft = emit(b, FORM_PRMT_b32);
    draft->insn.dst = dst;
    draft->insn.src[0] = a;
    draft->insn.src[1] = c;
    draft->insn.src[2] = row;
    emit_use(b, a, 1);
    emit_use(b, c, 1);
    emit_def(b, dst, 1);
}

void emit_extract(struct body *b, rowref dst, rowref src, uint32_t shift, bool is_byte)
{
    struct draft *draft = emit(b, FORM_EXTRACT_none);
    draft->insn.extra = shift;
    draft->insn.mod = MOD_FIELD(is_byte, MOD_MODE);
    fill_1(b, draft, dst, src);
}

uint32_t new_barrier(struct body *b)
{
    return b->lowering->n_barriers++;
}

// Lanes meet whatever the guard of the instruction before.
void emit_converge(struct body *b, uint32_t barrier)
{
    vpred guard = b->guard;
    b->guard = NO_VPRED;
    struct draft *draft = emit_pseudo(b, FORM_BSYNC_none);
    draft->insn.extra = barrier;
    draft->text = "(converge)";
    b->guard = guard;
}

// Lanes that are here have left a loop with these barriers.
void emit_break(struct body *b, uint32_t first, uint32_t n)
{
    struct draft *draft = emit_pseudo(b, FORM_BREAK_none);
    draft->insn.extra = first;
    draft->insn.offset = (int32_t)n;
    draft->text = "(leave loop)";
}

// ---- registers wider than what is written -----------------------------------------------------------

// Form of cvt.s<to>.s<from>, in bytes; to is wider than from.
static uint16_t sign_extension(uint32_t to, uint32_t from)
{
    if (to == 2)
        return FORM_CVT_s16_s8;
    if (to == 4)
        return from == 1 ? FORM_CVT_s32_s8 : FORM_CVT_s32_s16;
    return from == 1 ? FORM_CVT_s64_s8 : from == 2 ? FORM_CVT_s64_s16 : FORM_CVT_s64_s32;
}

void emit_widen(struct body *b, rowref dst, enum ptx_type type, uint32_t register_bytes)
{
    uint32_t bytes = ptx_type_bytes(type);
    if (!bytes || bytes >= register_bytes || dst == ROW_NONE)
        return;
    if (type_is_signed(type) && register_bytes <= 8) {
        struct draft *draft = emit_pseudo(b, sign_extension(register_bytes, bytes));
        draft->insn.dst = dst;
        draft->insn.src[0] = dst;
        emit_use(b, dst, 1);
        emit_def(b, dst, register_bytes == 8 ? 2 : 1);
        return;
    }
    for (uint32_t row = (bytes + 3) / 4; row < (register_bytes + 3) / 4; row++)
        emit_pseudo_move(b, dst + row, pool_u32(b->lowering, 0));
}
