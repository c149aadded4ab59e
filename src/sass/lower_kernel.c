// A kernel of a cubin, lowered: its own code section first, then those of the functions that it can reach, then the
// functions of the engine.
#include "sass/load.h"
#include "sass/lower.h"
#include <string.h>

enum { STACK_ALIGN = 16, SYSTEM_SHARED_BYTES = 1024, FIRST_CC_WITH_SYSTEM_SHARED = 90 };

static const uint32_t UNKNOWN_STACK = 0xffffffff; // image/cubin.h, call_bytes

struct job {
    struct sass_image *image;
    const struct sass_kernel *kernel;
    struct sass_lowering lowering;
    struct kernel *out;
    bool *reached;          // one a code section
    uint32_t *first_insns;  // likewise: where it begins in the kernel
    uint8_t **bytes;        // likewise: relocated copies
    uint32_t n_registers, n_uregs;
    struct err *err;
};

// ---- which code ---------------------------------------------------------------------------------------------------------

// The code section and what its relocations name, and so on.
static void reach(struct job *job, uint32_t code)
{
    const struct sass_image *image = job->image;
    if (job->reached[code])
        return;
    job->reached[code] = true;
    bool *named = arena_array(image->arena, bool, image->n_codes);
    memset(named, 0, image->n_codes * sizeof *named);
    for (int kind = 0; kind < 2; kind++)
        sass_mark_reached(image, &image->codes[code].relocations[kind], named);
    for (uint32_t i = 0; i < image->n_codes; i++)
        if (named[i] || (image->codes[i].is_address_taken && !image->codes[i].is_entry))
            reach(job, i);
}

static void place_code(struct job *job, uint32_t code, uint32_t *next)
{
    const struct sass_code *c = &job->image->codes[code];
    job->first_insns[code] = *next;
    *next += (uint32_t)(c->text.n_bytes / SASS_BYTES);
}

static void place_all(struct job *job)
{
    uint32_t next = 0;
    place_code(job, job->kernel->code, &next);
    for (uint32_t i = 0; i < job->image->n_codes; i++)
        if (job->reached[i] && i != job->kernel->code)
            place_code(job, i, &next);
    job->out->n_insns = next + N_SASS_NATIVES * SASS_NATIVE_BYTES / SASS_BYTES;
    job->out->insns = arena_array(job->image->arena, struct insn, job->out->n_insns);
    memset(job->out->insns, 0, job->out->n_insns * sizeof *job->out->insns);
}

// First instruction in this kernel of each 16 bytes of the code window.
static void make_targets(struct job *job)
{
    struct sass_image *image = job->image;
    const uint32_t n = (uint32_t)(sass_native_base(image, N_SASS_NATIVES) / SASS_BYTES);
    uint32_t *targets = arena_array(image->arena, uint32_t, n);
    memset(targets, 0xff, n * sizeof *targets);
    for (uint32_t i = 0; i < image->n_codes; i++)
        for (uint32_t k = 0; job->reached[i] && k < image->codes[i].text.n_bytes / SASS_BYTES; k++)
            targets[image->codes[i].base / SASS_BYTES + k] = job->first_insns[i] + k;
    const uint32_t first_native = job->out->n_insns - N_SASS_NATIVES * SASS_NATIVE_BYTES / SASS_BYTES;
    for (uint32_t k = 0; k < N_SASS_NATIVES * SASS_NATIVE_BYTES / SASS_BYTES; k++)
        targets[image->code_bytes / SASS_BYTES + k] = first_native + k;
    job->out->code_targets = targets;
    job->out->n_code_targets = n;
}

// ---- decoding and lowering ----------------------------------------------------------------------------------------------

static bool decode_at(const struct job *job, uint32_t code, uint32_t index, struct sass_insn *out)
{
    uint64_t words[2];
    memcpy(words, job->bytes[code] + (size_t)index * SASS_BYTES, sizeof words);
    return sass_decode(job->image->cubin.cc, words, index * SASS_BYTES, out);
}

static bool relocate_code(struct job *job, uint32_t code, struct sass_calls *calls)
{
    struct sass_image *image = job->image;
    const struct sass_code *c = &image->codes[code];
    job->bytes[code] = arena_copy(image->arena, c->text.bytes, c->text.n_bytes, 16);
    for (int kind = 0; kind < 2; kind++)
        if (!sass_relocate(image, &c->relocations[kind], job->bytes[code], c->text.n_bytes, calls, job->err))
            return false;
    return true;
}

static void need(uint32_t *n, bool is_register, uint32_t none, uint32_t number, uint32_t words)
{
    if (is_register && number != none && number + words > *n)
        *n = number + words;
}

// Registers that an operand names. Groups of uniform registers (tensor copies, matrix descriptors) have as many as they may.
static void count_operand(struct job *job, const struct sass_insn *in, const struct sass_operand *o)
{
    enum { MOST_IN_GROUP = 8 };
    const bool is_address = o->kind == SO_MEM || o->kind == SO_CONST;
    const bool is_group = in->op == SASS_UBLKCP || in->op == SASS_UTMALDG || in->op == SASS_UTMASTG || in->op == SASS_HGMMA;
    const uint32_t words = o->words ? o->words : 1;
    need(&job->n_registers, o->kind == SO_REG, SASS_RZ, o->number, words);
    need(&job->n_registers, is_address && o->base_kind == SO_REG, SASS_RZ, o->number, o->is_base_64 ? 2 : 1);
    need(&job->n_uregs, o->kind == SO_UREG, SASS_URZ, o->number, is_group ? MOST_IN_GROUP : words);
    need(&job->n_uregs, is_address && o->base_kind == SO_UREG, SASS_URZ, o->number, is_group ? MOST_IN_GROUP : 2);
    need(&job->n_uregs, o->kind == SO_MEM && o->has_ureg, SASS_URZ, o->ureg, 1);
}

static void count_registers(struct job *job, uint32_t code)
{
    enum { NATIVE_REGISTERS = 24 }; // of the calling convention of the engine's functions
    struct sass_insn in;
    for (uint32_t i = 0; i < job->image->codes[code].text.n_bytes / SASS_BYTES; i++) {
        decode_at(job, code, i, &in);
        bool may_jump_anywhere = in.op == SASS_CALL_ABS;
        for (unsigned k = 0; k < in.n_operands; k++) {
            count_operand(job, &in, &in.operands[k]);
            may_jump_anywhere |= in.row->unit == UNIT_CONTROL && in.operands[k].kind == SO_REG;
        }
        if (may_jump_anywhere && job->n_registers < NATIVE_REGISTERS) // also by mistake: its rows must be there
            job->n_registers = NATIVE_REGISTERS;
    }
}

static bool fail_insn(struct job *job, uint32_t code, const struct sass_insn *in)
{
    struct buf text = {0};
    if (in->row)
        sass_print(in, &text);
    else
        buf_printf(&text, "%016llx %016llx", (unsigned long long)in->high, (unsigned long long)in->low);
    err_set(job->err, "%s: instruction 0x%x of %s, `%.*s`, cannot be executed from machine code: %s", job->image->path,
            in->offset, job->image->codes[code].name, (int)text.n, text.at, 
            !in->row ? "it is not known" : job->lowering.refused ? job->lowering.refused : "not done");
    buf_release(&text);
    return false;
}

static void call_target(struct sass_insn *in, const struct sass_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++)
        if (calls->at[i].offset == in->offset)
            for (unsigned k = 0; k < in->n_operands; k++)
                if (in->operands[k].kind == SO_TARGET || in->operands[k].kind == SO_IMM)
                    in->operands[k].value = (int64_t)calls->at[i].target;
}

// A call to a place before it may be recursion, one through a register may be anything: both want a stack beside the
// frames that the compiler knew of.
static bool may_recur(const struct job *job, uint32_t code, const struct sass_insn *in)
{
    const uint64_t here = KERNEL_CODE_WINDOW + job->image->codes[code].base + in->offset;
    for (unsigned k = 0; k < in->n_operands; k++) {
        const struct sass_operand *o = &in->operands[k];
        if (in->op == SASS_CALL && o->kind == SO_TARGET)
            return o->value <= (int64_t)in->offset;
        if (in->op == SASS_CALL_ABS && (o->kind == SO_TARGET || o->kind == SO_IMM))
            return (uint64_t)o->value <= here;
    }
    return in->op == SASS_CALL_REL_R || (in->op == SASS_CALL_ABS_R && job->image->has_address_taken);
}

static bool lower_code(struct job *job, uint32_t code, struct sass_calls *calls)
{
    struct kernel *out = job->out;
    const uint32_t n = (uint32_t)(job->image->codes[code].text.n_bytes / SASS_BYTES), first = job->first_insns[code];
    const char **texts = (const char **)out->texts;
    job->lowering.first_insn = first;
    job->lowering.n_insns = n;
    job->lowering.code_address = KERNEL_CODE_WINDOW + job->image->codes[code].base;
    for (uint32_t i = 0; i < n; i++) {
        struct sass_insn in;
        struct buf text = {0};
        job->lowering.refused = NULL;
        const bool is_known = decode_at(job, code, i, &in);
        call_target(&in, calls);
        out->has_recursion |= may_recur(job, code, &in);
        if (!is_known || !sass_lower_insn(&job->lowering, &in, &out->insns[first + i]))
            return fail_insn(job, code, &in);
        sass_print(&in, &text);
        texts[first + i] = arena_string(job->image->arena, text.at ? text.at : "", text.n);
        buf_release(&text);
    }
    return true;
}

static bool lower_all(struct job *job)
{
    struct sass_calls *calls = arena_array(job->image->arena, struct sass_calls, job->image->n_codes);
    bool is_good = true;
    memset(calls, 0, job->image->n_codes * sizeof *calls);
    for (uint32_t i = 0; i < job->image->n_codes && is_good; i++)
        if (job->reached[i] && (is_good = relocate_code(job, i, &calls[i])))
            count_registers(job, i);
    job->lowering.n_registers = job->n_registers;
    job->lowering.n_uregs = job->n_uregs;
    for (uint32_t i = 0; i < job->image->n_codes && is_good; i++)
        if (job->reached[i])
            is_good = lower_code(job, i, &calls[i]);
    for (uint32_t i = 0; i < job->image->n_codes; i++)
        vec_release(&calls[i]);
    return is_good;
}

// The engine's functions follow the machine's calling convention: arguments from R4 on, result in R4, return address in R20.
static void add_natives(struct job *job)
{
    static const struct {
        enum form form;
        uint8_t arguments[5]; // first register of each, 0 = no more
    } natives[N_SASS_NATIVES] = {[NATIVE_PRINTF] = {FORM_PRINTF_none, {4, 6}},
                                 [NATIVE_ASSERT] = {FORM_ASSERT_none, {4, 6, 8, 10}},
                                 [NATIVE_MALLOC] = {FORM_MALLOC_none, {4}},
                                 [NATIVE_FREE] = {FORM_FREE_none, {4}}};
    struct kernel *out = job->out;
    struct insn *at = out->insns + out->n_insns - N_SASS_NATIVES * SASS_NATIVE_BYTES / SASS_BYTES;
    for (unsigned i = 0; i < N_SASS_NATIVES; i++, at += 2) {
        at[0] = (struct insn){.form = natives[i].form, .unit = UNIT_CONTROL, .is_pseudo = true, .dst = ROW(ROW_REG, 4)};
        for (unsigned k = 0; k < MAX_SRC; k++)
            at[0].src[k] = natives[i].arguments[k] ? ROW(ROW_REG, natives[i].arguments[k]) : ROW_NONE;
        at[1] = (struct insn){.form = FORM_JUMP_ADDRESS_none, .unit = UNIT_CONTROL, .is_pseudo = true,
                              .src = {ROW(ROW_REG, 20), ROW_NONE, ROW_NONE, ROW_NONE}};
        for (unsigned k = 0; k < 2; k++)
            ((const char **)out->texts)[at + k - out->insns] = "(function of the engine)";
    }
}

// ---- what the kernel is -----------------------------------------------------------------------------------------------------

static void describe_params(struct job *job)
{
    const struct cubin_kernel *from = job->kernel->attributes;
    struct kernel_param *params = arena_array(job->image->arena, struct kernel_param, from->n_params);
    for (uint32_t i = 0; i < from->n_params; i++) {
        const struct cubin_param *p = &from->params[i];
        const bool is_word = p->size_bytes == 1 || p->size_bytes == 2 || p->size_bytes == 4;
        params[i] = (struct kernel_param){.name = arena_printf(job->image->arena, "param_%u", i),
                                          .offset = p->offset,
                                          .size_bytes = p->size_bytes,
                                          .align = p->size_bytes < 8 ? (p->size_bytes ? p->size_bytes : 1) : 8,
                                          .kind = p->size_bytes == 8 ? 'p' : is_word ? 'b' : 'a'};
    }
    job->out->params = params;
    job->out->n_params = from->n_params;
    job->out->param_bytes = from->param_bytes;
    // Kernels without parameters do not say where they would begin: behind what the driver puts there, as for others.
    enum { USUAL_PARAM_BASE = 0x210 };
    const uint32_t behind = from->constant_bytes > from->param_bytes ? from->constant_bytes - from->param_bytes : USUAL_PARAM_BASE;
    job->out->param_base = job->lowering.param_base = from->param_offset ? from->param_offset : behind;
}

static void describe_needs(struct job *job)
{
    const struct cubin_kernel *from = job->kernel->attributes;
    struct kernel *out = job->out;
    const bool is_stack_known = from->call_bytes != UNKNOWN_STACK;
    const uint32_t stack_bytes = is_stack_known && from->call_bytes > from->stack_bytes ? from->call_bytes : from->stack_bytes;
    out->registers = from->registers;
    out->local_bytes = (stack_bytes + from->local_bytes + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
    out->has_recursion |= !is_stack_known;
    out->shared_base = job->image->cubin.cc >= FIRST_CC_WITH_SYSTEM_SHARED ? SYSTEM_SHARED_BYTES : 0;
    out->static_shared_bytes = from->shared_bytes > out->shared_base ? from->shared_bytes - out->shared_base : 0;
    out->n_block_barriers = from->n_barriers;
    out->uses_clusters = true; // shared addresses begin with the rank of the block
    for (int i = 0; i < 3; i++) {
        out->max_threads[i] = from->max_threads[i];
        out->required_threads[i] = from->required_threads[i];
        out->required_cluster[i] = from->cluster[i];
    }
}

// Banks that the image holds: 2 of the kernel's own, 4 of the module (addresses).
static bool describe_banks(struct job *job)
{
    struct sass_image *image = job->image;
    struct constant_bank *banks = arena_array(image->arena, struct constant_bank, N_CONSTANT_BANKS);
    struct elf_section section;
    memset(banks, 0, N_CONSTANT_BANKS * sizeof *banks);
    for (uint32_t i = 0; i < image->elf.n_sections; i++) {
        if (!elf_section(&image->elf, i, &section) || strncmp(section.name, ".nv.constant", 12) != 0 || !section.bytes)
            continue;
        const unsigned bank = (unsigned char)section.name[12] - '0';
        const char *owner = section.name[12] ? section.name + 13 : "";
        const bool is_mine = !*owner || (*owner == '.' && strcmp(owner + 1, job->kernel->attributes->name) == 0);
        if (bank >= N_CONSTANT_BANKS || bank == BANK_PARAMS || bank == BANK_USER || !is_mine)
            continue;
        uint8_t *bytes = arena_copy(image->arena, section.bytes, section.n_bytes, 16);
        if (!sass_relocate_data(image, i, bytes, section.n_bytes, job->err))
            return false;
        banks[bank] = (struct constant_bank){bytes, (uint32_t)section.n_bytes};
    }
    job->out->banks = banks;
    return true;
}

static void freeze(struct job *job)
{
    struct kernel *out = job->out;
    struct arena *arena = job->image->arena;
    struct sass_lowering *l = &job->lowering;
    out->n_pool = (uint32_t)l->pool.n;
    out->pool = arena_alloc(arena, l->pool.n * ROW_BYTES, 64);
    for (size_t r = 0; r < l->pool.n; r++)
        for (int i = 0; i < ROW_LANES; i++)
            out->pool[r][i] = l->pool.at[r];
    out->n_launch_rows = (uint32_t)l->launch_rows.n;
    out->launch_rows = arena_copy(arena, l->launch_rows.at, l->launch_rows.n * sizeof *l->launch_rows.at,
                                  _Alignof(struct launch_row));
    out->n_lists = (uint32_t)l->lists.n;
    out->lists = arena_copy(arena, l->lists.at, l->lists.n * sizeof *l->lists.at, _Alignof(rowref));
    struct function *entry = arena_new(arena, struct function);
    *entry = (struct function){.name = out->name, .n_insns = out->n_insns, .n_preds = SASS_PREDS,
                               .n_rows = job->n_registers + job->n_uregs + SASS_TRASH_ROWS + 1, .n_barriers = 16};
    out->functions = entry;
    out->n_functions = 1;
    out->frame_rows = function_frame_rows(entry);
    uint8_t *fidelity = arena_alloc(arena, out->n_insns, 1);
    memset(fidelity, FIDELITY_EXACT, out->n_insns);
    out->fidelity = fidelity;
}

static void start(struct job *job)
{
    struct arena *arena = job->image->arena;
    struct kernel *out = job->out = arena_new(arena, struct kernel);
    const uint32_t n = job->image->n_codes;
    job->reached = arena_array(arena, bool, n);
    job->first_insns = arena_array(arena, uint32_t, n);
    job->bytes = arena_array(arena, uint8_t *, n);
    memset(job->reached, 0, n * sizeof *job->reached);
    memset(job->first_insns, 0, n * sizeof *job->first_insns);
    out->name = job->kernel->attributes->name;
    out->isa = "sass";
    out->path = job->image->path;
    job->n_registers = 2; // the stack pointer is R1
    for (uint32_t i = 0; i < SASS_TRASH_ROWS; i++)
        vec_push(&job->lowering.pool, 0u);
}

// What is known of machine code was compared with hardware on sm_90 alone. Earlier encodings are decoded by the same rows, but
// some of them mean something else there (types of atomics, words of bank 0): they are not run.
static bool is_run(const struct sass_image *image)
{
    enum { CC_RUN = 90 };
    return image->cubin.cc == CC_RUN;
}

struct kernel *sass_lower_kernel(struct sass_image *image, struct sass_kernel *kernel, struct err *err)
{
    if (!is_run(image)) {
        err_set(err, "%s: machine code of sm_%u is not run, only that of sm_90", image->path, image->cubin.cc);
        return NULL;
    }
    struct job job = {.image = image, .kernel = kernel, .err = err,
                      .lowering = {.arena = image->arena, .cc = image->cubin.cc}};
    start(&job);
    reach(&job, kernel->code);
    place_all(&job);
    make_targets(&job);
    job.out->texts = arena_array(image->arena, const char *, job.out->n_insns);
    describe_params(&job);
    describe_needs(&job);
    const bool is_good = describe_banks(&job) && lower_all(&job);
    if (is_good) {
        add_natives(&job);
        sass_describe_lines(image, job.reached, job.first_insns, job.out);
        freeze(&job);
    }
    vec_release(&job.lowering.pool);
    vec_release(&job.lowering.launch_rows);
    vec_release(&job.lowering.lists);
    return is_good ? job.out : NULL;
}
