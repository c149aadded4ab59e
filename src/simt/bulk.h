// Bulk copies: what one thread starts with cp.async.bulk, cp.reduce.async.bulk, st.async or red.async, as values. Both
// instruction sets fill a struct bulk and call bulk_start; nothing here knows PTX.
//
// A copy that touches the block's own shared memory and plain global memory alone is done at once. One that reduces into
// global memory or reaches another block of the cluster is queued like a strong operation; waiting for a bulk group
// waits for the queue.
#ifndef SIMT_BULK_H
#define SIMT_BULK_H
#include "isa/bulk.h"
#include "mem/tensor_map.h"
#include "simt/atom.h"
#include "simt/step.h"

struct bulk {
    uint8_t way;          // enum bulk_way
    uint8_t dims;         // 1 … 5: a tensor; 0: consecutive bytes
    bool reduces;         // op and type hold; of a tensor the type is the map's
    bool is_multicast;    // mask holds: the blocks that receive it, at the same offsets
    uint8_t op;           // enum atom_op
    uint8_t type;         // enum atom_type
    uint16_t mask;
    uint32_t shared;      // shared address: target, or source of BULK_TO_GLOBAL
    uint32_t source;      // shared address of the source: BULK_TO_BLOCK
    uint32_t mbarrier;    // shared address of what is told that the bytes have come; not of BULK_TO_GLOBAL
    uint32_t bytes;       // not of a tensor
    int32_t at[TENSOR_DIMS]; // coordinates
    uint64_t global;      // address of the bytes, or of the tensor map
    uint32_t value[4];    // BULK_VALUE
    struct tensor_map map;// as it was when the copy was started
};

// One lane's copy. STEP_TRANSFER or STEP_FAULT.
enum step_kind bulk_start(struct sim *sim, struct warp *warp, const struct insn *insn, uint32_t lane, struct bulk *bulk);

// ---- inside ----
bool bulk_apply(struct sim *sim, const struct exchange *exchange);           // a queued one takes effect
bool bulk_run(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk); // false: fault
// Shared memory at an address of the cluster: of that block, n bytes; NULL and a fault if it is not there.
uint8_t *bulk_shared(struct sim *sim, struct warp *warp, uint32_t lane, uint32_t address, uint32_t n_bytes);
bool bulk_fault(struct sim *sim, struct warp *warp, uint32_t lane, enum fault_kind kind, enum space space, uint64_t address);

// tensor_copy.c
bool tensor_copy(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk, uint8_t *shared, uint32_t address);
void tensor_transfers(struct sim *sim, const struct bulk *bulk); // what global memory is touched
uint32_t tensor_bytes(const struct tensor_map *map);             // that are moved
uint32_t tensor_extent(const struct bulk *bulk);                 // bytes of shared memory from the first to the last touched
void transfer_add(struct sim *sim, uint64_t address, uint64_t n_bytes, enum access_kind kind);
#endif
