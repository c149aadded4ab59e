#!/bin/sh
# diff through the command line: what is shown, what gates close on, what is refused. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
sample=tests/data/sample.wgp
n=0

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

expect() { # status, text, arguments...
    want=$1 text=$2
    shift 2
    output=$("$warpglass" diff "$@" 2>&1)
    status=$?
    case $output in *"$text"*) found=0 ;; *) found=1 ;; esac
    [ "$status" = "$want" ] && [ $found = 0 ]
    result=$?
    say $result "diff $* gives $want and '$text'"
    [ $result = 0 ] || printf '%s\nstatus %s\n' "$output" "$status" | sed 's/^/# /'
}

transpose() { # kernel
    "$warpglass" launch tests/data/ptx/transpose.ptx --kernel "$1" --grid 8x8 --block 32x8 --arg 'f32[256x256]=iota' \
        --arg 'f32[256x256]' --arg 256 --quiet --device h200 --export "$work/$1.wgp" --log-file "$work/log.txt"
}
transpose tr_tile32
transpose tr_tile33
tile32=$work/tr_tile32.wgp tile33=$work/tr_tile33.wgp

# Single launches are compared whatever their names.
expect 0 'was tr_tile32' "$tile32" "$tile33"
expect 0 'memory_l1_wavefronts_shared                                          67,584             4,096      -93.9 %' "$tile32" "$tile33"
expect 0 'transpose.cu:33, excess wavefronts                                   63,488                 0     -100.0 %' "$tile32" "$tile33"
expect 0 '17 of 17 metrics are the same' $sample $sample
expect 0 'smsp__inst_executed.sum' $sample $sample --metrics smsp__inst_executed.sum
expect 0 '"change_percent": -93.9' "$tile32" "$tile33" --json
# Gates.
expect 0 'the same' $sample $sample --threshold 0
expect 1 'change.memory_l1_wavefronts_shared > 5 holds' "$tile33" "$tile32" --threshold 5
expect 0 'was' "$tile32" "$tile33" --threshold 5
expect 1 'change.memory_l1_wavefronts_shared = 1550' "$tile33" "$tile32" --fail-on 'change.memory_l1_wavefronts_shared > 100'
expect 0 'was' "$tile33" "$tile32" --fail-on 'new.dram__bytes.sum > 2 * old.dram__bytes.sum'
expect 2 'neither old.METRIC' "$tile33" "$tile32" --fail-on 'dram__bytes.sum > 1'
expect 2 "did you mean" "$tile33" "$tile32" --fail-on 'new.dram__byte.sum > 1'
expect 2 'not both' "$tile33" "$tile32" --fail-on 'new.dram__bytes.sum > 1' --threshold 5
# What is missing closes a gate; without one it is told.
head -c 3600 $sample >"$work/two.wgp"
expect 1 'is missing now' $sample "$work/two.wgp" --threshold 5
expect 0 'only in the old' $sample "$work/two.wgp"
expect 0 'only in the new' "$work/two.wgp" $sample --threshold 5
expect 3 'no kernel in common' $sample "$tile32"
expect 2 'expected two profiles' "$tile32"
expect 3 'No such file' "$tile32" "$work/none.wgp"
"$warpglass" diff "$tile33" "$tile32" --threshold 5 --junit "$work/junit.xml" --log-file "$work/log.txt" 2>/dev/null
grep -q 'tests="6" failures="1"' "$work/junit.xml"
say $? '--junit has a case for each cost'
echo "1..$n"
