// What is copied and counted of asynchronous copies that read fewer bytes than they write, and of copies under guards
// in other predicate registers?
#include "probe.h"
#include <cstring>

#define FILL(NAME, TEXT)                                                                                             \
    __global__ void NAME(const unsigned *lanes, const char *from, unsigned *out, int step)                           \
    {                                                                                                                \
        __shared__ __align__(16) char to[8192];                                                                      \
        for (int i = threadIdx.x; i < 2048; i += 32)                                                                 \
            ((unsigned *)to)[i] = 0xeeeeeeee;                                                                        \
        __syncwarp();                                                                                                \
        unsigned at = (unsigned)__cvta_generic_to_shared(to) + threadIdx.x * 16 * step;                              \
        const char *source = from + threadIdx.x * 16;                                                                \
        asm volatile(TEXT ::"r"(at), "l"(source), "r"(lanes[threadIdx.x]) : "memory");                               \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                             \
        __syncwarp();                                                                                                \
        for (int i = 0; i < 4; i++)                                                                                  \
            out[threadIdx.x * 4 + i] = *(unsigned *)(to + threadIdx.x * 16 * step + 4 * i);                          \
    }
FILL(cg16_reads, "cp.async.cg.shared.global [%0], [%1], 16, %2;")
FILL(ca16_reads, "cp.async.ca.shared.global [%0], [%1], 16, %2;")
FILL(ca8_reads, "cp.async.ca.shared.global [%0], [%1], 8, %2;")
FILL(ca4_reads, "cp.async.ca.shared.global [%0], [%1], 4, %2;")
FILL(cg16_reads_8, "cp.async.cg.shared.global [%0], [%1], 16, 8;")
FILL(cg16_reads_0, "cp.async.cg.shared.global [%0], [%1], 16, 0;")
FILL(cg16_ignored, "{.reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p;}")
FILL(ca16_ignored, "{.reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 16, p;}")
FILL(ca4_ignored, "{.reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p;}")

// Six guards alive at once, so that they lie in six registers; bit k of a lane's word is guard k.
__global__ void six_guards(const unsigned *lanes, const char *from, unsigned *out, int step)
{
    __shared__ __align__(16) char to[8192];
    unsigned at = (unsigned)__cvta_generic_to_shared(to) + threadIdx.x * 16 * step;
    const char *source = from + threadIdx.x * 16;
    asm volatile("{.reg .pred p<6>; .reg .b32 t<6>;\n"
                 "and.b32 t0, %2, 1; and.b32 t1, %2, 2; and.b32 t2, %2, 4; and.b32 t3, %2, 8; and.b32 t4, %2, 16; and.b32 t5, %2, 32;\n"
                 "setp.ne.u32 p0, t0, 0; setp.ne.u32 p1, t1, 0; setp.ne.u32 p2, t2, 0; setp.ne.u32 p3, t3, 0; setp.ne.u32 p4, t4, 0; setp.ne.u32 p5, t5, 0;\n"
                 "@p0 cp.async.cg.shared.global [%0], [%1], 16;\n@p1 cp.async.cg.shared.global [%0], [%1+512], 16;\n"
                 "@p2 cp.async.cg.shared.global [%0], [%1+1024], 16;\n@!p3 cp.async.cg.shared.global [%0], [%1+1536], 16;\n"
                 "@!p4 cp.async.cg.shared.global [%0], [%1+2048], 16;\n@p5 cp.async.ca.shared.global [%0], [%1+2560], 16;\n"
                 "@p0 cp.async.cg.shared.global [%0], [%1+3072], 16;\n@p1 cp.async.cg.shared.global [%0], [%1+4096], 16;\n"
                 "@p2 cp.async.cg.shared.global [%0], [%1+4608], 16;\n@!p3 cp.async.cg.shared.global [%0], [%1+5120], 16, 8;}"
                 ::"r"(at), "l"(source), "r"(lanes[threadIdx.x]) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = *(unsigned *)(to + threadIdx.x * 16 * step + 4 * i);
}

int main()
{
    typedef void (*Kernel)(const unsigned *, const char *, unsigned *, int);
    static const struct {
        const char *name;
        Kernel kernel;
    } kernels[] = {{"cg16_reads", cg16_reads},     {"ca16_reads", ca16_reads},     {"ca8_reads", ca8_reads},
                   {"ca4_reads", ca4_reads},       {"cg16_reads_8", cg16_reads_8}, {"cg16_reads_0", cg16_reads_0},
                   {"cg16_ignored", cg16_ignored}, {"ca16_ignored", ca16_ignored}, {"ca4_ignored", ca4_ignored},
                   {"six_guards", six_guards}};
    static const struct {
        int base, step, modulus; // lane i's word: base + i step mod modulus
    } words[] = {{0, 0, 1}, {4, 0, 1}, {8, 0, 1}, {16, 0, 1}, {3, 0, 1}, {0, 8, 16}, {0, 1, 17}, {0, 5, 64}};
    unsigned *lanes_at = device_words(128), *from = device_words(16384), *out = device_words(512);
    unsigned pattern[4096];
    for (unsigned i = 0; i < 4096; i++)
        pattern[i] = i * 2654435761u + 12345;
    CHECK(cudaMemcpy(from, pattern, sizeof pattern, cudaMemcpyHostToDevice));
    for (auto &k : kernels)
        for (auto &w : words)
            for (int step : {1, 8}) {
                unsigned lanes[32], got[128], hash = 0;
                for (int i = 0; i < 32; i++)
                    lanes[i] = w.base + i * w.step % w.modulus;
                int width = k.name[2] == '1' ? 16 : k.name[2] == '8' ? 8 : 4;
                if (k.name[0] == 'c' && k.name[strlen(k.name) - 1] == 's')
                    for (int i = 0; i < 32; i++)
                        lanes[i] = lanes[i] > (unsigned)width ? width : lanes[i];
                CHECK(cudaMemcpy(lanes_at, lanes, sizeof lanes, cudaMemcpyHostToDevice));
                k.kernel<<<1, 32>>>(lanes_at, (const char *)from, out, step);
                finish();
                CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
                for (unsigned v : got)
                    hash = (hash ^ v) * 16777619u;
                std::printf("kernel=%s first=%d stride=%d modulus=%d step=%d hash=%08x\n", k.name, w.base, w.step, w.modulus, step,
                            k.kernel == six_guards ? 0 : hash); // six_guards: lanes race for a place
            }
}
