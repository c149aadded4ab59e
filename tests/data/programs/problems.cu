// Kernels with one known problem each, and the same repaired: what the findings of a report must tell apart.
// tests/report/findings.sh runs them. No host part.

// Shared memory that each thread uses alone; repaired: a register.
extern "C" __global__ void private_shared(const float *in, float *out)
{
    __shared__ float keep[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int slot = threadIdx.x;
    asm volatile("" : "+r"(slot)); // else the compiler sees what we want to find
    keep[threadIdx.x] = in[i];
    out[i] = keep[slot] * 2.0f;
}
extern "C" __global__ void private_register(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2.0f;
}

// One table that all lanes read at the same place; repaired: in constant memory.
__constant__ float c_weights[64];
extern "C" __global__ void uniform_global(const float *__restrict__ weights, float *out, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + weights[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void uniform_constant(float *out, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + c_weights[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every lane adds to one word (a float: of integers ptxas makes the repair itself); repaired: a warp adds up first.
extern "C" __global__ void one_counter(const float *in, float *sum)
{
    atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
extern "C" __global__ void one_counter_a_warp(const int *in, int *sum)
{
    const int total = __reduce_add_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, total);
}

// The grid and block of the launch decide: 40 threads a block leave a second warp with 8 lanes.
extern "C" __global__ void any_block(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1.0f;
}

// A tile of BYTES a block: few blocks fit an SM; repaired: a smaller one.
template <int BYTES>
__device__ __forceinline__ void staged(const float *in, float *out)
{
    __shared__ float tile[BYTES / 4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void large_tile(const float *in, float *out) { staged<45056>(in, out); }
extern "C" __global__ void small_tile(const float *in, float *out) { staged<4096>(in, out); }

// A sum of 4 neighbours a thread, one float at a time; repaired: one float4.
extern "C" __global__ void four_scalars(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
}
extern "C" __global__ void one_vector(const float4 *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
}

// An array indexed by data; repaired: the same by selection.
extern "C" __global__ void indexed_array(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a[4] = {i, 3 * i, 5 * i, 7 * i};
    a[in[i] & 3] += 1;
    out[i] = a[(in[i] >> 2) & 3];
}
extern "C" __global__ void selected_value(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int raise = in[i] & 3, pick = (in[i] >> 2) & 3;
    const int value = pick == 0 ? i : pick == 1 ? 3 * i : pick == 2 ? 5 * i : 7 * i;
    out[i] = value + (raise == pick);
}

// Rows of 33 floats: a warp's store begins inside a sector; repaired: rows of 40.
extern "C" __global__ void rows_of(float *out, int pitch)
{
    out[(blockIdx.x * blockDim.y + threadIdx.y) * pitch + threadIdx.x] = threadIdx.x;
}

// Sums n floats twice: more of them than L2 holds are read twice from device memory; repaired: both uses at once.
extern "C" __global__ void two_passes(const float *in, float *out, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0, squares = 0;
#pragma unroll 1
    for (int i = first; i < n; i += step)
        sum += in[i];
#pragma unroll 1
    for (int i = first; i < n; i += step)
        squares += in[i] * in[i];
    out[first] = sum * squares;
}
extern "C" __global__ void one_pass(const float *in, float *out, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0, squares = 0;
#pragma unroll 1
    for (int i = first; i < n; i += step) {
        const float v = in[i];
        sum += v;
        squares += v * v;
    }
    out[first] = sum * squares;
}

// A table that every warp reads four times: L1 serves it if shared memory leaves it room; repaired: less of it.
template <int BYTES>
__device__ __forceinline__ void table_beside(const float *table, float *out, int n)
{
    __shared__ float tile[BYTES / 4];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 4; pass++)
#pragma unroll 1
        for (int i = threadIdx.x & 31; i < n; i += 32)
            sum = sum * 0.5f + table[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void table_beside_large(const float *table, float *out, int n)
{
    table_beside<45056>(table, out, n);
}
extern "C" __global__ void table_beside_small(const float *table, float *out, int n)
{
    table_beside<4096>(table, out, n);
}

// A tile that is turned round before all of it is written; repaired: a barrier between.
template <bool WAITS>
__device__ __forceinline__ void turned(const float *in, float *out)
{
    __shared__ float tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (WAITS)
        __syncthreads();
    out[i] = tile[255 - threadIdx.x];
}
extern "C" __global__ void turned_early(const float *in, float *out) { turned<false>(in, out); }
extern "C" __global__ void turned_late(const float *in, float *out) { turned<true>(in, out); }

// Rounds over one tile: the next round's values may come before the last ones are read; repaired: a second barrier.
template <bool WAITS>
__device__ __forceinline__ void rounds(const float *in, float *out, int n)
{
    __shared__ float tile[256];
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[(blockIdx.x * n + k) * blockDim.x + threadIdx.x];
        __syncthreads();
        sum += tile[(threadIdx.x + 37) % 256];
        if (WAITS)
            __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void rounds_one_barrier(const float *in, float *out, int n) { rounds<false>(in, out, n); }
extern "C" __global__ void rounds_two_barriers(const float *in, float *out, int n) { rounds<true>(in, out, n); }

// Neighbouring lanes exchange values; repaired: __syncwarp() between.
template <bool WAITS>
__device__ __forceinline__ void exchanged(const int *in, int *out)
{
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (WAITS)
        __syncwarp();
    out[i] = tile[threadIdx.x ^ 1];
}
extern "C" __global__ void exchanged_early(const int *in, int *out) { exchanged<false>(in, out); }
extern "C" __global__ void exchanged_late(const int *in, int *out) { exchanged<true>(in, out); }

// No race: all who write write the same; neighbouring bytes of one word; a flag behind a fence; atomics.
extern "C" __global__ void no_race(const int *in, int *out)
{
    __shared__ int any, sum;
    __shared__ volatile int ready;
    __shared__ int sent;
    __shared__ unsigned char bytes[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        any = sum = ready = 0;
    __syncthreads();
    if (in[i] & 1)
        any = 1;
    bytes[threadIdx.x] = in[i];
    bytes[threadIdx.x] += 1;
    atomicAdd(&sum, in[i]);
    if (threadIdx.x == 255) {
        sent = in[i];
        __threadfence_block();
        ready = 1;
    }
    while (!ready)
        ;
    __threadfence_block();
    const int got = sent;
    __syncthreads();
    out[i] = any + sum + bytes[255 - threadIdx.x] + got;
}
