#!/bin/sh
# Whole programs from machine code: what only they can set up (tensor maps, textures, surfaces, matrices of a warpgroup). Their
# outputs have the bytes that an H200 wrote, and every count of every instruction is the card's (see machine.sh). Built with
# nvcc; skipped without it. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "1..0 # SKIP no nvcc"; exit 77; }
[ -f "$(dirname "$warpglass")/lib/libwarpglass.so" ] || { echo "1..0 # SKIP the runtime libraries are not built"; exit 77; }

say() { # result, number, name
    if [ "$1" = 0 ]; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; fi
}

run() { # program, what nvcc generates code for
    "$nvcc" -gencode "$2" -O3 -lineinfo "tests/data/programs/$1.cu" -o "$work/$1" -lcuda || return 1
    "$warpglass" run --engine sass --quiet -o "$work/$1.wgp" "$work/$1" small >"$work/$1.out" 2>"$work/$1.err" || return 1
    sed -n "s/^kernel=\([^ ]*\) check=ok hash=\(.*\)/$1 \1 \2/p" "$work/$1.out" >>"$work/hashes.txt"
    head=1 # of the columns, once
    [ ! -s "$work/source.csv" ] || head=2
    "$warpglass" report "$work/$1.wgp" --csv --page source | tail -n +$head >>"$work/source.csv"
}

: >"$work/hashes.txt"
: >"$work/source.csv"
failed=
run async_copy arch=compute_90,code=sm_90 || failed="$failed async_copy"
run cluster arch=compute_90,code=sm_90 || failed="$failed cluster"
run tma2d arch=compute_90,code=sm_90 || failed="$failed tma2d"
run texture arch=compute_90,code=sm_90 || failed="$failed texture"
run wgmma arch=compute_90a,code=sm_90a || failed="$failed wgmma"
[ -z "$failed" ]
say $? 1 "programs end well${failed:+, but not$failed}"
for name in $failed; do sed 's/^/# /' "$work/$name.err"; done

awk 'NR == FNR { want[$1 " " $2] = $3; next }
     { n++; if (want[$1 " " $2] != $3) { print $1, $2, $3, want[$1 " " $2]; bad++ } }
     END { print n " outputs compared"; exit bad > 0 || n < 26 }' tests/data/h200_hashes.txt "$work/hashes.txt" >"$work/hashes.log"
say $? 2 'outputs have the bytes that the card wrote'
sed 's/^/# /' "$work/hashes.log"

cut -d ' ' -f 1,2 "$work/hashes.txt" >"$work/names.txt"
awk -v least=26 -f tests/fidelity/machine.awk tests/fidelity/machine_known.txt tests/fidelity/machine_varies.txt \
    tests/data/h200_instructions.txt "$work/names.txt" "$work/source.csv" >"$work/table.txt"
say $? 3 "$(tail -n 1 "$work/table.txt")"
sed 's/^/# /' "$work/table.txt"
echo 1..3
