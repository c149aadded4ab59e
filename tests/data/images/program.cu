// A whole program with one kernel.
#include <cstdio>
__global__ void hello(int *out) { *out = 42; }
int main()
{
    int *out, value = 0;
    cudaMalloc(&out, sizeof *out);
    hello<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return value != 42;
}
