#!/bin/sh
# Simulates every launch of tests/fidelity/launches.txt and compares its counters with those of an H200:
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
program=${1:-build/gcc/warpglass}
tools/launches.sh "$program" $out || status=1
"$program" report --list-metrics >$out/metrics.txt || status=1
awk -v verbose=$verbose -f tools/fidelity.awk $out/metrics.txt tests/data/h200_counters.csv $out/raw.csv || status=1
[ ! -s $out/failed.txt ] || { echo; echo 'launches that failed'; sed 's/^/    /' $out/failed.txt; }
exit $status
