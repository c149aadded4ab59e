// Loads, stores, atomics, fences and constant banks of machine code.
#include "sass/lowering.h"

// ---- addresses ----------------------------------------------------------------------------------------------------------

static const struct sass_operand *memory_operand(const struct sass_insn *in, unsigned *k)
{
    for (*k = 0; *k < in->n_operands; ++*k)
        if (in->operands[*k].kind == SO_MEM)
            return &in->operands[*k];
    return NULL;
}

// [R], [R + 4], [R + UR + 4], [R.64 + 4], [UR + 4]: a row and a displacement, and a uniform register's row in src[3]. Global and
// generic addresses have 64 bits, also in a pair of uniform registers (sm_75); beside a register such a pair has not been seen.
static bool take_address_of(struct sass_lowering *l, const struct sass_insn *in, struct insn *out,
                            const struct sass_operand *o)
{
    if (o->select)
        return sass_refuse(l, in, "a scaled address");
    const bool is_zero = o->base_kind != SO_REG || o->number == SASS_RZ;
    const bool is_wide = out->space == SPACE_GLOBAL || out->space == SPACE_GENERIC;
    const bool has_ureg = o->has_ureg && o->ureg != SASS_URZ;
    if (is_wide && has_ureg && !is_zero)
        return sass_refuse(l, in, "an address of a register and a uniform one");
    out->src[0] = !is_zero              ? ROW(ROW_REG, o->number)
                  : is_wide && has_ureg ? ROW(ROW_REG, l->n_registers + o->ureg)
                                        : ROW(ROW_POOL, 0);
    out->offset = (int32_t)o->value;
    if (is_wide && (is_zero || o->is_base_64))
        out->mod |= 1u << MOD_ADDR64;
    if (has_ureg && !is_wide) {
        out->src[3] = ROW(ROW_REG, l->n_registers + o->ureg);
        out->mod |= 1u << MOD_UREG;
    }
    return true;
}

// Does a generic address lie in a space? Of .S: in this block's own shared memory; of .D: in that of its cluster.
bool lower_qspc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_LOCAL, SPACE_SHARED, SPACE_CLUSTER};
    unsigned k;
    const struct sass_operand *o = memory_operand(in, &k);
    sass_fill(l, in, out);
    if (!o || o->value)
        return sass_refuse(l, in, "a displacement, or no address");
    const bool is_uniform = o->has_ureg && o->ureg != SASS_URZ, has_base = o->base_kind == SO_REG && o->number != SASS_RZ;
    if (is_uniform == has_base)
        return sass_refuse(l, in, "two registers, or none");
    out->form = FORM_ISSPACEP_none;
    out->space = spaces[sass_field(in, SF_MODE) & 3];
    out->src[0] = ROW(ROW_REG, is_uniform ? l->n_registers + o->ureg : o->number);
    return true;
}

bool sass_take_address(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned k;
    const struct sass_operand *o = memory_operand(in, &k);
    return o ? take_address_of(l, in, out, o) : sass_refuse(l, in, "no address");
}

// ---- width, order, caches -------------------------------------------------------------------------------------------------

// Elements of a load or store, and the rows that they take from `first` on.
static void take_data(const struct sass_insn *in, struct insn *out, rowref first, bool is_sink)
{
    static const struct {
        uint8_t elem, n;
    } widths[] = {[SASS_WIDTH_U8] = {ELEM_U8, 1},   [SASS_WIDTH_S8] = {ELEM_S8, 1},   [SASS_WIDTH_U16] = {ELEM_U16, 1},
                  [SASS_WIDTH_S16] = {ELEM_S16, 1}, [SASS_WIDTH_B32] = {ELEM_B32, 1}, [SASS_WIDTH_B64] = {ELEM_B32, 2},
                  [SASS_WIDTH_B128] = {ELEM_B32, 4}};
    const unsigned width = sass_field(in, SF_WIDTH);
    out->elem = widths[width].elem;
    out->n_data = widths[width].n;
    for (unsigned i = 0; i < out->n_data; i++)
        out->data[i] = is_sink ? ROW_NONE : first + i;
}

static bool width_is_known(struct sass_lowering *l, const struct sass_insn *in)
{
    return sass_field(in, SF_WIDTH) <= SASS_WIDTH_B128 || sass_refuse(l, in, "its width is not known");
}

// .CONSTANT loads go through the read-only path; .STRONG and .MMIO ones are served at the point of coherence of their scope.
static void take_order(const struct sass_insn *in, struct insn *out, bool is_load)
{
    const unsigned order = sass_field(in, SF_ORDER);
    const bool is_constant = is_load && order == SASS_ORDER_CONSTANT;
    const bool is_strong = order == SASS_ORDER_STRONG_SM || order == SASS_ORDER_STRONG_GPU || order == SASS_ORDER_STRONG_SYS ||
                           order == SASS_ORDER_MMIO_GPU || order == SASS_ORDER_MMIO_SYS;
    if (is_constant)
        out->mod |= MOD_FIELD(CACHE_NC, MOD_CACHE);
    else if (is_strong)
        out->mod |= MOD_FIELD(SEM_RELAXED, MOD_SEM) |
                    MOD_FIELD(order == SASS_ORDER_STRONG_SM ? SCOPE_CTA : SCOPE_GPU, MOD_SCOPE);
    else if (sass_field(in, SF_CACHE) == SASS_CACHE_EF)
        out->mod |= MOD_FIELD(CACHE_CS, MOD_CACHE);
}

static void set_space(struct insn *out, enum space space, enum op_class class)
{
    out->unit = UNIT_LSU;
    out->space = space;
    out->class = class;
}

// ---- loads and stores -------------------------------------------------------------------------------------------------------

static bool lower_load(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned k = 0;
    while (k < in->n_operands && in->operands[k].kind != SO_REG)
        k++;
    if (k == in->n_operands || !width_is_known(l, in))
        return sass_refuse(l, in, "no destination");
    out->form = FORM_LD_b32;
    take_data(in, out, sass_dst(l, in, k), in->operands[k].number == SASS_RZ);
    take_order(in, out, true);
    return sass_take_address(l, in, out);
}

bool lower_ldg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_LD);
    return lower_load(l, in, out);
}

bool lower_ld(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GENERIC, CLASS_GENERIC_LD);
    return lower_load(l, in, out);
}

bool lower_lds(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_SHARED, CLASS_SHARED_LD);
    return lower_load(l, in, out);
}

bool lower_ldl(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_LOCAL, CLASS_LOCAL_LD);
    return lower_load(l, in, out);
}

static bool lower_store(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    unsigned k;
    if (!memory_operand(in, &k) || k + 1 >= in->n_operands || !width_is_known(l, in))
        return sass_refuse(l, in, "no data");
    out->form = FORM_ST_b32;
    take_data(in, out, sass_source(l, in, k + 1), false);
    take_order(in, out, false);
    return sass_take_address(l, in, out);
}

bool lower_stg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_ST);
    return lower_store(l, in, out);
}

bool lower_st(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GENERIC, CLASS_GENERIC_ST);
    return lower_store(l, in, out);
}

bool lower_sts(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_SHARED, CLASS_SHARED_ST);
    return lower_store(l, in, out);
}

bool lower_stl(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_LOCAL, CLASS_LOCAL_ST);
    return lower_store(l, in, out);
}

// ---- constant banks -----------------------------------------------------------------------------------------------------------

// LDC and ULDC. ULDC of a fixed address is a row of the launch, like any constant operand; the others go through the constant
// cache that ncu calls idc (measured: idc__requests counts every LDC, no ULDC).
static bool lower_constant(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool is_uniform)
{
    const struct sass_operand *o = &in->operands[1];
    const unsigned width = sass_field(in, SF_WIDTH);
    if (in->n_operands < 2 || o->kind != SO_CONST || !width_is_known(l, in))
        return sass_refuse(l, in, "this form");
    const bool is_fixed = o->base_kind == SO_NONE || (o->base_kind == SO_REG && o->number == SASS_RZ) ||
                          (o->base_kind == SO_UREG && o->number == SASS_URZ);
    out->class = is_uniform ? CLASS_NONE : CLASS_CONST_LD;
    if (is_uniform && is_fixed && (width == SASS_WIDTH_B32 || width == SASS_WIDTH_B64)) {
        out->form = width == SASS_WIDTH_B64 ? FORM_MOV_b64 : FORM_MOV_b32;
        out->dst = sass_dst(l, in, 0);
        out->src[0] = sass_bank_words(l, o->bank, (uint32_t)o->value, width == SASS_WIDTH_B64 ? 2 : 1);
        return true;
    }
    out->form = is_uniform ? FORM_ULDC_b32 : FORM_LDC_b32;
    out->space = SPACE_CONST;
    out->extra = o->bank;
    take_data(in, out, sass_dst(l, in, 0), false);
    out->src[0] = is_fixed ? ROW(ROW_POOL, 0) : ROW(ROW_REG, (o->base_kind == SO_UREG ? l->n_registers : 0) + o->number);
    out->offset = (int32_t)o->value;
    return true;
}

bool lower_ldc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->unit = UNIT_LSU;
    return lower_constant(l, in, out, false);
}

bool lower_uldc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return lower_constant(l, in, out, true);
}

// ---- atomics ------------------------------------------------------------------------------------------------------------------

enum { TYPE_COLUMNS = 10 };

// By operation and type: u32 s32 u64 s64 f32 f64 f16x2 bf16x2. 0: there is none.
static const uint16_t atom_forms[][8] = {
    [ATOM_ADD] = {FORM_ATOM_ADD_u32, FORM_ATOM_ADD_s32, FORM_ATOM_ADD_u64, FORM_ATOM_ADD_u64, FORM_ATOM_ADD_f32,
                  FORM_ATOM_ADD_f64, FORM_ATOM_ADD_f16x2, FORM_ATOM_ADD_bf16x2},
    [ATOM_MIN] = {FORM_ATOM_MIN_u32, FORM_ATOM_MIN_s32, FORM_ATOM_MIN_u64, FORM_ATOM_MIN_s64, 0, 0, FORM_ATOM_MIN_f16x2,
                  FORM_ATOM_MIN_bf16x2},
    [ATOM_MAX] = {FORM_ATOM_MAX_u32, FORM_ATOM_MAX_s32, FORM_ATOM_MAX_u64, FORM_ATOM_MAX_s64, 0, 0, FORM_ATOM_MAX_f16x2,
                  FORM_ATOM_MAX_bf16x2},
    [ATOM_INC] = {FORM_ATOM_INC_u32},
    [ATOM_DEC] = {FORM_ATOM_DEC_u32},
    [ATOM_AND] = {FORM_ATOM_AND_b32, FORM_ATOM_AND_b32, FORM_ATOM_AND_b64, FORM_ATOM_AND_b64},
    [ATOM_OR] = {FORM_ATOM_OR_b32, FORM_ATOM_OR_b32, FORM_ATOM_OR_b64, FORM_ATOM_OR_b64},
    [ATOM_XOR] = {FORM_ATOM_XOR_b32, FORM_ATOM_XOR_b32, FORM_ATOM_XOR_b64, FORM_ATOM_XOR_b64},
    [ATOM_EXCH] = {FORM_ATOM_EXCH_b32, FORM_ATOM_EXCH_b32, FORM_ATOM_EXCH_b64, FORM_ATOM_EXCH_b64},
    [ATOM_CAS] = {FORM_ATOM_CAS_b32, FORM_ATOM_CAS_b32, FORM_ATOM_CAS_b64, FORM_ATOM_CAS_b64}};

static bool atom_operation(unsigned field, enum atom_op *op)
{
    static const uint8_t ops[] = {[SASS_ATOM_OP_ADD] = ATOM_ADD, [SASS_ATOM_OP_MIN] = ATOM_MIN, [SASS_ATOM_OP_MAX] = ATOM_MAX,
                                  [SASS_ATOM_OP_INC] = ATOM_INC, [SASS_ATOM_OP_DEC] = ATOM_DEC, [SASS_ATOM_OP_AND] = ATOM_AND,
                                  [SASS_ATOM_OP_OR] = ATOM_OR,   [SASS_ATOM_OP_XOR] = ATOM_XOR, [SASS_ATOM_OP_EXCH] = ATOM_EXCH};
    if (field >= sizeof ops)
        return false;
    *op = ops[field];
    return true;
}

static bool finish_atomic(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, enum atom_op op, unsigned type)
{
    out->form = type < 8 ? atom_forms[op][type] : 0;
    if (!out->form)
        return sass_refuse(l, in, "an atomic of this operation and type");
    out->mod |= MOD_FIELD(op, MOD_MODE);
    out->elem = type == 2 || type == 3 || type == 5 ? ELEM_B64 : ELEM_B32;
    out->n_data = 0;
    take_order(in, out, false);
    return sass_take_address(l, in, out);
}

// The result, if it is wanted, and one or two values behind the address.
static bool take_atomic_operands(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool has_result)
{
    unsigned at, dst = 0;
    if (!memory_operand(in, &at) || at + 1 >= in->n_operands)
        return sass_refuse(l, in, "no operand");
    while (has_result && dst < at && in->operands[dst].kind != SO_REG)
        dst++;
    const bool is_wanted = has_result && dst < at && in->operands[dst].number != SASS_RZ;
    out->dst = is_wanted ? sass_dst(l, in, dst) : ROW_NONE;
    out->src[1] = sass_source(l, in, at + 1);
    if (at + 2 < in->n_operands && in->operands[at + 2].kind == SO_REG)
        out->src[2] = sass_source(l, in, at + 2);
    return true;
}

// Column of atom_forms. Up to sm_89 one field holds the types of integers and of floats.
static unsigned atomic_type(const struct sass_insn *in)
{
    static const uint8_t columns[] = {[SASS_ATOM_TYPE_80_U32] = 0, [SASS_ATOM_TYPE_80_S32] = 1, [SASS_ATOM_TYPE_80_U64] = 2,
                                      [SASS_ATOM_TYPE_80_F32_FTZ] = 4, [SASS_ATOM_TYPE_80_F16X2] = 6,
                                      [SASS_ATOM_TYPE_80_S64] = 3, [SASS_ATOM_TYPE_80_F64] = 5};
    const unsigned type = sass_field(in, SF_ATOM_TYPE);
    return in->cc >= 90 ? type : type < sizeof columns ? columns[type] : 8;
}

static bool lower_atomic(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool has_result)
{
    enum atom_op op;
    if (!atom_operation(sass_field(in, SF_ATOM_OP), &op))
        return sass_refuse(l, in, "this operation");
    return take_atomic_operands(l, in, out, has_result) && finish_atomic(l, in, out, op, atomic_type(in));
}

bool lower_atom(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GENERIC, CLASS_GENERIC_ATOM);
    return lower_atomic(l, in, out, true);
}

bool lower_atomg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_ATOM);
    return lower_atomic(l, in, out, true);
}

bool lower_atoms(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_SHARED, CLASS_SHARED_ATOM);
    return lower_atomic(l, in, out, true);
}

bool lower_redg(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_RED);
    return lower_atomic(l, in, out, false);
}

// Types of floating-point atomics, in columns of atom_forms.
static unsigned float_type(unsigned field)
{
    switch (field) {
    case SASS_FRED_TYPE_F32:
    case SASS_FRED_TYPE_F32_FTZ:
        return 4;
    case SASS_FRED_TYPE_F64:
        return 5;
    case SASS_FRED_TYPE_F16X2:
        return 6;
    case SASS_FRED_TYPE_BF16X2:
        return 7;
    default:
        return TYPE_COLUMNS;
    }
}

static bool lower_float_atomic(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool has_result)
{
    static const uint8_t ops[] = {[SASS_FRED_OP_ADD] = ATOM_ADD, [SASS_FRED_OP_MIN] = ATOM_MIN, [SASS_FRED_OP_MAX] = ATOM_MAX};
    const unsigned op = sass_field(in, SF_ATOM_OP);
    if (op >= sizeof ops)
        return sass_refuse(l, in, "this operation");
    return take_atomic_operands(l, in, out, has_result) &&
           finish_atomic(l, in, out, ops[op], float_type(sass_field(in, SF_ATOM_TYPE)));
}

bool lower_redg_float(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_RED);
    return lower_float_atomic(l, in, out, false);
}

bool lower_atomg_float(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_ATOM);
    return lower_float_atomic(l, in, out, true);
}

bool lower_atom_float(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GENERIC, CLASS_GENERIC_ATOM);
    return lower_float_atomic(l, in, out, true);
}

static bool lower_cas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    return take_atomic_operands(l, in, out, true) && finish_atomic(l, in, out, ATOM_CAS, sass_field(in, SF_ATOM_TYPE));
}

bool lower_atom_cas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GENERIC, CLASS_GENERIC_ATOM);
    return lower_cas(l, in, out);
}

bool lower_atomg_cas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_GLOBAL, CLASS_GLOBAL_ATOM);
    return lower_cas(l, in, out);
}

bool lower_atoms_cas(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned how = sass_field(in, SF_ATOM_OP);
    set_space(out, SPACE_SHARED, CLASS_SHARED_ATOM);
    if (how == SASS_CAS_CAST)
        return sass_refuse(l, in, ".CAST without .SPIN");
    if (!lower_cas(l, in, out))
        return false;
    if (how == SASS_CAS_CAST_SPIN)
        out->form = out->elem == ELEM_B64 ? FORM_ATOMS_TRY_b64 : FORM_ATOMS_TRY_b32;
    return true;
}

// ATOMS.POPC.INC: each lane adds one; the unit counts the lanes of an address at once.
bool lower_atoms_popc(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    set_space(out, SPACE_SHARED, CLASS_SHARED_ATOM);
    out->dst = in->operands[0].number == SASS_RZ ? ROW_NONE : sass_dst(l, in, 0);
    out->src[1] = sass_pool(l, 1);
    if (!finish_atomic(l, in, out, ATOM_ADD, 0))
        return false;
    out->form = FORM_ATOMS_COUNT_u32;
    return true;
}

// ---- asynchronous copies (simt/op_async.c) --------------------------------------------------------------------------------------

// LDGSTS [shared], [global]{, predicate}: lanes whose predicate is false write zeros; .ZFILL: simt/op_async.c.
bool lower_ldgsts(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static const uint8_t elems[] = {[SASS_WIDTH_B32] = ELEM_B32, [SASS_WIDTH_B64] = ELEM_B64, [SASS_WIDTH_B128] = ELEM_B128};
    const unsigned width = sass_field(in, SF_WIDTH);
    const struct sass_operand *to = &in->operands[0], *from = &in->operands[1];
    if (in->n_operands < 2 || to->kind != SO_MEM || from->kind != SO_MEM || width < SASS_WIDTH_B32 || width >= sizeof elems)
        return sass_refuse(l, in, "this form");
    const predref reads = in->n_operands > 2 && in->operands[2].kind == SO_PRED ? sass_pred(in, 2) : PRED_TRUE;
    set_space(out, SPACE_GLOBAL, CLASS_LDGSTS);
    out->form = FORM_CP_ASYNC_none;
    out->elem = elems[width];
    out->psrc[0] = reads;
    out->src[1] = to->number == SASS_RZ ? ROW(ROW_POOL, 0) : ROW(ROW_REG, to->number);
    out->src[2] = ROW_NONE;
    out->extra = (uint32_t)to->value;
    if (sass_field(in, SF_BYPASS) == SASS_BYPASS_YES)
        out->mod |= MOD_FIELD(CACHE_CG, MOD_CACHE);
    if (sass_field(in, SF_ZFILL))
        out->mod |= MOD_FIELD(1, MOD_MODE);
    return take_address_of(l, in, out, from);
}

// ---- mbarriers (simt/op_mbarrier.c) -------------------------------------------------------------------------------------------

// [address], value: the first operand behind the address.
static bool take_mbarrier(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, bool has_value)
{
    unsigned at;
    set_space(out, SPACE_SHARED, CLASS_NONE);
    out->elem = ELEM_B64;
    if (!memory_operand(in, &at) || (has_value && at + 1 >= in->n_operands))
        return sass_refuse(l, in, "no operand");
    out->src[1] = has_value ? sass_source(l, in, at + 1) : ROW_NONE;
    return sass_take_address(l, in, out);
}

bool lower_syncs_exchange(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->form = FORM_SYNCS_EXCH_none;
    return take_mbarrier(l, in, out, true);
}

bool lower_syncs_check(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    out->form = FORM_SYNCS_CHECK_none;
    out->mod = MOD_FIELD(sass_field(in, SF_INC) == SASS_TRYWAIT_YES, MOD_MODE);
    out->pdst[0] = sass_pred(in, 0);
    return take_mbarrier(l, in, out, true);
}

// How many arrivals and bytes: A1TR one arrival, bytes of the register; A1T0 one, none; ART0 as many as the register says;
// A0TR none, bytes announced; A0TX none, bytes that have come; A0T1 none, one byte announced (for ARRIVES.TRANSCNT).
// .RED gives no state back and reaches other blocks of the cluster.
bool lower_syncs_arrive(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const bool drops = sass_field(in, SF_TYPE) == SASS_ARRIVE_RED_OPTOUT;
    bool has_value = true;
    if (sass_field(in, SF_TYPE) == SASS_ARRIVE_RED_TMASK)
        return sass_refuse(l, in, "this kind of arrival");
    switch (sass_field(in, SF_SHAPE)) {
    case SASS_ARRIVE_COUNT_A1TR:
        out->form = drops ? FORM_MBAR_DROP_TX_b64 : FORM_MBAR_ARRIVE_TX_b64;
        break;
    case SASS_ARRIVE_COUNT_A1T0:
        out->form = drops ? FORM_MBAR_DROP_b64 : FORM_MBAR_ARRIVE_b64;
        has_value = false;
        break;
    case SASS_ARRIVE_COUNT_ART0:
        out->form = drops ? FORM_MBAR_DROP_b64 : FORM_MBAR_ARRIVE_b64;
        break;
    case SASS_ARRIVE_COUNT_A0TR:
        out->form = FORM_MBAR_EXPECT_b64;
        break;
    case SASS_ARRIVE_COUNT_A0TX:
        out->form = FORM_MBAR_COMPLETE_b64;
        break;
    case SASS_ARRIVE_COUNT_A0T1:
        out->form = FORM_MBAR_EXPECT_b64;
        has_value = false;
        break;
    default:
        return sass_refuse(l, in, "this kind of arrival");
    }
    out->dst = in->operands[0].number == SASS_RZ ? ROW_NONE : sass_dst(l, in, 0);
    if (!take_mbarrier(l, in, out, has_value))
        return false;
    if (sass_field(in, SF_TYPE) == SASS_ARRIVE_RED_RED)
        out->space = SPACE_CLUSTER;
    return true;
}

// ARRIVES.LDGSTSBAR: the copies have come already. .ARVCNT arrives, .TRANSCNT takes back what SYNCS.ARRIVE.A0T1 announced.
bool lower_arrives(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const unsigned what = sass_field(in, SF_SHAPE);
    if (what == SASS_ARRIVES_COUNT_NO)
        return sass_refuse(l, in, "without a count");
    set_space(out, SPACE_SHARED, CLASS_NONE);
    out->elem = ELEM_B64;
    out->dst = out->src[1] = ROW_NONE;
    out->form = what == SASS_ARRIVES_COUNT_ARVCNT ? FORM_MBAR_ARRIVE_b64 : FORM_MBAR_COMPLETE_b64;
    return sass_take_address(l, in, out);
}

// ---- fences -------------------------------------------------------------------------------------------------------------------

bool lower_fence(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)l;
    (void)in;
    out->form = FORM_MEMBAR_none;
    return true;
}
