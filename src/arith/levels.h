// The levels of a device's memory as latency and bandwidth, and Little's law between them:
//     bytes in flight = latency x bandwidth.
// Per SM; a level that all SMs share counts with its n-th part.
#ifndef ARITH_LEVELS_H
#define ARITH_LEVELS_H
#include "device/device.h"

enum { MAX_LEVELS = 8 };

struct memory_level {
    const char *name;
    enum device_key latency_key, bandwidth_key; // where the two come from
    double latency_cycles;
    double bytes_per_cycle_per_sm;
    bool is_shared_by_sms;
};

// Shared memory, L1, L2, L2 far (where it is known), device memory; returns how many.
uint32_t levels_of(const struct device *device, struct memory_level out[MAX_LEVELS]);
double level_gbps(const struct device *device, const struct memory_level *level); // of the whole device

// One direction: what must be in flight to fill the level.
struct in_flight_need {
    double bytes_per_sm, bytes_per_device;
    double requests_per_sm; // warp loads of 32 lanes x width bytes
    double warps_per_sm;    // at `loads_per_warp` outstanding ones; whole warps
    bool fits;              // no more than an SM holds
};
struct in_flight_need little_need(const struct device *device, const struct memory_level *level,
                                  uint32_t width, uint32_t loads_per_warp);

// The other direction: the bandwidth that these warps reach, and its part of the level's (0 to 1).
struct in_flight_yield {
    double gbps, part;
};
struct in_flight_yield little_yield(const struct device *device, const struct memory_level *level,
                                    double warps_per_sm, uint32_t width, uint32_t loads_per_warp);

// A warp issues one load every `instructions_between` instructions and waits for it; the scheduler issues one
// instruction a cycle. The warps it needs so as never to idle: latency / instructions_between.
struct hiding {
    double exact;                 // 12.5
    uint32_t warps_per_scheduler; // rounded up
    uint32_t room;                // what the scheduler holds
    uint32_t loads_per_warp;      // independent loads in flight that would hide it with full room
    bool is_hidden;
};
struct hiding hiding_of(const struct device *device, double latency_cycles, double instructions_between);
#endif
