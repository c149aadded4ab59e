#!/bin/sh
# tests/data/programs/features.cu, a walk through the runtime API and the device features of ordinary programs, prints line by
# line what it printed on an H200 (tests/data/h200_features.txt, h200_assert.txt), and every launch is in the profile.
set -u
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
cd "$TEST_TMP" || exit 1
# Compiled under the name that the assertion prints.
cp "$TEST_DATA/programs/features.cu" "$TEST_DATA/programs/common.h" .
# nvcc links the runtime in, unless it is told otherwise.
"$nvcc" -arch=sm_90 -lineinfo -O3 features.cu -o features 2>build.log || { cat build.log; exit 1; }
"$WARPGLASS" run --quiet --log-file raw.csv --csv --page raw --metrics launch__grid_size ./features small >out 2>err || { cat out err; exit 1; }
diff "$TEST_DATA/h200_features.txt" out || { echo 'features prints something else than on the H200'; exit 1; }
[ "$(sed 1,2d raw.csv | wc -l)" -ge 20 ] || { cat raw.csv; echo 'launches are missing'; exit 1; }
# A failed assertion: its line on standard error, the error at the next synchronising call, and the program goes on.
LD_PRELOAD=$(dirname "$WARPGLASS")/lib/libwarpglass.so ./features assert >out 2>err
cat err out | diff "$TEST_DATA/h200_assert.txt" - || { echo 'a failed assertion shows otherwise than on the H200'; exit 1; }
