// A kernel with a constant and one with a variable; what compilers and options make of it lies beside this file.
__constant__ float factor = 2.5f;
__device__ int counter;
extern "C" __global__ void scale(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * i;
}
extern "C" __global__ void count(void) { atomicAdd(&counter, 1); }
