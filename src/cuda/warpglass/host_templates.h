// The runtime interface as C++ sees it: typed pointers, kernels and symbols by name, occupancy searches.
#ifndef WARPGLASS_HOST_TEMPLATES_H
#define WARPGLASS_HOST_TEMPLATES_H
#include "../cuda_runtime_api.h"

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

template <class T> static inline cudaError_t cudaMalloc(T **at, size_t bytes)
{
    return cudaMalloc((void **)(void *)at, bytes);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **at, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)at, bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **at, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc((void **)(void *)at, bytes, flags);
}
static inline cudaError_t cudaMallocHost(void **at, size_t bytes, unsigned flags)
{
    return cudaHostAlloc(at, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **at, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)(void *)at, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **at, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)at, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **at, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)at, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **at, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)at, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **at, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)at, bytes, pool, stream);
}

// ---- symbols: the address of a variable's host twin names it ----
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t bytes, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, source, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *target, const T &symbol, size_t bytes, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(target, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t bytes,
                                                  size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, source, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *target, const T &symbol, size_t bytes, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(target, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    return cudaGetSymbolAddress(at, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

// ---- kernels ----
template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                      size_t shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T> struct warpglass_same {
    typedef T type;
};
template <class... P>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                             typename warpglass_same<P>::type... values)
{
    void *arguments[sizeof...(P) + 1] = {(void *)&values...};
    return cudaLaunchKernelExC(config, (const void *)kernel, arguments);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *function)
{
    return cudaFuncGetName(name, (const void *)function);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *result, T *function)
{
    return cudaGetFuncBySymbol(result, (const void *)function);
}

// ---- occupancy ----
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block,
                                                                                 size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block, shared,
                                                                  flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block,
                                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block, shared, 0);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *function, int blocks, int block)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)function, blocks, block);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function, const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *function, const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)function, config);
}

// The block size with the most resident threads; among equals the largest. Sizes step by a warp downwards from what
// kernel and device allow, after that size itself.
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T function,
                                                                                  Shared shared_of, int limit,
                                                                                  unsigned flags)
{
    int device = 0, n_sms = 0, warp = 32, largest = 0, per_sm = 0, best = 0;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (!error)
        error = cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, device);
    if (!error)
        error = cudaDeviceGetAttribute(&largest, cudaDevAttrMaxThreadsPerBlock, device);
    if (!error)
        error = cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (!error)
        error = cudaFuncGetAttributes(&attributes, (const void *)function);
    if (error)
        return error;
    largest = attributes.maxThreadsPerBlock < largest ? attributes.maxThreadsPerBlock : largest;
    largest = limit > 0 && limit < largest ? limit : largest;
    for (int round = (largest + warp - 1) / warp * warp; round > 0 && best < per_sm; round -= warp) {
        int size = round < largest ? round : largest, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)function, size,
                                                                       shared_of(size), flags);
        if (error)
            return error;
        if (size * blocks > best) {
            best = size * blocks;
            *block = size;
            *grid = blocks * n_sms;
        }
    }
    return cudaSuccess;
}
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function,
                                                                         Shared shared_of, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, function, shared_of, limit, 0);
}
struct warpglass_constant_shared {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
};
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T function, size_t shared,
                                                                      int limit, unsigned flags)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, function,
                                                                   warpglass_constant_shared{shared}, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared = 0,
                                                             int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared, limit, 0);
}

// ---- small makers ----
static inline cudaPitchedPtr make_cudaPitchedPtr(void *at, size_t pitch, size_t width, size_t height)
{
    return cudaPitchedPtr{at, pitch, width, height};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{x, y, z};
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}
#endif
