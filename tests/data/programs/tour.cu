// A walk through what programs built by `warpglass cc` use: kernels, symbols, streams and events, managed memory,
// occupancy, warp functions, atomics, cache operators, cooperative groups. Prints one line a step and a verdict.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

static int n_failed;
static void tell(const char *name, bool good)
{
    n_failed += !good;
    printf("%s %s\n", name, good ? "ok" : "FAIL");
}
static bool check(cudaError_t error)
{
    if (error)
        printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return !error;
}

template <class T> __global__ void add(const T *__restrict__ a, const T *__restrict__ b, T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __ldg(a + i) + __ldcs(b + i);
}

__global__ void reduce(const int *v, int n, int *total)
{
    __shared__ int part[8];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += v[i];
    for (int by = 16; by; by /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, by);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += part[w];
        atomicAdd(total, sum);
    }
}

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        __stcs(out + (y + j) * n + x, tile[threadIdx.x][threadIdx.y + j]);
}

__constant__ int factors[32];
__device__ int results[32];
__global__ void use_symbols() { results[threadIdx.x] = factors[threadIdx.x] * 3; }

__global__ void warp_functions(unsigned *out)
{
    unsigned lane = threadIdx.x, odd = __ballot_sync(0xffffffffu, lane & 1), same = 0;
    int all = 0;
    same = __match_any_sync(0xffffffffu, lane / 4);
    __match_all_sync(0xffffffffu, 7, &all);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[lane] = __popc(odd) + __popc(same) + (unsigned)all + tile.shfl_xor(lane, 7) +
                __reduce_max_sync(0xffffffffu, lane) + __funnelshift_l(1u, 0u, lane) + __byte_perm(lane, 0, 0x4440);
}

__global__ void atomics(unsigned *cells, unsigned long long *wide, double *real)
{
    atomicAdd_block(cells, 1u);
    atomicMax(cells + 1, threadIdx.x);
    atomicMin_system(cells + 2, threadIdx.x);
    atomicXor(cells + 3, 1u << threadIdx.x);
    atomicCAS(cells + 4, 0u, 9u);
    atomicInc(cells + 5, 4u);
    atomicAdd(wide, 1ull << 40);
    atomicAdd(real, 0.25);
}

static void vector_add()
{
    const int n = 10000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++)
        a[i] = (float)i, b[i] = (float)(3 * i);
    float *d = nullptr;
    bool good = check(cudaMalloc(&d, 3 * n * sizeof *d));
    cudaMemcpy(d, a.data(), n * sizeof *d, cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b.data(), n * sizeof *d, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n);
    good = check(cudaGetLastError()) && check(cudaMemcpy(c.data(), d + 2 * n, n * sizeof *d, cudaMemcpyDeviceToHost)) && good;
    for (int i = 0; i < n; i++)
        good = good && c[i] == 4.0f * (float)i;
    tell("vector_add", good && check(cudaFree(d)));
}

static void reduction_in_managed_memory()
{
    const int n = 50000;
    int *v = nullptr, *total = nullptr;
    bool good = check(cudaMallocManaged(&v, n * sizeof *v)) && check(cudaMallocManaged(&total, sizeof *total));
    for (int i = 0; i < n; i++)
        v[i] = i % 17;
    *total = 0;
    reduce<<<20, 256>>>(v, n, total);
    good = check(cudaDeviceSynchronize()) && good;
    int want = 0;
    for (int i = 0; i < n; i++)
        want += i % 17;
    tell("reduction", good && *total == want);
    cudaFree(v);
    cudaFree(total);
}

static void transpose_on_streams()
{
    const int n = 128;
    float *in = nullptr, *out = nullptr, *host = nullptr, ms = -1;
    cudaStream_t first, second;
    cudaEvent_t begin, end;
    bool good = check(cudaMallocHost(&host, n * n * sizeof *host)) && check(cudaMalloc(&in, n * n * sizeof *in)) &&
                check(cudaMalloc(&out, n * n * sizeof *out));
    good = good && check(cudaStreamCreate(&first)) && check(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    good = good && check(cudaEventCreate(&begin)) && check(cudaEventCreate(&end));
    for (int i = 0; i < n * n; i++)
        host[i] = (float)i;
    cudaMemcpyAsync(in, host, n * n * sizeof *in, cudaMemcpyHostToDevice, first);
    cudaEventRecord(begin, first);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8), 0, first>>>(in, out, n);
    cudaEventRecord(end, first);
    cudaStreamWaitEvent(second, end, 0);
    cudaMemcpyAsync(host, out, n * n * sizeof *in, cudaMemcpyDeviceToHost, second);
    good = good && check(cudaStreamSynchronize(second)) && check(cudaEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < n * n; i++)
        good = good && host[i] == (float)(i % n * n + i / n);
    tell("transpose_on_streams", good && ms >= 0);
}

static void symbols()
{
    int values[32], got[32] = {0};
    for (int i = 0; i < 32; i++)
        values[i] = i * i;
    bool good = check(cudaMemcpyToSymbol(factors, values, sizeof values));
    use_symbols<<<1, 32>>>();
    good = check(cudaMemcpyFromSymbol(got, results, sizeof got)) && good;
    size_t bytes = 0;
    good = check(cudaGetSymbolSize(&bytes, results)) && bytes == sizeof got && good;
    for (int i = 0; i < 32; i++)
        good = good && got[i] == 3 * i * i;
    tell("symbols", good);
}

static void in_a_warp()
{
    unsigned *d = nullptr, got[32] = {0};
    bool good = check(cudaMalloc(&d, sizeof got));
    warp_functions<<<1, 32>>>(d);
    good = check(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost)) && good;
    for (unsigned i = 0; i < 32; i++)
        good = good && got[i] == 16 + 4 + 1 + (i ^ 7) + 31 + (i ? 1u >> (32 - i) : 0u) + i;
    tell("warp_functions", good);

    struct {
        unsigned long long wide;
        double real;
        unsigned cells[6];
    } host = {0, 0, {0, 0, 99, 0, 0, 0}}, *cells = nullptr;
    good = check(cudaMalloc(&cells, sizeof host)) && check(cudaMemcpy(cells, &host, sizeof host, cudaMemcpyHostToDevice));
    atomics<<<1, 32>>>(cells->cells, &cells->wide, &cells->real);
    good = check(cudaMemcpy(&host, cells, sizeof host, cudaMemcpyDeviceToHost)) && good;
    const unsigned *c = host.cells;
    tell("atomics", good && c[0] == 32 && c[1] == 31 && c[2] == 0 && c[3] == ~0u && c[4] == 9 && c[5] == 32 % 5 &&
                        host.wide == 32ull << 40 && host.real == 8);
}

static void occupancy()
{
    int grid = 0, block = 0, blocks = 0;
    cudaFuncAttributes attributes;
    cudaDeviceProp properties;
    bool good = check(cudaOccupancyMaxPotentialBlockSize(&grid, &block, reduce, 0, 0)) &&
                check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce, 256, 0)) &&
                check(cudaFuncGetAttributes(&attributes, reduce)) && check(cudaGetDeviceProperties(&properties, 0));
    tell("occupancy", good && grid > 0 && block % 32 == 0 && blocks > 0 && attributes.sharedSizeBytes == 32 &&
                          properties.warpSize == 32 && grid % properties.multiProcessorCount == 0);
    add<int><<<1, 4096>>>(nullptr, nullptr, nullptr, 0);
    tell("launch_error", cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
}

int main()
{
    vector_add();
    reduction_in_managed_memory();
    transpose_on_streams();
    symbols();
    in_a_warp();
    occupancy();
    printf("tour: %d failed\n", n_failed);
    return n_failed != 0;
}
