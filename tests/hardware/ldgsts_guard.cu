// What does the profiler count of an asynchronous copy to shared memory under a guard? One kernel a form; each lane
// copies 16 bytes, lane `lane` to row `lane`. `active`: the lanes whose guard holds.
#include "probe.h"

#define COPY(NAME, TEXT, GUARD)                                                                                     \
    __global__ void NAME(const unsigned *active, const char *from, unsigned *out, int step)                         \
    {                                                                                                               \
        __shared__ __align__(16) char to[8192];                                                                     \
        unsigned at = (unsigned)__cvta_generic_to_shared(to) + threadIdx.x * 16 * step;                             \
        const char *source = from + threadIdx.x * 16;                                                               \
        unsigned guard = active[threadIdx.x];                                                                       \
        asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n" GUARD " " TEXT "}" ::"r"(at), "l"(source), "r"(guard) \
                     : "memory");                                                                                   \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                            \
        __syncwarp();                                                                                               \
        out[threadIdx.x] = *(unsigned *)(to + threadIdx.x * 16);                                                    \
    }
COPY(cg_plain, "cp.async.cg.shared.global [%0], [%1], 16;", "")
COPY(cg_guard, "cp.async.cg.shared.global [%0], [%1], 16;", "@p")
COPY(cg_not_guard, "cp.async.cg.shared.global [%0], [%1], 16;", "@!p")
COPY(cg_hint_guard, "cp.async.cg.shared.global.L2::128B [%0], [%1], 16;", "@p")
COPY(cg_two_guards, "cp.async.cg.shared.global [%0], [%1], 16;\n@p cp.async.cg.shared.global [%0+4096], [%1+4096], 16;", "@p")
COPY(ca_plain, "cp.async.ca.shared.global [%0], [%1], 16;", "")
COPY(ca_guard, "cp.async.ca.shared.global [%0], [%1], 16;", "@p")
COPY(ca4_guard, "cp.async.ca.shared.global [%0], [%1], 4;", "@p")
COPY(cg_fill, "cp.async.cg.shared.global [%0], [%1], 16, 8;", "")
COPY(cg_fill_guard, "cp.async.cg.shared.global [%0], [%1], 16, 8;", "@p")
COPY(cg_ignore, "cp.async.cg.shared.global [%0], [%1], 16, p;", "")

// The same behind a branch that is no guard.
__global__ void cg_branch(const unsigned *active, const char *from, unsigned *out, int step)
{
    __shared__ __align__(16) char to[8192];
    unsigned at = (unsigned)__cvta_generic_to_shared(to) + threadIdx.x * 16 * step;
    const char *source = from + threadIdx.x * 16;
    if (active[threadIdx.x]) {
        for (int i = 0; i < step + 3; i++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(source + i * 512) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = *(unsigned *)(to + threadIdx.x * 16);
}

int main()
{
    typedef void (*Kernel)(const unsigned *, const char *, unsigned *, int);
    static const struct {
        const char *name;
        Kernel kernel;
    } kernels[] = {{"cg_plain", cg_plain},           {"cg_guard", cg_guard},
                   {"cg_not_guard", cg_not_guard},   {"cg_hint_guard", cg_hint_guard},
                   {"cg_two_guards", cg_two_guards}, {"ca_plain", ca_plain},
                   {"ca_guard", ca_guard},           {"ca4_guard", ca4_guard},
                   {"cg_fill", cg_fill},             {"cg_fill_guard", cg_fill_guard},
                   {"cg_ignore", cg_ignore},         {"cg_branch", cg_branch}};
    static const unsigned masks[] = {0xffffffffu, 0xffu, 1u << 17, 0x55555555u, 0u, 0xffff0000u};
    unsigned *active = device_words(128), *from = device_words(16384), *out = device_words(128);
    for (auto &k : kernels)
        for (unsigned mask : masks)
            for (int step : {1, 8}) {
                unsigned lanes[32];
                for (int i = 0; i < 32; i++)
                    lanes[i] = mask >> i & 1;
                CHECK(cudaMemcpy(active, lanes, sizeof lanes, cudaMemcpyHostToDevice));
                k.kernel<<<1, 32>>>(active, (const char *)from, out, step);
                finish();
                std::printf("kernel=%s mask=%08x step=%d\n", k.name, mask, step);
            }
}
