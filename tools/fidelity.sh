#!/bin/sh
# Simulates launches and compares their counters with those of an H200: first each launch of tests/fidelity/launches.txt
# from PTX, then these and those of machine_launches.txt from machine code, then, where nvcc is installed, whole programs
# under `warpglass run` (tools/programs.sh), which runs machine code where it can; last, these programs at both sizes by the
# counters of the hierarchy alone (tools/hierarchy.awk).
#
#     tools/fidelity.sh [--verbose] [PROGRAM]         (PROGRAM: build/gcc/warpglass)
#
# Prints per metric how many launches are equal, the median and the worst error; --verbose lists the differences of
# exact metrics. Exits 1 if a launch failed.
set -u
cd "$(dirname "$0")/.." || exit 1
verbose=0
if [ "${1:-}" = --verbose ]; then
    verbose=1
    shift
fi
out=build/fidelity
status=0
mkdir -p build
program=${1:-build/gcc/warpglass}
"$program" report --list-metrics >$out.metrics.txt || status=1
compare() { # title, raw files...
    printf '%s\n\n' "$1"
    shift
    awk -v verbose=$verbose -f tools/fidelity.awk $out.metrics.txt tests/data/h200_counters.csv "$@" || status=1
}
tools/launches.sh "$program" $out || status=1
compare '==== kernels from PTX, by `warpglass launch`' $out/raw.csv
show_failed() { [ ! -s "$1/failed.txt" ] || { echo; echo 'launches that failed'; sed 's/^/    /' "$1/failed.txt"; }; }
show_failed $out
echo
tools/launches.sh "$program" $out-machine sass || status=1
compare '==== kernels from machine code, by `warpglass launch --engine sass`' $out-machine/raw.csv
show_failed $out-machine
echo
tools/programs.sh "$program" $out-programs >$out.programs.txt
case $? in
0) compare '==== whole programs, by `warpglass run`' $(sed 1d tests/data/h200_counters.csv | cut -d, -f1 | sort -u | sed "s|.*|$out-programs/&.csv|") ;;
77) echo '==== whole programs: not run, there is no nvcc' ;;
*) status=1 && cat $out.programs.txt ;;
esac
if [ -x "$out-programs/transpose" ]; then
    echo
    echo '==== the hierarchy: whole programs, small and default, by machine code'
    echo
    SIZE=default PROGRAMS='transpose coalesce banks sgemm reduce vector_copy histogram constant divergence local softmax l2 async_copy cluster tma2d texture mma wgmma' \
        tools/programs.sh "$program" $out-default >$out.default.txt || { status=1 && cat $out.default.txt; }
    awk -f tools/hierarchy.awk tests/data/h200_hierarchy.csv SIZE=small $out-programs/*.csv SIZE=default $out-default/*.csv
fi
exit $status
