#!/bin/sh
# `make test-all`: clang, sanitizers, fuzzing, objects for aarch64; closes with the sum of all.
set -u
cd "$(dirname "$0")/.." || exit 1
MAKE=${MAKE:-make}
logs=${BUILD:-build}/test-all
rm -rf $logs
mkdir -p $logs

# step NAME COMMAND…: shows the output and keeps it. A step that fails without failed tests gets its own line.
step() {
    name=$1
    shift
    echo "==> $name"
    start=$(date +%s)
    { "$@" 2>&1 || echo "ended with status $?"; } | tee "$logs/$name.log"
    echo "    $(($(date +%s) - start)) s"
}

aarch64_objects() {
    if "$MAKE" -j"${JOBS:-2}" --no-print-directory CC=aarch64-linux-gnu-gcc objects; then
        echo "1 passed, 0 failed"
    else
        echo "0 passed, 1 failed"
    fi
}

step clang "$MAKE" --no-print-directory CC=clang test
step sanitizers "$MAKE" --no-print-directory CC=gcc SAN=address,undefined test
step fuzz "$MAKE" --no-print-directory FUZZ_SECONDS="${FUZZ_SECONDS:-60}" fuzz
step aarch64 aarch64_objects
exec tools/sum.sh $logs/clang.log $logs/sanitizers.log $logs/fuzz.log $logs/aarch64.log
