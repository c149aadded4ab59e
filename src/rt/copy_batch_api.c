// Many copies by one call. They are copies like others, one after the other.
#include "rt/api.h"
#include "rt/memory.h"

// Batches go to streams of the program's only. Everything is checked before anything is copied.
static cudaError_t check_batch(struct rt *rt, const struct rt_stream *stream, size_t n)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    return n == 0 || stream == rt->legacy ? cudaErrorInvalidValue : cudaSuccess;
}

static struct op_copy line(void *to, const void *from, size_t size_bytes)
{
    return (struct op_copy){.to = {.address = (uint64_t)(uintptr_t)to},
                            .from = {.address = (uint64_t)(uintptr_t)from},
                            .width_bytes = size_bytes,
                            .height = 1,
                            .depth = 1,
                            .kind = cudaMemcpyDefault};
}

static cudaError_t check_lines(struct rt *rt, void *const *to, const void *const *from, const size_t *sizes,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct op_copy copy = line(to[i], from[i], sizes[i]);
        cudaError_t error = sizes[i] ? copy_check(rt, &copy) : cudaErrorInvalidValue;
        if (error)
            return error;
    }
    return cudaSuccess;
}

struct batch {
    void *const *to;
    const void *const *from;
    const size_t *sizes;
    size_t n;
    const struct cudaMemcpyAttributes *attributes;
    const size_t *indices; // of the first copy that each attribute is for
    size_t n_attributes;
};

static cudaError_t copy_batch(struct rt *rt, const struct batch *b, struct rt_stream *stream)
{
    cudaError_t error = check_batch(rt, stream, b->n);
    if (error)
        return error;
    if (!b->to || !b->from || !b->sizes || !b->attributes || !b->indices || b->n_attributes == 0 ||
        b->n_attributes > b->n || b->indices[0] != 0)
        return cudaErrorInvalidValue;
    error = check_lines(rt, b->to, b->from, b->sizes, b->n);
    for (size_t i = 0; i < b->n && !error; i++) {
        struct op_copy copy = line(b->to[i], b->from[i], b->sizes[i]);
        error = copy_box(rt, &copy, stream, true);
    }
    return error;
}

cudaError_t wg_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t n,
                                    struct cudaMemcpyAttributes *attributes, size_t *indices,
                                    size_t n_attributes, cudaStream_t stream)
{
    const struct batch batch = {to, from, sizes, n, attributes, indices, n_attributes};
    return RT_CALL(rt, copy_batch(rt, &batch, stream_of(rt, stream)));
}

cudaError_t wg_cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *sizes,
                                         size_t n, struct cudaMemcpyAttributes *attributes, size_t *indices,
                                         size_t n_attributes, cudaStream_t stream)
{
    return wg_cudaMemcpyBatchAsync(to, from, sizes, n, attributes, indices, n_attributes,
                                   stream ? stream : STREAM_PER_THREAD);
}

// CUDA 12 also tells which copy failed; ours fail together, which is SIZE_MAX there.
cudaError_t wg_cudaMemcpyBatchAsync_12(void **to, void **from, size_t *sizes, size_t n,
                                       struct cudaMemcpyAttributes *attributes, size_t *indices,
                                       size_t n_attributes, size_t *failed, cudaStream_t stream)
{
    if (failed)
        *failed = SIZE_MAX;
    return wg_cudaMemcpyBatchAsync(to, (const void *const *)from, sizes, n, attributes, indices, n_attributes,
                                   stream);
}

// ---- 3D -------------------------------------------------------------------------------------------------

// Row lengths are counted in the elements of the array on the other side, or in bytes.
static struct cudaPitchedPtr pitched(const struct cudaMemcpy3DOperand *operand, uint32_t element_bytes,
                                     struct cudaExtent extent)
{
    size_t row = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent.width;
    size_t rows = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent.height;
    return (struct cudaPitchedPtr){operand->op.ptr.ptr, row * element_bytes, row * element_bytes, rows};
}

static uint32_t bytes_of(struct rt *rt, const struct cudaMemcpy3DOperand *operand)
{
    bool is_array =
        operand->type == cudaMemcpyOperandTypeArray && array_is_known(rt, operand->op.array.array);
    return is_array ? operand->op.array.array->element_bytes : 0;
}

static cudaError_t copy_of_batched(struct rt *rt, const struct cudaMemcpy3DBatchOp *op, struct op_copy *copy)
{
    struct cudaMemcpy3DParms parms = {.extent = op->extent, .kind = cudaMemcpyDefault};
    uint32_t to_bytes = bytes_of(rt, &op->dst), from_bytes = bytes_of(rt, &op->src);
    uint32_t bytes = to_bytes ? to_bytes : from_bytes ? from_bytes : 1;
    if (op->extent.width == 0 || op->extent.height == 0 || op->extent.depth == 0)
        return cudaErrorInvalidValue;
    if (op->dst.type == cudaMemcpyOperandTypeArray) {
        parms.dstArray = op->dst.op.array.array;
        parms.dstPos = op->dst.op.array.offset;
    } else
        parms.dstPtr = pitched(&op->dst, bytes, op->extent);
    if (op->src.type == cudaMemcpyOperandTypeArray) {
        parms.srcArray = op->src.op.array.array;
        parms.srcPos = op->src.op.array.offset;
    } else
        parms.srcPtr = pitched(&op->src, bytes, op->extent);
    return copy_of_3d(rt, &parms, copy);
}

static cudaError_t copy_batch_3d(struct rt *rt, const struct cudaMemcpy3DBatchOp *ops, size_t n,
                                 struct rt_stream *stream)
{
    struct op_copy copy;
    cudaError_t error = check_batch(rt, stream, n);
    if (!error && !ops)
        error = cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !error; i++) {
        error = copy_of_batched(rt, &ops[i], &copy);
        error = error ? error : copy_check(rt, &copy);
    }
    for (size_t i = 0; i < n && !error; i++) {
        error = copy_of_batched(rt, &ops[i], &copy);
        error = error ? error : copy_box(rt, &copy, stream, true);
    }
    return error;
}

cudaError_t wg_cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags,
                                      cudaStream_t stream)
{
    return RT_CALL(rt, flags ? cudaErrorInvalidValue : copy_batch_3d(rt, ops, n, stream_of(rt, stream)));
}

cudaError_t wg_cudaMemcpy3DBatchAsync_ptsz(size_t n, struct cudaMemcpy3DBatchOp *ops,
                                           unsigned long long flags, cudaStream_t stream)
{
    return wg_cudaMemcpy3DBatchAsync(n, ops, flags, stream ? stream : STREAM_PER_THREAD);
}

cudaError_t wg_cudaMemcpy3DBatchAsync_12(size_t n, struct cudaMemcpy3DBatchOp *ops, size_t *failed,
                                         unsigned long long flags, cudaStream_t stream)
{
    if (failed)
        *failed = SIZE_MAX;
    return wg_cudaMemcpy3DBatchAsync(n, ops, flags, stream);
}
