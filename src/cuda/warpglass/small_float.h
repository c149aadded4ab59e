// What cuda_fp16.h and cuda_bf16.h share: a 16-bit floating-point type by macros. Host arithmetic goes through float;
// the device's is the machine's own 16-bit instructions where they exist for both types, else also float.
#ifndef WARPGLASS_SMALL_FLOAT_H
#define WARPGLASS_SMALL_FLOAT_H
#include "../cuda_runtime.h"

#define WARPGLASS_HD static __host__ __device__ __forceinline__
#define WARPGLASS_DEV static __device__ __forceinline__

// Bits of a float, to either side.
WARPGLASS_HD unsigned warpglass_bits_of(float a)
{
    union {
        float f;
        unsigned u;
    } v = {a};
    return v.u;
}
WARPGLASS_HD float warpglass_float_of(unsigned a)
{
    union {
        unsigned u;
        float f;
    } v;
    v.u = a;
    return v.f;
}

// To half precision, nearest even.
WARPGLASS_HD unsigned short warpglass_to_half(float a)
{
#ifdef __CUDA_ARCH__
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
    return h;
#else
    unsigned b = warpglass_bits_of(a), sign = b >> 16 & 0x8000u, m = b & 0x7fffffffu;
    if (m >= 0x7f800000u)
        return (unsigned short)(m > 0x7f800000u ? 0x7fffu : sign | 0x7c00u);
    if (m >= 0x477ff000u) // rounds beyond the largest
        return (unsigned short)(sign | 0x7c00u);
    if (m < 0x38800000u) { // subnormal: let float addition round at 2^-24
        float f = warpglass_float_of(m) + 0.5f;
        return (unsigned short)(sign | (warpglass_bits_of(f) - 0x3f000000u));
    }
    m += 0xfffu + (m >> 13 & 1u);
    return (unsigned short)(sign | (m - 0x38000000u) >> 13);
#endif
}
WARPGLASS_HD float warpglass_from_half(unsigned short h)
{
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned sign = (unsigned)(h & 0x8000u) << 16, m = h & 0x7fffu;
    if (m >= 0x7c00u)
        return warpglass_float_of(sign | 0x7f800000u | m << 13);
    float f = m < 0x400u ? (float)m * 0x1p-24f : warpglass_float_of((m << 13) + 0x38000000u);
    return warpglass_float_of(sign | warpglass_bits_of(f));
#endif
}
WARPGLASS_HD unsigned short warpglass_to_bfloat(float a)
{
    unsigned b = warpglass_bits_of(a);
    if ((b & 0x7fffffffu) > 0x7f800000u)
        return 0x7fffu;
    return (unsigned short)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);
}
WARPGLASS_HD float warpglass_from_bfloat(unsigned short h) { return warpglass_float_of((unsigned)h << 16); }

// a + b to float, but with an odd last bit wherever something was lost.
WARPGLASS_HD float warpglass_round_to_odd(double a, double b)
{
    double s = a + b, v = s - a, rest = (a - (s - v)) + (b - v);
    float f = (float)s;
    double lost = (s - (double)f) + rest;
    unsigned bits = warpglass_bits_of(f);
    if (!(lost != 0) || (bits & 1u) || (bits & 0x7f800000u) == 0x7f800000u)
        return f;
    return warpglass_float_of((lost > 0) == (f > 0) ? bits + 1 : bits - 1);
}

// The type, its pair, conversions and arithmetic of the operators.
#define WARPGLASS_SMALL_FLOAT(type, pair, encode, decode)                                                    \
    struct __align__(2) type {                                                                               \
        unsigned short bits;                                                                                 \
        type() = default;                                                                                    \
        __host__ __device__ type(float a) : bits(encode(a)) {}                                               \
        __host__ __device__ type(double a) : bits(encode((float)a)) {}                                       \
        __host__ __device__ type(int a) : bits(encode((float)a)) {}                                          \
        __host__ __device__ type(unsigned a) : bits(encode((float)a)) {}                                     \
        __host__ __device__ operator float() const { return decode(bits); }                                  \
    };                                                                                                       \
    struct __align__(4) pair {                                                                               \
        type x, y;                                                                                           \
        pair() = default;                                                                                    \
        __host__ __device__ pair(type a, type b) : x(a), y(b) {}                                             \
    };                                                                                                       \
    WARPGLASS_HD type operator+(type a, type b) { return type((float)a + (float)b); }                        \
    WARPGLASS_HD type operator-(type a, type b) { return type((float)a - (float)b); }                        \
    WARPGLASS_HD type operator*(type a, type b) { return type((float)a * (float)b); }                        \
    WARPGLASS_HD type operator/(type a, type b) { return type((float)a / (float)b); }                        \
    WARPGLASS_HD type operator-(type a)                                                                      \
    {                                                                                                        \
        a.bits ^= 0x8000u;                                                                                   \
        return a;                                                                                            \
    }                                                                                                        \
    WARPGLASS_HD type &operator+=(type &a, type b) { return a = a + b; }                                     \
    WARPGLASS_HD type &operator-=(type &a, type b) { return a = a - b; }                                     \
    WARPGLASS_HD type &operator*=(type &a, type b) { return a = a * b; }                                     \
    WARPGLASS_HD type &operator/=(type &a, type b) { return a = a / b; }                                     \
    WARPGLASS_HD bool operator==(type a, type b) { return (float)a == (float)b; }                            \
    WARPGLASS_HD bool operator!=(type a, type b) { return (float)a != (float)b; }                            \
    WARPGLASS_HD bool operator<(type a, type b) { return (float)a < (float)b; }                              \
    WARPGLASS_HD bool operator>(type a, type b) { return (float)a > (float)b; }                              \
    WARPGLASS_HD bool operator<=(type a, type b) { return (float)a <= (float)b; }                            \
    WARPGLASS_HD bool operator>=(type a, type b) { return (float)a >= (float)b; }                            \
    WARPGLASS_HD pair operator+(pair a, pair b) { return pair(a.x + b.x, a.y + b.y); }                       \
    WARPGLASS_HD pair operator-(pair a, pair b) { return pair(a.x - b.x, a.y - b.y); }                       \
    WARPGLASS_HD pair operator*(pair a, pair b) { return pair(a.x * b.x, a.y * b.y); }                       \
    WARPGLASS_HD type __hadd(type a, type b) { return a + b; }                                               \
    WARPGLASS_HD type __hsub(type a, type b) { return a - b; }                                               \
    WARPGLASS_HD type __hmul(type a, type b) { return a * b; }                                               \
    WARPGLASS_HD type __hdiv(type a, type b) { return a / b; }                                               \
    WARPGLASS_HD type __hneg(type a) { return -a; }                                                          \
    WARPGLASS_HD type __habs(type a)                                                                         \
    {                                                                                                        \
        a.bits &= 0x7fffu;                                                                                   \
        return a;                                                                                            \
    }                                                                                                        \
    WARPGLASS_HD type __hmax(type a, type b) { return type(::fmaxf((float)a, (float)b)); }                   \
    WARPGLASS_HD type __hmin(type a, type b) { return type(::fminf((float)a, (float)b)); }                   \
    WARPGLASS_HD bool __heq(type a, type b) { return a == b; }                                               \
    WARPGLASS_HD bool __hne(type a, type b) { return a != b; }                                               \
    WARPGLASS_HD bool __hlt(type a, type b) { return a < b; }                                                \
    WARPGLASS_HD bool __hgt(type a, type b) { return a > b; }                                                \
    WARPGLASS_HD bool __hle(type a, type b) { return a <= b; }                                               \
    WARPGLASS_HD bool __hge(type a, type b) { return a >= b; }                                               \
    WARPGLASS_HD bool __hisnan(type a) { return (float)a != (float)a; }                                      \
    WARPGLASS_HD pair __hadd2(pair a, pair b) { return a + b; }                                              \
    WARPGLASS_HD pair __hsub2(pair a, pair b) { return a - b; }                                              \
    WARPGLASS_HD pair __hmul2(pair a, pair b) { return a * b; }                                              \
    WARPGLASS_HD pair __hneg2(pair a) { return pair(-a.x, -a.y); }                                           \
    WARPGLASS_HD pair __habs2(pair a) { return pair(__habs(a.x), __habs(a.y)); }                             \
    WARPGLASS_HD pair __hmax2(pair a, pair b) { return pair(__hmax(a.x, b.x), __hmax(a.y, b.y)); }           \
    WARPGLASS_HD pair __hmin2(pair a, pair b) { return pair(__hmin(a.x, b.x), __hmin(a.y, b.y)); }           \
    WARPGLASS_DEV type hsqrt(type a) { return type(sqrtf((float)a)); }                                       \
    WARPGLASS_DEV type hrsqrt(type a) { return type(rsqrtf((float)a)); }                                     \
    WARPGLASS_DEV type hrcp(type a) { return type(1.0f / (float)a); }                                        \
    WARPGLASS_DEV type hexp(type a) { return type(expf((float)a)); }                                         \
    WARPGLASS_DEV type hexp2(type a) { return type(exp2f((float)a)); }                                       \
    WARPGLASS_DEV type hlog(type a) { return type(logf((float)a)); }                                         \
    WARPGLASS_DEV type hlog2(type a) { return type(log2f((float)a)); }                                       \
    WARPGLASS_DEV type hsin(type a) { return type(sinf((float)a)); }                                         \
    WARPGLASS_DEV type hcos(type a) { return type(cosf((float)a)); }                                         \
    WARPGLASS_DEV type htanh(type a) { return type(tanhf((float)a)); }                                       \
    WARPGLASS_DEV type __shfl_sync(unsigned m, type a, int l, int w = 32)                                    \
    {                                                                                                        \
        a.bits = (unsigned short)__shfl_sync(m, (unsigned)a.bits, l, w);                                     \
        return a;                                                                                            \
    }                                                                                                        \
    WARPGLASS_DEV type __shfl_xor_sync(unsigned m, type a, int l, int w = 32)                                \
    {                                                                                                        \
        a.bits = (unsigned short)__shfl_xor_sync(m, (unsigned)a.bits, l, w);                                 \
        return a;                                                                                            \
    }                                                                                                        \
    WARPGLASS_DEV type __shfl_down_sync(unsigned m, type a, unsigned l, int w = 32)                          \
    {                                                                                                        \
        a.bits = (unsigned short)__shfl_down_sync(m, (unsigned)a.bits, l, w);                                \
        return a;                                                                                            \
    }                                                                                                        \
    WARPGLASS_DEV type __ldg(const type *at)                                                                 \
    {                                                                                                        \
        type v;                                                                                              \
        v.bits = __ldg((const unsigned short *)at);                                                          \
        return v;                                                                                            \
    }                                                                                                        \
    WARPGLASS_DEV pair __ldg(const pair *at)                                                                 \
    {                                                                                                        \
        return __builtin_bit_cast(pair, __ldg((const unsigned *)at));                                        \
    }                                                                                                        \
    WARPGLASS_DEV type atomicAdd(type *at, type v)                                                           \
    {                                                                                                        \
        unsigned short seen = *(volatile unsigned short *)at, old;                                           \
        do {                                                                                                 \
            old = seen;                                                                                      \
            seen = atomicCAS((unsigned short *)at, old, (__builtin_bit_cast(type, old) + v).bits);           \
        } while (seen != old);                                                                               \
        return __builtin_bit_cast(type, old);                                                                \
    }
#endif
