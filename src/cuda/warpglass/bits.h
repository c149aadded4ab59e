// NVIDIA's device library, first part: what one or a few instructions do. Integers, bits, conversions, arithmetic with
// a rounding direction, fast approximations. clang's headers give these functions their CUDA names.
#ifndef WARPGLASS_BITS_H
#define WARPGLASS_BITS_H

#define WARPGLASS_FUNCTION static __device__ __forceinline__

// ---- integers ----
WARPGLASS_FUNCTION int __nv_abs(int a) { return a < 0 ? -a : a; }
WARPGLASS_FUNCTION long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
WARPGLASS_FUNCTION int __nv_min(int a, int b) { return a < b ? a : b; }
WARPGLASS_FUNCTION int __nv_max(int a, int b) { return a > b ? a : b; }
WARPGLASS_FUNCTION unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
WARPGLASS_FUNCTION unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
WARPGLASS_FUNCTION long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
WARPGLASS_FUNCTION long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
WARPGLASS_FUNCTION unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
WARPGLASS_FUNCTION unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
WARPGLASS_FUNCTION int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned)a); }
WARPGLASS_FUNCTION long long __nv_brevll(long long a) { return (long long)__builtin_bitreverse64((unsigned long long)a); }
WARPGLASS_FUNCTION int __nv_clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
WARPGLASS_FUNCTION int __nv_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
WARPGLASS_FUNCTION int __nv_ffs(int a) { return __builtin_ffs(a); }
WARPGLASS_FUNCTION int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
WARPGLASS_FUNCTION int __nv_popc(int a) { return __builtin_popcount((unsigned)a); }
WARPGLASS_FUNCTION int __nv_popcll(long long a) { return __builtin_popcountll((unsigned long long)a); }
WARPGLASS_FUNCTION int __nv_byte_perm(int a, int b, int c)
{
    int d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 0x7777));
    return d;
}
WARPGLASS_FUNCTION int __nv_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WARPGLASS_FUNCTION unsigned __nv_umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
WARPGLASS_FUNCTION long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WARPGLASS_FUNCTION unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
WARPGLASS_FUNCTION int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPGLASS_FUNCTION unsigned __nv_umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
WARPGLASS_FUNCTION int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
WARPGLASS_FUNCTION int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
WARPGLASS_FUNCTION unsigned __nv_uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
WARPGLASS_FUNCTION unsigned __nv_urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
WARPGLASS_FUNCTION unsigned __nv_sad(int a, int b, unsigned c)
{
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
WARPGLASS_FUNCTION unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }

// ---- bits of floating point ----
WARPGLASS_FUNCTION float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
WARPGLASS_FUNCTION float __nv_uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
WARPGLASS_FUNCTION int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPGLASS_FUNCTION unsigned __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
WARPGLASS_FUNCTION double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
WARPGLASS_FUNCTION long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
WARPGLASS_FUNCTION int __nv_double2hiint(double a) { return (int)(__nv_double_as_longlong(a) >> 32); }
WARPGLASS_FUNCTION int __nv_double2loint(double a) { return (int)__nv_double_as_longlong(a); }
WARPGLASS_FUNCTION double __nv_hiloint2double(int hi, int lo)
{
    return __nv_longlong_as_double((long long)hi << 32 | (unsigned)lo);
}
WARPGLASS_FUNCTION float __nv_fabsf(float a) { return __builtin_fabsf(a); }
WARPGLASS_FUNCTION double __nv_fabs(double a) { return __builtin_fabs(a); }
WARPGLASS_FUNCTION float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
WARPGLASS_FUNCTION double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
WARPGLASS_FUNCTION int __nv_signbitf(float a) { return __nv_float_as_int(a) < 0; }
WARPGLASS_FUNCTION int __nv_signbitd(double a) { return __nv_double_as_longlong(a) < 0; }
WARPGLASS_FUNCTION int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
WARPGLASS_FUNCTION int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
WARPGLASS_FUNCTION int __nv_isnanf(float a) { return !(a == a); }
WARPGLASS_FUNCTION int __nv_isnand(double a) { return !(a == a); }
WARPGLASS_FUNCTION int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
WARPGLASS_FUNCTION int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }

// ---- arithmetic and conversions with a rounding direction: CUDA's rd and ru are PTX's rm and rp ----
// Sums and products are spelled in PTX, because the compiler would take clang's builtins for plain operators and fuse
// them, which these functions promise not to be.
#define WARPGLASS_EXACTLY(name, type, ptx, letter)                                                           \
    WARPGLASS_FUNCTION type name(type a, type b)                                                             \
    {                                                                                                        \
        type c;                                                                                              \
        asm(ptx " %0, %1, %2;" : "=" letter(c) : letter(a), letter(b));                                      \
        return c;                                                                                            \
    }
#define WARPGLASS_ROUNDED(cuda, ptx)                                                                         \
    WARPGLASS_EXACTLY(__nv_fadd_##cuda, float, "add." #ptx ".f32", "f") \
    WARPGLASS_EXACTLY(__nv_fsub_##cuda, float, "sub." #ptx ".f32", "f") \
    WARPGLASS_EXACTLY(__nv_fmul_##cuda, float, "mul." #ptx ".f32", "f") \
    WARPGLASS_FUNCTION float __nv_fdiv_##cuda(float a, float b) { return __nvvm_div_##ptx##_f(a, b); }       \
    WARPGLASS_FUNCTION float __nv_frcp_##cuda(float a) { return __nvvm_rcp_##ptx##_f(a); }                   \
    WARPGLASS_FUNCTION float __nv_fsqrt_##cuda(float a) { return __nvvm_sqrt_##ptx##_f(a); }                 \
    WARPGLASS_FUNCTION float __nv_fmaf_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    WARPGLASS_FUNCTION float __nv_fmaf_ieee_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    WARPGLASS_EXACTLY(__nv_dadd_##cuda, double, "add." #ptx ".f64", "d") \
    WARPGLASS_EXACTLY(__nv_dsub_##cuda, double, "sub." #ptx ".f64", "d") \
    WARPGLASS_EXACTLY(__nv_dmul_##cuda, double, "mul." #ptx ".f64", "d") \
    WARPGLASS_FUNCTION double __nv_ddiv_##cuda(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }    \
    WARPGLASS_FUNCTION double __nv_drcp_##cuda(double a) { return __nvvm_rcp_##ptx##_d(a); }                 \
    WARPGLASS_FUNCTION double __nv_dsqrt_##cuda(double a) { return __nvvm_sqrt_##ptx##_d(a); }               \
    WARPGLASS_FUNCTION double __nv_fma_##cuda(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); } \
    WARPGLASS_FUNCTION float __nv_double2float_##cuda(double a) { return __nvvm_d2f_##ptx(a); }              \
    WARPGLASS_FUNCTION int __nv_double2int_##cuda(double a) { return __nvvm_d2i_##ptx(a); }                  \
    WARPGLASS_FUNCTION unsigned __nv_double2uint_##cuda(double a) { return __nvvm_d2ui_##ptx(a); }           \
    WARPGLASS_FUNCTION long long __nv_double2ll_##cuda(double a) { return __nvvm_d2ll_##ptx(a); }            \
    WARPGLASS_FUNCTION unsigned long long __nv_double2ull_##cuda(double a) { return __nvvm_d2ull_##ptx(a); } \
    WARPGLASS_FUNCTION int __nv_float2int_##cuda(float a) { return __nvvm_f2i_##ptx(a); }                    \
    WARPGLASS_FUNCTION unsigned __nv_float2uint_##cuda(float a) { return __nvvm_f2ui_##ptx(a); }             \
    WARPGLASS_FUNCTION long long __nv_float2ll_##cuda(float a) { return __nvvm_f2ll_##ptx(a); }              \
    WARPGLASS_FUNCTION unsigned long long __nv_float2ull_##cuda(float a) { return __nvvm_f2ull_##ptx(a); }   \
    WARPGLASS_FUNCTION float __nv_int2float_##cuda(int a) { return __nvvm_i2f_##ptx(a); }                    \
    WARPGLASS_FUNCTION float __nv_uint2float_##cuda(unsigned a) { return __nvvm_ui2f_##ptx(a); }             \
    WARPGLASS_FUNCTION float __nv_ll2float_##cuda(long long a) { return __nvvm_ll2f_##ptx(a); }              \
    WARPGLASS_FUNCTION float __nv_ull2float_##cuda(unsigned long long a) { return __nvvm_ull2f_##ptx(a); }   \
    WARPGLASS_FUNCTION double __nv_ll2double_##cuda(long long a) { return __nvvm_ll2d_##ptx(a); }            \
    WARPGLASS_FUNCTION double __nv_ull2double_##cuda(unsigned long long a) { return __nvvm_ull2d_##ptx(a); }
WARPGLASS_ROUNDED(rn, rn)
WARPGLASS_ROUNDED(rz, rz)
WARPGLASS_ROUNDED(rd, rm)
WARPGLASS_ROUNDED(ru, rp)
#undef WARPGLASS_ROUNDED
#undef WARPGLASS_EXACTLY
WARPGLASS_FUNCTION double __nv_int2double_rn(int a) { return a; }
WARPGLASS_FUNCTION double __nv_uint2double_rn(unsigned a) { return a; }

// ---- rounding to integers, smallest and largest, fused and root ----
WARPGLASS_FUNCTION float __nv_floorf(float a) { return __builtin_floorf(a); }
WARPGLASS_FUNCTION double __nv_floor(double a) { return __builtin_floor(a); }
WARPGLASS_FUNCTION float __nv_ceilf(float a) { return __builtin_ceilf(a); }
WARPGLASS_FUNCTION double __nv_ceil(double a) { return __builtin_ceil(a); }
WARPGLASS_FUNCTION float __nv_truncf(float a) { return __builtin_truncf(a); }
WARPGLASS_FUNCTION double __nv_trunc(double a) { return __builtin_trunc(a); }
WARPGLASS_FUNCTION float __nv_rintf(float a) { return __builtin_rintf(a); }
WARPGLASS_FUNCTION double __nv_rint(double a) { return __builtin_rint(a); }
WARPGLASS_FUNCTION float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
WARPGLASS_FUNCTION double __nv_nearbyint(double a) { return __builtin_rint(a); }
WARPGLASS_FUNCTION float __nv_roundf(float a)
{
    float whole = __builtin_truncf(a);
    return __builtin_copysignf(__builtin_fabsf(a - whole) >= 0.5f ? whole + __builtin_copysignf(1, a) : whole, a);
}
WARPGLASS_FUNCTION double __nv_round(double a)
{
    double whole = __builtin_trunc(a);
    return __builtin_copysign(__builtin_fabs(a - whole) >= 0.5 ? whole + __builtin_copysign(1, a) : whole, a);
}
WARPGLASS_FUNCTION long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
WARPGLASS_FUNCTION long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
WARPGLASS_FUNCTION long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__nv_roundf(a)); }
WARPGLASS_FUNCTION long long __nv_llround(double a) { return __nvvm_d2ll_rz(__nv_round(a)); }
WARPGLASS_FUNCTION float __nv_fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
WARPGLASS_FUNCTION double __nv_fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
WARPGLASS_FUNCTION float __nv_fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
WARPGLASS_FUNCTION double __nv_fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
WARPGLASS_FUNCTION float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
WARPGLASS_FUNCTION double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
WARPGLASS_FUNCTION float __nv_fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPGLASS_FUNCTION double __nv_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
WARPGLASS_FUNCTION float __nv_sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WARPGLASS_FUNCTION double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WARPGLASS_FUNCTION float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
WARPGLASS_FUNCTION float __nv_frsqrt_rn(float a) { return __nvvm_d2f_rn(__nvvm_div_rn_d(1.0, __nvvm_sqrt_rn_d(a))); }
WARPGLASS_FUNCTION double __nv_rsqrt(double a) // one of Newton's steps behind the quotient
{
    double y = __nvvm_div_rn_d(1.0, __nvvm_sqrt_rn_d(a)), ay = __nv_dmul_rn(a, y);
    double rest = __nvvm_fma_rn_d(-ay, y, 1.0) - __nv_dmul_rn(__nvvm_fma_rn_d(a, y, -ay), y);
    return a > 0 && a < __builtin_inf() ? __nvvm_fma_rn_d(__nvvm_mul_rn_d(y, 0.5), rest, y) : y;
}
WARPGLASS_FUNCTION float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }

// ---- the approximations that the special function unit gives ----
WARPGLASS_FUNCTION float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WARPGLASS_FUNCTION float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
WARPGLASS_FUNCTION float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
WARPGLASS_FUNCTION float __nv_fast_tanf(float a) { return __nvvm_div_approx_f(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
WARPGLASS_FUNCTION void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}
WARPGLASS_FUNCTION float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
WARPGLASS_FUNCTION float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147180559945309f; }
WARPGLASS_FUNCTION float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.301029995663981195f; }
WARPGLASS_FUNCTION float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504088896341f); }
WARPGLASS_FUNCTION float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809488736235f); }
WARPGLASS_FUNCTION float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
#endif
