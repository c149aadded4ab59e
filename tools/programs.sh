#!/bin/sh
# Runs whole programs under `warpglass run` and compares what they print and what was counted with an H200:
#
#     tools/programs.sh [WARPGLASS] [OUT]          (build/gcc/warpglass build/programs)
#
# The sources of tests/data/programs that print hashes are built by nvcc as it links by default, with the runtime inside, and
# run with the argument `small`, or without it where SIZE=default (then hashes are not compared); with CUDART=shared, against the library. PROGRAMS names others, SOURCES their folder. Without nvcc there is nothing to run: exit 77. Writes OUT/raw.csv, one row a launch under the name that
# the program printed for it ("kernel=NAME check=… hash=…", in launch order), for tools/fidelity.awk. Prints a line a
# program; exits 1 when one fails, a check fails or a hash differs.
set -u
cd "$(dirname "$0")/.." || exit 1
warpglass=$(realpath "${1:-build/gcc/warpglass}")
out=${2:-build/programs}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
cudart=${CUDART:-static}
sources=${SOURCES:-tests/data/programs}
programs=${PROGRAMS:-transpose coalesce banks sgemm reduce vector_copy histogram constant divergence local softmax l2 features latency bandwidth async_copy cluster tma2d texture mma wgmma}
size=${SIZE:-small}
mkdir -p "$out"
rm -f "$out/raw.csv" "$out/status"

compare() { # program
    name=$1 differ=
    target=arch=compute_90,code=[sm_90,compute_90] argument=small
    [ "$name" = wgmma ] && target=arch=compute_90a,code=[sm_90a,compute_90a]
    [ "$size" = small ] || argument=
    "$nvcc" -gencode "$target" -O3 -lineinfo -cudart "$cudart" "$sources/$name.cu" -o "$out/$name" || return 1
    "$warpglass" run --quiet --log-file "$out/$name.log" --csv --page raw -o "$out/$name.wgp" "$out/$name" $argument >"$out/$name.out"
    status=$?
    n=$(grep -c '^kernel=.* check=ok ' "$out/$name.out")
    bad=$(grep -c '^kernel=.* check=[^o]' "$out/$name.out")
    [ "$size" = small ] && differ=$(sed -n 's/^kernel=\([^ ]*\) check=[^ ]* hash=\(.*\)/\1 \2/p' "$out/$name.out" |
        awk -v program="$name" 'FNR == NR { want[$1 " " $2] = $3; next }
            (program " " $1) in want && want[program " " $1] != $2 { print $1 }' tests/data/h200_hashes.txt - | xargs)
    echo "$name: exit $status, $n checks passed, $bad failed, hashes that differ: ${differ:-none}"
    awk -v label_file="$out/$name.out" '
        BEGIN { while ((getline line < label_file) > 0) if (line ~ /^kernel=/) { split(line, word, /[= ]/); label[++n] = word[2] } }
        FNR <= 2 { print; next }
        { row++; k = split($0, field, /","/); field[5] = label[row]; line = field[1]
          for (i = 2; i <= k; i++) line = line "\",\"" field[i]; print line }' "$out/$name.log" >"$out/$name.csv"
    [ $status = 0 ] && [ "$bad" = 0 ] && [ "$n" -gt 0 ] && [ -z "$differ" ]
}

for name in $programs; do
    compare $name || echo failed >"$out/status"
done
[ ! -f "$out/status" ]
