// Device memory behind L2: how many 32-byte sectors went each way. Bytes are exact for the model's L2; time
// is only a lower bound, the bytes over the measured bandwidth.
#ifndef MEM_DRAM_H
#define MEM_DRAM_H
#include "device/device.h"
#include "mem/access.h"

struct dram {
    uint64_t read_sectors, write_sectors; // since dram_init
    double bytes_per_cycle;               // SM cycles
};

void dram_init(struct dram *dram, const struct device *device);

// The least cycles that moving this many sectors takes.
uint64_t dram_cycles(const struct dram *dram, uint64_t sectors);
#endif
