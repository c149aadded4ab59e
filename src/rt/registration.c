// What compiled programs call before main: their fatbins, kernels and variables. Called by constructors, so nothing here
// may fail loudly: a bad image is an error when something of it is first used.
#include "rt/api.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const char *program_name(void)
{
    return program_invocation_short_name;
}

void **wg___cudaRegisterFatBinary(void *wrapper)
{
    struct rt *rt = rt_enter();
    struct image_list images = {0};
    struct err err = {0};
    bool is_good = fatbin_scan_wrapper(wrapper, &images, &err);
    struct rt_module *module = module_register(rt, images, program_name());
    if (!is_good) {
        console_error(&err);
        module->state = MODULE_FAILED;
        module->error = cudaErrorInvalidKernelImage;
    }
    rt_leave(rt, cudaSuccess);
    return (void **)module;
}

void wg___cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void wg___cudaUnregisterFatBinary(void **handle)
{
    struct rt *rt = rt_enter();
    struct rt_module *module = (struct rt_module *)handle;
    for (struct rt_function *f = module->functions; f; f = f->next)
        if (f->stub)
            map_set(&rt->functions, (const char *)&f->stub, sizeof f->stub, NULL);
    for (struct rt_variable *v = module->variables; v; v = v->next)
        map_set(&rt->variables, (const char *)&v->symbol, sizeof v->symbol, NULL);
    module_unload(rt, module);
    rt_leave(rt, cudaSuccess);
}

void wg___cudaRegisterFunction(void **handle, const char *stub, char *device_function, const char *name,
                               int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct rt *rt = rt_enter();
    struct rt_function *function = module_add_function(rt, (struct rt_module *)handle, name);
    function->stub = stub;
    map_set(&rt->functions, (const char *)&function->stub, sizeof function->stub, function);
    rt_leave(rt, cudaSuccess);
}

static struct rt_variable *add_variable(struct rt *rt, struct rt_module *module, const void *symbol,
                                        const char *name, uint64_t size_bytes)
{
    struct rt_variable *variable = arena_new(&module->arena, struct rt_variable);
    *variable = (struct rt_variable){.next = module->variables,
                                     .symbol = symbol,
                                     .module = module,
                                     .name = arena_string(&module->arena, name, strlen(name)),
                                     .size_bytes = size_bytes};
    module->variables = variable;
    map_set(&rt->variables, (const char *)&variable->symbol, sizeof variable->symbol, variable);
    return variable;
}

void wg___cudaRegisterVar(void **handle, char *symbol, char *device_address, const char *name, int is_external,
                          size_t size_bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_external, (void)is_global;
    struct rt *rt = rt_enter();
    struct rt_variable *variable = add_variable(rt, (struct rt_module *)handle, symbol, name, size_bytes);
    variable->is_constant = is_constant;
    rt_leave(rt, cudaSuccess);
}

// The program reads and writes such a variable through *symbol, after __cudaInitModule.
void wg___cudaRegisterManagedVar(void **handle, void **symbol, char *device_address, const char *name,
                                 int is_external, size_t size_bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_external, (void)is_constant, (void)is_global;
    struct rt *rt = rt_enter();
    struct rt_variable *variable = add_variable(rt, (struct rt_module *)handle, symbol, name, size_bytes);
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !memory_add_host(rt->memory, memory, size_bytes, "__managed__ variable"))
        err_memory("managed variable", size_bytes);
    variable->managed = memory;
    *symbol = memory;
    rt_leave(rt, cudaSuccess);
}

// Managed variables need their initial values before the host looks at them; all else is loaded when used.
char wg___cudaInitModule(void **handle)
{
    struct rt *rt = rt_enter();
    struct rt_module *module = (struct rt_module *)handle;
    for (struct rt_variable *v = module->variables; v; v = v->next)
        if (v->managed) {
            module_load(rt, module);
            break;
        }
    rt_leave(rt, cudaSuccess);
    return 1;
}

cudaError_t wg___cudaGetKernel(cudaKernel_t *out, const void *stub)
{
    struct rt *rt = rt_enter();
    struct rt_function *function = function_of(rt, stub);
    *out = function;
    return rt_leave(rt, function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
