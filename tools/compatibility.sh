#!/bin/sh
# Builds programs with nvcc as it is, runs each under `warpglass run`, and prints the table of doc/compatibility.md:
#
#     tools/compatibility.sh LIST ROOT OUT [WARPGLASS]
#
# LIST has a line for each program; ROOT is the folder that its paths start from, OUT where results are put (what is there
# already is not built or run again):
#
#     name|folder|sources and options for nvcc, run in the folder|arguments|text that its success prints, a regular expression
#
# A program is right when it exits with 0, prints that text, and no kernel faulted. SECONDS_EACH (120) limits each run.
set -u
list=$(realpath "$1") root=$(realpath "$2") out=$3
warpglass=$(realpath "${4:-build/gcc/warpglass}")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
limit=${SECONDS_EACH:-120}
mkdir -p "$out" && out=$(realpath "$out") || exit 1

build() { # sources and options; in the program's folder
    [ -x "$program" ] || eval "\"$nvcc\" -arch=sm_90 -O3 -std=c++17 $1 -o \"$program\"" >"$program.build" 2>&1
}

# Its status, and the processor seconds that it and warpglass took: the machine may have other work.
run() { # arguments
    (
        eval "timeout \"$limit\" \"$warpglass\" run --quiet --csv --page raw --metrics smsp__inst_executed.sum --log-file \"$program.csv\" \"$program\" $1" \
            >"$program.out" 2>"$program.err" </dev/null
        echo $?
        times
    ) | awk 'NR == 1 { status = $1 }
        NR == 3 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } }
        END { printf "%d %.2f\n", status, sum }' >"$program.status"
}

row() { # name, pattern
    read -r status seconds <"$program.status"
    verdict=right
    [ "$status" = 0 ] || verdict="exit status $status"
    [ "$status" != 124 ] || verdict="not done in $limit s"
    grep -Eq -- "$2" "$program.out" || verdict="${verdict#right}${verdict:+, }its text of success is missing"
    verdict=${verdict#, }
    grep -q '^=========' "$program.err" && verdict="$verdict, a kernel faulted"
    # Two header rows; the last column is the metric.
    totals=$(sed 1,2d "$program.csv" 2>/dev/null | awk -F'","' '{ n++; gsub(/[",]/, "", $NF); sum += $NF } END { printf "%d %d", n, sum }')
    instructions=${totals#* }
    missing=$(grep -h -m 1 '^warpglass: \|: error: ' "$program.err" | cut -c1-160)
    echo "$1|$verdict|${totals% *}|$instructions|$seconds|$(echo "$instructions $seconds" | awk '{ printf "%.2f", $1 / ($2 ? $2 : 1) / 1e6 }')|$missing"
}

echo '| program | verdict | engine | launches | warp instructions | processor seconds | million warp instructions/s | what was missing |'
echo '|---|---|---|---|---|---|---|---|'
grep -v '^#' "$list" | while IFS='|' read -r name folder sources arguments pattern; do
    program=$out/$(echo "$name" | tr / _)
    cd "$root/$folder" || continue
    if ! build "$sources"; then
        echo "| $name | not built | | | | | | $(grep -m 1 error "$program.build" | cut -c1-160) |"
        continue
    fi
    [ -f "$program.status" ] || run "$arguments"
    row "$name" "$pattern" | awk -F'|' '{ printf "| %s | %s | ptx | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
done
