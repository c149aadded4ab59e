// Types and numbers of the CUDA runtime API as compiled programs use them: sizes, layouts and values are part of the
// ABI. Names are CUDA's own where a program sees them. Source of layouts: CUDA 13.0 headers, checked by
// tests/rt/abi.c against the compiler's where nvcc is installed; older layouts are marked.
#ifndef RT_ABI_H
#define RT_ABI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cudaError {
#define ERROR(name, number, text) name = number,
#include "rt/errors.def"
#undef ERROR
};
typedef enum cudaError cudaError_t;

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

// Handles: pointers to our own objects.
typedef struct rt_stream *cudaStream_t;
typedef struct rt_event *cudaEvent_t;
typedef struct rt_graph *cudaGraph_t;
typedef struct rt_graph_node *cudaGraphNode_t;
typedef struct rt_graph_exec *cudaGraphExec_t;
typedef struct rt_array *cudaArray_t;
typedef struct rt_pool *cudaMemPool_t;
typedef struct rt_function *cudaKernel_t;
typedef struct rt_library *cudaLibrary_t;
typedef void (*cudaHostFn_t)(void *data);

// Special stream handles.
#define STREAM_LEGACY ((cudaStream_t)1)
#define STREAM_PER_THREAD ((cudaStream_t)2)

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

// ---- launches -------------------------------------------------------------------------------------------

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeMemSyncDomainMap = 9,
    cudaLaunchAttributeMemSyncDomain = 10,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributeLaunchCompletionEvent = 12,
    cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14
};

union launch_attribute_value {
    char pad[64];
    int cooperative, priority;
    unsigned preferred_shared_carveout; // percent
    struct {
        unsigned x, y, z;
    } cluster;
    struct {
        void *base;
        size_t size_bytes;
        float hit_ratio;
        int hit_property, miss_property;
    } window;
};

typedef struct cudaLaunchAttribute_st {
    enum cudaLaunchAttributeID id;
    char pad[8 - sizeof(enum cudaLaunchAttributeID)];
    union launch_attribute_value val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

// ---- functions ------------------------------------------------------------------------------------------

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight;
    int requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};

// What cudaGetDriverEntryPoint and __cudaRegisterFunction pass.
typedef struct uint3 {
    unsigned x, y, z;
} uint3;
#endif
