#!/bin/sh
# The main job on a real kernel: a copy and four transposes of an n x n matrix, side by side, with what is wrong and what
# would mend it. Runs only commands that anyone can type, and shows each.
#
#     tools/demo.sh [n] [device]          (WARPGLASS = the program, default build/warpglass)
set -eu
cd "$(dirname "$0")/.."
n=${1:-1024}
device=${2:-h200}
program=${WARPGLASS:-build/warpglass}
out=${TEST_TMP:-build}/demo
tiles=$((n / 32))
mkdir -p "$out"

show() {
    printf '$'
    for word in "$@"; do
        case $word in *[\[\]\ ]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$@"
}

profiles=
for kernel in copy naive tile32 tile33 swizzle; do
    show "$program" launch examples/transpose.ptx --kernel $kernel --grid ${tiles}x$tiles --block 32x8 \
        --arg "f32[${n}x$n]=iota" --arg "f32[${n}x$n]" --arg "$n" --device "$device" --export "$out/$kernel.wgp" \
        --log-file "$out/$kernel.txt"
    profiles="$profiles $out/$kernel.wgp"
done
echo
# shellcheck disable=SC2086 # a list of names without blanks
show "$program" report $profiles --page compare
