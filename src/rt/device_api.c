// The device: choosing it, waiting for it.
#include "rt/api.h"

// The host has waited for all streams.
static cudaError_t wait_for_all(struct rt *rt)
{
    for (const struct rt_stream *s = rt->streams; s; s = s->next)
        rt->now_ns = s->ready_ns > rt->now_ns ? s->ready_ns : rt->now_ns;
    return rt_synchronize(rt);
}

cudaError_t wg_cudaDeviceSynchronize(void)
{
    return RT_CALL(rt, wait_for_all(rt));
}
