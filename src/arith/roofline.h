// The roofline of a device: what arithmetic it can do at most, what each memory level can feed, where they
// meet, and what a kernel of so many operations and bytes can reach.
#ifndef ARITH_ROOFLINE_H
#define ARITH_ROOFLINE_H
#include "device/device.h"

enum { MAX_CEILINGS = 4, MAX_ROOFS = 6 };

struct ceiling { // arithmetic
    const char *name;
    double gflops;
};

struct roof { // memory
    const char *name;
    double gbps;
    bool is_dram;
};

struct roofline {
    struct ceiling ceilings[MAX_CEILINGS]; // FP32, FP64, and FP16 tensor where it is known
    struct roof roofs[MAX_ROOFS];          // shared, L1, L2, device memory as achieved, device memory nominal
    uint32_t n_ceilings, n_roofs;
};

struct roofline roofline_of(const struct device *device);
double roofline_ridge(const struct ceiling *ceiling, const struct roof *roof); // flop per byte
// What `flop_per_byte` can reach under both, GFLOP/s.
double roofline_attainable(const struct ceiling *ceiling, const struct roof *roof, double flop_per_byte);
#endif
