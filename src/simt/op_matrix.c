// Matrix instructions of a warp: rows of matrices from and to shared memory, transposition, products.
#include "simt/address.h"
#include "simt/matrix.h"
#include "simt/ops.h"

// ---- ldmatrix, stmatrix ------------------------------------------------------------------------------

enum { MATRIX_LINES = 8, LINE_16 = 16 /* bytes: a row of 8 elements of 16 bits */ };

static bool has_transposition(const struct insn *insn)
{
    return MOD_GET(insn->mod, MOD_MODE, 4) == 1;
}

// The access has its addresses: those of the rows, in lanes 0 to 8 n - 1. STEP_ACCESS if they are good.
static enum step_kind check_lines(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct access *access = &sim->access;
    access->width = LINE_16;
    access->n_matrices = insn->n_data;
    access->mask = on & (insn->n_data == 4 ? ALL_LANES : (1u << MATRIX_LINES * insn->n_data) - 1);
    if (access->mask == 0)
        return STEP_PLAIN;
    for (int i = 0; access->space == SPACE_GENERIC && i < N_LANES; i++)
        access->addr[i] -= MEMORY_SHARED_WINDOW;
    access->space = SPACE_SHARED;
    if (warp->block->shared_rank != 0)
        access_drop_rank(warp, access);
    return fault_access(sim, warp);
}

// Row of matrix `j` and byte in it of the two elements (or, transposed, the element `half` of them) of a lane.
static uint8_t *element_at(const struct sim *sim, const struct warp *warp, uint32_t j, int lane, int half,
                           bool transposed)
{
    const int line = transposed ? lane % 4 * 2 + half : lane / 4, column = transposed ? lane / 4 : lane % 4 * 2 + half;
    return warp->block->shared + sim->access.addr[(int)j * MATRIX_LINES + line] + column * 2;
}

static enum step_kind load_lines(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                 bool transposed)
{
    uint32_t out[ROW_LANES];
    const enum step_kind kind = check_lines(sim, warp, insn, on);
    if (kind != STEP_ACCESS)
        return kind;
    for (uint32_t j = 0; j < insn->n_data; j++) {
        for (int i = 0; i < ROW_LANES; i++)
            out[i] = ELEMENT_LOAD(uint16_t, element_at(sim, warp, j, i, 0, transposed)) |
                     (uint32_t)ELEMENT_LOAD(uint16_t, element_at(sim, warp, j, i, 1, transposed)) << 16;
        if (insn->data[j] != ROW_NONE)
            put_rows(warp, insn->data[j], out, 1, on);
    }
    return STEP_ACCESS;
}

enum step_kind op_ldmatrix(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    return load_lines(sim, warp, insn, on, has_transposition(insn));
}

enum step_kind op_stmatrix(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const bool transposed = has_transposition(insn);
    access_begin(sim, warp, insn, on, ACCESS_STORE);
    const enum step_kind kind = check_lines(sim, warp, insn, on);
    if (kind != STEP_ACCESS)
        return kind;
    for (uint32_t j = 0; j < insn->n_data; j++) {
        const uint32_t *row = row_read(warp, insn->data[j]);
        for (lanemask rest = on; rest; rest &= rest - 1) {
            const int i = __builtin_ctz(rest);
            ELEMENT_STORE(uint16_t, element_at(sim, warp, j, i, 0, transposed), row[i]);
            ELEMENT_STORE(uint16_t, element_at(sim, warp, j, i, 1, transposed), row[i] >> 16);
        }
    }
    return STEP_ACCESS;
}

// Element (r, c) of the 8 x 8 matrix goes to (c, r). Lane 4 r + c / 2 holds columns c and c + 1 of row r.
enum step_kind op_movmatrix(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t *from = row_read(warp, insn->src[0]);
    uint32_t out[ROW_LANES];
    (void)sim;
    for (int i = 0; i < ROW_LANES; i++) {
        const int line = i / 4, column = i % 4 * 2;
        const int shift = line % 2 * 16;
        const uint32_t low = from[column * 4 + line / 2] >> shift & 0xffff;
        const uint32_t high = from[(column + 1) * 4 + line / 2] >> shift & 0xffff;
        out[i] = low | high << 16;
    }
    put_rows(warp, insn->dst, out, 1, on);
    return STEP_PLAIN;
}

// ---- wmma.load, wmma.store ---------------------------------------------------------------------------

static struct matrix_place part_place(const struct matrix_shape *shape, const struct wmma_part *part, uint32_t lane,
                                      uint32_t reg, uint32_t element)
{
    if (part->operand == WMMA_A)
        return matrix_place_a(shape, lane, reg, element);
    return part->operand == WMMA_B ? matrix_place_b(shape, lane, reg, element)
                                   : matrix_place_c(shape, (enum matrix_type)shape->c, lane, reg, element);
}

// Where lane `lane` begins to read or write. Blocks are moved by lines: `swapped` says that lines run the other way.
static struct matrix_place lane_place(const struct matrix_shape *shape, const struct wmma_part *part, uint32_t lane)
{
    if (part->is_lines) {
        struct matrix_place place = part_place(shape, part, 0, part->reg + lane / MATRIX_LINES, 0);
        *(part->is_col ? &place.column : &place.row) += (uint16_t)(lane % MATRIX_LINES);
        return place;
    }
    if (!part->is_swapped)
        return part_place(shape, part, lane, part->reg, part->element);
    struct matrix_place place = part_place(shape, part, 0, part->reg, 0);
    *(part->is_col ? &place.column : &place.row) += (uint16_t)(lane / 4);
    *(part->is_col ? &place.row : &place.column) += (uint16_t)(lane % 4 * 2);
    return place;
}

void wmma_address_lanes(struct sim *sim, const struct warp *warp, const struct insn *insn)
{
    const struct matrix_shape shape = matrix_unpack(insn->extra);
    const struct wmma_part part = wmma_unpack(insn->mod);
    const uint32_t *stride = row_read(warp, insn->src[1]);
    const uint8_t types[] = {shape.a, shape.b, shape.c};
    const uint32_t bits = matrix_bits((enum matrix_type)types[part.operand]);
    for (uint32_t i = 0; i < N_LANES; i++) {
        const struct matrix_place place = lane_place(&shape, &part, i);
        const uint64_t line = part.is_col ? place.column : place.row, along = part.is_col ? place.row : place.column;
        sim->access.addr[i] += (line * stride[i] + along) * bits / 8;
    }
}

enum step_kind op_wmma_lines(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    wmma_address_lanes(sim, warp, insn);
    return load_lines(sim, warp, insn, on, wmma_unpack(insn->mod).is_swapped);
}

// ---- mma ---------------------------------------------------------------------------------------------

// Rows of `n` operands of the list from `first` on.
static void list_rows(const struct warp *warp, const rowref *list, uint32_t n, const uint32_t **rows)
{
    for (uint32_t i = 0; i < n; i++)
        rows[i] = row_read(warp, list[i]);
}

enum step_kind op_mma(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct matrix_shape shape = matrix_unpack(insn->extra);
    const rowref *list = sim->launch->kernel->lists + insn->offset;
    const uint32_t c_elements = (uint32_t)shape.m * shape.n;
    const uint32_t n_d = matrix_rows(&shape, shape.d, c_elements), n_c = matrix_rows(&shape, shape.c, c_elements);
    const uint32_t n_a = matrix_listed_rows(&shape, shape.a, (uint32_t)shape.m * shape.k, false);
    const uint32_t n_b = matrix_listed_rows(&shape, shape.b, (uint32_t)shape.k * shape.n, false);
    const uint32_t *a[MATRIX_MAX_ROWS], *b[MATRIX_MAX_ROWS], *c[MATRIX_MAX_ROWS];
    uint32_t out[MATRIX_MAX_ROWS * ROW_LANES];
    list_rows(warp, list + n_d, n_a, a);
    list_rows(warp, list + n_d + n_a, n_b, b);
    list_rows(warp, list + n_d + n_a + n_b, n_c, c);
    matrix_mma(&shape, MOD_GET(insn->mod, MOD_ROUND, 3), a, b, c, out);
    for (uint32_t i = 0; i < n_d; i++)
        if (list[i] != ROW_NONE)
            put_rows(warp, list[i], out + i * ROW_LANES, 1, on);
    return STEP_PLAIN;
}
