// What both APIs ask of kernels: attributes, parameters, occupancy. Plain functions; all expect the state's lock and a handle
// of function_of. Attribute numbers are the same in both APIs (cudaFuncAttribute…, CU_FUNC_ATTRIBUTE_…).
#ifndef RT_FUNCTION_H
#define RT_FUNCTION_H
#include "rt/op.h"

enum function_attribute {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED_BYTES = 1, // static
    FUNCTION_CONST_BYTES = 2,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_PTX_VERSION = 5,    // 90 = compute_90
    FUNCTION_BINARY_VERSION = 6, // 90 = sm_90
    FUNCTION_CACHE_MODE_CA = 7,
    FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    FUNCTION_CARVEOUT_PERCENT = 9, // -1: the driver's choice
    FUNCTION_CLUSTER_MUST_BE_SET = 10,
    FUNCTION_CLUSTER_WIDTH = 11,
    FUNCTION_CLUSTER_HEIGHT = 12,
    FUNCTION_CLUSTER_DEPTH = 13,
    FUNCTION_NON_PORTABLE_CLUSTER = 14,
    FUNCTION_CLUSTER_POLICY = 15
};

// Lowers the kernel first. cudaErrorInvalidValue: no such attribute, or it cannot be set to that.
cudaError_t function_attribute_get(struct rt *rt, struct rt_function *function, int attribute, int *value);
cudaError_t function_attribute_set(struct rt *rt, struct rt_function *function, int attribute, int value);
// Its place in the parameter block; size_bytes may be NULL. cudaErrorInvalidValue: no such parameter.
cudaError_t function_param(struct rt *rt, struct rt_function *function, size_t index, size_t *offset,
                           size_t *size_bytes);

// ---- occupancy (function_occupancy.c) -----------------------------------------------------------------------------

// Blocks that an SM holds; 0: such a block does not fit.
cudaError_t function_blocks(struct rt *rt, struct rt_function *function, int threads, size_t shared_bytes, int *blocks);
// The block size with the most resident threads, the largest of equals, and the grid that fills the device with it.
// shared_of: dynamic shared memory of a block of that many threads; NULL: always shared_bytes. limit 0: none.
cudaError_t function_best_block(struct rt *rt, struct rt_function *function, size_t (*shared_of)(int threads),
                                size_t shared_bytes, int limit, int *grid_size, int *block_size);
// Dynamic shared memory that a block may have so that an SM still holds so many.
cudaError_t function_free_shared(struct rt *rt, struct rt_function *function, int blocks, int threads, size_t *bytes);
// Clusters of `cluster` blocks that the device holds at once.
cudaError_t function_clusters(struct rt *rt, struct rt_function *function, uint32_t threads, size_t shared_bytes,
                              uint32_t cluster, int *clusters);
// The most blocks of a cluster that fits.
cudaError_t function_max_cluster(struct rt *rt, struct rt_function *function, uint32_t threads, size_t shared_bytes,
                                 int *blocks);
#endif
