// Limits: kept here, obeyed by kernel.c (stack), the console (printf) and the heap.
#include "rt/limits.h"
#include "simt/console.h"
#include "simt/warp.h"
#include <string.h>

// Measured on an H200 (tests/data/h200_runtime.txt): limits 0 to 7 exist but 3, which capability 9.0 has given up; printf may
// hold 65,536 bytes an SM.
enum { PENDING_LAUNCHES = 2048, L2_FETCH_BYTES = 64, MOST_STACK_BYTES = 512 << 10, PRINTF_BYTES_PER_SM = 64 << 10 };

// Those who obey a limit by themselves.
static void tell(struct rt *rt)
{
    rt->console.limit_bytes = rt->limits[LIMIT_PRINTF_BYTES];
    rt->heap.limit_bytes = rt->limits[LIMIT_HEAP_BYTES];
}

void limits_init(struct rt *rt)
{
    memset(rt->limits, 0, sizeof rt->limits);
    rt->limits[LIMIT_STACK_BYTES] = DEFAULT_STACK_BYTES;
    rt->limits[LIMIT_PRINTF_BYTES] = PRINTF_BYTES_PER_SM * rt->device.n_sms;
    rt->limits[LIMIT_HEAP_BYTES] = HEAP_DEFAULT_BYTES;
    rt->limits[LIMIT_PENDING_LAUNCHES] = PENDING_LAUNCHES;
    rt->limits[LIMIT_L2_FETCH_BYTES] = L2_FETCH_BYTES;
    rt->limits[LIMIT_SHARED_BYTES] = rt->device.shared_per_block_optin_bytes;
    tell(rt);
}

static cudaError_t fail_limit(int limit)
{
    return limit == LIMIT_SYNC_DEPTH ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
}

static bool exists(int limit)
{
    return limit >= LIMIT_STACK_BYTES && limit <= LIMIT_SHARED_BYTES && limit != LIMIT_SYNC_DEPTH;
}

cudaError_t limit_get(struct rt *rt, int limit, size_t *value)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (!exists(limit))
        return fail_limit(limit);
    *value = rt->limits[limit];
    return cudaSuccess;
}

cudaError_t limit_set(struct rt *rt, int limit, size_t value)
{
    if (!exists(limit) || limit == LIMIT_SHARED_BYTES)
        return fail_limit(limit);
    if (limit == LIMIT_STACK_BYTES && value > MOST_STACK_BYTES)
        return cudaErrorInvalidValue;
    if (limit == LIMIT_HEAP_BYTES && rt->heap.address)
        return cudaErrorInvalidValue;
    if (limit == LIMIT_PERSISTING_BYTES && value > rt->device.l2_persisting_max_bytes)
        value = rt->device.l2_persisting_max_bytes;
    rt->limits[limit] = value;
    tell(rt);
    return cudaSuccess;
}
