#!/bin/sh
# tests/data/programs/bugs.cu has a mistake a case, built as nvcc does by default. Each ends as it does on an H200, or is found
# where the card goes on; both engines. Prints TAP.
set -u
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo '1..0 # SKIP no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo '1..0 # SKIP this build has no runtime libraries'; exit 77; }
cd "$TEST_TMP" || exit 1
"$nvcc" -arch=sm_90 -lineinfo -O3 "$TEST_DATA/programs/bugs.cu" -o bugs 2>build.log || { cat build.log; exit 1; }

n=0 status=0
# case, engine, what cudaDeviceSynchronize says, what stderr says ('' nothing)
check() {
    n=$((n + 1))
    "$WARPGLASS" run --engine "$2" --timeout 5 --quiet -o profile.wgp ./bugs "$1" >out 2>err
    if grep -q "^bug=$1 launch=cudaSuccess sync=$3\$" out && { [ -z "$4" ] || grep -q "$4" err; }; then
        echo "ok $n - $1, $2"
    else
        echo "not ok $n - $1, $2"
        sed 's/^/# /' out err | head -n 12
        status=1
    fi
}
for engine in sass ptx; do
    check missing_sync $engine cudaSuccess ''
    # One word behind an allocation: the card reads its neighbour.
    check global_read_oob $engine cudaErrorIllegalAddress 'Invalid __global__ read of size 4 bytes'
    check shared_write_oob $engine cudaErrorIllegalAddress 'Invalid __shared__ write of size 4 bytes'
    check misaligned_load $engine cudaErrorMisalignedAddress 'Invalid __global__ read of size 16 bytes'
    check global_uninitialised $engine cudaSuccess ''
    check shared_uninitialised $engine cudaSuccess ''
    check write_constant $engine cudaSuccess ''
    check global_race $engine cudaSuccess ''
    check shuffle_mask $engine cudaSuccess ''
    check leak $engine cudaSuccess ''
done
# A barrier in a branch: machine code goes on as the card does; from PTX the threads of the block wait at different ones.
check divergent_barrier sass cudaSuccess ''
check divergent_barrier ptx cudaErrorLaunchTimeout 'Divergent thread(s) in block'
check use_after_free ptx cudaErrorIllegalAddress 'Invalid __global__ write of size 4 bytes'
echo "1..$n"
exit $status
