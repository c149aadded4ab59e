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
# Its lines are those of the sources named and of what they include from the program's own folder. Its verdict is the line of
# its output that has that text. A program is right when it exits with 0, prints that text, and no kernel faulted.
# SECONDS_EACH (120) limits each run.
set -u
list=$(realpath "$1") root=$(realpath "$2") out=$3
warpglass=$(realpath "${4:-build/gcc/warpglass}")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
limit=${SECONDS_EACH:-120}
mkdir -p "$out" && out=$(realpath "$out") || exit 1

build() { # sources and options; in the program's folder
    [ -x "$program" ] || eval "\"$nvcc\" -arch=sm_90 -O3 -std=c++17 $1 -o \"$program\"" >"$program.build" 2>&1
}

# The files that make up the program, one a line: sources, and includes found beside the including file, in the program's
# folder or in a folder of -I within it.
files_of() { # sources and options; in the program's folder
    folders=.
    for word in $1; do
        case $word in -I/* | -I../*) ;; -I?*) folders="$folders ${word#-I}" ;; esac
    done
    # shellcheck disable=SC2086 # patterns of files are meant
    set -- $(for word in $1; do case $word in -*) ;; *) echo "$word" ;; esac done)
    seen=' '
    while [ $# -gt 0 ]; do
        file=$1 && shift
        case $seen in *" $file "*) continue ;; esac
        seen="$seen$file " && echo "$file"
        for include in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
            for place in "$(dirname "$file")" $folders; do
                [ -f "$place/$include" ] || continue
                found=$(realpath --relative-to=. "$place/$include")
                case $found in ../*) ;; *) set -- "$@" "$found" ;; esac
                break
            done
        done
    done
}

# Its status, and the processor seconds that it and warpglass took: the machine may have other work.
run() { # arguments
    (
        eval "timeout \"$limit\" \"$warpglass\" run --quiet --csv --page raw --metrics smsp__inst_executed.sum --log-file \"$program.csv\" -o \"$program.wgp\" \"$program\" $1" \
            >"$program.out" 2>"$program.err" </dev/null
        echo $?
        times
    ) | awk 'NR == 1 { status = $1 }
        NR == 3 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } }
        END { printf "%d %.2f\n", status, sum }' >"$program.status"
}

# The engines that its launches ran on.
engines() {
    "$warpglass" report "$program.wgp" 2>/dev/null | sed -n 's/^engine  *\([a-z]*\),.*/\1/p' | sort | uniq | paste -sd+
}

row() { # name, pattern, lines
    read -r status seconds <"$program.status"
    verdict=right
    [ "$status" = 0 ] || verdict="exit status $status"
    [ "$status" != 124 ] || verdict="not done in $limit s"
    grep -Eq -- "$2" "$program.out" || verdict="${verdict#right}${verdict:+, }its text of success is missing"
    verdict=${verdict#, }
    grep -q '^=========' "$program.err" && verdict="$verdict, a kernel faulted"
    says=$(grep -Em 1 -- "$2" "$program.out" | tr '|\t' '  ' | tr -s ' ' | cut -c1-60)
    # Two header rows; the last column is the metric.
    totals=$(sed 1,2d "$program.csv" 2>/dev/null | awk -F'","' '{ n++; gsub(/[",]/, "", $NF); sum += $NF } END { printf "%d %.0f", n, sum }')
    instructions=${totals#* }
    speed=$(echo "$instructions $seconds" | awk '{ printf "%.2f", $1 / ($2 ? $2 : 1) / 1e6 }')
    missing=$(grep -h -m 1 '^warpglass: \|: error: ' "$program.err" | cut -c1-160)
    echo "| $1 | $3 | $verdict | ${says# } | $(engines) | ${totals% *} | $instructions | $seconds | $speed | $missing |"
}

echo '| program | lines | verdict | it says | engine | launches | warp instructions | processor seconds | million warp instructions/s | what was missing |'
echo '|---|---:|---|---|---|---:|---:|---:|---:|---|'
grep -v '^#' "$list" | while IFS='|' read -r name folder sources arguments pattern; do
    program=$out/$(echo "$name" | tr / _)
    cd "$root/$folder" || continue
    # shellcheck disable=SC2046 # one word a file
    lines=$(cat $(files_of "$sources") | wc -l)
    if ! build "$sources"; then
        echo "| $name | $lines | not built | | | | | | | $(grep -m 1 error "$program.build" | cut -c1-160) |"
        continue
    fi
    [ -f "$program.status" ] || run "$arguments"
    row "$name" "$pattern" "$lines"
done
