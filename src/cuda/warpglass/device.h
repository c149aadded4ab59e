// Device side of CUDA C++ over clang's own CUDA headers: arithmetic under the names of NVIDIA's device library (__nv_*,
// which clang's headers call), then clang's headers, then what those expect from NVIDIA's. Read in both passes of the
// compiler, so nothing here may depend on which one it is.
#ifndef WARPGLASS_DEVICE_H
#define WARPGLASS_DEVICE_H

// The C++ library asks for this word before it uses types that a GPU has not; clang itself does not define it.
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#include <__clang_cuda_math_forward_declares.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <__clang_cuda_builtin_vars.h>

// clang takes the packed 8 and 16 bit functions from the device library only for toolkits before 9.2, and emits video
// instructions for later ones, which no GPU since Kepler has in hardware.
#define CUDA_VERSION 9000
#include "bits.h"
#include "transcendental.h"
#include "simd.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#undef CUDA_VERSION
#define CUDA_VERSION 13000
typedef unsigned cuuint32_t;
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>

// clang turns printf in device code into a call of vprintf.
extern "C" {
__device__ int vprintf(const char *format, const char *values);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes) __attribute__((malloc));
__device__ void free(void *at);
__device__ void __assertfail(const char *text, const char *file, unsigned line, const char *function, size_t size);
__device__ static inline void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    __assertfail(text, file, line, function, sizeof(char));
}
}
namespace std {
__device__ static inline void *malloc(size_t bytes) { return ::malloc(bytes); }
__device__ static inline void free(void *at) { ::free(at); }
}

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#include "atomics.h"
#include "intrinsics.h"
#include "overloads.h"
#endif
