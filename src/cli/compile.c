// Runs nvcc, clang or ptxas in a temporary folder.
#include "cli/compile.h"
#include "base/arena.h"
#include "cli/toolchain.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool run_words(struct toolchain *tools, const char *const *words, size_t n, const char *name, struct err *err)
{
    struct command command = {0};
    for (size_t i = 0; i < n; i++)
        command_add(&command, words[i]);
    return toolchain_run(tools, &command, name, NULL, err);
}

static bool run_nvcc(struct toolchain *tools, const char *nvcc, unsigned cc, bool wants_machine, const char *source,
                     const char *output, struct err *err)
{
    const char *arch = wants_machine ? arena_printf(tools->arena, "-gencode=arch=compute_%u,code=[sm_%u,compute_%u]", cc, cc, cc)
                                     : arena_printf(tools->arena, "-arch=compute_%u", cc);
    const char *const words[] = {nvcc, arch, "-O3", "-lineinfo", wants_machine ? "-fatbin" : "-ptx", source, "-o", output};
    return run_words(tools, words, sizeof words / sizeof words[0], "nvcc", err);
}

static bool run_clang(struct toolchain *tools, const char *clang, const char *source, const char *output,
                      struct err *err)
{
    struct command command = {0};
    if (!toolchain_write_headers(tools, err))
        return false;
    command_add(&command, clang);
    command_add_cuda(&command, tools, CLANG_CC);
    command_add_device(&command);
    command_add(&command, source);
    command_add(&command, "-o");
    command_add(&command, output);
    return toolchain_run(tools, &command, "clang", NULL, err);
}

static bool compile(struct toolchain *tools, const char *path, unsigned cc, bool wants_machine, struct compiled *out,
                    struct err *err)
{
    const char *output = arena_printf(tools->arena, "%s/out", tools->folder);
    const char *nvcc = find_nvcc(tools->arena), *clang = nvcc ? NULL : find_clang(tools->arena);
    if (!nvcc && !clang)
        return err_set(err, "%s: neither nvcc nor clang is installed; 'apt-get install clang' is enough",
                       path);
    if (nvcc)
        snprintf(out->compiler, sizeof out->compiler, "nvcc (%s)", nvcc);
    else
        snprintf(out->compiler, sizeof out->compiler, "clang for sm_%d (%s)", CLANG_CC, clang);
    out->is_binary = nvcc && wants_machine;
    bool good = nvcc ? run_nvcc(tools, nvcc, cc, wants_machine, path, output, err)
                     : run_clang(tools, clang, path, output, err);
    return good && buf_read_file(&out->code, output, err);
}

static bool assemble(struct toolchain *tools, const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    const char *output = arena_printf(tools->arena, "%s/out", tools->folder), *ptxas = find_ptxas(tools->arena);
    if (!ptxas)
        return err_set(err, "%s is PTX: machine code of it needs ptxas, which is not installed", path);
    const char *const words[] = {ptxas, arena_printf(tools->arena, "-arch=sm_%u", cc), "-lineinfo", path, "-o", output};
    snprintf(out->compiler, sizeof out->compiler, "ptxas (%s)", ptxas);
    out->is_binary = true;
    return run_words(tools, words, sizeof words / sizeof words[0], "ptxas", err) && buf_read_file(&out->code, output, err);
}

static bool begin(const char *path, struct arena *arena, struct toolchain *tools, struct compiled *out, struct err *err)
{
    *out = (struct compiled){0};
    *tools = (struct toolchain){0};
    arena_init(arena, "compile");
    if (access(path, R_OK) != 0)
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    return toolchain_open(tools, arena, err);
}

bool compile_cuda(const char *path, unsigned cc, bool wants_machine, struct compiled *out, struct err *err)
{
    struct arena arena;
    struct toolchain tools;
    bool good = begin(path, &arena, &tools, out, err) && compile(&tools, path, cc, wants_machine, out, err);
    toolchain_close(&tools);
    arena_release(&arena);
    return good;
}

bool compile_ptx(const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    struct arena arena;
    struct toolchain tools;
    bool good = begin(path, &arena, &tools, out, err) && assemble(&tools, path, cc, out, err);
    toolchain_close(&tools);
    arena_release(&arena);
    return good;
}
