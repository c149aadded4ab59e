// Are reads of one line by two SMs of a GPC made one request to L2, and how close in time must they be?
// Blocks of a cluster, one an SM, meet; rank 0 reads a line after 300 cycles, rank `other` after 300 + delay cycles.
// other = 0: all ranks read, with the same delay between neighbours. Each round has a line of its own.
#include "probe.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void probe(const unsigned *lines, int other, int delay, int rounds, unsigned *out)
{
    extern __shared__ unsigned shared[];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank();
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        cluster.sync();
        if (!other)
            wait_cycles(300 + delay * rank);
        else if (rank == 0 || rank == other)
            wait_cycles(300 + (rank ? delay : 0));
        if (!other || rank == 0 || rank == other)
            sum += lines[round * 256 + threadIdx.x];
        shared[threadIdx.x] = sum;
    }
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    out[rank * 32 + threadIdx.x] = threadIdx.x ? shared[threadIdx.x] : sm;
}

int main()
{
    const int shared_bytes = 200 << 10, ranks = 16, rounds = 256;
    unsigned *lines = device_words(rounds * 1024), *out = device_words(ranks * 128);
    CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    static const int others[] = {0, 1, 2, 4, 6, 9, 15}, delays[] = {-100, -30, 0, 30, 60, 100, 200, 400, 800, 1600};
    for (int other : others)
        for (int delay : delays) {
            if (!other && (delay < 0 || delay > 200))
                continue;
            cudaLaunchConfig_t config = {};
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = ranks;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            config.gridDim = ranks;
            config.blockDim = 32;
            config.dynamicSmemBytes = shared_bytes;
            config.attrs = &attribute;
            config.numAttrs = 1;
            CHECK(cudaLaunchKernelEx(&config, probe, (const unsigned *)lines, other, delay, rounds, out));
            finish();
            unsigned sm[ranks * 32];
            CHECK(cudaMemcpy(sm, out, sizeof sm, cudaMemcpyDeviceToHost));
            std::printf("other=%d delay=%d rounds=%d sms=", other, delay, rounds);
            for (int rank = 0; rank < ranks; rank++)
                std::printf("%u%c", sm[rank * 32], rank + 1 < ranks ? ',' : '\n');
        }
}
