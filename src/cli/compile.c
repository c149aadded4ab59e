// Compiles a .cu file to PTX by running nvcc or clang in a temporary folder.
#include "cli/compile.h"
#include "base/embed.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_PATH = 512, CLANG_NEWEST_CC = 80 };

// The first file of that name on PATH that may be executed.
static bool find_program(const char *name, char out[static MAX_PATH])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(out, MAX_PATH, "%.*s/%s", (int)length, path, name);
        if (length && access(out, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static bool find_nvcc(char out[static MAX_PATH])
{
    if (find_program("nvcc", out))
        return true;
    snprintf(out, MAX_PATH, "/usr/local/cuda/bin/nvcc");
    return access(out, X_OK) == 0;
}

static bool find_clang(char out[static MAX_PATH])
{
    return find_program("clang", out) || find_program("clang-14", out);
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

static bool run_nvcc(const char *nvcc, const char *path, unsigned cc, const char *output, struct err *err)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=compute_%u", cc);
    const char *argv[] = {nvcc, arch, "-O3", "-lineinfo", "-ptx", path, "-o", output, NULL};
    return run(argv, "nvcc", err);
}

static bool write_headers(const char *folder, struct err *err)
{
    for (const struct embedded_file *header = embedded_headers; header->name; header++) {
        char path[MAX_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, header->name);
        FILE *file = fopen(path, "w");
        if (!file || fwrite(header->text, 1, header->length, file) != header->length || fclose(file) != 0)
            return err_set(err, "cannot write %s: %s", path, strerror(errno));
    }
    return true;
}

static void remove_headers(const char *folder)
{
    for (const struct embedded_file *header = embedded_headers; header->name; header++) {
        char path[MAX_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, header->name);
        unlink(path);
    }
}

static bool run_clang(const char *clang, const char *path, const char *folder, const char *output, struct err *err)
{
    char include[MAX_PATH];
    snprintf(include, sizeof include, "-I%s", folder);
    const char *argv[] = {clang, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                    "--cuda-path=/nonexistent", "--cuda-gpu-arch=sm_80", "-Xclang", "-target-feature", "-Xclang",
                    "+ptx75", "-Xclang", "-target-sdk-version=11.5", "-O3", "-gline-tables-only", include, "-include",
                    "cuda_runtime.h", "-S", path, "-o", output, NULL};
    bool good = write_headers(folder, err) && run(argv, "clang", err);
    remove_headers(folder);
    return good;
}

static bool compile_in(const char *folder, const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    char compiler[MAX_PATH], output[MAX_PATH];
    bool good;
    snprintf(output, sizeof output, "%s/out.ptx", folder);
    if (find_nvcc(compiler)) {
        snprintf(out->compiler, sizeof out->compiler, "nvcc (%.200s)", compiler);
        good = run_nvcc(compiler, path, cc, output, err);
    } else if (find_clang(compiler)) {
        snprintf(out->compiler, sizeof out->compiler, "clang (%.200s, sm_%d)", compiler, CLANG_NEWEST_CC);
        good = run_clang(compiler, path, folder, output, err);
    } else {
        return err_set(err, "%s: neither nvcc nor clang is installed; 'apt-get install clang' is enough", path);
    }
    good = good && buf_read_file(&out->ptx, output, err);
    unlink(output);
    return good;
}

bool compile_cuda(const char *path, unsigned cc, struct compiled *out, struct err *err)
{
    const char *temporary = getenv("TMPDIR");
    char folder[MAX_PATH];
    snprintf(folder, sizeof folder, "%s/warpglass-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    *out = (struct compiled){0};
    if (access(path, R_OK) != 0)
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    if (!mkdtemp(folder))
        return err_set(err, "cannot make a folder %s: %s", folder, strerror(errno));
    bool good = compile_in(folder, path, cc, out, err);
    rmdir(folder);
    return good;
}
