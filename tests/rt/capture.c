// Capturing streams: what becomes of their operations, forks and joins, and what is not allowed meanwhile.
#include "support/check.h"
#include "support/guest.h"
#include <pthread.h>
#include <string.h>

enum { N = 32 };
static const void *add, *times, *fault;
static unsigned *device;

static int set_up(void **state)
{
    (void)state;
    void **module = guest_module(guest_ptx);
    add = guest_kernel(module, "add");
    times = guest_kernel(module, "times");
    fault = guest_kernel(module, "fault");
    return wg_cudaMalloc((void **)&device, N * sizeof *device);
}

static void launch(const void *kernel, unsigned value, cudaStream_t stream)
{
    assert_int_equal(guest_launch(kernel, 1, N, (void *[]){&device, &value}, stream), cudaSuccess);
}

static unsigned value_of_device(void)
{
    unsigned values[N];
    assert_int_equal(wg_cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    return values[N - 1];
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    assert_int_equal(wg_cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
    assert_int_equal(wg_cudaGraphLaunch(exec, NULL), cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(wg_cudaGraphExecDestroy(exec), cudaSuccess);
}

static size_t n_nodes(cudaGraph_t graph)
{
    size_t n = 0;
    assert_int_equal(wg_cudaGraphGetNodes(graph, NULL, &n), cudaSuccess);
    return n;
}

static enum cudaStreamCaptureStatus status_of(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = 9;
    assert_int_equal(wg_cudaStreamIsCapturing(stream, &status), cudaSuccess);
    return status;
}

// ---- what is captured -------------------------------------------------------------------------------------

static void captured_work_runs_with_the_graph(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t graph;
    wg_cudaStreamCreate(&s);
    wg_cudaMemset(device, 0, N * sizeof *device);
    uint64_t n = guest_n_launches();
    assert_int_equal(status_of(s), cudaStreamCaptureStatusNone);
    assert_int_equal(wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusActive);
    unsigned value = 3;
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&device, &value}, s), cudaSuccess);
    value = 5; // parameters are copied when captured
    assert_int_equal(guest_launch(times, 1, N, (void *[]){&device, &value}, s), cudaSuccess);
    value = 100;
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaSuccess);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusNone);
    assert_int_equal(guest_n_launches(), n);
    assert_int_equal(value_of_device(), 0);
    assert_int_equal(n_nodes(graph), 2);
    run(graph);
    assert_int_equal(guest_n_launches(), n + 2);
    assert_int_equal(value_of_device(), 15);
    run(graph);
    assert_int_equal(value_of_device(), 90);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(s);
}

static void note(void *data)
{
    ++*(int *)data;
}

static void host_functions_are_captured(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t graph;
    enum cudaGraphNodeType type;
    int n = 0;
    wg_cudaStreamCreate(&s);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaLaunchHostFunc(s, note, &n), cudaSuccess);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaSuccess);
    assert_int_equal(n, 0);
    cudaGraphNode_t node;
    size_t room = 1;
    assert_int_equal(wg_cudaGraphGetNodes(graph, &node, &room), cudaSuccess);
    assert_int_equal(wg_cudaGraphNodeGetType(node, &type), cudaSuccess);
    assert_int_equal(type, cudaGraphNodeTypeHost);
    run(graph);
    assert_int_equal(n, 1);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(s);
}

// Fork by an event, join by another: a diamond.
static void events_fork_and_join(void **state)
{
    (void)state;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    wg_cudaStreamCreate(&a);
    wg_cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    wg_cudaEventCreate(&fork);
    wg_cudaEventCreate(&join);
    wg_cudaMemset(device, 0, N * sizeof *device);
    wg_cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    launch(add, 1, a);
    assert_int_equal(wg_cudaEventRecord(fork, a), cudaSuccess);
    assert_int_equal(wg_cudaStreamWaitEvent(b, fork, 0), cudaSuccess);
    assert_int_equal(status_of(b), cudaStreamCaptureStatusActive);
    launch(add, 2, b);
    launch(add, 4, a);
    assert_int_equal(wg_cudaEventRecord(join, b), cudaSuccess);
    assert_int_equal(wg_cudaStreamWaitEvent(a, join, 0), cudaSuccess);
    launch(times, 10, a);
    assert_int_equal(wg_cudaStreamEndCapture(a, &graph), cudaSuccess);
    assert_int_equal(status_of(b), cudaStreamCaptureStatusNone);

    cudaGraphNode_t nodes[4], last[2];
    size_t n = 4, n_last = 2, n_edges = 0;
    assert_int_equal(wg_cudaGraphGetNodes(graph, nodes, &n), cudaSuccess);
    assert_int_equal(n, 4);
    assert_int_equal(wg_cudaGraphGetEdges_v2(graph, NULL, NULL, NULL, &n_edges), cudaSuccess);
    assert_int_equal(n_edges, 4);
    assert_int_equal(wg_cudaGraphNodeGetDependencies_v2(nodes[3], last, NULL, &n_last), cudaSuccess);
    assert_int_equal(n_last, 2);
    assert_true((last[0] == nodes[1] && last[1] == nodes[2]) || (last[0] == nodes[2] && last[1] == nodes[1]));
    run(graph);
    assert_int_equal(value_of_device(), 70);
    // an event of a capture has no time and cannot be waited for
    float ms;
    assert_int_equal(wg_cudaEventQuery(join), cudaErrorCapturedEvent);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, fork, join), cudaErrorCapturedEvent);
    assert_int_equal(wg_cudaEventRecord(join, b), cudaSuccess);
    assert_int_equal(wg_cudaEventQuery(join), cudaSuccess);
    wg_cudaGraphDestroy(graph);
    wg_cudaEventDestroy(fork);
    wg_cudaEventDestroy(join);
    wg_cudaStreamDestroy(a);
    wg_cudaStreamDestroy(b);
}

static void external_events_are_nodes(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaEvent_t from, to;
    cudaGraph_t graph;
    float ms = 0;
    wg_cudaStreamCreate(&s);
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaEventRecordWithFlags(from, s, cudaEventRecordExternal), cudaSuccess);
    launch(add, 1, s);
    assert_int_equal(wg_cudaEventRecordWithFlags(to, s, cudaEventRecordExternal), cudaSuccess);
    assert_int_equal(wg_cudaStreamWaitEvent(s, to, cudaEventWaitExternal), cudaSuccess);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaSuccess);
    assert_int_equal(n_nodes(graph), 4);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, from, to), cudaErrorInvalidResourceHandle);
    run(graph);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    assert_true(ms >= 0.002f);
    wg_cudaGraphDestroy(graph);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
    wg_cudaStreamDestroy(s);
}

static void captures_tell_about_themselves(void **state)
{
    (void)state;
    cudaStream_t s;
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0, again = 0;
    cudaGraph_t graph = NULL, ended;
    const cudaGraphNode_t *nodes = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t n = 9;
    wg_cudaStreamCreate(&s);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v1(s, &status, &id), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2(s, &status, &id, &graph, &nodes, &n), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_int_equal(n, 0);
    launch(add, 1, s);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v3(s, &status, &again, &graph, &nodes, &edges, &n),
                     cudaSuccess);
    assert_true(id == again && id != 0);
    assert_int_equal(n, 1);
    assert_int_equal(edges[0].type, 0);
    // a node of the program's own behind it, and the next operation behind that
    cudaGraphNode_t empty;
    assert_int_equal(wg_cudaGraphAddEmptyNode(&empty, graph, nodes, n), cudaSuccess);
    assert_int_equal(
        wg_cudaStreamUpdateCaptureDependencies_v2(s, &empty, NULL, 1, cudaStreamSetCaptureDependencies),
        cudaSuccess);
    launch(add, 1, s);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2(s, &status, NULL, NULL, &nodes, &n), cudaSuccess);
    cudaGraphNode_t last = nodes[0], behind;
    n = 1;
    assert_int_equal(wg_cudaGraphNodeGetDependencies_v1(last, &behind, &n), cudaSuccess);
    assert_ptr_equal(behind, empty);
    assert_int_equal(
        wg_cudaStreamUpdateCaptureDependencies_v1(s, &empty, 1, cudaStreamAddCaptureDependencies),
        cudaSuccess);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2(s, &status, NULL, NULL, &nodes, &n), cudaSuccess);
    assert_int_equal(n, 2);
    assert_int_equal(wg_cudaStreamEndCapture(s, &ended), cudaSuccess);
    assert_ptr_equal(ended, graph);
    assert_int_equal(n_nodes(graph), 3);
    assert_int_equal(wg_cudaStreamUpdateCaptureDependencies_v1(s, &empty, 1, 0), cudaErrorIllegalState);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(s);
}

static void capturing_to_a_graph_adds_to_it(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t graph, ended;
    cudaGraphNode_t root, nodes[2], behind;
    size_t n = 2, one = 1;
    wg_cudaStreamCreate(&s);
    wg_cudaGraphCreate(&graph, 0);
    wg_cudaGraphAddEmptyNode(&root, graph, NULL, 0);
    assert_int_equal(wg_cudaStreamBeginCaptureToGraph(s, graph, &root, NULL, 1, cudaStreamCaptureModeGlobal),
                     cudaSuccess);
    launch(add, 1, s);
    assert_int_equal(wg_cudaStreamEndCapture(s, &ended), cudaSuccess);
    assert_ptr_equal(ended, graph);
    assert_int_equal(wg_cudaGraphGetNodes(graph, nodes, &n), cudaSuccess);
    assert_int_equal(n, 2);
    assert_int_equal(wg_cudaGraphNodeGetDependencies_v1(nodes[1], &behind, &one), cudaSuccess);
    assert_ptr_equal(behind, root);
    assert_int_equal(wg_cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, 0), cudaErrorInvalidValue);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(s);
}

static void graph_launches_are_captured_as_children(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t inner, outer;
    cudaGraphExec_t exec;
    wg_cudaStreamCreate(&s);
    wg_cudaMemset(device, 0, N * sizeof *device);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    launch(add, 7, s);
    wg_cudaStreamEndCapture(s, &inner);
    wg_cudaGraphInstantiateWithFlags(&exec, inner, 0);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaGraphLaunch(exec, s), cudaSuccess);
    launch(times, 2, s);
    assert_int_equal(wg_cudaStreamEndCapture(s, &outer), cudaSuccess);
    wg_cudaGraphExecDestroy(exec);
    wg_cudaGraphDestroy(inner);
    run(outer);
    assert_int_equal(value_of_device(), 14);
    wg_cudaGraphDestroy(outer);
    wg_cudaStreamDestroy(s);
}

// Memory that a captured cudaMallocAsync takes belongs to the graph.
static void pooled_memory_is_captured(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t graph;
    unsigned *pooled, value = 6, to[N] = {0};
    wg_cudaStreamCreate(&s);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaMallocAsync((void **)&pooled, sizeof to, s), cudaSuccess);
    assert_int_equal(wg_cudaMemsetAsync(pooled, 0, sizeof to, s), cudaSuccess);
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&pooled, &value}, s), cudaSuccess);
    assert_int_equal(wg_cudaMemcpyAsync(to, pooled, sizeof to, cudaMemcpyDeviceToHost, s), cudaSuccess);
    assert_int_equal(wg_cudaFreeAsync(pooled, s), cudaSuccess);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaSuccess);
    assert_int_equal(n_nodes(graph), 5);
    cudaGraphExec_t exec;
    assert_int_equal(wg_cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
    wg_cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++) {
        to[0] = 0;
        assert_int_equal(wg_cudaGraphLaunch(exec, s), cudaSuccess);
        assert_int_equal(wg_cudaStreamSynchronize(s), cudaSuccess);
        assert_int_equal(to[0], 6);
    }
    wg_cudaGraphExecDestroy(exec);
    assert_int_equal(wg_cudaMemset(pooled, 0, 4), cudaErrorInvalidValue); // gone with the last graph
    wg_cudaStreamDestroy(s);
}

// Allocating is not allowed, and a copy that waits is not either.
static void synchronous_memory_calls_are_not_allowed(void **state)
{
    (void)state;
    void *pointer = NULL;
    unsigned value;
    cudaGraph_t graph;
    cudaStream_t s;
    wg_cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaMalloc(&pointer, 64), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost),
                     cudaErrorStreamCaptureUnsupported);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    wg_cudaStreamDestroy(s);
}

// ---- what is not allowed ----------------------------------------------------------------------------------

static cudaStream_t begin(int mode)
{
    cudaStream_t s;
    wg_cudaStreamCreate(&s);
    assert_int_equal(wg_cudaStreamBeginCapture(s, mode), cudaSuccess);
    return s;
}

// The capture has become invalid: nothing more is captured, and its end says so.
static void end_invalid(cudaStream_t s)
{
    cudaGraph_t graph = (cudaGraph_t)&graph;
    unsigned one = 1;
    assert_int_equal(status_of(s), cudaStreamCaptureStatusInvalidated);
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&device, &one}, s),
                     cudaErrorStreamCaptureInvalidated);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusNone);
    wg_cudaStreamDestroy(s);
    assert_int_equal(wg_cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
}

static void waiting_makes_a_capture_invalid(void **state)
{
    (void)state;
    int n = 0;
    cudaStream_t s = begin(cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    s = begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaStreamQuery(s), cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    s = begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    s = begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaStreamAddCallback(s, (cudaStreamCallback_t)(void (*)(void))note, &n, 0),
                     cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    cudaEvent_t event;
    wg_cudaEventCreate(&event);
    s = begin(cudaStreamCaptureModeRelaxed);
    wg_cudaEventRecord(event, s);
    assert_int_equal(wg_cudaEventSynchronize(event), cudaErrorCapturedEvent);
    end_invalid(s);
    wg_cudaEventDestroy(event);
}

// The legacy stream waits for blocking streams, so nothing may run on it meanwhile.
static void the_legacy_stream_is_no_place_meanwhile(void **state)
{
    (void)state;
    unsigned one = 1;
    enum cudaStreamCaptureStatus status;
    assert_int_equal(wg_cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
                     cudaErrorStreamCaptureUnsupported);
    cudaStream_t s = begin(cudaStreamCaptureModeRelaxed), free;
    assert_int_equal(wg_cudaStreamIsCapturing(NULL, &status), cudaErrorStreamCaptureImplicit);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusActive);
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&device, &one}, NULL),
                     cudaErrorStreamCaptureImplicit);
    end_invalid(s);
    wg_cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
    assert_int_equal(wg_cudaStreamBeginCapture(free, cudaStreamCaptureModeRelaxed), cudaSuccess);
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&device, &one}, NULL), cudaSuccess);
    cudaGraph_t graph;
    assert_int_equal(wg_cudaStreamEndCapture(free, &graph), cudaSuccess);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(free);
}

static void forks_must_be_joined(void **state)
{
    (void)state;
    cudaStream_t a = begin(cudaStreamCaptureModeGlobal), b;
    cudaEvent_t event;
    cudaGraph_t graph;
    wg_cudaStreamCreate(&b);
    wg_cudaEventCreate(&event);
    wg_cudaEventRecord(event, a);
    wg_cudaStreamWaitEvent(b, event, 0);
    launch(add, 1, b);
    assert_int_equal(wg_cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
    assert_null(graph);
    assert_int_equal(status_of(b), cudaStreamCaptureStatusNone);
    // ended in the wrong stream
    wg_cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    wg_cudaEventRecord(event, a);
    wg_cudaStreamWaitEvent(b, event, 0);
    assert_int_equal(wg_cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureUnmatched);
    end_invalid(a);
    assert_int_equal(wg_cudaStreamEndCapture(b, &graph), cudaErrorIllegalState);
    wg_cudaStreamDestroy(b);
    wg_cudaEventDestroy(event);
}

// A stream that joined may be destroyed meanwhile; what it did must have been joined all the same.
static void joined_streams_may_be_destroyed(void **state)
{
    (void)state;
    for (int joins = 0; joins < 2; joins++) {
        cudaStream_t a = begin(cudaStreamCaptureModeGlobal), b;
        cudaEvent_t event;
        cudaGraph_t graph;
        wg_cudaStreamCreate(&b);
        wg_cudaEventCreate(&event);
        wg_cudaEventRecord(event, a);
        wg_cudaStreamWaitEvent(b, event, 0);
        launch(add, 1, b);
        wg_cudaEventRecord(event, b);
        assert_int_equal(wg_cudaStreamDestroy(b), cudaSuccess);
        assert_int_equal(status_of(a), cudaStreamCaptureStatusActive);
        if (joins)
            assert_int_equal(wg_cudaStreamWaitEvent(a, event, 0), cudaSuccess);
        assert_int_equal(wg_cudaStreamEndCapture(a, &graph),
                         joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
        if (joins) {
            assert_int_equal(n_nodes(graph), 1);
            wg_cudaGraphDestroy(graph);
        }
        wg_cudaEventDestroy(event);
        wg_cudaStreamDestroy(a);
    }
}

static void captures_do_not_mix(void **state)
{
    (void)state;
    cudaEvent_t outside, event;
    wg_cudaEventCreate(&outside);
    wg_cudaEventCreate(&event);
    wg_cudaEventRecord(outside, NULL);
    cudaStream_t a = begin(cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    assert_int_equal(wg_cudaStreamWaitEvent(a, outside, 0), cudaErrorStreamCaptureIsolation);
    end_invalid(a);
    a = begin(cudaStreamCaptureModeGlobal);
    cudaStream_t b = begin(cudaStreamCaptureModeGlobal);
    wg_cudaEventRecord(event, a);
    assert_int_equal(wg_cudaStreamWaitEvent(b, event, 0), cudaErrorStreamCaptureMerge);
    end_invalid(a);
    end_invalid(b);
    // the capture of the event is over
    assert_int_equal(wg_cudaStreamWaitEvent(NULL, event, 0), cudaErrorCapturedEvent);
    wg_cudaEventDestroy(outside);
    wg_cudaEventDestroy(event);
}

static void modes_decide_what_threads_may_do(void **state)
{
    (void)state;
    cudaEvent_t event;
    int mode = cudaStreamCaptureModeRelaxed;
    wg_cudaEventCreate(&event);
    cudaStream_t s = begin(cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaEventQuery(event), cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    s = begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaEventQuery(event), cudaSuccess);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusActive);
    wg_cudaStreamDestroy(s); // ends it
    s = begin(cudaStreamCaptureModeThreadLocal);
    assert_int_equal(wg_cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
    assert_int_equal(wg_cudaEventQuery(event), cudaSuccess);
    assert_int_equal(wg_cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
    assert_int_equal(wg_cudaEventQuery(event), cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
    mode = 7;
    assert_int_equal(wg_cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
    wg_cudaStreamCreate(&s);
    assert_int_equal(wg_cudaStreamBeginCapture(s, 7), cudaErrorInvalidValue);
    wg_cudaStreamDestroy(s);
    wg_cudaEventDestroy(event);
}

static cudaError_t results[2];

static void *in_thread(void *data)
{
    cudaGraph_t graph;
    cudaEvent_t event;
    wg_cudaEventCreate(&event);
    results[0] = wg_cudaStreamEndCapture(data, &graph);
    results[1] = wg_cudaEventQuery(event);
    wg_cudaEventDestroy(event);
    return NULL;
}

static void other_threads_are_told_apart(void **state)
{
    (void)state;
    pthread_t thread;
    cudaGraph_t graph;
    cudaStream_t s = begin(cudaStreamCaptureModeThreadLocal);
    pthread_create(&thread, NULL, in_thread, s);
    pthread_join(thread, NULL);
    assert_int_equal(results[0], cudaErrorStreamCaptureWrongThread);
    assert_int_equal(results[1], cudaSuccess);
    assert_int_equal(wg_cudaStreamEndCapture(s, &graph), cudaSuccess);
    wg_cudaGraphDestroy(graph);
    wg_cudaStreamDestroy(s);
    s = begin(cudaStreamCaptureModeGlobal);
    pthread_create(&thread, NULL, in_thread, s);
    pthread_join(thread, NULL);
    assert_int_equal(results[1], cudaErrorStreamCaptureUnsupported);
    end_invalid(s);
}

// Under a default stream per thread, stream 0 can be captured.
static void twins_capture_the_threads_stream(void **state)
{
    (void)state;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    assert_int_equal(wg_cudaStreamBeginCapture_ptsz(NULL, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    assert_int_equal(wg_cudaStreamIsCapturing_ptsz(NULL, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_int_equal(status_of(STREAM_PER_THREAD), cudaStreamCaptureStatusActive);
    launch(add, 1, STREAM_PER_THREAD);
    assert_int_equal(wg_cudaStreamEndCapture_ptsz(NULL, &graph), cudaSuccess);
    assert_int_equal(n_nodes(graph), 1);
    wg_cudaGraphDestroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_work_runs_with_the_graph),
        cmocka_unit_test(host_functions_are_captured),
        cmocka_unit_test(events_fork_and_join),
        cmocka_unit_test(external_events_are_nodes),
        cmocka_unit_test(captures_tell_about_themselves),
        cmocka_unit_test(capturing_to_a_graph_adds_to_it),
        cmocka_unit_test(graph_launches_are_captured_as_children),
        cmocka_unit_test(pooled_memory_is_captured),
        cmocka_unit_test(synchronous_memory_calls_are_not_allowed),
        cmocka_unit_test(waiting_makes_a_capture_invalid),
        cmocka_unit_test(the_legacy_stream_is_no_place_meanwhile),
        cmocka_unit_test(forks_must_be_joined),
        cmocka_unit_test(joined_streams_may_be_destroyed),
        cmocka_unit_test(captures_do_not_mix),
        cmocka_unit_test(modes_decide_what_threads_may_do),
        cmocka_unit_test(other_threads_are_told_apart),
        cmocka_unit_test(twins_capture_the_threads_stream),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
