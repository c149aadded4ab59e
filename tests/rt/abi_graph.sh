#!/bin/sh
# The layouts and numbers of src/rt/abi_graph.h and the graph and stream parts of stream.h are those of CUDA's own headers: one
# program prints them all and is compiled against either.
set -u
cuda=${CUDA_HOME:-/usr/local/cuda}
[ -f "$cuda/include/driver_types.h" ] || { echo 'skipped: no CUDA headers are installed'; exit 77; }
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
cd "$TEST_TMP" || exit 1

sizes() { # struct, members...
    type=$1
    shift
    echo "    SIZE($type)"
    for member; do
        echo "    OFFSET($type, $member)"
    done
}

numbers() {
    for name; do
        echo "    NUMBER($name)"
    done
}

{
    cat <<'END'
#include HEADER
#include MORE
#include <stddef.h>
#include <stdio.h>
#define SIZE(type) printf("%s %zu\n", #type, sizeof(type));
#define OFFSET(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member));
#define NUMBER(name) printf("%s %lld\n", #name, (long long)name);
int main(void)
{
END
    for s in \
        'struct cudaKernelNodeParams func gridDim blockDim sharedMemBytes kernelParams extra' \
        'struct cudaMemsetParams dst pitch value elementSize width height' \
        'struct cudaHostNodeParams fn userData' \
        'struct cudaMemcpyNodeParams flags copyParams' \
        'struct cudaChildGraphNodeParams graph ownership' \
        'struct cudaMemAllocNodeParams poolProps accessDescs accessDescCount bytesize dptr' \
        'struct cudaMemFreeNodeParams dptr' \
        'struct cudaGraphNodeParams type kernel memcpy memset host graph eventWait eventRecord alloc free reserved2' \
        'struct cudaMemcpy3DParms srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind' \
        'struct cudaMemPoolProps allocType handleTypes location maxSize usage'; do
        # shellcheck disable=SC2086
        set -- $s
        type="$1 $2"
        shift 2
        sizes "$type" "$@"
    done
    sizes cudaGraphEdgeData from_port to_port type
    sizes cudaGraphInstantiateParams flags uploadStream errNode_out result_out
    sizes cudaGraphExecUpdateResultInfo result errorNode errorFromNode
    numbers cudaGraphNodeTypeKernel cudaGraphNodeTypeMemcpy cudaGraphNodeTypeMemset cudaGraphNodeTypeHost \
        cudaGraphNodeTypeGraph cudaGraphNodeTypeEmpty cudaGraphNodeTypeWaitEvent cudaGraphNodeTypeEventRecord \
        cudaGraphNodeTypeMemAlloc cudaGraphNodeTypeMemFree cudaGraphNodeTypeConditional \
        cudaGraphChildGraphOwnershipMove cudaGraphInstantiateFlagAutoFreeOnLaunch cudaGraphInstantiateFlagUpload \
        cudaGraphInstantiateFlagDeviceLaunch cudaGraphInstantiateFlagUseNodePriority \
        cudaGraphInstantiateInvalidStructure cudaGraphInstantiateNodeOperationNotSupported \
        cudaGraphExecUpdateErrorTopologyChanged cudaGraphExecUpdateErrorNodeTypeChanged \
        cudaGraphExecUpdateErrorParametersChanged cudaGraphExecUpdateErrorNotSupported \
        cudaGraphExecUpdateErrorAttributesChanged cudaGraphMemAttrUsedMemCurrent cudaGraphMemAttrUsedMemHigh \
        cudaGraphMemAttrReservedMemCurrent cudaGraphMemAttrReservedMemHigh cudaUserObjectNoDestructorSync \
        cudaGraphUserObjectMove cudaStreamNonBlocking cudaEventBlockingSync cudaEventDisableTiming \
        cudaEventInterprocess cudaEventRecordExternal cudaEventWaitExternal cudaStreamCaptureStatusActive \
        cudaStreamCaptureStatusInvalidated cudaStreamCaptureModeGlobal cudaStreamCaptureModeThreadLocal \
        cudaStreamCaptureModeRelaxed cudaStreamAddCaptureDependencies cudaStreamSetCaptureDependencies \
        cudaSyncPolicyAuto cudaSyncPolicyBlockingSync cudaLaunchAttributeSynchronizationPolicy \
        cudaLaunchAttributePriority cudaLaunchAttributePreferredSharedMemoryCarveout
    echo '    return 0;
}'
} >layout.c

"$cc" -std=gnu17 -D_GNU_SOURCE -I"$root/src" '-DHEADER="rt/abi_graph.h"' '-DMORE="rt/stream.h"' layout.c -o ours || exit 1
"$cc" -std=gnu17 -w -I"$cuda/include" '-DHEADER="driver_types.h"' '-DMORE="cuda_runtime_api.h"' layout.c -o theirs || exit 1
./ours >ours.txt
./theirs >theirs.txt
[ "$(wc -l <ours.txt)" -gt 90 ] || { echo "only $(wc -l <ours.txt) lines"; exit 1; }
diff theirs.txt ours.txt && echo "$(wc -l <ours.txt) sizes, offsets and numbers agree"
