// Hints for managed memory in their older form, with a device's number.
#include "rt/driver.h"
#include <stdlib.h>

// Device -1 is the host.
static struct cudaMemLocation location_of(CUdevice device)
{
    return (struct cudaMemLocation){
        .type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        .id = device == cudaCpuDeviceId ? 0 : device};
}

CUresult wg_cuMemAdvise(const void *pointer, size_t size_bytes, int advice, CUdevice device)
{
    return wg_cuMemAdvise_v2(pointer, size_bytes, advice, location_of(device));
}

CUresult wg_cuMemPrefetchAsync(const void *pointer, size_t size_bytes, CUdevice device, cudaStream_t stream)
{
    return wg_cuMemPrefetchAsync_v2(pointer, size_bytes, location_of(device), 0, stream);
}
