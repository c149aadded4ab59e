// Advice about managed memory.
#include "rt/api.h"
#include "rt/memory.h"

// CUDA 11 and 12 name a place by the device's number, or cudaCpuDeviceId.
static struct cudaMemLocation location_of(int device)
{
    return device == cudaCpuDeviceId ? (struct cudaMemLocation){cudaMemLocationTypeHost, 0}
                                     : (struct cudaMemLocation){cudaMemLocationTypeDevice, device};
}

// ---- prefetching ----------------------------------------------------------------------------------------

cudaError_t wg_cudaMemPrefetchAsync(const void *pointer, size_t size_bytes, struct cudaMemLocation to,
                                    unsigned flags, cudaStream_t stream)
{
    return RT_CALL(rt, flags ? cudaErrorInvalidValue
                             : managed_prefetch(rt, pointer, size_bytes, to, stream_of(rt, stream)));
}

cudaError_t wg_cudaMemPrefetchAsync_ptsz(const void *pointer, size_t size_bytes, struct cudaMemLocation to,
                                         unsigned flags, cudaStream_t stream)
{
    return wg_cudaMemPrefetchAsync(pointer, size_bytes, to, flags, stream ? stream : STREAM_PER_THREAD);
}

cudaError_t wg_cudaMemPrefetchAsync_12(const void *pointer, size_t size_bytes, int device,
                                       cudaStream_t stream)
{
    return wg_cudaMemPrefetchAsync(pointer, size_bytes, location_of(device), 0, stream);
}

cudaError_t wg_cudaMemPrefetchAsync_12_ptsz(const void *pointer, size_t size_bytes, int device,
                                            cudaStream_t stream)
{
    return wg_cudaMemPrefetchAsync_12(pointer, size_bytes, device, stream ? stream : STREAM_PER_THREAD);
}

// ---- batches --------------------------------------------------------------------------------------------

// `indices` says from which range on each place holds; it begins at 0 and grows.
static cudaError_t prefetch_batch(struct rt *rt, void **pointers, const size_t *sizes, size_t n,
                                  const struct cudaMemLocation *places, const size_t *indices,
                                  size_t n_places, struct rt_stream *stream)
{
    cudaError_t error = cudaSuccess;
    if (!pointers || !sizes || n == 0 || !places || !indices || n_places == 0 || n_places > n ||
        indices[0] != 0)
        return cudaErrorInvalidValue;
    for (size_t i = 0, place = 0; i < n && !error; i++) {
        while (place + 1 < n_places && indices[place + 1] <= i)
            place++;
        error = managed_prefetch(rt, pointers[i], sizes[i], places[place], stream);
    }
    return error;
}

cudaError_t wg_cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t n,
                                         struct cudaMemLocation *places, size_t *indices, size_t n_places,
                                         unsigned long long flags, cudaStream_t stream)
{
    return RT_CALL(
        rt, flags ? cudaErrorInvalidValue
                  : prefetch_batch(rt, pointers, sizes, n, places, indices, n_places, stream_of(rt, stream)));
}

cudaError_t wg_cudaMemPrefetchBatchAsync_ptsz(void **pointers, size_t *sizes, size_t n,
                                              struct cudaMemLocation *places, size_t *indices,
                                              size_t n_places, unsigned long long flags, cudaStream_t stream)
{
    return wg_cudaMemPrefetchBatchAsync(pointers, sizes, n, places, indices, n_places, flags,
                                        stream ? stream : STREAM_PER_THREAD);
}

// ---- advice ---------------------------------------------------------------------------------------------

cudaError_t wg_cudaMemAdvise(const void *pointer, size_t size_bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    return RT_CALL(rt, managed_advise(rt, pointer, size_bytes, advice, location));
}

cudaError_t wg_cudaMemAdvise_12(const void *pointer, size_t size_bytes, enum cudaMemoryAdvise advice,
                                int device)
{
    return RT_CALL(rt, managed_advise(rt, pointer, size_bytes, advice, location_of(device)));
}

cudaError_t wg_cudaMemRangeGetAttribute(void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
                                        const void *pointer, size_t size_bytes)
{
    return RT_CALL(rt, managed_query(rt, data, data_bytes, attribute, pointer, size_bytes));
}

static cudaError_t query_all(struct rt *rt, void **data, const size_t *data_bytes,
                             const enum cudaMemRangeAttribute *attributes, size_t n, const void *pointer,
                             size_t size_bytes)
{
    cudaError_t error = data && data_bytes && attributes && n ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !error; i++)
        error = managed_query(rt, data[i], data_bytes[i], attributes[i], pointer, size_bytes);
    return error;
}

cudaError_t wg_cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
                                         enum cudaMemRangeAttribute *attributes, size_t n,
                                         const void *pointer, size_t size_bytes)
{
    return RT_CALL(rt, query_all(rt, data, data_bytes, attributes, n, pointer, size_bytes));
}

cudaError_t wg_cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size_bytes, unsigned flags)
{
    return RT_CALL(rt, managed_attach(rt, stream, pointer, size_bytes, flags));
}

cudaError_t wg_cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *pointer, size_t size_bytes,
                                             unsigned flags)
{
    return wg_cudaStreamAttachMemAsync(stream ? stream : STREAM_PER_THREAD, pointer, size_bytes, flags);
}
