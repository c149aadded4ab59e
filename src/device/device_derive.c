// Values that follow from a device's keys.
#include "device/device.h"
#include <string.h>

double device_dram_peak_gbps(const struct device *d)
{
    return (double)d->dram_bus_bits * d->dram_pin_gbps / 8;
}

double device_cycles_to_ns(const struct device *d, double cycles)
{
    return cycles * 1000 / d->sm_clock_mhz;
}

uint32_t device_count_guesses(const struct device *d)
{
    uint32_t n = 0;
    for (int key = 0; key < N_DEVICE_KEYS; key++)
        n += d->sources[key].tag && strcmp(d->sources[key].tag, "guess") == 0;
    return n;
}
