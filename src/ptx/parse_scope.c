// Names: one map from a name to its innermost meaning; closing a scope uncovers the outer one.
//
// `%r<42>` declares 42 registers, of which most texts use few: a range stands for them, and a register is
// made in the range's scope when it is first named. So memory follows the text, not the number in the
// brackets.
#include "ptx/parse.h"
#include <stdio.h>
#include <string.h>

enum { MAX_CANDIDATES = 20000 }; // names that "did you mean" looks at

bool scope_open(struct parser *p, struct ptx_position at)
{
    if (p->depth + 1 == MAX_SCOPES)
        return parse_fail(p, at, "scopes are nested more than %d deep", MAX_SCOPES - 2);
    p->scopes[++p->depth] = (struct scope){.at = at};
    return true;
}

// ---- ranges ---------------------------------------------------------------------------------------------

// Register number behind the prefix: digits without leading zero. False if it is none.
static bool range_index(const char *digits, size_t n, uint64_t *out)
{
    if (n == 0 || n > 10 || (digits[0] == '0' && n > 1))
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint64_t)(digits[i] - '0');
    return true;
}

static size_t digits_at_end(const char *name, size_t length)
{
    size_t n = 0;
    while (n < length && name[length - 1 - n] >= '0' && name[length - 1 - n] <= '9')
        n++;
    return n;
}

// The innermost range that holds the name; NULL if none.
static const struct symbol *range_find(struct parser *p, const char *name, size_t length)
{
    const struct symbol *best = NULL;
    size_t n_digits = digits_at_end(name, length);
    for (size_t n = n_digits; n > 0; n--) {
        uint64_t index;
        if (range_index(name + length - n, n, &index)) {
            const struct symbol *range = map_get(&p->ranges, name, length - n);
            while (range && range->range.count <= index)
                range = range->shadowed;
            if (range && (!best || range->depth > best->depth))
                best = range;
        }
        if (!p->has_digit_prefix)
            break;
    }
    return best;
}

static struct symbol *symbol_push(struct parser *p, const char *name, enum symbol_kind kind, uint32_t depth,
                                  struct ptx_position at)
{
    struct symbol *symbol = arena_new(&p->scratch, struct symbol);
    struct map *map = kind == SYMBOL_RANGE ? &p->ranges : &p->symbols;
    symbol->name = name;
    symbol->name_length = (uint32_t)strlen(name);
    symbol->kind = kind;
    symbol->depth = depth;
    symbol->at = at;
    symbol->shadowed = map_get(map, name, symbol->name_length);
    symbol->next_in_scope = p->scopes[depth].symbols;
    p->scopes[depth].symbols = symbol;
    map_set(map, name, symbol->name_length, symbol);
    return symbol;
}

static struct symbol *range_make_register(struct parser *p, const struct symbol *range, const char *name,
                                          size_t length)
{
    struct ptx_variable *variable = arena_new(p->arena, struct ptx_variable);
    variable->name = parse_intern(p, name, length);
    variable->space = PS_REG;
    variable->type = range->range.type;
    variable->vector = range->range.vector;
    variable->count = 1;
    variable->id = (uint32_t)p->registers.n;
    variable->at = range->at;
    variable->owner = p->function;
    vec_push(&p->registers, variable);
    struct symbol *symbol = symbol_push(p, variable->name, SYMBOL_VARIABLE, range->depth, range->at);
    symbol->variable = variable;
    return symbol;
}

// ---- finding and declaring ------------------------------------------------------------------------------

struct symbol *scope_find(struct parser *p, const char *name, size_t length)
{
    struct symbol *symbol = map_get(&p->symbols, name, length);
    if (symbol && p->n_inner_ranges == 0 && symbol->depth > 0)
        return symbol;
    const struct symbol *range = range_find(p, name, length);
    if (!range || (symbol && symbol->depth >= range->depth))
        return symbol;
    return range_make_register(p, range, name, length);
}

static bool fail_declared_twice(struct parser *p, const char *name, struct ptx_position at,
                                struct ptx_position before)
{
    parse_fail(p, at, "'%s' is already declared in this scope, in line %u", name, before.line);
    return false;
}

struct symbol *scope_declare(struct parser *p, const char *name, enum symbol_kind kind,
                             struct ptx_position at)
{
    size_t length = strlen(name);
    const struct symbol *old = map_get(&p->symbols, name, length), *range = range_find(p, name, length);
    if (range && range->depth == p->depth)
        old = range;
    if (old && old->depth == p->depth) {
        fail_declared_twice(p, name, at, old->at);
        return NULL;
    }
    return symbol_push(p, name, kind, p->depth, at);
}

bool scope_declare_range(struct parser *p, const struct symbol *range)
{
    size_t length = strlen(range->name);
    const struct symbol *old = map_get(&p->ranges, range->name, length);
    if (old && old->depth == p->depth)
        return fail_declared_twice(p, range->name, range->at, old->at);
    struct symbol *symbol = symbol_push(p, range->name, SYMBOL_RANGE, p->depth, range->at);
    symbol->range = range->range;
    p->n_inner_ranges += p->depth > 2;
    p->has_digit_prefix |= digits_at_end(range->name, length) > 0;
    return true;
}

// ---- labels ---------------------------------------------------------------------------------------------

void scope_add_fixup(struct parser *p, struct fixup fixup)
{
    struct fixup *copy = arena_new(&p->scratch, struct fixup);
    *copy = fixup;
    copy->next = p->scopes[p->depth].fixups;
    p->scopes[p->depth].fixups = copy;
}

// Give the fixup the meaning that `symbol` has; false if it is none that fits.
static bool fixup_resolve(struct parser *p, const struct fixup *fixup, const struct symbol *symbol)
{
    if (fixup->kind == FIXUP_BRANCH && symbol->kind == SYMBOL_LABEL)
        vec_push(&p->label_slots, ((struct label_slot){fixup->slot, symbol->label}));
    else if (fixup->kind != FIXUP_BRANCH && symbol->kind == SYMBOL_TARGETS)
        p->insns.at[fixup->insn].targets = symbol->targets;
    else if (fixup->kind == FIXUP_PROTOTYPE && symbol->kind == SYMBOL_PROTOTYPE)
        p->insns.at[fixup->insn].prototype = symbol->prototype;
    else
        return false;
    return true;
}

static bool fail_unresolved(struct parser *p, const struct fixup *fixup)
{
    static const char *const what[] = {[FIXUP_BRANCH] = "label",
                                       [FIXUP_TARGET_LIST] = ".branchtargets list",
                                       [FIXUP_PROTOTYPE] = ".callprototype or .calltargets"};
    return scope_fail_unknown(p, fixup->at, what[fixup->kind], fixup->name);
}

static bool is_before(struct ptx_position a, struct ptx_position b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

// What this scope cannot resolve goes to the scope around it; at the body's own scope the first one is an
// error.
static bool close_fixups(struct parser *p, struct scope *scope)
{
    const struct fixup *first_unresolved = NULL;
    for (struct fixup *fixup = scope->fixups, *next; fixup; fixup = next) {
        next = fixup->next;
        const struct symbol *symbol = map_get(&p->symbols, fixup->name, strlen(fixup->name));
        if (symbol && symbol->depth == p->depth && fixup_resolve(p, fixup, symbol))
            continue;
        if (p->depth > 2) {
            fixup->next = p->scopes[p->depth - 1].fixups;
            p->scopes[p->depth - 1].fixups = fixup;
        } else if (!first_unresolved || is_before(fixup->at, first_unresolved->at)) {
            first_unresolved = fixup;
        }
    }
    return !first_unresolved || fail_unresolved(p, first_unresolved);
}

bool scope_close(struct parser *p)
{
    struct scope *scope = &p->scopes[p->depth];
    if (!close_fixups(p, scope))
        return false;
    for (struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next_in_scope) {
        bool is_range = symbol->kind == SYMBOL_RANGE;
        map_set(is_range ? &p->ranges : &p->symbols, symbol->name, symbol->name_length, symbol->shadowed);
        p->n_inner_ranges -= is_range && p->depth > 2;
    }
    p->depth--;
    return true;
}

// ---- special registers ----------------------------------------------------------------------------------

// PTX ISA 9.0, chapter "Special Registers". %envreg0 to %envreg31 and %pm0 to %pm7 (also %pm0_64 …) come on
// top.
// clang-format off
static const char *const special_registers[] = {
    "%tid", "%ntid", "%laneid", "%warpid", "%nwarpid", "%ctaid", "%nctaid", "%smid", "%nsmid",
    "%gridid", "%is_explicit_cluster", "%clusterid", "%nclusterid", "%cluster_ctaid",
    "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%lanemask_eq", "%lanemask_le",
    "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock", "%clock_hi", "%clock64", "%globaltimer",
    "%globaltimer_lo", "%globaltimer_hi", "%reserved_smem_offset_begin", "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap", "%reserved_smem_offset_0", "%reserved_smem_offset_1",
    "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%current_graph_exec"};
// clang-format on
enum { N_SPECIAL_REGISTERS = sizeof special_registers / sizeof special_registers[0] };

// prefix and a number without leading zero, below `end`; `suffix` may follow.
static bool is_numbered(const char *name, const char *prefix, uint64_t end, const char *suffix)
{
    size_t length = strlen(prefix);
    uint64_t number;
    if (strncmp(name, prefix, length) != 0)
        return false;
    const char *digits = name + length, *rest = digits + strspn(digits, "0123456789");
    bool is_number = range_index(digits, (size_t)(rest - digits), &number) && number < end;
    return is_number && (!*rest || strcmp(rest, suffix) == 0);
}

bool scope_is_special(const char *name)
{
    if (name[0] != '%')
        return false;
    for (int i = 0; i < N_SPECIAL_REGISTERS; i++)
        if (strcmp(name, special_registers[i]) == 0)
            return true;
    return is_numbered(name, "%envreg", 32, "") || is_numbered(name, "%pm", 8, "_64");
}

// ---- unknown names --------------------------------------------------------------------------------------

// "%r<42> declares %r0 to %r41" for a register outside its range; NULL otherwise.
static const char *range_hint(struct parser *p, const char *name)
{
    size_t length = strlen(name), n = digits_at_end(name, length);
    const struct symbol *range = n ? map_get(&p->ranges, name, length - n) : NULL;
    if (!range || range->range.count == 0)
        return NULL;
    return arena_printf(&p->scratch, ": %s<%llu> declares %s0 to %s%llu", range->name,
                        (unsigned long long)range->range.count, range->name, range->name,
                        (unsigned long long)range->range.count - 1);
}

// The label, register … that the name may have been meant to be.
static const char *nearest_symbol(struct parser *p, const char *name, bool wants_label)
{
    VEC(const char *) names = {0};
    size_t length = strlen(name);
    for (size_t i = 0; i < p->symbols.n && names.n < MAX_CANDIDATES; i++) {
        const struct symbol *symbol = p->symbols.entries[i].value;
        bool is_wanted = symbol && (symbol->kind >= SYMBOL_LABEL) == wants_label;
        if (is_wanted && symbol->name_length <= 2 * length && length <= 2 * symbol->name_length)
            vec_push(&names, symbol->name);
    }
    for (int i = 0; i < N_SPECIAL_REGISTERS && !wants_label; i++)
        vec_push(&names, special_registers[i]);
    const char *nearest = nearest_name(name, names.at, names.n);
    vec_release(&names);
    return nearest;
}

bool scope_fail_unknown(struct parser *p, struct ptx_position at, const char *what, const char *name)
{
    const char *hint = range_hint(p, name);
    if (hint)
        return parse_fail(p, at, "%s '%.100s' is not declared%s", what, name, hint);
    const char *nearest = nearest_symbol(p, name, strcmp(what, "label") == 0 || what[0] == '.');
    if (nearest)
        return parse_fail(p, at, "%s '%.100s' is not declared: did you mean '%.100s'?", what, name, nearest);
    return parse_fail(p, at, "%s '%.100s' is not declared", what, name);
}
