// One function: drafts of its blocks, liveness, rows, and the finished instructions.
#include "ptx/lowering.h"
#include "ptx/registers.h"
#include <stdarg.h>

// ---- registers of the text become virtual rows ------------------------------------------------------

static void make_registers(struct body *b)
{
    const struct ptx_function *f = b->function;
    b->row_of_register = arena_array(&b->lowering->work, uint32_t, f->n_registers);
    vec_push(&b->group_row, 0);
    for (uint32_t i = 0; i < f->n_registers; i++) {
        const struct ptx_variable *v = f->registers[i];
        uint32_t n_rows = type_rows(v->type) * (v->vector > 1 ? v->vector : 1);
        b->row_of_register[i] = body_group(b, n_rows, v->type == PT_PRED);
    }
}

// Parameters declared as registers (.func (.reg .b32 r) f (.reg .b32 a)) are rows of the frame.
static void place_register_params(struct body *b)
{
    const struct ptx_function *f = b->function;
    for (uint32_t i = 0; !f->is_entry && i < f->n_params + f->n_returns; i++) {
        const struct ptx_variable *v = i < f->n_params ? f->params[i] : f->returns[i - f->n_params];
        if (v->space == PS_REG)
            b->row_of_register[v->id] = ROW_NUMBER(home_find(b->lowering, v)->row);
    }
}

// ---- drafts -----------------------------------------------------------------------------------------

// Numbers are given once in a kernel.
static void number_barriers(struct body *b)
{
    uint32_t first = b->lowering->n_barriers;
    for (uint32_t i = 0; i < b->cfg.n_blocks; i++) {
        struct cfg_block *block = &b->cfg.blocks[i];
        uint32_t *numbers[] = {&block->barrier, &block->iteration, &block->joins};
        for (int k = 0; k < 3; k++)
            *numbers[k] += *numbers[k] == NO_BARRIER ? 0 : first;
    }
    for (uint32_t i = 0; i < b->cfg.n_breaks; i++)
        b->cfg.breaks[i].first_barrier += first;
    b->lowering->n_barriers += b->cfg.n_barriers;
}

// What stands at the head of a block where lanes meet, or behind a loop.
static void begin_block(struct body *b, const struct cfg_block *block)
{
    b->guard = NO_VPRED;
    for (uint32_t i = block->first_break; i < block->first_break + block->n_breaks; i++)
        emit_break(b, b->cfg.breaks[i].first_barrier, b->cfg.breaks[i].n_barriers);
    if (block->barrier != NO_BARRIER)
        emit_converge(b, block->barrier);
    if (block->iteration != NO_BARRIER)
        emit_converge(b, block->iteration);
}

// Control that runs off the end of the text returns.
static void end_body(struct body *b)
{
    b->insn = NULL;
    b->guard = NO_VPRED;
    struct draft *draft = emit_pseudo(b, b->function->is_entry ? FORM_EXIT_none : FORM_RET_none);
    draft->text = "(end)";
}

static bool draft_block(struct body *b, uint32_t block)
{
    const struct cfg_block *at = &b->cfg.blocks[block];
    b->block_draft[block] = (uint32_t)b->drafts.n;
    b->insn = at->n ? &b->function->insns[at->first] : NULL;
    begin_block(b, at);
    if (block == 0 && uses_stack(b->function))
        start_stack(b);
    for (uint32_t i = at->first; i < at->first + at->n; i++) {
        size_t first = b->drafts.n;
        b->insn = &b->function->insns[i];
        if (!lower_insn(b, block))
            return false;
        for (size_t d = first; d < b->drafts.n; d++) {
            b->drafts.at[d].insn.line = line_of(b->lowering, b->insn);
            b->drafts.at[d].from = b->insn;
        }
    }
    return true;
}

static bool draft_body(struct body *b)
{
    struct arena *work = &b->lowering->work;
    if (!cfg_build(work, b->lowering->module, b->function, &b->cfg, b->lowering->err))
        return false;
    number_barriers(b);
    make_registers(b);
    place_register_params(b);
    find_constants(b);
    b->block_draft = arena_array(work, uint32_t, b->cfg.n_blocks + 1);
    for (uint32_t block = 0; block < b->cfg.n_blocks; block++)
        if (!draft_block(b, block))
            return false;
    if (b->cfg.blocks[b->cfg.n_blocks - 1].n_pred)
        end_body(b);
    b->block_draft[b->cfg.n_blocks] = (uint32_t)b->drafts.n;
    return true;
}

// ---- liveness ---------------------------------------------------------------------------------------

static void describe_code(struct body *b, struct live_code *code)
{
    struct arena *work = &b->lowering->work;
    uint32_t n = (uint32_t)b->drafts.n;
    uint32_t *first_ref = arena_array(work, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        first_ref[i] = b->drafts.at[i].first_ref;
    first_ref[n] = (uint32_t)b->refs.n;
    struct live_block *blocks = arena_array(work, struct live_block, b->cfg.n_blocks);
    for (uint32_t i = 0; i < b->cfg.n_blocks; i++)
        blocks[i] = (struct live_block){b->block_draft[i], b->block_draft[i + 1] - b->block_draft[i],
                                        b->cfg.pred + b->cfg.blocks[i].first_pred, b->cfg.blocks[i].n_pred};
    *code = (struct live_code){.refs = b->refs.at,
                               .first_ref = first_ref,
                               .n_insns = n,
                               .blocks = blocks,
                               .n_blocks = b->cfg.n_blocks,
                               .group_row = b->group_row.at,
                               .n_groups = (uint32_t)b->group_row.n - 1};
}

// Atomics whose old value nobody reads are reductions, as ptxas makes them; red has no exchange and no
// compare-and-swap.
static void find_reductions(struct body *b, const struct live_code *code, const struct live *live)
{
    for (uint32_t i = 0; i < code->n_insns; i++) {
        struct insn *insn = &b->drafts.at[i].insn;
        uint32_t operation = MOD_GET(insn->mod, MOD_MODE, 4);
        bool is_atom = insn->class == CLASS_GLOBAL_ATOM || insn->class == CLASS_GENERIC_ATOM ||
                       insn->class == CLASS_SHARED_ATOM;
        if (!is_atom || operation == ATOM_EXCH || operation == ATOM_CAS)
            continue;
        bool is_read = false;
        for (uint32_t r = code->first_ref[i]; r < code->first_ref[i + 1]; r++)
            is_read |= code->refs[r].kind != REF_USE && !live->is_dead[r];
        if (is_read)
            continue;
        insn->dst = ROW_NONE;
        insn->class = insn->class == CLASS_GLOBAL_ATOM    ? CLASS_GLOBAL_RED
                      : insn->class == CLASS_GENERIC_ATOM ? CLASS_GENERIC_RED
                                                          : CLASS_SHARED_ATOM;
    }
}

// ---- rows -------------------------------------------------------------------------------------------

struct places {
    uint32_t *row; // by virtual row
};

static void spread_groups(const struct live_code *code, const uint32_t *of_group, const bool *wanted,
                          uint32_t *row)
{
    for (uint32_t g = 0; g < code->n_groups; g++)
        for (uint32_t r = code->group_row[g]; wanted[g] && r < code->group_row[g + 1]; r++)
            row[r] = of_group[g] + r - code->group_row[g];
}

static bool allocate(struct body *b, const struct live_code *code, const struct live *live,
                     struct places *out)
{
    struct lowering *l = b->lowering;
    const struct reached *reached = &l->reached.at[b->index];
    bool *is_row = arena_array(&l->work, bool, code->n_groups), *is_pred = b->group_is_pred.at;
    uint32_t *of_group = arena_array(&l->work, uint32_t, code->n_groups);
    for (uint32_t g = 0; g < code->n_groups; g++)
        is_row[g] = !is_pred[g];
    uint32_t own =
        !b->function->is_entry ? FRAME_FIRST + reached->n_param_words + reached->n_return_words : 0;
    struct row_request rows = {live, code->group_row, is_row, code->n_groups, own};
    uint32_t n_rows = rows_allocate(&rows, of_group);
    struct row_request preds = {live, code->group_row, is_pred, code->n_groups, PRED_TRUE + 1};
    uint32_t n_preds = rows_allocate(&preds, of_group);
    if (n_preds > MAX_PREDS)
        return lower_fail(l, b->function->at, "%s needs %u predicates at once; at most %d are supported",
                          b->function->name, n_preds - 1, MAX_PREDS - 1);
    out->row = arena_array(&l->work, uint32_t, code->group_row[code->n_groups] + 1);
    spread_groups(code, of_group, is_row, out->row);
    spread_groups(code, of_group, is_pred, out->row);
    uint32_t most = live_most(code, live, is_row) + own;
    l->n_rows = n_rows > l->n_rows ? n_rows : l->n_rows;
    l->n_preds = n_preds > l->n_preds ? n_preds : l->n_preds;
    l->most_live = most > l->most_live ? most : l->most_live;
    return true;
}

static void place_row(rowref *row, const struct places *places)
{
    if (*row != ROW_NONE && ROW_SPACE(*row) == ROW_REG && ROW_NUMBER(*row) < ROW_OWN)
        *row = ROW(ROW_REG, places->row[ROW_NUMBER(*row)]);
    else if (*row != ROW_NONE && ROW_SPACE(*row) == ROW_REG && ROW_NUMBER(*row) < ROW_NEXT)
        *row = ROW(ROW_REG, ROW_NUMBER(*row) - ROW_OWN);
}

static predref place_pred(vpred pred, const struct places *places)
{
    uint32_t number = pred & ~VPRED_NOT;
    uint32_t place = number == NO_VPRED ? PRED_TRUE : places->row[number];
    return (predref)(place | (pred & VPRED_NOT ? PRED_NOT : 0));
}

// ---- finished instructions --------------------------------------------------------------------------

static void finish_branch(const struct body *b, struct insn *insn, uint32_t base)
{
    uint32_t *pool = b->lowering->pool.at;
    if (insn->form == FORM_BRA_none)
        insn->offset = (int32_t)(base + b->block_draft[insn->offset]);
    for (int32_t i = 0; insn->form == FORM_BRX_none && i < insn->offset; i++) {
        uint32_t *target = &pool[ROW_NUMBER(insn->src[1]) + (uint32_t)i];
        *target = base + b->block_draft[*target];
    }
}

static void finish(struct body *b, const struct places *places)
{
    struct lowering *l = b->lowering;
    uint32_t base = (uint32_t)l->insns.n;
    for (size_t i = 0; i < b->drafts.n; i++) {
        const struct draft *draft = &b->drafts.at[i];
        struct insn insn = draft->insn;
        place_row(&insn.dst, places);
        for (int k = 0; k < MAX_SRC; k++)
            place_row(&insn.src[k], places);
        for (int k = 0; k < insn.n_data; k++)
            place_row(&insn.data[k], places);
        insn.guard = place_pred(draft->guard, places);
        for (int k = 0; k < 2; k++) {
            insn.pdst[k] = place_pred(draft->pdst[k], places);
            insn.psrc[k] = place_pred(draft->psrc[k], places);
        }
        for (uint32_t k = 0; k < draft->n_list; k++)
            place_row(&l->lists.at[(uint32_t)insn.offset + k], places);
        finish_branch(b, &insn, base);
        vec_push(&l->insns, insn);
        vec_push(&l->texts, draft->text);
        vec_push(&l->fidelity, draft->fidelity);
        vec_push(&l->merged, b->merged[i]);
        vec_push(&l->combined, b->combined[i]);
    }
    const struct reached *reached = &l->reached.at[b->index];
    l->functions[b->index] = (struct function){.name = b->function->name,
                                               .first_insn = base,
                                               .n_insns = (uint32_t)b->drafts.n,
                                               .n_param_rows = reached->n_param_words,
                                               .n_return_rows = reached->n_return_words};
}

// ---- text -------------------------------------------------------------------------------------------

static void dump_registers(const struct body *b, const struct live *live, const struct places *places,
                           struct buf *out)
{
    const struct ptx_function *f = b->function;
    buf_printf(out, "%s %s: %u rows, %u predicates, %u values of 32 bits alive at once\n",
               f->is_entry ? "entry" : "function", f->name, b->lowering->n_rows, b->lowering->n_preds - 1,
               b->lowering->most_live);
    for (uint32_t i = 0; i < f->n_registers; i++) {
        uint32_t row = b->row_of_register[i];
        const struct ptx_variable *v = f->registers[i];
        buf_printf(out, "    %-12s .%-5s ", v->name, ptx_type_name(v->type));
        if (b->constant_row[i] != ROW_NONE) {
            buf_printf(out, "%s row %u\n",
                       ROW_SPACE(b->constant_row[i]) == ROW_POOL ? "constant, pool" : "launch",
                       ROW_NUMBER(b->constant_row[i]));
            continue;
        }
        if (row >= ROW_OWN) {
            buf_printf(out, "row %u of the frame\n", row - ROW_OWN);
            continue;
        }
        buf_printf(out, "%s %-4u alive", v->type == PT_PRED ? "predicate" : "row", places->row[row]);
        for (uint32_t r = live->first_range[i]; r < live->first_range[i + 1]; r++)
            buf_printf(out, " %u-%u", live->ranges[r].begin / 2, live->ranges[r].end / 2);
        buf_puts(out, "\n");
    }
}

static void body_release(struct body *b)
{
    vec_release(&b->drafts);
    vec_release(&b->refs);
    vec_release(&b->group_row);
    vec_release(&b->group_is_pred);
}

bool lower_body(struct lowering *l, uint32_t index, struct buf *dump)
{
    struct body b = {
        .lowering = l, .index = index, .function = l->reached.at[index].function, .guard = NO_VPRED, .stack = ROW_NONE};
    struct live_code code;
    struct live live;
    struct places places;
    bool ok = draft_body(&b);
    if (ok) {
        find_merged(&b);
        describe_code(&b, &code);
        live_find(&l->work, &code, &live);
        find_reductions(&b, &code, &live);
        find_combined(&b);
        ok = allocate(&b, &code, &live, &places);
    }
    if (ok)
        finish(&b, &places);
    if (ok && dump)
        dump_registers(&b, &live, &places, dump);
    body_release(&b);
    return ok;
}

bool body_fail(struct body *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return lower_fail(b->lowering, b->insn->at, "%s", text);
}
