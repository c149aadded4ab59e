// Every argument: the model of the table unit (src/simt/approx.c) against a GPU, all 2^32 inputs of each function, with and
// without .ftz. Prints how many results differ and the first of them.
//
//     gcc -O3 -Isrc -D_GNU_SOURCE -ffp-contract=off -c src/simt/approx.c -o approx.o
//     nvcc -arch=sm_90 -O2 -cudart static -Xcompiler -pthread -o approx_all tools/measure/approx_all.cu approx.o
//     ./approx_all [THREADS]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <thread>
#include <vector>

extern "C" {
uint32_t approx_rcp(uint32_t, bool);
uint32_t approx_rsqrt(uint32_t, bool);
uint32_t approx_sqrt(uint32_t, bool);
uint32_t approx_lg2(uint32_t, bool);
uint32_t approx_ex2(uint32_t, bool);
uint32_t approx_sin(uint32_t, bool);
uint32_t approx_cos(uint32_t, bool);
uint32_t approx_tanh(uint32_t, bool);
}

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t e = (call);                                                         \
        if (e != cudaSuccess) {                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

#define KERNEL(name, text)                                                              \
    __global__ void name(uint32_t *out, uint32_t first)                                 \
    {                                                                                   \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                             \
        float a = __uint_as_float(first + i), d;                                        \
        asm volatile(text " %0, %1;" : "=f"(d) : "f"(a));                               \
        out[i] = __float_as_uint(d);                                                    \
    }
#define BOTH(name) KERNEL(name##_ftz, #name ".approx.ftz.f32") KERNEL(name##_plain, #name ".approx.f32")
BOTH(rcp)
BOTH(rsqrt)
BOTH(sqrt)
BOTH(lg2)
BOTH(ex2)
BOTH(sin)
BOTH(cos)
KERNEL(tanh_plain, "tanh.approx.f32")

struct function {
    const char *name;
    uint32_t (*model)(uint32_t, bool);
    void (*kernel)(uint32_t *, uint32_t);
    bool ftz;
};
#define ENTRY(name) {#name ".approx.ftz", approx_##name, name##_ftz, true}, {#name ".approx", approx_##name, name##_plain, false}
static const struct function functions[] = {ENTRY(rcp), ENTRY(rsqrt), ENTRY(sqrt), ENTRY(lg2), ENTRY(ex2), ENTRY(sin), ENTRY(cos),
                                            {"tanh.approx", approx_tanh, tanh_plain, false}};

enum { CHUNK = 1 << 26 };

int main(int argc, char **argv)
{
    const unsigned n_threads = argc > 1 ? (unsigned)atoi(argv[1]) : std::thread::hardware_concurrency();
    uint32_t *device, *host;
    CHECK(cudaMalloc(&device, CHUNK * 4ull));
    CHECK(cudaMallocHost(&host, CHUNK * 4ull));
    for (const function &f : functions) {
        std::vector<uint64_t> bad(n_threads, 0), example(n_threads, UINT64_MAX);
        for (uint64_t first = 0; first < 1ull << 32; first += CHUNK) {
            f.kernel<<<CHUNK / 256, 256>>>(device, (uint32_t)first);
            CHECK(cudaMemcpy(host, device, CHUNK * 4ull, cudaMemcpyDeviceToHost));
            std::vector<std::thread> threads;
            for (unsigned t = 0; t < n_threads; t++)
                threads.emplace_back([&, t] {
                    for (uint32_t i = t; i < CHUNK; i += n_threads)
                        if (f.model((uint32_t)first + i, f.ftz) != host[i] && bad[t]++ == 0)
                            example[t] = first + i;
                });
            for (std::thread &thread : threads)
                thread.join();
        }
        uint64_t n = 0, x = UINT64_MAX;
        for (unsigned t = 0; t < n_threads; t++) {
            n += bad[t];
            x = example[t] < x ? example[t] : x;
        }
        printf("%-16s %llu of 2^32 differ", f.name, (unsigned long long)n);
        if (n)
            printf(", first %08llx: model %08x", (unsigned long long)x, f.model((uint32_t)x, f.ftz));
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
