// Sines, tangents and their inverses. Arguments are brought near zero exactly: by three parts of pi/2 while the multiple
// is small, by the bits of 2/pi that matter beyond.
#ifndef WARPGLASS_TRIGONOMETRY_H
#define WARPGLASS_TRIGONOMETRY_H
#include "real.h"

namespace warpglass_math {
// 2/pi behind the point, 1280 bits.
static __device__ const unsigned long long two_over_pi_bits[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

// The 64 bits of 2/pi from bit `first` behind the point on; before the point there are zeros.
WG unsigned long long bits_from(int first)
{
    if (first < 0)
        return two_over_pi_bits[0] >> -first;
    int word = first >> 6, shift = first & 63;
    unsigned long long high = two_over_pi_bits[word], low = word < 19 ? two_over_pi_bits[word + 1] : 0;
    return shift ? high << shift | low >> (64 - shift) : high;
}

// |x| >= 1e5: what is left over whole multiples of pi/2, and their number modulo 4. x = m 2^e; of the product m 2^e 2/pi
// only bits below the fours matter, and 192 of them behind that are enough for the nearest any double comes to zero.
WG_LARGE pair<double> reduce_large(double x, int *quadrant)
{
    long long b = __builtin_bit_cast(long long, x);
    unsigned long long m = (unsigned long long)(b & 0xfffffffffffffll) | 0x10000000000000ull;
    int first = (int)(b >> 52 & 0x7ff) - 1077; // the bit of 2/pi that gives fours
    unsigned long long w1 = bits_from(first + 64), w2 = bits_from(first + 128);
    unsigned long long low = m * w2, carry = __nvvm_mulhi_ull(m, w2), middle = m * w1 + carry;
    unsigned long long high = m * bits_from(first) + __nvvm_mulhi_ull(m, w1) + (middle < carry);
    int q = (int)(high >> 62);
    unsigned long long top = high << 2 | middle >> 62, next = middle << 2 | low >> 62;
    bool is_upper = (long long)top < 0; // beyond a half: count from the next multiple
    if (is_upper) {
        q++;
        top = ~top;
        next = ~next;
    }
    double f = __nvvm_ull2d_rn(top), rest = (double)(long long)(top - (unsigned long long)f);
    pair<double> part = sum(f * 0x1p-64, rest * 0x1p-64 + __nvvm_ull2d_rn(next) * 0x1p-128);
    pair<double> r = product(part, pair<double>{constants<double>::half_pi, constants<double>::half_pi2});
    bool is_negative = is_upper != (b < 0);
    *quadrant = b < 0 ? -q : q;
    return is_negative ? pair<double>{-r.hi, -r.lo} : r;
}
WG pair<double> reduce_any(double x, int *quadrant) { return reduce_large(x, quadrant); }
WG pair<float> reduce_any(float x, int *quadrant)
{
    pair<double> r = reduce_large(x, quadrant);
    float hi = (float)r.hi;
    return pair<float>{hi, (float)(r.hi - hi)};
}
template <class T> WG pair<T> reduce(T x, int *quadrant)
{
    if (!(abs(x) < constants<T>::largest_reduced)) {
        if (abs(x) < infinity<T>())
            return reduce_any(x, quadrant);
        *quadrant = 0;
        return pair<T>{not_a_number<T>(), (T)0};
    }
    T n = nearest(x * constants<T>::two_over_pi);
    *quadrant = to_int(n);
    T r = fma(-n, constants<T>::half_pi, x), hi = fma(-n, constants<T>::half_pi2, r);
    T low = fma(-n, constants<T>::half_pi2, r - hi);
    return quick_sum(hi, fma(-n, constants<T>::half_pi3, low));
}

template <class T> WG T sine(pair<T> r)
{
    T z = mul(r.hi, r.hi), p = (T)((constants<T>::sine_terms & 1 ? -1 : 1) * over_factorial(2 * constants<T>::sine_terms + 1));
#pragma unroll
    for (int n = constants<T>::sine_terms - 1; n >= 1; n--)
        p = fma(p, z, (T)((n & 1 ? -1 : 1) * over_factorial(2 * n + 1)));
    T low = fma(mul(r.hi, z), p, fma((T)-0.5 * z, r.lo, r.lo));
    return r.hi + low;
}
template <class T> WG T cosine(pair<T> r)
{
    T z = mul(r.hi, r.hi), h = (T)0.5 * z, w = (T)1 - h;
    constexpr int last = constants<T>::sine_terms + 1;
    T p = (T)((last & 1 ? -1 : 1) * over_factorial(2 * last));
#pragma unroll
    for (int n = last - 1; n >= 2; n--)
        p = fma(p, z, (T)((n & 1 ? -1 : 1) * over_factorial(2 * n)));
    return w + ((((T)1 - w) - h) + fma(mul(z, z), p, -mul(r.hi, r.lo)));
}
template <class T> WG T sine_of_quadrant(pair<T> r, int quadrant)
{
    T y = quadrant & 1 ? cosine(r) : sine(r);
    return quadrant & 2 ? -y : y;
}
template <class T> WG T sin_full(T x)
{
    int q;
    pair<T> r = reduce(x, &q);
    return x == 0 ? x : sine_of_quadrant(r, q);
}
template <class T> WG T cos_full(T x)
{
    int q;
    pair<T> r = reduce(x, &q);
    return sine_of_quadrant(r, q + 1);
}
template <class T> WG T tan_full(T x)
{
    int q;
    pair<T> r = reduce(x, &q);
    T s = sine(r), c = cosine(r);
    return x == 0 ? x : q & 1 ? -div(c, s) : div(s, c);
}
// sin(pi x) and cos(pi x): whole multiples of 1/2 come off exactly.
template <class T> WG pair<T> reduce_pi(T x, int *quadrant)
{
    T y = x - (T)2 * whole(x * (T)0.5), n = nearest(y + y);
    *quadrant = to_int(n);
    pair<T> r = product(pair<T>{constants<T>::half_pi, constants<T>::half_pi2}, (y - (T)0.5 * n) * (T)2);
    return abs(x) < infinity<T>() ? r : pair<T>{not_a_number<T>(), (T)0};
}
template <class T> WG T sinpi_full(T x)
{
    int q;
    pair<T> r = reduce_pi(x, &q);
    T y = sine_of_quadrant(r, q);
    return y == 0 ? with_sign(y, x) : y;
}
template <class T> WG T cospi_full(T x)
{
    int q;
    pair<T> r = reduce_pi(x, &q);
    T y = sine_of_quadrant(r, q + 1);
    return y == 0 ? (T)0 : y;
}

// ---- inverses ----
// atan of q in [0, 1]: with c the nearest quarter, atan q = atan c + atan((q - c)/(1 + q c)).
template <class T> WG pair<T> atan_pair(pair<T> q)
{
    T quarter = nearest(q.hi * (T)4), c = quarter * (T)0.25;
    double a = quarter < 1.5 ? quarter < 0.5 ? 0 : 0x1.f5b75f92c80ddp-3
               : quarter < 2.5 ? 0x1.dac670561bb4fp-2
               : quarter < 3.5 ? 0x1.4978fa3269ee1p-1
                               : 0x1.921fb54442d18p-1;
    double a_low = quarter < 1.5 ? quarter < 0.5 ? 0 : 0x1.8ab6e3cf7afbdp-57
                   : quarter < 2.5 ? 0x1.a2b7f222f65e2p-56
                   : quarter < 3.5 ? 0x1.2419a87f2a458p-56
                                   : 0x1.1a62633145c07p-55;
    pair<T> base = {(T)a, (T)((a - (T)a) + a_low)};
    pair<T> t = quarter < 0.5 ? q : quotient(sum(q, pair<T>{-c, (T)0}), sum(product(q, c), pair<T>{(T)1, (T)0}));
    T z = mul(t.hi, t.hi), p = (T)((constants<T>::atan_terms & 1 ? -1.0 : 1.0) / (2 * constants<T>::atan_terms + 1));
#pragma unroll
    for (int n = constants<T>::atan_terms - 1; n >= 1; n--)
        p = fma(p, z, (T)((n & 1 ? -1.0 : 1.0) / (2 * n + 1)));
    return sum(base, quick_sum(t.hi, fma(mul(t.hi, z), p, t.lo)));
}
// The angle of (x, y) for y >= 0, not both 0; `x_sign` tells the side.
template <class T> WG T angle(pair<T> y, pair<T> x, bool x_is_negative)
{
    bool is_steep = y.hi > x.hi;
    pair<T> r = atan_pair(is_steep ? quotient(x, y) : quotient(y, x));
    pair<T> quarter_turn = {constants<T>::half_pi, constants<T>::half_pi2};
    if (is_steep)
        r = sum(quarter_turn, pair<T>{-r.hi, -r.lo});
    if (x_is_negative)
        r = sum(pair<T>{quarter_turn.hi * 2, quarter_turn.lo * 2}, pair<T>{-r.hi, -r.lo});
    return r.hi + r.lo;
}
template <class T> WG T atan_full(T x)
{
    T a = abs(x);
    if (!(a < infinity<T>()))
        return x != x ? x : with_sign(constants<T>::half_pi, x);
    T y = a < power_of_two<T>(-constants<T>::mantissa / 2 - 2) ? a : angle(pair<T>{a, 0}, pair<T>{(T)1, 0}, false);
    return with_sign(y, x);
}
template <class T> WG T atan2_full(T y, T x)
{
    T a = abs(y), b = abs(x);
    if (x != x || y != y)
        return x + y;
    bool is_left = __builtin_signbit(x);
    if (a == infinity<T>() && b == infinity<T>())
        a = b = 1;
    if (a == 0 || b == infinity<T>())
        return with_sign(is_left ? (T)(2 * constants<T>::half_pi) : (T)0, y);
    if (b == 0 || a == infinity<T>())
        return with_sign(constants<T>::half_pi, y);
    // Away from the ends of the range, where quotients would lose bits.
    T largest = a > b ? a : b;
    T factor = largest > constants<T>::huge ? (T)1 / constants<T>::huge
               : largest < (T)1 / constants<T>::huge ? constants<T>::huge : (T)1;
    a *= factor;
    b *= factor;
    if (!is_left && div(a, b) < (T)0x1p-100) // so small that the angle is the quotient
        return with_sign(div(abs(y), abs(x)), y);
    return with_sign(angle(pair<T>{a, 0}, pair<T>{b, 0}, is_left), y);
}
// sqrt(1 - a^2)
template <class T> WG pair<T> other_leg(T a)
{
    pair<T> s = product(a, a), d = sum(pair<T>{(T)1, 0}, pair<T>{-s.hi, -s.lo});
    return d.hi > 0 ? root(d) : pair<T>{0, 0};
}
template <class T> WG T asin_full(T x)
{
    T a = abs(x);
    if (!(a <= 1))
        return not_a_number<T>();
    T y = a < power_of_two<T>(-constants<T>::mantissa / 2 - 2) ? a : angle(pair<T>{a, 0}, other_leg(a), false);
    return with_sign(y, x);
}
template <class T> WG T acos_full(T x)
{
    T a = abs(x);
    return a <= 1 ? angle(other_leg(a), pair<T>{a, 0}, x < 0) : not_a_number<T>();
}
}

WG_LARGE float __nv_sinf(float x) { return warpglass_math::sin_full(x); }
WG_LARGE float __nv_cosf(float x) { return warpglass_math::cos_full(x); }
WG_LARGE float __nv_tanf(float x) { return warpglass_math::tan_full(x); }
WG_LARGE double __nv_sin(double x) { return warpglass_math::sin_full(x); }
WG_LARGE double __nv_cos(double x) { return warpglass_math::cos_full(x); }
WG_LARGE double __nv_tan(double x) { return warpglass_math::tan_full(x); }
static __device__ inline void __nv_sincosf(float x, float *s, float *c)
{
    *s = __nv_sinf(x);
    *c = __nv_cosf(x);
}
static __device__ inline void __nv_sincos(double x, double *s, double *c)
{
    *s = __nv_sin(x);
    *c = __nv_cos(x);
}
WG_BOTH(sinpi, sinpi_full)
WG_BOTH(cospi, cospi_full)
static __device__ inline void __nv_sincospif(float x, float *s, float *c)
{
    *s = __nv_sinpif(x);
    *c = __nv_cospif(x);
}
static __device__ inline void __nv_sincospi(double x, double *s, double *c)
{
    *s = __nv_sinpi(x);
    *c = __nv_cospi(x);
}
WG_BOTH(asin, asin_full)
WG_BOTH(acos, acos_full)
WG_BOTH(atan, atan_full)
static __device__ inline float __nv_atan2f(float y, float x) { return warpglass_math::atan2_full(y, x); }
static __device__ inline double __nv_atan2(double y, double x) { return warpglass_math::atan2_full(y, x); }
#endif
