// The process's one state: made at the first call, locked by every call.
#include "rt/graph.h"
#include "rt/stream.h"
#include "cycle/run.h"
#include "rt/driver.h"
#include "rt/limits.h"
#include "rt/memory.h"
#include "rt/record.h"
#include "rt/redirect.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct rt state = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
static bool is_made;
static uint32_t n_threads;
static _Thread_local struct rt_thread thread;
static struct redirect_state redirections;

// ---- making ---------------------------------------------------------------------------------------------

static bool make(struct rt *rt, struct err *err)
{
    if (!rt_config_read(&rt->config, err) ||
        !device_load(&rt->arena, rt->config.device ? rt->config.device : "h200", &rt->device, err))
        return false;
    rt->memory = memory_new(rt->device.dram_bytes, err);
    if (!rt->memory)
        return false;
    rt->engine = engine_new(&rt->device);
    limits_init(rt);
    if (rt->config.profile && rt->config.measures)
        rt->writer = profile_open_append(rt->config.profile, err);
    if (rt->writer)
        profile_use_ring(rt->writer, rt->config.ring);
    return !err->set;
}

static void make_once(struct rt *rt)
{
    struct err err = {0};
    is_made = true;
    arena_init(&rt->arena, "runtime");
    arena_init(&rt->launch_arena, "launch");
    if (!make(rt, &err)) {
        console_error(&err);
        rt->status = cudaErrorInitializationError;
        return;
    }
    rt->driver = arena_new(&rt->arena, struct driver);
    rt->legacy = arena_new(&rt->arena, struct rt_stream);
    *rt->legacy = (struct rt_stream){
        .handle = {.kind = HANDLE_STREAM}, .id = 7, .is_blocking = true, .is_default = true};
    rt->streams = rt->legacy;
}

// At the end of the process.
static __attribute__((destructor)) void flush_profile(void)
{
    struct err err = {0};
    if (state.writer && !profile_flush(state.writer, &err))
        console_error(&err);
}

// ---- entering -------------------------------------------------------------------------------------------

struct rt *rt_enter(void)
{
    pthread_mutex_lock(&state.lock);
    thread.depth++;
    if (!is_made)
        make_once(&state);
    return &state;
}

cudaError_t rt_leave(struct rt *rt, cudaError_t result)
{
    thread.uses_runtime = true;
    if (result != cudaSuccess)
        thread.last_error = result;
    thread.depth--;
    pthread_mutex_unlock(&rt->lock);
    return result;
}

uint32_t rt_unlock(struct rt *rt)
{
    uint32_t depth = thread.depth;
    thread.depth = 0;
    for (uint32_t i = 0; i < depth; i++)
        pthread_mutex_unlock(&rt->lock);
    return depth;
}

void rt_relock(struct rt *rt, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        pthread_mutex_lock(&rt->lock);
    thread.depth = depth;
}

struct redirect_state *redirect_state(void)
{
    return &redirections;
}

struct rt_thread *rt_thread(void)
{
    if (!thread.id)
        thread.id = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    return &thread;
}

cudaError_t rt_synchronize(struct rt *rt)
{
    cudaError_t error = capture_forbids(rt);
    if (error)
        return error;
    console_flush(rt);
    pools_synchronize(rt);
    if (rt->pending) {
        rt->status = rt->pending;
        rt->pending = cudaSuccess;
    }
    return rt->status;
}

// Memory, streams and limits are as after the start; modules stay loaded, their variables get their initial values again.
void rt_reset(struct rt *rt)
{
    rt_synchronize(rt);
    rt->status = rt->pending = cudaSuccess;
    heap_release(&rt->heap, rt->memory);
    streams_reset(rt);
    graph_memory_reset(rt);
    memory_reset(rt);
    rt->grid_workspace = 0;
    limits_init(rt);
    for (struct rt_module *module = rt->modules; module; module = module->next)
        module_reset(module, rt->memory);
}

// ---- explaining -----------------------------------------------------------------------------------------

void rt_explain(struct rt *rt, const char *name, const char *format, ...)
{
    if (map_get(&rt->explained, name, strlen(name)))
        return;
    map_set(&rt->explained, name, strlen(name), rt);
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    console_say(text);
}
