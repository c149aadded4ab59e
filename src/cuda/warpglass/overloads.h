// Overloads that clang leaves to NVIDIA's headers: the device's mathematics of float under the names of double; min and
// max of every pair of arithmetic types, on both sides, as CUDA has them without std::; the host's side of functions
// that only CUDA has.
#ifndef WARPGLASS_OVERLOADS_H
#define WARPGLASS_OVERLOADS_H

#define WARPGLASS_FLOAT1(result, name)                                                                       \
    static __device__ __forceinline__ result name(float a) { return name##f(a); }
#define WARPGLASS_FLOAT2(name, other)                                                                        \
    static __device__ __forceinline__ float name(float a, other b) { return name##f(a, b); }
WARPGLASS_FLOAT1(float, acosh)
WARPGLASS_FLOAT1(float, asinh)
WARPGLASS_FLOAT1(float, atanh)
WARPGLASS_FLOAT1(float, cbrt)
WARPGLASS_FLOAT1(float, erf)
WARPGLASS_FLOAT1(float, erfc)
WARPGLASS_FLOAT1(float, exp2)
WARPGLASS_FLOAT1(float, expm1)
WARPGLASS_FLOAT1(int, ilogb)
WARPGLASS_FLOAT1(float, lgamma)
WARPGLASS_FLOAT1(long long, llrint)
WARPGLASS_FLOAT1(long long, llround)
WARPGLASS_FLOAT1(float, log1p)
WARPGLASS_FLOAT1(float, log2)
WARPGLASS_FLOAT1(float, logb)
WARPGLASS_FLOAT1(long, lrint)
WARPGLASS_FLOAT1(long, lround)
WARPGLASS_FLOAT1(float, nearbyint)
WARPGLASS_FLOAT1(float, rint)
WARPGLASS_FLOAT1(float, round)
WARPGLASS_FLOAT1(float, tgamma)
WARPGLASS_FLOAT1(float, trunc)
WARPGLASS_FLOAT1(float, rsqrt)
WARPGLASS_FLOAT1(float, rcbrt)
WARPGLASS_FLOAT1(float, sinpi)
WARPGLASS_FLOAT1(float, cospi)
WARPGLASS_FLOAT1(float, exp10)
WARPGLASS_FLOAT1(float, normcdf)
WARPGLASS_FLOAT1(float, normcdfinv)
WARPGLASS_FLOAT1(float, erfinv)
WARPGLASS_FLOAT1(float, erfcinv)
WARPGLASS_FLOAT1(float, erfcx)
WARPGLASS_FLOAT2(copysign, float)
WARPGLASS_FLOAT2(fdim, float)
WARPGLASS_FLOAT2(fmax, float)
WARPGLASS_FLOAT2(fmin, float)
WARPGLASS_FLOAT2(hypot, float)
WARPGLASS_FLOAT2(nextafter, float)
WARPGLASS_FLOAT2(remainder, float)
WARPGLASS_FLOAT2(scalbln, long)
WARPGLASS_FLOAT2(scalbn, int)
static __device__ __forceinline__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
#undef WARPGLASS_FLOAT1
#undef WARPGLASS_FLOAT2

// clang's headers bring the device's min and max of two ints; the host's and all others are here.
static __host__ __forceinline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __forceinline__ int max(int a, int b) { return a > b ? a : b; }
#define WARPGLASS_MIN_MAX(type, other, result)                                                               \
    static __host__ __device__ __forceinline__ result min(type a, other b)                                   \
    {                                                                                                        \
        return (result)a < (result)b ? (result)a : (result)b;                                                \
    }                                                                                                        \
    static __host__ __device__ __forceinline__ result max(type a, other b)                                   \
    {                                                                                                        \
        return (result)a > (result)b ? (result)a : (result)b;                                                \
    }
WARPGLASS_MIN_MAX(unsigned, unsigned, unsigned)
WARPGLASS_MIN_MAX(int, unsigned, unsigned)
WARPGLASS_MIN_MAX(unsigned, int, unsigned)
WARPGLASS_MIN_MAX(long, long, long)
WARPGLASS_MIN_MAX(unsigned long, unsigned long, unsigned long)
WARPGLASS_MIN_MAX(long, unsigned long, unsigned long)
WARPGLASS_MIN_MAX(unsigned long, long, unsigned long)
WARPGLASS_MIN_MAX(long long, long long, long long)
WARPGLASS_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
WARPGLASS_MIN_MAX(long long, unsigned long long, unsigned long long)
WARPGLASS_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef WARPGLASS_MIN_MAX

#define WARPGLASS_FLOAT_MIN_MAX(type, other, result)                                                         \
    static __host__ __device__ __forceinline__ result min(type a, other b) { return fmin((result)a, (result)b); } \
    static __host__ __device__ __forceinline__ result max(type a, other b) { return fmax((result)a, (result)b); }
WARPGLASS_FLOAT_MIN_MAX(float, float, float)
WARPGLASS_FLOAT_MIN_MAX(double, double, double)
WARPGLASS_FLOAT_MIN_MAX(float, double, double)
WARPGLASS_FLOAT_MIN_MAX(double, float, double)
#undef WARPGLASS_FLOAT_MIN_MAX

static __host__ inline float rsqrtf(float a) { return 1.0f / ::sqrtf(a); }
static __host__ inline double rsqrt(double a) { return 1.0 / ::sqrt(a); }
static __host__ inline float rsqrt(float a) { return rsqrtf(a); }
static __host__ inline double sinpi(double a) { return ::sin(M_PI * a); }
static __host__ inline double cospi(double a) { return ::cos(M_PI * a); }
static __host__ inline float sinpif(float a) { return (float)::sin(M_PI * a); }
static __host__ inline float cospif(float a) { return (float)::cos(M_PI * a); }
static __host__ inline double normcdf(double a) { return 0.5 * ::erfc(-a * M_SQRT1_2); }
static __host__ inline float normcdff(float a) { return (float)normcdf((double)a); }
#endif
