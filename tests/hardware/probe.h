// What the probes share. A probe asks the hardware one question: it launches one kernel, `probe`, many times and prints
// a line of parameters a launch, in order; the counters of each launch are then put beside it (measure).
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                        \
    do {                                                                                                   \
        cudaError_t status = (call);                                                                       \
        if (status != cudaSuccess) {                                                                       \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            std::exit(1);                                                                                  \
        }                                                                                                  \
    } while (0)

static inline unsigned *device_words(size_t bytes)
{
    unsigned *at;
    CHECK(cudaMalloc(&at, bytes));
    CHECK(cudaMemset(at, 0, bytes));
    return at;
}

static inline void finish()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// Busy for so many cycles.
__device__ static inline void wait_cycles(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;)
        ;
}
