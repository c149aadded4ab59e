// Streams, events, capturing and graphs as a program writes them, with CUDA's own headers. Prints a line for each step;
// every number is determined.
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t error = (call);                                                              \
        if (error != cudaSuccess) {                                                              \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));          \
            return 1;                                                                            \
        }                                                                                        \
    } while (0)

__device__ int table[4] = {1, 2, 3, 4};

__global__ void add(int *p, int v)
{
    p[threadIdx.x] += v;
}

__global__ void times(int *p, int v)
{
    p[threadIdx.x] *= v;
}

__global__ void take(int *p)
{
    p[threadIdx.x] = table[threadIdx.x % 4];
}

static void CUDART_CB count(void *data)
{
    ++*static_cast<int *>(data);
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data)
{
    *static_cast<int *>(data) = status == cudaSuccess ? 7 : -1;
}

static int streams(int *device)
{
    cudaStream_t a, b;
    cudaEvent_t from, middle, to;
    int value = 0, n_calls = 0, callback = 0;
    float ms = 0;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaMemsetAsync(device, 0, 32 * sizeof(int), a));
    CHECK(cudaEventRecord(from, a));
    add<<<1, 32, 0, a>>>(device, 5);
    CHECK(cudaEventRecord(middle, a));
    CHECK(cudaStreamWaitEvent(b, middle, 0));
    times<<<1, 32, 0, b>>>(device, 3);
    CHECK(cudaLaunchHostFunc(b, count, &n_calls));
    CHECK(cudaStreamAddCallback(b, called, &callback, 0));
    CHECK(cudaEventRecord(to, b));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("streams: %d, called %d times, callback %d, time %s\n", value, n_calls, callback,
                ms > 0 ? "positive" : "not positive");
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(middle));
    CHECK(cudaEventDestroy(to));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return 0;
}

static int captured(int *device)
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    size_t n = 0, n_edges = 0;
    int value = 0;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(device, 0, 32 * sizeof(int), s));
    add<<<1, 32, 0, s>>>(device, 2);
    times<<<1, 32, 0, s>>>(device, 21);
    CHECK(cudaStreamIsCapturing(s, &status));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphGetNodes(graph, nullptr, &n));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n_edges));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("captured: status %d, %zu nodes, %zu edges, %d\n", (int)status, n, n_edges, value);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
    return 0;
}

static int explicitly(int *device)
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, kernel, copy, host, node;
    int value = 4, result[32] = {}, n_calls = 0;
    void *arguments[] = {&device, &value};
    cudaMemsetParams fill_params = {};
    fill_params.dst = device;
    fill_params.value = 10;
    fill_params.elementSize = 4;
    fill_params.width = 32;
    fill_params.height = 1;
    cudaKernelNodeParams kernel_params = {};
    kernel_params.func = (void *)add;
    kernel_params.gridDim = dim3(1);
    kernel_params.blockDim = dim3(32);
    kernel_params.kernelParams = arguments;
    cudaMemcpy3DParms copy_params = {};
    copy_params.srcPtr = make_cudaPitchedPtr(device, sizeof result, 32, 1);
    copy_params.dstPtr = make_cudaPitchedPtr(result, sizeof result, 32, 1);
    copy_params.extent = make_cudaExtent(sizeof result, 1, 1);
    copy_params.kind = cudaMemcpyDeviceToHost;
    cudaGraphNodeParams host_params = {};
    host_params.type = cudaGraphNodeTypeHost;
    host_params.host.fn = count;
    host_params.host.userData = &n_calls;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fill_params));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &kernel_params));
    CHECK(cudaGraphAddMemcpyNode(&copy, graph, &kernel, 1, &copy_params));
    CHECK(cudaGraphAddNode(&host, graph, &copy, nullptr, 1, &host_params));
    value = 1000; // no longer looked at
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("explicit: %d, called %d times\n", result[31], n_calls);
    value = 6;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &kernel_params));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("changed: %d, called %d times\n", result[31], n_calls);
    CHECK(cudaGraphClone(&other, graph));
    CHECK(cudaGraphNodeFindInClone(&node, kernel, other));
    kernel_params.func = (void *)times;
    CHECK(cudaGraphKernelNodeSetParams(node, &kernel_params));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, other, &info));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("updated: %d, result %d\n", result[31], (int)info.result);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

static int symbols_and_memory()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t in, alloc, kernel, out, release;
    int from[2] = {50, 60}, to[4] = {};
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof to;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, table, from, sizeof from, 4, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemAllocNode(&alloc, graph, &in, 1, &memory));
    void *arguments[] = {&memory.dptr};
    cudaKernelNodeParams params = {};
    params.func = (void *)take;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &alloc, 1, &params));
    CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, to, memory.dptr, sizeof to, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &out, 1, memory.dptr));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("symbols and memory: %d %d %d %d\n", to[0], to[1], to[2], to[3]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

int main()
{
    int *device;
    CHECK(cudaMalloc(&device, 32 * sizeof(int)));
    if (streams(device) || captured(device) || explicitly(device) || symbols_and_memory())
        return 1;
    CHECK(cudaFree(device));
    std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
