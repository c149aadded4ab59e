#!/bin/sh
# Relocatable device code of two files, host threads with streams, and a child process, built by nvcc in both kinds of default
# stream and with the runtime linked either way, and run: right values, and every launch of both processes in the profile.
set -u
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
cd "$TEST_TMP" || exit 1
for kind in legacy/shared per-thread/shared legacy/static per-thread/static; do
    default_stream=${kind%/*} cudart=${kind#*/}
    "$nvcc" -arch=sm_90 -rdc=true -cudart $cudart --default-stream $default_stream "$TEST_DATA/rt/linked_a.cu" "$TEST_DATA/rt/linked_b.cu" \
        -o linked 2>build.log || { cat build.log; exit 1; }
    "$WARPGLASS" run --quiet --log-file raw.csv --page raw --csv --metrics launch__grid_size ./linked twice >out 2>err || { cat err; exit 1; }
    printf '7 1537, 0 wrong, 768 calls, cudaSuccess\n7 1537, 0 wrong, 768 calls, cudaSuccess\n' | diff - out || exit 1
    # Two header rows, then six launches of each process.
    [ "$(wc -l <raw.csv)" = 14 ] || { cat raw.csv; echo 'launches are missing'; exit 1; }
    [ "$(sed 1,2d raw.csv | cut -d, -f2 | sort -u | wc -l)" = 2 ] || { echo 'expected two processes'; exit 1; }
    "$WARPGLASS" run --quiet --target-processes application-only --log-file raw.csv --page raw --csv --metrics launch__grid_size ./linked twice >out 2>err ||
        { cat err; exit 1; }
    [ "$(wc -l <raw.csv)" = 8 ] || { cat raw.csv; echo 'the child was measured as well'; exit 1; }
done
