// Instructions without memory: each of the tables of op_harness.h with every combination of its suffixes.
#include "support/check.h"
#include "support/diff.h"
#include "support/op_harness.h"
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 16, MAX_CHOICES = 24, OPCODE_SIZE = 96 };

// Suffixes in the order in which they are written, one of each slot at most. AFTER: behind the types.
enum place { BEFORE_WORDS, BEHIND_WORDS, AFTER };
static const struct slot {
    enum place place;
    const char *bases; // of these instructions only, blank-separated; NULL: of all but `not_bases`
    const char *choices[MAX_CHOICES];
} slots[] = {
    {BEFORE_WORDS, "setp set", {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
                                "gtu", "geu", "num", "nan"}},
    {BEFORE_WORDS, "setp set", {"and", "or", "xor"}},
    {BEHIND_WORDS, NULL, {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"}},
    {BEHIND_WORDS, NULL, {"satfinite"}},
    {BEHIND_WORDS, NULL, {"ftz"}},
    {BEHIND_WORDS, "min max", {"NaN"}},
    {BEHIND_WORDS, "min max", {"xorsign.abs"}},
    {BEHIND_WORDS, NULL, {"sat", "relu"}},
    {AFTER, "prmt", {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}},
    {AFTER, "vset vset2 vset4", {"eq", "ne", "lt", "le", "gt", "ge"}},
    {AFTER, "vadd vsub vabsdiff vmin vmax vshl vshr vmad vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vadd4 vsub4 vavrg4 "
            "vabsdiff4 vmin4 vmax4", {"sat"}},
    {AFTER, "vshl vshr", {"clamp", "wrap"}},
    {AFTER, "vmad", {"shr7", "shr15"}},
    {AFTER, "vadd vsub vabsdiff vmin vmax vshl vshr vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 "
            "vavrg4 vabsdiff4 vmin4 vmax4 vset4", {"add", "min", "max"}},
};
enum { N_SLOTS = N_ELEMENTS(slots) };

static bool list_has(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += *at == ' ') {
        size_t n = strcspn(at, " ");
        if (n == length && strncmp(at, word, n) == 0)
            return true;
        at += n;
    }
    return false;
}

static bool slot_applies(const struct slot *slot, const char *base)
{
    return slot->bases ? list_has(slot->bases, base, strlen(base)) : base[0] != 'v';
}

// An opcode without its suffixes: base, words that stay, types.
struct skeleton {
    char base[16], words[64], types[48]; // words and types with their dots
};

static bool is_choice(const char *base, const char *word, size_t length)
{
    for (size_t s = 0; s < N_SLOTS; s++)
        for (size_t c = 0; slot_applies(&slots[s], base) && c < MAX_CHOICES && slots[s].choices[c]; c++)
            if (strcspn(slots[s].choices[c], ".") == length && strncmp(slots[s].choices[c], word, length) == 0)
                return true;
    return length == 3 && strncmp(word, "abs", 3) == 0; // of .xorsign.abs
}

static void append(char *to, size_t size, const char *word, size_t length)
{
    size_t n = strlen(to);
    snprintf(to + n, size - n, ".%.*s", (int)length, word);
}

static void take_apart(const char *opcode, struct skeleton *out)
{
    *out = (struct skeleton){0};
    snprintf(out->base, sizeof out->base, "%.*s", (int)strcspn(opcode, "."), opcode);
    const bool is_whole = strstr(opcode, ".pack.") != NULL; // cvt.pack.sat: the words belong to it
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at, '.')) {
        at++;
        size_t length = strcspn(at, ".");
        if (is_whole)
            append(out->words, sizeof out->words, at, length);
        else if (ptx_type_parse(at, length) != PT_NONE)
            append(out->types, sizeof out->types, at, length);
        else if (!is_choice(out->base, at, length))
            append(out->words, sizeof out->words, at, length);
    }
}

// The opcode with one choice of each slot; 0 = none, else its number + 1.
static void compose(const struct skeleton *s, const uint32_t chosen[N_SLOTS], char *out)
{
    size_t n = (size_t)snprintf(out, OPCODE_SIZE, "%s", s->base);
    for (enum place place = BEFORE_WORDS; place <= AFTER; place++) {
        if (place == BEHIND_WORDS)
            n += (size_t)snprintf(out + n, OPCODE_SIZE - n, "%s", s->words);
        if (place == AFTER)
            n += (size_t)snprintf(out + n, OPCODE_SIZE - n, "%s", s->types);
        for (size_t i = 0; i < N_SLOTS; i++)
            if (chosen[i] && slots[i].place == place)
                n += (size_t)snprintf(out + n, OPCODE_SIZE - n, ".%s", slots[i].choices[chosen[i] - 1]);
    }
}

static bool try_resolve(const char *opcode, const char *operands, struct op *out, bool *has_q)
{
    struct err err = {0};
    struct arena arena;
    arena_init(&arena, "differential test");
    char *text = arena_printf(&arena,
                              ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                              ".reg .b64 d, a, b, c, e;\n.reg .pred p, q, r, s;\n%s %s;\n}\n",
                              opcode, operands);
    struct ptx_module *module = ptx_parse(&arena, "test.ptx", text, strlen(text), &err);
    bool is_good = module && op_resolve(module, &module->functions[0]->insns[0], out, &err);
    *has_q = is_good && module->functions[0]->insns[0].operands[0].pair;
    arena_release(&arena);
    return is_good;
}

static uint32_t register_bits(enum ptx_type type)
{
    uint32_t bits = bits_of_type(type);
    return bits < 16 ? 32 : bits;
}

// ---- one variant -------------------------------------------------------------------------------------

static void write_load(struct buf *out, enum ptx_type type, const char *name)
{
    buf_puts(out, "ld.global.b64 %at, [%in];\n");
    if (type == PT_PRED)
        buf_printf(out, ".reg .pred %s;\nsetp.ne.u64 %s, %%at, 0;\n", name, name);
    else if (register_bits(type) == 64)
        buf_printf(out, ".reg .b64 %s;\nmov.b64 %s, %%at;\n", name, name);
    else
        buf_printf(out, ".reg .b%u %s;\ncvt.u%u.u64 %s, %%at;\n", register_bits(type), name, register_bits(type),
                   name);
}

static void write_setup(const struct diff_shape *shape, bool has_carry, struct buf *out)
{
    static const char *const names[] = {"a", "b", "c", "e"}, *const pred_names[] = {"r", "s"};
    uint32_t src = 0, psrc = 0;
    for (uint32_t k = 0; k < shape->n_inputs; k++) {
        bool is_carry = has_carry && k + 1 == shape->n_inputs;
        const char *name = is_carry                        ? "carry"
                           : shape->inputs[k] == PT_PRED ? pred_names[psrc++]
                                                           : names[src++];
        write_load(out, is_carry ? PT_B32 : shape->inputs[k], name);
        buf_puts(out, "add.u64 %in, %in, %stride;\n");
    }
}

static void write_variant(const char *opcode, const char *operands, const struct op *op, bool has_q, bool has_carry,
                          struct buf *out)
{
    const bool is_pred = op->roles[0] == ROLE_PDST;
    const uint32_t bits = is_pred ? 0 : register_bits(op->role_types[0]);
    if (has_carry)
        buf_puts(out, "add.cc.u32 %t, carry, 0xffffffff;\n");
    if (is_pred)
        buf_puts(out, ".reg .pred p, q;\n");
    else
        buf_printf(out, ".reg .b%u d;\n", bits);
    buf_printf(out, "%s %s;\n", opcode, operands);
    if (has_carry)
        buf_puts(out, "addc.u32 %t, 0, 0;\ncvt.u64.u32 %x1, %t;\n");
    if (is_pred)
        buf_printf(out, "selp.b64 %%x0, 1, 0, p;\n%s", has_q ? "@q or.b64 %x0, %x0, 2;\n" : "");
    else if (bits == 64)
        buf_puts(out, "mov.b64 %x0, d;\n");
    else
        buf_printf(out, "cvt.u64.u%u %%x0, d;\n", bits);
}

static void add_variant(struct diff_set *set, const struct skeleton *s, const char *opcode, const char *operands,
                        bool has_carry)
{
    struct op op;
    bool has_q;
    char key[160], seed[160], widths[16];
    snprintf(key, sizeof key, "%s|%s", opcode, operands);
    if (set->only != (map_get(&set->keys, key, strlen(key)) != NULL) || !try_resolve(opcode, operands, &op, &has_q))
        return;
    struct diff_shape shape = {.family = s->base, .seed = seed};
    uint32_t n = 0;
    for (uint32_t i = 0; i < op.n_roles; i++)
        if (op.roles[i] == ROLE_SRC || op.roles[i] == ROLE_PSRC)
            shape.inputs[n++] = op.role_types[i];
    if (has_carry)
        shape.inputs[n++] = PT_PRED;
    shape.n_inputs = n;
    snprintf(seed, sizeof seed, "%s%s", s->base, s->types);
    snprintf(widths, sizeof widths, "%u%s",
             op.roles[0] == ROLE_PDST ? 1 : bits_of_type(op.role_types[0]) / 4, has_carry ? " 1" : "");
    struct buf setup = {0}, text = {0};
    write_setup(&shape, has_carry, &setup);
    shape.setup = setup.at;
    write_variant(opcode, operands, &op, has_q, has_carry, &text);
    diff_add(set, &shape, key, widths, text.at);
    buf_release(&setup);
    buf_release(&text);
}

// ---- all combinations --------------------------------------------------------------------------------

// Choices of each slot that the instruction allows, each tried alone (a comparison is there where one must be).
static void find_allowed(const struct skeleton *s, const uint32_t base_choice[N_SLOTS], bool allowed[][MAX_CHOICES])
{
    char opcode[OPCODE_SIZE];
    for (size_t i = 0; i < N_SLOTS; i++)
        for (uint32_t c = 0; slot_applies(&slots[i], s->base) && c < MAX_CHOICES && slots[i].choices[c]; c++) {
            uint32_t chosen[N_SLOTS];
            enum op_status status;
            struct err err = {0};
            memcpy(chosen, base_choice, sizeof chosen);
            chosen[i] = c + 1;
            compose(s, chosen, opcode);
            allowed[i][c] = op_find(opcode, &status, &err);
        }
}

// Comparisons and shifts must say which.
static bool is_needed(const struct slot *slot)
{
    return strcmp(slot->choices[0], "eq") == 0 || strcmp(slot->choices[0], "clamp") == 0;
}

static bool next_combination(uint32_t chosen[N_SLOTS], bool allowed[][MAX_CHOICES])
{
    for (size_t i = 0; i < N_SLOTS; i++) {
        while (chosen[i] < MAX_CHOICES && !allowed[i][chosen[i]])
            chosen[i]++;
        if (chosen[i] < MAX_CHOICES) {
            chosen[i]++;
            return true;
        }
        chosen[i] = 0;
    }
    return false;
}

static void add_combinations(struct diff_set *set, const char *opcode, const char *operands, bool has_carry)
{
    struct skeleton s;
    bool allowed[N_SLOTS][MAX_CHOICES] = {0};
    uint32_t start[N_SLOTS] = {0}, chosen[N_SLOTS] = {0};
    char composed[OPCODE_SIZE];
    take_apart(opcode, &s);
    if (strcmp(s.base, "cvta") == 0)
        return;
    for (size_t i = 0; i < N_SLOTS; i++)
        start[i] = is_needed(&slots[i]) && slot_applies(&slots[i], s.base);
    find_allowed(&s, start, allowed);
    const bool has_bool = strstr(operands, ", r") != NULL && s.base[0] == 's' && s.base[1] == 'e' && s.base[2] == 't';
    do {
        compose(&s, chosen, composed);
        const bool is_bool = (strcmp(s.base, "setp") == 0 || strcmp(s.base, "set") == 0) && chosen[1] != 0;
        if (is_bool == has_bool)
            add_variant(set, &s, composed, operands, has_carry);
    } while (next_combination(chosen, allowed));
}

void diff_add_plain(struct diff_set *set)
{
    static const struct op_case *const tables[] = {op_cases_integer, op_cases_logic,   op_cases_float,
                                                   op_cases_compare, op_cases_convert, op_cases_carry,
                                                   op_cases_move,    op_cases_half,    op_cases_video};
    char opcode[64];
    for (size_t t = 0; t < N_ELEMENTS(tables); t++)
        for (const struct op_case *row = tables[t]; row->opcode; row++)
            for (uint32_t n = 0; op_case_opcode(row, n, opcode, sizeof opcode); n++)
                add_combinations(set, opcode, row->operands, tables[t] == op_cases_carry);
}
