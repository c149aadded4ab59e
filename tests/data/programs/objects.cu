// What the other programs leave out, for clang without any header: virtual calls, tables with addresses in them, a struct
// constant, inline assembly with scopes and labels. Only its PTX is used.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
typedef unsigned long size_t;
#include <__clang_cuda_builtin_vars.h>

struct shape {
    virtual __device__ int area(int x) { return x + 1; }
};
struct square : shape {
    __device__ int area(int x) override { return x * x; }
};

struct mixed {
    char letter;
    int *inside;
    short small;
    double large;
};

__device__ int table[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};
__device__ float floats[3] = {1.5f, 2.0f};
__device__ int *pointers[2] = {&table[1][0], 0};
__device__ mixed record = {'a', &table[2][1], 7, 1e100};
__constant__ double quarter = 3.25;

extern "C" __global__ void __launch_bounds__(256, 2) mix(int *p, const float *__restrict__ q, int n)
{
    __shared__ float t[256];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    t[threadIdx.x] = q[i];
    __syncthreads();
    for (int j = 0; j < n; j++)
        p[i] += table[j & 1][j & 3] * (int)t[(i + j) & 255];
    asm volatile("{\n\t.reg .pred P;\n\tsetp.eq.s32 P, %0, 3;\nLAB: @P bra DONE;\n\tbra DONE;\nDONE: // end\n\t}" ::"r"(n));
    asm volatile("{\n\t.reg .pred P;\n\tsetp.eq.s32 P, %0, 5;\nLAB: @P bra DONE;\n\tbra DONE;\nDONE:\n\t}" ::"r"(n));
}

extern "C" __global__ void virtual_calls(shape *a, int *o, mixed *s)
{
    o[0] = a->area(3);
    shape x;
    square y;
    shape *z = o[1] ? &x : &y;
    o[2] = z->area(4);
    *s = record;
    o[3] = (int)quarter + (int)floats[o[4] & 1] + pointers[o[5] & 1][1];
}
