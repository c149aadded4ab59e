// Kernel launches: checks, parameters, the run, its record.
#include "rt/fault_text.h"
#include "rt/limits.h"
#include "rt/op.h"
#include "rt/record.h"
#include <stdlib.h>
#include <string.h>

const uint8_t *kernel_pack(struct arena *arena, const struct kernel *kernel, void **arguments)
{
    uint8_t *params = arena_alloc(arena, kernel->param_bytes, 16);
    for (uint32_t i = 0; i < kernel->n_params; i++)
        memcpy(params + kernel->params[i].offset, arguments[i], kernel->params[i].size_bytes);
    return params;
}

// ---- checks ---------------------------------------------------------------------------------------------

struct kernel_needs function_needs(const struct rt_function *function, uint32_t threads, uint32_t shared_bytes)
{
    const struct kernel *k = function->kernel;
    return (struct kernel_needs){
        .threads = threads,
        .registers = k->registers,
        .static_shared_bytes = k->static_shared_bytes,
        .dynamic_shared_bytes = shared_bytes,
        .max_dynamic_shared_bytes =
            function->max_dynamic_shared_bytes > 0 ? (uint32_t)function->max_dynamic_shared_bytes : 0,
        .barriers = k->n_block_barriers};
}

static uint64_t volume(const uint32_t shape[3])
{
    return (uint64_t)shape[0] * shape[1] * shape[2];
}

static struct kernel_needs needs_of(const struct op_kernel *op)
{
    uint64_t threads = volume(op->block);
    struct kernel_needs needs =
        function_needs(op->function, threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads, op->shared_bytes);
    memcpy(needs.block, op->block, sizeof needs.block);
    memcpy(needs.grid, op->grid, sizeof needs.grid);
    needs.cluster = op->cluster[0] ? (uint32_t)volume(op->cluster) : 0;
    return needs;
}

// Shapes and shared memory beyond the limits are invalid values, too many registers are a lack of resources, as the
// driver reports them (measured: error_case lines of features.cu on an H200).
cudaError_t kernel_check(struct rt *rt, const struct op_kernel *op)
{
    struct kernel_needs needs = needs_of(op), without_registers = needs;
    const struct kernel *kernel = op->function->kernel;
    struct err err = {0}, rest = {0};
    uint32_t most_threads = (uint32_t)volume(kernel->max_threads);
    if (volume(op->grid) == 0 || volume(op->block) == 0)
        return cudaErrorInvalidValue;
    if (most_threads && volume(op->block) > most_threads)
        return cudaErrorInvalidValue;
    for (int i = 0; i < 3 && kernel->required_threads[0]; i++)
        if (op->block[i] != (kernel->required_threads[i] ? kernel->required_threads[i] : 1))
            return cudaErrorInvalidValue;
    if (launch_check(&rt->device, &needs, &err)) {
        struct occupancy occupancy = occupancy_of(&rt->device, &needs);
        uint64_t most = (uint64_t)occupancy.blocks_per_sm * rt->device.n_sms;
        return op->is_cooperative && volume(op->grid) > most ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
    }
    rt_explain(rt, kernel->name, "launch of %s: %s", op->function->plain, err.text);
    without_registers.registers = 1;
    if (needs.cluster > 1) {
        needs.cluster = 0;
        if (launch_check(&rt->device, &needs, &rest))
            return cudaErrorInvalidClusterSize;
    }
    return launch_check(&rt->device, &without_registers, &rest) ? cudaErrorLaunchOutOfResources
                                                                : cudaErrorInvalidValue;
}

// ---- the run --------------------------------------------------------------------------------------------

// Whether this launch is measured: --kernel-name, --launch-skip, --launch-count.
static bool is_measured(struct rt *rt, const struct rt_function *function)
{
    if (!rt->config.measures || !function->is_selected)
        return false;
    uint64_t number = rt->n_matching++;
    return number >= rt->config.launch_skip && number - rt->config.launch_skip < rt->config.launch_count;
}

// Zeroed for each cooperative launch.
static uint64_t grid_workspace(struct rt *rt)
{
    if (!rt->grid_workspace)
        rt->grid_workspace = memory_alloc(rt->memory, GRID_WORKSPACE_BYTES, 8, "grid barrier");
    void *bytes = memory_host(rt->memory, rt->grid_workspace, GRID_WORKSPACE_BYTES);
    if (bytes)
        memset(bytes, 0, GRID_WORKSPACE_BYTES);
    return rt->grid_workspace;
}

static void fill_launch(struct rt *rt, const struct rt_stream *stream, const struct op_kernel *op, struct launch *out)
{
    const struct module *module = &op->function->module->module;
    *out = (struct launch){.kernel = op->function->kernel,
                           .dynamic_shared_bytes = op->shared_bytes,
                           .params = op->params,
                           .constant_bytes = (uint32_t)module->constant_bytes,
                           .constant_address = module->constant_address,
                           .memory = rt->memory,
                           .textures = rt->textures,
                           .n_textures = rt->n_textures,
                           .n_sms = (uint32_t)rt->device.n_sms,
                           .launch_id = rt->n_launches++,
                           .console = &rt->console,
                           .heap = &rt->heap,
                           .stack_bytes = (uint32_t)rt->limits[LIMIT_STACK_BYTES],
                           .sm_clock_mhz = (uint32_t)rt->device.sm_clock_mhz,
                           .begin_ns = (uint64_t)stream->ready_ns};
    memcpy(out->grid, op->grid, sizeof out->grid);
    memcpy(out->block, op->block, sizeof out->block);
    launch_set_cluster(out, op->cluster);
    out->has_carveout = op->carveout_percent >= 0;
    out->carveout_percent = out->has_carveout ? (uint32_t)op->carveout_percent : 0;
    if (op->is_cooperative)
        out->grid_workspace = grid_workspace(rt);
    if (module->constant_bytes)
        out->constants = memory_host(rt->memory, module->constant_address, module->constant_bytes);
}

static void show_progress(struct rt *rt, const char *kernel)
{
    if (rt->config.progress)
        snprintf(rt->config.progress->kernel, sizeof rt->config.progress->kernel, "%s", kernel);
}

// What belongs to the kernel goes into the profile once.
static bool append_kernel(struct rt *rt, struct rt_function *function, struct err *err)
{
    if (function->is_in_profile)
        return true;
    struct profile_launch part = {0};
    profile_describe_kernel(&rt->launch_arena, function->kernel, &part);
    return function->is_in_profile = profile_add_kernel(rt->writer, &part, &function->profile_id, err);
}

static void append_record(struct rt *rt, const struct rt_stream *stream, struct rt_function *function,
                          const struct launch *launch, const struct run_options *options,
                          const struct run_result *result)
{
    struct err err = {0};
    struct buf fault = {0};
    struct profile_launch record;
    fault_describe(&result->fault, launch, &fault);
    record_run(&rt->device, launch, options, result, rt->counters, fault.n ? fault.at : NULL, &record);
    record.stream = stream->id;
    if (!append_kernel(rt, function, &err) ||
        !profile_add_launch(rt->writer, function->profile_id, &record, rt->counters, launch->kernel->n_insns, &err))
        rt_explain(rt, "profile", "%s", err.text);
    buf_release(&fault);
}

// Zeroed counters for the kernel's instructions; the memory is kept from launch to launch.
static void clear_counters(struct rt *rt, uint32_t n_insns)
{
    if (n_insns > rt->n_counters) {
        free(rt->counters);
        rt->counters = malloc(n_insns * sizeof *rt->counters);
        if (!rt->counters)
            err_memory("counters", n_insns * sizeof *rt->counters);
        rt->n_counters = n_insns;
    }
    memset(rt->counters, 0, n_insns * sizeof *rt->counters);
}

static void take_fault(struct rt *rt, const struct launch *launch, const struct fault *fault)
{
    struct buf text = {0};
    rt->pending = error_of_fault(fault);
    fault_describe(fault, launch, &text);
    bool is_told = rt->writer || fault->kind == FAULT_ASSERT; // by the report, or by the console
    if (!is_told && text.n)
        console_assert(text.at, text.n);
    buf_release(&text);
}

cudaError_t kernel_execute(struct rt *rt, struct rt_stream *stream, const struct op_kernel *op, double *ns)
{
    struct err err = {0};
    struct launch launch;
    struct run_result result;
    fill_launch(rt, stream, op, &launch);
    bool is_selected = is_measured(rt, op->function);
    struct run_options options = {.model = is_selected ? rt->config.model : MODEL_OFF,
                                  .n_threads = rt->config.n_threads,
                                  .keep_caches = rt->config.keep_caches,
                                  .timeout_seconds = rt->config.timeout_seconds,
                                  .progress = rt->config.progress ? &rt->config.progress->run : NULL};
    clear_counters(rt, launch.kernel->n_insns);
    show_progress(rt, op->function->plain);
    if (!engine_run(rt->engine, &launch, &options, rt->counters, &result, &err)) {
        rt_explain(rt, op->function->name, "launch of %s: %s", op->function->plain, err.text);
        return cudaErrorInvalidValue;
    }
    show_progress(rt, "");
    if (rt->writer && (is_selected || result.fault.kind != FAULT_NONE)) // a fault is told whatever was selected
        append_record(rt, stream, op->function, &launch, &options, &result);
    if (result.fault.kind != FAULT_NONE)
        take_fault(rt, &launch, &result.fault);
    *ns = LAUNCH_NS + device_cycles_to_ns(&rt->device, (double)result.cycles);
    arena_clear(&rt->launch_arena);
    return cudaSuccess;
}
