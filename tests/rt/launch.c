// Launches: shapes, shared memory and registers that do not fit, attributes, what a kernel handle is, cooperative grids.
#include "support/check.h"
#include "support/guest.h"
#include "rt/function.h"
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .b32 factor = 3;\n"
    ".visible .entry fill(.param .u64 p, .param .u32 v)\n{\n.reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r2, %r2, %r3, %r4; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2; ld.const.u32 %r5, [factor];\n"
    "mul.lo.u32 %r1, %r1, %r5; st.global.u32 [%d1], %r1; ret;\n}\n"
    ".extern .shared .b32 pool[];\n"
    ".visible .entry shared(.param .u64 p)\n.maxntid 256\n{\n.reg .b32 %r<4>; .reg .b64 %d<2>;\n.shared .b32 own[64];\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, 7; st.shared.u32 [pool], %r1; st.shared.u32 [own], %r1; bar.sync 0; ld.shared.u32 %r2, [pool];\n"
    "st.global.u32 [%d1], %r2; ret;\n}\n";

static void **module;

static int set_up(void **state)
{
    (void)state;
    module = guest_module(ptx);
    return 0;
}

static cudaError_t launch(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, void *pointer, unsigned value)
{
    void *arguments[] = {&pointer, &value};
    return wg_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, NULL);
}

static void a_launch_fills_memory(void **state)
{
    (void)state;
    unsigned *p, got[64];
    assert_int_equal(wg_cudaMalloc((void **)&p, sizeof got), cudaSuccess);
    assert_int_equal(launch(guest_kernel(module, "fill"), (dim3){2, 1, 1}, (dim3){32, 1, 1}, 0, p, 5), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 64; i++)
        assert_int_equal(got[i], 15);
}

static void shapes_that_do_not_fit(void **state)
{
    (void)state;
    const void *fill = guest_kernel(module, "fill"), *shared = guest_kernel(module, "shared");
    const dim3 one = {1, 1, 1};
    void *p;
    assert_int_equal(wg_cudaMalloc(&p, 4096), cudaSuccess);
    assert_int_equal(launch(fill, one, (dim3){2048, 1, 1}, 0, p, 1), cudaErrorInvalidValue);
    assert_int_equal(launch(fill, one, (dim3){1, 1, 65}, 0, p, 1), cudaErrorInvalidValue);
    assert_int_equal(launch(fill, (dim3){0, 1, 1}, one, 0, p, 1), cudaErrorInvalidValue);
    assert_int_equal(launch(fill, (dim3){1, 65536, 1}, one, 0, p, 1), cudaErrorInvalidValue);
    assert_int_equal(launch(fill, one, one, 300000, p, 1), cudaErrorInvalidValue);
    assert_int_equal(launch(shared, one, (dim3){512, 1, 1}, 4, p, 1), cudaErrorInvalidValue); // .maxntid 256
    assert_int_equal(launch("no kernel", one, one, 0, p, 1), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaGetLastError(), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaGetLastError(), cudaSuccess);
}

static void shared_memory_needs_the_attribute(void **state)
{
    (void)state;
    const void *shared = guest_kernel(module, "shared");
    const dim3 one = {1, 1, 1};
    const int bytes = 100 << 10;
    unsigned *p, got = 0;
    assert_int_equal(wg_cudaMalloc((void **)&p, 64), cudaSuccess);
    assert_int_equal(launch(shared, one, one, bytes, p, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), cudaSuccess);
    assert_int_equal(launch(shared, one, one, bytes, p, 0), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(got, 7);
    assert_int_equal(wg_cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000), cudaErrorInvalidValue);
}

static void attributes_describe_the_kernel(void **state)
{
    (void)state;
    struct cudaFuncAttributes a;
    const void *shared = guest_kernel(module, "shared");
    const char *name = NULL;
    size_t offset = 99, bytes = 0;
    assert_int_equal(wg_cudaFuncGetAttributes(&a, shared), cudaSuccess);
    assert_int_equal(a.sharedSizeBytes, 256);
    assert_int_equal(a.constSizeBytes, 4);
    assert_int_equal(a.maxThreadsPerBlock, 256);
    assert_int_equal(a.binaryVersion, 90);
    assert_true(a.numRegs > 0);
    assert_int_equal(wg_cudaFuncGetName(&name, shared), cudaSuccess);
    assert_string_equal(name, "shared");
    assert_int_equal(wg_cudaFuncGetParamInfo(guest_kernel(module, "fill"), 1, &offset, &bytes), cudaSuccess);
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    assert_int_equal(wg_cudaFuncGetParamInfo(shared, 3, &offset, &bytes), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaFuncGetAttributes(&a, "no kernel"), cudaErrorInvalidDeviceFunction);
    assert_int_equal(wg_cudaFuncSetCacheConfig("no kernel", 1), cudaErrorInvalidDeviceFunction);
    assert_int_equal(wg_cudaFuncSetCacheConfig(shared, 1), cudaSuccess);
}

static void a_handle_is_as_good_as_a_stub(void **state)
{
    (void)state;
    cudaKernel_t handle = NULL;
    unsigned *p, got = 0, value = 4;
    void *arguments[] = {&p, &value};
    const dim3 one = {1, 1, 1};
    assert_int_equal(wg_cudaMalloc((void **)&p, 64), cudaSuccess);
    assert_int_equal(wg_cudaGetKernel(&handle, guest_kernel(module, "fill")), cudaSuccess);
    assert_int_equal(wg___cudaLaunchKernel(handle, one, one, arguments, 0, NULL), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(got, 12);
    assert_int_equal(wg_cudaKernelSetAttributeForDevice(handle, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 0), cudaSuccess);
    assert_int_equal(wg_cudaKernelSetAttributeForDevice(handle, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 1), cudaErrorInvalidDevice);
}

static void pushed_configurations_come_back(void **state)
{
    (void)state;
    dim3 grid, block;
    size_t bytes;
    void *stream;
    assert_int_equal(wg___cudaPushCallConfiguration((dim3){3, 2, 1}, (dim3){64, 1, 1}, 128, STREAM_LEGACY), 0);
    assert_int_equal(wg___cudaPopCallConfiguration(&grid, &block, &bytes, &stream), cudaSuccess);
    assert_int_equal(grid.x * 100 + grid.y, 302);
    assert_int_equal(block.x, 64);
    assert_int_equal(bytes, 128);
    assert_ptr_equal(stream, STREAM_LEGACY);
    assert_int_equal(wg___cudaPopCallConfiguration(&grid, &block, &bytes, &stream), cudaErrorMissingConfiguration);
}

static void cooperative_grids_must_be_resident(void **state)
{
    (void)state;
    void *p;
    unsigned value = 1;
    void *arguments[] = {&p, &value};
    const void *fill = guest_kernel(module, "fill");
    assert_int_equal(wg_cudaMalloc(&p, 4 << 20), cudaSuccess);
    assert_int_equal(wg_cudaLaunchCooperativeKernel(fill, (dim3){132, 1, 1}, (dim3){1024, 1, 1}, arguments, 0, NULL), cudaSuccess);
    assert_int_equal(wg_cudaLaunchCooperativeKernel(fill, (dim3){265, 1, 1}, (dim3){1024, 1, 1}, arguments, 0, NULL),
                     cudaErrorCooperativeLaunchTooLarge);
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}};
    cudaLaunchConfig_t config = {.gridDim = {265, 1, 1}, .blockDim = {1024, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    assert_int_equal(wg_cudaLaunchKernelExC(&config, fill, arguments), cudaErrorCooperativeLaunchTooLarge);
    config.numAttrs = 0;
    assert_int_equal(wg_cudaLaunchKernelExC(&config, fill, arguments), cudaSuccess);
}

static void occupancy_is_that_of_the_model(void **state)
{
    (void)state;
    int blocks = 0;
    size_t bytes = 0;
    const void *shared = guest_kernel(module, "shared");
    assert_int_equal(wg_cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared, 256, 0), cudaSuccess);
    assert_int_equal(blocks, 8);
    assert_int_equal(wg_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, shared, 32, 40000, 0), cudaSuccess);
    assert_int_equal(blocks, 5);
    assert_int_equal(wg_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, shared, 32, 40000, 9), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shared, 4, 128), cudaSuccess);
    assert_in_range(bytes, 40000, 58368);
    cudaLaunchConfig_t config = {.gridDim = {8, 1, 1}, .blockDim = {128, 1, 1}};
    assert_int_equal(wg_cudaOccupancyMaxPotentialClusterSize(&blocks, shared, &config), cudaSuccess);
    assert_int_equal(blocks, 8);
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension, .val = {.cluster = {2, 1, 1}}};
    config.attrs = &cluster;
    config.numAttrs = 1;
    assert_int_equal(wg_cudaOccupancyMaxActiveClusters(&blocks, shared, &config), cudaSuccess);
    assert_true(blocks > 100);
}

static void clusters_must_fit(void **state)
{
    (void)state;
    void *p;
    unsigned value = 1;
    void *arguments[] = {&p, &value};
    const void *fill = guest_kernel(module, "fill");
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val = {.cluster = {2, 1, 1}}};
    cudaLaunchConfig_t config = {.gridDim = {8, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    assert_int_equal(wg_cudaMalloc(&p, 4096), cudaSuccess);
    assert_int_equal(wg_cudaLaunchKernelExC(&config, fill, arguments), cudaSuccess);
    config.gridDim.x = 7; // no whole clusters
    assert_int_equal(wg_cudaLaunchKernelExC(&config, fill, arguments), cudaErrorInvalidClusterSize);
    config.gridDim.x = 64;
    attribute.val.cluster.x = 32;
    assert_int_equal(wg_cudaLaunchKernelExC(&config, fill, arguments), cudaErrorInvalidClusterSize);
}

static void libraries_hold_kernels_and_variables(void **state)
{
    (void)state;
    cudaLibrary_t library;
    cudaKernel_t kernel, kernels[2];
    unsigned n = 0, *p, got = 0, value = 2;
    void *arguments[] = {&p, &value}, *address = NULL;
    size_t bytes = 0;
    const dim3 one = {1, 1, 1};
    assert_int_equal(wg_cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    assert_int_equal(wg_cudaLibraryGetKernelCount(&n, library), cudaSuccess);
    assert_int_equal(n, 2);
    assert_int_equal(wg_cudaLibraryEnumerateKernels(kernels, 2, library), cudaSuccess);
    assert_int_equal(wg_cudaLibraryGetKernel(&kernel, library, "fill"), cudaSuccess);
    assert_int_equal(wg_cudaLibraryGetKernel(&kernels[0], library, "fil"), cudaErrorSymbolNotFound);
    assert_int_equal(wg_cudaLibraryGetGlobal(&address, &bytes, library, "factor"), cudaSuccess);
    assert_int_equal(bytes, 4);
    assert_int_equal(wg_cudaMemset(address, 0, 4), cudaSuccess);
    assert_int_equal(wg_cudaMalloc((void **)&p, 64), cudaSuccess);
    assert_int_equal(wg_cudaLaunchKernel(kernel, one, one, arguments, 0, NULL), cudaSuccess);
    assert_int_equal(wg_cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(got, 0);
    assert_int_equal(wg_cudaLibraryUnload(library), cudaSuccess);
    assert_int_equal(wg_cudaLibraryGetKernel(&kernel, library, "fill"), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaLaunchKernel(kernel, one, one, arguments, 0, NULL), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cudaLibraryLoadData(&library, ".version 8.0\n.target sm_90\n.address_size 64\nnonsense", NULL, NULL, 0, NULL, NULL, 0),
                     cudaErrorInvalidPtx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_fills_memory),
        cmocka_unit_test(shapes_that_do_not_fit),
        cmocka_unit_test(shared_memory_needs_the_attribute),
        cmocka_unit_test(attributes_describe_the_kernel),
        cmocka_unit_test(a_handle_is_as_good_as_a_stub),
        cmocka_unit_test(pushed_configurations_come_back),
        cmocka_unit_test(cooperative_grids_must_be_resident),
        cmocka_unit_test(occupancy_is_that_of_the_model),
        cmocka_unit_test(clusters_must_fit),
        cmocka_unit_test(libraries_hold_kernels_and_variables),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
