#!/bin/sh
# Runs every launch of tests/fidelity/launches.txt and leaves what came out in a folder:
#
#     tools/launches.sh build/gcc/warpglass build/fidelity [sass]
#
# From PTX; with `sass` from the machine code in tests/data/cubins, and the launches of machine_launches.txt as well.
# raw.csv (`report --csv --page raw` over all of them, in order), names.txt (PROGRAM KERNEL, a line each, in the same
# order), source.csv (machine code only: a row an instruction), hashes.txt (PROGRAM KERNEL HASH of the output buffer, "-" where none is stated), failed.txt (launches that
# ended with an error, with its first line). Exits 1 if any failed.
set -u
program=$1
out=$2
engine=${3:-ptx}
lists=tests/fidelity/launches.txt
[ "$engine" = ptx ] || lists="$lists tests/fidelity/machine_launches.txt"
mkdir -p "$out"
rm -f "$out"/*.wgp "$out"/*.txt "$out"/raw.csv
: >"$out/names.txt"
: >"$out/hashes.txt"
: >"$out/failed.txt"
profiles=
n=0
# shellcheck disable=SC2086 # a list of names without blanks
cat $lists >"$out/list.txt"
while read -r name kernel grid block output arguments; do
    case $name in '' | '#'*) continue ;; esac
    file=tests/data/ptx/$name.ptx
    [ "$engine" = ptx ] || file=tests/data/cubins/$name.fatbin
    set -- launch "$file" --engine "$engine" --kernel "$kernel" --grid "$grid" --block "$block" --device h200
    for argument in $arguments; do
        case $argument in
        symbol:*) set -- "$@" --symbol "${argument#symbol:}" ;;
        cluster:*) set -- "$@" --cluster "${argument#cluster:}" ;;
        *) set -- "$@" --arg "$argument" ;;
        esac
    done
    profile=$out/$(printf %03d $n).wgp
    if "$program" "$@" --quiet --export "$profile" --hash --log-file "$out/report.txt" >"$out/output.txt" 2>"$out/errors.txt"; then
        echo "$name $kernel" >>"$out/names.txt"
        hash=-
        [ "$output" = - ] || hash=$(sed -n "s/^argument $output hash=//p" "$out/output.txt")
        echo "$name $kernel $hash" >>"$out/hashes.txt"
        profiles="$profiles $profile"
        n=$((n + 1))
    else
        echo "$name $kernel: $(head -n 1 "$out/errors.txt")" >>"$out/failed.txt"
    fi
done <"$out/list.txt"
# shellcheck disable=SC2086 # a list of names without blanks
[ -z "$profiles" ] || "$program" report $profiles --csv --page raw >"$out/raw.csv" || exit 1
# shellcheck disable=SC2086
[ -z "$profiles" ] || [ "$engine" = ptx ] || "$program" report $profiles --csv --page source >"$out/source.csv" || exit 1
[ ! -s "$out/failed.txt" ]
