// Blocks of clusters onto SMs.
#include "cycle/cluster.h"
#include "mem/place.h"

void gpcs_init(struct gpcs *gpcs, struct arena *arena, const struct device *device, struct sm **sms, uint32_t n_sms)
{
    struct sm_place *places = arena_array(arena, struct sm_place, n_sms);
    uint32_t *order = arena_array(arena, uint32_t, n_sms);
    place_sms(device, places, order);
    *gpcs = (struct gpcs){.at = arena_array(arena, struct gpc, n_sms), .slots_per_sm = sms[0]->n_slots};
    if (device->max_cluster_blocks_per_sm && device->max_cluster_blocks_per_sm < gpcs->slots_per_sm)
        gpcs->slots_per_sm = (uint32_t)device->max_cluster_blocks_per_sm;
    for (uint32_t i = 0; i < n_sms; i++) {
        struct gpc *gpc = &gpcs->at[places[sms[i]->sim.sm].gpc];
        if (!gpc->sms)
            gpc->sms = arena_array(arena, struct sm *, n_sms);
        gpc->sms[gpc->n_sms++] = sms[i];
        if (gpc >= gpcs->at + gpcs->n)
            gpcs->n = (uint32_t)(gpc - gpcs->at) + 1;
    }
}

// The SMs for a cluster of n blocks, those with the fewest blocks first. False: not so many have room.
static bool choose_sms(const struct gpcs *gpcs, const struct gpc *gpc, uint32_t n, struct sm **out)
{
    uint32_t found = 0;
    for (uint32_t level = 0; level < gpcs->slots_per_sm && found < n; level++)
        for (uint32_t i = 0; i < gpc->n_sms && found < n; i++)
            if (gpc->sms[i]->n_running == level)
                out[found++] = gpc->sms[i];
    return found == n;
}

static uint32_t free_slot(const struct sm *sm)
{
    uint32_t slot = 0;
    while (slot < sm->n_allocated && sm->blocks[slot].is_running)
        slot++;
    return slot;
}

static void start_cluster(struct sm **sms, const struct launch *launch, uint32_t number)
{
    struct block *blocks[MAX_CLUSTER_BLOCKS];
    for (uint32_t rank = 0; rank < launch->cluster; rank++) {
        uint32_t slot = free_slot(sms[rank]);
        sm_start_block(sms[rank], slot, cluster_block(launch, number, rank));
        blocks[rank] = &sms[rank]->blocks[slot];
    }
    cluster_form(blocks, launch->cluster, number);
}

bool gpcs_start_cluster(struct gpcs *gpcs, const struct launch *launch, uint32_t number)
{
    struct sm *sms[MAX_CLUSTER_BLOCKS];
    for (uint32_t i = 0; i < gpcs->n; i++) {
        uint32_t g = (gpcs->next + i) % gpcs->n;
        if (!choose_sms(gpcs, &gpcs->at[g], launch->cluster, sms))
            continue;
        start_cluster(sms, launch, number);
        gpcs->next = (g + 1) % gpcs->n;
        return true;
    }
    return false;
}
