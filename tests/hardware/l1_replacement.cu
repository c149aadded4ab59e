// Which line does L1 give up? One warp reads `lines` lines in turn, `passes` times, each read depending on the last.
// LRU would hit nothing as soon as the lines do not fit. kind 0: in order; 1: in a random order, the same each time;
// 2: in another random order each time.
#include "probe.h"

__global__ void probe(const unsigned *data, int lines, int passes, int kind, unsigned *out)
{
    unsigned sum = 0, state = 1;
    for (int pass = 0; pass < passes; pass++) {
        if (kind < 2)
            state = 1;
        for (int i = 0; i < lines; i++) {
            state = state * 1664525u + 1013904223u;
            int line = kind ? (int)((unsigned long long)(state ^ state >> 15) * lines >> 32) : i;
            sum += data[line * 32 + threadIdx.x + (sum & 0)];
            sum &= 0xffff;
        }
    }
    out[threadIdx.x] = sum;
}

int main()
{
    unsigned *data = device_words(2 << 20), *out = device_words(128);
    CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    static const int sizes[] = {64, 128, 192, 208, 224, 232, 240, 248, 256, 272, 288, 320, 384, 512, 768};
    for (int kind = 0; kind < 3; kind++)
        for (int kib : sizes) {
            if (kind && kib % 64)
                continue;
            probe<<<1, 32>>>(data, kib * 8, 6, kind, out);
            finish();
            std::printf("kind=%d kib=%d passes=6\n", kind, kib);
        }
}
