// Boxes of bytes as the driver API gives them.
#ifndef RT_DRIVER_COPY_H
#define RT_DRIVER_COPY_H
#include "rt/driver_api.h"

// The operation behind its copy structure, for copies and for nodes of graphs.
cudaError_t copy_of_driver(struct rt *rt, const struct CUDA_MEMCPY3D *c, struct op_copy *out);
// And back again, for queries of nodes.
void driver_of_copy(const struct op_copy *copy, struct CUDA_MEMCPY3D *out);
// Elements of 1, 2 or 4 bytes, aligned to their size.
cudaError_t fill_rows(struct rt *rt, void *to, size_t pitch_bytes, uint32_t value, uint32_t element_bytes, size_t width,
                      size_t height, cudaStream_t stream, bool is_async);
#endif
