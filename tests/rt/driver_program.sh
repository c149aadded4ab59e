#!/bin/sh
# A C program with the driver API: built without NVIDIA's software, run directly with our library and by `warpglass run`; and
# built with CUDA's own header where it is installed.
set -u
lib=$(cd "$(dirname "$WARPGLASS")" && pwd)/lib
cc=${CC:-cc}
cuda=${CUDA_HOME:-/usr/local/cuda}
unset WARPGLASS_DEVICE
[ -f "$lib/libcuda.so.1" ] || { echo 'the runtime libraries are not built'; exit 77; }
command -v "$cc" >/dev/null || { echo "no $cc"; exit 77; }
cd "$TEST_TMP" || exit 1
source=$TEST_DATA/rt/driver.c ptx=$TEST_DATA/rt/driver_add.ptx
printf 'NVIDIA H200: 0 wrong\nfound by name\n' >want

echo 1..4
"$cc" "$source" -o program "$lib/libcuda.so.1" -ldl || exit 1
LD_LIBRARY_PATH=$lib ./program "$ptx" >out 2>err
status=$?
if [ $status = 0 ] && cmp -s out want; then echo 'ok 1 - linked to the library'; else
    echo "not ok 1 - status $status"; cat out err | sed 's/^/# /'; fi

"$WARPGLASS" run ./program "$ptx" >out 2>err
status=$?
if [ $status = 0 ] && grep -q '0 wrong' out && grep -q 'add' err out; then echo 'ok 2 - under run, with a report'; else
    echo "not ok 2 - status $status"; cat out err | head -20 | sed 's/^/# /'; fi

LD_LIBRARY_PATH=$lib WARPGLASS_DEVICE=a10 ./program "$ptx" >out 2>err
if grep -q 'A10.*: 0 wrong' out; then echo 'ok 3 - another device'; else
    echo 'not ok 3 - another device'; cat out err | sed 's/^/# /'; fi

if [ -f "$cuda/include/cuda.h" ]; then
    "$cc" -w -DUSE_CUDA_H -I"$cuda/include" "$source" -o with_header "$lib/libcuda.so.1" -ldl || exit 1
    LD_LIBRARY_PATH=$lib ./with_header "$ptx" >out 2>err
    if cmp -s out want; then echo "ok 4 - built with CUDA's header"; else
        echo 'not ok 4 - with header'; cat out err | sed 's/^/# /'; fi
else
    echo 'not ok 4 # SKIP no cuda.h'
fi
