// Roots and lengths, remainders, parts of numbers, error and gamma functions.
#ifndef WARPGLASS_SPECIAL_H
#define WARPGLASS_SPECIAL_H
#include "exponential.h"

namespace warpglass_math {
// ---- roots and lengths ----
// The cube root of m in (1/2, 4), by two of Newton's steps; the rest m - y^3 is exact to twice the precision.
template <class T> WG pair<T> cbrt_pair(T m)
{
    pair<T> y = {(T)__nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)m) * (1.0f / 3.0f)), (T)0};
#pragma unroll
    for (int i = 0; i < 2; i++) {
        T root = y.hi + y.lo;
        pair<T> square = product(root, root), cube = product(square, root);
        y = quick_sum(root, div((m - cube.hi) - cube.lo, (T)3 * square.hi));
    }
    return y;
}
// a = m 8^third
template <class T> WG T split_third(T a, int *third)
{
    int k;
    T m = split_exponent(a, &k);
    *third = (k + 3000) / 3 - 1000;
    return m * (T)(1 << (k - 3 * *third));
}
template <class T> WG T cbrt_full(T x)
{
    int third;
    if (!(abs(x) > 0 && abs(x) < infinity<T>()))
        return x;
    pair<T> y = cbrt_pair(split_third(abs(x), &third));
    return with_sign(scale(y.hi, third), x);
}
template <class T> WG T rcbrt_full(T x)
{
    int third;
    if (!(abs(x) > 0 && abs(x) < infinity<T>()))
        return div((T)1, x);
    pair<T> y = quotient(pair<T>{(T)1, (T)0}, cbrt_pair(split_third(abs(x), &third)));
    return with_sign(scale(y.hi, -third), x);
}
// sqrt of a sum of up to four squares, and one over it.
template <class T> WG T length(T a, T b, T c, T d, bool is_inverse)
{
    a = abs(a), b = abs(b), c = abs(c), d = abs(d);
    if (a == infinity<T>() || b == infinity<T>() || c == infinity<T>() || d == infinity<T>())
        return is_inverse ? (T)0 : infinity<T>();
    T ab = a > b ? a : b, cd = c > d ? c : d, largest = ab > cd ? ab : cd;
    if (!(largest > 0))
        return is_inverse ? div((T)1, a + b + c + d) : a + b + c + d;
    int k;
    split_exponent(largest, &k);
    k = k > constants<T>::bias - 2 ? constants<T>::bias - 2 : k < 4 - constants<T>::bias ? 4 - constants<T>::bias : k;
    T factor = power_of_two<T>(-k);
    a *= factor, b *= factor, c *= factor, d *= factor;
    pair<T> s = sum(sum(product(a, a), product(b, b)), sum(product(c, c), product(d, d)));
    pair<T> r = root(s);
    return is_inverse ? div((T)1, r.hi) * factor : scale(r.hi, k);
}
template <class T> WG T norm_of(int n, const T *v)
{
    T largest = 0, sum_of_squares = 0;
    for (int i = 0; i < n; i++)
        largest = abs(v[i]) > largest || v[i] != v[i] ? abs(v[i]) : largest;
    if (!(largest > 0 && largest < infinity<T>()))
        return largest;
    for (int i = 0; i < n; i++)
        sum_of_squares = fma(div(v[i], largest), div(v[i], largest), sum_of_squares);
    return largest * sqrt(sum_of_squares);
}

// ---- remainders ----
// |x| mod |y| by long division of the mantissas, several bits a step, and the low bits of the quotient.
template <class T> WG T mod_positive(T x, T y, unsigned *quotient_bits)
{
    typedef typename constants<T>::bits bits;
    constexpr int step = constants<T>::mantissa == 52 ? 10 : 24; // a rest is below 2^(mantissa + 1.5)
    *quotient_bits = 0;
    if (x < y)
        return x;
    int kx, ky;
    T mx = split_exponent(x, &kx), my = split_exponent(y, &ky);
    unsigned long long a = (unsigned long long)(bits)(mx * power_of_two<T>(constants<T>::mantissa + 1));
    unsigned long long b = (unsigned long long)(bits)(my * power_of_two<T>(constants<T>::mantissa + 1));
    unsigned quotient = (unsigned)(a / b);
    a %= b;
    for (int n = kx - ky; n > 0;) {
        int now = n < step ? n : step;
        a <<= now;
        quotient = quotient << now | (unsigned)(a / b);
        a %= b;
        n -= now;
    }
    *quotient_bits = quotient;
    // The rest may be of any size: leave the scaling to two exact multiplications.
    int k = ky - constants<T>::mantissa - 1, half = k / 2;
    return mul(mul((T)a, power_of_two<T>(half)), power_of_two<T>(k - half));
}
template <class T> WG bool mod_is_special(T x, T y)
{
    return !(abs(x) < infinity<T>()) || y == 0 || y != y;
}
template <class T> WG T fmod_full(T x, T y)
{
    unsigned quotient;
    if (mod_is_special(x, y))
        return not_a_number<T>();
    return with_sign(abs(y) == infinity<T>() ? abs(x) : mod_positive(abs(x), abs(y), &quotient), x);
}
template <class T> WG T remquo_full(T x, T y, int *bits_of_quotient)
{
    unsigned quotient = 0;
    *bits_of_quotient = 0;
    if (mod_is_special(x, y))
        return not_a_number<T>();
    T a = abs(x), b = abs(y);
    if (b == infinity<T>())
        return x;
    T r = mod_positive(a, b, &quotient);
    // Nearest, ties to even: 2r against b without overflow.
    bool is_more = r > b - r || (r == b - r && (quotient & 1));
    if (is_more) {
        r -= b;
        quotient++;
    }
    int sign = __builtin_signbit(x) != __builtin_signbit(y) ? -1 : 1;
    *bits_of_quotient = sign * (int)(quotient & 0x7fffffffu);
    r = r == 0 ? (T)0 : r;
    return __builtin_signbit(x) ? -r : r;
}
template <class T> WG T remainder_full(T x, T y)
{
    int quotient;
    return remquo_full(x, y, &quotient);
}

// ---- parts ----
template <class T> WG T ldexp_full(T x, int n)
{
    constexpr int limit = 2 * (constants<T>::bias + constants<T>::mantissa) + 8;
    if (!(abs(x) > 0 && abs(x) < infinity<T>()))
        return x;
    int k, room = constants<T>::bias - 2;
    T m = split_exponent(x < 0 ? -x : x, &k);
    n = n > limit ? limit : n < -limit ? -limit : n;
    n += k;
    n = n > 2 * room ? 2 * room : n < -2 * room ? -2 * room : n;
    return with_sign(scale(m, n), x);
}
template <class T> WG T frexp_full(T x, int *exponent)
{
    *exponent = 0;
    if (!(abs(x) > 0 && abs(x) < infinity<T>()))
        return x;
    int k;
    T m = split_exponent(abs(x), &k);
    bool is_below = m < 1; // in [0.707, 1): already a fraction
    *exponent = k + !is_below;
    return with_sign(is_below ? m : m * (T)0.5, x);
}
template <class T> WG int ilogb_full(T x)
{
    int e;
    if (x == 0)
        return -2147483647 - 1;
    if (!(abs(x) < infinity<T>()))
        return x != x ? -2147483647 - 1 : 2147483647;
    frexp_full(x, &e);
    return e - 1;
}
template <class T> WG T logb_full(T x)
{
    return x == 0 ? -infinity<T>() : abs(x) < infinity<T>() ? (T)ilogb_full(x) : x != x ? x : infinity<T>();
}
template <class T> WG T modf_full(T x, T *integer)
{
    *integer = whole(x);
    return with_sign(abs(x) == infinity<T>() ? (T)0 : x - *integer, x);
}
template <class T> WG T nextafter_full(T x, T y)
{
    typedef typename constants<T>::bits bits;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return with_sign(__builtin_bit_cast(T, (bits)1), y);
    bits b = __builtin_bit_cast(bits, x);
    return __builtin_bit_cast(T, (x < y) == (x > 0) ? b + 1 : b - 1);
}

// ---- the error function: a polynomial in x^2 below one, exp(-x^2) times one in (x - 3)/(x + 3) beyond ----
// Fitted at Chebyshev's points to values of 90 digits; largest relative errors 2e-17 and 4e-17, in single 7e-8 and 5e-8.
WG double erf_inner(double z)
{
    constexpr double c[13] = {0x1.20dd750429b6dp+0,  -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4,  -0x1.b82ce31284e00p-6,
                              0x1.565bcd0dbaa38p-8,  -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17,
                              0x1.b9df224ca4b97p-20, -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
                              0x1.05ffd737fb32ep-34};
    double p = c[12];
#pragma unroll
    for (int i = 11; i >= 0; i--)
        p = fma(p, z, c[i]);
    return p;
}
WG float erf_inner(float z)
{
    constexpr float c[7] = {0x1.20dd74p+0f, -0x1.81273ep-2f, 0x1.ce2d10p-4f, -0x1.b7fabap-6f,
                            0x1.541270p-8f, -0x1.a45088p-11f, 0x1.4a5690p-14f};
    float p = c[6];
#pragma unroll
    for (int i = 5; i >= 0; i--)
        p = fma(p, z, c[i]);
    return p;
}
WG double erfcx_outer(double t)
{
    constexpr double c[22] = {0x1.40c522d7e4987p+0,  -0x1.15c084bb9e8f3p-3, -0x1.85a15c58aa61cp-5,  0x1.098366a5b46dap-3,
                              -0x1.e88b803a48738p-4, 0x1.17ca2877f0498p-4,  -0x1.8574c40c28c75p-6,  0x1.4b884e470e0c0p-9,
                              0x1.ef1bdd9e59708p-10, -0x1.98db51df6e794p-11, -0x1.b912a42a02c75p-14, 0x1.065a58313b6aep-13,
                              0x1.4c3474eac8c1dp-18, -0x1.5141e65eab2a5p-16, -0x1.89d18e1c4eecfp-21, 0x1.d2d6ddacd86dap-19,
                              0x1.813da18c5da65p-22, -0x1.521bbf2fb66dap-21, -0x1.278682f7a9953p-23, 0x1.f78a8ba7b24a0p-24,
                              0x1.00ec0789b7189p-25, -0x1.4bddb344baaf9p-26};
    double p = c[21];
#pragma unroll
    for (int i = 20; i >= 0; i--)
        p = fma(p, t, c[i]);
    return p;
}
WG float erfcx_outer(float t)
{
    constexpr float c[10] = {0x1.40c522p+0f, -0x1.15c086p-3f, -0x1.85a148p-5f, 0x1.098374p-3f,  -0x1.e88cc8p-4f,
                             0x1.17c988p-4f, -0x1.853ab0p-6f, 0x1.4ad980p-9f,  0x1.de4d16p-10f, -0x1.7c1ca4p-11f};
    float p = c[9];
#pragma unroll
    for (int i = 8; i >= 0; i--)
        p = fma(p, t, c[i]);
    return p;
}
// erfc(x) exp(x^2) for 1 <= x.
template <class T> WG T erfcx_large(T x)
{
    if (x > 25)
        return div((T)0x1.20dd750429b6dp-1, x) * ((T)1 - div((T)0.5, x * x) + div((T)0.75, x * x * (x * x)));
    return div(erfcx_outer(div(x - (T)3, x + (T)3)), fma((T)2, x, (T)1));
}
template <class T> WG T erfc_large(T x)
{
    pair<T> z = product(x, x);
    return exp_full(-z.hi, -z.lo) * erfcx_large(x);
}
template <class T> WG T erf_full(T x)
{
    T a = abs(x);
    if (a < 1)
        return x * erf_inner(mul(x, x));
    return x != x ? x : with_sign(a > 6 ? (T)1 : (T)1 - erfc_large(a), x);
}
WG double one_minus_erf(double x) { return fma(-x, erf_inner(mul(x, x)), 1.0); }
// Where the difference would cancel, double precision helps.
WG float one_minus_erf(float x)
{
    return x > 0.4f ? (float)one_minus_erf((double)x) : fma(-x, erf_inner(mul(x, x)), 1.0f);
}
template <class T> WG T erfc_full(T x)
{
    if (abs(x) < 1)
        return one_minus_erf(x);
    T y = abs(x) > 28 ? (T)0 : erfc_large(abs(x));
    return x != x ? x : x < 0 ? (T)2 - y : y;
}
template <class T> WG T erfcx_full(T x)
{
    if (x >= 1)
        return erfcx_large(x);
    pair<T> z = product(x, x);
    return exp_full(z.hi, z.lo) * erfc_full(x);
}
template <class T> WG T normcdf_full(T x)
{
    T inside = x < -40 ? (T)-40 : x > 40 ? (T)40 : x;
    pair<T> a = product(inside, (T)-0.70710678118654752440);
    T rest = a.lo + inside * (T)(sizeof(T) == 8 ? 4.8336466567264567e-17 : -1.2101617e-8);
    if (a.hi < 1)
        return x != x ? x : (T)0.5 * erfc_full(a.hi + rest);
    pair<T> z = product(a.hi, a.hi);
    return (T)0.5 * exp_full(-z.hi, fma(-2 * a.hi, rest, -z.lo)) * erfcx_large(a.hi);
}
// The x with erfc(x) = y, 0 < y < 2: a start from the tail's logarithm, then Newton's steps with the second derivative.
WG double erfc_inverse(double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? infinity<double>() : y == 2 ? -infinity<double>() : not_a_number<double>();
    double small = y < 1 ? y : 2 - y, t = sqrt(-2 * log_full(small * 0.5));
    double x = 0.70710678118654752 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
    for (int i = 0; i < 3; i++) {
        double e = (erfc_full(x) - small) / (1.12837916709551257 * exp_full(-x * x, 0.0));
        x += e / (1 - x * e);
    }
    return y < 1 ? x : -x;
}
WG double erf_inverse(double y)
{
    if (abs(y) > 0.5)
        return y < 0 ? -erfc_inverse(1 + y) : erfc_inverse(1 - y);
    double x = y * 0.88622692545275801;
    x = x + x * x * x * (1.0 / 3); // two terms of the series
    for (int i = 0; i < 3; i++) {
        double e = (erf_full(x) - y) / (1.12837916709551257 * exp_full(-x * x, 0.0));
        x -= e / (1 + x * e);
    }
    return y == 0 ? y : x;
}

// ---- the gamma function: Stirling's series above 10, the recurrence below, the reflection left of zero ----
// ln gamma(x) - ((x - 1/2) ln x - x + ln(2 pi)/2) for x >= 10.
WG double stirling_rest(double x)
{
    double z = div(1.0, x * x), p = -3617.0 / 122400;
    p = fma(p, z, 1.0 / 156);
    p = fma(p, z, -691.0 / 360360);
    p = fma(p, z, 1.0 / 1188);
    p = fma(p, z, -1.0 / 1680);
    p = fma(p, z, 1.0 / 1260);
    p = fma(p, z, -1.0 / 360);
    p = fma(p, z, 1.0 / 12);
    return div(p, x);
}
// ln gamma(x + n) for the least n that makes it 10 or more, and the product x (x + 1) ... (x + n - 1).
WG pair<double> log_gamma_beyond(double x, pair<double> *steps)
{
    *steps = pair<double>{1, 0};
    double n = 0;
    for (; x + n < 10; n += 1)
        *steps = product(*steps, sum(x, n));
    pair<double> y = sum(x, n), log_y = log_pair(y.hi);
    log_y.lo += div(y.lo, y.hi);
    pair<double> l = product(log_y, sum(y, pair<double>{-0.5, 0}));
    l = sum(l, pair<double>{-y.hi, stirling_rest(y.hi) - y.lo});
    return sum(l, pair<double>{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
}
WG double gamma_positive(double x)
{
    if (x > 172)
        return infinity<double>();
    int k;
    pair<double> steps, l = log_gamma_beyond(x, &steps);
    pair<double> e = exp_minus_one(exp_reduce(l.hi, l.lo, &k));
    pair<double> q = quotient(sum(pair<double>{1, 0}, e), steps);
    return scale(q.hi, k);
}
WG_LARGE double tgamma_full(double x)
{
    if (x == 0)
        return with_sign(infinity<double>(), x);
    if (x > 0 || x != x)
        return x != x ? x : gamma_positive(x);
    if (whole(x) == x)
        return not_a_number<double>();
    double s = sinpi_full(x), g = x < -190 ? infinity<double>() : -x * gamma_positive(-x);
    return -3.14159265358979324 / (s * g);
}
WG double lgamma_positive(double x)
{
    pair<double> steps, l = log_gamma_beyond(x, &steps), log_steps = log_pair(steps.hi);
    l = sum(l, pair<double>{-log_steps.hi, -log_steps.lo - div(steps.lo, steps.hi)});
    return l.hi + l.lo;
}
WG_LARGE double lgamma_full(double x)
{
    if (!(abs(x) < infinity<double>()))
        return x != x ? x : infinity<double>();
    if (whole(x) == x && x <= 0)
        return infinity<double>();
    if (x > 1e17)
        return x * (log_full(x) - 1);
    if (x > 0)
        return lgamma_positive(x);
    double s = abs(sinpi_full(x));
    return log_full(3.14159265358979324 / (s * -x)) - lgamma_positive(-x);
}
}

WG_BOTH(cbrt, cbrt_full)
WG_BOTH(rcbrt, rcbrt_full)
WG_BOTH(erf, erf_full)
WG_BOTH(erfc, erfc_full)
WG_BOTH(erfcx, erfcx_full)
WG_BOTH(normcdf, normcdf_full)
WG_BOTH(logb, logb_full)
#define WG_TWO(name, full)                                                                                   \
    static __device__ inline float __nv_##name##f(float x, float y) { return warpglass_math::full(x, y); }   \
    static __device__ inline double __nv_##name(double x, double y) { return warpglass_math::full(x, y); }
WG_TWO(fmod, fmod_full)
WG_TWO(remainder, remainder_full)
WG_TWO(nextafter, nextafter_full)
#undef WG_TWO
// The lengths by one macro for both types; `n` tells the function, the zeros fill up.
#define WG_LENGTHS(type, f, zero)                                                                            \
    static __device__ inline type __nv_hypot##f(type a, type b)                                              \
    {                                                                                                        \
        return warpglass_math::length(a, b, zero, zero, false);                                              \
    }                                                                                                        \
    static __device__ inline type __nv_rhypot##f(type a, type b)                                             \
    {                                                                                                        \
        return warpglass_math::length(a, b, zero, zero, true);                                               \
    }                                                                                                        \
    static __device__ inline type __nv_norm3d##f(type a, type b, type c)                                     \
    {                                                                                                        \
        return warpglass_math::length(a, b, c, zero, false);                                                 \
    }                                                                                                        \
    static __device__ inline type __nv_rnorm3d##f(type a, type b, type c)                                    \
    {                                                                                                        \
        return warpglass_math::length(a, b, c, zero, true);                                                  \
    }                                                                                                        \
    static __device__ inline type __nv_norm4d##f(type a, type b, type c, type d)                             \
    {                                                                                                        \
        return warpglass_math::length(a, b, c, d, false);                                                    \
    }                                                                                                        \
    static __device__ inline type __nv_rnorm4d##f(type a, type b, type c, type d)                            \
    {                                                                                                        \
        return warpglass_math::length(a, b, c, d, true);                                                     \
    }                                                                                                        \
    static __device__ inline type __nv_norm##f(int n, const type *v) { return warpglass_math::norm_of(n, v); } \
    static __device__ inline type __nv_rnorm##f(int n, const type *v)                                        \
    {                                                                                                        \
        return warpglass_math::div((type)1, warpglass_math::norm_of(n, v));                                  \
    }                                                                                                        \
    static __device__ inline type __nv_remquo##f(type x, type y, int *q)                                     \
    {                                                                                                        \
        return warpglass_math::remquo_full(x, y, q);                                                         \
    }                                                                                                        \
    static __device__ inline type __nv_ldexp##f(type x, int n) { return warpglass_math::ldexp_full(x, n); }  \
    static __device__ inline type __nv_scalbn##f(type x, int n) { return warpglass_math::ldexp_full(x, n); } \
    static __device__ inline type __nv_frexp##f(type x, int *e) { return warpglass_math::frexp_full(x, e); } \
    static __device__ inline int __nv_ilogb##f(type x) { return warpglass_math::ilogb_full(x); }             \
    static __device__ inline type __nv_modf##f(type x, type *i) { return warpglass_math::modf_full(x, i); }
WG_LENGTHS(float, f, 0.0f)
WG_LENGTHS(double, , 0.0)
#undef WG_LENGTHS
// Rare ones: in double precision for both types.
#define WG_DOUBLE(name, full)                                                                                \
    static __device__ inline float __nv_##name##f(float x) { return (float)warpglass_math::full((double)x); } \
    static __device__ inline double __nv_##name(double x) { return warpglass_math::full(x); }
WG_DOUBLE(tgamma, tgamma_full)
WG_DOUBLE(lgamma, lgamma_full)
WG_DOUBLE(erfinv, erf_inverse)
WG_DOUBLE(erfcinv, erfc_inverse)
static __device__ inline double __nv_normcdfinv(double y)
{
    return -1.41421356237309505 * warpglass_math::erfc_inverse(y + y);
}
static __device__ inline float __nv_normcdfinvf(float y) { return (float)__nv_normcdfinv((double)y); }
#undef WG_DOUBLE

// Bessel functions are not delivered: declared only, so that a program that calls one is told its name.
extern "C" {
#define WG_MISSING(name)                                                                                     \
    __device__ float __nv_##name##f(float x);                                                                \
    __device__ double __nv_##name(double x);
WG_MISSING(j0)
WG_MISSING(j1)
WG_MISSING(y0)
WG_MISSING(y1)
WG_MISSING(cyl_bessel_i0)
WG_MISSING(cyl_bessel_i1)
#undef WG_MISSING
__device__ float __nv_jnf(int n, float x);
__device__ double __nv_jn(int n, double x);
__device__ float __nv_ynf(int n, float x);
__device__ double __nv_yn(int n, double x);
}
#endif
