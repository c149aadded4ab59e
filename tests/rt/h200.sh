#!/bin/sh
# tools/measure/runtime.cu under our library says line by line what it said on an H200 (tests/data/h200_runtime.txt): errors of
# misuse and of faults, capture, limits, printf, division by zero. Left out: what belongs to the machine around the chip (the
# card was shared through a service that does not let a process begin anew after a fault) and host addresses.
set -u
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
root=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(dirname "$WARPGLASS")/lib
[ -f "$lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
cd "$TEST_TMP" || exit 1
"$nvcc" -arch=sm_90 -cudart shared -o runtime "$root/tools/measure/runtime.cu" 2>build.log || { cat build.log; exit 1; }
for case in $(LD_LIBRARY_PATH=$lib ./runtime list); do
    echo "== $case"
    LD_LIBRARY_PATH=$lib timeout 60 ./runtime "$case" 2>>stderr
    echo "exit $?"
done >ours
comparable() {
    awk '/^== / { name = $2; reset = 0 }
        /^prop_word|^attribute|^limit 6|^meminfo/ { next }                   # tests/rt/device.c has these
        /misuse: type 0 device/ { next }                                     # a host address
        /cudaEventSynchronize/ && name == "capture" { next }
        reset && name != "reset" && name != "divide" && name != "print" && name != "heap" { next }
        { print } /cudaDeviceReset/ { reset = 1 }' "$1"
}
comparable "$root/tests/data/h200_runtime.txt" >theirs.txt
comparable ours >ours.txt
[ "$(wc -l <ours.txt)" -gt 150 ] || { echo 'too little was compared'; exit 1; }
diff theirs.txt ours.txt || { echo 'differs from the H200'; exit 1; }
