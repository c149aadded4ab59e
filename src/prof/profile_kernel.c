// From a kernel to its part of a profile.
#include "isa/kernel.h"
#include "prof/demangle.h"
#include "prof/profile.h"

// Bytes per lane of a load or store: its elements times their size.
static uint8_t access_bytes(const struct insn *insn)
{
    static const uint8_t element_bytes[N_ELEMS] = {
        [ELEM_U8] = 1,  [ELEM_S8] = 1,  [ELEM_U16] = 2,  [ELEM_S16] = 2,
        [ELEM_B32] = 4, [ELEM_B64] = 8, [ELEM_B128] = 16};
    if (insn->class == CLASS_NONE || insn->elem >= N_ELEMS)
        return 0;
    return (uint8_t)(element_bytes[insn->elem] * (insn->n_data ? insn->n_data : 1));
}

static uint8_t fidelity_of(const struct kernel *kernel, uint32_t insn)
{
    return kernel->fidelity ? kernel->fidelity[insn] : FIDELITY_EXACT;
}

void profile_describe_kernel(struct arena *arena, const struct kernel *kernel, struct profile_launch *out)
{
    struct profile_insn *insns = arena_array(arena, struct profile_insn, kernel->n_insns);
    out->joins_shared = out->combines_atomics = false;
    for (uint32_t i = 0; i < kernel->n_insns; i++) {
        const struct insn *insn = &kernel->insns[i];
        const uint8_t joined = kernel->merged ? kernel->merged[i].width : 0;
        const bool is_combined = kernel->combined && kernel->combined[i];
        out->joins_shared |= joined != 0 || (is_combined && insn->class == CLASS_SHARED_ATOM);
        out->combines_atomics |= is_combined && insn->class != CLASS_SHARED_ATOM;
        insns[i] = (struct profile_insn){.text = kernel->texts ? kernel->texts[i] : "",
                                         .line = insn->line,
                                         .unit = insn->unit,
                                         .class = insn->class,
                                         .fidelity = fidelity_of(kernel, i),
                                         .access_bytes = joined ? joined : access_bytes(insn)};
    }
    struct profile_line *lines = arena_array(arena, struct profile_line, kernel->n_lines);
    for (uint32_t i = 0; i < kernel->n_lines; i++) {
        const struct source_line *line = &kernel->lines[i];
        lines[i] = (struct profile_line){line->file, line->line, line->column, line->inlined_at};
    }
    out->kernel = kernel->name;
    out->demangled = demangle(arena, kernel->name, DEMANGLE_NVIDIA);
    out->isa = kernel->isa;
    out->why_ptx = kernel->why_ptx ? kernel->why_ptx : "";
    out->module = kernel->path;
    out->registers = kernel->registers;
    out->registers_are_estimated = kernel->registers_are_estimated;
    out->static_shared_bytes = kernel->static_shared_bytes;
    out->local_bytes = kernel->local_bytes;
    out->stack_bytes = kernel->stack_bytes;
    out->has_calls = kernel->has_calls || kernel->has_indirect_calls;
    out->n_barriers = kernel->n_block_barriers;
    out->files = kernel->files;
    out->n_files = kernel->n_files;
    out->lines = lines;
    out->n_lines = kernel->n_lines;
    out->insns = insns;
    out->n_insns = kernel->n_insns;
}

void profile_count_fidelity(const struct kernel *kernel, const struct counters *counters,
                            struct profile_launch *out)
{
    out->n_exact = out->n_approximate = 0;
    for (uint32_t i = 0; i < kernel->n_insns; i++)
        if (counters[i].executed)
            ++*(fidelity_of(kernel, i) == FIDELITY_EXACT ? &out->n_exact : &out->n_approximate);
}

void profile_launch_from_kernel(struct arena *arena, const struct kernel *kernel,
                                const struct counters *counters, struct profile_launch *out)
{
    profile_describe_kernel(arena, kernel, out);
    struct profile_insn *insns = (struct profile_insn *)out->insns; // made above
    for (uint32_t i = 0; i < kernel->n_insns; i++)
        insns[i].counters = counters[i];
    profile_count_fidelity(kernel, counters, out);
}
