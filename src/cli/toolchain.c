// Finds and runs compilers; writes the embedded CUDA headers out for clang.
#include "cli/toolchain.h"
#include "base/embed.h"
#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void command_add(struct command *command, const char *word)
{
    if (command->n < MAX_WORDS) {
        command->at[command->n] = word;
        command->at[command->n + 1] = NULL;
    }
    command->n++;
}

void command_add_all(struct command *command, const struct command *words)
{
    for (int i = 0; i < words->n && i < MAX_WORDS; i++)
        command_add(command, words->at[i]);
}

// ---- finding --------------------------------------------------------------------------------------------

const char *find_program(struct arena *arena, const char *name)
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

const char *find_nvcc(struct arena *arena)
{
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    const char *found = find_program(arena, "nvcc");
    return found ? found : access(usual, X_OK) == 0 ? usual : NULL;
}

const char *find_ptxas(struct arena *arena)
{
    static const char usual[] = "/usr/local/cuda/bin/ptxas";
    const char *found = find_program(arena, "ptxas");
    return found ? found : access(usual, X_OK) == 0 ? usual : NULL;
}

const char *find_clang(struct arena *arena)
{
    const char *found = find_program(arena, "clang");
    return found ? found : find_program(arena, "clang-14");
}

// ---- the temporary folder -------------------------------------------------------------------------------

bool toolchain_open(struct toolchain *tools, struct arena *arena, struct err *err)
{
    const char *temporary = getenv("TMPDIR");
    *tools = (struct toolchain){.arena = arena};
    char *folder = arena_printf(arena, "%s/warpglass-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return err_set(err, "cannot make a folder %s: %s", folder, strerror(errno));
    tools->folder = folder;
    tools->headers = arena_printf(arena, "%s/include", folder);
    tools->is_open = true;
    return true;
}

static bool write_file(const char *path, const void *bytes, size_t n, struct err *err)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(bytes, 1, n, file) == n;
    if (file && fclose(file) != 0)
        good = false;
    return good || err_set(err, "cannot write %s: %s", path, strerror(errno));
}

bool toolchain_write_headers(struct toolchain *tools, struct err *err)
{
    if (mkdir(tools->headers, 0700) != 0)
        return err_set(err, "cannot make a folder %s: %s", tools->headers, strerror(errno));
    for (const struct embedded_file *header = embedded_headers; header->name; header++) {
        const char *slash = strrchr(header->name, '/');
        if (slash) {
            const char *folder = arena_printf(tools->arena, "%s/%.*s", tools->headers,
                                              (int)(slash - header->name), header->name);
            if (mkdir(folder, 0700) != 0 && errno != EEXIST)
                return err_set(err, "cannot make a folder %s: %s", folder, strerror(errno));
        }
        if (!write_file(arena_printf(tools->arena, "%s/%s", tools->headers, header->name), header->text,
                        header->length, err))
            return false;
    }
    return true;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void toolchain_close(struct toolchain *tools)
{
    enum { OPEN_FOLDERS = 8 };
    if (tools->is_open)
        nftw(tools->folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    tools->is_open = false;
}

// ---- running --------------------------------------------------------------------------------------------

static void print_command(const struct command *command)
{
    for (int i = 0; i < command->n; i++)
        fprintf(stderr, "%s%s", i ? " " : "", command->at[i]);
    fputc('\n', stderr);
}

static void pass_on(int from, struct buf *messages)
{
    char chunk[4096];
    for (ssize_t n; (n = read(from, chunk, sizeof chunk)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0)
            fwrite(chunk, 1, (size_t)n, stderr);
        if (n > 0 && messages)
            buf_add(messages, chunk, (size_t)n);
    }
}

static bool wait_for(pid_t child, const char *what, struct err *err)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, "cannot wait for %s: %s", what, strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(err, "%s could not compile the file (its messages are above)", what);
    return true;
}

bool toolchain_run(struct toolchain *tools, const struct command *command, const char *what,
                   struct buf *messages, struct err *err)
{
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (command->n > MAX_WORDS)
        return err_set(err, "too many words for %s: %d, at most %d", what, command->n, MAX_WORDS);
    if (tools->is_verbose)
        print_command(command);
    if (pipe(ends) != 0)
        return err_set(err, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawn(&child, command->at[0], &actions, NULL, (char *const *)command->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        pass_on(ends[0], messages);
    close(ends[0]);
    return failed ? err_set(err, "cannot run %s: %s", command->at[0], strerror(failed))
                  : wait_for(child, what, err);
}

// ---- clang for CUDA -------------------------------------------------------------------------------------

void command_add_cuda(struct command *command, const struct toolchain *tools, int cc)
{
    const char *words[] = {"-x",
                           "cuda",
                           "-nocudainc",
                           "-nocudalib",
                           "--cuda-path=/nonexistent",
                           arena_printf(tools->arena, "--cuda-gpu-arch=sm_%d", cc),
                           "-Xclang",
                           "-target-sdk-version=11.5",
                           "-isystem",
                           tools->headers,
                           "-include",
                           "cuda_runtime.h",
                           arena_printf(tools->arena, "-fdebug-prefix-map=%s=warpglass", tools->headers)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        command_add(command, words[i]);
    if (isatty(STDERR_FILENO))
        command_add(command, "-fcolor-diagnostics");
}

void command_add_device(struct command *command)
{
    static const char *const words[] = {
        "--cuda-device-only", "-S",      "-O3",   "-gline-tables-only", "-Xclang",
        "-target-feature",    "-Xclang", "+ptx75"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        command_add(command, words[i]);
}
