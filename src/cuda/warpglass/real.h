// Ground of the device's mathematics: numbers as unevaluated sums of two (value and what rounding took from it), their
// products and sums, and the constants per type. A product whose rounding matters is spelled mul(): the compiler may
// fuse plain ones.
#ifndef WARPGLASS_REAL_H
#define WARPGLASS_REAL_H

namespace warpglass_math {
#define WG static __device__ __forceinline__
#define WG_LARGE static __device__ __attribute__((noinline))

WG float mul(float a, float b) { return __nv_fmul_rn(a, b); }
WG double mul(double a, double b) { return __nv_dmul_rn(a, b); }
WG float fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WG double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
WG float div(float a, float b) { return __nvvm_div_rn_f(a, b); }
WG double div(double a, double b) { return __nvvm_div_rn_d(a, b); }
WG float sqrt(float a) { return __nvvm_sqrt_rn_f(a); }
WG double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WG float abs(float a) { return __builtin_fabsf(a); }
WG double abs(double a) { return __builtin_fabs(a); }
WG float with_sign(float a, float b) { return __builtin_copysignf(a, b); }
WG double with_sign(double a, double b) { return __builtin_copysign(a, b); }
WG float nearest(float a) { return __builtin_rintf(a); }
WG double nearest(double a) { return __builtin_rint(a); }
WG float whole(float a) { return __builtin_truncf(a); }
WG double whole(double a) { return __builtin_trunc(a); }
WG int to_int(float a) { return __nvvm_f2i_rn(a); }
WG int to_int(double a) { return __nvvm_d2i_rn(a); }

// hi + lo, where hi is the sum rounded.
template <class T> struct pair {
    T hi, lo;
};
// For |a| >= |b|.
template <class T> WG pair<T> quick_sum(T a, T b)
{
    T s = a + b;
    return pair<T>{s, b - (s - a)};
}
template <class T> WG pair<T> sum(T a, T b)
{
    T s = a + b, v = s - a;
    return pair<T>{s, (a - (s - v)) + (b - v)};
}
template <class T> WG pair<T> sum(pair<T> a, pair<T> b)
{
    pair<T> s = sum(a.hi, b.hi);
    return quick_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <class T> WG pair<T> product(T a, T b)
{
    T p = mul(a, b);
    return pair<T>{p, fma(a, b, -p)};
}
template <class T> WG pair<T> product(pair<T> a, T b)
{
    pair<T> p = product(a.hi, b);
    return quick_sum(p.hi, fma(a.lo, b, p.lo));
}
template <class T> WG pair<T> product(pair<T> a, pair<T> b)
{
    pair<T> p = product(a.hi, b.hi);
    return quick_sum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}
template <class T> WG pair<T> quotient(pair<T> a, pair<T> b)
{
    T q = div(a.hi, b.hi);
    T rest = fma(-q, b.lo, fma(-q, b.hi, a.hi) + a.lo);
    return quick_sum(q, div(rest, b.hi));
}
// The root of a positive number.
template <class T> WG pair<T> root(pair<T> a)
{
    T r = sqrt(a.hi);
    return quick_sum(r, div(fma(-r, r, a.hi) + a.lo, r + r));
}

// 1/n!; loops over n are unrolled, so that no table is left in the program.
WG double over_factorial(int n)
{
    constexpr double table[22] = {1.0,
                                  1.0,
                                  1.0 / 2,
                                  1.0 / 6,
                                  1.0 / 24,
                                  1.0 / 120,
                                  1.0 / 720,
                                  1.0 / 5040,
                                  1.0 / 40320,
                                  1.0 / 362880,
                                  1.0 / 3628800,
                                  1.0 / 39916800,
                                  1.0 / 479001600,
                                  1.0 / 6227020800,
                                  1.0 / 87178291200,
                                  1.0 / 1307674368000,
                                  1.0 / 20922789888000,
                                  1.0 / 355687428096000,
                                  1.0 / 6402373705728000,
                                  1.0 / 121645100408832000,
                                  1.0 / 2432902008176640000,
                                  1.0 / 51090942171709440000.0};
    return table[n];
}

// Constants, each as the type's nearest value and the rest; `cut` ones have room for an exact product with an exponent.
template <class T> struct constants;
template <> struct constants<double> {
    typedef long long bits;
    static constexpr int mantissa = 52, bias = 1023, exp_terms = 13, log_terms = 12, sine_terms = 8, atan_terms = 10;
    static constexpr double ln2_cut = 0x1.62e42fefa2000p-1, ln2_rest = 0x1.9ef35793c7673p-41;
    static constexpr double log10_2_cut = 0x1.34413509f6000p-2, log10_2_rest = 0x1.9fef311f12b36p-42;
    static constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
    static constexpr double ln10 = 0x1.26bb1bbb55516p+1, ln10_low = -0x1.f48ad494ea3e9p-53;
    static constexpr double log2e = 0x1.71547652b82fep+0, log2e_low = 0x1.777d0ffda0d24p-56;
    static constexpr double log10e = 0x1.bcb7b1526e50ep-2, log10e_low = 0x1.95355baaafad3p-57;
    static constexpr double log2_10 = 0x1.a934f0979a371p+1;
    static constexpr double third_low = 0x1.5555555555555p-56, fifth_low = -0x1.999999999999ap-57;
    static constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi2 = 0x1.1a62633145c07p-54,
                            half_pi3 = -0x1.f1976b7ed8fbcp-110, two_over_pi = 0x1.45f306dc9c883p-1;
    static constexpr double largest_reduced = 1e5, exp_over = 710.0, exp_under = -746.0, huge = 0x1p1000,
                            tiny_scale = 0x1p54;
    static constexpr int tiny_exponent = 54;
};
template <> struct constants<float> {
    typedef int bits;
    static constexpr int mantissa = 23, bias = 127, exp_terms = 7, log_terms = 6, sine_terms = 4, atan_terms = 5;
    static constexpr float ln2_cut = 0x1.62ep-1f, ln2_rest = 0x1.0bfbe8p-15f;
    static constexpr float log10_2_cut = 0x1.344p-2f, log10_2_rest = 0x1.3509f8p-18f;
    static constexpr float ln2 = 0x1.62e430p-1f, ln2_low = -0x1.05c610p-29f;
    static constexpr float ln10 = 0x1.26bb1cp+1f, ln10_low = -0x1.12aabap-25f;
    static constexpr float log2e = 0x1.715476p+0f, log2e_low = 0x1.4ae0c0p-26f;
    static constexpr float log10e = 0x1.bcb7b2p-2f, log10e_low = -0x1.5b235ep-27f;
    static constexpr float log2_10 = 0x1.a934f0p+1f;
    static constexpr float third_low = -0x1.555556p-27f, fifth_low = -0x1.99999ap-29f;
    static constexpr float half_pi = 0x1.921fb6p+0f, half_pi2 = -0x1.777a5cp-25f, half_pi3 = -0x1.ee59dap-50f,
                           two_over_pi = 0x1.45f306p-1f;
    static constexpr float largest_reduced = 1e5f, exp_over = 89.5f, exp_under = -104.5f, huge = 0x1p120f,
                           tiny_scale = 0x1p25f;
    static constexpr int tiny_exponent = 25;
};

template <class T> WG T infinity() { return (T)__builtin_inf(); }
template <class T> WG T not_a_number() { return (T)__builtin_nan(""); }

// 2^k for k in the range of normal numbers.
template <class T> WG T power_of_two(int k)
{
    typedef typename constants<T>::bits bits;
    return __builtin_bit_cast(T, (bits)(k + constants<T>::bias) << constants<T>::mantissa);
}
// v * 2^k, rounded once where v is of the size of one and |k| at most twice the range of exponents.
template <class T> WG T scale(T v, int k)
{
    int half = k >> 1;
    return mul(mul(v, power_of_two<T>(half)), power_of_two<T>(k - half));
}
}
#endif
