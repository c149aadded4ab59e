// What the parent tells the runtime: environment variables, their defaults, mistakes named by the variable.
#include "rt/config.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"PROFILE",       "DEVICE",      "MODEL",       "THREADS",
                                    "CACHE_CONTROL", "KERNEL_NAME", "LAUNCH_SKIP", "LAUNCH_COUNT",
                                    "TARGET_PID",    "SHARED"};

static void set(const char *name, const char *value)
{
    char full[64];
    snprintf(full, sizeof full, RT_ENVIRONMENT "%s", name);
    assert_int_equal(setenv(full, value, 1), 0);
}

static int clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        char full[64];
        snprintf(full, sizeof full, RT_ENVIRONMENT "%s", names[i]);
        unsetenv(full);
    }
    return 0;
}

static void test_defaults(void **state)
{
    (void)state;
    struct rt_config config;
    struct err err = {0};
    assert_true(rt_config_read(&config, &err));
    assert_null(config.profile);
    assert_null(config.device);
    assert_null(config.progress);
    assert_int_equal(config.model, MODEL_COUNTERS);
    assert_int_equal(config.n_threads, 1);
    assert_false(config.keep_caches);
    assert_true(config.measures);
    assert_true(config.launch_skip == 0 && config.launch_count == UINT64_MAX);
    assert_true(rt_config_selects(&config, "anything"));
    set("MODEL", ""); // the same as not set
    assert_true(rt_config_read(&config, &err));
}

static void test_values(void **state)
{
    (void)state;
    struct rt_config config;
    struct err err = {0};
    set("PROFILE", "/tmp/x.wgp");
    set("DEVICE", "a10");
    set("MODEL", "off");
    set("THREADS", "3");
    set("CACHE_CONTROL", "none");
    set("LAUNCH_SKIP", "4");
    set("LAUNCH_COUNT", "5");
    set("TARGET_PID", "1");
    set("KERNEL_NAME", "copy");
    assert_true(rt_config_read(&config, &err));
    assert_string_equal(config.profile, "/tmp/x.wgp");
    assert_string_equal(config.device, "a10");
    assert_int_equal(config.model, MODEL_OFF);
    assert_int_equal(config.n_threads, 3);
    assert_true(config.keep_caches);
    assert_true(config.launch_skip == 4 && config.launch_count == 5);
    assert_false(config.measures);
    assert_true(rt_config_selects(&config, "copy"));
    assert_false(rt_config_selects(&config, "copy2"));
}

static void test_own_process_measures(void **state)
{
    (void)state;
    struct rt_config config;
    struct err err = {0};
    char pid[24];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    set("TARGET_PID", pid);
    assert_true(rt_config_read(&config, &err));
    assert_true(config.measures);
}

static void test_regex(void **state)
{
    (void)state;
    struct rt_config config;
    struct err err = {0};
    set("KERNEL_NAME", "regex:^tr_.*(32|33)$");
    assert_true(rt_config_read(&config, &err));
    assert_true(rt_config_selects(&config, "tr_tile33"));
    assert_false(rt_config_selects(&config, "tr_tile34"));
    assert_false(rt_config_selects(&config, "my_tr_tile33"));
    regfree(&config.kernel_regex);
}

static void check_mistake(const char *name, const char *value)
{
    struct rt_config config;
    struct err err = {0};
    clear(NULL);
    set(name, value);
    assert_false(rt_config_read(&config, &err));
    assert_non_null(strstr(err.text, name));
    assert_non_null(strstr(err.text, value));
}

static void test_mistakes(void **state)
{
    (void)state;
    check_mistake("MODEL", "cycles");
    check_mistake("CACHE_CONTROL", "some");
    check_mistake("THREADS", "many");
    check_mistake("THREADS", "0");
    check_mistake("THREADS", "99999");
    check_mistake("LAUNCH_SKIP", "-1");
    check_mistake("LAUNCH_COUNT", "x");
    check_mistake("KERNEL_NAME", "regex:(");
}

// A page that cannot be mapped is nobody watching, not an error.
static void test_progress(void **state)
{
    (void)state;
    struct rt_config config;
    struct err err = {0};
    set("SHARED", "/no/such/file");
    assert_true(rt_config_read(&config, &err));
    assert_null(config.progress);
    char path[] = "/tmp/progress-XXXXXX";
    int fd = mkstemp(path);
    set("SHARED", path);
    assert_true(rt_config_read(&config, &err)); // too short
    assert_null(config.progress);
    assert_int_equal(ftruncate(fd, sizeof(struct rt_shared)), 0);
    assert_true(rt_config_read(&config, &err)); // long enough, but nobody is said to watch
    assert_null(config.progress);
    assert_non_null(config.ring);
    char byte = 1;
    assert_int_equal(pwrite(fd, &byte, 1, offsetof(struct rt_shared, is_watched)), 1);
    assert_true(rt_config_read(&config, &err));
    assert_non_null(config.progress);
    config.progress->kernel[0] = 'k';
    assert_int_equal(pread(fd, &byte, 1, offsetof(struct rt_shared, progress.kernel)), 1);
    assert_int_equal(byte, 'k');
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_defaults, clear),
                                       cmocka_unit_test_setup(test_values, clear),
                                       cmocka_unit_test_setup(test_own_process_measures, clear),
                                       cmocka_unit_test_setup(test_regex, clear),
                                       cmocka_unit_test_setup(test_mistakes, clear),
                                       cmocka_unit_test_setup(test_progress, clear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
