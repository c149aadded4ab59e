// Operands of machine instructions to rows and predicates, and the choice of the family that lowers an instruction.
#include "sass/lowering.h"
#include <string.h>

enum { FIRST_PREPARED_ROW = 8, FIRST_UPRED = 8 }; // trash rows below are destinations, those above prepared sources

bool sass_refuse(struct sass_lowering *l, const struct sass_insn *in, const char *why)
{
    if (!l->refused)
        l->refused = arena_printf(l->arena, "%s: %s", in->row ? in->row->name : "unknown instruction", why);
    return false;
}

// ---- rows ------------------------------------------------------------------------------------------------------

static void pool_begin(struct sass_lowering *l)
{
    while (l->pool.n < SASS_TRASH_ROWS)
        vec_push(&l->pool, 0u);
}

rowref sass_pool(struct sass_lowering *l, uint32_t value)
{
    pool_begin(l);
    for (size_t i = 0; i < l->pool.n; i++)
        if (l->pool.at[i] == value)
            return ROW(ROW_POOL, i);
    vec_push(&l->pool, value);
    return ROW(ROW_POOL, l->pool.n - 1);
}

rowref sass_pool64(struct sass_lowering *l, uint64_t value)
{
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    pool_begin(l);
    for (size_t i = 0; i + 1 < l->pool.n; i++)
        if (l->pool.at[i] == low && l->pool.at[i + 1] == high)
            return ROW(ROW_POOL, i);
    vec_push(&l->pool, low);
    vec_push(&l->pool, high);
    return ROW(ROW_POOL, l->pool.n - 2);
}

bool sass_constant(const struct sass_lowering *l, rowref row, uint32_t *value)
{
    const bool is_constant = ROW_SPACE(row) == ROW_POOL && ROW_NUMBER(row) < l->pool.n;
    *value = is_constant ? l->pool.at[ROW_NUMBER(row)] : 0;
    return is_constant;
}

bool sass_is_zero(const struct sass_lowering *l, rowref row)
{
    uint32_t value;
    return sass_constant(l, row, &value) && value == 0;
}

rowref sass_trash(const struct sass_lowering *l, uint32_t row)
{
    return ROW(ROW_REG, l->n_registers + l->n_uregs + row);
}

static bool is_launch_word(struct launch_row row, uint32_t bank, uint32_t offset)
{
    return row.bank == bank && row.offset == offset && row.elem == ELEM_B32;
}

// One or two words of a constant bank.
rowref sass_bank_words(struct sass_lowering *l, uint32_t bank, uint32_t offset, uint32_t n_words)
{
    for (size_t i = 0; i + n_words <= l->launch_rows.n; i++)
        if (is_launch_word(l->launch_rows.at[i], bank, offset) &&
            (n_words == 1 || is_launch_word(l->launch_rows.at[i + 1], bank, offset + 4)))
            return ROW(ROW_LAUNCH, i);
    for (uint32_t word = 0; word < n_words; word++)
        vec_push(&l->launch_rows, ((struct launch_row){bank, offset + 4 * word, ELEM_B32}));
    return ROW(ROW_LAUNCH, l->launch_rows.n - n_words);
}

// ---- operands --------------------------------------------------------------------------------------------------

static rowref uniform_row(const struct sass_lowering *l, uint32_t number)
{
    return ROW(ROW_REG, l->n_registers + number);
}

rowref sass_source(struct sass_lowering *l, const struct sass_insn *in, unsigned k)
{
    const struct sass_operand *o = &in->operands[k];
    pool_begin(l);
    switch (o->kind) {
    case SO_REG:
        return o->number == SASS_RZ ? ROW(ROW_POOL, 0) : ROW(ROW_REG, o->number);
    case SO_UREG:
        return o->number == SASS_URZ ? ROW(ROW_POOL, 0) : uniform_row(l, o->number);
    case SO_IMM:
    case SO_BITS:
        if (in->row->unit == UNIT_FP64 || (in->row->unit == UNIT_CONV && o->words > 1))
            return sass_pool64(l, (uint64_t)o->value << 32);
        return sass_pool(l, (uint32_t)o->value);
    case SO_CONST:
        if (o->base_kind == SO_NONE && !o->has_ureg && o->value >= 0 && o->value % 4 == 0)
            return sass_bank_words(l, o->bank, (uint32_t)o->value, o->words > 1 || in->row->unit == UNIT_FP64 ? 2 : 1);
        sass_refuse(l, in, "a constant bank with a register in the address");
        return ROW(ROW_POOL, 0);
    default:
        sass_refuse(l, in, "an operand of another kind");
        return ROW(ROW_POOL, 0);
    }
}

rowref sass_dst(struct sass_lowering *l, const struct sass_insn *in, unsigned k)
{
    const struct sass_operand *o = &in->operands[k];
    if (o->kind == SO_REG && o->number != SASS_RZ)
        return ROW(ROW_REG, o->number);
    if (o->kind == SO_UREG && o->number != SASS_URZ)
        return uniform_row(l, o->number);
    return sass_trash(l, 0);
}

predref sass_pred(const struct sass_insn *in, unsigned k)
{
    const struct sass_operand *o = &in->operands[k];
    const unsigned first = o->kind == SO_UPRED ? FIRST_UPRED : 1;
    const predref pred = o->number == SASS_PT ? PRED_TRUE : (predref)(first + o->number);
    return (predref)(pred | (o->is_negated ? PRED_NOT : 0));
}

void sass_signs(const struct sass_insn *in, unsigned k, struct insn *out, unsigned bit)
{
    const struct sass_operand *o = &in->operands[k];
    out->src_negated |= (uint8_t)((o->is_negated || o->is_inverted) << bit);
    out->src_absolute |= (uint8_t)(o->is_absolute << bit);
}

static bool is_pred(const struct sass_operand *o)
{
    return o->kind == SO_PRED || o->kind == SO_UPRED;
}

static struct sass_parts split_operands(const struct sass_insn *in)
{
    struct sass_parts p = {0};
    for (uint8_t k = 0; k < in->n_operands; k++) {
        const struct sass_operand *o = &in->operands[k];
        if (k < in->n_dst && is_pred(o) && p.n_pdst < 2)
            p.pdst[p.n_pdst++] = k;
        else if (k < in->n_dst && p.n_dst < 2)
            p.dst[p.n_dst++] = k;
        else if (is_pred(o) && p.n_psrc < 3)
            p.psrc[p.n_psrc++] = k;
        else if (o->kind == SO_BITS && p.n_bits < 4)
            p.bits[p.n_bits++] = (uint32_t)o->value;
        else if (p.n_src < 6)
            p.src[p.n_src++] = k;
    }
    return p;
}

struct sass_parts sass_fill(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    const struct sass_parts p = split_operands(in);
    out->dst = p.n_dst ? sass_dst(l, in, p.dst[0]) : sass_trash(l, 0);
    for (unsigned i = 0; i < 2; i++)
        out->pdst[i] = i < p.n_pdst ? sass_pred(in, p.pdst[i]) : PRED_TRUE;
    for (unsigned i = 0; i < 3; i++)
        out->psrc[i] = i < p.n_psrc ? sass_pred(in, p.psrc[i]) : PRED_FALSE;
    for (unsigned i = 0; i < MAX_SRC; i++)
        out->src[i] = ROW(ROW_POOL, 0);
    for (unsigned i = 0; i < MAX_SRC && i < p.n_src; i++) {
        out->src[i] = sass_source(l, in, p.src[i]);
        sass_signs(in, p.src[i], out, i);
    }
    return p;
}

// ---- signs -----------------------------------------------------------------------------------------------------

bool sass_is_signed(const struct insn *out, unsigned k)
{
    return ((out->src_negated | out->src_absolute) >> k & 1) != 0;
}

static uint32_t fold_halves(uint32_t x, enum half_choice choice)
{
    return choice == HALVES_LOW ? (x & 0xffff) * 0x10001u : choice == HALVES_HIGH ? (x >> 16) * 0x10001u : x;
}

// A constant with its sign; the upper word of an f64.
static uint32_t fold_word(uint32_t x, bool is_negated, bool is_absolute, enum prepare kind, enum half_choice choice)
{
    if (kind == PREPARE_NEGATE || kind == PREPARE_INVERT)
        return !is_negated ? x : kind == PREPARE_INVERT ? ~x : 0 - x;
    const uint32_t signs = kind == PREPARE_HALVES ? 0x80008000u : 0x80000000u;
    if (kind == PREPARE_F32_NUMBER && (x & 0x7fffffff) > 0x7f800000)
        return x;
    if (kind == PREPARE_BYTES)
        return x >> 8 * (uint32_t)choice & 0xff;
    if (kind == PREPARE_HALVES)
        x = fold_halves(x, choice);
    return (is_absolute ? x & ~signs : x) ^ (is_negated ? signs : 0);
}

void sass_fold(struct sass_lowering *l, struct insn *out, unsigned k, enum prepare kind, enum half_choice choice)
{
    uint32_t word, upper;
    const bool is_negated = out->src_negated >> k & 1, is_absolute = out->src_absolute >> k & 1;
    if ((!is_negated && !is_absolute && choice == HALVES_BOTH) || !sass_constant(l, out->src[k], &word))
        return;
    if (kind == PREPARE_F64) {
        sass_constant(l, out->src[k] + 1, &upper);
        if (!prepare_is_nan(word, upper))
            upper = fold_word(upper, is_negated, is_absolute, kind, choice);
        out->src[k] = sass_pool64(l, (uint64_t)upper << 32 | word);
    } else {
        out->src[k] = sass_pool(l, fold_word(word, is_negated, is_absolute, kind, choice));
    }
    out->src_negated &= (uint8_t)~(1u << k);
    out->src_absolute &= (uint8_t)~(1u << k);
}

bool sass_prepare(struct sass_lowering *l, struct insn *out, unsigned form, enum prepare kind,
                  const enum half_choice *choices)
{
    int32_t chosen = 0;
    bool is_needed = false;
    for (unsigned k = 0; k < MAX_SRC; k++) {
        const enum half_choice choice = choices ? choices[k] : HALVES_BOTH;
        uint32_t ignored;
        sass_fold(l, out, k, kind, choice);
        const bool is_open =
            sass_is_signed(out, k) || (choice != HALVES_BOTH && !sass_constant(l, out->src[k], &ignored));
        out->data[k] = is_open ? sass_trash(l, FIRST_PREPARED_ROW + 2 * k) : ROW_NONE;
        chosen |= is_open ? PREPARE_CHOICE(k, choice) : 0;
        is_needed |= is_open;
    }
    out->form = (uint16_t)(is_needed ? FORM_PREPARED_none : form);
    out->offset = is_needed ? PREPARE(form, kind) | chosen : 0;
    return true;
}

bool sass_either(struct sass_lowering *l, struct insn *out, unsigned holds, unsigned other, enum prepare kind,
                 const enum half_choice *choices)
{
    if ((out->psrc[0] & ~PRED_NOT) == PRED_TRUE)
        return sass_prepare(l, out, out->psrc[0] == PRED_TRUE ? holds : other, kind, choices);
    out->extra = holds | other << 16;
    return sass_prepare(l, out, FORM_EITHER_none, kind, choices);
}

void sass_swap(struct insn *out, unsigned i, unsigned k)
{
    const rowref row = out->src[i];
    out->src[i] = out->src[k];
    out->src[k] = row;
    const uint8_t negated = (uint8_t)((out->src_negated >> i ^ out->src_negated >> k) & 1);
    const uint8_t absolute = (uint8_t)((out->src_absolute >> i ^ out->src_absolute >> k) & 1);
    out->src_negated ^= (uint8_t)(negated << i | negated << k);
    out->src_absolute ^= (uint8_t)(absolute << i | absolute << k);
}

void sass_copy(struct insn *out, rowref row)
{
    out->form = FORM_MOV_b32;
    out->src[0] = row;
    out->src_negated = out->src_absolute = 0;
}

// ---- one instruction -------------------------------------------------------------------------------------------

// The twin of a form that writes all lanes; 0: there is none.
static unsigned uniform_form(unsigned form)
{
    static const uint16_t twins[N_FORMS] = {
        [FORM_MOV_b32] = FORM_UNIFORM_COPY_b32,
        [FORM_MOV_b64] = FORM_UNIFORM_COPY_b64,
        [FORM_PREPARED_none] = FORM_UNIFORM_PREPARED_none,
// Forms that write all lanes by themselves.
#define ITSELF(form) [form] = form
        ITSELF(FORM_R2UR_none), ITSELF(FORM_S2UR_none), ITSELF(FORM_VOTE_none), ITSELF(FORM_REDUX_none),
        ITSELF(FORM_ELECT_ONE_none), ITSELF(FORM_SYNCS_EXCH_none), ITSELF(FORM_ULDC_b32), ITSELF(FORM_PREDS_TO_REG_none),
#undef ITSELF
#define OP(...)
#define COLD OP
#define FN OP
#define MEM OP
#define UNIFORM(id, type) [FORM_##id##_##type] = FORM_UNIFORM_##id##_##type,
#include "sass/machine.def"
#undef UNIFORM
#undef MEM
#undef FN
#undef COLD
#undef OP
    };
    return twins[form];
}

static bool writes_uniform(const struct sass_insn *in)
{
    for (unsigned k = 0; k < in->n_dst; k++)
        if (in->operands[k].kind == SO_UREG || in->operands[k].kind == SO_UPRED)
            return true;
    return false;
}

// Every register lies in the frame, whatever the encoding says.
static bool registers_exist(const struct sass_lowering *l, const struct sass_insn *in)
{
    for (unsigned k = 0; k < in->n_operands; k++) {
        const struct sass_operand *o = &in->operands[k];
        const uint32_t words = o->words ? o->words : 1;
        const bool is_reg = o->kind == SO_REG || (o->kind == SO_MEM && o->base_kind == SO_REG);
        if (is_reg && o->number != SASS_RZ && o->number + words > l->n_registers)
            return false;
        if (o->kind == SO_UREG && o->number != SASS_URZ && o->number + words > l->n_uregs)
            return false;
    }
    return true;
}

typedef bool lower_function(struct sass_lowering *l, const struct sass_insn *in, struct insn *out);

bool lower_none(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    (void)out;
    return sass_refuse(l, in, "not executed");
}

// A word of the driver that is not in the table would read as 0: refused, so that PTX runs or the user is told.
static bool words_are_known(struct sass_lowering *l, const struct sass_insn *in)
{
    for (unsigned k = 0; k < in->n_operands; k++) {
        const struct sass_operand *o = &in->operands[k];
        const bool is_fixed = o->base_kind == SO_NONE || o->number == SASS_RZ;
        if (o->kind != SO_CONST || o->bank != BANK_PARAMS || !is_fixed || o->has_ureg || o->value < 0 ||
            (uint64_t)o->value >= l->param_base)
            continue;
        if (!bank0_is_known((uint32_t)o->value, o->words > 1 ? 8 : 4))
            return sass_refuse(l, in, arena_printf(l->arena, "word 0x%x of bank 0, which is the driver's and not known",
                                                   (unsigned)o->value));
    }
    return true;
}

bool sass_lower_insn(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    static lower_function *const functions[N_SASS_OPS] = {
#define SASS(id, name, archs, opcode, spec, unit, lower) [SASS_##id] = lower,
#include "sass/sass.def"
#undef SASS
    };
    const unsigned first = in->guard_is_uniform ? FIRST_UPRED : 1;
    l->refused = NULL;
    *out = (struct insn){.dst = ROW_NONE, .control = SASS_CONTROL(in->high)};
    for (int k = 0; k < MAX_SRC; k++)
        out->src[k] = ROW_NONE;
    for (int k = 0; k < MAX_DATA; k++)
        out->data[k] = ROW_NONE;
    if (!in->row)
        return sass_refuse(l, in, "no row of the table fits");
    out->unit = in->row->unit;
    out->guard = (predref)((in->guard == SASS_PT ? PRED_TRUE : first + in->guard) | (in->guard_is_negated ? PRED_NOT : 0));
    if (!registers_exist(l, in))
        return sass_refuse(l, in, "a register beyond those of the kernel");
    if (!words_are_known(l, in))
        return false;
    if (!functions[in->op](l, in, out) || l->refused)
        return sass_refuse(l, in, "not executed");
    if (out->class != CLASS_NONE || !writes_uniform(in))
        return true;
    const unsigned twin = uniform_form(out->form);
    if (!twin)
        return sass_refuse(l, in, "no uniform form");
    out->form = (uint16_t)twin;
    return true;
}
