// Which shared accesses of a PTX kernel ptxas could join: see merge.h.
#include "prof/merge.h"
#include "isa/isa.h"
#include <stdlib.h>
#include <string.h>

// Where an access's address stands in a PTX text: "[%r3+128]" gives base "%r3" (its length) and 128.
static bool parse_address(const char *text, const char **base, size_t *base_length, long *offset)
{
    const char *open = strchr(text, '[');
    if (!open)
        return false;
    *base = open + 1;
    *base_length = strcspn(*base, "+-]");
    const char *sign = *base + *base_length;
    *offset = *sign == ']' || !*sign ? 0 : strtol(*sign == '+' ? sign + 1 : sign, NULL, 10);
    return *base_length > 0;
}

// Could ptxas make one wider access of these two? Same opcode class and width, same base, neighbouring
// offsets.
static bool could_join(const struct profile_insn *a, const struct profile_insn *b)
{
    const char *base_a, *base_b;
    size_t n_a, n_b;
    long offset_a, offset_b;
    return a->class == b->class && a->access_bytes == b->access_bytes && a->access_bytes <= 8 &&
           parse_address(a->text, &base_a, &n_a, &offset_a) &&
           parse_address(b->text, &base_b, &n_b, &offset_b) && n_a == n_b &&
           memcmp(base_a, base_b, n_a) == 0 && labs(offset_a - offset_b) == a->access_bytes;
}

// Compared with the shared accesses shortly before: the distance over which neighbours are looked
// for is a choice of ours (a generous basic block).
bool launch_may_merge_shared(const struct profile_launch *launch)
{
    enum { REACH = 128 };
    if (strcmp(launch->isa, "ptx") != 0)
        return false;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (!insn->counters.shared_requests ||
            (insn->class != CLASS_SHARED_LD && insn->class != CLASS_SHARED_ST))
            continue;
        for (uint32_t j = i > REACH ? i - REACH : 0; j < i; j++)
            if (launch->insns[j].counters.shared_requests && could_join(&launch->insns[j], insn))
                return true;
    }
    return false;
}
