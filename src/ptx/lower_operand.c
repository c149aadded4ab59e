// Operands of the text become rows: registers, immediates (pool), constant-bank words (launch rows), special
// registers (read into a temporary row first), addresses of symbols.
#include "ptx/lowering.h"
#include <math.h>
#include <string.h>

// ---- types ------------------------------------------------------------------------------------------

uint32_t type_rows(enum ptx_type type)
{
    uint32_t bytes = ptx_type_bytes(type);
    return bytes <= 4 ? 1 : bytes / 4;
}

bool type_is_signed(enum ptx_type type)
{
    return type == PT_S8 || type == PT_S16 || type == PT_S32 || type == PT_S64;
}

static bool type_is_float(enum ptx_type type)
{
    return type == PT_F16 || type == PT_BF16 || type == PT_F32 || type == PT_F64 || type == PT_TF32;
}

// ---- pool and launch rows ---------------------------------------------------------------------------

rowref pool_words(struct lowering *l, const uint32_t *words, uint32_t n)
{
    const char *key = (const char *)words;
    size_t length = n * sizeof *words;
    size_t known = (size_t)(uintptr_t)map_get(&l->pool_rows, key, length);
    if (known)
        return ROW(ROW_POOL, known - 1);
    size_t row = l->pool.n;
    for (uint32_t i = 0; i < n; i++)
        vec_push(&l->pool, words[i]);
    map_set(&l->pool_rows, arena_copy(&l->work, words, length, 4), length, (void *)(uintptr_t)(row + 1));
    return ROW(ROW_POOL, row);
}

rowref pool_u32(struct lowering *l, uint32_t value)
{
    return pool_words(l, &value, 1);
}

rowref pool_u64(struct lowering *l, uint64_t value)
{
    uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    return pool_words(l, words, 2);
}

rowref launch_word(struct lowering *l, uint32_t bank, uint32_t offset, enum elem elem, uint32_t n_words)
{
    const struct launch_row *rows = l->launch_rows.at;
    for (size_t i = 0; i + n_words <= l->launch_rows.n; i++) {
        uint32_t k = 0;
        while (k < n_words && rows[i + k].bank == bank && rows[i + k].offset == offset + 4 * k &&
               rows[i + k].elem == elem)
            k++;
        if (k == n_words)
            return ROW(ROW_LAUNCH, i);
    }
    size_t first = l->launch_rows.n;
    for (uint32_t k = 0; k < n_words; k++) {
        struct launch_row row = {bank, offset + 4 * k, (uint8_t)elem};
        vec_push(&l->launch_rows, row);
    }
    return ROW(ROW_LAUNCH, first);
}

// ---- immediates -------------------------------------------------------------------------------------

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double immediate_value(const struct ptx_operand *operand)
{
    if (!operand->is_float)
        return (double)(int64_t)operand->bits;
    if (operand->float_bytes == 4) {
        uint32_t bits = (uint32_t)operand->bits;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &operand->bits, sizeof value);
    return value;
}

// IEEE half precision, to nearest even.
static uint64_t bits_of_half(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return 0x7fff;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexp(size, &exponent);                               // size = 0.5 .. 1 * 2^exponent
    int step = exponent - 11 < -24 ? -24 : exponent - 11; // one unit in the last place is 2^step
    uint64_t units = (uint64_t)nearbyint(ldexp(size, -step));
    return sign | (units + ((uint64_t)(step + 24) << 10)); // a carry out of the fraction raises the exponent
}

static uint64_t bits_of_bfloat(double value)
{
    uint64_t bits = bits_of_float((float)value);
    if (isnan(value))
        return 0x7fff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint64_t float_bits(double value, enum ptx_type type)
{
    switch (type) {
    case PT_F16:
        return bits_of_half(value);
    case PT_BF16:
        return bits_of_bfloat(value);
    case PT_F64:
        return bits_of_double(value);
    default:
        return bits_of_float((float)value);
    }
}

// A literal of the right width keeps its bits, NaNs included; else its value is converted.
uint64_t immediate_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    uint32_t bytes = ptx_type_bytes(type);
    bool is_same = operand->is_float && operand->float_bytes == bytes;
    uint64_t bits = operand->bits;
    if (type_is_float(type) && !is_same) {
        bits = float_bits(immediate_value(operand), type);
    } else if (operand->is_float && !is_same && (bytes == 4 || bytes == 8)) {
        bits = bytes == 4 ? bits_of_float((float)immediate_value(operand))
                          : bits_of_double(immediate_value(operand));
    }
    if (operand->is_negated)
        bits = operand->is_float || type_is_float(type) ? bits ^ 1ull << (8 * bytes - 1) : 0 - bits;
    return bytes && bytes < 8 ? bits & ((1ull << 8 * bytes) - 1) : bits;
}

static rowref immediate_row(struct lowering *l, const struct ptx_operand *operand, enum ptx_type type)
{
    uint64_t bits = immediate_bits(operand, type);
    if (type_rows(type) == 1)
        return pool_u32(l, (uint32_t)bits);
    uint32_t fill = (int64_t)bits < 0 ? 0xffffffffu : 0;
    uint32_t words[4] = {(uint32_t)bits, (uint32_t)(bits >> 32), fill, fill};
    return pool_words(l, words, type_rows(type));
}

// ---- registers --------------------------------------------------------------------------------------

uint32_t operand_bytes(const struct ptx_operand *operand)
{
    return operand->kind == PO_REG ? ptx_type_bytes(operand->variable->type) : 0;
}

bool register_row(struct body *b, const struct ptx_operand *operand, rowref *out)
{
    const struct ptx_variable *variable = operand->variable;
    if (operand->kind == PO_SINK) {
        *out = ROW_NONE;
        return true;
    }
    if (operand->kind != PO_REG || variable->type == PT_PRED)
        return lower_fail(b->lowering, operand->at, "a register is needed here");
    *out = b->constant_row[variable->id];
    if (*out != ROW_NONE)
        return true;
    uint32_t component = operand->component ? (uint32_t)(strchr("xyzw", operand->component) - "xyzw") : 0;
    if (operand->component && variable->vector <= 1)
        return lower_fail(b->lowering, operand->at, "%s is not a vector", variable->name);
    if (!operand->component && variable->vector > 1)
        return lower_fail(b->lowering, operand->at, "%s is a vector; name one element", variable->name);
    *out = ROW(ROW_REG, b->row_of_register[variable->id] + component * type_rows(variable->type));
    return true;
}

bool operand_pred(struct body *b, const struct ptx_operand *operand, vpred *out)
{
    if (operand->kind == PO_SINK) {
        *out = NO_VPRED;
        return true;
    }
    if (operand->kind == PO_IMM) {
        *out = operand->bits ? NO_VPRED : NO_VPRED | VPRED_NOT;
        return true;
    }
    if (operand->kind != PO_REG || operand->variable->type != PT_PRED)
        return lower_fail(b->lowering, operand->at, "a predicate is needed here");
    *out = b->row_of_register[operand->variable->id] | (operand->is_negated ? VPRED_NOT : 0);
    return true;
}

// ---- addresses of symbols ---------------------------------------------------------------------------

static bool function_address(struct body *b, const struct ptx_operand *operand, struct symbol_address *out)
{
    const struct ptx_function *function =
        operand->name ? ptx_find_meant(b->lowering->module, operand->name) : NULL;
    if (!function)
        return lower_fail(b->lowering, operand->at, "%s is not known in this module",
                          operand->name ? operand->name : "the symbol");
    out->is_wide = true;
    out->value = KERNEL_CODE_WINDOW + 16ull * function_number(b->lowering, function);
    return true;
}

// Where blocks of a cluster meet, a shared address says which block's it is.
static void shared_base(struct body *b, struct symbol_address *out)
{
    out->is_dynamic = true;
    out->row = ROW(ROW_REG, body_group(b, 1, false));
    struct draft *draft = emit_pseudo(b, FORM_SREG_none);
    draft->insn.dst = out->row;
    draft->insn.extra = SREG_SHARED_BASE;
    emit_def(b, out->row, 1);
}

bool symbol_address(struct body *b, const struct ptx_operand *operand, struct symbol_address *out)
{
    struct lowering *l = b->lowering;
    const struct ptx_variable *variable = operand->variable;
    *out = (struct symbol_address){.row = ROW_NONE};
    if (!variable)
        return function_address(b, operand, out);
    const struct home *home = home_find(l, variable);
    if (!home && l->is_checked_only)
        home = home_make(l, variable);
    if (!home)
        return lower_fail(l, operand->at, "%s has no address: it is %s", variable->name,
                          variable->is_extern ? "extern and not defined in this module"
                                              : "not a variable in memory");
    if (variable->space == PS_PARAM && !(variable->owner && variable->owner->is_entry))
        return lower_fail(l, operand->at,
                          "the address of parameter %s of a function is taken, which is not supported",
                          variable->name);
    out->is_wide = variable->space == PS_GLOBAL;
    out->value = home->address + (uint64_t)operand->offset;
    out->is_dynamic = variable->space == PS_LOCAL && !b->function->is_entry;
    if (out->is_dynamic)
        out->row = ROW(ROW_REG, ROW_OWN + FRAME_LOCAL);
    if (variable->space == PS_SHARED && l->kernel->uses_clusters)
        shared_base(b, out);
    return true;
}

// A symbol as a source: its address as a value of `type`.
static bool symbol_row(struct body *b, const struct ptx_operand *operand, enum ptx_type type, rowref *out)
{
    struct lowering *l = b->lowering;
    struct symbol_address address;
    if (!symbol_address(b, operand, &address))
        return false;
    uint32_t n_rows = type_rows(type);
    if (!address.is_dynamic) {
        *out = n_rows == 1 ? pool_u32(l, (uint32_t)address.value) : pool_u64(l, address.value);
        return true;
    }
    rowref temporary = ROW(ROW_REG, body_group(b, n_rows, false));
    struct draft *add = emit_pseudo(b, FORM_ADD_u32);
    add->insn.dst = temporary;
    add->insn.src[0] = address.row;
    add->insn.src[1] = pool_u32(l, (uint32_t)address.value);
    emit_use(b, address.row, 1);
    emit_def(b, temporary, 1);
    if (n_rows > 1)
        emit_pseudo_move(b, temporary + 1, pool_u32(l, 0));
    *out = temporary;
    return true;
}

// ---- any operand that is read -----------------------------------------------------------------------

bool operand_row(struct body *b, const struct ptx_operand *operand, enum ptx_type type, rowref *out)
{
    switch (operand->kind) {
    case PO_REG:
        if (operand->is_negated)
            return lower_fail(b->lowering, operand->at, "a negated register is not supported here");
        if (operand_bytes(operand) < ptx_type_bytes(type))
            return lower_fail(b->lowering, operand->at, "register %s is narrower than the .%s that is read",
                              operand->variable->name, ptx_type_name(type));
        return register_row(b, operand, out);
    case PO_IMM:
        *out = immediate_row(b->lowering, operand, type);
        return true;
    case PO_SYMBOL:
        return symbol_row(b, operand, type, out);
    case PO_SREG:
        *out = ROW(ROW_REG, body_group(b, type_rows(type), false));
        return emit_special(b, operand, *out, type, true);
    default:
        return lower_fail(b->lowering, operand->at, "this operand is not expected here");
    }
}
