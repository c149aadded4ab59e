// How much do latencies of L2 hits differ between lines and SMs, and how far apart do the SMs start? One lane of one SM
// reads 2,048 lines that are in L2, one after the other, past L1; percentiles of the cycles. Then a full launch: when each
// block began, by %globaltimer, in order. Prints text: no counters are needed.
#include "probe.h"
#include <algorithm>
#include <vector>

enum { LINES = 2048 };

__global__ void probe(const unsigned *data, unsigned sm, unsigned *cycles)
{
    unsigned here;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != sm)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < LINES; i++) {
            unsigned value;
            long long begin = clock64();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + i * 32));
            if (value == 0x12345678) // waits for the value
                cycles[0] = 0;
            cycles[i] = (unsigned)(clock64() - begin);
        }
}

__global__ void starts(unsigned long long *when, unsigned *where)
{
    unsigned long long now;
    unsigned sm;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) {
        when[blockIdx.x] = now;
        where[blockIdx.x] = sm;
    }
}

int main()
{
    unsigned *data = device_words(LINES * 128), *cycles = device_words(LINES * 4);
    std::vector<unsigned> c(LINES);
    for (unsigned sm = 0; sm < 132; sm += 13) {
        probe<<<132, 1>>>(data, sm, cycles);
        finish();
        CHECK(cudaMemcpy(c.data(), cycles, LINES * 4, cudaMemcpyDeviceToHost));
        std::printf("sm=%u first lines:", sm);
        for (int i = 0; i < 24; i++)
            std::printf(" %u", c[i]);
        std::sort(c.begin(), c.end());
        std::printf("\nsm=%u p1=%u p5=%u p25=%u p50=%u p75=%u p95=%u p99=%u\n", sm, c[LINES / 100], c[LINES / 20], c[LINES / 4],
                    c[LINES / 2], c[LINES * 3 / 4], c[LINES * 19 / 20], c[LINES * 99 / 100]);
    }
    unsigned long long *when;
    unsigned *where;
    CHECK(cudaMallocManaged(&when, 1056 * 8));
    CHECK(cudaMallocManaged(&where, 1056 * 4));
    for (int threads : {32, 256, 1024})
        for (int run = 0; run < 3; run++) {
            int blocks = threads == 1024 ? 264 : 1056;
            starts<<<blocks, threads>>>(when, where);
            finish();
            unsigned long long first = *std::min_element(when, when + blocks);
            std::printf("threads=%d run=%d starts in ns:", threads, run);
            for (int i = 0; i < blocks; i += 4)
                std::printf(" %llu", when[i] - first);
            std::printf("\n");
        }
}
