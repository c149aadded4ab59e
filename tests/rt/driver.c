// The driver API: start, contexts, modules, functions, launches, the linker, libraries.
#include "rt/driver.h"
#include "support/check.h"
#include <string.h>

// out[i] = in[i] * factor + offset, one thread an element; `offset` is a variable of the module.
static const char scale_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                                ".visible .global .align 4 .u32 offset = 7;\n"
                                ".visible .const .align 4 .u32 bank[4] = {1, 2, 3, 4};\n"
                                ".visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 factor)\n"
                                "{\n"
                                ".reg .b32 %r<6>;\n.reg .b64 %d<6>;\n"
                                "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [in];\nld.param.u32 %r1, [factor];\n"
                                "mov.u32 %r2, %tid.x;\nmul.wide.u32 %d3, %r2, 4;\n"
                                "add.s64 %d1, %d1, %d3;\nadd.s64 %d2, %d2, %d3;\n"
                                "ld.global.u32 %r3, [%d2];\nld.global.u32 %r4, [offset];\n"
                                "mad.lo.u32 %r5, %r3, %r1, %r4;\nst.global.u32 [%d1], %r5;\nret;\n}\n"
                                ".visible .entry nothing()\n{\nret;\n}\n";

enum { N = 32 };

struct fixture {
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    void *in, *out;
};
static struct fixture f;

static void check(CUresult result)
{
    assert_int_equal(result, cudaSuccess);
}

static int set_up(void **state)
{
    uint32_t values[N];
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        values[i] = i + 1;
    check(wg_cuInit(0));
    check(wg_cuCtxCreate_v2(&f.context, 0, 0));
    check(wg_cuModuleLoadData(&f.module, scale_ptx));
    check(wg_cuModuleGetFunction(&f.scale, f.module, "scale"));
    check(wg_cuMemAlloc_v2(&f.in, sizeof values));
    check(wg_cuMemAlloc_v2(&f.out, sizeof values));
    check(wg_cuMemcpyHtoD_v2(f.in, values, sizeof values));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    check(wg_cuMemFree_v2(f.in));
    check(wg_cuMemFree_v2(f.out));
    check(wg_cuModuleUnload(f.module));
    check(wg_cuCtxDestroy_v2(f.context));
    return 0;
}

// out[i] must be (i + 1) * factor + offset
static void assert_scaled(uint32_t factor, uint32_t offset)
{
    uint32_t values[N];
    check(wg_cuMemcpyDtoH_v2(values, f.out, sizeof values));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(values[i], (i + 1) * factor + offset);
    check(wg_cuMemsetD32_v2(f.out, 0xdeadbeef, N));
}

// ---- start and contexts; these run first, before cuInit --------------------------------------------------------------

static void test_not_initialised(void **state)
{
    CUcontext context;
    void *pointer;
    int version = 0;
    (void)state;
    assert_int_equal(wg_cuCtxGetCurrent(&context), cudaErrorInitializationError);
    assert_int_equal(wg_cuMemAlloc_v2(&pointer, 16), cudaErrorInitializationError);
    assert_int_equal(wg_cuCtxCreate_v2(&context, 0, 0), cudaErrorInitializationError);
    check(wg_cuDriverGetVersion(&version)); // needs no start
    assert_int_equal(version, 13000);
    assert_int_equal(wg_cuInit(1), cudaErrorInvalidValue);
}

static void test_no_context(void **state)
{
    CUcontext context = (CUcontext)1;
    CUmodule module;
    void *pointer;
    (void)state;
    check(wg_cuInit(0));
    check(wg_cuCtxGetCurrent(&context));
    assert_null(context);
    assert_int_equal(wg_cuMemAlloc_v2(&pointer, 16), cudaErrorDeviceUninitialized);
    assert_int_equal(wg_cuModuleLoadData(&module, scale_ptx), cudaErrorDeviceUninitialized);
    assert_int_equal(wg_cuCtxSynchronize(), cudaErrorDeviceUninitialized);
    assert_int_equal(wg_cuCtxPopCurrent_v2(&context), cudaErrorDeviceUninitialized);
    assert_int_equal(wg_cuCtxCreate_v2(&context, 0, 1), cudaErrorInvalidDevice);
}

static void test_stack_of_contexts(void **state)
{
    CUcontext a, b, now, primary;
    CUdevice device = -1;
    unsigned flags = 0;
    int is_active = -1;
    (void)state;
    check(wg_cuCtxCreate_v4(&a, NULL, 4, 0));
    check(wg_cuCtxCreate_v2(&b, 0, 0));
    check(wg_cuCtxGetCurrent(&now));
    assert_ptr_equal(now, b);
    check(wg_cuCtxPopCurrent_v2(&now));
    assert_ptr_equal(now, b);
    check(wg_cuCtxGetFlags(&flags));
    assert_int_equal(flags, 4);
    check(wg_cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    check(wg_cuCtxDestroy_v2(b));
    assert_int_equal(wg_cuCtxPushCurrent_v2(b), cudaErrorDeviceUninitialized);
    check(wg_cuCtxDestroy_v2(a));
    check(wg_cuCtxGetCurrent(&now));
    assert_null(now);
    check(wg_cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    assert_int_equal(is_active, 0);
    check(wg_cuDevicePrimaryCtxRetain(&primary, 0));
    check(wg_cuCtxSetCurrent(primary));
    check(wg_cuCtxGetCurrent(&now));
    assert_ptr_equal(now, primary);
    check(wg_cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    assert_int_equal(is_active, 1);
    check(wg_cuCtxSetCurrent(NULL));
    check(wg_cuDevicePrimaryCtxRelease_v2(0));
    assert_int_equal(wg_cuDevicePrimaryCtxRelease_v2(0), cudaErrorDeviceUninitialized);
}

// ---- errors ----------------------------------------------------------------------------------------------------------

static void test_error_texts(void **state)
{
    const char *text;
    (void)state;
    check(wg_cuGetErrorName(cudaErrorInvalidValue, &text));
    assert_string_equal(text, "CUDA_ERROR_INVALID_VALUE");
    check(wg_cuGetErrorString(cudaErrorInvalidValue, &text));
    assert_string_equal(text, "invalid argument");
    check(wg_cuGetErrorName(cudaErrorDeviceUninitialized, &text));
    assert_string_equal(text, "CUDA_ERROR_INVALID_CONTEXT");
    assert_int_equal(wg_cuGetErrorName((CUresult)12345, &text), cudaErrorInvalidValue);
    assert_null(text);
}

// ---- launches --------------------------------------------------------------------------------------------------------

static void test_launch_with_pointers(void **state)
{
    uint32_t factor = 3;
    void *arguments[] = {&f.out, &f.in, &factor};
    (void)state;
    check(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
    assert_scaled(3, 7);
    struct CUlaunchConfig config = {1, 1, 1, N, 1, 1, 0, NULL, NULL, 0};
    factor = 4;
    check(wg_cuLaunchKernelEx(&config, f.scale, arguments, NULL));
    assert_scaled(4, 7);
}

static void test_launch_with_bytes(void **state)
{
    struct {
        void *out, *in;
        uint32_t factor;
    } block = {f.out, f.in, 5};
    size_t size = 20;
    void *extra[] = {(void *)1, &block, (void *)2, &size, NULL};
    void *arguments[] = {&f.out, &f.in, &block.factor};
    (void)state;
    check(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, NULL, extra));
    assert_scaled(5, 7);
    assert_int_equal(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, arguments, extra), cudaErrorInvalidValue);
    size = 12;
    assert_int_equal(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, NULL, extra), cudaErrorInvalidValue);
    assert_int_equal(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, NULL, NULL), cudaErrorInvalidValue);
}

static void test_launch_in_pieces(void **state)
{
    (void)state;
    check(wg_cuFuncSetBlockShape(f.scale, N, 1, 1));
    check(wg_cuParamSetv(f.scale, 0, &f.out, 8));
    check(wg_cuParamSetv(f.scale, 8, &f.in, 8));
    check(wg_cuParamSeti(f.scale, 16, 6));
    check(wg_cuParamSetSize(f.scale, 20));
    check(wg_cuLaunchGrid(f.scale, 1, 1));
    assert_scaled(6, 7);
    assert_int_equal(wg_cuParamSeti(f.scale, 4096, 6), cudaErrorInvalidValue);
}

static void test_launch_errors(void **state)
{
    uint32_t factor = 3;
    void *arguments[] = {&f.out, &f.in, &factor};
    (void)state;
    assert_int_equal(wg_cuLaunchKernel(f.scale, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), cudaErrorInvalidValue);
    assert_int_equal(wg_cuLaunchKernel((CUfunction)&factor, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
                     cudaErrorInvalidResourceHandle);
}

// ---- modules ---------------------------------------------------------------------------------------------------------

static void test_variables(void **state)
{
    void *address, *bank;
    size_t size = 0;
    uint32_t factor = 2, offset = 100, values[4];
    void *arguments[] = {&f.out, &f.in, &factor};
    (void)state;
    check(wg_cuModuleGetGlobal_v2(&address, &size, f.module, "offset"));
    assert_int_equal(size, 4);
    check(wg_cuMemcpyHtoD_v2(address, &offset, sizeof offset));
    check(wg_cuLaunchKernel(f.scale, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
    assert_scaled(2, 100);
    offset = 7;
    check(wg_cuMemcpyHtoD_v2(address, &offset, sizeof offset));
    check(wg_cuModuleGetGlobal_v2(&bank, &size, f.module, "bank"));
    assert_int_equal(size, 16);
    check(wg_cuMemcpyDtoH_v2(values, bank, sizeof values));
    assert_int_equal(values[2], 3);
    assert_int_equal(wg_cuModuleGetGlobal_v2(&bank, &size, f.module, "absent"), cudaErrorSymbolNotFound);
    assert_int_equal(wg_cuModuleGetGlobal_v2(NULL, NULL, f.module, "bank"), cudaErrorInvalidValue);
}

static void test_functions_of_a_module(void **state)
{
    CUfunction all[4] = {0}, function;
    unsigned count = 0;
    const char *name;
    CUmodule module;
    size_t offset = 0, size = 0;
    int value = -1;
    (void)state;
    check(wg_cuModuleGetFunctionCount(&count, f.module));
    assert_int_equal(count, 2);
    check(wg_cuModuleEnumerateFunctions(all, 4, f.module));
    assert_ptr_equal(all[0], f.scale);
    check(wg_cuFuncGetName(&name, all[1]));
    assert_string_equal(name, "nothing");
    assert_int_equal(wg_cuModuleGetFunction(&function, f.module, "absent"), cudaErrorSymbolNotFound);
    check(wg_cuFuncGetModule(&module, f.scale));
    assert_ptr_equal(module, f.module);
    check(wg_cuFuncGetParamInfo(f.scale, 2, &offset, &size));
    assert_int_equal(offset, 16);
    assert_int_equal(size, 4);
    assert_int_equal(wg_cuFuncGetParamInfo(f.scale, 3, &offset, &size), cudaErrorInvalidValue);
    check(wg_cuFuncGetAttribute(&value, 0, f.scale)); // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    assert_int_equal(value, 1024);
    check(wg_cuFuncGetAttribute(&value, 2, f.scale)); // CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES
    assert_int_equal(value, 16);
    check(wg_cuFuncSetAttribute(f.scale, 8, 100 << 10)); // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    check(wg_cuFuncGetAttribute(&value, 8, f.scale));
    assert_int_equal(value, 100 << 10);
    assert_int_equal(wg_cuFuncSetAttribute(f.scale, 8, 300 << 10), cudaErrorInvalidValue);
}

static void test_unloaded_module(void **state)
{
    CUmodule module;
    CUfunction function;
    void *address;
    size_t size;
    (void)state;
    check(wg_cuModuleLoadData(&module, scale_ptx));
    check(wg_cuModuleGetFunction(&function, module, "nothing"));
    check(wg_cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    check(wg_cuModuleUnload(module));
    assert_int_equal(wg_cuModuleUnload(module), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cuModuleGetGlobal_v2(&address, &size, module, "bank"), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL),
                     cudaErrorInvalidResourceHandle);
}

// The image may be gone after loading.
static void test_image_is_copied(void **state)
{
    char text[sizeof scale_ptx];
    CUmodule module;
    CUfunction function;
    (void)state;
    memcpy(text, scale_ptx, sizeof text);
    check(wg_cuModuleLoadData(&module, text));
    memset(text, 'x', sizeof text);
    check(wg_cuModuleGetFunction(&function, module, "scale"));
    check(wg_cuModuleUnload(module));
}

static void test_error_log(void **state)
{
    static const char bad[] = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nretu rn;\n";
    char log[200] = "untouched", info[20] = "untouched";
    const int names[] = {JIT_INFO_LOG, JIT_INFO_LOG_BYTES, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {info, (void *)sizeof info, log, (void *)sizeof log};
    CUmodule module;
    (void)state;
    assert_int_equal(wg_cuModuleLoadDataEx(&module, bad, 4, names, values), cudaErrorInvalidPtx);
    assert_non_null(strstr(log, ":6"));
    assert_int_equal((size_t)values[3], strlen(log));
    assert_string_equal(info, "");
    assert_int_equal((size_t)values[1], 0);
    values[1] = (void *)sizeof info;
    values[3] = (void *)8;
    assert_int_equal(wg_cuModuleLoadDataEx(&module, bad, 4, names, values), cudaErrorInvalidPtx);
    assert_int_equal(strlen(log), 7);
    values[3] = (void *)sizeof log;
    assert_int_equal(wg_cuModuleLoadDataEx(&module, "\1\2\3 no image", 4, names, values), cudaErrorInvalidKernelImage);
    assert_int_equal(wg_cuModuleLoad(&module, "/does/not/exist.ptx"), cudaErrorFileNotFound);
    assert_int_equal(wg_cuModuleLoadData(&module, NULL), cudaErrorInvalidValue);
}

// ---- the linker ------------------------------------------------------------------------------------------------------

static char caller_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                           ".extern .func (.param .b32 r) twice (.param .b32 x);\n"
                           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\n"
                           "ld.param.u64 %d1, [out];\nmov.u32 %r1, 21;\n"
                           "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
                           "call (b), twice, (a);\nld.param.b32 %r2, [b];\n}\n"
                           "st.global.u32 [%d1], %r2;\nret;\n}\n";
static char callee_ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                           ".visible .func (.param .b32 r) twice (.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
                           "ld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n";

static void test_link(void **state)
{
    CUlinkState link;
    CUmodule module;
    CUfunction function;
    void *image, *arguments[] = {&f.out};
    size_t size = 0;
    uint32_t value = 0;
    (void)state;
    check(wg_cuLinkCreate_v2(0, NULL, NULL, &link));
    check(wg_cuLinkAddData_v2(link, 1, caller_ptx, sizeof caller_ptx, "caller.ptx", 0, NULL, NULL));
    check(wg_cuLinkAddData_v2(link, 1, callee_ptx, sizeof callee_ptx, "callee.ptx", 0, NULL, NULL));
    check(wg_cuLinkComplete(link, &image, &size));
    assert_true(size > 0);
    assert_int_equal(((const char *)image)[size - 1], '\0');
    check(wg_cuModuleLoadData(&module, image));
    check(wg_cuLinkDestroy(link));
    check(wg_cuModuleGetFunction(&function, module, "k"));
    check(wg_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check(wg_cuMemcpyDtoH_v2(&value, f.out, sizeof value));
    assert_int_equal(value, 42);
    check(wg_cuModuleUnload(module));
    assert_int_equal(wg_cuLinkDestroy(link), cudaErrorInvalidResourceHandle);
}

static void test_link_errors(void **state)
{
    char log[300] = "";
    const int names[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)sizeof log};
    char bad[] = ".version 7.5\n.target sm_80\nnonsense\n";
    CUlinkState link;
    void *image;
    size_t size;
    (void)state;
    check(wg_cuLinkCreate_v2(2, names, values, &link));
    assert_int_equal(wg_cuLinkAddData_v2(link, 1, bad, sizeof bad, "bad.ptx", 0, NULL, NULL), cudaErrorInvalidPtx);
    assert_non_null(strstr(log, "bad.ptx:3"));
    assert_int_equal(wg_cuLinkAddFile_v2(link, 1, "/does/not/exist.ptx", 0, NULL, NULL), cudaErrorFileNotFound);
    values[1] = (void *)sizeof log;
    check(wg_cuLinkAddData_v2(link, 1, caller_ptx, sizeof caller_ptx, "caller.ptx", 0, NULL, NULL));
    assert_int_equal(wg_cuLinkComplete(link, &image, &size), cudaErrorUnknown);
    assert_non_null(strstr(log, "twice"));
    check(wg_cuLinkDestroy(link));
}

// ---- libraries, occupancy --------------------------------------------------------------------------------------------

static void test_library(void **state)
{
    CUlibrary library, of_kernel;
    CUfunction kernel, function, all[2];
    CUmodule module;
    const char *name;
    void *address;
    size_t size = 0;
    unsigned count = 0;
    uint32_t factor = 8;
    void *arguments[] = {&f.out, &f.in, &factor};
    (void)state;
    check(wg_cuLibraryLoadData(&library, scale_ptx, NULL, NULL, 0, NULL, NULL, 0));
    check(wg_cuLibraryGetKernelCount(&count, library));
    assert_int_equal(count, 2);
    check(wg_cuLibraryEnumerateKernels(all, 2, library));
    check(wg_cuLibraryGetKernel(&kernel, library, "scale"));
    assert_ptr_equal(kernel, all[0]);
    check(wg_cuKernelGetFunction(&function, kernel));
    check(wg_cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
    assert_scaled(8, 7);
    check(wg_cuLaunchKernel(kernel, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL)); // a kernel is a function too
    assert_scaled(8, 7);
    check(wg_cuKernelGetLibrary(&of_kernel, kernel));
    assert_ptr_equal(of_kernel, library);
    check(wg_cuFuncGetName(&name, kernel));
    assert_string_equal(name, "scale");
    check(wg_cuLibraryGetModule(&module, library));
    check(wg_cuLibraryGetGlobal(&address, &size, library, "bank"));
    assert_int_equal(size, 16);
    assert_int_equal(wg_cuLibraryGetManaged(&address, &size, library, "bank"), cudaErrorSymbolNotFound);
    check(wg_cuLibraryUnload(library));
    assert_int_equal(wg_cuLibraryGetKernel(&kernel, library, "scale"), cudaErrorInvalidResourceHandle);
    assert_int_equal(wg_cuLibraryUnload(library), cudaErrorInvalidResourceHandle);
}

// A module loaded by hand: the host reads and writes the variable where the kernel does.
static void test_managed_variable(void **state)
{
    static const char text[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 counter = 5;\n"
                               ".visible .entry k()\n{\n.reg .b32 %r<3>;\n"
                               "ld.global.u32 %r1, [counter];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [counter], %r2;\n"
                               "ret;\n}\n";
    CUlibrary library;
    CUfunction kernel;
    void *address;
    size_t size = 0;
    (void)state;
    check(wg_cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    check(wg_cuLibraryGetManaged(&address, &size, library, "counter"));
    assert_int_equal(size, 4);
    uint32_t *counter = address;
    assert_int_equal(*counter, 5);
    *counter = 30;
    check(wg_cuLibraryGetKernel(&kernel, library, "k"));
    check(wg_cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    check(wg_cuCtxSynchronize());
    assert_int_equal(*counter, 31);
    check(wg_cuLibraryUnload(library));
}

static size_t four_bytes_a_thread(int threads)
{
    return 64 * (size_t)threads;
}

static void test_occupancy(void **state)
{
    int blocks = 0, grid = 0, block = 0;
    size_t bytes = 0;
    (void)state;
    check(wg_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f.scale, 128, 16384));
    assert_int_equal(blocks, 13); // 227 KiB of shared memory, 17 KiB a block
    check(wg_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f.scale, 1024, 0));
    assert_int_equal(blocks, 2);
    check(wg_cuOccupancyMaxPotentialBlockSize(&grid, &block, f.scale, NULL, 0, 0));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 2 * 132);
    check(wg_cuOccupancyMaxPotentialBlockSize(&grid, &block, f.scale, NULL, 0, 200));
    assert_int_equal(block, 128); // 192 threads fit ten times, 128 sixteen times
    check(wg_cuOccupancyMaxPotentialBlockSize(&grid, &block, f.scale, four_bytes_a_thread, 0, 0));
    assert_true(block > 0 && grid > 0);
    check(wg_cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f.scale, 4, 128));
    assert_int_equal(bytes, 57344); // 228 KiB by 4, less the reserved KiB
    assert_int_equal(wg_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f.scale, 0, 0), cudaErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest start[] = {cmocka_unit_test(test_not_initialised), cmocka_unit_test(test_no_context),
                                       cmocka_unit_test(test_stack_of_contexts)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_texts),         cmocka_unit_test(test_launch_with_pointers),
        cmocka_unit_test(test_launch_with_bytes),   cmocka_unit_test(test_launch_in_pieces),
        cmocka_unit_test(test_launch_errors),       cmocka_unit_test(test_variables),
        cmocka_unit_test(test_functions_of_a_module), cmocka_unit_test(test_unloaded_module),
        cmocka_unit_test(test_image_is_copied),     cmocka_unit_test(test_error_log),
        cmocka_unit_test(test_link),                cmocka_unit_test(test_link_errors),
        cmocka_unit_test(test_library),             cmocka_unit_test(test_managed_variable),
        cmocka_unit_test(test_occupancy)};
    int failed = cmocka_run_group_tests_name("before cuInit", start, NULL, NULL);
    return failed + cmocka_run_group_tests_name("driver", tests, set_up, tear_down);
}
