// warpglass launch FILE.{ptx,cu}: one kernel, run on the model, reported.
#include "base/units.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "rt/fault_text.h"
#include "cli/launch_args.h"
#include "cli/module_file.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/progress.h"
#include "rt/record.h"
#include "sass/listing.h"
#include "cycle/run.h"
#include "mem/heap.h"
#include "simt/console.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct launch_request {
    const char *device, *kernel, *engine, *model, *as_ptxas, *cache_control, *export_path, *dump;
    uint32_t grid[3], block[3], cluster[3], n_threads;
    uint64_t shared_bytes;
    double timeout_seconds;
    struct option_list args, symbols, prints, saves;
    bool wants_hash, is_quiet, is_cooperative;
    struct page_request pages;
};

// Everything one launch needs, made in this order.
struct session {
    struct arena *arena;
    const struct launch_request *request;
    struct device device;
    struct module_file file;
    struct memory *memory;
    const struct kernel *kernel;
    struct launch_arg *args;
    struct launch launch;
    struct console console;
    struct heap heap;
    struct run_options options;
    struct counters *counters;
    struct run_result result;
};

// ---- --dump ----

// The kernel asked for, or all functions.
static bool dump_sass(const struct session *session, struct buf *out, struct err *err)
{
    const struct module *module = &session->file.module;
    if (!module->machine)
        return err_set(err, "--dump=sass: %s has no machine code: %s", module->path,
                       module->why_no_machine_code ? module->why_no_machine_code : "--engine ptx was asked for");
    const char *asked = session->request->kernel;
    const char *name = asked ? module_kernel_name(module, session->arena, asked, err) : NULL;
    return (name || !asked) && sass_list(module->machine, name, out, err);
}

static bool dump(const struct session *session, const char *pass, struct buf *out, struct err *err)
{
    const struct module *module = &session->file.module;
    if (strcmp(pass, "sass") == 0)
        return dump_sass(session, out, err);
    const struct ptx_image *image = module->image;
    if (!image)
        return err_set(err, "--dump=%s: %s runs as machine code; --engine ptx takes its PTX", pass, module->path);
    if (strcmp(pass, "parse") == 0) {
        ptx_print(image->module, out);
        return true;
    }
    const char *name = module_kernel_name(module, session->arena, session->request->kernel, err);
    const struct ptx_function *function = NULL;
    for (uint32_t i = 0; name && i < image->n_kernels; i++)
        if (strcmp(image->kernels[i].function->name, name) == 0)
            function = image->kernels[i].function;
    if (!function)
        return false;
    if (strcmp(pass, "cfg") == 0)
        return ptx_dump_cfg(image->module, function, out, err);
    if (strcmp(pass, "regs") == 0)
        return ptx_dump_regs(image->module, function, out, err);
    return err_set(err, "--dump=%s: the passes are parse, cfg, regs, sass", pass);
}

static bool dump_all(const struct session *session, struct err *err)
{
    struct buf text = {0};
    char *passes = arena_string(session->arena, session->request->dump, strlen(session->request->dump)),
         *state = NULL;
    bool good = true;
    for (char *pass = strtok_r(passes, ",", &state); pass && good; pass = strtok_r(NULL, ",", &state))
        good = dump(session, pass, &text, err);
    if (good)
        fwrite(text.at, 1, text.n, stdout);
    buf_release(&text);
    return good;
}

// ---- preparation ----

// NAME=SPEC: initial contents of a module variable.
static bool set_symbol(const struct session *session, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    struct launch_arg arg;
    if (!equals)
        return err_set(err, "--symbol %s: expected NAME=SPEC", text);
    const char *name = arena_string(session->arena, text, (size_t)(equals - text));
    const struct module_variable *datum = module_find_variable(&session->file.module, name);
    if (!datum)
        return err_set(err, "--symbol %s: %s has no such variable", name, session->file.module.path);
    if (!launch_arg_parse(session->arena, equals + 1, &arg, err))
        return false;
    uint64_t bytes = launch_arg_bytes(&arg);
    if (arg.kind != ARG_BUFFER || bytes > datum->size_bytes)
        return err_set(err, "--symbol %s: expected TYPE[N]=... of at most %" PRIu64 " bytes", name,
                       datum->size_bytes);
    return launch_arg_fill(&arg, memory_host(session->memory, datum->address, bytes), err);
}

static bool prepare_arguments(struct session *session, struct err *err)
{
    const struct option_list *specs = &session->request->args;
    session->args = arena_array(session->arena, struct launch_arg, specs->n);
    uint8_t *params = arena_alloc(session->arena, session->kernel->param_bytes, 16);
    for (uint32_t i = 0; i < specs->n; i++)
        if (!launch_arg_parse(session->arena, specs->at[i], &session->args[i], err))
            return false;
    session->launch.params = params;
    return launch_args_place(session->args, specs->n, session->kernel, session->memory, params, err);
}

static bool choose_kernel(struct session *session, struct err *err)
{
    struct module *module = &session->file.module;
    const char *why = NULL, *name = module_kernel_name(module, session->arena, session->request->kernel, err);
    const struct kernel *kernel = name ? module_kernel(module, session->memory, name, &why, err) : NULL;
    if (!kernel)
        return false;
    struct kernel *own = arena_new(session->arena, struct kernel);
    *own = *kernel;
    const char *as_ptxas = session->request->as_ptxas;
    kernel_count_as(own, session->device.cc, !as_ptxas || strcmp(as_ptxas, "off") != 0);
    own->why_ptx = module->images ? why : NULL; // of PTX text there is nothing to say
    session->kernel = own;
    return true;
}

static bool prepare(struct session *session, struct err *err)
{
    const struct launch_request *request = session->request;
    session->memory = memory_new(session->device.dram_bytes, err);
    if (!session->memory || !module_place(&session->file.module, session->memory, err))
        return false;
    if (!choose_kernel(session, err) || !prepare_arguments(session, err))
        return false;
    for (uint32_t i = 0; i < request->symbols.n; i++)
        if (!set_symbol(session, request->symbols.at[i], err))
            return false;
    struct launch *launch = &session->launch;
    const struct module *module = &session->file.module;
    launch->kernel = session->kernel;
    memcpy(launch->grid, request->grid, sizeof launch->grid);
    memcpy(launch->block, request->block, sizeof launch->block);
    launch_set_cluster(launch, request->cluster[0] ? request->cluster : session->kernel->required_cluster);
    launch->dynamic_shared_bytes = (uint32_t)request->shared_bytes;
    launch->constant_bytes = (uint32_t)module->constant_bytes;
    launch->constant_address = module->constant_address;
    launch->constants = module->constant_bytes
                            ? memory_host(session->memory, module->constant_address, module->constant_bytes)
                            : NULL;
    launch->memory = session->memory;
    launch->n_sms = (uint32_t)session->device.n_sms;
    launch->sm_clock_mhz = (uint32_t)session->device.sm_clock_mhz;
    launch->console = &session->console;
    launch->heap = &session->heap;
    if (request->is_cooperative)
        launch->grid_workspace = memory_alloc(session->memory, GRID_WORKSPACE_BYTES, 256, "grid workspace");
    return true;
}

// ---- run and report ----

// What the kernel itself printed.
static void show_console(const struct console *console)
{
    size_t n;
    const char *text = console_text(console, &n);
    if (n)
        fwrite(text, 1, n, stdout);
    fflush(stdout);
    if (console->errors.n)
        fwrite(console->errors.at, 1, console->errors.n, stderr);
}

static bool run(struct session *session, struct err *err)
{
    struct engine *engine = engine_new(&session->device);
    struct run_progress progress = {0};
    session->counters = arena_array(session->arena, struct counters, session->kernel->n_insns);
    session->options = (struct run_options){
        .model = session->request->model && strcmp(session->request->model, "off") == 0 ? MODEL_OFF
                                                                                        : MODEL_COUNTERS,
        .n_threads = session->request->n_threads,
        .timeout_seconds = session->request->timeout_seconds,
        .keep_caches =
            session->request->cache_control && strcmp(session->request->cache_control, "none") == 0,
        .progress = &progress};
    struct progress_line *line =
        session->request->is_quiet ? NULL : progress_start(&progress, session->kernel->name);
    bool good =
        engine_run(engine, &session->launch, &session->options, session->counters, &session->result, err);
    progress_stop(line);
    engine_delete(engine);
    show_console(&session->console);
    return good;
}

// argument[:first:n] of --print and argument=PATH of --save.
static const struct launch_arg *named_buffer(const struct session *session, const char *text, char **rest,
                                             const char *option, struct err *err)
{
    unsigned long index = strtoul(text, rest, 10);
    if (*rest != text && index < session->request->args.n && session->args[index].address)
        return &session->args[index];
    err_set(err, "--%s %s: expected the number of a buffer argument, counted from 0", option, text);
    return NULL;
}

static bool print_buffer(const struct session *session, const char *text, struct err *err)
{
    char *rest;
    const struct launch_arg *arg = named_buffer(session, text, &rest, "print", err);
    unsigned long long first = 0, n = 16;
    if (!arg)
        return false;
    if (*rest && sscanf(rest, ":%llu:%llu", &first, &n) != 2)
        return err_set(err, "--print %s: expected ARGUMENT or ARGUMENT:FIRST:COUNT", text);
    printf("argument %td [%llu..]: ", arg - session->args, first);
    return launch_arg_print(arg, session->memory, first, n, stdout) ||
           err_set(err, "--print %s: the buffer has %" PRIu64 " elements", text, arg->count);
}

static bool save_buffer(const struct session *session, const char *text, struct err *err)
{
    char *rest;
    const struct launch_arg *arg = named_buffer(session, text, &rest, "save", err);
    if (!arg)
        return false;
    if (*rest != '=' || !rest[1])
        return err_set(err, "--save %s: expected ARGUMENT=PATH", text);
    return launch_arg_save(arg, session->memory, rest + 1, err);
}

static bool show_buffers(const struct session *session, struct err *err)
{
    const struct launch_request *request = session->request;
    for (uint32_t i = 0; i < request->prints.n; i++)
        if (!print_buffer(session, request->prints.at[i], err))
            return false;
    for (uint32_t i = 0; i < request->saves.n; i++)
        if (!save_buffer(session, request->saves.at[i], err))
            return false;
    for (uint32_t i = 0; request->wants_hash && i < request->args.n; i++)
        if (session->args[i].address)
            printf("argument %u hash=%016" PRIx64 "\n", i,
                   launch_arg_hash(&session->args[i], session->memory));
    return true;
}

// Stores the launch as a profile at `path` and reads it back: what is reported is what was stored.
static const struct profile *store(const struct session *session, const char *path, const char *fault,
                                   int argc, char **argv, struct err *err)
{
    struct profile_launch record;
    const char *reason = session->request->device     ? "--device"
                         : getenv("WARPGLASS_DEVICE") ? "$WARPGLASS_DEVICE"
                                                      : "default";
    struct profile_environment environment = record_environment(session->arena, argc, argv, reason);
    record_launch(session->arena, &session->device, &session->launch, &session->options, &session->result,
                  session->counters, fault, &record);
    struct profile_writer *writer =
        profile_create(path, &environment, device_text(session->arena, &session->device), err);
    if (!writer)
        return NULL;
    bool good = profile_append(writer, &record, err);
    good = profile_close(writer, err) && good;
    return good ? profile_read(session->arena, path, err) : NULL;
}

static const struct profile *store_anywhere(const struct session *session, const char *fault, int argc,
                                            char **argv, struct err *err)
{
    if (session->request->export_path)
        return store(session, session->request->export_path, fault, argc, argv, err);
    const char *temporary = getenv("TMPDIR");
    char *path =
        arena_printf(session->arena, "%s/warpglass-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    int file = mkstemp(path);
    if (file < 0) {
        err_set(err, "cannot make a temporary file %s", path);
        return NULL;
    }
    close(file);
    const struct profile *profile = store(session, path, fault, argc, argv, err);
    unlink(path);
    return profile;
}

static int report(const struct session *session, int argc, char **argv, struct err *err)
{
    struct buf fault = {0};
    fault_describe(&session->result.fault, &session->launch, &fault);
    const struct profile *profile = store_anywhere(session, fault.at, argc, argv, err);
    int status =
        profile ? pages_print(session->arena, &session->request->pages, &profile, 1, err) : EXIT_INPUT;
    if (status == 0 && !show_buffers(session, err))
        status = EXIT_INPUT;
    if (fault.n) {
        fflush(stdout);
        fputs(fault.at, stderr);
        status = EXIT_FAULT;
    }
    buf_release(&fault);
    return status;
}

static int launch_session(struct session *session, const char *path, int argc, char **argv, struct err *err)
{
    const struct launch_request *request = session->request;
    if (!module_file_open(session->arena, path, (unsigned)session->device.cc, &session->file, err))
        return EXIT_INPUT;
    if (session->file.module.compiler && !request->is_quiet)
        fprintf(stderr, "warpglass: %s compiled with %s\n", path, session->file.module.compiler);
    if (session->file.module.taken && !request->is_quiet)
        fprintf(stderr, "warpglass: %s: %s\n", path, session->file.module.taken);
    if (request->dump)
        return dump_all(session, err) ? 0 : EXIT_INPUT;
    if (!prepare(session, err) || !run(session, err))
        return EXIT_INPUT;
    return report(session, argc, argv, err);
}

static int check(const struct launch_request *request, const struct arguments *rest)
{
    if (rest->n != 1)
        return usage_error("launch",
                           rest->n ? "one file at a time, got '%s' and '%s'" : "expected a file with kernels: .ptx, .cu, .cubin, .fatbin, .o or .so",
                           rest->n ? rest->at[0] : "", rest->n > 1 ? rest->at[1] : "");
    if (!request->dump && (!request->grid[0] || !request->block[0]))
        return usage_error("launch", "--grid and --block are needed, for example --grid 32x32 --block 32x8");
    enum engine_choice engine;
    if (request->engine && !engine_parse(request->engine, &engine))
        return usage_error("launch", "--engine %s: expected auto, ptx or sass", request->engine);
    if (request->model && strcmp(request->model, "off") != 0 && strcmp(request->model, "counters") != 0)
        return usage_error("launch", "--model %s: expected off or counters", request->model);
    if (request->as_ptxas && strcmp(request->as_ptxas, "on") != 0 && strcmp(request->as_ptxas, "off") != 0)
        return usage_error("launch", "--as-ptxas %s: expected on or off", request->as_ptxas);
    if (request->cache_control && strcmp(request->cache_control, "all") != 0 &&
        strcmp(request->cache_control, "none") != 0)
        return usage_error("launch", "--cache-control %s: expected all or none", request->cache_control);
    return pages_check("launch", &request->pages);
}

int cmd_launch(int argc, char **argv)
{
    struct launch_request request = {0};
    const struct option_row rows[] = {
        {"kernel", OPT_STRING, &request.kernel, "NAME",
         "which kernel; mangled, or plain where that is unique"},
        {"grid", OPT_SHAPE, request.grid, "SHAPE", "blocks: 4096 or 16x16"},
        {"block", OPT_SHAPE, request.block, "SHAPE", "threads of a block: 256 or 32x8"},
        {"cluster", OPT_SHAPE, request.cluster, "SHAPE", "blocks of a cluster: 2 or 2x2; without it what the kernel asks for"},
        {"shared", OPT_BYTES, &request.shared_bytes, "BYTES", "dynamic shared memory"},
        {"arg", OPT_LIST, &request.args, "SPEC",
         "next argument: 42, 1.5, u64:7, f32[1024]=iota|zero|random:SEED|file:PATH, @0"},
        {"symbol", OPT_LIST, &request.symbols, "NAME=SPEC",
         "contents of a __device__ or __constant__ variable: c=f32[16]=iota"},
        {"print", OPT_LIST, &request.prints, "ARG[:FIRST:COUNT]",
         "print elements of a buffer argument afterwards"},
        {"save", OPT_LIST, &request.saves, "ARG=PATH", "write a buffer argument to a file afterwards"},
        {"hash", OPT_FLAG, &request.wants_hash, NULL, "print the FNV-1a hash of every buffer afterwards"},
        {"cooperative", OPT_FLAG, &request.is_cooperative, NULL, "all blocks at once, for kernels with grid-wide barriers"},
        {"engine", OPT_STRING, &request.engine, "auto|ptx|sass",
         "run machine code where the device can execute all of it, else PTX (auto), or one of them only"},
        {"device", OPT_STRING, &request.device, "NAME|FILE",
         "GPU to model (else $WARPGLASS_DEVICE, else h200)"},
        {"model", OPT_STRING, &request.model, "counters|off",
         "count through the hierarchy (default), or only run"},
        {"as-ptxas", OPT_STRING, &request.as_ptxas, "on|off",
         "count shared accesses and atomics of PTX as ptxas makes them (default), or as written"},
        {"cache-control", OPT_STRING, &request.cache_control, "all|none",
         "caches start cold (default), or are kept"},
        {"threads", OPT_U32, &request.n_threads, "N",
         "host threads (default 1); the result does not depend on it"},
        {"timeout", OPT_REAL, &request.timeout_seconds, "SECONDS",
         "end the launch when it takes longer, and say where it stands (default: never)"},
        {"export|o", OPT_STRING, &request.export_path, "FILE", "keep the profile"},
        {"dump", OPT_STRING, &request.dump, "parse,cfg,regs,sass", "print what a pass made of the file, and stop"},
        {"quiet", OPT_FLAG, &request.is_quiet, NULL, "no progress, no remarks"},
        PAGE_OPTIONS(&request.pages),
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "launch FILE.{ptx,cu,cubin,fatbin,o,so} --kernel NAME --grid SHAPE --block SHAPE --arg SPEC...",
        "Runs one kernel on the model of a GPU and reports its memory traffic.", rows, &rest);
    if (status != OPTIONS_GO || (status = check(&request, &rest)) != OPTIONS_GO)
        return status;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "launch");
    struct session session = {.arena = &arena, .request = &request};
    if (request.engine)
        engine_parse(request.engine, &session.file.module.engine);
    status = choose_device(&arena, request.device, &session.device);
    if (status == EXIT_LOADED)
        status = launch_session(&session, rest.at[0], argc, argv, &err);
    if (err.set)
        err_print(&err, stderr);
    heap_release(&session.heap, session.memory);
    console_release(&session.console);
    if (session.memory)
        memory_delete(session.memory);
    module_close(&session.file);
    arena_release(&arena);
    return status;
}
