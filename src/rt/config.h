// What `warpglass run` tells the runtime inside the program it starts: environment variables. A variable that is not
// set has its default, so a program linked to our libraries also runs without the parent (nothing is recorded then).
//
//     WARPGLASS_PROFILE        file to which finished launches are appended; its head was written by the parent
//     WARPGLASS_DEVICE         name or path of the device file (default: h200)
//     WARPGLASS_ENGINE         auto (default) | ptx | sass
//     WARPGLASS_MODEL          counters (default) | off
//     WARPGLASS_THREADS        host threads of the engine (default 1)
//     WARPGLASS_CACHE_CONTROL  all (default) | none
//     WARPGLASS_AS_PTXAS       on (default) | off: shared accesses count as ptxas joins them
//     WARPGLASS_KERNEL_NAME    only launches of this kernel are measured: NAME or regex:EXPR (POSIX extended, searched in
//                              the function's plain name); the others run with MODEL off
//     WARPGLASS_LAUNCH_SKIP    matching launches to leave out before the first measured one (default 0)
//     WARPGLASS_LAUNCH_COUNT   matching launches to measure after that (default: all)
//     WARPGLASS_TIMEOUT        seconds that a launch may take (default: for ever)
//     WARPGLASS_TARGET_PID     only this process measures (--target-processes application-only); unset: all do
//     WARPGLASS_SHARED         file with one struct rt_shared, mapped by both sides
#ifndef RT_CONFIG_H
#define RT_CONFIG_H
#include "base/err.h"
#include "cycle/run.h"
#include "prof/profile_ring.h"
#include "rt/module.h"
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#define RT_ENVIRONMENT "WARPGLASS_"
enum { RT_MOST_THREADS = 1024 };

struct rt_progress {
    struct run_progress run;
    char kernel[256]; // of the running launch, cut; "" between launches
};

// What lies behind WARPGLASS_SHARED.
struct rt_shared {
    struct profile_ring ring;
    struct rt_progress progress;
    bool is_watched; // somebody looks at `progress`
};

struct rt_config {
    const char *profile, *device; // borrowed from the environment; NULL when not set
    enum model model;
    enum engine_choice engine;
    uint32_t n_threads;
    bool keep_caches;
    bool counts_as_written; // not as ptxas joins accesses
    const char *kernel_name; // exact name, or NULL
    bool has_regex;
    regex_t kernel_regex;
    uint64_t launch_skip, launch_count;
    double timeout_seconds; // of a launch; 0: none
    bool measures; // this process is one of those that measure
    struct rt_progress *progress; // NULL: nobody watches
    struct profile_ring *ring;    // NULL: none
};

// Reads the environment. False: a value is wrong; err names the variable.
bool rt_config_read(struct rt_config *config, struct err *err);

// Whether a launch of the kernel with that plain name belongs to those that --kernel-name selects.
bool rt_config_selects(const struct rt_config *config, const char *kernel);
#endif
