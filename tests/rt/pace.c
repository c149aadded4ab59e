// How much processor time short calls take: 100,000 empty launches and as many small copies, under 2 microseconds each beyond
// the simulation itself, which the same launches straight through the engine measure. Prints the figures; fails at five times
// that, for a machine with other work. Sanitized builds only run it.
#include "support/check.h"
#include "support/guest.h"
#include "cycle/run.h"
#include <stdio.h>
#include <time.h>

enum { N = 100000, MOST_NS = 10000 };

#if defined(__SANITIZE_ADDRESS__)
enum { IS_TIMED = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { IS_TIMED = 0 };
#else
enum { IS_TIMED = 1 };
#endif
#else
enum { IS_TIMED = 1 };
#endif

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n";

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double launches_ns(const void *kernel)
{
    double begin = now_ns();
    for (int i = 0; i < N; i++)
        if (guest_launch(kernel, 1, 1, NULL, NULL))
            fail();
    return (now_ns() - begin) / N;
}

static double engine_ns(const void *kernel)
{
    struct rt *rt = rt_enter();
    struct launch launch = {.kernel = function_of(rt, kernel)->kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .memory = rt->memory};
    struct run_options options = {.model = MODEL_COUNTERS, .n_threads = 1};
    struct counters counters[4] = {0};
    struct run_result result;
    struct err err = {0};
    double begin = now_ns();
    for (int i = 0; i < N; i++)
        engine_run(rt->engine, &launch, &options, counters, &result, &err);
    double ns = (now_ns() - begin) / N;
    rt_leave(rt, cudaSuccess);
    return ns;
}

static void launches_are_quick(void **state)
{
    (void)state;
    const void *kernel = guest_kernel(guest_module(ptx), "empty");
    assert_int_equal(guest_launch(kernel, 1, 1, NULL, NULL), cudaSuccess);
    double through = launches_ns(kernel), engine = engine_ns(kernel);
    printf("a launch takes %.0f ns, of which the engine %.0f ns\n", through, engine);
    assert_true(!IS_TIMED || through - engine < MOST_NS);
}

static void copies_are_quick(void **state)
{
    (void)state;
    int *p, value = 7;
    assert_int_equal(wg_cudaMalloc((void **)&p, sizeof value), cudaSuccess);
    double begin = now_ns();
    for (int i = 0; i < N; i++)
        wg_cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    double ns = (now_ns() - begin) / N;
    printf("a copy of 4 bytes takes %.0f ns\n", ns);
    assert_true(!IS_TIMED || ns < MOST_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches_are_quick), cmocka_unit_test(copies_are_quick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
