// What the CUDA runtime of a real GPU answers where documentation leaves it open: attributes, limits, errors of misuse and
// of faults. One case a process (faults stick): `runtime CASE`, `runtime list` names them. Stored: tests/data/h200_runtime.txt
//     nvcc -arch=sm_90 -o runtime tools/measure/runtime.cu
//     for c in $(./runtime list); do ./runtime $c; done
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define SAY(call) do { cudaError_t said = (call); printf("%s: %s = %s\n", name, #call, cudaGetErrorName(said)); } while (0)

__global__ void nothing() {}
__global__ void store(int *p) { *p = 1; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void trap() { asm volatile("trap;"); }
__global__ void brkpt() { asm volatile("brkpt;"); }
__device__ int deep(int n, volatile int *p) { volatile int big[64]; big[n & 63] = n; return n ? deep(n - 1, p) + big[n & 63] + *p : 0; }
__global__ void recurse(int *p, int n) { *p = deep(n, p); }
__global__ void shared_oob(int *p, int i) { __shared__ int s[32]; volatile int *v = s; v[i] = 1; *p = v[0]; }
__global__ void local_oob(int *p, int i) { volatile int l[8]; l[i] = 1; *p = l[i & 7]; }
__global__ void divide(unsigned *out, int a, int b, long long c, long long d) {
    out[0] = a / b; out[1] = a % b; out[2] = (unsigned)a / (unsigned)b; out[3] = (unsigned)a % (unsigned)b;
    long long q[4] = {c / d, c % d, (long long)((unsigned long long)c / (unsigned long long)d), (long long)((unsigned long long)c % (unsigned long long)d)};
    for (int i = 0; i < 8; i++) out[4 + i] = (unsigned)(q[i / 2] >> (i % 2 * 32));
    short e = (short)a, f = (short)b; unsigned short g = (unsigned short)a, h = (unsigned short)b;
    out[12] = (unsigned)(e / f); out[13] = (unsigned)(e % f); out[14] = (unsigned)(g / h); out[15] = (unsigned)(g % h);
}
__global__ void fp_pitfalls(int *p) { printf("%5.2f|%-8d|%+d|%#x|%e|%g|%c|%s|%p|%%|%lld|%hd|%8.3s|%*d|%a|%u|%o|%i\n", 3.14159, 42, 7, 255, 12345.678, 1e-7, 'x', "str", (void *)0x1234, 1234567890123LL, (short)-3, "abcdef", 6, 99, 1.5, 4000000000u, 8, -5); }
__global__ void print_return(int *p) { p[0] = printf("none\n"); p[1] = printf("%d %d\n", 1, 2); p[2] = printf("%d %d %d\n", 1, 2, 3); }
__global__ void heap(int *p) { int *a = (int *)malloc(100); p[0] = a != 0; free(a); void *b = malloc(1ull << 40); p[1] = b != 0; free(0); p[2] = (int)((size_t)a & 15); }

static void after(const char *name)
{
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    SAY(cudaPeekAtLastError());
    int *p = 0;
    SAY(cudaMalloc(&p, 4));
    SAY(cudaFree(0));
    int count = 0;
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&p, 4));
    SAY(cudaGetLastError());
}

static void attributes(const char *name)
{
    for (int i = 1; i < 160; i++) {
        int v = -12345;
        cudaError_t e = cudaDeviceGetAttribute(&v, (cudaDeviceAttr)i, 0);
        if (e) printf("attribute %d %s\n", i, cudaGetErrorName(e)); else printf("attribute %d %d\n", i, v);
    }
    for (int i = 0; i < 8; i++) { size_t v = 0; cudaError_t e = cudaDeviceGetLimit(&v, (cudaLimit)i); printf("limit %d %zu %s\n", i, v, cudaGetErrorName(e)); }
    cudaDeviceProp p; memset(&p, 0xee, sizeof p); cudaGetDeviceProperties(&p, 0);
    for (size_t i = 0; i + 4 <= sizeof p; i += 4) printf("prop_word %zu %u\n", i, *(unsigned *)((char *)&p + i));
    int lo, hi; cudaDeviceGetStreamPriorityRange(&lo, &hi); printf("priority %d %d\n", lo, hi);
    size_t f, t; cudaMemGetInfo(&f, &t); printf("meminfo free %zu total %zu\n", f, t);
    (void)name;
}

static void misuse(const char *name)
{
    char *d, *h, host[64]; float ms; cudaEvent_t e, u; cudaStream_t s; int v;
    SAY(cudaMalloc(&d, 1000)); SAY(cudaMallocHost(&h, 1000)); SAY(cudaEventCreate(&e)); SAY(cudaEventCreateWithFlags(&u, cudaEventDisableTiming)); SAY(cudaStreamCreate(&s));
    SAY(cudaMemcpy(d + (1 << 30), host, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, d + (4ll << 40), 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(host, d, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, host, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, d + 16, 4, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(d, (char *)0, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemset(d + (4ll << 40), 0, 4));
    SAY(cudaMemset(host, 0, 4));
    SAY(cudaFree(d + 256)); SAY(cudaFree(host)); SAY(cudaFree(h)); SAY(cudaFreeHost(d)); SAY(cudaFreeHost(host)); SAY(cudaFreeHost(0));
    SAY(cudaEventQuery(e)); SAY(cudaEventSynchronize(e)); SAY(cudaEventElapsedTime(&ms, e, e));
    SAY(cudaEventRecord(e)); SAY(cudaEventRecord(u)); SAY(cudaDeviceSynchronize()); SAY(cudaEventElapsedTime(&ms, e, u)); SAY(cudaEventElapsedTime(&ms, e, e));
    SAY(cudaStreamQuery(s)); 
    SAY(cudaSetDevice(7)); SAY(cudaSetDevice(-1)); SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)5000, 0)); SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 3));
    SAY(cudaGetLastError()); SAY(cudaGetLastError());
    SAY(cudaLaunchKernel((void *)host, dim3(1), dim3(1), 0, 0, 0));
    SAY(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000)); SAY(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 101)); SAY(cudaFuncSetAttribute(nothing, (cudaFuncAttribute)99, 1));
    SAY(cudaMemcpyToSymbol(host, host, 4)); SAY(cudaDeviceSetLimit((cudaLimit)99, 1)); SAY(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20)); SAY(cudaDeviceEnablePeerAccess(0, 0)); SAY(cudaDeviceEnablePeerAccess(1, 0));
    void *args[] = {0}; SAY(cudaLaunchCooperativeKernel((void *)nothing, dim3(100000), dim3(1024), args, 0, 0));
    size_t pitch; SAY(cudaMallocPitch((void **)&d, &pitch, 0, 0)); SAY(cudaMallocPitch((void **)&d, &pitch, 1, 3)); printf("%s: pitch %zu\n", name, pitch); SAY(cudaMalloc((void **)0, 4)); SAY(cudaMalloc(&d, 0)); printf("%s: malloc 0 gives %p\n", name, d);
    cudaPointerAttributes a; SAY(cudaPointerGetAttributes(&a, host)); printf("%s: type %d device %d %p %p\n", name, a.type, a.device, a.devicePointer, a.hostPointer);
    SAY(cudaPointerGetAttributes(&a, h)); printf("%s: type %d device %d same %d same %d\n", name, a.type, a.device, a.devicePointer == h, a.hostPointer == h);
    SAY(cudaStreamDestroy(s)); SAY(cudaEventDestroy(0)); SAY(cudaStreamDestroy(0)); SAY(cudaEventRecord((cudaEvent_t)0));
    cudaFuncAttributes fa; SAY(cudaFuncGetAttributes(&fa, recurse)); printf("%s: recurse regs %d local %zu shared %zu const %zu max %d dyn %d ptx %d bin %d cache %d carve %d\n", name, fa.numRegs, fa.localSizeBytes, fa.sharedSizeBytes, fa.constSizeBytes, fa.maxThreadsPerBlock, fa.maxDynamicSharedSizeBytes, fa.ptxVersion, fa.binaryVersion, fa.cacheModeCA, fa.preferredShmemCarveout);
}

static void capture(const char *name)
{
    cudaStream_t s, t; cudaGraph_t g = 0; cudaEvent_t e; int *d; cudaStreamCaptureStatus st; cudaGraphExec_t x; size_t n;
    cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEventCreate(&e); cudaMalloc(&d, 64);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    nothing<<<1, 1, 0, s>>>(); SAY(cudaGetLastError()); SAY(cudaStreamSynchronize(s)); SAY(cudaStreamIsCapturing(s, &st)); printf("%s: status %d\n", name, st); SAY(cudaStreamEndCapture(s, &g)); printf("%s: graph %d\n", name, g != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); SAY(cudaMalloc(&d, 64)); SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); SAY(cudaMalloc(&d, 64)); SAY(cudaStreamEndCapture(s, &g)); printf("%s: graph %d\n", name, g != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); nothing<<<1, 1>>>(); SAY(cudaGetLastError()); SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); SAY(cudaEventRecord(e, s)); SAY(cudaStreamWaitEvent(t, e, 0)); nothing<<<1, 1, 0, t>>>(); SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); SAY(cudaEventRecord(e, s)); SAY(cudaEventQuery(e)); SAY(cudaEventSynchronize(e)); SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); nothing<<<1, 1, 0, s>>>(); SAY(cudaStreamEndCapture(t, &g)); SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphGetNodes(g, 0, &n)); printf("%s: nodes %zu\n", name, n); SAY(cudaGraphInstantiate(&x, g, 0)); SAY(cudaGraphDestroy(g)); SAY(cudaGraphLaunch(x, s)); SAY(cudaStreamSynchronize(s)); SAY(cudaStreamEndCapture(s, &g));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    const char *all = "attributes misuse capture null wild misaligned trap brkpt stack shared local divide print heap reset";
    const char *name = argc > 1 ? argv[1] : "list";
    int *d = 0, out[16];
    if (!strcmp(name, "list")) { puts(all); return 0; }
    if (!strcmp(name, "attributes")) { attributes(name); return 0; }
    if (!strcmp(name, "misuse")) { misuse(name); return 0; }
    if (!strcmp(name, "capture")) { capture(name); return 0; }
    cudaMalloc(&d, 64); cudaMemset(d, 0, 64);
    if (!strcmp(name, "null")) store<<<1, 1>>>(0);
    if (!strcmp(name, "wild")) store<<<1, 1>>>(d + (1ll << 38));
    if (!strcmp(name, "misaligned")) misaligned<<<1, 1>>>((char *)d);
    if (!strcmp(name, "trap")) trap<<<1, 1>>>();
    if (!strcmp(name, "brkpt")) brkpt<<<1, 1>>>();
    if (!strcmp(name, "stack")) recurse<<<1, 1>>>(d, 100000);
    if (!strcmp(name, "shared")) shared_oob<<<1, 1>>>(d, 100000000);
    if (!strcmp(name, "local")) local_oob<<<1, 1>>>(d, 100000000);
    if (!strcmp(name, "reset")) { SAY(cudaDeviceReset()); SAY(cudaMemset(d, 0, 64)); SAY(cudaFree(d)); nothing<<<1, 1>>>(); }
    if (!strcmp(name, "divide")) for (int i = 0; i < 3; i++) {
        int a[3] = {-7, 1234567, (int)0x80000000}, b[3] = {0, 0, -1}; long long c[3] = {-7, 123456789012345ll, (long long)(1ull << 63)}, e[3] = {0, 0, -1};
        divide<<<1, 1>>>((unsigned *)d, a[i], b[i], c[i], e[i]); cudaMemcpy(out, d, 64, cudaMemcpyDeviceToHost); printf("divide:"); for (int k = 0; k < 16; k++) printf(" %08x", out[k]); puts(""); }
    if (!strcmp(name, "print")) { fp_pitfalls<<<1, 1>>>(d); print_return<<<1, 1>>>(d); cudaMemcpy(out, d, 12, cudaMemcpyDeviceToHost); printf("print: returns %d %d %d\n", out[0], out[1], out[2]); }
    if (!strcmp(name, "heap")) { heap<<<1, 1>>>(d); cudaMemcpy(out, d, 12, cudaMemcpyDeviceToHost); printf("heap: %d %d %d\n", out[0], out[1], out[2]); }
    after(name);
    return 0;
}
