// Loads and stores of a warp. Included by handlers.c, so compiled for each level.
//
// 32 addresses are computed and checked together: when all lanes lie in one allocation, lowest and highest
// address suffice. Every access is checked; an address becomes a host pointer here, in op_mem.c and op_atom.c
// only, through mem/memory.h. Plain bytes move at once; strong global accesses are queued (op_atom.c).
#ifndef SIMT_OP_LOAD_H
#define SIMT_OP_LOAD_H
#include "isa/matrix.h"
#include "simt/address.h"
#include "simt/ops.h"

// Where the bytes of the lanes are: lane i's at host address addr[i] + shift, modulo 2^64. (Two words, so
// that it is passed in registers.)
struct lane_bytes {
    uint64_t shift;
    const uint64_t *addr;
};

ALWAYS_INLINE uint8_t *lane_host(struct lane_bytes bytes, int lane, uint32_t offset)
{
    return (uint8_t *)(uintptr_t)(bytes.addr[lane] + bytes.shift + offset);
}

ALWAYS_INLINE struct lane_bytes lane_bytes_of(const uint8_t *host, uint64_t address, const uint64_t *addr)
{
    return (struct lane_bytes){(uint64_t)(uintptr_t)host - address, addr};
}

// How the addresses of the lanes that are on lie to each other.
enum layout {
    LAYOUT_SCATTERED,
    LAYOUT_CONTIGUOUS, // all lanes are on, lane i's bytes lie behind lane i - 1's
    LAYOUT_UNIFORM     // all the same
};

// ---- any layout: lane by lane, straight into the rows ----------------------------------------------

// Statement for each lane that is on.
#define EACH_LANE_ON(i, statement)                                 \
    do {                                                           \
        if (__builtin_expect(on == ALL_LANES, 1)) {                \
            for (int i = 0; i < ROW_LANES; i++) {                  \
                statement;                                         \
            }                                                      \
        } else {                                                   \
            for (lanemask rest_ = on; rest_; rest_ &= rest_ - 1) { \
                const int i = __builtin_ctz(rest_);                \
                statement;                                         \
            }                                                      \
        }                                                          \
    } while (0)

ALWAYS_INLINE void load_scattered(struct warp *warp, const struct insn *insn, struct lane_bytes from,
                                  lanemask on, enum elem elem)
{
    for (uint32_t j = 0; j < insn->n_data; j++) {
        if (insn->data[j] == ROW_NONE)
            continue;
        uint32_t *row = row_write(warp, insn->data[j]);
        const uint32_t offset = j * elem_bytes(elem);
        EACH_LANE_ON(i, element_load(row, i, lane_host(from, i, offset), elem));
    }
}

ALWAYS_INLINE void store_scattered(const struct warp *warp, const struct insn *insn, struct lane_bytes to,
                                   lanemask on, enum elem elem)
{
    for (uint32_t j = 0; j < insn->n_data; j++) {
        const uint32_t *row = row_read(warp, insn->data[j]);
        const uint32_t offset = j * elem_bytes(elem);
        EACH_LANE_ON(i, element_store(row, i, lane_host(to, i, offset), elem));
    }
}

// ---- pairs and fours of words: 64 bits at a time ---------------------------------------------------

ALWAYS_INLINE bool is_word_vector(const struct insn *insn)
{
    bool is_vector = insn->elem == ELEM_B32 && (insn->n_data == 2 || insn->n_data == 4);
    for (uint32_t j = 0; is_vector && j < insn->n_data; j++)
        is_vector = insn->data[j] != ROW_NONE;
    return is_vector;
}

ALWAYS_INLINE void load_word_pair(struct warp *warp, const struct insn *insn, uint32_t j,
                                  struct lane_bytes from, lanemask on)
{
    uint32_t *low = row_write(warp, insn->data[j]), *high = row_write(warp, insn->data[j + 1]);
    EACH_LANE_ON(i, const uint64_t pair = ELEMENT_LOAD(uint64_t, lane_host(from, i, j * 4));
                 low[i] = (uint32_t)pair; high[i] = (uint32_t)(pair >> 32));
}

ALWAYS_INLINE void store_word_pair(const struct warp *warp, const struct insn *insn, uint32_t j,
                                   struct lane_bytes to, lanemask on)
{
    const uint32_t *low = row_read(warp, insn->data[j]), *high = row_read(warp, insn->data[j + 1]);
    EACH_LANE_ON(i, ELEMENT_STORE(uint64_t, lane_host(to, i, j * 4), low[i] | (uint64_t)high[i] << 32));
}

// ---- contiguous words ------------------------------------------------------------------------------

ALWAYS_INLINE void load_contiguous_words(uint32_t *row, const uint8_t *from)
{
    for (int i = 0; i < ROW_LANES; i += 2) {
        const uint64_t pair = ELEMENT_LOAD(uint64_t, from + (size_t)i * 4);
        memcpy(&row[i], &pair, sizeof pair);
    }
}

ALWAYS_INLINE void store_contiguous_words(const uint32_t *row, uint8_t *to)
{
    for (int i = 0; i < ROW_LANES; i += 2) {
        uint64_t pair;
        memcpy(&pair, &row[i], sizeof pair);
        ELEMENT_STORE(uint64_t, to + (size_t)i * 4, pair);
    }
}

// All lanes read the same bytes.
static void load_uniform(struct warp *warp, const struct insn *insn, const uint8_t *from, lanemask on)
{
    for (uint32_t j = 0; j < insn->n_data; j++) {
        uint32_t one[2 * ROW_LANES], out[2 * ROW_LANES];
        element_load(one, 0, from + j * elem_bytes(insn->elem), insn->elem);
        for (int word = 0; word < elem_rows(insn->elem); word++)
            for (int i = 0; i < ROW_LANES; i++)
                out[word * ROW_LANES + i] = one[word * ROW_LANES];
        if (insn->data[j] != ROW_NONE)
            put_rows(warp, insn->data[j], out, elem_rows(insn->elem), on);
    }
}

// ---- choosing --------------------------------------------------------------------------------------

// The element type is chosen once for 32 lanes: one copy of the loops per type.
#define FOR_EACH_ELEM(function, ...)     \
    switch (insn->elem) {                \
    case ELEM_U8:                        \
        function(__VA_ARGS__, ELEM_U8);  \
        break;                           \
    case ELEM_S8:                        \
        function(__VA_ARGS__, ELEM_S8);  \
        break;                           \
    case ELEM_U16:                       \
        function(__VA_ARGS__, ELEM_U16); \
        break;                           \
    case ELEM_S16:                       \
        function(__VA_ARGS__, ELEM_S16); \
        break;                           \
    case ELEM_B64:                       \
        function(__VA_ARGS__, ELEM_B64); \
        break;                           \
    default:                             \
        function(__VA_ARGS__, ELEM_B32); \
        break;                           \
    }

static void move_any(struct warp *warp, const struct insn *insn, struct lane_bytes bytes, lanemask on,
                     bool is_load)
{
    if (is_load) {
        FOR_EACH_ELEM(load_scattered, warp, insn, bytes, on)
    } else {
        FOR_EACH_ELEM(store_scattered, warp, insn, bytes, on)
    }
}

ALWAYS_INLINE void move_word_vector(struct warp *warp, const struct insn *insn, struct lane_bytes bytes,
                                    lanemask on, bool is_load)
{
    for (uint32_t j = 0; j < insn->n_data; j += 2)
        if (is_load)
            load_word_pair(warp, insn, j, bytes, on);
        else
            store_word_pair(warp, insn, j, bytes, on);
}

ALWAYS_INLINE void move_lanes(struct warp *warp, const struct insn *insn, struct lane_bytes bytes,
                              lanemask on, enum layout layout, bool is_load)
{
    uint8_t *first = lane_host(bytes, 0, 0);
    if (layout == LAYOUT_CONTIGUOUS && insn->elem == ELEM_B32 && insn->n_data == 1 &&
        insn->data[0] != ROW_NONE) {
        if (is_load)
            load_contiguous_words(row_write(warp, insn->data[0]), first);
        else
            store_contiguous_words(row_read(warp, insn->data[0]), first);
    } else if (layout == LAYOUT_UNIFORM && is_load) {
        load_uniform(warp, insn, first, on);
    } else if (is_word_vector(insn)) {
        move_word_vector(warp, insn, bytes, on, is_load);
    } else {
        move_any(warp, insn, bytes, on, is_load);
    }
}

// Lowest and highest address, and the layout.
ALWAYS_INLINE enum layout layout_of(const struct access *access, lanemask on, struct span *span)
{
    if (__builtin_expect(on == ALL_LANES, 1) && addresses_are_contiguous(access->addr, access->width)) {
        uint64_t first = access->addr[0];
        *span = (struct span){first, first + (uint64_t)(ROW_LANES - 1) * access->width, first};
        return LAYOUT_CONTIGUOUS;
    }
    *span = span_of(access->addr);
    return span->low == span->high ? LAYOUT_UNIFORM : LAYOUT_SCATTERED;
}

// ---- global, shared, constant: addresses are linear ------------------------------------------------

// A plain access waits for the warp's queued operations on the same bytes only: weak accesses to others may
// pass them.
static inline bool pending_overlap(const struct warp *warp, struct span span, uint32_t width)
{
    return span.low <= warp->pending_high && span.high + (width - 1) >= warp->pending_low;
}

ALWAYS_INLINE enum step_kind move_global(struct sim *sim, struct warp *warp, const struct insn *insn,
                                         lanemask on, bool is_load)
{
    struct access *access = &sim->access;
    struct span span;
    access->space = SPACE_GLOBAL;
    if (__builtin_expect(access->is_strong, 0))
        return is_load ? op_strong_load(sim, warp, insn, on) : op_strong_store(sim, warp, insn, on);
    const enum layout layout = layout_of(access, on, &span);
    if (__builtin_expect(warp->pending_exchanges != 0, 0) && pending_overlap(warp, span, access->width)) {
        split_wait(warp, SPLIT_FENCE, 0, true);
        return STEP_FENCE;
    }
    if (__builtin_expect(span.bits & (access->width - 1u), 0))
        return fault_access(sim, warp);
    uint8_t *base =
        memory_host_fast(sim->launch->memory, &sim->cursor, span.low, span.high - span.low + access->width);
    if (__builtin_expect(base == NULL, 0))
        return op_move_scattered(sim, warp, insn, on);
    move_lanes(warp, insn, lane_bytes_of(base, span.low, access->addr), on, layout, is_load);
    return STEP_ACCESS;
}

// Memory of one block, or a constant bank: from address 0 to `size_bytes`.
ALWAYS_INLINE enum step_kind move_window(struct sim *sim, struct warp *warp, const struct insn *insn,
                                         lanemask on, uint8_t *window, uint64_t size_bytes, bool is_load)
{
    const struct access *access = &sim->access;
    struct span span;
    const enum layout layout = layout_of(access, on, &span);
    const bool outside =
        size_bytes < access->width || span.high > size_bytes - access->width || span.low > span.high;
    if (__builtin_expect(outside || (span.bits & (access->width - 1u)), 0))
        return fault_access(sim, warp);
    move_lanes(warp, insn, lane_bytes_of(window, 0, access->addr), on, layout, is_load);
    if (__builtin_expect(access->is_strong, 0))
        split_count_strong(warp);
    return STEP_ACCESS;
}

// ---- local: word-interleaved -----------------------------------------------------------------------

// Word `k` of the element at byte offset `at` of lane i.
static inline uint8_t *local_word(const struct warp *warp, uint64_t at, uint32_t k, int i)
{
    return warp->local + (at / 4 + k) * ROW_BYTES + (uint64_t)i * 4;
}

// All lanes at the same offset, the usual case: words of memory are rows.
static void move_local_uniform(struct warp *warp, const struct insn *insn, uint64_t at, lanemask on,
                               bool is_load)
{
    const uint32_t words = elem_bytes(insn->elem) / 4;
    for (uint32_t j = 0; j < insn->n_data * words; j++) {
        uint32_t memory[ROW_LANES];
        if (insn->data[j / words] == ROW_NONE)
            continue;
        rowref ref = insn->data[j / words] + j % words;
        memcpy(memory, local_word(warp, at, j, 0), ROW_BYTES);
        if (is_load) {
            put_rows(warp, ref, memory, 1, on);
        } else {
            blend_row(memory, row_read(warp, ref), on);
            memcpy(local_word(warp, at, j, 0), memory, ROW_BYTES);
        }
    }
}

static void move_local_words(struct warp *warp, const struct insn *insn, const uint64_t *addr, lanemask on,
                             bool is_load)
{
    const uint32_t words = elem_bytes(insn->elem) / 4;
    for (uint32_t j = 0; j < insn->n_data * words; j++) {
        if (insn->data[j / words] == ROW_NONE)
            continue;
        rowref ref = insn->data[j / words] + j % words;
        if (is_load) {
            uint32_t *row = row_write(warp, ref);
            EACH_LANE_ON(i, memcpy(&row[i], local_word(warp, addr[i], j, i), 4));
        } else {
            const uint32_t *row = row_read(warp, ref);
            EACH_LANE_ON(i, memcpy(local_word(warp, addr[i], j, i), &row[i], 4));
        }
    }
}

static void move_local_parts(struct warp *warp, const struct insn *insn, const uint64_t *addr, lanemask on,
                             bool is_load)
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

static enum step_kind move_local(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                 bool is_load)
{
    struct access *access = &sim->access;
    access->space = SPACE_LOCAL;
    const struct span span = span_of(access->addr);
    const bool outside = warp->local_bytes < access->width || span.high > warp->local_bytes - access->width;
    if (__builtin_expect(outside || (span.bits & (access->width - 1u)), 0))
        return fault_access(sim, warp);
    if (elem_bytes(insn->elem) >= 4 && span.low == span.high)
        move_local_uniform(warp, insn, span.low, on, is_load);
    else if (elem_bytes(insn->elem) >= 4)
        move_local_words(warp, insn, access->addr, on, is_load);
    else
        move_local_parts(warp, insn, access->addr, on, is_load);
    return STEP_ACCESS;
}

// ---- generic ---------------------------------------------------------------------------------------

ALWAYS_INLINE enum step_kind move_shared(struct sim *sim, struct warp *warp, const struct insn *insn,
                                         lanemask on, bool is_load)
{
    sim->access.space = SPACE_SHARED;
    if (__builtin_expect(warp->block->shared_rank != 0, 0) && insn->space == SPACE_SHARED)
        access_drop_rank(warp, &sim->access);
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

static enum step_kind move_generic(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                   bool is_load)
{
    if (warp->pending_exchanges && !access_is_in_cluster(&sim->access) && warp_must_drain(warp))
        return STEP_FENCE;
    on = access_choose_space(sim, warp, on);
    switch (sim->access.space) {
    case SPACE_SHARED:
        return move_shared(sim, warp, insn, on, is_load);
    case SPACE_CLUSTER:
        return is_load ? op_strong_load(sim, warp, insn, on) : op_strong_store(sim, warp, insn, on);
    case SPACE_LOCAL:
        return move_local(sim, warp, insn, on, is_load);
    case SPACE_PARAM:
        return is_load ? load_param(sim, warp, insn, on) : fault_access_always(sim, warp, FAULT_CONST_BOUNDS);
    default:
        return move_global(sim, warp, insn, on, is_load);
    }
}

// ---- the handlers ----------------------------------------------------------------------------------

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

// Machine code: a constant bank, insn->extra, with a register in the address.
static enum step_kind op_load_bank(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct constant_bank bank = launch_bank(sim->launch, insn->extra);
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    enum step_kind kind = move_window(sim, warp, insn, on, (uint8_t *)(uintptr_t)bank.bytes, bank.n_bytes, true);
    for (int i = 0; i < N_LANES; i++) // banks lie apart for the caches
        sim->access.addr[i] += (uint64_t)insn->extra << 32;
    return kind;
}

static enum step_kind op_load_bank_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)on;
    const enum step_kind kind = op_load_bank(sim, warp, insn, ALL_LANES);
    return kind == STEP_ACCESS ? STEP_PLAIN : kind; // the uniform datapath's own cache is not counted
}

// wmma: one register (or two neighbours) of a fragment of A, B or C.
static enum step_kind op_wmma_load(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    if (wmma_unpack(insn->mod).is_lines)
        return op_wmma_lines(sim, warp, insn, on);
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    wmma_address_lanes(sim, warp, insn);
    if (insn->space == SPACE_GLOBAL)
        return move_global(sim, warp, insn, on, true);
    return insn->space == SPACE_SHARED ? move_shared(sim, warp, insn, on, true) : move_generic(sim, warp, insn, on, true);
}

static enum step_kind op_wmma_store(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, ACCESS_STORE);
    wmma_address_lanes(sim, warp, insn);
    if (insn->space == SPACE_GLOBAL)
        return move_global(sim, warp, insn, on, false);
    return insn->space == SPACE_SHARED ? move_shared(sim, warp, insn, on, false) : move_generic(sim, warp, insn, on, false);
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
