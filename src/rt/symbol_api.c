// Variables of the program: where they are, and copies to and from them.
#include "rt/api.h"
#include "rt/memory.h"

// A __managed__ variable is named by its memory.
static cudaError_t find(struct rt *rt, const void *symbol, uint64_t *address, uint64_t *size_bytes)
{
    const struct allocation *managed = allocation_at(rt, symbol, ALLOCATION_MANAGED);
    if (!managed || !managed->is_variable)
        return variable_of(rt, symbol, address, size_bytes);
    *address = (uint64_t)(uintptr_t)symbol;
    *size_bytes = managed->size_bytes;
    return cudaSuccess;
}

static cudaError_t symbol_address(struct rt *rt, void **out, const void *symbol)
{
    uint64_t address, size_bytes;
    cudaError_t error = out ? find(rt, symbol, &address, &size_bytes) : cudaErrorInvalidValue;
    if (!error)
        *out = (void *)(uintptr_t)address;
    return error;
}

cudaError_t wg_cudaGetSymbolAddress(void **out, const void *symbol)
{
    return RT_CALL(rt, symbol_address(rt, out, symbol));
}

static cudaError_t symbol_size(struct rt *rt, size_t *out, const void *symbol)
{
    uint64_t address, size_bytes;
    cudaError_t error = out ? find(rt, symbol, &address, &size_bytes) : cudaErrorInvalidValue;
    if (!error)
        *out = size_bytes;
    return error;
}

cudaError_t wg_cudaGetSymbolSize(size_t *out, const void *symbol)
{
    return RT_CALL(rt, symbol_size(rt, out, symbol));
}

// ---- copies ---------------------------------------------------------------------------------------------

struct symbol_copy {
    void *to; // NULL: to the symbol
    const void *from, *symbol;
    size_t size_bytes, offset;
    enum cudaMemcpyKind kind;
    bool is_to_symbol;
};

static cudaError_t copy_symbol(struct rt *rt, const struct symbol_copy *call, cudaStream_t handle,
                               bool is_async)
{
    uint64_t address, size_bytes;
    struct rt_stream *stream = stream_of(rt, handle);
    if (call->size_bytes == 0)
        return cudaSuccess;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    enum cudaMemcpyKind usual = call->is_to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (call->kind != usual && call->kind != cudaMemcpyDeviceToDevice && call->kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = find(rt, call->symbol, &address, &size_bytes);
    if (error)
        return error;
    if (call->offset > size_bytes || call->size_bytes > size_bytes - call->offset)
        return cudaErrorInvalidValue;
    void *place = (void *)(uintptr_t)(address + call->offset);
    return copy_bytes(rt, call->is_to_symbol ? place : call->to, call->is_to_symbol ? call->from : place,
                      call->size_bytes, call->kind, stream, is_async);
}

cudaError_t wg_cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size_bytes, size_t offset,
                                  enum cudaMemcpyKind kind)
{
    const struct symbol_copy call = {NULL, from, symbol, size_bytes, offset, kind, true};
    return RT_CALL(rt, copy_symbol(rt, &call, NULL, false));
}

cudaError_t wg_cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size_bytes, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    const struct symbol_copy call = {to, NULL, symbol, size_bytes, offset, kind, false};
    return RT_CALL(rt, copy_symbol(rt, &call, NULL, false));
}

cudaError_t wg_cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size_bytes, size_t offset,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct symbol_copy call = {NULL, from, symbol, size_bytes, offset, kind, true};
    return RT_CALL(rt, copy_symbol(rt, &call, stream, true));
}

cudaError_t wg_cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size_bytes, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct symbol_copy call = {to, NULL, symbol, size_bytes, offset, kind, false};
    return RT_CALL(rt, copy_symbol(rt, &call, stream, true));
}
