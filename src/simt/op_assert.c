// assert() in device code: a call of __assertfail becomes this instruction and ends the launch.
#include "simt/ops.h"
#include <stdio.h>

// Text in device memory, as much of it as fits and is readable.
static void read_text(const struct sim *sim, uint64_t address, char *out, size_t room)
{
    size_t n = 0;
    for (; n + 1 < room; n++) {
        const char *byte = memory_host(sim->launch->memory, address + n, 1);
        if (!byte || !*byte)
            break;
        out[n] = *byte;
    }
    out[n] = '\0';
}

// src[0], src[1], src[2]: message, file (addresses), line.
enum step_kind op_assert(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    int lane = __builtin_ctz(on);
    char message[72], file[56];
    fault_raise(sim, warp, FAULT_ASSERT, (uint32_t)lane);
    read_text(sim, get_u64(row_read(warp, insn->src[0]), lane), message, sizeof message);
    read_text(sim, get_u64(row_read(warp, insn->src[1]), lane), file, sizeof file);
    uint32_t line = row_read(warp, insn->src[2])[lane];
    snprintf(sim->fault.note, sizeof sim->fault.note, "%s:%u: `%s` failed", file, line, message);
    return STEP_FAULT;
}
