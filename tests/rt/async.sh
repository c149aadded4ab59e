#!/bin/sh
# Asynchronous copies, bulk and tensor copies, clusters: thousands of random cases (tests/data/programs/async.cu) give the
# bytes that they gave on an H200 (tests/data/h200_async.txt; a hash a case). Prints TAP.
set -u
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
"$nvcc" -gencode arch=compute_90a,code=compute_90a -O1 -cudart shared "$TEST_DATA/programs/async.cu" -o "$TEST_TMP/async" \
    2>"$TEST_TMP/build" || { cat "$TEST_TMP/build"; exit 1; }
n=0
check() { # section arguments: sections of lines that it prints
    "$WARPGLASS" run --model off --quiet --log-file /dev/null "$TEST_TMP/async" "$@" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
    awk -f tests/support/async_lines.awk "$TEST_TMP/out" >"$TEST_TMP/have"
    for section in $(cut -d' ' -f1 "$TEST_TMP/have" | sort -u); do
        n=$((n + 1))
        # Cases that faulted on the card, or whose bytes had not all come, are not in the file.
        differ=$(awk -v section="$section" 'NR == FNR { want[$1 " " $2] = $3; next }
            $1 == section && ($1 " " $2) in want { k++; if (want[$1 " " $2] != $3) bad = bad " " $2 }
            END { if (k < 30) bad = bad " only " k + 0 " compared"; print bad }' "$TEST_DATA/h200_async.txt" "$TEST_TMP/have")
        if [ -z "$differ" ]; then echo "ok $n - $section"; else echo "not ok $n - $section: cases$differ" | cut -c1-200; fi
    done
    tail -n 1 "$TEST_TMP/out" | grep -q '^end' || { n=$((n + 1)); echo "not ok $n - $1 ends early"; sed 's/^/# /' "$TEST_TMP/err" | head; }
}
check refused
check copy 400
check cluster
check bulk 1120
check interleave
grep -q '^replace ' "$TEST_DATA/h200_async.txt" && check replace
echo "1..$n"
