#!/bin/sh
# launch of a .cu file: nvcc or clang compiles it, the remark says which, and the counts are those of the file's own PTX; with
# nvcc it runs as machine code, and PTX does with ptxas.
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
grep -Eq 'compiled with (nvcc|clang)' "$out" && grep -q '67,584 wavefront' "$out" || exit 1
grep -q 'compiled with nvcc' "$out" || exit 0
grep -q 'machine code for sm_90' "$out" || { echo 'nvcc made no machine code'; exit 1; }
for file in examples/transpose.cu examples/transpose.ptx; do
    "$WARPGLASS" launch $file --engine sass "$@" >"$out" 2>&1 || { cat "$out"; exit 1; }
    grep -q '67,584 wavefront' "$out" || { cat "$out"; exit 1; }
done
"$WARPGLASS" launch examples/transpose.cu --engine ptx "$@" 2>&1 | grep -q 'machine code for' && { echo 'PTX was asked for'; exit 1; }
exit 0
