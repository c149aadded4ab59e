// mbarrier: barriers that are objects in shared memory. A phase ends when all expected arrivals and all
// announced bytes have come; the next one begins by itself.
#include "isa/form.h"
#include "simt/address.h"
#include "simt/ops.h"

// Ranges as the PTX ISA has them: 1 .. 2^20 - 1 arrivals, transactions between -(2^20 - 1) and 2^20 - 1
// bytes.
enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, BYTES_BITS = 21 };

struct mbarrier {
    uint32_t expected, pending; // arrivals: of a phase, still to come
    int32_t bytes;              // announced and not yet come
    uint32_t phase;             // 0 or 1
};

// The machine's layout: programs make the first word themselves (SYNCS.EXCH; seen in the code that nvcc 13 makes for
// mbarrier.init). Both counts are negative and run up to 0: arrivals of a phase in bits 20 … 1, those still to come in bits
// 62 … 43, whose carry turns the phase, bit 63. Where the bytes lie is not known: here in bits 41 … 21.
enum { EXPECTED_AT = 1, BYTES_AT = 21, PENDING_AT = 43, PHASE_AT = 63 };

static struct mbarrier unpack(uint64_t bits)
{
    const uint32_t bytes = (uint32_t)(bits >> BYTES_AT) & ((1u << BYTES_BITS) - 1);
    return (struct mbarrier){.expected = (0u - (uint32_t)(bits >> EXPECTED_AT)) & COUNT_MASK,
                             .pending = (0u - (uint32_t)(bits >> PENDING_AT)) & COUNT_MASK,
                             .bytes = (int32_t)(bytes << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
                             .phase = (uint32_t)(bits >> PHASE_AT)};
}

static uint64_t pack(struct mbarrier b)
{
    const uint64_t bytes = (uint32_t)b.bytes & ((1u << BYTES_BITS) - 1);
    return (uint64_t)((0u - b.expected) & COUNT_MASK) << EXPECTED_AT | bytes << BYTES_AT |
           (uint64_t)((0u - b.pending) & COUNT_MASK) << PENDING_AT | (uint64_t)b.phase << PHASE_AT;
}

static void end_phase(struct mbarrier *b)
{
    if (b->pending || b->bytes)
        return;
    b->pending = b->expected;
    b->phase ^= 1;
}

static void arrive(struct mbarrier *b, uint32_t n)
{
    b->pending -= n < b->pending ? n : b->pending;
    end_phase(b);
}

// ---- one lane ----------------------------------------------------------------------------------------

// What the instruction does to the object; `n` is its count or number of bytes.
static void change(enum form form, struct mbarrier *b, uint32_t n)
{
    switch (form) {
    case FORM_MBAR_INIT_b64:
        *b = (struct mbarrier){.expected = n & COUNT_MASK, .pending = n & COUNT_MASK};
        break;
    case FORM_MBAR_INVAL_b64:
        *b = (struct mbarrier){0};
        break;
    case FORM_CP_ARRIVE_b64:
        break;
    case FORM_MBAR_EXPECT_b64:
        b->bytes += (int32_t)n;
        break;
    case FORM_MBAR_COMPLETE_b64:
        b->bytes -= (int32_t)n;
        end_phase(b);
        break;
    case FORM_MBAR_ARRIVE_TX_b64:
        b->bytes += (int32_t)n;
        arrive(b, 1);
        break;
    case FORM_MBAR_DROP_TX_b64:
        b->bytes += (int32_t)n;
        b->expected -= b->expected > 0;
        arrive(b, 1);
        break;
    case FORM_MBAR_DROP_b64:
    case FORM_MBAR_DROP_NC_b64:
        b->expected -= n < b->expected ? n : b->expected;
        arrive(b, n);
        break;
    default:
        arrive(b, n);
        break;
    }
}

// The phase that is asked for has ended: `wanted` is a state or, with .parity, the parity of the phase.
static bool has_ended(const struct mbarrier *b, uint64_t wanted, bool is_parity)
{
    return b->phase != (is_parity ? (uint32_t)wanted & 1 : (uint32_t)(wanted >> 63));
}

// ---- a warp ------------------------------------------------------------------------------------------

// Objects lie in shared memory, of the block or of another one of its cluster (SPACE_CLUSTER), by a shared or a generic
// address; anything else is a fault.
static enum step_kind locate(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask *on)
{
    access_begin(sim, warp, insn, *on, ACCESS_ATOM);
    sim->access.width = 8;
    if (insn->space == SPACE_GENERIC || insn->space == SPACE_CLUSTER)
        *on = access_choose_space(sim, warp, *on);
    else
        access_drop_rank(warp, &sim->access);
    if (sim->access.space != SPACE_SHARED && sim->access.space != SPACE_CLUSTER)
        return fault_access_always(sim, warp, FAULT_OUT_OF_BOUNDS);
    return fault_access(sim, warp);
}

// Who waits in try_wait looks again: a phase has ended. True if somebody was.
static bool wake_waiting(struct block *block, bool has_timed_out)
{
    bool found = false;
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct warp *warp = &block->warps[w];
        for (uint32_t used = warp->used; used; used &= used - 1) {
            const uint32_t slot = (uint32_t)__builtin_ctz(used);
            if (warp->splits[slot].state != SPLIT_MBARRIER)
                continue;
            warp->splits[slot].has_timed_out = has_timed_out;
            split_set_state(warp, slot, SPLIT_READY);
            found = true;
        }
    }
    return found;
}

bool block_time_out(struct block *block)
{
    return wake_waiting(block, true);
}

// Returns the object as it was; *has_woken: warps of its block may be ready now.
static uint64_t apply(enum form form, struct block *block, uint8_t *at, uint32_t n, bool *has_woken)
{
    const uint64_t before = ELEMENT_LOAD(uint64_t, at);
    struct mbarrier b = unpack(before);
    const uint32_t phase = b.phase;
    change(form, &b, n);
    ELEMENT_STORE(uint64_t, at, pack(b));
    if (b.phase != phase)
        *has_woken |= wake_waiting(block, false);
    return before;
}

void mbarrier_apply(const struct insn *insn, struct block *block, uint8_t *at, uint64_t operand)
{
    bool has_woken = false;
    apply(insn->form, block, at, (uint32_t)operand, &has_woken);
}

void mbarrier_complete(struct block *block, uint8_t *at, uint32_t n_bytes)
{
    bool has_woken = false;
    apply(FORM_MBAR_COMPLETE_b64, block, at, n_bytes, &has_woken);
}

// Another block's object: queued. It gives no state back.
static enum step_kind issue_remote(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                   const uint32_t *count)
{
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        sim->exchange.operand[lane] = count ? count[lane] : 1;
    }
    enum step_kind kind = exchange_issue(sim, warp, insn, false);
    sim->exchange.is_mbarrier = true;
    return kind;
}

enum step_kind op_mbarrier(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    if (locate(sim, warp, insn, &on) == STEP_FAULT)
        return STEP_FAULT;
    const uint32_t *count = insn->src[1] == ROW_NONE ? NULL : row_read(warp, insn->src[1]);
    if (sim->access.space == SPACE_CLUSTER)
        return issue_remote(sim, warp, insn, on, count);
    bool has_woken = false;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t before = apply(insn->form, warp->block, warp->block->shared + sim->access.addr[lane],
                                      count ? count[lane] : 1, &has_woken);
        if (insn->dst != ROW_NONE)
            set_u64(row_write(warp, insn->dst), lane, before);
    }
    warp->block->n_orders++;
    split_count_strong(warp);
    return has_woken ? STEP_SWITCH : STEP_PLAIN; // the caller looks at the block's other warps
}

// cp.async.mbarrier.arrive: the copies have arrived already. Without .noinc the arrival is announced first, so
// that nothing changes.
enum step_kind op_async_arrive(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    return op_mbarrier(sim, warp, insn, on);
}

static lanemask lanes_ended(const struct sim *sim, const struct warp *warp, const struct insn *insn, lanemask on)
{
    const bool is_parity = insn->form == FORM_MBAR_TEST_PARITY_b64 || insn->form == FORM_MBAR_TRY_PARITY_b64;
    const bool is_upper = insn->form == FORM_SYNCS_CHECK_none; // machine code: the upper word of a state
    const uint32_t *wanted = row_read(warp, insn->src[1]);
    lanemask ended = 0;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct mbarrier b =
            unpack(ELEMENT_LOAD(uint64_t, warp->block->shared + sim->access.addr[lane]));
        const uint64_t phase = is_parity ? wanted[lane] : is_upper ? (uint64_t)wanted[lane] << 32 : get_u64(wanted, lane);
        ended |= has_ended(&b, phase, is_parity) ? lane_bit[lane] : 0;
    }
    return ended;
}

// test_wait looks and goes on. try_wait, if no lane's phase has ended, is suspended until one in the block's shared
// memory ends, or until nothing else can run: then it says no.
enum step_kind op_mbarrier_test(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    if (locate(sim, warp, insn, &on) == STEP_FAULT)
        return STEP_FAULT;
    if (sim->access.space == SPACE_CLUSTER) // PTX ISA: of the executing block only
        return fault_access_always(sim, warp, FAULT_SHARED_BOUNDS);
    struct split *split = split_current(warp);
    const bool is_try = insn->form == FORM_MBAR_TRY_b64 || insn->form == FORM_MBAR_TRY_PARITY_b64 ||
                        (insn->form == FORM_SYNCS_CHECK_none && MOD_GET(insn->mod, MOD_MODE, 4)); // .TRYWAIT
    const lanemask ended = lanes_ended(sim, warp, insn, on);
    if (is_try && !ended && !split->has_timed_out && !split->replay) {
        split_wait(warp, SPLIT_MBARRIER, 0, true);
        return STEP_SWITCH;
    }
    split->has_timed_out = false;
    pred_write(warp, insn->pdst[0], ended, on);
    split_count_strong(warp);
    return STEP_PLAIN;
}

// Machine code: the object itself is written, once for the warp; all lanes see what it was.
enum step_kind op_mbarrier_exchange(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    if (locate(sim, warp, insn, &on) == STEP_FAULT)
        return STEP_FAULT;
    const int lane = __builtin_ctz(on);
    uint8_t *at = warp->block->shared + sim->access.addr[lane];
    const uint64_t before = ELEMENT_LOAD(uint64_t, at);
    ELEMENT_STORE(uint64_t, at, get_u64(row_read(warp, insn->src[1]), lane));
    if (insn->dst != ROW_NONE)
        for (int i = 0; i < ROW_LANES; i++)
            set_u64(row_write(warp, insn->dst), i, before);
    return STEP_PLAIN;
}

enum step_kind op_mbarrier_pending(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *state = row_read(warp, insn->src[0]);
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = unpack(get_u64(state, i)).pending;
    put_rows(warp, insn->dst, out, 1, on);
    return STEP_PLAIN;
}
