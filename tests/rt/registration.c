// What compiled programs call before main: modules, managed variables, kernel handles; and taking a module away again.
#include "support/check.h"
#include "support/guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 counter = 41;\n"
                          ".visible .entry count() { .reg .b32 %r; ld.global.u32 %r, [counter]; add.u32 %r, %r, 1; "
                          "st.global.u32 [counter], %r; ret; }\n";

static void managed_variables_are_shared_with_the_host(void **state)
{
    (void)state;
    static unsigned *counter; // what the compiled program reads through
    void **module = guest_module(ptx);
    wg___cudaRegisterManagedVar(module, (void **)&counter, NULL, "counter", 0, sizeof *counter, 0, 1);
    assert_non_null(counter);
    wg___cudaInitModule(module); // before this the host does not look
    assert_int_equal(*counter, 41);
    assert_int_equal(guest_launch(guest_kernel(module, "count"), 1, 1, NULL, NULL), cudaSuccess);
    assert_int_equal(wg_cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(*counter, 42);
}

static void a_stub_has_a_handle(void **state)
{
    (void)state;
    cudaKernel_t handle = NULL, same = NULL;
    void **module = guest_module(guest_ptx);
    const void *stub = guest_kernel(module, "add");
    assert_int_equal(wg___cudaGetKernel(&handle, stub), cudaSuccess);
    assert_int_equal(wg_cudaGetFuncBySymbol(&same, stub), cudaSuccess);
    assert_ptr_equal(handle, same);
    assert_int_equal(wg___cudaGetKernel(&handle, "no stub"), cudaErrorInvalidDeviceFunction);
}

static void what_is_unregistered_is_gone(void **state)
{
    (void)state;
    static int table;
    unsigned got[4];
    void **module = guest_module(guest_ptx);
    const void *add = guest_kernel(module, "add");
    guest_variable(module, &table, "table", sizeof got);
    assert_int_equal(wg_cudaMemcpyFromSymbol(got, &table, sizeof got, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    wg___cudaUnregisterFatBinary(module);
    assert_int_equal(wg_cudaMemcpyFromSymbol(got, &table, sizeof got, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidSymbol);
    assert_int_equal(guest_launch(add, 1, 1, NULL, NULL), cudaErrorInvalidResourceHandle);
}

static void a_bad_module_is_an_error_when_it_is_used(void **state)
{
    (void)state;
    const void *kernel = guest_kernel(guest_module(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f() { nonsense; }"), "f");
    assert_int_equal(guest_launch(kernel, 1, 1, NULL, NULL), cudaErrorInvalidPtx);
    assert_int_equal(guest_launch(kernel, 1, 1, NULL, NULL), cudaErrorInvalidPtx);
}

static void libraries_come_from_files(void **state)
{
    (void)state;
    char path[] = "/tmp/library-XXXXXX";
    cudaLibrary_t library;
    unsigned n = 0, *counter = NULL;
    size_t bytes = 0;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, ptx, sizeof ptx - 1), sizeof ptx - 1);
    close(fd);
    assert_int_equal(wg_cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    assert_int_equal(wg_cudaLibraryGetKernelCount(&n, library), cudaSuccess);
    assert_int_equal(n, 1);
    assert_int_equal(wg_cudaLibraryGetManaged((void **)&counter, &bytes, library, "counter"), cudaSuccess);
    assert_int_equal(bytes, 4);
    assert_int_equal(*counter, 41);
    assert_int_equal(wg_cudaLibraryUnload(library), cudaSuccess);
    unlink(path);
    assert_int_equal(wg_cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), cudaErrorFileNotFound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(managed_variables_are_shared_with_the_host),
        cmocka_unit_test(a_stub_has_a_handle),
        cmocka_unit_test(what_is_unregistered_is_gone),
        cmocka_unit_test(a_bad_module_is_an_error_when_it_is_used),
        cmocka_unit_test(libraries_come_from_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
