#!/bin/sh
# Memory calls whose arguments are structures, overloads or variables, compiled by nvcc for the shared runtime, run over ours:
# the output is what an H200 with driver 580 gave.
set -u
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
lib=$(dirname "$WARPGLASS")/lib
[ -x "$nvcc" ] || { echo 'skipped: nvcc is not installed'; exit 77; }
[ -f "$lib/libcudart.so.13" ] || { echo 'skipped: the runtime libraries are not built'; exit 77; }
case $("$nvcc" --version) in *"release 13"*) ;; *) echo 'skipped: nvcc is not of CUDA 13'; exit 77 ;; esac
cd "$TEST_TMP" || exit 1

cat >want <<'END'
malloc3d cudaSuccess pitch 512 size 10 x 2
memset3d cudaSuccess
memset3d, rows too many cudaErrorInvalidValue
memset2d cudaSuccess
copy cudaSuccess 9 7 7
asynchronous cudaSuccess
formats 32 2 8 1
arrays cudaSuccess cudaSuccess
to cudaSuccess from cudaSuccess 9 31
info cudaSuccess 8 x 4 x 2, flags 2, 8 bits
mipmapped cudaSuccess cudaSuccess 16 x 8 x 0 cudaErrorInvalidValue cudaSuccess
free cudaSuccess cudaSuccess
to variable cudaSuccess constant cudaSuccess managed cudaSuccess
address of managed cudaSuccess same 1 size cudaSuccess 16
kernel cudaSuccess 301 18 118 220
from variable cudaSuccess 2 200
device cudaSuccess type 2 device 0 1 0
pinned cudaSuccess type 1 device 0 1 1
managed cudaSuccess type 3 device 0 1 1
variable cudaSuccess type 3 device 0 1 1
none cudaSuccess type 0 device -2 0 1
prefetch cudaSuccess advise cudaSuccess ask cudaSuccess -1
pool cudaSuccess malloc cudaSuccess used cudaSuccess 1000 free cudaSuccess cudaSuccess
last error: cudaSuccess
END

for stream in legacy per-thread; do
    "$nvcc" -cudart shared -arch=sm_90 --default-stream $stream "$TEST_DATA/rt/memory.cu" -o "memory_$stream" || exit 1
    LD_LIBRARY_PATH=$lib "./memory_$stream" >out 2>err || { echo "$stream: status $?"; cat out err; exit 1; }
    diff want out || { echo "$stream: output differs"; cat err; exit 1; }
done
echo 'both default streams, as on an H200'
