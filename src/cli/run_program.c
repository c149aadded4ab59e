// Starts a program with our libraries in front of it: see run_program.h.
#include "cli/run_program.h"
#include "base/buf.h"
#include "rt/config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

// ---- finding --------------------------------------------------------------------------------------------

static bool is_file(const char *path)
{
    struct stat stat_of;
    return stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode);
}

static bool can_start(const char *path)
{
    return is_file(path) && access(path, X_OK) == 0;
}

// In the folders of $PATH, an empty one being the current; NULL when there is none that can be started.
static const char *search_path(struct arena *arena, const char *name)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin";; at++) {
        size_t n = strcspn(at, ":");
        const char *path =
            n ? arena_printf(arena, "%.*s/%s", (int)n, at, name) : arena_printf(arena, "./%s", name);
        if (can_start(path))
            return path;
        at += n;
        if (!*at)
            return NULL;
    }
}

const char *program_find(struct arena *arena, const char *name, int *status, struct err *err)
{
    *status = EXIT_RUN_NOT_FOUND;
    if (!strchr(name, '/')) {
        const char *path = search_path(arena, name);
        if (!path)
            err_set(err,
                    is_file(name) ? "'%s' is not found in $PATH; did you mean ./%s?"
                                  : "'%s' is not found in $PATH",
                    name, name);
        return path;
    }
    if (can_start(name))
        return name;
    struct stat stat_of;
    *status = stat(name, &stat_of) == 0 || errno == EACCES ? EXIT_RUN_CANNOT : EXIT_RUN_NOT_FOUND;
    int error = *status == EXIT_RUN_NOT_FOUND ? errno : EACCES;
    err_set(err, "cannot start '%s': %s", name,
            *status == EXIT_RUN_CANNOT && S_ISDIR(stat_of.st_mode) ? "is a folder" : strerror(error));
    return NULL;
}

bool program_can_preload(const char *path, struct err *err)
{
    struct stat stat_of;
    const char *why = NULL;
    if (stat(path, &stat_of) == 0 && (stat_of.st_mode & S_ISUID) && stat_of.st_uid != geteuid())
        why = "is a setuid program";
    else if (stat(path, &stat_of) == 0 && (stat_of.st_mode & S_ISGID) && stat_of.st_gid != getegid())
        why = "is a setgid program";
    else if (getxattr(path, "security.capability", NULL, 0) > 0)
        why = "has file capabilities";
    return !why || err_set_at(err, path, 0, 0, NULL, 0,
                              "%s, into which the system lets no library of ours: run a copy of it", why);
}

// ---- the environment ------------------------------------------------------------------------------------

bool setting(const char *name, const char *value, struct err *err)
{
    char full[64];
    snprintf(full, sizeof full, RT_ENVIRONMENT "%s", name);
    if ((value ? setenv(full, value, 1) : unsetenv(full)) == 0)
        return true;
    return err_set(err, "cannot set %s: %s", full, strerror(errno));
}

static const char main_library[] = "libwarpglass.so";

// The folder with our libraries: lib beside the program (as it is built), or ../lib/warpglass (as it is
// installed).
static const char *library_folder(struct arena *arena, struct err *err)
{
    static const char *const places[] = {"lib", "../lib/warpglass"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = arena_printf(arena, "%s/%s", self, places[i]);
        if (is_file(arena_printf(arena, "%s/%s", folder, main_library)))
            return realpath(folder, self) ? arena_string(arena, self, strlen(self)) : folder;
    }
    err_set(err, "%s is neither in %s/lib nor in %s/../lib/warpglass", main_library, self, self);
    return NULL;
}

static bool prepend(struct arena *arena, const char *name, const char *value, struct err *err)
{
    const char *old = getenv(name);
    if (old && *old)
        value = arena_printf(arena, "%s:%s", value, old);
    return setenv(name, value, 1) == 0 || err_set(err, "cannot set %s: %s", name, strerror(errno));
}

// Preloaded libraries stand for every later request of the same name, also against an RPATH of the program.
bool preload(struct arena *arena, struct err *err)
{
    static const char *const libraries[] = {main_library, "libcudart.so.11.0", "libcudart.so.12",
                                            "libcudart.so.13", "libcuda.so.1"};
    const char *folder = library_folder(arena, err);
    if (!folder)
        return false;
    if (strpbrk(folder, ": \t"))
        return err_set(err,
                       "the folder of the libraries, '%s', has a blank or a colon in its name, which "
                       "LD_PRELOAD cannot hold",
                       folder);
    struct buf list = {0};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_file(arena_printf(arena, "%s/%s", folder, libraries[i])))
            buf_printf(&list, "%s%s/%s", list.n ? ":" : "", folder, libraries[i]);
    bool is_good =
        prepend(arena, "LD_PRELOAD", list.at, err) && prepend(arena, "LD_LIBRARY_PATH", folder, err);
    buf_release(&list);
    return is_good;
}

// ---- running --------------------------------------------------------------------------------------------

static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// In the child: becomes the program; what goes wrong is written to `report`.
static _Noreturn void become(const char *path, char **argv, bool only_it, const sigset_t *old_mask,
                             int report)
{
    struct err err = {0};
    char pid[24];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setting("TARGET_PID", only_it ? pid : NULL, &err);
    sigprocmask(SIG_SETMASK, old_mask, NULL);
    execvp(path, argv);
    int error = errno;
    ssize_t n = write(report, &error, sizeof error);
    _exit(n == (ssize_t)sizeof error ? EXIT_RUN_CANNOT : EXIT_RUN_FAILED);
}

bool program_start(struct program *program, const char *path, char **argv, bool only_it)
{
    int report[2], error = 0;
    *program = (struct program){0};
    sigemptyset(&program->signals);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        sigaddset(&program->signals, watched[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &program->signals, &program->old_mask);
    program->pid = pipe2(report, O_CLOEXEC) == 0 ? fork() : -1;
    if (program->pid == 0)
        become(path, argv, only_it, &program->old_mask, report[1]);
    if (program->pid < 0) {
        program->start_error = errno;
        return false;
    }
    close(report[1]);
    if (read(report[0], &error, sizeof error) == (ssize_t)sizeof error)
        program->start_error = error;
    close(report[0]);
    return program->start_error == 0;
}

// Signals that a terminal sends (SI_KERNEL) have reached the program already.
static void pass_on(const struct program *program, int number, const siginfo_t *info)
{
    if (number > 0 && number != SIGCHLD && info->si_code <= 0)
        kill(program->pid, number);
}

int program_wait(struct program *program)
{
    int status, number;
    siginfo_t info;
    while (program->pid > 0 && waitpid(program->pid, &status, WNOHANG) != program->pid) {
        number = sigwaitinfo(&program->signals, &info);
        pass_on(program, number, &info);
    }
    // What was meant for the program, and came as it ended, must not end the report.
    while (sigtimedwait(&program->signals, &info, &(struct timespec){0}) > 0)
        ;
    sigprocmask(SIG_SETMASK, &program->old_mask, NULL);
    if (program->pid < 0)
        return EXIT_RUN_FAILED;
    return WIFSIGNALED(status) ? EXIT_RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
