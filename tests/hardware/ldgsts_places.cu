// Which lanes of an asynchronous copy are written to shared memory together, and how often is a sector counted? Lane i copies
// `width` bytes from the source(i)-th such piece to the place(i)-th; `mask`: the lanes that do. around: .cg; around_chosen: .cg,
// lanes outside `mask` write zeros; around_reads: .cg with .ZFILL; through: .ca.
#include "probe.h"

#define COPY(NAME, FORM, WIDTH, REST)                                                                                  \
    __global__ void NAME(const int *place, const int *source, const char *from, unsigned *out, unsigned mask, int times) \
    {                                                                                                                  \
        __shared__ __align__(16) char to[32768];                                                                       \
        unsigned at = (unsigned)__cvta_generic_to_shared(to) + WIDTH * place[threadIdx.x];                             \
        const char *read = from + WIDTH * source[threadIdx.x];                                                         \
        unsigned bytes = out[threadIdx.x] + WIDTH;                                                                     \
        if (mask >> threadIdx.x & 1)                                                                                   \
            _Pragma("unroll 1") for (int i = 0; i < times; i++) /* a loop, so that the branch stays one */             \
                asm volatile("cp.async." FORM ".shared.global [%0], [%1], " #WIDTH REST ";" ::"r"(at),                 \
                             "l"(read + i * 4096), "r"(bytes)                                                          \
                             : "memory");                                                                              \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
        __syncwarp();                                                                                                  \
        out[threadIdx.x] = *(unsigned *)(to + threadIdx.x * 16) & 0;                                                   \
    }
COPY(around, "cg", 16, "")
COPY(around_reads, "cg", 16, ", %2")
COPY(through, "ca", 16, "")
COPY(through8, "ca", 8, "")
COPY(through4, "ca", 4, "")

__global__ void around_chosen(const int *place, const int *source, const char *from, unsigned *out, unsigned mask, int times)
{
    __shared__ __align__(16) char to[32768];
    unsigned at = (unsigned)__cvta_generic_to_shared(to) + 16 * place[threadIdx.x];
    const char *read = from + 16 * source[threadIdx.x];
    unsigned bytes = mask >> threadIdx.x & 1 ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(read), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = *(unsigned *)(to + threadIdx.x * 16) & (unsigned)(times >> 8);
}

enum { N_PATTERNS = 16 };

static int pattern(int p, int t)
{
    switch (p) {
    case 0: return t;
    case 1: return t ^ 1;
    case 2: return 31 - t;
    case 3: return t ^ t >> 3;             // rows swizzled
    case 4: return 2 * t;
    case 5: return 0;
    case 6: return t / 2;
    case 7: return (t * 37 + 11) % 128;    // scattered
    case 8: return t % 8 * 8 + t / 8;      // transposed
    case 9: return t + 1;
    case 10: return 8 * t;
    case 11: return t % 4 * 8 + t / 4;     // transposed in fours
    case 12: return t % 2 * 16 + t / 2;    // two rows of sixteen
    case 13: return t % 2 * 2 + t / 2 * 4;
    case 14: return (t + 3) % 32;
    default: return t * 9;
    }
}

int main()
{
    typedef void (*Kernel)(const int *, const int *, const char *, unsigned *, unsigned, int);
    static const struct {
        const char *name;
        Kernel kernel;
    } kernels[] = {{"around", around},   {"around_chosen", around_chosen}, {"around_reads", around_reads},
                   {"through", through}, {"through8", through8},           {"through4", through4}};
    static const unsigned masks[] = {0xffffffffu, 0x9b3c71e5u};
    int *place = (int *)device_words(128), *source = (int *)device_words(128);
    unsigned *from = device_words(65536), *out = device_words(128);
    for (auto &k : kernels)
        for (int p = 0; p < N_PATTERNS; p++)
            for (int s = 0; s < N_PATTERNS; s++)
                for (unsigned mask : masks) {
                    int a[32], b[32];
                    for (int t = 0; t < 32; t++) {
                        a[t] = pattern(p, t);
                        b[t] = pattern(s, t);
                    }
                    CHECK(cudaMemcpy(place, a, sizeof a, cudaMemcpyHostToDevice));
                    CHECK(cudaMemcpy(source, b, sizeof b, cudaMemcpyHostToDevice));
                    k.kernel<<<1, 32>>>(place, source, (const char *)from, out, mask, 1);
                    finish();
                    std::printf("kernel=%s place=%d source=%d mask=%08x\n", k.name, p, s, mask);
                }
}
