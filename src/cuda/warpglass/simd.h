// NVIDIA's device library, packed part: two 16-bit or four 8-bit numbers in one word, lane by lane in plain integer code.
#ifndef WARPGLASS_SIMD_H
#define WARPGLASS_SIMD_H

// A function of the two lanes of `bits` bits at each place: a, b signed, u, v unsigned; its low bits are the result's.
#define WARPGLASS_LANES(name, bits, expression)                                                              \
    static __device__ inline unsigned name(unsigned x, unsigned y)                                           \
    {                                                                                                        \
        unsigned result = 0;                                                                                 \
        for (int i = 0; i < 32; i += bits) {                                                                 \
            int a = (int)(x << (32 - bits - i)) >> (32 - bits), b = (int)(y << (32 - bits - i)) >> (32 - bits); \
            int u = (int)((x >> i) & ((1u << bits) - 1)), v = (int)((y >> i) & ((1u << bits) - 1));          \
            (void)a, (void)b, (void)u, (void)v;                                                              \
            result |= ((unsigned)(expression) & ((1u << bits) - 1)) << i;                                    \
        }                                                                                                    \
        return result;                                                                                       \
    }
// The sum over the lanes.
#define WARPGLASS_SUM(name, bits, expression)                                                                \
    WARPGLASS_LANES(name##_lanes, bits, expression)                                                          \
    static __device__ inline unsigned name(unsigned x, unsigned y)                                           \
    {                                                                                                        \
        unsigned lanes = name##_lanes(x, y), sum = 0;                                                        \
        for (int i = 0; i < 32; i += bits)                                                                   \
            sum += (lanes >> i) & ((1u << bits) - 1);                                                        \
        return sum;                                                                                          \
    }
#define WARPGLASS_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define WARPGLASS_COMPARE(name, bits, condition)                                                             \
    WARPGLASS_LANES(__nv_vset##name, bits, (condition) ? 1 : 0)                                              \
    WARPGLASS_LANES(__nv_vcmp##name, bits, (condition) ? -1 : 0)

#define WARPGLASS_PACKED(n, bits, lowest, highest, largest)                                                  \
    WARPGLASS_LANES(__nv_vadd##n, bits, u + v)                                                               \
    WARPGLASS_LANES(__nv_vaddss##n, bits, WARPGLASS_CLAMP(a + b, lowest, highest))                           \
    WARPGLASS_LANES(__nv_vaddus##n, bits, WARPGLASS_CLAMP(u + v, 0, largest))                                \
    WARPGLASS_LANES(__nv_vsub##n, bits, u - v)                                                               \
    WARPGLASS_LANES(__nv_vsubss##n, bits, WARPGLASS_CLAMP(a - b, lowest, highest))                           \
    WARPGLASS_LANES(__nv_vsubus##n, bits, WARPGLASS_CLAMP(u - v, 0, largest))                                \
    WARPGLASS_LANES(__nv_vavgs##n, bits, (a + b + (a + b >= 0)) >> 1)                                        \
    WARPGLASS_LANES(__nv_vavgu##n, bits, (u + v + 1) >> 1)                                                   \
    WARPGLASS_LANES(__nv_vhaddu##n, bits, (u + v) >> 1)                                                      \
    WARPGLASS_LANES(__nv_vmaxs##n, bits, a > b ? a : b)                                                      \
    WARPGLASS_LANES(__nv_vmaxu##n, bits, u > v ? u : v)                                                      \
    WARPGLASS_LANES(__nv_vmins##n, bits, a < b ? a : b)                                                      \
    WARPGLASS_LANES(__nv_vminu##n, bits, u < v ? u : v)                                                      \
    WARPGLASS_LANES(__nv_vabsdiffs##n, bits, a > b ? a - b : b - a)                                          \
    WARPGLASS_LANES(__nv_vabsdiffu##n, bits, u > v ? u - v : v - u)                                          \
    WARPGLASS_SUM(__nv_vsads##n, bits, a > b ? a - b : b - a)                                                \
    WARPGLASS_SUM(__nv_vsadu##n, bits, u > v ? u - v : v - u)                                                \
    WARPGLASS_LANES(warpglass_vabs##n, bits, a < 0 ? -a : a)                                                 \
    WARPGLASS_LANES(warpglass_vabsss##n, bits, a == lowest ? highest : a < 0 ? -a : a)                       \
    WARPGLASS_LANES(warpglass_vnegss##n, bits, a == lowest ? highest : -a)                                   \
    static __device__ inline unsigned __nv_vabs##n(unsigned x) { return warpglass_vabs##n(x, 0); }           \
    static __device__ inline unsigned __nv_vabsss##n(unsigned x) { return warpglass_vabsss##n(x, 0); }       \
    static __device__ inline unsigned __nv_vneg##n(unsigned x) { return __nv_vsub##n(0, x); }                \
    static __device__ inline unsigned __nv_vnegss##n(unsigned x) { return warpglass_vnegss##n(x, 0); }       \
    WARPGLASS_COMPARE(eq##n, bits, u == v)                                                                   \
    WARPGLASS_COMPARE(ne##n, bits, u != v)                                                                   \
    WARPGLASS_COMPARE(ges##n, bits, a >= b)                                                                  \
    WARPGLASS_COMPARE(geu##n, bits, u >= v)                                                                  \
    WARPGLASS_COMPARE(gts##n, bits, a > b)                                                                   \
    WARPGLASS_COMPARE(gtu##n, bits, u > v)                                                                   \
    WARPGLASS_COMPARE(les##n, bits, a <= b)                                                                  \
    WARPGLASS_COMPARE(leu##n, bits, u <= v)                                                                  \
    WARPGLASS_COMPARE(lts##n, bits, a < b)                                                                   \
    WARPGLASS_COMPARE(ltu##n, bits, u < v)
WARPGLASS_PACKED(2, 16, -32768, 32767, 65535)
WARPGLASS_PACKED(4, 8, -128, 127, 255)
#undef WARPGLASS_PACKED
#undef WARPGLASS_COMPARE
#undef WARPGLASS_CLAMP
#undef WARPGLASS_SUM
#undef WARPGLASS_LANES
#endif
