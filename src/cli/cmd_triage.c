// warpglass triage FILE...: what logs, cubins and device texts say before anything runs, worst kernel first.
#include "base/expr.h"
#include "cli/commands.h"
#include "cli/module_file.h"
#include "cli/options.h"
#include "cli/triage_device.h"
#include "cli/triage_text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct triage_options {
    const char *device, *log_file;
    uint32_t block, top;
    bool csv, json, all_lines;
    struct option_list fail_on;
};

struct triage_run {
    struct arena *arena;
    const struct triage_options *options;
    struct triage t;
    struct triage_verdict *verdicts;
    size_t n;
};

// ---- reading --------------------------------------------------------------------------------------------

// Kernels of PTX: lowered for their needs; registers are estimated.
enum { HIGHEST_CC = 999 }; // of several images the newest

static double volume(const uint32_t extents[3])
{
    return (double)extents[0] * (extents[1] ? extents[1] : 1) * (extents[2] ? extents[2] : 1);
}

static void fill_from_ptx(struct triage_kernel *k, const struct kernel *kernel)
{
    double threads = volume(kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads);
    k->registers_are_estimated = true;
    k->values[TRIAGE_registers] = kernel->registers;
    k->values[TRIAGE_barriers] = kernel->n_block_barriers;
    k->values[TRIAGE_shared_bytes] = kernel->static_shared_bytes;
    k->values[TRIAGE_stack_bytes] = kernel->local_bytes;
    k->values[TRIAGE_parameter_bytes] = kernel->param_bytes;
    if (threads > 0)
        k->values[TRIAGE_max_threads] = threads;
    if (kernel->has_recursion || kernel->has_indirect_calls)
        triage_trap(k, TRAP_STACK_UNKNOWN);
}

// "sm_90a" to 90.
static unsigned target_of(const struct ptx_module *module)
{
    const char *digits = module->target ? strpbrk(module->target, "0123456789") : NULL;
    return digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
}

// Kernels of PTX: lowered for their needs; registers are estimated. What the engine does not know leaves its
// row without numbers.
static bool read_ptx(struct triage_run *run, const char *path, struct err *err)
{
    struct module_file file = {.module.engine = ENGINE_PTX};
    bool is_good = module_file_open(run->arena, path, HIGHEST_CC, &file, err);
    struct ptx_image *image = file.module.image;
    is_good = is_good && (image || err_set(err, "'%s' holds no device code that can be read", path));
    const char *place = arena_string(run->arena, path, strlen(path));
    for (uint32_t i = 0; is_good && i < image->n_kernels; i++) {
        struct err own = {0};
        const char *name = image->kernels[i].function->name;
        struct triage_kernel *k =
            triage_add(&run->t, TRIAGE_FROM_PTX, place, name, strlen(name), target_of(image->module));
        const struct kernel *kernel = ptx_image_kernel(image, name, &own);
        if (kernel)
            fill_from_ptx(k, kernel);
    }
    module_close(&file);
    return is_good;
}

static bool read_file(struct triage_run *run, const char *path, struct err *err)
{
    struct buf bytes = {0};
    bool is_ptx, is_good = buf_read_file(&bytes, path, err);
    size_t n_before = run->t.kernels.n, n_devices = run->t.devices.n;
    is_good = is_good && triage_read(&run->t, path, bytes.at ? bytes.at : "", bytes.n, &is_ptx, err);
    buf_release(&bytes);
    if (is_good && run->t.kernels.n == n_before && run->t.devices.n == n_devices)
        is_good = read_ptx(run, path, err); // PTX text, or files that hold PTX only
    return is_good;
}

// ---- judging --------------------------------------------------------------------------------------------

static bool judge(struct triage_run *run, struct err *err)
{
    struct triage_devices devices;
    if (!triage_devices_open(&devices, &run->t, run->options->device, err))
        return false;
    run->n = run->t.kernels.n;
    run->verdicts = arena_array(run->arena, struct triage_verdict, run->n);
    for (size_t i = 0; i < run->n; i++) {
        bool is_assumed;
        struct triage_kernel *kernel = run->t.kernels.at[i];
        const struct device *device = triage_device_of(&devices, kernel, &is_assumed);
        run->verdicts[i] = triage_judge(&run->t, kernel, device, run->options->block);
        run->verdicts[i].is_device_assumed = is_assumed;
    }
    triage_sort(run->verdicts, run->n);
    return run->n > 0 || err_set(err, "0 kernels found: nothing can be judged by a device alone");
}

// ---- --fail-on ------------------------------------------------------------------------------------------

enum { N_NAMES = N_TRIAGE_VALUES + N_TRIAGE_TRAPS };

static double value_of(const struct triage_kernel *k, const char *name)
{
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        if (strcmp(triage_value_info((enum triage_value)i)->name, name) == 0)
            return k->values[i];
    for (int i = 0; i < N_TRIAGE_TRAPS; i++)
        if (strcmp(triage_trap_info((enum triage_trap)i)->name, name) == 0)
            return k->traps >> i & 1;
    return (double)NAN;
}

static bool read_gate(struct triage_run *run, const char *text, struct expr *out, struct err *err)
{
    const char *names[N_NAMES];
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        names[i] = triage_value_info((enum triage_value)i)->name;
    for (int i = 0; i < N_TRIAGE_TRAPS; i++)
        names[N_TRIAGE_VALUES + i] = triage_trap_info((enum triage_trap)i)->name;
    return expr_parse(run->arena, "--fail-on", text, EXPR_REAL, out, err) &&
           expr_check_names(out, names, N_NAMES, err);
}

// What no file told closes no gate; it is said.
static void say_unknown(const struct triage_run *run, const struct expr *gate)
{
    for (uint32_t v = 0; v < gate->n_names; v++) {
        size_t n = 0;
        for (size_t i = 0; i < run->n; i++)
            n += isnan(value_of(run->verdicts[i].kernel, gate->names[v])) != 0;
        if (n)
            fprintf(stderr, "%s: %s is not known of %zu of %zu kernels\n", gate->text, gate->names[v], n, run->n);
    }
}

// How many kernels a gate closes on; each is named on standard error.
static uint32_t run_gate(struct triage_run *run, const struct expr *gate)
{
    uint32_t n_failed = 0;
    double *values = arena_array(run->arena, double, gate->n_names);
    for (size_t i = 0; i < run->n; i++) {
        const struct triage_kernel *k = run->verdicts[i].kernel;
        for (uint32_t v = 0; v < gate->n_names; v++)
            values[v] = value_of(k, gate->names[v]);
        double result = expr_eval_real(gate, values);
        if (isnan(result) || result == 0)
            continue;
        fprintf(stderr, "%s sm_%u: %s holds\n", *k->name ? k->name : "(without a name)", k->cc, gate->text);
        n_failed++;
    }
    say_unknown(run, gate);
    return n_failed;
}

static int run_gates(struct triage_run *run, struct err *err)
{
    uint32_t n_failed = 0;
    for (uint32_t i = 0; i < run->options->fail_on.n; i++) {
        struct expr gate;
        if (!read_gate(run, run->options->fail_on.at[i], &gate, err))
            return EXIT_USAGE;
        n_failed += run_gate(run, &gate);
    }
    return n_failed ? EXIT_THRESHOLD : 0;
}

// ---- the command ----------------------------------------------------------------------------------------

static int print(const struct triage_run *run, struct err *err)
{
    const struct triage_options *options = run->options;
    size_t n = options->top && options->top < run->n ? options->top : run->n;
    struct triage_report report = {(struct triage *)&run->t, run->verdicts, n, options->all_lines};
    struct buf text = {0};
    (options->json ? triage_json : options->csv ? triage_csv : triage_print)(&report, &text);
    if (n < run->n && !options->json && !options->csv)
        buf_printf(&text, "and %zu more kernels (--top)\n", run->n - n);
    FILE *out = options->log_file ? fopen(options->log_file, "w") : stdout;
    bool good = out && fwrite(text.at, 1, text.n, out) == text.n && fflush(out) == 0;
    if (out && options->log_file)
        good &= fclose(out) == 0;
    buf_release(&text);
    if (good)
        return 0;
    err_set(err, "cannot write '%s': %s", options->log_file ? options->log_file : "standard output",
            strerror(errno));
    return EXIT_INPUT;
}

static int triage(struct triage_run *run, const struct arguments *files, struct err *err)
{
    for (uint32_t i = 0; i < files->n; i++)
        if (!read_file(run, files->at[i], err))
            return EXIT_INPUT;
    triage_finish(&run->t);
    if (!judge(run, err))
        return EXIT_INPUT;
    int status = print(run, err);
    return status ? status : run_gates(run, err);
}

int cmd_triage(int argc, char **argv)
{
    struct triage_options options = {0};
    const struct option_row rows[] = {
        {"device", OPT_STRING, &options.device, "NAME|FILE",
         "device to judge for (that of a device text, else of the target)"},
        {"block", OPT_U32, &options.block, "N",
         "threads of a block (what the kernel is bounded to, else 256)"},
        {"top", OPT_U32, &options.top, "N", "only the N worst kernels"},
        {"lines", OPT_FLAG, &options.all_lines, NULL, "every source line of the memory mix"},
        {"csv", OPT_FLAG, &options.csv, NULL, "one row a kernel"},
        {"json", OPT_FLAG, &options.json, NULL, "print JSON"},
        {"fail-on", OPT_LIST, &options.fail_on, "EXPR",
         "exit 1 if it holds for a kernel: 'occupancy<0.5 || spill_bytes>0'"},
        {"log-file", OPT_STRING, &options.log_file, "FILE", "write the answer there"},
        {0}};
    struct arguments files;
    int status = options_parse(
        argc, argv, "triage [options] FILE...",
        "Which kernel hurts and why, from what lies around: logs with ptxas -v or nvlink -v, what "
        "cuobjdump -res-usage\nprinted, cubins, fatbins, objects, libraries, executables, PTX, and "
        "deviceQuery or nvidia-smi text\nfor the device.",
        rows, &files);
    if (status != OPTIONS_GO)
        return status;
    if (!files.n)
        return usage_error("triage", "name at least one file");
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "triage");
    struct triage_run run = {.arena = &arena, .options = &options};
    triage_init(&run.t, &arena);
    status = triage(&run, &files, &err);
    if (err.set)
        err_print(&err, stderr);
    triage_release(&run.t);
    arena_release(&arena);
    return status;
}
