// One kernel for each kind of memory instruction, with every width that the target has: what the static mix must count.
// Addresses are known to no compiler, so nothing is joined; the values of loads are stored, so nothing is left out.
#include <cuda_fp16.h>

#define GLOBAL extern "C" __global__ void

GLOBAL global_loads(const unsigned char *p, unsigned *out, long i)
{
    unsigned a, b, c, d, sum;
    unsigned long long w, v;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(a) : "l"(p + i));
    sum = a;
    asm volatile("ld.global.s8 %0, [%1];" : "=r"(a) : "l"(p + 3 * i));
    sum += a;
    asm volatile("{ .reg .u16 h; ld.global.u16 h, [%1]; cvt.u32.u16 %0, h; }" : "=r"(a) : "l"(p + 5 * i));
    sum += a;
    asm volatile("ld.global.s16 %0, [%1];" : "=r"(a) : "l"(p + 7 * i));
    sum += a;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p + 9 * i));
    sum += a;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(a) : "l"(p + 11 * i));
    sum += a;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(p + 13 * i));
    sum += a;
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(a) : "l"(p + 15 * i));
    sum += a;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(w) : "l"(p + 17 * i));
    asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(v), "=l"(v) : "l"(p + 19 * i));
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p + 21 * i));
    out[0] = sum + a + b + c + d + (unsigned)w + (unsigned)v + (unsigned)(w >> 32) + (unsigned)(v >> 32);
}

GLOBAL global_stores(unsigned char *p, long i, unsigned a, unsigned long long w)
{
    asm volatile("st.global.u8 [%0], %1;" ::"l"(p + i), "r"(a));
    asm volatile("{ .reg .u16 h; cvt.u16.u32 h, %1; st.global.u16 [%0], h; }" ::"l"(p + 3 * i), "r"(a));
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p + 5 * i), "r"(a));
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p + 7 * i), "r"(a));
    asm volatile("st.global.u64 [%0], %1;" ::"l"(p + 9 * i), "l"(w));
    asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p + 11 * i), "r"(a));
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p + 13 * i), "r"(a));
    asm volatile("st.global.v2.u64 [%0], {%1, %1};" ::"l"(p + 15 * i), "l"(w));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
GLOBAL global_256(const unsigned char *p, unsigned char *q, long i) // 32 bytes a lane
{
    unsigned a, b, c, d, e, f, g, h;
    asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e), "=r"(f), "=r"(g), "=r"(h)
                 : "l"(p + 32 * i));
    asm volatile("st.global.v8.b32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7};" ::"r"(b), "r"(a), "r"(d), "r"(c), "r"(f),
                 "r"(e), "r"(h), "r"(g), "l"(q + 32 * i));
}
#endif

GLOBAL shared_loads(unsigned *out, unsigned i)
{
    unsigned a, b, c, d, sum;
    unsigned long long w, v;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(i));
    sum = a;
    asm volatile("ld.shared.s8 %0, [%1];" : "=r"(a) : "r"(3 * i));
    sum += a;
    asm volatile("ld.shared.s16 %0, [%1];" : "=r"(a) : "r"(5 * i));
    sum += a;
    asm volatile("{ .reg .u16 h; ld.shared.u16 h, [%1]; cvt.u32.u16 %0, h; }" : "=r"(a) : "r"(7 * i));
    sum += a;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(9 * i));
    sum += a;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(11 * i));
    sum += a;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(w) : "r"(13 * i));
    asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(v), "=l"(v) : "r"(15 * i));
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(17 * i));
    out[0] = sum + a + b + c + d + (unsigned)w + (unsigned)v + (unsigned)(w >> 32) + (unsigned)(v >> 32);
}

GLOBAL shared_stores(unsigned i, unsigned a, unsigned long long w)
{
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(i), "r"(a));
    asm volatile("{ .reg .u16 h; cvt.u16.u32 h, %1; st.shared.u16 [%0], h; }" ::"r"(3 * i), "r"(a));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(5 * i), "r"(a));
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(7 * i), "l"(w));
    asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(9 * i), "r"(a));
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(11 * i), "r"(a));
    asm volatile("st.shared.v2.u64 [%0], {%1, %1};" ::"r"(13 * i), "l"(w));
}

GLOBAL matrix_loads(unsigned *out, unsigned i)
{
    unsigned a, b, c, d, e, f, g;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(i));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(b), "=r"(c) : "r"(3 * i));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(d), "=r"(e), "=r"(f), "=r"(g)
                 : "r"(5 * i));
    out[0] = a + b + c + d + e + f + g;
}

GLOBAL local(const int *in, int *out, long i) // each access to an array of its own, at an index known to none
{
    int words[32];
    long long pairs[16];
    int4 quads[8];
    short halves[64];
    signed char bytes[128];
    words[in[0] & 31] = in[1];
    pairs[in[2] & 15] = in[3];
    quads[in[4] & 7] = *(const int4 *)(in + 8);
    halves[in[5] & 63] = (short)in[6];
    bytes[in[7] & 127] = (signed char)in[20];
    int4 q = quads[in[21] & 7];
    out[0] = words[in[22] & 31];
    *(long long *)(out + 2) = pairs[in[23] & 15];
    *(int4 *)(out + 4) = q;
    out[8] = halves[in[24] & 63];
    out[9] = bytes[in[25] & 127];
}

GLOBAL generic(unsigned char *p, long i, unsigned a, unsigned long long w)
{
    unsigned b, c, d, e;
    unsigned long long v;
    asm volatile("ld.u8 %0, [%1];" : "=r"(b) : "l"(p + i));
    asm volatile("ld.u32 %0, [%1];" : "=r"(c) : "l"(p + 3 * i));
    asm volatile("ld.u64 %0, [%1];" : "=l"(v) : "l"(p + 5 * i));
    asm volatile("st.u8 [%0], %1;" ::"l"(p + 7 * i), "r"(b + c + (unsigned)v + (unsigned)(v >> 32)));
    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(b), "=r"(c), "=r"(d), "=r"(e) : "l"(p + 9 * i));
    asm volatile("st.u32 [%0], %1;" ::"l"(p + 11 * i), "r"(b + c + d + e));
    asm volatile("st.u64 [%0], %1;" ::"l"(p + 13 * i), "l"(w));
    asm volatile("st.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p + 15 * i), "r"(a));
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(b) : "l"(p + 17 * i), "r"(a));
    asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(v) : "l"(p + 19 * i), "l"(w));
    asm volatile("st.u32 [%0], %1;" ::"l"(p + 21 * i), "r"(b + (unsigned)v + (unsigned)(v >> 32)));
}

GLOBAL global_atomics(unsigned char *p, long i, unsigned a, unsigned long long w, unsigned *out)
{
    unsigned b, c, d, e;
    unsigned long long u, v;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(b) : "l"(p + i), "r"(a + threadIdx.x));
    asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(c) : "l"(p + 3 * i), "r"(a));
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(d) : "l"(p + 5 * i), "r"(a), "r"(7u));
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(u) : "l"(p + 7 * i), "l"(w + threadIdx.x));
    asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(v) : "l"(p + 9 * i), "l"(w), "l"(7ull));
    asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(e) : "l"(p + 11 * i), "r"(a));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p + 13 * i), "r"(a + threadIdx.x));
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p + 15 * i), "r"(a));
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p + 17 * i), "l"(w));
    asm volatile("red.global.max.u64 [%0], %1;" ::"l"(p + 19 * i), "l"(w + threadIdx.x));
    out[0] = b + c + d + e + (unsigned)(u + v) + (unsigned)((u + v) >> 32);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
GLOBAL global_atomics_90(unsigned char *p, long i, float a, unsigned long long w, unsigned *out)
{
    unsigned long long u, v;
    asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(p + i), "f"(a));
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p + 3 * i), "f"(a));
    asm volatile("{ .reg .b128 x, y; mov.b128 x, {%3, %3}; atom.global.exch.b128 y, [%2], x; mov.b128 {%0, %1}, y; }"
                 : "=l"(u), "=l"(v)
                 : "l"(p + 5 * i), "l"(w));
    out[0] = (unsigned)(u + v) + (unsigned)((u + v) >> 32);
}
#endif

GLOBAL shared_atomics(unsigned i, unsigned a, unsigned long long w, unsigned *out)
{
    unsigned b, c, d;
    unsigned long long u, v;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(b) : "r"(i), "r"(a + threadIdx.x));
    asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(c) : "r"(3 * i), "r"(a));
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(d) : "r"(5 * i), "r"(a), "r"(7u));
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(u) : "r"(7 * i), "l"(w));
    asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(v) : "r"(9 * i), "l"(w), "l"(7ull));
    asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(11 * i), "r"(a));
    out[0] = b + c + d + (unsigned)(u + v) + (unsigned)((u + v) >> 32);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
GLOBAL async_copies(const unsigned char *p, unsigned i)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(i), "l"(p + 3 * i));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(5 * i), "l"(p + 7 * i));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(9 * i), "l"(p + 11 * i));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(13 * i), "l"(p + 15 * i));
    asm volatile("cp.async.wait_all;");
}
#endif
