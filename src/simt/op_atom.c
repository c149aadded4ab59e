// Atomics and strong accesses. Those to shared memory take effect at once; those to global memory are queued
// by the caller (struct exchange) and take effect in exchange_apply, in one thread and one order for all SMs.
#include "isa/form.h"
#include "mem/banks.h"
#include "simt/address.h"
#include "simt/atom.h"
#include "simt/bulk.h"
#include "simt/half.h"
#include "simt/ops.h"

// ---- one lane --------------------------------------------------------------------------------------

// The type of an atomic follows from its form.
static enum atom_type atom_type_of(const struct insn *insn)
{
    static const uint8_t types[N_FORMS] = {
#define TYPE_LD(...)
#define TYPE_ST(...)
#define TYPE_LDSM(...)
#define TYPE_STSM(...)
#define TYPE_ATOM(types, id) types(TYPE_OF_FORM, id)
#define TYPE_RED(types, id) types(TYPE_OF_FORM, id)
#define TYPE_OF_FORM(type, lane, id) [FORM_##id##_##type] = ATOM_TYPE_##lane,
#define OP(...)
#define COLD(...)
#define FN(...)
#define MEM(id, opcode, types, suffixes, kind, status, operands, function) TYPE_##kind(types, id)
#include "ptx/ptx.def"
#include "sass/machine.def"
#undef OP
#undef COLD
#undef FN
#undef MEM
    };
    return types[insn->form];
}

static uint64_t combine_bits(enum atom_op op, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op) {
    case ATOM_AND:
        return old & b;
    case ATOM_OR:
        return old | b;
    case ATOM_XOR:
        return old ^ b;
    case ATOM_EXCH:
        return b;
    case ATOM_CAS:
        return old == b ? c : old;
    case ATOM_INC:
        return old >= b ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    default:
        return old + b;
    }
}

// Integers come zero-extended; signed ones are compared as signed.
static uint64_t combine_extreme(bool want_max, enum atom_type type, uint64_t old, uint64_t b)
{
    bool b_is_greater = type == ATOM_TYPE_s32   ? (int32_t)b > (int32_t)old
                        : type == ATOM_TYPE_s64 ? (int64_t)b > (int64_t)old
                                                : b > old;
    return b_is_greater == want_max ? b : old;
}

// f32 additions in global memory flush subnormal numbers, those in shared memory do not (PTX ISA, atom).
static uint64_t combine_f32(uint64_t old, uint64_t b, bool flush)
{
    float x = f32_of_bits((uint32_t)old), y = f32_of_bits((uint32_t)b);
    float sum = flush ? flush_f32(flush_f32(x) + flush_f32(y)) : x + y;
    return bits_of_f32(canonical_f32(sum));
}

// Halves are not flushed (.noftz). The pair is two independent operations.
static uint64_t combine_halves(enum atom_op op, enum atom_type type, uint64_t old, uint64_t b)
{
    const enum half_kind kind = type == ATOM_TYPE_f16 || type == ATOM_TYPE_f16x2 ? HALF_F16 : HALF_BF16;
    uint64_t result = 0;
    for (int shift = 0; shift < (type == ATOM_TYPE_f16x2 || type == ATOM_TYPE_bf16x2 ? 32 : 16);
         shift += 16) {
        const float x = half_widen(kind, old >> shift & 0xffff), y = half_widen(kind, b >> shift & 0xffff);
        const float z = op == ATOM_ADD ? x + y : op == ATOM_MIN ? min_f32(x, y, 0) : max_f32(x, y, 0);
        result |= (uint64_t)half_narrow(kind, z) << shift;
    }
    return result;
}

static uint64_t combine(enum atom_op op, enum atom_type type, uint64_t old, uint64_t b, uint64_t c,
                        bool is_global)
{
    if (type >= ATOM_TYPE_f16)
        return combine_halves(op, type, old, b);
    if (type == ATOM_TYPE_f32)
        return combine_f32(old, b, is_global);
    if (type == ATOM_TYPE_f64)
        return bits_of_f64(f64_of_bits(old) + f64_of_bits(b));
    if (op == ATOM_MIN || op == ATOM_MAX)
        return combine_extreme(op == ATOM_MAX, type, old, b);
    return combine_bits(op, old, b, c);
}

// What an atomic instruction does, decoded once for all its lanes.
struct atom_kind {
    enum atom_op op;
    enum atom_type type;
    enum elem elem;
    bool is_global, is_word_add; // the usual one: add of 32-bit integers
};

static struct atom_kind atom_kind_of(const struct insn *insn, bool is_global)
{
    struct atom_kind kind = {MOD_GET(insn->mod, MOD_MODE, 4), atom_type_of(insn), insn->elem, is_global,
                             false};
    kind.is_word_add = kind.op == ATOM_ADD && (kind.type == ATOM_TYPE_u32 || kind.type == ATOM_TYPE_s32);
    return kind;
}

static uint64_t atom_apply(struct atom_kind kind, uint8_t *at, uint64_t b, uint64_t c)
{
    if (kind.is_word_add) {
        uint32_t word = ELEMENT_LOAD(uint32_t, at);
        ELEMENT_STORE(uint32_t, at, word + (uint32_t)b);
        return word;
    }
    uint32_t row[2 * ROW_LANES];
    row[ROW_LANES] = 0;
    element_load(row, 0, at, kind.elem);
    uint64_t old = get_u64(row, 0);
    set_u64(row, 0, combine(kind.op, kind.type, old, b, c, kind.is_global));
    element_store(row, 0, at, kind.elem);
    return old;
}

uint32_t atom_type_bytes(enum atom_type type)
{
    static const uint8_t bytes[] = {[ATOM_TYPE_u16] = 2,   [ATOM_TYPE_u32] = 4,  [ATOM_TYPE_s32] = 4,
                                    [ATOM_TYPE_u64] = 8,   [ATOM_TYPE_s64] = 8,  [ATOM_TYPE_f32] = 4,
                                    [ATOM_TYPE_f64] = 8,   [ATOM_TYPE_f16] = 2,  [ATOM_TYPE_f16x2] = 4,
                                    [ATOM_TYPE_bf16] = 2,  [ATOM_TYPE_bf16x2] = 4, [ATOM_TYPE_b128] = 16};
    return bytes[type];
}

void atom_reduce(enum atom_op op, enum atom_type type, uint8_t *at, const uint8_t *from, uint32_t n_bytes,
                 bool is_global)
{
    const uint32_t size = atom_type_bytes(type);
    const struct atom_kind kind = {op, type, size == 2 ? ELEM_U16 : size == 8 ? ELEM_B64 : ELEM_B32, is_global, false};
    for (uint32_t k = 0; k + size <= n_bytes; k += size) {
        uint64_t value = 0;
        memcpy(&value, from + k, size);
        atom_apply(kind, at + k, value, 0);
    }
}

// ---- issue -----------------------------------------------------------------------------------------

static uint64_t operand_of(const struct warp *warp, rowref ref, enum elem elem, uint32_t lane)
{
    const uint32_t *row = row_read(warp, ref);
    return elem == ELEM_B64 ? get_u64(row, (int)lane) : elem == ELEM_U16 ? (uint16_t)row[lane] : row[lane];
}

static void put_lane(uint32_t *row, uint32_t lane, enum elem elem, uint64_t value)
{
    if (elem == ELEM_B64)
        set_u64(row, (int)lane, value);
    else
        row[lane] = (uint32_t)value;
}

static enum access_kind kind_of(const struct insn *insn)
{
    if (MOD_GET(insn->mod, MOD_MODE, 4) == ATOM_CAS)
        return ACCESS_CAS;
    bool is_red =
        insn->class == CLASS_GLOBAL_RED || insn->class == CLASS_GENERIC_RED || insn->dst == ROW_NONE;
    return is_red ? ACCESS_RED : ACCESS_ATOM;
}

// ---- vectors and 128 bits ----------------------------------------------------------------------------

// Wide operations have `extra` elements: data[] holds the results, if there are any, then the operands; of
// 128 bits, the operands and the result are four rows each. Their split waits whether or not it wants a
// result, so that the operands can be read when the operation takes effect.
static bool is_wide(const struct insn *insn)
{
    return insn->n_data > 0 || insn->elem == ELEM_B128;
}

static uint32_t *frame_row(const struct warp *warp, uint32_t frame, rowref ref)
{
    uint32_t *rows =
        ROW_SPACE(ref) == ROW_REG ? warp->stack + (size_t)frame * ROW_LANES : warp->rows[ROW_SPACE(ref)];
    return rows + (size_t)ROW_NUMBER(ref) * ROW_LANES;
}

static void apply_vector(const struct warp *warp, uint32_t frame, const struct insn *insn,
                         struct atom_kind kind, uint8_t *at, int lane)
{
    const uint32_t n = insn->extra, first = insn->n_data - n;
    for (uint32_t j = 0; j < n; j++) {
        const uint32_t b = frame_row(warp, frame, insn->data[first + j])[lane];
        const uint64_t old =
            atom_apply(kind, at + j * elem_bytes(kind.elem), kind.elem == ELEM_U16 ? b & 0xffff : b, 0);
        if (first && insn->data[j] != ROW_NONE)
            frame_row(warp, frame, insn->data[j])[lane] = (uint32_t)old;
    }
}

static void apply_128(const struct warp *warp, uint32_t frame, const struct insn *insn, uint8_t *at, int lane)
{
    const bool is_cas = MOD_GET(insn->mod, MOD_MODE, 4) == ATOM_CAS;
    const uint32_t *b = frame_row(warp, frame, insn->src[1]);
    const uint32_t *value = is_cas ? frame_row(warp, frame, insn->src[2]) : b;
    uint32_t old[4], new[4];
    bool is_equal = true;
    for (int word = 0; word < 4; word++) {
        old[word] = ELEMENT_LOAD(uint32_t, at + 4 * word);
        new[word] = value[word * ROW_LANES + lane];
        is_equal &= old[word] == b[word * ROW_LANES + lane];
    }
    for (int word = 0; word < 4; word++) {
        if (!is_cas || is_equal)
            ELEMENT_STORE(uint32_t, at + 4 * word, new[word]);
        if (insn->dst != ROW_NONE)
            frame_row(warp, frame, insn->dst)[word * ROW_LANES + lane] = old[word];
    }
}

static void apply_wide(const struct warp *warp, uint32_t frame, const struct insn *insn,
                       struct atom_kind kind, uint8_t *at, uint32_t lane)
{
    if (insn->elem == ELEM_B128)
        apply_128(warp, frame, insn, at, (int)lane);
    else
        apply_vector(warp, frame, insn, kind, at, (int)lane);
}

static enum step_kind apply_shared(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct access *access = &sim->access;
    const struct atom_kind kind = atom_kind_of(insn, false);
    for (lanemask rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (is_wide(insn)) {
            apply_wide(warp, split_current(warp)->frame, insn, kind, warp->block->shared + access->addr[lane],
                       lane);
            continue;
        }
        uint64_t b = operand_of(warp, insn->src[1], insn->elem, lane);
        uint64_t c = access->kind == ACCESS_CAS ? operand_of(warp, insn->src[2], insn->elem, lane) : 0;
        uint64_t old = atom_apply(kind, warp->block->shared + access->addr[lane], b, c);
        if (insn->dst != ROW_NONE)
            put_lane(row_write(warp, insn->dst), lane, insn->elem, old);
    }
    split_count_strong(warp);
    return STEP_ACCESS;
}

// Widens the range of bytes that queued operations of the warp will touch.
static void pending_add(struct warp *warp, const struct access *access)
{
    const struct span span = span_of(access->addr);
    const uint64_t last = span.high + (access->width - 1);
    const bool first = warp->pending_exchanges++ == 0;
    warp->pending_low = first || span.low < warp->pending_low ? span.low : warp->pending_low;
    warp->pending_high = first || last > warp->pending_high ? last : warp->pending_high;
}

enum step_kind exchange_issue(struct sim *sim, struct warp *warp, const struct insn *insn, bool waits)
{
    struct exchange *x = &sim->exchange;
    x->warp = warp;
    x->insn = insn;
    x->access = sim->access;
    x->split = warp->current;
    x->waits = waits;
    x->is_call = x->is_mbarrier = x->is_bulk = false;
    x->frame = split_current(warp)->frame;
    pending_add(warp, &sim->access);
    if (waits)
        split_wait(warp, SPLIT_EXCHANGE, 0, false);
    split_count_strong(warp);
    return STEP_EXCHANGE;
}

enum step_kind op_atomic(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    access_begin(sim, warp, insn, on, kind_of(insn));
    sim->access.width = (uint8_t)(elem_bytes(insn->elem) * (insn->n_data ? insn->extra : 1));
    sim->access.is_strong = true;
    if (insn->space == SPACE_GENERIC || insn->space == SPACE_CLUSTER)
        on = access_choose_space(sim, warp, on);
    else if (insn->space == SPACE_SHARED && warp->block->shared_rank)
        access_drop_rank(warp, &sim->access);
    if (fault_access(sim, warp) == STEP_FAULT)
        return STEP_FAULT;
    if (sim->access.space == SPACE_SHARED)
        return apply_shared(sim, warp, insn, on);
    if (is_wide(insn))
        return exchange_issue(sim, warp, insn, true);
    for (lanemask rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        sim->exchange.operand[lane] = operand_of(warp, insn->src[1], insn->elem, lane);
        if (sim->access.kind == ACCESS_CAS)
            sim->exchange.operand2[lane] = operand_of(warp, insn->src[2], insn->elem, lane);
    }
    return exchange_issue(sim, warp, insn, insn->dst != ROW_NONE);
}

// Lanes that count at one address are added up by the unit itself: they meet no more than lanes that load there.
enum step_kind op_atomic_count(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const enum step_kind kind = op_atomic(sim, warp, insn, on);
    if (kind == STEP_ACCESS)
        sim->access.kind = ACCESS_LOAD;
    return kind;
}

// Of the lanes, the lowest at each bank.
static lanemask lowest_of_banks(const struct access *access, lanemask on)
{
    lanemask lowest = 0;
    uint32_t banks = 0;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint32_t bank = 1u << access->addr[lane] / BANK_BYTES % N_BANKS;
        lowest |= banks & bank ? 0 : lane_bit[lane];
        banks |= bank;
    }
    return lowest;
}

// One execution serves one lane a bank (mem/banks.h). It answers 1 to lanes whose value was stored and 0 to the
// others, which come again: ptxas' loops compare with 1.
enum step_kind op_atomic_try(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    uint64_t expected[ROW_LANES] = {0};
    access_begin(sim, warp, insn, on, ACCESS_CAS);
    const lanemask served = lowest_of_banks(&sim->access, on);
    for (uint32_t lane = 0; lane < ROW_LANES; lane++)
        expected[lane] = operand_of(warp, insn->src[1], insn->elem, lane);
    const enum step_kind kind = op_atomic(sim, warp, insn, served);
    if (kind != STEP_ACCESS || insn->dst == ROW_NONE)
        return kind;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint64_t old = operand_of(warp, insn->dst, insn->elem, lane);
        const bool is_stored = (served & lane_bit[lane]) && old == expected[lane];
        put_lane(row_write(warp, insn->dst), lane, insn->elem, is_stored);
    }
    return kind;
}

// Strong loads and stores: addresses are in sim->access already.
enum step_kind op_strong_load(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)on;
    if (fault_access(sim, warp) == STEP_FAULT)
        return STEP_FAULT;
    return exchange_issue(sim, warp, insn, true);
}

enum step_kind op_strong_store(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t size = elem_bytes(insn->elem);
    if (fault_access(sim, warp) == STEP_FAULT)
        return STEP_FAULT;
    if (size * insn->n_data > sizeof sim->exchange.operand[0] + sizeof sim->exchange.operand2[0])
        return op_move_scattered(sim, warp, insn, on); // 32 bytes a lane: no GPU has them strong
    for (lanemask rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t bytes[2] = {0, 0};
        for (uint32_t j = 0; j < insn->n_data; j++) {
            uint64_t value = operand_of(warp, insn->data[j], insn->elem, lane);
            memcpy((uint8_t *)bytes + j * size, &value, size);
        }
        sim->exchange.operand[lane] = bytes[0];
        sim->exchange.operand2[lane] = bytes[1];
    }
    return exchange_issue(sim, warp, insn, false);
}

// ---- taking effect ---------------------------------------------------------------------------------

static void exchange_lane(const struct exchange *x, struct atom_kind kind, uint8_t *at, uint32_t lane)
{
    const struct insn *insn = x->insn;
    const uint32_t size = elem_bytes(insn->elem);
    uint32_t *rows = x->warp->stack + (size_t)x->frame * ROW_LANES;
    if (x->access.kind == ACCESS_LOAD) {
        for (uint32_t j = 0; j < insn->n_data; j++)
            if (insn->data[j] != ROW_NONE)
                element_load(rows + (size_t)ROW_NUMBER(insn->data[j]) * ROW_LANES, (int)lane, at + j * size,
                             insn->elem);
    } else if (x->access.kind == ACCESS_STORE) {
        uint64_t bytes[2] = {x->operand[lane], x->operand2[lane]};
        for (uint32_t j = 0; j < insn->n_data; j++) {
            uint64_t value = 0;
            uint32_t row[2 * ROW_LANES];
            memcpy(&value, (uint8_t *)bytes + j * size, size);
            set_u64(row, 0, value);
            element_store(row, 0, at + j * size, insn->elem);
        }
    } else if (is_wide(insn)) {
        apply_wide(x->warp, x->frame, insn, kind, at, lane);
    } else {
        uint64_t old = atom_apply(kind, at, x->operand[lane], x->operand2[lane]);
        if (insn->dst != ROW_NONE)
            put_lane(rows + (size_t)ROW_NUMBER(insn->dst) * ROW_LANES, lane, insn->elem, old);
    }
}

static void exchange_wake(const struct exchange *x)
{
    struct warp *warp = x->warp;
    warp->pending_exchanges--;
    if (x->waits)
        split_set_state(warp, x->split, warp->splits[x->split].replay ? SPLIT_REPLAY : SPLIT_READY);
    for (uint32_t slot = 0; warp->pending_exchanges == 0 && slot < MAX_SPLITS; slot++)
        if ((warp->used & lane_bit[slot]) && warp->splits[slot].state == SPLIT_FENCE)
            split_set_state(warp, slot, SPLIT_READY);
}

// Where the lane's bytes are; NULL and a fault if there are none any more: it was checked when it was issued.
static uint8_t *exchange_host(struct sim *sim, const struct exchange *x, uint32_t lane)
{
    const struct access *access = &x->access;
    if (access->space == SPACE_CLUSTER)
        return cluster_host(sim, x, lane);
    uint8_t *at = memory_host_fast(sim->launch->memory, &sim->cursor, access->addr[lane], access->width);
    if (at)
        return at;
    fault_raise(sim, x->warp, FAULT_FREED, lane);
    sim->fault.insn = access->insn;
    sim->fault.address = access->addr[lane];
    sim->fault.size_bytes = access->width;
    sim->fault.space = access->space;
    sim->fault.access = access->kind;
    return NULL;
}

bool exchange_apply(struct sim *sim, struct exchange *exchange)
{
    const struct access *access = &exchange->access;
    // Of no meaning for loads and stores.
    const struct atom_kind kind = atom_kind_of(exchange->insn, access->space == SPACE_GLOBAL);
    if (exchange->is_call) {
        bool good = native_apply(sim, exchange);
        exchange_wake(exchange);
        return good;
    }
    if (exchange->is_bulk) {
        bool good = bulk_apply(sim, exchange);
        exchange_wake(exchange);
        return good;
    }
    for (lanemask rest = access->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t *at = exchange_host(sim, exchange, lane);
        if (!at)
            return false;
        if (exchange->is_mbarrier)
            mbarrier_apply(exchange->insn, cluster_peer(exchange->warp->block, access->addr[lane]), at,
                           exchange->operand[lane]);
        else
            exchange_lane(exchange, kind, at, lane);
    }
    exchange_wake(exchange);
    return true;
}
