// Findings about local memory: arrays of the thread, and registers that the assembler had to spill.
//
// In PTX there are no spills: what is in local memory is an array. Of machine code both are known by the
// address: R1 is the stack pointer, and a spilled register lies at a fixed distance from it, is stored there
// and loaded from there. An element that is chosen at run time has another address, and what only initialises
// such an array is never loaded at a fixed distance.
#include "isa/isa.h"
#include "prof/finding_rules.h"
#include "prof/lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_ALIGN = 16 };

// The distance from the stack pointer of "… [R1+0x18] …", "[R1]"; -1 for another address.
static int64_t stack_offset(const char *text)
{
    const char *at = strstr(text, "[R1");
    if (!at)
        return -1;
    at += strlen("[R1");
    if (*at == ']')
        return 0;
    if (strncmp(at, "+0x", 3) != 0)
        return -1;
    char *end;
    unsigned long offset = strtoul(at + 1, &end, 16);
    return *end == ']' ? (int64_t)offset : -1;
}

static bool overlaps(const struct profile_insn *a, const struct profile_insn *b)
{
    int64_t at = stack_offset(a->text), other = stack_offset(b->text);
    return other >= 0 && at < other + b->access_bytes && other < at + a->access_bytes;
}

static bool is_spill(const struct profile_launch *launch, const struct profile_insn *insn)
{
    bool is_load = insn->class == CLASS_LOCAL_LD, is_store = insn->class == CLASS_LOCAL_ST;
    if (strcmp(launch->isa, "sass") != 0 || (!is_load && !is_store) || stack_offset(insn->text) < 0)
        return false;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *other = &launch->insns[i];
        if (other->class == (is_load ? CLASS_LOCAL_ST : CLASS_LOCAL_LD) && overlaps(insn, other))
            return true;
    }
    return false;
}

// What one kind does to local memory: sectors and requests in all, and where most of them are.
struct local_use {
    uint64_t sectors;
    uint32_t worst;
};

static void add_local(struct finder *finder, enum finding_kind kind, const struct local_use *use)
{
    const struct profile_launch *launch = finder->launch;
    const struct profile_insn *worst = &launch->insns[use->worst];
    uint64_t all = finder->total.local_sectors + finder->total.global_sectors;
    double share = finding_per(use->sectors, all);
    if (!use->sectors || share < FINDING_LEAST_SHARE)
        return;
    bool is_estimated = kind == FINDING_LOCAL_ARRAY && strcmp(launch->isa, "ptx") == 0;
    finding_add(
        finder,
        (struct finding){
            .kind = kind,
            .insn = use->worst,
            .text = arena_printf(
                finder->arena,
                "%s: %s of the %s sectors that L1 is asked for are of %s (%.0f %%), most of them for the %s "
                "at %s, %.4g a request.%s",
                finding_head(kind), finding_count(finder, use->sectors), finding_count(finder, all),
                kind == FINDING_SPILL ? "spilled registers" : "local memory", 100 * share,
                finding_action(worst->class), launch_own_place(finder->arena, launch, use->worst),
                finding_per(worst->counters.local_sectors, worst->counters.local_requests),
                is_estimated ? " Estimated: ptxas may still find registers for it." : ""),
            .forecast = arena_printf(finder->arena, "In registers: %s sectors less.",
                                     finding_count(finder, use->sectors)),
            .before = (double)use->sectors,
            .after = 0,
            .cost = (double)use->sectors,
            .share = share});
}

void find_local(struct finder *finder)
{
    const struct profile_launch *launch = finder->launch;
    struct local_use arrays = {0}, spills = {0};
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (!insn->counters.local_sectors)
            continue;
        struct local_use *use = is_spill(launch, insn) ? &spills : &arrays;
        use->sectors += insn->counters.local_sectors;
        if (insn->counters.local_sectors > launch->insns[use->worst].counters.local_sectors ||
            use->sectors == insn->counters.local_sectors)
            use->worst = i;
    }
    add_local(finder, FINDING_LOCAL_ARRAY, &arrays);
    add_local(finder, FINDING_SPILL, &spills);
}

// PTX ran, and the machine code beside it keeps more on its stack than the arrays of the PTX: the rest is
// spilled registers (with calls also what they save). How often they are touched only the machine code could
// tell.
void find_unseen_spills(struct finder *finder)
{
    const struct profile_launch *launch = finder->launch;
    uint32_t arrays = (launch->local_bytes + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
    if (strcmp(launch->isa, "ptx") != 0 || launch->has_calls || launch->stack_bytes <= arrays)
        return;
    uint32_t bytes = launch->stack_bytes - launch->local_bytes;
    finding_add(finder,
                (struct finding){
                    .kind = FINDING_SPILL_UNSEEN,
                    .insn = FINDING_NOWHERE,
                    .text = arena_printf(finder->arena,
                                         "%s: the machine code keeps %u bytes of each thread on a stack, the "
                                         "arrays of its source take %u of them: %u bytes of registers are "
                                         "spilled. The traffic is not counted, since the PTX was run.",
                                         finding_head(FINDING_SPILL_UNSEEN), launch->stack_bytes,
                                         launch->local_bytes, bytes),
                    .before = launch->stack_bytes,
                    .after = (double)NAN,
                    .cost = bytes,
                    .share = 1});
}
