// Little's law per memory level, and the warps that hide a latency.
#include "arith/levels.h"
#include "mem/access.h"
#include <math.h>

static double dram_bytes_per_cycle(const struct device *device)
{
    return device->dram_read_gbps * 1000 / device->sm_clock_mhz;
}

uint32_t levels_of(const struct device *device, struct memory_level out[MAX_LEVELS])
{
    double n_sms = (double)device->n_sms;
    uint32_t n = 0;
    out[n++] = (struct memory_level){"shared",
                                     KEY_shared_latency_cycles,
                                     KEY_shared_bytes_per_cycle,
                                     device->shared_latency_cycles,
                                     device->shared_bytes_per_cycle,
                                     false};
    out[n++] = (struct memory_level){"L1",
                                     KEY_l1_latency_cycles,
                                     KEY_l1_bytes_per_cycle,
                                     device->l1_latency_cycles,
                                     device->l1_bytes_per_cycle,
                                     false};
    out[n++] = (struct memory_level){"L2",
                                     KEY_l2_latency_cycles,
                                     KEY_l2_bytes_per_cycle,
                                     device->l2_latency_cycles,
                                     device->l2_bytes_per_cycle / n_sms,
                                     true};
    if (device->l2_far_latency_cycles > 0)
        out[n++] = (struct memory_level){"L2 far",
                                         KEY_l2_far_latency_cycles,
                                         KEY_l2_bytes_per_cycle,
                                         device->l2_far_latency_cycles,
                                         device->l2_bytes_per_cycle / n_sms,
                                         true};
    out[n++] = (struct memory_level){device->dram_kind,
                                     KEY_dram_latency_cycles,
                                     KEY_dram_read_gbps,
                                     device->dram_latency_cycles,
                                     dram_bytes_per_cycle(device) / n_sms,
                                     true};
    return n;
}

double level_gbps(const struct device *device, const struct memory_level *level)
{
    return level->bytes_per_cycle_per_sm * (double)device->n_sms * device->sm_clock_mhz / 1000;
}

struct in_flight_need little_need(const struct device *device, const struct memory_level *level,
                                  uint32_t width, uint32_t loads_per_warp)
{
    struct in_flight_need need = {.bytes_per_sm = level->latency_cycles * level->bytes_per_cycle_per_sm};
    need.bytes_per_device = need.bytes_per_sm * (double)device->n_sms;
    need.requests_per_sm = need.bytes_per_sm / (N_LANES * width);
    need.warps_per_sm = ceil(need.requests_per_sm / loads_per_warp);
    need.fits = need.warps_per_sm <= (double)device->max_warps_per_sm;
    return need;
}

struct in_flight_yield little_yield(const struct device *device, const struct memory_level *level,
                                    double warps_per_sm, uint32_t width, uint32_t loads_per_warp)
{
    double in_flight = warps_per_sm * loads_per_warp * N_LANES * width;
    double part = in_flight / (level->latency_cycles * level->bytes_per_cycle_per_sm);
    struct in_flight_yield yield = {.part = part < 1 ? part : 1};
    yield.gbps = yield.part * level_gbps(device, level);
    return yield;
}

struct hiding hiding_of(const struct device *device, double latency_cycles, double instructions_between)
{
    struct hiding hiding = {.exact = latency_cycles / instructions_between};
    hiding.warps_per_scheduler = (uint32_t)fmin(ceil(hiding.exact), 1e9);
    hiding.room = (uint32_t)(device->max_warps_per_sm / device->n_subpartitions);
    hiding.loads_per_warp = (uint32_t)fmin(ceil(hiding.exact / hiding.room), 1e9);
    hiding.is_hidden = hiding.warps_per_scheduler <= hiding.room;
    return hiding;
}
