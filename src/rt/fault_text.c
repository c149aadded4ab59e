// Words for guest faults.
#include "rt/fault_text.h"
#include <string.h>

static const char *const space_names[N_SPACES] = {"generic", "global",   "shared",
                                                  "local",   "constant", "param",
                                                  "shared"};
static const char *const access_names[N_ACCESS_KINDS] = {"read", "write", "atomic", "reduction", "atomic"};

#define PREFIX "========= "
#define INDENT "=========     "

static void add_what(const struct fault *fault, struct buf *out)
{
    switch (fault->kind) {
    case FAULT_DIVERGENT_BARRIER:
        buf_puts(out, PREFIX "Barrier error detected. Divergent thread(s) in block\n");
        return;
    case FAULT_DEADLOCK:
        buf_puts(out, PREFIX "Deadlock: no warp can go on\n");
        return;
    case FAULT_TIMEOUT:
        buf_puts(out, PREFIX "Timeout: the launch took longer than --timeout allows\n");
        return;
    case FAULT_TRAP:
        buf_puts(out, PREFIX "Trap instruction executed\n");
        return;
    case FAULT_ASSERT:
        buf_puts(out, PREFIX "Assertion failed\n");
        return;
    case FAULT_STACK:
        buf_puts(out, PREFIX "Stack overflow: calls are nested too deeply\n");
        return;
    case FAULT_ILLEGAL_CALL:
        buf_puts(out, PREFIX "Call of an address that is no function\n");
        return;
    case FAULT_BAD_MAP:
        buf_puts(out, PREFIX "Invalid tensor map\n");
        return;
    case FAULT_NO_BLOCK:
        buf_puts(out, PREFIX "Cluster target block not present\n");
        return;
    case FAULT_BAD_FREE:
        buf_printf(out, PREFIX "Invalid free of 0x%llx: malloc in device code did not give it, or it has been freed\n",
                   (unsigned long long)fault->address);
        return;
    default:
        break;
    }
    buf_printf(out, PREFIX "Invalid __%s__ %s of size %u bytes\n", space_names[fault->space],
               access_names[fault->access], fault->size_bytes);
}

static void add_place(const struct fault *fault, const struct kernel *kernel, struct buf *out)
{
    uint32_t insn = fault->insn < kernel->n_insns ? fault->insn : 0;
    buf_printf(out, INDENT "at %s, instruction %u", kernel->name, insn);
    if (kernel->texts && kernel->texts[insn])
        buf_printf(out, " (%s)", kernel->texts[insn]);
    uint32_t line_index = kernel->insns[insn].line;
    if (line_index && line_index < kernel->n_lines && kernel->lines[line_index].line) {
        const struct source_line *line = &kernel->lines[line_index];
        const char *file = line->file < kernel->n_files ? kernel->files[line->file] : NULL;
        buf_printf(out, " in %s:%u", file ? file : "?", line->line);
    }
    buf_printf(out, "\n" INDENT "by thread (%u,%u,%u) in block (%u,%u,%u)\n", fault->thread[0],
               fault->thread[1], fault->thread[2], fault->block[0], fault->block[1], fault->block[2]);
}

static bool concerns_address(enum fault_kind kind)
{
    return kind == FAULT_OUT_OF_BOUNDS || kind == FAULT_MISALIGNED || kind == FAULT_FREED ||
           kind == FAULT_SHARED_BOUNDS || kind == FAULT_LOCAL_BOUNDS || kind == FAULT_CONST_BOUNDS;
}

static void add_address(const struct fault *fault, const struct launch *launch, struct buf *out)
{
    const struct kernel *kernel = launch->kernel;
    buf_printf(out, INDENT "Access to 0x%llx is %s\n", (unsigned long long)fault->address,
               fault->kind == FAULT_MISALIGNED ? "misaligned" : "out of bounds");
    if (fault->space == SPACE_SHARED || fault->space == SPACE_CLUSTER)
        buf_printf(out, INDENT "the block has %u bytes of shared memory\n",
                   kernel->static_shared_bytes + launch->dynamic_shared_bytes);
    else if (fault->space == SPACE_LOCAL)
        buf_printf(out, INDENT "the thread has %u bytes of local memory\n", launch_local_bytes(launch));
    else if (fault->space == SPACE_CONST)
        buf_printf(out, INDENT "the module has %u bytes of constants\n", launch->constant_bytes);
    else if (fault->space == SPACE_GLOBAL || fault->space == SPACE_GENERIC) {
        buf_puts(out, INDENT);
        memory_describe(launch->memory, fault->address, out);
        buf_puts(out, "\n");
    }
}

// Each line of the note is indented.
static void add_note(const char *note, struct buf *out)
{
    while (*note) {
        size_t n = strcspn(note, "\n");
        buf_printf(out, INDENT "%.*s\n", (int)n, note);
        note += n + (note[n] == '\n');
    }
}

void fault_describe(const struct fault *fault, const struct launch *launch, struct buf *out)
{
    if (fault->kind == FAULT_NONE)
        return;
    add_what(fault, out);
    add_place(fault, launch->kernel, out);
    if (concerns_address(fault->kind))
        add_address(fault, launch, out);
    add_note(fault->note, out);
}
