// Complex numbers of CUDA: float2 and double2 under other names, and their arithmetic on both sides.
#ifndef WARPGLASS_CUCOMPLEX_H
#define WARPGLASS_CUCOMPLEX_H
#include <math.h>
#include "vector_functions.h"

#define WARPGLASS_COMPLEX(type, complex, f, suffix)                                                          \
    static __inline__ __host__ __device__ type cuCreal##suffix(complex a) { return a.x; }                    \
    static __inline__ __host__ __device__ type cuCimag##suffix(complex a) { return a.y; }                    \
    static __inline__ __host__ __device__ complex cuConj##suffix(complex a)                                  \
    {                                                                                                        \
        complex r = {a.x, -a.y};                                                                             \
        return r;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ complex cuCadd##suffix(complex a, complex b)                       \
    {                                                                                                        \
        complex r = {a.x + b.x, a.y + b.y};                                                                  \
        return r;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ complex cuCsub##suffix(complex a, complex b)                       \
    {                                                                                                        \
        complex r = {a.x - b.x, a.y - b.y};                                                                  \
        return r;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ complex cuCmul##suffix(complex a, complex b)                       \
    {                                                                                                        \
        complex r = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                          \
        return r;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ complex cuCfma##suffix(complex a, complex b, complex c)            \
    {                                                                                                        \
        return cuCadd##suffix(cuCmul##suffix(a, b), c);                                                      \
    }                                                                                                        \
    static __inline__ __host__ __device__ complex cuCdiv##suffix(complex a, complex b)                       \
    {                                                                                                        \
        type s = fabs##f(b.x) + fabs##f(b.y), x = b.x / s, y = b.y / s, n = s * (x * x + y * y);             \
        complex r = {(a.x * x + a.y * y) / n, (a.y * x - a.x * y) / n};                                      \
        return r;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ type cuCabs##suffix(complex a) { return hypot##f(a.x, a.y); }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
static __inline__ __host__ __device__ cuFloatComplex make_cuFloatComplex(float x, float y) { return make_float2(x, y); }
static __inline__ __host__ __device__ cuDoubleComplex make_cuDoubleComplex(double x, double y) { return make_double2(x, y); }
static __inline__ __host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
WARPGLASS_COMPLEX(float, cuFloatComplex, f, f)
WARPGLASS_COMPLEX(double, cuDoubleComplex, , )
#undef WARPGLASS_COMPLEX
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_double2(a.x, a.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_float2((float)a.x, (float)a.y);
}
#endif
