// cp.async (LDGSTS): every lane copies 4, 8 or 16 bytes from global to shared memory.
//
//     src[0] + offset  where a lane reads (MOD_ADDR64)      elem   how many bytes it writes
//     src[1] + extra   where it writes                      psrc[0] lanes that read; the others write zeros
//     src[2]           how many bytes it reads, ROW_NONE: all; the rest is written as zeros
//     MOD_MODE 1       machine code's .ZFILL: the address mod elem is the number of bytes that are not read
//
// The bytes have arrived when the instruction has been executed: the earliest time that the PTX ISA allows. So
// groups and waits have nothing to do, and an arrival on an mbarrier takes place at once.
#include "simt/address.h"
#include "simt/ops.h"

// How many bytes lane `lane` reads of `width`; its address is made even.
static uint32_t bytes_read(const struct warp *warp, const struct insn *insn, uint32_t width, int lane, uint64_t *address)
{
    uint32_t bytes = insn->src[2] == ROW_NONE ? width : row_read(warp, insn->src[2])[lane];
    if (MOD_GET(insn->mod, MOD_MODE, 1)) {
        bytes = width - (uint32_t)(*address & (width - 1));
        *address -= width - bytes;
    }
    if (!(pred_read(warp, insn->psrc[0]) & lane_bit[lane]))
        return 0;
    return bytes < width ? bytes : width;
}

// sim->target and the lanes of sim->access that read, and how much.
static void describe(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on, uint8_t bytes[N_LANES])
{
    struct access *from = &sim->access, *to = &sim->target;
    access_begin(sim, warp, insn, on, ACCESS_LOAD);
    from->space = SPACE_GLOBAL;
    from->width = (uint8_t)elem_bytes(insn->elem);
    from->copy_form = MOD_GET(insn->mod, MOD_MODE, 1) || insn->src[2] != ROW_NONE ? COPY_FILLED
                      : insn->psrc[0] != PRED_TRUE                                ? COPY_CHOSEN
                                                                                  : COPY_WHOLE;
    *to = *from;
    to->space = SPACE_SHARED;
    to->kind = ACCESS_STORE;
    const uint32_t *row = row_read(warp, insn->src[1]), first = row[__builtin_ctz(on)];
    for (int i = 0; i < N_LANES; i++)
        to->addr[i] = shared_offset(warp->block, (on & lane_bit[i] ? row[i] : first) + insn->extra);
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        bytes[lane] = (uint8_t)bytes_read(warp, insn, from->width, lane, &from->addr[lane]);
        if (bytes[lane] == 0)
            from->mask &= ~lane_bit[lane];
    }
}

// Shared addresses are checked in the form of an access of their own.
static enum step_kind check_target(struct sim *sim, struct warp *warp)
{
    struct access from = sim->access;
    sim->access = sim->target;
    enum step_kind kind = fault_access(sim, warp);
    sim->access = from;
    return kind;
}

// The lane cannot read what it should: says where and why.
static enum step_kind fault_source(struct sim *sim, struct warp *warp, int lane, uint32_t n_bytes)
{
    struct access *from = &sim->access;
    const uint64_t address = from->addr[lane];
    const uint8_t width = from->width;
    from->mask = lane_bit[lane];
    if (!(address & (width - 1u))) { // not misaligned: the first byte that is not there
        from->width = 1;
        while (n_bytes > 1 && memory_host_fast(sim->launch->memory, &sim->cursor, from->addr[lane], 1)) {
            from->addr[lane]++;
            n_bytes--;
        }
    }
    enum step_kind kind = fault_access(sim, warp);
    sim->fault.size_bytes = width;
    return kind;
}

static bool copy_lane(struct sim *sim, struct warp *warp, int lane, uint32_t n_bytes)
{
    const uint32_t width = sim->target.width;
    uint32_t words[4] = {0};
    if (n_bytes) {
        const uint64_t address = sim->access.addr[lane];
        const uint8_t *at = address & (width - 1u) ? NULL
                                                   : memory_host_fast(sim->launch->memory, &sim->cursor,
                                                                      address, n_bytes);
        if (!at)
            return false;
        for (uint32_t k = 0; k < n_bytes / 4; k++)
            words[k] = ELEMENT_LOAD(uint32_t, at + 4 * k);
        for (uint32_t k = n_bytes & ~3u; k < n_bytes; k++)
            words[k / 4] |= (uint32_t)ELEMENT_LOAD(uint8_t, at + k) << 8 * (k % 4);
    }
    memcpy(warp->block->shared + sim->target.addr[lane], words, width);
    return true;
}

enum step_kind op_async_copy(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    if (warp_must_drain(warp))
        return STEP_FENCE;
    uint8_t bytes[N_LANES];
    describe(sim, warp, insn, on, bytes);
    if (check_target(sim, warp) == STEP_FAULT)
        return STEP_FAULT;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        if (!copy_lane(sim, warp, lane, bytes[lane]))
            return fault_source(sim, warp, lane, bytes[lane]);
    }
    return STEP_COPY;
}
