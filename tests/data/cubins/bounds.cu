// Kernels whose declarations limit them; what the cubin keeps of it.
struct big { char c[40]; };
extern "C" __global__ void __launch_bounds__(256, 2) bounded(int *p, big b, short s)
{
    __shared__ int x[64];
    x[threadIdx.x & 63] = s;
    __syncthreads();
    *p = x[0] + b.c[3];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(int *p) { *p = 1; }
extern "C" __global__ void __block_size__((64, 2, 1)) blocked(int *p) { *p = 1; }
extern "C" __global__ void __maxnreg__(40) capped(float *p) { *p = 1; asm volatile("bar.sync 5;"); }
__constant__ float table[10];
extern "C" __global__ void constants(float *p, int i) { *p = table[i]; }
