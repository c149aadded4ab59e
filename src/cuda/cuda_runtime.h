// What plain CUDA C kernels use, for Debian's clang without any NVIDIA software. `warpglass launch FILE.cu` puts this
// file in front of the source when nvcc is not there. Device side only; it is no replacement for NVIDIA's headers:
// textures, cooperative groups, half precision and library headers are missing and named by the compiler.
#ifndef WARPGLASS_CUDA_RUNTIME_H
#define WARPGLASS_CUDA_RUNTIME_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __grid_constant__

typedef __SIZE_TYPE__ size_t;
typedef unsigned char uchar;
typedef unsigned int uint;

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

#define WARPGLASS_VECTOR(type, name, align2, align4)                                                             \
    struct name##1 { type x; };                                                                                  \
    struct __align__(align2) name##2 { type x, y; };                                                             \
    struct name##3 { type x, y, z; };                                                                            \
    struct __align__(align4) name##4 { type x, y, z, w; };                                                       \
    __host__ __device__ __forceinline__ name##2 make_##name##2(type x, type y) { return name##2{x, y}; }         \
    __host__ __device__ __forceinline__ name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; } \
    __host__ __device__ __forceinline__ name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }
WARPGLASS_VECTOR(char, char, 2, 4)
WARPGLASS_VECTOR(unsigned char, uchar, 2, 4)
WARPGLASS_VECTOR(short, short, 4, 8)
WARPGLASS_VECTOR(unsigned short, ushort, 4, 8)
WARPGLASS_VECTOR(int, int, 8, 16)
WARPGLASS_VECTOR(long long, longlong, 16, 16)
WARPGLASS_VECTOR(unsigned long long, ulonglong, 16, 16)
WARPGLASS_VECTOR(float, float, 8, 16)
WARPGLASS_VECTOR(double, double, 16, 16)
struct uint1 { unsigned x; };
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
__host__ __device__ __forceinline__ uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
__host__ __device__ __forceinline__ uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
__host__ __device__ __forceinline__ uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }

#include <__clang_cuda_builtin_vars.h>

#define WARPGLASS_DEVICE static __device__ __forceinline__

// Order and visibility
WARPGLASS_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WARPGLASS_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WARPGLASS_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
WARPGLASS_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
WARPGLASS_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WARPGLASS_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WARPGLASS_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WARPGLASS_DEVICE void __trap() { __builtin_trap(); }

// Warp operations
WARPGLASS_DEVICE unsigned __activemask() { unsigned m; asm volatile("activemask.b32 %0;" : "=r"(m)); return m; }
WARPGLASS_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
WARPGLASS_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WARPGLASS_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
#define WARPGLASS_SHUFFLE(name, builtin, clamp)                                                                  \
    WARPGLASS_DEVICE int name(unsigned mask, int v, int lane, int width = 32)                                    \
    { return __nvvm_shfl_sync_##builtin##_i32(mask, v, lane, ((32 - width) << 8) | (clamp)); }                   \
    WARPGLASS_DEVICE unsigned name(unsigned mask, unsigned v, int lane, int width = 32)                          \
    { return (unsigned)name(mask, (int)v, lane, width); }                                                        \
    WARPGLASS_DEVICE float name(unsigned mask, float v, int lane, int width = 32)                                \
    { return __nvvm_shfl_sync_##builtin##_f32(mask, v, lane, ((32 - width) << 8) | (clamp)); }                   \
    WARPGLASS_DEVICE double name(unsigned mask, double v, int lane, int width = 32)                              \
    {                                                                                                            \
        union { double d; int i[2]; } u = {v};                                                                   \
        u.i[0] = name(mask, u.i[0], lane, width);                                                                \
        u.i[1] = name(mask, u.i[1], lane, width);                                                                \
        return u.d;                                                                                              \
    }
WARPGLASS_SHUFFLE(__shfl_sync, idx, 0x1f)
WARPGLASS_SHUFFLE(__shfl_up_sync, up, 0)
WARPGLASS_SHUFFLE(__shfl_down_sync, down, 0x1f)
WARPGLASS_SHUFFLE(__shfl_xor_sync, bfly, 0x1f)

// Atomics
WARPGLASS_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
WARPGLASS_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{ return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
WARPGLASS_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
WARPGLASS_DEVICE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
WARPGLASS_DEVICE int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
WARPGLASS_DEVICE unsigned atomicSub(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, -(int)v); }
WARPGLASS_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
WARPGLASS_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
WARPGLASS_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
WARPGLASS_DEVICE unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
WARPGLASS_DEVICE unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
WARPGLASS_DEVICE int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
WARPGLASS_DEVICE unsigned atomicCAS(unsigned *p, unsigned c, unsigned v) { return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v); }
WARPGLASS_DEVICE unsigned long long atomicCAS(unsigned long long *p, unsigned long long c, unsigned long long v)
{ return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)c, (long long)v); }
WARPGLASS_DEVICE int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicAnd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v); }
WARPGLASS_DEVICE int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicOr(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v); }
WARPGLASS_DEVICE int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
WARPGLASS_DEVICE unsigned atomicXor(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v); }

// Integers
WARPGLASS_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
WARPGLASS_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WARPGLASS_DEVICE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
WARPGLASS_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
WARPGLASS_DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
WARPGLASS_DEVICE int min(int a, int b) { return a < b ? a : b; }
WARPGLASS_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
WARPGLASS_DEVICE int max(int a, int b) { return a > b ? a : b; }
WARPGLASS_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
WARPGLASS_DEVICE int abs(int v) { return v < 0 ? -v : v; }

// Floating point: only what the hardware does in one instruction
WARPGLASS_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPGLASS_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WARPGLASS_DEVICE float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
WARPGLASS_DEVICE double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }
WARPGLASS_DEVICE float rsqrtf(float v) { return __nvvm_rsqrt_approx_f(v); }
WARPGLASS_DEVICE float fabsf(float v) { return __builtin_fabsf(v); }
WARPGLASS_DEVICE double fabs(double v) { return __builtin_fabs(v); }
WARPGLASS_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPGLASS_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPGLASS_DEVICE float floorf(float v) { return __builtin_floorf(v); }
WARPGLASS_DEVICE float ceilf(float v) { return __builtin_ceilf(v); }
WARPGLASS_DEVICE float truncf(float v) { return __builtin_truncf(v); }
WARPGLASS_DEVICE float __sinf(float v) { return __nvvm_sin_approx_f(v); }
WARPGLASS_DEVICE float __cosf(float v) { return __nvvm_cos_approx_f(v); }
WARPGLASS_DEVICE float exp2f(float v) { return __nvvm_ex2_approx_f(v); }
WARPGLASS_DEVICE float __expf(float v) { return __nvvm_ex2_approx_f(v * 1.4426950408889634f); }
WARPGLASS_DEVICE float __logf(float v) { return __nvvm_lg2_approx_f(v) * 0.6931471805599453f; }
WARPGLASS_DEVICE float __log2f(float v) { return __nvvm_lg2_approx_f(v); }
WARPGLASS_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WARPGLASS_DEVICE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
WARPGLASS_DEVICE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
WARPGLASS_DEVICE float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
WARPGLASS_DEVICE unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
template <class T> WARPGLASS_DEVICE T __ldg(const T *p) { return *p; }

WARPGLASS_DEVICE long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
WARPGLASS_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }

// Launch syntax of host code in the same file: parsed, not run.
typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
cudaError_t __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
#endif
