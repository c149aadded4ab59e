// Loads and stores of a warp. Included by handlers.c, so compiled for each level.
//
// 32 addresses are computed and checked together: when all lanes lie in one allocation, lowest and highest address
// suffice. Every access is checked; an address becomes a host pointer here, in op_mem.c and op_atom.c only, through
// mem/memory.h. Plain bytes move at once; strong global accesses are queued (op_atom.c).
#ifndef SIMT_OP_LOAD_H
#define SIMT_OP_LOAD_H
#include "simt/address.h"
#include "simt/ops.h"

// Where the bytes of the lanes are: lane i's at base + (addr[i] - origin).
struct lane_bytes {
    uint8_t *base;
    uint64_t origin;
    const uint64_t *addr;
};

// Lanes that are off read what another lane reads; the blend drops it.
ALWAYS_INLINE void load_elements(struct warp *warp, const struct insn *insn, struct lane_bytes from, lanemask on,
                                 enum elem elem)
{
    const uint32_t size = elem_bytes(elem);
    for (uint32_t j = 0; j < insn->n_data; j++) {
        uint32_t out[2 * ROW_LANES];
        const uint8_t *base = from.base + j * size;
        for (int i = 0; i < ROW_LANES; i++)
            element_load(out, i, base + (from.addr[i] - from.origin), elem);
        if (insn->data[j] != ROW_NONE)
            put_rows(warp, insn->data[j], out, elem_rows(elem), on);
    }
}

ALWAYS_INLINE void store_elements(const struct warp *warp, const struct insn *insn, struct lane_bytes to, lanemask on,
                                  enum elem elem)
{
    const uint32_t size = elem_bytes(elem);
    for (uint32_t j = 0; j < insn->n_data; j++) {
        const uint32_t *row = row_read(warp, insn->data[j]);
        uint8_t *base = to.base + j * size;
        if (__builtin_expect(on == ALL_LANES, 1)) {
            for (int i = 0; i < ROW_LANES; i++)
                element_store(row, i, base + (to.addr[i] - to.origin), elem);
            continue;
        }
        for (lanemask rest = on; rest; rest &= rest - 1) {
            int i = __builtin_ctz(rest);
            element_store(row, i, base + (to.addr[i] - to.origin), elem);
        }
    }
}

// The element type is chosen once for 32 lanes: one copy of the loops per type.
#define FOR_EACH_ELEM(function, ...)                                                                                    \
    switch (insn->elem) {                                                                                              \
    case ELEM_U8:                                                                                                      \
        function(__VA_ARGS__, ELEM_U8);                                                                                \
        break;                                                                                                         \
    case ELEM_S8:                                                                                                      \
        function(__VA_ARGS__, ELEM_S8);                                                                                \
        break;                                                                                                         \
    case ELEM_U16:                                                                                                     \
        function(__VA_ARGS__, ELEM_U16);                                                                               \
        break;                                                                                                         \
    case ELEM_S16:                                                                                                     \
        function(__VA_ARGS__, ELEM_S16);                                                                               \
        break;                                                                                                         \
    case ELEM_B64:                                                                                                     \
        function(__VA_ARGS__, ELEM_B64);                                                                               \
        break;                                                                                                         \
    default:                                                                                                           \
        function(__VA_ARGS__, ELEM_B32);                                                                               \
        break;                                                                                                         \
    }

ALWAYS_INLINE void move_elements(struct warp *warp, const struct insn *insn, struct lane_bytes bytes, lanemask on,
                                 bool is_load)
{
    if (is_load) {
        FOR_EACH_ELEM(load_elements, warp, insn, bytes, on)
    } else {
        FOR_EACH_ELEM(store_elements, warp, insn, bytes, on)
    }
}

// ---- global, shared, constant: addresses are linear -----------------------------------------------------------------

ALWAYS_INLINE enum step_kind move_global(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                         bool is_load)
{
    struct access *access = &sim->access;
    access->space = SPACE_GLOBAL;
    if (__builtin_expect(access->is_strong, 0))
        return is_load ? op_strong_load(sim, warp, insn, on) : op_strong_store(sim, warp, insn, on);
    if (warp_must_drain(warp))
        return STEP_FENCE;
    const struct span span = span_of(access->addr);
    if (__builtin_expect(span.bits & (access->width - 1u), 0))
        return fault_access(sim, warp);
    uint8_t *base = memory_host_fast(sim->launch->memory, &sim->cursor, span.low, span.high - span.low + access->width);
    if (__builtin_expect(base == NULL, 0))
        return op_move_scattered(sim, warp, insn, on);
    move_elements(warp, insn, (struct lane_bytes){base, span.low, access->addr}, on, is_load);
    return STEP_ACCESS;
}

// Memory of one block, or a constant bank: from address 0 to `size_bytes`.
ALWAYS_INLINE enum step_kind move_window(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                         uint8_t *window, uint64_t size_bytes, bool is_load)
{
    const struct access *access = &sim->access;
    const struct span span = span_of(access->addr);
    const bool outside = size_bytes < access->width || span.high > size_bytes - access->width;
    if (__builtin_expect(outside || (span.bits & (access->width - 1u)), 0))
        return fault_access(sim, warp);
    move_elements(warp, insn, (struct lane_bytes){window, 0, access->addr}, on, is_load);
    if (__builtin_expect(access->is_strong, 0))
        split_count_strong(warp);
    return STEP_ACCESS;
}

// ---- local: word-interleaved ------------------------------------------------------------------------------------------

// Word `k` of the element at byte offset `at` of lane i.
static inline uint8_t *local_word(const struct warp *warp, uint64_t at, uint32_t k, int i)
{
    return warp->local + (at / 4 + k) * ROW_BYTES + (uint64_t)i * 4;
}

static void move_local_words(struct warp *warp, const struct insn *insn, const uint64_t *addr, lanemask on, bool is_load)
{
    const uint32_t words = elem_bytes(insn->elem) / 4;
    for (uint32_t j = 0; j < insn->n_data * words; j++) {
        if (insn->data[j / words] == ROW_NONE)
            continue;
        rowref ref = insn->data[j / words] + j % words;
        uint32_t out[ROW_LANES];
        if (is_load) {
            for (int i = 0; i < ROW_LANES; i++)
                memcpy(&out[i], local_word(warp, addr[i], j, i), 4);
            put_rows(warp, ref, out, 1, on);
        } else {
            const uint32_t *row = row_read(warp, ref);
            for (lanemask rest = on; rest; rest &= rest - 1)
                memcpy(local_word(warp, addr[__builtin_ctz(rest)], j, __builtin_ctz(rest)), &row[__builtin_ctz(rest)], 4);
        }
    }
}

static void move_local_parts(struct warp *warp, const struct insn *insn, const uint64_t *addr, lanemask on, bool is_load)
{
    const uint32_t size = elem_bytes(insn->elem);
    for (uint32_t j = 0; j < insn->n_data; j++) {
        if (insn->data[j] == ROW_NONE)
            continue;
        uint32_t *row = warp->rows[ROW_SPACE(insn->data[j])] + (size_t)ROW_NUMBER(insn->data[j]) * ROW_LANES;
        for (lanemask rest = on; rest; rest &= rest - 1) {
            int i = __builtin_ctz(rest);
            uint64_t at = addr[i] + j * size;
            uint8_t *byte = local_word(warp, at, 0, i) + at % 4;
            if (is_load)
                element_load(row, i, byte, insn->elem);
            else
                element_store(row, i, byte, insn->elem);
        }
    }
}

static enum step_kind move_local(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on, bool is_load)
{
    struct access *access = &sim->access;
    access->space = SPACE_LOCAL;
    const struct span span = span_of(access->addr);
    const bool outside = warp->local_bytes < access->width || span.high > warp->local_bytes - access->width;
    if (__builtin_expect(outside || (span.bits & (access->width - 1u)), 0))
        return fault_access(sim, warp);
    if (elem_bytes(insn->elem) >= 4)
        move_local_words(warp, insn, access->addr, on, is_load);
    else
        move_local_parts(warp, insn, access->addr, on, is_load);
    return STEP_ACCESS;
}

// ---- generic ------------------------------------------------------------------------------------------------------------

ALWAYS_INLINE enum step_kind move_shared(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                         bool is_load)
{
    sim->access.space = SPACE_SHARED;
    return move_window(sim, warp, insn, on, warp->block->shared, warp->block->shared_bytes, is_load);
}

// Constant banks belong to the launch and are read only.
static enum step_kind load_param(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    uint8_t *params = (uint8_t *)(uintptr_t)sim->launch->params;
    return move_window(sim, warp, insn, on, params, sim->launch->kernel->param_bytes, true);
}

static enum step_kind load_const(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    uint8_t *constants = (uint8_t *)(uintptr_t)sim->launch->constants;
    return move_window(sim, warp, insn, on, constants, sim->launch->constant_bytes, true);
}

static enum step_kind move_generic(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on, bool is_load)
{
    if (warp_must_drain(warp))
        return STEP_FENCE;
    on = access_choose_space(sim, warp, on);
    switch (sim->access.space) {
    case SPACE_SHARED:
        return move_shared(sim, warp, insn, on, is_load);
    case SPACE_LOCAL:
        return move_local(sim, warp, insn, on, is_load);
    case SPACE_PARAM:
        return is_load ? load_param(sim, warp, insn, on) : fault_access_always(sim, warp, FAULT_CONST_BOUNDS);
    default:
        return move_global(sim, warp, insn, on, is_load);
    }
}

// ---- the handlers -------------------------------------------------------------------------------------------------------

static enum step_kind op_load(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    switch (insn->space) {
    case SPACE_GLOBAL:
        return move_global(sim, warp, insn, on, true);
    case SPACE_SHARED:
        return move_shared(sim, warp, insn, on, true);
    case SPACE_LOCAL:
        return move_local(sim, warp, insn, on, true);
    case SPACE_CONST:
        return load_const(sim, warp, insn, on);
    case SPACE_PARAM:
        return load_param(sim, warp, insn, on);
    default:
        return move_generic(sim, warp, insn, on, true);
    }
}

static enum step_kind op_store(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, ACCESS_STORE);
    switch (insn->space) {
    case SPACE_GLOBAL:
        return move_global(sim, warp, insn, on, false);
    case SPACE_SHARED:
        return move_shared(sim, warp, insn, on, false);
    case SPACE_LOCAL:
        return move_local(sim, warp, insn, on, false);
    default:
        return move_generic(sim, warp, insn, on, false);
    }
}
#endif
