// Bulk copies of one thread (simt/bulk.h): cp.async.bulk, cp.reduce.async.bulk with and without a tensor map, st.async,
// red.async; waiting for them; tensormap.replace.
//
// How their operands lie in an instruction (rows are 32 bits wide unless said otherwise):
//     mod      MOD_BOOL the way (enum bulk_way), MOD_CMP the dimensions of a tensor, MOD_MODE the operation if
//              MOD_SATFINITE says that it reduces, MOD_NAN a multicast
//     src[0]   + offset: global address or address of the tensor map (MOD_ADDR64: a pair)
//     src[1]   + extra: shared address: target, or source of a copy to global memory
//     src[2]   mbarrier          src[3]   bytes
//     data[0]  multicast mask    data[1 .. 5] coordinates    data[6] shared source of a copy between blocks
//     st.async, red.async: src[0] + offset the target, src[1] the mbarrier, data[] the value
#include "simt/bulk.h"
#include "isa/form.h"
#include "simt/address.h"
#include "simt/ops.h"
#include "base/err.h"
#include <stdio.h>
#include <stdlib.h>

// ---- what is touched and what is wrong ---------------------------------------------------------------

void transfer_add(struct sim *sim, uint64_t address, uint64_t n_bytes, enum access_kind kind)
{
    if (n_bytes == 0)
        return;
    if (sim->n_transfers == sim->max_transfers) {
        sim->max_transfers = sim->max_transfers ? 2 * sim->max_transfers : 256;
        sim->transfers = realloc(sim->transfers, sim->max_transfers * sizeof *sim->transfers);
        if (!sim->transfers)
            err_memory("bulk transfers", sim->max_transfers * sizeof *sim->transfers);
    }
    sim->transfers[sim->n_transfers++] = (struct transfer){address, n_bytes, kind};
}

bool bulk_fault(struct sim *sim, struct warp *warp, uint32_t lane, enum fault_kind kind, enum space space, uint64_t address)
{
    const uint32_t insn = sim->access.insn;
    fault_raise(sim, warp, kind, lane);
    sim->fault.insn = insn;
    sim->fault.space = space;
    sim->fault.address = address;
    sim->fault.size_bytes = 16;
    return false;
}

uint8_t *bulk_shared(struct sim *sim, struct warp *warp, uint32_t lane, uint32_t address, uint32_t n_bytes)
{
    struct block *block = cluster_peer(warp->block, address);
    const uint32_t offset = address & SHARED_OFFSET_MASK;
    if (!block)
        bulk_fault(sim, warp, lane, FAULT_NO_BLOCK, SPACE_CLUSTER, address);
    else if (offset + (uint64_t)n_bytes > block->shared_bytes)
        bulk_fault(sim, warp, lane, FAULT_OUT_OF_BOUNDS, SPACE_SHARED, address); // not as of loads and stores: measured
    else
        return block->shared + offset;
    return NULL;
}

static uint8_t *global_host(struct sim *sim, struct warp *warp, uint32_t lane, uint64_t address, uint64_t n_bytes)
{
    uint8_t *at = memory_host_fast(sim->launch->memory, &sim->cursor, address, n_bytes);
    if (!at)
        bulk_fault(sim, warp, lane, FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL, address);
    return at;
}

// ---- moving ------------------------------------------------------------------------------------------

// The bytes have come: the barrier at the shared address is told.
static bool complete(struct sim *sim, struct warp *warp, uint32_t lane, uint32_t mbarrier, uint32_t n_bytes)
{
    uint8_t *at = bulk_shared(sim, warp, lane, mbarrier, 8);
    if (!at)
        return false;
    if ((uintptr_t)at & 7)
        return bulk_fault(sim, warp, lane, FAULT_MISALIGNED, SPACE_SHARED, mbarrier);
    mbarrier_complete(cluster_peer(warp->block, mbarrier), at, n_bytes);
    return true;
}

// Shared memory that the copy touches.
static uint32_t shared_extent(const struct bulk *bulk)
{
    return bulk->dims ? tensor_extent(bulk) : bulk->bytes;
}

static bool to_one_block(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk, uint32_t target,
                         uint32_t mbarrier)
{
    const uint32_t n_bytes = bulk->dims ? tensor_bytes(&bulk->map) : bulk->bytes;
    uint8_t *to = bulk_shared(sim, warp, lane, target, shared_extent(bulk));
    if (!to)
        return false;
    if (bulk->dims) {
        if (!tensor_copy(sim, warp, lane, bulk, to, target))
            return false;
    } else {
        const uint8_t *from = global_host(sim, warp, lane, bulk->global, n_bytes);
        if (!from)
            return false;
        memcpy(to, from, n_bytes);
    }
    return complete(sim, warp, lane, mbarrier, n_bytes);
}

// A multicast goes to the same offsets in all blocks of the mask, barriers included.
static bool run_to_shared(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk)
{
    if (!bulk->is_multicast)
        return to_one_block(sim, warp, lane, bulk, bulk->shared, bulk->mbarrier);
    for (uint32_t mask = bulk->mask; mask; mask &= mask - 1) {
        const uint32_t rank = (uint32_t)__builtin_ctz(mask) << SHARED_RANK_SHIFT;
        if (!to_one_block(sim, warp, lane, bulk, rank | (bulk->shared & SHARED_OFFSET_MASK),
                          rank | (bulk->mbarrier & SHARED_OFFSET_MASK)))
            return false;
    }
    return true;
}

static void move(uint8_t *to, const uint8_t *from, const struct bulk *bulk, uint32_t n_bytes, bool is_global)
{
    if (bulk->reduces)
        atom_reduce(bulk->op, bulk->type, to, from, n_bytes, is_global);
    else
        memmove(to, from, n_bytes);
}

static bool run_to_global(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk)
{
    const uint32_t n_bytes = bulk->bytes;
    uint8_t *from = bulk_shared(sim, warp, lane, bulk->shared, shared_extent(bulk));
    if (!from)
        return false;
    if (bulk->dims)
        return tensor_copy(sim, warp, lane, bulk, from, bulk->shared);
    uint8_t *to = global_host(sim, warp, lane, bulk->global, n_bytes);
    if (to)
        move(to, from, bulk, n_bytes, true);
    return to != NULL;
}

static bool run_to_block(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk)
{
    uint8_t *to = bulk_shared(sim, warp, lane, bulk->shared, bulk->bytes);
    const uint8_t *from = bulk->way == BULK_VALUE ? (const uint8_t *)bulk->value
                                                  : bulk_shared(sim, warp, lane, bulk->source, bulk->bytes);
    if (!to || !from)
        return false;
    move(to, from, bulk, bulk->bytes, false);
    return complete(sim, warp, lane, bulk->mbarrier, bulk->bytes);
}

bool bulk_run(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk)
{
    switch (bulk->way) {
    case BULK_TO_SHARED:
        return run_to_shared(sim, warp, lane, bulk);
    case BULK_TO_GLOBAL:
        return run_to_global(sim, warp, lane, bulk);
    case BULK_PREFETCH:
        return true;
    default:
        return run_to_block(sim, warp, lane, bulk);
    }
}

// ---- starting ----------------------------------------------------------------------------------------

// Where a queued copy keeps its description.
_Static_assert(sizeof(struct bulk) <= sizeof((struct exchange *)0)->operand, "a bulk copy fits into a queued operation");

bool bulk_apply(struct sim *sim, const struct exchange *exchange)
{
    struct bulk bulk;
    memcpy(&bulk, exchange->operand, sizeof bulk);
    sim->access.insn = exchange->access.insn;
    return bulk_run(sim, exchange->warp, (uint32_t)__builtin_ctz(exchange->access.mask), &bulk);
}

static bool is_own(const struct warp *warp, uint32_t address)
{
    return address >> SHARED_RANK_SHIFT == warp->block->shared_rank;
}

// Done at once: it concerns the block's own shared memory and plain bytes of global memory.
static bool is_local(const struct warp *warp, const struct bulk *bulk)
{
    switch (bulk->way) {
    case BULK_TO_SHARED:
        return bulk->is_multicast ? bulk->mask == 1u << warp->block->shared_rank
                                  : is_own(warp, bulk->shared) && is_own(warp, bulk->mbarrier);
    case BULK_TO_GLOBAL:
        return !bulk->reduces;
    case BULK_PREFETCH:
        return true;
    default:
        return is_own(warp, bulk->shared) && is_own(warp, bulk->mbarrier);
    }
}

static void add_transfers(struct sim *sim, const struct bulk *bulk)
{
    sim->n_transfers = 0;
    if (bulk->dims)
        tensor_transfers(sim, bulk);
    else if (bulk->way == BULK_TO_GLOBAL)
        transfer_add(sim, bulk->global, bulk->bytes, bulk->reduces ? ACCESS_RED : ACCESS_STORE);
    else if (bulk->way == BULK_TO_SHARED || bulk->way == BULK_PREFETCH)
        transfer_add(sim, bulk->global, bulk->bytes, ACCESS_LOAD);
}

// Addresses and sizes of consecutive copies are multiples of 16; a tensor's box begins at one of 128.
static enum fault_kind misaligned(const struct bulk *bulk)
{
    if (bulk->way == BULK_VALUE || bulk->way == BULK_PREFETCH)
        return FAULT_NONE;
    const uint64_t bits = bulk->dims ? bulk->shared & 127 : (bulk->global | bulk->shared | bulk->source | bulk->bytes) & 15;
    return bits ? FAULT_MISALIGNED : FAULT_NONE;
}

enum { MAX_BOX_BYTES = 1 << 24 }; // far above any shared memory; keeps the arithmetic of a box within 32 bits

static bool is_negative(const struct bulk *bulk)
{
    for (int i = 0; i < bulk->dims; i++)
        if (bulk->at[i] < 0)
            return true;
    return false;
}

// What the H200 calls an illegal instruction (measured: tests/data/tensor_copy_h200.txt.zst).
static const char *wrong_with_map(const struct bulk *bulk)
{
    const struct tensor_map *map = &bulk->map;
    const uint32_t size = tensor_type_bytes(map->type), inner = map->box[0] * size;
    if (!tensor_map_is_sound(map, MAX_BOX_BYTES))
        return "no sound tensor map of cuTensorMapEncodeTiled lies there";
    if (map->rank != bulk->dims)
        return "the tensor map has another number of dimensions than the instruction";
    if (map->interleave != TENSOR_PLAIN)
        return NULL;
    if (bulk->at[0] * (int64_t)size % 16)
        return "the box begins at a byte of the lowest dimension that is no multiple of 16";
    if (inner % 16 || (map->swizzle != TENSOR_SWIZZLE_NONE && inner > 16u << map->swizzle))
        return "the lowest dimension of the box is no multiple of 16 bytes, or longer than the swizzle's span";
    if (bulk->way == BULK_TO_GLOBAL && is_negative(bulk))
        return "a box that is stored or reduced begins at a negative coordinate";
    if (bulk->way == BULK_TO_GLOBAL && bulk->reduces && map->type == TENSOR_S64 && bulk->op >= ATOM_AND && bulk->op <= ATOM_XOR)
        return "bits of s64 elements are not reduced (u64 elements are)";
    return NULL;
}

static bool check_map(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk)
{
    const char *wrong = wrong_with_map(bulk);
    if (!wrong)
        return true;
    bulk_fault(sim, warp, lane, FAULT_BAD_MAP, SPACE_GLOBAL, bulk->global);
    snprintf(sim->fault.note, sizeof sim->fault.note, "%s", wrong);
    return false;
}

static bool read_map(struct sim *sim, struct warp *warp, uint32_t lane, struct bulk *bulk)
{
    const uint64_t param = bulk->global - KERNEL_PARAM_WINDOW;
    const uint8_t *at;
    if (param < sim->launch->kernel->param_bytes)
        at = param + TENSOR_MAP_BYTES <= sim->launch->kernel->param_bytes ? sim->launch->params + param : NULL;
    else
        at = memory_host_fast(sim->launch->memory, &sim->cursor, bulk->global, TENSOR_MAP_BYTES);
    if (!at)
        return bulk_fault(sim, warp, lane, FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL, bulk->global);
    memcpy(&bulk->map, at, sizeof bulk->map);
    return check_map(sim, warp, lane, bulk);
}

enum step_kind bulk_start(struct sim *sim, struct warp *warp, const struct insn *insn, uint32_t lane, struct bulk *bulk)
{
    sim->has_queued = false;
    sim->access.insn = split_current(warp)->pc - 1 + (split_current(warp)->state == SPLIT_REPLAY);
    if (bulk->dims && !read_map(sim, warp, lane, bulk))
        return STEP_FAULT;
    if (misaligned(bulk)) {
        bulk_fault(sim, warp, lane, FAULT_MISALIGNED, SPACE_SHARED, bulk->shared);
        return STEP_FAULT;
    }
    add_transfers(sim, bulk);
    if (is_local(warp, bulk))
        return bulk_run(sim, warp, lane, bulk) ? STEP_TRANSFER : STEP_FAULT;
    sim->access.mask = lane_bit[lane];
    sim->access.width = 16;
    sim->access.space = SPACE_CLUSTER;
    for (int i = 0; i < N_LANES; i++)
        sim->access.addr[i] = bulk->global;
    memcpy(sim->exchange.operand, bulk, sizeof *bulk);
    exchange_issue(sim, warp, insn, false);
    sim->exchange.is_bulk = true;
    sim->has_queued = true;
    return STEP_TRANSFER;
}

// ---- the instructions --------------------------------------------------------------------------------

// One lane in each step; the others come next.
static uint32_t take_lane(struct warp *warp, lanemask on)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(on);
    if (on & (on - 1)) {
        struct split *split = split_current(warp);
        split->pc--;
        split->replay = on & (on - 1);
        split_set_state(warp, warp->current, SPLIT_REPLAY);
    }
    return lane;
}

static uint32_t word_of(const struct warp *warp, rowref ref, uint32_t lane)
{
    return ref == ROW_NONE ? 0 : row_read(warp, ref)[lane];
}

static uint64_t address_of(const struct warp *warp, const struct insn *insn, uint32_t lane)
{
    if (insn->src[0] == ROW_NONE)
        return 0;
    const uint32_t *row = row_read(warp, insn->src[0]);
    return (MOD_GET(insn->mod, MOD_ADDR64, 1) ? get_u64(row, (int)lane) : row[lane]) +
           (uint64_t)(int64_t)insn->offset;
}

// The types of cp.reduce.async.bulk and red.async by their forms.
static enum atom_type type_of(const struct insn *insn)
{
    switch (insn->form) {
    case FORM_BULK_REDUCE_s32:
    case FORM_RED_ASYNC_s32:
        return ATOM_TYPE_s32;
    case FORM_BULK_REDUCE_u64:
    case FORM_BULK_REDUCE_b64:
    case FORM_RED_ASYNC_u64:
    case FORM_RED_ASYNC_b64:
        return ATOM_TYPE_u64;
    case FORM_BULK_REDUCE_s64:
    case FORM_RED_ASYNC_s64:
        return ATOM_TYPE_s64;
    case FORM_BULK_REDUCE_f16:
        return ATOM_TYPE_f16;
    case FORM_BULK_REDUCE_bf16:
        return ATOM_TYPE_bf16;
    case FORM_BULK_REDUCE_f32:
        return ATOM_TYPE_f32;
    case FORM_BULK_REDUCE_f64:
        return ATOM_TYPE_f64;
    default:
        return ATOM_TYPE_u32;
    }
}

// The block's own addresses may lack its rank.
static uint32_t own_address(const struct warp *warp, uint32_t address, bool is_cluster)
{
    return is_cluster ? address : address | warp->block->shared_rank << SHARED_RANK_SHIFT;
}

static struct bulk describe(const struct warp *warp, const struct insn *insn, uint32_t lane)
{
    struct bulk bulk = {.way = MOD_GET(insn->mod, MOD_BOOL, 2),
                        .dims = MOD_GET(insn->mod, MOD_CMP, 5),
                        .reduces = MOD_GET(insn->mod, MOD_SATFINITE, 1),
                        .is_multicast = MOD_GET(insn->mod, MOD_NAN, 1),
                        .op = MOD_GET(insn->mod, MOD_MODE, 4),
                        .type = type_of(insn),
                        .global = address_of(warp, insn, lane),
                        .shared = word_of(warp, insn->src[1], lane) + insn->extra,
                        .mbarrier = word_of(warp, insn->src[2], lane),
                        .bytes = word_of(warp, insn->src[3], lane),
                        .mask = (uint16_t)word_of(warp, insn->data[0], lane),
                        .source = word_of(warp, insn->data[6], lane)};
    for (int i = 0; i < TENSOR_DIMS; i++)
        bulk.at[i] = (int32_t)word_of(warp, insn->data[1 + i], lane);
    bulk.shared = own_address(warp, bulk.shared, insn->space == SPACE_CLUSTER);
    bulk.mbarrier = own_address(warp, bulk.mbarrier, insn->space == SPACE_CLUSTER);
    bulk.source = own_address(warp, bulk.source, false);
    return bulk;
}

enum step_kind op_bulk(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t lane = take_lane(warp, on);
    struct bulk bulk = describe(warp, insn, lane);
    return bulk_start(sim, warp, insn, lane, &bulk);
}

// Machine code, %ubulk: once for the warp. The row of bytes holds their number divided by 16 and, above, the multicast mask;
// extra is the form that has the type of a reduction.
enum step_kind op_bulk_uniform(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    enum { UNIT_BYTES = 16, MASK_AT = 16 };
    const uint32_t lane = (uint32_t)__builtin_ctz(on), packed = word_of(warp, insn->src[3], lane);
    struct insn plain = *insn;
    plain.form = (uint16_t)insn->extra;
    plain.extra = 0;
    struct bulk bulk = describe(warp, &plain, lane);
    bulk.bytes = (packed & 0xffff) * UNIT_BYTES;
    bulk.mask = (uint16_t)(packed >> MASK_AT);
    return bulk_start(sim, warp, insn, lane, &bulk);
}

// st.async and red.async: values of registers.
enum step_kind op_async_store(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const uint32_t lane = take_lane(warp, on), size = elem_bytes(insn->elem);
    struct bulk bulk = {.way = BULK_VALUE,
                        .reduces = MOD_GET(insn->mod, MOD_SATFINITE, 1),
                        .op = MOD_GET(insn->mod, MOD_MODE, 4),
                        .type = type_of(insn),
                        .shared = (uint32_t)address_of(warp, insn, lane),
                        .mbarrier = word_of(warp, insn->src[1], lane),
                        .bytes = size * insn->n_data};
    for (uint32_t j = 0; j < insn->n_data; j++)
        element_store(row_read(warp, insn->data[j]), (int)lane, (uint8_t *)bulk.value + j * size, insn->elem);
    if (bulk.shared & (bulk.bytes - 1)) {
        sim->access.insn = split_current(warp)->pc - 1;
        bulk_fault(sim, warp, lane, FAULT_MISALIGNED, SPACE_SHARED, bulk.shared);
        return STEP_FAULT;
    }
    return bulk_start(sim, warp, insn, lane, &bulk);
}

// All that the warp has queued is waited for, whichever groups remain: more than is asked for, never less.
enum step_kind op_bulk_wait(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    return op_fence(sim, warp, insn, on);
}

// ---- tensormap.replace -------------------------------------------------------------------------------

// insn.extra: enum map_field of lower_async.c in the lower byte, the dimension above. src[1]: the value.
enum { FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_SIZE, FIELD_STRIDE, FIELD_STEP, FIELD_TYPE, FIELD_INTERLEAVE, FIELD_SWIZZLE,
       FIELD_FILL };

// The PTX ISA numbers element types in another order than cuda.h (table of tensormap.replace).
static uint8_t type_of_number(uint64_t number)
{
    static const uint8_t types[N_TENSOR_TYPES] = {TENSOR_U8,  TENSOR_U16,     TENSOR_U32, TENSOR_S32,  TENSOR_U64,  TENSOR_S64, TENSOR_F16,
                                                  TENSOR_F32, TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    return number < N_TENSOR_TYPES ? types[number] : TENSOR_U8;
}

static void replace(struct tensor_map *map, uint32_t field, uint32_t dimension, uint64_t value)
{
    switch (field) {
    case FIELD_ADDRESS:
        map->address = value;
        break;
    case FIELD_RANK:
        map->rank = (uint8_t)(value + 1);
        break;
    case FIELD_BOX:
        map->box[dimension] = (uint16_t)value;
        break;
    case FIELD_SIZE:
        map->last[dimension] = (uint32_t)value - 1;
        break;
    case FIELD_STRIDE: // of the dimension above: the lowest has none
        map->stride[dimension + 1 < TENSOR_DIMS ? dimension + 1 : dimension] = value;
        break;
    case FIELD_STEP:
        map->step[dimension] = (uint8_t)value;
        break;
    case FIELD_TYPE:
        map->type = type_of_number(value);
        break;
    case FIELD_INTERLEAVE:
        map->interleave = (uint8_t)value;
        break;
    case FIELD_SWIZZLE:
        map->swizzle = (uint8_t)value;
        break;
    default:
        map->fill = (uint8_t)value;
        break;
    }
}

// The map lies in shared or global memory; global ones are changed at once, like plain stores.
static uint8_t *map_host(struct sim *sim, struct warp *warp, const struct insn *insn, uint32_t lane, uint64_t address)
{
    const uint64_t in_window = address - MEMORY_SHARED_WINDOW;
    if (insn->space == SPACE_SHARED || in_window < MEMORY_CLUSTER_BYTES)
        return bulk_shared(sim, warp, lane,
                           own_address(warp, (uint32_t)(insn->space == SPACE_SHARED ? address : in_window), false),
                           TENSOR_MAP_BYTES);
    return global_host(sim, warp, lane, address, TENSOR_MAP_BYTES);
}

enum step_kind op_tensor_map_replace(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    sim->access.insn = split_current(warp)->pc - 1;
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest), *value = row_read(warp, insn->src[1]);
        struct tensor_map map;
        uint8_t *at = map_host(sim, warp, insn, lane, address_of(warp, insn, lane));
        if (!at)
            return STEP_FAULT;
        memcpy(&map, at, sizeof map);
        replace(&map, insn->extra & 0xff, insn->extra >> 8,
                insn->elem == ELEM_B64 ? get_u64(value, (int)lane) : value[lane]);
        memcpy(at, &map, sizeof map);
    }
    return STEP_PLAIN;
}

// tensormap.cp_fenceproxy: a map from shared to global memory, by the warp together.
enum step_kind op_tensor_map_copy(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    sim->access.insn = split_current(warp)->pc - 1;
    const uint32_t lane = (uint32_t)__builtin_ctz(on);
    uint8_t *to = global_host(sim, warp, lane, address_of(warp, insn, lane), TENSOR_MAP_BYTES);
    const uint8_t *from = bulk_shared(sim, warp, lane, own_address(warp, word_of(warp, insn->src[1], lane) + insn->extra, false),
                                      TENSOR_MAP_BYTES);
    if (!to || !from)
        return STEP_FAULT;
    memcpy(to, from, TENSOR_MAP_BYTES);
    return STEP_PLAIN;
}
