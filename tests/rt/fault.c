// What a program sees after a kernel has faulted: nothing at the launch, the error at the next synchronising call and at
// every call after it, until a reset. As an H200 did (tests/data/h200_runtime.txt).
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry null() { .reg .b64 %p; mov.u64 %p, 0; st.global.u32 [%p], 1; ret; }\n"
                          ".visible .entry misaligned(.param .u64 a) { .reg .b64 %p; ld.param.u64 %p, [a]; "
                          "st.global.u32 [%p+1], 1; ret; }\n"
                          ".visible .entry traps() { trap; ret; }\n"
                          ".visible .entry breaks() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; "
                          "setp.eq.u32 %p, %r, 0; @%p brkpt; ret; }\n"
                          ".visible .entry far_shared() { .shared .b32 s[8]; .reg .b32 %r; mov.u32 %r, s; "
                          "add.u32 %r, %r, 100000000; st.shared.u32 [%r], 1; ret; }\n"
                          ".visible .entry near_shared() { .shared .b32 s[8]; .reg .b32 %r; mov.u32 %r, s; "
                          "st.shared.u32 [%r+4096], 1; ret; }\n"
                          ".visible .entry fine() { ret; }\n";

static cudaError_t launch(const char *name, void *pointer)
{
    void *arguments[] = {&pointer};
    return guest_launch(guest_kernel(guest_module(ptx), name), 1, 1, arguments, NULL);
}

static void check_course(const char *name, cudaError_t error)
{
    void *p, *q;
    int n = 0;
    assert_int_equal(wg_cudaMalloc(&p, 64), cudaSuccess);
    assert_int_equal(launch(name, p), cudaSuccess);
    assert_int_equal(wg_cudaGetLastError(), cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), error);
    assert_int_equal(wg_cudaGetLastError(), error);
    assert_int_equal(wg_cudaPeekAtLastError(), cudaSuccess);
    assert_int_equal(wg_cudaMalloc(&q, 4), error);
    assert_int_equal(wg_cudaFree(NULL), error);
    assert_int_equal(wg_cudaGetDeviceCount(&n), cudaSuccess);
    assert_int_equal(launch("fine", NULL), error);
    assert_int_equal(wg_cudaDeviceReset(), cudaSuccess);
    wg_cudaGetLastError();
    assert_int_equal(wg_cudaMalloc(&q, 4), cudaSuccess);
    assert_int_equal(launch("fine", NULL), cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaSuccess);
}

static void faults_take_their_course(void **state)
{
    (void)state;
    check_course("null", cudaErrorIllegalAddress);
    check_course("misaligned", cudaErrorMisalignedAddress);
    check_course("traps", cudaErrorLaunchFailure);
    check_course("breaks", cudaErrorLaunchFailure);
    check_course("far_shared", cudaErrorIllegalInstruction);
    check_course("near_shared", cudaErrorIllegalAddress);
}

static void a_copy_waits_and_hears_of_it(void **state)
{
    (void)state;
    char byte = 0;
    void *p;
    assert_int_equal(wg_cudaMalloc(&p, 64), cudaSuccess);
    assert_int_equal(launch("null", NULL), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(&byte, p, 1, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
    assert_int_equal(wg_cudaDeviceReset(), cudaSuccess);
}

static void errors_have_names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(wg_cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    assert_string_equal(wg_cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    assert_string_equal(wg_cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_take_their_course),
        cmocka_unit_test(a_copy_waits_and_hears_of_it),
        cmocka_unit_test(errors_have_names_and_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
