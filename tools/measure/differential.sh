#!/bin/sh
# Prepares the comparison of the engine with a GPU: kernels of all instructions with their suffixes, what ptxas refuses left
# out, cubins and the program that runs them, all in one folder.
#
#     tools/measure/differential.sh TEST FOLDER     TEST = build/gcc/tests/op/differential
#     for n in $(seq 0 31); do FOLDER/run FOLDER $n; done > differential_h200.txt     on a GPU of compute capability 9.0
#     zstd -19 differential_h200.txt -o tests/data/differential_h200.txt.zst
#
# FOLDER/refused names the variants that ptxas refused, and each with its reason stands in FOLDER/reasons.
set -eu
test=$1 folder=$2 jobs=${JOBS:-$(nproc)}
mkdir -p "$folder"
nvcc -arch=sm_90 -O2 -cudart static -o "$folder/run" "$(dirname "$0")/differential.cu"
touch "$folder/refused" "$folder/reasons"
round=0
while :; do
    "$test" --write "$folder" "$folder/refused"
    rm -f "$folder"/*.cubin
    ls "$folder"/*.ptx | xargs -P "$jobs" -I '{}' sh -c 'ptxas -arch=sm_90a -O1 -o "${1%.ptx}.cubin" "$1" > "${1%.ptx}.log" 2>&1 || :' sh '{}'
    # Each error belongs to the last variant that begins above its line.
    for log in "$folder"/*.log; do
        grep -o 'line [0-9]*; *error.*' "$log" | sort -t ' ' -k 2,2n | awk -v ptx="${log%.log}.ptx" '
            { line = $2 + 0; sub(/^line [0-9]*; */, ""); want[line] = want[line] ? want[line] : $0 }
            END { at = 0; while ((getline text < ptx) > 0) { at++
                    if (text ~ /^{ \/\/ /) key = substr(text, 6)
                    if (at in want) print key "\t" want[at] } }'
    done | sort -u > "$folder/new"
    test -s "$folder/new" || break
    cat "$folder/new" >> "$folder/reasons"
    cut -f 1 "$folder/reasons" | sort -u > "$folder/refused"
    round=$((round + 1))
    test $round -lt 12
done
ls "$folder"/*.cubin | wc -l
cat "$folder"/*.log >&2
