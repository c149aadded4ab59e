// How much of a set read again and again stays in L2? All SMs read `mib` MiB once a pass, past L1, and meet between
// passes. sms < 132: only so many blocks read.
#include "probe.h"

__global__ void probe(const uint4 *set, unsigned vectors, int passes, unsigned *arrived, unsigned *out)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x, sum = 0;
    for (int pass = 0; pass < passes; pass++) {
#pragma unroll 4
        for (unsigned i = id; i < vectors; i += stride) {
            uint4 v = __ldcg(set + i);
            sum += v.x ^ v.y ^ v.z ^ v.w;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (*(volatile unsigned *)arrived < gridDim.x * (pass + 1))
                ;
        }
        __syncthreads();
    }
    out[id] = sum;
}

int main()
{
    unsigned *set = device_words((size_t)96 << 20), *out = device_words(132 * 1024 * 4), *arrived = device_words(256);
    static const int sizes[] = {8, 16, 20, 24, 26, 28, 30, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 96};
    for (int blocks = 132; blocks >= 1; blocks -= 131)
        for (int passes = 2; passes <= 4; passes += 2)
            for (int mib : sizes) {
                if (blocks == 1 && (mib % 8 || passes == 4 || mib > 72))
                    continue;
                CHECK(cudaMemset(arrived, 0, 256));
                probe<<<blocks, 1024>>>((const uint4 *)set, (unsigned)mib << 16, passes, arrived, out);
                finish();
                std::printf("blocks=%d mib=%d passes=%d\n", blocks, mib, passes);
            }
}
