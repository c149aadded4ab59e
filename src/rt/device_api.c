// The device: choosing it, waiting for it.
#include "rt/api.h"
#include "rt/stream.h"

cudaError_t wg_cudaDeviceSynchronize(void)
{
    return RT_CALL(rt, streams_synchronize(rt));
}
