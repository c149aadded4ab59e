#!/bin/sh
# What `warpglass cc` says and makes without running anything: PTX with lines, objects, several files; mistakes by name.
set -u
cd "$TEST_TMP" || exit 1
failed=0
fail() { echo "FAILED: $1"; failed=1; }
# says STATUS PATTERN WORDS...: the status, and a line on stderr that fits.
says() {
    status=$1 pattern=$2
    shift 2
    "$WARPGLASS" cc "$@" >out 2>err
    got=$?
    [ $got -eq "$status" ] || fail "cc $*: status $got instead of $status"
    grep -q -- "$pattern" err || { fail "cc $*: no '$pattern' in"; cat err; }
}
says 2 "expected sources"
says 2 "unknown option '--nothing'" --nothing a.cu
says 2 "value is missing" a.cu -o
says 2 "clang 14 cannot link device code" -rdc=true a.cu
"$WARPGLASS" cc --help | grep -q 'usage: warpglass cc' || fail '--help'
mkdir empty
PATH=$TEST_TMP/empty "$WARPGLASS" cc a.cu 2>err
grep -q "apt-get install clang" err || fail 'without clang the package is not named'
command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo 'clang is not installed'; [ $failed = 0 ] && exit 77; exit 1; }
says 3 "cannot read nowhere.cu" nowhere.cu

cat >kernel.cu <<'END'
#ifndef SCALE
#define SCALE 1
#endif
__global__ void twice(float *v)
{
    v[threadIdx.x] *= 2 * SCALE;
}
int main() { twice<<<1, 32>>>(nullptr); return cudaDeviceSynchronize() != cudaSuccess; }
END
"$WARPGLASS" cc -ptx kernel.cu >out.ptx 2>err || fail '-ptx'
grep -q '^.visible .entry _Z5twicePf' out.ptx || fail 'no entry in the PTX'
grep -q '\.loc.* 6 ' out.ptx || fail 'no line 6 in the PTX'
grep -q "$(dirname "$TEST_TMP")/warpglass-" out.ptx && fail 'the temporary folder stands in the PTX'
"$WARPGLASS" cc --device-only -DSCALE=3 -arch sm_90 kernel.cu -o named.ptx && cmp -s out.ptx named.ptx && fail '-D changes nothing'
grep -q '^.target sm_80' named.ptx || fail 'sm_90 is not mapped to sm_80'
"$WARPGLASS" cc -c --keep -lineinfo -O3 -g kernel.cu && [ -s kernel.o ] && [ -s kernel.ptx ] || fail '-c --keep'
"$WARPGLASS" cc --verbose -c kernel.cu 2>&1 | grep -q 'cuda-host-only' || fail '--verbose'
printf '#include <cuda_runtime.h>\nint main(void) { return cudaFree(0) + (int)sizeof(struct cudaDeviceProp) > 1; }\n' >plain.c
cp plain.c plain.cpp
"$WARPGLASS" cc -c plain.c -o c.o && "$WARPGLASS" cc -c plain.cpp -o cpp.o || fail 'plain C and C++ with the header'

printf '#include <cub/cub.cuh>\nint main() {}\n' >cub.cu
says 3 "cub.cu includes <cub/cub.cuh>, a header of CUB: that needs NVIDIA's toolkit" cub.cu
printf '#include <mine.h>\nint main() {}\n' >mine.cu
says 3 "'mine.h' file not found" mine.cu
grep -q NVIDIA err && fail "a header of the user's own is taken for NVIDIA's"
printf 'int main() { return nothing; }\n' >wrong.cu
says 3 "undeclared identifier 'nothing'" wrong.cu
printf '__global__ void k(float *v) { *v = j0f(*v); }\nint main() {}\n' >bessel.cu
says 3 "bessel.cu calls j0f, which our headers do not have" bessel.cu
printf '__device__ int far(int);\n__global__ void k(int *v) { *v = far(*v); }\nint main() {}\n' >far.cu
says 3 "far.cu calls the device function _Z3fari, which it does not define" far.cu
ls "$(dirname "$TEST_TMP")" | grep -q '^warpglass-' && fail 'a temporary folder is left'
exit $failed
