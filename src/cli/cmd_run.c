// warpglass run PROGRAM: an unmodified CUDA program on the model, then the report. The program runs in a
// process of its own with our libraries in front of it and appends each finished launch to the profile; this
// one waits and reports.
#include "base/units.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/progress.h"
#include "cli/run_device.h"
#include "cli/run_program.h"
#include "image/elf.h"
#include "image/program.h"
#include "rt/config.h"
#include "rt/record.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct run_request {
    const char *device, *model, *engine, *as_ptxas, *cache_control, *kernel_name, *target_processes, *export_path;
    uint32_t n_threads, error_exitcode;
    uint64_t launch_skip, launch_count;
    double timeout_seconds;
    bool is_quiet;
    struct page_request pages;
    char **argv; // of the program, ends with NULL
    int argc;
};

// What a run needs, made in this order.
struct run_session {
    struct arena *arena;
    struct run_request *request;
    const char *path;     // of the program
    const uint8_t *bytes; // its file, mapped; NULL when it cannot be read
    size_t n_bytes;
    struct image_list images; // the device code in it
    struct run_device device;
    const char *profile_path;
    bool is_temporary;
    struct rt_shared *shared; // with the program; NULL: it could not be made
};

// ---- options --------------------------------------------------------------------------------------------

static int check_word(const char *option, const char *value, const char *first, const char *second)
{
    if (!value || strcmp(value, first) == 0 || strcmp(value, second) == 0)
        return OPTIONS_GO;
    return usage_error("run", "--%s %s: expected %s or %s", option, value, first, second);
}

static int check_kernel_name(const char *value)
{
    static const char prefix[] = "regex:";
    regex_t regex;
    char why[128] = "";
    if (!value || strncmp(value, prefix, strlen(prefix)) != 0)
        return OPTIONS_GO;
    int code = regcomp(&regex, value + strlen(prefix), REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        regerror(code, &regex, why, sizeof why);
        return usage_error("run", "--kernel-name %s: %s", value, why);
    }
    regfree(&regex);
    return OPTIONS_GO;
}

static int check_engine(const char *value)
{
    enum engine_choice engine;
    return !value || engine_parse(value, &engine) ? OPTIONS_GO
                                                  : usage_error("run", "--engine %s: expected auto, ptx or sass", value);
}

static int check_numbers(const struct run_request *request)
{
    enum { MOST_EXIT_CODE = 255 };
    if (request->n_threads == 0 || request->n_threads > RT_MOST_THREADS)
        return usage_error("run", "--threads %u: expected 1 to %d", request->n_threads, RT_MOST_THREADS);
    if (!(request->timeout_seconds >= 0))
        return usage_error("run", "--timeout %g: expected a number of seconds", request->timeout_seconds);
    if (request->launch_count == 0)
        return usage_error("run", "--launch-count 0 would measure nothing");
    if (request->error_exitcode > MOST_EXIT_CODE)
        return usage_error("run", "--error-exitcode %u: expected 1 to %d", request->error_exitcode,
                           MOST_EXIT_CODE);
    return OPTIONS_GO;
}

static int check(const struct run_request *request)
{
    if (request->argc == 0)
        return usage_error("run", "expected a program");
    const int checks[] = {
        check_word("model", request->model, "counters", "off"),
        check_word("as-ptxas", request->as_ptxas, "on", "off"),
        check_word("cache-control", request->cache_control, "all", "none"),
        check_word("target-processes", request->target_processes, "all", "application-only"),
        check_engine(request->engine),
        check_kernel_name(request->kernel_name),
        check_numbers(request),
        pages_check("run", &request->pages)};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i] != OPTIONS_GO)
            return checks[i];
    return OPTIONS_GO;
}

// ---- before the start -----------------------------------------------------------------------------------

// Files that may be started need not be readable: then nothing is known of them.
static void map_program(struct run_session *session)
{
    struct stat stat_of;
    int fd = open(session->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &stat_of) == 0 && stat_of.st_size > 0) {
        void *at = mmap(NULL, (size_t)stat_of.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) {
            session->bytes = at;
            session->n_bytes = (size_t)stat_of.st_size;
        }
    }
    if (fd >= 0)
        close(fd);
}

// Device code is for another command, whether or not the file may be started.
static bool is_device_code(struct run_session *session, struct err *err)
{
    session->path = session->request->argv[0];
    const char *dot = strrchr(session->path, '.');
    static const char *const endings[] = {".ptx", ".cubin", ".fatbin", ".cu"};
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0 && access(session->path, F_OK) == 0)
            return !err_set_at(err, session->path, 0, 0, NULL, 0,
                               "is device code, not a program: 'warpglass launch' runs one kernel of it");
    return false;
}

static int find(struct run_session *session, struct err *err)
{
    int status;
    if (is_device_code(session, err))
        return EXIT_RUN_FAILED;
    session->path = program_find(session->arena, session->request->argv[0], &status, err);
    if (!session->path)
        return status;
    map_program(session);
    if (session->bytes && !program_check(session->path, session->bytes, session->n_bytes, err))
        return EXIT_RUN_FAILED;
    if (!program_can_preload(session->path, err))
        return EXIT_RUN_FAILED;
    struct err ignored = {0}; // the runtime names damaged images when it loads them
    if (session->bytes && elf_is(session->bytes, session->n_bytes))
        image_scan(session->path, session->bytes, session->n_bytes, &session->images, &ignored);
    if (!run_device_choose(session->arena, session->request->device, &session->images, &session->device, err))
        return EXIT_RUN_FAILED;
    const unsigned cc = (unsigned)session->device.device.cc;
    const bool wants_machine = session->request->engine && strcmp(session->request->engine, "sass") == 0;
    if (wants_machine && session->images.n && !image_choose(&session->images, cc, true)) {
        err_set(err, "%s holds no machine code for compute capability %u.%u; --engine auto takes its PTX", session->path,
                cc / 10, cc % 10);
        return EXIT_RUN_FAILED;
    }
    return 0;
}

static bool name_profile(struct run_session *session, struct err *err)
{
    session->profile_path = session->request->export_path;
    if (session->profile_path)
        return true;
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(session->arena, "%s/warpglass-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return err_set(err, "cannot make a temporary file %s: %s", path, strerror(errno));
    close(fd);
    session->profile_path = path;
    return session->is_temporary = true;
}

// Its head; the program appends the launches.
static bool begin_profile(struct run_session *session, struct err *err)
{
    const struct run_request *request = session->request;
    struct profile_environment environment =
        record_environment(session->arena, request->argc - 1, request->argv + 1, session->device.reason);
    environment.program = session->path;
    if (!name_profile(session, err))
        return false;
    struct profile_writer *writer = profile_create(session->profile_path, &environment,
                                                   device_text(session->arena, &session->device.device), err);
    if (!writer || !profile_close(writer, err))
        return false;
    char *absolute = realpath(session->profile_path, NULL); // the program may change its folder
    if (!absolute)
        return err_set(err, "'%s': %s", session->profile_path, strerror(errno));
    session->profile_path = arena_string(session->arena, absolute, strlen(absolute));
    free(absolute);
    return true;
}

// Memory that both sides map. Returns its name for the program, NULL without it.
static const char *share_memory(struct run_session *session)
{
    int fd = memfd_create("warpglass", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof *session->shared) != 0)
        return NULL;
    void *at = mmap(NULL, sizeof *session->shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    session->shared = at;
    session->shared->is_watched = !session->request->is_quiet && isatty(STDERR_FILENO);
    return arena_printf(session->arena, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

static const char *number(struct arena *arena, uint64_t value)
{
    return arena_printf(arena, "%" PRIu64, value);
}

static bool set_environment(struct run_session *session, struct err *err)
{
    const struct run_request *request = session->request;
    struct arena *arena = session->arena;
    return setting("PROFILE", session->profile_path, err) && setting("DEVICE", session->device.name, err) &&
           setting("ENGINE", request->engine, err) && setting("MODEL", request->model, err) &&
           setting("THREADS", number(arena, request->n_threads), err) &&
           setting("AS_PTXAS", request->as_ptxas, err) &&
           setting("CACHE_CONTROL", request->cache_control, err) &&
           setting("KERNEL_NAME", request->kernel_name, err) &&
           setting("LAUNCH_SKIP", number(arena, request->launch_skip), err) &&
           setting("LAUNCH_COUNT",
                   request->launch_count == UINT64_MAX ? NULL : number(arena, request->launch_count), err) &&
           setting("TIMEOUT",
                   request->timeout_seconds > 0 ? arena_printf(arena, "%.17g", request->timeout_seconds) : NULL,
                   err) &&
           setting("SHARED", share_memory(session), err) && preload(arena, err);
}

// ---- the run and the report -----------------------------------------------------------------------------

static int run_to_end(struct run_session *session, struct err *err)
{
    const struct run_request *request = session->request;
    struct program program;
    bool is_only = request->target_processes && strcmp(request->target_processes, "application-only") == 0;
    fflush(stdout);
    bool has_started = program_start(&program, session->path, request->argv, is_only);
    struct rt_progress *progress =
        has_started && session->shared && session->shared->is_watched ? &session->shared->progress : NULL;
    struct progress_line *line = progress ? progress_start(&progress->run, progress->kernel) : NULL;
    int status = program_wait(&program);
    progress_stop(line);
    if (session->shared)
        profile_ring_drain(&session->shared->ring, session->profile_path, err);
    if (has_started)
        return status;
    err_set(err, "cannot start '%s': %s", session->path, strerror(program.start_error));
    return program.pid < 0                 ? EXIT_RUN_FAILED
           : program.start_error == ENOENT ? EXIT_RUN_NOT_FOUND
                                           : EXIT_RUN_CANNOT;
}

static uint32_t print_faults(const struct profile *profile)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < profile->n_launches; i++) {
        const char *text = profile->launches[i].fault;
        if (!text)
            continue;
        n++;
        fputs(text, stderr);
        if (*text && text[strlen(text) - 1] != '\n')
            fputs("\n", stderr);
    }
    return n;
}

// Nothing was measured: why, as far as it can be told.
static void explain_nothing(const struct run_session *session, struct err *err)
{
    const struct run_request *request = session->request;
    const char *hint = "it launched no kernel";
    unsigned cc = (unsigned)session->device.device.cc;
    struct err choice = {0};
    if (session->images.n && !image_choose(&session->images, cc, false)) {
        image_fail_choice(session->path, &session->images, cc, &choice);
        hint = choice.text;
    } else if (request->kernel_name)
        hint = "no launch of a kernel that --kernel-name selects";
    else if (request->launch_skip)
        hint = "no launch was left behind --launch-skip";
    err_set(err, "0 kernels measured in '%s': %s", session->path, hint);
}

// The program's status first, then ours.
static int report(struct run_session *session, int status, struct err *err)
{
    struct run_request *request = session->request;
    const struct profile *profile = profile_read(session->arena, session->profile_path, err);
    if (!profile)
        return status ? status : EXIT_RUN_FAILED;
    if (profile->is_truncated)
        fputs("warpglass: a process was killed while it wrote a launch, which is left out\n", stderr);
    if (profile->n_launches == 0) {
        explain_nothing(session, err);
        return status ? status : EXIT_RUN_FAILED;
    }
    uint32_t n_faults = print_faults(profile);
    request->pages.is_on_stderr = true;
    request->pages.headline =
        run_device_line(session->arena, &session->device, request->pages.is_reproducible);
    int page_status = pages_print(session->arena, &request->pages, &profile, 1, err);
    if (n_faults && request->error_exitcode)
        return (int)request->error_exitcode;
    if (status)
        return status;
    return page_status == 0 || page_status == EXIT_THRESHOLD ? page_status : EXIT_RUN_FAILED;
}

static int run_session(struct run_session *session, struct err *err)
{
    if (!pages_check_early(session->arena, &session->request->pages, err))
        return EXIT_RUN_FAILED;
    int status = find(session, err);
    if (status != 0)
        return status;
    if (!begin_profile(session, err) || !set_environment(session, err))
        return EXIT_RUN_FAILED;
    status = run_to_end(session, err);
    return err->set ? status : report(session, status, err);
}

static int parse(int argc, char **argv, struct run_request *request)
{
    const struct option_row rows[] = {
        {"device", OPT_STRING, &request->device, "NAME|FILE",
         "GPU to model (else $WARPGLASS_DEVICE, else h200, else the newest that its code runs on)"},
        {"engine", OPT_STRING, &request->engine, "auto|ptx|sass",
         "run machine code where the device can execute all of a kernel, else PTX (auto), or one of them only"},
        {"model", OPT_STRING, &request->model, "counters|off",
         "count through the hierarchy (default), or only run"},
        {"threads", OPT_U32, &request->n_threads, "N",
         "host threads (default 1); the result does not depend on it"},
        {"as-ptxas", OPT_STRING, &request->as_ptxas, "on|off",
         "count shared accesses and atomics of PTX as ptxas makes them (default), or as written"},
        {"cache-control", OPT_STRING, &request->cache_control, "all|none",
         "caches start every launch cold (default), or are kept"},
        {"kernel-name", OPT_STRING, &request->kernel_name, "NAME|regex:EXPR",
         "measure only kernels of that name; the others only run"},
        {"launch-skip", OPT_U64, &request->launch_skip, "N", "of those, leave the first N out"},
        {"launch-count", OPT_U64, &request->launch_count, "N", "and measure only N after that"},
        {"timeout", OPT_REAL, &request->timeout_seconds, "SECONDS",
         "end a launch that takes longer, and say where it stands (default: never)"},
        {"target-processes", OPT_STRING, &request->target_processes, "all|application-only",
         "measure the program and its children (default), or it alone"},
        {"export|o", OPT_STRING, &request->export_path, "FILE", "keep the profile"},
        {"error-exitcode", OPT_U32, &request->error_exitcode, "N", "exit N after a fault in a kernel"},
        {"quiet", OPT_FLAG, &request->is_quiet, NULL, "no progress"},
        PAGE_OPTIONS(&request->pages),
        {0}};
    struct arguments rest;
    int status = options_parse_program(
        argc, argv, "run [options] [--] PROGRAM [ARGUMENTS...]",
        "Runs a CUDA program on the model of a GPU and reports its memory traffic on standard error.", rows,
        &rest);
    request->argv = rest.rest;
    request->argc = rest.n_rest;
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct run_request request = {.n_threads = 1, .launch_count = UINT64_MAX};
    int status = parse(argc, argv, &request);
    if (status == OPTIONS_GO)
        status = check(&request);
    if (status != OPTIONS_GO)
        return status == EXIT_USAGE ? EXIT_RUN_FAILED : status;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "run");
    struct run_session session = {.arena = &arena, .request = &request};
    status = run_session(&session, &err);
    if (err.set)
        err_print(&err, stderr);
    if (session.is_temporary)
        unlink(session.profile_path);
    if (session.bytes)
        munmap((void *)session.bytes, session.n_bytes);
    image_list_release(&session.images);
    arena_release(&arena);
    return status;
}
