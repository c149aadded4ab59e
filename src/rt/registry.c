// Modules, functions and variables of the program: known by registration, loaded when first used.
#include "image/cubin.h"
#include "prof/demangle.h"
#include "rt/rt.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- modules --------------------------------------------------------------------------------------------

struct rt_module *module_register(struct rt *rt, struct image_list images, const char *path)
{
    struct rt_module *module = calloc(1, sizeof *module);
    if (!module)
        err_memory("module", sizeof *module);
    *module = (struct rt_module){.next = rt->modules, .images = images};
    arena_init(&module->arena, "module");
    module->module.path = arena_string(&module->arena, path, strlen(path));
    rt->modules = module;
    return module;
}

// Managed variables lie in host memory: where the program that registered them knows them already, else in pages of
// their own (modules loaded by hand).
static bool place_managed(struct rt *rt, struct rt_module *module, struct err *err)
{
    struct module *m = &module->module;
    for (struct rt_variable *v = module->variables; v; v = v->next) {
        struct module_variable *known = v->managed ? module_find_variable(m, v->name) : NULL;
        if (known) {
            known->address = (uint64_t)(uintptr_t)v->managed;
            known->is_managed = true;
        }
    }
    for (uint32_t i = 0; i < m->n_variables; i++) {
        struct module_variable *known = &m->variables[i];
        if (!known->is_managed || known->address)
            continue;
        void *pages = mmap(NULL, known->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || !memory_add_host(rt->memory, pages, known->size_bytes, "__managed__ variable"))
            return err_set(err, "no room for the managed variable %s", known->name);
        known->address = (uint64_t)(uintptr_t)pages;
    }
    return true;
}

static cudaError_t open_images(struct rt *rt, struct rt_module *module, struct err *err)
{
    unsigned cc = (unsigned)rt->device.cc;
    module->module.engine = rt->config.engine;
    if (!image_choose(&module->images, cc, false) &&
        (rt->config.engine == ENGINE_PTX || !image_choose(&module->images, cc, true))) {
        image_fail_choice(module->module.path, &module->images, cc, err);
        return cudaErrorNoKernelImageForDevice;
    }
    if (!module_of_images(&module->arena, &module->images, cc, &module->module, err))
        return cudaErrorInvalidPtx;
    return place_managed(rt, module, err) && module_place(&module->module, rt->memory, err)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t module_open(struct rt *rt, struct rt_module *module, struct err *err)
{
    if (module->state != MODULE_REGISTERED)
        return module->error;
    module->error = open_images(rt, module, err);
    module->state = module->error ? MODULE_FAILED : MODULE_LOADED;
    return module->error;
}

cudaError_t module_load(struct rt *rt, struct rt_module *module)
{
    struct err err = {0};
    cudaError_t error = module_open(rt, module, &err);
    if (err.set)
        console_error(&err);
    return error;
}

void module_reset(struct rt_module *module, struct memory *memory)
{
    struct err err = {0};
    if (module->state == MODULE_LOADED && !module_write(&module->module, memory, &err))
        BUG("%s: initial values cannot be written again: %s", module->module.path, err.text);
}

static void free_places(struct rt *rt, struct rt_module *module)
{
    const struct module *m = &module->module;
    for (uint32_t i = 0; i < m->n_variables; i++)
        if (m->variables[i].is_managed)
            memory_remove_host(rt->memory, (void *)(uintptr_t)m->variables[i].address);
        else if (!m->variables[i].is_constant)
            memory_free(rt->memory, m->variables[i].address);
    if (m->constant_bytes)
        memory_free(rt->memory, m->constant_address);
}

void module_unload(struct rt *rt, struct rt_module *module)
{
    struct rt_module **link = &rt->modules;
    while (*link && *link != module)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = module->next;
    if (module->state == MODULE_LOADED)
        free_places(rt, module);
    for (struct rt_function *f = module->functions; f; f = f->next)
        map_set(&rt->kernels, (const char *)&f->self, sizeof f->self, NULL);
    image_list_release(&module->images);
    module->state = MODULE_FAILED; // handles may still point here
    module->error = cudaErrorInvalidResourceHandle;
}

// ---- functions ------------------------------------------------------------------------------------------

struct rt_function *module_add_function(struct rt *rt, struct rt_module *module, const char *name)
{
    struct rt_function *function = arena_new(&module->arena, struct rt_function);
    *function = (struct rt_function){.next = module->functions,
                                     .module = module,
                                     .self = function,
                                     .name = arena_string(&module->arena, name, strlen(name)),
                                     .max_dynamic_shared_bytes = -1,
                                     .carveout_percent = -1};
    function->plain = demangle_base(&module->arena, demangle(&module->arena, name, DEMANGLE_NVIDIA));
    function->is_selected = rt_config_selects(&rt->config, function->plain);
    module->functions = function;
    map_set(&rt->kernels, (const char *)&function->self, sizeof function->self, function);
    return function;
}

struct rt_function *module_function(struct rt *rt, struct rt_module *module, const char *name)
{
    for (struct rt_function *f = module->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f;
    const struct module *m = &module->module;
    for (uint32_t i = 0; module->state == MODULE_LOADED && i < m->n_kernels; i++)
        if (strcmp(m->kernels[i], name) == 0)
            return module_add_function(rt, module, name);
    return NULL;
}

struct rt_function *function_of(struct rt *rt, const void *stub_or_handle)
{
    struct rt_function *function = map_get(&rt->functions, (const char *)&stub_or_handle, sizeof stub_or_handle);
    return function ? function : map_get(&rt->kernels, (const char *)&stub_or_handle, sizeof stub_or_handle);
}

// What ptxas made of the kernel, from the cubin beside the PTX: exact registers where the device could run it.
static void take_cubin(struct rt *rt, struct rt_function *function, struct kernel *kernel)
{
    struct rt_module *module = function->module;
    const struct image *image = image_choose(&module->images, (unsigned)rt->device.cc, true);
    struct cubin cubin;
    struct err err = {0};
    const char *bytes;
    size_t n;
    if (!image || image->kind != IMAGE_CUBIN || !image_decode(&module->arena, image, &bytes, &n, &err) ||
        !cubin_read(&module->arena, module->module.path, bytes, n, &cubin, &err))
        return;
    for (uint32_t i = 0; i < cubin.n_kernels; i++)
        if (cubin.kernels[i].registers && strcmp(cubin.kernels[i].name, kernel->name) == 0) {
            kernel->registers = cubin.kernels[i].registers;
            kernel->registers_are_estimated = false;
            kernel->stack_bytes = cubin.kernels[i].stack_bytes;
            function->local_bytes = cubin.kernels[i].stack_bytes + cubin.kernels[i].local_bytes;
        }
}

cudaError_t function_load(struct rt *rt, struct rt_function *function)
{
    struct err err = {0};
    if (function->kernel)
        return cudaSuccess;
    cudaError_t error = module_load(rt, function->module);
    if (error)
        return error;
    if (function->is_broken)
        return cudaErrorInvalidPtx;
    const char *why = NULL;
    const struct kernel *kernel = module_kernel(&function->module->module, rt->memory, function->name, &why, &err);
    if (!kernel) {
        function->is_broken = true;
        console_error(&err);
        return cudaErrorInvalidPtx;
    }
    struct kernel *own = arena_new(&function->module->arena, struct kernel);
    *own = *kernel;
    kernel_count_as(own, rt->device.cc, !rt->config.counts_as_written);
    own->why_ptx = why;
    function->local_bytes = kernel->local_bytes;
    if (kernel->registers_are_estimated)
        take_cubin(rt, function, own);
    function->kernel = own;
    return cudaSuccess;
}

// ---- variables ------------------------------------------------------------------------------------------

cudaError_t module_variable(struct rt *rt, struct rt_module *module, const char *name, uint64_t *address,
                            uint64_t *size_bytes)
{
    cudaError_t error = module_load(rt, module);
    if (error)
        return error;
    const struct module_variable *found = module_find_variable(&module->module, name);
    if (!found)
        return cudaErrorSymbolNotFound;
    *address = found->address;
    *size_bytes = found->size_bytes;
    return cudaSuccess;
}

cudaError_t variable_of(struct rt *rt, const void *symbol, uint64_t *address, uint64_t *size_bytes)
{
    struct rt_variable *variable = map_get(&rt->variables, (const char *)&symbol, sizeof symbol);
    if (!variable)
        return cudaErrorInvalidSymbol;
    if (!variable->address) {
        cudaError_t error =
            module_variable(rt, variable->module, variable->name, &variable->address, &variable->size_bytes);
        if (error)
            return error == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : error;
    }
    *address = variable->address;
    *size_bytes = variable->size_bytes;
    return cudaSuccess;
}
