// Relocatable device code, with part_b.cu: functions, variables, constants and tables of functions across two files.
extern __device__ float gain;
extern __shared__ float scratch[];
__device__ float apply(float x, int which);
__constant__ int offset = 3;
static __device__ int own = 7;
template <class T> __device__ __noinline__ T half(T x) { return x / 2; } // weak, in both files
extern "C" __global__ void run(float *out, int n)
{
    int i = threadIdx.x;
    scratch[i] = gain * i;
    __syncthreads();
    if (i < n)
        out[i] = apply(scratch[n - 1 - i], offset) + own + half(2.0f);
}
