// Device memory: sectors moved and the time that their bytes take at the device's measured bandwidth.
#include "mem/dram.h"

void dram_init(struct dram *dram, const struct device *device)
{
    double bytes_per_microsecond = device->dram_read_gbps * 1e3;
    *dram = (struct dram){.bytes_per_cycle = bytes_per_microsecond / device->sm_clock_mhz};
}

uint64_t dram_cycles(const struct dram *dram, uint64_t sectors)
{
    return (uint64_t)((double)(sectors * SECTOR_BYTES) / dram->bytes_per_cycle);
}
