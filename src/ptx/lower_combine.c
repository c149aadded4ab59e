// Which atomics ptxas makes one lane's of: a warp that adds to one word adds once. Rules in isa/kernel.h (enum combining), found by
// looking at what ptxas 13.0 makes for sm_90, and 11.8 for sm_75, of each operation and type, with its result used or not, of one
// address or many, of one operand or many.
#include "ptx/lowering.h"
#include <string.h>

static bool has_one_of(const struct ptx_insn *insn, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (insn_has_suffix(insn, words[i]))
            return true;
    return false;
}
#define HAS_ONE_OF(insn, words) has_one_of(insn, words, sizeof words / sizeof words[0])

static bool is_combinable(const struct ptx_insn *insn)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor"};
    static const char *const types[] = {"u32", "s32", "b32", "u64", "s64"};
    static const char *const others[] = {"async", "v2", "v4", "v8"};
    return (strcmp(insn->op, "atom") == 0 || strcmp(insn->op, "red") == 0) && HAS_ONE_OF(insn, operations) &&
           HAS_ONE_OF(insn, types) && !HAS_ONE_OF(insn, others);
}

static enum combining combining_of(const struct ptx_insn *insn, const struct insn *made, const bool *varies)
{
    static const char *const wide[] = {"u64", "s64"};
    const bool is_atom = strcmp(insn->op, "atom") == 0, is_add = insn_has_suffix(insn, "add");
    const struct ptx_operand *address = &insn->operands[is_atom], *value = &insn->operands[1 + is_atom];
    const bool returns = made->dst != ROW_NONE, is_shared = insn_has_suffix(insn, "shared") || insn_has_suffix(insn, "shared::cta");
    const bool adds_one = is_shared && is_add && !returns && insn_has_suffix(insn, "u32") && value->kind == PO_IMM && value->bits == 1;
    const bool is_one = !varies_in_warp(varies, value);
    if (varies_in_warp(varies, address))
        return adds_one ? COMBINE_COUNT : COMBINE_NONE;
    if (adds_one)
        return COMBINE_COUNT_OR_ONE;
    if (HAS_ONE_OF(insn, wide))
        return is_add && is_one && !is_shared ? COMBINE_ONE : COMBINE_NONE;
    if (is_add && is_one)
        return COMBINE_ONE;
    return !returns ? COMBINE_REDUX : is_add ? COMBINE_FULL_WARPS : COMBINE_NONE;
}

// Behind find_reductions, which knows whose results are not used.
void find_combined(struct body *b)
{
    const bool *varies = NULL;
    b->combined = arena_array(&b->lowering->work, uint8_t, b->drafts.n);
    for (size_t i = 0; i < b->drafts.n; i++) {
        const struct draft *draft = &b->drafts.at[i];
        if (!draft->from || draft->insn.is_pseudo || !is_combinable(draft->from))
            continue;
        if (!varies)
            varies = find_varying(b);
        b->combined[i] = combining_of(draft->from, &draft->insn, varies);
        b->lowering->has_combined |= b->combined[i] != COMBINE_NONE;
    }
}
