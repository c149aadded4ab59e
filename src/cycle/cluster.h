// Where the blocks of clusters run. A cluster lies in one GPC, each of its blocks on another SM, and all start together
// (CUDA programming guide: blocks of a cluster are scheduled on one GPC at once; which SMs they get is ours: those with
// the fewest blocks).
//
//     struct gpcs gpcs;
//     gpcs_init(&gpcs, arena, device, sms, n_sms);
//     while (gpcs_start_cluster(&gpcs, launch, number)) …
#ifndef CYCLE_CLUSTER_H
#define CYCLE_CLUSTER_H
#include "cycle/sm.h"

struct gpc {
    struct sm **sms;
    uint32_t n_sms;
};

struct gpcs {
    struct gpc *at;
    uint32_t n, next; // next: which one's turn it is
    uint32_t slots_per_sm;
};

// `sms`: all SMs of the device in the order in which they get blocks.
void gpcs_init(struct gpcs *gpcs, struct arena *arena, const struct device *device, struct sm **sms, uint32_t n_sms);
// Starts cluster `number` of the launch on the next GPC that has room. False: none has.
bool gpcs_start_cluster(struct gpcs *gpcs, const struct launch *launch, uint32_t number);
#endif
