// Memory of every kind: the plain functions behind the runtime API and the driver API. All expect the lock.
//
// Device memory has guest addresses. Managed, pinned and registered memory is real host memory which the
// guest uses at the host's own address (memory_add_host), so every such pointer works in kernels. What the
// runtime knows of a block hangs on it as its owner: a struct allocation. Pageable host memory has no block.
//
//     void *p;
//     cudaError_t error = device_malloc(rt, &p, 1 << 20);
//     error = copy_bytes(rt, p, host, 1 << 20, cudaMemcpyHostToDevice, rt->legacy, false);
//     error = device_free(rt, p);
#ifndef RT_MEMORY_H
#define RT_MEMORY_H
#include "rt/op.h"

enum allocation_kind {
    ALLOCATION_DEVICE, // cudaMalloc and its kin
    ALLOCATION_POOL,   // stream-ordered
    ALLOCATION_MANAGED,
    ALLOCATION_PINNED,     // cudaMallocHost, cudaHostAlloc
    ALLOCATION_REGISTERED, // cudaHostRegister
    ALLOCATION_ARRAY,
    ALLOCATION_VIRTUAL // mapped by hand (cuMemMap)
};

struct allocation {
    enum allocation_kind kind;
    unsigned flags;             // as given: cudaHostAlloc…, cudaHostRegister…, cudaMemAttach…
    uint64_t size_bytes;        // as asked for
    uint64_t id;                // of all allocations, from 1 on: CU_POINTER_ATTRIBUTE_BUFFER_ID
    struct rt_pool *pool;       // ALLOCATION_POOL
    bool is_variable;           // a __managed__ variable: it stays when the device is reset
    struct managed_page *pages; // ALLOCATION_MANAGED: what the program advised, see managed.c; NULL: nothing
};

// What the runtime keeps about memory besides the blocks.
struct rt_memory {
    uint64_t n_made;                   // allocations
    uint64_t large_bytes, small_bytes; // of device memory, as memory_info counts them
    struct rt_pool *pools, *current;   // the first one is the default pool
    struct rt_array *arrays;
    struct rt_mipmap *mipmaps;
};
struct rt_memory *memory_state(struct rt *rt);

// ---- allocating (memory.c) --------------------------------------------------------------------------------

// Size 0 gives NULL and success, as cudaMalloc does.
cudaError_t device_malloc(struct rt *rt, void **out, size_t size_bytes);
// Rows of width_bytes, each beginning at a multiple of *pitch_bytes.
cudaError_t device_malloc_pitch(struct rt *rt, void **out, size_t *pitch_bytes, size_t width_bytes,
                                size_t rows);
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

// The live block around an address, with what is known of it. NULL: pageable host memory, or a guest address
// that is not allocated. *allocation is NULL for blocks of others: variables, the heap of device code. Good
// until the next change.
const struct memory_block *allocation_of(struct rt *rt, const void *pointer, struct allocation **allocation);
// The allocation that begins there; NULL: none of that kind does.
struct allocation *allocation_at(struct rt *rt, const void *pointer, enum allocation_kind kind);
// Device memory and its record, for arrays and pools. NULL: the device is full.
struct allocation *allocation_new(struct rt *rt, enum allocation_kind kind, size_t size_bytes,
                                  const char *what, void **out);
void allocation_delete(struct rt *rt, void *pointer);

// ---- copying and filling (copy.c)
// ---------------------------------------------------------------------------

// Checks, infers what cudaMemcpyDefault means, submits, and waits when not asynchronous. An error means that
// nothing was copied. Size 0 is no error.
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

// ---- arguments that become boxes (copy_shape.c)
// -------------------------------------------------------------

// All leave the width 0 where nothing is to be copied; copy_box takes what they make.
cudaError_t copy_of_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                       size_t height, enum cudaMemcpyKind kind, struct op_copy *copy);
// cudaMemcpy3D, with arrays or pitched memory on either side.
cudaError_t copy_of_3d(struct rt *rt, const struct cudaMemcpy3DParms *parms, struct op_copy *copy);
cudaError_t fill_of_2d(void *to, size_t pitch, int value, size_t width_bytes, size_t height,
                       struct op_fill *fill);
cudaError_t fill_of_3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent, struct op_fill *fill);

// ---- texture and surface objects (texture.c)
// Handles are numbers from 1 on; those of destroyed ones are given again.

struct rt_texture {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
};
cudaError_t texture_new(struct rt *rt, cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                        const struct cudaTextureDesc *texture, bool is_surface);
cudaError_t texture_delete(struct rt *rt, cudaTextureObject_t handle, bool is_surface);
const struct rt_texture *texture_description(const struct rt *rt, cudaTextureObject_t handle, bool is_surface); // NULL: none

// ---- arrays (array.c)
// ---------------------------------------------------------------------------------------

// Rows of elements in guest memory, pitched. A 1D array has height and depth 0, a 2D array depth 0, as
// created.
struct rt_array {
    struct rt_array *next;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; // elements, as given
    unsigned flags;
    uint32_t element_bytes;
    uint64_t address, pitch_bytes, slice_bytes;
    bool is_level; // of a mipmapped array, which frees it
};

enum { MOST_LEVELS = 18 }; // of a mipmapped array 131072 wide
struct rt_mipmap {
    struct rt_mipmap *next;
    uint32_t n_levels;
    struct rt_array *levels[MOST_LEVELS];
};

cudaError_t array_new(struct rt *rt, struct rt_array **out, const struct cudaChannelFormatDesc *format,
                      struct cudaExtent extent, unsigned flags);
cudaError_t array_free(struct rt *rt, struct rt_array *array);
bool array_is_known(struct rt *rt, const struct rt_array *array);
// Fewer levels when the smallest is a single element before.
cudaError_t mipmap_new(struct rt *rt, struct rt_mipmap **out, const struct cudaChannelFormatDesc *format,
                       struct cudaExtent extent, unsigned n_levels, unsigned flags);
cudaError_t mipmap_free(struct rt *rt, struct rt_mipmap *mipmap);
cudaError_t mipmap_level(struct rt *rt, struct rt_array **out, const struct rt_mipmap *mipmap,
                         unsigned level);
// The place of its element (x, y, z); x in bytes.
struct op_place array_place(struct rt_array *array, size_t x_bytes, size_t y, size_t z);
// Whether the box, its width in bytes, lies inside.
bool array_contains(const struct rt_array *array, struct cudaPos from, struct cudaExtent extent);

// ---- stream-ordered (pool.c)
// --------------------------------------------------------------------------------

cudaError_t pool_malloc(struct rt *rt, void **out, size_t size_bytes, struct rt_pool *pool,
                        struct rt_stream *stream);
cudaError_t pool_free(struct rt *rt, void *pointer, struct rt_stream *stream);
struct rt_pool *pool_default(struct rt *rt);
struct rt_pool *pool_current(struct rt *rt);
cudaError_t pool_set_current(struct rt *rt, struct rt_pool *pool);
cudaError_t pool_new(struct rt *rt, struct rt_pool **out, const struct cudaMemPoolProps *props);
cudaError_t pool_delete(struct rt *rt, struct rt_pool *pool);
cudaError_t pool_get(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t pool_set(struct rt *rt, struct rt_pool *pool, enum cudaMemPoolAttr attribute, const void *value);
cudaError_t pool_trim(struct rt *rt, struct rt_pool *pool, size_t keep_bytes);
bool pool_is_known(struct rt *rt, const struct rt_pool *pool);
// Counts the end of an allocation out of its pool.
void pool_forget(struct rt *rt, struct rt_pool *pool, uint64_t size_bytes);
// What pools do when the host has waited: memory above their release thresholds goes back to the device.
void pools_synchronize(struct rt *rt);
uint64_t pools_reserved_bytes(struct rt *rt);

// ---- managed memory (managed.c)
// -----------------------------------------------------------------------------

cudaError_t managed_prefetch(struct rt *rt, const void *pointer, size_t size_bytes, struct cudaMemLocation to,
                             struct rt_stream *stream);
cudaError_t managed_advise(struct rt *rt, const void *pointer, size_t size_bytes,
                           enum cudaMemoryAdvise advice, struct cudaMemLocation location);
cudaError_t managed_query(struct rt *rt, void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
                          const void *pointer, size_t size_bytes);
cudaError_t managed_attach(struct rt *rt, cudaStream_t handle, void *pointer, size_t size_bytes,
                           unsigned flags);
#endif
