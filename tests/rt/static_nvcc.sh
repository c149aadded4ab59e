#!/bin/sh
# What nvcc builds by default, of CUDA 13 and, where $CUDA11_HOME has it, of CUDA 11: programs with a fixed address and without,
# kernels in constructors, and libraries that carry the runtime, needed and opened. Prints TAP.
set -u
unset WARPGLASS_DEVICE
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo 'only x86-64 programs can be changed'; exit 77; }
cd "$TEST_TMP" || exit 1
count=0
ok() { # result, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; head -n 30 out err build.log | sed 's/^/# /'; fi
}
check() { # name, expected output, program...
    name=$1 want=$2
    shift 2
    "$WARPGLASS" run --quiet --model off "$@" >out 2>err
    printf '%s\n' "$want" | diff - out >/dev/null
    ok $? "$name"
}

cat >early.cu <<'END'
#include <cstdio>
__constant__ int scale;
__device__ int last;
__managed__ int total;
__global__ void run(int *out)
{
    out[threadIdx.x] = scale * threadIdx.x;
    if (threadIdx.x == 31)
        last = out[31];
    atomicAdd(&total, 1);
}
static int compute(int factor)
{
    int *out, host[32], d = 0;
    cudaMemcpyToSymbol(scale, &factor, sizeof factor);
    cudaMalloc(&out, sizeof host);
    run<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&d, last, sizeof d);
    return cudaGetLastError() == cudaSuccess && d == host[31] ? d + total : -1;
}
struct early {
    int value;
    early() : value(compute(10)) {}
} before_main;
extern "C" int answer()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int version = 0;
    cudaRuntimeGetVersion(&version);
    printf("before %d, now %d, %d.%d, %d SMs, %d KiB, version %d\n", before_main.value, compute(2), properties.major, properties.minor,
           properties.multiProcessorCount, (int)(properties.sharedMemPerBlockOptin / 1024), version / 1000);
    return version / 1000;
}
END
printf 'extern "C" int answer();\nint main() { return answer() == 0; }\n' >main.cpp

all() { # major, compiler and options...
    major=$1 expected="before 342, now 126, 9.0, 132 SMs, 227 KiB, version $1"
    shift
    rm -f program needs
    "$@" -c -Xcompiler -fPIC early.cu main.cpp 2>build.log
    for kind in pie no-pie; do
        "$@" early.o main.o -Xlinker "-$kind" -Xcompiler "-$kind" -o program 2>>build.log
        check "CUDA $major, $kind" "$expected" ./program
        rm -f program
    done
    "$@" -shared early.o -o libearly$major.so 2>>build.log && c++ main.cpp ./libearly$major.so -o needs
    check "CUDA $major, in a library" "$expected" ./needs
    cc -w "$TEST_DATA/run/opens.c" -ldl -o opens
    check "CUDA $major, in a library that is opened twice" "$expected
answer $major
$expected
answer $major" ./opens ./libearly$major.so 2
}

all 13 "$nvcc" -arch=sm_90
eleven=${CUDA11_HOME:-/usr/local/cuda-11.8}
if [ -x "$eleven/bin/nvcc" ]; then
    all 11 "$eleven/bin/nvcc" -allow-unsupported-compiler -ccbin "$(command -v g++)" -arch=sm_80
    "$nvcc" -arch=sm_90 -c early.cu && cc -w -c "$TEST_DATA/run/opens.c" && "$nvcc" early.o opens.o -o both 2>build.log
    check 'a program of CUDA 13 opens a library of CUDA 11' "$expected
answer 11" ./both ./libearly11.so
    [ "$(grep -c '^launch ' err)" = 3 ]
    ok $? 'and both are measured'
else
    count=$((count + 1))
    echo "not ok $count # SKIP CUDA 11: not in ${eleven}; CUDA11_HOME names its folder"
fi
echo "1..$count"
