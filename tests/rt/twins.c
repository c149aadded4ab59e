// The _ptsz twins: in programs built with a default stream per thread, stream 0 is the thread's own stream. What only that
// stream can do, or what it shares with STREAM_PER_THREAD, shows that a twin means it. And entry points by name.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

static int n_calls;

static void count_call(void *data)
{
    n_calls += *(int *)data;
}

static void count_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    n_calls += status == cudaSuccess ? *(int *)data : 0;
}

static size_t n_nodes(cudaGraph_t graph)
{
    size_t n = 0;
    assert_int_equal(wg_cudaGraphGetNodes(graph, NULL, &n), cudaSuccess);
    return n;
}

// The legacy stream cannot be captured, the thread's own can.
static void stream_0_can_be_captured(void **state)
{
    (void)state;
    int one = 1;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status = 0;
    unsigned long long id = 0;
    assert_int_not_equal(wg_cudaStreamBeginCapture(NULL, 0), cudaSuccess);
    assert_int_equal(wg_cudaStreamBeginCapture_ptsz(NULL, 0), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v1_ptsz(NULL, &status, &id), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    n_calls = 0;
    assert_int_equal(wg_cudaLaunchHostFunc_ptsz(NULL, count_call, &one), cudaSuccess);
    assert_int_equal(n_calls, 0);
    assert_int_equal(wg_cudaStreamEndCapture_ptsz(NULL, &graph), cudaSuccess);
    assert_int_equal(n_nodes(graph), 1);
    assert_int_equal(wg_cudaGraphDestroy(graph), cudaSuccess);
}

static void what_a_capture_tells(void **state)
{
    (void)state;
    int one = 1;
    cudaGraph_t graph, seen = NULL;
    const cudaGraphNode_t *nodes = NULL;
    const cudaGraphEdgeData *edges = NULL;
    enum cudaStreamCaptureStatus status = 0;
    unsigned long long id2 = 0, id3 = 1;
    size_t n = 0;
    assert_int_equal(wg_cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_int_equal(wg_cudaStreamBeginCaptureToGraph_ptsz(NULL, graph, NULL, NULL, 0, 0), cudaSuccess);
    assert_int_equal(wg_cudaLaunchHostFunc_ptsz(NULL, count_call, &one), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2_ptsz(NULL, &status, &id2, &seen, &nodes, &n), cudaSuccess);
    assert_true(status == cudaStreamCaptureStatusActive && seen == graph && n == 1);
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v3_ptsz(NULL, &status, &id3, &seen, &nodes, &edges, &n), cudaSuccess);
    assert_true(id2 == id3 && n == 1);
    cudaGraphNode_t none[1];
    assert_int_equal(wg_cudaStreamUpdateCaptureDependencies_v1_ptsz(NULL, none, 0, 1), cudaSuccess); // 1: set, to none
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2_ptsz(NULL, &status, &id2, &seen, &nodes, &n), cudaSuccess);
    assert_int_equal(n, 0);
    cudaGraphNode_t first;
    n = 1;
    assert_int_equal(wg_cudaGraphGetNodes(graph, &first, &n), cudaSuccess);
    assert_int_equal(wg_cudaStreamUpdateCaptureDependencies_v2_ptsz(NULL, &first, NULL, 1, 0), cudaSuccess); // add
    assert_int_equal(wg_cudaStreamGetCaptureInfo_v2_ptsz(NULL, &status, &id2, &seen, &nodes, &n), cudaSuccess);
    assert_true(n == 1 && nodes[0] == first);
    assert_int_equal(wg_cudaStreamEndCapture_ptsz(NULL, &seen), cudaSuccess);
    assert_ptr_equal(seen, graph);
    assert_int_equal(wg_cudaGraphDestroy(graph), cudaSuccess);
}

// A wait for an event of a capturing stream makes the waiting stream join: so stream 0 of the twin is found capturing.
static void stream_0_waits(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status = 0;
    assert_int_equal(wg_cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(wg_cudaEventCreate(&event), cudaSuccess);
    assert_int_equal(wg_cudaStreamBeginCapture(stream, 0), cudaSuccess);
    assert_int_equal(wg_cudaEventRecord(event, stream), cudaSuccess);
    assert_int_equal(wg_cudaStreamWaitEvent_ptsz(NULL, event, 0), cudaSuccess);
    assert_int_equal(wg_cudaStreamIsCapturing(STREAM_PER_THREAD, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_int_equal(wg_cudaStreamQuery_ptsz(NULL), cudaErrorStreamCaptureUnsupported); // may not be asked now
    wg_cudaStreamEndCapture(stream, &graph);
    assert_int_equal(wg_cudaStreamQuery_ptsz(NULL), cudaSuccess);
    assert_int_equal(wg_cudaStreamBeginCapture_ptsz(NULL, 0), cudaSuccess);
    assert_int_equal(wg_cudaStreamSynchronize_ptsz(NULL), cudaErrorStreamCaptureUnsupported);
    wg_cudaStreamEndCapture_ptsz(NULL, &graph);
    assert_int_equal(wg_cudaStreamSynchronize_ptsz(NULL), cudaSuccess);
    assert_int_equal(wg_cudaEventDestroy(event), cudaSuccess);
    assert_int_equal(wg_cudaStreamDestroy(stream), cudaSuccess);
    wg_cudaGetLastError();
}

static void stream_0_has_attributes(void **state)
{
    (void)state;
    union launch_attribute_value set = {.priority = -2}, got = {0};
    cudaStream_t stream;
    unsigned flags = 7;
    int priority = 5, one = 1;
    assert_int_equal(wg_cudaStreamCreateWithPriority(&stream, 0, -3), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetPriority_ptsz(stream, &priority), cudaSuccess);
    assert_int_equal(priority, -3);
    set.window.hit_ratio = 0.25f;
    assert_int_equal(wg_cudaStreamSetAttribute_ptsz(NULL, cudaLaunchAttributeAccessPolicyWindow, &set), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetAttribute(STREAM_PER_THREAD, cudaLaunchAttributeAccessPolicyWindow, &got), cudaSuccess);
    assert_true(got.window.hit_ratio == 0.25f);
    assert_int_equal(wg_cudaStreamCopyAttributes_ptsz(stream, NULL), cudaSuccess);
    memset(&got, 0, sizeof got);
    assert_int_equal(wg_cudaStreamGetAttribute_ptsz(stream, cudaLaunchAttributeAccessPolicyWindow, &got), cudaSuccess);
    assert_true(got.window.hit_ratio == 0.25f);
    assert_int_equal(wg_cudaStreamGetFlags_ptsz(stream, &flags), cudaSuccess);
    assert_int_equal(flags, 0);
    assert_int_equal(wg_cudaStreamGetPriority_ptsz(NULL, &priority), cudaSuccess);
    assert_int_equal(priority, 0);
    n_calls = 0;
    assert_int_equal(wg_cudaStreamAddCallback_ptsz(NULL, count_callback, &one, 0), cudaSuccess);
    assert_int_equal(n_calls, 1);
}

// The driver's functions by name; programs of each major ask in their own way.
static void entry_points_are_found(void **state)
{
    (void)state;
    void *legacy = NULL, *own = NULL, *version = NULL;
    int status = 9;
    assert_int_equal(wg_cudaGetDriverEntryPoint_11("cuMemAlloc", &legacy, 0), cudaSuccess);
    assert_non_null(legacy);
    assert_int_equal(wg_cudaGetDriverEntryPoint_12("cuMemAlloc", &version, 0, &status), cudaSuccess);
    assert_true(version == legacy && status == 0);
    assert_int_equal(wg_cudaGetDriverEntryPoint("cuStreamSynchronize", &legacy, 0, &status), cudaSuccess);
    assert_int_equal(wg_cudaGetDriverEntryPoint_ptsz("cuStreamSynchronize", &own, 0, &status), cudaSuccess);
    assert_true(legacy && own && legacy != own);
    assert_int_equal(wg_cudaGetDriverEntryPoint_11_ptsz("cuStreamSynchronize", &version, 0), cudaSuccess);
    assert_ptr_equal(version, own);
    assert_int_equal(wg_cudaGetDriverEntryPoint_12_ptsz("cuStreamSynchronize", &version, 0, &status), cudaSuccess);
    assert_ptr_equal(version, own);
    assert_int_equal(wg_cudaGetDriverEntryPointByVersion_ptsz("cuStreamSynchronize", &version, 12000, 0, &status), cudaSuccess);
    assert_ptr_equal(version, own);
    assert_int_equal(wg_cudaGetDriverEntryPoint_12("cuNoSuchFunction", &version, 0, &status), cudaSuccess);
    assert_true(!version && status != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_0_can_be_captured),
        cmocka_unit_test(what_a_capture_tells),
        cmocka_unit_test(stream_0_waits),
        cmocka_unit_test(stream_0_has_attributes),
        cmocka_unit_test(entry_points_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
