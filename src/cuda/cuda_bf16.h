// Brain floating point (bfloat16): storage, conversions, arithmetic. Arithmetic is done in float and rounded once (a fused
// operation in double), which gives the results of the machine's own instructions, not their count.
#ifndef WARPGLASS_CUDA_BF16_H
#define WARPGLASS_CUDA_BF16_H
#include "warpglass/small_float.h"

WARPGLASS_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, warpglass_to_bfloat, warpglass_from_bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
struct __align__(2) __nv_bfloat16_raw {
    unsigned short x;
};
WARPGLASS_HD __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
WARPGLASS_HD __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
WARPGLASS_HD __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16((float)a); }
WARPGLASS_HD float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
WARPGLASS_HD __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16((float)a); }
WARPGLASS_HD __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16((float)a); }
WARPGLASS_HD __nv_bfloat16 __short2bfloat16_rn(short a) { return __nv_bfloat16((float)a); }
WARPGLASS_HD __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __nv_bfloat16((float)a); }
WARPGLASS_HD int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
WARPGLASS_HD int __bfloat162int_rn(__nv_bfloat16 a) { return (int)rintf((float)a); }
WARPGLASS_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
WARPGLASS_HD short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.bits; }
WARPGLASS_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a)
{
    __nv_bfloat16 v;
    v.bits = a;
    return v;
}
WARPGLASS_HD __nv_bfloat16 __short_as_bfloat16(short a) { return __ushort_as_bfloat16((unsigned short)a); }
WARPGLASS_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
WARPGLASS_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
WARPGLASS_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
WARPGLASS_HD __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
WARPGLASS_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
WARPGLASS_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
WARPGLASS_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
WARPGLASS_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
WARPGLASS_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
WARPGLASS_HD float __low2float(__nv_bfloat162 a) { return (float)a.x; }
WARPGLASS_HD float __high2float(__nv_bfloat162 a) { return (float)a.y; }
WARPGLASS_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
WARPGLASS_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
WARPGLASS_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
// The product is exact in double; the sum is brought to float by rounding to odd, so that the last step decides alone.
WARPGLASS_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16(warpglass_round_to_odd((double)(float)a * (double)(float)b, (double)(float)c));
}
WARPGLASS_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif
