// min and max of every pair of arithmetic types, on both sides, as CUDA has them without std::; and the host's side of
// functions that only CUDA's mathematics has.
#ifndef WARPGLASS_MIN_MAX_H
#define WARPGLASS_MIN_MAX_H

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
static __device__ __forceinline__ float rsqrt(float a) { return rsqrtf(a); }
static __device__ __forceinline__ float sinpi(float a) { return sinpif(a); }
static __device__ __forceinline__ float cospi(float a) { return cospif(a); }
#endif
