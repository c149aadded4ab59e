// NVIDIA's device library, second part: mathematics, of our own making and within CUDA's documented bounds.
#ifndef WARPGLASS_TRANSCENDENTAL_H
#define WARPGLASS_TRANSCENDENTAL_H
#include "exponential.h"
#include "trigonometry.h"
#include "special.h"
#undef WG_BOTH
#undef WG_LARGE
#undef WG
#endif
