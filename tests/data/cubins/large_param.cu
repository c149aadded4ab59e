// Parameters beyond 4 KiB: nvcc -fatbin -gencode arch=compute_90,code=sm_90 large_param.cu
struct many {
    int at[8000];
};

extern "C" __global__ void large_param(const __grid_constant__ many many, int *out)
{
    *out = many.at[7999] + many.at[threadIdx.x];
}
