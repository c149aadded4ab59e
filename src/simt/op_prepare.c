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
        case PREPARE_F64: // the signs are in the upper words
            out[i] = x;
            out[ROW_LANES + i] = (row[ROW_LANES + i] & sign_and) ^ sign_xor;
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

enum step_kind op_prepared_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)on;
    return op_prepared(sim, warp, insn, ALL_LANES);
}
