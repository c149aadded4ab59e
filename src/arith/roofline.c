// Rooflines from a device's figures.
#include "arith/roofline.h"

enum { FLOP_PER_FMA = 2 };

static double lanes_gflops(const struct device *device, uint64_t lanes)
{
    return (double)device->n_sms * (double)lanes * FLOP_PER_FMA * device->sm_clock_mhz / 1000;
}

static double per_sm_gbps(const struct device *device, double bytes_per_cycle)
{
    return (double)device->n_sms * bytes_per_cycle * device->sm_clock_mhz / 1000;
}

struct roofline roofline_of(const struct device *device)
{
    struct roofline roofline = {0};
    struct ceiling *ceilings = roofline.ceilings;
    struct roof *roofs = roofline.roofs;
    ceilings[roofline.n_ceilings++] = (struct ceiling){"FP32", lanes_gflops(device, device->n_fp32_lanes)};
    ceilings[roofline.n_ceilings++] = (struct ceiling){"FP64", lanes_gflops(device, device->n_fp64_lanes)};
    if (device->tensor_tflops > 0)
        ceilings[roofline.n_ceilings++] = (struct ceiling){"FP16 tensor", device->tensor_tflops * 1000};
    roofs[roofline.n_roofs++] =
        (struct roof){"shared", per_sm_gbps(device, device->shared_bytes_per_cycle), false};
    roofs[roofline.n_roofs++] = (struct roof){"L1", per_sm_gbps(device, device->l1_bytes_per_cycle), false};
    roofs[roofline.n_roofs++] =
        (struct roof){"L2", device->l2_bytes_per_cycle * device->sm_clock_mhz / 1000, false};
    roofs[roofline.n_roofs++] = (struct roof){"memory, achieved", device->dram_read_gbps, true};
    roofs[roofline.n_roofs++] = (struct roof){"memory, nominal", device_dram_peak_gbps(device), true};
    return roofline;
}

double roofline_ridge(const struct ceiling *ceiling, const struct roof *roof)
{
    return ceiling->gflops / roof->gbps;
}

double roofline_attainable(const struct ceiling *ceiling, const struct roof *roof, double flop_per_byte)
{
    double fed = roof->gbps * flop_per_byte;
    return fed < ceiling->gflops ? fed : ceiling->gflops;
}
