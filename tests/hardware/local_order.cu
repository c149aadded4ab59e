// How much of the local memory of many warps stays in L1? Every thread writes and reads its array of `words` words in
// turn, `passes` times; `blocks` blocks of 1024 threads an SM.
#include "probe.h"

__global__ void probe(int words, int passes, unsigned *out)
{
    unsigned array[256], sum = threadIdx.x;
    for (int i = 0; i < words; i++)
        array[i & 255] = i + sum;
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < words; i++)
            sum += array[(i + (sum & 0)) & 255];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    unsigned *out = device_words(264 * 4096);
    CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int blocks = 1; blocks <= 2; blocks++)
        for (int words : {8, 16, 20, 24, 28, 30, 32, 36, 40, 48, 56, 64, 96, 128}) {
            probe<<<132 * blocks, 1024>>>(words, 4, out);
            finish();
            std::printf("blocks=%d words=%d passes=4\n", blocks, words);
        }
}
