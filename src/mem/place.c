// Dealing TPCs to GPCs.
#include "mem/place.h"

struct gpcs {
    uint32_t n, room[MAX_SIZE_LIST];
}; // room: SMs still to be dealt

static struct gpcs gpcs_of(const struct device *device)
{
    struct gpcs gpcs = {.n = device->gpc_sizes.n};
    uint64_t sum = 0;
    for (uint32_t g = 0; g < gpcs.n; g++)
        sum += gpcs.room[g] = (uint32_t)device->gpc_sizes.at[g];
    if (sum == device->n_sms)
        return gpcs;
    gpcs.n = device->n_l2_partitions < MAX_SIZE_LIST ? (uint32_t)device->n_l2_partitions : MAX_SIZE_LIST;
    for (uint32_t g = 0; g < gpcs.n; g++)
        gpcs.room[g] = (uint32_t)((device->n_sms + gpcs.n - 1) / gpcs.n);
    return gpcs;
}

void place_sms(const struct device *device, struct sm_place *places, uint32_t *order)
{
    struct gpcs gpcs = gpcs_of(device);
    uint32_t n_sms = (uint32_t)device->n_sms, n = 0, per_tpc = (uint32_t)device->n_sms_per_tpc;
    for (uint32_t sm = 0, g = 0; sm < n_sms; g = (g + 1) % gpcs.n)
        for (uint32_t i = 0; i < per_tpc && sm < n_sms && gpcs.room[g]; i++, sm++) {
            gpcs.room[g]--;
            places[sm] = (struct sm_place){g, g * (uint32_t)device->n_l2_partitions / gpcs.n};
        }
    for (uint32_t g = 0; g < gpcs.n; g++)
        for (uint32_t sm = 0; sm < n_sms; sm++)
            if (places[sm].gpc == g)
                order[n++] = sm;
}
