// Rows whose sources have signs or chosen halves that the row itself does not know: see prepare.h.
#include "isa/prepare.h"
#include "simt/lanes.h"
#include "simt/ops.h"

static uint32_t choose_half(uint32_t x, enum half_choice choice)
{
    const uint32_t low = x & 0xffff, high = x >> 16;
    return choice == HALVES_LOW ? low | low << 16 : choice == HALVES_HIGH ? high | high << 16 : x;
}

static void prepare_row(uint32_t *out, const uint32_t *row, const struct insn *insn, int k)
{
    const enum prepare kind = PREPARE_KIND(insn->offset);
    const bool is_negated = insn->src_negated >> k & 1, is_absolute = insn->src_absolute >> k & 1;
    const uint32_t signs = kind == PREPARE_HALVES ? 0x80008000u : 0x80000000u;
    const uint32_t sign_and = is_absolute ? ~signs : ~0u, sign_xor = is_negated ? signs : 0;
    const enum half_choice choice = PREPARE_CHOSEN(insn->offset, k);
    for (int i = 0; i < ROW_LANES; i++) {
        const uint32_t x = row[i];
        switch (kind) {
        case PREPARE_NEGATE:
            out[i] = is_negated ? 0 - x : x;
            break;
        case PREPARE_INVERT:
            out[i] = is_negated ? ~x : x;
            break;
        case PREPARE_F64: // the signs are in the upper words; NaN keeps its own
            out[i] = x;
            out[ROW_LANES + i] = row[ROW_LANES + i];
            if (!prepare_is_nan(x, row[ROW_LANES + i]))
                out[ROW_LANES + i] = (row[ROW_LANES + i] & sign_and) ^ sign_xor;
            break;
        case PREPARE_F32_NUMBER:
            out[i] = (x & 0x7fffffff) > 0x7f800000 ? x : (x & sign_and) ^ sign_xor;
            break;
        case PREPARE_F16_NUMBER:
        case PREPARE_BF16_NUMBER:
            out[i] = choose_half(x, choice);
            if ((out[i] & 0x7fff) <= (kind == PREPARE_F16_NUMBER ? 0x7c00 : 0x7f80))
                out[i] = (out[i] & (is_absolute ? 0x7fff : 0xffff)) ^ (is_negated ? 0x8000 : 0);
            break;
        case PREPARE_BYTES:
            out[i] = x >> 8 * (uint32_t)choice & 0xff;
            break;
        default:
            out[i] = (choose_half(x, choice) & sign_and) ^ sign_xor;
            break;
        }
    }
}

enum step_kind op_prepared(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct insn ready = *insn;
    for (int k = 0; k < MAX_SRC; k++)
        if (insn->data[k] != ROW_NONE) {
            prepare_row(row_write(warp, insn->data[k]), row_read(warp, insn->src[k]), insn, k);
            ready.src[k] = insn->data[k];
        }
    ready.form = (uint16_t)PREPARE_FORM(insn->offset);
    ready.src_negated = ready.src_absolute = 0;
    return handlers_choose()[ready.form](sim, warp, &ready, on);
}

enum step_kind op_either(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct insn one = *insn, other = *insn;
    const lanemask holds = pred_read(warp, insn->psrc[0]);
    one.form = (uint16_t)(insn->extra & 0xffff);
    other.form = (uint16_t)(insn->extra >> 16);
    handlers_choose()[one.form](sim, warp, &one, on & holds);
    return handlers_choose()[other.form](sim, warp, &other, on & ~holds);
}

static lanemask lanes_with_nan(const uint32_t *row, enum f2i_source source)
{
    lanemask mask = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        const uint32_t x = row[i];
        const bool is_nan = source == F2I_F64   ? prepare_is_nan(x, row[ROW_LANES + i])
                            : source == F2I_F32 ? (x & 0x7fffffffu) > 0x7f800000u
                            : source == F2I_F16 ? (x & 0x7fffu) > 0x7c00u
                                                : (x & 0x7fffu) > 0x7f80u;
        mask |= is_nan ? lane_bit[i] : 0;
    }
    return mask;
}

// What PTX's row gives, but for NaN.
enum step_kind op_float_to_integer(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct insn ready = *insn;
    const lanemask nan = on & lanes_with_nan(row_read(warp, insn->src[0]), F2I_SOURCE(insn->extra));
    const unsigned bits = F2I_BITS(insn->extra);
    ready.form = (uint16_t)F2I_FORM(insn->extra);
    const enum step_kind kind = handlers_choose()[ready.form](sim, warp, &ready, on);
    const uint64_t value = F2I_NAN_IS_ZERO(insn->extra) ? 0 : 1ull << (bits - 1);
    for (unsigned word = 0; word < (bits > 32 ? 2u : 1u); word++) {
        uint32_t *row = row_write(warp, insn->dst + word);
        for (int i = 0; i < ROW_LANES; i++)
            row[i] = nan & lane_bit[i] ? (uint32_t)(value >> 32 * word) : row[i];
    }
    return kind;
}

enum step_kind op_prepared_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)on;
    return op_prepared(sim, warp, insn, ALL_LANES);
}
