// Memory calls whose arguments are structures, C++ overloads or variables: what a compiler makes of them must be what the
// library takes. Prints one line for each; tests/rt/memory.sh has what an H200 printed.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__device__ unsigned device_table[4] = {1, 2, 3, 4};
__constant__ unsigned constant_table[4] = {5, 6, 7, 8};
__managed__ unsigned managed_table[4] = {9, 10, 11, 12};

__global__ void add(unsigned* p) {
    p[threadIdx.x] += device_table[threadIdx.x] + constant_table[threadIdx.x] + managed_table[threadIdx.x];
}

static const char* name(cudaError_t error) {
    cudaGetLastError();
    return cudaGetErrorName(error);
}

static void pitched() {
    cudaPitchedPtr p;
    unsigned char out[3][2][10], first;
    std::printf("malloc3d %s", name(cudaMalloc3D(&p, make_cudaExtent(10, 2, 3))));
    std::printf(" pitch %zu size %zu x %zu\n", p.pitch, p.xsize, p.ysize);
    std::printf("memset3d %s\n", name(cudaMemset3D(p, 7, make_cudaExtent(10, 2, 3))));
    std::printf("memset3d, rows too many %s\n", name(cudaMemset3D(p, 7, make_cudaExtent(10, 3, 1))));
    std::printf("memset2d %s\n", name(cudaMemset2D(p.ptr, p.pitch, 9, 4, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = p;
    copy.dstPtr = make_cudaPitchedPtr(out, 10, 10, 2);
    copy.extent = make_cudaExtent(10, 2, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    std::printf("copy %s", name(cudaMemcpy3D(&copy)));
    std::printf(" %d %d %d\n", out[0][1][3], out[0][1][4], out[2][1][9]);
    std::printf("asynchronous %s\n", name(cudaMemcpy2DAsync(&first, 1, p.ptr, p.pitch, 1, 1, cudaMemcpyDefault)));
    cudaFree(p.ptr);
}

static void arrays() {
    float in[4][8], out[4][8] = {};
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaChannelFormatDesc four = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    std::printf("formats %d %d %d %d\n", format.x, (int)format.f, four.w, (int)four.f);
    for (int i = 0; i < 32; ++i) in[i / 8][i % 8] = i;
    cudaArray_t flat, deep;
    std::printf("arrays %s", name(cudaMallocArray(&flat, &format, 8, 4)));
    std::printf(" %s\n", name(cudaMalloc3DArray(&deep, &four, make_cudaExtent(8, 4, 2), cudaArraySurfaceLoadStore)));
    std::printf("to %s", name(cudaMemcpy2DToArray(flat, 0, 0, in, 32, 32, 4, cudaMemcpyHostToDevice)));
    std::printf(" from %s", name(cudaMemcpy2DFromArray(out, 32, flat, 4, 1, 28, 3, cudaMemcpyDeviceToHost)));
    std::printf(" %g %g\n", out[0][0], out[2][6]);
    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    std::printf("info %s", name(cudaArrayGetInfo(&got, &extent, &flags, deep)));
    std::printf(" %zu x %zu x %zu, flags %u, %d bits\n", extent.width, extent.height, extent.depth, flags, got.z);
    cudaMipmappedArray_t levels;
    cudaArray_t level;
    std::printf("mipmapped %s", name(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(64, 32, 0), 3)));
    std::printf(" %s", name(cudaGetMipmappedArrayLevel(&level, levels, 2)));
    cudaArrayGetInfo(&got, &extent, &flags, level);
    std::printf(" %zu x %zu x %zu", extent.width, extent.height, extent.depth);
    std::printf(" %s", name(cudaGetMipmappedArrayLevel(&level, levels, 3)));
    std::printf(" %s\n", name(cudaFreeMipmappedArray(levels)));
    std::printf("free %s", name(cudaFreeArray(flat)));
    std::printf(" %s\n", name(cudaFreeArray(deep)));
}

static void variables() {
    unsigned v[4] = {100, 200, 300, 400}, *p;
    void* where = nullptr;
    size_t size = 0;
    std::printf("to variable %s", name(cudaMemcpyToSymbol(device_table, v, 8, 8)));
    std::printf(" constant %s", name(cudaMemcpyToSymbol(constant_table, v, 4)));
    std::printf(" managed %s\n", name(cudaMemcpyToSymbol(managed_table, v + 1, 4)));
    std::printf("address of managed %s", name(cudaGetSymbolAddress(&where, managed_table)));
    std::printf(" same %d", where == managed_table);
    std::printf(" size %s", name(cudaGetSymbolSize(&size, constant_table)));
    std::printf(" %zu\n", size);
    cudaMallocManaged(&p, 16);
    std::memset(p, 0, 16);
    add<<<1, 4>>>(p);
    std::printf("kernel %s", name(cudaDeviceSynchronize()));
    std::printf(" %u %u %u %u\n", p[0], p[1], p[2], p[3]);
    std::printf("from variable %s", name(cudaMemcpyFromSymbol(v, device_table, 16)));
    std::printf(" %u %u\n", v[1], v[3]);
    cudaFree(p);
}

static void pointers() {
    const char* names[] = {"device", "pinned", "managed", "variable", "none"};
    void* p[5];
    cudaMalloc(&p[0], 16);
    cudaMallocHost(&p[1], 16);
    cudaMallocManaged(&p[2], 16);
    p[3] = managed_table;
    p[4] = names;
    for (int i = 0; i < 5; ++i) {
        cudaPointerAttributes a;
        std::printf("%s %s", names[i], name(cudaPointerGetAttributes(&a, p[i])));
        std::printf(" type %d device %d %d %d\n", (int)a.type, a.device, a.devicePointer == p[i], a.hostPointer == p[i]);
    }
    int at = 5;
    const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    std::printf("prefetch %s", name(cudaMemPrefetchAsync(p[2], 16, host, 0)));
    std::printf(" advise %s", name(cudaMemAdvise(p[2], 16, cudaMemAdviseSetPreferredLocation, host)));
    std::printf(" ask %s", name(cudaMemRangeGetAttribute(&at, 4, cudaMemRangeAttributePreferredLocation, p[2], 16)));
    std::printf(" %d\n", at);
    cudaFree(p[0]);
    cudaFreeHost(p[1]);
    cudaFree(p[2]);
}

static void pools() {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool;
    unsigned long long used = 0;
    int* p;
    std::printf("pool %s", name(cudaMemPoolCreate(&pool, &props)));
    std::printf(" malloc %s", name(cudaMallocFromPoolAsync(&p, 1000, pool, cudaStreamPerThread)));
    std::printf(" used %s", name(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used)));
    std::printf(" %llu free %s", used, name(cudaFreeAsync(p, cudaStreamPerThread)));
    std::printf(" %s\n", name(cudaMemPoolDestroy(pool)));
}

int main() {
    pitched();
    arrays();
    variables();
    pointers();
    pools();
    std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
