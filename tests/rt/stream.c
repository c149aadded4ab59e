// Streams: handles, order, modelled time, host functions, faults that show when somebody waits.
#include "support/check.h"
#include "support/guest.h"
#include <pthread.h>
#include <time.h>

enum { N = 32 };
static const void *add, *times, *spin, *fault;
static unsigned *device;

static int set_up(void **state)
{
    (void)state;
    void **module = guest_module(guest_ptx);
    add = guest_kernel(module, "add");
    times = guest_kernel(module, "times");
    spin = guest_kernel(module, "spin");
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
    for (int i = 1; i < N; i++)
        assert_int_equal(values[i], values[0]);
    return values[0];
}

// ---- handles --------------------------------------------------------------------------------------------

static void handles_are_distinct_and_known(void **state)
{
    (void)state;
    cudaStream_t s[3], none = NULL;
    unsigned flags;
    int priority;
    unsigned long long id[3];
    assert_int_equal(wg_cudaStreamCreate(&s[0]), cudaSuccess);
    assert_int_equal(wg_cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(wg_cudaStreamCreateWithPriority(&s[2], cudaStreamDefault, -100), cudaSuccess);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wg_cudaStreamGetId(s[i], &id[i]), cudaSuccess);
    assert_true(s[0] != s[1] && s[1] != s[2] && s[0] != s[2]);
    assert_true(id[0] != id[1] && id[1] != id[2] && id[0] != id[2]);
    assert_int_equal(wg_cudaStreamGetFlags(s[1], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamNonBlocking);
    assert_int_equal(wg_cudaStreamGetFlags(s[0], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamDefault);
    assert_int_equal(wg_cudaStreamGetPriority(s[2], &priority), cudaSuccess);
    assert_int_equal(priority, -5); // moved into the range
    assert_int_equal(wg_cudaStreamCreateWithFlags(&none, 8), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaStreamCreate(NULL), cudaErrorInvalidValue);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wg_cudaStreamDestroy(s[i]), cudaSuccess);
    assert_int_equal(wg_cudaStreamDestroy(s[0]), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaStreamSynchronize(s[1]), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaStreamQuery(s[1]), cudaErrorInvalidResourceHandle);
    unsigned one = 1;
    assert_int_equal(guest_launch(add, 1, N, (void *[]){&device, &one}, s[2]),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaStreamDestroy(STREAM_PER_THREAD), cudaErrorInvalidResourceHandle);
}

static void priorities_have_a_range(void **state)
{
    (void)state;
    int least = 7, greatest = 7;
    assert_int_equal(wg_cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    assert_int_equal(least, 0);
    assert_int_equal(greatest, -5);
    assert_int_equal(wg_cudaDeviceGetStreamPriorityRange(NULL, NULL), cudaSuccess);
}

static void streams_know_their_device(void **state)
{
    (void)state;
    int number = 7;
    assert_int_equal(wg_cudaStreamGetDevice(NULL, &number), cudaSuccess);
    assert_int_equal(number, 0);
    assert_int_equal(wg_cudaStreamGetDevice_ptsz(NULL, NULL), cudaErrorInvalidValue);
}

static void attributes_are_kept_and_copied(void **state)
{
    (void)state;
    cudaStream_t a, b;
    union launch_attribute_value in = {.priority = -3}, out;
    wg_cudaStreamCreate(&a);
    wg_cudaStreamCreate(&b);
    assert_int_equal(wg_cudaStreamSetAttribute(a, cudaLaunchAttributePriority, &in), cudaSuccess);
    in = (union launch_attribute_value){.window = {.base = device, .size_bytes = 64, .hit_ratio = 0.5f}};
    assert_int_equal(wg_cudaStreamSetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &in), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetAttribute(b, cudaLaunchAttributeAccessPolicyWindow, &out), cudaSuccess);
    assert_int_equal(out.window.size_bytes, 0);
    assert_int_equal(wg_cudaStreamCopyAttributes(b, a), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetAttribute(b, cudaLaunchAttributeAccessPolicyWindow, &out), cudaSuccess);
    assert_int_equal(out.window.size_bytes, 64);
    assert_int_equal(wg_cudaStreamGetAttribute(b, cudaLaunchAttributePriority, &out), cudaSuccess);
    assert_int_equal(out.priority, -3);
    assert_int_equal(wg_cudaStreamGetAttribute(b, cudaLaunchAttributeSynchronizationPolicy, &out),
                     cudaSuccess);
    assert_int_equal(out.synchronization_policy, cudaSyncPolicyAuto);
    in.priority = 3;
    assert_int_equal(wg_cudaStreamSetAttribute(a, cudaLaunchAttributePriority, &in), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaStreamSetAttribute(a, cudaLaunchAttributeCooperative, &in),
                     cudaErrorInvalidValue);
    wg_cudaStreamDestroy(a);
    wg_cudaStreamDestroy(b);
}

// ---- order and time ---------------------------------------------------------------------------------------

static void operations_run_in_order(void **state)
{
    (void)state;
    cudaStream_t s;
    wg_cudaStreamCreate(&s);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch(add, 3, s);
    launch(times, 5, s);
    launch(add, 1, s);
    assert_int_equal(wg_cudaStreamSynchronize(s), cudaSuccess);
    assert_int_equal(wg_cudaStreamQuery(s), cudaSuccess);
    assert_int_equal(value_of_device(), 16);
    wg_cudaStreamDestroy(s);
}

// Modelled milliseconds from here to the end of what `work` does, as a stream that waits for nothing sees it.
static float elapsed(void (*work)(cudaStream_t a, cudaStream_t b), unsigned flags)
{
    cudaStream_t a, b;
    cudaEvent_t from, to;
    float ms = -1;
    wg_cudaDeviceSynchronize();
    wg_cudaStreamCreateWithFlags(&a, flags);
    wg_cudaStreamCreateWithFlags(&b, flags);
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaEventRecord(from, a);
    work(a, b);
    wg_cudaDeviceSynchronize();
    wg_cudaEventRecord(to, a);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
    wg_cudaStreamDestroy(a);
    wg_cudaStreamDestroy(b);
    return ms;
}

static void one_stream(cudaStream_t a, cudaStream_t b)
{
    (void)b;
    launch(spin, 500, a);
    launch(spin, 500, a);
}

static void two_streams(cudaStream_t a, cudaStream_t b)
{
    launch(spin, 500, a);
    launch(spin, 500, b);
}

static void legacy_between(cudaStream_t a, cudaStream_t b)
{
    launch(spin, 500, a);
    launch(spin, 1, NULL);
    launch(spin, 500, b);
}

static void event_between(cudaStream_t a, cudaStream_t b)
{
    cudaEvent_t event;
    wg_cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    launch(spin, 500, a);
    wg_cudaEventRecord(event, a);
    assert_int_equal(wg_cudaStreamWaitEvent(b, event, 0), cudaSuccess);
    launch(spin, 500, b);
    wg_cudaEventDestroy(event);
}

static void streams_overlap_unless_they_wait(void **state)
{
    (void)state;
    float both = elapsed(one_stream, cudaStreamDefault);
    float overlapped = elapsed(two_streams, cudaStreamDefault);
    assert_true(both > 0.004f); // two launches
    assert_true(overlapped < 0.6f * both && overlapped > 0.4f * both);
    assert_true(elapsed(legacy_between, cudaStreamDefault) > both);
    assert_true(elapsed(legacy_between, cudaStreamNonBlocking) < 0.7f * both);
    assert_true(elapsed(event_between, cudaStreamNonBlocking) > 0.99f * both);
}

// ---- host functions
// -----------------------------------------------------------------------------------------

static unsigned seen;

static void see(void *data)
{
    struct rt *rt = rt_enter(); // the program's function may look at what came before it
    unsigned value;
    seen =
        wg_cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost) ? 0 : value + *(unsigned *)data;
    rt_leave(rt, cudaSuccess);
}

static void host_functions_see_what_came_before(void **state)
{
    (void)state;
    cudaStream_t s;
    unsigned more = 1000;
    wg_cudaStreamCreate(&s);
    wg_cudaMemset(device, 0, N * sizeof *device);
    launch(add, 4, s);
    assert_int_equal(wg_cudaLaunchHostFunc(s, see, &more), cudaSuccess);
    launch(add, 4, s);
    assert_int_equal(wg_cudaStreamSynchronize(s), cudaSuccess);
    assert_int_equal(seen, 1004);
    assert_int_equal(wg_cudaLaunchHostFunc(s, NULL, NULL), cudaErrorInvalidValue);
    wg_cudaStreamDestroy(s);
}

// A host function may wait for another thread that calls the API.
static int turn; // 1: the function runs, 2: the other thread has called

static void *call_meanwhile(void *data)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 1)
        ;
    *(cudaError_t *)data = wg_cudaStreamQuery(NULL);
    __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    return NULL;
}

static void wait_for_the_other(void *data)
{
    struct timespec moment = {.tv_nsec = 1000000};
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 5000 && __atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2; i++)
        nanosleep(&moment, NULL);
    *(int *)data = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
}

static void host_functions_may_wait_for_threads(void **state)
{
    (void)state;
    pthread_t thread;
    cudaError_t error = cudaErrorUnknown;
    int seen_turn = 0;
    assert_int_equal(pthread_create(&thread, NULL, call_meanwhile, &error), 0);
    assert_int_equal(wg_cudaLaunchHostFunc(NULL, wait_for_the_other, &seen_turn), cudaSuccess);
    pthread_join(thread, NULL);
    assert_int_equal(seen_turn, 2);
    assert_int_equal(error, cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaSuccess);
}

static cudaStream_t called_for;
static cudaError_t called_with;

static void call_back(cudaStream_t stream, cudaError_t status, void *data)
{
    called_for = stream;
    called_with = status;
    ++*(int *)data;
}

static void callbacks_get_stream_and_status(void **state)
{
    (void)state;
    cudaStream_t s;
    int n = 0;
    wg_cudaStreamCreate(&s);
    assert_int_equal(wg_cudaStreamAddCallback(s, call_back, &n, 0), cudaSuccess);
    assert_int_equal(n, 1);
    assert_ptr_equal(called_for, s);
    assert_int_equal(called_with, cudaSuccess);
    assert_int_equal(wg_cudaStreamAddCallback(s, call_back, &n, 1), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaStreamAddCallback(s, NULL, &n, 0), cudaErrorInvalidValue);
    assert_int_equal(n, 1);
    wg_cudaStreamDestroy(s);
}

// ---- default stream per thread
// ------------------------------------------------------------------------------

static void *own_id(void *out)
{
    return (void *)(uintptr_t)wg_cudaStreamGetId(STREAM_PER_THREAD, out);
}

static void threads_have_default_streams_of_their_own(void **state)
{
    (void)state;
    unsigned long long legacy, twin, mine, theirs = 0;
    pthread_t thread;
    assert_int_equal(wg_cudaStreamGetId(NULL, &legacy), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetId_ptsz(NULL, &twin), cudaSuccess);
    assert_int_equal(wg_cudaStreamGetId(STREAM_PER_THREAD, &mine), cudaSuccess);
    assert_int_equal(pthread_create(&thread, NULL, own_id, &theirs), 0);
    pthread_join(thread, NULL);
    assert_int_equal(twin, mine);
    assert_true(legacy != mine && theirs != mine && theirs != 0);
    assert_int_equal(wg_cudaStreamGetId_ptsz(STREAM_LEGACY, &twin), cudaSuccess);
    assert_int_equal(twin, legacy);
}

static void *work_in_thread(void *data)
{
    uintptr_t n_wrong = 0;
    (void)data;
    for (int i = 0; i < 50; i++) {
        cudaStream_t s;
        unsigned *own, values[N], one = 1;
        n_wrong += wg_cudaStreamCreate(&s) != cudaSuccess;
        n_wrong += wg_cudaMalloc((void **)&own, sizeof values) != cudaSuccess;
        n_wrong += wg_cudaMemset(own, 0, sizeof values) != cudaSuccess;
        for (int k = 0; k < 3; k++)
            n_wrong += guest_launch(add, 1, N, (void *[]){&own, &one}, s) != cudaSuccess;
        n_wrong += wg_cudaStreamSynchronize(s) != cudaSuccess;
        n_wrong += wg_cudaMemcpy(values, own, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess;
        n_wrong += values[0] != 3 || values[N - 1] != 3;
        n_wrong += wg_cudaFree(own) != cudaSuccess;
        n_wrong += wg_cudaStreamDestroy(s) != cudaSuccess;
    }
    return (void *)n_wrong;
}

static void several_threads_work_at_once(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_in_thread, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *n_wrong = NULL;
        pthread_join(threads[i], &n_wrong);
        assert_null(n_wrong);
    }
}

// ---- faults ---------------------------------------------------------------------------------------------

static int fault_shows_at_stream_synchronize(void)
{
    cudaStream_t s;
    int n = 0;
    wg_cudaStreamCreate(&s);
    if (guest_launch(fault, 1, 1, NULL, s) != cudaSuccess || wg_cudaGetLastError() != cudaSuccess)
        return 1; // nobody has waited
    if (wg_cudaStreamAddCallback(s, call_back, &n, 0) != cudaSuccess ||
        called_with != cudaErrorIllegalAddress)
        return 2;
    if (wg_cudaLaunchHostFunc(s, (cudaHostFn_t)see, &n) != cudaSuccess || seen)
        return 3; // host functions do not run after an error
    if (wg_cudaStreamSynchronize(s) != cudaErrorIllegalAddress)
        return 4;
    return wg_cudaStreamQuery(s) == cudaErrorIllegalAddress &&
                   wg_cudaStreamCreate(&s) == cudaErrorIllegalAddress
               ? 0
               : 5;
}

static int fault_shows_at_query(void)
{
    if (guest_launch(fault, 1, 1, NULL, NULL) != cudaSuccess)
        return 1;
    return wg_cudaStreamQuery(NULL) == cudaErrorIllegalAddress ? 0 : 2;
}

static void faults_show_when_somebody_waits(void **state)
{
    (void)state;
    seen = 0;
    assert_int_equal(guest_in_child(fault_shows_at_stream_synchronize), 0);
    assert_int_equal(guest_in_child(fault_shows_at_query), 0);
}

// ---- reset ------------------------------------------------------------------------------------------------

static int reset_forgets(void)
{
    cudaStream_t s, again;
    cudaGraph_t graph;
    unsigned *memory, one = 1, values[N];
    wg_cudaStreamCreate(&s);
    wg_cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    guest_launch(add, 1, N, (void *[]){&device, &one}, s);
    if (guest_launch(fault, 1, 1, NULL, STREAM_PER_THREAD) ||
        wg_cudaStreamQuery(STREAM_PER_THREAD) == cudaSuccess)
        return 1;
    if (wg_cudaDeviceReset() != cudaSuccess || wg_cudaDeviceSynchronize() != cudaSuccess)
        return 2; // neither the fault nor the capture is there any more
    if (wg_cudaStreamQuery(s) != cudaErrorInvalidResourceHandle ||
        wg_cudaStreamEndCapture(s, &graph) == cudaSuccess)
        return 3;
    if (wg_cudaStreamCreate(&again) || wg_cudaMalloc((void **)&memory, sizeof values) ||
        wg_cudaMemset(memory, 0, sizeof values) ||
        guest_launch(add, 1, N, (void *[]){&memory, &one}, again) || wg_cudaStreamSynchronize(again) ||
        wg_cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost))
        return 4;
    return values[N - 1] == 1 ? 0 : 5;
}

static void reset_forgets_streams_captures_and_faults(void **state)
{
    (void)state;
    assert_int_equal(guest_in_child(reset_forgets), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_show_when_somebody_waits),
        cmocka_unit_test(reset_forgets_streams_captures_and_faults),
        cmocka_unit_test(handles_are_distinct_and_known),
        cmocka_unit_test(priorities_have_a_range),
        cmocka_unit_test(streams_know_their_device),
        cmocka_unit_test(attributes_are_kept_and_copied),
        cmocka_unit_test(operations_run_in_order),
        cmocka_unit_test(streams_overlap_unless_they_wait),
        cmocka_unit_test(host_functions_see_what_came_before),
        cmocka_unit_test(host_functions_may_wait_for_threads),
        cmocka_unit_test(callbacks_get_stream_and_status),
        cmocka_unit_test(threads_have_default_streams_of_their_own),
        cmocka_unit_test(several_threads_work_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
