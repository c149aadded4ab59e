// Asynchronous copies, clusters and tensor maps: random cases, one line each with a hash of every byte that may have
// changed. The same program runs on a GPU and under `warpglass run`; the lines must be equal.
//     async tensor|interleave|bulk|copy|cluster|replace|remote [N]
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "../../support/tensor_cases.h"

#define CK(expr)                                                                               \
    do {                                                                                       \
        cudaError_t e_ = (expr);                                                               \
        if (e_ != cudaSuccess) {                                                               \
            printf("error %s at line %d\n", cudaGetErrorName(e_), __LINE__);                   \
            fflush(stdout);                                                                    \
            exit(3);                                                                           \
        }                                                                                      \
    } while (0)

#define state tensor_case_state
#define rnd tensor_case_random
#define below tensor_case_below
#define hash_of tensor_case_hash

typedef CUresult (*encode_t)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                             const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static encode_t encode_fn() {
    void* p = nullptr;
    cudaDriverEntryPointQueryResult q;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &q));
    return (encode_t)p;
}

__device__ __forceinline__ unsigned smem_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void bar_init(uint64_t* b, unsigned n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_of(b)), "r"(n) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void bar_expect(uint64_t* b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_of(b)), "r"(bytes) : "memory");
}
// 1 when the phase has ended, 0 when it did not in a long while
__device__ __forceinline__ unsigned bar_wait(uint64_t* b, unsigned parity) {
    unsigned ready = 0;
    for (int i = 0; i < 2000 && !ready; ++i)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(ready) : "r"(smem_of(b)), "r"(parity) : "memory");
    return ready;
}

struct Coord { int c[5]; };
extern __shared__ __align__(1024) unsigned smem[];

#define CASE_LOAD(R, LIST, ...)                                                                                               \
    case R:                                                                                                                   \
        asm volatile("cp.async.bulk.tensor." #R "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" LIST "}], [%2];" \
                     ::"r"(to), "l"(map), "r"(bar), __VA_ARGS__ : "memory");                                                  \
        break;
__device__ __forceinline__ void tensor_load(unsigned to, const void* map, unsigned bar, int rank, Coord c) {
    switch (rank) {
        CASE_LOAD(1, "%3", "r"(c.c[0]))
        CASE_LOAD(2, "%3, %4", "r"(c.c[0]), "r"(c.c[1]))
        CASE_LOAD(3, "%3, %4, %5", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2]))
        CASE_LOAD(4, "%3, %4, %5, %6", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2]), "r"(c.c[3]))
        CASE_LOAD(5, "%3, %4, %5, %6, %7", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2]), "r"(c.c[3]), "r"(c.c[4]))
    }
}
__global__ void k_load(const __grid_constant__ CUtensorMap map, Coord c, int rank, unsigned bytes, unsigned* out, unsigned words) {
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) smem[i] = 0xa5a5a5a5u;
    if (threadIdx.x == 0) bar_init(&bar, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bar_expect(&bar, bytes);
        tensor_load(smem_of(smem), &map, smem_of(&bar), rank, c);
    }
    unsigned ok = bar_wait(&bar, 0);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) out[i] = smem[i];
    if (threadIdx.x == 0) {
        out[words] = ok;
        out[words + 1] = (unsigned)bar;
        out[words + 2] = (unsigned)(bar >> 32);
    }
}

#define TO_GLOBAL(OP, R, LIST, ...)                                                                        \
    asm volatile(OP "." #R "d.global.shared::cta" MODE ".bulk_group [%0, {" LIST "}], [%1];" ::"l"(map), "r"(from), __VA_ARGS__ : "memory")
#define BY_RANK(OP)                                                                                       \
    switch (rank) {                                                                                       \
        case 1: TO_GLOBAL(OP, 1, "%2", "r"(c.c[0])); break;                                               \
        case 2: TO_GLOBAL(OP, 2, "%2, %3", "r"(c.c[0]), "r"(c.c[1])); break;                              \
        case 3: TO_GLOBAL(OP, 3, "%2, %3, %4", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2])); break;             \
        case 4: TO_GLOBAL(OP, 4, "%2, %3, %4, %5", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2]), "r"(c.c[3])); break; \
        case 5: TO_GLOBAL(OP, 5, "%2, %3, %4, %5, %6", "r"(c.c[0]), "r"(c.c[1]), "r"(c.c[2]), "r"(c.c[3]), "r"(c.c[4])); break; \
    }
__device__ __forceinline__ void tensor_store(const void* map, unsigned from, int rank, Coord c, int op) {
#define MODE ""
    if (op < 0) { BY_RANK("cp.async.bulk.tensor") }
#undef MODE
#define MODE ".add.tile"
    if (op == 0) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".min.tile"
    if (op == 1) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".max"
    if (op == 2) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".inc.tile"
    if (op == 3) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".dec.tile"
    if (op == 4) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".and.tile"
    if (op == 5) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".or.tile"
    if (op == 6) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
#define MODE ".xor.tile"
    if (op == 7) { BY_RANK("cp.reduce.async.bulk.tensor") }
#undef MODE
}
__global__ void k_store(const __grid_constant__ CUtensorMap map, Coord c, int rank, int op, const unsigned* data, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) smem[i] = data[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(&map, smem_of(smem), rank, c, op);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

enum { SMEM_BYTES = TENSOR_CASE_SHARED_BYTES, SMEM_WORDS = SMEM_BYTES / 4, BUFFER_BYTES = TENSOR_CASE_BUFFER_BYTES };
#define type_names tensor_case_types
#define type_bytes tensor_case_type_bytes
#define fill_numbers tensor_case_fill
typedef struct tensor_case Case;
static Coord coord_of(const Case& k) {
    Coord c;
    memcpy(c.c, k.at, sizeof c.c);
    return c;
}
static void print_case(const char* what, int n, const Case& k) {
    printf("%s %d %s sw%d il%d fill%d op%d", what, n, type_names[k.type], k.swizzle, k.interleave, k.fill, k.op);
    for (int i = 0; i < k.rank; ++i)
        printf(" %llu/%llu:%u/%u@%d", (unsigned long long)k.dim[i], (unsigned long long)k.stride[i], k.box[i], k.step[i], k.at[i]);
}

// `without`: numbers of cases between commas, such as ,3,17, that are not run.
static void run_tensor(int n_cases, int start, int only, const char* without) {
    encode_t encode = encode_fn();
    uint8_t *buffer, *data, *out;
    CK(cudaMalloc(&buffer, BUFFER_BYTES));
    CK(cudaMalloc(&data, SMEM_BYTES));
    CK(cudaMalloc(&out, SMEM_BYTES + 64));
    std::vector<uint8_t> host(BUFFER_BYTES), small(SMEM_BYTES + 64);
    CK(cudaFuncSetAttribute(k_load, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_BYTES + 1024));
    for (int mode = only; mode <= only; ++mode)
        for (int n = start; n < n_cases; ++n) {
            char name[16];
            snprintf(name, sizeof name, ",%d,", n);
            if (strstr(without, name)) continue;
            Case k = tensor_case_make(mode, n);
            CUtensorMap map;
            CUresult e = encode(&map, (CUtensorMapDataType)k.type, k.rank, buffer, k.dim, k.stride, k.box, k.step, (CUtensorMapInterleave)0,
                                (CUtensorMapSwizzle)k.swizzle, (CUtensorMapL2promotion)k.promotion, (CUtensorMapFloatOOBfill)k.fill);
            static const char* const names[3] = {"load", "store", "reduce"};
            print_case(names[mode], n, k);
            if (e) {
                printf(" refused %d\n", (int)e);
                continue;
            }
            fflush(stdout);
            fill_numbers(host.data(), k.extent + 64, k.type);
            CK(cudaMemcpy(buffer, host.data(), k.extent + 64, cudaMemcpyHostToDevice));
            if (mode == 0) {
                k_load<<<1, 128, SMEM_BYTES>>>(map, coord_of(k), k.rank, k.bytes, (unsigned*)out, SMEM_WORDS);
                CK(cudaDeviceSynchronize());
                CK(cudaMemcpy(small.data(), out, SMEM_BYTES + 12, cudaMemcpyDeviceToHost));
                unsigned tail[3];
                memcpy(tail, small.data() + SMEM_BYTES, 12);
                if (!tail[0]) printf(" bar %08x%08x", tail[2], tail[1]);
                printf(" %s %016llx\n", tail[0] ? "ok" : "late", (unsigned long long)hash_of(small.data(), SMEM_BYTES));
            } else {
                fill_numbers(small.data(), SMEM_BYTES, k.type);
                CK(cudaMemcpy(data, small.data(), SMEM_BYTES, cudaMemcpyHostToDevice));
                k_store<<<1, 128, SMEM_BYTES>>>(map, coord_of(k), k.rank, k.op, (unsigned*)data, SMEM_WORDS);
                CK(cudaDeviceSynchronize());
                CK(cudaMemcpy(host.data(), buffer, k.extent + 64, cudaMemcpyDeviceToHost));
                printf(" %016llx\n", (unsigned long long)hash_of(host.data(), k.extent + 64));
            }
        }
}

// What the interleaved layouts mean: the buffer holds its word indices, the dump shows where each came from.
static void run_interleave() {
    encode_t encode = encode_fn();
    unsigned *buffer, *out;
    CK(cudaMalloc(&buffer, 1 << 20));
    CK(cudaMalloc(&out, SMEM_BYTES + 64));
    std::vector<unsigned> host(1 << 18), small(SMEM_WORDS + 16);
    for (unsigned i = 0; i < host.size(); ++i) host[i] = i;
    CK(cudaMemcpy(buffer, host.data(), 1 << 20, cudaMemcpyHostToDevice));
    for (int n = 0; n < 3 * TENSOR_CASE_PER_RUN; ++n) {
        Case k = tensor_case_interleaved(n);
        CUtensorMap map;
        CUresult e = encode(&map, (CUtensorMapDataType)k.type, k.rank, buffer, k.dim, k.stride, k.box, k.step, (CUtensorMapInterleave)k.interleave,
                            (CUtensorMapSwizzle)k.swizzle, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
        print_case("interleave", (int)k.box[0] * type_bytes[k.type], k);
        if (e) {
            printf(" refused %d\n", (int)e);
            continue;
        }
        k_load<<<1, 128, SMEM_BYTES>>>(map, coord_of(k), k.rank, k.bytes, out, SMEM_WORDS);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(small.data(), out, SMEM_BYTES + 12, cudaMemcpyDeviceToHost));
        printf(" %s bar %08x%08x", small[SMEM_WORDS] ? "ok" : "late", small[SMEM_WORDS + 2], small[SMEM_WORDS + 1]);
        unsigned last = SMEM_WORDS;
        while (last && small[last - 1] == 0xa5a5a5a5u) --last;
        printf(" %u:", last);
        for (unsigned i = 0; i < last && i < 256; ++i) printf(" %x", small[i]);
        printf("\n");
    }
}

// ---- bulk copies and reductions without a map ----
#define REDUCE(N, OP) case N: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OP " [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory"); break;
__device__ __forceinline__ void bulk_to_global(int op, void* to, unsigned from, unsigned bytes) {
    switch (op) {
        REDUCE(0, "add.u32") REDUCE(1, "add.s32") REDUCE(2, "add.u64") REDUCE(3, "add.noftz.f16") REDUCE(4, "add.noftz.bf16") REDUCE(5, "add.f32")
        REDUCE(6, "add.f64") REDUCE(7, "min.u32") REDUCE(8, "min.s32") REDUCE(9, "min.u64") REDUCE(10, "min.s64") REDUCE(11, "min.f16") REDUCE(12, "min.bf16")
        REDUCE(13, "max.u32") REDUCE(14, "max.s32") REDUCE(15, "max.u64") REDUCE(16, "max.s64") REDUCE(17, "max.f16") REDUCE(18, "max.bf16")
        REDUCE(19, "inc.u32") REDUCE(20, "dec.u32") REDUCE(21, "and.b32") REDUCE(22, "or.b32") REDUCE(23, "xor.b32") REDUCE(24, "and.b64") REDUCE(25, "or.b64") REDUCE(26, "xor.b64")
        default: asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    }
}
static const int reduce_types[28] = {2, 3, 4, 6, 9, 7, 8, 2, 3, 4, 5, 6, 9, 2, 3, 4, 5, 6, 9, 2, 2, 2, 2, 2, 4, 4, 4, 0};
#define REMOTE(N, OP) case N: asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." OP " [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(bar) : "memory"); break;
__device__ __forceinline__ void bulk_to_block(int op, unsigned to, unsigned from, unsigned bytes, unsigned bar) {
    switch (op) {
        REMOTE(0, "add.u32") REMOTE(1, "add.s32") REMOTE(2, "add.u64") REMOTE(3, "min.u32") REMOTE(4, "min.s32") REMOTE(5, "max.u32") REMOTE(6, "max.s32")
        REMOTE(7, "inc.u32") REMOTE(8, "dec.u32") REMOTE(9, "and.b32") REMOTE(10, "or.b32") REMOTE(11, "xor.b32")
        default: asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(bar) : "memory");
    }
}
__global__ void k_bulk(const uint8_t* in, uint8_t* out, int op, unsigned from, unsigned at, unsigned to, unsigned bytes, unsigned* dump) {
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) smem[i] = 0xa5a5a5a5u;
    if (threadIdx.x == 0) bar_init(&bar, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bar_expect(&bar, bytes);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + from), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem_of(smem) + at), "l"(in + from), "r"(bytes), "r"(smem_of(&bar)) : "memory");
    }
    unsigned ok = bar_wait(&bar, 0);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) dump[i] = smem[i];
    if (threadIdx.x == 0) {
        dump[1024] = ok;
        bulk_to_global(op, out + to, smem_of(smem) + at, bytes);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
// Block 0 of a pair sends to block 1.
__global__ void __cluster_dims__(2, 1, 1) k_remote(const unsigned* data, int op, unsigned from, unsigned to, unsigned bytes, unsigned* dump) {
    __shared__ uint64_t bar;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) smem[i] = data[rank * 1024 + i];
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        if (rank == 1) bar_expect(&bar, bytes);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned ok = 1;
    if (rank == 0 && threadIdx.x == 0) {
        unsigned far, far_bar;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far) : "r"(smem_of(smem) + to));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far_bar) : "r"(smem_of(&bar)));
        if (op < 100)
            bulk_to_block(op, far, smem_of(smem) + from, bytes, far_bar);
        else if (op == 100)
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(far), "r"(0x12345678u), "r"(far_bar) : "memory");
        else if (op == 101)
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(far), "r"(0x12345678u), "r"(0x9abcdef0u), "r"(far_bar) : "memory");
        else if (op == 102)
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %2}, [%3];" ::"r"(far), "r"(0x12345678u), "r"(0x9abcdef0u), "r"(far_bar) : "memory");
        else if (op == 103)
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(far), "l"(0x123456789abcdef0ull), "r"(far_bar) : "memory");
        else if (op == 104)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(far), "r"(0x12345678u), "r"(far_bar) : "memory");
        else if (op == 105)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, [%2];" ::"r"(far), "r"(0x12345678u), "r"(far_bar) : "memory");
        else if (op == 106)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0], %1, [%2];" ::"r"(far), "r"(0x12345678u), "r"(far_bar) : "memory");
        else if (op == 107)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%0], %1, [%2];" ::"r"(far), "r"(0x12345678u), "r"(far_bar) : "memory");
        else if (op == 108)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(far), "l"(0x123456789abcdef0ull), "r"(far_bar) : "memory");
    }
    if (rank == 1) ok = bar_wait(&bar, 0);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) dump[rank * 1025 + i] = smem[i];
    if (threadIdx.x == 0) dump[rank * 1025 + 1024] = ok;
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static void run_bulk(int n_cases) {
    uint8_t *in, *out;
    unsigned* dump;
    CK(cudaMalloc(&in, 16384));
    CK(cudaMalloc(&out, 16384));
    CK(cudaMalloc(&dump, 16384));
    std::vector<uint8_t> a(16384), b(16384);
    for (int n = 0; n < n_cases; ++n) {
        state = 77777 + n;
        int op = n % 28, type = reduce_types[op];
        unsigned bytes = 16 * (1 + below(100)), from = 16 * below(100), at = 16 * below(100), to = 16 * below(100);
        fill_numbers(a.data(), 8192, type);
        fill_numbers(b.data(), 8192, type);
        CK(cudaMemcpy(in, a.data(), 8192, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(out, b.data(), 8192, cudaMemcpyHostToDevice));
        k_bulk<<<1, 64, 4096>>>(in, out, op, from, at, to, bytes, dump);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(a.data(), dump, 4100, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(b.data(), out, 8192, cudaMemcpyDeviceToHost));
        printf("bulk %d op%d %u+%u>%u>%u %d %016llx %016llx\n", n, op, from, bytes, at, to, a[4096], (unsigned long long)hash_of(a.data(), 4096), (unsigned long long)hash_of(b.data(), 8192));
    }
    for (int n = 0; n < n_cases; ++n) {
        state = 99999 + n;
        int op = n % 22, type = op == 1 || op == 4 || op == 6 ? 3 : 2;
        unsigned bytes = 16 * (1 + below(100)), from = 16 * below(100), to = 16 * below(100);
        if (op >= 13) {
            op += 87;
            bytes = op == 100 || (op >= 104 && op <= 107) ? 4 : op == 102 ? 16 : 8;
        }
        fill_numbers(a.data(), 8192, type);
        CK(cudaMemcpy(in, a.data(), 8192, cudaMemcpyHostToDevice));
        k_remote<<<2, 64, 4096>>>((unsigned*)in, op, from, to, bytes, dump);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(a.data(), dump, 8200, cudaMemcpyDeviceToHost));
        printf("remote %d op%d %u+%u>%u %016llx\n", n, op, from, bytes, to, (unsigned long long)hash_of(a.data(), 8200));
    }
}

// ---- cp.async ----
__global__ void k_copy(const uint8_t* in, unsigned* out, int size, const unsigned* reads, const unsigned* places) {
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) smem[i] = 0xa5a5a5a5u;
    __syncthreads();
    unsigned t = threadIdx.x, to = smem_of(smem) + places[t] * size, n = reads[t];
    const uint8_t* from = in + t * 16;
    if (size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
    if (size == 8) asm volatile("cp.async.ca.shared.global.L2::64B [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
    if (size == 16) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
    if (size == 17) asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(smem_of(smem) + places[t] * 16), "l"(from), "r"(n) : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) out[i] = smem[i];
}
static void run_copy(int n_cases) {
    uint8_t *in, *out, *reads, *places;
    CK(cudaMalloc(&in, 4096));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&reads, 4096));
    CK(cudaMalloc(&places, 4096));
    for (int n = 0; n < n_cases; ++n) {
        state = 555 + n;
        static const int sizes[4] = {4, 8, 16, 17};
        int size = sizes[n % 4], width = size == 17 ? 16 : size;
        unsigned r[32], p[32];
        uint8_t data[1024], got[1024];
        for (int i = 0; i < 32; ++i) p[i] = i, r[i] = below(width + 1);
        for (int i = 31; i > 0; --i) { int j = below(i + 1); unsigned x = p[i]; p[i] = p[j]; p[j] = x; }
        for (auto& d : data) d = (uint8_t)rnd();
        CK(cudaMemcpy(in, data, 1024, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(reads, r, sizeof r, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(places, p, sizeof p, cudaMemcpyHostToDevice));
        k_copy<<<1, 32, 1024>>>(in, (unsigned*)out, size, (unsigned*)reads, (unsigned*)places);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got, out, 1024, cudaMemcpyDeviceToHost));
        printf("copy %d size%d %016llx\n", n, size, (unsigned long long)hash_of(got, 1024));
    }
}

// ---- clusters ----
__global__ void k_cluster(unsigned* out) {
    unsigned v[20], linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[0]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[1]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[2]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[3]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[4]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[5]));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[6]));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[7]));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(v[8]));
    asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(v[9]));
    asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(v[10]));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(v[11]));
    asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(v[12]));
    asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(v[13]));
    asm volatile("{\n\t.reg .pred p;\n\tmov.pred p, %%is_explicit_cluster;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(v[14]));
    unsigned far_rank = (v[6] + 1) % v[7], own = smem_of(smem), far;
    unsigned long long generic = (unsigned long long)smem, far_generic;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(far_rank));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(far_generic) : "l"(generic), "r"(far_rank));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(v[15]) : "r"(far));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(v[16]) : "l"(generic));
    asm volatile("{\n\t.reg .pred p;\n\tisspacep.shared::cta p, %1;\n\tselp.u32 %0, 1, 0, p;\n\tisspacep.shared::cluster p, %1;\n\t@p add.u32 %0, %0, 2;\n\t"
                 "isspacep.shared::cta p, %2;\n\t@p add.u32 %0, %0, 4;\n\tisspacep.shared::cluster p, %2;\n\t@p add.u32 %0, %0, 8;\n\tisspacep.global p, %2;\n\t@p add.u32 %0, %0, 16;\n\t}"
                 : "=r"(v[17]) : "l"(generic), "l"(far_generic));
    v[18] = (far >> 24) - (own >> 24); // how a rank stands in an address
    v[19] = (unsigned)((far_generic - generic) >> 24);
    for (int i = 0; i < 20; ++i) out[linear * 20 + i] = v[i];
}
static void run_cluster() {
    unsigned* out;
    CK(cudaMalloc(&out, 1 << 16));
    static const int shapes[][6] = {{4, 2, 2, 0, 0, 0}, {4, 2, 2, 1, 1, 1}, {4, 2, 2, 2, 1, 1}, {4, 2, 2, 2, 2, 1}, {4, 4, 2, 2, 2, 2}, {6, 2, 2, 3, 1, 2}, {8, 2, 1, 8, 1, 1}, {5, 2, 3, 5, 1, 1}, {2, 7, 1, 1, 7, 1}, {2, 2, 6, 1, 1, 6}};
    for (auto& s : shapes) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attr = {};
        attr.id = cudaLaunchAttributeClusterDimension;
        attr.val.clusterDim.x = s[3], attr.val.clusterDim.y = s[4], attr.val.clusterDim.z = s[5];
        config.gridDim = dim3(s[0], s[1], s[2]);
        config.blockDim = dim3(32);
        config.dynamicSmemBytes = 1024;
        config.attrs = &attr;
        config.numAttrs = s[3] != 0;
        CK(cudaLaunchKernelEx(&config, k_cluster, out));
        CK(cudaDeviceSynchronize());
        int n = s[0] * s[1] * s[2];
        std::vector<unsigned> host(n * 20);
        CK(cudaMemcpy(host.data(), out, n * 80, cudaMemcpyDeviceToHost));
        for (int b = 0; b < n; ++b) {
            printf("cluster %dx%dx%d of %dx%dx%d block %d:", s[3], s[4], s[5], s[0], s[1], s[2], b);
            for (int i = 0; i < 20; ++i) printf(" %d", (int)host[b * 20 + i]);
            printf("\n");
        }
    }
}

// ---- tensormap.replace: a map is changed in shared memory, copied out and used ----
__global__ void k_replace(const __grid_constant__ CUtensorMap map, void* copy, int what, unsigned long long value, int at) {
    __shared__ __align__(128) CUtensorMap own;
    if (threadIdx.x < 32) ((unsigned*)&own)[threadIdx.x] = ((const unsigned*)&map)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        unsigned a = smem_of(&own), v = (unsigned)value;
        if (what == 0) asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(a), "l"(value) : "memory");
        if (what == 1) asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(a), "r"(v) : "memory");
#define ORDINAL(W, FIELD, TYPE, C, V) if (what == W) { if (at == 0) asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE " [%0], 0, %1;" ::"r"(a), C(V) : "memory"); else asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE " [%0], 1, %1;" ::"r"(a), C(V) : "memory"); }
        ORDINAL(2, "box_dim", "b32", "r", v)
        ORDINAL(3, "global_dim", "b32", "r", v)
        ORDINAL(4, "global_stride", "b64", "l", value)
        ORDINAL(5, "element_stride", "b32", "r", v)
#define IMMEDIATE(W, FIELD, N) if (what == W && (int)value == N) asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024.b32 [%0], " #N ";" ::"r"(a) : "memory");
        IMMEDIATE(6, "elemtype", 2) IMMEDIATE(6, "elemtype", 7) IMMEDIATE(6, "elemtype", 3)
        IMMEDIATE(7, "swizzle_mode", 0) IMMEDIATE(7, "swizzle_mode", 1) IMMEDIATE(7, "swizzle_mode", 2) IMMEDIATE(7, "swizzle_mode", 3)
        IMMEDIATE(8, "fill_mode", 0) IMMEDIATE(8, "fill_mode", 1)
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(copy), "r"(smem_of(&own)) : "memory");
}
__global__ void k_load_from(const void* map, Coord c, int rank, unsigned bytes, unsigned* out, unsigned words) {
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) smem[i] = 0xa5a5a5a5u;
    if (threadIdx.x == 0) bar_init(&bar, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        bar_expect(&bar, bytes);
        tensor_load(smem_of(smem), map, smem_of(&bar), rank, c);
    }
    unsigned ok = bar_wait(&bar, 0);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) out[i] = smem[i];
    if (threadIdx.x == 0) {
        out[words] = ok;
        out[words + 1] = (unsigned)bar;
        out[words + 2] = (unsigned)(bar >> 32);
    }
}
static void run_replace(int start) {
    encode_t encode = encode_fn();
    uint8_t *buffer, *out, *copy;
    CK(cudaMalloc(&buffer, 65536));
    CK(cudaMalloc(&out, SMEM_BYTES + 64));
    CK(cudaMalloc(&copy, 256));
    std::vector<uint8_t> host(65536), small(SMEM_BYTES + 64);
    state = 4242;
    fill_numbers(host.data(), 65536, 7);
    CK(cudaMemcpy(buffer, host.data(), 65536, cudaMemcpyHostToDevice));
    static const struct { int what, at; unsigned long long value; int bytes; } cases[] = {
        {-1, 0, 0, 1024}, {2, 0, 16, 512}, {2, 1, 4, 512}, {5, 1, 2, 512}, {0, 0, 4096, 1024}, {1, 0, 0, 128}, {2, 0, 15, 512}, {2, 1, 3, 512}, {3, 0, 20, 1024}, {3, 1, 5, 1024}, {4, 0, 320, 1024}, {5, 1, 1, 512},
        {6, 0, 2, 1024}, {7, 0, 0, 1024}, {7, 0, 1, 1024}, {7, 0, 2, 1024}, {7, 0, 3, 1024}, {8, 0, 1, 1024}, {8, 0, 0, 1024}};
    int count = 0;
    for (int swizzle = 0; swizzle < 4; swizzle += 3)
        for (auto& k : cases) {
            if (count++ < start) continue;
            printf("replace sw%d what%d at%d %llu", swizzle, k.what, k.at, k.value);
            fflush(stdout);
            cuuint64_t dim[2] = {40, 30}, stride[1] = {176};
            cuuint32_t box[2] = {32, 8}, step[2] = {1, 1};
            CUtensorMap map;
            CUresult e = encode(&map, (CUtensorMapDataType)7, 2, buffer, dim, stride, box, step, (CUtensorMapInterleave)0, (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
            unsigned long long value = k.what == 0 ? (unsigned long long)buffer + k.value : k.value;
            k_replace<<<1, 32>>>(map, copy, k.what, value, k.at);
            CK(cudaDeviceSynchronize());
            Coord c = {{16, 2, 0, 0, 0}};
            int rank = k.what == 1 ? 1 : 2;
            k_load_from<<<1, 128, SMEM_BYTES>>>(copy, c, rank, k.bytes, (unsigned*)out, SMEM_WORDS);
            CK(cudaDeviceSynchronize());
            CK(cudaMemcpy(small.data(), out, SMEM_BYTES + 12, cudaMemcpyDeviceToHost));
            printf(" %d %s %016llx\n", (int)e, small[SMEM_BYTES] ? "ok" : "late", (unsigned long long)hash_of(small.data(), SMEM_BYTES));
            if (!small[SMEM_BYTES]) {
                unsigned tail[3];
                memcpy(tail, small.data() + SMEM_BYTES, 12);
                printf("# bar %08x%08x\n", tail[2], tail[1]);
            }
            fflush(stdout);
        }
}

// ---- which arguments the encoder refuses ----
static void run_refused() {
    encode_t encode = encode_fn();
    uint8_t* buffer;
    CK(cudaMalloc(&buffer, 1 << 20));
    struct { const char* name; int type, rank, il, sw, promo, fill, offset; cuuint64_t dim0, dim1, stride0, stride1; cuuint32_t box0, box1, step0, step1; } good =
        {"good", 7, 3, 0, 0, 0, 0, 0, 40, 30, 176, 176 * 30, 32, 8, 1, 1};
    for (int n = 0; n < 44; ++n) {
        auto k = good;
        switch (n) {
            case 1: k.name = "rank0", k.rank = 0; break;
            case 2: k.name = "rank6", k.rank = 6; break;
            case 3: k.name = "address8", k.offset = 8; break;
            case 4: k.name = "address16", k.offset = 16; break;
            case 5: k.name = "stride8", k.stride0 = 168; break;
            case 6: k.name = "stride_small", k.stride0 = 144; break;
            case 7: k.name = "stride_0", k.stride0 = 0; break;
            case 8: k.name = "stride_2_40", k.stride1 = 1ull << 40; break;
            case 9: k.name = "stride_below_2_40", k.stride1 = (1ull << 40) - 16; break;
            case 10: k.name = "dim_0", k.dim0 = 0; break;
            case 11: k.name = "dim_2_32", k.dim1 = 1ull << 32; break;
            case 12: k.name = "dim_above_2_32", k.dim1 = (1ull << 32) + 1; break;
            case 13: k.name = "box_0", k.box1 = 0; break;
            case 14: k.name = "box_256", k.box1 = 256; break;
            case 15: k.name = "box_257", k.box1 = 257; break;
            case 16: k.name = "box_inner_8_bytes", k.box0 = 2; break;
            case 17: k.name = "box_inner_256", k.box0 = 256; break;
            case 18: k.name = "step_0", k.step1 = 0; break;
            case 19: k.name = "step_8", k.step1 = 8; break;
            case 20: k.name = "step_9", k.step1 = 9; break;
            case 21: k.name = "step0_2", k.step0 = 2; break;
            case 22: k.name = "step0_0", k.step0 = 0; break;
            case 23: k.name = "step0_9", k.step0 = 9; break;
            case 24: k.name = "sw32_64", k.sw = 1, k.box0 = 16; break;
            case 25: k.name = "sw32_32", k.sw = 1, k.box0 = 8; break;
            case 26: k.name = "sw64_80", k.sw = 2, k.box0 = 20; break;
            case 27: k.name = "sw64_64", k.sw = 2, k.box0 = 16; break;
            case 28: k.name = "sw128_144", k.sw = 3, k.box0 = 36; break;
            case 29: k.name = "sw128_128", k.sw = 3; break;
            case 30: k.name = "sw_4", k.sw = 4, k.box0 = 8; break;
            case 31: k.name = "fill_of_integers", k.type = 2, k.fill = 1; break;
            case 32: k.name = "fill_2", k.fill = 2; break;
            case 33: k.name = "promotion_4", k.promo = 4; break;
            case 34: k.name = "type_13", k.type = 13; break;
            case 35: k.name = "type_16", k.type = 16; break;
            case 36: k.name = "il16_rank2", k.il = 1, k.rank = 2; break;
            case 37: k.name = "il32_no_swizzle", k.il = 2, k.box0 = 8; break;
            case 38: k.name = "il32_sw32", k.il = 2, k.sw = 1, k.box0 = 8, k.stride0 = 192, k.stride1 = 192 * 30; break;
            case 39: k.name = "il3", k.il = 3; break;
            case 40: k.name = "box_bytes_much", k.box0 = 256, k.box1 = 256; break;
            case 41: k.name = "stride1_small", k.stride1 = 176; break;
            case 42: k.name = "f64_box", k.type = 8, k.box0 = 256; break;
            case 43: k.name = "box_beyond_dim", k.dim1 = 2; break;
        }
        cuuint64_t dim[6] = {k.dim0, k.dim1, 4, 1, 1, 1}, stride[6] = {k.stride0, k.stride1, 0, 0, 0, 0};
        cuuint32_t box[6] = {k.box0, k.box1, 2, 1, 1, 1}, step[6] = {k.step0, k.step1, 1, 1, 1, 1};
        CUtensorMap map;
        CUresult e = encode(&map, (CUtensorMapDataType)k.type, k.rank, buffer + k.offset, dim, stride, box, step, (CUtensorMapInterleave)k.il, (CUtensorMapSwizzle)k.sw, (CUtensorMapL2promotion)k.promo, (CUtensorMapFloatOOBfill)k.fill);
        printf("encode %s %d\n", k.name, (int)e);
    }
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "copy";
    int n = argc > 2 ? atoi(argv[2]) : 200;
    int start = argc > 3 ? atoi(argv[3]) : 0, mode = argc > 4 ? atoi(argv[4]) : 0;
    if (!strcmp(what, "tensor")) run_tensor(n, start, mode, argc > 5 ? argv[5] : "");
    if (!strcmp(what, "interleave")) run_interleave();
    if (!strcmp(what, "bulk")) run_bulk(n);
    if (!strcmp(what, "copy")) run_copy(n);
    if (!strcmp(what, "cluster")) run_cluster();
    if (!strcmp(what, "replace")) run_replace(start);
    if (!strcmp(what, "refused")) run_refused();
    printf("end %s\n", what);
    return 0;
}
