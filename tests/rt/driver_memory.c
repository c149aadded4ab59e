// The driver API: memory of every kind, copies, fills, arrays, streams, events, graphs, entry points.
#include "rt/api.h"
#include "rt/driver.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

enum { N = 64, MB = 1 << 20 };

static void check(CUresult result)
{
    assert_int_equal(result, cudaSuccess);
}

static const char add_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                              ".visible .entry add(.param .u64 data, .param .u32 n)\n{\n"
                              ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n"
                              "ld.param.u64 %d1, [data];\nld.param.u32 %r1, [n];\n"
                              "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                              "mad.lo.u32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra done;\n"
                              "mul.wide.u32 %d2, %r5, 4;\nadd.s64 %d3, %d1, %d2;\n"
                              "ld.global.u32 %r6, [%d3];\nadd.u32 %r7, %r6, 1;\nst.global.u32 [%d3], %r7;\n"
                              "done:\nret;\n}\n";
static CUfunction add;
static CUcontext context;

static int set_up(void **state)
{
    CUmodule module;
    (void)state;
    check(wg_cuInit(0));
    check(wg_cuCtxCreate_v2(&context, 0, 0));
    check(wg_cuModuleLoadData(&module, add_ptx));
    check(wg_cuModuleGetFunction(&add, module, "add"));
    return 0;
}

// Adds 1 to n words.
static void launch_add(void *data, uint32_t n, cudaStream_t stream)
{
    void *arguments[] = {&data, &n};
    check(wg_cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
}

// ---- allocating ------------------------------------------------------------------------------------------------------

static void test_device_memory(void **state)
{
    void *a, *base;
    size_t size = 0, pitch = 0, free_before = 0, free_after = 0, total = 0;
    uint32_t values[N] = {0};
    (void)state;
    check(wg_cuMemGetInfo_v2(&free_before, &total));
    check(wg_cuMemAlloc_v2(&a, 16 * MB));
    check(wg_cuMemGetInfo_v2(&free_after, &total));
    assert_int_equal(free_before - free_after, 16 * MB);
    check(wg_cuMemGetAddressRange_v2(&base, &size, (char *)a + 100));
    assert_ptr_equal(base, a);
    assert_int_equal(size, 16 * MB);
    check(wg_cuMemFree_v2(a));
    assert_int_equal(wg_cuMemFree_v2(a), cudaErrorInvalidValue);
    assert_int_equal(wg_cuMemGetAddressRange_v2(&base, &size, a), cudaErrorSymbolNotFound);
    assert_int_equal(wg_cuMemAlloc_v2(&a, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cuMemAlloc_v2(&a, (size_t)1 << 50), cudaErrorMemoryAllocation);
    check(wg_cuMemAllocPitch_v2(&a, &pitch, 100, 8, 4));
    assert_int_equal(pitch % 256, 0);
    check(wg_cuMemFree_v2(a));
    assert_int_equal(wg_cuMemAllocPitch_v2(&a, &pitch, 100, 8, 3), cudaErrorInvalidValue);
    assert_int_equal(wg_cuMemcpyHtoD_v2(values, values, 4), cudaErrorInvalidValue);
}

static void test_host_memory(void **state)
{
    uint32_t *pinned, *managed, own[N] = {0};
    void *device = NULL;
    unsigned flags = 0;
    (void)state;
    check(wg_cuMemHostAlloc((void **)&pinned, sizeof own, 2));
    check(wg_cuMemHostGetDevicePointer_v2(&device, pinned, 0));
    pinned[3] = 41;
    launch_add(device, N, NULL);
    check(wg_cuCtxSynchronize());
    assert_int_equal(pinned[3], 42);
    check(wg_cuMemHostGetFlags(&flags, pinned));
    assert_true(flags & 2);
    check(wg_cuMemFreeHost(pinned));
    check(wg_cuMemHostRegister_v2(own, sizeof own, 2));
    check(wg_cuMemHostGetDevicePointer_v2(&device, own, 0));
    launch_add(device, N, NULL);
    check(wg_cuCtxSynchronize());
    assert_int_equal(own[N - 1], 1);
    check(wg_cuMemHostUnregister(own));
    assert_int_equal(wg_cuMemHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    check(wg_cuMemAllocManaged((void **)&managed, sizeof own, 1));
    memset(managed, 0, sizeof own);
    check(wg_cuMemPrefetchAsync(managed, sizeof own, 0, NULL));
    check(wg_cuMemAdvise(managed, sizeof own, 1, 0));
    launch_add(managed, N, NULL);
    check(wg_cuCtxSynchronize());
    assert_int_equal(managed[N - 1], 1);
    check(wg_cuMemFree_v2((void *)managed));
}

static void test_pointer_attributes(void **state)
{
    void *a, *pinned, *pointer = NULL;
    uint32_t type = 0, is_managed = 9;
    uint64_t start = 0, size = 1;
    CUcontext of_pointer = NULL;
    void *many[] = {&type, &start, &is_managed};
    const int names[] = {2, 11, 8}; // memory type, start of the range, managed
    (void)state;
    check(wg_cuMemAlloc_v2(&a, 1000));
    check(wg_cuMemHostAlloc(&pinned, 1000, 0));
    check(wg_cuPointerGetAttribute(&type, 2, (char *)a + 8));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    check(wg_cuPointerGetAttribute(&type, 2, pinned));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    check(wg_cuPointerGetAttribute(&pointer, 4, (char *)pinned + 8));
    assert_ptr_equal(pointer, (char *)pinned + 8);
    assert_int_equal(wg_cuPointerGetAttribute(&pointer, 4, a), cudaErrorInvalidValue);
    check(wg_cuPointerGetAttribute(&size, 12, a));
    assert_int_equal(size, 1000);
    check(wg_cuPointerGetAttribute(&of_pointer, 1, a));
    assert_ptr_equal(of_pointer, context);
    check(wg_cuPointerGetAttributes(3, names, many, (char *)a + 8));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(start, (uintptr_t)a);
    assert_int_equal(is_managed, 0);
    check(wg_cuPointerGetAttributes(3, names, many, &type)); // ordinary memory: zeros
    assert_int_equal(type, 0);
    assert_int_equal(wg_cuPointerGetAttribute(&type, 2, &type), cudaErrorInvalidValue);
    check(wg_cuMemFree_v2(a));
    check(wg_cuMemFreeHost(pinned));
}

// Two pieces of memory behind one range of addresses; what was written is there when one is mapped elsewhere.
static void test_virtual_memory(void **state)
{
    struct CUmemAllocationProp prop = {.type = 1, .location = {.type = 1, .id = 0}}, read = {0};
    struct cudaMemAccessDesc access = {.location = {.type = 1, .id = 0}, .flags = 3};
    unsigned long long first, second, again, flags = 0;
    size_t unit = 0;
    void *range, *other;
    uint32_t value = 0;
    (void)state;
    check(wg_cuMemGetAllocationGranularity(&unit, &prop, 0));
    check(wg_cuMemCreate(&first, unit, &prop, 0));
    check(wg_cuMemCreate(&second, unit, &prop, 0));
    assert_int_equal(wg_cuMemCreate(&again, unit / 2, &prop, 0), cudaErrorInvalidValue);
    check(wg_cuMemAddressReserve(&range, 2 * unit, 0, NULL, 0));
    check(wg_cuMemMap(range, unit, 0, first, 0));
    check(wg_cuMemMap((char *)range + unit, unit, 0, second, 0));
    assert_int_equal(wg_cuMemMap(range, unit, 0, second, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cuMemcpyHtoD_v2(range, &value, 4), cudaErrorInvalidValue); // no access yet
    check(wg_cuMemSetAccess(range, 2 * unit, &access, 1));
    check(wg_cuMemGetAccess(&flags, &access.location, range));
    assert_int_equal(flags, 3);
    check(wg_cuMemsetD32_v2(range, 7, 2 * unit / 4)); // over the border
    launch_add(range, (uint32_t)(2 * unit / 4), NULL);
    check(wg_cuMemcpyDtoH_v2(&value, (char *)range + 2 * unit - 4, 4));
    assert_int_equal(value, 8);
    check(wg_cuMemRetainAllocationHandle(&again, (char *)range + unit));
    assert_int_equal(again, second);
    check(wg_cuMemRelease(again));
    check(wg_cuMemGetAllocationPropertiesFromHandle(&read, first));
    assert_int_equal(read.type, 1);
    check(wg_cuMemRelease(second)); // the mapping keeps it
    assert_int_equal(wg_cuMemAddressFree(range, 2 * unit), cudaErrorInvalidValue);
    check(wg_cuMemUnmap(range, unit));
    assert_int_equal(wg_cuMemcpyDtoH_v2(&value, range, 4), cudaErrorInvalidValue);
    check(wg_cuMemAddressReserve(&other, unit, 4 * unit, NULL, 0));
    assert_int_equal((uintptr_t)other % (4 * unit), 0);
    check(wg_cuMemMap(other, unit, 0, first, 0));
    check(wg_cuMemSetAccess(other, unit, &access, 1));
    check(wg_cuMemcpyDtoH_v2(&value, (char *)other + 400, 4));
    assert_int_equal(value, 8);
    check(wg_cuMemUnmap(other, unit));
    check(wg_cuMemUnmap((char *)range + unit, unit));
    check(wg_cuMemRelease(first));
    assert_int_equal(wg_cuMemRelease(first), cudaErrorInvalidValue);
    check(wg_cuMemAddressFree(range, 2 * unit));
    check(wg_cuMemAddressFree(other, unit));
}

// ---- copies, fills, arrays -------------------------------------------------------------------------------------------

static void test_copy_2d(void **state)
{
    uint8_t from[8][16], to[4][8] = {{0}};
    void *device;
    size_t pitch = 0;
    (void)state;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++)
            from[y][x] = (uint8_t)(16 * y + x);
    check(wg_cuMemAllocPitch_v2(&device, &pitch, 16, 8, 4));
    struct CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .srcPitch = 16,
                                 .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device, .dstPitch = pitch,
                                 .WidthInBytes = 16, .Height = 8};
    check(wg_cuMemcpy2D_v2(&copy));
    struct CUDA_MEMCPY2D back = {.srcXInBytes = 3, .srcY = 2,
                                 .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device, .srcPitch = pitch,
                                 .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 8,
                                 .WidthInBytes = 8, .Height = 4};
    check(wg_cuMemcpy2D_v2(&back));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            assert_int_equal(to[y][x], 16 * (y + 2) + x + 3);
    back.srcPitch = 8; // less than a row
    assert_int_equal(wg_cuMemcpy2D_v2(&back), cudaErrorInvalidValue);
    check(wg_cuMemsetD2D16_v2(device, pitch, 0x0102, 4, 2));
    back.srcPitch = pitch;
    back.srcXInBytes = back.srcY = 0;
    check(wg_cuMemcpy2D_v2(&back));
    assert_int_equal(to[1][7], 1);
    assert_int_equal(to[2][0], 32); // the third row was not filled
    assert_int_equal(wg_cuMemsetD2D16_v2((char *)device + 1, pitch, 0, 4, 2), cudaErrorInvalidValue);
    check(wg_cuMemFree_v2(device));
}

static void test_fills(void **state)
{
    uint8_t bytes[16];
    void *device;
    (void)state;
    check(wg_cuMemAlloc_v2(&device, sizeof bytes));
    check(wg_cuMemsetD8_v2(device, 0xaa, 16));
    check(wg_cuMemsetD16Async((char *)device + 4, 0x1234, 2, NULL));
    check(wg_cuMemsetD32_v2((char *)device + 8, 0x01020304, 1));
    check(wg_cuMemcpyDtoH_v2(bytes, device, sizeof bytes));
    const uint8_t want[16] = {0xaa, 0xaa, 0xaa, 0xaa, 0x34, 0x12, 0x34, 0x12, 4, 3, 2, 1, 0xaa, 0xaa, 0xaa, 0xaa};
    assert_memory_equal(bytes, want, sizeof want);
    check(wg_cuMemFree_v2(device));
}

static void test_arrays(void **state)
{
    const struct CUDA_ARRAY_DESCRIPTOR wanted = {.Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2};
    const struct CUDA_ARRAY_DESCRIPTOR bad = {.Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 3};
    struct CUDA_ARRAY_DESCRIPTOR got;
    struct rt_array *array;
    float in[4][32], out[4][32] = {{0}}, row[32] = {0};
    (void)state;
    for (int i = 0; i < 128; i++)
        in[i / 32][i % 32] = (float)i;
    check(wg_cuArrayCreate_v2(&array, &wanted));
    assert_int_equal(wg_cuArrayCreate_v2(&array, &bad), cudaErrorInvalidValue);
    check(wg_cuArrayGetDescriptor_v2(&got, array));
    assert_memory_equal(&got, &wanted, sizeof got);
    struct CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 128,
                                 .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array,
                                 .WidthInBytes = 128, .Height = 4};
    check(wg_cuMemcpy2D_v2(&copy));
    struct CUDA_MEMCPY2D back = {.srcXInBytes = 8, .srcY = 1, .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array,
                                 .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = 128,
                                 .WidthInBytes = 64, .Height = 3};
    check(wg_cuMemcpy2D_v2(&back));
    assert_true(out[0][0] == 34 && out[2][15] == 96 + 17);
    check(wg_cuMemcpyAtoH_v2(row, array, 16, 64));
    assert_true(row[0] == 4);
    check(wg_cuArrayDestroy(array));
    assert_int_equal(wg_cuMemcpyAtoH_v2(row, array, 16, 64), cudaErrorInvalidResourceHandle);
}

static void test_mipmapped_array(void **state)
{
    const struct CUDA_ARRAY3D_DESCRIPTOR wanted = {.Width = 16, .Height = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
    struct CUDA_ARRAY3D_DESCRIPTOR got;
    struct rt_mipmap *mipmap;
    struct rt_array *level;
    (void)state;
    check(wg_cuMipmappedArrayCreate(&mipmap, &wanted, 3));
    check(wg_cuMipmappedArrayGetLevel(&level, mipmap, 2));
    check(wg_cuArray3DGetDescriptor_v2(&got, level));
    assert_true(got.Width == 4 && got.Height == 2 && got.NumChannels == 4);
    assert_int_equal(wg_cuMipmappedArrayGetLevel(&level, mipmap, 3), cudaErrorInvalidValue);
    check(wg_cuMipmappedArrayDestroy(mipmap));
}

// ---- streams, events, graphs -----------------------------------------------------------------------------------------

static void add_ten(void *data)
{
    *(int *)data += 10;
}

static void test_streams_and_events(void **state)
{
    cudaStream_t stream;
    cudaEvent_t start, end;
    void *a;
    float ms = -1;
    int hits = 1;
    uint32_t value = 0;
    CUcontext of_stream;
    (void)state;
    check(wg_cuStreamCreate(&stream, 1));
    check(wg_cuEventCreate(&start, 0));
    check(wg_cuEventCreate(&end, 0));
    check(wg_cuMemAllocAsync(&a, 4096, stream));
    check(wg_cuEventRecord(start, stream));
    check(wg_cuMemsetD32Async(a, 5, 1024, stream));
    launch_add(a, 1024, stream);
    check(wg_cuLaunchHostFunc(stream, add_ten, &hits));
    check(wg_cuEventRecord(end, stream));
    check(wg_cuMemcpyDtoHAsync_v2(&value, a, 4, stream));
    check(wg_cuStreamSynchronize(stream));
    assert_int_equal(value, 6);
    assert_int_equal(hits, 11);
    check(wg_cuEventQuery(end));
    check(wg_cuEventElapsedTime_v2(&ms, start, end));
    assert_true(ms > 0);
    check(wg_cuStreamWriteValue32_v2(stream, a, 77, 0));
    check(wg_cuMemcpyDtoH_v2(&value, a, 4));
    assert_int_equal(value, 77);
    check(wg_cuStreamGetCtx(stream, &of_stream));
    assert_ptr_equal(of_stream, context);
    check(wg_cuMemFreeAsync(a, stream));
    check(wg_cuEventDestroy_v2(start));
    check(wg_cuEventDestroy_v2(end));
    check(wg_cuStreamDestroy_v2(stream));
    assert_int_equal(wg_cuStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

static void test_captured_graph(void **state)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint32_t value = 0;
    size_t n = 0;
    void *a;
    (void)state;
    check(wg_cuMemAlloc_v2(&a, 1024));
    check(wg_cuMemsetD32_v2(a, 0, 256));
    check(wg_cuStreamCreate(&stream, 1));
    check(wg_cuStreamBeginCapture_v2(stream, 1));
    launch_add(a, 256, stream);
    launch_add(a, 256, stream);
    check(wg_cuStreamEndCapture(stream, &graph));
    check(wg_cuGraphGetNodes(graph, NULL, &n));
    assert_int_equal(n, 2);
    check(wg_cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        check(wg_cuGraphLaunch(exec, stream));
    check(wg_cuStreamSynchronize(stream));
    check(wg_cuMemcpyDtoH_v2(&value, (char *)a + 1020, 4));
    assert_int_equal(value, 6);
    check(wg_cuGraphExecDestroy(exec));
    check(wg_cuGraphDestroy(graph));
    check(wg_cuStreamDestroy_v2(stream));
    check(wg_cuMemFree_v2(a));
}

// Copy in, add, copy out; nodes by function and by one structure for all kinds.
static void test_explicit_graph(void **state)
{
    uint32_t in[N], out[N] = {0}, n_words = N;
    cudaGraph_t graph;
    cudaGraphNode_t first, second, third;
    cudaGraphExec_t exec;
    struct CUDA_KERNEL_NODE_PARAMS read;
    struct CUDA_MEMCPY3D read_copy;
    void *a;
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        in[i] = i;
    check(wg_cuMemAlloc_v2(&a, sizeof in));
    void *arguments[] = {&a, &n_words};
    struct CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                 .dstDevice = a, .WidthInBytes = sizeof in, .Height = 1, .Depth = 1};
    struct CUDA_KERNEL_NODE_PARAMS kernel = {.kern = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = N,
                                             .blockDimY = 1, .blockDimZ = 1, .kernelParams = arguments};
    struct CUgraphNodeParams params = {.type = cudaGraphNodeTypeMemcpy};
    params.memcpy.copyParams = (struct CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = a, .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = out, .WidthInBytes = sizeof in, .Height = 1, .Depth = 1};
    check(wg_cuGraphCreate(&graph, 0));
    check(wg_cuGraphAddMemcpyNode(&first, graph, NULL, 0, &copy, context));
    check(wg_cuGraphAddKernelNode_v2(&second, graph, &first, 1, &kernel));
    check(wg_cuGraphAddNode(&third, graph, &second, 1, &params));
    check(wg_cuGraphKernelNodeGetParams_v2(second, &read));
    assert_ptr_equal(read.func, add);
    assert_int_equal(read.blockDimX, N);
    check(wg_cuGraphMemcpyNodeGetParams(first, &read_copy));
    assert_int_equal(read_copy.srcMemoryType, CU_MEMORYTYPE_HOST);
    assert_ptr_equal(read_copy.dstDevice, a);
    assert_int_equal(read_copy.WidthInBytes, sizeof in);
    check(wg_cuGraphInstantiateWithFlags(&exec, graph, 0));
    check(wg_cuGraphLaunch(exec, NULL));
    check(wg_cuCtxSynchronize());
    assert_int_equal(out[N - 1], N);
    check(wg_cuGraphExecDestroy(exec));
    check(wg_cuGraphDestroy(graph));
    check(wg_cuMemFree_v2(a));
}

// Twins for a default stream per thread: stream 0 is the thread's own, which can be captured.
static void test_twins(void **state)
{
    cudaGraph_t graph;
    size_t n = 0;
    uint32_t words = N;
    void *a, *arguments[] = {&a, &words};
    struct CUlaunchConfig config = {1, 1, 1, N, 1, 1, 0, NULL, NULL, 0};
    (void)state;
    check(wg_cuMemAlloc_v2(&a, 4 * N));
    assert_int_not_equal(wg_cuStreamBeginCapture_v2(NULL, 2), cudaSuccess);
    check(wg_cuStreamBeginCapture_v2_ptsz(NULL, 2));
    check(wg_cuLaunchKernel_ptsz(add, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
    check(wg_cuLaunchKernelEx_ptsz(&config, add, arguments, NULL));
    check(wg_cuMemsetD32Async_ptsz(a, 0, N, NULL));
    check(wg_cuStreamEndCapture_ptsz(NULL, &graph));
    check(wg_cuGraphGetNodes(graph, NULL, &n));
    assert_int_equal(n, 3);
    check(wg_cuGraphDestroy(graph));
    check(wg_cuMemFree_v2(a));
}

static void test_batches_and_values(void **state)
{
    uint32_t in[2] = {11, 22}, out[2] = {0};
    void *a;
    (void)state;
    check(wg_cuMemAlloc_v2(&a, 8));
    void *to[] = {a, (char *)a + 4};
    const void *from[] = {&in[0], &in[1]};
    const size_t sizes[] = {4, 4};
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    cudaStream_t stream;
    size_t first = 0;
    check(wg_cuStreamCreate(&stream, 0));
    check(wg_cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &first, 1, stream));
    check(wg_cuMemcpyDtoH_v2(out, a, 8));
    assert_memory_equal(in, out, 8);
    check(wg_cuStreamWaitValue32_v2(stream, a, 11, 1));                                             // equal
    check(wg_cuStreamWaitValue32_v2(stream, a, 10, 0));                                             // at least
    assert_int_equal(wg_cuStreamWaitValue32_v2(stream, a, 12, 0), cudaErrorNotSupported);           // not yet
    check(wg_cuStreamWriteValue64_v2(stream, a, 0x500000004, 0));
    check(wg_cuStreamWaitValue64_v2(stream, a, 0x500000004, 1));
    check(wg_cuStreamDestroy_v2(stream));
    check(wg_cuMemFree_v2(a));
}

// ---- device, entry points --------------------------------------------------------------------------------------------

static void test_device(void **state)
{
    CUdevice device = -1;
    char name[64], id[16];
    int value = 0, major = 0, minor = -1;
    size_t bytes = 0;
    struct CUuuid uuid = {{0}};
    (void)state;
    check(wg_cuDeviceGetCount(&value));
    assert_int_equal(value, 1);
    check(wg_cuDeviceGet(&device, 0));
    assert_int_equal(wg_cuDeviceGet(&device, 1), cudaErrorInvalidDevice);
    check(wg_cuDeviceGetName(name, sizeof name, device));
    assert_string_equal(name, "NVIDIA H200");
    check(wg_cuDeviceGetName(name, 7, device));
    assert_string_equal(name, "NVIDIA");
    check(wg_cuDeviceGetAttribute(&value, 16, device)); // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    assert_int_equal(value, 132);
    check(wg_cuDeviceGetAttribute(&value, 102, device)); // … VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, not in the runtime API
    assert_int_equal(value, 1);
    assert_int_equal(wg_cuDeviceGetAttribute(&value, 9999, device), cudaErrorInvalidValue);
    check(wg_cuDeviceComputeCapability(&major, &minor, device));
    assert_int_equal(major * 10 + minor, 90);
    check(wg_cuDeviceTotalMem_v2(&bytes, device));
    assert_true(bytes > (size_t)100 << 30);
    check(wg_cuDeviceGetUuid(&uuid, device));
    assert_memory_equal(uuid.bytes, "h200", 5);
    check(wg_cuDeviceGetPCIBusId(id, sizeof id, device));
    device = -1;
    check(wg_cuDeviceGetByPCIBusId(&device, id));
    assert_int_equal(device, 0);
}

static void assert_entry(const char *name, int version, uint64_t flags, void (*function)(void))
{
    void *found = NULL, *want;
    int status = -1;
    memcpy(&want, &function, sizeof want);
    check(wg_cuGetProcAddress_v2(name, &found, version, flags, &status));
    assert_ptr_equal(found, want);
    assert_int_equal(status, 0);
}

static void test_entry_points(void **state)
{
    void *found = &found;
    int status = -1;
    (void)state;
    assert_entry("cuMemAlloc", 13000, 0, (void (*)(void))wg_cuMemAlloc_v2);
    assert_entry("cuMemAlloc_v2", 13000, 0, (void (*)(void))wg_cuMemAlloc_v2);
    assert_entry("cuMemAlloc", 2000, 0, (void (*)(void))wg_cuMemAlloc);
    assert_entry("cuCtxCreate", 12040, 0, (void (*)(void))wg_cuCtxCreate_v3);
    assert_entry("cuCtxCreate", 12050, 0, (void (*)(void))wg_cuCtxCreate_v4);
    assert_entry("cuStreamSynchronize", 12000, 2, (void (*)(void))wg_cuStreamSynchronize_ptsz);
    assert_entry("cuStreamSynchronize", 12000, 1, (void (*)(void))wg_cuStreamSynchronize);
    assert_entry("cuInit", 12000, 2, (void (*)(void))wg_cuInit); // has no twin
    assert_entry("cuTensorMapEncodeTiled", 12000, 0, (void (*)(void))wg_cuTensorMapEncodeTiled);
    check(wg_cuGetProcAddress_v2("cuLibraryLoadData", &found, 11080, 0, &status));
    assert_null(found);
    assert_int_equal(status, 2); // needs a newer version
    check(wg_cuGetProcAddress_v2("cuNoSuchThing", &found, 13000, 0, &status));
    assert_null(found);
    assert_int_equal(status, 1);
    assert_int_equal(wg_cuGetProcAddress("cuNoSuchThing", &found, 13000, 0), cudaErrorSymbolNotFound);
    assert_int_equal(wg_cuGetProcAddress_v2("cuInit", &found, 14000, 0, &status), cudaErrorInvalidValue);
    assert_int_equal(wg_cuGetExportTable((const void **)&found, &(struct CUuuid){{1}}), cudaErrorSymbolNotFound);
    check(wg_cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 12000, 0, &status));
    void *want;
    CUresult (*alloc)(void **, size_t) = wg_cuMemAlloc_v2;
    memcpy(&want, &alloc, sizeof want);
    assert_ptr_equal(found, want);
}

// A call of what is not supported says so; runtime calls do not hear of driver errors.
static void test_refused(void **state)
{
    uint64_t no_stream[64] = {0};
    int priority;
    (void)state;
    wg_cudaGetLastError();
    assert_int_equal(wg_cuTensorMapEncodeIm2col(), cudaErrorNotSupported);
    assert_int_equal(wg_cuMemFree_v2((void *)8), cudaErrorInvalidValue);
    assert_int_equal(wg_cuStreamGetPriority((cudaStream_t)no_stream, &priority), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaPeekAtLastError(), cudaSuccess);
    check(wg_cuProfilerStart());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_memory),   cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_pointer_attributes), cmocka_unit_test(test_virtual_memory),
        cmocka_unit_test(test_copy_2d),         cmocka_unit_test(test_fills),
        cmocka_unit_test(test_arrays),          cmocka_unit_test(test_mipmapped_array),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_captured_graph),  cmocka_unit_test(test_explicit_graph),
        cmocka_unit_test(test_twins),           cmocka_unit_test(test_batches_and_values),
        cmocka_unit_test(test_device),          cmocka_unit_test(test_entry_points),
        cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("driver memory", tests, set_up, NULL);
}
