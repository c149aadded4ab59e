#!/bin/sh
# Kernels that print, fail assertions, allocate and meet across the grid (programs/native.cu), on one host thread and on
# several. Prints TAP.
set -u
count=0
launch() { # launch KERNEL ARGUMENT…
    kernel=$1
    shift
    timeout 60 "$WARPGLASS" launch "$TEST_DATA/ptx/native.ptx" --kernel "$kernel" --quiet --log-file /dev/null "$@" \
        >"$TEST_TMP/out" 2>"$TEST_TMP/err"
    status=$?
}
check() { # check NAME STATUS FILE LINE…: the status, and every line in the file
    count=$((count + 1))
    name=$1 want=$2 file=$TEST_TMP/$3 bad=
    shift 3
    [ "$status" = "$want" ] || bad="status $status, not $want"
    for line in "$@"; do
        grep -qxF -e "$line" "$file" || bad="$bad; missing: $line"
    done
    [ -z "$bad" ] && echo "ok $count - $name" && return
    echo "not ok $count - $name $bad"
    sed 's/^/# /' "$TEST_TMP/out" "$TEST_TMP/err" | head -n 40
}

for threads in 1 3; do
    launch say --grid 2 --block 32 --arg 42 --threads $threads
    check "printf, $threads threads" 0 out 'no arguments' \
        'thread   3: 42 text 5.25 c 1.0e+10 0x2a 1099511627776    42|' \
        'thread  19: 42 text 5.25 c 1.0e+10 0x2a 1099511627776    42|'
    head -n 6 "$TEST_TMP/out" >"$TEST_TMP/say.$threads"
    launch lists --grid 300 --block 64 --arg 'u32[19200]' --arg 5 --print 0 --threads $threads
    check "linked lists, $threads threads" 0 out \
        'argument 0 [0..]: 15 21 28 15 21 28 15 21 28 15 21 28 15 21 28 15'
    launch around --cooperative --grid 500 --block 128 --arg 'u32[64000]' --print 0 --threads $threads
    check "grid barrier, $threads threads" 0 out \
        'argument 0 [0..]: 127998 127996 127994 127992 127990 127988 127986 127984 127982 127980 127978 127976 127974 127972 127970 127968'
done
count=$((count + 1))
cmp -s "$TEST_TMP/say.1" "$TEST_TMP/say.3" && echo "ok $count - output is the same" || echo "not ok $count - output is the same"

launch check --grid 1 --block 8 --arg 'u32[8]=iota'
check "assert" 4 err \
    'native.cu:18: void check(const unsigned int *): block: [0,0,0], thread: [5,0,0] Assertion `in[threadIdx.x] != 5u` failed.'
launch check --grid 2 --block 8 --arg 'u32[8]=const:5'
check "every failing thread" 4 err \
    'native.cu:18: void check(const unsigned int *): block: [0,0,0], thread: [7,0,0] Assertion `in[threadIdx.x] != 5u` failed.' \
    'native.cu:18: void check(const unsigned int *): block: [1,0,0], thread: [0,0,0] Assertion `in[threadIdx.x] != 5u` failed.'
launch free_twice --grid 1 --block 1
check "double free" 4 err '=========     by thread (0,0,0) in block (0,0,0)'
launch around --cooperative --grid 100000 --block 128 --arg 'u32[12800000]'
check "more blocks than are resident" 3 err \
    'warpglass: error: a cooperative launch of 100000 blocks: at most 2112 are resident at once'
launch around --grid 4 --block 128 --arg 'u32[512]'
check "no cooperative launch" 4 err '========= Trap instruction executed'
echo "1..$count"
