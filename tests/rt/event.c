// Events: recorded, waited for, asked; elapsed modelled time.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

enum { N = 32 };
static const void *spin, *fault;
static unsigned *device;

static int set_up(void **state)
{
    (void)state;
    void **module = guest_module(guest_ptx);
    spin = guest_kernel(module, "spin");
    fault = guest_kernel(module, "fault");
    return wg_cudaMalloc((void **)&device, N * sizeof *device);
}

static void launch_spin(unsigned n, cudaStream_t stream)
{
    assert_int_equal(guest_launch(spin, 1, N, (void *[]){&device, &n}, stream), cudaSuccess);
}

static void flags_are_checked(void **state)
{
    (void)state;
    cudaEvent_t event;
    assert_int_equal(wg_cudaEventCreateWithFlags(&event, 0x10), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming),
                     cudaSuccess);
    assert_int_equal(wg_cudaEventDestroy(event), cudaSuccess);
    assert_int_equal(wg_cudaEventCreateWithFlags(&event, cudaEventBlockingSync), cudaSuccess);
    assert_int_equal(wg_cudaEventDestroy(event), cudaSuccess);
    assert_int_equal(wg_cudaEventCreate(NULL), cudaErrorInvalidValue);
}

static void destroyed_events_are_no_handles(void **state)
{
    (void)state;
    cudaEvent_t a, b;
    wg_cudaEventCreate(&a);
    wg_cudaEventCreate(&b);
    assert_true(a != b);
    assert_int_equal(wg_cudaEventDestroy(a), cudaSuccess);
    assert_int_equal(wg_cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaEventRecord(a, NULL), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaEventQuery(a), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaEventSynchronize(NULL), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaStreamWaitEvent(NULL, a, 0), cudaErrorInvalidResourceHandle);
    wg_cudaEventDestroy(b);
}

static void unrecorded_events_are_complete_but_have_no_time(void **state)
{
    (void)state;
    cudaEvent_t a, b, untimed;
    float ms = 5;
    wg_cudaEventCreate(&a);
    wg_cudaEventCreate(&b);
    wg_cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    assert_int_equal(wg_cudaEventQuery(a), cudaSuccess);
    assert_int_equal(wg_cudaEventSynchronize(a), cudaSuccess);
    assert_int_equal(wg_cudaStreamWaitEvent(NULL, a, 0), cudaSuccess);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    wg_cudaEventRecord(a, NULL);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    wg_cudaEventRecord(untimed, NULL);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaEventElapsedTime(NULL, a, a), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaEventElapsedTime(&ms, a, a), cudaSuccess);
    assert_true(ms == 0);
    wg_cudaEventDestroy(a);
    wg_cudaEventDestroy(b);
    wg_cudaEventDestroy(untimed);
}

static float time_of(unsigned n)
{
    cudaEvent_t from, to;
    float forth = 0, back = 0;
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaEventRecord(from, NULL);
    launch_spin(n, NULL);
    wg_cudaEventRecord(to, NULL);
    assert_int_equal(wg_cudaEventSynchronize(to), cudaSuccess);
    assert_int_equal(wg_cudaEventQuery(to), cudaSuccess);
    assert_int_equal(wg_cudaEventElapsedTime(&forth, from, to), cudaSuccess);
    assert_int_equal(wg_cudaEventElapsedTime(&back, to, from), cudaSuccess);
    assert_true(back == -forth);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
    return forth;
}

static void elapsed_time_grows_with_work(void **state)
{
    (void)state;
    float little = time_of(1), again = time_of(1), much = time_of(20000);
    assert_true(little >= 0.002f && little < 0.1f); // a launch takes 2 us
    assert_true(little > 0.99f * again && little < 1.01f * again);
    assert_true(much > 8 * little);
}

// Recording again moves the event.
static void last_record_counts(void **state)
{
    (void)state;
    cudaEvent_t from, to;
    float first, second;
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaEventRecord(from, NULL);
    launch_spin(10, NULL);
    wg_cudaEventRecord(to, NULL);
    wg_cudaEventElapsedTime(&first, from, to);
    launch_spin(10, NULL);
    assert_int_equal(wg_cudaEventRecordWithFlags(to, NULL, 0), cudaSuccess);
    wg_cudaEventElapsedTime(&second, from, to);
    assert_true(second > 1.5f * first);
    assert_int_equal(wg_cudaEventRecordWithFlags(to, NULL, cudaEventRecordExternal), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaEventRecordWithFlags(to, NULL, 8), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaStreamWaitEvent(NULL, to, 8), cudaErrorInvalidValue);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
}

// The host has waited for an event: what comes after in another stream begins no earlier.
static void host_waits_in_modelled_time(void **state)
{
    (void)state;
    cudaStream_t a, b;
    cudaEvent_t from, middle, to;
    float first, second;
    wg_cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    wg_cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&middle);
    wg_cudaEventCreate(&to);
    wg_cudaEventRecord(from, a);
    launch_spin(200, a);
    wg_cudaEventRecord(middle, a);
    wg_cudaEventSynchronize(middle);
    launch_spin(200, b);
    wg_cudaEventRecord(to, b);
    wg_cudaEventElapsedTime(&first, from, middle);
    wg_cudaEventElapsedTime(&second, middle, to);
    assert_true(first > 0 && second > 0.99f * first);
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(middle);
    wg_cudaEventDestroy(to);
    wg_cudaStreamDestroy(a);
    wg_cudaStreamDestroy(b);
}

static void twins_record_in_the_threads_stream(void **state)
{
    (void)state;
    cudaEvent_t from, to, legacy;
    float own, other;
    cudaStream_t s = STREAM_PER_THREAD;
    wg_cudaEventCreate(&from);
    wg_cudaEventCreate(&to);
    wg_cudaEventCreate(&legacy);
    wg_cudaDeviceSynchronize();
    wg_cudaEventRecord_ptsz(from, NULL);
    launch_spin(300, s);
    assert_int_equal(wg_cudaEventRecord_ptsz(to, NULL), cudaSuccess);
    assert_int_equal(wg_cudaEventRecordWithFlags_ptsz(legacy, STREAM_LEGACY, 0), cudaSuccess);
    wg_cudaEventElapsedTime(&own, from, to);
    wg_cudaEventElapsedTime(&other, from, legacy);
    assert_true(own > 0.002f && other >= own); // the legacy stream waits for it
    wg_cudaEventDestroy(from);
    wg_cudaEventDestroy(to);
    wg_cudaEventDestroy(legacy);
}

static int fault_shows_at_event_synchronize(void)
{
    cudaEvent_t event;
    wg_cudaEventCreate(&event);
    if (guest_launch(fault, 1, 1, NULL, NULL) != cudaSuccess ||
        wg_cudaEventRecord(event, NULL) != cudaSuccess)
        return 1;
    return wg_cudaEventSynchronize(event) == cudaErrorIllegalAddress ? 0 : 2;
}

static int fault_shows_at_event_query(void)
{
    cudaEvent_t event;
    wg_cudaEventCreate(&event);
    if (guest_launch(fault, 1, 1, NULL, NULL) != cudaSuccess)
        return 1;
    return wg_cudaEventQuery(event) == cudaErrorIllegalAddress &&
                   wg_cudaDeviceSynchronize() == cudaErrorIllegalAddress
               ? 0
               : 2;
}

static void faults_show_at_events(void **state)
{
    (void)state;
    assert_int_equal(guest_in_child(fault_shows_at_event_synchronize), 0);
    assert_int_equal(guest_in_child(fault_shows_at_event_query), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_show_at_events),
        cmocka_unit_test(flags_are_checked),
        cmocka_unit_test(destroyed_events_are_no_handles),
        cmocka_unit_test(unrecorded_events_are_complete_but_have_no_time),
        cmocka_unit_test(elapsed_time_grows_with_work),
        cmocka_unit_test(last_record_counts),
        cmocka_unit_test(host_waits_in_modelled_time),
        cmocka_unit_test(twins_record_in_the_threads_stream),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
