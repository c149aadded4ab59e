// Bulk copies of machine code: UBLKCP, UBLKRED, UBLKPF, the tensor copies UTMALDG, UTMASTG, UTMAREDG, UTMAPF, and the asynchronous
// stores STAS and REDAS (simt/op_bulk.c). Operands lie in groups of uniform registers; how, was read off the code that ptxas of
// CUDA 13.0 makes of single PTX instructions:
//
//     target in shared memory      address, mbarrier             UBLKCP.S.G, UBLKCP.S.S, UBLKRED.S.S, UTMALDG
//     tensor copies                behind that: coordinates; without a target they are alone (UTMAPF)
//     number of bytes              divided by 16 in the lower half of a register, the multicast mask in the upper
//     UTMALDG with a third operand the multicast mask in its upper half
//
// Shared addresses are those of the cluster: rank of the block above, as ptxas makes them.
#include "isa/bulk.h"
#include "sass/lowering.h"

static void begin(struct insn *out, enum bulk_way way, uint32_t dims)
{
    out->unit = UNIT_LSU;
    out->space = SPACE_CLUSTER;
    out->mod = MOD_FIELD(way, MOD_BOOL) | MOD_FIELD(dims, MOD_CMP) | MOD_FIELD(1, MOD_ADDR64);
    out->form = FORM_UBULK_none;
}

static rowref uniform(const struct sass_lowering *l, uint32_t number)
{
    return ROW(ROW_REG, l->n_registers + number);
}

// Whether operand k is a group of n uniform registers.
static bool has_group(const struct sass_lowering *l, const struct sass_insn *in, unsigned k, uint32_t n)
{
    return k < in->n_operands && in->operands[k].kind == SO_UREG && in->operands[k].number != SASS_URZ &&
           in->operands[k].number + n <= l->n_uregs;
}

static rowref group_row(const struct sass_lowering *l, const struct sass_insn *in, unsigned k, uint32_t at)
{
    return uniform(l, in->operands[k].number + at);
}

// ---- consecutive bytes -----------------------------------------------------------------------------------------

enum { FIRST, SECOND, COUNT }; // operands as printed

static bool take_count(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, unsigned k)
{
    if (!has_group(l, in, k, 1))
        return sass_refuse(l, in, "an operand is missing");
    out->src[3] = group_row(l, in, k, 0);
    return true;
}

static bool take_bytes(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned direction = sass_field(in, SF_MODE);
    const bool to_shared = direction == SASS_BULK_DIR_S_G || direction == SASS_BULK_DIR_S_S;
    if (direction == SASS_BULK_DIR_G_G || !has_group(l, in, FIRST, 2) || !has_group(l, in, SECOND, 1))
        return sass_refuse(l, in, "this direction, or an operand is missing");
    begin(out, direction == SASS_BULK_DIR_S_G ? BULK_TO_SHARED : to_shared ? BULK_TO_BLOCK : BULK_TO_GLOBAL, 0);
    const rowref first = group_row(l, in, FIRST, 0), second = group_row(l, in, SECOND, 0);
    out->src[0] = direction == SASS_BULK_DIR_S_G ? second : direction == SASS_BULK_DIR_G_S ? first : ROW_NONE;
    out->src[1] = to_shared ? first : second;
    out->src[2] = to_shared ? group_row(l, in, FIRST, 1) : ROW_NONE;
    if (direction == SASS_BULK_DIR_S_S)
        out->data[6] = second;
    return take_count(l, in, out, COUNT);
}

bool lower_ublkcp(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (!take_bytes(l, in, out))
        return false;
    out->mod |= MOD_FIELD(sass_field(in, SF_MULTICAST), MOD_NAN);
    return true;
}

bool lower_ublkred(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_BULK_REDUCE_u32, FORM_BULK_REDUCE_s32, FORM_BULK_REDUCE_u64,
                                     FORM_BULK_REDUCE_s64, FORM_BULK_REDUCE_f16, FORM_BULK_REDUCE_f32,
                                     0,                    FORM_BULK_REDUCE_f64, FORM_BULK_REDUCE_bf16};
    const unsigned type = sass_field(in, SF_ATOM_TYPE);
    if (type >= sizeof forms / sizeof forms[0] || !forms[type])
        return sass_refuse(l, in, "this type");
    if (!take_bytes(l, in, out))
        return false;
    out->extra = forms[type];
    out->mod |= MOD_FIELD(1, MOD_SATFINITE) | MOD_FIELD(ATOM_ADD + sass_field(in, SF_ATOM_OP), MOD_MODE);
    return true;
}

bool lower_ublkpf(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (!has_group(l, in, 0, 2))
        return sass_refuse(l, in, "an operand is missing");
    begin(out, BULK_PREFETCH, 0);
    out->src[0] = group_row(l, in, 0, 0);
    return take_count(l, in, out, 1);
}

// ---- tensors ---------------------------------------------------------------------------------------------------

// [group], [map]: `n_before` registers of the group lie before the coordinates.
static bool take_tensor(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, enum bulk_way way, uint32_t n_before)
{
    const uint32_t dims = sass_field(in, SF_DIM) + 1;
    if (sass_field(in, SF_SHAPE) == SASS_TMA_IM2COL_YES)
        return sass_refuse(l, in, ".IM2COL");
    if (dims > 5 || !has_group(l, in, FIRST, n_before + dims) || !has_group(l, in, SECOND, 2))
        return sass_refuse(l, in, "an operand is missing");
    begin(out, way, dims);
    out->src[0] = group_row(l, in, SECOND, 0);
    if (n_before > 0)
        out->src[1] = group_row(l, in, FIRST, 0);
    if (n_before > 1)
        out->src[2] = group_row(l, in, FIRST, 1);
    for (uint32_t i = 0; i < dims; i++)
        out->data[1 + i] = group_row(l, in, FIRST, n_before + i);
    return true;
}

bool lower_utmaldg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (!take_tensor(l, in, out, BULK_TO_SHARED, 2))
        return false;
    if (in->op != SASS_UTMALDG_MORE)
        return true;
    out->mod |= MOD_FIELD(1, MOD_NAN);
    return take_count(l, in, out, COUNT);
}

bool lower_utmastg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return take_tensor(l, in, out, BULK_TO_GLOBAL, 1);
}

bool lower_utmaredg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    if (!take_tensor(l, in, out, BULK_TO_GLOBAL, 1))
        return false;
    out->mod |= MOD_FIELD(1, MOD_SATFINITE) | MOD_FIELD(ATOM_ADD + sass_field(in, SF_ATOM_OP), MOD_MODE);
    return true;
}

bool lower_utmapf(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return take_tensor(l, in, out, BULK_PREFETCH, 0);
}

// ---- values ----------------------------------------------------------------------------------------------------

// STAS [address, mbarrier], value: a pair of registers, then one to four.
static bool take_store(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, uint32_t words)
{
    const struct sass_operand *target = &in->operands[0], *value = &in->operands[1];
    if (in->n_operands < 2 || target->kind != SO_REG || target->number == SASS_RZ || target->number + 1u >= l->n_registers)
        return sass_refuse(l, in, "an operand is missing");
    out->unit = UNIT_LSU;
    out->space = SPACE_CLUSTER;
    out->src[0] = ROW(ROW_REG, target->number);
    out->src[1] = ROW(ROW_REG, target->number + 1u);
    out->elem = ELEM_B32;
    out->n_data = (uint8_t)words;
    for (uint32_t i = 0; i < words; i++)
        out->data[i] = value->number == SASS_RZ ? ROW(ROW_POOL, 0) : ROW(ROW_REG, value->number + i);
    return true;
}

bool lower_stas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned width = sass_field(in, SF_WIDTH);
    if (width < SASS_WIDTH_B32 || width > SASS_WIDTH_B128)
        return sass_refuse(l, in, "this width");
    out->form = FORM_ST_ASYNC_b32;
    return take_store(l, in, out, 1u << (width - SASS_WIDTH_B32));
}

bool lower_redas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint16_t forms[] = {FORM_RED_ASYNC_u32, FORM_RED_ASYNC_s32, FORM_RED_ASYNC_u64, FORM_RED_ASYNC_s64};
    const unsigned type = sass_field(in, SF_ATOM_TYPE);
    if (type > SASS_ATOM_TYPE_S64)
        return sass_refuse(l, in, "this type");
    out->form = forms[type];
    out->mod = MOD_FIELD(1, MOD_SATFINITE) | MOD_FIELD(ATOM_ADD + sass_field(in, SF_ATOM_OP), MOD_MODE);
    return take_store(l, in, out, type >= SASS_ATOM_TYPE_U64 ? 2 : 1);
}
