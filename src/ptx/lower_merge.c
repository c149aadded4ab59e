// Which shared accesses ptxas makes one instruction of. Found by looking at what ptxas 13.0 makes for sm_90 of all subsets
// of the words of 16 bytes, stored and loaded, and of what may stand between them:
//
//   - loads and stores of 4 and 8 bytes without a guard, in one block of the text, from one base, with the alignment proved;
//   - an aligned pair of words is one access of 8 bytes; loads of three or four words of aligned 16 bytes are one access of
//     16 (a word that nobody wants is read as well), four stores too, and two accesses of 8 bytes;
//   - a store to shared memory stands between loads, a load between stores, and a barrier, fence, atomic or call between all;
//   - what is loaded twice is loaded once.
#include "ptx/lowering.h"
#include <string.h>

enum { MAX_OPEN = 128, MAX_CHAIN = 16 };
#define ROOT_NONE 0xffffffffu // addresses that are known as they are

struct open_access {
    uint32_t draft, root;
    int64_t offset;
    uint8_t unit, n_units, zeros; // bytes of an element, elements, low bits of the root that are zero
    bool is_done;
};

struct merging {
    struct body *body;
    const uint8_t *zeros;
    uint32_t *n_defs, *def; // by register: instructions that write it, and one of them
    struct open_access open[MAX_OPEN];
    uint32_t n_open;
    bool are_stores;
};

// ---- joining ----------------------------------------------------------------------------------------

// Those of `set` become one access of `width` bytes at `base`; the first of them stands for all.
static void join(struct merging *m, const bool *set, uint32_t width, int64_t base)
{
    struct merged *merged = m->body->merged;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_open; i++)
        n += set[i];
    for (uint32_t i = 0, first = 1; n > 1 && i < m->n_open; i++) {
        if (!set[i])
            continue;
        if (first)
            merged[m->open[i].draft] = (struct merged){.width = (uint8_t)width, .delta = (int8_t)(base - m->open[i].offset)};
        else
            merged[m->open[i].draft] = (struct merged){.is_part = true};
        first = 0;
        m->open[i].is_done = true;
    }
}

// Accesses like `i` that lie in its aligned `bytes`, those with a unit in `wanted`; the units that they have together.
static uint32_t gather(const struct merging *m, uint32_t i, int64_t base, int64_t bytes, uint32_t wanted, bool *set,
                       bool *overlap)
{
    const struct open_access *first = &m->open[i];
    uint32_t units = 0;
    *overlap = false;
    for (uint32_t j = 0; j < m->n_open; j++) {
        const struct open_access *a = &m->open[j];
        set[j] = j >= i && !a->is_done && a->root == first->root && a->unit == first->unit && a->offset >= base &&
                 a->offset + a->unit * a->n_units <= base + bytes;
        if (!set[j])
            continue;
        uint32_t own = ((1u << a->n_units) - 1) << (a->offset - base) / a->unit;
        set[j] = (own & wanted) != 0;
        *overlap |= set[j] && (units & own) != 0;
        units |= set[j] ? own : 0;
    }
    return units;
}

static int64_t aligned(int64_t offset, int64_t bytes)
{
    return offset - (offset % bytes + bytes) % bytes;
}

static void join_wide(struct merging *m, uint32_t i)
{
    bool set[MAX_OPEN], overlap;
    const struct open_access *a = &m->open[i];
    const int64_t base = aligned(a->offset, 16);
    const uint32_t units = gather(m, i, base, 16, ~0u, set, &overlap), all = a->unit == 8 ? 3 : 15;
    const bool has_pair = (units & 3) == 3 || (units & 12) == 12, has_three = (units & (units - 1) & ((units & (units - 1)) - 1)) != 0;
    if (units == all || (!m->are_stores && a->unit == 4 && has_pair && has_three))
        if (!(m->are_stores && overlap))
            join(m, set, 16, base);
}

static void join_pair(struct merging *m, uint32_t i)
{
    bool set[MAX_OPEN], overlap;
    const int64_t base = aligned(m->open[i].offset, 8);
    if (gather(m, i, base, 8, ~0u, set, &overlap) == 3 && !(m->are_stores && overlap))
        join(m, set, 8, base);
}

// Loaded again: the same units.
static void join_same(struct merging *m, uint32_t i)
{
    bool set[MAX_OPEN];
    const struct open_access *a = &m->open[i];
    for (uint32_t j = 0; j < m->n_open; j++) {
        const struct open_access *b = &m->open[j];
        set[j] = j >= i && !b->is_done && b->root == a->root && b->unit == a->unit && b->n_units == a->n_units &&
                 b->offset == a->offset;
    }
    join(m, set, (uint32_t)a->unit * a->n_units, a->offset);
}

static void close_all(struct merging *m)
{
    for (uint32_t i = 0; i < m->n_open; i++)
        if (!m->open[i].is_done && m->open[i].zeros >= 4)
            join_wide(m, i);
    for (uint32_t i = 0; i < m->n_open; i++)
        if (!m->open[i].is_done && m->open[i].zeros >= 3 && m->open[i].unit == 4)
            join_pair(m, i);
    for (uint32_t i = 0; i < m->n_open && !m->are_stores; i++)
        if (!m->open[i].is_done)
            join_same(m, i);
    m->n_open = 0;
}

// ---- addresses --------------------------------------------------------------------------------------

static bool is_single(const struct merging *m, const struct ptx_operand *operand)
{
    return operand->kind == PO_REG && m->n_defs[operand->variable->id] <= 1;
}

static bool symbol_place(const struct merging *m, const struct ptx_operand *operand, struct open_access *out)
{
    const struct home *home = operand->kind == PO_SYMBOL && operand->variable && operand->variable->space == PS_SHARED
                                  ? home_find(m->body->lowering, operand->variable)
                                  : NULL;
    out->root = ROOT_NONE;
    out->zeros = 31;
    out->offset += home ? (int64_t)home->address + operand->offset : 0;
    return home != NULL;
}

// The register that an address begins at: through additions of constants to registers that are written once.
static bool find_place(const struct merging *m, const struct ptx_operand *address, struct open_access *out)
{
    const struct ptx_operand *base = address->kind == PO_ADDRESS ? address->base : address;
    out->offset = address->kind == PO_ADDRESS ? address->offset : 0;
    for (uint32_t n = 0; base && base->kind == PO_REG && n < MAX_CHAIN; n++) {
        const uint32_t id = base->variable->id;
        const struct ptx_insn *def = &m->body->function->insns[m->def[id]];
        out->root = id;
        out->zeros = m->zeros[id];
        if (m->n_defs[id] != 1 || def->guard || def->n_operands < 2)
            return true;
        const bool is_add = strcmp(def->op, "add") == 0 && def->operands[2].kind == PO_IMM && is_single(m, &def->operands[1]);
        const bool is_move = strcmp(def->op, "mov") == 0 && (is_single(m, &def->operands[1]) || def->operands[1].kind == PO_SYMBOL);
        if (!is_add && !is_move)
            return true;
        out->offset += is_add ? (int32_t)def->operands[2].bits : 0;
        base = &def->operands[1];
    }
    return base && base->kind != PO_REG && symbol_place(m, base, out);
}

// ---- the instructions of a block ----------------------------------------------------------------------

static bool is_one_of(const char *op, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(op, names[i]) == 0)
            return true;
    return false;
}

// Does anything else of it stand between accesses? Between stores only: `of_stores`.
static bool stands_between(const struct ptx_insn *insn, bool *of_stores)
{
    static const char *const walls[] = {"bar", "barrier", "membar", "fence", "call", "mbarrier", "cp", "ldmatrix",
                                        "stmatrix", "movmatrix", "wgmma", "wmma", "atom", "red", "mapa"};
    static const char *const other[] = {"global", "local", "const", "param"};
    const bool is_load = strcmp(insn->op, "ld") == 0;
    for (size_t i = 0; i < 4; i++)
        if (insn_has_suffix(insn, other[i]))
            return false;
    *of_stores = is_load;
    return is_load || strcmp(insn->op, "st") == 0 || is_one_of(insn->op, walls, sizeof walls / sizeof walls[0]);
}

static bool is_mergeable(const struct ptx_insn *insn, const struct draft *draft, struct open_access *out)
{
    static const char *const ways[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    const struct insn *i = &draft->insn;
    if ((i->class != CLASS_SHARED_LD && i->class != CLASS_SHARED_ST) || insn->guard || i->is_pseudo)
        return false;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++)
        if (insn_has_suffix(insn, ways[k]))
            return false;
    out->unit = i->elem == ELEM_B32 ? 4 : i->elem == ELEM_B64 ? 8 : 0;
    out->n_units = i->n_data;
    return out->unit && out->unit * out->n_units <= 8;
}

static void add_access(struct merging *m, const struct ptx_insn *insn, uint32_t draft)
{
    struct open_access access = {.draft = draft};
    const struct draft *d = &m->body->drafts.at[draft];
    const bool is_store = d->insn.class == CLASS_SHARED_ST;
    if (m->n_open && (m->are_stores != is_store || m->n_open == MAX_OPEN))
        close_all(m);
    m->are_stores = is_store;
    if (is_mergeable(insn, d, &access) && find_place(m, &insn->operands[is_store ? 0 : 1], &access))
        m->open[m->n_open++] = access;
    else if (is_store)
        close_all(m);
}

// A base that is written again is another one.
static void forget_base(struct merging *m, const struct ptx_insn *insn)
{
    const struct ptx_operand *to = insn->n_operands ? &insn->operands[0] : NULL;
    if (!to || to->kind != PO_REG || m->n_defs[to->variable->id] < 2)
        return;
    for (uint32_t i = 0; i < m->n_open; i++)
        if (m->open[i].root == to->variable->id) {
            close_all(m);
            return;
        }
}

static void merge_block(struct merging *m, uint32_t block)
{
    const struct body *b = m->body;
    const struct ptx_insn *last = NULL;
    for (uint32_t d = b->block_draft[block]; d < b->block_draft[block + 1]; d++) {
        const struct ptx_insn *insn = b->drafts.at[d].from;
        const uint8_t class = b->drafts.at[d].insn.class;
        bool of_stores = false;
        if (!insn)
            continue;
        if (class == CLASS_SHARED_LD || class == CLASS_SHARED_ST)
            add_access(m, insn, d);
        else if (insn != last && stands_between(insn, &of_stores) && (!of_stores || m->are_stores))
            close_all(m);
        if (insn != last)
            forget_base(m, insn);
        last = insn;
    }
    close_all(m);
}

static void note_written(struct merging *m, const struct ptx_operand *operand, uint32_t insn)
{
    if (operand->kind == PO_REG) {
        m->n_defs[operand->variable->id]++;
        m->def[operand->variable->id] = insn;
    }
    for (uint32_t i = 0; (operand->kind == PO_VECTOR || operand->kind == PO_PAREN) && i < operand->n_items; i++)
        note_written(m, &operand->items[i], insn);
}

void find_merged(struct body *b)
{
    const struct ptx_function *f = b->function;
    struct arena *work = &b->lowering->work;
    b->merged = arena_array(work, struct merged, b->drafts.n);
    bool has_shared = false;
    for (size_t d = 0; d < b->drafts.n; d++)
        has_shared |= b->drafts.at[d].insn.class == CLASS_SHARED_LD || b->drafts.at[d].insn.class == CLASS_SHARED_ST;
    if (!has_shared)
        return;
    struct merging *m = arena_new(work, struct merging);
    m->body = b;
    m->zeros = find_low_zeros(b);
    m->n_defs = arena_array(work, uint32_t, f->n_registers + 1);
    m->def = arena_array(work, uint32_t, f->n_registers + 1);
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (f->insns[i].n_operands && strcmp(f->insns[i].op, "st") != 0)
            note_written(m, &f->insns[i].operands[0], i);
    for (uint32_t block = 0; block < b->cfg.n_blocks; block++)
        merge_block(m, block);
}
