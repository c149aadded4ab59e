#!/bin/sh
# The layouts and numbers of src/rt/driver_api.h are those of CUDA's own header (one program prints them all and is compiled
# against either), the library exports every symbol of the toolkit's stub library, and the table has every version of an
# entry point that cudaTypedefs.h knows.
set -u
cuda=${CUDA_HOME:-/usr/local/cuda}
[ -f "$cuda/include/cuda.h" ] || { echo 'skipped: no CUDA headers are installed'; exit 77; }
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
cd "$TEST_TMP" || exit 1

# name in CUDA's header, name in ours, members
structs='
CUDA_MEMCPY2D struct_CUDA_MEMCPY2D srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY dstMemoryType dstHost dstDevice dstArray dstPitch WidthInBytes Height
CUDA_MEMCPY3D struct_CUDA_MEMCPY3D srcXInBytes srcY srcZ srcLOD srcMemoryType srcHost srcDevice srcArray srcPitch srcHeight dstXInBytes dstY dstZ dstLOD dstMemoryType dstHost dstDevice dstArray dstPitch dstHeight WidthInBytes Height Depth
CUDA_MEMCPY3D_PEER struct_CUDA_MEMCPY3D srcXInBytes srcPitch srcHeight dstXInBytes dstPitch dstHeight WidthInBytes Height Depth
CUDA_ARRAY_DESCRIPTOR struct_CUDA_ARRAY_DESCRIPTOR Width Height Format NumChannels
CUDA_ARRAY3D_DESCRIPTOR struct_CUDA_ARRAY3D_DESCRIPTOR Width Height Depth Format NumChannels Flags
CUlaunchConfig struct_CUlaunchConfig gridDimX gridDimY gridDimZ blockDimX blockDimY blockDimZ sharedMemBytes hStream attrs numAttrs
CUlaunchAttribute cudaLaunchAttribute id
CUlaunchAttributeValue union_launch_attribute_value
CUctxCreateParams struct_CUctxCreateParams execAffinityParams numExecAffinityParams cigParams
CUDA_KERNEL_NODE_PARAMS_v2 struct_CUDA_KERNEL_NODE_PARAMS func gridDimX blockDimX sharedMemBytes kernelParams extra kern ctx
CUDA_MEMSET_NODE_PARAMS_v1 struct_cudaMemsetParams dst pitch value elementSize width height
CUDA_HOST_NODE_PARAMS_v1 struct_cudaHostNodeParams fn userData
CUDA_MEM_ALLOC_NODE_PARAMS_v1 struct_cudaMemAllocNodeParams poolProps accessDescs accessDescCount bytesize dptr
CUDA_GRAPH_INSTANTIATE_PARAMS cudaGraphInstantiateParams flags
CUgraphEdgeData cudaGraphEdgeData from_port to_port type
CUgraphExecUpdateResultInfo cudaGraphExecUpdateResultInfo result errorNode errorFromNode
CUgraphNodeParams struct_CUgraphNodeParams type kernel memcpy memcpy.copyParams reserved2
CUmemAllocationProp struct_CUmemAllocationProp type requestedHandleTypes location win32HandleMetaData allocFlags
CUmemLocation struct_cudaMemLocation type id
CUmemAccessDesc struct_cudaMemAccessDesc location flags
CUmemPoolProps struct_cudaMemPoolProps allocType handleTypes location maxSize usage
CUdevprop struct_CUdevprop maxThreadsPerBlock maxThreadsDim maxGridSize sharedMemPerBlock totalConstantMemory SIMDWidth memPitch regsPerBlock clockRate textureAlign
CUuuid struct_CUuuid bytes'

# name in CUDA's header, name in ours
numbers='
CUDA_ERROR_INVALID_VALUE cudaErrorInvalidValue
CUDA_ERROR_OUT_OF_MEMORY cudaErrorMemoryAllocation
CUDA_ERROR_NOT_INITIALIZED cudaErrorInitializationError
CUDA_ERROR_INVALID_DEVICE cudaErrorInvalidDevice
CUDA_ERROR_INVALID_IMAGE cudaErrorInvalidKernelImage
CUDA_ERROR_INVALID_CONTEXT cudaErrorDeviceUninitialized
CUDA_ERROR_NO_BINARY_FOR_GPU cudaErrorNoKernelImageForDevice
CUDA_ERROR_PEER_ACCESS_UNSUPPORTED cudaErrorPeerAccessUnsupported
CUDA_ERROR_INVALID_PTX cudaErrorInvalidPtx
CUDA_ERROR_FILE_NOT_FOUND cudaErrorFileNotFound
CUDA_ERROR_INVALID_HANDLE cudaErrorInvalidResourceHandle
CUDA_ERROR_NOT_FOUND cudaErrorSymbolNotFound
CUDA_ERROR_NOT_READY cudaErrorNotReady
CUDA_ERROR_ILLEGAL_ADDRESS cudaErrorIllegalAddress
CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES cudaErrorLaunchOutOfResources
CUDA_ERROR_CONTEXT_IS_DESTROYED cudaErrorContextIsDestroyed
CUDA_ERROR_NOT_SUPPORTED cudaErrorNotSupported
CU_JIT_MAX_REGISTERS JIT_MAX_REGISTERS
CU_JIT_WALL_TIME JIT_WALL_TIME
CU_JIT_INFO_LOG_BUFFER JIT_INFO_LOG
CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES JIT_INFO_LOG_BYTES
CU_JIT_ERROR_LOG_BUFFER JIT_ERROR_LOG
CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES JIT_ERROR_LOG_BYTES
CU_JIT_LOG_VERBOSE JIT_LOG_VERBOSE
CU_MEMORYTYPE_HOST CU_MEMORYTYPE_HOST
CU_MEMORYTYPE_UNIFIED CU_MEMORYTYPE_UNIFIED
CU_AD_FORMAT_SIGNED_INT32 CU_AD_FORMAT_SIGNED_INT32
CU_AD_FORMAT_HALF CU_AD_FORMAT_HALF
CU_AD_FORMAT_FLOAT CU_AD_FORMAT_FLOAT
CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT ENTRY_TOO_NEW
CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ENTRY_PER_THREAD_STREAM
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES FUNCTION_MAX_DYNAMIC_SHARED_BYTES
CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE FUNCTION_CLUSTER_POLICY
CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION cudaLaunchAttributeClusterDimension
CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT cudaLaunchAttributePreferredSharedMemoryCarveout
CU_STREAM_CAPTURE_MODE_RELAXED cudaStreamCaptureModeRelaxed
CU_STREAM_NON_BLOCKING cudaStreamNonBlocking
CU_EVENT_DISABLE_TIMING cudaEventDisableTiming
CU_MEM_LOCATION_TYPE_DEVICE cudaMemLocationTypeDevice
CU_MEM_ACCESS_FLAGS_PROT_READWRITE cudaMemAccessFlagsProtReadWrite
CU_MEM_ALLOCATION_TYPE_PINNED cudaMemAllocationTypePinned
CU_MEMPOOL_ATTR_USED_MEM_HIGH cudaMemPoolAttrUsedMemHigh
CU_MEM_ADVISE_UNSET_ACCESSED_BY cudaMemAdviseUnsetAccessedBy'

program() { # column of the names, header
    cat <<END
#include <stddef.h>
#include <stdio.h>
#include "$2"
#define SIZE(name, type) printf("%s %zu\\n", #name, sizeof(type));
#define OFFSET(name, type, member) printf("%s.%s %zu\\n", #name, #member, offsetof(type, member));
#define NUMBER(name, number) printf("%s %lld\\n", #name, (long long)(number));
int main(void)
{
END
    echo "$structs" | while read -r theirs ours members; do
        [ -n "$theirs" ] || continue
        type=$theirs
        [ "$1" = 2 ] && type=$(echo "$ours" | sed 's/^\(struct\|union\)_/\1 /')
        echo "    SIZE($theirs, $type)"
        for member in $members; do
            echo "    OFFSET($theirs, $type, $member)"
        done
    done
    echo "$numbers" | while read -r theirs ours; do
        [ -n "$theirs" ] || continue
        [ "$1" = 2 ] || ours=$theirs
        echo "    NUMBER($theirs, $ours)"
    done
    echo '}'
}

program 1 cuda.h >theirs.c
program 2 rt/driver.h >ours.c
"$cc" -w -I"$cuda/include" theirs.c -o theirs || exit 1
"$cc" -w -std=gnu17 -D_GNU_SOURCE -I"$root/src" -include rt/function.h ours.c -o ours || exit 1
./theirs >theirs.txt
./ours >ours.txt
echo 1..4
if cmp -s theirs.txt ours.txt; then
    echo "ok 1 - $(wc -l <ours.txt) layouts and numbers"
else
    echo 'not ok 1 - layouts and numbers'
    diff theirs.txt ours.txt | sed 's/^/# /'
fi

# Every symbol of the stub library is one of ours.
stub=$cuda/lib64/stubs/libcuda.so
grep -o '^[A-Z]*([0-9]*, cu[A-Za-z0-9_]*' "$root/src/rt/api_driver.def" | sed 's/.*, //' | sort >rows.txt
if [ -f "$stub" ]; then
    nm -D --defined-only "$stub" | awk '$2 == "T" || $2 == "W" { print $3 }' | sort >stub.txt
    missing=$(comm -23 stub.txt rows.txt | tr '\n' ' ')
    [ -z "$missing" ] && echo "ok 2 - $(wc -l <stub.txt) symbols" || echo "not ok 2 - no rows for $missing"
else
    echo 'not ok 2 # SKIP no stub library'
fi

# PFN_NAME_vVERSION is the type of what cuGetProcAddress(NAME, VERSION) returns. Version 7000 names twins with _ptsz or _ptds.
grep -ho 'PFN_cu[A-Za-z0-9]*_v[0-9]*\(_pt[ds]*\)\?' "$cuda/include/cudaTypedefs.h" | sort -u |
    sed -n 's/^PFN_\(cu[A-Za-z0-9]*\)_v\([0-9]*\)$/\2 \1/p' | sort -u >versions.txt
grep -o '^[A-Z]*([0-9]*, cu[A-Za-z0-9_]*' "$root/src/rt/api_driver.def" |
    sed 's/^[A-Z]*(\([0-9]*\), /\1 /; s/_pt[ds][sz]$//; s/_v[0-9]$//' | sort -u >known.txt
missing=$(comm -23 versions.txt known.txt | grep -v '^7000 ' | tr '\n' ' ')
[ -z "$missing" ] && echo "ok 3 - $(wc -l <versions.txt) versions of entry points" || echo "not ok 3 - no rows for $missing"

# Every attribute of a device is known to one of the two tables.
grep -o 'CU_DEVICE_ATTRIBUTE_[A-Z0-9_]* = [0-9]*' "$cuda/include/cuda.h" | sed 's/.*= //' | sort -u >attributes.txt
{ sed -n 's/^ATTRIBUTE(\([0-9]*\),.*/\1/p' "$root/src/rt/device_attributes.def"
  sed -n 's/^    {\([0-9]*\), [01]},.*/\1/p' "$root/src/rt/driver_device.c"; } | sort -u >answered.txt
missing=$(comm -23 attributes.txt answered.txt | tr '\n' ' ')
[ -z "$missing" ] && echo "ok 4 - $(wc -l <attributes.txt) attributes of devices" || echo "not ok 4 - no answer for $missing"
