// Selectors of video instructions: halves and bytes of sources and of the result.
//
//     vadd.u32.s32.u32.sat d.b2, a.h1, b.b3, c;    the sources are extended by the signs of their types; the result is limited
//                                                  to the selected part (not that of a shift) and replaces that part of c
//     vadd4.u32.u32.u32 d.b20, a.b7610, b, c;      each result's sources are chosen from the bytes of a (0 to 3) and b (4 to 7);
//                                                  parts that the mask does not name are those of c
//
// Sources are chosen by byte permutations before the instruction, the result is put into place by one behind it. As an H200
// does (which runs programs of ptxas here), d.h1 takes the upper half of the result, all others its lowest bytes.
#include "ptx/lowering.h"
#include <string.h>

// Bytes of two rows in a row of their own.
static rowref emit_bytes(struct body *b, rowref low, rowref high, uint32_t selector)
{
    const rowref dst = ROW(ROW_REG, body_group(b, 1, false));
    emit_prmt(b, dst, low, high, selector);
    return dst;
}

// Parts of the instruction: 1, 2 (halves side by side) or 4.
static uint32_t n_parts(const struct ptx_insn *insn)
{
    const char last = insn->op[strlen(insn->op) - 1];
    return last == '2' ? 2 : last == '4' ? 4 : 1;
}

static bool selector_fail(struct body *b, const struct ptx_operand *operand)
{
    return lower_fail(b->lowering, operand->at, "'.%s' does not fit %s", operand->selector, b->insn->op);
}

// ---- sources ----------------------------------------------------------------------------------------

// .h1 and .b3 of one number, extended: the upper bit of a digit repeats the sign of that byte, 4 is a byte of zero.
static uint32_t scalar_digits(const char *selector, bool is_signed)
{
    const uint32_t n = (uint32_t)(selector[1] - '0'), top = selector[0] == 'h' ? 2 * n + 1 : n;
    const uint32_t fill = is_signed ? 8 | top : 4;
    return selector[0] == 'h' ? fill * 0x1100 | top << 4 | 2 * n : fill * 0x1110 | top;
}

// .h31 and .b7654: the first digit is the uppermost part.
static uint32_t packed_digits(const char *selector)
{
    uint32_t out = 0;
    for (const char *at = selector + 1; *at; at++) {
        const uint32_t n = (uint32_t)(*at - '0');
        out = selector[0] == 'h' ? out << 8 | (2 * n + 1) << 4 | 2 * n : out << 4 | n;
    }
    return out;
}

static bool select_source(struct body *b, uint32_t i, const rowref *rows, rowref *out)
{
    const struct ptx_operand *operand = &b->insn->operands[i];
    const uint32_t n = n_parts(b->insn);
    const char *s = operand->selector;
    const bool is_signed = MOD_GET(b->op.mod, i == 1 ? MOD_VIDEO_A : MOD_VIDEO_B, 1);
    *out = rows[i - 1];
    if (!s)
        return true;
    if (strlen(s) != n + 1 || (n > 1 && s[0] != (n == 2 ? 'h' : 'b')))
        return selector_fail(b, operand);
    if (n == 1 && s[1] > (s[0] == 'h' ? '1' : '3'))
        return selector_fail(b, operand);
    if (n == 2 && (s[1] > '3' || s[2] > '3'))
        return selector_fail(b, operand);
    *out = n == 1 ? emit_bytes(b, *out, pool_u32(b->lowering, 0), scalar_digits(s, is_signed))
                  : emit_bytes(b, rows[0], rows[1], packed_digits(s));
    return true;
}

// ---- the result -------------------------------------------------------------------------------------

// Bytes of the result that are the instruction's; the others are c's.
static bool result_bytes(struct body *b, uint32_t *out)
{
    const struct ptx_operand *operand = &b->insn->operands[0];
    const uint32_t n = n_parts(b->insn);
    const char *s = operand->selector;
    *out = 0;
    if (!s || (n == 1 && strlen(s) != 2) || (n > 1 && s[0] != (n == 2 ? 'h' : 'b')))
        return !s || selector_fail(b, operand);
    for (const char *at = s + 1; *at; at++) {
        if (*at > (s[0] == 'h' ? '1' : '3') || (at > s + 1 && *at >= at[-1]))
            return selector_fail(b, operand);
        *out |= s[0] == 'h' ? 3u << 2 * (*at - '0') : 1u << (*at - '0');
    }
    return true;
}

// `bytes` of x in place, the others of c. One part comes from the lowest bytes of x, .h1 and several from where they belong.
static uint32_t merge_digits(uint32_t bytes, bool is_packed)
{
    const bool is_whole = is_packed || bytes == 0xc;
    uint32_t out = 0, next = 0;
    for (uint32_t i = 0; i < 4; i++)
        out |= (bytes >> i & 1 ? (is_whole ? i : next++) : 4 + i) << 4 * i;
    return out;
}

static void emit_operation(struct body *b, uint32_t mod, rowref dst, const rowref *src)
{
    const uint32_t n = b->op.n_roles - 1;
    struct draft *draft = emit(b, b->op.form);
    draft->insn.class = b->op.class;
    draft->insn.mod = mod;
    draft->insn.dst = dst;
    for (uint32_t i = 0; i < n; i++)
        draft->insn.src[i] = src[i];
    for (uint32_t i = 0; i < n; i++)
        emit_use(b, src[i], 1);
    emit_def(b, dst, 1);
}

// A part of the result, x's or c's.
static bool merge_result(struct body *b, uint32_t bytes, rowref dst, const rowref *src)
{
    const struct ptx_operand *result = &b->insn->operands[0];
    const bool is_packed = n_parts(b->insn) > 1, is_shift = strcmp(b->insn->op, "vshl") == 0 || strcmp(b->insn->op, "vshr") == 0;
    const rowref x = ROW(ROW_REG, body_group(b, 1, false));
    uint32_t mod = b->op.mod;
    if (MOD_GET(mod, MOD_MODE, 4))
        return lower_fail(b->lowering, result->at, "'.%s' of the result beside a second operation", result->selector);
    if (!is_packed && !is_shift && MOD_GET(mod, MOD_SAT, 1))
        mod |= MOD_FIELD(result->selector[0] == 'h' ? VIDEO_LIMIT_16 : VIDEO_LIMIT_8, MOD_MODE);
    emit_operation(b, mod, x, src);
    emit_move(b, dst, emit_bytes(b, x, src[2], merge_digits(bytes, is_packed)));
    return true;
}

// Signs of vmad's sources: of the product, or of c.
static bool mad_signs(struct body *b, uint32_t *mod)
{
    const struct ptx_operand *source = b->insn->operands;
    const bool is_product_negative = source[1].is_negated != source[2].is_negated;
    const bool has_signs = source[1].is_negated || source[2].is_negated || source[3].is_negated;
    if (has_signs && MOD_GET(*mod, MOD_MODE, 4))
        return body_fail(b, "vmad.po takes no signs");
    if (source[3].is_negated && (source[1].is_negated || source[2].is_negated))
        return body_fail(b, "vmad negates its product or its third source");
    *mod |= MOD_FIELD((is_product_negative ? VIDEO_MINUS_PRODUCT : 0) | (source[3].is_negated ? VIDEO_MINUS_C : 0), MOD_MODE);
    return true;
}

static bool source_rows(struct body *b, uint32_t n, rowref *rows)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ptx_operand plain = b->insn->operands[i + 1];
        if (plain.kind == PO_REG && strcmp(b->insn->op, "vmad") == 0)
            plain.is_negated = false; // see mad_signs
        if (!operand_row(b, &plain, PT_U32, &rows[i]))
            return false;
    }
    return true;
}

bool lower_video(struct body *b)
{
    const uint32_t n = b->insn->n_operands - 1;
    const struct ptx_operand *result = &b->insn->operands[0];
    const bool is_mad = strcmp(b->insn->op, "vmad") == 0;
    rowref rows[3] = {0}, src[3], dst;
    uint32_t bytes, mod = b->op.mod;
    if (n < 2 || n > 3)
        return body_fail(b, "a video instruction takes two or three sources");
    if (!source_rows(b, n, rows))
        return false;
    memcpy(src, rows, sizeof src);
    if (!select_source(b, 1, rows, &src[0]) || !select_source(b, 2, rows, &src[1]) || !result_bytes(b, &bytes) ||
        !register_row(b, result, &dst) || (is_mad && !mad_signs(b, &mod)))
        return false;
    if (bytes && is_mad)
        return selector_fail(b, result);
    if (bytes && n < 3)
        return lower_fail(b->lowering, result->at, "'.%s' of the result needs a third source", result->selector);
    const bool is_masked_sum = n_parts(b->insn) > 1 && MOD_GET(mod, MOD_MODE, 4) == VIDEO_THEN_ADD;
    if (bytes && !is_masked_sum)
        return merge_result(b, bytes, dst, src);
    if (bytes)
        mod |= MOD_FIELD(~bytes & 15, MOD_CACHE);
    emit_operation(b, mod, dst, src);
    return true;
}

bool insn_has_selector(const struct ptx_insn *insn)
{
    for (uint32_t i = 0; i < insn->n_operands; i++)
        if (insn->operands[i].selector)
            return true;
    return false;
}
