// Cooperative groups: the block, tiles of a warp, the lanes that are together, the grid, the cluster. Collectives beyond
// shuffles and votes (cooperative_groups/reduce.h and others) are not here.
#ifndef WARPGLASS_COOPERATIVE_GROUPS_H
#define WARPGLASS_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"

namespace cooperative_groups {
#define CG static __device__ __forceinline__
#define CG_MEMBER __device__ __forceinline__

CG unsigned warpglass_lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
CG dim3 warpglass_dim(unsigned x, unsigned y, unsigned z) { return dim3(x, y, z); }

struct thread_block {
    static CG_MEMBER void sync() { __syncthreads(); }
    static CG_MEMBER unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static CG_MEMBER unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static CG_MEMBER unsigned size() { return num_threads(); }
    static CG_MEMBER dim3 group_index() { return warpglass_dim(blockIdx.x, blockIdx.y, blockIdx.z); }
    static CG_MEMBER dim3 thread_index() { return warpglass_dim(threadIdx.x, threadIdx.y, threadIdx.z); }
    static CG_MEMBER dim3 group_dim() { return warpglass_dim(blockDim.x, blockDim.y, blockDim.z); }
    static CG_MEMBER dim3 dim_threads() { return group_dim(); }
};
CG thread_block this_thread_block() { return thread_block(); }

// A grid launched by cudaLaunchCooperativeKernel: blocks meet at a counter behind the address in %envreg2:1 that the
// launch provides. Block 0 adds what is missing to the top bit, the others one each; the bit flips when all have come.
struct grid_group {
    CG_MEMBER unsigned long long blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    CG_MEMBER unsigned long long block_rank() const
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    CG_MEMBER unsigned long long num_blocks() const { return blocks(); }
    CG_MEMBER unsigned long long num_threads() const { return blocks() * thread_block::num_threads(); }
    CG_MEMBER unsigned long long size() const { return num_threads(); }
    CG_MEMBER unsigned long long thread_rank() const
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    CG_MEMBER dim3 group_dim() const { return warpglass_dim(gridDim.x, gridDim.y, gridDim.z); }
    CG_MEMBER dim3 dim_blocks() const { return group_dim(); }
    CG_MEMBER dim3 block_index() const { return warpglass_dim(blockIdx.x, blockIdx.y, blockIdx.z); }
    CG_MEMBER bool is_valid() const { return workspace() != nullptr; }
    CG_MEMBER void sync() const
    {
        unsigned *counter = workspace() + 1;
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned add = block_rank() == 0 ? 0x80000000u - ((unsigned)blocks() - 1) : 1u, old, now;
            __threadfence();
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(add) : "memory");
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
            while (((old ^ now) & 0x80000000u) == 0);
            __threadfence();
        }
        __syncthreads();
    }

private:
    CG_MEMBER unsigned *workspace() const
    {
        unsigned low, high;
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        return (unsigned *)((unsigned long long)high << 32 | low);
    }
};
CG grid_group this_grid() { return grid_group(); }

// What tiles and coalesced groups share: lanes of one warp, by mask; ranks count its bits.
struct warpglass_lanes {
    unsigned mask;
    CG_MEMBER void sync() const { __syncwarp(mask); }
    CG_MEMBER int any(int p) const { return __any_sync(mask, p); }
    CG_MEMBER int all(int p) const { return __all_sync(mask, p); }
};

// The lanes that are together now.
struct coalesced_group : warpglass_lanes {
    CG_MEMBER unsigned num_threads() const { return __popc(mask); }
    CG_MEMBER unsigned size() const { return num_threads(); }
    CG_MEMBER unsigned thread_rank() const { return __popc(mask & ((1u << warpglass_lane()) - 1)); }
    CG_MEMBER unsigned meta_group_size() const { return 1; }
    CG_MEMBER unsigned meta_group_rank() const { return 0; }
    CG_MEMBER unsigned lane_of(unsigned rank) const { return __fns(mask, 0, (int)rank + 1); }
    template <class T> CG_MEMBER T shfl(T v, unsigned rank) const { return __shfl_sync(mask, v, lane_of(rank)); }
    template <class T> CG_MEMBER T shfl_down(T v, unsigned by) const
    {
        unsigned rank = thread_rank() + by;
        return __shfl_sync(mask, v, rank < size() ? lane_of(rank) : warpglass_lane());
    }
    template <class T> CG_MEMBER T shfl_up(T v, unsigned by) const
    {
        unsigned rank = thread_rank();
        return __shfl_sync(mask, v, rank >= by ? lane_of(rank - by) : warpglass_lane());
    }
    // Votes are told by rank, not by lane.
    CG_MEMBER unsigned ballot(int p) const
    {
        unsigned lanes = __ballot_sync(mask, p), ranks = 0, n = size();
        for (unsigned rank = 0; rank < n; rank++)
            ranks |= (lanes >> lane_of(rank) & 1) << rank;
        return ranks;
    }
};
CG coalesced_group coalesced_threads()
{
    coalesced_group group;
    group.mask = __activemask();
    return group;
}

// N neighbouring lanes of a warp, N a power of two up to 32.
template <unsigned N, class Parent = void> struct thread_block_tile : warpglass_lanes {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "tiles are 1, 2, 4, 8, 16 or 32 threads");
    thread_block_tile() = default;
    template <class Other> CG_MEMBER thread_block_tile(const thread_block_tile<N, Other> &other)
    {
        this->mask = other.mask;
    }
    static CG_MEMBER unsigned num_threads() { return N; }
    static CG_MEMBER unsigned size() { return N; }
    static CG_MEMBER unsigned thread_rank() { return warpglass_lane() & (N - 1); }
    static CG_MEMBER unsigned meta_group_size() { return (thread_block::num_threads() + N - 1) / N; }
    static CG_MEMBER unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
    template <class T> CG_MEMBER T shfl(T v, int rank) const { return __shfl_sync(mask, v, rank, N); }
    template <class T> CG_MEMBER T shfl_down(T v, unsigned by) const { return __shfl_down_sync(mask, v, by, N); }
    template <class T> CG_MEMBER T shfl_up(T v, unsigned by) const { return __shfl_up_sync(mask, v, by, N); }
    template <class T> CG_MEMBER T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(mask, v, by, N); }
    CG_MEMBER unsigned ballot(int p) const { return __ballot_sync(mask, p) >> (warpglass_lane() & ~(N - 1) & 31); }
    template <class T> CG_MEMBER unsigned match_any(T v) const
    {
        return __match_any_sync(mask, v) >> (warpglass_lane() & ~(N - 1) & 31);
    }
};
template <unsigned N, class Parent> CG thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
    thread_block_tile<N, Parent> tile;
    tile.mask = (N == 32 ? 0xffffffffu : (1u << (N & 31)) - 1) << (warpglass_lane() & ~(N - 1) & 31);
    return tile;
}

// The cluster's barrier and ranks, in PTX text: the compiler itself does not know clusters.
#define CG_REGISTER(name, text)                                                                              \
    CG unsigned name()                                                                                       \
    {                                                                                                        \
        unsigned v;                                                                                          \
        asm("mov.u32 %0, %%" text ";" : "=r"(v));                                                            \
        return v;                                                                                            \
    }
CG_REGISTER(warpglass_cluster_rank, "cluster_ctarank")
CG_REGISTER(warpglass_cluster_blocks, "cluster_nctarank")
#undef CG_REGISTER
struct cluster_group {
    static CG_MEMBER void barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
    static CG_MEMBER void barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
    static CG_MEMBER void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    static CG_MEMBER unsigned block_rank() { return warpglass_cluster_rank(); }
    static CG_MEMBER unsigned num_blocks() { return warpglass_cluster_blocks(); }
    static CG_MEMBER unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
    static CG_MEMBER unsigned thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    template <class T> static CG_MEMBER T *map_shared_rank(T *at, int rank)
    {
        T *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(at), "r"(rank));
        return there;
    }
};
CG cluster_group this_cluster() { return cluster_group(); }

template <class Group> CG void sync(const Group &group) { group.sync(); }
#undef CG
#undef CG_MEMBER
}
#endif
