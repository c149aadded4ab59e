// Are reads of different sectors of a line by one SM made one request to L2, and how close in time must they be?
// A warp reads sector 0 of a line; another warp of the block (own = 0), or the same one (own = 1), reads sector
// `sector` after `delay` cycles. Each round has a line of its own.
#include "probe.h"

__global__ void probe(const unsigned *lines, int sector, int delay, int own, int rounds, unsigned *out)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        const unsigned *line = lines + (blockIdx.x * rounds + round) * 64;
        __syncthreads();
        wait_cycles(100 + (warp && !own ? delay : 0));
        if (own && !warp) {
            unsigned first = line[lane % 8];
            if (delay)
                wait_cycles(delay);
            sum += first + line[sector * 8 + lane % 8];
        } else if (!own) {
            sum += line[(warp ? sector * 8 : 0) + lane % 8];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    const int rounds = 256;
    unsigned *lines = device_words(132 * rounds * 256), *out = device_words(132 * 64 * 4);
    static const int delays[] = {0, 2, 4, 8, 12, 16, 24, 32, 64, 128, 300, 1000};
    for (int blocks = 1; blocks <= 132; blocks += 131)
        for (int own = 0; own < 2; own++)
            for (int sector = 1; sector <= 2; sector++)
                for (int delay : delays) {
                    if (blocks > 1 && (sector == 2 || delay > 100))
                        continue;
                    probe<<<blocks, 64>>>(lines, sector, delay, own, rounds, out);
                    finish();
                    std::printf("blocks=%d own=%d sector=%d delay=%d rounds=%d\n", blocks, own, sector, delay, rounds);
                }
}
