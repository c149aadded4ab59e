#!/bin/sh
# A program of streams, events and graphs with CUDA's own headers, built by nvcc for the shared runtime, runs over ours: with
# the legacy default stream and with one for each thread. Each launch of a graph is a launch of the report.
set -u
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
lib=$(dirname "$WARPGLASS")/lib
[ -x "$nvcc" ] || { echo 'skipped: nvcc is not installed'; exit 77; }
[ -f "$lib/libcudart.so.13" ] || { echo 'skipped: the runtime libraries are not built'; exit 77; }
case $("$nvcc" --version) in *"release 13"*) ;; *) echo 'skipped: nvcc is not of CUDA 13'; exit 77 ;; esac
cd "$TEST_TMP" || exit 1

cat >want <<'END'
streams: 15, called 1 times, callback 7, time positive
captured: status 1, 3 nodes, 2 edges, 42
explicit: 14, called 1 times
changed: 16, called 2 times
updated: 60, result 0
symbols and memory: 1 50 60 4
last error: cudaSuccess
END

for stream in legacy per-thread; do
    "$nvcc" -cudart shared -arch=sm_90 --default-stream $stream "$TEST_DATA/rt/graphs.cu" -o "graphs_$stream" || exit 1
    LD_LIBRARY_PATH=$lib "./graphs_$stream" >out 2>err || { echo "$stream: status $?"; cat out err; exit 1; }
    diff want out || { echo "$stream: output differs"; cat err; exit 1; }
done

"$WARPGLASS" run --csv --page raw --metrics smsp__inst_executed.sum ./graphs_legacy >out 2>err || { cat out err; exit 1; }
launches=$(grep '^"[0-9]' err | cut -d, -f5 | tr -d '"' | sed 's/(.*//' | tr '\n' ' ')
wanted='add times add times add times add times add add times take '
[ "$launches" = "$wanted" ] || { printf 'launches: %s\nexpected: %s\n' "$launches" "$wanted"; exit 1; }
echo 'both default streams, every launch of a graph reported'
