#!/bin/sh
# Asynchronous copies that read fewer bytes than they write, or under guards, from machine code: the bytes they copy and every
# count of every one are an H200's (tests/hardware/results/h200_ldgsts_{guard,fill}.csv). Under a guard in P0 the profiler
# counts a copy around L1 wrongly (doc/counts.md): there its rule is expected. Built with nvcc; skipped without it. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "1..0 # SKIP no nvcc"; exit 77; }
[ -f "$(dirname "$warpglass")/lib/libwarpglass.so" ] || { echo "1..0 # SKIP the runtime libraries are not built"; exit 77; }

compare() { # probe
    "$nvcc" -arch=sm_90 -O2 "tests/hardware/$1.cu" -o "$work/$1" &&
        "$warpglass" run --engine sass --quiet -o "$work/$1.wgp" "$work/$1" >"$work/$1.txt" 2>"$work/$1.err" &&
        "$warpglass" report "$work/$1.wgp" --csv --page source >"$work/$1.csv" &&
        awk -v printed="$work/$1.txt" -f tests/fidelity/copies.awk "tests/hardware/results/h200_$1.csv" "$work/$1.csv"
}

echo 1..2
n=0 status=0
for probe in ldgsts_guard ldgsts_fill; do
    n=$((n + 1))
    if compare "$probe" >"$work/$probe.log"; then
        echo "ok $n - $probe: $(tail -n 1 "$work/$probe.log")"
    else
        echo "not ok $n - $probe"
        sed 's/^/# /' "$work/$probe.log" "$work/$probe.err" | tail -n 12
        status=1
    fi
done
exit $status
