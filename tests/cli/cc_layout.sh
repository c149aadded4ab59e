#!/bin/sh
# Our CUDA headers against NVIDIA's, where these are installed: every enumerator's value, sizes of structures and offsets
# of the fields that programs read, flags, and the type of every function of the runtime.
set -u
theirs=
for folder in "$(dirname "$(command -v nvcc || echo /none)")/../include" /usr/local/cuda/include; do
    [ -f "$folder/cuda_runtime_api.h" ] && theirs=$folder && break
done
[ -n "$theirs" ] || { echo "NVIDIA's headers are not installed"; exit 77; }
command -v g++ >/dev/null || { echo 'g++ is not installed'; exit 77; }
grep -q 'define CUDART_VERSION *13' "$theirs/cuda_runtime_api.h" || { echo "NVIDIA's headers are not those of CUDA 13"; exit 77; }
ours=src/cuda
types=$ours/driver_types.h

# Names of what stands between braces of the enumerations, and of the fields of one structure.
enumerators() {
    awk '/^enum .* \{/ { on = 1; next } /^};/ { on = 0 } on' $types | tr ',' '\n' | grep -oE '^ *cuda[A-Za-z0-9_]+'
}
fields() {
    awk -v start="$1" 'index($0, start) == 1 { on = 1; next } /^}/ { on = 0 } on' $types | sed 's/\[[^]]*\]//g' | tr '\n' ' ' |
        tr ';' '\n' | sed -E 's/^ *(const )?(struct |enum |unsigned )*[A-Za-z0-9_]+ +//; s/[*,]/ /g'
}
{
    cat <<'END'
#include <cuda_runtime_api.h>
#include <cstddef>
#include <cstdio>
#include <typeinfo>
#define VALUE(name) printf(#name " %lld\n", (long long)(name));
#define SIZE(type) printf("sizeof " #type " %zu %zu\n", sizeof(type), alignof(type));
#define FIELD(type, name) printf(#type "." #name " %zu\n", offsetof(struct type, name));
#define TYPE(call) printf(#call " %s\n", typeid(decltype(&call)).name());
int main()
{
END
    for name in $(enumerators) $(grep -oE '^#define cuda[A-Za-z]+ \(?\(?(0x|int|[0-9])' $types | awk '{ print $2 }'); do
        echo "VALUE($name)"
    done
    for name in cudaDeviceProp cudaFuncAttributes cudaPointerAttributes cudaMemcpy3DParms cudaAccessPolicyWindow \
        cudaMemPoolProps cudaTextureDesc cudaKernelNodeParams cudaMemsetParams cudaMemAllocNodeParams; do
        echo "SIZE(struct $name)"
        for field in $(fields "struct $name {"); do
            echo "FIELD($name, $field)"
        done
    done
    for name in cudaResourceDesc cudaResourceViewDesc cudaLaunchAttributeValue cudaLaunchAttribute cudaLaunchConfig_t \
        cudaGraphEdgeData cudaGraphInstantiateParams cudaGraphExecUpdateResultInfo cudaIpcMemHandle_t cudaMemcpy3DPeerParms \
        cudaMemAccessDesc cudaPitchedPtr dim3 float3 double4 longlong2 uchar4 short3; do
        echo "SIZE($name)"
    done
    for name in $(grep -oE '^cudaError_t cuda[A-Za-z0-9]+\(' $ours/cuda_runtime_api.h | sed 's/.* //; s/(//' | grep -v cudaProfiler); do
        echo "TYPE($name)"
    done
    echo '}'
} >"$TEST_TMP/layout.cpp"
for side in ours theirs; do
    eval "folder=\$$side"
    g++ -std=gnu++17 -w -I "$folder" "$TEST_TMP/layout.cpp" -o "$TEST_TMP/$side" || { echo "does not compile with $side"; exit 1; }
    "$TEST_TMP/$side" >"$TEST_TMP/$side.txt"
done
lines=$(wc -l <"$TEST_TMP/ours.txt")
echo "$lines values"
diff "$TEST_TMP/ours.txt" "$TEST_TMP/theirs.txt" && [ "$lines" -gt 900 ]
