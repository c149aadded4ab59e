// Types of the driver API as compiled programs use them, and prototypes of its bodies from the table. Where both APIs have a
// type of the same layout, the runtime's is used. Source of layouts: CUDA 13.0 headers, checked by tests/rt/abi_driver.sh
// against the compiler's where nvcc is installed.
#ifndef RT_DRIVER_API_H
#define RT_DRIVER_API_H
#include "rt/graph.h"
#include "rt/memory.h"
#include "rt/stream.h"

enum { DRIVER_VERSION = 13000 };

typedef cudaError_t CUresult; // the numbers agree, see driver_error
typedef int CUdevice;
typedef struct driver_context *CUcontext;
typedef struct rt_module *CUmodule;
typedef struct rt_function *CUfunction; // and CUkernel
typedef struct rt_library *CUlibrary;
typedef struct driver_link *CUlinkState;
typedef size_t (*CUoccupancyB2DSize)(int block_size);

struct CUuuid {
    unsigned char bytes[16];
};

struct CUdevprop {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth;
    int memPitch, regsPerBlock, clockRate, textureAlign;
};

struct CUctxCreateParams {
    const void *execAffinityParams;
    int numExecAffinityParams;
    const void *cigParams;
};

struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    cudaStream_t hStream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

// The older form ends before `kern`.
struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    CUfunction kern;
    CUcontext ctx;
};

// ---- copies and arrays --------------------------------------------------------------------------------------

enum CUmemorytype { // 0 is refused
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_ARRAY = 3,
    CU_MEMORYTYPE_UNIFIED = 4
};

struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    enum CUmemorytype srcMemoryType;
    const void *srcHost, *srcDevice;
    struct rt_array *srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    enum CUmemorytype dstMemoryType;
    void *dstHost, *dstDevice;
    struct rt_array *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
};

// CUDA_MEMCPY3D_PEER has a context where this has `reserved`.
struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    enum CUmemorytype srcMemoryType;
    const void *srcHost, *srcDevice;
    struct rt_array *srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    enum CUmemorytype dstMemoryType;
    void *dstHost, *dstDevice;
    struct rt_array *dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
};

enum CUarray_format {
    CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    CU_AD_FORMAT_SIGNED_INT8 = 0x08,
    CU_AD_FORMAT_SIGNED_INT16 = 0x09,
    CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    CU_AD_FORMAT_HALF = 0x10,
    CU_AD_FORMAT_FLOAT = 0x20
};
struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    enum CUarray_format Format;
    unsigned NumChannels;
};
struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    enum CUarray_format Format;
    unsigned NumChannels, Flags;
};

// ---- graphs ---------------------------------------------------------------------------------------------------

// Like the runtime's cudaGraphNodeParams but for copies.
struct CUgraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            struct CUDA_MEMCPY3D copyParams;
        } memcpy;
    };
    long long reserved2;
};

// ---- memory mapped by hand ------------------------------------------------------------------------------------

struct CUmemAllocationProp {
    enum cudaMemAllocationType type;
    enum cudaMemAllocationHandleType requestedHandleTypes;
    struct cudaMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
};

// ---- bodies ---------------------------------------------------------------------------------------------------

#define DONE(since, symbol, parameters) RT_EXPORT CUresult wg_##symbol parameters;
#define CALL(since, symbol, parameters, expression) RT_EXPORT CUresult wg_##symbol parameters;
#define SAME(since, symbol, parameters, call) RT_EXPORT CUresult wg_##symbol parameters;
#define EARLY(since, symbol, parameters, call) RT_EXPORT CUresult wg_##symbol parameters;
#define ALIAS(since, symbol, body)
#define IGNORED(since, symbol, reason) RT_EXPORT CUresult wg_##symbol(void);
#define REFUSED(since, symbol, reason) RT_EXPORT CUresult wg_##symbol(void);
#include "rt/api_driver.def"
#endif
