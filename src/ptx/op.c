// From the words of a parsed instruction to its row of ptx.def: form, modifiers, what each operand is.
#include "ptx/op.h"
#include "isa/form.h"
#include <stdio.h>
#include <string.h>

// ---- the table -------------------------------------------------------------------------------------

enum suffix_class {
    CLASS_ROUND,
    CLASS_ROUND_INT,
    CLASS_FTZ,
    CLASS_SAT,
    CLASS_EVICT,
    CLASS_RESTRICT,
    CLASS_VIDEO,
    CLASS_SCALE,
    CLASS_PLUS,
    CLASS_RN,
    CLASS_RNA,
    CLASS_RELU,
    CLASS_SATFINITE,
    CLASS_NAN,
    CLASS_XORSIGN,
    CLASS_CMP,
    CLASS_CMP_UNSIGNED,
    CLASS_CMP_FLOAT,
    CLASS_BOOL,
    CLASS_PRMT,
    CLASS_ATOM,
    CLASS_SPACE,
    CLASS_VEC,
    CLASS_CACHE,
    CLASS_NC,
    CLASS_SEM,
    CLASS_SCOPE,
    CLASS_LEVEL,
    CLASS_UNI,
    CLASS_HINT,
    CLASS_POLICY,
    CLASS_PREFETCH,
    CLASS_STATE,
    CLASS_MATRICES,
    CLASS_TRANSPOSE,
    CLASS_BULK
};
// Sets of classes, as rows of ptx.def give them: one bit each, 64 at most.
#define S_ROUND (1ull << CLASS_ROUND)
#define S_ROUND_INT (1ull << CLASS_ROUND_INT)
#define S_FTZ (1ull << CLASS_FTZ)
#define S_SAT (1ull << CLASS_SAT)
#define S_EVICT (1ull << CLASS_EVICT)
#define S_RESTRICT (1ull << CLASS_RESTRICT)
#define S_VIDEO (1ull << CLASS_VIDEO)
#define S_SCALE (1ull << CLASS_SCALE)
#define S_PLUS (1ull << CLASS_PLUS)
#define S_RN (1ull << CLASS_RN)
#define S_RNA (1ull << CLASS_RNA)
#define S_RELU (1ull << CLASS_RELU)
#define S_SATFINITE (1ull << CLASS_SATFINITE)
#define S_NAN (1ull << CLASS_NAN)
#define S_XORSIGN (1ull << CLASS_XORSIGN)
#define S_CMP (1ull << CLASS_CMP)
#define S_CMP_UNSIGNED (1ull << CLASS_CMP_UNSIGNED)
#define S_CMP_FLOAT (1ull << CLASS_CMP_FLOAT)
#define S_BOOL (1ull << CLASS_BOOL)
#define S_PRMT (1ull << CLASS_PRMT)
#define S_ATOM (1ull << CLASS_ATOM)
#define S_SPACE (1ull << CLASS_SPACE)
#define S_VEC (1ull << CLASS_VEC)
#define S_CACHE (1ull << CLASS_CACHE)
#define S_NC (1ull << CLASS_NC)
#define S_SEM (1ull << CLASS_SEM)
#define S_SCOPE (1ull << CLASS_SCOPE)
#define S_LEVEL (1ull << CLASS_LEVEL)
#define S_UNI (1ull << CLASS_UNI)
#define S_HINT (1ull << CLASS_HINT)
#define S_POLICY (1ull << CLASS_POLICY)
#define S_PREFETCH (1ull << CLASS_PREFETCH)
#define S_STATE (1ull << CLASS_STATE)
#define S_MATRICES (1ull << CLASS_MATRICES)
#define S_TRANSPOSE (1ull << CLASS_TRANSPOSE)
#define S_BULK (1ull << CLASS_BULK)

struct suffix {
    const char *word;
    uint8_t class, field, value;
};
static const struct suffix suffixes[] = {
#define SUFFIX(class, word, field, value) {word, CLASS_##class, field, value},
#include "ptx/suffix.def"
#undef SUFFIX
};
enum { N_SUFFIXES = sizeof suffixes / sizeof suffixes[0], NO_FIELD = 0xff };

struct row_form {
    enum ptx_type type; // PT_NONE ends the list, or stands alone in rows without a type
    uint16_t form;
};

enum row_kind { KIND_NONE, KIND_LD, KIND_ST, KIND_ATOM, KIND_RED, KIND_LDSM, KIND_STSM };

struct row {
    const char *opcode, *operands, *types; // types: "u32 s32 "
    const struct row_form *forms;
    uint64_t suffixes; // a set of classes, S_…
    uint8_t unit, status, flow, kind;
};

// What the operands of a shape are (language of the "operands" column of ptx.def).
#define OPERANDS_T_T "d a"
#define OPERANDS_T_T_FTZ "d a"
#define OPERANDS_T_TT "d a b"
#define OPERANDS_HALVES "d a b"
#define OPERANDS_T_TTT "d a b c"
#define OPERANDS_T_TTT_IMM "d a b c #"
#define OPERANDS_U_T "d:u32 a"
#define OPERANDS_T_TU "d a b:u32"
#define OPERANDS_T_TUU "d a b:u32 c:u32"
#define OPERANDS_T_TTU "d a b c:u32"
#define OPERANDS_T_TTUU "d a b c:u32 e:u32"
#define OPERANDS_W_TT "d:w a b"
#define OPERANDS_W_TTW "d:w a b c:w"
#define OPERANDS_T_TTP "d a b q:pred"
#define OPERANDS_T_TTS "d a b c:s32"
#define OPERANDS_T_TTF "d a b c:f32"
#define OPERANDS_P_P "p q"
#define OPERANDS_P_PP "p q q"
#define OPERANDS_P_T "p a"
#define OPERANDS_F_F "d a"
#define OPERANDS_F_FF "d a b"
#define OPERANDS_F_FFF "d a b c"
#define OPERANDS_SETP_INT "p|p a b q?"
#define OPERANDS_SETP_FLOAT "p|p a b q?"
#define OPERANDS_SET_INT "d:1 a b q?"
#define OPERANDS_SET_FLOAT "d:1 a b q?"
#define OPERANDS_CVT_II "d:1 a"
#define OPERANDS_CVT_IF "d:1 a"
#define OPERANDS_CVT_FI "d:1 a"
#define OPERANDS_CVT_FF "d:1 a"
#define OPERANDS_CARRY_TT "d a b"
#define OPERANDS_H_HH "d a b"
#define OPERANDS_H_HHH "d a b c"
#define OPERANDS_H_BITS "d a"
#define OPERANDS_SETP_HALF "p|p a b q?"
#define OPERANDS_SET_HALF "d:1 a b q?"
#define OPERANDS_CVT_IH "d:1 a"
#define OPERANDS_CVT_FH "d:1 a"
#define OPERANDS_CVT_HS "d:1 a"
#define OPERANDS_CVT_HX "d:1 a"
#define OPERANDS_CVT_HH "d:1 a"
#define OPERANDS_MUFU_F "d a"
#define OPERANDS_MUFU_FF "d a b"
#define OPERANDS_V_TT "d a b"
#define OPERANDS_V_TTT "d a b c"
#define OPERANDS_CVT_PAIR "d:1 a b"
#define OPERANDS_CVT_ONE "d:1 a"
#define OPERANDS_CARRY_TTT "d a b c"

#define PT_OF_none PT_NONE
#define PT_OF_pred PT_PRED
#define PT_OF_b8 PT_B8
#define PT_OF_u8 PT_U8
#define PT_OF_s8 PT_S8
#define PT_OF_b16 PT_B16
#define PT_OF_u16 PT_U16
#define PT_OF_b128 PT_B128
#define PT_OF_f16 PT_F16
#define PT_OF_bf16 PT_BF16
#define PT_OF_f16x2 PT_F16X2
#define PT_OF_bf16x2 PT_BF16X2
#define PT_OF_u16x2 PT_U16X2
#define PT_OF_s16x2 PT_S16X2
#define PT_OF_e4m3x2 PT_E4M3X2
#define PT_OF_e5m2x2 PT_E5M2X2
#define PT_OF_s16 PT_S16
#define PT_OF_b32 PT_B32
#define PT_OF_u32 PT_U32
#define PT_OF_s32 PT_S32
#define PT_OF_f32 PT_F32
#define PT_OF_b64 PT_B64
#define PT_OF_u64 PT_U64
#define PT_OF_s64 PT_S64
#define PT_OF_f64 PT_F64

#define TYPE_WORD(type, lane, id) #type " "
#define FORM_ROW(type, lane, id) {PT_OF_##type, FORM_##id##_##type},
#define FORMS(types, id)      \
    (const struct row_form[]) \
    {                         \
        types(FORM_ROW, id)   \
        {                     \
            PT_NONE, N_FORMS  \
        }                     \
    }
#define OP(id, opcode, types, suffixes, unit, status, shape, ...) \
    {opcode,           OPERANDS_##shape, types(TYPE_WORD, id),    \
     FORMS(types, id), suffixes,         UNIT_##unit,             \
     STATUS_##status,  OP_PLAIN,         KIND_NONE},
#define COLD OP
#define FN(id, opcode, types, suffixes, unit, status, operands, function, flow)                           \
    {opcode,    operands, types(TYPE_WORD, id), FORMS(types, id), suffixes, UNIT_##unit, STATUS_##status, \
     OP_##flow, KIND_NONE},
#define MEM(id, opcode, types, suffixes, kind, status, operands, function)                  \
    {opcode,          operands, types(TYPE_WORD, id), FORMS(types, id), suffixes, UNIT_LSU, \
     STATUS_##status, OP_PLAIN, KIND_##kind},
static const struct row rows[] = {
#include "ptx/ptx.def"
};
#undef OP
#undef COLD
#undef FN
#undef MEM
enum { N_ROWS = sizeof rows / sizeof rows[0] };

// ---- words -----------------------------------------------------------------------------------------

static bool text_is(const char *text, const char *word, size_t length)
{
    return strncmp(text, word, length) == 0 && text[length] == '\0';
}

// The next word of a dotted or blank-separated list; false at its end.
static bool next_word(const char **at, char separator, const char **word, size_t *length)
{
    if (**at == '\0')
        return false;
    const char *end = strchr(*at, separator);
    *word = *at;
    *length = end ? (size_t)(end - *at) : strlen(*at);
    *at += *length + (end != NULL);
    return true;
}

static enum ptx_type type_of(const char *word)
{
    return ptx_type_parse(word, strlen(word));
}

static bool is_type(const char *word)
{
    return type_of(word) != PT_NONE;
}

static const struct suffix *suffix_find(const char *word, uint64_t allowed)
{
    for (size_t i = 0; i < N_SUFFIXES; i++)
        if ((allowed >> suffixes[i].class & 1) && strcmp(suffixes[i].word, word) == 0)
            return &suffixes[i];
    return NULL;
}

static bool row_has_base(const struct row *row, const char *base)
{
    size_t n = strlen(base);
    return strncmp(row->opcode, base, n) == 0 && (row->opcode[n] == '.' || row->opcode[n] == '\0');
}

static bool row_has_word(const struct row *row, const char *word)
{
    const char *at = row->opcode, *part;
    size_t length;
    while (next_word(&at, '.', &part, &length))
        if (text_is(word, part, length))
            return true;
    return false;
}

// ---- errors ----------------------------------------------------------------------------------------

struct place { // where an error of this instruction is
    const struct ptx_module *module;
    const struct ptx_insn *insn;
    int suffix; // index, -1: the opcode
};

// Column of the suffix (or the opcode) in the text of the module.
static unsigned column_of(struct place at)
{
    size_t column = at.insn->at.column;
    if (at.suffix < 0)
        return (unsigned)column;
    column += strlen(at.insn->op) + 1;
    for (int i = 0; i < at.suffix; i++)
        column += strlen(at.insn->suffixes[i]) + 1;
    return (unsigned)column;
}

static bool fail(struct place at, struct err *err, const char *what, const char *word)
{
    char opcode[128];
    size_t n = 0;
    opcode[0] = '\0';
    for (uint32_t i = 0; i <= at.insn->n_suffixes && n < sizeof opcode; i++)
        n += (size_t)snprintf(opcode + n, sizeof opcode - n, "%s%s", i ? "." : "",
                              i ? at.insn->suffixes[i - 1] : at.insn->op);
    return err_set_at(err, at.module->path, at.insn->at.line, column_of(at), at.module->text,
                      at.module->text_length, "%s%s%s in `%s`", what, *word ? " ." : "", word, opcode);
}

// ---- choosing the row ------------------------------------------------------------------------------

struct match {
    const struct row *row;
    uint32_t n_words; // words of the row's opcode that the instruction has; all of them if `fits`
    bool has_words;   // all words of the row but types are there
    bool has_types;
    int bad_suffix;                    // first suffix that the row does not allow, -1: none
    enum ptx_type type, first, second, third; // the row's type; the types of the opcode in order
    uint16_t form;
};

// All plain words of the row's opcode must stand among the suffixes.
static bool match_words(const struct row *row, const struct ptx_insn *insn, uint32_t *n_words)
{
    const char *at = row->opcode, *word;
    size_t length;
    next_word(&at, '.', &word, &length); // the base
    while (next_word(&at, '.', &word, &length)) {
        bool found = *word == '*' || ptx_type_parse(word, length) != PT_NONE;
        for (uint32_t i = 0; i < insn->n_suffixes && !found; i++)
            found = text_is(insn->suffixes[i], word, length);
        if (!found)
            return false;
        ++*n_words;
    }
    return true;
}

static bool match_row_type(const struct row *row, enum ptx_type type, struct match *out)
{
    for (const struct row_form *f = row->forms; f->form != N_FORMS; f++) {
        if (f->type == type) {
            out->type = type;
            out->form = f->form;
            return true;
        }
    }
    return false;
}

// The types of the instruction in their order against the types and `*` of the row.
static bool match_types(const struct row *row, const struct ptx_insn *insn, struct match *out)
{
    enum ptx_type types[3] = {PT_NONE, PT_NONE, PT_NONE};
    uint32_t n = 0, i = 0;
    for (uint32_t s = 0; s < insn->n_suffixes && n < 3; s++)
        if (is_type(insn->suffixes[s]))
            types[n++] = type_of(insn->suffixes[s]);
    out->first = types[0];
    out->second = types[1];
    out->third = types[2];
    const char *at = row->opcode, *word;
    size_t length;
    bool has_pattern = false;
    while (next_word(&at, '.', &word, &length)) {
        enum ptx_type fixed = ptx_type_parse(word, length);
        if (*word != '*' && fixed == PT_NONE)
            continue;
        has_pattern = true;
        if (i >= n || (fixed != PT_NONE ? types[i] != fixed : !match_row_type(row, types[i], out)))
            return false;
        i++;
    }
    if (!has_pattern && row->forms[0].type == PT_NONE)
        return n == 0 && match_row_type(row, PT_NONE, out);
    if (!has_pattern)
        return n == 1 && match_row_type(row, types[0], out);
    return i == n;
}

static int find_bad_suffix(const struct row *row, const struct ptx_insn *insn)
{
    for (uint32_t i = 0; i < insn->n_suffixes; i++) {
        const char *word = insn->suffixes[i];
        if (!is_type(word) && !row_has_word(row, word) && !suffix_find(word, row->suffixes))
            return (int)i;
    }
    return -1;
}

static struct match match_row(const struct row *row, const struct ptx_insn *insn)
{
    struct match m = {.row = row, .bad_suffix = -1};
    m.has_words = match_words(row, insn, &m.n_words);
    m.has_types = match_types(row, insn, &m);
    m.bad_suffix = find_bad_suffix(row, insn);
    if (row->flow == OP_MATRIX || row->flow == OP_TEXTURE) { // types, layouts and shape are read by ptx/matrix.c
        m.has_types = match_row_type(row, PT_NONE, &m);
        m.bad_suffix = -1;
    }
    if (row->status == STATUS_REFUSED) { // whatever stands behind its words
        m.has_types = match_row_type(row, PT_NONE, &m);
        m.bad_suffix = -1;
    }
    return m;
}

// How well a row fits: types first, then words and suffixes; the best one is right or is what the error is
// about.
static uint32_t match_score(const struct match *m)
{
    return (m->has_words && m->has_types && m->bad_suffix < 0) * 1000u + m->has_types * 150u +
           m->has_words * 100u + (m->bad_suffix < 0) * 20u + m->n_words;
}

static bool explain(struct place at, const struct match *best, struct err *err)
{
    if (!best->has_words) {
        char what[96];
        snprintf(what, sizeof what, "unknown instruction: a word of `%s` is missing or unknown",
                 best->row->opcode);
        return fail(at, err, what, "");
    }
    if (best->bad_suffix >= 0) {
        at.suffix = best->bad_suffix;
        return fail(at, err, "unknown or illegal suffix", at.insn->suffixes[at.suffix]);
    }
    for (uint32_t i = 0; i < at.insn->n_suffixes; i++)
        if (is_type(at.insn->suffixes[i]))
            at.suffix = (int)i;
    if (at.suffix < 0)
        return fail(at, err, "a type is missing", "");
    return fail(at, err, "illegal type", at.insn->suffixes[at.suffix]);
}

static bool choose_row(struct place at, struct match *out, struct err *err)
{
    uint32_t best = 0;
    bool known = false;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (!row_has_base(&rows[i], at.insn->op))
            continue;
        struct match m = match_row(&rows[i], at.insn);
        if (rows[i].status == STATUS_REFUSED && !m.has_words)
            continue; // is about another instruction
        if (!known || match_score(&m) > best) {
            *out = m;
            best = match_score(&m);
        }
        known = true;
    }
    if (!known)
        return fail(at, err, "unknown instruction", "");
    return best >= 1000 || explain(at, out, err);
}

// ---- suffixes and memory ---------------------------------------------------------------------------

static bool apply_suffixes(struct place at, const struct row *row, struct op *out, struct err *err)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < at.insn->n_suffixes; i++) {
        const struct suffix *s = suffix_find(at.insn->suffixes[i], row->suffixes);
        if (!s)
            continue;
        at.suffix = (int)i;
        bool may_repeat = s->class == CLASS_HINT || s->class == CLASS_XORSIGN || s->class == CLASS_UNI ||
                          s->class == CLASS_STATE || s->class == CLASS_BULK;
        if ((seen >> s->class & 1) && !may_repeat)
            return fail(at, err, "a second suffix of the same kind:", s->word);
        seen |= 1ull << s->class;
        if (s->class == CLASS_SPACE)
            out->space = s->value;
        if (s->class == CLASS_VEC || s->class == CLASS_MATRICES)
            out->vector = s->value;
        if (s->class == CLASS_NC)
            out->mod &= ~MOD_FIELD(0xf, MOD_CACHE);
        if (s->field != NO_FIELD && !(s->class == CLASS_HINT && MOD_GET(out->mod, MOD_CACHE, 4)) &&
            !(s->class == CLASS_CACHE && (seen & S_NC)))
            out->mod |= MOD_FIELD(s->value, s->field);
    }
    if ((row->suffixes & S_CMP) && !(seen & (S_CMP | S_CMP_UNSIGNED | S_CMP_FLOAT)))
        return fail(at, err, "a comparison is missing", "");
    return true;
}

static uint8_t elem_of(enum ptx_type type)
{
    switch (type) {
    case PT_B8:
    case PT_U8:
        return ELEM_U8;
    case PT_S8:
        return ELEM_S8;
    case PT_S16:
        return ELEM_S16;
    default:
        return type == PT_B128 ? ELEM_B128 : ptx_type_bytes(type) == 2 ? ELEM_U16 : ptx_type_bytes(type) == 8 ? ELEM_B64 : ELEM_B32;
    }
}

static uint8_t class_of(enum row_kind kind, enum space space)
{
    static const uint8_t classes[][N_SPACES] = {
        [KIND_LD] = {[SPACE_GENERIC] = CLASS_GENERIC_LD,
                     [SPACE_GLOBAL] = CLASS_GLOBAL_LD,
                     [SPACE_SHARED] = CLASS_SHARED_LD,
                     [SPACE_CLUSTER] = CLASS_GENERIC_LD,
                     [SPACE_LOCAL] = CLASS_LOCAL_LD,
                     [SPACE_CONST] = CLASS_CONST_LD,
                     [SPACE_PARAM] = CLASS_CONST_LD},
        [KIND_ST] = {[SPACE_GENERIC] = CLASS_GENERIC_ST,
                     [SPACE_GLOBAL] = CLASS_GLOBAL_ST,
                     [SPACE_SHARED] = CLASS_SHARED_ST,
                     [SPACE_CLUSTER] = CLASS_GENERIC_ST,
                     [SPACE_LOCAL] = CLASS_LOCAL_ST},
        [KIND_ATOM] = {[SPACE_GENERIC] = CLASS_GENERIC_ATOM,
                       [SPACE_GLOBAL] = CLASS_GLOBAL_ATOM,
                       [SPACE_SHARED] = CLASS_SHARED_ATOM,
                       [SPACE_CLUSTER] = CLASS_GENERIC_ATOM},
        [KIND_RED] = {[SPACE_GENERIC] = CLASS_GENERIC_RED,
                      [SPACE_GLOBAL] = CLASS_GLOBAL_RED,
                      [SPACE_SHARED] = CLASS_SHARED_ATOM,
                      [SPACE_CLUSTER] = CLASS_GENERIC_RED},
        [KIND_LDSM] = {[SPACE_GENERIC] = CLASS_LDSM, [SPACE_SHARED] = CLASS_LDSM},
        [KIND_STSM] = {[SPACE_GENERIC] = CLASS_SHARED_ST, [SPACE_SHARED] = CLASS_SHARED_ST},
    };
    return classes[kind][space];
}

static void describe_memory(const struct row *row, struct op *out)
{
    out->elem = row->kind == KIND_LDSM || row->kind == KIND_STSM ? ELEM_B32 : elem_of(out->type);
    if (out->vector == 0)
        out->vector = 1;
    out->class = class_of(row->kind, out->space);
    if (out->space == SPACE_PARAM)
        out->flow = row->kind == KIND_LD ? OP_PARAM_LD : OP_PARAM_ST;
}

// ---- operands --------------------------------------------------------------------------------------

static enum role role_of(char letter)
{
    switch (letter) {
    case 'd':
        return ROLE_DST;
    case 'p':
        return ROLE_PDST;
    case 'q':
        return ROLE_PSRC;
    case '@':
        return ROLE_ADDR;
    case 'D':
        return ROLE_DATA_DST;
    case 'S':
        return ROLE_DATA_SRC;
    case 'L':
        return ROLE_LABEL;
    case '#':
        return ROLE_IMM_EXTRA;
    case '-':
        return ROLE_IGNORED;
    default:
        return ROLE_SRC;
    }
}

static enum ptx_type wide_type(enum ptx_type type)
{
    switch (type) {
    case PT_U16:
        return PT_U32;
    case PT_S16:
        return PT_S32;
    case PT_U32:
        return PT_U64;
    default:
        return PT_S64;
    }
}

static enum ptx_type role_type(const char *word, size_t length, const struct match *m)
{
    const char *colon = memchr(word, ':', length);
    size_t n = length - (size_t)(colon ? colon + 1 - word : 0);
    if (colon) {
        const char *bar = memchr(colon, '|', n + 1), *mark = memchr(colon, '?', n + 1);
        const char *end = bar ? bar : mark;
        n = end ? (size_t)(end - colon - 1) : n;
    }
    if (!colon)
        return *word == 'p' || *word == 'q' ? PT_PRED : m->type;
    switch (colon[1]) {
    case 'w':
        return wide_type(m->type);
    case '1':
        return m->first;
    case '2':
        return m->second;
    default:
        return ptx_type_parse(colon + 1, n);
    }
}

// Fills the roles. An optional operand is left out when the instruction has fewer operands than the row has
// words.
static bool describe_operands(struct place at, const struct match *m, struct op *out, struct err *err)
{
    uint32_t n_words = 0, n_optional = 0, n = at.insn->n_operands;
    const char *list = m->row->operands, *word;
    size_t length;
    while (next_word(&list, ' ', &word, &length)) {
        n_words++;
        n_optional += word[length - 1] == '?';
    }
    if (m->row->operands[0] == '*')
        return true; // bound by lowering, which knows how many there may be
    // A video instruction whose result is a part of a register takes the rest of it from one more source.
    if (n == n_words + 1 && m->row->opcode[0] == 'v' && at.insn->operands[0].selector)
        n = n_words;
    if (n > n_words || n + n_optional < n_words)
        return fail(at, err, "wrong number of operands", "");
    uint32_t n_absent = n_words - n;
    for (list = m->row->operands; next_word(&list, ' ', &word, &length);) {
        if (word[length - 1] == '?' && n_absent > 0) {
            n_absent--;
            continue;
        }
        out->roles[out->n_roles] = role_of(*word);
        out->role_types[out->n_roles++] = role_type(word, length, m);
        bool may_be_pair = memchr(word, '|', length) != NULL;
        if (at.insn->operands[out->n_roles - 1].pair && !may_be_pair)
            return fail(at, err, "an operand may not be a pair", "");
    }
    return true;
}

// Video instructions name up to three types: result, first and second source; vset has no type of its result.
static uint32_t video_signs(const struct match *m)
{
    if (m->row->opcode[0] != 'v' || strncmp(m->row->opcode, "vote", 4) == 0)
        return 0;
    const bool is_set = strncmp(m->row->opcode, "vset", 4) == 0;
    const enum ptx_type a = is_set ? m->first : m->second, b = is_set ? m->second : m->third;
    return MOD_FIELD(!is_set && m->first == PT_S32, MOD_VIDEO_D) | MOD_FIELD(a == PT_S32, MOD_VIDEO_A) |
           MOD_FIELD(b == PT_S32, MOD_VIDEO_B);
}

static bool read_matrix(struct place at, struct matrix_op *out, struct err *err)
{
    const char *wrong = matrix_op_read(at.insn, out, &at.suffix);
    return !wrong || fail(at, err, wrong, at.suffix < 0 ? "" : at.insn->suffixes[at.suffix]);
}

bool op_resolve(const struct ptx_module *module, const struct ptx_insn *insn, struct op *out, struct err *err)
{
    struct place at = {module, insn, -1};
    struct match m = {.bad_suffix = -1};
    if (!choose_row(at, &m, err))
        return false;
    *out = (struct op){.name = m.row->opcode,
                       .form = m.form,
                       .unit = m.row->unit,
                       .flow = m.row->flow,
                       .status = m.row->status,
                       .type = m.first,
                       .type2 = m.second};
    if (out->type == PT_NONE)
        out->type = m.type;
    if (!apply_suffixes(at, m.row, out, err))
        return false;
    out->mod |= video_signs(&m);
    if (m.row->kind != KIND_NONE)
        describe_memory(m.row, out);
    if (out->flow == OP_TEXTURE)
        return true; // read by lowering
    if (out->flow == OP_MATRIX)
        return read_matrix(at, &out->matrix, err);
    return describe_operands(at, &m, out, err);
}

bool op_find(const char *opcode, enum op_status *out, struct err *err)
{
    char words[256];
    const char *suffix_words[32];
    struct ptx_insn insn = {.op = words, .suffixes = suffix_words};
    struct ptx_module module = {.path = "opcode", .text = opcode, .text_length = strlen(opcode)};
    struct match m = {.bad_suffix = -1};
    struct op op = {0};
    insn.at.line = insn.at.column = 1;
    snprintf(words, sizeof words, "%s", opcode);
    for (char *dot = strchr(words, '.'); dot && insn.n_suffixes < 32; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        suffix_words[insn.n_suffixes++] = dot + 1;
    }
    struct place at = {&module, &insn, -1};
    if (!choose_row(at, &m, err) || !apply_suffixes(at, m.row, &op, err))
        return false;
    if (m.row->flow == OP_MATRIX && !read_matrix(at, &op.matrix, err))
        return false;
    *out = m.row->status;
    return true;
}

// ---- what is supported -----------------------------------------------------------------------------

uint32_t op_count(void)
{
    return N_ROWS;
}

struct op_info op_info(uint32_t row)
{
    static const char *const status_names[] = {"exact", "approximate", "no effect", "refused"};
    const struct row *r = &rows[row];
    struct op_info info = {.name = r->opcode,
                           .types = r->forms[0].type == PT_NONE ? "" : r->types,
                           .status = status_names[r->status],
                           .unit = r->unit};
    size_t n = 0;
    for (size_t i = 0; i < N_SUFFIXES; i++)
        if ((r->suffixes >> suffixes[i].class & 1) && n + strlen(suffixes[i].word) + 2 < sizeof info.suffixes)
            n += (size_t)snprintf(info.suffixes + n, sizeof info.suffixes - n, "%s.%s", n ? " " : "",
                                  suffixes[i].word);
    return info;
}

const char *op_ambiguous_suffix(uint32_t row)
{
    for (size_t i = 0; i < N_SUFFIXES; i++)
        for (size_t j = i + 1; j < N_SUFFIXES; j++)
            if ((rows[row].suffixes >> suffixes[i].class & 1) &&
                (rows[row].suffixes >> suffixes[j].class & 1) &&
                strcmp(suffixes[i].word, suffixes[j].word) == 0)
                return suffixes[i].word;
    return NULL;
}
