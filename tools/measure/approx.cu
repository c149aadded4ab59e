// Measures the approximate functions of PTX on a GPU, compactly: what a model of the table unit is fitted to.
//
//     nvcc -arch=sm_90 -O2 -cudart static -o approx tools/measure/approx.cu
//     ./approx FOLDER             # writes FOLDER/NAME.seq, FOLDER/NAME.lst; gzip them
//
// NAME.seq   sequences: for each, a text line "START STRIDE COUNT BYTES" (input bits, hexadecimal, decimal …) and
//            BYTES bytes: the outputs' second differences, zig-zag, 7 bits a byte, low first, top bit = more follows.
// NAME.lst   pairs: 32- or 64-bit words input… output, little-endian, for inputs made by the generator below.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t e = (call);                                                         \
        if (e != cudaSuccess) {                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

// One functor for each instruction: f(bits) -> bits.
#define UNARY32(name, text)                                                             \
    struct name {                                                                       \
        static __device__ uint32_t f(uint32_t x)                                        \
        {                                                                               \
            float a = __uint_as_float(x), d;                                            \
            asm volatile(text " %0, %1;" : "=f"(d) : "f"(a));                           \
            return __float_as_uint(d);                                                  \
        }                                                                               \
    };
UNARY32(rcp_ftz, "rcp.approx.ftz.f32")
UNARY32(rcp_plain, "rcp.approx.f32")
UNARY32(rsqrt_ftz, "rsqrt.approx.ftz.f32")
UNARY32(rsqrt_plain, "rsqrt.approx.f32")
UNARY32(sqrt_ftz, "sqrt.approx.ftz.f32")
UNARY32(sqrt_plain, "sqrt.approx.f32")
UNARY32(lg2_ftz, "lg2.approx.ftz.f32")
UNARY32(lg2_plain, "lg2.approx.f32")
UNARY32(ex2_ftz, "ex2.approx.ftz.f32")
UNARY32(ex2_plain, "ex2.approx.f32")
UNARY32(sin_ftz, "sin.approx.ftz.f32")
UNARY32(sin_plain, "sin.approx.f32")
UNARY32(cos_ftz, "cos.approx.ftz.f32")
UNARY32(cos_plain, "cos.approx.f32")
UNARY32(tanh_plain, "tanh.approx.f32")

#define BINARY32(name, text)                                                            \
    struct name {                                                                       \
        static __device__ uint32_t f(uint32_t x, uint32_t y)                            \
        {                                                                               \
            float a = __uint_as_float(x), b = __uint_as_float(y), d;                    \
            asm volatile(text " %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));               \
            return __float_as_uint(d);                                                  \
        }                                                                               \
    };
BINARY32(div_approx, "div.approx.f32")
BINARY32(div_approx_ftz, "div.approx.ftz.f32")
BINARY32(div_full, "div.full.f32")
BINARY32(div_full_ftz, "div.full.ftz.f32")

#define UNARY64(name, text)                                                             \
    struct name {                                                                       \
        static __device__ uint64_t f(uint64_t x)                                        \
        {                                                                               \
            double a = __longlong_as_double((long long)x), d;                           \
            asm volatile(text " %0, %1;" : "=d"(d) : "d"(a));                           \
            return (uint64_t)__double_as_longlong(d);                                   \
        }                                                                               \
    };
UNARY64(rcp_f64, "rcp.approx.ftz.f64")
UNARY64(rsqrt_f64, "rsqrt.approx.f64")
UNARY64(rsqrt_ftz_f64, "rsqrt.approx.ftz.f64")

#define UNARY16(name, text)                                                             \
    struct name {                                                                       \
        static __device__ uint32_t f(uint32_t x)                                        \
        {                                                                               \
            uint16_t a = (uint16_t)x, d;                                                \
            asm volatile(text " %0, %1;" : "=h"(d) : "h"(a));                           \
            return d;                                                                   \
        }                                                                               \
    };
UNARY16(ex2_f16, "ex2.approx.f16")
UNARY16(tanh_f16, "tanh.approx.f16")
UNARY16(ex2_bf16, "ex2.approx.ftz.bf16")
UNARY16(tanh_bf16, "tanh.approx.bf16")

template <class F> __global__ void sequence(uint32_t *out, uint32_t start, uint32_t stride, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::f(start + i * stride);
}
template <class F> __global__ void pairs32(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::f(in[i]);
}
template <class F> __global__ void pairs2(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::f(in[2 * i], in[2 * i + 1]);
}
template <class F> __global__ void pairs64(const uint64_t *in, uint64_t *out, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::f(in[i]);
}

static const char *folder;
static FILE *create(const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

template <class F> static void write_sequence(FILE *file, uint32_t start, uint32_t stride, uint32_t n)
{
    uint32_t *out;
    CHECK(cudaMallocManaged(&out, n * 4ull));
    sequence<F><<<(n + 255) / 256, 256>>>(out, start, stride, n);
    CHECK(cudaDeviceSynchronize());
    std::vector<uint8_t> bytes;
    uint32_t last = 0, step = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t second = (int32_t)(out[i] - last - step);
        step = out[i] - last;
        last = out[i];
        uint32_t z = (uint32_t)second << 1 ^ (uint32_t)(second >> 31);
        for (; z >= 0x80; z >>= 7)
            bytes.push_back((uint8_t)(z | 0x80));
        bytes.push_back((uint8_t)z);
    }
    fprintf(file, "%08x %u %u %zu\n", start, stride, n, bytes.size());
    fwrite(bytes.data(), 1, bytes.size(), file);
    CHECK(cudaFree(out));
}

// An octave of inputs from `start` on: six whole parts of 1/128, and every 17th input.
template <class F> static void octave(FILE *file, uint32_t start)
{
    static const uint32_t parts[] = {0, 1, 37, 64, 101, 127};
    for (uint32_t part : parts)
        write_sequence<F>(file, start + part * 65536, 1, 65536);
    write_sequence<F>(file, start, 17, (1 << 23) / 17 + 1);
}

static uint64_t state = 0x9e3779b97f4a7c15u;
static uint64_t random_bits()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}
static const uint32_t edges[] = {0, 1, 2, 0x7fffff, 0x400000, 0x800000, 0x800001, 0x1000000, 0x00ffffff, 0x3f800000,
                                 0x3f800001, 0x3f7fffff, 0x40000000, 0x40800000, 0x3f000000, 0x3e800000, 0x7f7fffff,
                                 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x7e800000, 0x7e800001, 0x7effffff,
                                 0x7f000000, 0x7f000001, 0x42fc0000, 0x42fe0000, 0x43000000, 0x43150000, 0x43160000,
                                 0x3fc90fdb, 0x40490fdb, 0x40c90fdb, 0x3f490fdb, 0x41100000, 0x33800000, 0x00200000};
enum { N_EDGES = sizeof edges / sizeof edges[0], N_PAIRS = 6000 };
static uint32_t any32(uint32_t i)
{
    uint64_t r = random_bits();
    if (i < 2 * N_EDGES)
        return edges[i / 2] | (i & 1 ? 0x80000000u : 0);
    if (i % 4 == 0)
        return (uint32_t)r; // any
    if (i % 4 == 1)
        return (uint32_t)(r & 0x80ffffffu); // subnormal, or nearly
    return ((uint32_t)r & 0x807fffffu) | (uint32_t)(112 + (r >> 40) % 24) << 23; // 2^-15 … 2^9
}

template <class F> static void list32(const char *name)
{
    FILE *file = create(name, "lst");
    uint32_t *io;
    CHECK(cudaMallocManaged(&io, 2 * N_PAIRS * 4));
    for (uint32_t i = 0; i < N_PAIRS; i++)
        io[i] = any32(i);
    pairs32<F><<<(N_PAIRS + 255) / 256, 256>>>(io, io + N_PAIRS, N_PAIRS);
    CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        uint32_t words[2] = {io[i], io[N_PAIRS + i]};
        fwrite(words, 4, 2, file);
    }
    fclose(file);
}
template <class F> static void list2(const char *name)
{
    FILE *file = create(name, "lst");
    uint32_t *io;
    CHECK(cudaMallocManaged(&io, 3 * N_PAIRS * 4));
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        io[2 * i] = i < 4 * N_EDGES ? edges[i % N_EDGES] | (i / N_EDGES & 1 ? 0x80000000u : 0) : any32(i);
        io[2 * i + 1] = i < 4 * N_EDGES ? edges[(i * 7 + i / N_EDGES) % N_EDGES] : any32(i / 4 + 1000);
    }
    pairs2<F><<<(N_PAIRS + 255) / 256, 256>>>(io, io + 2 * N_PAIRS, N_PAIRS);
    CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        uint32_t words[3] = {io[2 * i], io[2 * i + 1], io[2 * N_PAIRS + i]};
        fwrite(words, 4, 3, file);
    }
    fclose(file);
}
template <class F> static void list64(const char *name)
{
    static const uint64_t edges64[] = {0, 1, 0xfffffffffffffull, 0x10000000000000ull, 0x3ff0000000000000ull,
                                       0x3ff0000000000001ull, 0x3ff00000ffffffffull, 0x3fefffffffffffffull,
                                       0x4000000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull,
                                       0x7ff0000000000001ull, 0x7ff8000000000000ull, 0x0000000100000000ull,
                                       0x7fd0000000000000ull, 0x7fe0000000000000ull, 0x4330000000000000ull};
    FILE *file = create(name, "lst");
    uint64_t *io;
    enum { N = 40000, N64 = sizeof edges64 / sizeof edges64[0] };
    CHECK(cudaMallocManaged(&io, 2 * N * 8));
    for (uint32_t i = 0; i < N; i++) {
        uint64_t r = random_bits();
        io[i] = i < 2 * N64  ? edges64[i / 2] | (uint64_t)(i & 1) << 63
                : i < 6000   ? (i % 3 ? r : r & 0x801fffffffffffffull)
                             : 0x3ff0000000000000ull + (uint64_t)(i - 6000) * (0x20000000000000ull / (N - 6000));
    }
    pairs64<F><<<(N + 255) / 256, 256>>>(io, io + N, N);
    CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < N; i++) {
        uint64_t words[2] = {io[i], io[N + i]};
        fwrite(words, 8, 2, file);
    }
    fclose(file);
}
template <class F> static void all16(const char *name)
{
    FILE *file = create(name, "seq");
    write_sequence<F>(file, 0, 1, 65536);
    fclose(file);
}
template <class F> static void octaves(const char *name, std::vector<uint32_t> starts)
{
    FILE *file = create(name, "seq");
    for (uint32_t start : starts)
        octave<F>(file, start);
    fclose(file);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    octaves<rcp_ftz>("rcp", {0x3f800000});
    octaves<rsqrt_ftz>("rsqrt", {0x3f800000, 0x40000000});
    octaves<sqrt_ftz>("sqrt", {0x3f800000, 0x40000000});
    octaves<lg2_ftz>("lg2", {0x3f800000, 0x3f000000, 0x40000000});
    octaves<ex2_ftz>("ex2", {0x3f800000, 0x3f000000, 0x3e000000, 0xbf800000});
    octaves<sin_ftz>("sin", {0x3f800000, 0x3f000000, 0x3e000000, 0x40000000});
    octaves<cos_ftz>("cos", {0x3f800000, 0x3f000000, 0x3e000000, 0x40000000});
    octaves<tanh_plain>("tanh", {0x3c000000, 0x3d800000, 0x3e800000, 0x3f000000, 0x3f800000, 0x40000000, 0x40800000});
    list32<rcp_ftz>("rcp_ftz");
    list32<rcp_plain>("rcp_plain");
    list32<rsqrt_ftz>("rsqrt_ftz");
    list32<rsqrt_plain>("rsqrt_plain");
    list32<sqrt_ftz>("sqrt_ftz");
    list32<sqrt_plain>("sqrt_plain");
    list32<lg2_ftz>("lg2_ftz");
    list32<lg2_plain>("lg2_plain");
    list32<ex2_ftz>("ex2_ftz");
    list32<ex2_plain>("ex2_plain");
    list32<sin_ftz>("sin_ftz");
    list32<sin_plain>("sin_plain");
    list32<cos_ftz>("cos_ftz");
    list32<cos_plain>("cos_plain");
    list32<tanh_plain>("tanh_plain");
    list2<div_approx>("div_approx");
    list2<div_approx_ftz>("div_approx_ftz");
    list2<div_full>("div_full");
    list2<div_full_ftz>("div_full_ftz");
    list64<rcp_f64>("rcp_f64");
    list64<rsqrt_f64>("rsqrt_f64");
    list64<rsqrt_ftz_f64>("rsqrt_ftz_f64");
    all16<ex2_f16>("ex2_f16");
    all16<tanh_f16>("tanh_f16");
    all16<ex2_bf16>("ex2_bf16");
    all16<tanh_bf16>("tanh_bf16");
    return 0;
}
