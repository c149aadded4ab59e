// A whole CUDA program in two kernels: y = a x + y with neighbouring lanes on neighbouring elements, and the same with
// neighbouring lanes eight elements apart. Both give the same bytes; the second moves more sectors for them.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1 << 16, THREADS = 256, STRIDE = 8 };

__global__ void saxpy(float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(float a, const float *x, float *y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % (N / STRIDE) * STRIDE + t / (N / STRIDE);
    y[i] = a * x[i] + y[i];
}

static float x[N], y[N];

int main(void)
{
    float *device_x, *device_y;
    for (int i = 0; i < N; i++)
        x[i] = y[i] = (float)i;
    cudaMalloc((void **)&device_x, sizeof x);
    cudaMalloc((void **)&device_y, sizeof y);
    cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice);
    saxpy<<<N / THREADS, THREADS>>>(2, device_x, device_y);
    saxpy_strided<<<N / THREADS, THREADS>>>(1, device_x, device_y);
    cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost);
    int n_wrong = 0;
    for (int i = 0; i < N; i++)
        n_wrong += y[i] != 4 * (float)i;
    cudaFree(device_x);
    cudaFree(device_y);
    printf("%s\n", n_wrong ? "wrong" : "right");
    return n_wrong != 0;
}
