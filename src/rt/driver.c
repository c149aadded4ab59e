// Entering the driver API: what every call checks, how errors are numbered, and the bodies that the table makes.
#include "rt/driver.h"
#include "rt/api.h"
#include "rt/driver_copy.h"
#include "rt/limits.h"
#include <stdlib.h>

struct driver *driver_state(struct rt *rt)
{
    if (!rt->driver)
        rt->driver = arena_new(&rt->arena, struct driver);
    return rt->driver;
}

struct rt *driver_enter(void)
{
    struct rt *rt = rt_enter();
    driver_state(rt);
    return rt;
}

CUresult driver_leave(struct rt *rt, cudaError_t result)
{
    rt_thread()->depth--;
    pthread_mutex_unlock(&rt->lock);
    return driver_error(result);
}

cudaError_t driver_ready(struct rt *rt)
{
    if (rt->status)
        return rt->status;
    return rt->driver->is_ready || rt_thread()->uses_runtime ? cudaSuccess : cudaErrorInitializationError;
}

cudaError_t driver_status(struct rt *rt)
{
    cudaError_t error = driver_ready(rt);
    if (error)
        return error;
    return context_current(rt) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

// Numbers below 100, but for the first ones, and 98 belong to the runtime alone (CUDA 13.0, cuda.h and
// driver_types.h); the driver reports the cause in its own words.
CUresult driver_error(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
        return cudaErrorInvalidValue;
    case cudaErrorInvalidSymbol:
        return cudaErrorSymbolNotFound; // CUDA_ERROR_NOT_FOUND
    case cudaErrorInvalidDeviceFunction:
        return cudaErrorInvalidResourceHandle; // CUDA_ERROR_INVALID_HANDLE
    default:
        return error;
    }
}

// ---- bodies from rows -----------------------------------------------------------------------------------------

// Stream 0 of a program that was built with a default stream per thread.
static cudaStream_t own(cudaStream_t stream)
{
    return stream ? stream : STREAM_PER_THREAD;
}

// What bodies of the runtime API change and a driver call must not: the thread's last error, and its context.
struct kept {
    cudaError_t status, last_error;
    bool uses_runtime;
};

static struct kept keep(void)
{
    struct rt *rt = driver_enter();
    struct kept kept = {driver_status(rt), rt_thread()->last_error, rt_thread()->uses_runtime};
    pthread_mutex_unlock(&rt->lock);
    return kept;
}

static CUresult restore(const struct kept *kept, cudaError_t result)
{
    rt_thread()->last_error = kept->last_error;
    rt_thread()->uses_runtime = kept->uses_runtime;
    return driver_error(result);
}

static CUresult refuse(const char *name, const char *reason)
{
    struct rt *rt = driver_enter();
    rt_explain(rt, name, "%s: %s; it returns CUDA_ERROR_NOT_SUPPORTED", name, reason);
    return driver_leave(rt, cudaErrorNotSupported);
}

#define DONE(since, symbol, parameters)
#define CALL(since, symbol, parameters, expression) \
    CUresult wg_##symbol parameters                 \
    {                                               \
        return DRIVER_CALL(rt, expression);         \
    }
#define SAME(since, symbol, parameters, call)                       \
    CUresult wg_##symbol parameters                                 \
    {                                                               \
        struct kept kept = keep();                                  \
        return restore(&kept, kept.status ? kept.status : (call));  \
    }
#define EARLY(since, symbol, parameters, call)                                 \
    CUresult wg_##symbol parameters                                            \
    {                                                                          \
        struct kept kept = keep();                                             \
        bool is_early = kept.status == cudaErrorDeviceUninitialized;           \
        return restore(&kept, kept.status && !is_early ? kept.status : (call)); \
    }
#define ALIAS(since, symbol, body)
#define IGNORED(since, symbol, reason)              \
    CUresult wg_##symbol(void)                      \
    {                                               \
        return DRIVER_INIT_CALL(rt, cudaSuccess);   \
    }
#define REFUSED(since, symbol, reason)    \
    CUresult wg_##symbol(void)            \
    {                                     \
        return refuse(#symbol, reason);   \
    }
#include "rt/api_driver.def"
