// Compiles a .cu file to PTX by running nvcc or clang in a temporary folder.
#include "cli/compile.h"
#include "base/arena.h"
#include "base/embed.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLANG_NEWEST_CC = 80 };

// The first file of that name on PATH that may be executed, or NULL.
static const char *find_program(struct arena *arena, const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        const char *file = arena_printf(arena, "%.*s/%s", (int)length, path, name);
        if (length && access(file, X_OK) == 0)
            return file;
        path += length + (path[length] == ':');
    }
    return NULL;
}

static const char *find_nvcc(struct arena *arena)
{
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    const char *found = find_program(arena, "nvcc");
    return found ? found : access(usual, X_OK) == 0 ? usual : NULL;
}

static const char *find_clang(struct arena *arena)
{
    const char *found = find_program(arena, "clang");
    return found ? found : find_program(arena, "clang-14");
}

static bool run(const char *const argv[], const char *what, struct err *err)
{
    pid_t child;
    int status;
    int failed = posix_spawn(&child, argv[0], NULL, NULL, (char *const *)argv, environ);
    if (failed)
        return err_set(err, "cannot run %s: %s", argv[0], strerror(failed));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, "cannot wait for %s: %s", argv[0], strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(err, "%s could not compile the file (its messages are above)", what);
    return true;
}

// One compilation: where its files are, what comes out.
struct job {
    struct arena *arena;
    const char *source, *folder, *output;
};

static bool run_nvcc(const struct job *job, const char *nvcc, unsigned cc, struct err *err)
{
    const char *arch = arena_printf(job->arena, "-arch=compute_%u", cc);
    const char *argv[] = {nvcc, arch, "-O3", "-lineinfo", "-ptx", job->source, "-o", job->output, NULL};
    return run(argv, "nvcc", err);
}

static bool write_headers(const struct job *job, struct err *err)
{
    for (const struct embedded_file *header = embedded_headers; header->name; header++) {
        const char *path = arena_printf(job->arena, "%s/%s", job->folder, header->name);
        FILE *file = fopen(path, "w");
        if (!file || fwrite(header->text, 1, header->length, file) != header->length || fclose(file) != 0)
            return err_set(err, "cannot write %s: %s", path, strerror(errno));
    }
    return true;
}

static void remove_headers(const struct job *job)
{
    for (const struct embedded_file *header = embedded_headers; header->name; header++)
        unlink(arena_printf(job->arena, "%s/%s", job->folder, header->name));
}

static bool run_clang(const struct job *job, const char *clang, struct err *err)
{
    const char *include = arena_printf(job->arena, "-I%s", job->folder);
    const char *argv[] = {clang,
                          "-x",
                          "cuda",
                          "--cuda-device-only",
                          "-nocudainc",
                          "-nocudalib",
                          "--cuda-path=/nonexistent",
                          "--cuda-gpu-arch=sm_80",
                          "-Xclang",
                          "-target-feature",
                          "-Xclang",
                          "+ptx75",
                          "-Xclang",
                          "-target-sdk-version=11.5",
                          "-O3",
                          "-gline-tables-only",
                          include,
                          "-include",
                          "cuda_runtime.h",
                          "-S",
                          job->source,
                          "-o",
                          job->output,
                          NULL};
    bool good = write_headers(job, err) && run(argv, "clang", err);
    remove_headers(job);
    return good;
}

static bool compile(const struct job *job, unsigned cc, struct compiled *out, struct err *err)
{
    const char *nvcc = find_nvcc(job->arena), *clang = nvcc ? NULL : find_clang(job->arena);
    if (!nvcc && !clang)
        return err_set(err, "%s: neither nvcc nor clang is installed; 'apt-get install clang' is enough",
                       job->source);
    if (nvcc)
        snprintf(out->compiler, sizeof out->compiler, "nvcc (%s)", nvcc);
    else
        snprintf(out->compiler, sizeof out->compiler, "clang for sm_%d (%s)", CLANG_NEWEST_CC, clang);
    bool good = nvcc ? run_nvcc(job, nvcc, cc, err) : run_clang(job, clang, err);
    good = good && buf_read_file(&out->ptx, job->output, err);
    unlink(job->output);
    return good;
}

bool compile_cuda(const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    struct arena arena;
    const char *temporary = getenv("TMPDIR");
    *out = (struct compiled){0};
    if (access(path, R_OK) != 0)
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    arena_init(&arena, "compile");
    char *folder = arena_printf(&arena, "%s/warpglass-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    bool good = mkdtemp(folder) || err_set(err, "cannot make a folder %s: %s", folder, strerror(errno));
    if (good) {
        struct job job = {&arena, path, folder, arena_printf(&arena, "%s/out.ptx", folder)};
        good = compile(&job, cc, out, err);
        rmdir(folder);
    }
    arena_release(&arena);
    return good;
}
