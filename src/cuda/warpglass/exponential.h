// Exponentials, logarithms and powers. The series are Taylor's on reduced arguments; doubtful last bits go through
// pairs. Errors against exact values are measured by tests/data/programs/math.cu.
#ifndef WARPGLASS_EXPONENTIAL_H
#define WARPGLASS_EXPONENTIAL_H
#include "real.h"

namespace warpglass_math {
// e^r - 1 for |r| < 0.36.
template <class T> WG pair<T> exp_minus_one(pair<T> r)
{
    T q = (T)over_factorial(constants<T>::exp_terms);
#pragma unroll
    for (int n = constants<T>::exp_terms - 1; n >= 2; n--)
        q = fma(q, r.hi, (T)over_factorial(n));
    return quick_sum(r.hi, fma(mul(r.hi, r.hi), q, fma(r.lo, r.hi, r.lo)));
}
// x = k ln 2 + r
template <class T> WG pair<T> exp_reduce(T x, T low, int *k)
{
    T n = nearest(x * constants<T>::log2e);
    *k = to_int(n);
    return sum(fma(-n, constants<T>::ln2_cut, x), fma(-n, constants<T>::ln2_rest, low));
}
template <class T> WG T exp_finish(pair<T> r, int k)
{
    pair<T> e = exp_minus_one(r);
    return scale((T)1 + (e.hi + e.lo), k);
}
template <class T> WG T clamp_exponent(T x, T low, T high) { return x < low ? low : x > high ? high : x; }

template <class T> WG T exp_full(T x, T low)
{
    int k;
    T inside = clamp_exponent(x, constants<T>::exp_under, constants<T>::exp_over);
    T y = exp_finish(exp_reduce(inside, low, &k), k);
    return x != x ? x : y;
}
template <class T> WG T exp2_full(T x)
{
    T inside = clamp_exponent(x, (T)(-2 * constants<T>::bias), (T)(2 * constants<T>::bias)), n = nearest(inside);
    T f = inside - n;
    T y = exp_finish(product(pair<T>{constants<T>::ln2, constants<T>::ln2_low}, f), to_int(n));
    return x != x ? x : y;
}
template <class T> WG T exp10_full(T x)
{
    T limit = (T)0.4 * constants<T>::bias, inside = clamp_exponent(x, -limit, limit);
    T n = nearest(inside * constants<T>::log2_10);
    pair<T> f = sum(fma(-n, constants<T>::log10_2_cut, inside), -n * constants<T>::log10_2_rest);
    T y = exp_finish(product(f, pair<T>{constants<T>::ln10, constants<T>::ln10_low}), to_int(n));
    return x != x ? x : y;
}
// e^x - 1 for finite |x| below overflow, as a pair.
template <class T> WG pair<T> expm1_pair(T x)
{
    int k;
    pair<T> e = exp_minus_one(exp_reduce(x, (T)0, &k));
    T two_k = power_of_two<T>(k);
    return sum(pair<T>{e.hi * two_k, e.lo * two_k}, sum(two_k, (T)-1));
}
template <class T> WG T expm1_full(T x)
{
    if (!(x < constants<T>::exp_over - 2))
        return x != x ? x : exp_full(x, (T)0);
    if (x < (T)(constants<T>::mantissa * -0.8))
        return -1;
    pair<T> e = expm1_pair(x);
    return x == 0 ? x : e.hi + e.lo;
}

// x = m 2^k with m in [1/sqrt 2, sqrt 2), for positive finite x.
template <class T> WG T split_exponent(T x, int *k)
{
    typedef typename constants<T>::bits bits;
    bool is_tiny = x < power_of_two<T>(1 - constants<T>::bias);
    bits b = __builtin_bit_cast(bits, is_tiny ? mul(x, constants<T>::tiny_scale) : x);
    int e = (int)(b >> constants<T>::mantissa) - constants<T>::bias;
    T m = __builtin_bit_cast(T, (b & (((bits)1 << constants<T>::mantissa) - 1)) |
                                    (bits)constants<T>::bias << constants<T>::mantissa);
    bool is_upper = m > (T)1.41421356;
    *k = e + is_upper - (is_tiny ? constants<T>::tiny_exponent : 0);
    return is_upper ? m * (T)0.5 : m;
}
// The sum of z^i / (2i + 2n + 1) from i = 0.
template <class T> WG T odd_series(T z, int n, T sign)
{
    T p = (T)1 / (T)(2 * constants<T>::log_terms + 1);
#pragma unroll
    for (int i = constants<T>::log_terms - 1; i >= n; i--)
        p = fma(sign * p, z, (T)1 / (T)(2 * i + 1));
    return p;
}
// ln(1 + f), of about twice the type's precision: 2 s (1 + z/3 + z^2/5 + ...) with s = f/(2 + f), z = s^2; 1 + f in
// [1/sqrt 2, sqrt 2].
template <class T> WG pair<T> log_one_plus(T f)
{
    pair<T> s = quotient(pair<T>{f, (T)0}, sum((T)2, f));
    pair<T> z = product(s, s);
    pair<T> p = sum(pair<T>{(T)1 / (T)5, constants<T>::fifth_low},
                    pair<T>{mul(z.hi, odd_series(z.hi, 3, (T)1)), (T)0});
    p = sum(pair<T>{(T)1 / (T)3, constants<T>::third_low}, product(z, p));
    p = sum(pair<T>{(T)1, (T)0}, product(z, p));
    p = product(s, p);
    return pair<T>{p.hi + p.hi, p.lo + p.lo};
}
template <class T> WG pair<T> log_pair(T x)
{
    int k;
    pair<T> l = log_one_plus(split_exponent(x, &k) - (T)1);
    return sum(sum((T)k * constants<T>::ln2_cut, (T)k * constants<T>::ln2_rest), l);
}
// What all logarithms say at 0, below it, at infinity and for what is no number.
template <class T> WG bool log_is_special(T x, T *y)
{
    *y = x == 0 ? -infinity<T>() : x < 0 ? not_a_number<T>() : x;
    return !(x > 0 && x < infinity<T>());
}
template <class T> WG T log_full(T x)
{
    T y;
    int k;
    if (log_is_special(x, &y))
        return y;
    T f = split_exponent(x, &k) - (T)1, s = div(f, f + (T)2), z = mul(s, s), h = mul((T)0.5 * f, f);
    T rest = mul(z, (T)2 * odd_series(z, 1, (T)1)), n = (T)k;
    return fma(n, constants<T>::ln2_cut, f - (h - fma(s, h + rest, n * constants<T>::ln2_rest)));
}
template <class T> WG T log_scaled(T x, pair<T> one_over_base, T unit, T unit_rest)
{
    T y;
    int k;
    if (log_is_special(x, &y))
        return y;
    pair<T> l = product(log_one_plus(split_exponent(x, &k) - (T)1), one_over_base);
    l = sum(sum((T)k * unit, (T)k * unit_rest), l);
    return l.hi + l.lo;
}
template <class T> WG T log2_full(T x)
{
    return log_scaled(x, pair<T>{constants<T>::log2e, constants<T>::log2e_low}, (T)1, (T)0);
}
template <class T> WG T log10_full(T x)
{
    return log_scaled(x, pair<T>{constants<T>::log10e, constants<T>::log10e_low}, constants<T>::log10_2_cut,
                      constants<T>::log10_2_rest);
}
template <class T> WG T log1p_full(T x)
{
    if (!(x > -1 && x < infinity<T>()))
        return x == -1 ? -infinity<T>() : x < -1 ? not_a_number<T>() : x;
    pair<T> u = sum((T)1, x);
    bool is_near = u.hi > (T)0.7072 && u.hi < (T)1.4142;
    pair<T> l = is_near ? log_one_plus(x) : log_pair(u.hi);
    return x == 0 ? x : l.hi + (is_near ? l.lo : l.lo + div(u.lo, u.hi));
}

template <class T> WG bool is_odd(T y)
{
    return abs(y) < (T)2 / (T)__builtin_bit_cast(T, (typename constants<T>::bits)(constants<T>::bias -
                                                                                   constants<T>::mantissa)
                                                         << constants<T>::mantissa) &&
           whole(y) == y && whole(y * (T)0.5) * (T)2 != y;
}
// |x|^y for x neither 0, infinite nor 1.
template <class T> WG T pow_positive(T x, T y)
{
    int k;
    pair<T> p = product(log_pair(x), y);
    T low = constants<T>::exp_under, high = constants<T>::exp_over;
    if (!(p.hi > low && p.hi < high)) // too large to keep a rest
        return (x > 1) == (y > 0) ? infinity<T>() : (T)0;
    return exp_finish(exp_reduce(p.hi, p.lo, &k), k);
}
template <class T> WG T pow_full(T x, T y)
{
    T a = abs(x);
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    bool is_negative = __builtin_signbit(x) && is_odd(y);
    T result;
    if (a == 0 || a == infinity<T>() || abs(y) == infinity<T>())
        result = a == 1 ? (T)1 : (a > 1) == (y > 0) ? infinity<T>() : (T)0;
    else if (x < 0 && whole(y) != y)
        return not_a_number<T>();
    else
        result = a == 1 ? (T)1 : pow_positive(a, y);
    return is_negative ? -result : result;
}

// ---- hyperbolic ----
// e^a / 2 as a pair at 2^k, for a >= 0.
template <class T> WG pair<T> half_exp(T a, int *k)
{
    pair<T> e = exp_minus_one(exp_reduce(a, (T)0, k));
    pair<T> s = quick_sum((T)1, e.hi);
    *k -= 1;
    return pair<T>{s.hi, s.lo + e.lo};
}
template <class T> WG T sinh_full(T x)
{
    T a = abs(x);
    if (!(a < constants<T>::exp_over + 1))
        return x != x ? x : with_sign(infinity<T>(), x);
    if (a < 1) {
        T z = mul(a, a), p = (T)over_factorial(2 * constants<T>::sine_terms + 3);
#pragma unroll
        for (int n = constants<T>::sine_terms; n >= 1; n--)
            p = fma(p, z, (T)over_factorial(2 * n + 1));
        return fma(mul(x, z), p, x);
    }
    int k;
    pair<T> e = half_exp(a, &k);
    pair<T> other = quotient(pair<T>{(T)1, (T)0}, e);
    T small = k > constants<T>::mantissa ? (T)0 : power_of_two<T>(-2 * k - 2);
    pair<T> s = sum(e, pair<T>{-other.hi * small, -other.lo * small});
    return with_sign(scale(s.hi + s.lo, k), x);
}
template <class T> WG T cosh_full(T x)
{
    T a = abs(x);
    if (!(a < constants<T>::exp_over + 1))
        return x != x ? x : infinity<T>();
    int k;
    pair<T> e = half_exp(a, &k);
    pair<T> other = quotient(pair<T>{(T)1, (T)0}, e);
    T small = k > constants<T>::mantissa ? (T)0 : power_of_two<T>(-2 * k - 2);
    pair<T> s = sum(e, pair<T>{other.hi * small, other.lo * small});
    return scale(s.hi + s.lo, k);
}
template <class T> WG T tanh_full(T x)
{
    T a = abs(x);
    if (!(a < constants<T>::mantissa * (T)0.5))
        return x != x ? x : with_sign((T)1, x);
    pair<T> e = expm1_pair(a + a);
    pair<T> q = quotient(e, sum(e, pair<T>{(T)2, (T)0}));
    return a == 0 ? x : with_sign(q.hi + q.lo, x);
}
template <class T> WG T asinh_full(T x)
{
    T a = abs(x), y;
    if (!(a < constants<T>::huge))
        y = a + a == a ? a : log_full(a) + constants<T>::ln2;
    else if (a > (T)0x1p12)
        y = log_full(a + a) + div((T)0.25, mul(a, a));
    else
        y = log1p_full(a + div(mul(a, a), (T)1 + sqrt(fma(a, a, (T)1))));
    return a == 0 ? x : with_sign(y, x);
}
template <class T> WG T acosh_full(T x)
{
    T t = x - (T)1;
    return x < 1 ? not_a_number<T>() : x > constants<T>::huge ? log_full(x) + constants<T>::ln2
                                                              : log1p_full(t + sqrt(fma(t, t, t + t)));
}
template <class T> WG T atanh_full(T x)
{
    T a = abs(x);
    T y = (T)0.5 * log1p_full(div(a + a, (T)1 - a));
    return a == 0 ? x : with_sign(a > 1 ? not_a_number<T>() : y, x);
}
}

// The device library's names. Single precision takes the power of two from the special function unit, as NVIDIA's does.
#define WG_BOTH(name, full)                                                                                  \
    static __device__ inline float __nv_##name##f(float x) { return warpglass_math::full(x); }               \
    static __device__ inline double __nv_##name(double x) { return warpglass_math::full(x); }
static __device__ inline double __nv_exp(double x) { return warpglass_math::exp_full(x, 0.0); }
static __device__ inline double __nv_exp2(double x) { return warpglass_math::exp2_full(x); }
static __device__ inline double __nv_exp10(double x) { return warpglass_math::exp10_full(x); }
WARPGLASS_FUNCTION float __nv_exp2f(float x)
{
    return x < -126.0f ? __nvvm_ex2_approx_f(x + 64.0f) * 0x1p-64f : __nvvm_ex2_approx_f(x);
}
WARPGLASS_FUNCTION float warpglass_exp_scaled(float n, float f)
{
    float half = __builtin_truncf(n * 0.5f);
    return __nvvm_ex2_approx_f(f) * __nvvm_ex2_approx_f(half) * __nvvm_ex2_approx_f(n - half);
}
WARPGLASS_FUNCTION float __nv_expf(float x)
{
    float a = __nvvm_fmin_f(__nvvm_fmax_f(x, -105.0f), 89.0f), n = __builtin_rintf(a * 0x1.715476p+0f);
    float y = warpglass_exp_scaled(n, __nvvm_fma_rn_f(a, 0x1.4ae0c0p-26f, __nvvm_fma_rn_f(a, 0x1.715476p+0f, -n)));
    return x != x ? x : y;
}
WARPGLASS_FUNCTION float __nv_exp10f(float x)
{
    float a = __nvvm_fmin_f(__nvvm_fmax_f(x, -46.0f), 39.0f), n = __builtin_rintf(a * 0x1.a934f0p+1f);
    float y = warpglass_exp_scaled(n, __nvvm_fma_rn_f(a, 0x1.2f346ep-24f, __nvvm_fma_rn_f(a, 0x1.a934f0p+1f, -n)));
    return x != x ? x : y;
}
WG_BOTH(expm1, expm1_full)
WG_BOTH(log, log_full)
WG_BOTH(log2, log2_full)
WG_BOTH(log10, log10_full)
WG_BOTH(log1p, log1p_full)
WG_BOTH(sinh, sinh_full)
WG_BOTH(cosh, cosh_full)
WG_BOTH(tanh, tanh_full)
WG_BOTH(asinh, asinh_full)
WG_BOTH(acosh, acosh_full)
WG_BOTH(atanh, atanh_full)
WG_LARGE float __nv_powf(float x, float y) { return warpglass_math::pow_full(x, y); }
WG_LARGE double __nv_pow(double x, double y) { return warpglass_math::pow_full(x, y); }
static __device__ inline float __nv_powif(float x, int n) { return __nv_powf(x, (float)n); }
static __device__ inline double __nv_powi(double x, int n) { return __nv_pow(x, (double)n); }
#endif
