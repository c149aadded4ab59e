#!/bin/sh
# Prepares the comparison of single machine instructions with a GPU: the cases, a cubin whose kernel they replace and the
# program that runs them, all in one folder.
#
#     tools/measure/machine.sh TEST FOLDER          TEST = build/gcc/tests/op/machine
#     FOLDER/run FOLDER/k.cubin FOLDER/cases.bin results.bin 80      on a GPU of compute capability 9.0
#     TEST --store results.bin machine_h200.bin
#     zstd -19 machine_h200.bin -o tests/data/machine_h200.bin.zst
set -eu
test=$1 folder=$2
mkdir -p "$folder"
"$test" --write "$folder/cases.bin"
nvcc -O1 -o "$folder/run" "$(dirname "$0")/machine.cu" -lcuda
cat > "$folder/k.cu" <<'CODE'
// Enough code and registers to make room for any case.
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    unsigned v[48];
#pragma unroll
    for (int i = 0; i < 48; i++)
        v[i] = in[threadIdx.x * 48 + i];
#pragma unroll
    for (int i = 0; i < 144; i++)
        v[i % 48] = v[i % 48] * v[(i + 7) % 48] + v[(i * 5 + 1) % 48];
#pragma unroll
    for (int i = 0; i < 48; i++)
        out[threadIdx.x * 48 + i] = v[i];
}
CODE
nvcc -arch=sm_90 -cubin -o "$folder/k.cubin" "$folder/k.cu"
