// call: arguments into the parameter rows of the next frame, the call, its convergence barrier, results back.
#include "ptx/lowering.h"

// Parameters and results of the function that is called, or of the prototype.
struct signature {
    struct ptx_variable *const *params, *const *returns;
    uint32_t n_params, n_returns;
};

static rowref next_row(uint32_t row)
{
    return ROW(ROW_REG, ROW_NEXT + row);
}

// The words of a .param variable that have been written; nothing of others.
static void pass_words(struct body *b, const struct home *home, uint32_t row, uint32_t n)
{
    for (uint32_t word = 0; word < n && word < home->n_words; word++)
        if (!home->is_stored || home->is_stored[word])
            emit_pseudo_move(b, next_row(row + word), param_word(home, word));
}

static bool pass_argument(struct body *b, const struct ptx_operand *arg, const struct ptx_variable *param,
                          uint32_t row)
{
    if (arg->kind == PO_SYMBOL && arg->variable && arg->variable->space == PS_PARAM) {
        const struct home *home = param_home(b, arg->variable);
        if (home->row == ROW_NONE)
            return lower_fail(b->lowering, arg->at, "a parameter of the kernel cannot be passed on as it is");
        pass_words(b, home, row, variable_words(param));
        return true;
    }
    rowref src;
    if (!operand_row(b, arg, param->type, &src))
        return false;
    for (uint32_t word = 0; word < variable_words(param); word++)
        emit_pseudo_move(b, next_row(row + word), src + word);
    return true;
}

static bool pass_arguments(struct body *b, const struct ptx_operand *args, const struct signature *to,
                           uint32_t *row)
{
    for (uint32_t i = 0; i < to->n_params; i++) {
        if (!pass_argument(b, &args->items[i], to->params[i], *row))
            return false;
        *row += variable_words(to->params[i]);
    }
    return true;
}

static bool take_result(struct body *b, const struct ptx_operand *to, const struct ptx_variable *result,
                        uint32_t row)
{
    uint32_t n = variable_words(result);
    rowref dst;
    if (to->kind == PO_SYMBOL && to->variable && to->variable->space == PS_PARAM) {
        const struct home *home = param_home(b, to->variable);
        dst = home->row;
        n = n < home->n_words ? n : home->n_words;
    } else if (!register_row(b, to, &dst)) {
        return false;
    }
    for (uint32_t word = 0; dst != ROW_NONE && word < n; word++)
        emit_pseudo_move(b, dst + word, next_row(row + word));
    return true;
}

static bool take_results(struct body *b, const struct ptx_operand *returns, const struct signature *from,
                         uint32_t row)
{
    for (uint32_t i = 0; i < from->n_returns; i++) {
        if (!take_result(b, &returns->items[i], from->returns[i], row))
            return false;
        row += variable_words(from->returns[i]);
    }
    return true;
}

// Where the local variables of the called function begin.
static void pass_local(struct body *b)
{
    struct lowering *l = b->lowering;
    uint32_t own_bytes = l->reached.at[b->index].local_bytes;
    if (b->stack != ROW_NONE) {
        emit_pseudo_move(b, next_row(FRAME_LOCAL), b->stack);
        return;
    }
    if (b->function->is_entry) {
        emit_pseudo_move(b, next_row(FRAME_LOCAL), pool_u32(l, own_bytes));
        return;
    }
    rowref size = pool_u32(l, own_bytes);
    struct draft *add = emit_pseudo(b, FORM_ADD_u32);
    add->insn.dst = next_row(FRAME_LOCAL);
    add->insn.src[0] = ROW(ROW_REG, ROW_OWN + FRAME_LOCAL);
    add->insn.src[1] = size;
}

static bool find_signature(struct body *b, const struct ptx_function *callee, struct signature *out)
{
    const struct ptx_prototype *prototype = b->insn->prototype;
    const struct ptx_branch_targets *targets = b->insn->targets;
    if (!callee && !prototype && targets && targets->functions) // one of these: all have the same parameters
        callee = ptx_find_meant(b->lowering->module, targets->functions[0]);
    if (callee)
        *out = (struct signature){callee->params, callee->returns, callee->n_params, callee->n_returns};
    else if (prototype)
        *out = (struct signature){prototype->params, prototype->returns, prototype->n_params,
                                  prototype->n_returns};
    else
        return body_fail(b, "the indirect call has no prototype");
    struct call_parts parts = call_split(b->insn);
    if ((parts.args ? parts.args->n_items : 0) != out->n_params ||
        (parts.returns ? parts.returns->n_items : 0) != out->n_returns)
        return body_fail(b, "the call has another number of arguments or results than its prototype");
    return true;
}

static void emit_call(struct body *b, const struct ptx_function *callee, rowref address, uint32_t barrier)
{
    struct draft *draft = emit(b, callee ? b->op.form : FORM_CALL_INDIRECT_none);
    draft->insn.offset = callee ? (int32_t)function_place(b->lowering, callee) : -1;
    draft->insn.src[0] = address;
    draft->insn.extra = barrier;
    draft->insn.mod = b->op.mod;
    emit_use(b, address, 2);
}

// ---- the instruction --------------------------------------------------------------------------------

static bool call_function(struct body *b, const struct ptx_function *callee, rowref address)
{
    struct lowering *l = b->lowering;
    struct call_parts parts = call_split(b->insn);
    struct signature signature = {0};
    uint32_t row = FRAME_FIRST;
    if (!find_signature(b, callee, &signature) || !pass_arguments(b, parts.args, &signature, &row))
        return false;
    pass_local(b);
    uint32_t barrier = new_barrier(b);
    emit_call(b, callee, address, barrier);
    emit_converge(b, barrier);
    l->kernel->has_calls = true;
    l->kernel->has_indirect_calls |= !callee;
    return take_results(b, parts.returns, &signature, row);
}

bool lower_call(struct body *b)
{
    struct call_parts parts = call_split(b->insn);
    rowref address;
    if (parts.target->kind == PO_SYMBOL && !parts.target->variable) {
        const struct ptx_function *callee = ptx_find_meant(b->lowering->module, parts.target->name);
        if (!callee->has_body) // lower_reach refuses all others
            return lower_native(b);
        return call_function(b, callee, ROW_NONE);
    }
    return operand_row(b, parts.target, PT_U64, &address) && call_function(b, NULL, address);
}
