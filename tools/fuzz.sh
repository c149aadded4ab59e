#!/bin/sh
# Runs fuzz targets built with clang's fuzzer, FUZZ_SECONDS each, JOBS at a time; one case per target.
#
#     tools/fuzz.sh BUILD fuzz/kv fuzz/ptx
#
# Starts from tests/fuzz/corpus/NAME (never written to; `make fuzz-merge` does that) and a dictionary
# tests/fuzz/NAME.dict where there is one. What it finds goes to BUILD/corpus/NAME, a crashing input to BUILD/crash/NAME-….
set -u
cd "$(dirname "$0")/.." || exit 1

fuzz_one() {
    build=$1 name=${2#fuzz/}
    mkdir -p "$build/corpus/$name" "$build/crash" "tests/fuzz/corpus/$name"
    dictionary=
    [ ! -f "tests/fuzz/$name.dict" ] || dictionary=-dict=tests/fuzz/$name.dict
    "$build/tests/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=3000 -max_len=16384 \
        -print_final_stats=1 -artifact_prefix="$build/crash/$name-" $dictionary \
        "$build/corpus/$name" "tests/fuzz/corpus/$name" >"$build/fuzz-$name.log" 2>&1
    echo $? >"$build/fuzz-$name.status"
}

if [ "$1" = --one ]; then
    fuzz_one "$2" "$3"
    exit 0
fi
build=$1
shift
[ $# -eq 0 ] || printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 tools/fuzz.sh --one "$build"
passed=0 failed=0
for test in "$@"; do
    name=${test#fuzz/}
    if [ "$(cat "$build/fuzz-$name.status")" = 0 ]; then
        passed=$((passed + 1))
        echo "$test: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz-$name.log") inputs in ${FUZZ_SECONDS:-60} s"
    else
        failed=$((failed + 1))
        echo "FAILED $test"
        # The fuzzer's own progress lines say nothing; what remains is the report and the input.
        grep -v -E '^#[0-9]+[[:space:]]+(NEW|REDUCE|RELOAD|pulse|INITED|DONE)' "$build/fuzz-$name.log" | tail -n 50 | cut -c 1-500 |
            sed 's/^/    /'
    fi
done
if [ "${BUILD_STATUS:-0}" -ne 0 ]; then
    echo "FAILED the build (its messages are above)"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
