// Libraries and kernels: modules that belong to no context. A kernel and its function are one object here.
#include "rt/driver.h"
#include <stdlib.h>
#include <string.h>

// ---- for both APIs -------------------------------------------------------------------------------------------------

static bool is_known(struct rt *rt, const struct rt_library *library)
{
    for (const struct rt_library *l = driver_state(rt)->libraries; l; l = l->next)
        if (l == library)
            return l->module != NULL;
    return false;
}

static struct rt_library *library_new(struct rt *rt, struct rt_module *module)
{
    struct rt_library *library = arena_new(&rt->arena, struct rt_library);
    *library = (struct rt_library){.next = driver_state(rt)->libraries, .module = module};
    driver_state(rt)->libraries = library;
    return library;
}

cudaError_t library_load(struct rt *rt, const void *image, const struct jit_options *options, struct rt_library **out)
{
    struct rt_module *module;
    cudaError_t error = out ? module_load_image(rt, image, "library", options, &module) : cudaErrorInvalidValue;
    if (!error)
        *out = library_new(rt, module);
    return error;
}

cudaError_t library_load_file(struct rt *rt, const char *path, const struct jit_options *options,
                              struct rt_library **out)
{
    struct rt_module *module;
    cudaError_t error = out ? module_load_file(rt, path, options, &module) : cudaErrorInvalidValue;
    if (!error)
        *out = library_new(rt, module);
    return error;
}

cudaError_t library_unload(struct rt *rt, struct rt_library *library)
{
    if (!is_known(rt, library))
        return cudaErrorInvalidResourceHandle;
    module_unload(rt, library->module);
    library->module = NULL;
    return cudaSuccess;
}

cudaError_t library_function(struct rt *rt, struct rt_library *library, const char *name, struct rt_function **out)
{
    if (!out || !name)
        return cudaErrorInvalidValue;
    if (!is_known(rt, library))
        return cudaErrorInvalidResourceHandle;
    struct rt_function *function = module_function(rt, library->module, name);
    if (!function)
        return cudaErrorSymbolNotFound;
    *out = function;
    return cudaSuccess;
}

cudaError_t library_count(struct rt *rt, struct rt_library *library, unsigned *count)
{
    return is_known(rt, library) ? module_function_count(rt, library->module, count) : cudaErrorInvalidResourceHandle;
}

cudaError_t library_list(struct rt *rt, struct rt_library *library, struct rt_function **out, unsigned n)
{
    return is_known(rt, library) ? module_function_list(rt, library->module, out, n)
                                 : cudaErrorInvalidResourceHandle;
}

cudaError_t library_variable(struct rt *rt, struct rt_library *library, const char *name, void **out,
                             size_t *size_bytes)
{
    uint64_t address, bytes;
    if ((!out && !size_bytes) || !name)
        return cudaErrorInvalidValue;
    if (!is_known(rt, library))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = module_variable(rt, library->module, name, &address, &bytes);
    if (error)
        return error;
    if (out)
        *out = (void *)(uintptr_t)address;
    if (size_bytes)
        *size_bytes = bytes;
    return cudaSuccess;
}

// ---- cuLibrary… ----------------------------------------------------------------------------------------------------

// The options of libraries concern functions that host and device share and the life of the image: none has an effect.
CUresult wg_cuLibraryLoadData(CUlibrary *out, const void *image, const int *options, void **values, unsigned n_options,
                              const int *library_options, void **library_values, unsigned n_library_options)
{
    const struct jit_options given = {n_options, options, values};
    (void)library_options, (void)library_values, (void)n_library_options;
    return DRIVER_INIT_CALL(rt, library_load(rt, image, &given, out));
}

CUresult wg_cuLibraryLoadFromFile(CUlibrary *out, const char *path, const int *options, void **values,
                                  unsigned n_options, const int *library_options, void **library_values,
                                  unsigned n_library_options)
{
    const struct jit_options given = {n_options, options, values};
    (void)library_options, (void)library_values, (void)n_library_options;
    return DRIVER_INIT_CALL(rt, library_load_file(rt, path, &given, out));
}

CUresult wg_cuLibraryUnload(CUlibrary library)
{
    return DRIVER_INIT_CALL(rt, library_unload(rt, library));
}

CUresult wg_cuLibraryGetKernel(CUfunction *out, CUlibrary library, const char *name)
{
    return DRIVER_INIT_CALL(rt, library_function(rt, library, name, out));
}

CUresult wg_cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    return DRIVER_INIT_CALL(rt, library_count(rt, library, count));
}

CUresult wg_cuLibraryEnumerateKernels(CUfunction *out, unsigned n, CUlibrary library)
{
    return DRIVER_INIT_CALL(rt, library_list(rt, library, out, n));
}

static cudaError_t library_module(struct rt *rt, CUmodule *out, CUlibrary library)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!is_known(rt, library))
        return cudaErrorInvalidResourceHandle;
    *out = library->module;
    return cudaSuccess;
}

CUresult wg_cuLibraryGetModule(CUmodule *out, CUlibrary library)
{
    return DRIVER_CALL(rt, library_module(rt, out, library));
}

CUresult wg_cuLibraryGetGlobal(void **out, size_t *size_bytes, CUlibrary library, const char *name)
{
    return DRIVER_CALL(rt, library_variable(rt, library, name, out, size_bytes));
}

static cudaError_t library_managed(struct rt *rt, void **out, size_t *size_bytes, CUlibrary library, const char *name)
{
    void *address;
    cudaError_t error = library_variable(rt, library, name, &address, size_bytes);
    if (error)
        return error;
    if (is_guest((uint64_t)(uintptr_t)address))
        return cudaErrorSymbolNotFound; // a variable, but no managed one
    if (out)
        *out = address;
    return cudaSuccess;
}

CUresult wg_cuLibraryGetManaged(void **out, size_t *size_bytes, CUlibrary library, const char *name)
{
    return DRIVER_INIT_CALL(rt, library_managed(rt, out, size_bytes, library, name));
}

// ---- cuKernel… -----------------------------------------------------------------------------------------------------

static cudaError_t kernel_function(struct rt *rt, CUfunction *out, CUfunction kernel)
{
    struct rt_function *function = function_of(rt, kernel);
    if (!out)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = function_load(rt, function);
    if (!error)
        *out = function;
    return error;
}

CUresult wg_cuKernelGetFunction(CUfunction *out, CUfunction kernel)
{
    return DRIVER_CALL(rt, kernel_function(rt, out, kernel));
}

static cudaError_t kernel_library(struct rt *rt, CUlibrary *out, CUfunction kernel)
{
    const struct rt_function *function = function_of(rt, kernel);
    if (!out)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidResourceHandle;
    for (struct rt_library *l = rt->driver->libraries; l; l = l->next)
        if (l->module == function->module) {
            *out = l;
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle; // of a module
}

CUresult wg_cuKernelGetLibrary(CUlibrary *out, CUfunction kernel)
{
    return DRIVER_INIT_CALL(rt, kernel_library(rt, out, kernel));
}

CUresult wg_cuKernelGetAttribute(int *value, int attribute, CUfunction kernel, CUdevice device)
{
    if (device != 0)
        return DRIVER_INIT_CALL(rt, cudaErrorInvalidDevice);
    return wg_cuFuncGetAttribute(value, attribute, kernel);
}

CUresult wg_cuKernelSetAttribute(int attribute, int value, CUfunction kernel, CUdevice device)
{
    if (device != 0)
        return DRIVER_INIT_CALL(rt, cudaErrorInvalidDevice);
    return wg_cuFuncSetAttribute(kernel, attribute, value);
}

CUresult wg_cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice device)
{
    if (device != 0)
        return DRIVER_INIT_CALL(rt, cudaErrorInvalidDevice);
    return wg_cuFuncSetCacheConfig(kernel, config);
}
