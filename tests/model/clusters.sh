#!/bin/sh
# Clusters on several host threads: the same bytes, the same counters. Special registers in both engines. Prints TAP.
set -u
n=0
run() { # threads kernel argument…
    threads=$1 kernel=$2
    shift 2
    "$WARPGLASS" launch "$TEST_DATA/ptx/cluster.ptx" --kernel "$kernel" --block 256 --quiet --threads "$threads" --hash \
        --csv --page raw --log-file "$TEST_TMP/$kernel.$threads.csv" "$@" >"$TEST_TMP/$kernel.$threads.out" 2>"$TEST_TMP/err" ||
        sed 's/^/# /' "$TEST_TMP/err"
    # Process, host and times apart
    cut -d, -f5- "$TEST_TMP/$kernel.$threads.csv" >"$TEST_TMP/$kernel.$threads.cut"
}
check() { # kernel argument…
    kernel=$1
    for threads in 1 3; do run $threads "$@"; done
    n=$((n + 1))
    if [ -s "$TEST_TMP/$kernel.1.cut" ] && cmp -s "$TEST_TMP/$kernel.1.cut" "$TEST_TMP/$kernel.3.cut" &&
        cmp -s "$TEST_TMP/$kernel.1.out" "$TEST_TMP/$kernel.3.out" && grep -q hash= "$TEST_TMP/$kernel.1.out"; then
        echo "ok $n - $kernel"
    else
        echo "not ok $n - $kernel"
        diff "$TEST_TMP/$kernel.1.out" "$TEST_TMP/$kernel.3.out" | sed 's/^/# /'
    fi
}
check cl_neighbour8 --grid 64 --arg 'u32[65536]=random:121' --arg 'u32[65536]'
check cl_histogram4 --grid 32 --arg 'u16[65536]=random:122' --arg 'u32[2048]' --arg 2048
# A size from the command line, and one that the grid is not made of
check cl_neighbour_launch --grid 24 --cluster 2 --arg 'u32[24576]=random:121' --arg 'u32[24576]'
n=$((n + 1))
if "$WARPGLASS" launch "$TEST_DATA/ptx/cluster.ptx" --kernel cl_neighbour4 --grid 6 --block 256 --quiet --arg 'u32[8192]' \
    --arg 'u32[8192]' >/dev/null 2>"$TEST_TMP/err"; then
    echo "not ok $n - a grid of broken clusters"
elif grep -q cluster "$TEST_TMP/err"; then
    echo "ok $n - a grid of broken clusters is refused"
else
    echo "not ok $n - a grid of broken clusters"
    sed 's/^/# /' "$TEST_TMP/err"
fi
# Machine code computes most special registers of clusters from words of bank 0
registers() { # grid, cluster
    for engine in ptx sass; do
        "$WARPGLASS" launch "$TEST_DATA/cubins/cluster_registers.fatbin" --engine $engine --grid "$1" --cluster "$2" --block 32 \
            --quiet --log-file /dev/null --arg 'u32[4096]' --hash >"$TEST_TMP/registers.$engine" 2>"$TEST_TMP/err" ||
            sed 's/^/# /' "$TEST_TMP/err"
    done
    n=$((n + 1))
    grep -q hash= "$TEST_TMP/registers.ptx" && cmp -s "$TEST_TMP/registers.ptx" "$TEST_TMP/registers.sass" || printf 'not '
    echo "ok $n - special registers, clusters of $2"
}
registers 6x4x2 1x1x1
registers 6x4x2 3x2x1
registers 2x21x3 1x7x1
registers 40 5x1x1
echo "1..$n"
