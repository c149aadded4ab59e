// Half precision: storage, conversions, arithmetic. Arithmetic is done in float and rounded once (a fused
// operation in double), which gives the results of the machine's own instructions, not their count.
#ifndef WARPGLASS_CUDA_FP16_H
#define WARPGLASS_CUDA_FP16_H
#include "warpglass/small_float.h"

WARPGLASS_SMALL_FLOAT(__half, __half2, warpglass_to_half, warpglass_from_half)
typedef __half half;
typedef __half2 half2;
struct __align__(2) __half_raw {
    unsigned short x;
};
WARPGLASS_HD __half __float2half(float a) { return __half(a); }
WARPGLASS_HD __half __float2half_rn(float a) { return __half(a); }
WARPGLASS_HD __half __double2half(double a) { return __half((float)a); }
WARPGLASS_HD float __half2float(__half a) { return (float)a; }
WARPGLASS_HD __half __int2half_rn(int a) { return __half((float)a); }
WARPGLASS_HD __half __uint2half_rn(unsigned a) { return __half((float)a); }
WARPGLASS_HD __half __short2half_rn(short a) { return __half((float)a); }
WARPGLASS_HD __half __ushort2half_rn(unsigned short a) { return __half((float)a); }
WARPGLASS_HD int __half2int_rz(__half a) { return (int)(float)a; }
WARPGLASS_HD int __half2int_rn(__half a) { return (int)rintf((float)a); }
WARPGLASS_HD unsigned short __half_as_ushort(__half a) { return a.bits; }
WARPGLASS_HD short __half_as_short(__half a) { return (short)a.bits; }
WARPGLASS_HD __half __ushort_as_half(unsigned short a)
{
    __half v;
    v.bits = a;
    return v;
}
WARPGLASS_HD __half __short_as_half(short a) { return __ushort_as_half((unsigned short)a); }
WARPGLASS_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WARPGLASS_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WARPGLASS_HD __half2 __half2half2(__half a) { return __half2(a, a); }
WARPGLASS_HD __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
WARPGLASS_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WARPGLASS_HD __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
WARPGLASS_HD float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
WARPGLASS_HD __half __low2half(__half2 a) { return a.x; }
WARPGLASS_HD __half __high2half(__half2 a) { return a.y; }
WARPGLASS_HD float __low2float(__half2 a) { return (float)a.x; }
WARPGLASS_HD float __high2float(__half2 a) { return (float)a.y; }
WARPGLASS_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
WARPGLASS_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
WARPGLASS_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
// The product is exact in double; the sum is brought to float by rounding to odd, so that the last step decides alone.
WARPGLASS_HD __half __hfma(__half a, __half b, __half c)
{
    return __half(warpglass_round_to_odd((double)(float)a * (double)(float)b, (double)(float)c));
}
WARPGLASS_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif
