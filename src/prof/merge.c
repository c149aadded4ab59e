// Which accesses of a PTX kernel ptxas could join: see merge.h.
#include "prof/merge.h"
#include "isa/isa.h"
#include <stdlib.h>
#include <string.h>

// How far apart in the text two accesses may be: a choice of ours, a generous basic block.
enum { REACH = 128, WIDEST_BYTES = 16 };

bool insn_address_parse(const char *text, struct insn_address *out)
{
    const char *open = strchr(text, '[');
    if (!open)
        return false;
    out->base = open + 1;
    out->length = strcspn(out->base, "+-]");
    const char *sign = out->base + out->length;
    out->offset = *sign == ']' || !*sign ? 0 : strtol(*sign == '+' ? sign + 1 : sign, NULL, 10);
    return out->length > 0;
}

bool insn_address_same_base(const struct insn_address *a, const struct insn_address *b)
{
    return a->length == b->length && memcmp(a->base, b->base, a->length) == 0;
}

// Same kind and width, neighbouring addresses from one base. The lower of the two offsets goes to `low`.
static bool are_neighbours(const struct profile_insn *a, const struct profile_insn *b, long *low)
{
    struct insn_address at_a, at_b;
    if (a->class != b->class || a->access_bytes != b->access_bytes || 2 * a->access_bytes > WIDEST_BYTES ||
        !insn_address_parse(a->text, &at_a) || !insn_address_parse(b->text, &at_b) ||
        !insn_address_same_base(&at_a, &at_b) || labs(at_a.offset - at_b.offset) != a->access_bytes)
        return false;
    *low = at_a.offset < at_b.offset ? at_a.offset : at_b.offset;
    return true;
}

// Is there an access near `insn` through the same register that needs `bytes` of alignment and so gives it to
// `offset`?
static bool proves_alignment(const struct profile_launch *launch, uint32_t insn, long offset, long bytes)
{
    struct insn_address ours, theirs;
    insn_address_parse(launch->insns[insn].text, &ours);
    uint32_t first = insn > REACH ? insn - REACH : 0;
    uint32_t last = launch->n_insns - insn > REACH ? insn + REACH : launch->n_insns;
    for (uint32_t i = first; i < last; i++)
        if (launch->insns[i].access_bytes >= bytes && insn_address_parse(launch->insns[i].text, &theirs) &&
            insn_address_same_base(&ours, &theirs) && (theirs.offset - offset) % bytes == 0)
            return true;
    return false;
}

static bool may_join(const struct profile_launch *launch, uint32_t i, bool needs_proof)
{
    const struct profile_insn *insn = &launch->insns[i];
    long low;
    for (uint32_t j = i > REACH ? i - REACH : 0; j < i; j++)
        if (launch->insns[j].counters.executed && are_neighbours(&launch->insns[j], insn, &low) &&
            (!needs_proof || proves_alignment(launch, i, low, 2 * insn->access_bytes)))
            return true;
    return false;
}

static bool may_merge(const struct profile_launch *launch, uint8_t load, uint8_t store, bool needs_proof)
{
    if (strcmp(launch->isa, "ptx") != 0)
        return false;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (insn->counters.executed && (insn->class == load || insn->class == store) &&
            may_join(launch, i, needs_proof))
            return true;
    }
    return false;
}

bool launch_may_merge_shared(const struct profile_launch *launch)
{
    return launch->joins_shared || may_merge(launch, CLASS_SHARED_LD, CLASS_SHARED_ST, false);
}

bool launch_may_merge_global(const struct profile_launch *launch)
{
    return may_merge(launch, CLASS_GLOBAL_LD, CLASS_GLOBAL_ST, true);
}
