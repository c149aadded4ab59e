// Which requests of the indexed constant cache count as misses? `warps` warps each read, in `rounds` rounds, a line
// of 64 bytes nobody has read before, `times` times, each read depending on the last; meet = 1: they meet before each
// round.
#include "probe.h"

__constant__ unsigned table[16384];

__global__ void probe(int rounds, int times, int meet, int again, unsigned *out)
{
    unsigned sum = 0;
    for (int pass = 0; pass <= again; pass++)
        for (int round = 0; round < rounds; round++) {
            if (meet)
                __syncthreads();
            for (int i = 0; i < times; i++)
                sum = table[round * 16 + (sum & 15)] & 15;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    unsigned *out = device_words(132 * 4096);
    for (int again = 0; again < 2; again++)
        for (int meet = 0; meet < 2; meet++)
            for (int rounds : {16, 24, 32, 48, 64, 512})
                for (int warps : {1, 4, 8, 32})
                    for (int times = 1; times <= 8; times += 7) {
                        if (again && (meet || times > 1 || warps == 4 || warps == 8))
                            continue;
                        if (!again && (rounds != 512 && rounds != 32))
                            continue;
                        probe<<<1, warps * 32>>>(rounds, times, meet, again, out);
                        finish();
                        std::printf("warps=%d rounds=%d times=%d meet=%d again=%d\n", warps, rounds, times, meet, again);
                    }
}
