// Bandwidth of a memory interface: pins x rate / 8.
//
//     struct memory_interface m;
//     if (!interface_parse("2xDDR5-6400", &m, &err)) ...      // also "5x1024@3.2": bits at Gbit/s per pin
//     interface_gbps(&m)                                      // 102.4
#ifndef ARITH_MEMORY_INTERFACE_H
#define ARITH_MEMORY_INTERFACE_H
#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct memory_interface {
    double bits;     // data pins
    double pin_gbps; // bits per second and pin, in 10^9
};

double interface_gbps(const struct memory_interface *interface);

// A product of whole numbers: "5x1024" = 5120. 0 if malformed or above a million.
double interface_parse_bits(const char *text);

// "DDR5-6400" (one channel of 64 bits), "8xDDR4-3200", "5x1024@3.2".
bool interface_parse(const char *text, struct memory_interface *out, struct err *err);
#endif
