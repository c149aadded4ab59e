#!/bin/sh
# launch of a .cu file: nvcc or clang compiles it, the remark says which, and the counts are those of the file's own PTX.
set -u
out=$TEST_TMP/out
set -- --kernel tile32 --grid 8x8 --block 32x8 --arg 'f32[256x256]=iota' --arg 'f32[256x256]' --arg 256 --page raw \
    --metrics memory_l1_wavefronts_shared
"$WARPGLASS" launch examples/transpose.cu "$@" >"$out" 2>&1 || {
    grep -q 'neither nvcc nor clang is installed' "$out" && { echo 'neither nvcc nor clang'; exit 77; }
    cat "$out"
    exit 1
}
cat "$out"
grep -Eq 'compiled with (nvcc|clang)' "$out" && grep -q '67,584 wavefront' "$out"
