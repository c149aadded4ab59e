// Compiles a .cu file to PTX by running nvcc or clang in a temporary folder.
#include "cli/compile.h"
#include "base/arena.h"
#include "cli/toolchain.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool run_nvcc(struct toolchain *tools, const char *nvcc, unsigned cc, const char *source,
                     const char *output, struct err *err)
{
    const char *arch = arena_printf(tools->arena, "-arch=compute_%u", cc);
    const char *const words[] = {nvcc, arch, "-O3", "-lineinfo", "-ptx", source, "-o", output};
    struct command command = {0};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        command_add(&command, words[i]);
    return toolchain_run(tools, &command, "nvcc", NULL, err);
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

static bool compile(struct toolchain *tools, const char *path, unsigned cc, struct compiled *out,
                    struct err *err)
{
    const char *output = arena_printf(tools->arena, "%s/out.ptx", tools->folder);
    const char *nvcc = find_nvcc(tools->arena), *clang = nvcc ? NULL : find_clang(tools->arena);
    if (!nvcc && !clang)
        return err_set(err, "%s: neither nvcc nor clang is installed; 'apt-get install clang' is enough",
                       path);
    if (nvcc)
        snprintf(out->compiler, sizeof out->compiler, "nvcc (%s)", nvcc);
    else
        snprintf(out->compiler, sizeof out->compiler, "clang for sm_%d (%s)", CLANG_CC, clang);
    bool good =
        nvcc ? run_nvcc(tools, nvcc, cc, path, output, err) : run_clang(tools, clang, path, output, err);
    return good && buf_read_file(&out->ptx, output, err);
}

bool compile_cuda(const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    struct arena arena;
    struct toolchain tools;
    *out = (struct compiled){0};
    if (access(path, R_OK) != 0)
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    arena_init(&arena, "compile");
    bool good = toolchain_open(&tools, &arena, err) && compile(&tools, path, cc, out, err);
    toolchain_close(&tools);
    arena_release(&arena);
    return good;
}
