// The words that CUDA C adds, as attributes of clang; empty where a host compiler reads the file. GCC's C++ library
// uses one of them, __noinline__, inside an attribute: see bits/shared_ptr_base.h.
#ifndef WARPGLASS_HOST_DEFINES_H
#define WARPGLASS_HOST_DEFINES_H

#ifdef __CUDA__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__ __attribute__((noinline))
#else
#define __device__
#define __global__
#define __host__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#ifdef __cplusplus
#define __restrict__ __restrict
#endif
#endif
