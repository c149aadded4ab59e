// The driver API, call by call: the functions that the other tests of it do not need. Each answer is one that a body which
// only returned success would not give.
#include "rt/api.h"
#include "rt/driver.h"
#include "support/check.h"
#include <string.h>

enum { N = 64 };
static CUcontext context;
static CUmodule module;
static CUfunction add;
static cudaStream_t stream;
static uint32_t *data; // device memory of N words

static const char add_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                              ".visible .entry add(.param .u64 data, .param .u32 n)\n{\n"
                              ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
                              "ld.param.u64 %d1, [data];\nld.param.u32 %r3, [n];\nmov.u32 %r1, %tid.x;\n"
                              "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
                              "ld.global.u32 %r2, [%d3];\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%d3], %r2;\nret;\n}\n";

static void check(CUresult result)
{
    assert_int_equal(result, cudaSuccess);
}

static int set_up(void **state)
{
    (void)state;
    check(wg_cuInit(0));
    check(wg_cuCtxCreate_v2(&context, 0, 0));
    check(wg_cuModuleLoadData(&module, add_ptx));
    check(wg_cuModuleGetFunction(&add, module, "add"));
    check(wg_cuStreamCreate(&stream, cudaStreamNonBlocking));
    check(wg_cuMemAlloc_v2((void **)&data, 4 * N));
    return 0;
}

static void clear(void)
{
    check(wg_cuMemsetD32_v2(data, 0, N));
}

// The last word.
static uint32_t word(void)
{
    uint32_t value = 0;
    check(wg_cuStreamSynchronize(stream));
    check(wg_cuMemcpyDtoH_v2(&value, data + N - 1, 4));
    return value;
}

// ---- device and context --------------------------------------------------------------------------------------------------

static void test_device_calls(void **state)
{
    struct CUdevprop properties = {0};
    struct rt_pool *pool = NULL, *now = NULL;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    int value = 9;
    (void)state;
    check(wg_cuDeviceGetProperties(&properties, 0));
    assert_true(properties.SIMDWidth == 32 && properties.maxThreadsDim[2] == 64 && properties.clockRate == 1980000);
    check(wg_cuDeviceCanAccessPeer(&value, 0, 0));
    assert_int_equal(value, 0);
    assert_int_equal(wg_cuDeviceGetP2PAttribute(&value, 1, 0, 1), cudaErrorInvalidDevice);
    value = 9;
    check(wg_cuDeviceGetExecAffinitySupport(&value, 0, 0));
    assert_int_equal(value, 0);
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .location = here};
    check(wg_cuMemPoolCreate(&pool, &props));
    check(wg_cuDeviceSetMemPool(0, pool));
    check(wg_cuDeviceGetMemPool(&now, 0));
    assert_ptr_equal(now, pool);
    check(wg_cuMemGetMemPool(&now, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(now, pool);
    check(wg_cuDeviceGetDefaultMemPool(&now, 0));
    assert_ptr_not_equal(now, pool);
    check(wg_cuMemSetMemPool(&here, cudaMemAllocationTypePinned, now));
    check(wg_cuDeviceGetMemPool(&now, 0));
    assert_ptr_not_equal(now, pool);
    check(wg_cuMemPoolDestroy(pool));
    assert_int_not_equal(wg_cuMemPoolDestroy(pool), cudaSuccess);
}

static void test_context_calls(void **state)
{
    CUcontext same = NULL;
    CUdevice device = -1;
    unsigned long long id = 0;
    unsigned version = 0, flags = 0;
    int least = 9, greatest = 9, config = 9, active;
    size_t value = 0;
    (void)state;
    check(wg_cuCtxAttach(&same, 0));
    assert_ptr_equal(same, context);
    check(wg_cuCtxDetach(same)); // still used by its maker
    check(wg_cuCtxGetDevice_v2(&device, context));
    assert_int_equal(device, 0);
    check(wg_cuCtxSetFlags(2));
    check(wg_cuCtxGetFlags(&flags));
    assert_int_equal(flags, 2);
    assert_int_equal(wg_cuCtxSetFlags(0x10000), cudaErrorInvalidValue);
    check(wg_cuCtxGetId(context, &id));
    assert_int_not_equal(id, 0);
    check(wg_cuCtxGetApiVersion(NULL, &version));
    assert_int_equal(version, 3020);
    assert_int_equal(wg_cuCtxSynchronize_v2((CUcontext)&id), cudaErrorDeviceUninitialized);
    check(wg_cuCtxSetLimit(2, 32 << 20)); // the heap of device code
    check(wg_cuCtxGetLimit(&value, 2));
    assert_int_equal(value, 32 << 20);
    check(wg_cuCtxSetCacheConfig(2));
    check(wg_cuCtxGetCacheConfig(&config));
    assert_int_equal(config, 2);
    check(wg_cuCtxGetSharedMemConfig(&config));
    assert_int_not_equal(config, 9);
    check(wg_cuCtxGetStreamPriorityRange(&least, &greatest));
    assert_true(least == 0 && greatest < 0);
    assert_int_equal(wg_cuCtxEnablePeerAccess(context, 0), cudaErrorDeviceUninitialized);
    assert_int_equal(wg_cuCtxDisablePeerAccess(context), cudaErrorPeerAccessNotEnabled);
    check(wg_cuDevicePrimaryCtxSetFlags_v2(0, 4));
    check(wg_cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(flags, 4);
}

// ---- functions -------------------------------------------------------------------------------------------------------------

static void test_function_calls(void **state)
{
    CUlibrary library;
    CUfunction kernel;
    int value = -1, grid = 0, block = 0;
    uint32_t n = 3;
    void *arguments[] = {&data, &n};
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension, .val.cluster = {2, 1, 1}};
    struct CUlaunchConfig config = {8, 1, 1, 256, 1, 1, 0, NULL, &cluster, 1};
    (void)state;
    check(wg_cuModuleGetLoadingMode(&value));
    assert_int_equal(value, 2);
    assert_int_equal(wg_cuLibraryLoadFromFile(&library, "/does/not/exist", NULL, NULL, 0, NULL, NULL, 0),
                     cudaErrorFileNotFound);
    check(wg_cuLibraryLoadData(&library, add_ptx, NULL, NULL, 0, NULL, NULL, 0));
    check(wg_cuLibraryGetKernel(&kernel, library, "add"));
    check(wg_cuFuncIsLoaded(&value, kernel));
    assert_int_equal(value, 0);
    check(wg_cuFuncLoad(kernel));
    check(wg_cuFuncIsLoaded(&value, kernel));
    assert_int_equal(value, 1);
    check(wg_cuKernelSetAttribute(9, 50, kernel, 0)); // carve-out
    check(wg_cuKernelGetAttribute(&value, 9, kernel, 0));
    assert_int_equal(value, 50);
    assert_int_equal(wg_cuKernelSetCacheConfig(kernel, 7, 0), cudaErrorInvalidValue);
    check(wg_cuLibraryUnload(library));
    assert_int_equal(wg_cuFuncSetCacheConfig(add, 9), cudaErrorInvalidValue);
    assert_int_equal(wg_cuFuncSetSharedMemConfig(add, 9), cudaErrorInvalidValue);
    clear();
    check(wg_cuLaunchCooperativeKernel(add, 1, 1, 1, N, 1, 1, 0, stream, arguments));
    assert_int_equal(word(), 3);
    assert_int_equal(wg_cuLaunchCooperativeKernel(add, 100000, 1, 1, N, 1, 1, 0, stream, arguments),
                     cudaErrorCooperativeLaunchTooLarge);
    assert_int_equal(wg_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, add, 256, 0, 8), cudaErrorInvalidValue);
    check(wg_cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add, NULL, 0, 64, 0));
    assert_int_equal(block, 64);
    check(wg_cuOccupancyMaxActiveClusters(&value, add, &config));
    assert_true(value > 100);
    check(wg_cuOccupancyMaxPotentialClusterSize(&value, add, &config));
    assert_int_equal(value, 8);
}

static void test_pieces(void **state)
{
    CUmodule own;
    CUfunction kernel;
    (void)state;
    check(wg_cuModuleLoadData(&own, ".version 7.5\n.target sm_80\n.address_size 64\n"
                                    ".visible .entry put(.param .u64 to, .param .f32 x)\n{\n.reg .f32 %f<2>;\n.reg .b64 %d<2>;\n"
                                    "ld.param.u64 %d1, [to];\nld.param.f32 %f1, [x];\nst.global.f32 [%d1], %f1;\nret;\n}\n"));
    check(wg_cuModuleGetFunction(&kernel, own, "put"));
    void *to = data + N - 1;
    check(wg_cuFuncSetBlockShape(kernel, 1, 1, 1));
    check(wg_cuFuncSetSharedSize(kernel, 16));
    check(wg_cuParamSetv(kernel, 0, &to, 8));
    check(wg_cuParamSetf(kernel, 8, 1.0f));
    check(wg_cuParamSetSize(kernel, 12));
    check(wg_cuLaunch(kernel));
    assert_int_equal(word(), 0x3f800000);
    check(wg_cuParamSetf(kernel, 8, 2.0f));
    check(wg_cuLaunchGridAsync(kernel, 1, 1, stream));
    assert_int_equal(word(), 0x40000000);
    check(wg_cuFuncSetSharedSize(kernel, 1 << 20));
    assert_int_equal(wg_cuLaunch(kernel), cudaErrorInvalidValue);
    check(wg_cuModuleUnload(own));
}

// ---- copies ----------------------------------------------------------------------------------------------------------------

static void test_linear_copies(void **state)
{
    uint32_t in[N], out[N] = {0};
    void *other;
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        in[i] = 1000 + i;
    check(wg_cuMemAlloc_v2(&other, sizeof in));
    clear();
    check(wg_cuMemcpyHtoDAsync_v2(other, in, sizeof in, stream));
    check(wg_cuMemcpyDtoDAsync_v2(data, other, sizeof in, stream));
    assert_int_equal(word(), 1063);
    clear();
    check(wg_cuMemcpyDtoD_v2(data, other, sizeof in));
    assert_int_equal(word(), 1063);
    clear();
    check(wg_cuMemcpyPeer(data, context, other, context, sizeof in));
    assert_int_equal(word(), 1063);
    clear();
    check(wg_cuMemcpyPeerAsync(data, context, other, context, sizeof in, stream));
    assert_int_equal(word(), 1063);
    assert_int_equal(wg_cuMemcpyPeer(data, NULL, other, context, 4), cudaErrorDeviceUninitialized);
    clear();
    check(wg_cuMemcpy(data, in, sizeof in));
    check(wg_cuMemcpyAsync(out, data, sizeof in, stream));
    check(wg_cuStreamSynchronize(stream));
    assert_memory_equal(in, out, sizeof in);
    check(wg_cuMemFree_v2(other));
}

static void test_fill_calls(void **state)
{
    (void)state;
    check(wg_cuMemsetD8Async(data, 1, 4 * N, stream));
    assert_int_equal(word(), 0x01010101);
    check(wg_cuMemsetD16_v2(data, 2, 2 * N));
    assert_int_equal(word(), 0x00020002);
    check(wg_cuMemsetD2D8_v2(data, 128, 3, 128, 2));
    assert_int_equal(word(), 0x03030303);
    check(wg_cuMemsetD2D8Async(data, 128, 4, 128, 2, stream));
    assert_int_equal(word(), 0x04040404);
    check(wg_cuMemsetD2D16Async(data, 128, 5, 64, 2, stream));
    assert_int_equal(word(), 0x00050005);
    check(wg_cuMemsetD2D32_v2(data, 128, 6, 32, 2));
    assert_int_equal(word(), 6);
    check(wg_cuMemsetD2D32Async(data, 128, 7, 32, 2, stream));
    assert_int_equal(word(), 7);
}

static void test_box_copies(void **state)
{
    uint8_t in[2][3][4], out[2][3][4] = {{{0}}};
    const struct CUDA_ARRAY3D_DESCRIPTOR shape = {4, 3, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    struct rt_array *array, *second;
    (void)state;
    for (int i = 0; i < 24; i++)
        ((uint8_t *)in)[i] = (uint8_t)(i + 1);
    check(wg_cuArray3DCreate_v2(&array, &shape));
    check(wg_cuArray3DCreate_v2(&second, &shape));
    struct CUDA_MEMCPY3D to = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 4, .srcHeight = 3,
                               .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = 4, .Height = 3,
                               .Depth = 2};
    struct CUDA_MEMCPY3D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array,
                                 .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = 4, .dstHeight = 3,
                                 .WidthInBytes = 4, .Height = 3, .Depth = 2};
    check(wg_cuMemcpy3D_v2(&to));
    check(wg_cuMemcpy3DAsync_v2(&from, stream));
    check(wg_cuStreamSynchronize(stream));
    assert_memory_equal(in, out, sizeof in);
    const uint8_t row[4] = {70, 71, 72, 73};
    uint8_t back[4] = {0};
    check(wg_cuMemcpyHtoA_v2(array, 0, row, 4));
    check(wg_cuMemcpyHtoAAsync_v2(array, 2, row, 2, stream));
    check(wg_cuMemcpyAtoA_v2(second, 0, array, 0, 4));
    check(wg_cuMemcpyAtoHAsync_v2(back, second, 0, 4, stream));
    check(wg_cuStreamSynchronize(stream));
    assert_true(back[1] == 71 && back[2] == 70 && back[3] == 71);
    struct CUDA_MEMCPY2D flat = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 4,
                                 .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = data, .dstPitch = 128,
                                 .WidthInBytes = 4, .Height = 2};
    check(wg_cuMemcpy2DAsync_v2(&flat, stream));
    check(wg_cuStreamSynchronize(stream));
    check(wg_cuMemcpyDtoH_v2(back, data + 32, 4));
    assert_memory_equal(back, in[0][1], 4);
    check(wg_cuArrayDestroy(array));
    check(wg_cuArrayDestroy(second));
}

// ---- pools and managed memory ------------------------------------------------------------------------------------------------

static void test_pool_calls(void **state)
{
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .location = here};
    struct rt_pool *pool, *of_pointer = NULL;
    enum cudaMemAccessFlags flags = 0;
    uint64_t value = 1 << 20, used = 0;
    void *a, *pinned, *managed;
    int hint = 0;
    (void)state;
    check(wg_cuMemPoolCreate(&pool, &props));
    check(wg_cuMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    value = 0;
    check(wg_cuMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    assert_int_equal(value, 1 << 20);
    check(wg_cuMemAllocFromPoolAsync(&a, 4096, pool, stream));
    check(wg_cuMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_true(used >= 4096);
    check(wg_cuPointerGetAttribute(&of_pointer, 17, a)); // CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
    assert_ptr_equal(of_pointer, pool);
    check(wg_cuMemPoolGetAccess(&flags, pool, &here));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    check(wg_cuMemFreeAsync(a, stream));
    check(wg_cuMemPoolTrimTo(pool, 0));
    check(wg_cuMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
    assert_int_equal(value, 0);
    check(wg_cuMemPoolDestroy(pool));
    check(wg_cuMemAllocHost_v2(&pinned, 64));
    check(wg_cuPointerGetAttribute(&a, 3, pinned));
    assert_ptr_equal(a, pinned);
    assert_int_equal(wg_cuPointerSetAttribute(&hint, 8, pinned), cudaErrorInvalidValue);
    check(wg_cuMemFreeHost(pinned));
    check(wg_cuMemAllocManaged(&managed, 1 << 21, 1));
    check(wg_cuMemAdvise_v2(managed, 1 << 21, cudaMemAdviseSetReadMostly, here));
    check(wg_cuMemRangeGetAttribute(&hint, sizeof hint, cudaMemRangeAttributeReadMostly, managed, 1 << 21));
    assert_int_equal(hint, 1);
    check(wg_cuMemPrefetchAsync_v2(managed, 1 << 21, here, 0, stream));
    check(wg_cuMemRangeGetAttribute(&hint, sizeof hint, cudaMemRangeAttributeLastPrefetchLocation, managed, 1 << 21));
    assert_int_equal(hint, 0);
    assert_int_equal(wg_cuStreamAttachMemAsync(stream, managed, 0, 9), cudaErrorInvalidValue);
    check(wg_cuMemFree_v2(managed));
}

// ---- streams and capturing -----------------------------------------------------------------------------------------------------

static void hear(cudaStream_t s, cudaError_t status, void *out)
{
    *(int *)out = s == stream && status == cudaSuccess ? 5 : 1;
}

static void test_stream_calls(void **state)
{
    cudaStream_t other;
    cudaEvent_t event;
    CUdevice device = -1;
    CUcontext of_stream;
    unsigned flags = 9;
    unsigned long long id = 0, id_other = 0;
    void *green = &flags;
    int priority = 9, heard = 0;
    union launch_attribute_value value = {.priority = -2};
    (void)state;
    check(wg_cuStreamCreateWithPriority(&other, cudaStreamNonBlocking, -3));
    check(wg_cuStreamGetPriority(other, &priority));
    assert_int_equal(priority, -3);
    check(wg_cuStreamGetFlags(other, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    check(wg_cuStreamGetId(other, &id_other));
    check(wg_cuStreamGetId(stream, &id));
    assert_int_not_equal(id, id_other);
    check(wg_cuStreamGetDevice(stream, &device));
    assert_int_equal(device, 0);
    check(wg_cuStreamGetCtx_v2(stream, &of_stream, &green));
    assert_null(green);
    check(wg_cuStreamSetAttribute(stream, cudaLaunchAttributePriority, &value));
    check(wg_cuStreamCopyAttributes(other, stream));
    value.priority = 0;
    check(wg_cuStreamGetAttribute(other, cudaLaunchAttributePriority, &value));
    assert_int_equal(value.priority, -2);
    check(wg_cuStreamAddCallback(stream, hear, &heard, 0));
    check(wg_cuStreamSynchronize(stream));
    assert_int_equal(heard, 5);
    check(wg_cuEventCreate(&event, 0));
    check(wg_cuEventRecordWithFlags(event, other, 0));
    check(wg_cuStreamWaitEvent(stream, event, 0));
    check(wg_cuEventSynchronize(event));
    check(wg_cuStreamQuery(other));
    check(wg_cuEventDestroy_v2(event));
    assert_int_equal(wg_cuEventSynchronize(event), cudaErrorInvalidResourceHandle);
    check(wg_cuStreamDestroy_v2(other));
    assert_int_equal(wg_cuStreamQuery(other), cudaErrorInvalidResourceHandle);
}

static void test_capture_calls(void **state)
{
    cudaGraph_t graph, seen = NULL;
    enum cudaStreamCaptureStatus status = 9;
    unsigned long long id = 0, id_again = 0;
    const cudaGraphNode_t *nodes = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t n = 9, n_nodes = 0;
    uint32_t one = 1;
    void *arguments[] = {&data, &one};
    int mode = cudaStreamCaptureModeRelaxed;
    (void)state;
    check(wg_cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
    check(wg_cuThreadExchangeStreamCaptureMode(&mode));
    check(wg_cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    check(wg_cuStreamBeginCapture(stream));
    check(wg_cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
    check(wg_cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    check(wg_cuStreamGetCaptureInfo(stream, &status, &id));
    check(wg_cuStreamGetCaptureInfo_v2(stream, &status, &id_again, &seen, &nodes, &n));
    assert_true(id != 0 && id == id_again && seen && n == 1);
    n = 9;
    check(wg_cuStreamGetCaptureInfo_v3(stream, &status, &id, &seen, &nodes, &edges, &n));
    assert_int_equal(n, 1);
    check(wg_cuStreamUpdateCaptureDependencies(stream, NULL, 0, cudaStreamSetCaptureDependencies));
    check(wg_cuStreamGetCaptureInfo_v2(stream, &status, &id, &seen, &nodes, &n));
    assert_int_equal(n, 0);
    check(wg_cuStreamEndCapture(stream, &graph));
    check(wg_cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
    check(wg_cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
    check(wg_cuStreamEndCapture(stream, &seen));
    assert_ptr_equal(seen, graph);
    check(wg_cuGraphGetNodes(graph, NULL, &n_nodes));
    assert_int_equal(n_nodes, 2);
    check(wg_cuGraphDestroy(graph));
}

// ---- graphs ----------------------------------------------------------------------------------------------------------------------

static void add_ten(void *at)
{
    *(int *)at += 10;
}

static void add_hundred(void *at)
{
    *(int *)at += 100;
}

// Of fill -> kernel -> host, to which an empty node is added and taken away again.
static void check_shape(cudaGraph_t graph, cudaGraphNode_t fill, cudaGraphNode_t kernel, cudaGraphNode_t host)
{
    cudaGraph_t clone;
    cudaGraphNode_t empty, found, roots[4], from[4], to[4];
    cudaGraphEdgeData edges[4];
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    size_t n = 4;
    check(wg_cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    check(wg_cuGraphNodeGetType(host, &type));
    assert_int_equal(type, cudaGraphNodeTypeHost);
    check(wg_cuGraphGetRootNodes(graph, roots, &n));
    assert_int_equal(n, 2);
    check(wg_cuGraphAddDependencies(graph, &host, &empty, 1));
    n = 4;
    check(wg_cuGraphGetEdges(graph, from, to, &n));
    assert_int_equal(n, 3);
    check(wg_cuGraphRemoveDependencies_v2(graph, &host, &empty, NULL, 1));
    n = 4;
    check(wg_cuGraphGetEdges_v2(graph, from, to, edges, &n));
    assert_int_equal(n, 2);
    check(wg_cuGraphAddDependencies_v2(graph, &fill, &empty, NULL, 1));
    check(wg_cuGraphRemoveDependencies(graph, &fill, &empty, 1));
    n = 4;
    check(wg_cuGraphNodeGetDependencies(kernel, from, &n));
    assert_true(n == 1 && from[0] == fill);
    n = 4;
    check(wg_cuGraphNodeGetDependentNodes_v2(kernel, to, edges, &n));
    assert_true(n == 1 && to[0] == host);
    check(wg_cuGraphDestroyNode(empty));
    check(wg_cuGraphClone(&clone, graph));
    check(wg_cuGraphNodeFindInClone(&found, kernel, clone));
    assert_ptr_not_equal(found, kernel);
    check(wg_cuGraphDestroy(clone));
}

// fill -> kernel -> host call; every way to change a node is used once.
static void test_graph_nodes(void **state)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, host;
    cudaGraphExec_t exec;
    uint32_t n_add = 5;
    int hits = 0;
    unsigned enabled = 9;
    unsigned long long flags = 9;
    void *arguments[] = {&data, &n_add};
    struct cudaMemsetParams fill_params = {.dst = data, .value = 1, .elementSize = 4, .width = N, .height = 1}, read_fill;
    struct cudaHostNodeParams host_params = {add_ten, &hits}, read_host;
    struct CUDA_KERNEL_NODE_PARAMS params = {.func = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = N,
                                             .blockDimY = 1, .blockDimZ = 1, .kernelParams = arguments}, read = {0};
    (void)state;
    check(wg_cuGraphCreate(&graph, 0));
    check(wg_cuGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params, context));
    check(wg_cuGraphAddKernelNode(&kernel, graph, &fill, 1, &params));
    check(wg_cuGraphAddHostNode(&host, graph, &kernel, 1, &host_params));
    check_shape(graph, fill, kernel, host);
    fill_params.value = 2;
    check(wg_cuGraphMemsetNodeSetParams(fill, &fill_params));
    check(wg_cuGraphMemsetNodeGetParams(fill, &read_fill));
    assert_int_equal(read_fill.value, 2);
    host_params.fn = add_hundred;
    check(wg_cuGraphHostNodeSetParams(host, &host_params));
    check(wg_cuGraphHostNodeGetParams(host, &read_host));
    assert_ptr_equal(read_host.userData, &hits);
    n_add = 6;
    check(wg_cuGraphKernelNodeSetParams_v2(kernel, &params));
    check(wg_cuGraphKernelNodeGetParams(kernel, &read));
    assert_int_equal(*(uint32_t *)read.kernelParams[1], 6);
    check(wg_cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    check(wg_cuGraphUpload(exec, stream));
    check(wg_cuGraphLaunch(exec, stream));
    assert_int_equal(word(), 8);
    assert_int_equal(hits, 100);
    n_add = 7;
    check(wg_cuGraphExecKernelNodeSetParams_v2(exec, kernel, &params));
    fill_params.value = 20;
    check(wg_cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context));
    host_params.fn = add_ten;
    check(wg_cuGraphExecHostNodeSetParams(exec, host, &host_params));
    check(wg_cuGraphLaunch(exec, stream));
    assert_int_equal(word(), 27);
    assert_int_equal(hits, 110);
    check(wg_cuGraphNodeSetEnabled(exec, kernel, 0));
    check(wg_cuGraphNodeGetEnabled(exec, kernel, &enabled));
    assert_int_equal(enabled, 0);
    check(wg_cuGraphLaunch(exec, stream));
    assert_int_equal(word(), 20);
    check(wg_cuGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, 0);
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    check(wg_cuGraphExecUpdate_v2(exec, graph, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    check(wg_cuGraphExecDestroy(exec));
    check(wg_cuGraphDestroy(graph));
}

static void test_more_graph_nodes(void **state)
{
    cudaGraph_t graph, child, inner = NULL;
    cudaGraphNode_t record, wait, child_node, take, give;
    cudaEvent_t event, second, read = NULL;
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams how = {.result_out = cudaGraphInstantiateError};
    struct cudaMemAllocNodeParams alloc = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                         .location = {cudaMemLocationTypeDevice, 0}},
                                           .bytesize = 4096}, alloc_read;
    void *freed = NULL;
    uint64_t used = 0;
    cudaUserObject_t object;
    int destroyed = 0;
    (void)state;
    check(wg_cuEventCreate(&event, 0));
    check(wg_cuEventCreate(&second, 0));
    check(wg_cuGraphCreate(&graph, 0));
    check(wg_cuGraphCreate(&child, 0));
    check(wg_cuGraphAddEventRecordNode(&record, graph, NULL, 0, event));
    check(wg_cuGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    check(wg_cuGraphEventRecordNodeSetEvent(record, second));
    check(wg_cuGraphEventRecordNodeGetEvent(record, &read));
    assert_ptr_equal(read, second);
    check(wg_cuGraphEventWaitNodeSetEvent(wait, second));
    check(wg_cuGraphEventWaitNodeGetEvent(wait, &read));
    assert_ptr_equal(read, second);
    check(wg_cuGraphAddChildGraphNode(&child_node, graph, NULL, 0, child));
    check(wg_cuGraphChildGraphNodeGetGraph(child_node, &inner));
    assert_non_null(inner);
    check(wg_cuGraphAddMemAllocNode(&take, graph, NULL, 0, &alloc));
    assert_non_null(alloc.dptr);
    check(wg_cuGraphMemAllocNodeGetParams(take, &alloc_read));
    assert_ptr_equal(alloc_read.dptr, alloc.dptr);
    check(wg_cuGraphAddMemFreeNode(&give, graph, &take, 1, alloc.dptr));
    check(wg_cuGraphMemFreeNodeGetParams(give, &freed));
    assert_ptr_equal(freed, alloc.dptr);
    check(wg_cuGraphInstantiateWithParams(&exec, graph, &how));
    assert_int_equal(how.result_out, cudaGraphInstantiateSuccess);
    check(wg_cuGraphExecEventRecordNodeSetEvent(exec, record, event));
    check(wg_cuGraphExecEventWaitNodeSetEvent(exec, wait, event));
    check(wg_cuGraphLaunch(exec, stream));
    check(wg_cuStreamSynchronize(stream));
    check(wg_cuEventQuery(event));
    check(wg_cuDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    assert_true(used >= 4096);
    used = 0;
    check(wg_cuDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    assert_int_equal(wg_cuDeviceGraphMemTrim(7), cudaErrorInvalidDevice);
    check(wg_cuUserObjectCreate(&object, &destroyed, add_ten, 1, cudaUserObjectNoDestructorSync));
    check(wg_cuUserObjectRetain(object, 1));
    check(wg_cuGraphRetainUserObject(graph, object, 1, 0));
    check(wg_cuUserObjectRelease(object, 2));
    assert_int_equal(destroyed, 0);
    check(wg_cuGraphReleaseUserObject(graph, object, 1));
    assert_int_equal(destroyed, 10);
    check(wg_cuGraphExecDestroy(exec));
    check(wg_cuGraphDestroy(graph));
    check(wg_cuGraphDestroy(child));
    check(wg_cuEventDestroy_v2(event));
    check(wg_cuEventDestroy_v2(second));
}

// One structure for nodes of any kind; attributes of kernel nodes; nodes of copies and children changed.
static void test_generic_nodes(void **state)
{
    cudaGraph_t graph, child;
    cudaGraphNode_t kernel, copy, second, child_node, from[2];
    cudaGraphEdgeData edges[2];
    cudaGraphExec_t exec;
    uint32_t n_add = 3, in = 500;
    size_t n = 2;
    void *arguments[] = {&data, &n_add};
    struct CUgraphNodeParams params = {.type = cudaGraphNodeTypeKernel};
    params.kernel = (struct CUDA_KERNEL_NODE_PARAMS){.kern = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
                                                     .blockDimX = N, .blockDimY = 1, .blockDimZ = 1,
                                                     .kernelParams = arguments};
    struct CUDA_MEMCPY3D word_in = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = &in,
                                    .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = data, .WidthInBytes = 4,
                                    .Height = 1, .Depth = 1};
    union launch_attribute_value value = {.priority = -1};
    (void)state;
    clear();
    check(wg_cuGraphCreate(&graph, 0));
    check(wg_cuGraphCreate(&child, 0));
    check(wg_cuGraphAddMemcpyNode(&copy, graph, NULL, 0, &word_in, context));
    check(wg_cuGraphAddNode_v2(&kernel, graph, &copy, NULL, 1, &params));
    check(wg_cuGraphAddNode(&second, graph, &kernel, 1, &params));
    check(wg_cuGraphAddChildGraphNode(&child_node, graph, NULL, 0, child));
    check(wg_cuGraphNodeGetDependencies_v2(kernel, from, edges, &n));
    assert_true(n == 1 && from[0] == copy);
    n = 2;
    check(wg_cuGraphNodeGetDependentNodes(kernel, from, &n));
    assert_true(n == 1 && from[0] == second);
    check(wg_cuGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &value));
    check(wg_cuGraphKernelNodeCopyAttributes(second, kernel));
    value.priority = 0;
    check(wg_cuGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &value));
    assert_int_equal(value.priority, -1);
    word_in.dstDevice = data + N - 1; // the word that is looked at
    check(wg_cuGraphMemcpyNodeSetParams(copy, &word_in));
    n_add = 4;
    check(wg_cuGraphNodeSetParams(kernel, &params));
    params.kernel.func = add;
    n_add = 5;
    check(wg_cuGraphKernelNodeSetParams(second, &params.kernel));
    check(wg_cuGraphInstantiateWithFlags(&exec, graph, 0));
    check(wg_cuGraphLaunch(exec, stream));
    assert_int_equal(word(), 509);
    n_add = 10;
    check(wg_cuGraphExecNodeSetParams(exec, kernel, &params));
    n_add = 20;
    check(wg_cuGraphExecKernelNodeSetParams(exec, second, &params.kernel));
    static uint32_t other = 1000;
    word_in.srcHost = &other;
    check(wg_cuGraphExecMemcpyNodeSetParams(exec, copy, &word_in, context));
    check(wg_cuGraphExecChildGraphNodeSetParams(exec, child_node, child));
    check(wg_cuGraphLaunch(exec, stream));
    assert_int_equal(word(), 1030);
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    check(wg_cuGraphExecUpdate(exec, graph, NULL, &result));
    assert_int_equal(result, cudaGraphExecUpdateSuccess);
    assert_int_not_equal(wg_cuGraphDebugDotPrint(graph, "/does/not/exist/graph.dot", 0), cudaSuccess);
    check(wg_cuGraphExecDestroy(exec));
    check(wg_cuGraphDestroy(graph));
    check(wg_cuGraphDestroy(child));
}

static void test_batches(void **state)
{
    uint32_t in[2] = {7, 8};
    void *to[] = {data, data + N - 1}, *from[] = {&in[0], &in[1]};
    size_t sizes[] = {4, 4}, first = 0, failed = 0;
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    struct cudaMemcpy3DBatchOp op = {.src = {.type = cudaMemcpyOperandTypePointer}, .extent = {4, 1, 1},
                                     .dst = {.type = cudaMemcpyOperandTypePointer},
                                     .srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct rt_pool *pool = NULL;
    (void)state;
    clear();
    check(wg_cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, &failed, stream));
    assert_int_equal(word(), 8);
    op.src.op.ptr.ptr = &in[0];
    op.dst.op.ptr.ptr = data + N - 1;
    check(wg_cuMemcpy3DBatchAsync_v2(1, &op, 0, stream));
    assert_int_equal(word(), 7);
    op.src.op.ptr.ptr = &in[1];
    check(wg_cuMemcpy3DBatchAsync(1, &op, &failed, 0, stream));
    assert_int_equal(word(), 8);
    check(wg_cuMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
    assert_non_null(pool);
    const struct cudaMemAccessDesc none = {here, cudaMemAccessFlagsProtNone};
    assert_int_not_equal(wg_cuMemPoolSetAccess(pool, &none, 1), cudaSuccess); // a device keeps access to its own pools
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_calls),  cmocka_unit_test(test_context_calls), cmocka_unit_test(test_function_calls),
        cmocka_unit_test(test_pieces),        cmocka_unit_test(test_linear_copies), cmocka_unit_test(test_fill_calls),
        cmocka_unit_test(test_box_copies),    cmocka_unit_test(test_pool_calls),    cmocka_unit_test(test_stream_calls),
        cmocka_unit_test(test_capture_calls), cmocka_unit_test(test_graph_nodes),   cmocka_unit_test(test_more_graph_nodes),
        cmocka_unit_test(test_generic_nodes), cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests_name("driver calls", tests, set_up, NULL);
}
