// The CUDA runtime interface of version 13 as libcudart.so.13 exports it; usable from C and C++. What a function does
// and how far is told by the runtime's table (rt/api.def), not here. Graphics, external memory and IPC of other
// processes' resources are left out.
#ifndef WARPGLASS_CUDA_RUNTIME_API_H
#define WARPGLASS_CUDA_RUNTIME_API_H
#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION
#include "driver_types.h"

#ifdef __cplusplus
#define WARPGLASS_OR(value) = value // a default argument, where the language has them
extern "C" {
#else
#define WARPGLASS_OR(value)
#endif

// ---- devices ----
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int target);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

// ---- errors ----
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// ---- streams and events ----
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue *value);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id, const cudaStreamAttrValue *value);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags WARPGLASS_OR(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *user, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at, size_t bytes WARPGLASS_OR(0),
                                     unsigned flags WARPGLASS_OR(cudaMemAttachSingle));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *user);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream WARPGLASS_OR(0),
                                     unsigned flags WARPGLASS_OR(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventCreate(cudaEvent_t *event);

// ---- launches ----
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared WARPGLASS_OR(0), cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block,
                                                                   size_t shared, unsigned flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int block);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function);

// ---- memory ----
cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned flags WARPGLASS_OR(cudaMemAttachGlobal));
cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaMallocHost(void **at, size_t bytes);
cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *at, struct cudaExtent extent);
cudaError_t cudaFree(void *at);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *at);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at);
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpyPeer(void *target, int target_device, const void *source, int source_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device,
                                size_t bytes, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpy2D(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy);
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr at, int value, struct cudaExtent extent,
                              cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset WARPGLASS_OR(0),
                               enum cudaMemcpyKind kind WARPGLASS_OR(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *target, const void *symbol, size_t bytes, size_t offset WARPGLASS_OR(0),
                                 enum cudaMemcpyKind kind WARPGLASS_OR(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *target, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaGetSymbolAddress(void **at, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
                                     const void *at, size_t bytes);

// ---- memory in stream order ----
cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **at, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count);

// ---- arrays, textures, surfaces ----
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height WARPGLASS_OR(0), unsigned flags WARPGLASS_OR(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags WARPGLASS_OR(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned levels, unsigned flags WARPGLASS_OR(0));
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned number);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t target, size_t x, size_t y, const void *source, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *target, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t target, size_t x, size_t y, const void *source, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *target, size_t pitch, cudaArray_const_t source, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t target, size_t x, size_t y, const void *source, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *target, size_t pitch, cudaArray_const_t source, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream WARPGLASS_OR(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t target, size_t x, size_t y, cudaArray_const_t source,
                                     size_t source_x, size_t source_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind WARPGLASS_OR(cudaMemcpyDeviceToDevice));
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *sampler, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

// ---- graphs ----
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id WARPGLASS_OR(0), cudaGraph_t *graph WARPGLASS_OR(0),
                                     const cudaGraphNode_t **dependencies WARPGLASS_OR(0),
                                     const cudaGraphEdgeData **edges WARPGLASS_OR(0), size_t *count WARPGLASS_OR(0));
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemcpy3DParms *copy);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *target, const void *source, size_t bytes,
                                     enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemsetParams *parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                 size_t count, const struct cudaHostNodeParams *parameters);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *parameters);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *at);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags WARPGLASS_OR(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags WARPGLASS_OR(0));
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                               const void *source, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

// ---- ways to the driver ----
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status WARPGLASS_OR(0));
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status WARPGLASS_OR(0));
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options,
                                void **option_values, unsigned n_options, enum cudaLibraryOption *library_options,
                                void **library_values, unsigned n_library_options);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetGlobal(void **at, size_t *bytes, cudaLibrary_t library, const char *name);

// What the compiler's launch code calls.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared WARPGLASS_OR(0),
                                     void *stream WARPGLASS_OR(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
#ifdef __cplusplus
}
#endif
#undef WARPGLASS_OR
#endif
