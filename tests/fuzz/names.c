// Fuzz target: names that come from outside: mangled kernels (those that begin with _) and metrics.
#include "prof/demangle.h"
#include "prof/metrics.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_kernel(struct arena *arena, const char *name)
{
    demangle_base(arena, demangle(arena, name, DEMANGLE_NVIDIA));
    demangle_base(arena, demangle(arena, name, DEMANGLE_GNU));
    demangle_base(arena, name);
}

static void read_metric(const char *name)
{
    struct metric_pick pick;
    struct err err = {0};
    bool is_good = metric_find(name, &pick, &err);
    if (is_good == err.set || (is_good && pick.metric > METRIC_NONE))
        BUG("metric_find returned %d and set %d", is_good, err.set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, "fuzz");
    const char *name = arena_string(&arena, size ? (const char *)data : "", size);
    if (*name == '_')
        read_kernel(&arena, name);
    else
        read_metric(name);
    arena_release(&arena);
    return 0;
}
