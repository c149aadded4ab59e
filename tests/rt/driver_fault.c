// The driver API beside the runtime API, and after a fault. Its own process: a fault is sticky.
#include "rt/api.h"
#include "rt/driver.h"
#include "support/check.h"

static const char store_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                                ".visible .entry store(.param .u64 to)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
                                "ld.param.u64 %d1, [to];\nmov.u32 %r1, 9;\nst.global.u32 [%d1], %r1;\nret;\n}\n";
static CUfunction store;
static void *memory;

// The runtime starts the driver and makes the primary context current; memory and modules are shared.
static void test_after_the_runtime(void **state)
{
    CUcontext context = NULL, primary;
    CUmodule module;
    uint32_t value = 0;
    void *arguments[] = {&memory};
    (void)state;
    assert_int_equal(wg_cudaMalloc(&memory, 256), cudaSuccess);
    assert_int_equal(wg_cuCtxGetCurrent(&context), cudaSuccess);
    assert_int_equal(wg_cuDevicePrimaryCtxRetain(&primary, 0), cudaSuccess);
    assert_ptr_equal(context, primary);
    assert_int_equal(wg_cuModuleLoadData(&module, store_ptx), cudaSuccess);
    assert_int_equal(wg_cuModuleGetFunction(&store, module, "store"), cudaSuccess);
    assert_int_equal(wg_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(value, 9);
}

// The launch succeeds; who waits hears of the fault, and from then on everyone does.
static void test_fault_is_sticky(void **state)
{
    void *nowhere = (char *)memory + (1 << 20), *more, *arguments[] = {&nowhere};
    CUcontext context;
    (void)state;
    assert_int_equal(wg_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), cudaSuccess);
    assert_int_equal(wg_cuCtxSynchronize(), cudaErrorIllegalAddress);
    assert_int_equal(wg_cuCtxSynchronize(), cudaErrorIllegalAddress);
    assert_int_equal(wg_cuMemAlloc_v2(&more, 16), cudaErrorIllegalAddress);
    assert_int_equal(wg_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), cudaErrorIllegalAddress);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    assert_int_equal(wg_cuCtxGetCurrent(&context), cudaErrorIllegalAddress);
}

// The way out.
static void test_reset(void **state)
{
    CUcontext context;
    void *more;
    (void)state;
    assert_int_equal(wg_cuDevicePrimaryCtxReset_v2(1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cuDevicePrimaryCtxReset_v2(0), cudaSuccess);
    assert_int_equal(wg_cuCtxGetCurrent(&context), cudaSuccess);
    assert_int_equal(wg_cuMemAlloc_v2(&more, 16), cudaSuccess);
    void *arguments[] = {&more};
    uint32_t value = 0;
    assert_int_equal(wg_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), cudaSuccess);
    assert_int_equal(wg_cuMemcpyDtoH_v2(&value, more, 4), cudaSuccess);
    assert_int_equal(value, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_after_the_runtime),
                                       cmocka_unit_test(test_fault_is_sticky), cmocka_unit_test(test_reset)};
    return cmocka_run_group_tests_name("driver fault", tests, NULL, NULL);
}
