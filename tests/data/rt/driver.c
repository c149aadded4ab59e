// A program with the driver API alone: a C compiler builds it, with CUDA's cuda.h (-DUSE_CUDA_H) or without. Loads the PTX file
// named by its argument, adds two vectors on a stream, links a call across two modules, and finds functions by name.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef USE_CUDA_H
#include <cuda.h>
#else
#include <stddef.h>
typedef int CUresult, CUdevice;
typedef struct context *CUcontext;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct stream *CUstream;
typedef unsigned long long CUdeviceptr;
CUresult cuInit(unsigned);
CUresult cuDeviceGet(CUdevice *, int);
CUresult cuDeviceGetName(char *, int, CUdevice);
CUresult cuCtxCreate_v4(CUcontext *, void *, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuModuleLoad(CUmodule *, const char *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
CUresult cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, CUstream);
CUresult cuStreamCreate(CUstream *, unsigned);
CUresult cuStreamSynchronize(CUstream);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **,
                        void **);
CUresult cuGetErrorName(CUresult, const char **);
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#endif

enum { N = 1000 };

static void check(CUresult result, int line)
{
    const char *name = "unknown";
    if (!result)
        return;
    cuGetErrorName(result, &name);
    printf("line %d: %s\n", line, name);
    exit(1);
}
#define CK(call) check(call, __LINE__)

// What programs do that are not linked to the driver.
static void find_by_name(void)
{
    typedef CUresult get_address(const char *, void **, int, unsigned long long, int *);
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *alloc = NULL;
    get_address *get = library ? (get_address *)dlsym(library, "cuGetProcAddress_v2") : NULL;
    int status = -1;
    if (!get || get("cuMemAlloc", &alloc, 12000, 0, &status) || !alloc || status)
        exit(2);
    CUdeviceptr p = 0;
    CK(((CUresult(*)(CUdeviceptr *, size_t))alloc)(&p, 100));
    CK(cuMemFree(p));
    puts("found by name");
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUstream stream;
    CUdeviceptr a, b, c;
    char name[64];
    static float x[N], y[N], z[N];
    int n = N, wrong = 0;
    if (argc < 2)
        return 3;
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = (float)(2 * i);
    CK(cuInit(0));
    CK(cuDeviceGet(&device, 0));
    CK(cuDeviceGetName(name, sizeof name, device));
    CK(cuCtxCreate(&context, NULL, 0, device));
    CK(cuModuleLoad(&module, argv[1]));
    CK(cuModuleGetFunction(&add, module, "add"));
    CK(cuStreamCreate(&stream, 1));
    CK(cuMemAlloc(&a, sizeof x));
    CK(cuMemAlloc(&b, sizeof y));
    CK(cuMemAlloc(&c, sizeof z));
    CK(cuMemcpyHtoD(a, x, sizeof x));
    CK(cuMemcpyHtoD(b, y, sizeof y));
    void *arguments[] = {&a, &b, &c, &n};
    CK(cuLaunchKernel(add, (N + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    CK(cuMemcpyDtoHAsync(z, c, sizeof z, stream));
    CK(cuStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        wrong += z[i] != (float)(3 * i);
    printf("%s: %d wrong\n", name, wrong);
    find_by_name();
    CK(cuModuleUnload(module));
    CK(cuCtxDestroy(context));
    return wrong != 0;
}
