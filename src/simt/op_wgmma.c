// wgmma.mma_async: each of the four warps of a warpgroup computes 16 rows of D when it issues the instruction. B, and A
// unless it is in registers, lie in shared memory as descriptors say.
#include "simt/address.h"
#include "simt/matrix.h"
#include "simt/ops.h"

// ---- descriptors -----------------------------------------------------------------------------------------
// Bits 13..0 address, 29..16 leading offset, 45..32 stride offset (all in units of 16 bytes), 51..49 base offset, 63..62
// swizzle: 0 none, 1 128 bytes, 2 64, 3 32. Source: PTX ISA 9.0, "Matrix descriptor format". The layouts were measured on
// an H200 with all swizzles, both directions, offsets that differ and starts off the pattern (512 dumps).

struct operand {
    uint32_t start, leading, stride, base;
    uint32_t line_bytes; // of a swizzled line; 16 without swizzle
    uint32_t xor_mask;   // rows of 128 bytes after which the pattern of 16-byte units repeats, less 1
    bool is_swizzled, is_turned; // turned: lines run along rows of A, columns of B; else along k
};

static struct operand operand_of(uint64_t descriptor, bool is_turned)
{
    static const uint8_t masks[] = {0, 7, 3, 1}, bytes[] = {16, 128, 64, 32};
    const uint32_t mode = (uint32_t)(descriptor >> 62);
    return (struct operand){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                            .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                            .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                            .base = (uint32_t)(descriptor >> 49 & 7),
                            .line_bytes = bytes[mode],
                            .xor_mask = masks[mode],
                            .is_swizzled = mode != 0,
                            .is_turned = is_turned};
}

// Where the element of line `line` (row of A, column of B) and `k` lies; `bits` of an element.
static uint32_t address_of(const struct operand *o, uint32_t line, uint32_t k, uint32_t bits)
{
    uint32_t address = o->start;
    if (o->is_turned) { // elements of 16 bits
        const uint32_t per_line = o->line_bytes / 2;
        address += line / per_line * (o->is_swizzled ? o->leading : o->stride) +
                   k / 8 * (o->is_swizzled ? o->stride : o->leading) + k % 8 * o->line_bytes + line % per_line * 2;
    } else {
        const uint32_t byte = k * bits / 8;
        address += line / 8 * o->stride + line % 8 * o->line_bytes;
        address += o->is_swizzled ? byte : byte / 16 * o->leading + byte % 16;
    }
    return address ^ (((address >> 7) - o->base) & o->xor_mask) << 4;
}

static bool load_element(const struct block *block, uint32_t address, uint32_t bits, uint32_t k, uint64_t *out)
{
    if (address + (bits + 7) / 8 > block->shared_bytes)
        return false;
    const uint8_t *at = block->shared + address;
    if (bits == 16)
        *out = ELEMENT_LOAD(uint16_t, at);
    else if (bits == 32)
        *out = ELEMENT_LOAD(uint32_t, at);
    else
        *out = bits == 8 ? ELEMENT_LOAD(uint8_t, at) : ELEMENT_LOAD(uint8_t, at) >> k % 8 & 1u;
    return true;
}

// ---- operands --------------------------------------------------------------------------------------------

enum { WARP_M = 16, MOST_K = 256, COLUMNS = 32 /* at a time */, MOST_D = 128, GROUP_WARPS = 4 };

struct work {
    struct matrix_shape shape; // of this warp: 16 rows
    uint64_t a[WARP_M * MOST_K], b[MOST_K * COLUMNS], c[WARP_M * MATRIX_MAX_N];
    uint32_t bad_address;
};

static void negate(uint64_t *bits, uint32_t n, enum matrix_type type)
{
    for (uint32_t i = 0; i < n; i++)
        bits[i] ^= 1ull << (matrix_bits(type) - 1);
}

static bool read_a(struct work *w, const struct warp *warp, uint64_t descriptor, uint32_t mod)
{
    const struct operand o = operand_of(descriptor, MOD_GET(mod, WGMMA_TURN_A, 1));
    const uint32_t first = warp->warp_in_block % GROUP_WARPS * WARP_M, bits = matrix_bits((enum matrix_type)w->shape.a);
    for (uint32_t i = 0; i < WARP_M; i++)
        for (uint32_t k = 0; k < w->shape.k; k++) {
            w->bad_address = address_of(&o, first + i, k, bits);
            if (!load_element(warp->block, w->bad_address, bits, k, &w->a[i * w->shape.k + k]))
                return false;
        }
    return true;
}

static bool read_b(struct work *w, const struct warp *warp, const struct operand *o, uint32_t column, uint32_t n)
{
    const uint32_t bits = matrix_bits((enum matrix_type)w->shape.b);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = 0; k < w->shape.k; k++) {
            w->bad_address = address_of(o, column + j, k, bits);
            if (!load_element(warp->block, w->bad_address, bits, k, &w->b[k * n + j]))
                return false;
        }
    return true;
}

// ---- the product -----------------------------------------------------------------------------------------

// `n` columns from `column` on.
static void multiply_columns(struct work *w, uint32_t column, uint32_t n)
{
    uint64_t part[WARP_M * COLUMNS];
    struct matrix_shape shape = w->shape;
    shape.n = (uint16_t)n;
    for (uint32_t i = 0; i < WARP_M; i++)
        for (uint32_t j = 0; j < n; j++)
            part[i * n + j] = w->c[i * w->shape.n + column + j];
    matrix_multiply(&shape, MATRIX_ASYNC, ROUND_NONE, w->a, w->b, part, part);
    for (uint32_t i = 0; i < WARP_M; i++)
        for (uint32_t j = 0; j < n; j++)
            w->c[i * w->shape.n + column + j] = part[i * n + j];
}

static bool multiply(struct work *w, const struct warp *warp, uint64_t descriptor, uint32_t mod)
{
    const struct operand o = operand_of(descriptor, MOD_GET(mod, WGMMA_TURN_B, 1));
    for (uint32_t column = 0; column < w->shape.n; column += COLUMNS) {
        const uint32_t n = w->shape.n - column < COLUMNS ? w->shape.n - column : COLUMNS;
        if (!read_b(w, warp, &o, column, n))
            return false;
        if (MOD_GET(mod, WGMMA_NEGATE_B, 1))
            negate(w->b, n * w->shape.k, (enum matrix_type)w->shape.b);
        multiply_columns(w, column, n);
    }
    return true;
}

static void write_d(struct warp *warp, const struct work *w, const rowref *list, uint32_t n_d, lanemask on)
{
    uint32_t out[MOST_D * ROW_LANES];
    matrix_write_d(&w->shape, w->c, out);
    for (uint32_t i = 0; i < n_d; i++)
        if (list[i] != ROW_NONE)
            put_rows(warp, list[i], out + i * ROW_LANES, 1, on);
}

static enum step_kind fault(struct sim *sim, struct warp *warp, const struct work *w)
{
    for (int i = 0; i < N_LANES; i++)
        sim->access.addr[i] = w->bad_address;
    sim->access.space = SPACE_SHARED;
    sim->access.width = 1;
    return fault_access_always(sim, warp, FAULT_SHARED_BOUNDS);
}

// What the operands take of shared memory: 128 bytes a wavefront. A's rows are each warp's own, B is read once for all.
static uint32_t operand_wavefronts(const struct work *w, const struct warp *warp, uint32_t mod)
{
    const uint32_t a = MOD_GET(mod, WGMMA_A_IN_REGISTERS, 1) ? 0 : WARP_M * 32 / 128;
    return a + (warp->warp_in_block % GROUP_WARPS == 0 ? w->shape.n * 32u / 128 : 0);
}

// Accumulators and A from registers; B and, if it lies there, A from shared memory.
static void read_registers(struct work *w, const struct warp *warp, const rowref *list, uint32_t n_d, uint32_t mod,
                           bool adds)
{
    const uint32_t *rows[MOST_D];
    memset(w->c, 0, sizeof w->c);
    for (uint32_t i = 0; i < n_d; i++)
        rows[i] = row_read(warp, list[i]);
    if (adds)
        matrix_read_c(&w->shape, rows, w->c);
    if (!MOD_GET(mod, WGMMA_A_IN_REGISTERS, 1))
        return;
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = row_read(warp, list[n_d + i]);
    matrix_read_a(&w->shape, rows, w->a);
}

static uint64_t descriptor_at(const struct warp *warp, const rowref *list)
{
    return row_read(warp, list[0])[0] | (uint64_t)row_read(warp, list[1])[0] << 32;
}

enum step_kind op_wgmma(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct work w = {.shape = matrix_unpack(insn->extra)};
    const rowref *list = sim->launch->kernel->lists + insn->offset;
    const bool a_in_registers = MOD_GET(insn->mod, WGMMA_A_IN_REGISTERS, 1);
    struct access *access = &sim->access;
    w.shape.m = WARP_M;
    const uint32_t n_d = matrix_rows(&w.shape, (enum matrix_type)w.shape.d, (uint32_t)WARP_M * w.shape.n);
    access->kind = ACCESS_LOAD;
    access->mask = on;
    access->insn = split_current(warp)->pc - 1;
    read_registers(&w, warp, list, n_d, insn->mod, pred_read(warp, insn->psrc[0]) & on);
    if (!a_in_registers && !read_a(&w, warp, descriptor_at(warp, list + n_d), insn->mod))
        return fault(sim, warp, &w);
    if (MOD_GET(insn->mod, WGMMA_NEGATE_A, 1))
        negate(w.a, (uint32_t)WARP_M * w.shape.k, (enum matrix_type)w.shape.a);
    if (!multiply(&w, warp, descriptor_at(warp, list + n_d + (a_in_registers ? 4 : 2)), insn->mod))
        return fault(sim, warp, &w);
    write_d(warp, &w, list, n_d, on);
    memset(access->addr, 0, sizeof access->addr); // no bytes of any lane: only the wavefronts count
    access->space = SPACE_SHARED;
    access->cache = CACHE_CA;
    access->width = 0;
    access->is_strong = false;
    access->n_matrices = 0;
    access->n_wavefronts = (uint16_t)operand_wavefronts(&w, warp, insn->mod);
    return access->n_wavefronts ? STEP_ACCESS : STEP_PLAIN;
}
