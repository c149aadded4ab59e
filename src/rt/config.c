// The settings of the runtime, from the environment.
#include "rt/config.h"
#include "base/units.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// NULL when it is not set or empty.
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool read_u64(const char *name, uint64_t *out, struct err *err)
{
    const char *value = setting(name);
    return !value || units_parse_u64(value, out) || err_set(err, "%s=%s is not a number", name, value);
}

static bool read_seconds(const char *name, double *out, struct err *err)
{
    const char *value = setting(name);
    return !value || (units_parse_double(value, out) && *out >= 0) ||
           err_set(err, "%s=%s is not a number of seconds", name, value);
}

// One of two words; `out` tells whether it was the second.
static bool read_word(const char *name, const char *first, const char *second, bool *out, struct err *err)
{
    const char *value = setting(name);
    if (!value || strcmp(value, first) == 0)
        return true;
    *out = strcmp(value, second) == 0;
    return *out || err_set(err, "%s=%s: expected %s or %s", name, value, first, second);
}

static bool read_engine(struct rt_config *config, struct err *err)
{
    const char *value = setting(RT_ENVIRONMENT "ENGINE");
    return !value || engine_parse(value, &config->engine) ||
           err_set(err, RT_ENVIRONMENT "ENGINE=%s: expected auto, ptx or sass", value);
}

static bool read_kernel_name(struct rt_config *config, struct err *err)
{
    static const char prefix[] = "regex:";
    const char *value = setting(RT_ENVIRONMENT "KERNEL_NAME");
    if (!value)
        return true;
    if (strncmp(value, prefix, strlen(prefix)) != 0) {
        config->kernel_name = value;
        return true;
    }
    char why[128] = "";
    int code = regcomp(&config->kernel_regex, value + strlen(prefix), REG_EXTENDED | REG_NOSUB);
    if (code == 0)
        return config->has_regex = true;
    regerror(code, &config->kernel_regex, why, sizeof why);
    return err_set(err, RT_ENVIRONMENT "KERNEL_NAME=%s: %s", value, why);
}

// A file that cannot be mapped costs speed and progress only: not worth an error in the user's program.
static struct rt_shared *map_shared(const char *path)
{
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return NULL;
    struct rt_shared *page = NULL;
    if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof *page) {
        void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        page = at == MAP_FAILED ? NULL : at;
    }
    close(fd);
    return page;
}

bool rt_config_read(struct rt_config *config, struct err *err)
{
    *config = (struct rt_config){.profile = setting(RT_ENVIRONMENT "PROFILE"),
                                 .device = setting(RT_ENVIRONMENT "DEVICE"),
                                 .launch_count = UINT64_MAX};
    bool is_off = false;
    uint64_t n_threads = 1, target = (uint64_t)getpid();
    if (!read_word(RT_ENVIRONMENT "MODEL", "counters", "off", &is_off, err) ||
        !read_word(RT_ENVIRONMENT "AS_PTXAS", "on", "off", &config->counts_as_written, err) ||
        !read_word(RT_ENVIRONMENT "CACHE_CONTROL", "all", "none", &config->keep_caches, err) ||
        !read_u64(RT_ENVIRONMENT "THREADS", &n_threads, err) ||
        !read_u64(RT_ENVIRONMENT "LAUNCH_SKIP", &config->launch_skip, err) ||
        !read_u64(RT_ENVIRONMENT "LAUNCH_COUNT", &config->launch_count, err) ||
        !read_seconds(RT_ENVIRONMENT "TIMEOUT", &config->timeout_seconds, err) ||
        !read_u64(RT_ENVIRONMENT "TARGET_PID", &target, err) || !read_engine(config, err) ||
        !read_kernel_name(config, err))
        return false;
    if (n_threads == 0 || n_threads > RT_MOST_THREADS)
        return err_set(err, RT_ENVIRONMENT "THREADS=%llu: expected 1 to %d", (unsigned long long)n_threads,
                       RT_MOST_THREADS);
    config->model = is_off ? MODEL_OFF : MODEL_COUNTERS;
    config->n_threads = (uint32_t)n_threads;
    config->measures = target == (uint64_t)getpid();
    struct rt_shared *shared = config->measures ? map_shared(setting(RT_ENVIRONMENT "SHARED")) : NULL;
    config->progress = shared && shared->is_watched ? &shared->progress : NULL;
    config->ring = shared ? &shared->ring : NULL;
    return true;
}

bool rt_config_selects(const struct rt_config *config, const char *kernel)
{
    if (config->has_regex)
        return regexec(&config->kernel_regex, kernel, 0, NULL, 0) == 0;
    return !config->kernel_name || strcmp(config->kernel_name, kernel) == 0;
}
