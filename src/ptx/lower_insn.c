// One PTX instruction: resolve it, bind its operands to rows by their roles, emit it.
#include "base/space.h"
#include "ptx/lowering.h"
#include <string.h>

// Operands of an instruction, bound; the instruction itself is emitted after them, since an operand may need
// instructions of its own before it.
struct binding {
    struct insn insn; // dst, src, data, n_data, offset, extra, elem and MOD_ADDR64
    vpred pdst[2], psrc[2];
    uint32_t n_src, n_pdst, n_psrc, n_refs, n_wide;
    struct {
        rowref row;
        uint32_t n;
        bool is_def;
    } refs[MAX_SRC + MAX_DATA + 1];
    struct { // registers wider than the value written to them
        rowref row;
        enum ptx_type type;
        uint32_t bytes;
    } wide[MAX_DATA + 1];
};

static void add_ref(struct binding *x, rowref row, enum ptx_type type, bool is_def)
{
    x->refs[x->n_refs].row = row;
    x->refs[x->n_refs].n = type_rows(type);
    x->refs[x->n_refs++].is_def = is_def;
}

static bool add_source(struct body *b, struct binding *x, rowref row, enum ptx_type type)
{
    if (x->n_src == MAX_SRC)
        return body_fail(b, "the instruction has more than %d sources", MAX_SRC);
    x->insn.src[x->n_src++] = row;
    add_ref(x, row, type, false);
    return true;
}

// ---- roles ------------------------------------------------------------------------------------------

// A register that is written with a value of `type`.
static bool bind_written(struct body *b, struct binding *x, const struct ptx_operand *operand,
                         enum ptx_type type, rowref *out)
{
    if (!register_row(b, operand, out))
        return false;
    uint32_t bytes = operand_bytes(operand);
    if (operand->kind == PO_SINK)
        return true;
    if (bytes < ptx_type_bytes(type))
        return lower_fail(b->lowering, operand->at, "register %s is narrower than the .%s that is written",
                          operand->variable->name, ptx_type_name(type));
    add_ref(x, *out, type, true);
    x->wide[x->n_wide].row = *out;
    x->wide[x->n_wide].type = type;
    x->wide[x->n_wide++].bytes = bytes;
    return true;
}

static bool bind_pred(struct body *b, struct binding *x, const struct ptx_operand *operand, bool is_dst)
{
    vpred *list = is_dst ? x->pdst : x->psrc;
    uint32_t *n = is_dst ? &x->n_pdst : &x->n_psrc;
    if (*n == 2)
        return lower_fail(b->lowering, operand->at, "one predicate too many");
    if (is_dst && (operand->is_negated || operand->kind == PO_IMM))
        return lower_fail(b->lowering, operand->at, "a predicate is written here: it must be a register without '!'");
    return operand_pred(b, operand, &list[(*n)++]);
}

static bool bind_destination(struct body *b, struct binding *x, const struct ptx_operand *operand,
                             enum ptx_type type)
{
    if (!bind_written(b, x, operand, type, &x->insn.dst))
        return false;
    return !operand->pair || bind_pred(b, x, operand->pair, true);
}

// base + offset of an address; offsets that do not fit the field go into a row.
static bool base_row(struct body *b, const struct ptx_operand *base, int64_t offset, struct bound_address *out)
{
    struct lowering *l = b->lowering;
    struct symbol_address symbol = {.is_wide = true, .row = ROW_NONE};
    *out = (struct bound_address){0};
    if (base->kind == PO_REG) {
        if (offset != (int32_t)offset)
            return lower_fail(l, base->at, "the offset does not fit into 32 bits");
        out->is_wide = operand_bytes(base) == 8;
        out->offset = (int32_t)offset;
        return register_row(b, base, &out->row);
    }
    if (base->kind == PO_SYMBOL && !symbol_address(b, base, &symbol))
        return false;
    if (base->kind == PO_IMM)
        symbol.value = base->bits;
    else if (base->kind != PO_SYMBOL)
        return lower_fail(l, base->at, "an address needs a register, a variable or a number here");
    out->is_wide = symbol.is_wide;
    uint64_t value = symbol.value + (uint64_t)offset;
    if (symbol.is_dynamic) {
        out->offset = (int32_t)value;
        out->row = symbol.row;
        return true;
    }
    out->row = symbol.is_wide ? pool_u64(l, value) : pool_u32(l, (uint32_t)value);
    return true;
}

bool address_row(struct body *b, const struct ptx_operand *operand, struct bound_address *out)
{
    if (operand->kind != PO_ADDRESS)
        return base_row(b, operand, 0, out);
    if (!operand->base || operand->n_items)
        return lower_fail(b->lowering, operand->at, "an address with coordinates is not supported");
    return base_row(b, operand->base, operand->offset, out);
}

static bool bind_address(struct body *b, struct binding *x, const struct ptx_operand *operand)
{
    struct bound_address address;
    if (!address_row(b, operand, &address))
        return false;
    x->insn.offset = address.offset;
    x->insn.mod |= MOD_FIELD(address.is_wide, MOD_ADDR64);
    return add_source(b, x, address.row, address.is_wide ? PT_U64 : PT_U32);
}

static bool bind_element(struct body *b, struct binding *x, const struct ptx_operand *item,
                         enum ptx_type type, bool is_dst)
{
    if (x->insn.n_data == MAX_DATA)
        return lower_fail(b->lowering, item->at, "a vector of more than %d elements", MAX_DATA);
    rowref *row = &x->insn.data[x->insn.n_data++];
    if (is_dst)
        return bind_written(b, x, item, type, row);
    if (!operand_row(b, item, type, row))
        return false;
    add_ref(x, *row, type, false);
    return true;
}

// 128 bits in memory are four words, and so are the rows of the register.
static bool bind_words(struct body *b, struct binding *x, const struct ptx_operand *operand, bool is_dst)
{
    rowref row;
    if (operand->kind == PO_VECTOR || b->op.vector != 1)
        return lower_fail(b->lowering, operand->at, "vectors of .b128 are not supported");
    if (!(is_dst ? bind_written(b, x, operand, PT_B128, &row) : operand_row(b, operand, PT_B128, &row)))
        return false;
    if (!is_dst)
        add_ref(x, row, PT_B128, false);
    for (uint32_t word = 0; word < 4; word++)
        x->insn.data[x->insn.n_data++] = row == ROW_NONE ? ROW_NONE : row + word;
    x->insn.elem = ELEM_B32;
    return true;
}

static bool bind_data(struct body *b, struct binding *x, const struct ptx_operand *operand,
                      enum ptx_type type, bool is_dst)
{
    if (type == PT_B128)
        return bind_words(b, x, operand, is_dst);
    x->insn.extra = b->op.vector;
    uint32_t n = operand->kind == PO_VECTOR ? operand->n_items : 1;
    if (n != b->op.vector)
        return lower_fail(b->lowering, operand->at, "%u elements are needed here, not %u", b->op.vector, n);
    for (uint32_t i = 0; i < n; i++)
        if (!bind_element(b, x, operand->kind == PO_VECTOR ? &operand->items[i] : operand, type, is_dst))
            return false;
    return true;
}

static bool bind_extra(struct body *b, struct binding *x, const struct ptx_operand *operand)
{
    rowref row;
    if (operand->kind == PO_IMM) {
        x->insn.extra = (uint32_t)operand->bits;
        return true;
    }
    x->insn.extra = 0xffffffffu;
    return operand_row(b, operand, PT_U32, &row) && add_source(b, x, row, PT_U32);
}

static bool bind_role(struct body *b, struct binding *x, uint32_t i)
{
    const struct ptx_operand *operand = &b->insn->operands[i];
    enum ptx_type type = b->op.role_types[i];
    rowref row;
    switch (b->op.roles[i]) {
    case ROLE_DST:
        return bind_destination(b, x, operand, type);
    case ROLE_SRC:
        return operand_row(b, operand, type, &row) && add_source(b, x, row, type);
    case ROLE_PDST:
        return bind_pred(b, x, operand, true) && (!operand->pair || bind_pred(b, x, operand->pair, true));
    case ROLE_PSRC:
        return bind_pred(b, x, operand, false);
    case ROLE_ADDR:
        return bind_address(b, x, operand);
    case ROLE_DATA_DST:
        return bind_data(b, x, operand, type, true);
    case ROLE_DATA_SRC:
        return bind_data(b, x, operand, type, false);
    case ROLE_IMM_EXTRA:
        return bind_extra(b, x, operand);
    case ROLE_LABEL:
    case ROLE_IGNORED:
    case ROLE_NONE:
        return true;
    }
    return true;
}

// ---- loads ------------------------------------------------------------------------------------------

// A signed element fills 32 bits of its row. A 16-bit register wants zeros above: load it unsigned (s16), or
// the widening below cuts it (s8).
static void fit_element(const struct body *b, struct binding *x)
{
    if (b->op.elem == ELEM_S16 && x->n_wide && x->wide[0].bytes == 2)
        x->insn.elem = ELEM_U16;
}

static bool is_filled_by_load(const struct insn *insn, uint32_t register_bytes)
{
    return insn->n_data && register_bytes == 4 && (insn->elem == ELEM_S8 || insn->elem == ELEM_S16);
}

// ---- the instruction --------------------------------------------------------------------------------

static void emit_bound(struct body *b, const struct binding *x)
{
    struct draft *draft = emit(b, b->op.form);
    struct insn *insn = &draft->insn;
    insn->class = b->op.class;
    insn->space = b->op.space;
    insn->elem = x->insn.elem;
    insn->mod = b->op.mod | x->insn.mod;
    insn->dst = x->insn.dst;
    insn->n_data = x->insn.n_data;
    insn->offset = x->insn.offset;
    insn->extra = x->insn.extra;
    memcpy(insn->src, x->insn.src, sizeof insn->src);
    memcpy(insn->data, x->insn.data, sizeof insn->data);
    for (int i = 0; i < 2; i++) {
        draft->pdst[i] = x->pdst[i];
        draft->psrc[i] = x->psrc[i];
        emit_pred_use(b, x->psrc[i]);
        emit_pred_def(b, x->pdst[i]);
    }
    for (uint32_t i = 0; i < x->n_refs; i++)
        x->refs[i].is_def ? emit_def(b, x->refs[i].row, x->refs[i].n)
                          : emit_use(b, x->refs[i].row, x->refs[i].n);
    for (uint32_t i = 0; i < x->n_wide; i++)
        if (!is_filled_by_load(&x->insn, x->wide[i].bytes))
            emit_widen(b, x->wide[i].row, x->wide[i].type, x->wide[i].bytes);
}

bool lower_generic(struct body *b)
{
    struct binding x = {.insn = {.dst = ROW_NONE, .elem = b->op.elem}};
    for (int i = 0; i < MAX_SRC; i++)
        x.insn.src[i] = ROW_NONE;
    for (int i = 0; i < MAX_DATA; i++)
        x.insn.data[i] = ROW_NONE;
    for (int i = 0; i < 2; i++)
        x.pdst[i] = x.psrc[i] = NO_VPRED;
    if (b->op.n_roles > b->insn->n_operands)
        return body_fail(b, "an operand is missing");
    for (uint32_t i = 0; i < b->op.n_roles; i++)
        if (!bind_role(b, &x, i))
            return false;
    fit_element(b, &x);
    emit_bound(b, &x);
    return true;
}

// ---- control flow -----------------------------------------------------------------------------------

static bool lower_branch(struct body *b, uint32_t block)
{
    for (uint32_t i = 0; i < b->insn->n_operands; i++) {
        const struct ptx_label *label = b->insn->operands[i].label;
        if (!label)
            continue;
        struct draft *draft = emit(b, b->op.form);
        draft->insn.mod = b->op.mod;
        draft->insn.offset = (int32_t)b->cfg.block_of[label->insn];
        draft->insn.extra = b->cfg.blocks[block].joins;
        return true;
    }
    return body_fail(b, "the branch has no target");
}

static bool lower_branch_index(struct body *b, uint32_t block)
{
    struct lowering *l = b->lowering;
    const struct ptx_branch_targets *targets = b->insn->targets;
    rowref index;
    if (!operand_row(b, &b->insn->operands[0], PT_U32, &index))
        return false;
    size_t first = l->pool.n; // blocks now, instructions when the body is laid out
    for (uint32_t i = 0; i < targets->n; i++)
        vec_push(&l->pool, b->cfg.block_of[targets->targets[i]->insn]);
    struct draft *draft = emit(b, b->op.form);
    draft->insn.mod = b->op.mod;
    draft->insn.src[0] = index;
    draft->insn.src[1] = ROW(ROW_POOL, first);
    draft->insn.offset = (int32_t)targets->n;
    draft->insn.extra = b->cfg.blocks[block].joins;
    emit_use(b, index, 1);
    return true;
}

static bool lower_end(struct body *b)
{
    bool leaves_kernel = b->op.flow == OP_RETURN && b->function->is_entry;
    emit(b, leaves_kernel ? FORM_EXIT_none : b->op.form);
    return true;
}

// ---- named barriers ---------------------------------------------------------------------------------

static void note_block_barrier(struct body *b)
{
    bool is_barrier = strcmp(b->insn->op, "bar") == 0 || strcmp(b->insn->op, "barrier") == 0;
    if (!is_barrier || insn_has_suffix(b->insn, "warp") || insn_has_suffix(b->insn, "cluster"))
        return;
    uint32_t extra = b->drafts.at[b->drafts.n - 1].insn.extra;
    uint32_t n = extra < 16 ? extra + 1 : 16;
    if (n > b->lowering->n_block_barriers)
        b->lowering->n_block_barriers = n;
}

static bool lower_resolved(struct body *b, uint32_t block)
{
    switch (b->op.flow) {
    case OP_BRANCH:
        return lower_branch(b, block);
    case OP_BRANCH_INDEX:
        return lower_branch_index(b, block);
    case OP_CALL:
        return lower_call(b);
    case OP_RETURN:
    case OP_EXIT:
    case OP_TRAP:
        return lower_end(b);
    case OP_PARAM_LD:
        return lower_param_load(b);
    case OP_PARAM_ST:
        return lower_param_store(b);
    case OP_MOV:
        return lower_mov(b);
    case OP_CVTA:
        return lower_cvta(b);
    case OP_ASYNC:
        return lower_async(b);
    case OP_TEXTURE:
        return lower_texture(b);
    case OP_MATRIX:
        return lower_matrix(b);
    case OP_STACK:
        return lower_stack(b);
    case OP_PLAIN:
        break;
    }
    if (!lower_generic(b))
        return false;
    note_block_barrier(b);
    return true;
}

static bool lower_selected(struct body *b)
{
    const bool is_video = b->insn->op[0] == 'v' && b->op.flow == OP_PLAIN && b->op.roles[0] == ROLE_DST;
    return is_video ? lower_video(b) : body_fail(b, "only video instructions take parts of registers");
}

// Why there is no more than a name of an instruction in the table.
static const char *refusal_reason(const struct ptx_insn *insn)
{
    static const char *const newer[] = {"f32x2", "cta_group::1", "cta_group::2"};
    bool is_newer = strcmp(insn->op, "tcgen05") == 0 || strcmp(insn->op, "clusterlaunchcontrol") == 0;
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        is_newer = is_newer || insn_has_suffix(insn, newer[i]);
    if (insn_has_suffix(insn, "sp") || insn_has_suffix(insn, "sp::ordered_metadata"))
        return ": sparse matrices are not executed";
    return is_newer ? ": of sm_100 and later no instructions are executed that sm_90 has not" : "";
}

bool lower_insn(struct body *b, uint32_t block)
{
    const struct ptx_insn *insn = b->insn;
    b->is_counted = false;
    b->guard = NO_VPRED;
    if (insn->guard)
        b->guard = b->row_of_register[insn->guard->id] | (insn->guard_negated ? VPRED_NOT : 0);
    if (strcmp(insn->op, "mov") == 0 && insn_has_suffix(insn, "b128"))
        return lower_mov_b128(b);
    if (strcmp(insn->op, "redux") == 0 && insn_has_suffix(insn, "f32"))
        return body_fail(b, "redux.sync of .f32 is not supported: sm_100a alone has it");
    if (!op_resolve(b->lowering->module, insn, &b->op, b->lowering->err))
        return false;
    if (b->op.status == STATUS_REFUSED)
        return body_fail(b, "%s is not supported%s", b->op.name, refusal_reason(insn));
    if (writes_constant(b, insn)) {
        emit(b, FORM_NOP_none);
        return true;
    }
    const bool is_selected = insn_has_selector(insn) || strcmp(insn->op, "vmad") == 0; // which takes signs too
    if (is_selected ? !lower_selected(b) : !lower_resolved(b, block))
        return false;
    if (!b->is_counted)
        BUG("no instruction was made of `%s`", insn->text);
    return true;
}
