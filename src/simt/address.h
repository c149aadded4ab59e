// Addresses of the 32 lanes of a memory instruction, and one element in host memory.
#ifndef SIMT_ADDRESS_H
#define SIMT_ADDRESS_H
#include "simt/lanes.h"
#include "simt/step.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline uint32_t elem_bytes(enum elem elem)
{
    static const uint8_t bytes[N_ELEMS] = {1, 1, 2, 2, 4, 8, 16};
    return bytes[elem];
}

// ---- addresses -------------------------------------------------------------------------------------

struct span {
    uint64_t low, high; // lowest and highest address
    uint64_t bits;      // of all addresses, or-ed: tells misalignment
};

ALWAYS_INLINE struct span span_of(const uint64_t *addr)
{
    struct span span = {UINT64_MAX, 0, 0};
    for (int i = 0; i < N_LANES; i++) {
        span.low = addr[i] < span.low ? addr[i] : span.low;
        span.high = addr[i] > span.high ? addr[i] : span.high;
        span.bits |= addr[i];
    }
    return span;
}

// Each lane's bytes lie behind those of the lane before.
ALWAYS_INLINE bool addresses_are_contiguous(const uint64_t *addr, uint32_t width)
{
    uint64_t difference = 0;
    for (int i = 0; i < N_LANES; i++)
        difference |= addr[i] ^ (addr[0] + (uint64_t)i * width);
    return difference == 0;
}

// Addresses of all lanes; a lane that is off gets that of the first lane that is on, so it may be read but
// not written.
ALWAYS_INLINE void address_lanes(const struct warp *warp, const struct insn *insn, lanemask on,
                                 uint64_t *addr)
{
    const uint32_t *row = row_read(warp, insn->src[0]);
    uint64_t offset = (uint64_t)(int64_t)insn->offset;
    if (MOD_GET(insn->mod, MOD_UREG, 1))
        offset += row_read(warp, insn->src[3])[0];
    if (MOD_GET(insn->mod, MOD_ADDR64, 1))
        for (int i = 0; i < N_LANES; i++)
            addr[i] = get_u64(row, i) + offset;
    else
        for (int i = 0; i < N_LANES; i++)
            addr[i] = row[i] + offset;
    if (__builtin_expect(on == ALL_LANES, 1))
        return;
    const uint64_t first = addr[__builtin_ctz(on)];
    for (int i = 0; i < N_LANES; i++)
        addr[i] = on & lane_bit[i] ? addr[i] : first;
}

// The record of this access, its addresses as the instruction gives them.
ALWAYS_INLINE void access_begin(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on,
                                enum access_kind kind)
{
    struct access *access = &sim->access;
    access->space = insn->space;
    access->kind = kind;
    access->cache = MOD_GET(insn->mod, MOD_CACHE, 4);
    access->width = (uint8_t)(elem_bytes(insn->elem) * insn->n_data);
    access->is_strong = MOD_GET(insn->mod, MOD_SEM, 3) != SEM_WEAK;
    access->mask = on;
    access->n_matrices = 0;
    access->n_wavefronts = 0;
    access->insn = split_current(warp)->pc - 1;
    address_lanes(warp, insn, on, access->addr);
}

// ---- shared memory ---------------------------------------------------------------------------------

// A shared address of a block in a cluster: the block's rank above SHARED_RANK_SHIFT, the offset below. Addresses
// that the block itself uses may lack the rank.
enum { SHARED_RANK_SHIFT = 24 };
#define SHARED_OFFSET_MASK ((1u << SHARED_RANK_SHIFT) - 1)

// The offset in the block's own shared memory; UINT32_MAX, outside any, if the address is another block's.
static inline uint32_t shared_offset(const struct block *block, uint32_t address)
{
    const uint32_t rank = address >> SHARED_RANK_SHIFT;
    return rank == 0 || rank == block->shared_rank ? address & SHARED_OFFSET_MASK : UINT32_MAX;
}

static inline void access_drop_rank(const struct warp *warp, struct access *access)
{
    for (int i = 0; i < N_LANES; i++)
        access->addr[i] = shared_offset(warp->block, (uint32_t)access->addr[i]);
}

// ---- one element, by relaxed atomics: other SMs may touch the same bytes on other host threads -----

#define ELEMENT_LOAD(type, at) __atomic_load_n((const type *)(const void *)(at), __ATOMIC_RELAXED)
#define ELEMENT_STORE(type, at, value) __atomic_store_n((type *)(void *)(at), (type)(value), __ATOMIC_RELAXED)

ALWAYS_INLINE void element_load(uint32_t *out, int lane, const uint8_t *at, enum elem elem)
{
    switch (elem) {
    case ELEM_U8:
        out[lane] = ELEMENT_LOAD(uint8_t, at);
        break;
    case ELEM_S8:
        out[lane] = (uint32_t)(int8_t)ELEMENT_LOAD(uint8_t, at);
        break;
    case ELEM_U16:
        out[lane] = ELEMENT_LOAD(uint16_t, at);
        break;
    case ELEM_S16:
        out[lane] = (uint32_t)(int16_t)ELEMENT_LOAD(uint16_t, at);
        break;
    case ELEM_B64:
        set_u64(out, lane, ELEMENT_LOAD(uint64_t, at));
        break;
    default:
        out[lane] = ELEMENT_LOAD(uint32_t, at);
        break;
    }
}

ALWAYS_INLINE void element_store(const uint32_t *row, int lane, uint8_t *at, enum elem elem)
{
    switch (elem) {
    case ELEM_U8:
    case ELEM_S8:
        ELEMENT_STORE(uint8_t, at, row[lane]);
        break;
    case ELEM_U16:
    case ELEM_S16:
        ELEMENT_STORE(uint16_t, at, row[lane]);
        break;
    case ELEM_B64:
        ELEMENT_STORE(uint64_t, at, get_u64(row, lane));
        break;
    default:
        ELEMENT_STORE(uint32_t, at, row[lane]);
        break;
    }
}

static inline int elem_rows(enum elem elem)
{
    return elem == ELEM_B64 ? 2 : 1;
}
#endif
