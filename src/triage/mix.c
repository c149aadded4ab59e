// The static memory mix: see mix.h.
//
// Waits. A load counts on a scoreboard that its control word names, and the control word of whatever needs
// the value names that scoreboard to wait for. Going through the code in order, the first instruction that
// waits for a global load is taken to wait for all that were begun before it: they come back at nearly the
// same time. Between two waits a warp issues so many instructions, and so many loads are under way: what
// Little's law needs. Where a loop contains global loads, the smallest such loop is looked at, else the whole
// kernel.
#include "triage/mix.h"
#include <stdlib.h>
#include <string.h>

enum { N_SCOREBOARDS = 6, FIRST_PARTLY_KNOWN = 100 };

static const struct {
    const char *name;
    enum triage_value sum; // what it adds to
} kinds[N_MIX_KINDS] = {
    [MIX_LDG] = {"LDG", TRIAGE_global_loads},       [MIX_STG] = {"STG", TRIAGE_global_stores},
    [MIX_ATOMG] = {"ATOMG", TRIAGE_global_atomics}, [MIX_REDG] = {"REDG", TRIAGE_global_atomics},
    [MIX_LDS] = {"LDS", TRIAGE_shared_loads},       [MIX_STS] = {"STS", TRIAGE_shared_stores},
    [MIX_ATOMS] = {"ATOMS", TRIAGE_shared_atomics}, [MIX_LDSM] = {"LDSM", TRIAGE_shared_loads},
    [MIX_LDL] = {"LDL", TRIAGE_local_loads},        [MIX_STL] = {"STL", TRIAGE_local_stores},
    [MIX_LD] = {"LD", TRIAGE_generic_accesses},     [MIX_ST] = {"ST", TRIAGE_generic_accesses},
    [MIX_ATOM] = {"ATOM", TRIAGE_generic_accesses}, [MIX_LDGSTS] = {"LDGSTS", TRIAGE_async_copies}};

const char *mix_name(enum mix_kind kind)
{
    return kinds[kind].name;
}

// ---- opening --------------------------------------------------------------------------------------------

bool triage_code_open(struct triage *t, const char *path, const void *bytes, size_t n,
                      struct triage_code *out)
{
    static const char prefix[] = ".text.";
    struct err err = {0};
    struct elf_section section;
    *out = (struct triage_code){0};
    if (!elf_open(path, bytes, n, &out->elf, &err))
        return false;
    line_table_read(t->arena, &out->elf, &out->lines);
    for (uint32_t i = 0; i < out->elf.n_sections; i++)
        if (elf_section(&out->elf, i, &section) && section.bytes &&
            strncmp(section.name, prefix, sizeof prefix - 1) == 0) {
            const char *name = section.name + sizeof prefix - 1;
            map_set(&out->sections, name, strlen(name), (void *)(uintptr_t)(i + 1));
        }
    return true;
}

void triage_code_close(struct triage_code *code)
{
    map_release(&code->sections);
}

// ---- instructions ---------------------------------------------------------------------------------------

// Bits of a lane: what the width says, or of atomics the registers that carry the value.
static uint32_t bits_of(const struct sass_insn *insn, enum mix_kind kind)
{
    static const uint32_t bits[8] = {8, 8, 16, 16, 32, 64, 128, 128};
    if (insn->op == SASS_LDG_256 || insn->op == SASS_STG_256)
        return 256;
    if (kind != MIX_ATOM && kind != MIX_ATOMG && kind != MIX_ATOMS && kind != MIX_REDG && kind != MIX_LDSM)
        return bits[sass_field(insn, SF_WIDTH) & 7];
    for (int i = 0; i < insn->n_operands; i++)
        if (insn->operands[i].kind == SO_REG && insn->operands[i].words)
            return 32u * insn->operands[i].words;
    return 0;
}

bool mix_of(const struct sass_insn *insn, enum mix_kind *kind, uint32_t *bits)
{
    for (int i = 0; i < N_MIX_KINDS; i++)
        if (insn->row && (strcmp(insn->row->name, kinds[i].name) == 0 ||
                          (i == MIX_REDG && strcmp(insn->row->name, "RED") == 0))) {
            *kind = (enum mix_kind)i;
            *bits = bits_of(insn, *kind);
            return true;
        }
    return false;
}

static bool is_global_load(const struct sass_insn *insn)
{
    return insn->row && strcmp(insn->row->name, "LDG") == 0;
}

// Behind the code come a branch to itself and instructions that do nothing.
static bool is_padding(const struct sass_insn *insn)
{
    if (!insn->row || insn->row->op == SASS_NOP)
        return insn->row != NULL;
    for (int i = 0; insn->row->op == SASS_BRA && i < insn->n_operands; i++)
        if (insn->operands[i].kind == SO_TARGET && insn->operands[i].value == (int64_t)insn->offset)
            return true;
    return false;
}

struct code {
    struct sass_insn *insns;
    uint32_t n; // without the padding at the end
};

// False where too much of it is not known. From sm_100 on the table holds what touches memory, branches and
// waits only.
static bool decode(struct triage *t, const struct elf_section *text, unsigned cc, struct code *out)
{
    uint32_t n = (uint32_t)(text->n_bytes / SASS_BYTES), n_known = 0;
    const double least_part = 0.95;
    *out = (struct code){arena_array(t->arena, struct sass_insn, n), 0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t words[2];
        memcpy(words, text->bytes + (size_t)i * SASS_BYTES, sizeof words);
        n_known += sass_decode(cc, words, i * SASS_BYTES, &out->insns[i]);
        if (!is_padding(&out->insns[i]))
            out->n = i + 1;
    }
    return n && (cc >= FIRST_PARTLY_KNOWN || n_known >= least_part * n);
}

// ---- lines ----------------------------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The row whose line a person would look at: the innermost that is not in a toolkit's header.
static const struct line_row *own_row(const struct triage_code *code, const struct line_sequence *sequence,
                                      const struct line_row *row)
{
    for (uint32_t depth = 0; depth < sequence->n_rows; depth++) {
        bool is_header = row->file < code->lines.n_files && strstr(code->lines.files[row->file], "/include/");
        if (!is_header || row->inlined_at < 0)
            break;
        row = &sequence->rows[row->inlined_at];
    }
    return row;
}

static int by_place(const void *left, const void *right)
{
    const struct mix_row *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    if (files)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->bits < b->bits ? -1 : a->bits > b->bits;
}

// Rows in order, equal ones joined.
static void join_rows(struct triage_mix *mix)
{
    size_t n = 0;
    qsort(mix->rows, mix->n_rows, sizeof *mix->rows, by_place);
    for (size_t i = 0; i < mix->n_rows; i++)
        if (n && by_place(&mix->rows[n - 1], &mix->rows[i]) == 0)
            mix->rows[n - 1].n += mix->rows[i].n;
        else
            mix->rows[n++] = mix->rows[i];
    mix->n_rows = n;
}

static void count_accesses(struct triage *t, const struct triage_code *code, const struct code *insns,
                           struct triage_kernel *k)
{
    const struct line_sequence *sequence = line_table_find(&code->lines, k->name);
    struct triage_mix *mix = arena_new(t->arena, struct triage_mix);
    *mix = (struct triage_mix){arena_array(t->arena, struct mix_row, insns->n), 0};
    for (int i = 0; i < N_MIX_KINDS; i++)
        k->values[kinds[i].sum] = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < insns->n; i++) {
        enum mix_kind kind;
        uint32_t bits;
        if (!mix_of(&insns->insns[i], &kind, &bits))
            continue;
        while (sequence && at + 1 < sequence->n_rows && sequence->rows[at + 1].offset <= i * SASS_BYTES)
            at++;
        const struct line_row *row =
            sequence && at < sequence->n_rows ? own_row(code, sequence, &sequence->rows[at]) : NULL;
        const char *file =
            row && row->file < code->lines.n_files ? base_name(code->lines.files[row->file]) : "";
        mix->rows[mix->n_rows++] = (struct mix_row){file, row ? row->line : 0, kind, bits, 1};
        k->values[kinds[kind].sum]++;
    }
    join_rows(mix);
    k->mix = mix;
}

// ---- waits ----------------------------------------------------------------------------------------------

struct range {
    uint32_t first, end;
};

static uint32_t count_loads(const struct code *insns, struct range range)
{
    uint32_t n = 0;
    for (uint32_t i = range.first; i < range.end; i++)
        n += is_global_load(&insns->insns[i]);
    return n;
}

// The smallest loop (a jump back) that holds global loads; else everything.
static struct range busiest(const struct code *insns)
{
    struct range best = {0, insns->n};
    for (uint32_t i = 0; i < insns->n; i++) {
        const struct sass_insn *insn = &insns->insns[i];
        for (int k = 0; k < insn->n_operands; k++) {
            const struct sass_operand *o = &insn->operands[k];
            if (o->kind != SO_TARGET || o->value < 0 || o->value > (int64_t)i * SASS_BYTES ||
                strcmp(insn->row->name, "BRA"))
                continue;
            struct range loop = {(uint32_t)(o->value / SASS_BYTES), i + 1};
            if (loop.end - loop.first < best.end - best.first && count_loads(insns, loop))
                best = loop;
        }
    }
    return best;
}

// Bits of the control word: which scoreboard a load counts on (7: none), and a mask of those an instruction
// waits for.
static uint32_t load_scoreboard(const struct sass_insn *insn)
{
    uint32_t n = SASS_CONTROL(insn->high) >> 5 & 7;
    return n < N_SCOREBOARDS ? 1u << n : 0;
}

static uint32_t waits_for(const struct sass_insn *insn)
{
    uint32_t mask = SASS_CONTROL(insn->high) >> 11 & ((1u << N_SCOREBOARDS) - 1);
    for (int i = 0; insn->row && strcmp(insn->row->name, "DEPBAR") == 0 && i < insn->n_operands; i++)
        if (insn->operands[i].kind == SO_SCOREBOARD && insn->operands[i].number < N_SCOREBOARDS)
            mask |= 1u << insn->operands[i].number;
    return mask;
}

// Goes through the code once; how often it waits for a global load. `pending`: scoreboards of loads under
// way.
static uint32_t count_waits(const struct code *insns, struct range range, uint32_t *pending)
{
    uint32_t n_waits = 0;
    for (uint32_t i = range.first; i < range.end; i++) {
        if (waits_for(&insns->insns[i]) & *pending) {
            *pending = 0;
            n_waits++;
        }
        if (is_global_load(&insns->insns[i]))
            *pending |= load_scoreboard(&insns->insns[i]);
    }
    return n_waits;
}

static void measure_waits(const struct code *insns, struct triage_kernel *k)
{
    struct range range = busiest(insns);
    bool is_loop = range.first > 0 || range.end < insns->n;
    uint32_t pending = 0, n_loads = count_loads(insns, range);
    if (!n_loads)
        return;
    if (is_loop) // a round begins with what the one before it has loaded
        count_waits(insns, range, &pending);
    uint32_t n_waits = count_waits(insns, range, &pending);
    n_waits = n_waits ? n_waits : 1; // what is loaded here is used behind
    k->values[TRIAGE_load_distance] = (double)(range.end - range.first) / n_waits;
    k->values[TRIAGE_loads_in_flight] = (double)n_loads / n_waits;
}

void triage_read_code(struct triage *t, const struct triage_code *code, struct triage_kernel *k)
{
    struct elf_section text;
    struct code insns;
    size_t index = (size_t)(uintptr_t)map_get(&code->sections, k->name, strlen(k->name));
    if (!index || !elf_section(&code->elf, (uint32_t)index - 1, &text) || !text.bytes ||
        !decode(t, &text, k->cc, &insns))
        return;
    k->values[TRIAGE_instructions] = insns.n;
    count_accesses(t, code, &insns, k);
    measure_waits(&insns, k);
}
