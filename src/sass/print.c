// A decoded instruction as nvdisasm writes it, by the spec of its row.
#include "isa/isa.h"
#include "sass/spec.h"
#include "sass/text.h"
#include <inttypes.h>
#include <string.h>

struct printing {
    const struct sass_insn *in;
    struct buf *out;
    unsigned operand; // the next one
};

// A target as it is printed: where a register is added to it, the distance alone.
static int64_t target_value(const struct printing *p, const struct sass_item *item,
                            const struct sass_operand *operand)
{
    bool is_distance = sass_item_argument(item, 'r') >= 0;
    return is_distance ? operand->value - p->in->offset - SASS_BYTES : operand->value;
}

static bool is_default(const struct printing *p, const struct sass_item *item,
                       const struct sass_operand *operand)
{
    int number = sass_item_argument(item, 'z');
    switch (operand->kind) {
    case SO_PRED:
    case SO_UPRED:
        return operand->number == SASS_PT && !operand->is_negated;
    case SO_REG:
        return operand->number == SASS_RZ;
    case SO_UREG:
        return operand->number == SASS_URZ;
    case SO_TARGET:
        return target_value(p, item, operand) == 0;
    default:
        return operand->value == (number > 0 ? number : 0);
    }
}

// ---- operands
// -------------------------------------------------------------------------------------------------------------

static const char *const half_selects[] = {"", ".F32", ".H0_H0", ".H1_H1"};
static const char *const scales[] = {"", ".X4", ".X8", ".X16"};

static void print_register(struct buf *out, bool is_uniform, unsigned number)
{
    const char *name = is_uniform ? "UR" : "R";
    if (number == (is_uniform ? SASS_URZ : SASS_RZ))
        buf_printf(out, "%sZ", name);
    else
        buf_printf(out, "%s%u", name, number);
}

static void print_predicate(struct buf *out, const struct sass_operand *operand)
{
    const char *name = operand->kind == SO_UPRED ? "UP" : "P";
    buf_puts(out, operand->is_negated ? "!" : "");
    if (operand->number == SASS_PT)
        buf_printf(out, "%sT", name);
    else
        buf_printf(out, "%s%u", name, operand->number);
}

static void print_signed_hex(struct buf *out, int64_t value)
{
    buf_printf(out, value < 0 ? "-0x%" PRIx64 : "0x%" PRIx64, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

// [R2.64+UR4+0x10]; the base RZ is left out when something else stands there.
static void print_memory(const struct printing *p, const struct sass_operand *m)
{
    struct buf *out = p->out;
    if (m->has_descriptor && p->in->cc >= 90) { // there is one before sm_90, but it is not printed
        buf_puts(out, "desc[");
        print_register(out, true, m->descriptor);
        buf_puts(out, "]");
    }
    buf_puts(out, "[");
    const char *plus = "";
    if (m->number != SASS_RZ || m->select || (!m->has_ureg && m->value == 0)) {
        print_register(out, false, m->number);
        buf_puts(out, scales[m->select]);
        if (m->is_base_64 && (m->has_descriptor || m->has_ureg))
            buf_puts(out, ".64");
        plus = "+";
    }
    if (m->has_ureg) {
        buf_puts(out, plus);
        print_register(out, true, m->ureg);
        plus = "+";
    }
    if (m->value != 0) {
        buf_puts(out, plus);
        print_signed_hex(out, m->value);
    }
    buf_puts(out, "]");
}

static void print_constant(struct buf *out, const struct sass_operand *c)
{
    if (c->is_bindless) {
        buf_puts(out, "cx[");
        print_register(out, true, c->number);
        buf_puts(out, "][");
    } else
        buf_printf(out, "c[0x%x][", c->bank);
    bool has_register = !c->is_bindless && c->base_kind != SO_NONE;
    bool is_zero =
        has_register && c->number == (c->base_kind == SO_UREG ? SASS_URZ : SASS_RZ) && c->value != 0;
    if (has_register && !is_zero)
        print_register(out, c->base_kind == SO_UREG, c->number);
    if (!has_register || c->value != 0) {
        buf_puts(out, has_register && !is_zero ? "+" : "");
        print_signed_hex(out, c->value);
    }
    buf_puts(out, "]");
}

static void print_bit_list(struct buf *out, uint64_t bits)
{
    buf_puts(out, "{");
    for (int bit = 63, n = 0; bit >= 0; bit--)
        if (bits >> bit & 1)
            buf_printf(out, n++ ? ",%d" : "%d", bit);
    buf_puts(out, "}");
}

static void print_immediate(const struct printing *p, const struct sass_item *item,
                            const struct sass_operand *operand)
{
    uint32_t value = (uint32_t)operand->value;
    unsigned function = p->in->fields[SF_FUNC];
    bool is_upper = function == SASS_FUNC_RCP64H || function == SASS_FUNC_RSQ64H; // of a double
    if (is_upper)
        sass_text_f64(p->out, (uint64_t)value << 32);
    else if (sass_item_argument(item, 'f') >= 0)
        sass_text_f32(p->out, value);
    else if (sass_item_argument(item, 'd') >= 0)
        sass_text_f64(p->out, (uint64_t)value << 32);
    else if (sass_item_argument(item, 'h') >= 0) {
        bool is_bf16 = p->in->fields[SF_HALF_TYPE] == SASS_HALF_BF16;
        sass_text_half(p->out, (uint16_t)(value >> 16), is_bf16);
        buf_puts(p->out, ", ");
        sass_text_half(p->out, (uint16_t)value, is_bf16);
    } else
        print_signed_hex(p->out, sass_item_argument(item, 'g') >= 0 ? (int32_t)value : (int64_t)value);
}

static void print_signed_operand(const struct printing *p, const struct sass_operand *operand)
{
    buf_puts(p->out, operand->is_inverted ? "~" : operand->is_negated ? "-" : "");
    buf_puts(p->out, operand->is_absolute ? "|" : "");
    if (operand->kind == SO_CONST)
        print_constant(p->out, operand);
    else
        print_register(p->out, operand->kind == SO_UREG, operand->number);
    buf_puts(p->out, operand->is_absolute ? "|" : "");
    buf_puts(p->out, operand->is_reuse ? ".reuse" : "");
    if (operand->kind == SO_REG || operand->kind == SO_UREG)
        buf_puts(p->out, half_selects[operand->select & 3]);
}

static void print_operand(const struct printing *p, const struct sass_item *item,
                          const struct sass_operand *operand)
{
    switch (operand->kind) {
    case SO_REG:
    case SO_UREG:
    case SO_CONST:
        print_signed_operand(p, operand);
        break;
    case SO_PRED:
    case SO_UPRED:
        print_predicate(p->out, operand);
        break;
    case SO_IMM:
        print_immediate(p, item, operand);
        break;
    case SO_MEM:
        print_memory(p, operand);
        break;
    case SO_BARRIER:
        sass_text_barrier(p->out, operand->number);
        break;
    case SO_SCOREBOARD:
        buf_printf(p->out, item->letter == 'G' ? "gsb%u" : "SB%u", operand->number);
        break;
    case SO_SREG:
        sass_text_special(p->out, operand->number);
        break;
    case SO_TARGET:
        print_signed_hex(p->out, target_value(p, item, operand));
        break;
    default:
        if (item->letter == 'L')
            print_bit_list(p->out, (uint64_t)operand->value);
        else
            print_signed_hex(p->out, operand->value);
        break;
    }
}

// ---- modifiers
// ------------------------------------------------------------------------------------------------------------

static void print_field(const struct printing *p, const struct sass_kind *kind)
{
    unsigned value = p->in->fields[kind->field];
    const char *text = sass_kind_text(kind, value);
    if (text)
        buf_puts(p->out, text);
    else
        buf_printf(p->out, ".INVALID%u", value);
}

static bool is_zero(const struct sass_operand *operand)
{
    return operand->kind == SO_IMM   ? operand->value == 0
           : operand->kind == SO_REG ? operand->number == SASS_RZ
                                     : false;
}

// IMAD is written by what it is used for: a move, a sum, a shift. Measured by printing each case: uniform
// registers are never part of it, and of the powers of two 2^16 and 2^31 are no shifts.
static void print_imad(const struct printing *p)
{
    const struct sass_operand *a = &p->in->operands[1], *b = a + 1, *c = a + 2;
    bool is_one = b->kind == SO_IMM && b->value == 1;
    uint32_t value = b->kind == SO_IMM ? (uint32_t)b->value : 0;
    if (p->in->fields[SF_X] || a->kind == SO_UREG || b->kind == SO_UREG || c->kind == SO_UREG)
        return;
    if (is_zero(a) || is_zero(b) || (is_one && is_zero(c)))
        buf_puts(p->out, ".MOV");
    else if (is_one)
        buf_puts(p->out, ".IADD");
    else if (value && (value & (value - 1)) == 0 && value != 0x10000 && value != 0x80000000 && is_zero(c))
        buf_puts(p->out, ".SHL");
}

// ---- the walk
// ---------------------------------------------------------------------------------------------------------------

// Steps over a group; true when an operand in it is not the default.
static bool skip_group(struct printing *p, const char **at)
{
    struct sass_item item;
    bool is_shown = false;
    for (int depth = 1; depth && sass_item_next(at, &item);) {
        depth += item.what == ITEM_OPEN;
        depth -= item.what == ITEM_CLOSE;
        if (item.what == ITEM_OPERAND)
            is_shown |= !is_default(p, &item, &p->in->operands[p->operand++]);
    }
    return is_shown;
}

static bool condition_holds(struct printing *p, const struct sass_item *open, const char *at)
{
    unsigned value = p->in->fields[open->field];
    if (open->is_default_test) {
        struct printing look = *p;
        return skip_group(&look, &at);
    }
    bool holds = open->values ? value < 64 && (open->values >> value & 1) : value != 0;
    return holds != open->is_inverse;
}

static void print_item(struct printing *p, const struct sass_item *item, const char **at)
{
    switch (item->what) {
    case ITEM_TEXT:
        buf_add(p->out, item->text, item->n);
        break;
    case ITEM_FIELD:
        print_field(p, item->kind);
        break;
    case ITEM_SPECIAL:
        if (*item->text == 'i')
            print_imad(p);
        break;
    case ITEM_OPERAND:
        print_operand(p, item, &p->in->operands[p->operand]);
        p->operand++;
        break;
    case ITEM_OPEN:
        if (!condition_holds(p, item, *at))
            skip_group(p, at);
        break;
    case ITEM_CLOSE:
        break;
    }
}

static void print_guard(const struct sass_insn *insn, struct buf *out)
{
    if (insn->guard == SASS_PT && !insn->guard_is_negated)
        return;
    struct sass_operand guard = {.kind = insn->guard_is_uniform ? SO_UPRED : SO_PRED, .number = insn->guard};
    buf_puts(out, insn->guard_is_negated ? "@!" : "@");
    print_predicate(out, &guard);
    buf_puts(out, " ");
}

void sass_print(const struct sass_insn *insn, struct buf *out)
{
    if (!insn->row) {
        buf_printf(out, "(unknown: 0x%016" PRIx64 " 0x%016" PRIx64 ")", insn->low, insn->high);
        return;
    }
    struct printing p = {insn, out, 0};
    struct sass_item item;
    print_guard(insn, out);
    buf_puts(out, insn->row->name);
    for (const char *at = insn->row->spec; sass_item_next(&at, &item);)
        print_item(&p, &item, &at);
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = 0;
}
