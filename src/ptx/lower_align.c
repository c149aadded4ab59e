// How many low bits of each integer register are always zero: what alignment of an address the text proves.
#include "ptx/lowering.h"
#include <string.h>

enum { MOST = 31 }; // of zero: all bits

static uint32_t trailing_zeros(uint64_t value)
{
    return value == 0 || __builtin_ctzll(value) > MOST ? MOST : (uint32_t)__builtin_ctzll(value);
}

// Variables in shared memory have their places; of all others nothing is known.
static uint32_t operand_zeros(const struct body *b, const struct ptx_operand *operand, const uint8_t *zeros)
{
    if (operand->kind == PO_REG)
        return operand->component ? 0 : zeros[operand->variable->id];
    if (operand->kind == PO_IMM)
        return trailing_zeros(operand->bits);
    const struct home *home = operand->kind == PO_SYMBOL && operand->variable && operand->variable->space == PS_SHARED
                                  ? home_find(b->lowering, operand->variable)
                                  : NULL;
    return home ? trailing_zeros(home->address + (uint64_t)operand->offset) : 0;
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool op_is(const struct ptx_insn *insn, const char *names)
{
    const char *at = strstr(names, insn->op);
    size_t n = strlen(insn->op);
    return at && (at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
}

static bool is_integer(const struct ptx_insn *insn)
{
    const char *type = insn->n_suffixes ? insn->suffixes[insn->n_suffixes - 1] : "";
    return (*type == 'u' || *type == 's' || *type == 'b') && !insn_has_suffix(insn, "hi") && !insn_has_suffix(insn, "sat");
}

// Of the result of an instruction.
static uint32_t result_zeros(const struct body *b, const struct ptx_insn *insn, const uint8_t *zeros)
{
    uint32_t z[4] = {0};
    if (!is_integer(insn))
        return 0;
    for (uint32_t i = 1; i < insn->n_operands && i < 4; i++)
        z[i] = operand_zeros(b, &insn->operands[i], zeros);
    if (op_is(insn, "mov cvta cvt neg") && insn->n_operands == 2)
        return z[1];
    if (op_is(insn, "add sub or xor min max selp"))
        return less(z[1], z[2]);
    if (op_is(insn, "and"))
        return z[1] > z[2] ? z[1] : z[2];
    if (op_is(insn, "mul mul24"))
        return less(z[1] + z[2], MOST);
    if (op_is(insn, "mad mad24"))
        return less(less(z[1] + z[2], MOST), z[3]);
    if (op_is(insn, "shl") && insn->operands[2].kind == PO_IMM)
        return less(z[1] + (uint32_t)less((uint32_t)insn->operands[2].bits, MOST), MOST);
    return 0;
}

// Lowers what is known of the registers an operand names; true when something changed.
static bool limit(const struct ptx_operand *operand, uint32_t to, uint8_t *zeros)
{
    bool changed = false;
    if (operand->kind == PO_REG && operand->variable->type != PT_PRED && zeros[operand->variable->id] > to) {
        zeros[operand->variable->id] = (uint8_t)to;
        changed = true;
    }
    for (uint32_t i = 0; (operand->kind == PO_VECTOR || operand->kind == PO_PAREN) && i < operand->n_items; i++)
        changed |= limit(&operand->items[i], to, zeros);
    return changed;
}

// What an instruction writes stands first; a call may write whatever it names.
static bool limit_written(const struct body *b, const struct ptx_insn *insn, uint8_t *zeros)
{
    bool changed = false;
    if (strcmp(insn->op, "call") == 0) {
        for (uint32_t i = 0; i < insn->n_operands; i++)
            changed |= limit(&insn->operands[i], 0, zeros);
        return changed;
    }
    const struct ptx_operand *to = insn->n_operands ? &insn->operands[0] : NULL;
    if (!to || strcmp(insn->op, "st") == 0 || strcmp(insn->op, "red") == 0)
        return false;
    return limit(to, to->kind == PO_REG ? result_zeros(b, insn, zeros) : 0, zeros);
}

// From "all zero" downwards until nothing changes: registers that follow each other round a loop keep what they share.
uint8_t *find_low_zeros(struct body *b)
{
    const struct ptx_function *f = b->function;
    uint8_t *zeros = arena_array(&b->lowering->work, uint8_t, f->n_registers + 1);
    memset(zeros, MOST, f->n_registers);
    for (uint32_t i = 0; i < f->n_params + f->n_returns; i++) {
        const struct ptx_variable *v = i < f->n_params ? f->params[i] : f->returns[i - f->n_params];
        if (v->space == PS_REG)
            zeros[v->id] = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->n_insns; i++)
            changed |= limit_written(b, &f->insns[i], zeros);
    }
    return zeros;
}
