#!/bin/sh
# Runs tests and closes with `N passed, N failed`.
#
#     tools/runtests.sh build/gcc unit/kv cli/device.sh fuzz/kv tree/layers.sh
#
# A name is a program below BUILD/tests/, a script below tests/, or a check of the tree itself in tools/. A test that
# prints TAP (every cmocka program does) counts case by case, any other as one case by its exit status: 0 passed,
# 77 skipped. Scripts get $WARPGLASS (the program), $TEST_TMP (an empty folder of their own), $TEST_DATA and, from
# `make bless`, BLESS=1. Everything runs in the project's root, JOBS at a time, TEST_SECONDS at most each.
# BUILD_STATUS (from make) other than 0 is one failure more.
set -u
cd "$(dirname "$0")/.." || exit 1

# Counts TAP lines of a log: passed failed skipped planned. cmocka writes a skipped case as `not ok 3 # SKIP name`.
count_tap() {
    awk '/^1\.\.[0-9]+$/ { planned += substr($0, 4) }
         /^(not )?ok [0-9]+ # SKIP/ { skipped++; next }
         /^ok [0-9]+ / { passed++ }
         /^not ok [0-9]+ / { failed++ }
         END { print passed + 0, failed + 0, skipped + 0, planned + 0 }' "$1"
}

# Runs one test and writes NAME.log and NAME.count (passed failed skipped) below BUILD/results.
run_one() {
    build=$1 name=$2
    result=$build/results/$name
    TEST_TMP=$PWD/$build/tmp/$name
    case $build in /*) TEST_TMP=$build/tmp/$name WARPGLASS=$build/warpglass ;; *) WARPGLASS=$PWD/$build/warpglass ;; esac
    rm -rf "$TEST_TMP"
    mkdir -p "$TEST_TMP" "$(dirname "$result")"
    export TEST_TMP WARPGLASS TEST_DATA="$PWD/tests/data" TEST_BUILD="$build" CMOCKA_MESSAGE_OUTPUT=TAP
    case $name in
    tree/*) program=tools/${name#tree/} ;;
    *.sh) program="sh tests/$name" ;;
    *) program=$build/tests/$name ;;
    esac
    # shellcheck disable=SC2086 # "sh tests/x.sh" is two words
    start=$(date +%s)
    timeout -k 5 "${TEST_SECONDS:-300}" $program >"$result.log" 2>&1 </dev/null
    status=$?
    seconds=$(($(date +%s) - start))
    [ $status -ne 124 ] || echo "# stopped after ${TEST_SECONDS:-300} s" >>"$result.log"
    set -- $(count_tap "$result.log")
    if [ "$4" -gt 0 ]; then
        lost=$(($4 - $1 - $2 - $3))
        [ "$lost" -le 0 ] || echo "# ended with status $status before $lost of its cases" >>"$result.log"
        [ "$lost" -le 0 ] || set -- "$1" $(($2 + lost)) "$3"
        [ $status -eq 0 ] || [ "$2" -gt 0 ] || set -- "$1" 1 "$3"
        echo "$1 $2 $3 $seconds" >"$result.count"
    else
        case $status in 0) set -- 1 0 0 ;; 77) set -- 0 0 1 ;; *) set -- 0 1 0 ;; esac
        echo "$1 $2 $3 $seconds" >"$result.count"
    fi
    [ -n "${KEEP_TMP:-}" ] || rm -rf "$TEST_TMP"
}

# The failed cases of a TAP log with their messages, or the end of any other log.
print_failure() {
    echo "FAILED $2"
    if grep -q '^not ok [0-9]* [^#]' "$1/results/$2.log"; then
        awk '/^not ok [0-9]+ # SKIP/ || /^ok / { show = 0; next } /^not ok / { show = 1 } show || /^# ended|^# stopped/' \
            "$1/results/$2.log"
        grep -A 25 -e 'ERROR: AddressSanitizer' -e 'runtime error:' -e 'ERROR: LeakSanitizer' "$1/results/$2.log"
    else
        tail -n 60 "$1/results/$2.log"
    fi | sed 's/^/    /'
}

if [ "${1:-}" = --one ]; then
    run_one "$2" "$3"
    exit 0
fi

build=$1
shift
rm -rf "$build/results" "$build/tmp"
mkdir -p "$build/results"
[ $# -eq 0 ] || printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 tools/runtests.sh --one "$build"

passed=0 failed=0 skipped=0
for name in "$@"; do
    read -r p f s seconds <"$build/results/$name.count" || { p=0 f=1 s=0 seconds=0; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    [ "$seconds" -lt 20 ] || echo "slow $name: $seconds s"
    [ "$f" -eq 0 ] || print_failure "$build" "$name"
    [ "$s" -eq 0 ] || grep '^not ok [0-9]* # SKIP' "$build/results/$name.log" | sed "s|^not ok [0-9]* # SKIP|skipped $name|"
    [ "$s" -eq 0 ] || grep -q '^1\.\.' "$build/results/$name.log" ||
        echo "skipped $name: $(tail -n 1 "$build/results/$name.log")"
done
if [ "${BUILD_STATUS:-0}" -ne 0 ]; then
    echo "FAILED the build (its messages are above)"
    failed=$((failed + 1))
fi
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ] && [ $passed -gt 0 ]
