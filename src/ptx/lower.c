// A kernel from a parsed entry: finds what it reaches, lowers each function, and freezes the result.
#include "ptx/lower.h"
#include "ptx/lowering.h"
#include <stdarg.h>
#include <string.h>

bool lower_fail(struct lowering *l, struct ptx_position at, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_at(l->err, l->module->path, at.line, at.column, l->module->text, l->module->text_length,
                      "%s", text);
}

// ---- lines of the source ----------------------------------------------------------------------------

// Lines follow .loc; a module without any is its own source.
static void make_lines(struct lowering *l)
{
    const struct ptx_module *m = l->module;
    struct source_line unknown = {.inlined_at = -1};
    vec_push(&l->lines, unknown);
    for (uint32_t i = 1; i < m->n_locs; i++) {
        struct source_line line = {m->locs[i].file, m->locs[i].line, m->locs[i].column,
                                   m->locs[i].inlined_at};
        vec_push(&l->lines, line);
    }
}

uint32_t line_of(struct lowering *l, const struct ptx_insn *insn)
{
    if (l->module->n_locs > 1)
        return insn->loc;
    if (l->lines.at[l->lines.n - 1].line != insn->at.line) {
        struct source_line line = {.line = insn->at.line, .inlined_at = -1};
        vec_push(&l->lines, line);
    }
    return (uint32_t)l->lines.n - 1;
}

static void freeze_files(struct lowering *l)
{
    const struct ptx_module *m = l->module;
    bool has_lines = m->n_locs > 1;
    uint32_t n = has_lines ? m->n_files : 1;
    const char **files = arena_array(l->arena, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        files[i] = has_lines ? m->files[i] : m->path;
    l->kernel->files = files;
    l->kernel->n_files = n;
}

// ---- parameters -------------------------------------------------------------------------------------

static char kind_of_param(const struct ptx_variable *v)
{
    if (v->is_array || v->vector > 1)
        return 'a';
    switch (v->type) {
    case PT_U64:
    case PT_S64:
    case PT_B64:
        return 'p';
    case PT_U8:
    case PT_U16:
    case PT_U32:
        return 'u';
    case PT_S8:
    case PT_S16:
    case PT_S32:
        return 's';
    case PT_F16:
    case PT_BF16:
    case PT_F32:
    case PT_F64:
        return 'f';
    default:
        return 'b';
    }
}

static void freeze_params(struct lowering *l, const struct ptx_function *entry)
{
    struct kernel *k = l->kernel;
    k->n_params = entry->n_params;
    k->params = arena_array(l->arena, struct kernel_param, entry->n_params);
    for (uint32_t i = 0; i < entry->n_params; i++) {
        const struct ptx_variable *v = entry->params[i];
        k->params[i] = (struct kernel_param){.name = v->name,
                                             .offset = (uint32_t)home_find(l, v)->address,
                                             .size_bytes = (uint32_t)variable_bytes(v),
                                             .align = variable_align(v),
                                             .kind = kind_of_param(v)};
    }
}

// ---- freezing ---------------------------------------------------------------------------------------

// Rows of the next frame and targets of calls are known when every function is lowered.
static void link_insn(const struct kernel *k, struct insn *insn)
{
    rowref *rows[1 + MAX_SRC] = {&insn->dst, &insn->src[0], &insn->src[1], &insn->src[2], &insn->src[3]};
    for (int i = 0; i < 1 + MAX_SRC; i++)
        if (*rows[i] != ROW_NONE && ROW_SPACE(*rows[i]) == ROW_REG && ROW_NUMBER(*rows[i]) >= ROW_NEXT)
            *rows[i] = ROW(ROW_REG, ROW_NUMBER(*rows[i]) - ROW_NEXT + k->frame_rows);
    if (insn->form == FORM_CALL_none)
        insn->offset = (int32_t)k->functions[insn->offset].first_insn;
}

static void freeze_frames(struct lowering *l)
{
    struct kernel *k = l->kernel;
    k->functions = l->functions;
    k->n_functions = (uint32_t)l->reached.n;
    for (uint32_t i = 0; i < k->n_functions; i++) {
        k->functions[i].n_rows = l->n_rows;
        k->functions[i].n_preds = l->n_preds;
        k->functions[i].n_barriers = l->n_barriers;
    }
    k->frame_rows = function_frame_rows(&k->functions[0]);
    for (uint32_t i = 0; k->has_calls && i < k->n_insns; i++)
        link_insn(k, &k->insns[i]);
}

static void freeze_code_targets(struct lowering *l)
{
    struct kernel *k = l->kernel;
    uint32_t n = l->module->n_functions;
    uint32_t *targets = arena_array(l->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = function_place(l, l->module->functions[i]);
        targets[i] = place == NO_TARGET ? NO_TARGET : k->functions[place].first_insn;
    }
    k->code_targets = targets;
    k->n_code_targets = n;
}

static void freeze_pool(struct lowering *l)
{
    struct kernel *k = l->kernel;
    k->n_pool = (uint32_t)l->pool.n;
    k->pool = arena_alloc(l->arena, sizeof *k->pool * l->pool.n, 64);
    for (uint32_t row = 0; row < k->n_pool; row++)
        for (uint32_t lane = 0; lane < ROW_LANES; lane++)
            k->pool[row][lane] = l->pool.at[row];
    k->n_lists = (uint32_t)l->lists.n;
    k->lists = arena_copy(l->arena, l->lists.at, sizeof *l->lists.at * l->lists.n, _Alignof(rowref));
    k->n_launch_rows = (uint32_t)l->launch_rows.n;
    k->launch_rows = arena_copy(l->arena, l->launch_rows.at, sizeof *l->launch_rows.at * l->launch_rows.n,
                                _Alignof(struct launch_row));
}

static void freeze_code(struct lowering *l)
{
    struct kernel *k = l->kernel;
    k->n_insns = (uint32_t)l->insns.n;
    k->insns = arena_copy(l->arena, l->insns.at, sizeof *l->insns.at * l->insns.n, 64);
    k->texts = arena_copy(l->arena, l->texts.at, sizeof *l->texts.at * l->texts.n, _Alignof(char *));
    k->combined = l->has_combined ? arena_copy(l->arena, l->combined.at, l->combined.n, 1) : NULL;
    k->fidelity = arena_copy(l->arena, l->fidelity.at, l->fidelity.n, 1);
    k->merged = arena_copy(l->arena, l->merged.at, sizeof *l->merged.at * l->merged.n, _Alignof(struct merged));
    k->lines =
        arena_copy(l->arena, l->lines.at, sizeof *l->lines.at * l->lines.n, _Alignof(struct source_line));
    k->n_lines = (uint32_t)l->lines.n;
}

// Registers that ptxas uses beside the values that PTX needs at once: the stack pointer R1, halves of
// addresses, constants it keeps in registers, loads it moves ahead. Of 198 kernels of our own (ptxas -v of
// CUDA 13.0, sm_90) the estimate is right for 61 % and off by one step for 94 %, in the steps of 8 in which an
// SM gives registers out; 6 and 8 fare no better.
enum { REGISTERS_BESIDE = 7, LEAST_REGISTERS = 16, MOST_REGISTERS = 255, MAX_BLOCK_THREADS = 1024 };

static uint32_t registers_of(uint32_t most_live)
{
    return most_live + REGISTERS_BESIDE < MOST_REGISTERS ? most_live + REGISTERS_BESIDE : MOST_REGISTERS;
}

// With .maxntid or .reqntid ptxas leaves room for .minnctapersm such blocks on an SM: four partitions with 16384
// registers each, among which the warps are divided, and steps of 8. So 96 threads and 7 blocks give at most 80,
// 160 and 5 72, 100 and 3 168 (ptxas of CUDA 13.0, sm_90, 21 kernels). Register files of sm_70 to sm_120 have this size.
enum { PARTITIONS = 4, PARTITION_REGISTERS = 16384, WARP_THREADS = 32, REGISTER_STEP = 8 };

static uint32_t registers_with_room(const struct ptx_function *entry)
{
    const uint32_t *shape = entry->required_threads[0] ? entry->required_threads : entry->max_threads;
    const uint64_t threads = (uint64_t)shape[0] * shape[1] * shape[2];
    const uint64_t blocks = entry->min_blocks_per_sm ? entry->min_blocks_per_sm : 1;
    if (threads == 0 || threads > MAX_BLOCK_THREADS || blocks > MAX_BLOCK_THREADS)
        return MOST_REGISTERS;
    const uint64_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS * blocks;
    const uint64_t each = PARTITION_REGISTERS / ((warps + PARTITIONS - 1) / PARTITIONS * WARP_THREADS);
    const uint64_t most = each / REGISTER_STEP * REGISTER_STEP;
    return most < LEAST_REGISTERS ? LEAST_REGISTERS : most < MOST_REGISTERS ? (uint32_t)most : MOST_REGISTERS;
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void freeze_needs(struct lowering *l, const struct ptx_function *entry)
{
    struct kernel *k = l->kernel;
    const uint32_t limit = entry->max_registers ? entry->max_registers : registers_with_room(entry);
    k->registers = at_most(registers_of(l->most_live), limit);
    k->registers_are_estimated = true;
    k->static_shared_bytes = l->shared_bytes;
    k->local_bytes = lower_local_bytes(l, &k->has_recursion);
    k->n_block_barriers = l->n_block_barriers;
    k->min_blocks_per_sm = entry->min_blocks_per_sm;
    memcpy(k->max_threads, entry->max_threads, sizeof k->max_threads);
    memcpy(k->required_threads, entry->required_threads, sizeof k->required_threads);
    memcpy(k->required_cluster, entry->cluster, sizeof k->required_cluster);
}

// ---- the passes -------------------------------------------------------------------------------------

static void lowering_init(struct lowering *l, struct arena *arena, const struct ptx_module *module,
                          const struct ptx_symbols *symbols, struct err *err)
{
    *l = (struct lowering){.arena = arena, .module = module, .symbols = symbols, .err = err};
    arena_init(&l->work, "lowering");
    l->kernel = arena_new(arena, struct kernel);
    l->n_preds = PRED_TRUE + 1;
    make_lines(l);
}

static void lowering_release(struct lowering *l)
{
    for (size_t i = 0; i < l->reached.n; i++)
        vec_release(&l->reached.at[i].callees);
    vec_release(&l->reached);
    map_release(&l->homes);
    map_release(&l->function_index);
    vec_release(&l->pool);
    map_release(&l->pool_rows);
    vec_release(&l->launch_rows);
    vec_release(&l->lists);
    vec_release(&l->insns);
    vec_release(&l->texts);
    vec_release(&l->fidelity);
    vec_release(&l->merged);
    vec_release(&l->combined);
    vec_release(&l->lines);
    arena_release(&l->work);
}

static bool lower_functions(struct lowering *l, const struct ptx_function *entry, struct buf *dump)
{
    if (!lower_reach(l, entry))
        return false;
    l->functions = arena_array(l->arena, struct function, l->reached.n);
    for (uint32_t i = 0; i < l->reached.n; i++)
        if (!lower_body(l, i, i == 0 ? dump : NULL))
            return false;
    return true;
}

// The kernel's name in front of what went wrong.
static void name_kernel(struct err *err, const struct ptx_function *entry)
{
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s%.200s: %.500s", entry->is_entry ? "kernel " : "", entry->name,
             text);
}

struct kernel *ptx_lower(struct arena *arena, const struct ptx_module *module,
                         const struct ptx_function *entry, const struct ptx_symbols *symbols, struct err *err)
{
    struct lowering l;
    struct err first = {0};
    lowering_init(&l, arena, module, symbols, &first);
    struct kernel *k = l.kernel;
    k->name = entry->name;
    k->isa = "ptx";
    k->path = module->path;
    bool ok = lower_functions(&l, entry, NULL);
    if (ok) {
        freeze_code(&l);
        freeze_frames(&l);
        freeze_code_targets(&l);
        freeze_pool(&l);
        freeze_params(&l, entry);
        freeze_files(&l);
        freeze_needs(&l, entry);
    } else {
        name_kernel(&first, entry);
        if (!err->set)
            *err = first;
    }
    lowering_release(&l);
    return ok ? k : NULL;
}

// ---- text of the passes -----------------------------------------------------------------------------

bool ptx_dump_cfg(const struct ptx_module *module, const struct ptx_function *function, struct buf *out,
                  struct err *err)
{
    struct arena work;
    struct cfg cfg;
    arena_init(&work, "control-flow graph");
    bool ok = cfg_build(&work, module, function, &cfg, err);
    if (ok)
        cfg_print(&cfg, function, out);
    arena_release(&work);
    return ok;
}

bool ptx_dump_regs(const struct ptx_module *module, const struct ptx_function *function, struct buf *out,
                   struct err *err)
{
    struct arena arena;
    struct lowering l;
    struct ptx_symbols none = {0};
    arena_init(&arena, "registers");
    lowering_init(&l, &arena, module, &none, err);
    l.is_checked_only = true;
    bool ok = lower_functions(&l, function, out);
    lowering_release(&l);
    arena_release(&arena);
    return ok;
}
