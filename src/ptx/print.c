// PTX from the tree. The layout is our own; numbers, offsets and array shapes are printed in one canonical
// form.
#include "ptx/item.h"
#include "ptx/parse.h"
#include <inttypes.h>
#include <string.h>

// ---- declarations ---------------------------------------------------------------------------------------

void print_type(struct buf *out, const struct ptx_variable *variable)
{
    if (variable->align)
        buf_printf(out, " .align %u", variable->align);
    if (variable->vector > 1)
        buf_printf(out, " .v%u", variable->vector);
    buf_printf(out, " .%s", ptx_type_name(variable->type));
}

static void print_init(struct buf *out, const struct ptx_variable *variable, const struct ptx_init *init)
{
    if (init->mask_shift >= 0)
        buf_printf(out, "0x%" PRIX64 "(", (uint64_t)0xff << (8 * init->mask_shift));
    if (init->is_generic)
        buf_puts(out, "generic(");
    if (init->symbol)
        buf_puts(out, init->symbol);
    else if (init->is_float && ptx_type_bytes(variable->type) == 4)
        buf_printf(out, "0f%08" PRIX64, init->bits);
    else if (init->is_float)
        buf_printf(out, "0d%016" PRIX64, init->bits);
    else
        buf_printf(out, "%" PRIu64, init->bits);
    if (init->is_generic)
        buf_puts(out, ")");
    if (init->offset)
        buf_printf(out, "%+" PRId64, init->offset);
    if (init->mask_shift >= 0)
        buf_puts(out, ")");
}

static void print_shape(struct buf *out, const struct ptx_variable *variable)
{
    if (variable->is_array && variable->count)
        buf_printf(out, "[%" PRIu64 "]", variable->count);
    else if (variable->is_array)
        buf_puts(out, "[]");
}

static void print_inits(struct buf *out, const struct ptx_variable *variable)
{
    bool is_list = variable->is_array || variable->vector > 1;
    if (variable->n_init == 0)
        return;
    buf_puts(out, is_list ? " = {" : " = ");
    for (size_t i = 0; i < variable->n_init; i++) {
        if (i > 0)
            buf_puts(out, ", ");
        print_init(out, variable, &variable->init[i]);
    }
    buf_puts(out, is_list ? "}" : "");
}

static const char *space_name(enum ptx_space space)
{
    static const char *const names[] = {
        [PS_REG] = ".reg",     [PS_GLOBAL] = ".global", [PS_CONST] = ".const", [PS_SHARED] = ".shared",
        [PS_LOCAL] = ".local", [PS_PARAM] = ".param",   [PS_SREG] = ".sreg",   [PS_TEX] = ".tex"};
    return names[space];
}

static void print_linkage(struct buf *out, bool is_extern, bool is_visible, bool is_weak, bool is_hidden)
{
    buf_puts(out, is_extern ? ".extern " : "");
    buf_puts(out, is_visible ? ".visible " : "");
    buf_puts(out, is_weak ? ".weak " : "");
    buf_puts(out, is_hidden ? ".hidden " : "");
}

static void print_variable(struct buf *out, const struct ptx_variable *variable)
{
    print_linkage(out, variable->is_extern, variable->is_visible, variable->is_weak, variable->is_hidden);
    buf_puts(out, variable->is_common ? ".common " : "");
    buf_puts(out, space_name(variable->space));
    if (variable->is_managed)
        buf_puts(out, " .attribute(.managed)");
    print_type(out, variable);
    buf_printf(out, " %s", variable->name);
    print_shape(out, variable);
    print_inits(out, variable);
    buf_puts(out, ";");
}

static void print_param(struct buf *out, const struct ptx_variable *param)
{
    buf_puts(out, space_name(param->space));
    print_type(out, param);
    if (param->is_pointer_param) {
        buf_puts(out, " .ptr");
        if (param->ptr_space)
            buf_printf(out, " .%s", param->ptr_space);
        if (param->ptr_align)
            buf_printf(out, " .align %u", param->ptr_align);
    }
    buf_printf(out, " %s", param->name);
    print_shape(out, param);
}

static void print_params(struct buf *out, struct ptx_variable *const *params, uint32_t n,
                         const char *separator)
{
    buf_puts(out, "(");
    for (uint32_t i = 0; i < n; i++) {
        buf_puts(out, i > 0 ? "," : "");
        buf_puts(out, i > 0 || separator[0] == '\n' ? separator : "");
        print_param(out, params[i]);
    }
    buf_puts(out, separator[0] == '\n' && n > 0 ? "\n)" : ")");
}

static void print_prototype(struct buf *out, const struct ptx_prototype *prototype)
{
    buf_printf(out, "%s: .callprototype ", prototype->name);
    print_params(out, prototype->returns, prototype->n_returns, " ");
    buf_puts(out, " _ ");
    print_params(out, prototype->params, prototype->n_params, " ");
    buf_puts(out, prototype->is_noreturn ? " .noreturn;" : ";");
}

// ---- operands -------------------------------------------------------------------------------------------

static void print_operand(struct buf *out, const struct ptx_operand *operand);

static void print_items(struct buf *out, const struct ptx_operand *operand)
{
    for (uint32_t i = 0; i < operand->n_items; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        print_operand(out, &operand->items[i]);
    }
}

static void print_immediate(struct buf *out, const struct ptx_operand *operand)
{
    if (!operand->is_float)
        buf_printf(out, "%" PRId64, (int64_t)operand->bits);
    else if (operand->float_bytes == 4)
        buf_printf(out, "0f%08" PRIX64, operand->bits);
    else
        buf_printf(out, "0d%016" PRIX64, operand->bits);
}

static void print_offset(struct buf *out, int64_t offset)
{
    if (offset)
        buf_printf(out, "%+" PRId64, offset);
}

static void print_address(struct buf *out, const struct ptx_operand *operand)
{
    buf_puts(out, "[");
    print_operand(out, operand->base);
    print_offset(out, operand->offset);
    buf_puts(out, operand->n_items ? ", " : "");
    print_items(out, operand);
    buf_puts(out, "]");
}

// ! negates a predicate, - a number.
static const char *negation(const struct ptx_operand *operand)
{
    if (!operand->is_negated)
        return "";
    return operand->variable && operand->variable->type == PT_PRED ? "!" : "-";
}

static void print_operand(struct buf *out, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PO_IMM:
        print_immediate(out, operand);
        break;
    case PO_ADDRESS:
        print_address(out, operand);
        break;
    case PO_VECTOR:
    case PO_PAREN:
        buf_puts(out, operand->kind == PO_VECTOR ? "{" : "(");
        print_items(out, operand);
        buf_puts(out, operand->kind == PO_VECTOR ? "}" : ")");
        break;
    case PO_REG:
    case PO_SREG:
    case PO_SYMBOL:
    case PO_LABEL:
    case PO_SINK:
        buf_printf(out, "%s%s", negation(operand), operand->name);
        print_offset(out, operand->offset);
        if (operand->component)
            buf_printf(out, ".%c", operand->component);
        if (operand->selector)
            buf_printf(out, ".%s", operand->selector);
        break;
    }
    if (operand->pair) {
        buf_puts(out, "|");
        print_operand(out, operand->pair);
    }
}

static void print_insn(struct buf *out, const struct ptx_insn *insn)
{
    if (insn->guard)
        buf_printf(out, "@%s%s ", insn->guard_negated ? "!" : "", insn->guard->name);
    buf_puts(out, insn->op);
    for (uint32_t i = 0; i < insn->n_suffixes; i++)
        buf_printf(out, ".%s", insn->suffixes[i]);
    for (uint32_t i = 0; i < insn->n_operands; i++) {
        buf_puts(out, i > 0 ? ", " : " ");
        print_operand(out, &insn->operands[i]);
    }
    buf_puts(out, ";");
}

// ---- bodies and functions -------------------------------------------------------------------------------

static void print_item(struct buf *out, const struct ptx_function *function, const struct ptx_item *item)
{
    switch (item->kind) {
    case ITEM_OPEN:
        buf_puts(out, "{");
        break;
    case ITEM_CLOSE:
        buf_puts(out, "}");
        break;
    case ITEM_VARIABLE:
        print_variable(out, item->variable);
        break;
    case ITEM_PROTOTYPE:
        print_prototype(out, item->prototype);
        break;
    case ITEM_INSN:
        print_insn(out, &function->insns[item->index]);
        break;
    case ITEM_LABEL:
        buf_printf(out, "%s:", function->labels[item->index].name);
        break;
    case ITEM_TEXT:
    case ITEM_SECTION:
    case ITEM_FUNCTION:
        buf_puts(out, item->text);
        break;
    }
}

static void print_body(struct buf *out, const struct ptx_function *function)
{
    buf_puts(out, "\n{\n");
    uint32_t depth = 1;
    for (uint32_t i = 0; i < function->n_items; i++) {
        const struct ptx_item *item = &function->items[i];
        depth -= item->kind == ITEM_CLOSE;
        uint32_t tabs = item->kind == ITEM_LABEL ? depth - 1 : depth;
        for (uint32_t j = 0; j < tabs; j++)
            buf_puts(out, "\t");
        print_item(out, function, item);
        buf_puts(out, "\n");
        depth += item->kind == ITEM_OPEN;
    }
    buf_puts(out, "}\n");
}

static void print_extents(struct buf *out, const char *name, const uint32_t extents[3])
{
    if (extents[0] || extents[1] || extents[2])
        buf_printf(out, "\n%s %u, %u, %u", name, extents[0], extents[1], extents[2]);
}

static void print_limit(struct buf *out, const char *name, uint32_t value)
{
    if (value)
        buf_printf(out, "\n%s %u", name, value);
}

static void print_header(struct buf *out, const struct ptx_function *f)
{
    print_linkage(out, f->is_extern, f->is_visible, f->is_weak, f->is_hidden);
    buf_puts(out, f->is_entry ? ".entry " : ".func ");
    if (f->n_returns) {
        print_params(out, f->returns, f->n_returns, " ");
        buf_puts(out, " ");
    }
    buf_puts(out, f->name);
    print_params(out, f->params, f->n_params, "\n\t");
    print_extents(out, ".maxntid", f->max_threads);
    print_extents(out, ".reqntid", f->required_threads);
    print_extents(out, ".reqnctapercluster", f->cluster);
    print_limit(out, ".minnctapersm", f->min_blocks_per_sm);
    print_limit(out, ".maxnreg", f->max_registers);
    print_limit(out, ".maxclusterrank", f->max_cluster_rank);
    buf_puts(out, f->is_explicit_cluster ? "\n.explicitcluster" : "");
    buf_puts(out, f->is_noreturn ? "\n.noreturn" : "");
    size_t length = strlen(f->header_text);
    if (length) {
        buf_puts(out, "\n");
        buf_add(out, f->header_text, length - 1);
    }
}

static void print_function(struct buf *out, const struct ptx_function *function)
{
    buf_puts(out, "\n");
    print_header(out, function);
    if (function->has_body)
        print_body(out, function);
    else
        buf_puts(out, "\n;\n");
}

void ptx_print(const struct ptx_module *module, struct buf *out)
{
    for (uint32_t i = 0; i < module->n_items; i++) {
        const struct ptx_item *item = &module->items[i];
        if (item->kind == ITEM_FUNCTION) {
            print_function(out, module->functions[item->index]);
        } else {
            print_item(out, NULL, item);
            buf_puts(out, "\n");
        }
    }
}
