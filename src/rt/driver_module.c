// cuModule…: images loaded by hand.
#include "rt/driver.h"
#include <stdlib.h>
#include <string.h>

// ---- options of the compiler -------------------------------------------------------------------------------------

size_t jit_value(const struct jit_options *options, enum jit_option option, size_t otherwise)
{
    for (unsigned i = 0; i < options->n; i++)
        if (options->names[i] == (int)option)
            return (size_t)(uintptr_t)options->values[i];
    return otherwise;
}

static void set_value(const struct jit_options *options, enum jit_option option, size_t value)
{
    for (unsigned i = 0; i < options->n; i++)
        if (options->names[i] == (int)option)
            options->values[i] = (void *)(uintptr_t)value;
}

void jit_log(const struct jit_options *options, enum jit_option buffer, const char *text)
{
    enum jit_option size = buffer == JIT_INFO_LOG ? JIT_INFO_LOG_BYTES : JIT_ERROR_LOG_BYTES;
    char *out = (char *)(uintptr_t)jit_value(options, buffer, 0);
    size_t room = jit_value(options, size, 0), n = strlen(text);
    if (!out || room == 0)
        return;
    n = n < room ? n : room - 1;
    memcpy(out, text, n);
    out[n] = '\0';
    set_value(options, size, n);
}

// As compilers write it: "FILE:LINE: error: TEXT".
static void describe(const struct err *err, struct buf *out)
{
    buf_puts(out, err->file);
    if (err->line)
        buf_printf(out, ":%u", err->line);
    buf_printf(out, "%serror: %s\n", err->file[0] ? ": " : "", err->text);
    if (err->source[0])
        buf_printf(out, "    %s\n", err->source);
}

void jit_report(const struct jit_options *options, const char *info, const struct err *err)
{
    struct buf text = {0};
    if (err->set)
        describe(err, &text);
    jit_log(options, JIT_INFO_LOG, info);
    jit_log(options, JIT_ERROR_LOG, text.n ? text.at : "");
    set_value(options, JIT_WALL_TIME, 0); // the bits of 0.0f, milliseconds: always the same output
    if (err->set && !jit_value(options, JIT_ERROR_LOG, 0))
        console_error(err);
    buf_release(&text);
}

// ---- loading -----------------------------------------------------------------------------------------------------

// The caller may free the image after the call.
static void own_images(struct rt_module *module, size_t max_registers)
{
    for (size_t i = 0; i < module->images.n; i++) {
        struct image *image = &module->images.at[i];
        image->payload = arena_copy(&module->arena, image->payload, image->payload_bytes, 16);
        if (max_registers)
            snprintf(image->options, sizeof image->options, "-maxrregcount=%zu", max_registers);
    }
}

// A module that failed to load: nobody has heard of it.
static void discard(struct rt *rt, struct rt_module *module)
{
    module_unload(rt, module);
    arena_release(&module->arena);
    free(module);
}

static cudaError_t load(struct rt *rt, struct image_list images, const char *path, const struct jit_options *options,
                        struct rt_module **out)
{
    struct err err = {0};
    struct rt_module *module = module_register(rt, images, path);
    own_images(module, jit_value(options, JIT_MAX_REGISTERS, 0));
    cudaError_t error = module_open(rt, module, &err);
    bool is_verbose = jit_value(options, JIT_LOG_VERBOSE, 0) && module->module.taken;
    jit_report(options, is_verbose ? module->module.taken : "", &err);
    if (error)
        discard(rt, module);
    else
        *out = module;
    return error;
}

static const struct jit_options no_options;

static cudaError_t fail_scan(struct image_list *images, const struct jit_options *options, const struct err *err)
{
    image_list_release(images);
    jit_report(options, "", err);
    return cudaErrorInvalidKernelImage; // CUDA_ERROR_INVALID_IMAGE
}

cudaError_t module_load_image(struct rt *rt, const void *image, const char *path, const struct jit_options *options,
                              struct rt_module **out)
{
    struct image_list images = {0};
    struct err err = {0};
    options = options ? options : &no_options;
    if (!image || !out || (options->n && (!options->names || !options->values)))
        return cudaErrorInvalidValue;
    if (!image_scan_memory(image, &images, &err))
        return fail_scan(&images, options, &err);
    return load(rt, images, path, options, out);
}

cudaError_t module_load_file(struct rt *rt, const char *path, const struct jit_options *options,
                             struct rt_module **out)
{
    struct image_list images = {0};
    struct err err = {0};
    struct buf file = {0};
    options = options ? options : &no_options;
    if (!path || !out || (options->n && (!options->names || !options->values)))
        return cudaErrorInvalidValue;
    if (!buf_read_file(&file, path, &err)) {
        jit_report(options, "", &err);
        return cudaErrorFileNotFound;
    }
    bool is_good = image_scan(path, file.at, file.n, &images, &err);
    cudaError_t error = is_good ? load(rt, images, path, options, out) : fail_scan(&images, options, &err);
    buf_release(&file);
    return error;
}

bool module_is_known(struct rt *rt, const struct rt_module *module)
{
    for (const struct rt_module *m = rt->modules; m; m = m->next)
        if (m == module)
            return true;
    return false;
}

// ---- cuModuleLoad… -----------------------------------------------------------------------------------------------

static const char in_memory[] = "module"; // the name that errors and reports give to an image without a file

CUresult wg_cuModuleLoadData(CUmodule *out, const void *image)
{
    return DRIVER_CALL(rt, module_load_image(rt, image, in_memory, NULL, out));
}

CUresult wg_cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n_options, const int *options, void **values)
{
    const struct jit_options given = {n_options, options, values};
    return DRIVER_CALL(rt, module_load_image(rt, image, in_memory, &given, out));
}

CUresult wg_cuModuleLoad(CUmodule *out, const char *path)
{
    return DRIVER_CALL(rt, module_load_file(rt, path, NULL, out));
}

static cudaError_t unload(struct rt *rt, CUmodule module)
{
    if (!module_is_known(rt, module))
        return cudaErrorInvalidResourceHandle;
    module_unload(rt, module);
    return cudaSuccess;
}

CUresult wg_cuModuleUnload(CUmodule module)
{
    return DRIVER_CALL(rt, unload(rt, module));
}

CUresult wg_cuModuleGetLoadingMode(int *mode)
{
    enum { LAZY = 2 }; // CU_MODULE_LAZY_LOADING: kernels are lowered when they are first used
    if (mode)
        *mode = LAZY;
    return DRIVER_INIT_CALL(rt, mode ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- what a module holds -----------------------------------------------------------------------------------------

static cudaError_t get_function(struct rt *rt, CUfunction *out, CUmodule module, const char *name)
{
    if (!out || !name)
        return cudaErrorInvalidValue;
    if (!module_is_known(rt, module))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = module_load(rt, module);
    if (error)
        return error;
    struct rt_function *function = module_function(rt, module, name);
    if (!function)
        return cudaErrorSymbolNotFound;
    error = function_load(rt, function);
    if (!error)
        *out = function;
    return error;
}

CUresult wg_cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    return DRIVER_CALL(rt, get_function(rt, out, module, name));
}

cudaError_t module_function_count(struct rt *rt, struct rt_module *module, unsigned *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    if (!module_is_known(rt, module))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = module_load(rt, module);
    if (!error)
        *count = module->module.n_kernels;
    return error;
}

cudaError_t module_function_list(struct rt *rt, struct rt_module *module, struct rt_function **out, unsigned n)
{
    unsigned count;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = module_function_count(rt, module, &count);
    for (unsigned i = 0; !error && i < n && i < count; i++)
        out[i] = module_function(rt, module, module->module.kernels[i]);
    return error;
}

CUresult wg_cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    return DRIVER_CALL(rt, module_function_count(rt, module, count));
}

CUresult wg_cuModuleEnumerateFunctions(CUfunction *out, unsigned n, CUmodule module)
{
    return DRIVER_CALL(rt, module_function_list(rt, module, out, n));
}

static cudaError_t get_global(struct rt *rt, void **out, size_t *size_bytes, CUmodule module, const char *name)
{
    uint64_t address, bytes;
    if ((!out && !size_bytes) || !name)
        return cudaErrorInvalidValue;
    if (!module_is_known(rt, module))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = module_variable(rt, module, name, &address, &bytes);
    if (error)
        return error;
    if (out)
        *out = (void *)(uintptr_t)address;
    if (size_bytes)
        *size_bytes = bytes;
    return cudaSuccess;
}

CUresult wg_cuModuleGetGlobal_v2(void **out, size_t *size_bytes, CUmodule module, const char *name)
{
    return DRIVER_CALL(rt, get_global(rt, out, size_bytes, module, name));
}
