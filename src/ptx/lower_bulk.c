// Bulk copies, asynchronous stores and changes of tensor maps. Which row stands where is said in simt/op_bulk.c.
#include "ptx/lowering.h"
#include <string.h>

enum { WAY_TO_SHARED, WAY_TO_GLOBAL, WAY_TO_BLOCK, WAY_PREFETCH }; // enum bulk_way of simt/bulk.h

// The instruction being made; operands are taken one after the other.
struct bulk_draft {
    struct insn insn;
    uint32_t next; // operand
    struct {
        rowref row;
        uint32_t n;
    } uses[MAX_SRC + MAX_DATA];
    uint32_t n_uses;
};

static void use(struct bulk_draft *x, rowref row, uint32_t n)
{
    x->uses[x->n_uses].row = row;
    x->uses[x->n_uses++].n = n;
}

static const struct ptx_operand *next_operand(struct body *b, struct bulk_draft *x)
{
    if (x->next < b->insn->n_operands)
        return &b->insn->operands[x->next++];
    body_fail(b, "an operand is missing");
    return NULL;
}

// ---- operands ----------------------------------------------------------------------------------------

// src[0] and offset
static bool take_global(struct body *b, struct bulk_draft *x, const struct ptx_operand *operand)
{
    struct bound_address address;
    if (!operand || !address_row(b, operand, &address))
        return false;
    x->insn.src[0] = address.row;
    x->insn.offset = address.offset;
    x->insn.mod |= MOD_FIELD(address.is_wide, MOD_ADDR64);
    use(x, address.row, address.is_wide ? 2 : 1);
    return true;
}

// src[1] and extra
static bool take_shared(struct body *b, struct bulk_draft *x)
{
    const struct ptx_operand *operand = next_operand(b, x);
    struct bound_address address;
    if (!operand || !address_row(b, operand, &address))
        return false;
    x->insn.src[1] = address.row;
    x->insn.extra = (uint32_t)address.offset;
    use(x, address.row, address.is_wide ? 2 : 1);
    return true;
}

// A shared address with its displacement, in one row.
static bool take_address(struct body *b, struct bulk_draft *x, rowref *out)
{
    const struct ptx_operand *operand = next_operand(b, x);
    struct bound_address address;
    if (!operand || !address_row(b, operand, &address))
        return false;
    *out = address.row;
    if (address.offset) {
        rowref displacement = pool_u32(b->lowering, (uint32_t)address.offset);
        *out = ROW(ROW_REG, body_group(b, 1, false));
        struct draft *add = emit_pseudo(b, FORM_ADD_u32);
        add->insn.dst = *out;
        add->insn.src[0] = address.row;
        add->insn.src[1] = displacement;
        emit_use(b, address.row, 1);
        emit_def(b, *out, 1);
    }
    use(x, *out, 1);
    return true;
}

static bool take_value(struct body *b, struct bulk_draft *x, enum ptx_type type, rowref *out)
{
    const struct ptx_operand *operand = next_operand(b, x);
    if (!operand || !operand_row(b, operand, type, out))
        return false;
    use(x, *out, type_rows(type));
    return true;
}

// [map, {coordinates}]
static bool take_tensor(struct body *b, struct bulk_draft *x, uint32_t dims)
{
    const struct ptx_operand *operand = next_operand(b, x);
    if (!operand)
        return false;
    struct ptx_operand plain = *operand;
    plain.n_items = 0;
    if (operand->kind != PO_ADDRESS || operand->n_items != 1 || operand->items[0].n_items != dims)
        return lower_fail(b->lowering, operand->at, "a tensor map and %u coordinates are needed here: [map, {…}]", dims);
    if (!take_global(b, x, &plain))
        return false;
    for (uint32_t i = 0; i < dims; i++) {
        if (!operand_row(b, &operand->items[0].items[i], PT_S32, &x->insn.data[1 + i]))
            return false;
        use(x, x->insn.data[1 + i], 1);
    }
    return true;
}

// ---- suffixes ----------------------------------------------------------------------------------------

static bool is_state(const char *word)
{
    return strcmp(word, "global") == 0 || strncmp(word, "shared", 6) == 0;
}

// The state spaces of the opcode in their order: target, source.
static uint32_t find_states(const struct ptx_insn *insn, const char *states[2])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < insn->n_suffixes; i++)
        if (is_state(insn->suffixes[i]) && n < 2)
            states[n++] = insn->suffixes[i];
    return n;
}

static bool find_way(struct body *b, uint32_t *way)
{
    const char *states[2] = {"", ""};
    const uint32_t n = find_states(b->insn, states);
    bool to_global = strcmp(states[0], "global") == 0, from_global = strcmp(states[1], "global") == 0;
    if (insn_has_suffix(b->insn, "prefetch"))
        *way = WAY_PREFETCH;
    else if (n < 2 || (to_global && from_global))
        return body_fail(b, "a bulk copy names the memory of its target and of its source");
    else
        *way = to_global ? WAY_TO_GLOBAL : from_global ? WAY_TO_SHARED : WAY_TO_BLOCK;
    return true;
}

static uint32_t dims_of(const struct ptx_insn *insn)
{
    static const char *const words[] = {"1d", "2d", "3d", "4d", "5d"};
    for (uint32_t i = 0; i < 5; i++)
        if (insn_has_suffix(insn, words[i]))
            return i + 1;
    return 0;
}

// ---- copies ------------------------------------------------------------------------------------------

static bool take_tail(struct body *b, struct bulk_draft *x)
{
    if (insn_has_suffix(b->insn, "multicast::cluster")) {
        x->insn.mod |= MOD_FIELD(1, MOD_NAN);
        if (!take_value(b, x, PT_B16, &x->insn.data[0]))
            return false;
    }
    x->next += insn_has_suffix(b->insn, "L2::cache_hint"); // the policy
    return x->next == b->insn->n_operands || body_fail(b, "wrong number of operands");
}

static bool take_linear(struct body *b, struct bulk_draft *x, uint32_t way)
{
    switch (way) {
    case WAY_TO_SHARED:
        return take_shared(b, x) && take_global(b, x, next_operand(b, x)) && take_value(b, x, PT_U32, &x->insn.src[3]) &&
               take_address(b, x, &x->insn.src[2]);
    case WAY_TO_GLOBAL:
        return take_global(b, x, next_operand(b, x)) && take_shared(b, x) && take_value(b, x, PT_U32, &x->insn.src[3]);
    case WAY_TO_BLOCK:
        return take_shared(b, x) && take_address(b, x, &x->insn.data[6]) && take_value(b, x, PT_U32, &x->insn.src[3]) &&
               take_address(b, x, &x->insn.src[2]);
    default:
        return take_global(b, x, next_operand(b, x)) && take_value(b, x, PT_U32, &x->insn.src[3]);
    }
}

static bool take_box(struct body *b, struct bulk_draft *x, uint32_t way, uint32_t dims)
{
    switch (way) {
    case WAY_TO_SHARED:
        return take_shared(b, x) && take_tensor(b, x, dims) && take_address(b, x, &x->insn.src[2]);
    case WAY_TO_GLOBAL:
        return take_tensor(b, x, dims) && take_shared(b, x);
    case WAY_PREFETCH:
        return take_tensor(b, x, dims);
    default:
        return body_fail(b, "a tensor copy goes between global and shared memory");
    }
}

static bool take_copy(struct body *b, struct bulk_draft *x)
{
    const bool is_tensor = insn_has_suffix(b->insn, "tensor");
    uint32_t way = WAY_TO_SHARED, dims = dims_of(b->insn);
    if (is_tensor != (dims > 0))
        return body_fail(b, "a tensor copy, and no other, has a number of dimensions");
    if (!find_way(b, &way))
        return false;
    x->insn.mod |= MOD_FIELD(way, MOD_BOOL) | MOD_FIELD(dims, MOD_CMP) |
                   MOD_FIELD(insn_has_suffix(b->insn, "reduce"), MOD_SATFINITE);
    x->insn.space = insn_has_suffix(b->insn, "shared::cluster") ? SPACE_CLUSTER : SPACE_SHARED;
    x->insn.n_data = MAX_DATA - 1;
    return (dims ? take_box(b, x, way, dims) : take_linear(b, x, way)) && take_tail(b, x);
}

// ---- st.async, red.async -----------------------------------------------------------------------------

static bool take_stored(struct body *b, struct bulk_draft *x)
{
    const bool reduces = b->op.form >= FORM_RED_ASYNC_u32 && b->op.form <= FORM_RED_ASYNC_b64;
    x->insn.mod |= MOD_FIELD(reduces, MOD_SATFINITE);
    x->insn.elem = ptx_type_bytes(b->op.type) == 8 ? ELEM_B64 : ELEM_B32;
    x->insn.space = SPACE_CLUSTER;
    if (!take_global(b, x, next_operand(b, x)))
        return false;
    const struct ptx_operand *value = next_operand(b, x);
    const uint32_t n = value && value->kind == PO_VECTOR ? value->n_items : 1;
    if (!value || n != (b->op.vector ? b->op.vector : 1))
        return body_fail(b, "the value has another number of elements than the opcode says");
    for (uint32_t i = 0; i < n; i++) {
        rowref *row = &x->insn.data[x->insn.n_data++];
        if (!operand_row(b, value->kind == PO_VECTOR ? &value->items[i] : value, b->op.type, row))
            return false;
        use(x, *row, type_rows(b->op.type));
    }
    return take_address(b, x, &x->insn.src[1]);
}

// ---- tensor maps -------------------------------------------------------------------------------------

static uint32_t field_of(uint16_t form)
{
    static const uint16_t forms[] = {FORM_MAP_ADDRESS_b64, FORM_MAP_RANK_b32, FORM_MAP_BOX_b32,        FORM_MAP_SIZE_b32,
                                     FORM_MAP_STRIDE_b64,  FORM_MAP_STEP_b32, FORM_MAP_TYPE_b32,       FORM_MAP_INTERLEAVE_b32,
                                     FORM_MAP_SWIZZLE_b32, FORM_MAP_FILL_b32};
    uint32_t field = 0;
    while (forms[field] != form)
        field++;
    return field;
}

// [map], {dimension,} value
static bool take_field(struct body *b, struct bulk_draft *x)
{
    const uint32_t field = field_of(b->op.form);
    const bool has_dimension = field >= 2 && field <= 5;
    if (!take_global(b, x, next_operand(b, x)))
        return false;
    x->insn.extra = field;
    if (has_dimension) {
        const struct ptx_operand *dimension = next_operand(b, x);
        if (!dimension || dimension->kind != PO_IMM || dimension->bits > 4)
            return body_fail(b, "the dimension is a number from 0 to 4");
        x->insn.extra |= (uint32_t)dimension->bits << 8;
    }
    x->insn.space = b->op.space;
    x->insn.elem = ptx_type_bytes(b->op.type) == 8 ? ELEM_B64 : ELEM_B32;
    return take_value(b, x, b->op.type, &x->insn.src[1]);
}

static bool take_any(struct body *b, struct bulk_draft *x)
{
    const char *op = b->insn->op;
    if (strcmp(op, "cp") == 0)
        return take_copy(b, x);
    if (strcmp(op, "tensormap") != 0)
        return take_stored(b, x);
    if (b->op.form == FORM_MAP_COPY_none) // [global], [shared], 128
        return take_global(b, x, next_operand(b, x)) && take_shared(b, x);
    return take_field(b, x);
}

bool lower_bulk(struct body *b)
{
    struct bulk_draft x = {.insn = {.dst = ROW_NONE}};
    for (int i = 0; i < MAX_SRC; i++)
        x.insn.src[i] = ROW_NONE;
    for (int i = 0; i < MAX_DATA; i++)
        x.insn.data[i] = ROW_NONE;
    if (!take_any(b, &x))
        return false;
    struct draft *draft = emit(b, b->op.form);
    struct insn *insn = &draft->insn;
    insn->space = x.insn.space;
    insn->elem = x.insn.elem;
    insn->n_data = x.insn.n_data;
    insn->mod = b->op.mod | x.insn.mod;
    insn->offset = x.insn.offset;
    insn->extra = x.insn.extra;
    memcpy(insn->src, x.insn.src, sizeof insn->src);
    memcpy(insn->data, x.insn.data, sizeof insn->data);
    for (uint32_t i = 0; i < x.n_uses; i++)
        emit_use(b, x.uses[i].row, x.uses[i].n);
    return true;
}
