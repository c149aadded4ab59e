// Calls of functions that the engine provides: they become one instruction each, whose sources are the
// arguments.
#include "ptx/lowering.h"
#include <string.h>

struct native {
    const char *name;
    uint16_t form;
    uint8_t n_arguments, n_used; // arguments, of which the first ones matter
    uint8_t rows[MAX_SRC];       // of an argument
    uint8_t result_rows;         // 0: no result
};

static const struct native natives[] = {
    // int vprintf(const char *format, void *arguments)
    {"vprintf", FORM_PRINTF_none, 2, 2, {2, 2}, 1},
    // void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t
    // char_bytes)
    {"__assertfail", FORM_ASSERT_none, 5, 4, {2, 2, 1, 2}, 0},
    {"malloc", FORM_MALLOC_none, 1, 1, {2}, 2},
    {"__cuda_syscall_aligned_malloc", FORM_MALLOC_none, 2, 2, {2, 2}, 2}, // size, alignment
    {"free", FORM_FREE_none, 1, 1, {2}, 0},
};

static const struct native *find_native(const char *name)
{
    for (size_t i = 0; i < sizeof natives / sizeof natives[0]; i++)
        if (strcmp(natives[i].name, name) == 0)
            return &natives[i];
    return NULL;
}

bool is_native(const char *name)
{
    return find_native(name) != NULL;
}

// The value of argument `i`, one row or two.
static bool argument_row(struct body *b, const struct ptx_operand *args, uint32_t i, uint32_t n_rows,
                         rowref *out)
{
    const struct ptx_operand *arg = &args->items[i];
    if (arg->kind != PO_SYMBOL || !arg->variable || arg->variable->space != PS_PARAM)
        return operand_row(b, arg, n_rows == 1 ? PT_U32 : PT_U64, out);
    const struct home *home = param_home(b, arg->variable);
    if (home->row == ROW_NONE || home->n_words < n_rows)
        return lower_fail(b->lowering, arg->at, "this argument has another type");
    *out = param_word(home, 0);
    bool is_together = ROW_SPACE(*out) != ROW_REG && param_word(home, n_rows - 1) == *out + n_rows - 1;
    if (n_rows == 1 || is_together)
        return true;
    rowref pair = ROW(ROW_REG, body_group(b, 2, false));
    emit_pseudo_move(b, pair, param_word(home, 0));
    emit_pseudo_move(b, pair + 1, param_word(home, 1));
    *out = pair;
    return true;
}

// Where the result goes; a .param variable gets it by moves, since its words need not lie together.
struct result {
    rowref row; // ROW_NONE: nobody wants it
    const struct home *home;
};

static bool find_result(struct body *b, const struct ptx_operand *to, uint32_t n_rows, struct result *out)
{
    if (to->kind != PO_SYMBOL || !to->variable || to->variable->space != PS_PARAM)
        return register_row(b, to, &out->row);
    out->home = param_home(b, to->variable);
    if (out->home->row == ROW_NONE || out->home->n_words < n_rows)
        return lower_fail(b->lowering, to->at, "the result has another type");
    out->row = ROW(ROW_REG, body_group(b, n_rows, false));
    return true;
}

static void emit_native(struct body *b, const struct native *native, const rowref *rows,
                        const struct result *result)
{
    struct draft *draft = emit(b, native->form);
    draft->insn.dst = result->row;
    for (uint32_t i = 0; i < native->n_used; i++) {
        draft->insn.src[i] = rows[i];
        emit_use(b, rows[i], native->rows[i]);
    }
    if (result->row != ROW_NONE)
        emit_def(b, result->row, native->result_rows);
    for (uint32_t i = 0; result->home && i < native->result_rows; i++)
        emit_pseudo_move(b, result->home->row + i, result->row + i);
}

bool lower_native(struct body *b)
{
    struct call_parts parts = call_split(b->insn);
    const struct native *native = find_native(parts.target->name);
    uint32_t n_results = parts.returns ? parts.returns->n_items : 0;
    rowref rows[MAX_SRC];
    struct result result = {.row = ROW_NONE};
    if ((parts.args ? parts.args->n_items : 0) != native->n_arguments ||
        n_results != (native->result_rows != 0))
        return body_fail(b, "%s takes %u arguments and gives %s", native->name, native->n_arguments,
                         native->result_rows ? "a result" : "nothing");
    for (uint32_t i = 0; i < native->n_used; i++)
        if (!argument_row(b, parts.args, i, native->rows[i], &rows[i]))
            return false;
    if (n_results && !find_result(b, &parts.returns->items[0], native->result_rows, &result))
        return false;
    emit_native(b, native, rows, &result);
    return true;
}
