// Modules that programs load by hand through the runtime API (CUDA 12.8 and later).
#include "rt/api.h"
#include "rt/driver.h"

cudaError_t wg_cudaLibraryLoadData(cudaLibrary_t *library, const void *image, int *jit_options, void **jit_values,
                                   unsigned n_jit, int *options, void **values, unsigned n)
{
    (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    return RT_CALL(rt, image ? library_load(rt, image, NULL, library) : cudaErrorInvalidValue);
}

cudaError_t wg_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, int *jit_options, void **jit_values,
                                       unsigned n_jit, int *options, void **values, unsigned n)
{
    (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    return RT_CALL(rt, path ? library_load_file(rt, path, NULL, library) : cudaErrorInvalidValue);
}

cudaError_t wg_cudaLibraryUnload(cudaLibrary_t library)
{
    return RT_CALL(rt, library_unload(rt, library));
}

cudaError_t wg_cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    return RT_CALL(rt, library_function(rt, library, name, kernel));
}

cudaError_t wg_cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    return RT_CALL(rt, library_count(rt, library, count));
}

cudaError_t wg_cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
{
    return RT_CALL(rt, library_list(rt, library, kernels, n));
}

cudaError_t wg_cudaLibraryGetGlobal(void **address, size_t *size_bytes, cudaLibrary_t library, const char *name)
{
    return RT_CALL(rt, library_variable(rt, library, name, address, size_bytes));
}

// A managed variable's guest address is its host address.
cudaError_t wg_cudaLibraryGetManaged(void **address, size_t *size_bytes, cudaLibrary_t library, const char *name)
{
    return RT_CALL(rt, library_variable(rt, library, name, address, size_bytes));
}
