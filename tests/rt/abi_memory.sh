#!/bin/sh
# The layouts and numbers of memory in src/rt/abi.h are those of CUDA's own headers: one program prints them all and is compiled
# against either.
set -u
cuda=${CUDA_HOME:-/usr/local/cuda}
[ -f "$cuda/include/driver_types.h" ] || { echo 'skipped: no CUDA headers are installed'; exit 77; }
grep -q 'CUDART_VERSION *13' "$cuda/include/cuda_runtime_api.h" || { echo 'skipped: headers are not of CUDA 13'; exit 77; }
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
cd "$TEST_TMP" || exit 1

numbers() {
    for name; do
        echo "    NUMBER($name)"
    done
}

{
    cat <<'END'
#include HEADER
#include <stddef.h>
#include <stdio.h>
#define SIZE(type) printf("%s %zu\n", #type, sizeof(struct type));
#define OFFSET(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(struct type, member));
#define NUMBER(name) printf("%s %lld\n", #name, (long long)name);
int main(void)
{
END
    while read -r type members; do
        echo "    SIZE($type)"
        for member in $members; do
            echo "    OFFSET($type, $member)"
        done
    done <<'END'
cudaPointerAttributes type device devicePointer hostPointer reserved
cudaPitchedPtr ptr pitch xsize ysize
cudaExtent width height depth
cudaPos x y z
cudaMemcpy3DParms srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind
cudaMemcpy3DPeerParms srcArray srcPos srcPtr srcDevice dstArray dstPos dstPtr dstDevice extent
cudaChannelFormatDesc x y z w f
cudaArrayMemoryRequirements size alignment reserved
cudaMemLocation type id
cudaMemAccessDesc location flags
cudaMemPoolProps allocType handleTypes location win32SecurityAttributes maxSize usage reserved
cudaMemcpyAttributes srcAccessOrder srcLocHint dstLocHint flags
cudaMemcpy3DOperand type op.ptr.ptr op.ptr.rowLength op.ptr.layerHeight op.ptr.locHint op.array.array op.array.offset
cudaMemcpy3DBatchOp src dst extent srcAccessOrder flags
END
    numbers cudaMemoryTypeUnregistered cudaMemoryTypeHost cudaMemoryTypeDevice cudaMemoryTypeManaged \
        cudaHostAllocDefault cudaHostAllocPortable cudaHostAllocMapped cudaHostAllocWriteCombined \
        cudaHostRegisterPortable cudaHostRegisterMapped cudaHostRegisterIoMemory cudaHostRegisterReadOnly \
        cudaMemAttachGlobal cudaMemAttachHost cudaMemAttachSingle cudaCpuDeviceId cudaInvalidDeviceId \
        cudaChannelFormatKindSigned cudaChannelFormatKindUnsigned cudaChannelFormatKindFloat \
        cudaChannelFormatKindNone cudaArrayLayered cudaArraySurfaceLoadStore cudaArrayCubemap \
        cudaArrayTextureGather cudaArraySparse cudaArrayDeferredMapping cudaMemLocationTypeDevice \
        cudaMemLocationTypeHost cudaMemLocationTypeHostNuma cudaMemLocationTypeHostNumaCurrent \
        cudaMemAccessFlagsProtRead cudaMemAccessFlagsProtReadWrite cudaMemAllocationTypePinned \
        cudaMemAllocationTypeManaged cudaMemHandleTypePosixFileDescriptor \
        cudaMemPoolReuseFollowEventDependencies cudaMemPoolReuseAllowOpportunistic \
        cudaMemPoolReuseAllowInternalDependencies cudaMemPoolAttrReleaseThreshold \
        cudaMemPoolAttrReservedMemCurrent cudaMemPoolAttrReservedMemHigh cudaMemPoolAttrUsedMemCurrent \
        cudaMemPoolAttrUsedMemHigh cudaMemAdviseSetReadMostly cudaMemAdviseUnsetReadMostly \
        cudaMemAdviseSetPreferredLocation cudaMemAdviseUnsetPreferredLocation cudaMemAdviseSetAccessedBy \
        cudaMemAdviseUnsetAccessedBy cudaMemRangeAttributeReadMostly cudaMemRangeAttributePreferredLocation \
        cudaMemRangeAttributeAccessedBy cudaMemRangeAttributeLastPrefetchLocation \
        cudaMemRangeAttributePreferredLocationType cudaMemRangeAttributePreferredLocationId \
        cudaMemRangeAttributeLastPrefetchLocationType cudaMemRangeAttributeLastPrefetchLocationId \
        cudaMemcpySrcAccessOrderStream cudaMemcpySrcAccessOrderAny cudaMemcpyOperandTypePointer \
        cudaMemcpyOperandTypeArray cudaMemcpyHostToHost cudaMemcpyDeviceToDevice cudaMemcpyDefault
    printf '    return 0;\n}\n'
} >layout.c

"$cc" -std=gnu17 -D_GNU_SOURCE -I"$root/src" '-DHEADER="rt/abi.h"' layout.c -o ours || exit 1
"$cc" -std=gnu17 -w -I"$cuda/include" '-DHEADER="driver_types.h"' layout.c -o theirs || exit 1
./ours >ours.txt
./theirs >theirs.txt
[ "$(wc -l <ours.txt)" -gt 120 ] || { echo "only $(wc -l <ours.txt) lines"; exit 1; }
diff theirs.txt ours.txt && echo "$(wc -l <ours.txt) sizes, offsets and numbers agree"
