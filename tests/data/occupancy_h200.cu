// What the driver of an H200 decides about launches: L1/shared split by kernel shape, register count and preference,
// limits, active clusters, and which launches it refuses. Rows for tests/data/occupancy_h200_*.csv; see README.md there.
//
//     nvcc -arch=sm_90 -O1 -o occupancy_h200 occupancy_h200.cu
//     ncu --csv --page raw --print-units base --clock-control none --metrics launch__... ./occupancy_h200 launches
//     ./occupancy_h200 api > occupancy_h200_api.csv
#include <cstdio>
#include <cstring>

// BYTES of shared memory, R values held in registers across a barrier; TAG makes copies with their own attributes.
template <int BYTES, int R, int TAG> __global__ void shape(int *p)
{
    __shared__ int s[BYTES / 4 > 0 ? BYTES / 4 : 1];
    constexpr int N = BYTES / 4 > 0 ? BYTES / 4 : 1;
    int held[R > 0 ? R : 1];
#pragma unroll
    for (int i = 0; i < R; i++)
        held[i] = *(volatile int *)(p + i);
    if (BYTES) {
        s[threadIdx.x % N] = p[0];
        __syncthreads();
        p[threadIdx.x & 7] = s[(threadIdx.x + 1) % N];
    } else {
        p[threadIdx.x & 7] = 1;
    }
    asm volatile("" ::: "memory");
#pragma unroll
    for (int i = 0; i < R; i++)
        *(volatile int *)(p + 256 + i) = held[i] + held[(i + 1) % (R > 0 ? R : 1)];
}

template <int N> __device__ void wait_at()
{
    if constexpr (N > 0) {
        wait_at<N - 1>();
        asm volatile("bar.sync %0, 64;" ::"n"(N - 1) : "memory");
    }
}

template <int N> __global__ void barriers(int *p)
{
    wait_at<N>();
    p[threadIdx.x & 7] = N;
}

__global__ void clustered(int *p) { extern __shared__ int d[]; d[threadIdx.x] = p[0]; __syncthreads(); p[0] = d[0]; }

static int *p;

template <int BYTES, int R> static void at_sizes(const int *sizes, int n)
{
    for (int i = 0; i < n; i++) {
        int blocks = 0; // a refused launch would end the profiler
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape<BYTES, R, 0>, sizes[i], 0);
        if (blocks)
            shape<BYTES, R, 0><<<132, sizes[i]>>>(p);
    }
}

template <int BYTES> static void preferences()
{
    const int percents[] = {0, 5, 10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100};
    for (int threads : {128, 256, 1024})
        for (int percent : percents) {
            cudaFuncSetAttribute(shape<BYTES, 0, 1>, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
            shape<BYTES, 0, 1><<<132, threads, 0>>>(p);
            fprintf(stderr, "preference,%d,%d,%d\n", BYTES, threads, percent);
        }
}

template <int R> static void api()
{
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, shape<0, R, 0>);
    for (int threads = 32; threads <= 1024; threads += 32) {
        int n = -1;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, shape<0, R, 0>, threads, 0);
        shape<0, R, 0><<<1, threads>>>(p);
        cudaError_t launch = cudaGetLastError();
        cudaDeviceSynchronize();
        printf("registers,%d,%d,%d,%s\n", a.numRegs, threads, n, cudaGetErrorName(launch));
    }
}

static void clusters(int cluster, int threads, int bytes)
{
    cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaFuncSetAttribute(clustered, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = cluster * 132;
    config.blockDim = threads;
    config.dynamicSmemBytes = bytes;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    int n = -1;
    cudaError_t status = cudaOccupancyMaxActiveClusters(&n, clustered, &config);
    printf("clusters,%d,%d,%d,%d,%s\n", cluster, threads, bytes, n, cudaGetErrorName(status));
}

int main(int argc, char **argv)
{
    cudaMalloc(&p, 1 << 20);
    cudaMemset(p, 0, 1 << 20);
    if (argc > 1 && !strcmp(argv[1], "api")) {
        cudaDeviceProp d;
        cudaGetDeviceProperties(&d, 0);
        printf("device,%s,%zu,%d,%d\n", d.name, d.totalGlobalMem, d.l2CacheSize, d.persistingL2CacheMaxSize);
        api<0>(), api<16>(), api<32>(), api<48>(), api<80>(), api<112>(), api<152>(), api<200>(), api<240>();
        for (int cluster : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16})
            for (int threads : {64, 256, 1024})
                for (int bytes : {1024, 16384, 65536, 110000, 200000})
                    clusters(cluster, threads, bytes);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    const int all[] = {32, 96, 160, 192, 320, 384, 416, 448, 480, 512, 544, 576, 640, 672, 704, 768, 832, 896, 960, 1024};
    at_sizes<0, 0>(all, 20), at_sizes<1024, 0>(all, 20), at_sizes<2048, 0>(all, 20), at_sizes<4096, 0>(all, 20);
    at_sizes<5000, 0>(all, 20), at_sizes<8192, 0>(all, 20), at_sizes<12288, 0>(all, 20), at_sizes<16384, 0>(all, 20);
    at_sizes<20480, 0>(all, 20), at_sizes<32768, 0>(all, 20), at_sizes<49152, 0>(all, 20);
    const int some[] = {64, 128, 192, 256, 384, 512, 640, 768, 1024};
    at_sizes<0, 32>(some, 9), at_sizes<2048, 32>(some, 9), at_sizes<8192, 32>(some, 9), at_sizes<20480, 32>(some, 9);
    at_sizes<0, 80>(some, 9), at_sizes<2048, 80>(some, 9), at_sizes<8192, 80>(some, 9), at_sizes<20480, 80>(some, 9);
    at_sizes<0, 152>(some, 6), at_sizes<2048, 152>(some, 6), at_sizes<8192, 152>(some, 6), at_sizes<20480, 152>(some, 6);
    barriers<1><<<132, 64>>>(p), barriers<2><<<132, 64>>>(p), barriers<4><<<132, 64>>>(p), barriers<8><<<132, 64>>>(p);
    barriers<16><<<132, 64>>>(p);
    preferences<0>(), preferences<1024>(), preferences<4096>(), preferences<12288>(), preferences<32768>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
