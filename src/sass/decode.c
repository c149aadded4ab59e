// From an encoding to operands and fields, by the spec of its row.
#include "isa/isa.h"
#include "sass/spec.h"
#include <string.h>

struct decoding {
    struct sass_insn *out;
    const uint64_t *words;
    unsigned form; // bits 9 … 11
};

static uint64_t bits(const struct decoding *d, unsigned at, unsigned width)
{
    return sass_bits(d->words, at, width);
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

// ---- how many registers an operand takes
// --------------------------------------------------------------------------------

static unsigned log2_bytes(unsigned type) // of FROM_I, TO_I
{
    return type >> 1;
}

static unsigned float_words(unsigned type) // of FROM_F, TO_F
{
    return type == SASS_TO_F_F64 ? 2 : 1;
}

static unsigned width_words(unsigned width)
{
    return width == SASS_WIDTH_B64 ? 2 : width == SASS_WIDTH_B128 || width == SASS_WIDTH_U128 ? 4 : 1;
}

static unsigned atom_words(unsigned cc, unsigned type)
{
    if (cc < 90)
        return type == SASS_ATOM_TYPE_80_U64 || type == SASS_ATOM_TYPE_80_S64 || type == SASS_ATOM_TYPE_80_F64 ? 2 : 1;
    return type == SASS_ATOM_TYPE_U64 || type == SASS_ATOM_TYPE_S64 ? 2 : type == SASS_ATOM_TYPE_B128 ? 4 : 1;
}

static unsigned float_red_words(unsigned type)
{
    switch (type) {
    case SASS_FRED_TYPE_F16X4:
    case SASS_FRED_TYPE_BF16X4:
    case SASS_FRED_TYPE_F32X2_FTZ:
    case SASS_FRED_TYPE_F32X2:
    case SASS_FRED_TYPE_F64:
        return 2;
    case SASS_FRED_TYPE_F16X8:
    case SASS_FRED_TYPE_BF16X8:
    case SASS_FRED_TYPE_F32X4_FTZ:
    case SASS_FRED_TYPE_F32X4:
        return 4;
    default:
        return 1;
    }
}

// Fragments of HMMA, by the place of the operand (0 = D, 1 = A, 2 = B, 3 = C); shapes are m16 n8 k….
static unsigned hmma_words(const struct sass_insn *in, unsigned place)
{
    unsigned shape = in->fields[SF_SHAPE], is_wide = in->fields[SF_TYPE_TO] == SASS_ACC_F32;
    if (place == 0 || place == 3)
        return is_wide ? 4 : 2;
    bool is_tf32 = in->fields[SF_TYPE] == SASS_HMMA_TYPE_TF32;
    unsigned a = shape == SASS_HMMA_SHAPE_16816 ? 4 : 2;
    if (is_tf32)
        a = shape == SASS_HMMA_SHAPE_1684 ? 2 : 4;
    return place == 1 ? a : a / 2;
}

// 64 × n results over 128 lanes.
static unsigned hgmma_words(const struct sass_insn *in)
{
    unsigned columns = 8 * (1 + in->fields[SF_SHAPE] % 32);
    return in->fields[SF_TYPE_TO] == SASS_ACC_F32 ? columns / 2 : columns / 4;
}

// Fragments of IMMA, by the place of the operand; shapes are m8 n8 k16, m16 n8 k16, m16 n8 k32.
static unsigned imma_words(const struct sass_insn *in, unsigned place)
{
    unsigned shape = in->fields[SF_SHAPE];
    if (place == 0 || place == 3)
        return shape == SASS_IMMA_SHAPE_8816 ? 2 : 4;
    unsigned a = shape == SASS_IMMA_SHAPE_8816 ? 1 : shape == SASS_IMMA_SHAPE_16816 ? 2 : 4;
    return place == 1 || a == 1 ? a : a / 2;
}

// Fragments of DMMA: m8 n8 k4, m16 n8 k4, k8, k16, of doubles.
static unsigned dmma_words(const struct sass_insn *in, unsigned place)
{
    static const uint8_t a_words[] = {2, 4, 8, 16};
    unsigned shape = in->fields[SF_SHAPE];
    if (place == 0 || place == 3)
        return shape == SASS_DMMA_SHAPE_8X8X4 ? 4 : 8;
    return place == 1 || shape == SASS_DMMA_SHAPE_8X8X4 ? a_words[shape] : a_words[shape] / 2u;
}

static unsigned words_of(const struct decoding *d, const struct sass_item *item)
{
    const struct sass_insn *in = d->out;
    switch (item->words) {
    case 'W':
        return width_words(in->fields[SF_WIDTH]);
    case 'A':
        return atom_words(in->cc, in->fields[SF_ATOM_TYPE]);
    case 'P':
        return float_red_words(in->fields[SF_ATOM_TYPE]);
    case 'F':
        return float_words(in->fields[SF_TYPE_TO]);
    case 'T':
        return log2_bytes(in->fields[SF_TYPE_TO]) == 3 ? 2 : 1;
    case 'S': // of a conversion: whichever type its source has
        return in->op == SASS_F2I_64 || in->op == SASS_F2F_64 ? float_words(in->fields[SF_TYPE_FROM])
               : log2_bytes(in->fields[SF_TYPE_FROM]) == 3    ? 2
                                                              : 1;
    case 'C':
        return in->fields[SF_WIDTH] == SASS_CS2R_B64 ? 2 : 1;
    case 'M':
        return in->fields[SF_WIDTH] == SASS_U64_YES ? 2 : 1;
    case 'N':
        return 1u << in->fields[SF_NUM];
    case 'H':
        return hmma_words(in, in->n_operands);
    case 'G':
        return hgmma_words(in);
    case 'I':
        return imma_words(in, in->n_operands);
    case 'D':
        return dmma_words(in, in->n_operands);
    case 0:
        return 1;
    default:
        return item->words >= '0' && item->words <= '9' ? (unsigned)(item->words - '0') : 1;
    }
}

// ---- registers and signs
// ------------------------------------------------------------------------------------------------

// Where the signs of a source lie, by where the source lies.
struct slot {
    uint8_t at, negated, absolute, select;
};

static const struct slot *slot_of(unsigned at)
{
    static const struct slot slots[] = {{24, 72, 73, 74}, {32, 63, 62, 60}, {64, 75, 74, 81}};
    for (unsigned i = 0; i < 3; i++)
        if (slots[i].at == at)
            return &slots[i];
    return NULL;
}

static bool flag(const struct decoding *d, const struct sass_item *item, char letter, unsigned default_bit)
{
    int at = sass_item_argument(item, letter);
    return at >= 0 && bits(d, at ? (unsigned)at : default_bit, 1);
}

// The reuse cache has a bit for the first, second and third source, wherever it lies.
static unsigned reuse_bit(const struct decoding *d, const struct sass_item *item, unsigned at)
{
    switch (item->letter) {
    case 'B':
        return 123;
    case 'C':
        return 124;
    case 'b':
        return d->out->row->forms >> 7 & 1 ? 124 : 123; // numbered as a third operand
    default:
        return at == 24 ? 122 : at == 32 ? 123 : 124;
    }
}

static void decode_signs(const struct decoding *d, const struct sass_item *item, unsigned at,
                         struct sass_operand *operand)
{
    static const struct slot halves = {64, 84, 83, 81};
    const struct slot *slot = at == 64 && sass_item_argument(item, 'w') >= 0 ? &halves : slot_of(at);
    if (!slot)
        return;
    operand->is_negated = flag(d, item, 'n', slot->negated);
    operand->is_absolute = flag(d, item, 'a', slot->absolute);
    operand->is_inverted = flag(d, item, 'i', slot->negated);
    if (flag(d, item, 'x', slot->negated)) {
        bool is_inverse = d->out->fields[SF_X] != 0;
        operand->is_inverted = is_inverse;
        operand->is_negated = !is_inverse;
    }
    int select = sass_item_argument(item, 's');
    if (select >= 0)
        operand->select = (uint8_t)bits(d, select ? (unsigned)select : slot->select, 2);
    if (operand->kind == SO_REG)
        operand->is_reuse = bits(d, reuse_bit(d, item, at), 1);
}

static void decode_reg(const struct decoding *d, unsigned at, bool is_uniform, struct sass_operand *operand)
{
    operand->kind = is_uniform ? SO_UREG : SO_REG;
    operand->number = (uint16_t)bits(d, at, is_uniform ? 6 : 8);
}

static void decode_const(const struct decoding *d, struct sass_operand *operand)
{
    operand->kind = SO_CONST;
    operand->bank = (uint8_t)bits(d, 54, 5);
    operand->value = (int64_t)bits(d, 38, 16);
    if (bits(d, 91, 1)) { // cx[UR][…]: bindless
        operand->is_bindless = true;
        operand->base_kind = SO_UREG;
        operand->number = (uint16_t)bits(d, 32, 6);
    }
}

// The operand in bits 32 … 63, of the kind that bits 9 … 11 name.
static void decode_varying(const struct decoding *d, const struct sass_item *item,
                           struct sass_operand *operand)
{
    bool is_uniform = sass_item_argument(item, 'u') >= 0;
    switch (d->form) {
    case 2:
    case 4:
        operand->kind = SO_IMM;
        operand->value = (int64_t)bits(d, 32, 32);
        operand->is_float = sass_item_argument(item, 'f') >= 0 || sass_item_argument(item, 'd') >= 0 ||
                            sass_item_argument(item, 'h') >= 0;
        return;
    case 3:
    case 5:
        decode_const(d, operand);
        break;
    case 6:
    case 7:
        decode_reg(d, 32, true, operand);
        break;
    default:
        decode_reg(d, 32, is_uniform, operand);
        break;
    }
    decode_signs(d, item, 32, operand);
}

static void decode_alu(const struct decoding *d, const struct sass_item *item, struct sass_operand *operand)
{
    bool is_third = d->form == 2 || d->form == 3 || d->form == 7; // the third operand varies, not the second
    if (item->letter == 'b' || (item->letter == 'B') != is_third)
        decode_varying(d, item, operand);
    else {
        decode_reg(d, 64, sass_item_argument(item, 'u') >= 0, operand);
        decode_signs(d, item, 64, operand);
    }
}

// ---- the others
// -----------------------------------------------------------------------------------------------------------

static bool optional_bit(const struct decoding *d, const struct sass_item *item, char letter)
{
    int at = sass_item_argument(item, letter);
    return at > 0 && bits(d, (unsigned)at, 1);
}

static void decode_memory(const struct decoding *d, const struct sass_item *item,
                          struct sass_operand *operand)
{
    operand->kind = SO_MEM;
    operand->number = SASS_RZ;
    operand->base_kind = SO_REG;
    if (item->parts[0].at)
        operand->number = (uint16_t)bits(d, item->parts[0].at, 8);
    int offset = sass_item_argument(item, 'o');
    if (offset > 0) {
        int width = item->argument_width['o' - 'a'];
        unsigned n = width ? (unsigned)width : 24;
        operand->value = sign_extend(bits(d, (unsigned)offset, n), n);
    }
    int ureg = sass_item_argument(item, 'u');
    bool may_be_absent = sass_item_argument(item, 'v') > 0;
    if (ureg > 0 && (!may_be_absent || optional_bit(d, item, 'v'))) {
        uint8_t number = (uint8_t)bits(d, (unsigned)ureg, 6);
        operand->has_descriptor = optional_bit(d, item, 'd');
        operand->has_ureg = !operand->has_descriptor;
        *(operand->has_descriptor ? &operand->descriptor : &operand->ureg) = number;
    }
    operand->is_base_64 = optional_bit(d, item, 'e');
    int scale = sass_item_argument(item, 'x');
    if (scale > 0)
        operand->select = (uint8_t)bits(d, (unsigned)scale, 2);
}

static void decode_constant(const struct decoding *d, const struct sass_item *item,
                            struct sass_operand *operand)
{
    int reg = sass_item_argument(item, 'r'), ureg = sass_item_argument(item, 'u');
    decode_const(d, operand);
    if (reg > 0 || ureg > 0) {
        operand->is_bindless = false;
        operand->value = sign_extend((uint64_t)operand->value, 16);
        operand->base_kind = reg > 0 ? SO_REG : SO_UREG;
        operand->number = (uint16_t)(reg > 0 ? bits(d, (unsigned)reg, 8) : bits(d, (unsigned)ureg, 6));
    }
}

// Branch targets count from the next instruction. {T34}: bits 34 … 81 in words of 4 bytes, 6 lower bits of
// which are bits 16 … 23 (of the whole count); other places hold bytes.
static void decode_target(const struct decoding *d, const struct sass_item *item,
                          struct sass_operand *operand)
{
    operand->kind = SO_TARGET;
    unsigned at = item->parts[0].at, width = item->parts[0].width;
    int64_t distance;
    if (at == 34 && d->out->cc < 90)
        distance = sign_extend(bits(d, 34, 48), 48) * 4;
    else if (at == 34)
        distance = (int64_t)((uint64_t)sign_extend(bits(d, 34, 48), 48) << 10 | bits(d, 16, 8) << 2);
    else
        distance = sign_extend(bits(d, at, width ? width : 32), width ? width : 32);
    operand->value = (int64_t)d->out->offset + SASS_BYTES + distance;
}

static void decode_predicate(const struct decoding *d, const struct sass_item *item,
                             struct sass_operand *operand)
{
    bool is_uniform = item->letter == 'Q' || flag(d, item, 'u', 0);
    operand->kind = is_uniform ? SO_UPRED : SO_PRED;
    operand->number = (uint16_t)bits(d, item->parts[0].at, 3);
    if (sass_item_argument(item, 'y') >= 0)
        operand->number = SASS_PT - operand->number;
    operand->is_negated = item->negated_by >= 0 && bits(d, (unsigned)item->negated_by, 1);
}

static void decode_number(const struct decoding *d, const struct sass_item *item,
                          struct sass_operand *operand)
{
    static const struct {
        char letter;
        uint8_t kind, width;
    } numbers[] = {{'S', SO_SREG, 8}, {'V', SO_BARRIER, 4}, {'K', SO_SCOREBOARD, 3}, {'G', SO_SCOREBOARD, 3}};
    for (unsigned i = 0; i < 4; i++)
        if (numbers[i].letter == item->letter) {
            operand->kind = numbers[i].kind;
            operand->number = (uint16_t)sass_item_bits(item, d->words, numbers[i].width);
            operand->value = operand->number;
            return;
        }
    operand->kind = SO_BITS;
    uint64_t value = sass_item_bits(item, d->words, 1);
    operand->value = item->letter == 'J' ? sign_extend(value, item->parts[0].width) : (int64_t)value;
}

static void decode_operand(struct decoding *d, const struct sass_item *item)
{
    struct sass_insn *out = d->out;
    struct sass_operand *operand = &out->operands[out->n_operands];
    *operand = (struct sass_operand){0};
    switch (item->letter) {
    case 'R':
    case 'U':
        decode_reg(d, item->parts[0].at, item->letter == 'U', operand);
        if (!item->is_dst)
            decode_signs(d, item, item->parts[0].at, operand);
        break;
    case 'B':
    case 'C':
    case 'b':
        decode_alu(d, item, operand);
        break;
    case 'P':
    case 'Q':
        decode_predicate(d, item, operand);
        break;
    case 'M':
        decode_memory(d, item, operand);
        break;
    case 'c':
        decode_constant(d, item, operand);
        break;
    case 'T':
        decode_target(d, item, operand);
        break;
    default:
        decode_number(d, item, operand);
        break;
    }
    if (operand->kind == SO_REG || operand->kind == SO_UREG || operand->kind == SO_CONST ||
        operand->kind == SO_IMM)
        operand->words = (uint8_t)words_of(d, item);
    out->n_dst += item->is_dst;
    out->n_operands++;
}

bool sass_decode(unsigned cc, const uint64_t words[2], uint32_t offset, struct sass_insn *out)
{
    memset(out, 0, sizeof *out);
    out->low = words[0];
    out->high = words[1];
    out->offset = offset;
    out->cc = (uint8_t)cc;
    out->row = sass_row_find(cc, words[0]);
    if (!out->row)
        return false;
    out->op = (enum sass_op)out->row->op;
    out->guard = words[0] >> 12 & 7;
    out->guard_is_negated = words[0] >> 15 & 1;
    struct decoding d = {out, words, words[0] >> 9 & 7};
    struct sass_item item;
    for (const char *at = out->row->spec; sass_item_next(&at, &item);)
        if (item.what == ITEM_SPECIAL)
            out->guard_is_uniform |= item.n == 6 && memcmp(item.text, "uguard", 6) == 0;
        else if (item.what == ITEM_FIELD)
            out->fields[item.kind->field] = (uint8_t)sass_item_bits(&item, words, item.kind->bits);
        else if (item.what == ITEM_OPERAND && out->n_operands < SASS_MAX_OPERANDS)
            decode_operand(&d, &item);
    return true;
}
