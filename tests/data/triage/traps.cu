// One kernel for each trap that `warpglass triage` knows, chosen by -DTRAP_…; make.sh builds log and cubin of each.
#ifdef TRAP_REGISTER_CAP // a bound on threads alone: ptxas 13 gives up its limit of registers
extern "C" __global__ void __launch_bounds__(288) register_cap(const float *in, float *out, int n)
{
    float a[208];
#pragma unroll
    for (int i = 0; i < 208; i++)
        a[i] = in[i * 1024 + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 208; i++)
            a[i] = a[i] * a[(i + 1) % 208] + in[k];
#pragma unroll
    for (int i = 0; i < 208; i++)
        out[i * 1024 + threadIdx.x] = a[i];
}
#endif
#ifdef TRAP_SHARED_SPILL // registers in shared memory: no spill bytes in the log
extern "C" __global__ void __launch_bounds__(512, 1) shared_spill(const float *in, float *out, int n)
{
    asm volatile(".pragma \"enable_smem_spilling\";");
    float a[130];
#pragma unroll
    for (int i = 0; i < 130; i++)
        a[i] = in[i * 1024 + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 130; i++)
            a[i] = a[i] * a[(i + 1) % 130] + in[k];
#pragma unroll
    for (int i = 0; i < 130; i++)
        out[i * 1024 + threadIdx.x] = a[i];
}
#endif
#ifdef TRAP_MIN_BLOCKS // 3 blocks of 1024 threads fit no SM
extern "C" __global__ void __launch_bounds__(1024, 3) min_blocks(float *p) { p[threadIdx.x] *= 2; }
#endif
#ifdef TRAP_STACK // an array indexed at run time: a stack, and no spills
extern "C" __global__ void stack(const int *in, int *out)
{
    int a[64];
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        a[in[i] & 63] = i;
    out[threadIdx.x] = a[in[threadIdx.x] & 63];
}
#endif
#ifdef TRAP_SHARED_LIMIT // 64 KiB of static shared memory: more than a block may have without opting in
extern "C" __global__ void shared_limit(const float *in, float *out)
{
    __shared__ float tile[16384];
    for (int i = threadIdx.x; i < 16384; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    out[threadIdx.x] = tile[16383 - threadIdx.x * 3];
}
#endif
#ifdef TRAP_SETMAXNREG // no bound from which ptxas could know the registers at entry
extern "C" __global__ void setmaxnreg(float *p)
{
    if (threadIdx.x < 128)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    else
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    p[threadIdx.x] *= 2;
}
#endif
#ifdef TRAP_MAXRREGCOUNT // -maxrregcount=32 does not hold for kernels with bounds
extern "C" __global__ void __launch_bounds__(256) maxrregcount(const float *in, float *out)
{
    float a[48];
#pragma unroll
    for (int i = 0; i < 48; i++)
        a[i] = in[i * 1024 + threadIdx.x];
    for (int k = 0; k < 8; k++)
#pragma unroll
        for (int i = 0; i < 48; i++)
            a[i] = a[i] * a[(i + 7) % 48] + 1;
#pragma unroll
    for (int i = 0; i < 48; i++)
        out[i * 1024 + threadIdx.x] = a[i];
}
#endif
#ifdef TRAP_MAXREG_RAISED // -maxrregcount=8 is below what calls need
extern "C" __global__ void maxreg_raised(float *p) { p[threadIdx.x] *= 2; }
#endif
#ifdef TRAP_RELOCATABLE // -rdc=true: the numbers of ptxas leave out the callee, those of nvlink do not
__device__ __noinline__ float callee(const float *in, int n)
{
    float a[40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        a[i] = in[i * n];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 40; i++)
        sum = sum * a[i] + a[(i * 7) % 40];
    return sum;
}
extern "C" __global__ void relocatable(const float *in, float *out, int n) { out[threadIdx.x] = callee(in + threadIdx.x, n); }
#endif
#ifdef TRAP_RECURSION // how deep is not known
__device__ __noinline__ int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
extern "C" __global__ void recursion(int *p) { p[threadIdx.x] = depth(p[threadIdx.x]); }
#endif
