// Which GPC an SM belongs to, and with it which half of L2 is near. A pure function of the device.
//
// The hardware numbers its TPCs round the GPCs, skipping GPCs that are full; the model does the same with the
// sizes of gpc.sizes (measured: blocks of an H200 land on 0 1 16 17 32 33 ..., one GPC after another). Which
// GPCs are near which L2 partition is not public: the first half of the GPCs belongs to partition 0. A device
// without gpc.sizes is taken to have one GPC per L2 partition.
#ifndef MEM_PLACE_H
#define MEM_PLACE_H
#include "device/device.h"

struct sm_place {
    uint32_t gpc, partition;
};

// places and order have n_sms entries; order lists the SMs GPC by GPC.
void place_sms(const struct device *device, struct sm_place *places, uint32_t *order);
#endif
