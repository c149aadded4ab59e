// warpglass isa ptx: the instructions that run, from the table; with files, which of their kernels can run.
// warpglass isa sass: those of the machine (isa_sass.h).
#include "base/err.h"
#include "cli/commands.h"
#include "cli/isa_sass.h"
#include "cli/module_file.h"
#include "cli/options.h"
#include "ptx/op.h"
#include <stdio.h>
#include <string.h>

static const char *const unit_names[N_UNITS] = {"alu", "fma", "fp64",    "fp16",    "mufu",  "conv",
                                                "lsu", "tex", "control", "uniform", "tensor", "barrier"};

static void print_ptx(bool csv)
{
    puts(csv ? "instruction,types,suffixes,unit,status"
             : "instruction  unit     status       types; suffixes\n"
               "-----------  -------  -----------  ---------------");
    for (uint32_t row = 0; row < op_count(); row++) {
        struct op_info info = op_info(row);
        if (info.name[0] == '%') // made by lowering, not written
            continue;
        if (csv)
            printf("%s,%s,%s,%s,%s\n", info.name, info.types, info.suffixes, unit_names[info.unit],
                   info.status);
        else
            printf("%-12s %-8s %-12s %s%s%s\n", info.name, unit_names[info.unit], info.status, info.types,
                   *info.suffixes ? "; " : "", info.suffixes);
    }
}

// ---- files ----------------------------------------------------------------------------------------------

#define CHECK_MEMORY_BYTES (64ull << 30) // reserved for variables, used as far as they are large

struct checked {
    uint32_t n_files, n_good_files, n_kernels, n_good_kernels;
};

// In CSV, quotes of the text are doubled.
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' ? "\"\"" : "%c", *text);
    putchar('"');
}

static void print_refused(bool csv, const char *path, const char *kernel, const struct err *err)
{
    if (!csv) {
        printf("%s:%u:%u: %s\n", *err->file ? err->file : path, err->line, err->column, err->text);
        return;
    }
    print_quoted(path);
    printf(",%s,refused,%u,", kernel, err->line);
    print_quoted(err->text);
    putchar('\n');
}

static void check_kernels(const char *path, struct module *module, struct memory *memory, bool csv, struct checked *out)
{
    uint32_t n_good = 0;
    for (uint32_t i = 0; i < module->n_kernels; i++) {
        struct err err = {0};
        const char *name = module->kernels[i];
        if (!module_kernel(module, memory, name, NULL, &err)) {
            print_refused(csv, path, name, &err);
            continue;
        }
        n_good++;
        if (csv) {
            print_quoted(path);
            printf(",%s,runs,,\n", name);
        }
    }
    out->n_kernels += module->n_kernels;
    out->n_good_kernels += n_good;
    out->n_good_files += n_good == module->n_kernels;
}

static void check_file(const char *path, bool csv, struct checked *out)
{
    enum { CC = 90 };
    struct arena arena;
    struct module_file file = {.module = {.engine = ENGINE_PTX}};
    struct err err = {0};
    arena_init(&arena, "file");
    struct memory *memory = memory_new(CHECK_MEMORY_BYTES, &err);
    out->n_files++;
    if (memory && module_file_open(&arena, path, CC, &file, &err) && module_place(&file.module, memory, &err))
        check_kernels(path, &file.module, memory, csv, out);
    if (err.set)
        print_refused(csv, path, "", &err);
    if (memory)
        module_close(&file);
    memory_delete(memory);
    arena_release(&arena);
}

static int check_files(const struct arguments *rest, bool csv)
{
    struct checked sum = {0};
    if (csv)
        puts("file,kernel,status,line,reason");
    for (uint32_t i = 1; i < rest->n; i++)
        check_file(rest->at[i], csv, &sum);
    if (!csv)
        printf("%u of %u kernels can run, in %u of %u files all of them\n", sum.n_good_kernels, sum.n_kernels,
               sum.n_good_files, sum.n_files);
    return sum.n_good_files < sum.n_files;
}

int cmd_isa(int argc, char **argv)
{
    bool csv = false;
    const char *decode = NULL;
    uint32_t cc = 90;
    const struct option_row rows[] = {
        {"csv", OPT_FLAG, &csv, NULL, "comma-separated"},
        {"decode", OPT_STRING, &decode, "FILE|-", "sass: print encodings (lines: low word, high word, byte offset) as text"},
        {"sm", OPT_U32, &cc, "N", "sass: of which architecture the encodings are (90)"},
        {0}};
    struct arguments rest;
    int status = options_parse(argc, argv, "isa ptx|sass [FILE...] [options]",
                               "Lists the supported instructions with their types, suffixes and fidelity. With files "
                               "(.ptx, .cu, .fatbin, .o, .so): tells which of their kernels cannot run, and why; exits 1 "
                               "if there is one.",
                               rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    bool is_sass = rest.n == 1 && strcmp(rest.at[0], "sass") == 0;
    if (rest.n < 1 || (!is_sass && strcmp(rest.at[0], "ptx") != 0))
        return usage_error("isa", "expected the instruction set: ptx or sass");
    if (decode && !is_sass)
        return usage_error("isa", "--decode: of sass only");
    if (decode)
        return isa_decode(decode, cc);
    if (is_sass) {
        isa_print_sass(csv, unit_names);
        return 0;
    }
    if (rest.n > 1)
        return check_files(&rest, csv);
    print_ptx(csv);
    return 0;
}
