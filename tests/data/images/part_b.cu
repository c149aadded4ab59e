// The other half of part_a.cu.
extern __constant__ int offset;
extern __shared__ float scratch[];
__device__ float gain = 0.5f;
static __device__ int own = 1000;
template <class T> __device__ __noinline__ T half(T x) { return x / 2; }
typedef float (*function)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float negative(float x) { return -x; }
__device__ function table[2] = {twice, negative};
__device__ float apply(float x, int which)
{
    atomicAdd(&own, 1);
    return table[which & 1](x) + offset + half(4.0f) + scratch[0];
}
