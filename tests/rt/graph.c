// Graphs: nodes of every kind with their parameters, shape, copies, executable graphs and their changes.
#include "support/check.h"
#include "support/guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32 };
static const void *add, *times, *take_table;
static unsigned *device, table;

static int set_up(void **state)
{
    (void)state;
    void **module = guest_module(guest_ptx);
    add = guest_kernel(module, "add");
    times = guest_kernel(module, "times");
    take_table = guest_kernel(module, "take_table");
    guest_variable(module, &table, "table", 16);
    return wg_cudaMalloc((void **)&device, N * sizeof *device);
}

static unsigned value_of_device(void)
{
    unsigned values[N];
    assert_int_equal(wg_cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    return values[N - 1];
}

static cudaGraph_t new_graph(void)
{
    cudaGraph_t graph;
    assert_int_equal(wg_cudaGraphCreate(&graph, 0), cudaSuccess);
    return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    assert_int_equal(wg_cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
    return exec;
}

static void launch_and_wait(cudaGraphExec_t exec)
{
    assert_int_equal(wg_cudaGraphLaunch(exec, NULL), cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaSuccess);
}

static void run_once(cudaGraph_t graph)
{
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    assert_int_equal(wg_cudaGraphExecDestroy(exec), cudaSuccess);
}

static struct cudaKernelNodeParams kernel_params(const void *kernel, void **arguments)
{
    return (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)kernel,
                                         .gridDim = {1, 1, 1},
                                         .blockDim = {N, 1, 1},
                                         .kernelParams = arguments};
}

// p[i] = kernel(p[i], value), behind `after` (NULL: first).
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, const void *kernel,
                                  unsigned value)
{
    cudaGraphNode_t node;
    struct cudaKernelNodeParams params = kernel_params(kernel, (void *[]){&device, &value});
    assert_int_equal(wg_cudaGraphAddKernelNode(&node, graph, after ? &after : NULL, after != NULL, &params),
                     cudaSuccess);
    return node;
}

// ---- kernels --------------------------------------------------------------------------------------------

static void kernel_nodes_keep_their_parameters(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = add_kernel(graph, NULL, add, 3);
    struct cudaKernelNodeParams params;
    assert_int_equal(wg_cudaGraphKernelNodeGetParams(node, &params), cudaSuccess);
    assert_ptr_equal(params.func, add);
    assert_int_equal(params.blockDim.x, N);
    assert_int_equal(*(unsigned *)params.kernelParams[1], 3);
    assert_ptr_equal(*(unsigned **)params.kernelParams[0], device);
    wg_cudaMemset(device, 0, N * sizeof *device);
    run_once(graph);
    assert_int_equal(value_of_device(), 3);
    unsigned value = 8;
    params.kernelParams = (void *[]){&device, &value};
    params.func = (void *)(uintptr_t)times;
    assert_int_equal(wg_cudaGraphKernelNodeSetParams(node, &params), cudaSuccess);
    run_once(graph);
    assert_int_equal(value_of_device(), 24);
    params.blockDim.x = 4096;
    assert_int_equal(wg_cudaGraphKernelNodeSetParams(node, &params), cudaErrorInvalidValue);
    params.func = &params;
    assert_int_equal(wg_cudaGraphKernelNodeSetParams(node, &params), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaGraphKernelNodeGetParams(node, NULL), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

static void parameter_blocks_can_be_given_whole(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    struct {
        unsigned *p;
        unsigned value;
    } block = {device, 9};
    size_t bytes = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &bytes, NULL};
    struct cudaKernelNodeParams params = kernel_params(add, NULL);
    params.extra = extra;
    assert_int_equal(wg_cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaSuccess);
    wg_cudaMemset(device, 0, N * sizeof *device);
    run_once(graph);
    assert_int_equal(value_of_device(), 9);
    bytes = 4;
    assert_int_equal(wg_cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

static void kernel_attributes_are_kept_and_copied(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t a = add_kernel(graph, NULL, add, 1), b = add_kernel(graph, a, add, 1), empty;
    union launch_attribute_value in = {.cooperative = 1}, out;
    assert_int_equal(wg_cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &in), cudaSuccess);
    in = (union launch_attribute_value){.priority = -2};
    assert_int_equal(wg_cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &in), cudaSuccess);
    assert_int_equal(wg_cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &out),
                     cudaSuccess);
    assert_int_equal(out.cooperative, 0);
    assert_int_equal(wg_cudaGraphKernelNodeCopyAttributes(b, a), cudaSuccess);
    assert_int_equal(wg_cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &out),
                     cudaSuccess);
    assert_int_equal(out.cooperative, 1);
    assert_int_equal(wg_cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &out), cudaSuccess);
    assert_int_equal(out.priority, -2);
    wg_cudaGraphAddEmptyNode(&empty, graph, NULL, 0);
    assert_int_equal(wg_cudaGraphKernelNodeCopyAttributes(empty, a), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphKernelNodeSetAttribute(empty, cudaLaunchAttributePriority, &in),
                     cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

// ---- copies and fills
// ---------------------------------------------------------------------------------------

static void fills_write_elements(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    struct cudaMemsetParams params = {.dst = device,
                                      .value = 0x01020304,
                                      .elementSize = 4,
                                      .width = N,
                                      .height = 1},
                            out;
    assert_int_equal(wg_cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params), cudaSuccess);
    run_once(graph);
    assert_int_equal(value_of_device(), 0x01020304);
    params.value = 0xab;
    params.elementSize = 1;
    params.width = 4 * N;
    assert_int_equal(wg_cudaGraphMemsetNodeSetParams(node, &params), cudaSuccess);
    assert_int_equal(wg_cudaGraphMemsetNodeGetParams(node, &out), cudaSuccess);
    assert_true(out.dst == device && out.value == 0xab && out.elementSize == 1 && out.width == 4 * N &&
                out.height == 1);
    run_once(graph);
    assert_int_equal(value_of_device(), 0xabababab);
    params.elementSize = 3;
    assert_int_equal(wg_cudaGraphMemsetNodeSetParams(node, &params), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

static void copies_move_bytes_and_boxes(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t in, out;
    unsigned from[N], to[N] = {0};
    for (unsigned i = 0; i < N; i++)
        from[i] = 100 + i;
    assert_int_equal(
        wg_cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, device, from, sizeof from, cudaMemcpyHostToDevice),
        cudaSuccess);
    // 2 rows of 8 bytes, 32 bytes apart on the device and 16 on the host
    struct cudaMemcpy3DParms params = {.srcPtr = {device, 32, 8, 2},
                                       .dstPtr = {to, 16, 8, 2},
                                       .extent = {8, 2, 1},
                                       .kind = cudaMemcpyDeviceToHost},
                             told;
    assert_int_equal(wg_cudaGraphAddMemcpyNode(&out, graph, &in, 1, &params), cudaSuccess);
    run_once(graph);
    assert_true(to[0] == 100 && to[1] == 101 && to[2] == 0 && to[4] == 108 && to[5] == 109);
    assert_int_equal(wg_cudaGraphMemcpyNodeGetParams(out, &told), cudaSuccess);
    assert_true(told.srcPtr.ptr == device && told.srcPtr.pitch == 32 && told.dstPtr.ptr == to &&
                told.dstPtr.pitch == 16);
    assert_true(told.extent.width == 8 && told.extent.height == 2 && told.extent.depth == 1);
    assert_int_equal(told.kind, cudaMemcpyDeviceToHost);
    params.extent.height = 1;
    params.dstPtr.ptr = &to[8];
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParams(out, &params), cudaSuccess);
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParams1D(in, device, &from[1], 8, cudaMemcpyHostToDevice),
                     cudaSuccess);
    run_once(graph);
    assert_true(to[8] == 101 && to[9] == 102 && to[12] == 0);
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParams(in, NULL), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

static void copies_reach_symbols(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t in, kernel, out;
    unsigned from[4] = {10, 20, 30, 40}, to[4] = {0}, seen[4];
    struct cudaKernelNodeParams params = kernel_params(take_table, (void *[]){&device});
    params.blockDim.x = 4;
    assert_int_equal(
        wg_cudaGraphAddMemcpyNodeToSymbol(&in, graph, NULL, 0, &table, from, 8, 4, cudaMemcpyHostToDevice),
        cudaSuccess);
    assert_int_equal(wg_cudaGraphAddKernelNode(&kernel, graph, &in, 1, &params), cudaSuccess);
    assert_int_equal(wg_cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &kernel, 1, to, &table, 16, 0,
                                                         cudaMemcpyDeviceToHost),
                     cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    assert_true(to[0] == 1 && to[1] == 10 && to[2] == 20 && to[3] == 4);
    wg_cudaMemcpy(seen, device, sizeof seen, cudaMemcpyDeviceToHost);
    assert_memory_equal(seen, to, sizeof seen);
    assert_int_equal(
        wg_cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, &table, &from[3], 4, 0, cudaMemcpyHostToDevice),
        cudaSuccess);
    assert_int_equal(
        wg_cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, &to[3], &table, 4, 0, cudaMemcpyDefault),
        cudaSuccess);
    launch_and_wait(exec);
    assert_int_equal(to[3], 40);
    wg_cudaGraphExecDestroy(exec);
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParamsToSymbol(in, &table, from, 16, 4, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue); // beyond its end
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParamsToSymbol(in, &table, from, 4, 12, cudaMemcpyHostToDevice),
                     cudaSuccess);
    assert_int_equal(
        wg_cudaGraphMemcpyNodeSetParamsFromSymbol(out, to, &table, 4, 12, cudaMemcpyDeviceToHost),
        cudaSuccess);
    assert_int_equal(wg_cudaGraphMemcpyNodeSetParamsFromSymbol(out, to, &to, 4, 12, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidSymbol);
    assert_int_equal(
        wg_cudaGraphMemcpyNodeSetParamsFromSymbol(out, to, &table, 4, 12, cudaMemcpyHostToDevice),
        cudaErrorInvalidMemcpyDirection);
    run_once(graph);
    assert_int_equal(to[0], 10);
    wg_cudaGraphDestroy(graph);
}

// ---- host functions, events, children
// -----------------------------------------------------------------------

static void note(void *data)
{
    ++*(int *)data;
}

static void note_more(void *data)
{
    *(int *)data += 100;
}

static void host_nodes_call(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    int n = 0;
    struct cudaHostNodeParams params = {note, &n}, out;
    assert_int_equal(wg_cudaGraphAddHostNode(&node, graph, NULL, 0, &params), cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    launch_and_wait(exec);
    assert_int_equal(n, 2);
    params.fn = note_more;
    assert_int_equal(wg_cudaGraphExecHostNodeSetParams(exec, node, &params), cudaSuccess);
    launch_and_wait(exec);
    assert_int_equal(n, 102);
    assert_int_equal(wg_cudaGraphHostNodeGetParams(node, &out), cudaSuccess);
    assert_true(out.fn == note && out.userData == &n); // the graph itself is as it was
    assert_int_equal(wg_cudaGraphHostNodeSetParams(node, &params), cudaSuccess);
    wg_cudaGraphHostNodeGetParams(node, &out);
    assert_true(out.fn == note_more);
    params.fn = NULL;
    assert_int_equal(wg_cudaGraphHostNodeSetParams(node, &params), cudaErrorInvalidValue);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphDestroy(graph);
}

static void event_nodes_record_and_wait(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t first, last, wait;
    cudaEvent_t from, to, other, out;
    float ms = 0;
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaEventCreate(&other);
    assert_int_equal(wg_cudaGraphAddEventRecordNode(&first, graph, NULL, 0, from), cudaSuccess);
    cudaGraphNode_t kernel = add_kernel(graph, first, add, 1);
    assert_int_equal(wg_cudaGraphAddEventRecordNode(&last, graph, &kernel, 1, to), cudaSuccess);
    assert_int_equal(wg_cudaGraphAddEventWaitNode(&wait, graph, &last, 1, to), cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    assert_true(ms >= 0.002f);
    assert_int_equal(wg_cudaGraphExecEventRecordNodeSetEvent(exec, last, other), cudaSuccess);
    assert_int_equal(wg_cudaGraphExecEventWaitNodeSetEvent(exec, wait, other), cudaSuccess);
    launch_and_wait(exec);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, from, other), cudaSuccess);
    assert_int_equal(wg_cudaGraphEventRecordNodeGetEvent(last, &out), cudaSuccess);
    assert_ptr_equal(out, to);
    assert_int_equal(wg_cudaGraphEventRecordNodeSetEvent(last, other), cudaSuccess);
    wg_cudaGraphEventRecordNodeGetEvent(last, &out);
    assert_ptr_equal(out, other);
    assert_int_equal(wg_cudaGraphEventWaitNodeSetEvent(wait, other), cudaSuccess);
    assert_int_equal(wg_cudaGraphEventWaitNodeGetEvent(wait, &out), cudaSuccess);
    assert_ptr_equal(out, other);
    assert_int_equal(wg_cudaGraphEventWaitNodeGetEvent(last, &out), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphEventWaitNodeSetEvent(wait, NULL), cudaErrorInvalidResourceHandle);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphDestroy(graph);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
    wg_cudaEventDestroy(other);
}

static void child_graphs_are_copies(void **state)
{
    (void)state;
    cudaGraph_t child = new_graph(), graph = new_graph(), inner, other = new_graph();
    cudaGraphNode_t in_child = add_kernel(child, NULL, add, 5), node, in_inner;
    size_t one = 1;
    assert_int_equal(wg_cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child), cudaSuccess);
    add_kernel(graph, node, times, 2);
    add_kernel(child, in_child, add, 1000); // no part of the copy
    assert_int_equal(wg_cudaGraphChildGraphNodeGetGraph(node, &inner), cudaSuccess);
    assert_true(inner != child);
    assert_int_equal(wg_cudaGraphGetNodes(inner, &in_inner, &one), cudaSuccess);
    assert_int_equal(wg_cudaGraphDestroy(inner), cudaErrorInvalidValue); // belongs to the node
    cudaGraphExec_t exec = instantiate(graph);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 10);
    // another child of the same shape, and a node inside
    add_kernel(other, NULL, add, 6);
    assert_int_equal(wg_cudaGraphExecChildGraphNodeSetParams(exec, node, other), cudaSuccess);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 12);
    unsigned value = 7;
    struct cudaKernelNodeParams params = kernel_params(add, (void *[]){&device, &value});
    assert_int_equal(wg_cudaGraphExecKernelNodeSetParams(exec, in_inner, &params), cudaSuccess);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 14);
    assert_int_equal(wg_cudaGraphExecChildGraphNodeSetParams(exec, node, child), cudaErrorInvalidValue);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphDestroy(graph);
    wg_cudaGraphDestroy(child);
    wg_cudaGraphDestroy(other);
}

// ---- memory ---------------------------------------------------------------------------------------------

static uint64_t memory(enum cudaGraphMemAttributeType attribute)
{
    uint64_t bytes = 0;
    assert_int_equal(wg_cudaDeviceGetGraphMemAttribute(0, attribute, &bytes), cudaSuccess);
    return bytes;
}

static struct cudaMemAllocNodeParams alloc_params(size_t bytes)
{
    struct cudaMemAllocNodeParams params = {.bytesize = bytes};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    return params;
}

static void graphs_allocate_and_free(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph(), clone;
    cudaGraphNode_t alloc, fill, copy, release;
    unsigned to[N] = {0};
    struct cudaMemAllocNodeParams params = alloc_params(sizeof to), told;
    void *pointer;
    assert_int_equal(wg_cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params), cudaSuccess);
    assert_non_null(params.dptr);
    struct cudaMemsetParams fill_params = {
        .dst = params.dptr, .value = 77, .elementSize = 4, .width = N, .height = 1};
    assert_int_equal(wg_cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &fill_params), cudaSuccess);
    wg_cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, to, params.dptr, sizeof to, cudaMemcpyDeviceToHost);
    assert_int_equal(wg_cudaGraphAddMemFreeNode(&release, graph, &copy, 1, params.dptr), cudaSuccess);
    assert_int_equal(wg_cudaGraphMemAllocNodeGetParams(alloc, &told), cudaSuccess);
    assert_true(told.dptr == params.dptr && told.bytesize == sizeof to);
    assert_int_equal(wg_cudaGraphMemFreeNodeGetParams(release, &pointer), cudaSuccess);
    assert_ptr_equal(pointer, params.dptr);
    assert_int_equal(wg_cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    launch_and_wait(exec);
    assert_int_equal(to[N - 1], 77);
    assert_int_equal(memory(cudaGraphMemAttrUsedMemCurrent), 0);
    assert_int_equal(memory(cudaGraphMemAttrUsedMemHigh), sizeof to);
    assert_int_equal(memory(cudaGraphMemAttrReservedMemCurrent), sizeof to);
    wg_cudaGraphDestroy(graph);
    launch_and_wait(exec); // the executable graph has the memory too
    wg_cudaGraphExecDestroy(exec);
    assert_int_equal(memory(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_int_equal(memory(cudaGraphMemAttrReservedMemHigh), sizeof to);
    uint64_t zero = 0, one = 1;
    assert_int_equal(wg_cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero),
                     cudaSuccess);
    assert_int_equal(memory(cudaGraphMemAttrReservedMemHigh), 0);
    assert_int_equal(wg_cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one),
                     cudaErrorInvalidValue);
    assert_int_equal(wg_cudaDeviceGraphMemTrim(0), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGraphMemTrim(1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaMemcpy(to, params.dptr, sizeof to, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidValue);
}

static void memory_left_allocated_forbids_the_next_launch(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t alloc;
    cudaGraphExec_t exec, freeing;
    struct cudaMemAllocNodeParams params = alloc_params(256);
    unsigned long long flags = 0;
    wg_cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params);
    exec = instantiate(graph);
    launch_and_wait(exec);
    assert_int_equal(wg_cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    assert_int_equal(
        wg_cudaGraphInstantiateWithFlags(&freeing, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
        cudaSuccess);
    launch_and_wait(freeing);
    launch_and_wait(freeing);
    assert_int_equal(wg_cudaGraphExecGetFlags(freeing, &flags), cudaSuccess);
    assert_int_equal(flags, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphExecDestroy(freeing);
    wg_cudaGraphDestroy(graph);
    // what was left allocated outlives its graphs and is the program's to free
    assert_int_equal(wg_cudaMemset(params.dptr, 1, 256), cudaSuccess);
    assert_int_equal(wg_cudaFree(params.dptr), cudaSuccess);
    params.bytesize = 0;
    graph = new_graph();
    assert_int_equal(wg_cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphAddMemFreeNode(&alloc, graph, NULL, 0, device), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

// ---- nodes of a kind that a structure names
// -----------------------------------------------------------------

static void generic_nodes_do_the_same(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph(), child = new_graph(), moved;
    cudaGraphNode_t fill, kernel, node;
    unsigned value = 2;
    int n = 0;
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemset};
    params.memset =
        (struct cudaMemsetParams){.dst = device, .value = 21, .elementSize = 4, .width = N, .height = 1};
    assert_int_equal(wg_cudaGraphAddNode_v1(&fill, graph, NULL, 0, &params), cudaSuccess);
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeKernel};
    params.kernel = kernel_params(times, (void *[]){&device, &value});
    assert_int_equal(wg_cudaGraphAddNode_v2(&kernel, graph, &fill, NULL, 1, &params), cudaSuccess);
    run_once(graph);
    assert_int_equal(value_of_device(), 42);
    value = 3;
    assert_int_equal(wg_cudaGraphNodeSetParams(kernel, &params), cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 63);
    value = 4;
    assert_int_equal(wg_cudaGraphExecNodeSetParams(exec, kernel, &params), cudaSuccess);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 84);
    assert_int_equal(wg_cudaGraphExecNodeSetParams(exec, fill, &params),
                     cudaErrorInvalidValue); // another kind
    wg_cudaGraphExecDestroy(exec);
    // a child that moves keeps its handle
    wg_cudaGraphAddHostNode(&node, child, NULL, 0, &(struct cudaHostNodeParams){note, &n});
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeGraph,
                                          .graph = {child, cudaGraphChildGraphOwnershipMove}};
    assert_int_equal(wg_cudaGraphAddNode_v2(&node, graph, &kernel, NULL, 1, &params), cudaSuccess);
    assert_int_equal(wg_cudaGraphChildGraphNodeGetGraph(node, &moved), cudaSuccess);
    assert_ptr_equal(moved, child);
    run_once(graph);
    assert_int_equal(n, 1);
    struct cudaGraphNodeParams alloc = {.type = cudaGraphNodeTypeMemAlloc, .alloc = alloc_params(64)},
                               release;
    assert_int_equal(wg_cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &alloc), cudaSuccess);
    release = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemFree, .free = {alloc.alloc.dptr}};
    assert_int_equal(wg_cudaGraphAddNode_v2(&node, graph, &node, NULL, 1, &release), cudaSuccess);
    run_once(graph);
    params.type = cudaGraphNodeTypeConditional;
    assert_int_equal(wg_cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params), cudaErrorNotSupported);
    params.type = 99;
    assert_int_equal(wg_cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
}

// ---- shape ------------------------------------------------------------------------------------------------

static void shapes_are_told_and_changed(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t a, b, c, nodes[5], from[4], to[4], both[2];
    cudaGraphEdgeData data[4] = {{0}};
    size_t n = 5;
    wg_cudaGraphAddEmptyNode(&a, graph, NULL, 0);
    wg_cudaGraphAddEmptyNode(&b, graph, NULL, 0);
    both[0] = a, both[1] = b;
    assert_int_equal(wg_cudaGraphAddEmptyNode(&c, graph, both, 2), cudaSuccess);
    assert_int_equal(wg_cudaGraphGetNodes(graph, nodes, &n), cudaSuccess);
    assert_true(n == 3 && nodes[0] == a && nodes[1] == b && nodes[2] == c && nodes[4] == NULL);
    n = 1;
    assert_int_equal(wg_cudaGraphGetNodes(graph, nodes, &n), cudaSuccess);
    assert_int_equal(n, 1);
    n = 0;
    assert_int_equal(wg_cudaGraphGetRootNodes(graph, NULL, &n), cudaSuccess);
    assert_int_equal(n, 2);
    assert_int_equal(wg_cudaGraphAddDependencies_v2(graph, &a, &b, (cudaGraphEdgeData[]){{.type = 1}}, 1),
                     cudaSuccess);
    assert_int_equal(wg_cudaGraphAddDependencies_v1(graph, &a, &b, 1),
                     cudaErrorInvalidValue); // there already
    assert_int_equal(wg_cudaGraphAddDependencies_v1(graph, &a, &a, 1), cudaErrorInvalidValue);
    n = 4;
    assert_int_equal(wg_cudaGraphGetEdges_v2(graph, from, to, data, &n), cudaSuccess);
    assert_true(n == 3 && from[0] == a && to[0] == b && data[0].type == 1 && data[1].type == 0 && to[2] == c);
    assert_int_equal(wg_cudaGraphGetEdges_v1(graph, from, to, &n), cudaErrorLossyQuery);
    n = 2;
    assert_int_equal(wg_cudaGraphNodeGetDependentNodes_v2(a, nodes, data, &n), cudaSuccess);
    assert_true(n == 2 && nodes[0] == b && nodes[1] == c);
    n = 2;
    assert_int_equal(wg_cudaGraphNodeGetDependentNodes_v1(c, nodes, &n), cudaSuccess);
    assert_int_equal(n, 0);
    assert_int_equal(wg_cudaGraphRemoveDependencies_v1(graph, &a, &c, 1), cudaSuccess);
    assert_int_equal(wg_cudaGraphRemoveDependencies_v2(graph, &a, &c, NULL, 1), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphDestroyNode(b), cudaSuccess);
    n = 0;
    wg_cudaGraphGetEdges_v1(graph, NULL, NULL, &n);
    assert_int_equal(n, 0);
    assert_int_equal(wg_cudaGraphDestroyNode(c), cudaSuccess);
    wg_cudaGraphAddEmptyNode(&c, graph, &a, 1); // the list's end is still its end
    n = 5;
    wg_cudaGraphGetNodes(graph, nodes, &n);
    assert_true(n == 2 && nodes[0] == a && nodes[1] == c);
    assert_int_equal(wg_cudaGraphAddEmptyNode(&b, graph, (cudaGraphNode_t[]){a, a}, 2),
                     cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphDestroy(a->graph), cudaSuccess);
}

static void types_are_told(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = add_kernel(graph, NULL, add, 1);
    enum cudaGraphNodeType type;
    assert_int_equal(wg_cudaGraphNodeGetType(node, &type), cudaSuccess);
    assert_int_equal(type, cudaGraphNodeTypeKernel);
    wg_cudaGraphAddEmptyNode(&node, graph, NULL, 0);
    wg_cudaGraphNodeGetType(node, &type);
    assert_int_equal(type, cudaGraphNodeTypeEmpty);
    wg_cudaGraphDestroy(graph);
    assert_int_equal(wg_cudaGraphNodeGetType(node, &type), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

// Added in one order, connected in another: dependencies decide.
static void dependencies_decide_the_order(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    cudaGraphNode_t first_added = add_kernel(graph, NULL, times, 10),
                    second_added = add_kernel(graph, NULL, add, 4);
    assert_int_equal(wg_cudaGraphAddDependencies_v1(graph, &second_added, &first_added, 1), cudaSuccess);
    wg_cudaMemset(device, 0, N * sizeof *device);
    run_once(graph);
    assert_int_equal(value_of_device(), 40);
    // a cycle cannot run
    cudaGraphInstantiateParams params = {.result_out = cudaGraphInstantiateSuccess};
    wg_cudaGraphAddDependencies_v1(graph, &first_added, &second_added, 1);
    assert_int_equal(wg_cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidValue);
    assert_int_equal(params.result_out, cudaGraphInstantiateInvalidStructure);
    wg_cudaGraphRemoveDependencies_v1(graph, &first_added, &second_added, 1);
    assert_int_equal(wg_cudaGraphInstantiateWithParams(&exec, graph, &params), cudaSuccess);
    assert_int_equal(params.result_out, cudaGraphInstantiateSuccess);
    wg_cudaGraphExecDestroy(exec);
    char log[8] = "xxxxxxx";
    cudaGraphNode_t node = first_added;
    assert_int_equal(wg_cudaGraphInstantiate_v1(&exec, graph, &node, log, sizeof log), cudaSuccess);
    assert_true(node == NULL && log[0] == '\0');
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 440);
    wg_cudaGraphExecDestroy(exec);
    assert_int_equal(wg_cudaGraphInstantiateWithFlags(&exec, graph, 0x100), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch),
                     cudaErrorNotSupported);
    wg_cudaGraphDestroy(graph);
}

static void branches_overlap_in_modelled_time(void **state)
{
    (void)state;
    cudaGraph_t chain = new_graph(), fan = new_graph();
    cudaEvent_t from, middle, to;
    float in_chain, in_fan;
    cudaGraphNode_t node = NULL;
    for (int i = 0; i < 4; i++) {
        node = add_kernel(chain, node, add, 1);
        add_kernel(fan, NULL, add, 1);
    }
    cudaGraphExec_t a = instantiate(chain), b = instantiate(fan);
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&middle);
    wg_cudaEventCreate(&to);
    wg_cudaEventRecord(from, NULL);
    assert_int_equal(wg_cudaGraphLaunch(a, NULL), cudaSuccess);
    wg_cudaEventRecord(middle, NULL);
    assert_int_equal(wg_cudaGraphLaunch(b, NULL), cudaSuccess);
    wg_cudaEventRecord(to, NULL);
    wg_cudaEventElapsedTime(&in_chain, from, middle);
    wg_cudaEventElapsedTime(&in_fan, middle, to);
    assert_true(in_chain > 3 * in_fan && in_fan >= 0.002f);
    wg_cudaGraphExecDestroy(a);
    wg_cudaGraphExecDestroy(b);
    wg_cudaGraphDestroy(chain);
    wg_cudaGraphDestroy(fan);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(middle);
    wg_cudaEventDestroy(to);
}

static void clones_are_apart(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph(), clone;
    cudaGraphNode_t node = add_kernel(graph, NULL, add, 3), in_clone,
                    other = add_kernel(graph, node, times, 2);
    assert_int_equal(wg_cudaGraphClone(&clone, graph), cudaSuccess);
    assert_int_equal(wg_cudaGraphNodeFindInClone(&in_clone, node, clone), cudaSuccess);
    assert_true(in_clone != node);
    struct cudaKernelNodeParams params;
    wg_cudaGraphKernelNodeGetParams(in_clone, &params);
    assert_int_equal(*(unsigned *)params.kernelParams[1], 3);
    wg_cudaGraphDestroyNode(node);
    assert_int_equal(wg_cudaGraphNodeFindInClone(&in_clone, other, graph), cudaErrorInvalidValue);
    wg_cudaMemset(device, 0, N * sizeof *device);
    run_once(clone);
    assert_int_equal(value_of_device(), 6);
    assert_int_equal(wg_cudaGraphDestroy(clone), cudaSuccess);
    wg_cudaGraphDestroy(graph);
}

static void pictures_name_kernels(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    char path[] = "/tmp/graph_XXXXXX", text[2000];
    int file = mkstemp(path);
    assert_true(file >= 0);
    add_kernel(graph, add_kernel(graph, NULL, add, 1), times, 1);
    assert_int_equal(wg_cudaGraphDebugDotPrint(graph, path, 0), cudaSuccess);
    FILE *in = fdopen(file, "r");
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    remove(path);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "add\\n(1,1,1) x (32,1,1)"));
    assert_non_null(strstr(text, " -> "));
    assert_int_equal(wg_cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0), cudaErrorOperatingSystem);
    wg_cudaGraphDestroy(graph);
}

// ---- executable graphs
// --------------------------------------------------------------------------------------

static void executable_graphs_are_updated(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph(), same = new_graph(), other = new_graph();
    cudaGraphExecUpdateResultInfo info;
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t node, empty;
    add_kernel(graph, add_kernel(graph, NULL, add, 1), times, 2);
    add_kernel(same, add_kernel(same, NULL, add, 10), times, 3);
    cudaGraphExec_t exec = instantiate(graph);
    assert_int_equal(wg_cudaGraphExecUpdate_v2(exec, same, &info), cudaSuccess);
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch_and_wait(exec);
    assert_int_equal(value_of_device(), 30);
    wg_cudaGraphAddEmptyNode(&empty, other, NULL, 0);
    assert_int_equal(wg_cudaGraphExecUpdate_v2(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    node = add_kernel(other, empty, times, 1);
    assert_int_equal(wg_cudaGraphExecUpdate_v1(exec, other, &node, &result), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(result, cudaGraphExecUpdateErrorNodeTypeChanged);
    assert_ptr_equal(node, empty);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch_and_wait(exec); // as before
    assert_int_equal(value_of_device(), 30);
    assert_int_equal(wg_cudaGraphExecDestroy(exec), cudaSuccess);
    assert_int_equal(wg_cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
    wg_cudaGraphDestroy(same);
    wg_cudaGraphDestroy(other);
}

static void executable_nodes_are_changed_and_disabled(void **state)
{
    (void)state;
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t fill, kernel, copy, empty;
    unsigned to[N] = {0}, more[N] = {0}, is_enabled = 9, value = 50;
    struct cudaMemsetParams fill_params = {
        .dst = device, .value = 5, .elementSize = 4, .width = N, .height = 1};
    wg_cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params);
    kernel = add_kernel(graph, fill, add, 1);
    wg_cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, to, device, sizeof to, cudaMemcpyDeviceToHost);
    wg_cudaGraphAddEmptyNode(&empty, graph, NULL, 0);
    cudaGraphExec_t exec = instantiate(graph);
    assert_int_equal(wg_cudaGraphUpload(exec, NULL), cudaSuccess);
    assert_int_equal(wg_cudaGraphUpload_ptsz(NULL, NULL), cudaErrorInvalidValue);
    fill_params.value = 7;
    assert_int_equal(wg_cudaGraphExecMemsetNodeSetParams(exec, fill, &fill_params), cudaSuccess);
    struct cudaKernelNodeParams params = kernel_params(add, (void *[]){&device, &value});
    assert_int_equal(wg_cudaGraphExecKernelNodeSetParams(exec, kernel, &params), cudaSuccess);
    assert_int_equal(
        wg_cudaGraphExecMemcpyNodeSetParams1D(exec, copy, more, device, 8, cudaMemcpyDeviceToHost),
        cudaSuccess);
    launch_and_wait(exec);
    assert_true(to[0] == 0 && more[0] == 57 && more[1] == 57 && more[2] == 0);
    struct cudaMemcpy3DParms box = {
        .srcPtr = {device, 4, 4, 1}, .dstPtr = {to, 4, 4, 1}, .extent = {4, 1, 1}, .kind = cudaMemcpyDefault};
    assert_int_equal(wg_cudaGraphExecMemcpyNodeSetParams(exec, copy, &box), cudaSuccess);
    assert_int_equal(wg_cudaGraphNodeSetEnabled(exec, kernel, 0), cudaSuccess);
    assert_int_equal(wg_cudaGraphNodeGetEnabled(exec, kernel, &is_enabled), cudaSuccess);
    assert_int_equal(is_enabled, 0);
    assert_int_equal(wg_cudaGraphLaunch_ptsz(exec, NULL), cudaSuccess);
    wg_cudaDeviceSynchronize();
    assert_int_equal(to[0], 7);
    assert_int_equal(wg_cudaGraphNodeSetEnabled(exec, kernel, 1), cudaSuccess);
    launch_and_wait(exec);
    assert_int_equal(to[0], 57);
    assert_int_equal(wg_cudaGraphNodeSetEnabled(exec, empty, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphNodeGetEnabled(exec, kernel, NULL), cudaErrorInvalidValue);
    cudaGraph_t stranger = new_graph();
    cudaGraphNode_t strange = add_kernel(stranger, NULL, add, 1);
    assert_int_equal(wg_cudaGraphExecKernelNodeSetParams(exec, strange, &params), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(stranger);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphDestroy(graph);
}

// ---- user objects
// -------------------------------------------------------------------------------------------

static void user_objects_are_counted(void **state)
{
    (void)state;
    cudaUserObject_t object;
    cudaGraph_t graph = new_graph(), clone;
    int n = 0;
    assert_int_equal(wg_cudaUserObjectCreate(&object, &n, note, 1, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaUserObjectCreate(&object, &n, note, 1, cudaUserObjectNoDestructorSync),
                     cudaSuccess);
    assert_int_equal(wg_cudaUserObjectRetain(object, 1), cudaSuccess);
    assert_int_equal(wg_cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
    assert_int_equal(wg_cudaGraphClone(&clone, graph), cudaSuccess);
    assert_int_equal(wg_cudaUserObjectRelease(object, 1), cudaSuccess);
    assert_int_equal(n, 0);
    wg_cudaGraphDestroy(graph);
    assert_int_equal(n, 0);
    assert_int_equal(wg_cudaGraphReleaseUserObject(clone, object, 2), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaGraphReleaseUserObject(clone, object, 1), cudaSuccess);
    assert_int_equal(n, 1);
    assert_int_equal(wg_cudaUserObjectRetain(object, 1), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(clone);
    assert_int_equal(n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_nodes_keep_their_parameters),
        cmocka_unit_test(parameter_blocks_can_be_given_whole),
        cmocka_unit_test(kernel_attributes_are_kept_and_copied),
        cmocka_unit_test(fills_write_elements),
        cmocka_unit_test(copies_move_bytes_and_boxes),
        cmocka_unit_test(copies_reach_symbols),
        cmocka_unit_test(host_nodes_call),
        cmocka_unit_test(event_nodes_record_and_wait),
        cmocka_unit_test(child_graphs_are_copies),
        cmocka_unit_test(graphs_allocate_and_free),
        cmocka_unit_test(memory_left_allocated_forbids_the_next_launch),
        cmocka_unit_test(generic_nodes_do_the_same),
        cmocka_unit_test(shapes_are_told_and_changed),
        cmocka_unit_test(types_are_told),
        cmocka_unit_test(dependencies_decide_the_order),
        cmocka_unit_test(branches_overlap_in_modelled_time),
        cmocka_unit_test(clones_are_apart),
        cmocka_unit_test(pictures_name_kernels),
        cmocka_unit_test(executable_graphs_are_updated),
        cmocka_unit_test(executable_nodes_are_changed_and_disabled),
        cmocka_unit_test(user_objects_are_counted),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
