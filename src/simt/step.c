// One step of a warp: fetch, guard, handler. Everything else is in the handlers.
#include "simt/step.h"
#include "simt/ops.h"

// The lanes left over from an instruction whose generic addresses lie in several spaces: a second access, but
// the same executed instruction.
static lanemask replay_lanes(struct warp *warp, struct split *split, struct step *out)
{
    out->executed = false;
    const lanemask lanes = split->replay & warp->live;
    split->state = SPLIT_READY;
    split->replay = 0;
    return lanes;
}

// What step.executed and the pointers say when the instruction did more than change registers.
static enum step_kind finish(struct sim *sim, const struct split *split, struct step *out,
                             enum step_kind kind)
{
    switch (kind) {
    case STEP_ACCESS:
        out->access = &sim->access;
        break;
    case STEP_COPY:
        out->access = &sim->access;
        out->target = &sim->target;
        break;
    case STEP_TRANSFER:
        out->exchange = sim->has_queued ? &sim->exchange : NULL;
        break;
    case STEP_EXCHANGE:
        out->access = &sim->access;
        out->exchange = &sim->exchange;
        break;
    case STEP_FAULT:
        out->fault = &sim->fault;
        break;
    case STEP_FENCE:
    case STEP_SWITCH:
        if (split->pc == out->pc) // it waits in front of the instruction and comes again
            out->executed = false;
        break;
    default:
        break;
    }
    return kind;
}

enum step_kind warp_step(struct sim *sim, const handler *handlers, struct warp *warp, struct step *out)
{
    if (__builtin_expect(!(warp->ready >> warp->current & 1), 0) && !warp_switch(warp)) {
        *out = (struct step){0};
        return STEP_SWITCH;
    }
    struct split *split = split_current(warp);
    const struct insn *insn = &warp->kernel->insns[split->pc];
    lanemask on = split->mask & pred_read(warp, insn->guard);
    out->insn = insn;
    out->pc = split->pc++;
    out->active = split->mask;
    out->executed = !insn->is_pseudo;
    if (__builtin_expect(split->state == SPLIT_REPLAY, 0))
        on = replay_lanes(warp, split, out);
    out->on = on;
    if (on == 0)
        return STEP_PLAIN;
    enum step_kind kind = handlers[insn->form](sim, warp, insn, on);
    return __builtin_expect(kind == STEP_PLAIN, 1) ? kind : finish(sim, split, out, kind);
}
