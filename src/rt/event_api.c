// Events: the runtime API.
#include "rt/api.h"
#include "rt/stream.h"

cudaError_t wg_cudaEventCreate(cudaEvent_t *out)
{
    return RT_CALL(rt, event_create(rt, 0, out));
}

cudaError_t wg_cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    return RT_CALL(rt, event_create(rt, flags, out));
}

cudaError_t wg_cudaEventDestroy(cudaEvent_t event)
{
    return RT_CALL(rt, event_destroy(rt, event));
}

cudaError_t wg_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return RT_CALL(rt, event_record(rt, event, stream, 0));
}

cudaError_t wg_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return RT_CALL(rt, event_record(rt, event, stream, flags));
}

cudaError_t wg_cudaEventQuery(cudaEvent_t event)
{
    return RT_CALL(rt, event_query(rt, event));
}

cudaError_t wg_cudaEventSynchronize(cudaEvent_t event)
{
    return RT_CALL(rt, event_synchronize(rt, event));
}

cudaError_t wg_cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return RT_CALL(rt, event_elapsed(rt, ms, from, to));
}
