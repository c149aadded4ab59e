// For clang, with no header of CUDA: the object holds the text of the PTX itself.
#define __global__ __attribute__((global))
typedef __SIZE_TYPE__ size_t;
struct dim3 { unsigned x, y, z; };
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern "C" int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
extern "C" __global__ void raw(int *out) { *out = 42; }
