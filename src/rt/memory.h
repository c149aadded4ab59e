// Memory of every kind: the plain functions behind the runtime API and the driver API. All expect the state's lock.
//
// Device memory has guest addresses. Managed, pinned and registered memory is real host memory which the guest uses at the
// host's own address (memory_add_host), so every such pointer works in kernels. What the runtime knows of a block hangs on it
// as its owner: a struct allocation. Pageable host memory has no block.
//
//     void *p;
//     cudaError_t error = device_malloc(rt, &p, 1 << 20);
//     error = copy_bytes(rt, p, host, 1 << 20, cudaMemcpyHostToDevice, rt->legacy, false);
//     error = device_free(rt, p);
#ifndef RT_MEMORY_H
#define RT_MEMORY_H
#include "rt/op.h"

enum allocation_kind {
    ALLOCATION_DEVICE,     // cudaMalloc and its kin
    ALLOCATION_POOL,       // stream-ordered
    ALLOCATION_MANAGED,
    ALLOCATION_PINNED,     // cudaMallocHost, cudaHostAlloc
    ALLOCATION_REGISTERED, // cudaHostRegister
    ALLOCATION_ARRAY,
    ALLOCATION_VIRTUAL     // mapped by hand (cuMemMap)
};

struct allocation {
    enum allocation_kind kind;
    unsigned flags;       // as given: cudaHostAlloc…, cudaHostRegister…, cudaMemAttach…
    struct rt_pool *pool; // ALLOCATION_POOL
    uint64_t size_bytes;  // as asked for
    uint64_t id;          // CU_POINTER_ATTRIBUTE_BUFFER_ID
    // what cudaMemAdvise and cudaMemPrefetchAsync said of managed memory
    bool is_read_mostly, is_accessed_by_device, is_accessed_by_host;
    struct cudaMemLocation preferred, prefetched;
};

// ---- allocating (memory.c) --------------------------------------------------------------------------------

// Size 0 gives NULL and success, as cudaMalloc does.
cudaError_t device_malloc(struct rt *rt, void **out, size_t size_bytes);
// Rows of width_bytes, each beginning at a multiple of *pitch_bytes.
cudaError_t device_malloc_pitch(struct rt *rt, void **out, size_t *pitch_bytes, size_t width_bytes, size_t rows);
// Of device, pooled and managed memory; NULL is no error.
cudaError_t device_free(struct rt *rt, void *pointer);
cudaError_t managed_malloc(struct rt *rt, void **out, size_t size_bytes, unsigned flags);
// flags: cudaHostAlloc…
cudaError_t pinned_malloc(struct rt *rt, void **out, size_t size_bytes, unsigned flags);
cudaError_t pinned_free(struct rt *rt, void *pointer);
cudaError_t host_register(struct rt *rt, void *pointer, size_t size_bytes, unsigned flags);
cudaError_t host_unregister(struct rt *rt, void *pointer);
// The guest's pointer to pinned or registered memory, and the flags it was made with.
cudaError_t host_device_pointer(struct rt *rt, void **out, void *host);
cudaError_t host_flags(struct rt *rt, unsigned *flags, void *host);
void memory_info(struct rt *rt, size_t *free_bytes, size_t *total_bytes);
// Frees everything but variables and managed variables (cudaDeviceReset).
void memory_reset(struct rt *rt);

// The live block around an address, with what is known of it. NULL: pageable host memory, or a guest address that is not
// allocated. *allocation is NULL for blocks of others: variables, the heap of device code.
const struct memory_block *allocation_of(struct rt *rt, const void *pointer, const struct allocation **allocation);

// ---- copying and filling (copy.c) ---------------------------------------------------------------------------

// Checks, infers what cudaMemcpyDefault means, submits, and waits when not asynchronous. An error means that nothing was
// copied. Size 0 is no error.
cudaError_t copy_bytes(struct rt *rt, void *to, const void *from, size_t size_bytes, enum cudaMemcpyKind kind,
                       struct rt_stream *stream, bool is_async);
cudaError_t copy_box(struct rt *rt, const struct op_copy *copy, struct rt_stream *stream, bool is_async);
// n elements of 1, 2 or 4 bytes
cudaError_t fill_elements(struct rt *rt, void *to, uint32_t value, uint32_t element_bytes, size_t n,
                          struct rt_stream *stream, bool is_async);
cudaError_t fill_box(struct rt *rt, const struct op_fill *fill, struct rt_stream *stream, bool is_async);
// The same checks without submitting, for nodes of graphs. On success copy->kind is never cudaMemcpyDefault.
cudaError_t copy_check(struct rt *rt, struct op_copy *copy);
cudaError_t fill_check(struct rt *rt, const struct op_fill *fill);
// The operation behind cudaMemcpy3D. cudaErrorInvalidValue when the parameters contradict each other.
cudaError_t copy_of_3d(struct rt *rt, const struct cudaMemcpy3DParms *parms, struct op_copy *copy);

// ---- arrays (array.c) ---------------------------------------------------------------------------------------

// Rows of elements in guest memory, pitched. A 1D array has height and depth 0, a 2D array depth 0, as created.
struct rt_array {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; // elements, as given
    unsigned flags;
    uint32_t element_bytes;
    uint64_t address, pitch_bytes, slice_bytes;
};

cudaError_t array_new(struct rt *rt, struct rt_array **out, const struct cudaChannelFormatDesc *format,
                      struct cudaExtent extent, unsigned flags);
cudaError_t array_free(struct rt *rt, struct rt_array *array);
bool array_is_known(struct rt *rt, const struct rt_array *array);
// The place of its element (x, y, z); x in bytes.
struct op_place array_place(struct rt_array *array, size_t x_bytes, size_t y, size_t z);

// ---- stream-ordered (pool.c) --------------------------------------------------------------------------------

cudaError_t pool_malloc(struct rt *rt, void **out, size_t size_bytes, struct rt_pool *pool, struct rt_stream *stream);
cudaError_t pool_free(struct rt *rt, void *pointer, struct rt_stream *stream);
struct rt_pool *pool_default(struct rt *rt);
struct rt_pool *pool_current(struct rt *rt);
cudaError_t pool_set_current(struct rt *rt, struct rt_pool *pool);
cudaError_t pool_new(struct rt *rt, struct rt_pool **out, const struct cudaMemPoolProps *props);
cudaError_t pool_delete(struct rt *rt, struct rt_pool *pool);
cudaError_t pool_get(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t pool_set(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, const void *value);
cudaError_t pool_trim(struct rt *rt, struct rt_pool *pool, size_t keep_bytes);

// ---- managed memory (managed.c) -----------------------------------------------------------------------------

cudaError_t managed_prefetch(struct rt *rt, const void *pointer, size_t size_bytes, struct cudaMemLocation to,
                             struct rt_stream *stream);
cudaError_t managed_advise(struct rt *rt, const void *pointer, size_t size_bytes, enum cudaMemoryAdvise advice,
                           struct cudaMemLocation location);
#endif
