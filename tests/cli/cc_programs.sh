#!/bin/sh
# Whole programs built by `warpglass cc` and run: a tour of the runtime, the mathematics within CUDA's bounds, several files
# in one program, a plain C++ host part; under `run`, whose report names the kernels, and alone with our library.
set -u
command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo 'clang is not installed'; exit 77; }
lib=$(dirname "$WARPGLASS")/lib
[ -e "$lib/libcudart.so.13" ] || { echo 'libcudart.so.13 is not built'; exit 77; }
programs=$(pwd)/tests/data/programs
cd "$TEST_TMP" || exit 1
failed=0
fail() { echo "FAILED: $1"; failed=1; }

"$WARPGLASS" cc "$programs/tour.cu" -o tour || { echo 'tour does not compile'; exit 1; }
"$WARPGLASS" run --csv --page raw --log-file tour.csv ./tour >tour.out 2>tour.err || fail "tour under run: $(cat tour.err)"
grep -c ' ok$' tour.out | grep -qx 8 || { fail 'tour: not 8 steps'; cat tour.out; }
for kernel in 'add<float>' reduce transpose use_symbols warp_functions atomics; do
    grep -q "$kernel(" tour.csv || fail "no $kernel in the report"
done
LD_LIBRARY_PATH=$lib ./tour >alone.out 2>/dev/null && cmp -s tour.out alone.out || fail 'tour alone'

"$WARPGLASS" cc "$programs/math.cu" -o math || fail 'math does not compile'
LD_LIBRARY_PATH=$lib ./math >math.out || { fail 'mathematics'; grep -v ' ok ' math.out; }
grep -qx 'math: 0 failed' math.out || fail 'math says nothing'

cat >first.cu <<'END'
#include "shared.h"
__global__ void fill(int *v, int with) { v[threadIdx.x] = with; }
void launch_fill(int *v, int with) { fill<<<1, 32>>>(v, with); }
END
cat >second.cu <<'END'
#include "shared.h"
static __global__ void twice(int *v) { v[threadIdx.x] *= 2; }
void launch_twice(int *v) { twice<<<1, 32>>>(v); }
END
cat >host.cpp <<'END'
#include "shared.h"
#include <cstdio>
int main()
{
    int *v = nullptr, got[32];
    cudaMalloc(&v, sizeof got);
    launch_fill(v, 21);
    launch_twice(v);
    cudaMemcpy(got, v, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d\n", got[31]);
    return got[31] != 42;
}
END
printf '#include <cuda_runtime.h>\nvoid launch_fill(int *, int);\nvoid launch_twice(int *);\n' >shared.h
"$WARPGLASS" cc -c second.cu && "$WARPGLASS" cc -I. first.cu second.o host.cpp -lm -o both || fail 'several files'
LD_LIBRARY_PATH=$lib ./both || fail 'the program of several files'
exit $failed
