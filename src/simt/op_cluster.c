// Clusters: their barrier, addresses in the shared memory of their blocks, special registers.
//
// Blocks of a cluster lie on different SMs, which run apart from each other within an epoch. So a block reads and
// writes the shared memory of another one by queued operations (op_atom.c), in one order for all SMs, and the barrier
// opens between epochs. Queued operations of a warp take effect before its arrival can be seen.
#include "isa/form.h"
#include "simt/address.h"
#include "simt/ops.h"

// ---- the cluster -----------------------------------------------------------------------------------

void cluster_form(struct block *const *blocks, uint32_t n, uint64_t number)
{
    for (uint32_t rank = 0; rank < n; rank++) {
        struct block *block = blocks[rank];
        block->cluster_rank = rank;
        block->shared_rank = block->warps[0].kernel->uses_clusters ? rank : 0;
        block->n_peers = n;
        block->cluster_number = number;
        for (uint32_t peer = 0; peer < n; peer++)
            block->peers[peer] = blocks[peer];
    }
}

// The block of that rank if it still runs.
static struct block *peer_of(const struct block *block, uint32_t rank)
{
    struct block *peer = rank < block->n_peers ? block->peers[rank] : NULL;
    return peer && peer->is_running && peer->cluster_number == block->cluster_number ? peer : NULL;
}

struct block *cluster_peer(const struct block *block, uint64_t address)
{
    return peer_of(block, (uint32_t)(address >> SHARED_RANK_SHIFT));
}

// ---- the barrier -----------------------------------------------------------------------------------

static bool all_have_arrived(const struct block *block)
{
    lanemask missing = 0;
    for (uint32_t w = 0; w < block->n_warps; w++)
        missing |= block->warps[w].live & ~block->warps[w].cluster_arrived;
    return !missing;
}

static void wake_waiting(struct block *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct warp *warp = &block->warps[w];
        warp->cluster_arrived = 0;
        for (uint32_t used = warp->used; used; used &= used - 1) {
            const uint32_t slot = (uint32_t)__builtin_ctz(used);
            if (warp->splits[slot].state == SPLIT_CLUSTER_BARRIER)
                split_set_state(warp, slot, SPLIT_READY);
        }
    }
}

bool cluster_barrier_open(struct block *block)
{
    for (uint32_t rank = 0; rank < block->n_peers; rank++) {
        const struct block *peer = peer_of(block, rank);
        if (peer && !all_have_arrived(peer))
            return false;
    }
    for (uint32_t rank = 0; rank < block->n_peers; rank++) {
        struct block *peer = peer_of(block, rank);
        if (peer)
            wake_waiting(peer);
    }
    return true;
}

enum step_kind op_cluster_arrive(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)insn;
    warp->cluster_arrived |= on;
    return STEP_PLAIN;
}

// Lanes that have not arrived in the present phase: the one they arrived in is over.
enum step_kind op_cluster_wait(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    (void)insn;
    if (!(warp->cluster_arrived & on))
        return STEP_PLAIN;
    split_keep(warp, on);
    split_wait(warp, SPLIT_CLUSTER_BARRIER, 0, false);
    return STEP_SWITCH;
}

// ---- addresses -------------------------------------------------------------------------------------

static bool is_generic(const struct insn *insn)
{
    return insn->space == SPACE_GENERIC;
}

// The same offset in the block of rank b. Generic addresses stay generic.
enum step_kind op_mapa(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const bool is_wide = insn->form == FORM_MAPA_u64;
    const uint32_t *address = row_read(warp, insn->src[0]), *rank = row_read(warp, insn->src[1]);
    uint32_t out[2 * ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        set_u64(out, i, (is_generic(insn) ? MEMORY_SHARED_WINDOW : 0) |
                            (uint64_t)(rank[i] << SHARED_RANK_SHIFT | (address[i] & SHARED_OFFSET_MASK)));
    put_rows(warp, insn->dst, out, is_wide ? 2 : 1, on);
    return STEP_PLAIN;
}

enum step_kind op_getctarank(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    (void)sim;
    const uint32_t *address = row_read(warp, insn->src[0]);
    uint32_t out[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        out[i] = address[i] >> SHARED_RANK_SHIFT & 0xff;
    put_rows(warp, insn->dst, out, 1, on);
    return STEP_PLAIN;
}

uint8_t *cluster_host(struct sim *sim, const struct exchange *exchange, uint32_t lane)
{
    const struct access *access = &exchange->access;
    const uint64_t address = access->addr[lane];
    const struct block *peer = peer_of(exchange->warp->block, (uint32_t)(address >> SHARED_RANK_SHIFT));
    if (peer)
        return peer->shared + (address & SHARED_OFFSET_MASK);
    fault_raise(sim, exchange->warp, FAULT_NO_BLOCK, lane);
    sim->fault.insn = access->insn;
    sim->fault.address = address;
    sim->fault.space = SPACE_CLUSTER;
    return NULL;
}

// ---- special registers -----------------------------------------------------------------------------

static uint32_t along(uint32_t linear, const uint32_t shape[3], uint32_t axis)
{
    return axis == 0 ? linear % shape[0] : axis == 1 ? linear / shape[0] % shape[1] : linear / shape[0] / shape[1];
}

uint64_t cluster_sreg(const struct launch *launch, const struct block *block, enum sreg sreg)
{
    static const uint32_t alone[3] = {1, 1, 1};
    const uint32_t *shape = launch->cluster ? launch->cluster_shape : alone;
    if (sreg >= SREG_CLUSTER_CTAID_X && sreg <= SREG_CLUSTER_CTAID_Z)
        return along(block->cluster_rank, shape, sreg - SREG_CLUSTER_CTAID_X);
    if (sreg >= SREG_CLUSTER_NCTAID_X && sreg <= SREG_CLUSTER_NCTAID_Z)
        return shape[sreg - SREG_CLUSTER_NCTAID_X];
    if (sreg >= SREG_CLUSTERID_X && sreg <= SREG_CLUSTERID_Z)
        return block->index[sreg - SREG_CLUSTERID_X] / shape[sreg - SREG_CLUSTERID_X];
    if (sreg >= SREG_NCLUSTERID_X && sreg <= SREG_NCLUSTERID_Z)
        return launch->grid[sreg - SREG_NCLUSTERID_X] / shape[sreg - SREG_NCLUSTERID_X];
    switch (sreg) {
    case SREG_CLUSTER_CTARANK:
        return block->cluster_rank;
    case SREG_CLUSTER_NCTARANK:
        return block->n_peers;
    case SREG_IS_EXPLICIT_CLUSTER:
        return launch->cluster > 0;
    default:
        return (uint64_t)block->shared_rank << SHARED_RANK_SHIFT;
    }
}
